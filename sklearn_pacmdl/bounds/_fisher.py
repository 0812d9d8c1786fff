"""Totals of a uniform sample, and of several independent ones by Fisher's method."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammainccinv

from ..utils._checks import as_array, check_open_unit, exact_decimal, invalid, is_number
from ._arrays import Floats, as_counts, as_ints, check_at_most
from ._pac_mdl import bmax
from ._rounding import float_above
from ._tail import invert, log_tail

# Added to the budget, for each nat of it and each stratum: about a thousand times the
# tolerance of log tails of 2**51 rows, 1.1e-12. SciPy's quantile was off by less than
# 3e-15 at 10**4 settings (2 to 10**4 strata, delta from 1e-300), against 40 digits.
_SLACK = 1e-9
# Steps that are sorted at once; decides about speed alone.
_MOST_SORTED = 2**14


def _check_sample(
    n_found: ArrayLike, n_audited: ArrayLike, n_rows: ArrayLike
) -> tuple[Floats, ...]:
    counts = as_counts(n_found=n_found, n_audited=n_audited, n_rows=n_rows)
    check_at_most(counts[0], counts[1], "n_found", "n_audited")
    check_at_most(counts[1], counts[2], "n_audited", "n_rows")
    return counts


@overload
def total_upper_bound(n_found: int, n_audited: int, n_rows: int, delta: float) -> int: ...
@overload
def total_upper_bound(
    n_found: ArrayLike, n_audited: ArrayLike, n_rows: ArrayLike, delta: ArrayLike
) -> Any: ...
def total_upper_bound(n_found, n_audited, n_rows, delta):
    """Bound from above how many rows are of a kind, from a uniform sample of the rows.

    With probability at least ``1 - delta`` over the choice of the audited rows, at most
    this many of all rows are of the kind, such as errors. Array arguments broadcast.

    Parameters
    ----------
    n_found : int or array-like of int
        Audited rows of the kind; at most ``n_audited``.
    n_audited : int or array-like of int
        Rows that were drawn uniformly without replacement; at most ``n_rows``.
    n_rows : int or array-like of int
        All rows, audited or not; at most 2**51.
    delta : float or array-like of float
        Probability, in (0, 1), with which the statement may fail.

    Returns
    -------
    n_most : int or ndarray of int64
        From ``n_found`` to ``n_rows``; as exact as :func:`bmax`.

    Raises
    ------
    ValueError
        If a count is negative, not an integer or too large, or delta outside (0, 1).

    See Also
    --------
    total_lower_bound : The same from below.
    fisher_upper_bound : The same from samples of several strata.

    Examples
    --------
    >>> from sklearn_pacmdl.bounds import total_upper_bound
    >>> total_upper_bound(3, 50, 500, 0.05)
    71
    """
    found, audited, rows = _check_sample(n_found, n_audited, n_rows)
    return as_ints(found + bmax(audited, rows - audited, found, delta))


@overload
def total_lower_bound(n_found: int, n_audited: int, n_rows: int, delta: float) -> int: ...
@overload
def total_lower_bound(
    n_found: ArrayLike, n_audited: ArrayLike, n_rows: ArrayLike, delta: ArrayLike
) -> Any: ...
def total_lower_bound(n_found, n_audited, n_rows, delta):
    """Bound from below how many rows are of a kind, from a uniform sample of the rows.

    With probability at least ``1 - delta`` over the choice of the audited rows, at least
    this many of all rows are of the kind, such as errors. Array arguments broadcast.

    Parameters
    ----------
    n_found, n_audited, n_rows : int or array-like of int
        As in :func:`total_upper_bound`.
    delta : float or array-like of float
        Probability, in (0, 1), with which the statement may fail.

    Returns
    -------
    n_least : int or ndarray of int64
        From ``n_found`` to ``n_rows``; as exact as :func:`bmax`.

    Raises
    ------
    ValueError
        If a count is negative, not an integer or too large, or delta outside (0, 1).

    See Also
    --------
    total_upper_bound : The same from above.

    Examples
    --------
    >>> from sklearn_pacmdl.bounds import total_lower_bound
    >>> total_lower_bound(3, 50, 500, 0.05)
    9
    """
    found, audited, rows = _check_sample(n_found, n_audited, n_rows)
    return as_ints(rows - total_upper_bound(audited - found, audited, rows, delta))


def fisher_upper_bound(
    n_found: ArrayLike,
    n_audited: ArrayLike,
    n_rows: ArrayLike,
    delta: float,
    *,
    weights: Sequence[Fraction] | ArrayLike | None = None,
) -> Any:
    """Bound a total over strata from above, from independent samples of each.

    Fisher's method refutes a total if the tail probabilities of the strata are together
    too small. This is the largest total that is not refuted, for any spread of its rows
    over the strata. With probability at least ``1 - delta`` over the choice of the
    audited rows the true total is not above it.

    Parameters
    ----------
    n_found : array-like of int of shape (n_strata,)
        Audited rows of a kind, such as errors, in each stratum; at most ``n_audited``.
    n_audited : array-like of int of shape (n_strata,)
        Rows of each stratum that were drawn uniformly without replacement; 0 is allowed.
    n_rows : array-like of int of shape (n_strata,)
        All rows of each stratum.
    delta : float
        Probability, in (0, 1), with which the statement may fail.
    weights : array-like of shape (n_strata,) of float or Fraction, default=None
        What a row of each stratum counts, above 0; floats mean the decimals that are
        printed. Must be fixed before the audit, but may depend on ``n_audited``. None
        counts each row once.

    Returns
    -------
    most : int or float
        Number of rows without ``weights``: never below the exact value, and above it
        only if the evidence against the next row misses the level by less than a relative
        1e-9. With ``weights`` the weighted number of rows, rounded up, which may be too
        large by the weight of one row.

    Raises
    ------
    ValueError
        If a count is negative, not an integer or too large, if lengths differ, or if
        delta or a weight is not as described.

    See Also
    --------
    total_upper_bound : One stratum.

    Notes
    -----
    Strata without an audited row, or with audited rows only, take no part in the test.
    If the samples are parts of one uniform sample, say its rows by predicted class,
    they are independent and uniform given their sizes.

    Tail probabilities are log-concave in the number of rows of the kind, so that the
    evidence against each further row of a stratum only grows. The largest total therefore
    takes the rows of all strata in the order of this evidence (divided by the weights),
    until together it refutes.

    References
    ----------
    .. [1] R. A. Fisher, "Statistical Methods for Research Workers", 4th edition, 1932,
           section 21.1.

    Examples
    --------
    >>> from sklearn_pacmdl.bounds import fisher_upper_bound
    >>> fisher_upper_bound([3, 8], [220, 80], [1318, 279], 0.1)
    75
    """
    check_open_unit("delta", delta)
    found, audited, rows = check_strata(n_found, n_audited, n_rows)
    exact_weights = _check_weights(weights, len(rows))
    tested = (audited > 0) & (audited < rows)
    most = np.where(audited == 0, rows, found)
    strata = _Strata(
        audited[tested],
        rows[tested] - audited[tested],
        found[tested],
        np.array([float(w) for w in exact_weights])[tested],
    )
    most[tested] += strata.largest(float(delta), rounded_up=weights is not None)
    total = sum(
        weight * int(number) for weight, number in zip(exact_weights, most, strict=True)
    )
    return int(total) if weights is None else float_above(Fraction(total))


def check_strata(
    n_found: ArrayLike, n_audited: ArrayLike, n_rows: ArrayLike
) -> tuple[Floats, ...]:
    """Check counts of strata, as many of each as there are strata."""
    shape = as_array("n_rows", n_rows).shape
    if len(shape) != 1 or not shape[0]:
        raise invalid("n_rows", "counts of at least one stratum, in a sequence", n_rows)
    for name, counts in {"n_found": n_found, "n_audited": n_audited}.items():
        if as_array(name, counts).shape != shape:
            raise invalid(name, f"one count for each of {shape[0]} strata", counts)
    return _check_sample(n_found, n_audited, n_rows)


def _check_weights(weights: Any, n_strata: int) -> list[Fraction]:
    """The weights as exact ratios."""
    if weights is None:
        return [Fraction(1)] * n_strata
    array = as_array("weights", weights)
    values = array.ravel().tolist()
    numbers = array.shape == (n_strata,) and array.dtype.kind in "iufO"
    if not numbers or not all(is_number(value) and value > 0 for value in values):
        allowed = f"{n_strata} finite numbers above 0, one for each stratum"
        raise invalid("weights", allowed, weights)
    return [exact_decimal(value) for value in values]


@dataclass(frozen=True)
class _Strata:
    """Strata that were audited in part; all attributes are of shape (n_strata,)."""

    audited: Floats
    unaudited: Floats
    found: Floats
    weights: Floats

    def largest(self, delta: float, rounded_up: bool) -> NDArray[np.float64]:
        """Unaudited rows of the kind, by stratum, of the largest weight not refuted.

        If ``rounded_up``, with the first row more that is refuted.
        """
        if len(self.found) == 1:
            return np.asarray(bmax(self.audited, self.unaudited, self.found, delta))
        n_strata = len(self.found)
        if not n_strata:
            return np.empty(0)
        # Below, doubles are far from the decimals that are printed for them.
        normal = delta >= np.finfo(float).tiny
        budget = gammainccinv(n_strata, delta) if normal else np.inf
        budget += _SLACK * (budget + n_strata)
        low = np.zeros(n_strata)
        high = invert(
            self.audited, self.unaudited, self.found, np.full(n_strata, -budget)
        )
        high = np.minimum(high + rounded_up, self.unaudited)
        while np.sum(high - low) > max(_MOST_SORTED, 2 * n_strata):
            low, high = self._halved(low, high, budget)
        which = np.repeat(np.arange(n_strata), (high - low).astype(np.int64))
        first = np.cumsum(high - low) - (high - low)
        number = low[which] + 1 + np.arange(len(which)) - first[which]
        step = self._evidence(number, which)[1]
        order = np.argsort(step / self.weights[which], kind="stable")
        spent = np.sum(self._evidence(low)[0]) + np.cumsum(step[order])
        n_taken = int(np.searchsorted(spent, budget, side="right")) + rounded_up
        return low + np.bincount(which[order[:n_taken]], minlength=n_strata)

    def _evidence(
        self, number: Floats, which: Any = slice(None)
    ) -> tuple[Floats, Floats]:
        """Nats against so many unaudited rows of the kind, and what the last one adds."""
        m, n, a = self.audited[which], self.unaudited[which], self.found[which]
        tail, log_pmf = log_tail(m, n, a, number)
        # The step from b - 1 to b loses the probability of b - 1 unaudited ones.
        lost = number / (n - number + 1) * ((m - a) / np.maximum(a + number, 1))
        return -tail, np.log1p(np.exp(log_pmf - tail) * lost)

    def _halved(self, low: Floats, high: Floats, budget: float) -> tuple[Floats, Floats]:
        """Limits of the largest total, of which the widest have come half as near."""
        # Rows are taken up to a price, at which half of those in question in the widest
        # stratum are.
        widest = np.argmax(high - low)
        middle = np.floor((low[widest] + high[widest]) / 2)
        at = low.copy()
        at[widest] = middle
        price = self._evidence(at)[1][widest] / self.weights[widest]
        at, most = low.copy(), high.copy()
        while np.any(at < most):
            probe = np.ceil((at + most) / 2)
            cheap = self._evidence(probe)[1] <= price * self.weights
            # Where they have met already, the probe is where they are.
            most = np.where(cheap, most, np.maximum(probe - 1, at))
            at = np.where(cheap, probe, at)
        at[widest] = middle  # also if rows beyond have this price: where all are free
        refuted = np.sum(self._evidence(at)[0]) > budget
        return (low, at) if refuted else (at, high)
