"""What a search leaves behind: its table, how sure rows are, an audit and a plan."""

import numpy as np

from ..audits import audit_of_choice
from ..bounds import SELECTING_SHARE, LabelPlan, SimulatedClusters
from ..certificates import RANDOM_CHOICE
from ..certification._naming import left_out_rates
from ..certification._pipeline import Sweep
from ..certification._table import paper_columns, results_table
from ..utils._labels import split_unlabeled
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
    """``cv_results_``: the results of the sweep, with parameters, times and scores."""
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
    """Values of a parameter, masked where a candidate does not have it."""
    # It has the type of the values if they share one, as in scikit-learn's searches.
    given = [point[key] for point in params if key in point]
    kinds = {type(value) for value in given}
    dtype = kinds.pop() if len(kinds) == 1 and kinds <= {bool, int, float} else object
    column = np.ma.masked_all(len(params), dtype=dtype)
    for i, point in enumerate(params):
        if key in point:
            column[i] = point[key]
    return column


def constant_error(assessment):
    """Error rate of the best constant classifier, a mean over splits."""
    # The rate is that on the unlabeled rows if their labels are known, else that on the
    # labeled rows.
    rates = []
    for train, test in assessment.splits:
        known = np.all(assessment.codes[test] >= 0)
        codes = assessment.codes[test if known else train]
        counts = np.bincount(codes, minlength=assessment.n_classes)
        rates.append(1 - counts[: assessment.n_classes].max() / len(codes))
    return float(np.mean(rates))


# Means over 30 choices of labels of the share that can be automatic, for digits, breast
# cancer and synthetic documents (benchmarks/bench_finished.py,
# benchmarks/results/finished.json; standard errors are 1 to 5 points).
#
# Rows of either kind, right and wrong, that are added to what was seen of a cluster:
# Jeffreys' prior. .1 and 1 differ by less than two points.
_SMOOTHING = 0.5
# Share of errors in a cluster that weighs as much as one typical margin. With .5 it is
# .74, .80 and .92; with 1, .69, .81 and .94; with .25, .74, .73 and .89; by purity alone
# .43, .54 and .85, by margins alone .58, .68 and .92.
_MARGIN_WEIGHT = 0.5


def row_confidence(plan, index, labels, classes):
    """How sure each label is, from rows, clusters and selecting labels alone."""
    assessment, evaluator, job = plan.assessment, plan.evaluator, plan.jobs[index]
    partition = assessment.partition(labels)
    distances = evaluator.distances(job, labels)
    select = partition.count(assessment.cells[0], assessment.n_classes).select
    rates = _wrong_if_left_out(select, classes, distances)
    wrong, seen = (select * rates).sum(axis=1), select.sum(axis=1)
    impurity = (wrong + _SMOOTHING) / (seen + 2 * _SMOOTHING)
    confidence = -impurity[partition.clusters]
    margins = evaluator.margins(job, labels, classes)
    typical = 0.0 if margins is None else np.sqrt(np.mean(margins**2))
    if typical > 0 and np.isfinite(typical):
        confidence = confidence + _MARGIN_WEIGHT * margins / typical
    return confidence


def _wrong_if_left_out(select, classes, distances):
    """Probability that a selecting row is given a wrong class without its own label."""
    # Its cluster is then named by its other labels, and if there are none, by the nearest
    # cluster that has labels: where labels are few, most are alone in their clusters, and
    # a guess among all classes would make these look alike.
    named = select[:, :-1]
    rates = np.column_stack([left_out_rates(select), np.ones(len(named))])
    alone = np.flatnonzero(named.sum(axis=1) == 1)
    labeled = np.flatnonzero(named.any(axis=1))
    between = distances() if len(alone) and len(labeled) > 1 else None
    if between is not None:
        others = np.where(alone[:, None] == labeled, np.inf, between[alone][:, labeled])
        nearest = classes[labeled[others.argmin(axis=1)]]
        rates[alone] = np.arange(rates.shape[1]) != nearest[:, None]
    return rates


def audit_of_search(plan, labeling, confidence, certificate):
    """The certifying rows of a search as an audit, with the selecting rows as known."""
    # Given the selecting rows, which chose and named, the certifying rows are a uniformly
    # random choice of all others.
    select, certify = plan.assessment.divisions[0]
    labeled, values = split_unlabeled(plan.labels, plan.classes)
    place = np.cumsum(labeled) - 1
    known, answers = (
        np.array(values[place[rows]].tolist()) for rows in (select, certify)
    )
    random = () if plan.drawn else (RANDOM_CHOICE,)
    provisos = tuple(p for p in certificate.provisos if p not in random)
    return audit_of_choice(
        n_rows=len(plan.labels),
        rows=certify,
        audit_labels=answers,
        known=select,
        known_labels=known,
        labels=labeling,
        confidence=confidence,
        provisos=(*random, *provisos),
        random_choice_p_value=certificate.random_choice_p_value,
        random_choice_test=certificate.random_choice_test,
    )


# Clusterings that are kept, of different numbers of clusters: up to 39 in the searches
# of benchmarks/bench_planning.py, of which every second one is enough.
_MOST = 20


def leading_tables(sweep, values, best):
    """Sizes of clusters, and labels in them by class, of candidates to plan with."""
    # The best one of each number of clusters: more labels allow more clusters.
    counted = sweep.counted
    leaders = {counted[best].n_clusters: best}
    for i in np.argsort(values, kind="stable"):
        if counted[i] is not None:
            leaders.setdefault(counted[i].n_clusters, i)
    numbers = sorted(leaders)
    places = np.linspace(0, len(numbers) - 1, min(_MOST, len(numbers))).round()
    chosen = {leaders[numbers[int(place)]] for place in places} | {best}
    return [(counted[i].sizes, counted[i].labeled) for i in sorted(chosen)]


def search_plan(search, quantile):
    """The plan for a fitted search, by the labels that it has seen."""
    tables = search._planned_
    # Where no label selects, it is planned as if some would.
    fraction = search._select_fraction_ or SELECTING_SHARE
    kind = "holdout" if search.certify_ == "holdout" else "learned"
    clusterings = [SimulatedClusters.seen(n, seen.toarray()) for n, seen in tables]
    return LabelPlan(clusterings, kind, fraction, search.delta, quantile)
