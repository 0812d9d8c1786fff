"""The table of a sweep, and the choice from it."""

import numpy as np
from scipy.stats import rankdata

from ..bounds import pac_mdl_bound
from ..languages import PAPER_LANGUAGES, TERMS
from ..utils._weights import length_in_bits
from ._evaluation import Failure


def results_table(
    candidates, params, grid_keys, weights, outcomes, task, delta, error_score
):
    """``cv_results_``: a dict of arrays with one entry per candidate.

    Parameters
    ----------
    candidates : list of Candidate
    params : list of dict
        Parameters of each, as :func:`candidate_params` addresses them.
    grid_keys : list of str
        Those that come from the parameter grid.
    weights : list of dict of str to Fraction
        Of the candidates, by term.
    outcomes : list of Outcome or Failure
    task : Task
    delta : float
    error_score : float or "raise"
        Bound of a failed candidate.

    Returns
    -------
    results : dict of str to ndarray
    """
    failed = np.array([isinstance(outcome, Failure) for outcome in outcomes])
    results = _description(candidates, params, grid_keys, outcomes, failed)
    bits = _bits(weights, outcomes)
    results |= bits
    selection = sum(bits[f"{term}_bits"] for term in TERMS[1:])
    results["description_length"] = bits["label_bits"] + selection
    results |= _scores(task.scorers, outcomes, failed)

    selections = {"test": selection} | {
        language.name: language.selection_bits(candidates) for language in PAPER_LANGUAGES
    }
    columns = {}
    for split in range(len(task.splits)):
        columns[split] = _split_columns(split, outcomes, failed, selections, task, delta)
        if failed.any():
            columns[split]["test_bound"][failed] = error_score
    for name in columns[0]:
        stacked = np.stack([columns[split][name] for split in columns])
        for split, column in enumerate(stacked):
            results[f"split{split}_{name}"] = column
        results[f"mean_{name}"] = stacked.mean(axis=0)
        if name == "test_bound":
            results[f"std_{name}"] = stacked.std(axis=0)
    ranks = rankdata(_sortable(results), method="min")
    results["rank_test_bound"] = ranks.astype(int)
    return results


def best_candidate(results):
    """Index of the smallest mean bound; among equals, of the shortest description."""
    return int(np.lexsort((results["description_length"], _sortable(results)))[0])


def _sortable(results):
    """Mean bounds, with failed candidates last whatever their error score is."""
    failed = np.isnan(results["mean_train_errors"])
    return np.where(failed, np.inf, results["mean_test_bound"])


def _description(candidates, params, grid_keys, outcomes, failed):
    asked = [c.n_clusters for c in candidates]
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
    for key in dict.fromkeys(grid_keys):
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


def _bits(weights, outcomes):
    """Bits by term; label bits are the mean over splits, NaN for a failed candidate."""
    bits = {f"{term}_bits": np.zeros(len(weights)) for term in TERMS}
    for i, (terms, outcome) in enumerate(zip(weights, outcomes, strict=True)):
        for term, weight in terms.items():
            bits[f"{term}_bits"][i] = length_in_bits(weight)
        bits["label_bits"][i] = _label_bits(outcome).mean()
    return bits


def _label_bits(outcome):
    """Label bits of every split."""
    if isinstance(outcome, Failure):
        return np.array([np.nan])
    return np.array([length_in_bits(weight) for weight in outcome.label_weights])


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


def _split_columns(split, outcomes, failed, selections, task, delta):
    """Counts and bounds of every candidate on one split, NaN where it failed."""
    train, test = task.splits[split]
    ok = np.flatnonzero(~failed)
    errors = np.array([outcomes[i].train_errors[split] for i in ok])
    wrong = np.array([outcomes[i].test_errors[split] for i in ok])
    found = np.array([outcomes[i].n_clusters for i in ok])
    labels = {"test": np.array([_label_bits(outcomes[i])[split] for i in ok])}
    uniform = found * np.log2(task.n_classes)  # label bits of the paper's languages
    columns = {"train_errors": errors.astype(float)}
    for name, selection in selections.items():
        described = ~np.isnan(selection[ok])
        bound = np.full(len(ok), np.nan)
        bound[described] = pac_mdl_bound(
            len(train),
            len(test),
            errors[described],
            description_length=(labels.get(name, uniform) + selection[ok])[described],
            delta=delta,
        ) / len(test)
        columns[f"{name}_bound"] = bound
    columns["test_error"] = np.where(wrong < 0, np.nan, wrong / len(test))
    columns["constant_error"] = np.full(len(ok), constant_error(task, split))
    return {name: _scattered(column, ok, failed.size) for name, column in columns.items()}


def _scattered(column, where, size):
    full = np.full(size, np.nan)
    full[where] = column
    return full


def constant_error(task, split):
    """Error rate of the best constant classifier, on hidden rows if they are known.

    Otherwise on the labelled rows.
    """
    train, test = task.splits[split]
    rows = test if np.all(task.codes[test] >= 0) else train
    counts = np.bincount(task.codes[rows], minlength=task.n_classes)[: task.n_classes]
    return 1 - counts.max() / len(rows)
