"""A bound for clusters with labels, of all labelings at once: counts in, count out.

Within a cluster the labeled rows are a random choice of its rows, independently of other
clusters. A factor of a cluster gives each number of errors that was seen a weight such
that, for a base tau > 1, the mean of the largest tau**(unseen errors) * weight over all
classes is at most 1. Products of factors over clusters, and mixtures of these over bases,
have that mean too, and by Markov's inequality exceed 1 / delta only rarely. What the
products leave for the unseen errors is the bound.

Factors, bases and the choice between factors depend on the numbers of rows and labels,
and never on labels. They are rounded down, to binary fractions, so that the inequality
can be decided in integers.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import lcm, log, log1p, prod
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaln, gammaln

from ..utils._checks import (
    as_array,
    check_number,
    check_open_unit,
    check_option,
    exact_decimal,
    invalid,
)
from ..utils._weights import weight_of_length
from ._arrays import Floats, as_counts, check_at_most

Factor = Literal["table", "closed"]

# Error rates at which the bases are the best; tuned on digits, wine and iris.
LEVELS = (0.02, 0.05, 0.12)
# The grid of logarithms of bases is a part of the rule, not an approximation to it.
_GRID = np.arange(1, 2001) / 2001
# Numbers of rows times labels up to which a cluster has a table: 5 ms for each base.
MAX_TABLE = 10**5
# Numbers of errors are expected as of a beta-binomial law with this concentration (tuned
# with the levels), and a share of them anywhere.
_CONCENTRATION, _ANYWHERE = 6.0, 0.02
# Exponents of budgets; the better one for what is expected is taken.
_BUDGETS = (1, 2)
# Steps of a fixed-point iteration: 1.6 takes half as many as 1, and 2 may not converge.
_STEP, _MOST_STEPS, _ENOUGH = 1.6, 400, 1.003
# Up to this many rows the bound is decided in integers: 10 ms for 10,000, 1 s here.
DECIDABLE = 10**5
# Weight of the factor that counts all unseen rows of a cluster as wrong. It costs 1e-4
# nats for each cluster, and 9 for one that is given up.
_GIVEN_UP = 1e-4
# Factors keep so many binary digits, of which rounding down loses at most 2e-7 in logs.
_DIGITS = 24
# Above what logarithms of factors are off by: 1e-12 for the largest tables.
_SLACK = 1e-9


def bases(n_rows: int, n_labeled: int, level: Fraction) -> list[Fraction]:
    """The bases for these numbers of rows and labels, and a level of probability.

    Each minimizes a bound for clusters that all have one error rate, and is rounded to
    three digits after the 1.
    """
    f = n_labeled / n_rows
    budget = log(len(LEVELS)) + log(level.denominator) - log(level.numerator)
    t = _GRID * -log1p(-f)
    s = -np.log((1 - (1 - f) * np.exp(t)) / f)
    best = [np.argmin((budget + s * n_labeled * p) / t) for p in LEVELS]
    return [1 + Fraction(f"{np.expm1(t[i]):.3g}") for i in best]


def _log_none(n: Any, m: Any, tau: Fraction) -> Any:
    """Log of the factor that counts all unseen rows as wrong."""
    return -(n - m) * log(tau)


def closed_factor(n: Floats, m: Floats, a: Floats, tau: Fraction) -> Floats:
    """Log factors by the closed form: a random labeled row names the cluster."""
    t, m_or_2 = float(tau), np.maximum(m, 2)
    q = (n - 1 - (n - m) * t) / (m_or_2 - 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        named = np.log1p(-a / m_or_2) + a * np.log(q)
    usable = (m >= 2) & (q > 0)
    return np.where(m == n, 0.0, np.where(usable, named, _log_none(n, m, tau)))


@lru_cache(maxsize=4096)
def table_factor(n: int, m: int, tau: Fraction, level: float) -> Floats:
    """Log factors for a = 0..m, the best on average over errors that are expected.

    The largest factors that keep the mean within a budget for every number of rows of a
    class; whatever the iteration has reached is divided by its largest excess.
    """
    if m == 0 or m == n:
        return np.full(m + 1, _log_none(n, m, tau))
    a, k = np.arange(m), np.arange(1, n + 1)[:, None]
    possible = (m - a <= k) & (a <= n - k)
    log_means = np.where(
        possible, _log_comb(k, m - a) + _log_comb(n - k, a) - _log_comb(n, m), -np.inf
    )
    log_means = log_means + (n - k - a) * log(tau)
    expected = _expected(m, a, level)
    found = [_best_within(log_means, _log_budget(n, p), expected) for p in _BUDGETS]
    best = max(found, key=lambda phi: float(expected @ phi))
    return np.append(best, -np.inf)


def _log_comb(n: Any, k: Any) -> Any:
    # Looked up, which takes a tenth of the time of gammaln for each pair. Where k > n the
    # result is meaningless.
    log_factorials = gammaln(np.arange(np.max(n) + 1) + 1.0)
    return log_factorials[n] - log_factorials[k] - log_factorials[n - k]


def _expected(m: int, a: NDArray[np.int64], level: float) -> Floats:
    """What is expected of the number of errors among m labeled rows."""
    alpha, beta = _CONCENTRATION * level, _CONCENTRATION * (1 - level)
    law = np.exp(_log_comb(m, a) + betaln(a + alpha, m - a + beta) - betaln(alpha, beta))
    return (1 - _ANYWHERE) * law + _ANYWHERE / m


def _log_budget(n: int, p: int) -> Floats:
    """Log of a function of 1..n that sums to at most 1 over parts that sum to n."""
    k = np.arange(1, n + 1)
    small = np.minimum(k, n - k) * 2 / n
    with np.errstate(divide="ignore"):
        return np.log(np.where(2 * k <= n, small**p / 2, 1 - small**p / 2))


def _best_within(log_means: Floats, log_budget: Floats, expected: Floats) -> Floats:
    # The dual of the problem is a mixture likelihood; this is its fixed point. Columns
    # are scaled, since means of many unseen errors are beyond the range of floats.
    logs = log_means - log_budget[:, None]
    scale = logs.max(axis=0)
    d = np.exp(logs - scale)
    weights = np.full(len(d), 1 / len(d))
    for _ in range(_MOST_STEPS):
        phi = expected / (weights @ d)
        excess = d @ phi
        if excess.max() < _ENOUGH:
            break
        weights *= excess**_STEP
        weights /= weights.sum()
    return np.log(phi) - np.log(excess.max()) - scale


def _never_zero(log_factor: Floats, log_none: Floats) -> Floats:
    """Mixture of a factor and the one that counts all unseen rows as wrong.

    Where no label of a cluster is of its class, the first is 0, and would exclude no
    number of errors anywhere. A mixture of factors is a factor.
    """
    if not _GIVEN_UP:
        return log_factor
    return np.logaddexp(log_factor + log1p(-_GIVEN_UP), log_none + log(_GIVEN_UP))


def rounded_down(log_factor: Floats) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Integers i and e such that i * 2**e is at most the factor, by 2e-7 in logs."""
    safe = np.where(np.isfinite(log_factor), log_factor, 0.0) - _SLACK
    e = np.floor(safe / log(2)).astype(np.int64) - (_DIGITS - 1)
    i = np.floor(np.exp(safe - e * log(2))).astype(np.int64)
    return np.where(np.isfinite(log_factor), i, 0), e


