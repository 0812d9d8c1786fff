"""By how much rows of one kind outnumber those of another, from a uniform sample."""

from math import ceil, log, sqrt
from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp

from ..utils._checks import exact_decimal
from ._arrays import Floats
from ._tail import _log_pmf, log_tail

# Nats. Sums of tails were off by less than 1e-11; what is nearer counts as reached.
_SLACK = 1e-9
# The sum of the terms that are left out is so many nats below the level.
_NEGLIGIBLE = 40.0
# A bound is off by at most this share of all rows, if they are more: to be exact took a
# minute with 10,000 audited rows of a million.
_EXACT = 2**12
# Terms that are computed at once: with more, a difference counts as possible. That was
# not seen with up to 10,000 audited rows.
_MOST_TERMS = 2**18


def difference_bounds(
    n_first: int, n_second: int, n_audited: int, n_rows: int, delta: float
) -> tuple[int, int]:
    """Least and most that rows of a first kind outnumber those of a second.

    A uniform sample of ``n_audited`` of all ``n_rows`` rows has so many rows of either
    kind, and may have others. Half of delta, which may depend on the last two counts, is
    spent on each bound. From 4096 rows on, bounds may be too wide by a 4096th.
    """
    level = exact_decimal(delta) / 2  # whose logarithm floats may not have
    log_level = log(level.numerator) - log(level.denominator)
    # Differences from the mean of which all others together are negligible, by
    # Hoeffding's inequality, which holds without replacement, too.
    width = ceil(sqrt(n_audited * (_NEGLIGIBLE + 1 - log_level) / 2))
    sizes = n_audited, n_rows, log_level, np.arange(-width, width + 1.0)
    most = _Sample(n_first, n_second, *sizes).largest()
    return -_Sample(n_second, n_first, *sizes).largest(), most


class _Sample(NamedTuple):
    """A uniform sample of rows, of which some are of either of two kinds."""

    n_first: int
    n_second: int
    n_audited: int
    n_rows: int
    log_level: float
    offsets: Floats

    def largest(self) -> int:
        """Largest difference of the numbers of all rows that is not refuted."""
        # At a smaller difference there are fewer rows of the first kind, or more of the
        # second where these cannot be fewer. Either makes a small difference in the
        # sample more probable.
        not_others = self.n_rows - (self.n_audited - self.n_first - self.n_second)
        low, high = 2 * self.n_first - not_others, not_others - 2 * self.n_second + 1
        while high - low > 1 + self.n_rows // _EXACT:
            middle = (low + high) // 2
            # Numbers of the second kind that go with it.
            least = max(self.n_second, self.n_first - middle)
            reached = self._is_reached(middle, least, (not_others - middle) // 2)
            low, high = (middle, high) if reached else (low, middle)
        return high - 1

    def _is_reached(self, difference: int, least: int, most: int) -> bool:
        """Whether such a sample is probable enough, at the worst numbers of rows."""
        first, last = np.array([float(least)]), np.array([float(most)])
        while first.size * len(self.offsets) <= _MOST_TERMS:
            # All in the range are at most as probable as with as few of the first kind,
            # and as many of the second, as there can be.
            open_ = self._reaches(difference + first, last)
            first, last = first[open_], last[open_]
            if not first.size:
                return False
            if np.any(first == last) or np.any(self._reaches(difference + last, last)):
                return True
            middle = np.floor((first + last) / 2)
            first, last = np.append(first, middle + 1), np.append(middle, last)
        return True

    def _reaches(self, first: Floats, second: Floats) -> Floats:
        """Whether the sample has no larger difference with a probability of the level."""
        n, difference = self.n_audited, self.n_first - self.n_second
        # Given how many of the second kind are audited, those of the first kind are a
        # uniform choice of all other rows.
        seen = self.offsets[:, None] + np.floor(n * second / self.n_rows)
        seen, first, second = np.broadcast_arrays(seen, first, second)
        rest = self.n_rows - second - (n - seen)  # other rows that are not audited
        left = first - (difference + seen)  # of the first kind among these, at least
        possible = (seen >= np.maximum(0, -difference)) & (seen <= np.minimum(n, second))
        possible &= rest >= np.maximum(left, 0)
        s, second, rest, left = (v[possible] for v in (seen, second, rest, left))
        m = n - s
        a = np.minimum(difference + s, m)
        log_terms = _log_pmf(n + 0 * s, self.n_rows - n + 0 * s, s, second - s)
        i = np.flatnonzero((left > 0) & (a < m))  # elsewhere the tail is 1
        log_terms[i] += log_tail(m[i], rest[i], a[i], left[i])[0]
        table = np.full(possible.shape, -np.inf)
        table[possible] = log_terms
        return logsumexp(table, axis=0) >= self.log_level - _SLACK
