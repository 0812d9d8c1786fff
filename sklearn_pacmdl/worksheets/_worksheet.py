"""Tables of rows for people to label, as files that spreadsheets of any country write."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Iterable, Mapping
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..columns import (
    SEVERAL_LABELS,
    as_labels,
    cells_of,
    check_class_names,
    decode,
    frame_columns,
    renamed,
    split_unlabeled,
)
from ..estimators import is_frame, num_samples
from ..utils._checks import (
    as_array,
    check_count,
    check_flag,
    first_of,
    invalid,
    shown,
    warn,
)
from ..utils._row_order import check_order_of_rows
from ..utils._table_columns import AUTOMATIC, BOUNDS, BOUNDS_OF, LABEL, ROW, SOURCE
from ..utils._words import as_frame
from ..utils._writing import write_files
from ._files import (
    ENDINGS,
    as_worksheet,
    escaped,
    import_pandas,
    plain_texts,
    read_csv,
    read_excel,
    read_file,
    refuse_repeated_columns,
)
from ._records import is_for_records, read_records

if TYPE_CHECKING:
    import pandas as pd

_ROW_NUMBER = re.compile(r"\s*(\d{1,15})(?:[.,]0*)?\s*")
# One separator in all numbers, such as 12.345.678.
_WITH_THOUSANDS = re.compile(
    r"\s*(\d{1,15}|[1-9]\d{0,2}(?:(?:\.\d{3}){1,4}|(?:,\d{3}){1,4}))\s*"
)


def worksheet(
    rows: ArrayLike,
    data: Any = None,
    path: str | PathLike[str] | None = None,
    *,
    n_rows: int | None = None,
    answers: Mapping[str, NDArray[Any]] | None = None,
) -> pd.DataFrame:
    """Make the table of rows for people to label, which requires pandas.

    Parameters
    ----------
    rows : array-like of shape (n_lines,) of int
        Indices of the rows in the data set, such as ``finished.to_annotators``.
    data : data frame, default=None
        What people need to see in order to label a row, and your own identifiers, in
        columns of pandas, Polars or Arrow: all rows of the data set.
    path : str or path-like, default=None
        Where to write the table as a CSV file in UTF-8, or, if the name ends in ".xlsx",
        as an Excel workbook. Texts that spreadsheets would treat as formulas get an
        apostrophe in front, which :func:`read_worksheet` removes. For annotation tools, a
        name that ends in ".json" makes a list of records without labels, and ".jsonl" one
        record in each line. By default the table is only returned.
    n_rows : int, default=None
        Number of rows that ``data`` must have, if it is known.
    answers : mapping of str to array-like of shape (n_lines,), default=None
        Further columns, such as the labels that annotators gave to these rows.

    Returns
    -------
    frame : DataFrame of shape (n_lines, n_columns + n_answers + 2)
        Column "row" (the index of the row in the data set), the columns of ``data``, the
        ``answers`` and an empty column "label".

    Raises
    ------
    ValueError
        If ``rows`` are not different indices, ``data`` is not a data frame that has them,
        or a column is called "row" or "label" or like another one. If ``path`` has
        another ending, or is a file in which people have filled in labels.

    See Also
    --------
    read_worksheet : Reads the labels.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_pacmdl.worksheets import worksheet
    >>> print(worksheet([3, 0], pd.DataFrame({"text": ["a", "b", "c", "d"]})))
       row text label
    0    3    d  None
    1    0    a  None
    """
    index, answers = check_rows("rows", rows), {} if answers is None else answers
    if n_rows is not None:
        check_count("n_rows", n_rows, 0)
    if not isinstance(answers, Mapping):
        raise invalid("answers", "None or columns by name", answers)
    columns = {} if data is None else _columns(data, n_rows, index)
    for name in (ROW, LABEL, *answers):
        if name in columns:
            what = f"data must have no column called {name!r}"
            raise ValueError(f"{what}, got {shown([*columns])}.")
    arrays = {name: cells_of(column) for name, column in columns.items()}
    sizes = [len(array) for array in arrays.values()]
    if n_rows is not None:
        sizes.append(n_rows)
    if sizes and np.any(index >= min(sizes)):
        raise invalid("rows", f"indices of {min(sizes)} rows", rows)
    lines = {name: array[index] for name, array in arrays.items()}
    for name, labels in answers.items():
        lines[name] = as_labels(labels, f"answers[{name!r}]")
        if name in (ROW, LABEL) or lines[name].shape != index.shape:
            allowed = f"columns of {len(index)} labels, none of them {ROW!r} or {LABEL!r}"
            raise invalid("answers", allowed, answers)
    lines |= {LABEL: np.full(len(index), None, dtype=object)}
    sheet = as_frame({ROW: index, **lines}, index=ROW).reset_index()
    if path is None:
        return sheet
    is_name = isinstance(path, str | PathLike)
    if not is_name or Path(path).suffix.lower() not in ENDINGS:
        endings = ", ".join(ENDINGS)
        raise invalid("path", f"None or the name of a file that ends in {endings}", path)
    file, advice = Path(path), "are not overwritten; choose another path"
    check = partial(refuse_labels_of_people, file, sheet.columns, advice)
    write_files({file: as_worksheet(file, sheet)}, check)
    return sheet


def check_rows(
    name: str, rows: ArrayLike, n_rows: int | None = None
) -> NDArray[np.int64]:
    """Different indices of rows, which are this many if the number is known."""
    array = as_array(name, rows)
    are_integers = array.ndim == 1 and (array.dtype.kind in "iu" or not array.size)
    are_right = are_integers and n_rows in (None, len(array)) and np.all(array >= 0)
    if not are_right or np.any(np.diff(np.sort(array)) == 0):
        how_many = "" if n_rows is None else f"None or {n_rows} "
        raise invalid(name, f"{how_many}different indices of rows", rows)
    return array.astype(np.int64)


def refuse_labels_of_people(
    path: Path, columns: Iterable[str], advice: str, of_no_sheet: str | None = None
) -> None:
    """Refuse to overwrite a table with entries in columns that people fill in.

    These are the labels, and all columns but the user's, except for rows of a finished
    table, whose label the package has filled in. What is no worksheet may hold labels
    anywhere, unless it has columns of tables of bounds alone; ``of_no_sheet`` is the
    advice then.
    """
    if not path.exists() or not path.stat().st_size:
        return
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            table, _ = read_file(path, {ROW})
    except ValueError:
        table = None
    names, filled_in = {str(name) for name in columns}, {SOURCE, AUTOMATIC}
    if table is not None and BOUNDS_OF & {*table.columns} and {*table.columns} <= BOUNDS:
        return
    is_finished = table is not None and filled_in <= {*table.columns}
    is_known = is_finished or not is_for_records(path)  # tools may label in any column
    if table is None or ROW not in table or not is_known:
        raise ValueError(f"{path} may hold human labels, which {of_no_sheet or advice}.")
    if is_finished and SOURCE not in names:
        table = table[~table[SOURCE].isin(["automatic", "person"])]
        names |= filled_in
    names |= {ROW, *map(escaped, names)}
    for name in table.columns.difference([*(names - {LABEL})]):
        if n_rows := int(table[name].notna().sum()):
            where = f"{n_rows} rows of column {name!r}"
            raise ValueError(f"{path} has human labels in {where}, which {advice}.")


def _columns(data, n_rows, rows):
    if not is_table(data):
        raise invalid("data", "None or a data frame", data)
    n_errors = num_samples(data)
    if n_errors != n_rows and (n_rows is not None or n_errors <= rows.max(initial=-1)):
        rows_of = "rows" if n_rows is None else f"{n_rows} rows"
        raise ValueError(f"data must have all {rows_of} of the data set, got {n_errors}.")
    return columns_of(data, "data")


def is_table(data: Any) -> bool:
    """Whether this is a data frame with columns, and no Series."""
    return is_frame(data) and hasattr(data, "columns")


def columns_of(data: Any, name: str) -> dict[str, Any]:
    """Columns of a data frame by name; errors call the frame ``name``."""
    columns = [(str(key), column) for key, column in frame_columns(data)]
    try:
        refuse_repeated_columns(key for key, _ in columns)
    except ValueError as error:
        raise ValueError(f"{name} must have each column once, but {error}.") from None
    return dict(columns)


def read_worksheet(
    source: Any,
    rows: ArrayLike,
    column: str = LABEL,
    *,
    row_column: str = ROW,
    dtype: Any = None,
    partial: bool = False,
    classes: Mapping[str, Any] | None = None,
) -> NDArray[Any]:
    """Read the labels in a table that people filled in.

    Parameters
    ----------
    source : data frame, str or path
        The table of :func:`worksheet`, in any order of its lines. It is a data frame of
        pandas, Polars or Arrow, or the path of a CSV file, which requires pandas. The
        file may have commas, semicolons or tabs, in UTF-8, UTF-16 or, with a warning,
        Windows-1252. Of an Excel workbook (".xlsx"), which requires openpyxl, the first
        sheet is read. Annotation tools write records as JSON (".json", or ".jsonl" with
        one record in each line).
    rows : array-like of shape (n_labels,) of int
        Indices of the rows in the data set, in the order that the labels are to have.
    column : str, default="label"
        Column that holds the labels. In JSON, it is a path of keys, positions in lists,
        and "key=value" for the item of a list that has this value, such as
        "annotations.0.result.from_name=topic.value.choices.0". It must lead to at most
        one value in each record.
    row_column : str, default="row"
        Column that holds the index of each row, such as "data.row" in JSON.
    dtype : dtype, default=None
        Type of the labels in a CSV or Excel file, such as ``str`` if "007" is a label.
    partial : bool, default=False
        Whether rows may be missing or have no label yet.
    classes : mapping of label to label, default=None
        The ``classes`` of the audit, if they have names there.

    Returns
    -------
    labels : ndarray of shape (n_labels,)
        In the order of ``rows``. If they are ``partial``, -1 marks a row without a label,
        or None if labels are not integers.

    Raises
    ------
    ValueError
        If the table cannot be read, has a row twice or rows that were not to be labeled,
        or a label is missing that must not be.

    See Also
    --------
    worksheet : Makes the table.

    Examples
    --------
    >>> from sklearn_pacmdl.worksheets import read_worksheet, worksheet
    >>> sheet = worksheet([3, 0])
    >>> read_worksheet(sheet.assign(label=["spam", None]), [0, 3], partial=True)
    array([None, 'spam'], dtype=object)
    """
    for name, value in {"column": column, "row_column": row_column}.items():
        if not isinstance(value, str):
            raise invalid(name, "the name of a column", value)
    try:
        np.dtype(dtype)
    except (TypeError, ValueError):
        raise invalid("dtype", "None or a dtype", dtype) from None
    check_flag("partial", partial)
    index = check_rows("rows", rows)
    is_empty = isinstance(classes, Mapping) and not classes
    names = check_class_names(None if is_empty else classes)
    table = columns_of(_read(source, row_column, column, dtype), "source")
    lines = row_numbers(
        _column(table, row_column, "; row_column names another"), f"Column {row_column!r}"
    )
    at, in_order = _places(lines, index), np.sort(lines)
    for what, wrong in {
        "twice": in_order[1:][in_order[1:] == in_order[:-1]],
        "that were not to be labeled": lines[at < 0],
    }.items():
        if len(wrong):
            raise ValueError(f"source must not have rows {what}, got {listed(wrong)}.")
    name = f"Column {column!r}"
    labels = renamed(_column(table, column), names, column)
    refuse_json(name, labels.tolist(), _PATH)
    labeled, values = split_answers(labels, lines, name)
    if not partial:
        refuse_gaps(name, np.setdiff1d(index, lines[labeled]), labels)
    return placed(values, at[labeled], len(index))


def _places(rows: NDArray[np.int64], index: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where the rows are in an index of different ones, and -1 where they are not."""
    order = np.argsort(index)
    at = np.append(order, -1)[np.searchsorted(index, rows, sorter=order)]
    at[np.append(index, -1)[at] != rows] = -1
    return at


