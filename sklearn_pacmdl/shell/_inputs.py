"""What commands read: the data, audits, worksheets that people have filled in.

All labels are compared as text, whatever the type of their columns: human labels come
from CSV files, which have no types.
"""

from __future__ import annotations

import filecmp
import re
import shlex
from argparse import Namespace
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager, suppress
from functools import cached_property
from itertools import chain, combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..audits import Agreement, Audit, compare_annotators
from ..certificates import plain_text, read_text
from ..columns import (
    as_labels,
    folded,
    is_minus_one,
    is_text_of_gap,
    most_common,
    split_unlabeled,
    unique_inverse,
)
from ..utils._checks import first_of, shown
from ..utils._table_columns import AUTOMATIC, LABEL, ROW, SOURCE
from ..worksheets import (
    AS_CSV,
    COMMAS,
    ENDINGS,
    NO_CHOICE,
    CsvFormat,
    import_pandas,
    is_for_records,
    listed,
    plain_texts,
    read_file,
    read_records,
    read_worksheet,
    row_numbers,
    worksheet,
)
from ._console import as_files, as_options, errors_name, program, tell, warnings_as_notes
from ._row_ids import RowIds
from ._tables import ParquetTable, Table
from ._telling import Labels

if TYPE_CHECKING:
    import pandas as pd


Answers = Sequence[NDArray[Any]]  # labels of the same rows by each person
# As Python, JSON and English, German and French spreadsheets write them.
TRUTH_VALUES = (
    *(("True", "False"), ("true", "false"), ("TRUE", "FALSE")),
    *(("WAHR", "FALSCH"), ("VRAI", "FAUX")),
)
_LETTER = re.compile(r"[^\W\d_]")
_WITH_COMMA = r"\s*[+-]?\d+(,\d+)?([eE][+-]?\d+)?\s*"
# Numbers as they are, where some have separators of thousands, or three decimals.
_BELOW_1000 = re.compile(r"\s*[+-]?\d{1,3}\s*")
_THOUSANDS = re.compile(r"\s*[+-]?[1-9]\d{0,2}[.,]\d{3}\s*")


# How a column marks rows, and how it marks that they are not.
_YES = {"1", "1.0", "x", "yes", *(yes.lower() for yes, _ in TRUTH_VALUES)}
_NO = {None, "0", "0.0", "no", *(no.lower() for _, no in TRUTH_VALUES)}


def _marked(texts: NDArray[Any], column: str) -> NDArray[np.bool_]:
    lower = [None if text is None else str(text).strip().lower() for text in texts]
    if others := sorted({*lower} - _YES - _NO, key=str):
        what = "must mark drawn rows by 1, true, yes or x, and others by 0, false or no"
        raise ValueError(f"{column} {what}, or leave them empty, got {shown(others)}.")
    return np.array([text in _YES for text in lower], dtype=bool)


