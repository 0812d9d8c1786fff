"""Worksheets that people have filled in, as commands of the shell read them."""

from __future__ import annotations

import filecmp
import shlex
from argparse import Namespace
from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ._agreement import Agreement, compare_annotators
from ._audit import Audit
from ._files import PROGRAM, column_of, read_audit, read_table, tell, texts_of
from ._spreadsheets import import_pandas, plain_texts
from ._worksheet import (
    AUTOMATIC,
    LABEL,
    NO_CHOICE,
    ROW,
    SOURCE,
    listed,
    read_worksheet,
)

if TYPE_CHECKING:
    import pandas as pd


def labels_of_people(
    args: Namespace,
    data: pd.DataFrame,
    paths: Sequence[str],
    rows: NDArray[np.int64],
) -> NDArray[Any]:
    """Labels of the rows by one person or several, and None where nobody gave one."""
    if not len(rows):
        return np.array([], dtype=object)
    columns = _columns(args)
    sheets = _sheets(paths, columns)
    answers = _answers(args, sheets, columns, rows)
    for path, sheet in sheets.items():
        _compare_rows(args, data, sheet, path, columns)
    if len(answers) == 1:
        return answers[0]
    agreement = compare_annotators(answers, rows)
    if agreement.n_shared:
        print(agreement)
    settled = _settled(args, data, rows)
    open_ = [at for at in agreement.undecided(args.majority) if settled[at] is None]
    if open_:
        raise ValueError(
            f"People disagree on {len(open_)} row{'s' * (len(open_) > 1)}: "
            f"{listed(rows[open_])}. {_ways_to_settle(args, paths, agreement)}"
        )
    try:
        return agreement.labels(args.majority, settled=settled)
    except ValueError as error:
        raise ValueError(f"{', '.join(args.settled)}: {error}") from None


def audited(
    args: Namespace, data: pd.DataFrame
) -> tuple[NDArray[Any], Audit, NDArray[Any]]:
    """The labeling, the audit, and the human labels in drawing order."""
    labels = texts_of(args, data, args.data, args.labels)
    audit = audit_of(args, data)
    return labels, audit, answers_of(args, data, audit)


def audit_of(args: Namespace, data: pd.DataFrame) -> Audit:
    """The audit in its file, of the rows of the data and as it was drawn."""
    audit = read_audit(args.audit)
    if audit.n_rows != len(data):
        raise ValueError(
            f"{args.data} must have the {audit.n_rows} rows of {args.audit}, "
            f"got {len(data)}."
        )
    problems = "; ".join(audit.verify(n_rows=len(data)).problems)
    if problems:  # its rows may be beyond all memory
        raise ValueError(f"{args.audit} must be an audit as it was drawn: {problems}.")
    return audit


def answers_of(args: Namespace, data: pd.DataFrame, audit: Audit) -> NDArray[Any]:
    """Human labels for all audited rows, in drawing order."""
    answers = labels_of_people(args, data, args.answers, audit.rows)
    missing = audit.rows[[label is None for label in answers]]
    if len(missing):
        raise ValueError(
            f"{', '.join(args.answers)} must have labels of all {audit.size} rows of "
            f"{args.audit}; those of {len(missing)} are missing: {listed(missing)}. "
            f"{NO_CHOICE}"
        )
    return answers


def compared(args: Namespace) -> tuple[Agreement, pd.DataFrame]:
    """What several people said of the rows in their tables, and what they saw of them."""
    columns = _columns(args)
    sheets = _sheets(args.answers, columns)
    together = import_pandas().concat(sheets.values()).drop_duplicates(ROW)
    rows = together[ROW].to_numpy()
    answers = _answers(args, sheets, columns, rows)
    if len(answers) < 2:
        raise ValueError(
            "settle needs the labels of at least two people: several files, or several "
            "columns in --answer-column."
        )
    others = [name for name in together.columns if name not in (LABEL, *columns)]
    shown = together[others].set_index(ROW).astype(object)
    return compare_annotators(answers, rows), shown.reindex(range(rows.max() + 1))


