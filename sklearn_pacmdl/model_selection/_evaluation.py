"""Evaluation of candidates: fit, score, count on every split, warn, forget the fit."""

import pickle
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial
from itertools import chain
from math import inf
from tempfile import TemporaryFile
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import FitFailedWarning
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_memory
from threadpoolctl import ThreadpoolController

from ..certification import (
    NUMBER,
    CandidateCounts,
    Failure,
    Partition,
    SplitCounter,
    causes,
    report_scores,
    score_all,
)
from ..estimators import has_callbacks, unable_to_write
from ..labeling import check_cluster_labels, cluster_distances
from ..utils._checks import shown, warn
from ..utils._words import AFTER_A_LOOK
from ._learners import fit_classifier
from ._shared import SharedResults, shared_part


@dataclass(frozen=True)
class Job:
    """One candidate: what to fit on which rows."""

    estimator: Any
    swept: Mapping[str, Any]  # parameters of the candidate, seeds included
    X: Any  # in the permuted order
    fit_params: Mapping[str, Any]
    learns: bool  # whether it is a classifier, fitted to labels of selecting rows
    classes: np.ndarray
    keeps_clustering: bool = False
    context: Any = None  # of callbacks

    def configured(self):
        """The clusterer, to be fitted."""
        return clone(self.estimator).set_params(**self.swept)


class Evaluated(NamedTuple):
    """What is kept of a candidate."""

    counted: CandidateCounts
    fit_time: float
    scores: Mapping[str, Any]  # a number, or a Failure
    clustering: np.ndarray | None  # in the order of the user's rows, if it is kept
    threads: Mapping[str, int]  # that the fit used, by the kind of library
    kept: tuple[np.ndarray, Any] | None  # labels and the fitted clusterer, if small


