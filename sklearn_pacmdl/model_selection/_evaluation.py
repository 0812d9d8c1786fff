"""Evaluation of one candidate: fit, score, count on every split, forget the fit."""

import sys
import time
import traceback
import warnings
from collections.abc import Callable, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from threadpoolctl import ThreadpoolController

from ..certification._counting import Assessment
from ..certification._options import Counted
from ..labeling import check_cluster_labels, cluster_distances, cluster_margins
from ..utils._cluster_names import unique_integers
from ..utils._rows import unable_to_write
from ..utils._sklearn import has_callbacks
from ._learners import fit_classifier
from ._shared import KeptFit, SharedResults


@dataclass(frozen=True)
class Job:
    """One candidate: what to fit on which rows."""

    estimator: Any
    swept: Mapping[str, Any]  # parameters of the candidate, seeds included
    X: Any  # in the permuted order
    fit_params: Mapping[str, Any]
    code: str | None  # digest of the clusterer's code, where fits are cached
    keeps_partition: bool = False
    context: Any = None  # of callbacks
    classes: np.ndarray | None = None  # if it is a classifier

    def configured(self):
        """The clusterer, to be fitted."""
        return clone(self.estimator).set_params(**self.swept)

    @property
    def learns(self):
        """Whether it is a classifier, which is fitted to labels of selecting rows."""
        return self.classes is not None


class Evaluated(NamedTuple):
    """What is kept of a candidate."""

    counted: Counted
    fit_time: float
    scores: Mapping[str, Any]  # a number, or a Failure
    partition: np.ndarray | None  # in the rows' own order, if it is kept
    threads: Mapping[str, int]  # that the fit used, by the kind of library
    kept: KeptFit | None  # if it is small enough


class Failure(NamedTuple):
    """A fit or a scorer that raised."""

    cause: str
    details: str

    @classmethod
    def of(cls, error):
        return cls(f"{type(error).__name__}: {error}", traceback.format_exc())


@dataclass(frozen=True)
class Evaluator:
    """Function that evaluates a job; it is the same for all candidates of a sweep."""

    assessment: Assessment
    scorers: Mapping[str, Callable]
    cache: Callable | None  # what wraps fit_clusterer, or None
    shared: SharedResults  # of the fits of several candidates
    error_score: Any
    search: Any  # whose callbacks are called
    keeps: int = 0  # bytes that a fit may take to be kept

    def __sizeof__(self):
        """Bytes, by which Dask sees that this should be sent to a worker only once."""
        pairs = (*self.assessment.splits, *self.assessment.divisions)
        rows = [self.assessment.order, self.assessment.codes, *chain(*pairs)]
        return super().__sizeof__() + sum(own.nbytes for own in rows)

    def __call__(self, job):
        """Fit one candidate, count its errors, and catch kinds and texts of warnings."""
        with warnings.catch_warnings(record=True) as caught:
            evaluated = self._evaluate(job)
        return evaluated, [(w.category, str(w.message)) for w in caught]

    def _evaluate(self, job):
        try:
            needed = bool(self.scorers) or self.keeps > 0
            labels, fit_time, fitted = self.fit(job, keep=needed)
        except Exception as error:
            if self.error_score == "raise":
                raise
            return Failure.of(error)
        kept = KeptFit.of(labels, fitted, self.keeps) if self.keeps else None
        # Scorers see labels. So what counts depend on is computed before them.
        counted = self.count(job, labels)
        permuted = (labels[0, 0] if job.learns else labels)[self.assessment.order]
        names = partial(self._names_by_others, job, labels)
        scores = {
            name: self._score(partial(scorer, fitted, permuted.copy(), names), job.X)
            for name, scorer in self.scorers.items()
        }
        return Evaluated(
            counted=counted,
            fit_time=fit_time,
            scores=scores,
            partition=self._compact(labels) if job.keeps_partition else None,
            threads=threads_now(),
            kept=kept,
        )

    def fit(self, job, *, keep):
        """Labels of a fit (or of the cache), its seconds, and the clusterer, if kept."""
        estimator = job.configured()
        fit, callbacks = fit_clusterer, hasattr(estimator, "set_callbacks")
        if self.cache is not None:  # a clusterer with callbacks would not be found again
            fit, callbacks = self.cache(fit_clusterer, ignore=["shared"]), False
        handed_on = job.context.propagate_callback_context(estimator)
        # Callbacks may have seen labels, and could write them into the rows, so they get
        # a copy that no candidate shares.
        shared = not has_callbacks(self.search) or not hasattr(job.X, "copy")
        rows = job.X if shared else job.X.copy()
        told = {"estimator": self.search, "X": rows, "metadata": job.fit_params or None}
        callbacks = callbacks and not job.learns  # nor is it cached, since labels change
        with handed_on if callbacks else nullcontext(), announced(job.context, **told):
            if job.learns:
                return self._learned(job, keep)
            order = self.assessment.order
            return fit(
                estimator, job.X, order, job.fit_params, job.code, keep, self.shared
            )

    def _learned(self, job, keep):
        """What :meth:`fit` returns of a classifier."""
        start = time.perf_counter()
        with same_random_numbers():
            codes, classifier = fit_classifier(job, self.assessment)
        return codes, time.perf_counter() - start, classifier if keep else None

    def count(self, job, labels):
        """Count the errors of a clustering, or of a classifier, on every split."""
        if job.learns:
            return self.assessment.count_predictions(labels[0])
        return self.assessment.count(labels, self.distances(job, labels))

    def _names_by_others(self, job, labels):
        """By split, labeled rows and the class that other labels give to each."""
        if job.learns:
            return self.assessment.predicted_by_others(labels[0])
        return self.assessment.names_by_others(labels, self.distances(job, labels))

    def distances(self, job, labels):
        """Function that returns the distances between clusters, computed at most once."""

        @cache
        def distances():
            return self._measured(cluster_distances, job, labels)

        return distances

    def margins(self, job, labels, classes):
        """Margins of the rows, given classes of clusters; None without distances."""
        permuted = self._measured(cluster_margins, job, labels, classes=classes)
        if permuted is None:
            return None
        margins = np.empty_like(permuted)
        margins[self.assessment.order] = permuted
        return margins

    def _measured(self, measure, job, labels, **known):
        """What is measured among the rows in the permuted order."""
        clusters = self.assessment.partition(labels).clusters[self.assessment.order]
        find = partial(measure, job.configured(), clusters=clusters, **known)
        # Distances are computed only if a cluster has no label.
        with same_random_numbers():
            return unable_to_write(find, job.X)

    def _compact(self, labels):
        """The partition in the smallest integer type, since it is kept for the test."""
        clusters = self.assessment.partition(labels).clusters
        return clusters.astype(np.min_scalar_type(clusters.max()))

    def _score(self, function, X):
        """The number that a scorer returns for the rows, or how it failed."""
        # It may not write into the rows: scorers see labels, and candidates yet to be
        # fitted see the rows.
        try:
            return float(unable_to_write(function, X))
        except Exception as error:
            if self.error_score == "raise":
                raise
            return Failure.of(error)


