"""Ids by which tables of people name rows, in place of their numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..certificates import plain_text
from ..columns import is_missing
from ..utils._checks import first_of, listed
from ..worksheets import import_pandas


class RowIds:
    """The ids of all rows, and where they are from."""

    def __init__(self, ids: Iterable[str], where: str) -> None:
        self._index, self._where = import_pandas().Index([*ids]), where

    def rows_of(self, ids: list[str], name: str) -> NDArray[np.int64]:
        """The row that each id names."""
        rows: NDArray[np.int64] = self._index.get_indexer(ids)
        if unknown := [each for each, row in zip(ids, rows, strict=True) if row < 0]:
            what = f"must hold ids that are in {self._where}, got {len(unknown)} others"
            raise ValueError(f"{name} {what}: {listed(unknown)}.")
        return rows

    def listed(self, rows: NDArray[np.int64]) -> str:
        return f"[{first_of(map(repr, self._index[np.sort(rows)]))}]"


def ids_in(column: Any, name: str) -> list[str]:
    """The ids in a column, each of them once; 007, 7 and 7.0 are the same id."""
    cells = np.asarray(column).tolist()
    # Spreadsheets change numbers, and people add blanks.
    ids = ["" if is_missing(c) else plain_text(str(c).strip()) for c in cells]
    if missing := [at for at, each in enumerate(ids, start=1) if not each]:
        places = first_of(map(str, missing))
        what = f"must have an id in every line, but {len(missing)} have none"
        raise ValueError(f"{name} {what}: {places}, without the header.")
    if len({*ids}) < len(ids):
        repeated = [each for each, count in Counter(ids).items() if count > 1]
        what = "must have each id once, where 007, 7 and 7.0 are the same, got several of"
        raise ValueError(f"{name} {what} {listed(repeated)}.")
    return ids
