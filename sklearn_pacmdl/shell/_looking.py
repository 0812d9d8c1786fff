"""What a file seems to hold, and the commands that fit; nothing is written.

Of human labels only their names are looked at, and which rows have one. No other column
is compared with them, so that candidates may still be chosen after this look.
"""

from __future__ import annotations

import re
import shlex
import warnings
from argparse import Namespace
from collections.abc import Iterator, Sequence
from contextlib import suppress
from hashlib import blake2b
from heapq import nsmallest
from itertools import compress
from textwrap import fill
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..columns import is_text_of_gap, report_alike
from ..random_choice import random_choice_test
from ..utils._checks import first_of, shown
from ..utils._table_columns import AUTOMATIC, LABEL, ROW, SOURCE
from ..worksheets import import_pandas, is_for_records, values_at
from ._console import as_files, as_options, program
from ._inputs import Inputs, as_numbers, refuse_thousands
from ._outputs import SHEET, output_paths
from ._telling import fields_of

if TYPE_CHECKING:
    import pandas as pd

EMPTY, MARK, ONE, NESTED = "no value", "a mark", "one value", "lists or records"
TIME, CONFIDENCE, NUMBERS = "dates", "confidences", "numbers"
HUMAN, LABELS, CLUSTERS = "human labels", "automatic labels", "clusters"
IDS, GROUPS, TEXT = "ids", "groups", "text"
COPY, DRAWN = "a copy", "labeled or not"
NO_COMPARISON = """\
No column was compared with human labels: if columns are chosen after such a
comparison, new labels are needed. Kinds are guesses: before the first result,
leave out of --columns what no model and no clustering made."""
# Of labels and clusters there are at most so many, and if there are more than a few, each
# has so many rows on average: patients and documents mostly have fewer.
MOST_VALUES, FEW_VALUES, ROWS_OF_EACH = 1000, 50, 50
# As a search tests the choice of the labeled rows.
MOST_TESTED, N_DRAWS = 8, 9_999
SIZE, WIDTH = 400, 80  # rows to check, as in the guide, and letters of a line
_FIRST, _MOST_PATHS = 1000, 50  # records that show what is within records
_SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs"}
_ENCODINGS = {"utf-8-sig": "UTF-8 with a mark", "cp1252": "Windows-1252"}
_LONE = re.compile(r'"[^"]*|[^"]*"')
_NUMBER = re.compile(r"\s*[+-]?(\d+([.,]\d*)?|[.,]\d+)(e[+-]?\d+)?\s*", re.I | re.ASCII)
_DATE = re.compile(
    r"(\d{4}-\d\d?-\d\d?|\d\d?([./])\d\d?\2(\d\d){1,2})([T ]\d\d?:\d\d.*)?", re.ASCII
)


class Values(NamedTuple):
    """The different values of a column, except marks of rows without one."""

    texts: list[str]
    numbers: NDArray[np.float64] | None  # if all are such
    n_rows: int
    n_filled: int  # rows with a value
    half_empty: bool


class Column(NamedTuple):
    """A column, and what it seems to hold."""

    name: str
    kind: str
    says: str = ""  # of its values
    values: Sequence[str] = ()
    codes: NDArray[Any] | None = None  # index of each value, and -1 where there is none
    marks: Sequence[str] = ()  # values that seem to stand for none


def look(args: Namespace) -> None:
    inputs, odd = Inputs(args), list[str]()
    print(f"{args.data}: {_size(inputs)}")
    separator = inputs.format.separator
    columns = _related([_guessed(*each, separator, odd) for each in _cells(inputs)])
    width = min(max((len(column.name) for column in columns), default=0), 30)
    print("A guess of what its columns hold, from each column by itself:\n")
    for name, kind, says, *_ in columns:
        line = f"  {name[:30]:<{width}}  {kind:<18}{says}"
        print(line.rstrip() if len(line) <= WIDTH else f"{line[: WIDTH - 3]}...")
    if odd:
        print("\nOdd values:")
    for text in odd:
        print(fill(text, WIDTH, initial_indent="- ", subsequent_indent="  "))
    _tell_of_commands(Commands(args.data, len(inputs.data), columns))


def _size(inputs: Inputs) -> str:
    """Rows and columns, and of a CSV file how it is written."""
    data, form = inputs.data, inputs.format
    size = f"{len(data):,} rows, {len(data.columns)} columns."
    if not form.n_lines:  # of any other file
        return size
    separator = _SEPARATORS[form.separator]
    encoding = _ENCODINGS.get(form.encoding, form.encoding.upper())
    size = f"{size} Cells are separated by {separator}, in {encoding}."
    if form.n_lines > len(data):
        size += f"\nIt has {form.n_lines:,} lines: cells hold line breaks, lines hold no "
        size += "value, or a quotation\nmark is not closed."
    return size


