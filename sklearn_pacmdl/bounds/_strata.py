"""Bounds on all errors from one uniform sample, and from samples of strata."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from math import floor, log, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betainc, gammainccinv, logsumexp

from ..utils._checks import check_open_unit
from ._arrays import Floats, as_counts, as_ints, as_parts, check_at_most
from ._inversion import BOX, Ratio, Sample, chances
from ._pac_mdl import bmax
from ._tail import EPS

# With more strata, the thinned sample loses less than Fisher's method over groups.
_MOST_GROUPED = 15
# Where the smallest fraction of four and more strata is at least this share of the
# fraction of all rows, one tail for all strata is the tightest: by 7 to 13% in the median
# of 300 random designs (2 to 200 strata of 30 to 10,000 rows, 2 to 20% audited, 1 to 20%
# wrong), and by 5% from 0.85 to 0.9. Below 0.7 it is mostly the loosest.
_EVEN = 0.9
# A tail is below delta if it is by more than this share of it. SciPy's incomplete beta
# function was off by less than 3e-10, against 60 digits, at up to 1e10 rows and for tails
# down to 1e-307; nearer to the mean by less than 5e-11 at up to 1e12 rows.
_MARGIN = 1e-9
# Laws of samples do not underflow before. No audit refutes anything at smaller deltas.
_LEAST = 1e-250
# Rounds a fraction down, by more than the operations that follow could round it up.
_BELOW = 1 - 4 * EPS
# Rounds sums up that are not of whole numbers, or of too many rows to be exact.
_ABOVE = 1 + 1e-12
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
        From ``n_errors`` to ``n_rows``; lower is better. As exact as :func:`bmax`.

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
    check_at_most(found, audited, "n_errors", "n_audited")
    check_at_most(audited, rows, "n_audited", "n_rows")
    return as_ints(found + bmax(audited, rows - audited, found, delta))


@lru_cache(maxsize=2**12)
def ratio_upper_bound(sample: Sample, ratio: Ratio, delta: float) -> Fraction:
    """Bound a ratio of numbers of rows in two or three strata.

    Delta may depend on the numbers of audited and of all rows in each.
    """
    if delta < _LEAST:
        return Fraction(1)
    rows, chance = chances(sample, ratio, delta, len(sample.rows))
    is_kept = chance >= (1 - BOX) * delta
    above, below = ratio.of(np.meshgrid(*rows, indexing="ij"))
    # At least what was found, if nothing else is left.
    pairs = np.column_stack([[above[is_kept], below[is_kept]], ratio.of(sample.found)])
    if not np.all(pairs[1]):
        return Fraction(1)
    shares = pairs[0] / pairs[1]  # rounded alike: the largest ratio is among these
    largest = np.unique(pairs[:, shares == shares.max()], axis=1)
    return max(Fraction(int(above), int(below)) for above, below in largest.T)


def weighted_upper_bound(found, audited, rows, delta: float, weights=1.0) -> float:
    """Bound a weighted number of rows over strata, rounded up where it is not whole.

    Weights, of what a row of each stratum counts, and delta must be fixed before the
    audit, but may depend on ``audited``.
    """
    x, m, n, w = np.broadcast_arrays(found, audited, rows, np.asarray(weights, float))
    tested = (m > 0) & (m < n)
    known = float(np.sum(w * np.where(m == 0, n, x), where=~tested))
    x, m, n, w = (each[tested] for each in (x, m, n, w))
    if x.size == 0:
        return known
    if x.size == 1 or delta < _LEAST:
        most = bmax(m, n - m, x, delta) if x.size == 1 else n - m
        return known + float(np.sum(w * (x + most)))
    sample = Sample(*(tuple(v.astype(int).tolist()) for v in (x, m, n)))
    if np.all(w == 1) and (method := _of_many(sample)):
        return int(known) + method(sample, delta)
    return known + _in_groups(sample, tuple(w.tolist()), delta)


@lru_cache(maxsize=2**12)  # certificates of 1000 segments ask twice for two bounds each
def _in_groups(sample: Sample, weights: tuple[float, ...], delta: float) -> float:
    """Bound a weighted number of rows over two or more strata."""
    (x, m, n), w, level = np.array(sample), np.array(weights), (1 - BOX) * delta
    groups = [(Sample(*np.array(sample)[:, g].tolist()), w[g]) for g in _groups(m, n, w)]
    if len(groups) > 1:
        return _together([_curve(*g, delta, x.size) for g in groups], level)
    totals, chance = _totals(*groups[0], delta, x.size)
    return float(np.max(totals, where=chance >= level, initial=np.dot(w, x)))


def _totals(sample, weights, delta, n_strata) -> tuple[Floats, Floats]:
    """Weighted totals of up to three strata, and their chances."""
    size = float(np.dot(weights, sample.rows))
    ratio = Ratio(tuple(weights.tolist()), (0.0,) * len(weights), size)
    rows, chance = chances(sample, ratio, delta, n_strata)
    return ratio.of(np.meshgrid(*rows, indexing="ij"))[0], chance


def _groups(audited: Any, rows: Any, weights: Floats) -> list[NDArray[np.intp]]:
    """Up to three strata each, by sizes, of which the last one has the most counts."""
    spread = weights * rows * np.sqrt((1 - audited / rows) / audited)
    order = np.argsort(-spread, kind="stable")
    n = -(-len(order) // 3)
    # The largest go to different groups, where the smallest join them.
    turn = np.arange(len(order)) % (2 * n)
    group = np.minimum(turn, 2 * n - 1 - turn)
    strata = [order[group == i] for i in range(n)]
    return [each[np.argsort(audited[each], kind="stable")] for each in strata]


def _curve(sample, weights, delta, n_strata) -> tuple[Floats, Floats]:
    """Totals of a group, and nats against so much or more; both grow."""
    totals, chance = _totals(sample, weights, delta, n_strata)
    order = np.argsort(-totals, axis=None, kind="stable")
    totals = totals.ravel()[order]
    chance = np.maximum.accumulate(chance.ravel()[order])
    new = np.append(True, chance[1:] > chance[:-1])
    return totals[new][::-1], -np.log(chance[new])[::-1]


def _together(curves: Sequence[tuple[Floats, Floats]], level: float) -> float:
    """Largest total of groups that Fisher's method does not refute, rounded up."""
    # On lower convex hulls, which are refuted less, it consists of the steps with the
    # least nats for each row, and a part of the last one.
    hulls = [_hull(*curve) for curve in curves]
    total, spent = (sum(hull[i][0] for hull in hulls) for i in range(2))
    steps, nats = np.concatenate([np.diff(hull) for hull in hulls], axis=1)
    order = np.argsort(nats / steps, kind="stable")
    reached, spent = (
        first + np.cumsum(np.append(0.0, each[order]))
        for first, each in ((total, steps), (spent, nats))
    )
    budget = gammainccinv(len(curves), level) * _ABOVE
    return float(np.interp(budget, spent, reached)) * _ABOVE


