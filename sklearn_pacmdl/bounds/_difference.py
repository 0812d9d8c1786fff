"""By how much rows of one kind outnumber those of another, from a uniform sample.

Of P and Q rows of either kind, p and q are in the sample. A limit T(p, q) is fixed by the
sizes. Closed under fewer p and more q, the samples with a limit of at most t are a lower
set, which grows with t. So the chance F(P, Q) of the smallest such set that includes the
sample is a p-value. It falls with P and grows with Q, since p grows stochastically with P
and q with Q. A difference P - Q is refuted if F is below the level for all P + Q.
"""

from functools import lru_cache
from math import ceil, log, log1p
from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp, ndtri_exp

from ..utils._checks import exact_decimal
from ._arrays import Floats
from ._pac_mdl import bmax
from ._tail import _log_pmf, log_tail

# Share of the level for P + Q that the sample makes improbable (Berger and Boos): else
# some that nobody believes in would be the worst. Shares of 0.01 and 0.05 are as good.
_BOX = 0.02
# Share of the level for counts beyond windows.
_LOST = 1e-5
# Nats. Sums of tails were off by less than 1e-11; what is nearer counts as reached.
_SLACK = 1e-9
# Limits are compared with this tolerance; they are computed to 1e-15.
_TIE = 1e-12
# A bound is off by at most this share of all rows, if they are more: to be exact took a
# minute with 10,000 audited rows of a million.
_EXACT = 2**12
# Terms that are computed at once: with more, a difference counts as possible.
_MOST_TERMS = 2**18


@lru_cache(maxsize=2**8)  # certificates compute it when issued, read and verified
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
    sizes = n_audited, n_rows, log_level + log1p(-_BOX)
    kinds = _most_of_both(n_first + n_second, n_audited, n_rows, float(level) * _BOX)
    most = _Sample(n_first, n_second, *sizes, *kinds).largest()
    return -_Sample(n_second, n_first, *sizes, *kinds).largest(), most


def _most_of_both(found: int, audited: int, rows: int, level: float) -> tuple[int, int]:
    """Fewest and most rows of both kinds together, two numbers at least if there are."""
    others, right = rows - audited, audited - found
    fewest, most = found, found + others
    if level / 2 > 0:
        fewest = most - bmax(audited, others, right, level / 2)
        most = found + bmax(audited, others, found, level / 2)
    # With one number, only every second difference would be possible.
    return min(fewest, max(most - 1, found)), most


class Order(NamedTuple):
    """Samples in the order of an approximate upper limit of their difference.

    It decides how tight bounds are, but not whether they are valid.
    """

    n_audited: int
    n_rows: int
    log_level: float

    def limit(self, first: Floats, second: Floats) -> Floats:
        """It grows with each row of the first kind, by half of its share or more."""
        # Both kinds have a prior of c rows, so that none found is not taken for none.
        z = max(0.0, -float(ndtri_exp(self.log_level)))
        c = max(z * z / 4, 0.5)
        n = self.n_audited + 2 * c
        mean = (first - second) / n
        variance = ((first + second + 2 * c) / n - mean**2) / n
        unseen = 1 - self.n_audited / self.n_rows
        return (first - second) / self.n_audited + z * np.sqrt(variance * unseen)

    def event(self, first: int, second: int) -> Floats:
        """Most of the first kind in a sample of the event, by those of the second.

        Among all samples with a limit of at most that of this one, or with fewer of the
        first kind and more of the second than such a sample; -1 where there is none.
        """
        seconds = np.arange(self.n_audited + 1.0)
        # Of all events, the smallest that includes the sample.
        limit = np.min(self.limit(np.array(float(first)), seconds[: second + 1])) + _TIE
        low, high = np.full_like(seconds, -1), self.n_audited - seconds + 1
        while np.any(high - low > 1):
            middle = np.floor((low + high) / 2)
            of_middle = self.limit(np.maximum(middle, 0), seconds)
            within = (of_middle <= limit) | (middle < 0)
            low, high = np.where(within, middle, low), np.where(within, high, middle)
        return np.maximum.accumulate(low)


class _Sample(NamedTuple):
    """A uniform sample of rows, of which some are of either of two kinds."""

    n_first: int
    n_second: int
    n_audited: int
    n_rows: int
    log_level: float
    fewest: int
    most: int

    def largest(self) -> int:
        """Largest difference of the numbers of all rows that is not refuted."""
        if not self.n_audited:
            return self.n_rows
        event = Order(*self[2:5]).event(self.n_first, self.n_second)
        # At a smaller difference there are fewer rows of the first kind, or more of the
        # second where there cannot be fewer. Either makes the event more probable.
        low, high = 2 * self.n_first - self.most, self.most - 2 * self.n_second + 1
        while high - low > 1 + self.n_rows // _EXACT:
            middle = (low + high) // 2
            # Numbers of the second kind that go with it.
            least = max(
                self.n_second, self.n_first - middle, -((middle - self.fewest) // 2)
            )
            most = (self.most - middle) // 2
            reached = least <= most and self._is_reached(event, middle, least, most)
            low, high = (middle, high) if reached else (low, middle)
        return high - 1

    def _is_reached(self, event: Floats, difference: int, least: int, most: int) -> bool:
        """Whether the event is probable enough, at the worst numbers of rows."""
        first, last = np.array([float(least)]), np.array([float(most)])
        n_terms = 0
        while n_terms <= _MOST_TERMS:
            # In all of the range it is at most as probable as with as few of the first
            # kind, and as many of the second, as there can be.
            open_, n_terms = self._reaches(event, difference + first, last)
            first, last = first[open_], last[open_]
            if not first.size:
                return False
            of_last, _ = self._reaches(event, difference + last, last)
            if np.any(of_last):
                return True
            middle = np.floor((first + last) / 2)
            first, last = np.append(first, middle + 1), np.append(middle, last)
        return True

    def _reaches(self, event, first, second):
        """Whether the event has a probability of the level, and how many terms it has."""
        n, n_rows = self.n_audited, self.n_rows
        second = np.minimum(second, n_rows - first)
        # Counts beyond the window are counted as in the event.
        nats, share = log(2 / _LOST) - self.log_level, second / n_rows
        width = nats / 3 + np.sqrt(nats**2 / 9 + 2 * nats * n * share * (1 - share))
        offsets = np.arange(-ceil(width.max()), ceil(width.max()) + 1.0)
        # Given how many of the second kind are audited, those of the first kind are a
        # uniform choice of all other rows.
        seen = offsets[:, None] + np.floor(n * second / n_rows)
        possible = (seen >= 0) & (seen <= np.minimum(n, second))
        seen, first, second = np.broadcast_arrays(np.clip(seen, 0, n), first, second)
        a = np.minimum(event[seen.astype(np.intp)], n - seen)
        rest = n_rows - second - (n - seen)  # other rows that are not audited
        left = first - a  # of the first kind among these, at least
        possible &= (a >= 0) & (rest >= np.maximum(left, 0))
        s, second, rest, left, a = (v[possible] for v in (seen, second, rest, left, a))
        log_terms = _log_pmf(n + 0 * s, n_rows - n + 0 * s, s, second - s)
        i = np.flatnonzero((left > 0) & (a < n - s))  # elsewhere the tail is 1
        log_terms[i] += log_tail((n - s)[i], rest[i], a[i], left[i])[0]
        table = np.full(possible.shape, -np.inf)
        table[possible] = log_terms
        level = self.log_level + log1p(-_LOST) - _SLACK
        return logsumexp(table, axis=0) >= level, table.size
