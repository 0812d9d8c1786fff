"""Looking at an audit after every label: when so few errors certify a target.

Rows are labeled in a uniformly random order. Given that x of the first m labels showed
errors, every order of these m answers is equally likely, whatever the number of errors
among all rows. So the chance of no earlier certificate, given m and x, depends on the
boundaries alone. It is computed once, label by label. The chance that a look certifies is
this times a hypergeometric probability, for any number of errors.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..utils._checks import as_array, check_integer, check_open_unit, invalid
from ._arrays import Floats, as_ints
from ._pac_mdl import tolerated_audit_errors
from ._tail import MAX_COUNT, _log_pmf

# Each label, and each error, adds at most four roundings of 1.1e-16 to the relative error
# of a chance: less than the margin below after so many of both.
MAX_LABELS = 10**6
_MARGIN = 1e-9
# Labels times boundaries, of which files of anybody may have more: so many are read in
# 17 s. A target of 0.1 with 200,000 labels of 10 million rows has 4e9.
_MOST_CHANCES = 5 * 10**9
# Far above the numbers that floats take for 0, so that none of these certifies.
_UNDERFLOW = 1e-300
# After a share of the labels, its root of delta may be spent. So data sets with few
# errors are certified soon, and others nearly as often as by one look at the end.
_SPENT = 0.5
# Numbers of labels for which chances are computed together. Decides about speed alone.
_BLOCK = 64


def _chance_of_seeing(n_rows, n_labels, n_seen, n_errors) -> Floats:
    """Probability of so many errors among the first labels, of so many among all rows."""
    m, a, errors = np.broadcast_arrays(
        *(np.asarray(v, dtype=float) for v in (n_labels, n_seen, n_errors))
    )
    n, b = n_rows - m, errors - a
    chance = np.zeros(m.shape)
    possible = (a <= m) & (b >= 0) & (b <= n)
    chance[possible] = np.exp(_log_pmf(*(v[possible] for v in (m, n, a, b))))
    return chance


def _walk(max_labels, most_errors, certifies) -> tuple[list[int], list[float]]:
    """For each number of errors that can certify, the first number of labels, and the
    chance of no earlier certificate with so many errors."""
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
    most ``n_tolerated`` of all rows are wrong. If c errors certify after m labels, they
    also do after more labels, because no more errors can have been seen before. So one
    may look at any time.
    """

    n_rows: int
    n_tolerated: int
    max_labels: int
    boundaries: NDArray[np.int64]

    def __post_init__(self) -> None:
        n_rows = self.n_rows = check_integer("n_rows", self.n_rows, 1, MAX_COUNT)
        most = n_rows - 1, min(n_rows, MAX_LABELS)
        self.n_tolerated = check_integer("n_tolerated", self.n_tolerated, 0, most[0])
        self.max_labels = check_integer("max_labels", self.max_labels, 1, most[1])
        first = as_array("boundaries", self.boundaries)
        right: Any = first.ndim == 1 and (first.dtype.kind in "iu" or not first.size)
        if right and first.size:
            later = first >= np.maximum(np.arange(first.size), 1)
            right = later.all() and np.all(np.diff(first) >= 0)
            right = right and first[-1] <= self.max_labels
        if not right:
            never = "numbers of labels that never decrease, from 1 to max_labels"
            allowed = f"{never} and each at least its index"
            raise invalid("boundaries", allowed, self.boundaries)
        if first.size * int(first.max(initial=0)) > _MOST_CHANCES:
            allowed = f"such that labels times boundaries are at most {_MOST_CHANCES:,}"
            raise invalid("boundaries", allowed, self.boundaries)
        self.boundaries = first.astype(np.int64)
        self.boundaries.flags.writeable = False

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

    @property
    def false_certification(self) -> float:
        """Probability of ever certifying too many errors, for the worst number."""
        # One error too many is the worst number: with more, more are seen.
        return float(self.law(self.n_tolerated + 1).sum())

    def most_errors(self, n_labels: ArrayLike) -> Any:
        """Largest number of errors that certifies after so many labels, or -1."""
        return as_ints(np.searchsorted(self.boundaries, n_labels, side="right") - 1)

    def _seeing(self, n_errors: ArrayLike) -> Floats:
        """Chance of seeing a errors at boundary a."""
        n_seen, errors = np.arange(self.boundaries.size), np.asarray(n_errors)[..., None]
        return _chance_of_seeing(self.n_rows, self.boundaries, n_seen, errors)

    def law(self, n_errors: int) -> Floats:
        """Probability that the first look that certifies is that of each boundary."""
        return self._chances * self._seeing(n_errors)

    def success(self, n_errors: ArrayLike) -> Any:
        """Probability that the target is certified within ``max_labels``."""
        return self._seeing(n_errors) @ self._chances

    def expected_labels(self, n_errors: ArrayLike) -> Any:
        """Mean number of labels until the target is certified, or the audit ends."""
        saved = self.max_labels - self.boundaries
        return self.max_labels - self._seeing(n_errors) @ (self._chances * saved)


class _Spending:
    """Decides when one more error may certify, within the share of delta by then."""

    def __init__(self, plan: LooksPlan, delta: float) -> None:
        self.plan, self.delta, self.spent = plan, float(delta) * (1 - _MARGIN), 0.0
        self.corner, self.block = (0, 0), np.empty(0)

    def __call__(self, m: int, a: int, chance: float) -> bool:
        chance *= self._seeing(m, a)
        level = self.delta * (m / self.plan.max_labels) ** _SPENT
        if self.spent + chance + _UNDERFLOW > level:
            return False
        self.spent += chance
        return True

    def _seeing(self, m: int, a: int) -> float:
        """Chance of ``a`` errors among ``m`` labels; 0 if so many cannot be wrong."""
        errors, first = self.corner
        if a != errors or m - first >= len(self.block):
            self.corner, first = (a, m), m
            labels = np.arange(m, min(m + _BLOCK, self.plan.n_rows + 1))
            least = self.plan.n_tolerated + 1
            self.block = _chance_of_seeing(self.plan.n_rows, labels, a, least)
        return float(self.block[m - first])


def looks_plan(
    n_rows: int, n_tolerated: int, max_labels: int, *, delta: float = 0.1
) -> LooksPlan:
    """The smallest boundaries that certify a data set with too many errors with delta."""
    # Every boundary is the first number of labels at which the probability that too many
    # errors are ever certified stays within what may be spent. Spending a probability of
    # error over looks is known from clinical trials (Lan and DeMets, Biometrika 70(3),
    # 1983).
    plan = LooksPlan(n_rows, n_tolerated, max_labels, np.empty(0, dtype=int))
    check_open_unit("delta", delta)
    # More errors do not certify in a single look at the end with all of delta, and so in
    # no look. One is added since ties count as too many there.
    max_labels, left = plan.max_labels, plan.n_rows - plan.max_labels
    most = 1 + tolerated_audit_errors(max_labels, left, plan.n_tolerated, delta)
    most = min(most, max_labels)
    if max_labels * (most + 1) > _MOST_CHANCES:
        product = f"labels times boundaries, {most + 1:,}, are at most {_MOST_CHANCES:,}"
        raise invalid(
            "max_labels", f"smaller for this target, so that {product}", max_labels
        )
    first, _ = _walk(max_labels, most, _Spending(plan, delta))
    return replace(plan, boundaries=np.array(first, dtype=np.int64))
