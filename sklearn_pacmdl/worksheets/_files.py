"""Tables in files: CSV as spreadsheets of any country write it, and Excel workbooks."""

from __future__ import annotations

import codecs
import csv
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from io import BytesIO
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..utils._checks import required, shown, warn
from ..utils._table_columns import LABEL
from ..utils._writing import Write
from ._records import as_records, is_for_records, read_all_records, values_at
from ._workbooks import AS_CSV, import_openpyxl, read_sheet

if TYPE_CHECKING:
    import pandas as pd

SPREADSHEETS = ".csv", ".tsv", ".xlsx"
ENDINGS = (*SPREADSHEETS, ".json", ".jsonl")  # of tables for people, and of their tools
# German and French spreadsheets, for instance, write semicolons for commas.
_SEPARATORS = ",;\t"
# Cells are texts as they stand, and missing if they are empty.
TEXTS = {"dtype": str, "keep_default_na": False, "na_values": [""]}
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_NUMBER = r"[+-]?(\d+([.,]\d*)?|[.,]\d+)(e[+-]?\d+)?\s*"
# Spreadsheets compute cells that begin like this, unless an apostrophe is before it. If
# there is one already, one more is needed: taking off one then gives back the text.
_SIGNS = r"=+\-@|\uff1d\uff0b\uff0d\uff20"
_START = rf"(?:[\t\r\n]|\s*[{_SIGNS}])"
_MAY_BE_FORMULA = re.compile(rf"[\t\r\n{_SIGNS}]")
_FORMULA = re.compile(rf"(?!\s*{_NUMBER}$)'*{_START}", flags=re.I)
_ESCAPED = re.compile(rf"'+{_START}")
# A cell also begins within a text, where spreadsheets expect another separator and
# therefore no quotation mark here: with 1,"x;=1+1" they read the cell =1+1".
_PART = r"(?:\s*[=\uff1d]|[+\-@|\uff0b\uff0d\uff20](?=\S))"
_PARTS = rf"(?<=[;,\t\r\n])(?!\s*{_NUMBER}(?:[;,\t\r\n]|$))'*{_PART}"
_FORMULA_WITHIN = re.compile(_PARTS, flags=re.I)
_ESCAPED_WITHIN = re.compile(rf"(?<=[;,\t\r\n])'('*{_PART})")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_NO_BLANK_LINE = re.compile(r"\S.*")
_N_CELLS = 2**16
# What no cell of Excel holds.
_LONGEST_CELL, _CONTROL = 32_767, re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


class CsvFormat(NamedTuple):
    """How a spreadsheet writes CSV files; and lines of the one that was read, but for
    the header and empty ones."""

    separator: str = ","
    encoding: str = "utf-8"
    n_lines: int = 0


COMMAS = CsvFormat()


def import_pandas() -> Any:
    return required("pandas", "Reading files requires pandas", "plot")


def read_file(
    path: str | PathLike[str], names: Collection[str] = ()
) -> tuple[pd.DataFrame, CsvFormat]:
    """Read a table, with the cells as they stand, and how a CSV file of it is written.

    Cells of workbooks and records have types. Those of CSV files are texts, and missing
    if they are empty.
    """
    if Path(path).suffix.lower() == ".xlsx":
        return read_excel(path, names), COMMAS
    if is_for_records(path):
        return _records_with(read_all_records(path), names), COMMAS
    return read_csv(path, names, **TEXTS)


def _records_with(records: list[Any], names: Iterable[str]) -> pd.DataFrame:
    """Records as a table, also with columns that are named by a path within them."""
    table = import_pandas().DataFrame(records, dtype=object)
    for name in names:
        if "." in name and name not in table:
            values = values_at(records, name)
            if any(value is not None for value in values):
                table[name] = values
    return table


def read_excel(path: str | PathLike[str], names: Collection[str] = ()) -> pd.DataFrame:
    """Read the first sheet of a workbook; cells keep their types."""
    pandas = import_pandas()
    header, lines = read_sheet(path, names)
    refuse_repeated_columns(header)
    return pandas.DataFrame(lines, columns=header, dtype=object)


def read_csv(
    path: str | PathLike[str], names: Collection[str] = (), **options: Any
) -> tuple[pd.DataFrame, CsvFormat]:
    """Read a CSV file of any separator and encoding that spreadsheets write.

    The separator is one that finds the columns with these names; if there are several,
    the comma or one with which all lines have as many cells.
    """
    pandas, (text, encoding) = import_pandas(), _text(path)
    separator, header = _header(text, names)
    refuse_repeated_columns(header)
    # In a file of one column blank lines are cells without a value, except at the end.
    if is_single := len(header) == 1:
        text = text.rstrip("\r\n")
    options |= {"sep": separator, "skip_blank_lines": not is_single}
    if lines := _lines_in_a_cell(text, separator, len(header)):
        mark = f"a quotation mark in line {lines[0]} begins a cell up to line {lines[1]}"
        if separator != "\t" or not _is_even(text, separator, quoting=csv.QUOTE_NONE):
            raise ValueError(
                f"{mark}, which holds whole lines. Put texts with quotation marks "
                "between such marks and double those inside, or pass .xlsx or .jsonl"
            )
        options["quoting"] = csv.QUOTE_NONE
        warn(f"{path} is read without quoted cells. Else, {mark}.")
    n_lines = sum(1 for _ in _NO_BLANK_LINE.finditer(text)) - 1
    file = BytesIO(text.encode())  # a StringIO takes four bytes for each letter
    del text
    table = pandas.read_csv(file, **options)
    if not isinstance(table.index, pandas.RangeIndex):
        raise ValueError("it has more cells than names of columns")
    return table, CsvFormat(separator, encoding, n_lines)


