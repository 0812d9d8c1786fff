"""Files that commands of the shell read and write.

All labels are compared as text, whatever the type of their columns: human labels come
from CSV files, which have no types.
"""

from __future__ import annotations

import shlex
import sys
import warnings
from argparse import Namespace
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..certificates import read_text
from ..utils._checks import shown
from ..utils._labels import as_labels, is_text_of_gap, split_unlabeled
from ..utils._writing import Write, write_files
from ._audit import Audit
from ._spreadsheets import TEXTS, import_pandas, read_csv
from ._worksheet import LABEL, ROW, refuse_labels_of_people

if TYPE_CHECKING:
    import pandas as pd


PROGRAM = "python -m sklearn_pacmdl"


def tell(what: str, message: object) -> None:
    print(f"{what}: {' '.join(str(message).split())}", file=sys.stderr)


def read_audit(path: str) -> Audit:
    try:
        return Audit.from_json(read_text(path))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def compare_spelling(labels: NDArray[Any], answers: NDArray[Any]) -> None:
    """Tell of human labels that are no automatic labels: they may be misspelled."""
    known = set(labels.tolist()) - {None}
    unknown = Counter(label for label in answers.tolist() if label not in known)
    listed = ", ".join(
        f"{label!r} ({n} row{'s' * (n > 1)})" for label, n in unknown.most_common(10)
    )
    if known and len(unknown) == len(set(answers.tolist())):
        raise ValueError(
            "Human labels must be written like automatic ones, such as "
            f"{shown(sorted(known)[:10])}, got {listed}."
        )
    if unknown:
        tell("note", f"human labels that no row has automatically are errors: {listed}")


def texts_of(
    args: Namespace, table: pd.DataFrame, path: str, column: str
) -> NDArray[Any]:
    """The labels in a column as text, and None where there is none."""
    name = f"Column {column!r} of {path}"
    found = as_labels(column_of(table, path, column), name)
    if found.dtype.kind in "UO":
        found = found.astype(object)
        found[[isinstance(v, str) and v in args.missing for v in found]] = None
        doubtful = sorted({v for v in found if isinstance(v, str) and is_text_of_gap(v)})
        if doubtful:
            text = doubtful[0]
            raise ValueError(
                f"{name} holds {text!r}: add {shlex.quote(f'--missing={text}')} if this "
                "marks a row without a label, and write it in another way if not."
            )
    labeled, values = split_unlabeled(found, None, name)
    texts = np.full(len(found), None, dtype=object)
    texts[labeled] = [str(value) for value in values.tolist()]
    return texts


def confidence_of(args: Namespace, data: pd.DataFrame) -> NDArray[np.float64]:
    column = column_of(data, args.data, args.confidence)
    try:
        # From text by Python, which gives the nearest float; readers of CSV may not.
        return column.astype(object).to_numpy().astype(np.float64)
    except (ValueError, TypeError) as error:
        raise ValueError(
            f"Column {args.confidence!r} of {args.data} must hold numbers, with a "
            f"decimal point: {error}."
        ) from None


def columns_for_people(
    args: Namespace, data: pd.DataFrame
) -> tuple[pd.DataFrame, list[str]]:
    """What people see, and columns that are hidden, since they may sway them."""
    shown = shown_columns(args, data, {ROW, LABEL})
    if args.columns is not None:
        return shown, []
    hidden = [
        name
        for name in shown
        if _holds_fractions(shown[name]) or (not args.labels and _repeats(shown[name]))
    ]
    return shown.drop(columns=hidden), hidden


def tell_of_hidden(columns: list[str]) -> None:
    if columns:
        tell(
            "note",
            "people do not see columns that may be labels or confidences: "
            f"{', '.join(map(repr, columns))}. Add --columns to choose what they see.",
        )


def _holds_fractions(column: Any) -> bool:
    if column.dtype.kind not in "fOUT":  # dates, for instance, become numbers too
        return False
    try:
        numbers = import_pandas().to_numeric(column.dropna())
    except (ValueError, TypeError):
        return False
    return bool((numbers % 1 != 0).any())


def _repeats(column: Any) -> bool:
    """Whether most rows share their value with others, as they share labels."""
    try:
        return bool(column.nunique() <= len(column) / 2)
    except TypeError:  # lists, for instance, are no labels
        return False


def shown_columns(args: Namespace, data: pd.DataFrame, taken: set[str]) -> pd.DataFrame:
    """The columns of the user that tables have: all but labels and confidence."""
    hidden = {args.labels, args.confidence}
    every = [name for name in data.columns if name not in hidden]
    names = every if args.columns is None else args.columns.split(",")
    for name in names:
        column_of(data, args.data, name)
    clashing = sorted(taken.intersection(names))
    if clashing:
        raise ValueError(
            f"Columns {clashing} of {args.data} have names that the files to write need: "
            "rename them in the data, or list by --columns which others people see."
        )
    return data[names]


def column_of(table: pd.DataFrame, path: str, name: str) -> Any:
    if name not in table.columns:
        raise ValueError(
            f"{path} must have a column {name!r}, got {list(table.columns)}."
        )
    return table[name]


def read_data(args: Namespace) -> pd.DataFrame:
    """The table of all rows."""
    options = (getattr(args, name, None) for name in ("labels", "confidence", "seen"))
    columns = getattr(args, "columns", None)
    names = [*options, *(columns.split(",") if columns else [])]
    return read_table(args.data, [name for name in names if name])


def read_table(path: str, names: Collection[str] = ()) -> pd.DataFrame:
    """A table; cells of a CSV file are texts as they stand, and missing if empty."""
    suffix = Path(path).suffix.lower()
    if suffix == ".parquet":
        return import_pandas().read_parquet(path)
    if suffix not in (".csv", ".tsv"):
        raise ValueError(f"{path} must be a file .csv, .tsv or .parquet.")
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            table = read_csv(path, names, **TEXTS)
    except ValueError as error:
        raise ValueError(f"{path} must be a table that can be read: {error}") from None
    for warning in caught:
        tell("note", warning.message)
    return table


def output_paths(args: Namespace, *suffixes: str) -> list[Path]:
    name = args.output.removesuffix(".json").removesuffix(".csv")
    return [Path(f"{name}{suffix}") for suffix in suffixes]


def check_free(args: Namespace, paths: Iterable[Path], own: Collection[str] = ()) -> None:
    """Refuse paths that are read, exist without --force, or hold human labels."""
    names = ("answers", "settled", "rest", "exclude")
    inputs = chain(*(getattr(args, name, []) for name in names))
    one_each = (getattr(args, name, None) for name in ("data", "audit"))
    read = {Path(name).resolve() for name in (*inputs, *one_each) if name}
    for path in paths:
        if path.resolve() in read:
            raise ValueError(f"{path} is to be read; choose another --output.")
        if path.exists() and not args.force:
            raise ValueError(f"{path} exists; choose another --output, or add --force.")
        if path.exists() and path.suffix == ".csv":
            advice = (
                f"--force does not overwrite; {args.to_go_on}, or choose another --output"
            )
            refuse_labels_of_people(path, own, advice)


def write_outputs(
    args: Namespace, files: Mapping[Path, Write], own: Collection[str] = ()
) -> None:
    """Write files of which the last is about the others, if nothing is in their place."""
    # Again, since another program may have written them while this one computed.
    write_files(files, lambda: check_free(args, files, own))


def as_text(text: str) -> Write:
    return lambda file: file.write(f"{text}\n")
