"""Order of rows: columns belong together by position, and their indexes may object.

Two indexes that name some rows alike, and are not equal, are a mistake. A default index
(0, 1, ...) says nothing beside names, unless it holds all of them in another order.
"""

import sys
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._checks import warn

# Longer lists hold rows, and looking at each of a million would take long.
_MOST_COLUMNS = 1000


def index_of(rows: Any) -> Any:
    """The index of a Series or data frame of pandas, or an index; None of others."""
    pandas = sys.modules.get("pandas")  # without it there is no index
    if pandas is None or isinstance(rows, pandas.Index):
        return rows if pandas else None
    index = getattr(rows, "index", None)
    return index if isinstance(index, pandas.Index) else None


def check_same_order(**columns: Any) -> Any:
    """Refuse columns of which one has rows of another, and not all in the same order.

    Columns may be Series, data frames, indexes, and lists or mappings of these. Returns
    the first index, None if there is none. A target with names beside a default index is
    taken by position, with a warning.
    """
    parts: dict[str, Any] = {}
    for name, column in columns.items():
        if isinstance(column, Mapping):
            parts |= {f"{name}[{key!r}]": part for key, part in column.items()}
        elif isinstance(column, list | tuple) and len(column) <= _MOST_COLUMNS:
            parts |= {f"{name}[{i}]": part for i, part in enumerate(column)}
        else:
            parts[name] = column
    distinct: dict[str, Any] = {}
    for part, rows in parts.items():
        if (index := index_of(rows)) is None:
            continue
        # Indexes of different types may be equal, which takes long to see.
        alike = (other for other in distinct.values() if other.dtype == index.dtype)
        if any(index is other or index.equals(other) for other in alike):
            continue
        for first, other in distinct.items():
            if n_shared := _n_shared(index, other):
                raise _in_another_order(part, first, f"{first}.index", index, n_shared)
        distinct[part] = index
    first, index = next(iter(distinct.items()), ("", None))
    if first != "y" and _is_default(index) and not _is_default(distinct.get("y", index)):
        warn(
            f"y has names of rows as its index, and {first} has the default one. Rows "
            "are taken by position. Pass y.to_numpy() if that is right, else "
            f"give {first} the same index."
        )
    return index


def check_order_of_rows(
    name: str, answers: Any, rows: NDArray[np.int64], listed_in: str, index: Any = None
) -> None:
    """Refuse answers whose index has the rows, or their names, in another order."""
    at = index_of(answers)
    if at is None:
        return
    as_index = sys.modules["pandas"].Index
    places = f"range({len(rows)})"
    orders = {listed_in: as_index(rows), places: as_index(np.arange(len(rows)))}
    if index is not None and len(index) > rows.max(initial=-1):
        orders[f"labels.index[{listed_in}]"] = index[rows]
    if any(at.equals(order) for order in orders.values()):
        return
    for order, wanted in orders.items():
        n_shared = _n_shared(at, wanted)
        # Numbers of rows and positions in a table have some numbers in common by chance.
        if 2 * n_shared > len(at):
            raise _in_another_order(name, listed_in, order, at, n_shared)


def _is_default(index: Any) -> bool:
    """Whether an index counts rows from 0, and so names none."""
    if index is None or index.dtype.kind not in "iu":
        return False
    return bool(np.array_equal(index, np.arange(len(index))))


def _n_shared(index: Any, other: Any) -> int:
    """Rows that two indexes share which are not equal; beside a default one, all or 0."""
    if len(index) != len(other) or not len(index):
        return 0
    one_is_default = _is_default(index) or _is_default(other)
    pairs = sorted([(index, other), (other, index)], key=lambda pair: pair[1].nbytes)
    try:
        # Most others already lack the first value. A range, which is small, is asked
        # first: it need not be searched.
        if one_is_default and any(each[0] not in values for each, values in pairs):
            return 0
        if index.equals(other):
            return 0
        codes, values = index.append(other).factorize(use_na_sentinel=False)
    except TypeError:  # values that cannot be hashed
        return 0
    first, second = (
        np.bincount(half, minlength=len(values)) for half in np.split(codes, 2)
    )
    n_shared = int(np.minimum(first, second).sum())
    return 0 if one_is_default and n_shared < len(index) else n_shared


def _in_another_order(
    name: str, first: str, order: str, index: Any, n_shared: int
) -> ValueError:
    by_position = f"or {name}.to_numpy() if rows belong together by position"
    if n_shared < len(index):
        return ValueError(
            f"{name} must have the rows of {first}, but its index has {n_shared} of "
            f"these {len(index)} rows and others; pass the same rows in the same order, "
            f"{by_position}."
        )
    sorted_like = f"{name}.loc[{order}]" if index.is_unique else "both sorted alike"
    return ValueError(
        f"{name} must be in the order of {first}, but its index has the same rows in "
        f"another order; pass {sorted_like}, {by_position}."
    )
