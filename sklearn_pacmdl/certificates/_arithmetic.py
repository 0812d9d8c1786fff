"""The bound of a certificate from its counts, computed and checked again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import lru_cache
from math import prod
from typing import Any, Literal

import numpy as np

from ..bounds import (
    DECIDABLE,
    Factor,
    Groups,
    exact_bmax,
    exact_decoupled_bound,
    pac_mdl_bound,
    tail_reaches,
)
from ..utils._checks import exact_decimal

Method = Literal["integers", "enclosure"]
#: Number of clusters, and rows, labeled rows and errors among these of each.
Cluster = tuple[int, int, int, int]


def slower(methods: Iterable[Method]) -> Method:
    """The method of several comparisons: integers if any of them took these."""
    return "integers" if "integers" in methods else "enclosure"


def grouped(clusters: Iterable[Iterable[int]]) -> tuple[Cluster, ...]:
    """Rows, labeled rows and errors of each cluster, with equal ones counted."""
    rows = np.array([tuple(each) for each in clusters], dtype=np.int64).reshape(-1, 3)
    kinds, times = np.unique(rows, axis=0, return_counts=True)
    lines = np.column_stack([times, kinds]).tolist()
    return tuple((times, n, m, a) for times, n, m, a in lines)


def factor_of(facts: Mapping[str, Any]) -> Factor:
    """The factors that were chosen beforehand."""
    return "closed" if facts.get("factor") == "closed" else "table"


def _groups_of(clusters: Iterable[Cluster]) -> Groups:
    """Clusters as the bound takes them."""
    times, n, m, a = np.array([*clusters], dtype=np.int64).reshape(-1, 4).T
    return Groups(n, m, a, times)


# Of as many digits as a file may have it takes half a second, and it is asked for by each
# statement and verification.
@lru_cache(maxsize=8)
def product_of(ratios: tuple[Fraction, ...]) -> Fraction:
    """Exact product of weights."""
    return prod(ratios, start=Fraction(1))


def _level_of(certificate: Any) -> Fraction:
    """The probability that the bound has to exceed."""
    c = certificate
    return exact_decimal(c.delta) * product_of(tuple(c.weights.values()))


def bound_of(certificate: Any) -> int:
    """The bound that follows from all other fields."""
    c, level = certificate, _level_of(certificate)
    if c.clusters:
        return exact_decoupled_bound(_groups_of(c.clusters), level, factor_of(c.facts))
    counts, length = (c.n_train, c.n_test, c.n_train_errors), c.description_length
    guess = pac_mdl_bound(*counts, description_length=length, delta=c.delta)
    return exact_bmax(*counts, level, guess)


def wrong_bound(certificate: Any) -> tuple[list[str], Method]:
    """What is wrong with the bound, and how it was compared with its level."""
    c, b, level = certificate, certificate.max_test_errors, _level_of(certificate)
    if c.clusters:
        groups = _groups_of(c.clusters)
        right = exact_decoupled_bound(groups, level, factor_of(c.facts))
        method: Method = "integers" if groups.n_rows <= DECIDABLE else "enclosure"
        found = {"below": b < right, "above": b > right}
    else:
        counts = c.n_train, c.n_test, c.n_train_errors
        here, method = tail_reaches(*counts, b, level)
        above: bool | None = False
        if b < c.n_test:
            above, other = tail_reaches(*counts, b + 1, level)
            method = slower([method, other])
        # None: not proven, which is not good enough for a bound.
        found = {"below": above is not False, "above": here is False}
    problems = [f"max_test_errors is {how} the bound" for how in found if found[how]]
    if c.bound != b / c.n_test:
        problems.insert(0, "bound is not max_test_errors / n_test")
    return problems, method
