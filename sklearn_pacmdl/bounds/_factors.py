"""Factors of clusters: evidence of labeled errors about unlabeled ones.

A factor of a cluster with N rows, m of them labeled, gives each number a of errors among
the labeled rows a weight phi(a). For a class with K rows in the cluster let its mean be
that of tau**b * phi(a), where b counts the unlabeled rows of other classes. Means stay
within a budget: a function of K that sums to at most 1 over the classes of a cluster, and
the same for all bases tau. So sums over all labelings of products over clusters have a
mean of at most 1, even if the base depends on how many errors the labeling really makes.

Where tables are used, the probability that such a product exceeds its limit is bounded by
more than its mean. `log_tail` says how much is gained; `doc/theory.md` has the proofs.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from itertools import cycle, islice
from math import ceil, floor, log, log1p
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaln, gammaln

from ._arrays import Floats

Factor = Literal["table", "closed"]

# Share of the budget of a cluster for giving it up, which counts all its unlabeled rows
# as wrong. It costs 1e-4 nats for each cluster, and 9 for one that is given up.
_GIVEN_UP = 1e-4

# Ranges of numbers of errors grow by 7/5. Narrower ones were better by less than 0.1
# points on digits, wine and iris. All choices below that say "tuned" were tuned on these.
_GROWTH = Fraction(7, 5)
# The grid of logarithms of bases is a part of the rule, not an approximation to it.
_GRID = np.arange(1, 2001) / 2001
# Fewer errors than this share of what would exclude them at best are never excluded.
_FIRST = 0.8
# From this share of the rows on there is one range: its base hardly matters.
_LAST = 0.9
# Bases up to a share of the largest logarithm. The closed form says nothing of a cluster
# with much fewer labels than the others under the largest bases (tuned).
_LARGEST = {"table": 1.0, "closed": 0.75}
# Nats that clusters cost for each expected labeled error, times the square of the error
# rate: the classes of clusters with many errors are harder to tell (tuned).
_CLUSTERS = {"table": 0.5, "closed": 0.0}
# Rates at which errors are expected are not below this one.
_LEAST_RATE = 0.002

# Numbers of errors are expected as of a beta-binomial law with this concentration
# (tuned), and a share of them anywhere.
_CONCENTRATION, _ANYWHERE = 6.0, 0.02
# Budgets have an exponent of 2, and of 1 below this number of labeled rows (tuned).
_FEW_LABELS = 5
# Budgets of classes that miss E of N rows are lowered by this number of nats times (E /
# R) * (E / N)**3, where R is the number of errors of the labeling (tuned). Otherwise a
# few clusters with most errors would leave nothing to chance, and to the tail.
_GATHERED = 3.5
# Steps of a fixed-point iteration, over and over: Chebyshev's for rates of convergence
# from 0.07 to 1. On 216 tables for clusters of 12 to 20,000 rows they take 11,000 in all,
# where equal steps of 1.6 take 23,000, and equal ones of 2 may diverge.
_STEPS, _MOST_STEPS, _ENOUGH = (1.04, 9.5, 1.4, 2.8), 400, 1.003
# Steps look at classes with some numbers of rows; only the last division looks at all.
# Numbers of rows, in the class or not, grow by this share of sqrt((n - m) / (n m)), the
# least relative error with which the m labels tell them. Measured on clusters of 60 to
# 20,000 rows, 5 to 150 labeled. Half as far apart, factors gain 0.0001 nats on average
# and 0.0045 at most; twice as far apart, some lose 0.8.
_SPACING, _WIDEST = 0.35, 0.06

# Cosine and sine coefficients of a function of period 8, at least exp(-v) for v in [0,
# 8). Linear programming made the tail short for clusters of digits. Tests check the
# inequality, on which alone the tail rests.
PERIOD = 8
COSINES = np.array([0.2110, 0.3007, 0.1919, 0.1305, 0.0877, 0.0536, 0.0250])
SINES = np.array([0.0, 0.0967, 0.0694, 0.0335, 0.0103, -0.0012, -0.0037])
_MODULI = np.hypot(COSINES, SINES)
_FREQUENCIES = 2 * np.pi * np.arange(len(COSINES)) / PERIOD
# Multipliers for the number of errors, relative to its inverse; any give a valid tail.
# Twice as many make the tail 0.7% shorter on digits, wine, iris and blobs, 6% at most.
_MULTIPLIERS = np.linspace(0, 4, 11)
# Tails are enlarged by this before they are rounded to four digits, which may take away
# half of it, and what floats are off by.
_TAIL_SLACK = 1.001


class ErrorRange(NamedTuple):
    """Numbers of errors of a labeling, on all rows, that are excluded by one base."""

    low: int  # the range is low <= errors < high
    high: int
    tau: Fraction
    rate: float  # of errors among labeled rows where the range is just excluded


@lru_cache(maxsize=1024)
def error_ranges(
    n_rows: int,
    n_labeled: int,
    level: Fraction,
    factor: Factor,
    without_table: tuple[tuple[float, float, float], ...] = (),
) -> tuple[ErrorRange, ...]:
    """Ranges of numbers of errors up to all rows, if any can be excluded, and bases.

    Clusters ``without_table`` (rows, labeled rows, how many) matter beside tables.
    """
    if not 0 < n_labeled < n_rows:
        return ()
    f = n_labeled / n_rows
    # In whole nats, so that candidates with other weights share their tables.
    nats = max(1, floor(log(level.denominator) - log(level.numerator)))
    t = _GRID[_LARGEST[factor] >= _GRID] * -log1p(-f)
    s = -np.log((1 - (1 - f) * np.exp(t)) / f)
    # Large bases give up clusters without a table that have few labels: what these cost
    # under a base, even if none of their labels is wrong.
    named, n_without = np.zeros_like(t), 0.0
    for n, m, times in without_table:
        named += times * closed_factor(n, m, 0, np.exp(t))
        n_without += times * n
    # Labels have to tell classes apart where clusters have tables.
    share = _CLUSTERS[factor] * (1 - n_without / n_rows)
    low, ranges = floor(_FIRST * nats / -log1p(-f)) + 1, []
    while low <= n_rows:
        high = ceil(low * _GROWTH)
        if high > _LAST * n_rows:
            high = n_rows + 1
        # The base excludes the middle of the range with the largest number of labeled
        # errors, were there one cluster with a fixed class.
        errors = min((low + high) / 2, n_rows)
        clusters = share * (errors / n_rows) ** 2 * f * errors
        excluded = (t * errors - nats - clusters + named) / (t + s)
        best = int(np.argmax(excluded))
        tau = 1 + Fraction(f"{np.expm1(t[best]):.3g}")
        rate = max(_LEAST_RATE, round(float(excluded[best]) / n_labeled, 4))
        ranges.append(ErrorRange(low, high, tau, rate))
        low = high
    return tuple(ranges)


def closed_factor(n: Any, m: Any, a: Any, tau: Any) -> Floats:
    """Log factors by the closed form: a random labeled row names the cluster.

    Clusters have n rows, m labels and a errors; the budget is K / N.
    """
    q = (n - 1 - (n - m) * tau) / np.maximum(m - 1, 1)
    none = -(n - m) * np.log(tau)
    with np.errstate(divide="ignore", invalid="ignore"):
        of_errors = np.where((m >= 2) & (q > 0), a * np.log(q), none)
        # No weight needs to be below that of the worst possible class.
        mixed = np.logaddexp(of_errors + log1p(-_GIVEN_UP), none + log(_GIVEN_UP))
        named = np.log1p(-a / m) + mixed + log1p(-_GIVEN_UP)
    return np.where(a == m, none + log(_GIVEN_UP), named)


class Table(NamedTuple):
    """The best factor on average over expected errors."""

    log_factor: Floats  # for a = 0..m
    # For each multiplier and frequency, the log of the largest modulus, over numbers of
    # rows of a class, that the factor contributes to the tail.
    log_moduli: Floats


# Rows times labels up to which tables look at each number of rows of a class. Each range
# takes up to 6 ms with 20,000 rows, and 30 to 40 ms for 10**5 rows with one label.
MAX_TABLE = 10**5
# Larger clusters, up to these rows and labels, have tables that look at some numbers, in
# 1 to 30 ms. Beyond, bounds are about 5% larger by the closed form. The numbers, in the
# class or not, grow by _COARSE, for which bounds are about 1% larger than with all.
_MOST_ROWS, _MOST_LABELS, _COARSE = 10**6, 300, 0.02
# All of these tables together take 0.3 s for each range at most, or there are none:
# 100 clusters of 10**4 rows have them, 1,000 of different sizes do not.
_MOST_CELLS = 3 * 10**7
# The tail of a table takes as long as so many labels would.
_CELLS_OF_A_ROW = 20
# Above what logs of means are off by: each is a sum of nine logs of factorials, which are
# below 1.3e7 and so off by 2e-9 each.
_COARSE_SLACK = 1e-7


def table_cells(n: Any, m: Any) -> Floats:
    """About what tables take for a range, in units of 10 ns; 0 where there is none."""
    n, m = np.atleast_1d(np.asarray(n, float), np.asarray(m, float))
    ends = 2 * np.maximum(m, 1 / _COARSE)
    some = ends + 2 / _COARSE * np.log(np.maximum(n / ends, 1))
    of_all, of_some = (k * (m + _CELLS_OF_A_ROW) for k in (n, np.minimum(some, n)))
    is_large = n * m > MAX_TABLE
    cells = np.where(is_large, 3 * of_some + n, of_all)
    has_some = is_large & (n <= _MOST_ROWS) & (m <= _MOST_LABELS)
    # By sizes alone: clusters of one size share a table, whatever their errors are.
    sizes = np.stack([n[has_some], m[has_some], cells[has_some]])
    has_some &= np.unique(sizes, axis=1)[2].sum() <= _MOST_CELLS
    return np.where(is_large & ~has_some, 0, cells)


def _numbers(n: int, m: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Numbers of rows of a class that a table looks at, and places of those of steps."""
    if n * m <= MAX_TABLE:
        return np.arange(1, n + 1), _some_classes(n, m)
    # Between the ends each number of errors is possible.
    ends = np.arange(m), np.arange(n - m, n)
    looked_at = np.union1d(_spaced(n, _COARSE), np.concatenate(ends))
    return looked_at + 1, np.unique(np.searchsorted(looked_at, _some_classes(n, m)))