@dataclass(frozen=True)
class Evaluator:
    """Function that evaluates a job; it is the same for all candidates of a sweep."""

    counter: SplitCounter
    scorers: Mapping[str, Callable]
    cache: Callable | None  # what wraps fit_clusterer, or None
    shared: SharedResults  # of the fits of several candidates
    error_score: Any
    search: Any  # whose callbacks are called
    keeps: int = 0  # bytes that a fit may take to be kept

    def __sizeof__(self):
        """Bytes, by which Dask sees that this should be sent to a worker only once."""
        pairs = (*self.counter.splits, *self.counter.divisions)
        rows = [self.counter.order, self.counter.codes, *chain(*pairs)]
        return super().__sizeof__() + sum(array.nbytes for array in rows)

    def evaluate(self, job):
        """Fit one candidate, and count its errors."""
        try:
            needed = bool(self.scorers) or self.keeps > 0
            labels, fit_time, fitted = self.fit(job, keep=needed)
        except Exception as error:
            if self.error_score == "raise":
                raise
            return Failure.of(error)
        small = self.keeps > 0 and size_of((labels, fitted)) <= self.keeps
        kept = (labels, fitted) if small else None
        # Scorers see labels. So what counts depend on is computed before them.
        counted, clustering = self.count(job, labels), None
        if job.keeps_clustering:  # in the smallest integer type
            clusters = Partition(labels, self.counter.order).clusters
            clustering = clusters.astype(np.min_scalar_type(clusters.max()))
        scores = self._scores(job, labels, fitted) if self.scorers else {}
        # Variables by which joblib limits threads of its processes: all cores are in use,
        # unless the environment says otherwise.
        pools = thread_pools(len(sys.modules)).info()
        threads = {pool["user_api"]: pool["num_threads"] for pool in pools}
        return Evaluated(counted, fit_time, scores, clustering, threads, kept)

    def fit(self, job, *, keep):
        """Labels of a fit (or of the cache), its seconds, and the clusterer, if kept."""
        estimator = job.configured()
        fit, callbacks = fit_clusterer, hasattr(estimator, "set_callbacks")
        if self.cache is not None:  # a clusterer with callbacks would never be in it
            fit, callbacks = self.cache(fit_clusterer, ignore=["shared"]), False
        handed_on = job.context.propagate_callback_context(estimator)
        # Callbacks may have seen labels, and could write them into the rows, so they get
        # a copy that no candidate shares.
        shared = not has_callbacks(self.search) or not hasattr(job.X, "copy")
        task = {
            "estimator": self.search,
            "X": job.X if shared else job.X.copy(),
            "metadata": job.fit_params or None,
        }
        callbacks = callbacks and not job.learns  # nor is it cached, since labels change
        with handed_on if callbacks else nullcontext(), announced(job.context, **task):
            if job.learns:
                start = time.perf_counter()
                with same_random_numbers():
                    codes, classifier = fit_classifier(job, self.counter)
                seconds = time.perf_counter() - start
                return codes, seconds, classifier if keep else None
            return fit(
                estimator,
                job.X,
                order=self.counter.order,
                fit_params=job.fit_params,
                keep=keep,
                shared=self.shared,
            )

    def count(self, job, labels):
        """Count the errors of a clustering, or of a classifier, on every split."""
        if job.learns:
            return self.counter.count_predictions(labels[0])
        return self.counter.count(labels, self.distances(job, labels))

    def distances(self, job, labels):
        """Function that returns the distances between clusters, computed at most once."""
        return cache(partial(self.measured, cluster_distances, job, labels))

    def measured(self, measure, job, labels, **known):
        """What is measured among the rows in the permuted order."""
        clusters = Partition(labels, self.counter.order).clusters[self.counter.order]
        estimator = job.estimator
        sharing: Any = nullcontext()
        if isinstance(estimator, Pipeline):  # steps before the clusterer are fitted
            estimator = job.configured()
            sharing = self.shared.used_by(estimator, job.X)
        function = partial(measure, estimator, clusters=clusters, **known)
        # Distances are computed only if a cluster has no label.
        with same_random_numbers(), sharing:
            return unable_to_write(function, job.X)

    def _scores(self, job, labels, fitted):
        """The number that each scorer returns for the rows, or how it failed."""
        permuted = (labels[0, 0] if job.learns else labels)[self.counter.order]
        if job.learns:
            names = partial(self.counter.predicted_by_others, labels[0])
        else:
            distances = self.distances(job, labels)
            names = partial(self.counter.names_by_others, labels, distances)
        return score_all(self.scorers, fitted, permuted, names, job.X, self.error_score)


def size_of(value):
    """Bytes of a value with all in it; infinite if it cannot be pickled."""
    buffers: list[pickle.PickleBuffer] = []  # which are not copied
    try:
        rest = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
        return len(rest) + sum(buffer.raw().nbytes for buffer in buffers)
    except Exception:  # whatever is raised
        return inf


@contextmanager
def same_random_numbers():
    """Keep the global generator as it was: the next fit must learn nothing from it."""
    state = np.random.get_state()  # noqa: NPY002 (users draw from it, unseeded)
    try:
        yield
    finally:
        np.random.set_state(state)  # noqa: NPY002 (the same)


@contextmanager
def announced(context, **task):
    """Call the callbacks of a task when it begins, and when it ends or fails."""
    context.call_on_fit_task_begin(**task)
    try:
        yield
    finally:
        context.call_on_fit_task_end(**task)


@lru_cache(maxsize=1)
def thread_pools(n_modules):
    """The libraries that use threads, while so many modules are imported."""
    # To look for them takes longer than many fits. New ones come only with new modules.
    return ThreadpoolController()


def evaluate_together(evaluator, group, jobs, X):
    """Evaluate jobs that share a part of their fits; return what they share, too.

    Each outcome comes with kinds and texts of the warnings of its fit; `group` has the
    indices of the candidates.
    """
    # Backends of joblib for several machines send an argument that many calls share to
    # each worker once; nested objects are re-sent with every call.
    evaluated = []
    for job in jobs:
        with warnings.catch_warnings(record=True) as caught:
            outcome = evaluator.evaluate(replace(job, X=X))
        evaluated.append((outcome, [(w.category, str(w.message)) for w in caught]))
    return group, evaluated, evaluator.shared.to_send()


