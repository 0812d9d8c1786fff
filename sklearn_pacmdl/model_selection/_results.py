"""From evaluated candidates to the table that users read."""

import numpy as np

from ..certification._pipeline import Sweep
from ..certification._table import paper_columns, results_table
from ._evaluation import Failure


def make_sweep(plan, evaluated, delta):
    """Sweep of the counted candidates, with the weights of the language."""
    return Sweep(
        strategy=plan.assessment.strategy,
        goal=plan.assessment.goal,
        candidates=plan.candidates,
        counted=[None if e is None else e.counted for e in evaluated],
        weighing=plan.weighing,
        sizes=plan.assessment.sizes,
        n_classes=plan.assessment.n_classes,
        delta=delta,
    )


def search_table(plan, evaluated, claims, ranking, error_score):
    """``cv_results_``: the results of the sweep, with parameters, times and scores.

    Parameters
    ----------
    plan : Plan
    evaluated : list of Evaluated or None
    claims : Claims
    ranking : Ranking
    error_score : float or "raise"
        Bound of a failed candidate.

    Returns
    -------
    results : dict of str to ndarray
    """
    results = results_table(claims, ranking, error_score)
    if plan.evaluator.search.paper_bounds:
        results |= paper_columns(claims.sweep)
    params = [plan.params(i) for i in range(len(evaluated))]
    results["params"] = np.array(params, dtype=object)
    for key in plan.grid_keys():
        results[f"param_{key}"] = _parameter_column(key, params)
    results["fit_time"] = np.array(
        [np.nan if e is None else e.fit_time for e in evaluated]
    )
    for name in plan.evaluator.scorers:
        column = name if name == "score" else f"score_{name}"
        results[column] = np.array(
            [_number(None if e is None else e.scores[name]) for e in evaluated]
        )
    return results


def _number(value):
    """The value, or NaN if it is missing or failed."""
    return np.nan if value is None or isinstance(value, Failure) else value


def _parameter_column(key, params):
    """Values of a parameter, masked where a candidate does not have it.

    It has the type of the values if they share one, as in scikit-learn's searches.
    """
    given = [point[key] for point in params if key in point]
    kinds = {type(value) for value in given}
    dtype = kinds.pop() if len(kinds) == 1 and kinds <= {bool, int, float} else object
    column = np.ma.masked_all(len(params), dtype=dtype)
    for i, point in enumerate(params):
        if key in point:
            column[i] = point[key]
    return column


def constant_error(assessment):
    """Error rate of the best constant classifier, a mean over splits.

    The rate is that on the unlabeled rows if their labels are known, else that on the
    labeled rows.
    """
    rates = []
    for train, test in assessment.splits:
        known = np.all(assessment.codes[test] >= 0)
        codes = assessment.codes[test if known else train]
        counts = np.bincount(codes, minlength=assessment.n_classes)
        rates.append(1 - counts[: assessment.n_classes].max() / len(codes))
    return float(np.mean(rates))
