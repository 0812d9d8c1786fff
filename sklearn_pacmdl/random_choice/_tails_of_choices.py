"""Tails of ways in which a choice of rows may look wrong, under a uniform choice.

A test that compares the most extreme of them with random choices is exact whatever they
are. So they are built for power alone: every way to look wrong has an approximate log
tail probability. The approximations only have to put different ways on a common scale,
out to tails that no number of draws reaches. (Ranks among a first batch of draws, the
other common scale, end at one over the size of the batch, where all ways tie. The batch
must be drawn even if the first few draws settle the matter.)
"""

from math import log, pi

import numpy as np
from scipy.special import gammainc, gammaincc, gammaln, log_ndtr


def _log_binomial(n, k):
    return gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)


# What the groups of rows that may have been labeled together are called.
GROUPS = "the groups"
TOGETHER = "(whole groups were labeled together)"

# What a small lower and a small upper tail look like, of each way by places in the file.
_OF_PLACES = (
    "come too early in the file",
    "come too late in the file",
    "are spread too evenly over the file",
    "are concentrated in parts of the file",
    "form too few runs of adjacent rows",
    "form too many runs of adjacent rows",
)


class Tails:
    """Log tail probabilities of sorted rows, of shape (n_draws, n_chosen).

    They are of shape (n_draws, n_ways), where each way has a lower and an upper tail. If
    ``mirrored``, the rows are those not labeled.
    """

    def __init__(self, n_samples, n_chosen, clusterings, mirrored):
        n, m = n_samples, n_chosen
        self.rate, self.before = m / n, np.arange(m)
        self.mean = m * (n - 1) / 2
        self.sd = np.sqrt(m * (n - m) * (n + 1) / 12)
        # The number of runs of adjacent rows has a hypergeometric law.
        runs = np.arange(1, m + 1)
        ways = _log_binomial(n - m + 1, runs) + _log_binomial(m - 1, runs - 1)
        log_pmf = ways - _log_binomial(n, m)
        upper = np.logaddexp.accumulate(log_pmf[::-1])[::-1]
        self.log_runs = np.logaddexp.accumulate(log_pmf), upper
        parts = [
            (ChiSquare(name, np.bincount(c), m), c) for name, c in clusterings.items()
        ]
        self.width = max([m, *(part.n_clusters for part, _ in parts)])
        self.parts = [(part, clusters) for part, clusters in parts if part.varies]
        early, late, *spread_and_runs = _OF_PLACES
        # Rows that are left out say the same as the labeled but for early and late.
        self.says = [late, early, *spread_and_runs] if mirrored else [*_OF_PLACES]
        self.says += [says for part, _ in self.parts for says in part.says]

    def __call__(self, rows):
        tails = [*self.rank_sum(rows), *self.largest_deviation(rows), *self.runs(rows)]
        for part, clusters in self.parts:
            cells = clusters.take(rows) + np.arange(len(rows))[:, None] * part.n_clusters
            counts = np.bincount(cells.ravel(), minlength=len(rows) * part.n_clusters)
            tails.append(part(counts.reshape(-1, part.n_clusters)))
        return np.column_stack(tails)

    def rank_sum(self, rows):
        """Of the mean place, by its Gaussian approximation with exact variance."""
        z = (rows.sum(axis=1) - self.mean) / self.sd
        return log_ndtr(z), log_ndtr(-z)

    def largest_deviation(self, rows):
        """Of the largest surplus of chosen rows so far, by ends of Kolmogorov's law."""
        before = self.before - rows * self.rate
        most = np.maximum(before.max(axis=1) + 1 - self.rate, -before.min(axis=1))
        x = most / np.sqrt(rows.shape[1] * (1 - self.rate))
        lower = log(2 * pi) / 2 - np.log(x) - pi**2 / (8 * x**2)
        return np.minimum(lower, 0), np.minimum(log(2) - 2 * x**2, 0)

    def runs(self, rows):
        """Of the number of runs of adjacent rows, by its exact law."""
        further = np.sum(np.diff(rows, axis=1) > 1, axis=1)
        lower, upper = self.log_runs
        return lower[further], upper[further]


