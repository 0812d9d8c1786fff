"""Looking at an audit after every label: when so few errors certify a target.

Rows are labeled in a uniformly random order. Given that x of the first m labels showed
errors, every order of these m answers is equally likely, whatever the number of errors
among all rows. So the chance that no earlier look certified, given m and x, depends on
the boundaries alone: it is computed once, label by label, and the chance of a look that
certifies is this times a hypergeometric probability, for any number of errors at all.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..utils._checks import (
    as_array,
    check_integer,
    check_number,
    check_open_unit,
    check_option,
    invalid,
)
from ._arrays import Floats, as_ints
from ._pac_mdl import tolerated_audit_errors
from ._tail import MAX_COUNT, _log_pmf

LooksKind = Literal["total", "remaining"]
KINDS = ("total", "remaining")

# Each label adds at most four roundings of 1.1e-16 to the relative error of a chance, and
# so does each error: less than the margin below after so many of both.
MAX_LABELS = 10**6
_MARGIN = 1e-9
# Far above the numbers that floats take for 0, so that none of these certifies; the sum
# of as many chances as there may be labels, each of which is at least the smallest.
_UNDERFLOW = 1e-300
_SMALLEST = 1e-307

# Chances computed together. Decides about speed and memory alone: 4,000 to 65,000 are as
# fast, a million half as fast.
_TOGETHER = 2**14


def _chance_of_seeing(
    n_rows: int, n_labels: ArrayLike, n_seen: ArrayLike, n_errors: ArrayLike
) -> Floats:
    """Probability of so many errors among the first labels, of so many among all rows."""
    m, a, errors = np.broadcast_arrays(
        *(np.asarray(v, dtype=float) for v in (n_labels, n_seen, n_errors))
    )
    n, b = n_rows - m, errors - a
    chance = np.zeros(m.shape)
    possible = (a <= m) & (b >= 0) & (b <= n)
    chance[possible] = np.exp(_log_pmf(*(v[possible] for v in (m, n, a, b))))
    return chance


def _walk(
    max_labels: int, most_errors: int, certifies: Callable[[int, int, float], bool]
) -> tuple[list[int], list[float]]:
    """For each number of errors that ever certifies, the first number of labels, and the
    chance that no look before certified if so many errors are seen."""
    first: list[int] = []
    chances: list[float] = []
    # Entry a + 1: chance that no look has certified given a errors. Entry 0 stays 0.
    open_ = np.zeros(most_errors + 2)
    open_[1] = 1.0
    errors = np.arange(most_errors + 1, dtype=float)
    for m in range(1, max_labels + 1):
        low, high = len(first), min(m, most_errors) + 1
        a = errors[low:high]
        # The last of m labels is one of the a errors with probability a / m.
        stayed, rose = open_[low + 1 : high + 1], open_[low:high]
        open_[low + 1 : high + 1] = ((m - a) * stayed + a * rose) / m
        # The next numbers of errors certify too, until one does not.
        while len(first) < high:
            a_next = len(first)
            chance = float(open_[a_next + 1])
            if not certifies(m, a_next, chance):
                break
            first.append(m)
            chances.append(chance)
            open_[a_next + 1] = 0.0
    return first, chances


@dataclass(eq=False)
class LooksPlan:
    """Rule that tells, after any number of labels, how few errors certify a target.

    Once ``boundaries[a]`` labels have shown at most a errors, it is certified that at
    most ``n_tolerated`` of all rows are wrong, or of the "remaining" ones, which are not
    labeled yet. If c errors certify after m labels, they also do after more labels,
    because no more errors can have been seen before. So one may look at any time.
    """

    n_rows: int
    n_tolerated: int
    max_labels: int
    boundaries: NDArray[np.int64]
    kind: LooksKind = "total"

    def __post_init__(self) -> None:
        n_rows = self.n_rows = check_integer("n_rows", self.n_rows, 1, MAX_COUNT)
        most = n_rows - 1, min(n_rows, MAX_LABELS)
        self.n_tolerated = check_integer("n_tolerated", self.n_tolerated, 0, most[0])
        self.max_labels = check_integer("max_labels", self.max_labels, 1, most[1])
        check_option("kind", self.kind, KINDS)
        self.boundaries = _check_boundaries(self.boundaries, self.max_labels)

    @cached_property
    def _chances(self) -> Floats:
        """Chance that no look before each boundary certified, given what it sees."""
        first = self.boundaries
        _, chances = _walk(
            int(first.max(initial=0)),
            max(first.size - 1, 0),
            lambda m, a, _: m >= first[a],
        )
        return np.array(chances)

    @cached_property
    def false_certification(self) -> float:
        """Probability of ever certifying too many errors, for the worst number."""
        # Of all rows, one error too many is the worst number: with more, more are seen.
        # Of the remaining rows, a errors seen are too few only if more than n_tolerated
        # + a rows are wrong. So each number of errors has a probability of its own, up to
        # where all boundaries count; beyond, more errors are seen again.
        least, n_seen = self.n_tolerated + 1, np.arange(self.boundaries.size)
        if self.kind == "total":
            return float(self.law(least).sum())
        stops, most = _Stops(self.n_rows, least, n_seen.size), 0.0
        seeing = _chance_of_seeing(self.n_rows, self.boundaries, n_seen, n_seen + least)
        for stop in zip(self.boundaries, self._chances, seeing, strict=True):
            stops.add(*stop)
            most = max(most, stops.spent)
            stops.add_error()
        return most

    def most_errors(self, n_labels: ArrayLike) -> Any:
        """Largest number of errors that certifies after so many labels, or -1."""
        return as_ints(np.searchsorted(self.boundaries, n_labels, side="right") - 1)

    def law(self, n_errors: int) -> Floats:
        """Probability that the first look that certifies is that of each boundary."""
        n_seen = np.arange(self.boundaries.size)
        return self._chances * _chance_of_seeing(
            self.n_rows, self.boundaries, n_seen, n_errors
        )

    def success(self, n_errors: ArrayLike) -> Any:
        """Probability that the target is certified within ``max_labels``."""
        return self._mean(n_errors, np.ones(self.boundaries.size))

    def expected_labels(self, n_errors: ArrayLike) -> Any:
        """Mean number of labels until the target is certified, or the audit ends."""
        saved = self.max_labels - self.boundaries
        return self.max_labels - self._mean(n_errors, saved)

    def _mean(self, n_errors: ArrayLike, gain: NDArray[Any]) -> Any:
        """Mean of what a certificate gains, by boundary; nothing without certificate."""
        errors, n_seen = np.asarray(n_errors), np.arange(gain.size)
        step = max(_TOGETHER // max(gain.size, 1), 1)
        means = [
            _chance_of_seeing(self.n_rows, self.boundaries, n_seen, part[:, None])
            @ (self._chances * gain)
            for part in np.split(errors.ravel(), range(step, errors.size, step))
        ]
        return np.concatenate(means).reshape(errors.shape)[()]


def _check_boundaries(boundaries: Any, max_labels: int) -> NDArray[np.int64]:
    first = as_array("boundaries", boundaries)
    right: Any = first.ndim == 1 and (first.dtype.kind in "iu" or not first.size)
    if right and first.size:
        later = first >= np.maximum(np.arange(first.size), 1)
        right = later.all() and np.all(np.diff(first) >= 0) and first[-1] <= max_labels
    if not right:
        allowed = "numbers of labels that never decrease, from 1 to max_labels"
        raise invalid("boundaries", f"{allowed} and each at least its index", boundaries)
    first = first.astype(np.int64)
    first.flags.writeable = False
    return first


def _check_looks(looks: Any, max_labels: int) -> frozenset[int] | range:
    if looks is None:
        return range(1, max_labels + 1)
    array = as_array("looks", looks)
    right = array.ndim == 1 and array.size and array.dtype.kind in "iu"
    if not right or array[0] < 1 or array[-1] != max_labels or np.any(np.diff(array) < 1):
        allowed = "None or increasing numbers of labels, of which the last is max_labels"
        raise invalid("looks", f"{allowed} = {max_labels}", looks)
    return frozenset(array.tolist())


class _Stops:
    """Boundaries so far, and the chance of each to stop an audit first.

    The chances are those for one number of errors among all rows, which may grow.
    """

    def __init__(self, n_rows: int, n_errors: int, capacity: int) -> None:
        self.n_rows, self.n_errors, self.size = n_rows, n_errors, 0
        # Products of many ratios are much faster than as many probabilities.
        self._right_seen, self._chances, self._seeing = np.zeros((3, capacity))
        self._seen = np.arange(capacity)

    @property
    def spent(self) -> float:
        """Chance that any of them stops an audit."""
        return float(self._chances[: self.size] @ self._seeing[: self.size])

    def add(self, n_labels: int, chance: float, seeing: float) -> None:
        """Add a boundary, at which one more error certifies than at the last one.

        ``chance`` is that no look before certified, given the errors that are seen here,
        and ``seeing`` that of seeing so many.
        """
        self._right_seen[self.size] = n_labels - self.size
        self._chances[self.size], self._seeing[self.size] = chance, seeing
        self.size += 1

    def add_error(self) -> None:
        """Turn to one more error among all rows; no chance becomes too small.

        Chances above 0 that floats take for 0 become the smallest: they may grow later.
        """
        right, self.n_errors = self.n_rows - self.n_errors, self.n_errors + 1
        seeing = self._seeing[: self.size]
        if right <= 0:  # no data set has so many
            seeing[:] = 0
            return
        ratios = (right - self._right_seen[: self.size]) * (self.n_errors / right)
        ratios /= self.n_errors - self._seen[: self.size]
        np.maximum(seeing * ratios, _SMALLEST * (ratios > 0), out=seeing)


# Numbers of errors and of labels for which chances are computed together. Decides about
# speed alone: 8 to 32 errors and 32 to 64 labels differ by less than a third.
_BLOCK = 16, 64


class _Spending:
    """Decides, as labels come in, when one more error may certify."""

    # It may once the chance that a data set with too many errors has been certified is
    # within the share of delta that may be spent by then. The worst number of errors is
    # the smallest that is too many: of the remaining rows, the smallest that is too many
    # although this many errors were seen and corrected.

    def __init__(
        self,
        plan: LooksPlan,
        level: Callable[[int], float],
        looks: frozenset[int] | range,
        most_errors: int,
    ) -> None:
        self.least, self.kind = plan.n_tolerated + 1, plan.kind
        self.stops = _Stops(plan.n_rows, self.least, most_errors + 1)
        self.level, self.looks = level, looks
        self.corner, self.block = (0, 0), np.empty((0, 0))

    def __call__(self, m: int, a: int, chance: float) -> bool:
        if m not in self.looks:
            return False
        seeing = self._seeing(m, a)
        if self.stops.spent + chance * seeing + _UNDERFLOW > self.level(m):
            return False
        self.stops.add(m, chance, seeing)
        if self.kind == "remaining":
            self.stops.add_error()
        return True

    def _seeing(self, m: int, a: int) -> float:
        """Chance of ``a`` errors among ``m`` labels; 0 if so many cannot be wrong."""
        row, column = a - self.corner[0], m - self.corner[1]
        if row >= len(self.block) or column >= self.block.shape[1]:
            self.corner, row, column = (a, m), 0, 0
            n_seen = a + np.arange(_BLOCK[0])[:, None]
            n_labels = np.arange(m, min(m + _BLOCK[1], self.stops.n_rows + 1))
            n_errors = self.least + (n_seen if self.kind == "remaining" else 0)
            self.block = _chance_of_seeing(self.stops.n_rows, n_labels, n_seen, n_errors)
        return float(self.block[row, column])


def looks_plan(
    n_rows: int,
    n_tolerated: int,
    max_labels: int,
    *,
    delta: float = 0.1,
    kind: LooksKind = "total",
    rho: float = 0.5,
    looks: ArrayLike | None = None,
) -> LooksPlan:
    """Boundaries such that a data set with too many errors is certified with delta.

    For no error, one error, two errors and so on, the plan has the smallest number of
    labels, among the ``looks``, at which they certify. After m labels, a share ``(m /
    max_labels) ** rho`` of delta may have been spent: small values favor data sets with
    few errors, large ones those with nearly too many.
    """
    # Every boundary is the first number of labels at which the probability that too many
    # errors are ever certified stays within what may be spent. Spending a probability of
    # error over looks is known from clinical trials (Lan and DeMets, Biometrika 70(3),
    # 1983).
    plan = LooksPlan(n_rows, n_tolerated, max_labels, np.empty(0, dtype=int), kind)
    n_rows, max_labels = plan.n_rows, plan.max_labels
    check_open_unit("delta", delta)
    check_number("rho", rho, least=0)

    def level(m: int) -> float:
        return float(delta) * (1 - _MARGIN) * (m / max_labels) ** rho

    # More errors do not certify in a single look, at the end and for all of delta, nor
    # do they in several; one is added since ties count as too many there.
    left = n_rows - max_labels
    most = 1 + tolerated_audit_errors(max_labels, left, plan.n_tolerated, delta)
    most = min(most, max_labels)
    spending = _Spending(plan, level, _check_looks(looks, max_labels), most)
    first, _ = _walk(max_labels, most, spending)
    return replace(plan, boundaries=np.array(first, dtype=np.int64))
