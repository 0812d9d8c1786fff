"""Inversion of one ordered family of events, for strata that were sampled separately.

Of the E rows of a kind in each stratum, X are among those audited, independently given
the numbers of audited rows. A limit u(x) is fixed by these numbers, and never falls in
any x. For the true E, F(E, X) = P(u(X') <= u(X)) is below a level with at most this
probability: it is a lower tail of the law of u(X), ties included. So the E with F at
least at the level are a confidence set, wherever the rows of the kind are.

Events are lower sets, and X grows stochastically with E. So F never grows in any E, and
is at most that of the lowest corner of a cell of many E.
"""

from collections.abc import Sequence
from math import ceil, floor, log, prod, sqrt
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtri

from ._arrays import Floats
from ._pac_mdl import bmax
from ._tail import _log_pmf

#: Share of delta by which numbers of rows are excluded that no stratum makes probable
#: (Berger and Boos): else some that nobody believes in would be the worst.
BOX = 0.02
# F is raised by this share of the level, for counts beyond windows, and of itself, for
# rounding. Laws are products of up to 2**19 ratios, whose logarithms sum to less than
# 2**14: they are off by 2**(19 + 14 - 53) = 1e-6 at most, in each of three strata, and
# sums of their positive terms by less than 1e-8.
_LOST = 1e-5
# Limits are compared with this tolerance, in favor of more counts in an event: roots are
# known to 1e-12, and other terms to 1e-14 of their size.
_TIE = 1e-11
# Audited rows of a stratum; with more, the limits of each stratum say all.
_MOST_AUDITED = 2**24
# Cells of E, entries of a law, and blocks of counts by number of strata: these decide
# about time and memory, and by 1% about bounds.
_MOST_CELLS, _MOST_ENTRIES, _MOST_BLOCKS = 2**20, 2**21, {2: 2**12, 3: 2**8}


class Sample(NamedTuple):
    """Of each stratum, the rows found to be of a kind, the audited ones, and all."""

    found: Sequence[int]
    audited: Sequence[int]
    rows: Sequence[int]


class Ratio(NamedTuple):
    """The ratio ``alpha . E / (size + gamma . E)``, which falls in none of the E."""

    alpha: tuple[float, ...]
    gamma: tuple[float, ...]
    size: float

    def of(self, rows: Sequence[Any]) -> tuple[Any, Any]:
        """Numerator and denominator."""
        above = sum(a * e for a, e in zip(self.alpha, rows, strict=True))
        below = sum(c * e for c, e in zip(self.gamma, rows, strict=True))
        return above, self.size + below

    def weights(self, ratio: float) -> list[float]:
        """The w for which a ratio is not exceeded where ``w . E <= ratio * size``."""
        return [a - ratio * c for a, c in zip(self.alpha, self.gamma, strict=True)]


class Order(NamedTuple):
    """Audits in the order of an approximate upper limit of the ratio.

    It decides how tight bounds are, but not whether they are valid: the constants are the
    best of those tried. That the limit never falls in any count is proved in the theory.
    """

    sample: Sample
    ratio: Ratio
    z: float
    prior: float

    @classmethod
    def at(cls, sample: Sample, ratio: Ratio, level: float) -> "Order":
        z = max(0.0, -1.2 * ndtri(level))
        return cls(sample, ratio, z, max(z * z / 4, 0.5))

    def excess(self, ratio: float, counts: Sequence[Any]) -> Any:
        """How far the limit of ``w . E`` is above what the ratio allows, by its size."""
        estimate = variance = 0.0
        weights, c = self.ratio.weights(ratio), self.prior
        for w, x, m, n in zip(weights, counts, *self.sample[1:], strict=True):
            estimate = estimate + w * n * (x + 0.5) / (m + 1)
            q = (x + c) / (m + 2 * c)
            unseen = 1 - m / max(n, 1)
            variance = variance + (w * n) ** 2 * unseen * q * (1 - q) / (m + 2 * c)
        return (estimate + self.z * np.sqrt(variance)) / self.ratio.size - ratio

    def limit(self, counts: Sequence[int]) -> float:
        """The ratio from which on there is no excess, up to 1; or 1."""
        # The excess is convex in the ratio and positive at 0: there is one at most.
        if self.excess(1.0, counts) > -_TIE:
            return 1.0
        return float(brentq(self.excess, 0.0, 1.0, (counts,), xtol=1e-13)) + _TIE

    def event(self, found: Sequence[int], counts: Sequence[Floats]) -> Floats:
        """Largest count in the last stratum with a limit of at most that of the sample.

        On a grid of counts of the other strata, and -1 where there is none.
        """
        limit, grid = self.limit(found), np.meshgrid(*counts, indexing="ij")
        most = self.sample.audited[-1]
        if limit >= 1:
            return np.full(grid[0].shape, most)
        low, high = np.full(grid[0].shape, -1), np.full(grid[0].shape, most + 1)
        while np.any(high - low > 1):
            middle = (low + high) // 2
            at = [*grid, np.clip(middle, 0, most)]
            tie = _TIE * np.array([limit, 1.0])
            within = (self.excess(limit, at) <= tie[0]) & (self.excess(1.0, at) <= tie[1])
            within |= middle < 0  # where both have met already
            low, high = np.where(within, middle, low), np.where(within, high, middle)
        return low


