"""Clusters that have names of any kind, as integers; and columns that hold none."""

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..utils._checks import as_array, is_number
from ._labels import is_missing, unique_inverse

#: What clusterers call rows that they leave without a cluster.
NOISE = -1
# Up to this number, float64 represents every integer.
_MAX_WHOLE = 2.0**53


class NumberedClusters(NamedTuple):
    """Clusters of the rows, each named by an integer; small, whatever the names were."""

    # Index in ``numbers`` of each row's cluster, in the smallest integer type.
    codes: NDArray[np.signedinteger]
    # Integers of the clusters. The last is -1, the number of what is missing, so that the
    # code -1 stands for it.
    numbers: NDArray[np.int64]
    names: dict[int, Any]  # by integer; there is none for what is missing

    @property
    def labels(self) -> NDArray[np.int64]:
        """Integer of each row's cluster."""
        return self.numbers[self.codes]

    def present(self) -> tuple[NDArray[Any], NDArray[np.intp]]:
        """Names of the clusters that have rows, and the index of each row's name.

        What is missing is called -1, whatever the other names are.
        """
        numbers, codes = unique_inverse(self.labels)
        names = [self.names.get(number, number) for number in numbers.tolist()]
        all_named = len(self.names) == len(numbers)
        return np.array(names, dtype=None if all_named else object), codes


def number_clusters(values: Any, where: str) -> NumberedClusters:
    """Number clusters: whole numbers stay, other names count from 0 in sorted order.

    A missing name (None, NaN, NaT, NA) becomes -1, as clusterers call noise. Names that
    cannot be sorted are a TypeError that says ``where`` they are.
    """
    try:
        codes, distinct = different(values)
        # Other programs write noise as the text "-1".
        unnamed = [is_missing(v) or (isinstance(v, str) and v == "-1") for v in distinct]
        present = ~np.array(unnamed, dtype=bool)
        names, places = np.unique(distinct[present], return_inverse=True)
    # PyArrow says the latter of types that it cannot encode, such as lists.
    except (TypeError, NotImplementedError) as error:
        raise TypeError(
            f"The values in {where} must be of one type that can be sorted: {error}."
        ) from error
    numbers = _whole(names)
    if numbers is None:
        noise = np.array([is_noise(name) for name in names.tolist()], dtype=bool)
        numbers = np.where(noise, -1, np.cumsum(~noise) - 1)
    code = np.full(len(distinct) + 1, -1, dtype=np.min_scalar_type(-max(len(names), 1)))
    code[:-1][present] = places
    # As a list, nanoseconds would become integers.
    values = names if names.dtype.kind in "mM" else names.tolist()
    return NumberedClusters(
        codes=code[codes],  # the code -1, a missing value, is at the end
        numbers=np.append(numbers, -1),
        names=dict(zip(numbers.tolist(), values, strict=True)),
    )


def is_noise(name: Any) -> bool:
    """Whether a cluster has the number of noise for its name."""
    return is_number(name) and name == NOISE


def place_of_noise(names: NDArray[Any]) -> int | None:
    """Index of the cluster of noise among the names of clusters, if there is one."""
    return next((i for i, name in enumerate(names) if is_noise(name)), None)


def is_column(values: Any) -> bool:
    """Whether this is a column of PyArrow, pandas or Polars, which numbers its values."""
    ways = ("dictionary_encode", "factorize", "replace_strict")
    return any(hasattr(values, way) for way in ways)


def as_column(name: str, values: Any) -> Any:
    """A column that numbers its values, or an array with its mask."""
    keeps = is_column(values) or isinstance(values, np.ma.MaskedArray)
    return values if keeps else as_array(name, values)


def different(values: Any) -> tuple[Any, Any]:
    """Index of each row's value among the different ones, -1 if missing, and these."""
    # Columns of data frames know a faster way than sorting, and hold categories as codes.
    if hasattr(values, "dictionary_encode"):  # PyArrow
        return _encoded(values)
    if hasattr(values, "factorize"):  # pandas
        codes, distinct = values.factorize()
        return codes, np.asarray(distinct)
    is_polars = hasattr(values, "replace_strict")  # which cannot compare some types
    if is_polars and values.dtype.is_nested():
        raise TypeError("each of them is several values")
    if is_polars and not values.dtype.is_object():
        values = values.alias("")  # Polars reads names such as "^x$" as patterns
        distinct = values.unique().drop_nulls()
        codes = values.replace_strict(distinct, range(len(distinct)), default=None)
        return codes.fill_null(-1).to_numpy(), distinct.to_numpy()
    gaps = np.ma.getmask(values)
    array = as_array("labels", np.ma.getdata(values) if np.any(gaps) else values)
    if array.dtype.kind in "OSTU":
        codes, distinct = _hashed(array)
    elif array.dtype.kind in "iu":
        distinct, codes = unique_inverse(array)
    else:
        distinct, codes = np.unique(array, return_inverse=True)
    return np.where(gaps, -1, codes) if np.any(gaps) else codes, distinct


