"""What commands of the shell read and write: tables, audits, human labels, results.

All labels are compared as text, whatever the type of their columns: human labels come
from CSV files, which have no types.
"""

from __future__ import annotations

import filecmp
import shlex
import sys
import warnings
from argparse import Namespace
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain, combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..certificates import read_text
from ..utils._checks import shown
from ..utils._labels import as_labels, is_text_of_gap, split_unlabeled
from ..utils._writing import Write, write_files
from ._agreement import Agreement, compare_annotators
from ._audit import Audit
from ._worksheet import (
    AUTOMATIC,
    LABEL,
    NO_CHOICE,
    ROW,
    SOURCE,
    TEXTS,
    import_pandas,
    listed,
    plain_texts,
    read_csv,
    read_worksheet,
    refuse_labels_of_people,
)

if TYPE_CHECKING:
    import pandas as pd

PROGRAM = "python -m sklearn_pacmdl"


def tell(what: str, message: object) -> None:
    print(f"{what}: {' '.join(str(message).split())}", file=sys.stderr)


@contextmanager
def errors_name(where: str) -> Iterator[None]:
    """Let errors say where something is wrong."""
    try:
        yield
    except (ValueError, TypeError) as error:
        raise ValueError(f"{where}: {error}") from None


class Inputs:
    """The options of a command, and the table of all rows."""

    def __init__(self, args: Namespace) -> None:
        options = (getattr(args, name, None) for name in ("labels", "confidence", "seen"))
        columns = getattr(args, "columns", None) or ""
        names = {*options, *columns.split(",")} - {None, ""}
        self.args, self.data = args, _read_table(args.data, names)

    def texts(self, column: str) -> NDArray[Any]:
        """The labels in a column as text, and None where there is none."""
        return _texts_of(self.args, self.data, self.args.data, column)

    def confidence(self) -> NDArray[np.float64]:
        name, path = self.args.confidence, self.args.data
        column = _column_of(self.data, path, name).astype(object)
        what = "must hold numbers, with a decimal point"
        with errors_name(f"Column {name!r} of {path} {what}"):
            # From text by Python, which gives the nearest float; readers of CSV may not.
            return column.to_numpy().astype(np.float64)

    def shown_columns(self, taken: set[str]) -> pd.DataFrame:
        """The columns of the user that tables have: all but labels and confidence."""
        args, columns = self.args, self.data.columns
        names = [name for name in columns if name not in (args.labels, args.confidence)]
        if args.columns is not None:
            names = args.columns.split(",")
        for name in names:
            _column_of(self.data, args.data, name)
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
            if _holds_fractions(column) or (not is_labeled and _repeats(column))
        ]
        return shown.drop(columns=hidden), hidden

    def audited(self) -> tuple[NDArray[Any], Audit, NDArray[Any]]:
        """The labeling, the audit, and the human labels in drawing order."""
        args, n_rows = self.args, len(self.data)
        labels, audit = self.texts(args.labels), read_audit(args.audit)
        if audit.n_rows != n_rows:
            which = f"the {audit.n_rows} rows of {args.audit}"
            raise ValueError(f"{args.data} must have {which}, got {n_rows}.")
        # Rows that were not drawn may be beyond all memory.
        if problems := "; ".join(audit.verify(n_rows=n_rows).problems):
            what = "must be an audit as it was drawn"
            raise ValueError(f"{args.audit} {what}: {problems}.")
        answers = self.answers(audit)
        _compare_spelling(labels, answers)
        return labels, audit, answers

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
        args, sheets = self.args, Sheets(self.args, paths)
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
                f"{listed(rows[open_])}. {_ways_to_settle(args, paths, agreement)}"
            )
        with errors_name(", ".join(args.settled)):
            return agreement.labels(args.majority, settled=settled)

    def _settled(self, rows: NDArray[np.int64]) -> NDArray[Any]:
        """Labels that somebody gave to rows on which others disagree, and None elsewhere.

        Tables may also be about other rows: those of the audit, or those that are left.
        """
        sheets, found = Sheets(self.args, self.args.settled, [LABEL]), []
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


