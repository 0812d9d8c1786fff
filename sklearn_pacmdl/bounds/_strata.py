"""Bounds on all errors from one uniform sample, and from samples of strata."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import log, sqrt
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betainc, gammainccinv, logsumexp

from ..utils._checks import check_open_unit, check_option
from ._arrays import Floats, as_counts, as_ints, as_parts, check_at_most, float_above
from ._pac_mdl import bmax
from ._tail import EPS, invert, log_tail

Method = Literal["auto", "fisher", "thinned", "pooled"]

# Fisher's method loses with each stratum, the thinned sample does not. Margins over the
# truth met at three strata with 100 labels, four to five with 300, six with 1000 and ten
# with 3000 (strata of 2000 to 20,000 rows, 1 to 20% of them wrong).
_MOST_FISHER = 4
# Where the smallest fraction is at least this share of the fraction of all rows, one tail
# for all strata is the tightest: by 7 to 13% in the median of 300 random designs (2 to
# 200 strata of 30 to 10,000 rows, 2 to 20% audited, 1 to 20% wrong), and by 5% from
# 0.85 to 0.9. Below 0.7 it is mostly the loosest.
_EVEN = 0.9
# A tail is below delta if it is by more than this share of it. SciPy's incomplete beta
# function was off by less than 3e-10, against 60 digits, at up to 1e10 rows and for tails
# down to 1e-307; nearer to the mean by less than 5e-11 at up to 1e12 rows.
_MARGIN = 1e-9
# Below the normal numbers doubles are far from the decimals that are printed for them.
_LEAST = np.finfo(float).tiny
# Rounds a fraction down, by more than the operations that follow could round it up.
_BELOW = 1 - 4 * EPS
# Rates of the thinned sample, as shares of the smallest fraction that was audited. The
# largest suits audits without errors, the smallest those that find a fifth of their rows
# wrong. Measured with 100 to 10**5 labels, 0 to 20% of errors and delta 0.1 and 0.01:
# margins are 1.25 times those at the best rate, which nobody knows before. That is within
# 0.01 for 4 to 8 rates, for 0.9 and for a quarter of the rows; a single rate of 0.5
# comes to 1.4 times with 100 labels and 10 times with 10**5.
_N_RATES = 6
_LARGEST_RATE = 0.95
_MOST_WRONG = 0.2
# What rounding may cost, for each nat that is added up. A ratio is off by two roundings,
# and so is 1 - ratio, which is at least 0.05, by 20 times as much: 7e-15 at most.
_ROUNDING = 1e-13
# Added to the budget, for each nat of it and each stratum: about a thousand times the
# tolerance of log tails of 2**51 rows, 1.1e-12. SciPy's quantile was off by less than
# 3e-15 at 10**4 settings (2 to 10**4 strata, delta from 1e-300), against 40 digits.
_SLACK = 1e-9
# Steps that are sorted at once; decides about speed alone.
_MOST_SORTED = 2**14


def total_upper_bound(
    n_errors: ArrayLike, n_audited: ArrayLike, n_rows: ArrayLike, delta: ArrayLike
) -> Any:
    """Bound from above how many rows are of a kind, from a uniform sample of the rows.

    With probability at least ``1 - delta`` over the choice of the audited rows, at most
    this many of all rows are of the kind, such as errors. Array arguments broadcast.

    Parameters
    ----------
    n_errors : int or array-like of int
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
        From ``n_errors`` to ``n_rows``; as exact as :func:`bmax`.

    Raises
    ------
    ValueError
        If a count is negative, not an integer or too large, or delta outside (0, 1).

    See Also
    --------
    stratified_upper_bound : The same from samples of several strata.

    Examples
    --------
    >>> from sklearn_pacmdl.bounds import total_upper_bound
    >>> total_upper_bound(3, 50, 500, 0.05)
    71
    """
    found, audited, rows = as_counts(
        n_errors=n_errors, n_audited=n_audited, n_rows=n_rows
    )
    _check_sample(found, audited, rows)
    return as_ints(found + bmax(audited, rows - audited, found, delta))


def _check_sample(found: Floats, audited: Floats, rows: Floats) -> None:
    check_at_most(found, audited, "n_errors", "n_audited")
    check_at_most(audited, rows, "n_audited", "n_rows")


def fisher_upper_bound(
    n_errors: Any,
    n_audited: Any,
    n_rows: Any,
    delta: float,
    weights: Sequence[Fraction] | None = None,
) -> Any:
    """Bound a total over strata by Fisher's method, as a number of rows.

    With ``weights``, of what a row of each stratum counts, it is the weighted number,
    rounded up, and too large by the weight of one row at most. They must be fixed before
    the audit, but may depend on ``n_audited``.
    """
    # Tail probabilities are log-concave in the number of rows of the kind, so that the
    # evidence against each further row of a stratum only grows. The largest total that
    # is not refuted therefore takes the rows of all strata in the order of this evidence
    # (divided by the weights), until together it refutes.
    found, audited, rows = (np.asarray(v, float) for v in (n_errors, n_audited, n_rows))
    exact = [Fraction(1)] * len(rows) if weights is None else weights
    # Strata without an audited row, or with audited rows only, take no part.
    tested = (audited > 0) & (audited < rows)
    most = np.where(audited == 0, rows, found)
    strata = _Strata(
        audited[tested],
        rows[tested] - audited[tested],
        found[tested],
        np.array([float(w) for w in exact])[tested],
    )
    most[tested] += strata.largest(float(delta), rounded_up=weights is not None)
    total = sum(w * int(number) for w, number in zip(exact, most, strict=True))
    return int(total) if weights is None else float_above(Fraction(total))


class _Strata(NamedTuple):
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


class _Sample(NamedTuple):
    """Strata that were audited in part; arrays of shape (n_strata,)."""

    found: Floats
    audited: Floats
    rows: Floats

    @property
    def fractions(self) -> Floats:
        return self.audited / self.rows

    @property
    def tightest(self) -> Method:
        """The method that is mostly the tightest for such fractions."""
        if self.rows.size < 2:
            return "fisher"
        overall = self.audited.sum() / self.rows.sum()
        if self.fractions.min() >= _EVEN * overall:
            return "pooled"
        return "fisher" if self.rows.size <= _MOST_FISHER else "thinned"

    def largest(self, is_refuted: Callable[[int], bool]) -> int:
        """Largest total that is not refuted; those above one that is are, too."""
        low = int(self.found.sum())
        high = low + int((self.rows - self.audited).sum()) + 1
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if is_refuted(middle) else (middle, high)
        return low


def _thinned(sample: _Sample, delta: float) -> int:
    """Largest total whose e-value, the mean over rates, is below ``1 / delta``."""
    fractions = sample.fractions
    # With many errors found the best rate is about sqrt(2 ln(1/delta) / errors found).
    most_found = _MOST_WRONG * sample.audited.sum()
    smallest = min(sqrt(-2 * log(delta) / most_found), _LARGEST_RATE / 2)
    shares = np.geomspace(smallest, _LARGEST_RATE, _N_RATES)
    ratios = shares[:, None] * (fractions.min() / fractions)
    # Summed pairwise, which a product of matrices is not.
    log_lost = np.sum(np.log1p(-ratios) * sample.found, axis=1) - log(_N_RATES)
    log_kept = np.log1p(-shares * fractions.min())

    def is_refuted(total: int) -> bool:
        nats = log_lost - total * log_kept
        rounding = _ROUNDING * (1 - log_lost.min() - total * log_kept.min())
        return bool(logsumexp(nats) >= -log(delta) + rounding)

    return sample.largest(is_refuted)


def _pooled(sample: _Sample, delta: float) -> int:
    """Largest total at which so few errors found are not too improbable."""
    found, audited = sample.found.sum(), sample.audited.sum()
    fraction = sample.fractions.min() * _BELOW

    def is_refuted(total: int) -> bool:
        expected = fraction * total
        # The inequality holds from one below the mean on.
        if found + 1 > expected * (1 - _MARGIN):
            return False
        n_draws = min(total, audited)
        tail = betainc(n_draws - found, found + 1, 1 - expected / n_draws)
        return bool(tail < delta * (1 - _MARGIN))

    return sample.largest(is_refuted)


_METHODS = {"thinned": _thinned, "pooled": _pooled}


def stratified_upper_bound(
    n_errors: ArrayLike,
    n_audited: ArrayLike,
    n_rows: ArrayLike,
    delta: float,
    *,
    method: Method = "auto",
) -> int:
    r"""Bound from above how many rows of all strata are of a kind.

    The rows of each stratum, such as the sheets of a map, were sampled separately, at
    fractions that may differ. With probability at least ``1 - delta`` over the choice
    of the audited rows, at most this many of all rows are of the kind, such as errors.

    Parameters
    ----------
    n_errors : array-like of int of shape (n_strata,)
        Audited rows of the kind in each stratum; at most ``n_audited``.
    n_audited : array-like of int of shape (n_strata,)
        Rows of each stratum that were drawn uniformly without replacement.
    n_rows : array-like of int of shape (n_strata,)
        All rows of each stratum, audited or not; each at most 2**51.
    delta : float
        Probability, in (0, 1), with which the statement may fail.
    method : {"auto", "fisher", "thinned", "pooled"}, default="auto"
        Each is valid for any strata; fix it before the audit.

        - "fisher": Fisher's method [3]_, which adds up what speaks against a total in
          each stratum, until it refutes the total. Every stratum makes it weaker.
        - "thinned": an e-value for the total, which does not depend on where the errors
          are. The smallest fraction limits how much is learned from the others.
        - "pooled": one binomial tail, as if all strata had been audited at the smallest
          fraction. Best for nearly equal fractions, usually worst otherwise.
        - "auto": "pooled" if the smallest fraction is at least 0.9 of that of all rows.
          Otherwise "fisher" with up to four strata, and "thinned" with more. Strata that
          were audited completely, or not at all, do not count.

    Returns
    -------
    n_most : int
        Number of rows, audited or not, from the sum of ``n_errors`` to that of
        ``n_rows``; lower is better. Never below the exact value of the method.

    Raises
    ------
    ValueError
        If a count is negative, not an integer or too large, if lengths differ, or if
        delta or the method is not as described.

    See Also
    --------
    total_upper_bound : The same from one uniform sample, which is mostly better.

    Notes
    -----
    Stratify only if you must: with the same number of labels, a bound from one uniform
    sample of all rows is mostly as low or lower. Strata without an audited row count in
    full, and those that were audited completely with the number that was found.

    *Thinned.* Keep each of the :math:`X_s` errors found in stratum s, of which the
    fraction :math:`f_s` was audited, with probability :math:`c/f_s`, :math:`c \le \min_s
    f_s`. None is kept with probability :math:`\prod_s (1 - c/f_s)^{X_s}`, whose mean is
    at most :math:`(1 - c)^E`, :math:`E` errors in all [1]_. The ratio of the two is an
    e-value, and so is its mean over six rates c; it reaches 1/delta with probability at
    most delta.

    *Pooled.* The number of errors found is a sum of independent indicators with a mean of
    at least :math:`E \min_s f_s`. While it is below that by more than one, its tail is at
    most the binomial one of the same mean [2]_.

    References
    ----------
    .. [1] W. Hoeffding, "Probability Inequalities for Sums of Bounded Random Variables",
           Journal of the American Statistical Association 58, 1963, Theorem 4.
    .. [2] W. Hoeffding, "On the Distribution of the Number of Successes in Independent
           Trials", Annals of Mathematical Statistics 27, 1956, Theorem 4.
    .. [3] R. A. Fisher, "Statistical Methods for Research Workers", 4th edition, 1932,
           section 21.1.

    Examples
    --------
    >>> from sklearn_pacmdl.bounds import stratified_upper_bound
    >>> stratified_upper_bound([3, 8], [220, 80], [1318, 279], 0.1)
    75

    >>> stratified_upper_bound([3, 8], [220, 80], [1318, 279], 0.1, method="thinned")
    86
    """
    check_open_unit("delta", delta)
    check_option("method", method, ["auto", "fisher", *_METHODS])
    counts = {"n_rows": n_rows, "n_errors": n_errors, "n_audited": n_audited}
    rows, found, audited = as_parts("stratum", "strata", **counts)
    _check_sample(found, audited, rows)
    sample = _Sample(found, audited, rows)
    tested = (sample.audited > 0) & (sample.audited < sample.rows)
    open_ = _Sample(*(counts[tested] for counts in sample))
    if method == "auto":
        method = open_.tightest
    if method == "fisher" or delta < _LEAST or not tested.any():
        return fisher_upper_bound(*sample, delta)
    known = np.where(sample.audited == 0, sample.rows, sample.found)
    return int(known[~tested].sum()) + _METHODS[method](open_, delta)