# Most tables of the leading candidates of a search, of all ranges, fit in here.
@lru_cache(maxsize=8192)
def table(n: int, m: int, errors: ErrorRange) -> Table:
    """The best factor, within the lowered budget, for n rows of which m are labeled."""
    t, a, (k, steps) = log(errors.tau), np.arange(m), _numbers(n, m)
    least = np.append(1, k[:-1] + 1)  # each number stands for those from here on
    of = np.flatnonzero(least < k)
    missing = np.append(n - least, n)  # the last: the cluster is given up
    log_means = _log_means(n, m, k, t)
    gaps = _gaps(log_means, n, k, of) if len(of) else None
    log_limits = _log_limits(n, m, k, errors.low)
    log_means -= log_limits[:, None]
    shares, log_phi = _best_within(log_means, _expected(m, a, errors.rate), steps)
    log_moduli = np.zeros((len(_FREQUENCIES), len(missing)))
    log_moduli[:, :-1] = _log_modulus(shares, log_phi - a * t)
    if gaps is not None:
        log_least = _log_limits(n, m, least[of], errors.low)
        below, above = log_limits[of - 1] - log_least, log_limits[of] - log_least
        log_moduli[:, of] = _log_between(log_moduli, shares, gaps, of, below, above)
        excess = log_moduli[0].max()
        log_moduli[:, :-1] -= excess
        log_phi -= excess + _COARSE_SLACK
    log_moduli += _lowered(missing, n, errors.low)
    tilts = np.outer(_MULTIPLIERS, missing / errors.low)
    tilted, room = np.empty((len(tilts), len(log_moduli))), np.empty_like(tilts)
    for j, each in enumerate(log_moduli):
        np.add(tilts, each, out=room).max(axis=1, out=tilted[:, j])
    given_up = -(n - m) * t + log(_GIVEN_UP) + _lowered(n, n, errors.low)
    return Table(np.append(log_phi + log1p(-_GIVEN_UP), given_up), tilted)


