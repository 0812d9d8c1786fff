"""The bound of a certificate from its counts, and whether it takes too long."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import lru_cache
from math import prod
from typing import Any, Literal

import numpy as np

from ..bounds import (
    DECIDABLE,
    MAX_COUNT,
    QUICK,
    Factor,
    Groups,
    exact_bmax,
    exact_decoupled_bound,
    pac_mdl_bound,
    table_cells,
)
from ..utils._checks import exact_decimal
from ._audited_parts import bound_by_parts, is_by_parts
from ._audits import fewest_seen, has_two_sides

Method = Literal["integers", "enclosure"]
#: Number of clusters, and rows, labeled rows and errors among these of each.
Cluster = tuple[int, int, int, int]

# Cells of the tables of all clusters for a range of numbers of errors, at 10 ns each, and
# what each table takes besides. A thousand clusters of 10,000 rows have fewer if up to
# 100 are labeled in each.
MOST_CELLS, CELLS_OF_A_TABLE = 3 * 10**8, 30_000


def grouped(clusters: Iterable[Iterable[int]]) -> tuple[Cluster, ...]:
    """Rows, labeled rows and errors of each cluster, with equal ones counted."""
    rows = np.array([tuple(each) for each in clusters], dtype=np.int64).reshape(-1, 3)
    kinds, times = np.unique(rows, axis=0, return_counts=True)
    lines = np.column_stack([times, kinds]).tolist()
    return tuple((times, n, m, a) for times, n, m, a in lines)


def _factor_of(facts: Mapping[str, Any]) -> Factor:
    """The factors that were chosen beforehand."""
    return "closed" if facts.get("factor") == "closed" else "table"


# Of as many digits as a file may have it takes half a second, and it is asked for by each
# statement and verification.
@lru_cache(maxsize=8)
def product_of(ratios: tuple[Fraction, ...]) -> Fraction:
    """Exact product of weights."""
    return prod(ratios, start=Fraction(1))


def bound_of(certificate: Any, guess: int | None = None) -> int:
    """The bound that follows from all other fields, the sooner the nearer the guess."""
    c = certificate
    if is_by_parts(c):
        return bound_by_parts(c)
    level = exact_decimal(c.delta) * product_of(tuple(c.weights.values()))
    length = c.description_length
    if has_two_sides(c):  # which costs as much as a bit
        level, length = level / 2, length + 1
    if c.clusters:
        times, n, m, a = np.array([*c.clusters], dtype=np.int64).T
        return exact_decoupled_bound(Groups(n, m, a, times), level, _factor_of(c.facts))
    counts = c.n_train, c.n_test, c.n_train_errors
    if guess is None:
        guess = pac_mdl_bound(*counts, description_length=length, delta=c.delta)
    return exact_bmax(*counts, level, guess)


def fewest_of(certificate: Any, guess: int | None = None) -> int:
    """The lower bound, where there are two sides: all but the most that can be right."""
    c = certificate
    counts = c.n_train, c.n_test, c.n_train - fewest_seen(c)
    if guess is None:
        guess = c.n_test - pac_mdl_bound(*counts, description_length=1, delta=c.delta)
    return c.n_test - exact_bmax(*counts, exact_decimal(c.delta) / 2, c.n_test - guess)


def method_of(certificate: Any) -> Method:
    """How the bound is compared with its level."""
    c = certificate
    most = DECIDABLE if c.clusters else QUICK
    whole = c.n_train + c.n_test <= most and not is_by_parts(c)
    return "integers" if whole else "enclosure"


def takes_too_long(certificate: Any) -> list[str]:
    """Whether the bound takes too long to compute, where all fields are well-formed."""
    c = certificate
    n_rows = sum(times * n for times, n, _, _ in c.clusters)
    if n_rows > MAX_COUNT:
        return [f"clusters have more than {MAX_COUNT} rows: {n_rows}"]
    # Clusters without labels, and those with labels only, say nothing.
    sizes = np.array([*{(n, m) for _, n, m, _ in c.clusters if 0 < m < n}]).reshape(-1, 2)
    of_each = table_cells(*sizes.T)
    cells = round(np.sum(of_each[of_each > 0] + CELLS_OF_A_TABLE))
    if cells > MOST_CELLS and _factor_of(c.facts) == "table":
        return [f"clusters need tables of more than {MOST_CELLS} cells: {cells}"]
    return []