class Inputs:
    """The options of a command, and the table of all rows."""

    def __init__(self, args: Namespace, classes: Mapping[str, Any] | None = None) -> None:
        columns = getattr(args, "columns", None) or []
        # Of these, some may be columns of another file.
        elsewhere = {"y", "answered"} if getattr(args, "answers", None) else set()
        single = (getattr(args, option) for option in {*args.name_columns} - elsewhere)
        names = {*single, *columns} - {None, ""}
        names = {name for name in names if "*" not in name}  # a pattern of names
        audits = [getattr(args, "audit", None), *getattr(args, "exclude", [])]
        if is_for_records(args.data):  # within which columns of audits may be
            names.update(*(read_audit(path).columns for path in audits if path))
        self.args = args
        self.data: Table
        path = Path(args.data)
        if path.suffix.lower() == ".parquet" or path.is_dir():
            # No column of it is read before it is needed.
            self.data, self.format = ParquetTable(args.data), COMMAS
        else:
            frame, self.format = read_rows(args.data, names)
            self.data = Table(frame)
        self.classes = classes or {}  # names of classes, by label
        # Columns in which answers are about other rows, for verify, which refuses none.
        self.differing: list[tuple[str, str]] = []

    def texts(self, column: str) -> NDArray[Any]:
        """The labels in a column as text, and None where there is none."""
        return texts_of(self.args, self.data, self.args.data, column, self.classes)

    @cached_property
    def automatic(self) -> set[Any]:
        return {*self.texts(self.args.labels)} - {None}

    @cached_property
    def row_ids(self) -> RowIds | None:
        """By which other tables name rows, if --key has them."""
        if not (key := self.args.key):
            return None
        name = f"Column {key!r} of {self.args.data}"
        return RowIds(column_of(self.data, self.args.data, key), name)

    def _listed(self, rows: NDArray[np.int64]) -> str:
        """The first of these rows, as people's tables name them."""
        return self.row_ids.listed(rows) if self.row_ids else listed(rows)

    def confidence(self) -> NDArray[np.float64]:
        name, path = self.args.confidence, self.args.data
        column = column_of(self.data, path, name)
        if column.dtype.kind == "f":
            return column.to_numpy(np.float64)
        column = column.astype(object)
        refuse_thousands(column, f"Column {name!r} of {path}")
        # Commas that separate cells separate no decimals.
        points = column if self.format.separator == "," else with_decimal_points(column)
        what = "must hold numbers, with a decimal point, or all with a decimal comma"
        with errors_name(f"Column {name!r} of {path} {what} if commas do not separate"):
            # From text by Python, which gives the nearest float; readers of CSV may not.
            confidence = points.to_numpy().astype(np.float64)
        if points is not column:
            tell("note", f"column {name!r} of {path} is read with decimal commas.")
        return confidence

    def columns_to_keep(self, taken: Collection[str]) -> list[str]:
        """The columns of the user that a finished table has: all but labels."""
        confidence = self.args.confidence
        shown = self.shown_columns(taken, hidden=[self.args.labels])
        return shown + [confidence] * (confidence not in {*shown, *taken})

    def shown_columns(
        self, taken: Collection[str], hidden: Collection[str | None]
    ) -> list[str]:
        args = self.args
        names = [name for name in self.data.columns if name not in hidden]
        if args.columns is not None:
            names = args.columns
        if len(set(names)) < len(names):
            raise ValueError(f"--columns must name each column once, got {names}.")
        for name in names:
            check_column(self.data, args.data, name)
        if clashing := sorted({*taken} & {*names}):
            others = ",".join(name for name in names if name not in clashing)
            raise ValueError(
                f"Columns {clashing} of {args.data} have names of columns to write: "
                "rename them, or choose what annotators see without them, such as by "
                f"{shlex.join(as_options(columns=others or 'COLUMN'))}."
            )
        return names

    def columns_for_people(self) -> tuple[list[str], list[str]]:
        """What people see, and columns that are hidden, since they may sway them."""
        name, column = self.args.labels, self.data.column
        known = [getattr(self.args, each, None) for each in ("drawn", "answered")]
        shown = self.shown_columns({ROW, LABEL}, [name, self.args.confidence, *known])
        if self.args.columns is not None:
            return shown, []
        hidden = {name for name in shown if holds_fractions(column(name))}
        others = [name for name in shown if name not in hidden]
        if name:
            labels = Labels(self.texts(name))
            hidden |= {name for name in others if labels.are_told_by(column(name))}
        else:
            n_rows = len(self.data)
            hidden |= {name for name in others if _repeats(column(name), n_rows)}
        return [n for n in shown if n not in hidden], [n for n in shown if n in hidden]

    def worksheet(self, rows: NDArray[np.int64], names: list[str]) -> pd.DataFrame:
        """The table of rows for people, of which no others are in memory."""
        sheet = worksheet(np.arange(len(rows)), self.data.lines(names, rows))
        return sheet.assign(**{ROW: rows})

    def drawn_elsewhere(self) -> tuple[dict[str, Any], NDArray[Any] | None]:
        """Which rows were drawn, and the answers by row, if a column has them."""
        args, answers = self.args, None
        if not args.answered and (args.answers or args.key):
            raise ValueError("--answers and --key must be given with --answered.")
        if not (args.drawn or args.answered):
            raise ValueError("--drawn or --answered must name a column.")
        if args.answered:
            answers, marks = self.of_people(args.answered)
            has_answer = np.array([each is not None for each in answers], dtype=bool)
        if args.drawn:
            name = f"Column {args.drawn!r} of {args.data}"
            marks = _marked(self.texts(args.drawn), name)
        if args.answered and not np.array_equal(marks, has_answer):
            rows = self._listed(np.flatnonzero(marks != has_answer))
            where = f"Column {args.answered!r} of {args.answers or args.data}"
            what = "must have an answer in each row that was drawn, and in no other"
            raise ValueError(f"{where} {what}: {rows}.")
        return {"rows": marks}, answers

    def of_people(self, column: str) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """Human labels in a column, of --answers if it is given, and which rows it has.

        In the table of all rows, it has those with a label.
        """
        path = self.args.answers
        if not path:
            if self.args.key:
                raise ValueError("--key must be given with --answers.")
            labels = self.texts(column)
            return labels, np.array([label is not None for label in labels], dtype=bool)
        sheets = Sheets(self.args, [path], [column], self.classes, self.row_ids)
        sheet = sheets.tables[path]
        is_there = np.zeros(len(self.data), dtype=bool)
        labels = sheets.labels(sheet, path, column, np.arange(len(self.data)))
        is_there[sheet[ROW]] = True
        self._compare_rows(sheet, path, [column])
        return labels, is_there

    def segments(self) -> dict[str, NDArray[Any]]:
        """The segment of each row, if --by names their column."""
        args, by = self.args, getattr(self.args, "by", None)
        if not by:
            return {}
        if by != args.labels and by in (*args.answer_column, SOURCE):
            what = "--by must name a column that was made without the answers of people"
            raise ValueError(f"{what}, got {by!r}.")
        return {"by": texts_of(args, self.data, args.data, by, are_labels=False)}

    def audited(self) -> tuple[NDArray[Any], Audit, NDArray[Any]]:
        """The labeling, the audit, and the human labels in drawing order."""
        (labels,), audit = self.of_audit(self.args.labels)
        return labels, audit, self.answers(audit)

    def compared(self) -> tuple[Any, ...]:
        """Two labelings with the audit and answers, or answers for two versions."""
        args, columns = self.args, self.args.answer_column
        labelings = [name for name in (args.first, args.second) if name]
        if len(labelings) != 2 * (not args.of) or (args.of and len(columns) != 2):
            raise ValueError(
                "Either --first and --second must name two labelings, or, with --of, "
                "--answer-column FIRST,SECOND the answers for two versions, got "
                f"{shown(labelings)} and {shown(columns)}."
            )
        both, audit = self.of_audit(*labelings)
        if not args.of:
            return *both, audit, self.answers(audit)
        self.automatic = {*args.of}
        for name in columns:
            args.answer_column = [name]
            both.append(self.answers(audit))
        return *both, audit

    def of_audit(self, *columns: str) -> tuple[list[NDArray[Any]], Audit]:
        """Labelings in columns, and the audit as it was drawn from these rows."""
        args, n_rows = self.args, len(self.data)
        audit = read_audit(args.audit)
        self.classes = audit.classes
        labelings = [self.texts(column) for column in columns]
        self.automatic = {*chain(*labelings)} - {None}
        if audit.n_rows != n_rows:
            which = f"the {audit.n_rows} rows of {args.audit}"
            raise ValueError(f"{args.data} must have {which}, got {n_rows}.")
        # Rows that were not drawn may be beyond all memory.
        if problems := "; ".join(audit.verify(n_rows=n_rows).problems):
            what = "must be an audit as it was drawn"
            raise ValueError(f"{args.audit} {what}: {problems}.")
        return labelings, audit

    def answers(self, audit: Audit) -> NDArray[Any]:
        """Human labels for all audited rows, in drawing order."""
        answers = self.human_labels(self.args.answers, audit.rows)
        missing = audit.rows[[label is None for label in answers]]
        if len(missing):
            files = ", ".join(self.args.answers)
            what = f"must have labels of all {audit.size} rows of {self.args.audit}"
            which = f"those of {len(missing)} are missing: {self._listed(missing)}"
            raise ValueError(f"{files} {what}; {which}. {NO_CHOICE}")
        return answers

    @contextmanager
    def errors_name_answers(self) -> Iterator[None]:
        """Let errors of human labels name files, and the way out if there is one."""
        args = self.args
        files = {"audit_labels": args.answers, "human_labels": getattr(args, "rest", [])}
        if hasattr(args, "first") and args.of:
            files |= {"first": args.answers, "second": args.answers}
        files["by"] = [f"--by {getattr(args, 'by', None)}"]
        try:
            yield
        except ValueError as error:
            name, _, what = str(error).partition(" must ")
            if name not in files:
                raise
            is_alike = what.startswith("be written as") and not args.fold
            way_out = " Or add --fold, which ignores this." * is_alike
            raise ValueError(f"{', '.join(files[name])}: {error}{way_out}") from None

    def human_labels(self, paths: Sequence[str], rows: NDArray[np.int64]) -> NDArray[Any]:
        """Labels of the rows by one person or several, and None where nobody gave one."""
        if not len(rows):
            return np.array([], dtype=object)
        args = self.args
        sheets = Sheets(args, paths, classes=self.classes, row_ids=self.row_ids)
        answers = self._as_in_data(sheets.answers(rows))
        for path, sheet in sheets.tables.items():
            self._compare_rows(sheet, path, sheets.columns)
        if len(answers) == 1:
            people = args.answers, getattr(args, "rest", None) or ()
            if args.settled and max(map(len, people)) < 2:
                raise ValueError("--settled requires the answers of at least two people.")
            return answers[0]
        with errors_name(", ".join(paths)):
            agreement = compare_annotators(answers, rows)
        if agreement.n_shared:
            print(agreement)
        settled = self._settled(rows)
        open_ = [at for at in agreement.undecided(args.majority) if settled[at] is None]
        if open_:
            raise ValueError(
                f"People disagree on {len(open_)} row{'s' * (len(open_) > 1)}: "
                f"{self._listed(rows[open_])}. {_ways_to_settle(args, paths, agreement)}"
            )
        with errors_name(", ".join(args.settled)):
            return agreement.labels(args.majority, settled=settled)

    def _known(self) -> dict[Any, Any]:
        """The automatic labels, and the names of classes, by all they may be called."""
        named = {label: self.classes.get(label, label) for label in self.automatic}
        return {**named, **{str(name): name for name in self.classes.values()}}

    def _as_in_data(self, answers: Answers) -> Answers:
        """Truth values, and other labels on demand, as the automatic labels write them.

        Of truth values, these must have one form.
        """
        if not self.classes and forms_of_truth({*chain(*answers)}):
            forms = forms_of_truth(self.automatic)
            if len(forms) == 1:
                answers = in_form(answers, forms[0])
        return in_writing_of(self._known(), answers) if self.args.fold else answers

    def _settled(self, rows: NDArray[np.int64]) -> NDArray[Any]:
        """Settled labels of rows on which annotators disagree, and None elsewhere.

        Tables may also be about other rows: those of the audit, or those that are left.
        """
        args = self.args
        sheets = Sheets(args, args.settled, [LABEL], self.classes, self.row_ids)
        labels_by_table = list[NDArray[Any]]()
        for path, sheet in sheets.tables.items():
            theirs = sheet[np.isin(sheet[ROW], rows)]
            if len(theirs):
                labels = sheets.labels(theirs, path, LABEL, rows)
                labels_by_table += self._as_in_data([labels])
                self._compare_rows(theirs, path, [LABEL])
        if not labels_by_table:
            return np.full(len(rows), None, dtype=object)
        if len(labels_by_table) == 1:
            return labels_by_table[0]
        with errors_name(", ".join(self.args.settled)):
            return compare_annotators(labels_by_table, rows).labels()

    def _compare_rows(self, sheet: pd.DataFrame, path: str, columns: list[str]) -> None:
        """Refuse rows that are not those people saw; other changes are told."""
        filled_in = {ROW, SOURCE, AUTOMATIC, self.args.key, *columns}
        names = self.data.columns.intersection(sheet.columns).difference(filled_in)
        for name in names:
            n_cells, differing = self._differing(sheet, name)
            if not len(differing):
                continue
            where = f"column {name!r} of {path}"
            what = f"that of {self.args.data} in {len(differing)} of {len(sheet)} rows"
            are_most = 2 * len(differing) > n_cells
            are_others = are_most and self._names_rows(name, differing)
            if are_others and self.args.function == "verify":
                self.differing.append((where, f"it differs from {what}"))
                continue
            if are_others:
                raise ValueError(
                    f"{where} must be {what}, but differs: one file was sorted, or is of "
                    "other rows. Put the lines back in their order, with their numbers "
                    f"in column {ROW!r}. If only this column was rewritten, delete it "
                    f"from {path}."
                )
            tell("note", f"{where} differs from {what}: were its cells changed?")

    def _differing(self, sheet: pd.DataFrame, name: str) -> tuple[int, pd.Series]:
        """The number of cells of a column, and those that are not as in the data."""
        pandas, n_cells, differing = import_pandas(), 0, []
        for places, part in self.data.lines_by_part([name], sheet[ROW]):
            here, there = sheet[name].iloc[places], part[name]
            columns = {"here": here.to_numpy(object), "there": there.to_numpy(object)}
            cells = pandas.DataFrame(columns, dtype=object).dropna()
            n_cells += len(cells)
            cells = cells.map(str)
            cells = cells[cells["here"] != cells["there"]]
            cells = cells.map(_as_compared)
            differing.append(cells["here"][cells["here"] != cells["there"]])
        return n_cells, pandas.concat(differing)

    def _names_rows(self, name: str, cells: pd.Series) -> bool:
        """Whether a column shows that cells are of other rows, and not just rewritten."""
        column = self.data[name]
        are_texts = column.astype(str).str.contains(_LETTER).mean() > 0.5
        are_others = are_texts or cells.isin({*column.map(_as_compared)}).mean() > 0.5
        return bool(are_others and not _repeats([column], len(column)))