def _log_limits(n: int, m: int, k: NDArray[np.int64], low: int) -> Floats:
    """Logs of lowered budgets of classes with k rows."""
    return log_budget(n, 1 if m < _FEW_LABELS else 2, k) + _lowered(n - k, n, low)


def _lowered(missing: Any, n: int, low: int) -> Any:
    """By what budgets of classes that miss so many of n rows are lowered, in logs."""
    return -_GATHERED * (missing / low) * (missing / n) ** 3


def _gaps(
    log_means: Floats, n: int, k: NDArray[np.int64], of: NDArray[np.int64]
) -> Floats:
    """By how much means may differ from linear interpolation in the number of rows.

    Between k[of - 1] and k[of], by number of errors, as a share of the larger mean. Means
    are log-concave: above geometric interpolation, and below the tangents.
    """
    low, high, m = k[of - 1, None].astype(float), k[of, None], log_means.shape[1]
    a = np.arange(m)
    x = a - m  # less the labeled rows of the class
    # The ratio of c(low + 1) / c(low) to c(high) / c(high - 1), for means c.
    bends = (high + x) * (n - low - a) / ((low + 1 + x) * (n - high + 1 - a))
    bends *= (low + 1) * (n - high + 1) / (high * (n - low))
    # The log of the ratio is at most the ratio less 1.
    above = np.expm1((bends - 1) * ((high - low) / 4))
    return np.maximum(above, (log_means[of] - log_means[of - 1]) ** 2 / 8)