# Instead of a column of a CSV file in which a tool writes JSON.
_PATH = (
    "Export a JSON file from the tool, and name the path of the label as the column, "
    "such as 'annotations.0.result.0.value.choices.0'."
)


def refuse_json(name: str, labels: Iterable[Any], advice: str) -> None:
    """Refuse texts in which tools write lists, regions and answers."""
    texts = {v for v in labels if isinstance(v, str) and v[:1] in ("{", "[")}
    for text in texts:
        try:
            json.loads(text)
        except ValueError:
            continue
        got = f"got JSON: {shown(text)}"
        raise ValueError(f"{name} must hold labels, {got}. {advice}{SEVERAL_LABELS}")


def placed(values: NDArray[Any], at: Any, n_rows: int) -> NDArray[Any]:
    """Labels at these positions; elsewhere -1, or None if they are not integers."""
    codes = np.full(n_rows, -1, dtype=np.int32)  # rows may be many
    codes[at] = np.arange(len(values))
    return decode(codes, values)


def _read(source, row_column, column, dtype):
    if is_table(source):
        return source
    allowed = "a data frame or the path of a CSV, Excel or JSON file"
    if is_frame(source) or not isinstance(source, str | PathLike):
        raise invalid("source", allowed, source)
    names = {row_column, column}
    try:
        if is_for_records(source):
            return import_pandas().DataFrame(read_records(source, names))
        if Path(source).suffix.lower() == ".xlsx":
            table = read_excel(source, names).infer_objects()
            if dtype is not None and column in table:
                labels = table[column].dropna().astype(dtype).astype(object)
                table[column] = labels.reindex(table.index)
        else:
            table, _ = read_csv(source, names, dtype=dtype and {column: dtype})
    except (OSError, ValueError) as error:  # ValueError: an encoding, or no table
        why = getattr(error, "strerror", None) or str(error).strip()
        raise invalid("source", f"{allowed} that can be read ({why})", source) from None
    # Spreadsheets add empty lines.
    return plain_texts(table.dropna(how="all"))


