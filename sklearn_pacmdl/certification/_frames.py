"""Counts of labelings whose rows stay in the engine of a frame."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..columns import (
    as_labels,
    class_codes,
    column_names,
    count_pairs,
    count_values,
    encode_labels,
    labeled_rows,
    number_clusters,
    refuse_columns,
    why_made_of_labels,
    why_no_labeling,
    why_too_many,
)
from ..utils._checks import invalid, is_iterable
from ._counting import digest, divide
from ._counts import ClusterCounts

#: Names, patterns of names, or a function that tells of a name whether it is meant.
Columns = str | Sequence[str] | Callable[[str], bool] | None


def choose_columns(names: Sequence[str], columns: Columns) -> list[str]:
    """Names of the columns that are meant, in the order of the table."""
    if columns is None:
        return list(names)
    if callable(columns) and not isinstance(columns, type):
        chosen = {name for name in names if columns(name)}
        unknown = [] if chosen else [columns]
    else:
        entries = [columns] if isinstance(columns, str) else columns
        if not is_iterable(entries) or not all(isinstance(e, str) for e in entries):
            allowed = "None, a name, a pattern, a list of these or a function of names"
            raise invalid("columns", allowed, columns)
        matches = {entry: _matches(entry, names) for entry in entries}
        chosen = {name for match in matches.values() for name in match}
        unknown = [entry for entry, match in matches.items() if not match]
    if unknown or not chosen:
        allowed = f"about columns of labelings, which are {list(names)}"
        raise invalid("columns", allowed, unknown[0] if unknown else columns)
    return [name for name in names if name in chosen]


def _matches(entry, names):
    """The column of this name, or those that fit, where * stands for any text."""
    pattern = ".*".join(map(re.escape, entry.split("*")))
    fitting = [name for name in names if re.fullmatch(pattern, name, flags=re.DOTALL)]
    return [entry] if entry in names else fitting


def check_columns(names: Sequence[str], reasons: Sequence[str | None]) -> None:
    """Refuse columns that are no labelings, for these reasons."""
    remedy = "Leave them out by columns=, a list of names or a pattern such as 'leiden_*'"
    refuse_columns("labelings", dict(zip(names, reasons, strict=True)), remedy)


def check_unlabeled(n_unlabeled: Any) -> None:
    """Refuse labels that leave nothing to certify."""
    if not n_unlabeled:
        raise ValueError(
            "y has no unlabeled row, which -1 or a missing value marks: there is nothing "
            "to certify."
        )


# Values that may all mean noise: what is missing, NaN and -1.
_MARKS = 3


class NamedCounts(NamedTuple):
    """Counts of each labeling, what clusters and classes are called, and who counted."""

    counts: Sequence[ClusterCounts]
    cluster_names: Sequence[NDArray[Any]]
    classes: NDArray[Any]
    groups: tuple[NDArray[np.int64], NDArray[np.int64]] | None  # rows and labeled rows
    engine: str


def labelings_of(frame: Any, y: Any, groups: Any, source: Any) -> list[str]:
    """Names of the columns of an opened frame that are neither labels nor groups."""
    names = column_names(frame, source)
    left = list(names)
    for parameter, name in {"y": y, "groups": groups}.items():
        if name is None and parameter == "groups":
            continue
        if not isinstance(name, str) or name not in left:
            allowed = f"the name of a column of labelings, one of {left}"
            raise invalid(parameter, allowed, name)
        left.remove(name)
    if not left:
        raise invalid("labelings", f"columns besides that of the labels {y!r}", source)
    return left


def count_frame(
    frame: Any, columns: Sequence[str], y: Any, groups: str | None, source: Any, classes
) -> NamedCounts:
    """Count the rows of all labelings in the engine of the frame; none of them selects.

    ``y`` and ``groups`` are names of columns; ``source`` is what the frame was opened
    from, for errors.
    """
    *n_values, n_rows = count_values(frame, columns, source)
    # Tables of such columns would be as large as the rows, so they are not even counted.
    check_columns(columns, [why_too_many(n, n_rows, _MARKS) for n in n_values])
    pairs = count_pairs(frame, [*columns, *([groups] if groups else [])], y, source)
    names, _ = encode_labels(as_labels(pairs[0].labels), classes, pairs[0].n_rows)
    named, tables = zip(
        *(_table(own, c, names) for own, c in zip(pairs, columns, strict=False)),
        strict=True,
    )
    reasons = [
        why_no_labeling(clusters, n_rows)
        or why_made_of_labels(clusters, table.sum(axis=1), table[:, -1])
        for clusters, table in zip(named, tables, strict=True)
    ]
    check_columns(columns, reasons)
    check_unlabeled(tables[0][:, -1].sum())
    counts = [
        ClusterCounts(
            sizes=table.sum(axis=1),
            select=np.zeros_like(table[:, :-1]),
            certify=table[:, :-1],
            test=table[:, -1],
        )
        for table in tables
    ]
    by_group = None
    if groups:
        _, table = _table(pairs[-1], groups, names)
        by_group = table.sum(axis=1), table[:, :-1].sum(axis=1)
    return NamedCounts(counts, named, names, by_group, frame.implementation.value)


def divide_frame(counted: NamedCounts, frame, columns, y, source, strategy, seed):
    """The counts with some of the labeled rows as those that select.

    If there have to be any, the labeled rows are fetched, and no others.
    """
    if not strategy.fraction:
        return counted.counts
    rows = labeled_rows(frame, columns, y, source)
    contents = _contents(rows, counted.cluster_names, counted.classes)
    labeled = [own.certify for own in counted.counts]
    selecting = _selecting(contents, labeled, strategy, seed)
    return [
        replace(own, select=select, certify=own.certify - select)
        for own, select in zip(counted.counts, selecting, strict=True)
    ]


def _table(pairs, column, classes):
    """Names of clusters, and their rows by class, by label of no class, and unlabeled."""
    where = f"column {column!r} of labelings"
    names, clusters = number_clusters(pairs.clusters, where).present()
    table = np.zeros((len(names), len(classes) + 2), dtype=np.int64)
    # The code of unlabeled rows, -1, is that of the last column.
    np.add.at(table, (clusters, class_codes(pairs.labels, classes)), pairs.n_rows)
    return names, table


def _contents(rows, named, classes):
    """Labeled rows as codes of their clusters and, in the last column, of their class."""
    columns, labels = rows
    codes = [_places(column, names) for column, names in zip(columns, named, strict=True)]
    codes.append(class_codes(labels, classes))
    contents = np.column_stack(codes)
    return contents[contents[:, -1] >= 0]


def _places(column, names):
    """Index in `names` of each row's cluster; -1 if it was not there before."""
    found, codes = number_clusters(column, "labelings").present()
    place = {name: i for i, name in enumerate(names.tolist())}
    places = [place.get(name, -1) for name in found.tolist()]
    return np.array(places, dtype=np.int64)[codes]


