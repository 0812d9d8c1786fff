"""Files that commands write: whole, all or none, and never over human labels."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Collection, Iterable, Mapping
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from ..utils._writing import Write, write_files
from ..worksheets import as_csv, refuse_labels_of_people
from ._inputs import require_pyarrow

if TYPE_CHECKING:
    import pandas as pd


# Stands for the ending of the table of all rows: that of --output, or .csv.
TABLE = ""


def output_paths(args: Namespace, *suffixes: str) -> list[Path]:
    name, is_parquet = args.output, args.output.endswith(".parquet")
    if is_parquet and TABLE not in suffixes:
        what = "--output must not end with .parquet where no table of all rows is written"
        raise ValueError(f"{what}, got {name!r}.")
    if is_parquet:
        require_pyarrow()
    for ending in (".json", ".csv", ".parquet"):
        name = name.removesuffix(ending)
    table = ".parquet" if is_parquet else ".csv"
    return [Path(f"{name}{suffix or table}") for suffix in suffixes]


def as_table(path: Path, table: pd.DataFrame) -> Write:
    """A table for programs, in the format by which the name of its file ends."""
    if path.suffix == ".csv":
        return as_csv(table)
    return lambda file: file.buffer.write(table.to_parquet(index=False))


def check_free(
    args: Namespace, paths: Iterable[Path], columns: Collection[str] = ()
) -> None:
    """Refuse paths that are read, exist without --force, or hold human labels."""
    options = vars(args)
    several = (
        options.get(name, []) for name in ("answers", "settled", "rest", "exclude")
    )
    single = (options.get(name) for name in ("data", "audit"))
    inputs = chain(single, *several)
    read = {Path(name).resolve() for name in inputs if name}
    for path in paths:
        if path.resolve() in read:
            raise ValueError(f"{path} is to be read; choose another --output.")
        if path.exists() and not args.force:
            raise ValueError(f"{path} exists; choose another --output, or add --force.")
        if path.suffix == ".csv":
            other = f"{args.to_go_on}, or choose another --output"
            refuse_labels_of_people(path, columns, f"--force does not overwrite; {other}")


def write_outputs(
    args: Namespace, files: Mapping[Path, Write], columns: Collection[str] = ()
) -> None:
    """Write files of which the last is about the others, if nothing is in their place."""
    # Again, since another program may have written them while this one computed.
    write_files(files, lambda: check_free(args, files, columns))


def as_text(text: str) -> Write:
    return lambda file: file.write(f"{text}\n")
