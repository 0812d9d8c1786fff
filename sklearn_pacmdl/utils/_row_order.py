"""Order of rows: columns belong together by position, and their indexes may object.

Only an index that holds the same rows in another order is a mistake for certain. One that
holds other rows says nothing, such as the default index beside names.
"""

import sys
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
    """Refuse columns of which one has the rows of another in another order.

    Columns may be Series, data frames, indexes, and lists or mappings of these. Returns
    the first index, None if there is none.
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
            if _is_reordered(index, other):
                raise _in_another_order(part, first, f"{first}.index", index)
        distinct[part] = index
    return next(iter(distinct.values()), None)


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
        if _is_reordered(at, wanted):
            raise _in_another_order(name, listed_in, order, at)


def _is_reordered(index: Any, other: Any) -> bool:
    """Whether two indexes hold the same values, each as often, in different orders."""
    if len(index) != len(other) or not len(index):
        return False
    pairs = sorted([(index, other), (other, index)], key=lambda pair: pair[1].nbytes)
    try:
        # Most others already lack the first value. A range, which is small, is asked
        # first: it need not be searched.
        if any(each[0] not in values for each, values in pairs) or index.equals(other):
            return False
        codes, values = index.append(other).factorize(use_na_sentinel=False)
    except TypeError:  # values that cannot be hashed
        return False
    first, second = (
        np.bincount(half, minlength=len(values)) for half in np.split(codes, 2)
    )
    return np.array_equal(first, second)


def _in_another_order(name: str, first: str, order: str, index: Any) -> ValueError:
    sorted_like = f"{name}.loc[{order}]" if index.is_unique else "both sorted alike"
    return ValueError(
        f"{name} must be in the order of {first}, but its index has the same rows in "
        f"another order; pass {sorted_like}, or {name}.to_numpy() if rows belong "
        "together by position."
    )
