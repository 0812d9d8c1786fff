"""Work that is not done twice: what fits share, and fits that are kept for the last."""

import io
import pickle
import sys
import warnings
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from numbers import Integral, Number
from threading import get_ident
from typing import Any, Literal

import joblib
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from ..estimators import (
    bisecting_by,
    drawing_by,
    draws_centers_in_turn,
    is_bisecting,
    is_frame,
    last_step,
)

# Trees of 16 million rows, at 16 bytes a row: those of ten linkages of a million rows, or
# of more linkages than anyone sweeps where trees can be built at all without a graph.
_MOST_BYTES = 2**28


def memory_parameter(estimator):
    """Name of the parameter ``memory`` of the last step; None if it is set or missing."""
    # A clusterer with this parameter hands the functions that take most of its time to
    # ``memory.cache``, and declares thereby that they depend on their arguments alone.
    prefix, final = last_step(estimator)
    params = final.get_params(deep=False)
    if "memory" in params and params["memory"] is None:
        return f"{prefix}memory"
    return None


def shared_part(estimator) -> Literal["tree", "bisections", "first centers"] | None:
    """What fits with several numbers of clusters have in common, None if nothing."""
    _, final = last_step(estimator)
    if is_bisecting(final):
        return "bisections"
    # Rows that other steps of a Pipeline have made would have to be recognized, which
    # takes as long as many a center.
    if final is estimator and draws_centers_in_turn(final):
        return "first centers"
    return None if memory_parameter(estimator) is None else "tree"


class SharedResults:
    """The results of functions by their arguments: the interface of ``joblib.Memory``."""

    # It is the ``memory`` of candidates of a sweep. So the agglomerative clusterers of
    # scikit-learn build one tree for all numbers of clusters, and cut it themselves. Only
    # functions of arrays, numbers and text that a module has under their name are shared:
    # others cannot be recognized with certainty.
    #
    # A fit of BisectingKMeans repeats the bisections that another one, with the same rows
    # and the same random start, has made. One of KMeans begins with the first of the
    # centers that the one before it has drawn from the same object of rows.

    def __init__(self):
        # Pickles of results, with the warnings that came with them. They are read anew
        # for each candidate, which may then write into what it got.
        self.results: dict[str, bytes] = {}
        self._rows: tuple[Any, str | None] = None, None
        self._drawn: dict[int, tuple[str, Any, np.ndarray]] = {}  # by thread

    def used_by(self, estimator, X=None):
        """Context of a fit that uses what other fits have computed."""
        # It is on the rows X, which nobody writes into as long as this object lives. A
        # clusterer that has a memory keeps to its own.
        part = shared_part(estimator)
        if part == "tree":
            return self._as_memory(estimator, X)
        _, final = last_step(estimator)
        if part is None or not isinstance(final.random_state, Integral):
            return nullcontext()
        if part == "bisections":
            return bisecting_by(final, self._bisections(final))
        # Others may have written into lists, of which fits get shallow copies.
        if not (isinstance(X, np.ndarray) or issparse(X) or is_frame(X)):
            return nullcontext()
        return drawing_by(final, self._first_centers(final, X))

    @contextmanager
    def _as_memory(self, estimator, X):
        name = memory_parameter(estimator)
        if isinstance(X, np.ndarray) and self._rows[0] is not X:
            self._rows = X, None  # held, so that no other array takes their place
        estimator.set_params(**{name: self})
        try:
            yield
        finally:
            estimator.set_params(**{name: None})

    def _bisections(self, clusterer):
        """Function that makes the bisections of a fit, or finds those of another."""
        params = clusterer.get_params()
        del params["n_clusters"]
        key = ""

        def make(number, X, sample_weight, find):
            nonlocal key
            if not number:  # later bisections see the same rows
                key = self._key(type(clusterer), (X, sample_weight), params)
            return self._once(f"{key} {number}", find)

        return make

    def _first_centers(self, clusterer, X):
        """Function that draws the first centers of a fit, or finds those of another."""
        # Only those drawn last in a thread are kept, since they may take as much as the
        # rows, and fits that share them follow each other. Had a draw given a warning, it
        # might be of a center that the next fit has not.
        thread = get_ident()

        def make(n_trials, sample_weight, find):
            key = repr((clusterer.random_state, n_trials, _digest(sample_weight)))
            known, rows, centers = self._drawn.get(thread, (None, None, ()))
            if known == key and rows is X and len(centers) >= clusterer.n_clusters:
                return centers
            (centers, as_declared), caught = _with_warnings(find)
            if as_declared and not caught:
                self._drawn[thread] = key, X, centers
            return centers

        return make

    def cache(self, func=None, **options):
        """Function whose results are shared; options of joblib change no result."""
        if func is None:
            return partial(self.cache, **options)
        # Does the name of the function stand for it, in this and in other processes?
        module = sys.modules.get(getattr(func, "__module__", None) or "")
        importable = getattr(module, getattr(func, "__qualname__", ""), None) is func
        return partial(self._call, func) if importable else func

    def _call(self, function, *args, **kwargs):
        if not all(map(_is_data, [*args, *kwargs.values()])):
            return function(*args, **kwargs)
        key = self._key(function, args, kwargs)
        return self._once(key, partial(function, *args, **kwargs))

    def _once(self, key, function):
        kept = self.results.pop(key, None)
        if kept is None:
            result, caught = _with_warnings(function)
            with suppress(TypeError, AttributeError, pickle.PicklingError):
                kept = pickle.dumps((result, caught), protocol=pickle.HIGHEST_PROTOCOL)
        else:
            result, caught = pickle.loads(kept)
            _warn_again(caught)  # also for the candidates that share the result
        self._keep(key, kept)
        return result

    def _key(self, function, args, kwargs):
        named = sorted(kwargs.items())
        names = [name for name, _ in named]
        digests = [self._digest(value) for value in [*args, *(v for _, v in named)]]
        return repr((function.__module__, function.__qualname__, names, digests))

    def _digest(self, value):
        """Digest of an argument; the rows are read once, where they came read-only."""
        # What else is read-only may be a view of what is written into.
        rows, digest = self._rows
        known = isinstance(value, np.ndarray) and not value.flags.writeable
        if not known or rows is None or _place(rows) != _place(value):
            return _digest(value)
        if digest is None:
            digest = _digest(value)
            self._rows = rows, digest
        return digest

    def _keep(self, key, kept):
        """Keep the result used last, and drop those used first if it is too much."""
        if kept is None or len(kept) > _MOST_BYTES:
            return
        self.results[key] = kept
        for first in list(self.results):
            if sum(map(len, list(self.results.values()))) <= _MOST_BYTES:
                break
            self.results.pop(first, None)  # unless another thread has dropped it

    def __getstate__(self):
        """Without the rows, which are large, and in another place in another process."""
        return {"results": self.results, "_rows": (None, None), "_drawn": {}}


