"""Rows that were drawn elsewhere, before anything else of an audit was known."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..random_choice import RandomChoiceTest, check_choices, fields_of_test
from ..utils._checks import as_mask, invalid, is_printable, shown
from ._designs import Groups, Strata
from ._pool import Pool

# Strata whose choice of rows is tested: more would be slow, and find less in each.
_MOST_TESTED = 8


def check_source(source: object) -> None:
    """Refuse what does not name who drew rows, as statements quote it."""
    is_text = isinstance(source, str) and is_printable(source) and source.strip()
    if not is_text or len(str(source)) > 200:
        allowed = "a text of 1 to 200 printable characters that says who drew the rows"
        raise invalid("source", allowed, source)


def drawn_rows(rows: Any, n_rows: int) -> NDArray[np.int64]:
    """Indices of the drawn rows, in the order in which they are given."""
    mask, array = as_mask("rows", rows, n_rows), np.asarray(rows)
    if array.dtype == bool:
        return np.flatnonzero(mask)
    indices = array.astype(np.int64)
    values, counts = np.unique(indices, return_counts=True)
    if np.any(counts > 1):
        raise ValueError(
            f"rows must be drawn without replacement, got {shown(rows)}, which repeats "
            f"{shown(values[counts > 1].tolist())}."
        )
    return indices


def check_drawn(rows: NDArray[np.int64], can: Pool) -> None:
    """Refuse rows that cannot be all that were drawn, by the design."""
    outside = rows[~np.isin(rows, can.rows)].tolist()
    if outside:
        allowed = "rows that could be drawn: not excluded, and of a stratum"
        raise invalid("rows", allowed, outside)
    if not 0 < len(rows) < len(can.rows):
        allowed = f"at least one row, and fewer than the {len(can.rows)} there are"
        raise invalid("rows", allowed, rows)
    if not can.design.are_whole(rows, can.rows):
        allowed = "all rows of each group that was drawn, and not a part of some"
        raise invalid("rows", allowed, rows)


def tested(rows, can: Pool, test: RandomChoiceTest | None) -> dict[str, Any]:
    """What an audit stores of the test of the choice of rows, which warns."""
    if test is not None and not isinstance(test, RandomChoiceTest):
        raise invalid("test", "None or a result of random_choice_test", test)
    return fields_of_test(check_choices(_choices(rows, can)) if test is None else test)


def _choices(rows: NDArray[np.int64], can: Pool) -> list[Any]:
    """Masks of what was chosen, by part, and what they are tested by besides places."""
    is_drawn, number = np.isin(can.rows, rows), can.design.number
    labels = [] if can.codes is None else [can.codes[can.rows]]
    if isinstance(can.design, Groups):
        _, first = np.unique(number[can.rows], return_index=True)
        return [(is_drawn[np.sort(first)], [])]
    if not isinstance(can.design, Strata):
        return [(is_drawn, labels)]
    of_rows = number[can.rows]
    largest = np.argsort(-np.bincount(of_rows), kind="stable")[:_MOST_TESTED]
    within = [of_rows == k for k in largest.tolist()]
    return [(is_drawn[rows], [each[rows] for each in labels]) for rows in within]
