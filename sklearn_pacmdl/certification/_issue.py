"""Certificates of what was claimed."""

from ..certificates import BoundCertificate, grouped
from ..utils._checks import shown

# The proviso to state if labelings were not computed by the search itself.
MADE_BEFORE = "the labelings were made and chosen without the labels"


def issue_certificate(claims, split, index, *, declared, provisos, classes, **known):
    """Make the certificate of the best claim of a candidate on one split.

    Parameters
    ----------
    claims : Claims
    split, index : int
        The candidate must have a claim on this split.
    declared : bool
        Whether the classes were known beforehand for sure.
    provisos : sequence of str
        What else is assumed.
    classes : list
        Names of the classes.
    **known : dict
        Further parameters of :meth:`BoundCertificate.from_counts`.

    Returns
    -------
    certificate : BoundCertificate
    """
    claim, sweep = claims.best[split][index], claims.sweep
    sizes, option, facts = sweep.sizes[split], claim.option, known.pop("facts", {})
    known_classes = sweep.strategy.knows_classes
    assumed = f"the {len(classes)} classes were known beforehand"
    return BoundCertificate.from_counts(
        option.n_train,
        option.n_test,
        option.train_errors,
        weights=claim.terms,
        delta=sweep.delta,
        kind=sweep.strategy.kind,
        n_select=sizes.n_select,
        n_train_abstained=sizes.n_certify - option.n_train,
        n_test_abstained=sizes.n_test - option.n_test,
        clusters=() if option.clusters is None else grouped(option.clusters),
        facts={**option.facts, **facts},
        provisos=(*[assumed] * (known_classes and not declared), *provisos),
        classes=classes,
        **known,
    )


def describe_candidate(sweep, index, params):
    """Description of a candidate for its certificate, in the types of JSON."""
    candidate = sweep.candidates[index]
    subject = {
        "algorithm": candidate.algorithm,
        "n_clusters": candidate.n_clusters,
        "n_clusters_found": sweep.of(index).n_clusters or None,
        "init": candidate.init,
        "params": {key: shown(value) for key, value in params.items()},
        "n_classes": sweep.n_classes,
        "n_candidates": len(sweep.candidates),
    }
    if sweep.weighing.name:  # else it is the default, or there is nothing to pay for
        subject["language"] = sweep.weighing.name
    return subject