def _hull(totals: Floats, nats: Floats) -> Any:
    """The lower convex hull of a curve, as an array of shape (2, n_corners)."""
    corners: list[tuple[float, float]] = []
    for t, v in zip(totals.tolist(), nats.tolist(), strict=True):
        while len(corners) > 1:
            (t0, v0), (t1, v1) = corners[-2:]
            if (v1 - v0) * (t - t1) < (v - v1) * (t1 - t0):
                break
            corners.pop()
        corners.append((t, v))
    return np.array(corners).T


def _largest(sample: Sample, is_refuted: Callable[[int], bool]) -> int:
    """Largest total that is not refuted; those above one that is are, too."""
    low = sum(sample.found)
    more = range(low + 1, low + sum(sample.rows) - sum(sample.audited) + 1)
    return low + bisect_left(more, True, key=is_refuted)


def _thinned(sample: Sample, delta: float) -> int:
    """Largest total whose e-value, the mean over rates, is below ``1 / delta``."""
    fractions = np.divide(sample.audited, sample.rows)
    # With many errors found the best rate is about sqrt(2 ln(1/delta) / errors found).
    most_found = _MOST_WRONG * sum(sample.audited)
    smallest = min(sqrt(-2 * log(delta) / most_found), _LARGEST_RATE / 2)
    shares = np.geomspace(smallest, _LARGEST_RATE, _N_RATES)
    ratios = shares[:, None] * (fractions.min() / fractions)
    # Summed pairwise, which a product of matrices is not.
    log_lost = np.sum(np.log1p(-ratios) * np.asarray(sample.found), axis=1)
    log_lost -= log(_N_RATES)
    log_kept = np.log1p(-shares * fractions.min())

    def is_refuted(total: int) -> bool:
        nats = log_lost - total * log_kept
        rounding = _ROUNDING * (1 - log_lost.min() - total * log_kept.min())
        return bool(logsumexp(nats) >= -log(delta) + rounding)

    return _largest(sample, is_refuted)


