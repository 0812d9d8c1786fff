"""What commands are given: the data, audits, human labels."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..audits import NO_CHOICE, Audit, compare_annotators, listed
from ..certificates import read_text
from ..worksheets import AUTOMATIC, LABEL, ROW, SOURCE
from ._console import errors_name, tell
from ._sheets import Sheets, ways_to_settle
from ._tables import column_of, holds_fractions, read_table, texts_of

if TYPE_CHECKING:
    import pandas as pd


class Inputs:
    """The options of a command, and the table of all rows."""

    def __init__(self, args: Namespace, classes: Mapping[str, Any] | None = None) -> None:
        options = ("labels", "confidence", "seen", "certifying", "y")
        columns = (getattr(args, "columns", None) or "").split(",")
        names = {*(getattr(args, name, None) for name in options), *columns} - {None, ""}
        names = {name for name in names if "*" not in name}  # a pattern of names
        self.args, self.data = args, read_table(args.data, names)
        self.classes = classes or {}  # names of classes, by label

    def texts(self, column: str) -> NDArray[Any]:
        """The labels in a column as text, and None where there is none."""
        return texts_of(self.args, self.data, self.args.data, column, self.classes)

    def confidence(self) -> NDArray[np.float64]:
        name, path = self.args.confidence, self.args.data
        column = column_of(self.data, path, name).astype(object)
        what = "must hold numbers, with a decimal point"
        with errors_name(f"Column {name!r} of {path} {what}"):
            # From text by Python, which gives the nearest float; readers of CSV may not.
            return column.to_numpy().astype(np.float64)

    def shown_columns(self, taken: set[str]) -> pd.DataFrame:
        """The columns of the user that tables have: all but labels and confidence."""
        args, columns = self.args, self.data.columns
        known = args.labels, getattr(args, "confidence", None)
        names = [name for name in columns if name not in known]
        if args.columns is not None:
            names = args.columns.split(",")
        for name in names:
            column_of(self.data, args.data, name)
        if clashing := sorted(taken.intersection(names)):
            raise ValueError(
                f"Columns {clashing} of {args.data} have names that the files to write "
                "need: rename them in the data, or list by --columns which others people "
                "see."
            )
        return self.data[names]

    def columns_for_people(self) -> tuple[pd.DataFrame, list[str]]:
        """What people see, and columns that are hidden, since they may sway them."""
        shown, is_labeled = self.shown_columns({ROW, LABEL}), bool(self.args.labels)
        if self.args.columns is not None:
            return shown, []
        hidden = [
            name
            for name, column in shown.items()
            if holds_fractions(column) or (not is_labeled and _repeats(column))
        ]
        return shown.drop(columns=hidden), hidden

    def audited(self) -> tuple[NDArray[Any], Audit, NDArray[Any]]:
        """The labeling, the audit, and the human labels in drawing order."""
        args, n_rows = self.args, len(self.data)
        audit = read_audit(args.audit)
        self.classes = audit.classes
        labels = self.texts(args.labels)
        if audit.n_rows != n_rows:
            which = f"the {audit.n_rows} rows of {args.audit}"
            raise ValueError(f"{args.data} must have {which}, got {n_rows}.")
        # Rows that were not drawn may be beyond all memory.
        if problems := "; ".join(audit.verify(n_rows=n_rows).problems):
            what = "must be an audit as it was drawn"
            raise ValueError(f"{args.audit} {what}: {problems}.")
        return labels, audit, self.answers(audit)

    def answers(self, audit: Audit) -> NDArray[Any]:
        """Human labels for all audited rows, in drawing order."""
        answers = self.labels_of_people(self.args.answers, audit.rows)
        missing = audit.rows[[label is None for label in answers]]
        if len(missing):
            files = ", ".join(self.args.answers)
            what = f"must have labels of all {audit.size} rows of {self.args.audit}"
            which = f"those of {len(missing)} are missing: {listed(missing)}"
            raise ValueError(f"{files} {what}; {which}. {NO_CHOICE}")
        return answers

    def labels_of_people(
        self, paths: Sequence[str], rows: NDArray[np.int64]
    ) -> NDArray[Any]:
        """Labels of the rows by one person or several, and None where nobody gave one."""
        if not len(rows):
            return np.array([], dtype=object)
        args, sheets = self.args, Sheets(self.args, paths, classes=self.classes)
        answers = sheets.answers(rows)
        for path, sheet in sheets.tables.items():
            self._compare_rows(sheet, path, sheets.columns)
        if len(answers) == 1:
            return answers[0]
        agreement = compare_annotators(answers, rows)
        if agreement.n_shared:
            print(agreement)
        settled = self._settled(rows)
        open_ = [at for at in agreement.undecided(args.majority) if settled[at] is None]
        if open_:
            raise ValueError(
                f"People disagree on {len(open_)} row{'s' * (len(open_) > 1)}: "
                f"{listed(rows[open_])}. {ways_to_settle(args, paths, agreement)}"
            )
        with errors_name(", ".join(args.settled)):
            return agreement.labels(args.majority, settled=settled)

    def _settled(self, rows: NDArray[np.int64]) -> NDArray[Any]:
        """Labels that somebody gave to rows on which others disagree, and None elsewhere.

        Tables may also be about other rows: those of the audit, or those that are left.
        """
        sheets = Sheets(self.args, self.args.settled, [LABEL], self.classes)
        found = []
        for path, sheet in sheets.tables.items():
            theirs = sheet[np.isin(sheet[ROW], rows)]
            if len(theirs):
                found.append(sheets.labels(theirs, path, LABEL, rows))
                self._compare_rows(theirs, path, [LABEL])
        if len(found) < 2:
            return found[0] if found else np.full(len(rows), None, dtype=object)
        with errors_name(", ".join(self.args.settled)):
            return compare_annotators(found, rows).labels()

    def _compare_rows(self, sheet: pd.DataFrame, path: str, columns: list[str]) -> None:
        """Tell if rows look other than those people saw: a file may be sorted anew."""
        data, whole = self.data, self.args.data
        filled_in = {ROW, SOURCE, AUTOMATIC, *columns}
        for name in data.columns.intersection(sheet.columns).difference(filled_in):
            here, there = sheet[name], data[name].iloc[sheet[ROW]]
            both = here.notna().to_numpy() & there.notna().to_numpy()
            other = here.astype(str).to_numpy() != there.astype(str).to_numpy()
            if differ := np.sum(both & other):
                tell(
                    "note",
                    f"column {name!r} of {path} differs from that of {whole} in {differ} "
                    f"of {len(sheet)} rows: is {whole} still in the order that it had "
                    "when the audit was drawn? (Or a spreadsheet has changed the "
                    "column.)",
                )


def read_audit(path: str) -> Audit:
    with errors_name(path):
        return Audit.from_json(read_text(path))


def _repeats(column: Any) -> bool:
    """Whether most rows share their value with others, as they share labels."""
    try:
        return bool(column.nunique() <= len(column) / 2)
    except TypeError:  # lists, for instance, are no labels
        return False
