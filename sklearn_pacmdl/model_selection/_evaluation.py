"""What is done with one candidate: fit, count on every split, forget."""

import sys
import time
import traceback
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from threadpoolctl import ThreadpoolController

from ..labeling import (
    check_cluster_labels,
    class_counts,
    cluster_distances,
    rows_as_clustered,
)
from ..languages import Language
from ..utils._rows import unable_to_write
from ..utils._sklearn import has_callbacks
from ._certify import Counts, Option

# A fit uses one thread whatever n_jobs is: sums, and with them partitions, depend on it.
_THREADS = 1


@dataclass(frozen=True)
class Task:
    """What every candidate of a sweep is counted on; none of it reaches a ``fit``."""

    order: np.ndarray  # row order in which clusterers see the rows
    codes: np.ndarray  # class code of each row, -1 unlabeled, l none of the classes
    n_classes: int
    splits: Sequence[tuple[np.ndarray, np.ndarray]]
    divisions: Sequence[tuple[np.ndarray, np.ndarray]]  # labeled: select, certify
    strategy: Any  # of _certify
    languages: Sequence[Language | None]  # that weigh the labels of each candidate
    seed: int  # of ties between classes
    index: Callable | None  # of the language: rows and clusters to a number
    scorers: Mapping[str, Callable]
    cache: Callable | None  # what wraps fit_clusterer, or None
    kept: Collection[int] = ()  # candidates whose partitions are kept


class Outcome(NamedTuple):
    """What is left of a candidate once its partition has been counted."""

    n_clusters: int
    options: Sequence[Sequence[Option]]  # by split
    labelings: Sequence[Sequence[bytes]]  # their fingerprints, row by row
    train_errors: np.ndarray  # of the majority classes of all labeled rows, by split
    selection_errors: np.ndarray  # what candidates are chosen or weighed by, by split
    digest: bytes  # of the partition
    index_value: Any  # of the partition, a number or a Failure; NaN without an index
    fit_time: float
    scores: Mapping[str, Any]  # a number, or a Failure
    partition: np.ndarray | None = None  # in the rows' own order, if it is kept


class Failure(NamedTuple):
    """A fit, a scorer or an index that raised."""

    cause: str
    details: str

    @classmethod
    def of(cls, error):
        return cls(f"{type(error).__name__}: {error}", traceback.format_exc())


def evaluate(*arguments):
    """Fit one candidate and count its errors: the unit of parallel work.

    Returns
    -------
    outcome : Outcome or Failure
    caught : list of (type, str)
        Categories and texts of the warnings that it brought.
    """
    with warnings.catch_warnings(record=True) as caught:
        outcome = _outcome(*arguments)
    return outcome, [(warning.category, str(warning.message)) for warning in caught]


def _outcome(
    estimator, swept, X, fit_params, code, task, index, error_score, caller, context
):
    try:
        labels, fit_time, fitted = fit_candidate(
            estimator,
            swept,
            X,
            fit_params,
            code,
            task,
            caller,
            context,
            keep=bool(task.scorers),
        )
    except Exception as error:
        if error_score == "raise":
            raise
        return Failure.of(error)
    permuted, value = labels[task.order], np.nan
    if task.index is not None:
        configured = clone(estimator).set_params(**swept)
        find = partial(_index, task.index, configured, permuted.copy())
        value = _number(find, X, error_score)
    # Scorers see labels, so nothing that a weight or a count depends on comes after them
    # but what they cannot write into.
    scores = {
        name: _number(partial(scorer, fitted, labels=permuted.copy()), X, error_score)
        for name, scorer in task.scorers.items()
    }
    distances = distances_of(estimator, swept, X, labels, task)
    return count(labels, task, index, fit_time, scores, distances, value)


def fit_candidate(estimator, swept, X, fit_params, code, task, caller, context, *, keep):
    """Fit with the caller's callbacks, or take the fit from the cache.

    Returns
    -------
    labels : ndarray of shape (n_samples,) of int
        In the rows' own order.
    fit_time : float
        In seconds.
    estimator : estimator or None
        The fitted clusterer, on permuted rows, if it is to be kept.
    """
    estimator = clone(estimator).set_params(**swept)
    fit, callbacks = fit_clusterer, hasattr(estimator, "set_callbacks")
    if task.cache is not None:  # a clusterer with callbacks would not be found again
        fit, callbacks = task.cache(fit_clusterer), False
    handed_on = context.propagate_callback_context(estimator)
    # Callbacks may have seen labels: they get rows that no candidate shares.
    rows = X.copy() if has_callbacks(caller) and hasattr(X, "copy") else X
    told = {"estimator": caller, "X": rows, "metadata": fit_params or None}
    with handed_on if callbacks else nullcontext(), announced(context, **told):
        return fit(estimator, X, task.order, fit_params, code, keep)