def _lines_in_a_cell(text: str, separator: str, n_columns: int) -> tuple[int, int] | None:
    """First and last line in a cell that begins with a quotation mark by accident.

    What is between this mark and the next one in the file has line breaks and as many
    separators as a line, and the next mark mostly ends no cell. If it happens to, all
    lines of the file have equally many cells without quoting.
    """
    if '"' not in text:
        return None
    rest = f"[^{separator}\r\n]?"
    cell = re.compile(rf'(?:\A|[{separator}\r\n])"([^"]*+(?:""[^"]*+)*+)("?)({rest})')
    least_breaks = 1 if separator == "\t" else 2  # texts hold commas, but hardly tabs
    accidents = n_columns > 1 and _is_even(text, separator, quoting=csv.QUOTE_NONE)
    for found in cell.finditer(text):
        inside = found[1] if found[2] else found[1].rstrip("\r\n")  # no mark follows
        is_quoted = found[2] and not found[3]
        n_breaks = inside.count("\n") or inside.count("\r")
        if not n_breaks or inside.count(separator) < n_columns - 1:
            continue
        if not is_quoted or (accidents and n_breaks >= least_breaks):
            first = len(re.findall("\r\n|\r|\n", text[: found.start(1)])) + 1
            return first, first + n_breaks
    return None


def _text(path: str | PathLike[str]) -> tuple[str, str]:
    """The text in a file, and its encoding."""
    raw = Path(path).read_bytes()
    if raw.startswith(_UTF_16):
        return raw.decode("utf-16"), "utf-16"
    if raw.startswith(b"PK\3\4"):
        what = "it is no CSV file but an Excel workbook: let its name end in .xlsx, or"
        raise ValueError(f"{what} {AS_CSV}")
    if b"\0" in raw[:1000]:
        raise ValueError(f"it holds no text: {AS_CSV}")
    with suppress(UnicodeDecodeError):
        mark = raw.startswith(codecs.BOM_UTF8)  # spreadsheets put it first
        return raw.decode("utf-8-sig"), "utf-8-sig" if mark else "utf-8"
    try:
        text = raw.decode("cp1252")
    except UnicodeDecodeError:
        raise ValueError("it is neither in UTF-8 nor in Windows-1252") from None
    warn(
        f"{path} is not in UTF-8, so it is read as Windows-1252: check letters with "
        "accents.",
    )
    return text, "cp1252"


def _lines(text: str) -> Iterator[str]:
    """The lines, one at a time, since a file may be large."""
    return (line[0] for line in _LINE.finditer(text))


def _header(text: str, names: Collection[str]) -> tuple[str, list[str]]:
    """The separator, and what it makes of the first line."""
    headers = {}
    for separator in _SEPARATORS:
        try:
            lines = csv.reader(_lines(text), delimiter=separator)
            headers[separator] = next((line for line in lines if line), [])
        except csv.Error as error:
            raise ValueError(f"its first line is no header: {error}") from None
    fitting = [s for s, header in headers.items() if names and {*names} <= {*header}]
    several = fitting or [s for s, header in headers.items() if len(header) > 1] or [","]
    even = (s for s in several if _is_even(text, s))
    separator = several[0] if len(several) == 1 else next(even, several[0])
    return separator, headers[separator]


def _is_even(text: str, separator: str, **options: Any) -> bool:
    """Whether all lines have as many cells as the header, but for empty ones."""
    lines = csv.reader(_lines(text), delimiter=separator, **options)
    try:
        first = next((len(line) for line in lines if line), 0)
        return all(len(line) == first for line in lines if line)
    except csv.Error:  # a cell that is too long, for instance
        return False


def refuse_repeated_columns(names: Iterable[str]) -> None:
    """Refuse two columns of the same name, of which one would be passed over."""
    repeated = [name for name, count in Counter(names).items() if name and count > 1]
    if repeated:
        raise ValueError(f"it has several columns {', '.join(map(repr, repeated))}")


