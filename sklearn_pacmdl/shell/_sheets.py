"""Worksheets that people have filled in."""

from __future__ import annotations

import filecmp
import shlex
from argparse import Namespace
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..audits import (
    Agreement,
    compare_annotators,
    import_pandas,
    is_for_records,
    plain_texts,
    read_records,
    read_worksheet,
)
from ..worksheets import LABEL, ROW
from ._console import errors_name, program
from ._tables import column_of, read_table, texts_of

if TYPE_CHECKING:
    import pandas as pd


class Sheets:
    """Worksheets that people have filled in, with numbers of rows as integers."""

    def __init__(
        self,
        args: Namespace,
        paths: Sequence[str],
        columns: list[str] | None = None,
        classes: Mapping[str, Any] | None = None,
    ) -> None:
        self.args, self.classes = args, classes or {}
        # One for each person.
        self.columns = args.answer_column.split(",") if columns is None else columns
        if len(set(self.columns)) < len(self.columns):
            what = "--answer-column must name each column once"
            raise ValueError(f"{what}, got {args.answer_column}.")
        for first, second in combinations(paths, 2):
            if filecmp.cmp(first, second, shallow=False):
                advice = "Pass one of them: a copy is no second opinion."
                raise ValueError(f"{first} and {second} are the same. {advice}")
        self.tables = {path: self._read(path) for path in paths}

    def _read(self, path: str) -> pd.DataFrame:
        if is_for_records(path):
            sheet = self._of_records(path)
        else:
            table = read_table(path, [ROW, *self.columns])
            sheet = plain_texts(table.dropna(how="all"))  # spreadsheets add empty lines
        rows = np.asarray(column_of(sheet, path, ROW)).astype(str)
        try:
            sheet[ROW] = np.array([int(row) for row in rows], dtype=np.int64)
        except (ValueError, OverflowError):
            what = "must be the numbers of the rows, as they were"
            where = ", at --row-path" if is_for_records(path) else ""
            raise ValueError(f"Column {ROW!r} of {path} {what}{where}.") from None
        return sheet

    def _of_records(self, path: str) -> pd.DataFrame:
        """What an annotation tool has written."""
        with errors_name(f"{path} must be records that can be read"):
            found = read_records(path, [self.args.row_path, *self.columns])
        found = {ROW: found.pop(self.args.row_path), **found}
        return import_pandas().DataFrame(found, dtype=object)

    def answers(self, rows: NDArray[np.int64]) -> list[NDArray[Any]]:
        """Labels of the rows by each person; some may be missing, but not all."""
        return [
            self.labels(sheet, path, column, rows)
            for path, sheet in self.tables.items()
            for column in self.columns
        ]

    def labels(
        self, sheet: pd.DataFrame, path: str, column: str, rows: NDArray[np.int64]
    ) -> NDArray[Any]:
        texts = texts_of(self.args, sheet, path, column, self.classes)
        filled = sheet[[ROW]].assign(**{LABEL: texts})
        with errors_name(f"{path}, column {column!r}"):
            labels = read_worksheet(
                filled, rows, LABEL, None, partial=True, classes=self.classes
            )
        if all(text is None for text in texts):
            raise ValueError(f"Column {column!r} of {path} has no label yet.")
        return labels

    def compared(self) -> tuple[Agreement, pd.DataFrame]:
        """What several people said of the rows in their tables, and what they saw."""
        together = import_pandas().concat(self.tables.values()).drop_duplicates(ROW)
        rows = together[ROW].to_numpy()
        answers = self.answers(rows)
        if len(answers) < 2:
            raise ValueError(
                "settle needs the labels of at least two people: several files, or "
                "several columns in --answer-column."
            )
        filled_in = (LABEL, *self.columns)
        others = [name for name in together.columns if name not in filled_in]
        shown = together[others].set_index(ROW).astype(object)
        return compare_annotators(answers, rows), shown.reindex(range(rows.max() + 1))


def ways_to_settle(args: Namespace, paths: Sequence[str], agreement: Agreement) -> str:
    command = [*program().split(), "audit", "settle", *paths]
    if args.answer_column != LABEL:
        command += ["--answer-column", args.answer_column]
    if args.row_path != ROW:
        command += ["--row-path", args.row_path]
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