def _cells(inputs: Inputs) -> Iterator[tuple[str, pd.Series]]:
    """All columns; of records within JSON files, a column for each path to a value."""
    for name in inputs.data.columns:
        cells, within = inputs.data[name], []
        if is_for_records(inputs.args.data):
            within = [*_within(name, cells)]
        yield from within or [(name, cells)]


def _within(name: str, cells: pd.Series) -> Iterator[tuple[str, pd.Series]]:
    records = [cell for cell in cells[:_FIRST] if isinstance(cell, list | dict)]
    fields = dict.fromkeys(field for cell in records for field, _ in fields_of(cell))
    # Items of lists are no columns, unless each list has one.
    several = {f[:i] for f in fields for i, key in enumerate(f) if key == 1}
    paths = [f for f in fields if several.isdisjoint(f[:i] for i in range(len(f)))]
    if len(paths) > _MOST_PATHS:
        return
    for path in (".".join(map(str, (name, *field))) for field in paths):
        with suppress(ValueError):
            values = values_at([{name: cell} for cell in cells], path)
            if any(value is not None for value in values):
                yield path, import_pandas().Series(values, dtype=object)


def _guessed(name: str, cells: pd.Series, separator: str, odd: list[str]) -> Column:
    try:
        codes, distinct = cells.factorize()
    except TypeError:  # lists and records cannot be hashed
        return Column(name, NESTED)
    texts = [*map(str, np.asarray(distinct, dtype=object))]
    counts = np.bincount(codes[codes >= 0], minlength=len(texts))
    may_be_labels = len(texts) <= MOST_VALUES
    is_mark = np.array([*(may_be_labels and is_text_of_gap(t) for t in texts), True])
    codes = np.where(is_mark[codes], -1, codes)  # the code -1 is at the end
    marks, n_marked = [*compress(texts, is_mark)], int(counts[is_mark[:-1]].sum())
    some = [*compress(texts, ~is_mark)]
    n_rows, n_filled = len(codes), int(np.sum(codes >= 0))
    # Noise of a clustering is -1 in some rows, and seldom in most of them.
    half_empty = 10 * (n_rows - n_filled - n_marked) >= n_rows or 2 * n_marked >= n_rows
    numbers = _numbers(some, separator)
    values = Values(some, numbers, n_rows, n_filled, n_rows > 0 and half_empty)
    kind = _kind(values)
    odd += _odd(name, values)
    if kind in (HUMAN, LABELS):
        by_text = {t: n for t, n in zip(texts, counts.tolist(), strict=True) if t}
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            report_alike(f"Column {name!r}", by_text, by_people=kind == HUMAN)
        odd += [str(warning.message) for warning in caught]
    if kind not in (HUMAN, LABELS, CLUSTERS, GROUPS):
        return Column(name, kind, _says(kind, values))
    kept = () if kind == GROUPS else some
    return Column(name, kind, _says(kind, values), kept, codes, marks)


def _numbers(texts: list[str], separator: str) -> NDArray[np.float64] | None:
    """The values as numbers, if commands read all of them as such."""
    if separator == "," and any("," in text for text in texts):
        return None  # decimal commas are read where commas do not separate cells
    with suppress(ValueError, TypeError, OverflowError):
        column = as_numbers(import_pandas().Series(texts, dtype=object))
        numbers = np.asarray(column, dtype=np.float64)
        return numbers if np.isfinite(numbers).all() else None
    return None


def _kind(values: Values) -> str:
    """The first kind whose rule fits; doc/shell.md has these rules."""
    texts, numbers, n_rows, n_filled, half_empty = values
    n_values, complete = len(texts), n_filled == n_rows
    if n_values < 2:
        return EMPTY if not n_values else ONE if complete else MARK
    if all(map(_DATE.fullmatch, texts)):
        return TIME
    if numbers is not None and np.any(numbers % 1):
        is_share = complete and numbers.min() >= 0 and numbers.max() <= 1
        return CONFIDENCE if is_share else NUMBERS
    if complete and n_values == n_rows and not any(" " in text for text in texts):
        return IDS
    if 2 * n_values > n_filled:
        return TEXT if numbers is None else NUMBERS
    if half_empty and n_values <= MOST_VALUES:
        return HUMAN
    are_large = n_values <= FEW_VALUES or n_values * ROWS_OF_EACH <= n_filled
    if n_values > MOST_VALUES or not are_large:
        return GROUPS
    return LABELS if numbers is None else CLUSTERS