def _selecting(contents, labeled, strategy, seed):
    """Tables of the labeled rows that select, from those of all labeled rows."""
    found = [_tabulated(contents, i, table.shape) for i, table in enumerate(labeled)]
    if not all(map(np.array_equal, found, labeled)):
        raise ValueError(
            "labelings must be a frame with the same rows each time that it is computed, "
            f"got {len(contents)} labeled rows that are not those counted before. Write "
            "it to a file first."
        )
    select, _ = divide_contents(contents, strategy, seed)
    return [_tabulated(select, i, table.shape) for i, table in enumerate(labeled)]


def _tabulated(contents, column, shape):
    table = np.zeros(shape, dtype=np.int64)
    np.add.at(table, (contents[:, column], contents[:, -1]), 1)
    return table


def divide_contents(contents, strategy, seed):
    """Divide labeled rows (n_labeled, n_columns) that have neither an order nor numbers.

    Rows are sorted by what is in them, so the division is the same in every engine. What
    is in them is part of the seed, as the set of rows is where rows have numbers. Where
    it can take few values, the promise is kept on average over seeds, and at a single
    seed only about.
    """
    rows = contents[np.lexsort(contents.T)]
    words = np.frombuffer(digest(rows), dtype=np.uint32)
    select, certify = divide(np.arange(len(rows)), strategy, [seed, 0, *words])
    return rows[select], rows[certify]
