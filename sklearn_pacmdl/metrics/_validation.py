"""What labels and rows must be, alike for all measures."""

import warnings

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_consistent_length

from ..utils._labels import _is_missing as is_missing
from ..utils._labels import as_labels


def check_labels(labels, name="labels"):
    """Labels as a 1-dimensional array of integers or text, without gaps.

    Stricter than scikit-learn's own check of two clusterings, of which it keeps the
    rules and the words: it also tells gaps among text, and numbers among text.
    """
    labels = as_labels(labels, name)
    if labels.ndim == 1 and labels.dtype.kind == "O":
        labels = _of_one_type(labels, name)
    if labels.ndim != 1:
        raise ValueError(f"{name} must be 1D: shape is {labels.shape}.")
    if labels.dtype.kind == "f":
        _check_finite(labels, name)
    return labels


def _of_one_type(labels, name):
    gap = next((value for value in labels if is_missing(value)), is_missing)
    if gap is not is_missing:
        _refuse(name, "NaN" if isinstance(gap, float) else gap)
    if len({isinstance(value, str) for value in labels}) > 1:
        types = ", ".join(sorted({type(value).__name__ for value in labels}))
        raise TypeError(f"{name} must hold labels of one type, got {types}.")
    if labels.size and isinstance(labels[0], str):
        return labels
    return as_labels(np.array(labels.tolist()), name)


def _check_finite(labels, name):
    if np.any(labels != labels):
        _refuse(name, "NaN")
    if np.any(np.isinf(labels)):
        _refuse(name, "infinity")
    if np.any(labels != np.floor(labels)):
        warnings.warn(
            f"{name} holds continuous values; measures of clusterings expect discrete "
            "ones.",
            UserWarning,
            stacklevel=4,
        )


def _refuse(name, value):
    raise ValueError(f"{name} contains {value}; every row must have a label.")


def check_clusterings(labels_true, labels_pred):
    """Two labelings of the same objects."""
    labels_true = check_labels(labels_true, "labels_true")
    labels_pred = check_labels(labels_pred, "labels_pred")
    check_consistent_length(labels_true, labels_pred)
    return labels_true, labels_pred


def without_duplicates(X):
    """Sparse rows that store each entry once, and leave those of the user alone."""
    if sp.issparse(X) and not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X