def _says(kind: str, values: Values) -> str:
    """The values in the order of their names: that of the rows may be one of labels."""
    texts, numbers, n_rows, n_filled, _ = values
    if not texts:
        return ""
    says = f"such as {min(texts)}"
    if numbers is not None and kind not in (ONE, MARK, IDS):
        says = f"{numbers.min():g} to {numbers.max():g}"
    elif kind in (HUMAN, LABELS, GROUPS):
        says = first_of(nsmallest(6, texts), 5)
    if kind in (HUMAN, LABELS, CLUSTERS, GROUPS):
        says = f"{len(texts):,} different, {says}"
    return says if n_filled == n_rows else f"in {n_filled:,} rows, {says}"


def _odd(name: str, values: Values) -> Iterator[str]:
    """What readers or spreadsheets may have made of the values of a column."""
    texts, numbers = values.texts, values.numbers
    dates = [t for t in texts if _DATE.fullmatch(t)] if numbers is None else []
    no_dates = _few_others(texts, _DATE) if dates else []
    quoted = [text for text in texts if '"' in text]
    for strange, what in (
        ([t for t in quoted if _LONE.fullmatch(t)], "with a lone quotation mark"),
        (_few_others(texts, _NUMBER) if numbers is None else [], "that are no numbers"),
        (no_dates, "that are no dates"),
        ([] if no_dates or len(dates) == len(texts) else dates, "that look like dates"),
    ):
        if strange:
            few = first_of(map(shown, sorted(strange)), 3)
            yield f"Column {name!r} has values {what} ({len(strange):,}): {few}."
    if numbers is not None:
        column = import_pandas().Series(texts, dtype=object)
        try:
            refuse_thousands(column, f"Column {name!r}")
        except ValueError as error:
            yield str(error)


def _few_others(texts: list[str], form: re.Pattern[str]) -> list[str]:
    """The values of another form, if they are at most a tenth."""
    for some in (texts[:_FIRST], texts):  # the first show that most have other forms
        others = [text for text in some if not form.fullmatch(text)]
        if 10 * len(others) > len(some):
            return []
    return others


def _related(columns: Sequence[Column]) -> list[Column]:
    """The columns, of which some are copies of others, or tell which rows are labeled."""
    first: dict[bytes, str] = {}
    related = []
    labeled = [_labeled(column) for column in columns if column.kind == HUMAN]
    for column in columns:
        codes = column.codes
        if codes is not None and column.kind != HUMAN:
            # Copies of human labels are not looked for: it would be a comparison.
            same = first.setdefault(blake2b(codes.tobytes()).digest(), column.name)
            if same != column.name:
                column = Column(column.name, COPY, f"of {same!r}, up to names")
            elif not all(np.isin(codes[rows], codes[~rows]).any() for rows in labeled):
                says = "has other values where there are human labels"
                column = Column(column.name, DRAWN, says)
        related.append(column)
    return related


def _tell_of_commands(commands: Commands) -> None:
    """Say whether the labeled rows look like a random choice, and what to run."""
    humans, labels, clusters, groups, confidences = (
        [column for column in commands.columns if column.kind == kind]
        for kind in (HUMAN, LABELS, CLUSTERS, GROUPS, CONFIDENCE)
    )
    # Labels mostly stand beside their confidences; and those of the same classes, as far
    # as their names show, are first.
    places = [column.name for column in commands.columns]
    sure_at = places.index(confidences[0].name) if confidences else 0
    labels.sort(key=lambda column: abs(places.index(column.name) - sure_at))
    for some, others in (humans, labels), (labels, humans):
        names = {value for column in others for value in column.values}
        some.sort(key=lambda column: names.isdisjoint(column.values))
    candidates = labels + clusters
    chosen = [*_random_choices(humans, candidates, groups), None][0]
    if not candidates:
        print("\nNo command fits: all rows need labels by a model, or clusters.")
        return
    is_one = len(candidates) == 1
    names = {*chosen.values} if chosen else set()
    alike = [column for column in labels if not names.isdisjoint(column.values)]
    # To certify one of several by labels that are there, and then another, is a search.
    if len(alike) < 2 and (labels or is_one):
        sample = chosen if alike else None
        print(commands.to_audit((alike or candidates)[0], confidences, sample))
    if chosen and not (is_one and alike):
        print(commands.to_choose(chosen, candidates))
    elif not (chosen or is_one):
        print(commands.to_label(candidates))
        print(commands.to_choose(Column("human", HUMAN), candidates))
    print(f"\n{NO_COMPARISON}")


def _random_choices(
    humans: Sequence[Column], candidates: Sequence[Column], groups: Sequence[Column]
) -> list[Column]:
    """The columns whose labeled rows look like a random choice, as is told."""
    n_tested = min(MOST_TESTED, len(candidates))
    places = np.linspace(0, len(candidates) - 1, n_tested).round().astype(int)
    clusterings = {candidates[at].name: candidates[at].codes for at in places}
    of_groups = groups[0].codes if len(groups) == 1 else None
    by_rows: dict[bytes, list[Column]] = {}
    for human in humans:
        by_rows.setdefault(_labeled(human).tobytes(), []).append(human)
    chosen = []
    for columns in by_rows.values():
        test = random_choice_test(
            _labeled(columns[0]), clusterings, groups=of_groups, n_draws=N_DRAWS
        )
        print(f"\nRows with a label in {', '.join(repr(c.name) for c in columns)}:")
        print(fill(str(test), WIDTH))
        chosen += columns if test.looks_random else []
    return chosen