class Groups:
    """Clusters that agree in rows, labels and errors, with how many there are.

    Parameters
    ----------
    n, m, a : array-like of shape (n_groups,)
        Rows, labeled rows and errors among these of each cluster.
    times : array-like of shape (n_groups,), default=None
        How many clusters there are of each kind; by default, clusters are grouped.
    """

    def __init__(self, n, m, a, times=None):
        kinds = np.stack([n, m, a], axis=1).astype(np.int64)
        if times is None:
            kinds, times = np.unique(kinds, axis=0, return_counts=True)
        self.times = np.asarray(times, dtype=np.int64)
        self.n, self.m, self.a = kinds.T
        self.n_rows = int(self.times @ self.n)
        self.n_labeled = int(self.times @ self.m)
        self.n_errors = int(self.times @ self.a)

    @property
    def n_test(self) -> int:
        return self.n_rows - self.n_labeled

    def log_factors(self, tau: Fraction, level: float, factor: Factor) -> Floats:
        """Log factor of each group, before it is rounded down."""
        found = closed_factor(self.n, self.m, self.a, tau)
        if factor == "table":
            # In floats: integers beyond 2**63 would come out negative.
            for j in np.flatnonzero(self.n * self.m.astype(float) <= MAX_TABLE):
                n, m, a = int(self.n[j]), int(self.m[j]), int(self.a[j])
                found[j] = table_factor(n, m, tau, level)[a]
        return _never_zero(found, _log_none(self.n, self.m, tau))


