"""Files that commands write: whole, all or none, and never over human labels."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Collection, Iterable, Mapping
from os.path import basename
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from ..reports import Report, check_page
from ..utils._writing import Write, write_files
from ..worksheets import (
    ENDINGS,
    SPREADSHEETS,
    import_openpyxl,
    refuse_labels_of_people,
)
from ._tables import import_pyarrow

if TYPE_CHECKING:
    import pandas as pd


# Options with files that are read.
_READ = "data", "audit", "certificate", "answers", "settled", "rest", "exclude"
# Endings of the table of all rows, and of tables for people: that of --output, if it is
# one, or that of the data. Parquet files are no tables for people.
TABLE, SHEET = "{table}", "{sheet}"


def output_paths(args: Namespace, *parts: str) -> list[Path]:
    """The files to write, by what is added to --output."""
    output, data = args.output, getattr(args, "data", None) or args.answers[0]
    ending = next((e for e in (*ENDINGS, ".parquet") if output.lower().endswith(e)), "")
    name = output[: len(output) - len(ending)]
    if not basename(name):
        raise ValueError(f"--output must be the name of files, got {output!r}.")
    if ending == ".parquet":
        if TABLE not in parts:
            what = "must not end with .parquet where no table of all rows is written"
            raise ValueError(f"--output {what}, got {output!r}.")
        import_pyarrow()
    of_data = Path(data).suffix.lower()
    sheet = of_data if of_data in SPREADSHEETS else ".csv"
    sheet = ending if ending in (*SPREADSHEETS, ".jsonl") else sheet
    if sheet == ".xlsx":
        import_openpyxl()
    table = ending if ending == ".parquet" else sheet
    return [Path(name + part.format(table=table, sheet=sheet)) for part in parts]


def as_parquet(schema: Any, parts: Iterable[pd.DataFrame]) -> Write:
    """A table for programs, of which one part is in memory at a time."""

    def write(file: TextIO) -> None:
        pa = import_pyarrow()
        with pa.parquet.ParquetWriter(file.buffer, schema) as writer:
            for part in parts:
                writer.write_table(pa.Table.from_pandas(part, schema))

    return write


def check_free(
    args: Namespace, paths: Iterable[Path], columns: Collection[str] = ()
) -> None:
    """Refuse paths that are read, exist without --force, or hold human labels."""
    read = set()
    for option in _READ:
        files = getattr(args, option, None) or []
        read |= {
            Path(f).resolve() for f in ([files] if isinstance(files, str) else files)
        }
    named = [("--output", path) for path in paths]
    if (page := getattr(args, "report", None)) is not None:
        check_page(page, "--report")
        named.append(("--report", Path(page)))
    for option, path in named:
        folder = [path.resolve().parent] * (path.suffix == ".parquet")  # of a table
        if not read.isdisjoint([path.resolve(), *folder]):
            raise ValueError(f"{path} is to be read; choose another {option}.")
        if path.exists() and not args.force:
            raise ValueError(f"{path} exists; choose another {option}, or add --force.")
        if path.suffix in (*SPREADSHEETS, ".jsonl"):
            kept, other = "--force does not overwrite", "choose another --output"
            advice = f"{kept}; {args.to_go_on}, or {other}"
            refuse_labels_of_people(path, columns, advice, f"{kept}; {other}")


def write_outputs(
    args: Namespace,
    files: Mapping[Path, Write],
    columns: Collection[str] = (),
    page: Report | None = None,
) -> None:
    """Write files of which the last is about the others, if nothing is in their place."""
    pages = {} if page is None else {Path(args.report): as_text(page.html)}
    # Again, since another program may have written them while this one computed.
    write_files({**pages, **files}, lambda: check_free(args, files, columns))


def as_text(text: str) -> Write:
    return lambda file: file.write(f"{text}\n")