def _labeled(column: Column) -> NDArray[np.bool_]:
    return np.asarray(column.codes) >= 0


class Commands(NamedTuple):
    """Commands for a file, ready to be pasted, and what people do between them."""

    path: str
    n_rows: int
    columns: Sequence[Column]

    def to_choose(self, human: Column, candidates: Sequence[Column]) -> str:
        of_many = f"choose among {len(candidates)} columns and certify one"
        what = of_many if len(candidates) > 1 else f"certify {candidates[0].name!r}"
        # Names are separated by commas, and * is any text.
        names = ",".join(column.name.replace(",", "*") for column in candidates)
        options = _options(human, y=human.name, columns=names)
        heading = fill(f"To {what}, by {human.name!r}:", WIDTH)
        return f"""
{heading}
    {self._run("certify")} {options} --seed 0 --output certified"""

    def to_label(self, candidates: Sequence[Column]) -> str:
        return f"""
To choose among columns, people label rows first:
    {self._draw()}{self._shown(candidates, ROW, LABEL)} --output rows
  People fill in the column 'label' of {self._sheet("rows")}. Copy it into a new column
  'human' of {self.path}, to the rows that the column 'row' counts from 0."""

    def to_audit(
        self, column: Column, confidences: Sequence[Column], sample: Column | None
    ) -> str:
        """Commands that certify a column, by labels of a sample if there is one."""
        labels = _options(column, labels=column.name)
        answers = f"{labels} --audit check.json --answers {self._sheet('check')}"
        sure = f" {_options(confidence=confidences[0].name)}" if confidences else ""
        taken = (ROW, LABEL, SOURCE, AUTOMATIC) if confidences else (ROW, LABEL)
        shown = self._shown([column, *confidences], *taken)
        what = repr(column.name)
        if not sample and sum(each.kind == LABELS for each in self.columns) > 1:
            what += ", or another column that you choose now,"
        by, first = "by new labels of rows drawn at random", self._draw()
        people = f"People fill in the column 'label' of {self._sheet('check')}."
        if sample:
            by = f"by {sample.name!r}, if each row that was drawn has a label there"
            drawn = _options(sample, answered=sample.name, source="WHO")
            first = f"{self._run('audit rows')} {drawn}"
            people = "For WHO, say who drew these rows: statements quote it."
        heading = fill(f"To certify {what} as it is, {by}:", WIDTH)
        text = f"""
{heading}
    {first} {labels}{sure}{shown} --output check
  {people}
  Then bound the wrong labels, the share of a class, or the scores of classes:
    {self._run("audit certify")} {answers}
    {self._run("audit share")} {answers} {_options(of=min(column.values))}
    {self._run("audit classes")} {answers}"""
        if not sure:
            return text
        finish = f"{self._run('audit finish')} {answers}{sure}{shown}"
        return f"""{text}
  Or accept the surest labels, and leave the other rows to people:
    {finish} --target 0.05 --output finished"""

    def _draw(self) -> str:
        return f"{self._run('audit draw')} --size {min(SIZE, self.n_rows // 2)}"

    def _run(self, command: str) -> str:
        return f"{program()} {command} {shlex.join(as_files(self.path))}"

    def _sheet(self, name: str) -> str:
        """The table for people that audit draw writes."""
        return str(output_paths(Namespace(output=name, data=self.path), SHEET)[0])

    def _shown(self, hidden: Sequence[Column], *taken: str) -> str:
        """The option of what people see, where names are taken or within records."""
        others = [column for column in self.columns if column.name not in taken]
        is_within = is_for_records(self.path) and any("." in c.name for c in others)
        # Commas are between names, and * is any text.
        free = [c for c in others if c.name and {*c.name}.isdisjoint(",*")]
        if not free or (len(others) == len(self.columns) and not is_within):
            return ""
        # What is in one record with a label may tell it.
        records = {column.name.partition(".")[0] for column in hidden}
        texts = [c for c in free if c.kind in (IDS, TEXT, TIME)]
        shown = [c for c in texts if c.name.partition(".")[0] not in records] or free[:1]
        return f" {_options(columns=','.join(column.name for column in shown))}"


def _options(column: Column | None = None, **values: str) -> str:
    """Options, quoted for the shell, and marks of a column's missing labels."""
    marks = [f"--missing={mark}" for mark in (column.marks if column else ())]
    return shlex.join([*marks, *as_options(**values)])
