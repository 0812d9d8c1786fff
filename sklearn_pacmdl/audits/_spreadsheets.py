"""CSV files as spreadsheets of any country write them, and texts that are no formulas."""

from __future__ import annotations

import codecs
import csv
import re
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from io import StringIO
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..utils._writing import Write

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
    warnings.warn(
        f"{path} is not in UTF-8, so it is read as Windows-1252: check letters with "
        "accents.",
        UserWarning,
        stacklevel=6,  # of the method read_labels
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