# Seconds between two lines of progress.
_EVERY = 5


class Progress:
    """Lists what is evaluated, and prints now and then how far this is."""

    def __init__(self, plan, parts, n_jobs):
        self.plan, self.n_jobs = plan, n_jobs
        self.start = self.last = time.monotonic()
        self.left = list(chain(*parts))  # in the order in which they are begun
        self.work = _work_of(plan)
        self.seconds = dict.fromkeys({c.algorithm for c in plan.candidates}, 0.0)
        self.n_done, self.fewest, self.best = 0, inf, ""

    def __call__(self, evaluated):
        listed = []
        for part in evaluated:
            listed.append(part)
            self._look(*part[:2])
            if time.monotonic() - self.last >= _EVERY:
                self._tell()
        self._tell()
        return listed

    def _look(self, group, outcomes):
        self.n_done += len(group)
        for index, (outcome, _) in zip(group, outcomes, strict=True):
            self.left.remove(index)
            if isinstance(outcome, Failure):
                continue
            self.seconds[self.plan.candidates[index].algorithm] += outcome.fit_time
            n_errors = float(np.mean(outcome.counted.estimated_errors))
            if n_errors < self.fewest:
                n_labeled = np.mean([s.n_labeled for s in self.plan.counter.sizes])
                name = self.plan.name(index)
                self.fewest = n_errors
                self.best = f"; fewest errors: {name}, about {n_errors / n_labeled:.1%}"

    def _tell(self):
        self.last = time.monotonic()
        n, seconds, left = len(self.plan.jobs), self.last - self.start, ""
        if self.left:
            rest, is_whole = self._seconds_left()
            left = f", {'about' if is_whole else 'more than'} {rest / self.n_jobs:.0f} s"
            left += f" left, running: {self.plan.name(self.left[0])}"
        print(f"{self.n_done} of {n} candidates in {seconds:.0f} s{left}{self.best}")

    def _seconds_left(self):
        """Seconds of the other fits by algorithms that have begun; whether all have."""
        done: Counter[str] = Counter()
        waiting, left = done.copy(), {*self.left}
        for i, candidate in enumerate(self.plan.candidates):
            (waiting if i in left else done)[candidate.algorithm] += self.work[i]
        # In proportion to the work of each.
        rest = [self.seconds[n] * waiting[n] / done[n] for n in waiting if done[n]]
        return sum(rest), len(rest) == len(waiting)


def costly_first(plan, parts):
    """Parts of a sweep, with the most costly one of each algorithm before all others.

    So the time left is known early. Results do not depend on the order.
    """
    work = _work_of(plan)
    costliest: dict[str, list[int]] = {}
    for part in parts:
        name = plan.candidates[part[0]].algorithm
        most = max((work[i] for i in costliest.get(name, [])), default=0.0)
        if max(work[i] for i in part) > most:
            costliest[name] = part
    first = [*costliest.values()]
    return first + [part for part in parts if part not in first]


def _work_of(plan):
    """Work of each fit relative to others of its algorithm: the number of clusters."""
    # The first cut of a tree builds it; the others are next to nothing.
    work, built = [], set()
    for job, candidate in zip(plan.jobs, plan.candidates, strict=True):
        tree = candidate.algorithm, candidate.grid, candidate.init
        if shared_part(job.estimator) == "tree":
            work.append(0.01 if tree in built else 1.0)
            built.add(tree)
        else:
            work.append(float(candidate.n_clusters or 1))
    return work


def make_cache(memory):
    """Decorator that caches a function."""
    try:
        checked = check_memory(memory)
        store = getattr(checked, "store_backend", None)
        if store is not None:
            with TemporaryFile(dir=store.location):
                pass
    except (OSError, ValueError) as error:
        raise ValueError(
            f"memory must be a folder that can be written to, got {shown(memory)}: "
            f"{error}"
        ) from error
    return checked.cache