def row_numbers(column: Any, name: str) -> NDArray[np.int64]:
    """Numbers of rows, which spreadsheets may also write as 208.0, 1,208 or as text."""
    cells = np.asarray(column)
    if cells.dtype.kind in "iu":
        return cells
    texts = [*map(str, cells.tolist())]
    if all(map(str.isdecimal, texts)) and max(map(len, texts), default=0) <= 15:
        return np.array([*map(int, texts)], dtype=np.int64)
    plain, thousands = (_numbers(texts, form) for form in (_ROW_NUMBER, _WITH_THOUSANDS))
    if plain is None and thousands is None:
        wrong = [cell for cell in cells if not _ROW_NUMBER.fullmatch(str(cell))]
        raise invalid(name, "the numbers of the rows, as they were", wrong)
    if plain and thousands and plain != thousands:
        which = next(i for i, one in enumerate(plain) if one != thousands[i])
        either = f"which may be {plain[which]} or {thousands[which]}"
        allowed = "the numbers of the rows without separators of thousands"
        raise ValueError(f"{name} must be {allowed}, got {texts[which]!r}, {either}.")
    if plain is None:
        warn(f"{name} is read with separators of thousands.")
    return np.array(plain or thousands, dtype=np.int64)


def _numbers(texts: list[str], form: re.Pattern[str]) -> list[int] | None:
    """Whole numbers of this form, or None if there are others."""
    found = [form.fullmatch(text) for text in texts]
    if not all(found):
        return None
    return [int(re.sub("[.,]", "", each[1])) for each in found if each]