def as_table(path: Path, table: pd.DataFrame, form: CsvFormat = COMMAS) -> Write:
    """Write a table in the format by which the name of its file ends."""
    if path.suffix.lower() == ".xlsx":
        return _as_excel(path, table)
    if is_for_records(path):
        return as_records(table, path)
    if path.suffix.lower() == ".parquet":
        return lambda file: file.buffer.write(table.to_parquet(index=False))
    if path.suffix.lower() == ".tsv":
        form = form._replace(separator="\t")
    returns = False
    for text in _texts(table):
        if "\0" in text:
            raise ValueError(f"{path} must hold no character NUL, got {shown(text)}.")
        # Readers take a carriage return for the end of a line unless it is quoted.
        returns = returns or "\r" in text
    quoting = csv.QUOTE_NONNUMERIC if returns else csv.QUOTE_MINIMAL
    options: dict[str, Any] = {"sep": form.separator, "quoting": quoting, "index": False}
    # Spreadsheets write semicolons where commas are in numbers.
    options["decimal"] = "," if form.separator == ";" else "."
    if form.encoding == "utf-8":
        return lambda file: table.to_csv(file, **options)

    def write(file):
        text = table.to_csv(**options)
        try:
            encoded = text.encode(form.encoding)
        except UnicodeEncodeError:  # labels in an answer, for instance
            encoded = text.encode("utf-8-sig")
        file.buffer.write(encoded)

    return write


def _as_excel(path: Path, table: pd.DataFrame) -> Write:
    import_openpyxl()
    longest = f"no text of over {_LONGEST_CELL:,}"
    for text in _texts(table):
        if len(text) > _LONGEST_CELL or _CONTROL.search(text):
            what = f"must hold no control characters and {longest}, got {shown(text)}"
            raise ValueError(f"{path} {what}: write .csv instead.")
    exact = _with_exact_numbers(table)

    def write(file):
        buffer = BytesIO()
        with import_pandas().ExcelWriter(buffer, engine="openpyxl") as writer:
            exact.to_excel(writer, sheet_name="rows", index=False)
            for cell in chain.from_iterable(writer.sheets["rows"].iter_rows()):
                if cell.data_type == "f":  # a text that begins like a formula
                    cell.data_type = "s"
        file.buffer.write(buffer.getvalue())

    return write


def _with_exact_numbers(table: pd.DataFrame) -> pd.DataFrame:
    """The table with texts for the numbers that a workbook would round."""
    changed = {}
    for name in table.columns:
        if table[name].dtype.kind in "iufO":
            values = table[name].tolist()
            exact = [_exact(value) for value in values]
            if exact != values:
                changed[name] = import_pandas().Series(exact, table.index, object)
    return table.assign(**changed)


def _exact(value: Any) -> Any:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return value
    is_kept = abs(value) < 1e15 and float(f"{float(value):.16g}") == value
    return value if is_kept or value != value else str(value)


def _texts(table: pd.DataFrame) -> Iterator[str]:
    """Names of columns, and cells, that are texts."""
    yield from (name for name in table.columns if isinstance(name, str))
    for name in _columns_of_text(table):
        yield from chain.from_iterable(_texts_by_part(table[name]))


def _texts_by_part(column: pd.Series) -> Iterator[list[str]]:
    """Texts in a column, of which few are in memory as objects at a time."""
    for start in range(0, len(column), _N_CELLS):
        cells = column[start : start + _N_CELLS].to_numpy(dtype=object)
        yield [cell for cell in cells if isinstance(cell, str)]


def _columns_of_text(table: pd.DataFrame) -> list[Any]:
    return [name for name in table.columns if table[name].dtype.kind not in "biufcmM"]


def as_worksheet(path: Path, table: pd.DataFrame, form: CsvFormat = COMMAS) -> Write:
    """Write a table for people, in which no spreadsheet takes a text for a formula."""
    if is_for_records(path):  # tools add labels under names of their own
        return as_records(table.drop(columns=LABEL), path)
    sheet = _with_texts(table, escaped)
    # Spreadsheets know UTF-8 by its mark; without one, letters with accents are garbled.
    if form.encoding == "utf-8" and not all(map(str.isascii, _texts(sheet))):
        form = form._replace(encoding="utf-8-sig")
    return as_table(path, sheet, form)


def escaped(text: str) -> str:
    """The text, with an apostrophe in front of what a spreadsheet would compute."""
    if not _MAY_BE_FORMULA.search(text):  # as of most texts, in less time
        return text
    text = _FORMULA_WITHIN.sub(r"'\g<0>", text)
    return f"'{text}" if _FORMULA.match(text) else text


def _unescaped(text: str) -> str:
    if "'" not in text:
        return text
    text = text[1:] if _ESCAPED.match(text) else text
    return _ESCAPED_WITHIN.sub(r"\1", text)


def plain_texts(table: pd.DataFrame) -> pd.DataFrame:
    """The table as it was before :func:`as_worksheet`."""
    return _with_texts(table, _unescaped)


def _with_texts(table: pd.DataFrame, change: Callable[[str], str]) -> pd.DataFrame:
    def changed(value):
        return change(value) if isinstance(value, str) else value

    # Series.map would make floats of integers beside gaps.
    columns = {
        name: import_pandas().Series([*map(changed, table[name])], table.index, object)
        for name in _columns_of_text(table)
        if any([*map(change, texts)] != texts for texts in _texts_by_part(table[name]))
    }
    return table.assign(**columns).rename(columns=changed)