def _columns(args: Namespace) -> list[str]:
    """The columns that hold labels, one for each person."""
    columns = args.answer_column.split(",")
    if len(set(columns)) < len(columns):
        raise ValueError(
            f"--answer-column must name each column once, got {args.answer_column}."
        )
    return columns


def _sheets(paths: Sequence[str], columns: list[str]) -> dict[str, pd.DataFrame]:
    """What people filled in, with the numbers of the rows as integers."""
    for first, second in combinations(paths, 2):
        if filecmp.cmp(first, second, shallow=False):
            raise ValueError(
                f"{first} and {second} are the same. Pass one of them: a copy is no "
                "second opinion."
            )
    return {path: _sheet(path, columns) for path in paths}


def _sheet(path: str, columns: list[str]) -> pd.DataFrame:
    table = read_table(path, [ROW, *columns])
    sheet = plain_texts(table.dropna(how="all"))  # spreadsheets add empty lines
    rows = np.asarray(column_of(sheet, path, ROW))
    try:
        sheet[ROW] = np.array([int(row) for row in rows.astype(str)], dtype=np.int64)
    except (ValueError, OverflowError):
        raise ValueError(
            f"Column {ROW!r} of {path} must be the numbers of the rows, as they were."
        ) from None
    return sheet


def _answers(
    args: Namespace,
    sheets: dict[str, pd.DataFrame],
    columns: list[str],
    rows: NDArray[np.int64],
) -> list[NDArray[Any]]:
    """Labels of the rows by each person; some may be missing, but not all."""
    return [
        _labels(args, sheet, path, column, rows)
        for path, sheet in sheets.items()
        for column in columns
    ]


def _labels(
    args: Namespace,
    sheet: pd.DataFrame,
    path: str,
    column: str,
    rows: NDArray[np.int64],
) -> NDArray[Any]:
    texts = texts_of(args, sheet, path, column)
    filled = sheet[[ROW]].assign(**{LABEL: texts})
    try:
        labels = read_worksheet(filled, rows, LABEL, None, partial=True)
    except ValueError as error:
        raise ValueError(f"{path}, column {column!r}: {error}") from None
    if all(text is None for text in texts):
        raise ValueError(f"Column {column!r} of {path} has no label yet.")
    return labels


def _settled(
    args: Namespace, data: pd.DataFrame, rows: NDArray[np.int64]
) -> NDArray[Any]:
    """Labels that somebody gave to rows on which others disagree, and None elsewhere.

    Tables may also be about other rows: those of the audit, or those that are left.
    """
    found = []
    for path, sheet in _sheets(args.settled, [LABEL]).items():
        theirs = sheet[np.isin(sheet[ROW], rows)]
        if len(theirs):
            found.append(_labels(args, theirs, path, LABEL, rows))
            _compare_rows(args, data, theirs, path, [LABEL])
    if len(found) < 2:
        return found[0] if found else np.full(len(rows), None, dtype=object)
    try:
        return compare_annotators(found, rows).labels()
    except ValueError as error:
        raise ValueError(f"{', '.join(args.settled)}: {error}") from None


def _ways_to_settle(args: Namespace, paths: Sequence[str], agreement: Agreement) -> str:
    command = [*PROGRAM.split(), "audit", "settle", *paths]
    if args.answer_column != LABEL:
        command += ["--answer-column", args.answer_column]
    command += [f"--missing={text}" for text in args.missing]
    command += ["--majority"] * args.majority + ["--output", "NAME"]
    ways = ["correct the files"]
    if args.settled:
        ways.append(f"fill in {', '.join(args.settled)}")
    if not args.majority and agreement.n_annotators > 2:
        ways.append("add --majority for what more than half say")
    return (
        f"To settle them, {', '.join(ways)}, or let somebody fill in the table that this "
        f"command writes: {shlex.join(command)}"
    )


def _compare_rows(
    args: Namespace,
    data: pd.DataFrame,
    sheet: pd.DataFrame,
    path: str,
    columns: list[str],
) -> None:
    """Tell if rows look other than those that people saw: a file may be sorted anew."""
    filled_in = {ROW, SOURCE, AUTOMATIC, *columns}
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
                "when the audit was drawn? (Or a spreadsheet has changed the column.)",
            )