def _as_compared(cell: Any) -> Any:
    """A cell without what spreadsheets change: blanks, and forms of numbers and dates."""
    text = plain_text(" ".join(str(cell).split()))
    numbers = [] if _LETTER.search(text) else [*map(int, re.findall(r"\d+", text))]
    # 2024-05-01 and, where months come first, 5/1/2024
    return text if len(numbers) < 3 else tuple(sorted(n for n in numbers if n))


def read_audit(path: str) -> Audit:
    with errors_name(path):
        return Audit.from_json(read_text(path))


def _repeats(parts: Iterable[pd.Series], n_rows: int) -> bool:
    """Whether most rows share their value with others, as they share labels."""
    values: set[Any] = set()
    for part in parts:
        try:
            values.update(map(hash, part.dropna()))
        except TypeError:  # lists, for instance, are no labels
            return False
        if len(values) > n_rows / 2:
            return False
    return True


class Sheets:
    """Worksheets that people have filled in, with numbers of rows as integers."""

    def __init__(
        self,
        args: Namespace,
        paths: Sequence[str],
        columns: list[str] | None = None,
        classes: Mapping[str, Any] | None = None,
        row_ids: RowIds | None = None,
    ) -> None:
        self.args, self.classes = args, classes or {}
        # One for each person.
        self.columns = args.answer_column if columns is None else columns
        if len(set(self.columns)) < len(self.columns):
            what = "--answer-column must name each column once"
            raise ValueError(f"{what}, got {self.columns}.")
        for first, second in combinations(paths, 2):
            if filecmp.cmp(first, second, shallow=False):
                advice = "Pass one of them: a copy is no second opinion."
                raise ValueError(f"{first} and {second} are the same. {advice}")
        self.formats: dict[str, CsvFormat] = {}
        self._row_ids = row_ids or RowIds()
        self.tables = {path: self._read(path) for path in paths}

    def _read(self, path: str) -> pd.DataFrame:
        args, by, form = self.args, self.args.key or ROW, COMMAS
        if is_for_records(path):
            place = args.row_path if args.row_path != ROW else by
            with errors_name(f"{path} must be records that can be read"):
                columns = read_records(path, [place, *self.columns])
            columns = {by: columns.pop(place), **columns}
            table = import_pandas().DataFrame(columns, dtype=object)
        else:
            table, form = read_table(path, [by, *self.columns])
            table = plain_texts(table.dropna(how="all"))  # spreadsheets add empty lines
        self.formats[path] = form
        return table.assign(**{ROW: self._rows(table, path)})

    def _rows(self, table: pd.DataFrame, path: str) -> NDArray[np.int64]:
        """Which row each line is about, by its id or its number."""
        key, has_number = self.args.key, ROW in table and self._row_ids.are_all
        if key and (key in table or not has_number):
            ids = column_of(table, path, key)
            return self._row_ids.rows_of(ids, f"Column {key!r} of {path}")
        cells = column_of(table, path, ROW)
        where = " (--row-path)" * is_for_records(path)
        return row_numbers(cells, f"Column {ROW!r} of {path}{where}")

    def answers(self, rows: NDArray[np.int64]) -> Answers:
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
            labels = read_worksheet(filled, rows, partial=True, classes=self.classes)
        if all(text is None for text in texts):
            raise ValueError(f"Column {column!r} of {path} has no label yet.")
        return labels

    def compared(self) -> tuple[Agreement, pd.DataFrame]:
        """Labels of several annotators, and the columns that they saw."""
        together = import_pandas().concat(self.tables.values()).drop_duplicates(ROW)
        together = together.sort_values(ROW)
        rows = together[ROW].to_numpy()
        answers = self.answers(rows)
        for form in forms_of_truth({*chain(*answers)})[:1]:
            answers = in_form(answers, form)
        if self.args.fold:
            counts = Counter(chain(*answers))
            known = {label: label for label in most_common(counts)}
            answers = in_writing_of(known, answers)
        if len(answers) < 2:
            raise ValueError(
                "settle needs the labels of at least two people: several files, or "
                "several columns in --answer-column."
            )
        filled_in = (LABEL, *self.columns)
        names = [name for name in together.columns if name not in filled_in]
        shown = together[names].drop(columns=ROW).astype(object)
        return compare_annotators(answers, rows), shown.reset_index(drop=True)