def _column(columns, name, advice=""):
    if name not in columns:
        found = f"got {[*columns]}{advice}"
        raise ValueError(f"source must have a column {name!r}, {found}.")
    return columns[name]


def check_answers(
    answers: Any, rows: NDArray[np.int64], name: str, **order: Any
) -> NDArray[Any]:
    """Human labels, one for each of the rows; a missing one is an error."""
    labeled, values = split_answers(answers, rows, name, **order)
    refuse_gaps(name, rows[~labeled], answers)
    return values


def split_answers(
    answers: Any,
    rows: NDArray[np.int64],
    name: str,
    *,
    listed_in: str = "",
    index: Any = None,
) -> tuple[NDArray[np.bool_], NDArray[Any]]:
    """Which of the rows people have labeled, and these labels.

    An error calls the rows as they are ``listed_in``, and by the ``index`` of all rows.
    """
    if listed_in:
        check_order_of_rows(name, answers, rows, listed_in, index)
    labels = as_labels(answers, name)
    if labels.shape != rows.shape:
        raise ValueError(
            f"{name} must be {len(rows)} labels, one for each row in the given order, "
            f"got shape {labels.shape}: {shown(answers)}."
        )
    labeled, values = split_unlabeled(labels, None, name)
    # Unsigned integers have no -1 to mark a gap.
    return labeled, values.astype(np.int64) if values.dtype.kind in "iu" else values


# Why human labels must not be missing in an audit.
NO_CHOICE = (
    "Without rows that are hard to label, the others are not a random choice. Rows that "
    "people cannot decide need a class of their own, such as 'undecidable', and count as "
    "wrong."
)


def refuse_gaps(
    name: str, rows: NDArray[np.int64], labels: Any, advice: str = NO_CHOICE
) -> None:
    """Refuse human labels that are missing for these rows."""
    if len(rows):
        where = f"{len(rows)} row{'s' * (len(rows) > 1)}"
        raise ValueError(
            f"{name} must have a label for every row, got {shown(labels)}. Labels of "
            f"{where} are missing: {listed(rows)}. {advice} -1 and missing values mark a "
            "missing label, unless -1 is named as a class when an audit is drawn, as in "
            "draw_audit(..., classes={-1: 'no', 1: 'yes'})."
        )


def listed(rows: NDArray[np.int64]) -> str:
    """The first row numbers for an error."""
    return f"[{first_of(map(str, np.sort(rows).tolist()))}]"
