"""The results of a sweep as columns with one entry per candidate."""

from fractions import Fraction

import numpy as np

from ..bounds import pac_mdl_bound
from ..languages._language import SWEPT_TERMS
from ..languages._paper import PAPER_LANGUAGES
from ..utils._weights import length_in_bits

_FREE = Fraction(1)
# Terms are listed in this order; those that languages name stand between.
_FIRST_TERMS = ("label", *SWEPT_TERMS)
_LAST_TERMS = ("candidate", "subset")


def results_table(claims, ranking, error_score=np.nan):
    """What was found of every candidate: columns by name, failed bounds as error_score.

    Columns of splits and standard deviations are there where there are several splits,
    and those of costs, coverage and hidden labels where there are such.
    """
    columns, means, failed = _columns(claims, ranking), {}, claims.sweep.failed()
    by_split: dict[str, np.ndarray] = {}
    if failed.any():
        columns["test_bound"][:, failed] = error_score
    for name, column in columns.items():
        means[f"mean_{name}"] = column.mean(axis=0)
        if name == "test_bound" and len(column) > 1:
            means[f"std_{name}"] = column.std(axis=0)
        if len(column) > 1:
            by_split |= {f"split{i}_{name}": own for i, own in enumerate(column)}
    ranks = {
        f"rank_{ranking.column}": ranking.ranks,
        "ranking_value": np.where(failed, np.nan, ranking.values / ranking.n_rows),
    }
    described = ranks | _description(claims.sweep, failed) | means
    return described | _bits(claims) | by_split


def _description(sweep, failed):
    asked = [c.n_clusters for c in sweep.candidates]
    found = np.array([0 if c is None else c.n_clusters for c in sweep.counted])
    described = {
        "algorithm": np.array([c.algorithm for c in sweep.candidates], dtype=object),
        "n_clusters": np.ma.array(
            [a or 0 for a in asked], mask=[a is None for a in asked]
        ),
        "n_clusters_found": np.ma.array(found, mask=found == 0),
        "init": np.array([c.init for c in sweep.candidates]),
    }
    classifiers = (found == 0) & ~failed
    if classifiers.any():  # how candidates were assessed on the selecting rows
        words = np.where(classifiers, "cross-validation", "half leave-one-out")
        described["errors by"] = words.astype(object)
    return described


def _columns(claims, ranking):
    """Columns of shape (n_splits, n_candidates)."""
    sweep = claims.sweep
    columns = {
        "test_bound": claims.per_split("bound"),
        "train_errors": claims.per_split("option.train_errors"),
    }
    if sweep.goal.abstains or sweep.goal.drops_noise:
        columns["coverage"] = claims.coverages()
    if sweep.goal.drops_noise and not sweep.goal.abstains:
        columns["uncertified"] = claims.uncertified()
    if sweep.strategy.fraction:  # what candidates are chosen or weighed by, as a rate
        goal = sweep.goal
        both = zip(sweep.of_each("preferences").T, sweep.sizes, strict=True)
        rates = [goal.selection_column(*own) for own in both]
        columns[goal.chosen_by] = np.stack(rates)
    if ranking.column == "estimated_error":
        labeled = np.array([[sizes.n_labeled] for sizes in sweep.sizes])
        columns["estimated_error"] = sweep.of_each("estimated_errors").T / labeled
    test_error = _test_errors(claims)
    if not np.all(np.isnan(test_error)):
        columns["test_error"] = test_error
    return columns


def _test_errors(claims):
    """Error rate on the hidden rows of what is claimed, or else would be."""
    sweep = claims.sweep
    rates = np.full((len(sweep.sizes), len(sweep.candidates)), np.nan)
    for split, best in enumerate(claims.best):
        for i, counted in enumerate(sweep.counted):
            if counted is None:
                continue
            claim = best.get(i)
            if claim is None and len(counted.options[split]) != 1:
                continue  # which of them would be chosen is not known, or all is noise
            option = counted.options[split][0] if claim is None else claim.option
            if option.n_test and option.test_errors >= 0:
                rates[split, i] = option.test_errors / option.n_test
    return rates


def paper_columns(sweep):
    """Bounds under the paper's languages, for the majority classes of all labels."""
    ok = np.flatnonzero(~sweep.failed())
    found = np.array([sweep.of(i).n_clusters for i in ok])
    errors = np.array([sweep.of(i).train_errors for i in ok])
    selection = [lang.selection_bits(sweep.candidates)[ok] for lang in PAPER_LANGUAGES]
    bits = found * np.log2(sweep.n_classes) + np.stack(selection)
    language, candidate = np.nonzero(~np.isnan(bits))  # what is described
    bounds = np.full((len(bits), len(sweep.sizes), len(sweep.candidates)), np.nan)
    for split, sizes in enumerate(sweep.sizes):
        bounds[language, split, ok[candidate]] = (
            pac_mdl_bound(
                sizes.n_labeled,
                sizes.n_test,
                errors[candidate, split],
                description_length=bits[language, candidate],
                delta=sweep.delta,
            )
            / sizes.n_test
        )
    names = [f"mean_{language.name}_bound" for language in PAPER_LANGUAGES]
    return {name: own.mean(axis=0) for name, own in zip(names, bounds, strict=True)}


def _bits(claims):
    """Bits in all and by term, as means over splits; NaN and None without a claim."""
    described = dict.fromkeys(
        term
        for best in claims.best
        for claim in best.values()
        if claim is not None
        for term in claim.terms
    )
    ends = (*_FIRST_TERMS, *_LAST_TERMS)
    between = [term for term in described if term not in ends]
    listed = (*_FIRST_TERMS, *between, *_LAST_TERMS)
    terms = [term for term in listed if term in described]

    by_term = []
    for i in range(len(claims.sweep.candidates)):
        own = [best.get(i) for best in claims.best]
        by_term.append(
            None
            if None in own
            else {
                term: float(
                    np.mean([length_in_bits(c.terms.get(term, _FREE)) for c in own])
                )
                for term in terms
            }
        )
    return {
        "description_length": claims.description_lengths(),
        "bits": np.array(by_term, dtype=object),
    }