@contextmanager
def announced(context, **told):
    """Tell callbacks of a task when it begins, and when it ends or fails."""
    context.call_on_fit_task_begin(**told)
    try:
        yield
    finally:
        context.call_on_fit_task_end(**told)


@lru_cache(maxsize=1)
def _thread_pools(n_modules):
    return ThreadpoolController()


def threadpool_limits(limits):
    """As threadpoolctl's, which looks for libraries each time, longer than many a fit.

    New ones come with new modules.
    """
    return _thread_pools(len(sys.modules)).limit(limits=limits)


def fit_clusterer(estimator, X, order, fit_params, code, keep):
    """The part of a fit that depends on nothing but the rows and the clusterer.

    The digest of its code is a part of the key under which the fit is cached.
    """
    start = time.perf_counter()
    with threadpool_limits(limits=_THREADS):
        permuted = check_cluster_labels(
            unable_to_write(lambda X: estimator.fit_predict(X, **fit_params), X),
            len(order),
        )
    fit_time = time.perf_counter() - start
    labels = np.empty_like(permuted)
    labels[order] = permuted
    return labels, fit_time, estimator if keep else None


def _index(index, estimator, labels, X):
    """An index of clusters, in the space that the clusterer saw."""
    _, rows = rows_as_clustered(estimator, X)
    return index(rows, labels)


def _number(function, X, error_score):
    """What a scorer or an index gives for rows, or how it failed.

    Neither may write into the rows: scorers see labels, and candidates yet to be fitted
    see the rows.
    """
    try:
        return float(unable_to_write(function, X))
    except Exception as error:
        if error_score == "raise":
            raise
        return Failure.of(error)


def canonical(labels, order):
    """Clusters numbered as they appear in the permuted rows, whatever their names.

    Equal partitions become equal, and numbers tell nothing about which rows are labeled.
    """
    _, first, clusters = np.unique(labels[order], return_index=True, return_inverse=True)
    rank = np.empty_like(first)
    rank[np.argsort(first)] = np.arange(len(first))
    numbered = np.empty_like(clusters)
    numbered[order] = rank[clusters]
    return numbered


def tie_breaker(task, split, code):
    """Equal partitions break ties alike, so that they give the same labeling."""
    words = np.frombuffer(code, dtype=np.uint32)
    return np.random.RandomState([task.seed, split, *words])


def distances_of(estimator, swept, X, labels, task):
    """Function that gives the distances between clusters, computed once if at all."""

    @cache
    def distances():
        configured = clone(estimator).set_params(**swept)
        clusters = canonical(labels, task.order)[task.order]
        find = partial(cluster_distances, configured, clusters=clusters)
        # Whether there is a cluster without labels must not be told to the next fit.
        state = np.random.get_state()  # noqa: NPY002 (what users draw from without seed)
        try:
            return unable_to_write(find, X)
        finally:
            np.random.set_state(state)  # noqa: NPY002 (the same)

    return distances


def count_split(clusters, task, split, distances):
    """The tables of a partition on one split."""
    select, certify = task.divisions[split]
    _, test = task.splits[split]
    n_clusters = clusters.max() + 1

    def table(rows):
        # One class more than there are: labels that are none of them.
        return class_counts(
            clusters[rows], task.codes[rows], n_clusters, task.n_classes + 1
        )

    return Counts(
        sizes=np.bincount(clusters),
        select=table(select),
        certify=table(certify),
        test=np.bincount(clusters[test], minlength=n_clusters),
        hidden=table(test) if np.all(task.codes[test] >= 0) else None,
        distances=distances,
    )


def count(labels, task, index, fit_time, scores, distances, index_value=np.nan):
    """Count a partition on every split."""
    clusters = canonical(labels, task.order)
    code = digest(clusters)
    options, labelings, train_errors, selection_errors = [], [], [], []
    for split in range(len(task.splits)):
        counts = count_split(clusters, task, split, distances)
        offered = task.strategy.options(
            counts, task.languages[index], tie_breaker(task, split, code)
        )
        options.append(offered)
        labelings.append([digest(option.classes[clusters]) for option in offered])
        labeled = counts.select + counts.certify
        right = labeled[:, :-1].max(axis=1)
        train_errors.append(int(labeled.sum() - right.sum()))
        selection_errors.append(task.strategy.selection_errors(counts))
    return Outcome(
        n_clusters=int(clusters.max()) + 1,
        options=options,
        labelings=labelings,
        train_errors=np.array(train_errors),
        selection_errors=np.array(selection_errors, dtype=float),
        digest=code,
        index_value=index_value,
        fit_time=fit_time,
        scores=scores,
        partition=_compact(clusters) if index in task.kept else None,
    )


def _compact(clusters):
    return clusters.astype(np.min_scalar_type(clusters.max()))


def digest(numbers):
    """Fingerprint of a partition or a labeling."""
    return blake2b(numbers.astype(np.int64).tobytes(), digest_size=16).digest()
