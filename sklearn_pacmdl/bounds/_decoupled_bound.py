"""A bound for clusters with labels, of all labelings at once: counts in, count out.

Within a cluster the labeled rows are a random choice of its rows, independently of other
clusters. So factors of clusters (`_factors`) can be multiplied: tau**(unseen errors)
times the factors rarely exceeds its limit for any labeling. The base tau and the factors
are those of the range with the labeling's number of errors. All ranges of numbers of
errors above their limits are excluded, from the largest on; the rest is the bound.

Ranges, bases, factors and limits depend on the numbers of rows and labels, and never on
labels. Factors are rounded down, to binary fractions, and limits up, so that the
inequality can be decided in integers.
"""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from math import ceil, log, prod

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..utils._checks import check_number, check_open_unit, check_option, exact_decimal
from ..utils._weights import weight_of_length
from ._arrays import Floats, as_parts, check_at_most
from ._factors import (
    ErrorRange,
    Factor,
    closed_factor,
    error_ranges,
    log_tail,
    table,
    table_cells,
)

# Up to this many rows the bound is decided in integers: 10 ms for 10,000, 1 s here.
DECIDABLE = 10**5
# Factors keep so many binary digits. Rounding down loses less than _LOST in logs.
_DIGITS, _LOST = 24, 2e-7
# Above what logarithms of factors are off by: 4e-10 for the largest tables that look at
# all numbers of rows; others allow for more.
_SLACK = 1e-9


def rounded_down(log_factor: Floats) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Integers i and e such that i * 2**e is at most the factor, by 2e-7 in logs."""
    safe = log_factor - _SLACK
    e = np.floor(safe / log(2)).astype(np.int64) - (_DIGITS - 1)
    return np.floor(np.exp(safe - e * log(2))).astype(np.int64), e


class ClusterKinds:
    """Kinds of clusters by rows n, labeled rows m and errors a, and ``times`` of each."""

    def __init__(self, n, m, a, times=None):
        kinds = np.stack([n, m, a], axis=1).astype(np.int64)
        if times is None:
            kinds, times = np.unique(kinds, axis=0, return_counts=True)
        self.times = np.asarray(times)
        self.n, self.m, self.a = kinds.T
        self.n_rows = round(float(self.times @ self.n))
        self.n_labeled = round(float(self.times @ self.m))
        self.n_errors = round(float(self.times @ self.a))
        self.n_test = self.n_rows - self.n_labeled

    def partly_labeled(self) -> ClusterKinds:
        """Those with labeled and unlabeled rows, the only ones that say something."""
        partly = (self.m > 0) & (self.m < self.n)
        counts = self.n, self.m, self.a, self.times
        return ClusterKinds(*(count[partly] for count in counts))

    @property
    def has_table(self) -> NDArray[np.bool_]:
        """Whether clusters of each kind are small enough for a table."""
        return table_cells(self.n, self.m) > 0

    @property
    def n_cells(self) -> int:
        """About what tables of all clusters take for a range, in units of 10 ns."""
        return round(float(self.times @ table_cells(self.n, self.m)))

    def ranges(self, level: Fraction, factor: Factor) -> tuple[ErrorRange, ...]:
        """Ranges of numbers of errors, and their bases, from sizes alone."""
        without_table: dict[tuple[int, int], float] = defaultdict(float)
        if factor == "table":
            large = ~self.has_table
            kinds = self.n[large].tolist(), self.m[large].tolist()
            for n, m, times in zip(*kinds, self.times[large].tolist(), strict=True):
                without_table[n, m] += times
        large_kinds = tuple((*kind, k) for kind, k in sorted(without_table.items()))
        return error_ranges(self.n_rows, self.n_labeled, level, factor, large_kinds)

    def factors(self, errors: ErrorRange, factor: Factor) -> tuple[Floats, Fraction]:
        """Log factors for a range, before they are rounded down, and their tail."""
        log_factors = closed_factor(self.n, self.m, self.a, float(errors.tau))
        if factor == "closed":
            return log_factors, Fraction(1)
        tables, n_other = [], 0
        kinds = self.n.tolist(), self.m.tolist(), self.a.tolist()
        has_table = self.has_table
        for j, (n, m, a) in enumerate(zip(*kinds, strict=True)):
            if has_table[j]:
                each = table(n, m, errors)
                log_factors[j] = each.log_factor[a]
                tables.append((self.times[j], each))
            else:
                n_other += self.times[j] * n
        return log_factors, log_tail(tables, n_other, errors)


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
    the number of errors among the unlabeled rows is at most this bound. This holds
    simultaneously for all assignments of classes to the clusters. Clusters whose labels
    mostly agree add next to nothing, and the number of classes does not matter.

    Parameters
    ----------
    cluster_sizes : array-like of int of shape (n_clusters,)
        Rows of each cluster.
    n_labeled : array-like of int of shape (n_clusters,)
        Labeled rows of each cluster.
    n_errors : array-like of int of shape (n_clusters,)
        Labeled rows of each cluster that are not of the class assigned to it.
    description_length : float, default=0.0
        Length in bits of the description of the clustering, at least 0; the classes of
        clusters are not described.
    delta : float, default=0.1
        Probability, in (0, 1), with which the statement may fail.
    factor : {"table", "closed"}, default="table"
        "table" computes the tighter factor numerically for each cluster with up to
        100,000 rows times labels. It also does so for up to a million rows and 300
        labels, unless there are very many such clusters. Other clusters have the closed
        form, and all with "closed", which is faster. Choose before labels are seen.

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
    Let cluster j have a_j labeled and b_j unlabeled errors, and let A and B be those of
    all clusters. For a base tau > 1, phi_j is a factor if ``tau**b_j * phi_j(a_j)``,
    summed over all classes, has a mean of at most 1 over random choices of the labeled
    rows. Given how many rows are labeled in each cluster, the choices within clusters are
    independent. So ``tau**B prod_j phi_j(a_j)`` has a mean of at most 1 for the worst
    labeling, and is below ``1 / delta`` with probability above ``1 - delta``. Base and
    factors may depend on A + B, which does not depend on the choice. The bound is the
    largest B for which the product is below its limit. With "table" the limit is lower,
    by the characteristic function of the product.

    The closed form is ``(1 - a / m) * q**a``, ``q = (N - 1 - (N - m) tau) / (m - 1)``,
    for a cluster of N rows with m labels. In it a random labeled row names the cluster,
    whose errors obey the condition by Hoeffding's inequality [1]_. See :doc:`/theory`
    for the proofs.

    References
    ----------
    .. [1] W. Hoeffding, "Probability Inequalities for Sums of Bounded Random Variables",
           Journal of the American Statistical Association 58, 1963, section 6.

    Examples
    --------
    Sixty clusters of 30 rows, half of them labeled, none of these wrong:

    >>> from sklearn_pacmdl.bounds import decoupled_bound, pac_mdl_bound
    >>> decoupled_bound([30] * 60, [15] * 60, [0] * 60)
    3

    With two classes, whose names cost one bit for each cluster:

    >>> pac_mdl_bound(900, 900, 0, description_length=60)
    61
    """
    counts = {"n_labeled": n_labeled, "n_errors": n_errors}
    n, m, a = as_parts("cluster", "clusters", cluster_sizes=cluster_sizes, **counts)
    check_at_most(m, n, "n_labeled", "cluster_sizes")
    check_at_most(a, m, "n_errors", "n_labeled")
    check_option("factor", factor, ["table", "closed"])
    level = exact_decimal(check_open_unit("delta", delta))
    bits = float(check_number("description_length", description_length, least=0))
    if bits:
        level *= weight_of_length(bits)
    return exact_decoupled_bound(ClusterKinds(n, m, a), level, factor)


