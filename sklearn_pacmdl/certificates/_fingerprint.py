"""SHA-256 digests by which a certificate recognizes its data and its own fields."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from hashlib import sha256
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..columns import as_labels, split_unlabeled, unique_inverse
from ..utils._checks import as_array, invalid

Label: TypeAlias = Any  # an integer, a text or a boolean
Labels: TypeAlias = NDArray[Any]
# Numbers that are written in bytes at a time.
_N_ROWS = 2**16


def fingerprint_labels(y: ArrayLike, classes: ArrayLike | None = None) -> str:
    """Compute a digest of labels that depends only on their values and gaps.

    Containers of any type have the same digest if they hold the same values and mark the
    same rows as unlabeled. The integer 1, the float 1.0 and the text "1" are one value,
    since files change one into the other; True and the text "1.0" are others.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Labels as they were seen, or a labeling; -1 or a missing value (None, NaN, NA)
        marks a row without a label.
    classes : array-like of shape (n_classes,), default=None
        The classes. Required if texts such as "nan" are among them.

    Returns
    -------
    digest : str
        64 hexadecimal digits. They do not hide labels: anybody can check a guess.

    Raises
    ------
    ValueError
        If ``y`` or ``classes`` is not 1-dimensional.

    Notes
    -----
    It is the SHA-256 digest of the JSON text ``["labels",[text,...]]``, followed by
    little-endian 64-bit integers. The text has the distinct labels in the order in which
    they appear. The integers are the number of each row's label among them, or -1.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_pacmdl.certificates import fingerprint_labels
    >>> fingerprint_labels([0, 1, None]) == fingerprint_labels(np.array([0, 1, -1]))
    True
    >>> fingerprint_labels([0, 1]) == fingerprint_labels(["0", "1"])
    True
    """
    labels = as_labels(y)
    if labels.ndim != 1:
        raise ValueError(f"y must be 1-dimensional, got shape {labels.shape}.")
    if classes is not None and as_labels(classes, "classes").ndim != 1:
        raise invalid("classes", "a 1-dimensional array of labels", classes)
    return digest_of_labels(labels, "y", classes)


def digest_of_labels(labels: Labels, name: str, classes: ArrayLike | None = None) -> str:
    """The same for a result of as_labels; errors call it by this name."""
    return digest_of_numbers(number_labels(labels, name, classes))


class NumberedLabels(NamedTuple):
    """Labels of rows as numbers."""

    codes: NDArray[np.int32]  # index of each row's label in names; -1 without a label
    names: list[Label]  # different labels of one type, by first appearance


def number_labels(labels: Labels, name: str, classes=None) -> NumberedLabels:
    """Number the labels in a result of as_labels; errors call it by this name."""
    labeled, values = split_unlabeled(labels, classes, name)
    if values.dtype.kind in "biu":  # less time, and no list of as many objects
        different, codes = unique_inverse(values)
        first = np.empty(len(different), dtype=np.int64)
        first[codes[::-1]] = np.arange(len(codes))[::-1]  # the last to be written stays
        order = np.argsort(first)
        numbers = np.argsort(order)[codes].astype(np.int32)
        names = different[order].tolist()
    else:
        texts = values if values.dtype.kind == "O" else values.tolist()
        number = {text: i for i, text in enumerate(dict.fromkeys(texts))}
        numbers = np.fromiter(map(number.__getitem__, texts), np.int32, len(values))
        names = [*number]
    numbered = np.full(len(labels), -1, dtype=np.int32)
    numbered[labeled] = numbers
    return NumberedLabels(numbered, names)


def digest_of_numbers(labels: NumberedLabels) -> str:
    """Digest of the texts of the names, and of the codes."""
    names = [*map(str, labels.names)]
    return _digest("labels", names, _parts(labels.codes), "<i8")


def digest_of_codes(codes, classes, rows) -> str:
    """Digest of labels of these rows: the classes with these codes, or -1 for none."""
    order = dict.fromkeys(chain.from_iterable(codes[at].tolist() for at in _parts(rows)))
    present = [code for code in order if code >= 0]
    number = np.full(len(classes) + 1, -1)
    number[present] = np.arange(len(present))
    names = [*map(str, classes[present].tolist())]
    return _digest("labels", names, (number[codes[at]] for at in _parts(rows)), "<i8")


def fingerprint_row_order(row_order: ArrayLike) -> str:
    """Compute a digest of the order in which clusterers saw the rows.

    Parameters
    ----------
    row_order : array-like of shape (n_samples,) of int
        Row indices, whatever their integer dtype.

    Returns
    -------
    digest : str
        64 hexadecimal digits.

    Raises
    ------
    ValueError
        If ``row_order`` is not 1-dimensional or does not hold integers of at least 0.

    Notes
    -----
    It is the SHA-256 digest of the JSON text ``["row order",n_samples]`` followed by the
    indices as little-endian 64-bit integers.

    Examples
    --------
    >>> from sklearn_pacmdl.certificates import fingerprint_row_order
    >>> fingerprint_row_order([2, 0, 1])[:16]
    'b9a4ecdd52cab025'
    """
    rows = as_array("row_order", row_order)
    whole = rows.dtype.kind in "iu" and np.all(rows >= 0)
    if rows.ndim != 1 or not (whole or not rows.size):
        allowed = "a 1-dimensional array of integers of at least 0"
        raise invalid("row_order", allowed, row_order)
    return _digest("row order", len(rows), _parts(rows), "<i8")


def fingerprint_certifying(certifies: NDArray[np.bool_]) -> str:
    """Digest of a mask of the certifying rows, where other rows select.

    It is the SHA-256 digest of the JSON text ``["certifying",n_samples]`` followed by the
    indices of these rows as little-endian 64-bit integers.
    """
    rows = np.flatnonzero(certifies)
    return _digest("certifying", len(certifies), _parts(rows), "<i8")


def fingerprint_confidence(confidence: NDArray[np.float64]) -> str:
    """Digest of finite or infinite numbers, one for each row.

    It is the SHA-256 digest of the JSON text ``["confidence",n_samples]`` followed by the
    numbers as little-endian 64-bit floats.
    """
    return _digest("confidence", len(confidence), _parts(confidence), "<f8")


def canonical(value: object) -> bytes:
    """JSON text of a value, whatever the order of the keys of mappings."""
    # JSON ends where its brackets close, so what follows cannot be taken for a part.
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return text.encode()


def _parts(numbers: Labels) -> Iterator[Labels]:
    """Parts of a size whose copies take no memory to speak of."""
    return (numbers[i : i + _N_ROWS] for i in range(0, len(numbers), _N_ROWS))


def _digest(kind: str, head: object, parts: Iterable[Labels], dtype: str) -> str:
    digest = sha256(canonical([kind, head]))
    for part in parts:
        numbers = part.astype(dtype)
        digest.update((numbers + numbers.dtype.type(0)).tobytes())  # -0.0 equals 0.0
    return digest.hexdigest()
