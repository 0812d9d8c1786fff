"""Work that is not done twice: what the fits of several candidates share."""

import pickle
import sys
import warnings
from contextlib import contextmanager, suppress
from functools import partial
from numbers import Number
from operator import attrgetter
from typing import Any, Literal

import joblib
import numpy as np
from scipy.sparse import issparse
from sklearn.pipeline import Pipeline

from ..estimators import last_step

# Trees of 16 million rows, at 16 bytes a row: of ten linkages of a million rows with a
# graph, or of more linkages without one than any sweep has.
_MOST_BYTES = 2**28
# Module of the function that fits a step of a Pipeline.
_STEPS = Pipeline.__module__


# The rows are read once where they are recognized by their place in memory.
_PLACE = attrgetter("ctypes.data", "dtype", "shape", "strides")
# Of the two that joblib has, sha1 takes half the time. Workers get files as arrays.
_digest = partial(joblib.hash, hash_name="sha1", coerce_mmap=True)


def shared_part(estimator) -> Literal["tree", "steps"] | None:
    """What fits with several numbers of clusters have in common, None if nothing."""
    _, final = last_step(estimator)
    # A clusterer with a memory hands its slowest functions to ``memory.cache``, and so
    # declares that they depend on their arguments alone. A user's memory stays.
    params = final.get_params(deep=False)
    if "memory" in params and params["memory"] is None:
        return "tree"
    return "steps" if final is not estimator and _shares_steps(estimator) else None


def _shares_steps(estimator):
    """Whether this is a Pipeline, whose other steps see no label, without a memory."""
    return type(estimator) is Pipeline and estimator.memory is None


class SharedResults:
    """The results of functions by their arguments: the interface of ``joblib.Memory``."""

    # It is the ``memory`` of candidates of a sweep. So the agglomerative clusterers of
    # scikit-learn build one tree for all numbers of clusters, and cut it themselves. Only
    # functions of arrays, numbers and text that a module has under their name are shared:
    # others cannot be recognized with certainty. Steps of a Pipeline are recognized as by
    # the memory of a Pipeline, by all that is pickled of them.

    def __init__(self, steps=True):
        self._steps = steps  # whether those of Pipelines are shared
        self._is_copy = False  # in another process
        # Pickles of results, with the warnings that came with them. They are read anew
        # for each candidate, which may then write into what it got.
        self.results: dict[str, bytes] = {}
        self._rows: tuple[Any, str | None] = None, None

    @contextmanager
    def used_by(self, estimator, X=None):
        """Context of a fit that uses what other fits have computed."""
        # It is on the rows X, which nobody writes into as long as this object lives.
        part, (_, final) = shared_part(estimator), last_step(estimator)
        remembering = [final] if part == "tree" else []
        if self._steps and _shares_steps(estimator):
            remembering.append(estimator)
        for fitted in remembering:
            if isinstance(X, np.ndarray) and self._rows[0] is not X:
                self._rows = X, None  # held, so that no other array takes their place
            fitted.set_params(memory=self)
        try:
            yield
        finally:
            for fitted in remembering:
                fitted.set_params(memory=None)

    def cache(self, func=None, ignore=(), **options):
        """Function whose results are shared; other options of joblib change no result."""
        if func is None:
            return partial(self.cache, ignore=ignore, **options)
        # Does the name of the function stand for it, in this and in other processes?
        module = sys.modules.get(getattr(func, "__module__", None) or "")
        importable = getattr(module, getattr(func, "__qualname__", ""), None) is func
        return partial(self._call, func, ignore) if importable else func

    def _call(self, function, ignore, *args, **kwargs):
        named = sorted(item for item in kwargs.items() if item[0] not in ignore)
        values = [*args, *(value for _, value in named)]
        if not all(_is_known(v, of_step=function.__module__ == _STEPS) for v in values):
            return function(*args, **kwargs)
        try:
            digests = [self._digest(value) for value in values]
        except Exception:  # whatever is raised by what cannot be pickled
            return function(*args, **kwargs)
        names = [name for name, _ in named]
        key = repr((function.__module__, function.__qualname__, names, digests))
        kept = self.results.pop(key, None)
        if kept is None:
            result, caught = _with_warnings(partial(function, *args, **kwargs))
            with suppress(TypeError, AttributeError, pickle.PicklingError):
                kept = pickle.dumps((result, caught), protocol=pickle.HIGHEST_PROTOCOL)
        else:
            result, caught = pickle.loads(kept)
            for warning in caught:  # also for the candidates that share the result
                warnings.warn_explicit(*warning)
        # What was used last is kept, and what was used first dropped if it is too much.
        if kept is not None and len(kept) <= _MOST_BYTES:
            self.results[key] = kept
            for first in list(self.results):
                if sum(map(len, list(self.results.values()))) <= _MOST_BYTES:
                    break
                self.results.pop(first, None)  # unless another thread has dropped it
        return result

    def _digest(self, value):
        """Digest of an argument; the rows are read once, where they came read-only."""
        # What else is read-only may be a view of what is written into.
        rows, digest = self._rows
        known = isinstance(value, np.ndarray) and not value.flags.writeable
        if not known or rows is None or _PLACE(rows) != _PLACE(value):
            return _digest(value)
        if digest is None:
            digest = _digest(value)
            self._rows = rows, digest
        return digest

    def __getstate__(self):
        """Without the rows, which are large, and in another place in another process."""
        return vars(self) | {"results": self.to_send(), "_rows": (None, None)}

    def __setstate__(self, state):
        vars(self).update(state, _is_copy=True)

    def to_send(self):
        """Results for another process, without those of steps, as large as the rows."""
        if not self._is_copy:
            return {}
        of_steps = f"({_STEPS!r}"
        return {k: v for k, v in self.results.items() if not k.startswith(of_steps)}


def _is_known(value, of_step):
    """Whether a digest recognizes an argument."""
    if isinstance(value, np.ndarray):
        # A subclass may hold more than the digest is of, such as a mask.
        plain = type(value) in (np.ndarray, np.memmap)
        return plain and (of_step or not value.dtype.hasobject)
    simple = value is None or isinstance(value, str | Number | np.generic)
    return simple or issparse(value) or of_step


def _with_warnings(function):
    """Result of a function, and its warnings, which are passed on."""
    recorded: list[Any] = []
    try:
        with warnings.catch_warnings(record=True) as recorded:
            result = function()
    finally:
        caught: list[Any] = [
            (w.message, w.category, w.filename, w.lineno) for w in recorded
        ]
        for warning in caught:
            warnings.warn_explicit(*warning)
    return result, caught
