"""Fits of a sweep that are kept, so that the chosen one need not be repeated."""

import io
import pickle
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..utils._sklearn import last_step

# Bytes that all kept fits may take: for a row as many as four features of it do, in
# float32, and in any case as many as a process needs to import scikit-learn, or fewer.
_BYTES_PER_ROW = 16
_ALWAYS = 2**24


def bytes_of_each(n_rows: int, n_candidates: int) -> int:
    """Bytes that a fit may take to be kept.

    All candidates share alike. So a sweep of few keeps fits of many rows, and in a sweep
    of many, where these are too large, another fit is a small part of the work.
    """
    return max(_BYTES_PER_ROW * n_rows, _ALWAYS) // n_candidates


@dataclass(frozen=True, eq=False)
class KeptFit:
    """A fitted clusterer and its labels, as they were when the fit ended.

    The clusterer is pickled, so that nothing that is done to it later, by a scorer that
    sees labels for example, is kept too. Its own labels of the rows are left out.
    """

    # In the rows' own order and the smallest type; of a classifier, codes of classes.
    labels: NDArray[np.integer]
    dtype: np.dtype  # that they had
    pickled: bytes

    @classmethod
    def of(cls, labels: NDArray, estimator: Any, most_bytes: int) -> "KeptFit | None":
        """Keep a fit, or return None if it is too large or cannot be pickled."""
        small = labels.astype(_smallest_type(int(labels.min()), int(labels.max())))
        file, state = _Limited(most_bytes - small.nbytes), vars(last_step(estimator)[1])
        own = {}
        if is_of_rows(state.get("labels_"), labels):
            own["labels_"] = state.pop("labels_")
        try:
            pickle.dump((estimator, bool(own)), file, protocol=5)
        except Exception:  # whatever is raised: it is fitted again
            return None
        finally:
            state |= own
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


def _smallest_type(low, high):
    """The smallest integer type from one number to the other."""
    return np.min_scalar_type(high if low >= 0 else min(low, -1 - high))


class _Limited(io.BytesIO):
    """A file in memory that refuses to grow beyond some bytes."""

    def __init__(self, most_bytes):
        super().__init__()
        self._most_bytes = most_bytes

    def write(self, data):
        if self.tell() + memoryview(data).nbytes > self._most_bytes:
            raise MemoryError("The fit is too large to be kept.")
        return super().write(data)
