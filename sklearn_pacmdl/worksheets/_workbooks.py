"""The first sheet of an Excel workbook: cells keep their types."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from os import PathLike
from typing import Any, BinaryIO
from zipfile import BadZipFile, ZipFile

from ..utils._checks import first_of, required, warn

# Rows times columns, which take 400 MB before any cell has a value. A file of 5 kB with
# one cell in the last corner of a sheet has 17 billion.
_MOST_CELLS = 50_000_000
AS_CSV = "save the table as CSV in the spreadsheet (in Excel, CSV UTF-8)"


def import_openpyxl() -> Any:
    what = "Excel files require openpyxl"
    return required("openpyxl", what, "excel", f" Or {AS_CSV}.")


def read_sheet(
    path: str | PathLike[str], needed: Collection[str]
) -> tuple[list[str], list[list[Any]]]:
    """Names of the columns, and the cells of each row, None where there is no value.

    In columns that are ``needed``, no formula may lack the value that spreadsheets store.
    If none is, such formulas of all columns are named in a warning.
    """
    import_openpyxl()
    try:
        with open(path, "rb") as file:  # and no address in a network
            first, *others = _sheets(file).items()
            lines = [*_lines(first[1])]
            if lines and _has_formulas(file):
                formulas = _sheets(file, data_only=False)[first[0]]
                _report_uncomputed(lines, formulas, needed, path)
    except (BadZipFile, KeyError, SyntaxError) as error:  # of XML, a SyntaxError
        raise ValueError(f"it is no Excel workbook: {error}") from None
    if others:
        n_sheets = len(others) + 1
        what = f"{path} has {n_sheets} sheets, of which the first, {first[0]!r}, is read."
        warn(what)
    header = lines[0] if lines else []
    widest = max(map(len, lines), default=0)
    if not header or not {None, ""}.isdisjoint(header) or widest > len(header):
        raise ValueError("each column must have a name in the first line")
    cells = [[None if cell == "" else cell for cell in line] for line in lines[1:]]
    return [*map(str, header)], [line + [None] * (widest - len(line)) for line in cells]


def _sheets(file: BinaryIO, *, data_only: bool = True) -> dict[str, Any]:
    """Tables by name; of formulas, values that the spreadsheet stored or the text."""
    book = import_openpyxl().load_workbook(file, read_only=True, data_only=data_only)
    return {sheet.title: sheet for sheet in book.worksheets}


def _lines(sheet: Any) -> Iterator[list[Any]]:
    """Cells of each line up to the last one with a value; no lines after the last."""
    sheet.reset_dimensions()  # which may be wrong
    n_empty, widest = 0, 0
    for number, cells in enumerate(sheet.rows, start=1):
        line = [*map(_value, cells)]
        while line and line[-1] is None:
            line.pop()
        widest = max(widest, len(line))
        if number * widest > _MOST_CELLS:
            where = f"line {number:,} has a cell in column {len(line):,}"
            raise ValueError(
                f"{where}: delete such far cells, or pass a file .csv or .parquet"
            )
        if not line:
            n_empty += 1
            continue
        yield from ([] for _ in range(n_empty))
        n_empty = 0
        yield line


def _value(cell: Any) -> Any:
    """The value of a cell, None if it has none, and "" if that of a formula is none."""
    value = cell.value
    if cell.data_type in ("e", "str"):  # an error, or a stored text without letters
        return ""
    if cell.data_type == "n" and isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def _has_formulas(file: BinaryIO) -> bool:
    with ZipFile(file) as parts:
        names = (name for name in parts.namelist() if "worksheets/" in name)
        return any(b"<f" in parts.read(name) for name in names)


def _report_uncomputed(
    lines: list[list[Any]], sheet: Any, needed: Collection[str], path: Any
) -> None:
    """Refuse formulas of which no spreadsheet has stored the value, or warn of them."""
    sheet.reset_dimensions()
    columns = [at for at, name in enumerate(lines[0]) if not needed or name in needed]
    missing = [
        cells[at].coordinate
        for line, cells in zip(lines, sheet.rows, strict=False)
        for at in columns
        if line[at : at + 1] in ([], [None]) and cells[at : at + 1]
        if cells[at].data_type == "f"
    ]
    if missing:
        what = f"the formulas in {first_of(missing, 3)} have no value yet"
        remedy = "open the file in a spreadsheet and save it"
        if needed:
            raise ValueError(f"{what}: {remedy}")
        warn(f"{path}: {what}, and are read as empty cells. To read them, {remedy}.")