def _log_between(
    log_moduli: Floats,
    shares: Floats,
    gaps: Floats,
    of: NDArray[np.int64],
    below: Floats,
    above: Floats,
) -> Floats:
    """Logs of what moduli are at most from one number of rows to the next.

    In units of the least limit there, to which those of both numbers have log ratios
    `below` and `above`. Moduli of linear interpolations are largest at the ends.
    """
    ends = np.maximum(log_moduli[:, of - 1] + below, log_moduli[:, of] + above)
    low, high = np.exp(below)[:, None], np.exp(above)[:, None]
    rest = (np.maximum(shares[of - 1] * low, shares[of] * high) * gaps).sum(axis=1)
    return np.logaddexp(ends, np.log(np.maximum(rest, 1e-290)))


def log_tail(
    tables: Iterable[tuple[float, Table]], n_other: float, errors: ErrorRange
) -> Fraction:
    """By what the probability of exceeding a limit is below Markov's bound, at most 1.

    ``tables`` come with how many clusters have them; nothing is assumed about the
    ``n_other`` rows of clusters without one.
    """
    logs = np.zeros((len(_MULTIPLIERS), len(_FREQUENCIES)))
    logs += _MULTIPLIERS[:, None] * (n_other / errors.low - 1)
    for times, each in tables:
        logs += times * each.log_moduli
    tail = _MODULI @ np.exp(np.minimum(logs.min(axis=0), 0))
    return min(Fraction(1), Fraction(f"{tail * _TAIL_SLACK:.4g}"))


def _log_modulus(shares: Floats, log_values: Floats) -> Floats:
    """Logs of moduli of mean powers of values, by frequency and by row of shares."""
    turns = np.outer(_FREQUENCIES, log_values)
    means = np.maximum(shares.sum(axis=1), 1e-290)
    parts = np.vstack([np.cos(turns), np.sin(turns)]) @ shares.T
    parts /= means
    parts *= parts
    moduli = np.sqrt(parts[: len(turns)] + parts[len(turns) :])
    # Where terms cancel, rounding must not make the tail too short: turns of thousands of
    # radians are off by 1e-12 each.
    moduli += 1e-11
    return np.log(moduli, out=moduli) + np.log(means)


