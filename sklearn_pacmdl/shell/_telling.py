"""Columns from which annotators could read the automatic labels."""

from __future__ import annotations

import json
import warnings
from ast import literal_eval
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..columns import unique_inverse
from ..worksheets import import_pandas

if TYPE_CHECKING:
    import pandas as pd

MOST_VALUES = 50
# Of fields within cells, so that words as keys do not fill the memory.
_MOST_FIELDS, _DEEPEST = 1000, 20
# Rows that show that most columns have more values.
_FIRST = 1000
_UNREADABLE = ValueError, SyntaxError, RecursionError, MemoryError

Field = tuple[Any, ...]  # keys and places that lead to it; () is the cell itself


class Labels:
    """Automatic labels, in which rows without one are None."""

    def __init__(self, labels: NDArray[Any]) -> None:
        labeled = np.array([label is not None for label in labels], dtype=bool)
        names, codes = unique_inverse(labels[labeled])
        self.codes = np.full(len(labels), -1)
        self.codes[labeled] = codes
        self.counts = Counter(dict(enumerate(np.bincount(codes).tolist())))
        # Where few rows share a value, each value has few labels by chance.
        self.most_values = min(max(MOST_VALUES, 2 * len(names)), len(codes) // 2)

    def are_told_by(self, parts: Iterable[pd.Series]) -> bool:
        """Whether a column, or a field within its cells, tells nearly all labels."""
        tables: dict[Field, dict[str, Counter[int]]] = {}
        too_many: set[Field] = set()  # values
        start = 0
        for part in parts:
            for cells in part[:_FIRST], part[_FIRST:]:
                codes = self.codes[start : start + len(cells)]
                start += len(cells)
                for cell, label, n in _counted(cells, codes):
                    for field, value in fields_of(cell):
                        is_new = field not in tables
                        n_fields = len(tables) + len(too_many)
                        if field in too_many or (is_new and n_fields >= _MOST_FIELDS):
                            continue
                        table = tables.setdefault(field, {})
                        table.setdefault(value, Counter())[label] += n
                        if len(table) > self.most_values:
                            too_many.add(field)
                            del tables[field]
                if too_many and not tables:
                    return False
        return any(map(self._are_told_by_values, tables.values()))

    def _are_told_by_values(self, table: Mapping[str, Counter[int]]) -> bool:
        """Whether rows have the commonest label of their value.

        All but 5% of the rows do, and this is twice as good as the commonest label alone.
        """
        without_field = Counter(self.counts)
        for counts in table.values():
            without_field.subtract(counts)
        n_rows = self.counts.total()
        n_other = n_rows - max(self.counts.values(), default=0)
        told = [*table.values(), without_field]
        n_untold = n_rows - sum(max(counts.values(), default=0) for counts in told)
        return n_other > 0 and 20 * n_untold <= n_rows and 2 * n_untold <= n_other


def _counted(
    cells: pd.Series, codes: NDArray[np.int64]
) -> Iterator[tuple[Any, int, int]]:
    """Cells with labels, each pair with its number of rows."""
    cells, codes = cells[codes >= 0], codes[codes >= 0]
    try:
        at, values = import_pandas().factorize(cells, use_na_sentinel=False)
    except TypeError:  # lists, for instance
        at, values = np.arange(len(cells)), cells
    values = [*values]
    n_labels = codes.max(initial=0) + 1
    pairs, counts = np.unique(at * n_labels + codes, return_counts=True)
    for pair, count in zip(pairs.tolist(), counts.tolist(), strict=True):
        place, label = divmod(pair, int(n_labels))
        yield values[place], label, count


def fields_of(cell: Any, field: Field = ()) -> Iterator[tuple[Field, str]]:
    """A cell as text, or what is in it, each with where it is."""
    if isinstance(cell, str) and cell[:1] in ("{", "["):
        cell = _parsed(cell)
    if isinstance(cell, dict):
        items: Iterable[Any] = cell.items()
    elif isinstance(cell, list | tuple | np.ndarray):
        items = enumerate(cell)
    else:
        yield field, str(cell)
        return
    if len(field) < _DEEPEST:
        for key, value in items:
            yield from fields_of(value, (*field, key))


def _parsed(text: str) -> Any:
    """What a text of JSON or of Python holds, or else the text."""
    with suppress(*_UNREADABLE):
        return json.loads(text)
    # Python may warn of backslashes, for instance.
    with warnings.catch_warnings(action="ignore"), suppress(*_UNREADABLE):
        return literal_eval(text)
    return text