def forms_of_truth(texts: Set[Any]) -> list[tuple[str, str]]:
    return [form for form in TRUTH_VALUES if texts & {*form}]


def in_form(answers: Answers, form: tuple[str, str]) -> Answers:
    texts = {t: new for each in TRUTH_VALUES for t, new in zip(each, form, strict=True)}
    return relabeled(answers, texts)


def in_writing_of(known: Mapping[Any, Any], answers: Answers) -> Answers:
    """Answers in which writings of known labels are these, as a note says."""
    given = {*chain(*answers)} - {None}
    with errors_name("--fold"):
        names = folded(given, known)
    if names:
        told = sorted(f"{text!r} as {name!r}" for text, name in names.items())
        tell("note", f"--fold reads {first_of(told)}.")
    return relabeled(answers, names)


def relabeled(answers: Answers, labels: Mapping[Any, Any]) -> Answers:
    return [np.array([labels.get(a, a) for a in each], dtype=object) for each in answers]


def gaps(args: Namespace) -> list[str]:
    """The options that say which texts mark rows without a label."""
    return [f"--missing={text}" for text in args.missing]


def _ways_to_settle(args: Namespace, paths: Sequence[str], agreement: Agreement) -> str:
    command = [*program().split(), "audit", "settle", *as_files(*paths)]
    if args.answer_column != [LABEL]:
        command += as_options(answer_column=",".join(args.answer_column))
    command += as_options(key=args.key) if args.key else []
    if args.row_path != ROW:
        command += as_options(row_path=args.row_path)
    command += gaps(args)
    command += ["--fold"] * args.fold + ["--majority"] * args.majority
    command += as_options(output="NAME")
    ways = ["correct the files"]
    if args.settled:
        ways.append(f"fill in {', '.join(args.settled)}")
    if not args.majority and agreement.n_annotators > 2:
        ways.append("add --majority for what more than half say")
    return (
        f"To settle them, {', '.join(ways)}, or let somebody fill in the table that this "
        f"command writes: {shlex.join(command)}"
    )


