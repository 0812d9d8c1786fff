"""Partly labelled targets: which rows are labelled, and with which class."""

import numpy as np
from sklearn.utils import assert_all_finite, column_or_1d
from sklearn.utils.multiclass import check_classification_targets


def _is_missing(value):
    if value is None:
        return True
    try:
        return bool(value != value)  # NaN, NaT
    except TypeError:  # pandas.NA
        return True


def _is_integral(value):
    return isinstance(value, int | np.integer | np.bool_) or (
        isinstance(value, float | np.floating) and float(value).is_integer()
    )


def _is_number(value):
    return isinstance(value, int | float | np.integer | np.floating | np.bool_)


def _is_minus_one(value):
    return _is_integral(value) and not isinstance(value, bool | np.bool_) and value == -1


def as_labels(y):
    """Labels as an array in which gaps are still gaps.

    NumPy would make words of the gaps in a list of words, and forget a mask.
    """
    if isinstance(y, np.ma.MaskedArray):
        labels = y.data.astype(object)
        labels[np.ma.getmaskarray(y)] = None
        return labels
    if isinstance(y, list | tuple):
        return np.array(y, dtype=object)
    return np.asarray(y)


def split_unlabelled(y):
    """Tell the unlabelled rows from the labelled.

    Unlabelled is -1 among numbers, and a missing value (None, NaN, NA) in any dtype.
    Integral floats become integers, since a column of integers with gaps is read so.

    Parameters
    ----------
    y : ndarray of shape (n_samples,)

    Returns
    -------
    labelled : ndarray of shape (n_samples,) of bool
    values : ndarray of shape (n_labelled,)
        The labels of the labelled rows, in the narrowest sensible dtype.
    """
    if y.dtype.kind == "f":
        labelled = ~np.isnan(y) & (y != -1)
        values = y[labelled]
        finite = np.isfinite(values)
        if finite.all() and np.all(values == np.floor(values)):
            values = values.astype(np.int64)
        return labelled, values
    if y.dtype.kind in "iub":
        labelled = y != -1 if y.dtype.kind == "i" else np.ones(y.shape, dtype=bool)
        return labelled, y[labelled]
    if y.dtype.kind in "US":
        gaps = set(np.unique(y).tolist()) & {"nan", "None", "<NA>", "-1"}
        if gaps:
            raise ValueError(
                f"y holds the text {gaps.pop()!r}, which NumPy makes of a gap among "
                "words; use an array of dtype object, with None where unlabelled."
            )
        return np.ones(y.shape, dtype=bool), y
    y = y.astype(object)
    labelled = np.array([not (_is_missing(v) or _is_minus_one(v)) for v in y], dtype=bool)
    values = y[labelled]
    if all(isinstance(v, bool | np.bool_) for v in values):
        return labelled, values.astype(bool)
    if all(_is_integral(v) for v in values):
        return labelled, values.astype(np.int64)
    if all(_is_number(v) for v in values):
        return labelled, values.astype(float)
    return labelled, values


def encode_labels(y, classes=None):
    """Class codes of a partly labelled target.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Unlabelled rows as in :func:`split_unlabelled`.
    classes : array-like, default=None
        The classes, if they were fixed beforehand; else those found in ``y``.

    Returns
    -------
    classes : ndarray of shape (n_classes,)
        Sorted.
    codes : ndarray of shape (n_samples,) of int64
        Index of the class; -1 where unlabelled, n_classes where the label is none of
        the declared classes.

    Raises
    ------
    ValueError
        If ``y`` is no classification target, holds no label or a single class, or if
        none of its labels is among the declared classes.
    """
    y = column_or_1d(as_labels(y), warn=True)
    labelled, values = split_unlabelled(y)
    if not labelled.any():
        raise ValueError(
            "y has no labelled row: all its values are -1 or missing, which mark "
            "unlabelled rows."
        )
    assert_all_finite(values, input_name="y")
    seen = _sorted_unique(values, "y")
    check_classification_targets(values)
    if classes is None:
        classes = seen
        if len(classes) < 2:
            raise ValueError(
                f"y must have labels of at least 2 classes, got one class: "
                f"{classes[0]!r} (-1 marks unlabelled rows). Where one class may be "
                "all that was seen, declare them with classes=."
            )
    else:
        classes = _check_classes(classes)
    codes = np.full(y.shape, -1, dtype=np.int64)
    codes[labelled] = _code_of(values, classes)
    if not np.any((codes >= 0) & (codes < len(classes))):
        raise ValueError(f"None of the labels in y is among classes={list(classes)!r}.")
    return classes, codes


def _code_of(values, classes):
    code = {value: i for i, value in enumerate(classes.tolist())}
    return [code.get(value, len(classes)) for value in values.tolist()]


def _sorted_unique(values, name):
    try:
        return np.unique(values)
    except TypeError:
        types = sorted({type(v).__name__ for v in values})
        raise TypeError(
            f"{name} must hold labels of one type, got {', '.join(types)}."
        ) from None


def _check_classes(classes):
    array = as_labels(classes)
    if array.ndim != 1 or not split_unlabelled(array)[0].all():
        raise ValueError(
            "classes must be a 1-dimensional array of labels, none of them -1 or "
            f"missing, got {classes!r}."
        )
    unique = _sorted_unique(split_unlabelled(array)[1], "classes")
    if len(unique) < 2 or len(unique) < len(array):
        raise ValueError(f"classes must be at least 2 different labels, got {classes!r}.")
    return unique
