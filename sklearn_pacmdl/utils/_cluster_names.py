"""Clusters that have names of any kind, as integers."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._checks import is_number
from ._labels import is_missing

# Up to this number, float64 represents every integer.
_MAX_WHOLE = 2.0**53


class NumberedClusters(NamedTuple):
    """Clusters of the rows, each named by an integer; small, whatever the names were.

    Parameters
    ----------
    codes : ndarray of shape (n_samples,) of int
        Index in ``numbers`` of each row's cluster, in the smallest integer type.
    numbers : ndarray of shape (n_clusters + 1,) of int64
        Integers of the clusters. The last is -1, the number of what is missing, so
        that the code -1 stands for it.
    names : dict
        What each integer stands for. There is none for what is missing.
    """

    codes: NDArray[np.signedinteger]
    numbers: NDArray[np.int64]
    names: dict[int, Any]

    @property
    def labels(self) -> NDArray[np.int64]:
        """Integer of each row's cluster."""
        return self.numbers[self.codes]

    def present(self) -> tuple[NDArray[Any], NDArray[np.intp]]:
        """Names of the clusters that have rows, and the index of each row's name.

        What is missing is called -1, whatever the other names are.
        """
        found, codes = np.unique(self.labels, return_inverse=True)
        names = [self.names.get(number, number) for number in found.tolist()]
        all_named = len(self.names) == len(found)
        return np.array(names, dtype=None if all_named else object), codes

    def rows(self, rows: Any) -> "NumberedClusters":
        """The clusters of some rows, or of all rows in another order."""
        return self._replace(codes=self.codes[rows])


def number_clusters(values: Any, where: str) -> NumberedClusters:
    """Integers in place of the names of clusters, and the names by their integer.

    Whole numbers stay as they are. Other names are numbered from 0 in sorted order. A
    missing name (None, NaN, NaT, NA) becomes -1, as noise is called by clusterers.

    Parameters
    ----------
    values : array-like of shape (n_samples,)
        Numbers, text, categories, booleans or dates, also in a column of pandas, Polars
        or PyArrow.
    where : str
        What they are, for errors.

    Raises
    ------
    TypeError
        If the names cannot be compared and sorted.
    """
    try:
        codes, found = _different(values)
        present = np.array([not is_missing(value) for value in found], dtype=bool)
        known, places = np.unique(found[present], return_inverse=True)
    # PyArrow says the latter of types that it cannot encode, such as lists.
    except (TypeError, NotImplementedError) as error:
        raise TypeError(
            f"The values in {where} must be of one type that can be sorted: {error}."
        ) from error
    numbers = _whole(known)
    if numbers is None:
        numbers = np.arange(len(known))
    code = np.full(len(found) + 1, -1, dtype=np.min_scalar_type(-max(len(known), 1)))
    code[:-1][present] = places
    names = known if known.dtype.kind in "mM" else known.tolist()  # ns would become ints
    return NumberedClusters(
        codes=code[codes],  # the code -1, a missing value, is at the end
        numbers=np.append(numbers, -1),
        names=dict(zip(numbers.tolist(), names, strict=True)),
    )


def is_column(values: Any) -> bool:
    """Whether this is a column of PyArrow, pandas or Polars, which numbers its values."""
    ways = ("dictionary_encode", "factorize", "replace_strict")
    return any(hasattr(values, way) for way in ways)


def unique_integers(values: NDArray[np.integer]) -> tuple[NDArray, NDArray[np.intp]]:
    """The different values, sorted, and the index of each row's among them.

    It is what NumPy's ``unique`` returns. Where the values lie close together, as
    clusters do, they are counted, which takes a tenth of the time of sorting.
    """
    if not _are_close(values):
        return _unique(values)
    low, offsets = _from_zero(values)
    known = np.bincount(offsets) > 0
    if known.all():
        return (np.arange(len(known)) + low).astype(values.dtype), offsets
    places = np.cumsum(known) - 1
    return (np.flatnonzero(known) + low).astype(values.dtype), places[offsets]


def small_integers(values: NDArray[np.integer]) -> NDArray[np.intp]:
    """Integers from 0 in place of others; not all up to the largest need to have rows."""
    return _from_zero(values)[1] if _are_close(values) else _unique(values)[1]


def _are_close(values):
    """Whether there are not many more integers between the values than values."""
    low, high = (int(values.min()), int(values.max())) if len(values) else (0, 0)
    return high - low <= len(values) and high <= np.iinfo(np.int64).max


def _from_zero(values):
    offsets = values.astype(np.int64)
    low = int(offsets.min()) if len(offsets) else 0
    if low:
        offsets -= low
    return low, offsets


def _unique(values):
    found, codes = np.unique(values, return_inverse=True)
    return found, codes


def _different(values):
    """The different values, and the index of each row's among them; -1 if missing.

    Columns of data frames know a faster way than sorting, and hold categories as codes.
    """
    if hasattr(values, "dictionary_encode"):  # PyArrow
        return _encoded(values)
    if hasattr(values, "factorize"):  # pandas
        codes, found = values.factorize()
        return codes, np.asarray(found)
    if hasattr(values, "replace_strict") and not _is_nested(values.dtype):  # Polars
        found = values.unique().drop_nulls()
        codes = values.replace_strict(found, range(len(found)), default=None)
        return codes.fill_null(-1).to_numpy(), found.to_numpy()
    gaps = np.ma.getmask(values)
    array = np.asarray(values)
    if array.dtype.kind in "OSTU":
        codes, found = _hashed(array)
    else:
        unique = unique_integers if array.dtype.kind in "iu" else _unique
        found, codes = unique(array)
    return np.where(gaps, -1, codes) if np.any(gaps) else codes, found


def _encoded(column):
    """The same of a column of PyArrow, whose chunks get one dictionary."""
    encoded = column.dictionary_encode()
    chunks = [encoded]
    if hasattr(encoded, "chunks"):
        chunks = encoded.unify_dictionaries().chunks
    codes = [
        _signed(c.indices).fill_null(-1).to_numpy(zero_copy_only=False) for c in chunks
    ]
    found = chunks[0].dictionary.to_numpy(zero_copy_only=False) if chunks else []
    return np.concatenate([np.empty(0, dtype=np.int64), *codes]), np.asarray(found)


def _signed(indices):
    """Polars writes categories with unsigned indices, among which there is no -1."""
    return indices.cast("int64") if str(indices.type).startswith("u") else indices


def _is_nested(dtype):
    """Whether Polars cannot compare values of this type."""
    return dtype.is_nested() or dtype.is_object()


def _hashed(array):
    """The same by hashing, since sorting a million texts takes seconds."""
    values = array.tolist()
    index = {value: i for i, value in enumerate(dict.fromkeys(values))}
    codes = np.fromiter(map(index.__getitem__, values), np.int64, len(values))
    dtype = object if array.dtype.kind == "T" else array.dtype
    return codes, np.fromiter(index, dtype, len(index))


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