class Sheets:
    """Worksheets that people have filled in, with numbers of rows as integers."""

    def __init__(
        self, args: Namespace, paths: Sequence[str], columns: list[str] | None = None
    ) -> None:
        self.args = args
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
        table = _read_table(path, [ROW, *self.columns])
        sheet = plain_texts(table.dropna(how="all"))  # spreadsheets add empty lines
        rows = np.asarray(_column_of(sheet, path, ROW)).astype(str)
        try:
            sheet[ROW] = np.array([int(row) for row in rows], dtype=np.int64)
        except (ValueError, OverflowError):
            what = "must be the numbers of the rows, as they were"
            raise ValueError(f"Column {ROW!r} of {path} {what}.") from None
        return sheet

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
        texts = _texts_of(self.args, sheet, path, column)
        filled = sheet[[ROW]].assign(**{LABEL: texts})
        with errors_name(f"{path}, column {column!r}"):
            labels = read_worksheet(filled, rows, LABEL, None, partial=True)
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


def read_audit(path: str) -> Audit:
    with errors_name(path):
        return Audit.from_json(read_text(path))


def output_paths(args: Namespace, *suffixes: str) -> list[Path]:
    name = args.output.removesuffix(".json").removesuffix(".csv")
    return [Path(f"{name}{suffix}") for suffix in suffixes]


def check_free(args: Namespace, paths: Iterable[Path], own: Collection[str] = ()) -> None:
    """Refuse paths that are read, exist without --force, or hold human labels."""
    given = vars(args)
    several = (given.get(name, []) for name in ("answers", "settled", "rest", "exclude"))
    inputs = chain([given.get("data"), given.get("audit")], *several)
    read = {Path(name).resolve() for name in inputs if name}
    for path in paths:
        if path.resolve() in read:
            raise ValueError(f"{path} is to be read; choose another --output.")
        if path.exists() and not args.force:
            raise ValueError(f"{path} exists; choose another --output, or add --force.")
        if path.suffix == ".csv":
            other = f"{args.to_go_on}, or choose another --output"
            refuse_labels_of_people(path, own, f"--force does not overwrite; {other}")


def write_outputs(
    args: Namespace, files: Mapping[Path, Write], own: Collection[str] = ()
) -> None:
    """Write files of which the last is about the others, if nothing is in their place."""
    # Again, since another program may have written them while this one computed.
    write_files(files, lambda: check_free(args, files, own))


def as_text(text: str) -> Write:
    return lambda file: file.write(f"{text}\n")


def _read_table(path: str, names: Collection[str]) -> pd.DataFrame:
    """A table; cells of a CSV file are texts as they stand, and missing if empty."""
    suffix = Path(path).suffix.lower()
    if suffix == ".parquet":
        return import_pandas().read_parquet(path)
    if suffix not in (".csv", ".tsv"):
        raise ValueError(f"{path} must be a file .csv, .tsv or .parquet.")
    with (
        errors_name(f"{path} must be a table that can be read"),
        warnings.catch_warnings(record=True) as caught,
    ):
        warnings.simplefilter("always")
        table = read_csv(path, names, **TEXTS)
    for warning in caught:
        tell("note", warning.message)
    return table


def _column_of(table: pd.DataFrame, path: str, name: str) -> Any:
    if name not in table.columns:
        raise ValueError(f"{path} must have a column {name!r}, got {[*table.columns]}.")
    return table[name]


def _texts_of(
    args: Namespace, table: pd.DataFrame, path: str, column: str
) -> NDArray[Any]:
    name = f"Column {column!r} of {path}"
    found = as_labels(_column_of(table, path, column), name)
    if found.dtype.kind in "UO":
        found = found.astype(object)
        found[[isinstance(v, str) and v in args.missing for v in found]] = None
        doubtful = {v for v in found if isinstance(v, str) and is_text_of_gap(v)}
        if doubtful:
            text = min(doubtful)
            raise ValueError(
                f"{name} holds {text!r}: add {shlex.quote(f'--missing={text}')} if this "
                "marks a row without a label, and write it in another way if not."
            )
    labeled, values = split_unlabeled(found, None, name)
    texts = np.full(len(found), None, dtype=object)
    texts[labeled] = [str(value) for value in values.tolist()]
    return texts


def _compare_spelling(labels: NDArray[Any], answers: NDArray[Any]) -> None:
    """Tell of human labels that are no automatic labels: they may be misspelled."""
    known = set(labels.tolist()) - {None}
    unknown = Counter(label for label in answers.tolist() if label not in known)
    examples = ", ".join(
        f"{label!r} ({n} row{'s' * (n > 1)})" for label, n in unknown.most_common(10)
    )
    if known and len(unknown) == len(set(answers.tolist())):
        raise ValueError(
            "Human labels must be written like automatic ones, such as "
            f"{shown(sorted(known)[:10])}, got {examples}."
        )
    if unknown:
        tell("note", f"human labels that no row has automatically are errors: {examples}")


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
