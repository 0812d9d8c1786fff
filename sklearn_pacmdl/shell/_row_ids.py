"""Ids by which tables of people name rows, in place of their numbers."""

from __future__ import annotations

from collections import Counter
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..certificates import plain_text
from ..columns import is_missing
from ..utils._checks import first_of, listed


class RowIds:
    """The ids in a column of all rows; without it, those that tables of people have."""

    def __init__(self, column: Any = None, where: str = "") -> None:
        self.are_all, self._where = column is not None, where
        ids = _ids_in(column, where) if self.are_all else ()
        self._rows = dict(zip(ids, count()))

    def rows_of(self, column: Any, name: str) -> NDArray[np.int64]:
        """The rows that the ids in a column name."""
        ids = _ids_in(column, name)
        if unknown := [each for each in ids if each not in self._rows]:
            if self.are_all:
                what = (
                    f"must hold ids that are in {self._where}, got {len(unknown)} others"
                )
                raise ValueError(f"{name} {what}: {listed(unknown)}.")
            self._rows.update(zip(unknown, count(len(self._rows))))
        return np.array([self._rows[each] for each in ids], dtype=np.int64)

    def listed(self, rows: NDArray[np.int64]) -> str:
        ids = [*self._rows]
        return f"[{first_of(repr(ids[row]) for row in np.sort(rows))}]"


def _ids_in(column: Any, name: str) -> list[str]:
    """The ids in a column, each of them once; 007, 7 and 7.0 are the same id."""
    cells = np.asarray(column).tolist()
    # Spreadsheets change numbers, and people add blanks.
    ids = ["" if is_missing(c) else plain_text(str(c).strip()) for c in cells]
    if missing := [at for at, each in enumerate(ids, start=1) if not each]:
        places = first_of(map(str, missing))
        what = f"must have an id in every line, but {len(missing)} have none"
        raise ValueError(f"{name} {what}: {places}, without the header.")
    if len({*ids}) < len(ids):
        repeated = [each for each, n in Counter(ids).items() if n > 1]
        what = "must have each id once, where 007, 7 and 7.0 are the same, got several of"
        raise ValueError(f"{name} {what} {listed(repeated)}.")
    return ids
