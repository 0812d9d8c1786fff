"""The surest rows: their order, and from how many of them an audit is drawn."""

from __future__ import annotations

from math import floor

import numpy as np
from numpy.typing import NDArray
from scipy.special import pdtr

from ..bounds import bucket, tolerated_audit_errors
from ..utils._checks import exact_decimal
from ._audit_size import tolerated_errors

# Shares that are compared; finer ones differ by less than what is supposed is wrong.
_SHARES = np.arange(1, 21) / 20
# By how much a smaller pool must be better. If labels are less often right than they
# claim, it may spare fewer rows: on headlines that a language model labeled, and images,
# pools for which less was expected spared as many rows as all rows, or fewer.
_GAIN = 1.05
# Mean confidence from which confidences are taken for probabilities, and not for scores:
# that of ranks, whose supposed error rate is 1/5 on average.
_LEAST_MEAN = 0.8


def by_confidence(
    confidence: NDArray[np.float64], rows: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The rows, the surest first, and those that are equally sure by their indices."""
    # The order, ties included, must not depend on labels that certify.
    rows = np.sort(rows)
    return rows[np.argsort(-confidence[rows], kind="stable")]


def n_surest(n_rows: int, share: float) -> int:
    """Rows of a share, taken as the decimal that is printed for it."""
    return floor(exact_decimal(share) * n_rows)


def planned_share(
    confidence: NDArray[np.float64], size: int, target: float, delta: float, coin: bool
) -> float:
    """The share of the rows that is expected to spare people the most rows.

    It is supposed that labels are right as often as their confidences say, if these are
    in [0, 1] and high on average. Otherwise the error rate grows with the fourth power of
    the rank, from 0 to 1. Any share is valid, since no human label is looked at.
    """
    n_rows = len(confidence)
    wrong = np.cumsum(_supposed_errors(np.sort(confidence)[::-1]))
    most = tolerated_errors(n_rows, target)
    spared = {
        float(share): _expected(wrong[:n], size, most, delta, coin)
        for share in _SHARES
        if (n := n_surest(n_rows, float(share))) > size
    }
    best = max(spared, key=lambda share: (spared[share], share))
    return best if spared[best] > _GAIN * spared[1.0] else 1.0


def _supposed_errors(confidence: NDArray[np.float64]) -> NDArray[np.float64]:
    """Error rate of each row, the surest first."""
    is_share = confidence[-1] >= 0 and confidence[0] <= 1
    if is_share and np.mean(confidence) >= _LEAST_MEAN:
        return 1 - confidence
    return ((np.arange(len(confidence)) + 0.5) / len(confidence)) ** 4


def _expected(
    wrong: NDArray[np.float64], size: int, most: int, delta: float, coin: bool
) -> float:
    """Rows that are expected to be spared, by the expected errors up to each row."""
    n, share = len(wrong) - size, size / len(wrong)
    if most >= n:
        return n

    def spared(seen: int) -> float:
        # Audited errors come almost as in a Poisson process.
        return (1 - share) * float(pdtr(seen, share * wrong).sum()) if seen >= 0 else 0.0

    seen = int(tolerated_audit_errors(size, n, most, delta))
    if not coin:
        return spared(seen)
    lost = float(bucket(size, n, seen, most + 1)) if seen >= 0 else 0.0
    won = float(bucket(size, n, seen + 1, most + 1))
    chance = (delta - lost) / (won - lost)
    return (1 - chance) * spared(seen) + chance * spared(seen + 1)
