"""Files that commands of the shell read and write.

All labels are compared as text, whatever the type of their columns: labels of people come
from CSV files, which have no types.
"""

from __future__ import annotations

import shlex
import sys
from argparse import Namespace
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..utils._checks import shown
from ..utils._labels import TEXTS_OF_GAPS, as_labels, split_unlabeled
from ._agreement import compare_annotators
from ._audit import Audit
from ._worksheet import LABEL, ROW

if TYPE_CHECKING:
    import pandas as pd

# Columns of a finished data set besides those of the data and of a worksheet.
SOURCE, AUTOMATIC = "source", "automatic_label"


def tell(what: str, message: object) -> None:
    print(f"{what}: {' '.join(str(message).split())}", file=sys.stderr)


def read_audit(path: str) -> Audit:
    try:
        return Audit.from_json(Path(path).read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def audited(
    args: Namespace, data: pd.DataFrame
) -> tuple[NDArray[Any], Audit, NDArray[Any]]:
    """The labeling, the audit, and the labels of people in drawing order."""
    labels = texts_of(args, data, args.data, args.labels)
    audit = read_audit(args.audit)
    if audit.n_rows != len(data):
        raise ValueError(
            f"{args.data} must have the {audit.n_rows} rows of {args.audit}, "
            f"got {len(data)}."
        )
    answers = labels_of_people(args, data, args.answers, audit.rows, audit.read_labels)
    return labels, audit, answers


def compare_spelling(labels: NDArray[Any], answers: NDArray[Any]) -> None:
    """Tell of labels of people that are no automatic labels: they may be misspelled."""
    known = set(labels.tolist()) - {None}
    unknown = Counter(label for label in answers.tolist() if label not in known)
    listed = ", ".join(
        f"{label!r} ({n} row{'s' * (n > 1)})" for label, n in unknown.most_common(10)
    )
    if known and len(unknown) == len(set(answers.tolist())):
        raise ValueError(
            "Labels of people must be written like automatic ones, such as "
            f"{shown(sorted(known)[:10])}, got {listed}."
        )
    if unknown:
        tell(
            "note", f"labels of people that no row has automatically are errors: {listed}"
        )


def labels_of_people(
    args: Namespace,
    data: pd.DataFrame,
    paths: Sequence[str],
    rows: NDArray[np.int64],
    read_labels: Callable[..., NDArray[Any]],
) -> NDArray[Any]:
    """Labels of the rows from one file or several, of one person or several."""
    columns = args.answer_column.split(",")
    if not len(rows):
        return np.array([], dtype=object)
    given = []
    for path in paths:
        sheet = _read_sheet(args, data, path)
        given += [_answers(args, sheet, path, name, read_labels) for name in columns]
        _compare_rows(args, data, sheet, path)
    if len(given) == 1:
        return given[0]
    agreement = compare_annotators(given)
    print(agreement)
    undecided = np.sort(rows[agreement.undecided(args.majority)]).tolist()
    if undecided:
        advice = "correct the files, or add --majority for what more than half say"
        if args.majority:
            advice = "no label has more than half of the votes"
        # All are listed, since somebody has to look each of them up.
        listed = ", ".join(map(str, undecided))
        raise ValueError(f"People disagree on rows {listed}; {advice}.")
    return agreement.labels(args.majority)


def _read_sheet(args: Namespace, data: pd.DataFrame, path: str) -> pd.DataFrame:
    """What people filled in, with the numbers of the rows as integers."""
    sheet = read_table(path).dropna(how="all")  # spreadsheets add empty lines
    rows = np.asarray(_column(sheet, path, ROW))
    try:
        sheet[ROW] = np.array([int(row) for row in rows.astype(str)], dtype=np.int64)
    except (ValueError, OverflowError):
        raise ValueError(
            f"Column {ROW!r} of {path} must be the numbers of the rows, as they were."
        ) from None
    return sheet


def _compare_rows(
    args: Namespace, data: pd.DataFrame, sheet: pd.DataFrame, path: str
) -> None:
    """Tell if rows look other than those that people saw: a file may be sorted anew."""
    filled_in = {ROW, SOURCE, AUTOMATIC, *args.answer_column.split(",")}
    for name in data.columns.intersection(sheet.columns).difference(filled_in):
        here, there = sheet[name], data[name].iloc[sheet[ROW]]
        both = here.notna().to_numpy() & there.notna().to_numpy()
        other = here.astype(str).to_numpy() != there.astype(str).to_numpy()
        differ = np.sum(both & other)
        if differ:
            tell(
                "note",
                f"column {name!r} of {path} differs from that of {args.data} in {differ} "
                f"of {len(sheet)} rows: is {args.data} still in the order that it had "
                "when the audit was drawn?",
            )


def _answers(
    args: Namespace,
    sheet: pd.DataFrame,
    path: str,
    column: str,
    read_labels: Callable[..., NDArray[Any]],
) -> NDArray[Any]:
    texts = texts_of(args, sheet, path, column)
    try:
        return read_labels(sheet[[ROW]].assign(**{LABEL: texts}))
    except ValueError as error:
        raise ValueError(f"{path}, column {column!r}: {error}") from None


def texts_of(
    args: Namespace, table: pd.DataFrame, path: str, column: str
) -> NDArray[Any]:
    """The labels in a column as text, and None where there is none."""
    name = f"Column {column!r} of {path}"
    found = as_labels(_column(table, path, column), name)
    if found.dtype.kind in "UO":
        found = found.astype(object)
        found[[isinstance(v, str) and v in args.missing for v in found]] = None
        doubtful = sorted({v for v in found if isinstance(v, str) and v in TEXTS_OF_GAPS})
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
    column = _column(data, args.data, args.confidence)
    try:
        # From text by Python, which gives the nearest float; readers of CSV may not.
        return column.astype(object).to_numpy().astype(np.float64)
    except (ValueError, TypeError):
        raise ValueError(
            f"Column {args.confidence!r} of {args.data} must hold numbers."
        ) from None


def shown_columns(args: Namespace, data: pd.DataFrame, taken: set[str]) -> pd.DataFrame:
    """The columns that people see: never, unless asked for, what might sway them."""
    hidden = {args.labels, args.confidence}
    every = [name for name in data.columns if name not in hidden]
    names = every if args.columns is None else args.columns.split(",")
    for name in names:
        _column(data, args.data, name)
    clashing = sorted(taken.intersection(names))
    if clashing:
        raise ValueError(
            f"Columns {clashing} of {args.data} have names that the files to write need: "
            "rename them in the data, or list by --columns which others people see."
        )
    return data[names]


def _column(table: pd.DataFrame, path: str, name: str) -> Any:
    if name not in table.columns:
        raise ValueError(
            f"{path} must have a column {name!r}, got {list(table.columns)}."
        )
    return table[name]


def read_table(path: str) -> pd.DataFrame:
    """A table; cells of a CSV file are texts as they stand, and missing if empty."""
    try:
        import pandas as pd
    except ImportError:
        raise ImportError(
            "Reading files requires pandas; pip install 'sklearn-pacmdl[plot]' installs "
            "it."
        ) from None
    suffix = Path(path).suffix.lower()
    if suffix == ".parquet":
        return pd.read_parquet(path)
    if suffix != ".csv":
        raise ValueError(f"{path} must be a file .csv or .parquet.")
    try:
        # Spreadsheets put a mark of three bytes first.
        table = pd.read_csv(
            path, dtype=str, keep_default_na=False, na_values=[""], encoding="utf-8-sig"
        )
    except ValueError as error:
        raise ValueError(f"{path} must be a CSV file in UTF-8: {error}") from None
    if not isinstance(table.index, pd.RangeIndex):
        raise ValueError(f"{path} must have a name for each column, but has too few.")
    return table


def free_paths(args: Namespace, *suffixes: str) -> list[Path]:
    """Paths to write to: never a file that is read, and none that exists unasked."""
    name = args.output.removesuffix(".json").removesuffix(".csv")
    paths = [Path(f"{name}{suffix}") for suffix in suffixes]
    lists = [getattr(args, name, []) for name in ("answers", "rest", "exclude")]
    inputs = [args.data, getattr(args, "audit", args.data), *chain(*lists)]
    read = {Path(name).resolve() for name in inputs}
    for path in paths:
        if path.resolve() in read:
            raise ValueError(f"{path} is to be read; choose another --output.")
        if path.exists() and not args.force:
            raise ValueError(f"{path} exists; choose another --output, or add --force.")
    return paths


def write_text(path: Path, text: str) -> None:
    path.write_text(f"{text}\n", encoding="utf-8")


def write_table(path: Path, table: pd.DataFrame) -> None:
    table.to_csv(path, index=False, encoding="utf-8")
