"""Tables of rows for people to label, and reading what they filled in."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..labeling._clusters import as_frame
from ..utils._checks import invalid, shown
from ..utils._labels import as_labels, split_unlabeled
from ..utils._sklearn import is_frame, num_samples

if TYPE_CHECKING:
    import pandas as pd

# Columns that hold the index of a row in the data, and the label that people give it.
ROW, LABEL = "row", "label"


def worksheet(rows: NDArray[np.int64], data: Any, n_rows: int) -> pd.DataFrame:
    """One line for each of the rows, with the user's columns and an empty label."""
    own = {} if data is None else _columns(data, n_rows)
    for name in (ROW, LABEL):
        if name in own:
            raise ValueError(f"data must have no column called {name!r}, got {[*own]}.")
    lines = {name: np.asarray(column)[rows] for name, column in own.items()}
    empty = np.full(len(rows), None, dtype=object)
    return as_frame({ROW: rows, **lines, LABEL: empty}, index=ROW).reset_index()


def _columns(data, n_rows):
    if not is_frame(data):
        raise invalid("data", "None or a data frame", data)
    if num_samples(data) != n_rows:
        raise ValueError(
            f"data must have all {n_rows} rows of the data set, got {num_samples(data)}."
        )
    return columns_of(data)


def columns_of(data: Any) -> dict[str, Any]:
    """Columns of a data frame by name."""
    # A Table of Arrow has names of columns; its columns are the values.
    names = data.column_names if hasattr(data, "column_names") else data.columns
    return {str(name): data[name] for name in names}


def read_worksheet(
    source: Any, rows: NDArray[np.int64], column: str, dtype: Any
) -> NDArray[Any]:
    """The labels in a table that people filled in, in the order of the rows."""
    if not isinstance(column, str):
        raise invalid("column", "the name of a column", column)
    if dtype is not None and not _is_dtype(dtype):
        raise invalid("dtype", "None or a dtype", dtype)
    table = _read(source, dtype=None if dtype is None else {column: dtype})
    found = np.asarray(_column(table, ROW))
    if found.dtype.kind not in "iu":
        raise invalid(f"Column {ROW!r}", "integers without gaps", found)
    repeated = found[np.setdiff1d(np.arange(len(found)), np.unique(found, True)[1])]
    for what, wrong in {
        "twice": repeated,
        "that were not to be labeled": np.setdiff1d(found, rows),
    }.items():
        if len(wrong):
            raise ValueError(f"source must not have rows {what}, got {listed(wrong)}.")
    _refuse_gaps("source", np.setdiff1d(rows, found), source)
    labels = as_labels(_column(table, column), column)
    place = np.empty(rows.max(initial=-1) + 1, dtype=np.int64)
    place[found] = np.arange(len(found))
    return check_answers(labels[place[rows]], rows, f"Column {column!r}")


def _read(source, dtype):
    if is_frame(source):
        return source
    if not isinstance(source, str | PathLike):
        raise invalid("source", "a data frame or the path of a CSV file", source)
    try:
        import pandas as pd
    except ImportError as error:
        raise ImportError(
            "Reading CSV files requires pandas; pip install 'sklearn-pacmdl[plot]' "
            "installs it."
        ) from error
    try:
        return pd.read_csv(source, dtype=dtype)
    except (OSError, ValueError) as error:  # ValueError: an encoding, or no table
        readable = "a data frame or the path of a CSV file that can be read"
        why = getattr(error, "strerror", None) or str(error).strip()
        raise invalid("source", f"{readable} ({why})", source) from None


def _is_dtype(dtype):
    try:
        np.dtype(dtype)
    except (TypeError, ValueError):
        return False
    return True


def _column(table, name):
    try:
        return table[name]
    except Exception:  # each library has its own error
        names = getattr(table, "column_names", None) or list(table.columns)
        raise ValueError(f"source must have a column {name!r}, got {names}.") from None


def check_answers(
    answers: Any, rows: NDArray[np.int64], name: str = "labels", classes: Any = None
) -> NDArray[Any]:
    """Labels of people, one for each of the rows; a missing one is an error."""
    labels = as_labels(answers, name)
    if labels.shape != rows.shape:
        raise ValueError(
            f"{name} must be {len(rows)} labels, one for each row in the given order, "
            f"got shape {labels.shape}: {shown(answers)}."
        )
    labeled, values = split_unlabeled(labels, classes, name)
    _refuse_gaps(name, rows[~labeled], answers)
    # Unsigned integers have no -1 to mark a gap.
    return values.astype(np.int64) if values.dtype.kind in "iu" else values


def _refuse_gaps(name: str, rows: NDArray[np.int64], given: Any) -> None:
    """Refuse labels of people that are missing for these rows."""
    if len(rows):
        where = "1 row" if len(rows) == 1 else f"{len(rows)} rows"
        raise ValueError(
            f"{name} must have a label for every row, got {shown(given)}. Labels of "
            f"{where} are missing: {listed(rows)}. Without rows that are hard to "
            "label, the others are not a random choice. -1 and missing values mark a "
            "missing label; if -1 is a class, use text."
        )


def listed(rows: NDArray[np.int64]) -> str:
    """Row numbers for an error."""
    return shown(np.sort(rows).tolist())
