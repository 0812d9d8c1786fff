"""How many checks bound the share of a class closely enough, by a guess of the errors."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtri

from ..bounds import float_above, float_below, log_chance, stratified_upper_bound
from ._designs import SHARES

# Counts of a stratum that are told apart, and standard deviations from the mean within
# which they are: others have a chance below 1e-8.
_MOST_COUNTS, _WIDTH = 301, 6
# Bounds are computed at three outcomes: those below which widths are with these shares of
# the planned power. By one outcome, it was up to 0.25 too large where widths are alike.
_COMPUTED = 1 / 3, 2 / 3, 1
# Of the outcomes that are wider by at most this chance, the most probable one is taken.
_NEAR = 0.02


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
        [0, 1]. In our tests, it was up to 0.15 too small, and up to 0.02 too large.
    lower, upper : float
        Bounds of the share if the audit finds as many errors as expected, in [0, 1].

    See Also
    --------
    audit_size : The function that returns it.

    Examples
    --------
    >>> from sklearn_pacmdl.audits import audit_size
    >>> audit_size(500, 0.06, expected_error=(0.3, 0.02), n_predicted=80).n_audited
    (36, 36)
    """

    n_labels: int
    n_audited: tuple[int, int]
    power: float
    lower: float
    upper: float


class Guess(NamedTuple):
    """Rows of a class by their labels, and others, and how many of them truly are."""

    rows: tuple[int, int]
    truly: tuple[int, int]
    half: float

    def outcomes(self, n_labels: int) -> tuple[Any, Any, Any]:
        """Audited rows of each stratum, what they can show, and the chances of that."""
        audited = SHARES["equal"](np.array(self.rows), n_labels)
        found, chances = [], []
        for n, k, m in zip(self.rows, self.truly, audited.tolist(), strict=True):
            spread = _WIDTH * (np.sqrt(m * k / n * (1 - k / n)) + 2)
            low = max(np.floor(m * k / n - spread), m - (n - k), 0)
            high = min(np.ceil(m * k / n + spread), m, k)
            found.append(np.unique(np.linspace(low, high, _MOST_COUNTS).round()))
            below = np.exp(log_chance(n, m, found[-1].astype(np.int64), k))
            chances.append(np.diff(below, prepend=0.0))
        outcomes = np.stack(np.meshgrid(*found, indexing="ij")).reshape(2, -1)
        return audited, outcomes, np.multiply.outer(*chances).ravel()

    def widths(self, audited: Any, found: Any) -> Any:
        """How far apart bounds are, in some unit, by which certificates order audits."""
        z = max(-1.2 * float(ndtri(self.half)), 0.1)
        c, n, m = max(z * z / 4, 0.5), np.array(self.rows)[:, None], audited[:, None]
        q = (found + c) / (m + 2 * c)
        return np.sqrt(np.sum(n**2 * (1 - m / n) * q * (1 - q) / (m + 2 * c), axis=0))

    def bounds(self, audited: Any, found: Any) -> tuple[int, int]:
        """Those of the certificate, as numbers of rows."""
        found = found.astype(np.int64)
        others = stratified_upper_bound(audited - found, audited, self.rows, self.half)
        most = stratified_upper_bound(found, audited, self.rows, self.half)
        return sum(self.rows) - others, most

    def power(self, n_labels: int, most: int, power: float) -> float:
        """Chance that bounds are so many rows apart at most, which is to be ``power``."""
        audited, found, chances = self.outcomes(n_labels)
        widths, unit = self.widths(audited, found), 0.0
        order = np.argsort(widths, kind="stable")
        below = np.cumsum(chances[order])
        for share in _COMPUTED:
            at = below[np.argmax(below >= min(share * power, below[-1]))]
            near = order[(below >= at) & (below <= at + _NEAR)]
            typical = near[np.argmax(chances[near])]
            low, high = self.bounds(audited, found[:, typical])
            unit = max(unit, (high - low) / widths[typical])
        return float(chances[unit * widths <= most * (1 + 1e-12)].sum())

    def size(self, most: int, power: float) -> ShareSize | None:
        """The smallest audit with this power, if there is one."""
        sizes = range(2, sum(self.rows))
        at = bisect_left(sizes, power, key=lambda n: self.power(n, most, power))
        if at == len(sizes):
            return None
        audited, _, _ = self.outcomes(sizes[at])
        found = np.rint(audited * np.divide(self.truly, self.rows))
        low, high = self.bounds(audited, found)
        return ShareSize(
            n_labels=sizes[at],
            n_audited=(int(audited[0]), int(audited[1])),
            power=self.power(sizes[at], most, power),
            lower=float_below(Fraction(low, sum(self.rows))),
            upper=float_above(Fraction(high, sum(self.rows))),
        )