def fit_clusterer(estimator, X, order, fit_params, keep, shared):
    """Fit a clusterer; the result depends on nothing but the rows and the clusterer."""
    start = time.perf_counter()
    with shared.used_by(estimator, X):
        permuted = check_cluster_labels(
            unable_to_write(lambda X: estimator.fit_predict(X, **fit_params), X),
            len(order),
        )
    fit_time = time.perf_counter() - start
    labels = np.empty_like(permuted)
    labels[order] = permuted
    return labels, fit_time, estimator if keep else None


# Candidates that one message names: a choice of length, and nothing else.
_MOST_NAMES = 10
# With fewer numbers of clusters, half of the choices would be at an edge by chance.
_FEWEST_OF_A_RANGE = 5


def report_sweep(plan, outcomes, caught, error_score):
    """Warn of what went wrong in a sweep; the outcomes, None for what failed."""
    for warning in _repeated(plan, caught):
        warn(warning)
    failures = {i: o for i, o in enumerate(outcomes) if isinstance(o, Failure)}
    if failures:
        _report_failures(plan, failures, error_score)
    succeeded = [None if isinstance(o, Failure) else o for o in outcomes]
    scores = [evaluated.scores for evaluated in succeeded if evaluated is not None]
    report_scores(plan.evaluator.scorers, scores)
    return succeeded


def _repeated(plan, caught):
    """Each distinct warning once, with the number and names of who gave it."""
    by_kind: dict[tuple, dict[int, str]] = {}
    for i, of_candidate in enumerate(caught):
        for category, text in of_candidate:
            by_kind.setdefault((category, NUMBER.sub("#", text)), {})[i] = text
    for (category, _), texts in by_kind.items():
        example = ", for example" if len({*texts.values()}) > 1 else ""
        who = _named(plan, texts) if len(texts) < len(caught) else ""
        number = f"{len(texts)} of {len(caught)} candidates"
        who = f" ({who})" if who else ""
        message = f"{number}{who}{example}: {next(iter(texts.values()))}"
        try:
            yield category(message)
        except TypeError:  # a category that takes something else than a text
            yield UserWarning(message)


def _named(plan, indices):
    """The first of some candidates by name, and how many more there are."""
    names = [plan.name(i) for i in [*indices][:_MOST_NAMES]]
    more = len(indices) - len(names)
    return "; ".join(names) + (f" and {more} more" if more else "")


def _report_failures(plan, failures, error_score):
    """Warn of the candidates that failed; if all did, this is an error."""
    what, n_candidates = causes(failures.values()), len(plan.candidates)
    if len(failures) == n_candidates:
        first = next(iter(failures.values()))
        raise ValueError(
            f"All {n_candidates} candidates failed: {what}. error_score='raise' "
            "raises the first error itself."
        ) from RuntimeError(first.details)
    warn(
        f"{len(failures)} of {n_candidates} candidates failed; their bound is recorded "
        f"as {shown(error_score)}: {_named(plan, failures)}. Causes: {what}. "
        "error_score='raise' raises the first error itself.",
        FitFailedWarning,
    )


def report_edge(plan, index):
    """Warn if the chosen number of clusters is the largest or the smallest one tried."""
    # No warning for a grid of a few numbers (most are at its edges) or for two clusters
    # (one cluster is no clustering).
    chosen = plan.candidates[index]
    variant = plan.variants[chosen.algorithm, chosen.grid]
    numbers = variant.n_clusters
    if len(numbers) < _FEWEST_OF_A_RANGE or chosen.n_clusters <= 2:
        return
    edges = {min(numbers): ("smallest", "fewer"), max(numbers): ("largest", "more")}
    if chosen.n_clusters not in edges:
        return
    edge, more = edges[chosen.n_clusters]
    warn(
        f"The chosen n_clusters={chosen.n_clusters} is the {edge} number tried for "
        f"{chosen.algorithm!r}, so {more} clusters may have a smaller bound. "
        f"{AFTER_A_LOOK}"
    )