def _encoded(column):
    """The same of a column of PyArrow, whose chunks get one dictionary."""
    chunks = [column.dictionary_encode()]
    if hasattr(chunks[0], "chunks"):
        chunks = chunks[0].unify_dictionaries().chunks
    codes = [np.empty(0, dtype=np.int64)]
    for chunk in chunks:
        # Categories of Polars have unsigned indices, among which there is no -1.
        indices = chunk.indices.cast("int64").fill_null(-1)
        codes.append(indices.to_numpy(zero_copy_only=False))
    distinct = chunks[0].dictionary.to_numpy(zero_copy_only=False) if chunks else []
    return np.concatenate(codes), np.asarray(distinct)


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
    if values.dtype.kind in "OUT" and all(map(_is_numeral, values)):
        return _whole(np.array([int(text) for text in values]))
    kind = values.dtype.kind
    if kind not in "fO" or (kind == "O" and not all(map(is_number, values))):
        return None
    numbers = values.astype(np.float64)
    if np.any(np.abs(numbers) > _MAX_WHOLE) or np.any(numbers % 1):
        return None
    return numbers.astype(np.int64)


def _is_numeral(name):
    """Whether this is how an integer is written, so that no two names are one number."""
    digits = name.removeprefix("-") if isinstance(name, str) else ""
    return digits.isdecimal() and len(digits) < 16 and str(int(name)) == name


def why_no_clusters(clusters: Collection[Any], n_rows: int) -> str | None:
    """Why a column with these values holds no clusters; None if it may hold some."""
    # Numbers that are not whole are measurements; the name -1 is that of noise.
    fraction = next((name for name in clusters if is_number(name) and name % 1), None)
    if fraction is not None:
        return f"holds {fraction}, which is no whole number"
    return why_too_many(int(np.sum([not is_noise(name) for name in clusters])), n_rows)


def why_copy_of_labels(
    clusters: Collection[Any], sizes: NDArray[Any], n_unlabeled: NDArray[Any]
) -> str | None:
    """Why a column was made from the labels: it is missing exactly where these are.

    ``sizes`` and ``n_unlabeled`` are the rows and unlabeled rows of each cluster.
    """
    noise = np.array([is_noise(name) for name in clusters], dtype=bool)
    without = int(n_unlabeled.sum())
    if without and without == sizes[noise].sum() == n_unlabeled[noise].sum():
        rows = f"the {without} rows without a label"
        return f"is missing exactly in {rows}, as a copy of y"
    return None


def why_too_many(n_values: int, n_rows: int, n_spare: int = 0) -> str | None:
    """The same by the number of values, of which ``n_spare`` need not be clusters."""
    # So many are names or measurements of rows, and their table of counts would be huge.
    if 2 * (n_values - n_spare) > n_rows:
        return f"has {n_values} different values in {n_rows} rows"
    return None


def refuse_columns(name: str, reasons: Mapping[Any, str | None], remedy: str) -> None:
    """Refuse a table if there is a reason why one of its columns holds no clusters."""
    refused = [f"column {key!r} {reason}" for key, reason in reasons.items() if reason]
    if refused:
        columns = "; ".join(refused)
        raise ValueError(
            f"{name} must hold clusters in all columns; {columns}. {remedy}."
        )


def frame_columns(frame: Any) -> list[tuple[Any, Any]]:
    """Names and columns of a data frame of pandas, Polars or PyArrow."""
    if hasattr(frame, "get_columns"):  # Polars
        return [(column.name, column) for column in frame.get_columns()]
    if hasattr(frame, "iloc"):  # by position, since names may be repeated
        return [(name, frame.iloc[:, i]) for i, name in enumerate(frame.columns)]
    return list(zip(frame.schema.names, frame.columns, strict=True))


def cells_of(column: Any) -> NDArray[Any]:
    """The values of a column as an array, in which integers beside gaps stay integers."""
    cells = np.asarray(column)
    kind = str(getattr(column, "dtype", getattr(column, "type", ""))).lower()
    if cells.dtype.kind != "f" or "int" not in kind:
        return cells
    listed = column.to_pylist() if hasattr(column, "to_pylist") else column.to_list()
    return np.array(listed, dtype=object)
