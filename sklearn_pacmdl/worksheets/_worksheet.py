"""Tables of rows for people to label, as files that spreadsheets of any country write."""

from __future__ import annotations

import codecs
import csv
import re
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from functools import partial
from io import StringIO
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..columns import (
    as_labels,
    check_class_names,
    decode,
    renamed,
    split_unlabeled,
)
from ..estimators import is_frame, num_samples
from ..utils._checks import as_array, check_count, check_flag, invalid, shown, warn
from ..utils._row_order import check_order_of_rows
from ..utils._table_columns import AUTOMATIC, LABEL, ROW, SOURCE
from ..utils._words import as_frame
from ..utils._writing import Write, write_files
from ._records import as_records, is_for_records, read_records

if TYPE_CHECKING:
    import pandas as pd

# German and French spreadsheets, for instance, write semicolons for commas.
_SEPARATORS = ",;\t"
# Cells are texts as they stand, and missing if they are empty.
TEXTS = {"dtype": str, "keep_default_na": False, "na_values": [""]}
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_NUMBER = r"[+-]?(\d+([.,]\d*)?|[.,]\d+)(e[+-]?\d+)?\s*$"
# Spreadsheets compute cells that begin like this, unless an apostrophe is before it. If
# there is one already, one more is needed: taking off one then gives back the text.
_FORMULA = re.compile(rf"(?!{_NUMBER})'*[=+\-@\t\r]", flags=re.I)
_ESCAPED = re.compile(r"'+[=+\-@\t\r]")


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
        Where to write the table as a CSV file for spreadsheets. Texts that these would
        treat as formulas get an apostrophe in front, which :func:`read_worksheet`
        removes. For annotation tools, a name that ends in ".json" makes a list of records
        without labels, and ".jsonl" one record in each line. By default the table is only
        returned.
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
        or a column is called "row" or "label" or like another one. If there is a file at
        ``path`` in which people have filled in labels.

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
            raise ValueError(f"{what}, got {[*columns]}.")
    arrays = {name: np.asarray(column) for name, column in columns.items()}
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
    if not isinstance(path, str | PathLike):
        raise invalid("path", "None or the name of a file", path)
    file, advice = Path(path), "are not overwritten; choose another path"
    check = partial(refuse_labels_of_people, file, sheet.columns, advice)
    if is_for_records(file):  # tools add labels under names of their own
        write = as_records(sheet.drop(columns=LABEL), file)
    else:
        write = as_worksheet(sheet)
    write_files({file: write}, check)
    return sheet


def check_rows(
    name: str, rows: ArrayLike, n_rows: int | None = None
) -> NDArray[np.int64]:
    """Different indices of rows, which are this many if the number is known."""
    array = as_array(name, rows)
    are_integers = array.ndim == 1 and (array.dtype.kind in "iu" or not array.size)
    are_right = are_integers and n_rows in (None, len(array)) and np.all(array >= 0)
    if not are_right or len(np.unique(array)) < len(array):
        how_many = "" if n_rows is None else f"None or {n_rows} "
        raise invalid(name, f"{how_many}different indices of rows", rows)
    return array.astype(np.int64)