def decoupled_bound(
    cluster_sizes: ArrayLike,
    n_labeled: ArrayLike,
    n_errors: ArrayLike,
    *,
    description_length: float = 0.0,
    delta: float = 0.1,
    factor: Factor = "table",
) -> int:
    """Bound the errors of unlabeled rows, for all labelings of the clusters at once.

    With probability at least ``1 - delta`` over the random choice of the labeled rows,
    the number of errors among the unlabeled rows is at most this bound, simultaneously
    for all ways to give the clusters classes. Clusters of which most labels agree cost
    next to nothing, and the number of classes does not matter.

    Parameters
    ----------
    cluster_sizes : array-like of int of shape (n_clusters,)
        Rows of each cluster.
    n_labeled : array-like of int of shape (n_clusters,)
        Labeled rows of each cluster.
    n_errors : array-like of int of shape (n_clusters,)
        Labeled rows of each cluster that are not of the class it is given.
    description_length : float, default=0.0
        Length in bits of the description of the partition, at least 0; the classes of
        clusters are not described.
    delta : float, default=0.1
        Probability, in (0, 1), with which the statement may fail.
    factor : {"table", "closed"}, default="table"
        "table" takes the tighter factor, which is computed numerically, for each cluster
        with up to 100,000 rows times labels. "closed" takes the closed form for all
        clusters, which is faster. Choose before labels are seen.

    Returns
    -------
    n_test_errors : int
        In [0, number of unlabeled rows]; lower is better.

    Raises
    ------
    ValueError
        If a count is negative, not an integer or larger than allowed, arrays differ in
        length, or another parameter is not as described.

    See Also
    --------
    pac_mdl_bound : The bound for labelings that are described in bits.

    Notes
    -----
    Let cluster j have N_j rows, m_j of them labeled, and let a_j and b_j count the errors
    of a labeling among these and among the others. A function phi of a is a factor for a
    base tau > 1 if the mean over random choices of the labeled rows of the largest
    ``tau**b_j * phi(a_j)`` over all classes is at most 1. Given the numbers m_j, the
    choices within clusters are independent, so the mean of
    ``sum_g w_g tau_g**B prod_j phi_gj(a_j)``, with B the sum of all b_j and the weights
    w_g of three bases 1/3 each, is at most 1 for the worst labeling, and by Markov's
    inequality it is below ``1 / delta`` with probability above ``1 - delta``. The bound
    is the largest B for which that is so.

    The closed form is ``(1 - a / m) * q**a``, ``q = (N - 1 - (N - m) tau) / (m - 1)``: a
    random labeled row names the cluster, and by Hoeffding's inequality for samples
    without replacement [1]_ the errors of that name obey the condition.

    References
    ----------
    .. [1] W. Hoeffding, "Probability Inequalities for Sums of Bounded Random Variables",
           Journal of the American Statistical Association 58, 1963, section 6.

    Examples
    --------
    Sixty clusters of 30 rows, half of them labeled, none of these wrong:

    >>> from sklearn_pacmdl.bounds import decoupled_bound, pac_mdl_bound
    >>> decoupled_bound([30] * 60, [15] * 60, [0] * 60)
    10

    With two classes, whose names cost one bit for each cluster:

    >>> pac_mdl_bound(900, 900, 0, description_length=60)
    61
    """
    n, m, a = _clusters(cluster_sizes, n_labeled, n_errors)
    check_option("factor", factor, ["table", "closed"])
    level = exact_decimal(check_open_unit("delta", delta))
    bits = float(check_number("description_length", description_length, least=0))
    if bits:
        level *= weight_of_length(bits)
    return exact_decoupled_bound(Groups(n, m, a), level, factor)