def _with_warnings(function):
    """Result of a function, and the warnings that it gave, which are passed on."""
    recorded: list[warnings.WarningMessage] = []
    try:
        with warnings.catch_warnings(record=True) as recorded:
            result = function()
    finally:
        caught = [(w.message, w.category, w.filename, w.lineno) for w in recorded]
        _warn_again(caught)
    return result, caught


def _warn_again(caught):
    for warning in caught:
        warnings.warn_explicit(*warning)


def _is_data(value):
    if isinstance(value, np.ndarray):
        # A subclass may hold more than the digest is of, such as the mask of an array.
        plain = type(value) in (np.ndarray, np.memmap)
        return plain and not value.dtype.hasobject
    return (
        value is None or issparse(value) or isinstance(value, str | Number | np.generic)
    )


def _digest(value):
    # Of the two that joblib has, sha1 takes half the time. Workers get files as arrays.
    return joblib.hash(value, hash_name="sha1", coerce_mmap=True)


def _place(array):
    interface = array.__array_interface__
    address, _ = interface["data"]
    return address, interface["typestr"], array.shape, array.strides


# Bytes that all kept fits may take: for a row as many as four features of it do, in
# float32, and in any case as many as a process needs to import scikit-learn, or fewer.
_BYTES_PER_ROW = 16
_ALWAYS = 2**24


def bytes_of_each(n_rows: int, n_candidates: int) -> int:
    """Bytes that a fit may take to be kept."""
    # All candidates share alike. So a sweep of few keeps fits of many rows, and in a
    # sweep of many, where these are too large, another fit is a small part of the work.
    return max(_BYTES_PER_ROW * n_rows, _ALWAYS) // n_candidates


@dataclass(frozen=True, eq=False)
class KeptFit:
    """A fitted clusterer and its labels, as they were when the fit ended."""

    # The clusterer is pickled, so that nothing that is done to it later, by a scorer that
    # sees labels for example, is kept too. Its own labels of the rows are left out.

    # In the rows' own order and the smallest type; of a classifier, codes of classes.
    labels: NDArray[np.integer]
    dtype: np.dtype  # that they had
    pickled: bytes

    @classmethod
    def of(cls, labels: NDArray, estimator: Any, most_bytes: int) -> "KeptFit | None":
        """Keep a fit, or return None if it is too large or cannot be pickled."""
        low, high = int(labels.min()), int(labels.max())
        # The smallest integer type from one to the other.
        smallest = np.min_scalar_type(high if low >= 0 else min(low, -1 - high))
        small = labels.astype(smallest)
        file, state = _Limited(most_bytes - small.nbytes), vars(last_step(estimator)[1])
        left_out = {}
        if is_of_rows(state.get("labels_"), labels):
            left_out["labels_"] = state.pop("labels_")
        try:
            pickle.dump((estimator, bool(left_out)), file, protocol=5)
        except Exception:  # whatever is raised: it is fitted again
            return None
        finally:
            state |= left_out
        return cls(small, labels.dtype, file.getvalue())

    def restored(self) -> tuple[NDArray, Any] | None:
        """The labels and the clusterer; None if it cannot be read."""
        labels = self.labels.astype(self.dtype)
        try:
            estimator, had_labels = pickle.loads(self.pickled)
        except Exception:  # as above
            return None
        if had_labels:
            last_step(estimator)[1].labels_ = labels
        return labels, estimator


def is_of_rows(attribute: Any, labels: NDArray) -> bool:
    """Whether an attribute has one entry for each row, as the labels have."""
    try:
        return np.shape(attribute) == labels.shape
    except ValueError:  # lists of different lengths
        return False


class _Limited(io.BytesIO):
    """A file in memory that refuses to grow beyond some bytes."""

    def __init__(self, most_bytes):
        super().__init__()
        self._most_bytes = most_bytes

    def write(self, data):
        if self.tell() + memoryview(data).nbytes > self._most_bytes:
            raise MemoryError("The fit is too large to be kept.")
        return super().write(data)
