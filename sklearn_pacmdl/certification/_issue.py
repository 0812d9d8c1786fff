"""Certificates of what was claimed."""

from ..certificates import BoundCertificate
from ..certificates._arithmetic import grouped
from ..utils._checks import shown

# The proviso to state if labelings were not computed by the search itself.
FIXED_BEFORE = "the labelings were fixed before any of the labels was seen"


def issue_certificate(sweep, split, index, **known):
    """Make the certificate of the best claim of a candidate on one split.

    Parameters
    ----------
    sweep : Sweep
    split, index : int
        The candidate must have a claim on this split.
    **known : dict
        Further parameters of :meth:`BoundCertificate.from_counts`.

    Returns
    -------
    certificate : BoundCertificate
    """
    claim, sizes = sweep.claims[split][index], sweep.sizes[split]
    option, facts = claim.option, known.pop("facts", {})
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
        facts={**sweep.strategy.facts, **facts},
        **known,
    )


def describe_candidate(sweep, index, params):
    """Description of a candidate for its certificate, in the types of JSON."""
    candidate = sweep.candidates[index]
    subject = {
        "algorithm": candidate.algorithm,
        "n_clusters": candidate.n_clusters,
        "n_clusters_found": sweep.of(index).n_clusters,
        "init": candidate.init,
        "params": {key: shown(value) for key, value in params.items()},
        "n_classes": sweep.n_classes,
        "n_candidates": len(sweep.candidates),
    }
    if not sweep.strategy.chooses_first:  # else there is nothing to pay for
        subject["language"] = sweep.weighing.name
    return subject


def known_classes(strategy, classes):
    """The proviso to state if the classes were not declared, where that matters."""
    if not strategy.knows_classes:
        return ()
    return (f"the {len(classes)} classes were known beforehand",)