def _clusters(cluster_sizes, n_labeled, n_errors):
    shape = as_array("cluster_sizes", cluster_sizes).shape
    if len(shape) != 1 or not shape[0]:
        allowed = "counts of at least one cluster, in a sequence"
        raise invalid("cluster_sizes", allowed, cluster_sizes)
    for name, counts in {"n_labeled": n_labeled, "n_errors": n_errors}.items():
        if as_array(name, counts).shape != shape:
            raise invalid(name, f"one count for each of {shape[0]} clusters", counts)
    n, m, a = as_counts(
        cluster_sizes=cluster_sizes, n_labeled=n_labeled, n_errors=n_errors
    )
    check_at_most(m, n, "n_labeled", "cluster_sizes")
    check_at_most(a, m, "n_errors", "n_labeled")
    return n, m, a


def closed_bound(groups: Groups, level: Fraction) -> int:
    """The bound by the closed form, decided in floats and never below the exact one."""
    mean = _mean(groups, level, "closed")
    return groups.n_test if mean is None else mean.largest(groups.n_test)


def exact_decoupled_bound(groups: Groups, level: Fraction, factor: Factor) -> int:
    """The bound for a level: delta times the weight of the partition.

    Decided in integers for up to 100,000 rows. Beyond, a mean within rounding error of
    its limit counts as below it, so that the bound is never below the exact one.
    """
    mean = _mean(groups, level, factor)
    if mean is None:
        return groups.n_test
    bound = mean.largest(groups.n_test)
    if groups.n_rows > DECIDABLE:
        return bound
    while bound > 0 and not mean.is_below(bound):
        bound -= 1
    while bound < groups.n_test and mean.is_below(bound + 1):
        bound += 1
    return bound


def _mean(groups, level, factor):
    """The mixture over bases; None where it excludes no number of errors."""
    if not 0 < groups.n_labeled < groups.n_rows:
        return None
    taus = bases(groups.n_rows, groups.n_labeled, level)
    rounded = [
        rounded_down(groups.log_factors(tau, p, factor))
        for tau, p in zip(taus, LEVELS, strict=True)
    ]
    if any(np.any(integers == 0) for integers, _ in rounded):
        return None
    return _Mean(groups, taus, rounded, level)


class _Mean:
    """The mixture over bases, as a function of the number of unseen errors."""

    def __init__(self, groups, taus, rounded, level):
        self.times, self.taus = groups.times, taus
        self.rounded, self.level = rounded, level
        self.slack = _SLACK * max(1, groups.n_rows)
        logs = [groups.times @ (np.log(i) + e * log(2)) for i, e in rounded]
        self.logs = np.array(logs) - log(len(taus))

    def largest(self, n_test: int) -> int:
        """Largest number of errors that floats cannot exclude, by bisection."""
        rates = np.array([log(tau) for tau in self.taus])
        limit = log(self.level.denominator) - log(self.level.numerator) + self.slack
        low, high = 0, n_test
        while low < high:
            middle = (low + high + 1) // 2
            if np.logaddexp.reduce(self.logs + middle * rates) < limit:
                low = middle
            else:
                high = middle - 1
        return low

    def is_below(self, n_errors: int) -> bool:
        """Whether the mixture is below its limit, in integers."""
        common = lcm(*(tau.denominator for tau in self.taus))
        exponents = [int(self.times @ e) for _, e in self.rounded]
        least = min(exponents)
        total = sum(
            int(tau * common) ** n_errors
            * prod(int(i) ** int(k) for i, k in zip(integers, self.times, strict=True))
            << (exponent - least)
            for tau, (integers, _), exponent in zip(
                self.taus, self.rounded, exponents, strict=True
            )
        )
        limit = len(self.taus) * self.level.denominator * common**n_errors
        total *= self.level.numerator
        return total < limit << -least if least < 0 else total << least < limit
