"""What is done with one candidate: fit, count on every split, forget."""

import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from fractions import Fraction
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from ..labeling import check_cluster_labels, class_counts, majority_classes
from ..languages import Language

# A fit uses one thread whatever n_jobs is: sums, and with them partitions, depend on it.
_THREADS = 1


@dataclass(frozen=True)
class Task:
    """What every candidate of a sweep is counted on; none of it reaches a ``fit``."""

    order: np.ndarray  # row order in which clusterers see the rows
    codes: np.ndarray  # class code of each row, -1 unlabelled, l none of the classes
    n_classes: int
    splits: Sequence[tuple[np.ndarray, np.ndarray]]
    language: Language
    seed: int  # of ties between classes
    scorers: Mapping[str, Callable]
    cache: Callable | None  # what wraps fit_clusterer, or None


class Outcome(NamedTuple):
    """What is left of a candidate once its partition has been counted."""

    n_clusters: int
    train_errors: np.ndarray  # counts, one per split
    test_errors: np.ndarray  # counts, -1 where the labels are unknown
    label_weights: Sequence[Fraction]  # one per split
    digest: bytes  # of the partition
    fit_time: float
    scores: Mapping[str, Any]  # a number, or a Failure


class Failure(NamedTuple):
    """A fit, or a scorer, that raised."""

    cause: str
    details: str

    @classmethod
    def of(cls, error):
        return cls(f"{type(error).__name__}: {error}", traceback.format_exc())


class Labeling(NamedTuple):
    """Classes given to the clusters of a partition on the labels of one split."""

    clusters: np.ndarray  # cluster index of each row
    cluster_classes: np.ndarray  # class code of each cluster

    @property
    def codes(self):
        return self.cluster_classes[self.clusters]


def evaluate(estimator, swept, X, fit_params, task, index, error_score, caller, context):
    """Fit one candidate and count its errors: the unit of parallel work."""
    try:
        labels, fit_time, fitted = fit_candidate(
            estimator, swept, X, fit_params, task, caller, context, bool(task.scorers)
        )
    except Exception as error:
        if error_score == "raise":
            raise
        return Failure.of(error)
    scores = {
        name: _score(scorer, fitted, X, labels[task.order], error_score)
        for name, scorer in task.scorers.items()
    }
    return count(labels, task, index, fit_time, scores)


def fit_candidate(estimator, swept, X, fit_params, task, caller, context, keep):
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
    with handed_on if callbacks else nullcontext():
        context.call_on_fit_task_begin(estimator=caller)
        labels, fit_time, fitted = fit(estimator, X, task.order, fit_params, keep)
        context.call_on_fit_task_end(estimator=caller)
    return labels, fit_time, fitted


def fit_clusterer(estimator, X, order, fit_params, keep):
    """The part of a fit that depends on nothing but the rows and the clusterer."""
    start = time.perf_counter()
    with threadpool_limits(limits=_THREADS):
        permuted = check_cluster_labels(
            _fit_predict(estimator, X, fit_params), len(order)
        )
    fit_time = time.perf_counter() - start
    labels = np.empty_like(permuted)
    labels[order] = permuted
    return labels, fit_time, estimator if keep else None


def _fit_predict(estimator, X, fit_params):
    """``fit_predict`` on rows that no clusterer may change for the next."""
    if not isinstance(X, np.ndarray):
        return estimator.fit_predict(X.copy() if sp.issparse(X) else X, **fit_params)
    shared = X.view()
    shared.flags.writeable = False
    try:
        return estimator.fit_predict(shared, **fit_params)
    except ValueError as error:
        if "read-only" not in str(error):
            raise
    return estimator.fit_predict(X.copy(), **fit_params)


def _score(scorer, fitted, X, labels, error_score):
    try:
        return float(scorer(fitted, X, labels))
    except Exception as error:
        if error_score == "raise":
            raise
        return Failure.of(error)


def label_split(labels, task, index, split):
    """The labeling that a split's labelled rows give to a partition."""
    names, clusters = np.unique(labels, return_inverse=True)
    train, _ = task.splits[split]
    counts = class_counts(clusters[train], task.codes[train], len(names), task.n_classes)
    return Labeling(clusters, majority_classes(counts, tie_breaker(task, index, split)))


def tie_breaker(task, index, split):
    return np.random.RandomState([task.seed, index, split])


def count(labels, task, index, fit_time, scores):
    """Count a partition on every split."""
    train_errors, test_errors, weights = [], [], []
    for split, (train, test) in enumerate(task.splits):
        labeling = label_split(labels, task, index, split)
        wrong = labeling.codes != task.codes
        train_errors.append(np.count_nonzero(wrong[train]))
        known = np.all(task.codes[test] >= 0)
        test_errors.append(np.count_nonzero(wrong[test]) if known else -1)
        weights.append(_label_weight(task, labeling))
    return Outcome(
        n_clusters=len(labeling.cluster_classes),
        train_errors=np.array(train_errors),
        test_errors=np.array(test_errors),
        label_weights=weights,
        digest=digest(labels),
        fit_time=fit_time,
        scores=scores,
    )


def _label_weight(task, labeling):
    sizes = np.bincount(labeling.clusters).tolist()
    classes = labeling.cluster_classes.tolist()
    weight = task.language.label_weight(sizes, classes, task.n_classes)
    if not isinstance(weight, Fraction) or not 0 < weight <= 1:
        raise ValueError(
            "label_weight of a language must return a Fraction in (0, 1], got "
            f"{weight!r} from {task.language!r}."
        )
    return weight


def digest(labels):
    """Fingerprint of a partition, cluster names included."""
    return blake2b(labels.astype(np.int64).tobytes(), digest_size=16).digest()