def refuse_labels_of_people(path: Path, columns: Iterable[str], advice: str) -> None:
    """Refuse to overwrite a table with entries in columns that people fill in.

    These are the labels, and all columns but the user's, except for rows of a finished
    table, whose label the package has filled in. What is no worksheet may hold labels
    anywhere.
    """
    if not path.exists() or not path.stat().st_size:
        return
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            table = read_csv(path, {ROW}, **TEXTS)
    except ValueError:
        table = None
    if table is None or ROW not in table:
        raise ValueError(f"{path} may hold human labels, which {advice}.")
    names = {str(name) for name in columns}
    filled_in = {SOURCE, AUTOMATIC}
    if filled_in <= {*table.columns} and SOURCE not in names:
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
    # A Table of Arrow has names of columns; its columns are the values.
    names = data.column_names if hasattr(data, "column_names") else data.columns
    try:
        refuse_repeated_columns(map(str, names))
    except ValueError as error:
        raise ValueError(f"{name} must have each column once, but {error}.") from None
    return {str(name): data[name] for name in names}


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
        Windows-1252. Annotation tools write records as JSON (".json", or ".jsonl" with
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
        Type of the labels in a CSV file, such as ``str`` if "007" is a label.
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
    lines = _row_numbers(
        _column(table, row_column, "; row_column names another"), row_column
    )
    repeated = lines[np.setdiff1d(np.arange(len(lines)), np.unique(lines, True)[1])]
    for what, wrong in {
        "twice": repeated,
        "that were not to be labeled": np.setdiff1d(lines, index),
    }.items():
        if len(wrong):
            raise ValueError(f"source must not have rows {what}, got {listed(wrong)}.")
    name = f"Column {column!r}"
    labels = renamed(_column(table, column), names, column)
    labeled, values = split_unlabeled(labels, None, name)
    there = lines[labeled]
    if not partial:
        refuse_gaps(name, np.setdiff1d(index, there), labels)
    position = dict(zip(index.tolist(), range(len(index)), strict=True))
    at = [position[row] for row in there.tolist()]
    return placed(as_answers(values), at, len(index))


def placed(values: NDArray[Any], at: Any, n_rows: int) -> NDArray[Any]:
    """Labels at these positions; elsewhere -1, or None if they are not integers."""
    codes = np.full(n_rows, -1)
    codes[at] = np.arange(len(values))
    return decode(codes, values)


def _read(source, row_column, column, dtype):
    if is_table(source):
        return source
    allowed = "a data frame or the path of a CSV or JSON file"
    if is_frame(source) or not isinstance(source, str | PathLike):
        raise invalid("source", allowed, source)
    names = {row_column, column}
    try:
        if is_for_records(source):
            return import_pandas().DataFrame(read_records(source, names))
        table = read_csv(source, names, dtype=dtype and {column: dtype})
    except (OSError, ValueError) as error:  # ValueError: an encoding, or no table
        why = getattr(error, "strerror", None) or str(error).strip()
        raise invalid("source", f"{allowed} that can be read ({why})", source) from None
    # Spreadsheets add empty lines.
    return plain_texts(table.dropna(how="all"))


def _row_numbers(column: Any, name: str) -> NDArray[np.int64]:
    rows = np.asarray(column)
    # Integers beside empty lines are read as floats.
    if rows.dtype.kind == "f" and np.all((rows == np.floor(rows)) & (rows < 2**53)):
        rows = rows.astype(np.int64)
    if rows.dtype.kind not in "iu":
        raise invalid(f"Column {name!r}", "integers without gaps", rows)
    return rows


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
    return labeled, as_answers(values)


def as_answers(values: NDArray[Any]) -> NDArray[Any]:
    # Unsigned integers have no -1 to mark a gap.
    return values.astype(np.int64) if values.dtype.kind in "iu" else values


# Why human labels must not be missing in an audit.
NO_CHOICE = "Without rows that are hard to label, the others are not a random choice."


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
    """Row numbers for an error."""
    return shown(np.sort(rows).tolist())


def import_pandas() -> Any:
    try:
        import pandas
    except ImportError:
        raise ImportError(
            "Reading files requires pandas; pip install 'sklearn-pacmdl[plot]' installs "
            "it."
        ) from None
    return pandas


def read_csv(
    path: str | PathLike[str], names: Collection[str] = (), **options: Any
) -> pd.DataFrame:
    """Read a CSV file of any separator and encoding that spreadsheets write.

    The separator is one that finds the columns with these names; if there are several,
    the comma or one with which all lines have as many cells.
    """
    pandas, text = import_pandas(), _text(path)
    separator, header = _header(text, names)
    refuse_repeated_columns(header)
    # In a file of one column blank lines are cells without a value, except at the end.
    if is_single := len(header) == 1:
        text = text.rstrip("\r\n")
    options |= {"sep": separator, "skip_blank_lines": not is_single}
    table = pandas.read_csv(StringIO(text), **options)
    if not isinstance(table.index, pandas.RangeIndex):
        raise ValueError("it has more cells than names of columns")
    return table


def _text(path: str | PathLike[str]) -> str:
    raw = Path(path).read_bytes()
    if raw.startswith(_UTF_16):
        return raw.decode("utf-16")
    if b"\0" in raw[:1000]:
        raise ValueError("it holds no text: save spreadsheets as CSV, in UTF-8")
    with suppress(UnicodeDecodeError):
        return raw.decode("utf-8-sig")  # spreadsheets put a mark of three bytes first
    try:
        text = raw.decode("cp1252")
    except UnicodeDecodeError:
        raise ValueError("it is neither in UTF-8 nor in Windows-1252") from None
    warn(
        f"{path} is not in UTF-8, so it is read as Windows-1252: check letters with "
        "accents.",
    )
    return text


def _header(text: str, names: Collection[str]) -> tuple[str, list[str]]:
    """The separator, and what it makes of the first line."""
    headers = {}
    for separator in _SEPARATORS:
        try:
            lines = csv.reader(StringIO(text, newline=""), delimiter=separator)
            headers[separator] = next((line for line in lines if line), [])
        except csv.Error as error:
            raise ValueError(f"its first line is no header: {error}") from None
    fitting = [s for s, header in headers.items() if names and {*names} <= {*header}]
    several = fitting or [s for s, header in headers.items() if len(header) > 1] or [","]
    even = (s for s in several if _is_even(text, s))
    separator = several[0] if len(several) == 1 else next(even, several[0])
    return separator, headers[separator]


def _is_even(text: str, separator: str) -> bool:
    """Whether all lines have as many cells as the header, but for empty ones."""
    lines = csv.reader(StringIO(text, newline=""), delimiter=separator)
    try:
        return len({len(line) for line in lines if line}) == 1
    except csv.Error:  # a cell that is too long, for instance
        return False


def refuse_repeated_columns(names: Iterable[str]) -> None:
    """Refuse two columns of the same name, of which one would be passed over."""
    repeated = [name for name, count in Counter(names).items() if name and count > 1]
    if repeated:
        raise ValueError(f"it has several columns {', '.join(map(repr, repeated))}")


def as_csv(table: pd.DataFrame) -> Write:
    cells = (table[name] for name in _columns_of_text(table))
    values = chain(table.columns, *cells)
    returns = any(isinstance(value, str) and "\r" in value for value in values)
    # Readers take a carriage return for the end of a line unless it is quoted.
    quoting = csv.QUOTE_NONNUMERIC if returns else csv.QUOTE_MINIMAL
    return lambda file: table.to_csv(file, index=False, quoting=quoting)


def _columns_of_text(table: pd.DataFrame) -> list[Any]:
    """Names of the columns that may hold texts."""
    return [name for name in table.columns if table[name].dtype.kind not in "biufcmM"]


def as_worksheet(table: pd.DataFrame) -> Write:
    """Write a table in which no spreadsheet takes a text for a formula."""
    return as_csv(_with_texts(table, escaped))


def escaped(text: str) -> str:
    """The text, with an apostrophe in front if a spreadsheet would compute it."""
    return f"'{text}" if _FORMULA.match(text) else text


def plain_texts(table: pd.DataFrame) -> pd.DataFrame:
    """The table as it was before :func:`as_worksheet`."""
    return _with_texts(table, lambda text: text[1:] if _ESCAPED.match(text) else text)


def _with_texts(table: pd.DataFrame, change: Callable[[str], str]) -> pd.DataFrame:
    pd = import_pandas()

    def changed(value):
        return change(value) if isinstance(value, str) else value

    # Series.map would make floats of integers beside gaps.
    columns = {
        name: pd.Series([changed(v) for v in table[name]], table.index, dtype=object)
        for name in _columns_of_text(table)
    }
    return table.assign(**columns).rename(columns=changed)
