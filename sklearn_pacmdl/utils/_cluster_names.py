"""Clusters that have names of any kind, as integers."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._checks import is_number

# Up to this number, float64 represents every integer.
_MAX_WHOLE = 2.0**53


def number_clusters(
    values: NDArray[Any], where: str
) -> tuple[NDArray[np.int64], dict[int, Any]]:
    """Integers in place of the names of clusters, and the names by their integer.

    Whole numbers stay as they are. A missing name (None, NaN, NaT, NA) becomes -1, as
    noise is called by clusterers.

    Parameters
    ----------
    values : ndarray of shape (n_samples,)
        Numbers, text, booleans or dates.
    where : str
        What they are, for errors.

    Raises
    ------
    TypeError
        If the names cannot be sorted.
    """
    present = np.array([not _is_missing(value) for value in values], dtype=bool)
    labels = np.full(len(values), -1)
    try:
        known, codes = np.unique(values[present], return_inverse=True)
    except TypeError as error:
        raise TypeError(
            f"The values in {where} must be of one type that can be sorted: {error}."
        ) from error
    numbers = _whole(known)
    if numbers is None:
        numbers = np.arange(len(known))
    labels[present] = numbers[codes]
    names = known if known.dtype.kind in "mM" else known.tolist()  # ns would become ints
    return labels, dict(zip(numbers.tolist(), names, strict=True))


def _whole(values):
    """The values as integers, None if they are something else."""
    if values.dtype.kind in "iu":
        return values.astype(np.int64)
    if values.dtype.kind == "O" and not all(map(is_number, values)):
        return None
    if values.dtype.kind not in "fO":
        return None
    numbers = values.astype(np.float64)
    if np.any(np.abs(numbers) > _MAX_WHOLE) or np.any(numbers % 1):
        return None
    return numbers.astype(np.int64)


def _is_missing(value):
    try:
        return value is None or bool(value != value)  # NaN and NaT differ from themselves
    except TypeError:  # pandas.NA is neither true nor false
        return True