class ChiSquare:
    """Chi-square of numbers of chosen rows by cluster, of shape (n_draws, n_clusters)."""

    # By the gamma law that has its exact mean and variance and starts at its least value.
    # Clusters may be as small as one row and mostly empty of chosen rows: then this start
    # is what keeps the law near the true one, which is a lattice. So does the probability
    # of the least value, below which no lower tail can be.

    def __init__(self, name, sizes, n_chosen):
        uneven = f"are spread too unevenly over {name}"
        if name == GROUPS:
            uneven += f" {TOGETHER}"
        self.says = f"are spread too evenly over {name}", uneven
        self.n_clusters = len(sizes)
        self.expected = sizes * (n_chosen / sizes.sum())
        mean, variance = _chi_square_moments(sizes, n_chosen)
        counts = _most_even_counts(sizes, n_chosen)
        self.least = np.sum((counts - self.expected) ** 2 / self.expected)
        self.varies = variance > 1e-9 * (1 + mean**2)  # by more than rounding errors
        if self.varies:
            self.shape = (mean - self.least) ** 2 / variance
            self.scale = variance / (mean - self.least)
            self.least_tail = np.exp(_log_probability(sizes, counts))

    def __call__(self, counts):
        excess = counts - self.expected
        chi_square = (excess**2) @ (1 / self.expected)
        x = np.maximum(chi_square - self.least, 0) / self.scale
        lower = np.maximum(gammainc(self.shape, x), self.least_tail)
        tails = np.stack([lower, gammaincc(self.shape, x)], axis=1)
        return np.log(np.maximum(tails, np.finfo(float).tiny))  # some underflow


def _chi_square_moments(sizes, n_chosen):
    """Exact mean and variance of the chi-square of the chosen rows over the clusters."""
    # The variance is that of a table with both margins fixed (Dawson, Biometrika 41,
    # 1954), whose chi-square is larger by the ratio of all rows to those not chosen.
    n, k = int(sizes.sum()), len(sizes)
    other = n - n_chosen

    def parts(n_levels, sum_of_inverses):
        v = (n_levels - 1) * (n - n_levels) / (n - 1)
        return v, (n * sum_of_inverses - n_levels**2) / max(n - 2, 1)

    v, w = parts(k, np.sum(1 / sizes))
    v2, w2 = parts(2, 1 / n_chosen + 1 / other)
    full = 2 * n / max(n - 3, 1) * (v - w) * (v2 - w2) + n**2 / (n - 1) * w * w2
    return (k - 1) * other / (n - 1), full * (other / n) ** 2


def _most_even_counts(sizes, n_chosen):
    """Numbers of rows per cluster that make the chi-square least."""
    # One row more in a cluster of n rows, of which c are chosen, adds (2c + 1) / n times
    # a constant, its price. So these are the cheapest rows. At a price p a cluster has
    # p n / 2 of them, up to half a row and rounding errors. So the price of the last one
    # is between these two.
    k, n = len(sizes), sizes.sum()
    prices = max(2 * (n_chosen - k), 0) / n, 2 * (n_chosen + k) / n
    low, high = (np.floor((p * sizes + 1) / 2).astype(np.int64) for p in prices)
    more = high - low
    clusters = np.repeat(np.arange(k), more)
    taken = np.arange(len(clusters)) - np.repeat(np.cumsum(more) - high, more)
    price = (2 * taken + 1) / sizes[clusters]
    cheapest = np.argsort(price, kind="stable")[: n_chosen - low.sum()]
    return low + np.bincount(clusters[cheapest], minlength=k)


def _log_probability(sizes, counts):
    """Of these counts, and of those with clusters of equal size exchanged."""
    _, alike = np.unique(sizes, return_counts=True)
    _, same = np.unique(sizes + 1j * counts, return_counts=True)  # as pairs
    return (
        np.sum(_log_binomial(sizes, counts))
        - _log_binomial(sizes.sum(), counts.sum())
        + np.sum(gammaln(alike + 1))
        - np.sum(gammaln(same + 1))
    )


def log_equal_probability(n_samples, n_chosen, n_classes):
    """Largest probability that a random choice has equally many rows of each class."""
    # For classes of N_1, N_2, ... rows and q chosen rows of each it is the product of the
    # C(N_j, q) over C(N, m). C(x + 1, q) / C(x, q) = (x + 1) / (x + 1 - q) falls in x. So
    # the product rises if a row moves from a class to one that is smaller by two or more.
    # It is largest where the sizes of classes differ by at most one.
    size, larger = divmod(n_samples, n_classes)
    each = n_chosen // n_classes
    return float(
        larger * _log_binomial(size + 1, each)
        + (n_classes - larger) * _log_binomial(size, each)
        - _log_binomial(n_samples, n_chosen)
    )
