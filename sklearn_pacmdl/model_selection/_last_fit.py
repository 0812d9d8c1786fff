"""The chosen fit, kept or made again, and how sure the classes of its rows are."""

import sys
import time
import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..certification import Claims, Partition, bound, left_out_rates
from ..columns import ABSTAIN
from ..labeling import cluster_margins
from ..utils._checks import warn
from ._evaluation import thread_pools
from ._learners import probabilities


@dataclass(frozen=True, eq=False)
class LastFit:
    """The claims that are made in the end, and the chosen candidate, if it is kept."""

    claims: Claims
    labels: NDArray[np.integer] | None = None  # of rows; what classifiers predict
    estimator: Any = None
    seconds: float = 0.0
    confidence: NDArray[np.floating] | None = None  # in classes of rows


def last_fit(plan, claims, index, context, chosen):
    """The chosen fit, if it was kept, or another one, with the claims about it."""
    job, seconds = plan.jobs[index], chosen.fit_time
    if chosen.kept is not None:  # it is the one that was counted
        labels, estimator = chosen.kept
    else:
        start = time.perf_counter()
        refit = replace(job, context=context.subcontext(task_name="refit"))
        # Labels may depend on the number of threads, which differs between processes, so
        # the sweep's is used. The sweep has reported the warnings.
        with (
            thread_pools(len(sys.modules)).limit(limits=chosen.threads),
            warnings.catch_warnings(record=True),
        ):
            labels, _, estimator = plan.evaluator.fit(refit, keep=True)
        seconds = time.perf_counter() - start
        # The clustering is that of the sweep, unless the clusterer draws on randomness
        # that has no seed. Then this fit is certified: refitting every candidate would
        # have been equally valid.
        counted = plan.evaluator.count(job, labels)
        if counted.partition != claims.sweep.counted[index].partition:
            warn(
                f"Refitting {plan.candidates[index].algorithm!r} with the same seed gave "
                "a different clustering; the certificates describe the refitted one, and "
                "may differ from cv_results_."
            )
            claims = bound(claims.sweep.refitted(index, counted), only=index)
    sure = confidence_of(plan, claims, index, labels, estimator)
    return LastFit(claims, labels, estimator, seconds, sure)


# Means over 30 choices of labels of the share that can be automatic, for digits, breast
# cancer and synthetic documents (benchmarks/bench_finished.py,
# benchmarks/results/finished.json; standard errors are 1 to 5 points).
#
# Rows of either kind, right and wrong, that are added to what was seen of a cluster:
# Jeffreys' prior. 0.1 and 1 differ by less than two points.
_SMOOTHING = 0.5
# Share of errors in a cluster that weighs as much as one typical margin. With 0.5 it is
# 0.72, 0.78 and 0.92; with 1, 0.69, 0.77 and 0.93; with 0.25, 0.72, 0.75 and 0.89; by
# purity alone 0.43, 0.48 and 0.86, by margins alone 0.56, 0.72 and 0.90.
_MARGIN_WEIGHT = 0.5


def confidence_of(plan, claims, index, labels, estimator):
    """How sure the class of each row is, by what does not certify; None if unknown."""
    job, counter = plan.jobs[index], plan.counter
    if counter.goal.abstains or plan.objection or len(counter.splits) > 1:
        return None
    if job.learns:
        sure = hasattr(estimator, "predict_proba")
        return probabilities(job, counter, estimator) if sure else None
    claim = claims.best[0][index]
    # Audits are of labelings that give every row a class.
    audits = counter.method.kind == "holdout" and claim is not None
    if not audits or np.any(claim.option.classes == ABSTAIN):
        return None
    return row_confidence(plan, index, labels, claim.option.classes)


def row_confidence(plan, index, labels, classes):
    """How sure each label is, from rows, clusters and selecting labels alone."""
    counter, evaluator, job = plan.counter, plan.evaluator, plan.jobs[index]
    partition = Partition(labels, counter.order)
    select = partition.count(counter.cells[0], counter.n_classes).select
    rates = _wrong_if_left_out(select, classes, evaluator.distances(job, labels))
    wrong, n_select = (select * rates).sum(axis=1), select.sum(axis=1)
    impurity = (wrong + _SMOOTHING) / (n_select + 2 * _SMOOTHING)
    confidence = -impurity[partition.clusters]
    permuted = evaluator.measured(cluster_margins, job, labels, classes=classes)
    if permuted is not None:
        margins = np.empty_like(permuted)
        margins[counter.order] = permuted
        typical = np.sqrt(np.mean(margins**2))
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
        away = np.where(alone[:, None] == labeled, np.inf, between[alone][:, labeled])
        nearest = classes[labeled[away.argmin(axis=1)]]
        rates[alone] = np.arange(rates.shape[1]) != nearest[:, None]
    return rates
