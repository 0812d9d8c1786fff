"""The table of a sweep, and the choice from it."""

from collections import defaultdict
from fractions import Fraction

import numpy as np
from scipy.stats import rankdata

from ..bounds import pac_mdl_bound
from ..languages import PAPER_LANGUAGES, TERMS
from ..utils._weights import length_in_bits
from ._claims import selection_table
from ._evaluation import Failure

_FREE = Fraction(1)
# Terms that have a column even where they cost nothing.
PAPER_TERMS = TERMS[:5]


def results_table(plan, outcomes, claims, chosen_by, delta, error_score):
    """``cv_results_``: a dict of arrays with one entry per candidate.

    Parameters
    ----------
    plan : Plan
    outcomes : list of Outcome or Failure
    claims : list of dict of int to Claim
        By split; of every candidate, or of the chosen one alone.
    chosen_by : str
        Name of the column that candidates are ranked by.
    delta : float
    error_score : float or "raise"
        Bound of a failed candidate.

    Returns
    -------
    results : dict of str to ndarray
    """
    candidates, task = plan.candidates, plan.task
    failed = np.array([isinstance(outcome, Failure) for outcome in outcomes])
    results = _description(candidates, plan, outcomes, failed)
    results |= _bits(plan, claims, failed)
    results |= _scores(task.scorers, outcomes, failed)
    paper = {lang.name: lang.selection_bits(candidates) for lang in PAPER_LANGUAGES}
    columns = {}
    for split, claimed in enumerate(claims):
        columns[split] = _claimed_columns(split, claimed, outcomes, task)
        if task.strategy.kind == "pac-mdl":  # the others pay for none of these
            columns[split] |= _paper_columns(split, outcomes, failed, paper, task, delta)
        columns[split]["test_error"] = _test_errors(split, claimed, outcomes)
        columns[split]["constant_error"] = np.where(
            failed, np.nan, constant_error(task, split)
        )
        if failed.any():
            columns[split]["test_bound"][failed] = error_score
    for name in columns[0]:
        stacked = np.stack([columns[split][name] for split in columns])
        for split, column in enumerate(stacked):
            results[f"split{split}_{name}"] = column
        results[f"mean_{name}"] = stacked.mean(axis=0)
        if name == "test_bound":
            results[f"std_{name}"] = stacked.std(axis=0)
    if task.strategy.by_selection:
        # Not by the column, which may be in whole rows.
        selection = selection_table(outcomes, len(task.splits)).mean(axis=1)
        ranked = mean_over_starts(selection, candidates)
    else:
        ranked = ranked_values(results, chosen_by)
    ranked = np.where(failed, np.inf, ranked)
    results[f"rank_{chosen_by}"] = rankdata(ranked, method="min").astype(int)
    return results


def best_candidate(values, failed, *tie_breakers):
    """Index of the smallest value of candidates that did not fail."""
    values = np.where(failed | np.isnan(values), np.inf, values)
    return int(np.lexsort((*tie_breakers[::-1], values))[0])


def mean_over_starts(values, candidates):
    """For each candidate the mean of all starts that did not fail.

    The best of many starts on few labels is mostly a lucky one.
    """
    kinds = [(c.algorithm, c.n_clusters, c.grid) for c in candidates]
    of_kind = defaultdict(list)
    for kind, value in zip(kinds, values, strict=True):
        if not np.isnan(value):
            of_kind[kind].append(value)
    means = {kind: float(np.mean(own)) for kind, own in of_kind.items()}
    return np.array([means.get(kind, np.nan) for kind in kinds])


def ranked_values(results, chosen_by):
    """What ranks candidates, smallest first; those without last."""
    values = results[f"mean_{chosen_by}"]
    values = -values if chosen_by.endswith("coverage") else values
    return np.where(np.isnan(values), np.inf, values)


def _description(candidates, plan, outcomes, failed):
    asked = [c.n_clusters for c in candidates]
    params = [plan.params(i) for i in range(len(candidates))]
    pairs = list(zip(outcomes, failed, strict=True))
    found = [0 if fail else outcome.n_clusters for outcome, fail in pairs]
    results = {
        "algorithm": np.array([c.algorithm for c in candidates], dtype=object),
        "n_clusters": np.ma.array(
            [a or 0 for a in asked], mask=[a is None for a in asked]
        ),
        "n_clusters_found": np.ma.array(found, mask=failed),
        "init": np.array([c.init for c in candidates]),
        "params": np.array(params, dtype=object),
    }
    for key in dict.fromkeys(plan.grid_keys()):
        column = np.ma.masked_all(len(candidates), dtype=object)
        for i, given in enumerate(params):
            if key in given:
                column[i] = given[key]
        results[f"param_{key}"] = column
    results["fit_time"] = np.array(
        [np.nan if fail else outcome.fit_time for outcome, fail in pairs]
    )
    return results