def read_table(path: str, names: Collection[str]) -> tuple[pd.DataFrame, CsvFormat]:
    """A table, and how a CSV file of it is written; see :func:`read_file`."""
    suffix = Path(path).suffix.lower()
    if suffix == ".parquet":
        table = ParquetTable(path)
        parts = table.parts([*table.columns])
        return import_pandas().concat(parts, ignore_index=True), COMMAS
    if suffix not in (*ENDINGS, ".txt"):
        allowed = ", ".join(ENDINGS)
        raise ValueError(f"{path} must be a file {allowed} or .parquet: {AS_CSV}.")
    with errors_name(f"{path} must be a table that can be read"), warnings_as_notes():
        return read_file(path, names)


def read_rows(path: str, names: Collection[str]) -> tuple[pd.DataFrame, CsvFormat]:
    """The table of all rows, without the empty lines that spreadsheets add."""
    table, form = read_table(path, names)
    # In a table of one column, what is empty is a cell.
    rows = table.dropna(how="all") if table.shape[1] > 1 else table
    if n_empty := len(table) - len(rows):
        tell("note", f"{path} has {n_empty:,} lines without a value, which are left out.")
    return rows.reset_index(drop=True), form


def check_column(table: pd.DataFrame | Table, path: str, name: str) -> None:
    if name not in table.columns:
        got = f"got {shown([*table.columns])}"
        way_out = " If it has ids, --key names their column." * (name == ROW)
        raise ValueError(f"{path} must have a column {name!r}, {got}.{way_out}")