@contextmanager
def same_random_numbers():
    """Keep the global generator as it was: the next fit must learn nothing from it."""
    state = np.random.get_state()  # noqa: NPY002 (users draw from it, unseeded)
    try:
        yield
    finally:
        np.random.set_state(state)  # noqa: NPY002 (the same)


def between_clusters(job, X, labels):
    """Function that returns the distances between clusters of rows in their own order."""

    def distances():
        _, clusters = unique_integers(labels)
        clusterer = job.configured()
        return unable_to_write(lambda X: cluster_distances(clusterer, X, clusters), X)

    return distances


@contextmanager
def announced(context, **told):
    """Call the callbacks of a task when it begins, and when it ends or fails."""
    context.call_on_fit_task_begin(**told)
    try:
        yield
    finally:
        context.call_on_fit_task_end(**told)


@lru_cache(maxsize=1)
def _thread_pools(n_modules):
    return ThreadpoolController()


def thread_pools():
    """The libraries that use threads, looked for only when needed."""
    # That takes longer than many fits. New libraries are loaded only together with new
    # modules.
    return _thread_pools(len(sys.modules))


def threads_now():
    """Numbers of threads that a fit uses here, by the kind of library."""
    # joblib sets them where it starts processes: so many that all cores are in use,
    # unless the environment says otherwise.
    pools = thread_pools().info()
    return {pool["user_api"]: pool["num_threads"] for pool in pools}


def same_threads(threads):
    """Limit the threads of a fit to as many as another fit used."""
    return thread_pools().limit(limits=threads)


def evaluate_together(evaluator, jobs, X):
    """Evaluate jobs that share a part of their fits; return what fits of others share."""
    # Backends of joblib for several machines send an argument that many calls share to
    # each worker once; nested objects are re-sent with every call.
    evaluated = [evaluator(replace(job, X=X)) for job in jobs]
    return evaluated, evaluator.shared.found


def fit_clusterer(estimator, X, order, fit_params, code, keep, shared):
    """Fit a clusterer; the result depends on nothing but the rows and the clusterer."""
    # The digest of the clusterer's code is part of the key under which the fit is cached.
    start = time.perf_counter()
    with shared.lent_to(estimator, X):
        permuted = check_cluster_labels(
            unable_to_write(lambda X: estimator.fit_predict(X, **fit_params), X),
            len(order),
        )
    fit_time = time.perf_counter() - start
    labels = np.empty_like(permuted)
    labels[order] = permuted
    return labels, fit_time, estimator if keep else None