def chances(sample: Sample, ratio, delta, n_strata) -> tuple[list[Floats], Floats]:
    """The largest E of each cell, and the chance F of its smallest, rounded up.

    E of each stratum are on an axis of their own. They leave out what of all ``n_strata``
    together has a probability of ``BOX * delta``.
    """
    side, level = BOX * delta / (2 * n_strata), (1 - BOX) * delta
    limits = [_limits(*each, side) for each in zip(*sample, strict=True)]
    if max(sample.audited) > _MOST_AUDITED:
        return [np.array([float(high)]) for _, high in limits], np.ones([1] * len(limits))
    windows = [
        _window(m, n, *ends, _LOST * level / (2 * len(limits)))
        for m, n, ends in zip(*sample[1:], limits, strict=True)
    ]
    cells = _cells(limits, windows, ratio)
    last = [
        np.append(first[1:] - 1, high)
        for first, (_, high) in zip(cells, limits, strict=True)
    ]
    laws = [*map(_law, *sample[1:], cells, windows)]
    most = _MOST_BLOCKS[len(limits)]
    for s, window in enumerate(windows[:-1]):
        # A block of counts has the chance of its first, which is in the most events.
        starts = np.arange(0, len(window), ceil(len(window) / most))
        windows[s], laws[s] = window[starts], np.add.reduceat(laws[s], starts, axis=1)
    event = Order.at(sample, ratio, level).event(sample.found, windows[:-1])
    up_to = np.cumsum(np.pad(laws[-1], ((0, 0), (1, 0))), axis=1)
    column = np.clip(event + 1 - windows[-1][0], 0, len(windows[-1]))
    chance = up_to[:, column.astype(np.intp)]
    for law in laws[-2::-1]:
        chance = np.tensordot(law, chance, axes=(1, -1))
    return last, np.minimum(chance * (1 + _LOST) + _LOST * level, 1.0)


def _limits(found: int, audited: int, rows: int, side: float) -> tuple[int, int]:
    """Fewest and most rows of the kind in a stratum."""
    others, right = rows - audited, audited - found
    least = others - bmax(audited, others, right, side)
    return found + least, found + bmax(audited, others, found, side)


def _window(m: int, n: int, low: int, high: int, missed: float) -> Floats:
    """Counts that for E from low to high are exceeded on a side with this probability."""
    # Bernstein's inequality, which holds without replacement as with it (Hoeffding).
    nats, (p, q) = -log(missed), (low / max(n, 1), high / max(n, 1))
    below, above = (
        nats / 3 + sqrt(nats * nats / 9 + 2 * nats * m * r * (1 - r)) for r in (p, q)
    )
    least, most = floor(m * p - below) - 1, ceil(m * q + above) + 1
    return np.arange(max(least, 0), min(most, m) + 1, dtype=float)


def _cells(limits, windows, ratio) -> list[Floats]:
    """The first E of each cell, of which all are as wide in units of the ratio."""
    weights = np.array(ratio.weights(0.5))
    n_rows = np.array([high - low + 1 for low, high in limits])
    width = (prod(n_rows * weights) / _MOST_CELLS) ** (1 / len(limits))
    steps = np.ceil(
        np.maximum(width / weights, n_rows * [*map(len, windows)] / _MOST_ENTRIES)
    )
    return [
        np.arange(low, high + 1, max(step, 1), dtype=float)
        for (low, high), step in zip(limits, steps, strict=True)
    ]


def _law(m: int, n: int, number: Floats, counts: Floats) -> Floats:
    """Probability of each of several consecutive counts, by the number of rows."""
    if not n:  # no row, and no count but 0
        return np.ones((1, 1))
    e, k = number[:, None], counts
    possible = (k <= e) & (m - k <= n - e)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = ((e - k) * (m - k) / ((k + 1) * (n - e - m + k + 1)))[:, :-1]
    ratios = np.where(possible[:, :-1] & possible[:, 1:], ratios, 1.0)
    logs = np.cumsum(np.pad(np.log(ratios), ((0, 0), (1, 0))), axis=1)
    mode = np.floor((m + 1) * (e + 1) / (n + 2))
    mode = np.clip(mode, np.maximum(k[0], m - n + e), np.minimum(k[-1], e))[:, 0]
    of_mode = _log_pmf(*np.broadcast_arrays(float(m), float(n - m), mode, number - mode))
    at_mode = logs[np.arange(len(number)), (mode - k[0]).astype(np.intp)]
    return np.where(possible, np.exp(logs + (of_mode - at_mode)[:, None]), 0.0)