def column_of(table: pd.DataFrame | Table, path: str, name: str) -> Any:
    check_column(table, path, name)
    return table[name]


def texts_of(
    args: Namespace,
    table: pd.DataFrame | Table,
    path: str,
    column: str,
    classes: Collection[str] = (),
    are_labels: bool = True,
) -> NDArray[Any]:
    """Labels as text, and None where there is none; -1 may be one of the classes.

    Those that are no labels are names of segments.
    """
    name = f"Column {column!r} of {path}"
    cells = column_of(table, path, column)
    if Path(path).suffix.lower() == ".xlsx":  # where cells of a column differ in type
        cells = cells.map(str, na_action="ignore")
    cells = as_labels(cells, name)
    declared: Any = [*classes, *[-1] * ("-1" in classes)]
    is_object = cells.dtype.kind in "UO"
    if is_object and args.missing:
        cells = cells.astype(object)
        cells[[isinstance(v, str) and v in args.missing for v in cells]] = None
    doubtful = {v for v in cells.flat if isinstance(v, str)} if is_object else set()
    doubtful = {v for v in doubtful - {*classes} if is_text_of_gap(v)}
    if is_minus_one(cells).any() and "-1" not in {*classes, *args.missing}:
        doubtful.add("-1")
    if doubtful:
        text = min(doubtful)
        if not are_labels:
            raise ValueError(
                f"{name} holds {text!r}, which may mark rows of no segment. If it is the "
                "name of a segment, write it in another way; otherwise empty these cells."
            )
        raise ValueError(
            f"{name} holds {text!r}: add {shlex.quote(f'--missing={text}')} if this "
            "marks a row without a label. If it is a class, also that of rows that "
            "people could not decide, write it in another way, or draw an audit with "
            f"{shlex.quote(f'--rename={text}=NAME')}."
        )
    labeled, values = split_unlabeled(cells, declared, name)
    texts = np.full(len(cells), None, dtype=object)
    names, codes = unique_inverse(values)
    texts[labeled] = np.array([*map(str, names.tolist())], dtype=object)[codes]
    return texts


