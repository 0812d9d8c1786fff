"""Evaluation of candidates: fit, score, count on every split, warn, forget the fit."""

import re
import sys
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import FitFailedWarning
from threadpoolctl import ThreadpoolController

from ..certification import Assessment, Counted
from ..labeling import check_cluster_labels, cluster_distances, cluster_margins
from ..utils._checks import shown
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


# Messages that differ in their numbers only, such as those of convergence, are one kind.
_NUMBER = re.compile(r"\d[\d.]*(e[+-]?\d+)?")
# Causes and candidates that one message names: a choice of length, and nothing else.
_MOST_CAUSES = 5
_MOST_NAMES = 10
# With fewer numbers of clusters, half of the choices would be at an edge by chance.
_FEWEST_OF_A_RANGE = 5


def report_sweep(plan, outcomes, caught, error_score, stacklevel):
    """Warn of what went wrong in a sweep; the outcomes, None for what failed."""
    _report_warnings(caught, stacklevel + 1)
    evaluated = _report_failures(plan, outcomes, error_score, stacklevel + 1)
    succeeded = [outcome for outcome in evaluated if outcome is not None]
    _report_scores(succeeded, stacklevel + 1)
    return evaluated


def _report_warnings(caught, stacklevel):
    """Issue each distinct warning once, with the number of candidates it concerns."""
    # Texts that differ only in numbers count as one.
    by_kind: dict[tuple, list[str]] = {}
    for own in caught:
        kinds = {(category, _NUMBER.sub("#", text)): text for category, text in own}
        for kind, text in kinds.items():
            by_kind.setdefault(kind, []).append(text)
    for (category, _), texts in by_kind.items():
        example = ", for example" if len(set(texts)) > 1 else ""
        message = f"{len(texts)} of {len(caught)} candidates{example}: {texts[0]}"
        warnings.warn(_of_category(category, message), stacklevel=stacklevel + 1)


def _of_category(category, message):
    try:
        return category(message)
    except TypeError:  # a category that takes something else than a text
        return UserWarning(message)


def _report_failures(plan, outcomes, error_score, stacklevel):
    """Warn of the candidates that failed, and put None in their place."""
    failures = {i: o for i, o in enumerate(outcomes) if isinstance(o, Failure)}
    if not failures:
        return outcomes
    causes = _causes(failures.values())
    if len(failures) == len(outcomes):
        first = next(iter(failures.values()))
        raise ValueError(
            f"All {len(outcomes)} candidates failed: {causes}. error_score='raise' "
            "raises the first error itself."
        ) from RuntimeError(first.details)
    names = ", ".join(_describe(plan, i) for i in list(failures)[:_MOST_NAMES])
    if len(failures) > _MOST_NAMES:
        names += f" and {len(failures) - _MOST_NAMES} more"
    warnings.warn(
        f"{len(failures)} of {len(outcomes)} candidates failed; their bound is "
        f"recorded as {shown(error_score)}: {names}. Causes: {causes}. "
        "error_score='raise' raises the first error itself.",
        FitFailedWarning,
        stacklevel=stacklevel + 1,
    )
    return [None if i in failures else outcome for i, outcome in enumerate(outcomes)]


def report_edge(plan, index, stacklevel):
    """Warn if the chosen number of clusters is the largest or the smallest one tried."""
    # Nothing is said of a grid of a few numbers, most of which are at its edges, nor of
    # two clusters, since one cluster is no clustering.
    chosen = plan.candidates[index]
    numbers = plan.variants[chosen.algorithm, chosen.grid].n_clusters
    if len(numbers) < _FEWEST_OF_A_RANGE or chosen.n_clusters <= 2:
        return
    edges = {min(numbers): ("smallest", "fewer"), max(numbers): ("largest", "more")}
    if chosen.n_clusters not in edges:
        return
    edge, more = edges[chosen.n_clusters]
    warnings.warn(
        f"The chosen n_clusters={chosen.n_clusters} is the {edge} number tried for "
        f"{chosen.algorithm!r}, so {more} clusters may have a smaller bound. The choice "
        "between this search and one of a wider range is not covered, unless delta is "
        "divided between both.",
        stacklevel=stacklevel + 1,
    )


def _report_scores(outcomes, stacklevel):
    """Issue one warning for each scorer that failed or returned NaN."""
    for name in outcomes[0].scores:
        values = [outcome.scores[name] for outcome in outcomes]
        failed = [value for value in values if isinstance(value, Failure)]
        n_missing = sum(not isinstance(v, Failure) and np.isnan(v) for v in values)
        told = []
        if failed:
            told.append(
                f"failed for {len(failed)} of {len(values)} candidates, recorded as nan: "
                f"{_causes(failed)}"
            )
        if n_missing:
            told.append(f"returned nan for {n_missing} of {len(values)} candidates")
        if told:
            warnings.warn(
                f"Scorer {name!r} {' and '.join(told)}.", stacklevel=stacklevel + 1
            )


def _causes(failures):
    """First lines of the distinct error messages, the most frequent first."""
    lines = [failure.cause.partition("\n")[0].rstrip(".") for failure in failures]
    first = {_NUMBER.sub("#", line): line for line in reversed(lines)}
    counts = Counter(_NUMBER.sub("#", line) for line in lines).most_common()
    told = [f"{count} with {first[kind]}" for kind, count in counts[:_MOST_CAUSES]]
    more = len(counts) - _MOST_CAUSES
    return "; ".join([*told, *([f"{more} other causes"] if more > 0 else [])])


def _describe(plan, index):
    params = ", ".join(f"{k}={shown(v)}" for k, v in plan.params(index).items())
    return f"{plan.candidates[index].algorithm} ({params})"