def _pooled(sample: Sample, delta: float) -> int:
    """Largest total at which so few errors found are not too improbable."""
    found, audited = sum(sample.found), sum(sample.audited)
    fraction = np.divide(sample.audited, sample.rows).min() * _BELOW

    def is_refuted(total: int) -> bool:
        expected = fraction * total
        # The inequality holds from one below the mean on.
        if found + 1 > expected * (1 - _MARGIN):
            return False
        n_draws = min(total, audited)
        tail = betainc(n_draws - found, found + 1, 1 - expected / n_draws)
        return bool(tail < delta * (1 - _MARGIN))

    return _largest(sample, is_refuted)


def stratified_upper_bound(
    n_errors: ArrayLike, n_audited: ArrayLike, n_rows: ArrayLike, delta: float
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

    Returns
    -------
    n_most : int
        Number of rows, audited or not, from the sum of ``n_errors`` to that of
        ``n_rows``; lower is better.

    Raises
    ------
    ValueError
        If a count is negative, not an integer or too large, if lengths differ, or if
        delta is not as described.

    See Also
    --------
    total_upper_bound : The same from one uniform sample.

    Notes
    -----
    Strata without an audited row count in full, and those that were audited completely
    with the number that was found. The sizes of the others decide about the method.

    *Up to three strata.* An approximate upper limit puts all audits into an order. A
    number of errors in each stratum is refuted if audits up to this one have a
    probability below 0.98 delta; the bound is the largest total that is not [1]_. Numbers
    that are improbable in a stratum by itself do not count, at a price of 0.02 delta
    [2]_. A uniform audit is one of strata, too, if these were fixed before it. If error
    rates of strata differ, the bound is tighter than :func:`total_upper_bound`.

    *More strata.* Groups of up to three, each with such a probability, are joined by
    Fisher's method [3]_. With more than 15 strata an e-value [4]_ is tighter, and with
    nearly equal fractions one binomial tail for all strata [5]_.

    References
    ----------
    .. [1] R. J. Buehler, "Confidence Intervals for the Product of Two Binomial
           Parameters", Journal of the American Statistical Association 52, 1957.
    .. [2] R. L. Berger and D. D. Boos, "P Values Maximized Over a Confidence Set for the
           Nuisance Parameter", Journal of the American Statistical Association 89, 1994.
    .. [3] R. A. Fisher, "Statistical Methods for Research Workers", 4th edition, 1932,
           section 21.1.
    .. [4] W. Hoeffding, "Probability Inequalities for Sums of Bounded Random Variables",
           Journal of the American Statistical Association 58, 1963, Theorem 4.
    .. [5] W. Hoeffding, "On the Distribution of the Number of Successes in Independent
           Trials", Annals of Mathematical Statistics 27, 1956, Theorem 4.

    Examples
    --------
    >>> from sklearn_pacmdl.bounds import stratified_upper_bound
    >>> stratified_upper_bound([3, 8], [220, 80], [1318, 279], 0.1)
    66
    """
    check_open_unit("delta", delta)
    counts = {"n_rows": n_rows, "n_errors": n_errors, "n_audited": n_audited}
    rows, found, audited = as_parts("stratum", "strata", **counts)
    check_at_most(found, audited, "n_errors", "n_audited")
    check_at_most(audited, rows, "n_audited", "n_rows")
    return floor(weighted_upper_bound(found, audited, rows, delta))


def _of_many(sample: Sample) -> Callable[[Sample, float], int] | None:
    """A method that is tighter than groups of strata, if there is one."""
    if len(sample.rows) < 4:
        return None
    overall = sum(sample.audited) / sum(sample.rows)
    if np.divide(sample.audited, sample.rows).min() >= _EVEN * overall:
        return _pooled
    return _thinned if len(sample.rows) > _MOST_GROUPED else None