def _log_means(n: int, m: int, k: NDArray[np.int64], t: float) -> Floats:
    """Logs of means of tau**b where a rows are errors, for classes with k rows."""
    # The probability of a = 0..m-1 errors is comb(k, m - a) * comb(n - k, a) / comb(n,
    # m). Factorials in it are of k, of a or of k + a, which takes a tenth of the time of
    # logs of binomial coefficients for each pair.
    a, s = np.arange(m), np.arange(m, n + 1)
    logs = _log_factorials(n.bit_length())[: n + 1]
    of_sums = np.full(n + m, -np.inf)  # not possible: fewer than no rows of either kind
    of_sums[s - 1] = (n - s) * t - logs[s - m] - logs[n - s]
    of_classes = logs[k] + logs[n - k] - (logs[n] - logs[m] - logs[n - m])
    of_errors = -logs[m - a] - logs[a]
    windows = np.lib.stride_tricks.sliding_window_view(of_sums, m)[k - 1]
    means = windows + of_classes[:, None]
    means += of_errors
    return means


@lru_cache
def _log_factorials(n_bits: int) -> Floats:
    """Logs of factorials of numbers with so many bits: some lengths serve all tables."""
    return gammaln(np.arange(2**n_bits) + 1.0)


def _expected(m: int, a: NDArray[np.int64], rate: float) -> Floats:
    """What is expected of the number of errors among m labeled rows."""
    alpha, beta = _CONCENTRATION * rate, _CONCENTRATION * (1 - rate)
    # Binomial coefficients are 1 / ((m + 1) B(m - a + 1, a + 1)).
    logs = betaln(a + alpha, m - a + beta) - betaln(m - a + 1, a + 1)
    law = np.exp(logs - betaln(alpha, beta)) / (m + 1)
    law = (1 - _ANYWHERE) * law + _ANYWHERE / m
    return law / law.sum()  # or steps would end too early


def log_budget(n: int, p: int, k: NDArray[np.int64]) -> Floats:
    """Log of a function of k = 1..n; summed over parts of n, it is at most 1."""
    small = np.minimum(k, n - k) * 2 / n
    with np.errstate(divide="ignore"):
        return np.log(np.where(2 * k <= n, small**p / 2, 1 - small**p / 2))


def _best_within(
    log_means: Floats, expected: Floats, steps: NDArray[np.int64]
) -> tuple[Floats, Floats]:
    """Shares of the mean of the best factor with means of at most 1, and its logs."""
    # The dual of the problem is a mixture likelihood; this is its fixed point. Columns
    # are scaled, since means of many unseen errors are beyond the range of floats.
    scale = log_means.max(axis=0)
    log_means -= scale
    d = np.exp(log_means, out=log_means)
    some = np.ascontiguousarray(d[steps].T)
    ones = np.ones(some.shape[1])
    weights = ones / len(ones)
    for i, step in enumerate(islice(cycle(_STEPS), _MOST_STEPS)):
        phi = expected / some.dot(weights)
        excess = phi.dot(some)
        if i % len(_STEPS) == 0 and excess.max() < _ENOUGH:
            break
        weights *= excess**step
        weights /= weights.dot(ones)
    phi /= (d @ phi).max()
    d *= phi
    return d, np.log(phi) - scale


@lru_cache(maxsize=256)
def _some_classes(n: int, m: int) -> Any:
    """Numbers of rows of a class, less 1, that are looked at in each step."""
    return _spaced(n, min(_WIDEST, _SPACING * ((n - m) / (n * m)) ** 0.5))


def _spaced(n: int, share: float) -> Any:
    """Numbers below n that grow by a share, up to the middle and from the other end."""
    growth = log1p(share)
    steps = np.arange(ceil(log(n) / growth))
    near = np.unique(np.exp(steps * growth).astype(int))
    near = near[2 * near <= n + 1]
    return np.union1d(near - 1, n - near)
