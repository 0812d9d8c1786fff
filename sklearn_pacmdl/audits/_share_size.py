"""How many checks bound the share of a class closely enough, by a guess of the errors."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from ..bounds import float_above, float_below, log_chance, stratified_upper_bound
from ._designs import SHARES

Floats: TypeAlias = NDArray[np.float64]

# Counts of a stratum that are told apart, and standard deviations from the mean within
# which they are: others have a chance below 1e-8.
_MOST_COUNTS, _WIDTH = 301, 6
# Counts of each stratum at which widths are computed, for one guess of the size after the
# other. With three or at another size, chances of rare classes were off by 0.2.
_N_COMPUTED = 0, 1, 5, 5, 5
# Shares of the outcomes that are below and above the counts.
_TAIL = 0.02


@dataclass(frozen=True)
class ShareSize:
    """Size of an audit for the share of a class, and what can be expected of it.

    Attributes
    ----------
    n_labels : int
        Rows to audit.
    n_audited : tuple of int
        How many of them are of the class by the labels, and how many are not.
    power : float
        Probability that the bounds are as close as planned if the guess is right, in
        [0, 1]. It may be off by some hundredths, 0.06 in our tests.
    lower, upper : float
        Bounds of the share if the audit finds as many errors as expected, in [0, 1].

    See Also
    --------
    audit_size : The function that returns it.

    Examples
    --------
    >>> from sklearn_pacmdl.audits import audit_size
    >>> audit_size(500, 0.06, expected_error=(0.3, 0.02), n_predicted=80).n_audited
    (36, 37)
    """

    n_labels: int
    n_audited: tuple[int, int]
    power: float
    lower: float
    upper: float


class _Outcomes(NamedTuple):
    """What audits of one size can find in each stratum."""

    audited: NDArray[np.int64]
    found: list[Floats]
    chances: list[Floats]

    def at(self, quantiles: list[float], stratum: int) -> list[int]:
        """Indices of the counts of a stratum at these quantiles."""
        below = np.cumsum(self.chances[stratum])
        return np.minimum(np.searchsorted(below, quantiles), len(below) - 1).tolist()


class Guess(NamedTuple):
    """Rows of a class by their labels, and others, and how many of them truly are."""

    rows: tuple[int, int]
    truly: tuple[int, int]
    half: float

    def outcomes(self, n_labels: int) -> _Outcomes:
        audited = SHARES["equal"](np.array(self.rows), n_labels)
        found, chances = [], []
        for n, k, m in zip(self.rows, self.truly, audited.tolist(), strict=True):
            spread = _WIDTH * (np.sqrt(m * k / n * (1 - k / n)) + 2)
            low = max(np.floor(m * k / n - spread), m - (n - k), 0)
            high = min(np.ceil(m * k / n + spread), m, k)
            counts = np.unique(np.linspace(low, high, _MOST_COUNTS).round())
            below = np.exp(log_chance(n, m, counts.astype(np.int64), k))
            found.append(counts)
            chances.append(np.diff(below, prepend=0.0))
        return _Outcomes(audited, found, chances)

    def widths(self, outcomes: _Outcomes) -> Floats:
        """How far apart bounds are about, by which certificates order audits."""
        z = max(-1.2 * float(ndtri(self.half)), 0.1)
        c, variance = max(z * z / 4, 0.5), np.zeros(())
        for n, m, x in zip(self.rows, *outcomes[:2], strict=True):
            q = (x + c) / (m + 2 * c)
            of_stratum = n**2 * (1 - m / n) * q * (1 - q) / (m + 2 * c)
            variance = np.add.outer(variance, of_stratum)
        return 2 * z * np.sqrt(variance)

    def bounds(self, audited: NDArray[np.int64], found: Floats) -> tuple[int, int]:
        """Those of the certificate, as numbers of rows."""
        found = found.astype(np.int64)
        others = stratified_upper_bound(audited - found, audited, self.rows, self.half)
        most = stratified_upper_bound(found, audited, self.rows, self.half)
        return sum(self.rows) - others, most

    def ratios(self, n_labels: int, n_counts: int) -> list[tuple[Floats, Floats]]:
        """What to multiply ``widths`` by, by the share that is found in each stratum."""
        if not n_counts:
            return [(np.array([0.5]), np.array([1.0]))] * 2
        outcomes = self.outcomes(n_labels)
        about, found = self.widths(outcomes), outcomes.found
        i, j = (outcomes.at([0.5], k)[0] for k in range(2))

        def ratio(i: int, j: int) -> float:
            low, high = self.bounds(
                outcomes.audited, np.array([found[0][i], found[1][j]])
            )
            return float((high - low) / about[i, j])

        places = [
            np.unique(np.linspace(low, high, n_counts).round().astype(int)).tolist()
            for low, high in (outcomes.at([_TAIL, 1 - _TAIL], k) for k in range(2))
        ]
        # Both vary little, so that their product does for both counts together.
        values = [
            np.array([ratio(place, j) for place in places[0]]),
            np.array([ratio(i, place) for place in places[1]]) / ratio(i, j),
        ]
        shares = [found[k][places[k]] / outcomes.audited[k] for k in range(2)]
        return [*zip(shares, values, strict=True)]

    def power(
        self, n_labels: int, most: int, ratios: list[tuple[Floats, Floats]]
    ) -> float:
        """Chance that bounds are so many rows apart at most."""
        outcomes = self.outcomes(n_labels)
        factors = [
            np.interp(x / m, *ratio)
            for x, m, ratio in zip(outcomes.found, outcomes.audited, ratios, strict=True)
        ]
        widths = self.widths(outcomes) * np.multiply.outer(*factors)
        return float(np.multiply.outer(*outcomes.chances)[widths <= most].sum())

    def size(self, most: int, power: float) -> ShareSize | None:
        """The smallest audit with this power, if there is one."""
        sizes, at = range(2, sum(self.rows)), 0
        for n_counts in _N_COMPUTED:
            before, ratios = at, self.ratios(sizes[at], n_counts)
            chances = partial(self.power, most=most, ratios=ratios)
            at = bisect_left(sizes, power, key=chances)
            if at == len(sizes):
                return None
            if at == before:
                break
        audited = self.outcomes(sizes[at]).audited
        found = np.rint(audited * np.divide(self.truly, self.rows))
        low, high = self.bounds(audited, found)
        return ShareSize(
            n_labels=sizes[at],
            n_audited=(int(audited[0]), int(audited[1])),
            power=self.power(sizes[at], most, ratios),
            lower=float_below(Fraction(low, sum(self.rows))),
            upper=float_above(Fraction(high, sum(self.rows))),
        )