def with_decimal_points(column: pd.Series) -> pd.Series:
    """A copy of a column whose cells are all numbers with decimal commas, or itself."""
    cells = column.dropna()
    for some in (cells[:1], cells):  # the first shows that most columns are no numbers
        if not some.astype(str).str.fullmatch(_WITH_COMMA).all():
            return column
    has_commas = cells.astype(str).str.contains(",").any()
    return column.str.replace(",", ".") if has_commas else column


def refuse_thousands(column: pd.Series, name: str) -> None:
    """Refuse the text 1.234 beside 905: it is 1234 if the point separates thousands."""
    texts = [cell for cell in column.dropna() if isinstance(cell, str)]
    others = [text for text in texts if not _THOUSANDS.fullmatch(text)]
    doubtful = 0 < len(others) < len(texts) and all(map(_BELOW_1000.fullmatch, others))
    if doubtful:
        got = next(text for text in texts if _THOUSANDS.fullmatch(text))
        raise ValueError(
            f"{name} must hold numbers without separators of thousands, got {got!r} "
            f"beside {others[0]!r}. If it is a fraction, write equally many decimals in "
            "all numbers."
        )


def holds_fractions(parts: Iterable[pd.Series]) -> bool:
    """Whether the parts of a column are numbers, and some are not whole."""
    some = False
    for part in parts:
        if part.dtype.kind not in "fOUT":  # dates, for instance, become numbers too
            return False
        try:
            some |= bool((as_numbers(part.dropna()) % 1 != 0).any())
        except (ValueError, TypeError):
            return False
    return some


def as_numbers(column: pd.Series) -> pd.Series:
    to_numeric = import_pandas().to_numeric
    with suppress(ValueError, TypeError):
        return to_numeric(column)
    return to_numeric(with_decimal_points(column))
