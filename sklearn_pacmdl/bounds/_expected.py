"""Bounds to expect from the sizes of clusters, before the labels are seen.

Plans, and not guarantees: the numbers of labels in the clusters, and of errors among
these, are taken as what a random choice of rows gives on average.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import log

import numpy as np
from scipy.optimize import brentq
from scipy.special import bdtr

from ._arrays import Floats
from ._decoupled import LEVELS, Groups, bases

# The number of labels of a cluster is planned for at three values, with the mean and the
# variance of the law: mean and mean -+ sqrt(3) standard deviations. The mean alone gives
# bounds that are too small by 12 points on digits (60 clusters, 10 % labeled); three
# values are within 4 points there, and the whole law is slower and no nearer.
_POINTS = (-(3**0.5), 0.0, 3**0.5)
_WEIGHTS = (1 / 6, 2 / 3, 1 / 6)
# Clusters of similar sizes are planned for as equally large, so that there are so many
# sizes, or twice as many where they do not come out even. It decides about speed: one
# size for all is off by up to 3 points on digits, and 8 sizes by .1.
_MOST_SIZES = 8
# Labels up to which the majority of a cluster is computed by the binomial law.
_FEW = 100
# The pseudo-count of labels of the way to certify that learns weights.
_SEEN_BEFORE = 1e-3


@dataclass(frozen=True)
class Expected:
    """Clusters as they are expected to be labeled, several kinds for each cluster.

    Parameters
    ----------
    n, m : ndarray of float64, whole numbers
        Rows and labeled rows.
    rate : ndarray of float64
        Expected share of the rows that are not of the class of most.
    times : ndarray of float64
        How many clusters of this kind there are on average.
    """

    n: Floats
    m: Floats
    rate: Floats
    times: Floats


def even_sizes(n_rows: int, n_clusters: int) -> Floats:
    """Sizes of clusters that differ by one at most, the larger ones first."""
    size, more = divmod(n_rows, n_clusters)
    return np.where(np.arange(n_clusters) < more, size + 1.0, float(size))


def expect(sizes: Floats, rates: Floats, n_labeled: int) -> Expected:
    """What is expected of clusters where so many random rows are labeled."""
    n_rows = int(sizes.sum())
    order = np.argsort(-sizes, kind="stable")
    n, rate = sizes[order], rates[order]
    if len(np.unique(n)) > _MOST_SIZES:
        groups = np.array_split(n, _MOST_SIZES)
        n = np.concatenate([even_sizes(int(g.sum()), len(g)) for g in groups])
    share = n_labeled / n_rows
    spread = np.sqrt(share * (1 - share) * n * (n_rows - n) / max(n_rows - 1, 1))
    kinds = []
    for point, weight in zip(_POINTS, _WEIGHTS, strict=True):
        m = np.clip(share * n + point * spread, 0, n)
        for whole, part in _rounded_at_random(m):
            kinds.append((n, whole, rate, weight * part))
    found = np.stack([np.concatenate(column) for column in zip(*kinds, strict=True)])
    return Expected(*_merged(found))


def _rounded_at_random(values: Floats) -> tuple[tuple[Floats, Floats], ...]:
    """Whole numbers below and above, with probabilities that keep the mean."""
    low = np.floor(values)
    return (low, low + 1 - values), (low + 1, values - low)


def _merged(kinds: Floats) -> Floats:
    """Columns that agree in all but the last row, with the sum of the last."""
    kinds = kinds[:, kinds[-1] > 0]
    different, which = np.unique(kinds[:-1], axis=1, return_inverse=True)
    times = np.bincount(which.ravel(), weights=kinds[-1])
    return np.vstack([different, times])


def expected_decoupled_bound(
    expected: Expected, n_labeled: int, level: Fraction
) -> float:
    """The decoupled bound for mean logarithms of the factors, not rounded to whole rows.

    As a number of unlabeled rows; ``level`` is delta times the weight of the partition.
    """
    e = expected
    n_rows = round(float(e.times @ e.n))
    n_test = n_rows - n_labeled
    if not 0 < n_labeled < n_rows:
        return float(n_test)
    # No more than half of the labels of a cluster differ from most of them, if there are
    # two classes.
    most = np.floor(e.m / 2)
    kinds = [
        (e.n, e.m, np.minimum(whole, most), e.times * part)
        for whole, part in _rounded_at_random(np.minimum(e.rate * e.m, most))
    ]
    n, m, a, times = _merged(
        np.stack([np.concatenate(column) for column in zip(*kinds, strict=True)])
    )
    groups = Groups(n, m, a, times=np.ones(len(n)))
    taus = bases(n_rows, n_labeled, level)
    logs = np.array(
        [
            times @ groups.log_factors(tau, p, "table")
            for tau, p in zip(taus, LEVELS, strict=True)
        ]
    )
    rates = np.array([log(tau) for tau in taus])
    limit = log(len(taus)) + log(level.denominator) - log(level.numerator)

    def excess(n_errors: float) -> float:
        return float(np.logaddexp.reduce(logs + n_errors * rates)) - limit

    if excess(0) >= 0:
        return 0.0
    return float(n_test if excess(n_test) <= 0 else brentq(excess, 0, n_test))


def expected_naming(expected: Expected, blind: float) -> Floats:
    """Probability that most labels of a cluster are not of the class of most rows.

    All other rows are supposed to be of one other class. ``blind`` is the probability
    for clusters without labels.
    """
    e = expected
    m = np.minimum(e.m, _FEW).astype(np.int64)
    rate = np.minimum(e.rate, 0.5)
    fewer, at_most_half = bdtr((m - 1) // 2, m, rate), bdtr(m // 2, m, rate)
    # A tie is broken at random; without one, both are the same.
    return np.where(m == 0, blind, 1 - (fewer + at_most_half) / 2)


def expected_named_rate(expected: Expected, blind: float) -> float:
    """Share of rows that are labeled wrongly where the labels name the clusters."""
    e = expected
    wrong = expected_naming(expected, blind)
    rate = np.where(e.m == 0, wrong, e.rate + wrong * np.maximum(1 - 2 * e.rate, 0))
    rows = e.times * e.n
    return float(rows @ rate / rows.sum())


def expected_learned_bits(expected: Expected, n_classes: int) -> float:
    """Bits of the classes of clusters that are learned from labels that are set aside.

    A class is as likely as its share of the labels of a cluster, where each class is
    supposed to have been seen a little before.
    """
    e = expected
    total = e.m + n_classes * _SEEN_BEFORE
    bits = sum(
        part * np.log2(total / (agree + _SEEN_BEFORE))
        for agree, part in _rounded_at_random(e.m * (1 - e.rate))
    )
    return float(e.times @ bits)