def candidate_params(variant, candidate, seeds):
    """Parameters of a candidate, addressed as in the search: ``best_params_``."""
    parameters = dict(variant.params) | variant.swept(candidate, seeds)
    return {f"{variant.prefix}{key}": value for key, value in parameters.items()}


def _bits(plan, claims, failed):
    """Bits by term and in all, means over splits; NaN where nothing is claimed."""
    described = dict.fromkeys(
        term
        for claimed in claims
        for claim in claimed.values()
        if claim is not None
        for term in claim.terms
    )
    terms = [t for t in TERMS if t in described or t in PAPER_TERMS]
    bits = np.full((len(claims), len(failed), len(terms) + 1), np.nan)
    for split, claimed in enumerate(claims):
        for i, claim in claimed.items():
            if claim is not None:
                paid = (length_in_bits(claim.terms.get(term, _FREE)) for term in terms)
                # Their sum, but rounded once: equal lengths must stay equal.
                bits[split, i] = [*paid, claim.description_length]
    columns = [*(f"{term}_bits" for term in terms), "description_length"]
    return dict(zip(columns, bits.mean(axis=0).T, strict=True))


def _scores(scorers, outcomes, failed):
    scores = {name: np.full(len(outcomes), np.nan) for name in scorers}
    for i in np.flatnonzero(~failed):
        for name, value in outcomes[i].scores.items():
            if not isinstance(value, Failure):
                scores[name][i] = value
    return {
        name if name == "score" else f"score_{name}": values
        for name, values in scores.items()
    }


def _claimed_columns(split, claimed, outcomes, task):
    """Counts and bounds of what is claimed, NaN where nothing is."""
    columns = {
        name: np.full(len(outcomes), np.nan)
        for name in ("train_errors", "test_bound", "coverage")
    }
    _, test = task.splits[split]
    for i, claim in claimed.items():
        if not isinstance(outcomes[i], Failure):
            columns["coverage"][i] = 0.0
        if claim is not None:
            columns["train_errors"][i] = claim.option.train_errors
            columns["test_bound"][i] = claim.bound
            columns["coverage"][i] = claim.option.n_test / len(test)
    if not task.strategy.abstains:
        del columns["coverage"]
    errors = selection_table(outcomes, len(task.splits))[:, split]
    n_select = len(task.divisions[split][0])
    return columns | task.strategy.selection_columns(
        errors, n_select, len(task.order) - n_select
    )


def _test_errors(split, claimed, outcomes):
    """Error rate on the hidden rows of what is claimed, or else would be."""
    rates = np.full(len(outcomes), np.nan)
    for i, outcome in enumerate(outcomes):
        if isinstance(outcome, Failure):
            continue
        claim = claimed.get(i)
        if claim is None and len(outcome.options[split]) > 1:
            continue  # which of them would be chosen is not known
        option = outcome.options[split][0] if claim is None else claim.option
        if option.n_test and option.test_errors >= 0:
            rates[i] = option.test_errors / option.n_test
    return rates


def _paper_columns(split, outcomes, failed, selections, task, delta):
    """Bounds under the paper's languages, for the majority classes of all labels."""
    train, test = task.splits[split]
    ok = np.flatnonzero(~failed)
    errors = np.array([outcomes[i].train_errors[split] for i in ok])
    found = np.array([outcomes[i].n_clusters for i in ok])
    labels = found * np.log2(task.n_classes)
    columns = {}
    for name, selection in selections.items():
        described = ~np.isnan(selection[ok])
        bound = np.full(len(ok), np.nan)
        bound[described] = pac_mdl_bound(
            len(train),
            len(test),
            errors[described],
            description_length=(labels + selection[ok])[described],
            delta=delta,
        ) / len(test)
        columns[f"{name}_bound"] = _scattered(bound, ok, failed.size)
    return columns


def _scattered(column, where, size):
    full = np.full(size, np.nan)
    full[where] = column
    return full


def constant_error(task, split):
    """Error rate of the best constant classifier, on hidden rows if they are known.

    Otherwise on the labeled rows.
    """
    train, test = task.splits[split]
    rows = test if np.all(task.codes[test] >= 0) else train
    counts = np.bincount(task.codes[rows], minlength=task.n_classes)[: task.n_classes]
    return 1 - counts.max() / len(rows)