def closed_bound(clusters: ClusterKinds, level: Fraction) -> int:
    """The bound by the closed form, decided in floats and never below the exact one."""
    rest = clusters.partly_labeled()
    ranges = rest.ranges(level, "closed")
    if not ranges:
        return clusters.n_test
    taus = np.array([[float(errors.tau)] for errors in ranges])
    logs = closed_factor(rest.n, rest.m, rest.a, taus) @ rest.times
    # Factors are not rounded down here.
    slack = _SLACK * max(1, rest.n_rows) + _LOST * float(rest.times.sum())
    limit = log(level.denominator) - log(level.numerator) + slack
    unseen = np.minimum(np.ceil((limit - logs) / np.log(taus[:, 0])) - 1, rest.n_test)
    a = rest.n_errors
    largest = [
        min(int(b), errors.high - 1 - a)
        for b, errors in zip(unseen, ranges, strict=True)
        if b + a >= errors.low
    ]
    return clusters.n_test - rest.n_test + max(largest, default=_least(ranges, rest))


def exact_decoupled_bound(clusters: ClusterKinds, level: Fraction, factor: Factor) -> int:
    """The bound for a level, which is delta times the weight of the clustering.

    Decided in integers for up to 100,000 rows. Beyond, a product within rounding error of
    its limit counts as below it: the bound is never below the exact one.
    """
    rest = clusters.partly_labeled()
    ranges = rest.ranges(level, factor)
    if not ranges:
        return clusters.n_test
    # Rows of clusters without labels all count as wrong.
    without_labels = clusters.n_test - rest.n_test
    for errors in reversed(ranges):
        least = max(0, errors.low - rest.n_errors)
        most = min(rest.n_test, errors.high - 1 - rest.n_errors)
        if least <= most:
            unseen = _largest_unseen(rest, errors, factor, level, least, most)
            if unseen is not None:
                return without_labels + unseen
    return without_labels + _least(ranges, rest)


def _least(ranges, clusters):
    """The bound if all ranges are excluded."""
    return min(max(0, ranges[0].low - 1 - clusters.n_errors), clusters.n_test)


def _largest_unseen(
    clusters: ClusterKinds,
    errors: ErrorRange,
    factor: Factor,
    level: Fraction,
    least: int,
    most: int,
) -> int | None:
    """Largest number of unseen errors from `least` to `most` that is not excluded."""
    log_factors, tail = clusters.factors(errors, factor)
    integers, exponents = rounded_down(log_factors)
    limit, times = tail / level, clusters.times
    log_product = float(times @ (np.log(integers) + exponents * log(2)))
    # Above what rounding takes from a sum of so many terms, and from its two limits.
    sizes = np.log(integers) + np.abs(exponents) * log(2)
    slack = 1e-12 + 1e-15 * (9 + len(sizes)) * float(times @ sizes)
    log_limit = log(limit.numerator) - log(limit.denominator)
    surely, n_errors = (
        min(ceil((log_limit + off - log_product) / log(errors.tau)) - 1, most)
        for off in (-slack, slack)
    )

    def is_below_limit() -> bool:
        """Whether the product with so many errors is, in integers."""
        p, q = errors.tau.as_integer_ratio()
        factors = zip(integers, times, strict=True)
        product = prod(int(i) ** int(k) for i, k in factors) * p**n_errors
        exponent = int(times @ exponents)
        left, right = product * limit.denominator, limit.numerator * q**n_errors
        return left < right << -exponent if exponent < 0 else left << exponent < right

    if clusters.n_rows <= DECIDABLE:  # numbers in between are within rounding error
        while n_errors > max(surely, least - 1) and not is_below_limit():
            n_errors -= 1
    return n_errors if n_errors >= least else None
