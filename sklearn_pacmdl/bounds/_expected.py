"""Bounds to expect from the sizes of clusters, before the labels are seen.

Plans, and not guarantees: the numbers of labels in the clusters, and of errors among
these, are taken as what a random choice of rows gives on average.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import log

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import bdtr

from ._arrays import Floats
from ._decoupled_bound import Groups
from ._tail import log_tail

# Up to this mean number of labels in a cluster its law is used, without numbers so
# unlikely at either end, which count as the next ones; beyond, three numbers with the
# mean and the variance of the law. Measured for 29 cases of digits, wine and blobs (3 to
# 60 clusters, 5 to 50 % labeled) against mean bounds over 12 to 30 choices of rows: off
# by 1.5 points on average and by 6.3 at most. Three numbers everywhere: 1.8 and 6.1, but
# 5.5 where 40 clusters of 20 rows have four labels each, with the law 0.6. The mean
# alone: 2.7 and 16. With the law up to 10, and 0.02, 1.5 and 7.2 in twice the time.
_FEW_LABELS, _UNLIKELY = 5.0, 0.05
_POINTS = (-(3**0.5), 0.0, 3**0.5)
_WEIGHTS = (1 / 6, 2 / 3, 1 / 6)
# Clusters of similar sizes are planned for as equally large, so that there are so many
# sizes, or twice as many where rows do not divide evenly. In the cases above 8 and all
# sizes were as near as 4 in twice the time, and 2 off by 7.8 instead of 6.1 at most.
_MOST_SIZES = 4
# More labels of a cluster than these name it as surely; the binomial law takes so many.
_FEW = 100
# The pseudo-count of labels of the way to certify that learns weights.
_SEEN_BEFORE = 1e-3


@dataclass(frozen=True)
class ClusterSizes:
    """Clusters without known labels, one element of the arrays for each kind."""

    n: Floats  # rows, above 0
    rate: Floats  # expected share of the rows that are not of the most frequent class
    times: Floats  # clusters of this kind

    @classmethod
    def of(cls, sizes: ArrayLike, rates: ArrayLike) -> ClusterSizes:
        """Clusters of these sizes, of which similar ones are made equal."""
        n = np.asarray(sizes, dtype=float)
        rate = np.broadcast_to(np.asarray(rates, dtype=float), n.shape)
        order = np.argsort(-n, kind="stable")[: np.count_nonzero(n)]
        n, rate = n[order], rate[order]
        if len(np.unique(n)) > _MOST_SIZES:
            alike = np.array_split(n, _MOST_SIZES)
            parts = [cls.even(int(part.sum()), len(part), 0.0) for part in alike]
            n = np.concatenate([np.repeat(p.n, p.times.astype(int)) for p in parts])
        return cls(*_merged(np.stack([n, rate, np.ones_like(n)])))

    @classmethod
    def even(cls, n_rows: int, n_clusters: int, rate: float) -> ClusterSizes:
        """Clusters whose sizes differ by one at most."""
        size, more = divmod(n_rows, n_clusters)
        kinds = [(size + 1, rate, more), (size, rate, n_clusters - more)]
        kinds = [kind for kind in kinds if kind[0] and kind[2]]
        return cls(*np.array(kinds, dtype=float).T)

    @property
    def n_rows(self) -> int:
        """All rows."""
        return round(float(self.times @ self.n))

    def labeled(self, n_labeled: int, errors: float = 1.0) -> Expected:
        """What is expected where so many random rows are labeled.

        ``errors`` is how often a row that is not of the most frequent class is labeled,
        relative to other rows.
        """
        kinds = []
        for size in np.unique(self.n):
            same_size = self.n == size
            rate, times = self.rate[same_size] * errors, self.times[same_size]
            for m, part in _labels_of(float(size), n_labeled, self.n_rows):
                kinds.append(
                    (self.n[same_size], np.full_like(rate, m), rate, times * part)
                )
        return Expected(*_merged(_table(kinds)))


def _labels_of(size: float, n_labeled: int, n_rows: int) -> list[tuple[float, float]]:
    """Numbers of labels that a cluster is planned for, with probabilities."""
    share, n_unlabeled = n_labeled / n_rows, n_rows - n_labeled
    if share * size <= _FEW_LABELS and size <= n_unlabeled:
        # Five labels on average are hardly ever twenty.
        m = np.arange(min(size, float(n_labeled), 4 * _FEW_LABELS) + 1)
        drawn, undrawn = np.full_like(m, n_labeled), np.full_like(m, n_unlabeled)
        at_most = np.exp(log_tail(drawn, undrawn, m, size - m)[0])
        at_most[at_most <= _UNLIKELY] = 0.0
        at_most[at_most >= 1 - _UNLIKELY] = 1.0
        at_most[-1] = 1.0
        return list(zip(m, np.diff(at_most, prepend=0.0), strict=True))
    spread = np.sqrt(share * (1 - share) * size * (n_rows - size) / max(n_rows - 1, 1))
    points = np.clip(share * size + spread * np.array(_POINTS), 0, size)
    return [
        (whole, weight * part)
        for m, parts in _rounded_at_random(points)
        for whole, part, weight in zip(m, parts, _WEIGHTS, strict=True)
    ]


def _rounded_at_random(values: Floats) -> tuple[tuple[Floats, Floats], ...]:
    """Whole numbers below and above, with probabilities that keep the mean."""
    low = np.floor(values)
    return (low, low + 1 - values), (low + 1, values - low)


def _table(kinds: list) -> Floats:
    return np.stack([np.concatenate(column) for column in zip(*kinds, strict=True)])


def _merged(kinds: Floats) -> Floats:
    """Columns that agree in all but the last row, with the sum of the last."""
    kinds = kinds[:, kinds[-1] > 0]
    different, which = np.unique(kinds[:-1], axis=1, return_inverse=True)
    return np.vstack([different, np.bincount(which.ravel(), weights=kinds[-1])])


@dataclass(frozen=True)
class Expected:
    """Clusters as they are expected to be labeled, several kinds for each of them."""

    n: Floats  # rows
    m: Floats  # labeled rows
    rate: Floats  # expected share of these that are not of the most frequent class
    times: Floats  # clusters of this kind, on average

    def decoupled_bound(self, n_labeled: int, level: Fraction) -> float:
        """The decoupled bound for mean logarithms of its factors, as a rate.

        ``level`` is delta times the weight of the partition.
        """
        n_rows = round(float(self.times @ self.n))
        n_test = n_rows - n_labeled
        if not 0 < n_labeled < n_rows:
            return 1.0
        # Most labels give the class: of two classes, no more than half are others.
        most = np.floor(np.maximum(self.rate, 0.5) * self.m)
        kinds = [
            (self.n, self.m, np.minimum(a, most), self.times * part)
            for a, part in _rounded_at_random(np.minimum(self.rate * self.m, most))
        ]
        groups = Groups(*_merged(_table(kinds)))
        rest = groups.partly_labeled()
        rows, labeled, wrong = (
            float(rest.times @ counts) for counts in (rest.n, rest.m, rest.a)
        )
        ranges = rest.ranges(level, "table")
        if not ranges:
            return 1.0
        unseen = ranges[0].low - wrong
        for errors in reversed(ranges):
            log_factors, tail = rest.factors(errors, "table")
            excess = log(tail) - log(level) - float(rest.times @ log_factors)
            n_errors = excess / log(errors.tau)
            if n_errors + wrong >= errors.low:
                unseen = min(n_errors, errors.high - wrong)
                break
        # Clusters without labels, of which all rows count as wrong, are among the others.
        # Unlike the bound, the number is not rounded down to whole rows.
        n_errors = max(unseen, 0.0) + n_test - (rows - labeled)
        return min(n_errors / n_test, 1.0)

    def named_rate(self, blind: float) -> float:
        """Share of all rows that are labeled wrongly where these labels give the classes.

        ``blind`` is the error rate of clusters without labels.
        """
        # All rows of a cluster that are not of its most frequent class are supposed to be
        # of one other class.
        m = np.minimum(self.m, _FEW).astype(np.int64)
        rate = np.minimum(self.rate, 0.5)
        fewer, at_most_half = bdtr((m - 1) // 2, m, rate), bdtr(m // 2, m, rate)
        # A tie is broken at random; without one, both are the same.
        swapped = 1 - (fewer + at_most_half) / 2
        wrong = np.where(m == 0, blind, self.rate + swapped * (1 - 2 * rate))
        rows = self.times * self.n
        return float(rows @ wrong / rows.sum())

    def learned_bits(self, n_classes: int) -> float:
        """Bits of the classes of all clusters, learned from these labels."""
        # A class is as likely as its share of the labels of a cluster, where each class
        # is supposed to have been seen a little before.
        total = self.m + n_classes * _SEEN_BEFORE
        bits = sum(
            part * np.log2(total / (agree + _SEEN_BEFORE))
            for agree, part in _rounded_at_random(self.m * (1 - self.rate))
        )
        return float(self.times @ bits)
