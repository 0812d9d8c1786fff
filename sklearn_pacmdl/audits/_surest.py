"""The surest rows: their order, what is supposed of their errors, and how many to use."""

from __future__ import annotations

from math import ceil, floor

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import expit, logit, pdtr
from sklearn.linear_model import LogisticRegression

from ..bounds import tolerated_audit_errors
from ..utils._checks import rows_of_rate
from ._audit_size import tolerated_errors

# Compared shares; finer steps differ by less than the suppositions are wrong.
_SHARES = np.arange(1, 21) / 20
# Required gain of a smaller pool. With overconfident labels it may spare fewer rows: on
# headlines labeled by a language model, and on images, pools with smaller expected gains
# spared no more rows than all rows did. A pilot of a hundred rows may be far off: on the
# headlines, pools with a promised gain of 5% for 400 checks spared almost 5% less.
GAIN, GAIN_BY_PILOT = 1.05, 1.1
# Mean confidence from which confidences are treated as probabilities, not as scores. By
# ranks, the mean of the supposed error rates is 1/5, too.
_LEAST_MEAN, _POWER = 0.8, 4
# No confidence is trusted beyond this rate.
_LEAST_RATE = 1e-3
# How little the regression of errors in a pilot is regularized: plans by C=1 spared less.
_C = 10.0
# Maximum number of rows in the sum of spared rows; the sum over all rows differs by less
# than a thousandth.
_MOST_POINTS = 4096


def by_confidence(confidence, rows) -> NDArray[np.int64]:
    """Sorted rows, the surest first, and those that are equally sure by their indices."""
    # The order, ties included, must not depend on labels that certify.
    doubt = confidence[rows]
    np.negative(doubt, out=doubt)  # in its place, since rows may be many
    order = np.argsort(doubt, kind="stable")
    del doubt
    return rows[order]


def n_surest(n_rows: int, share: float) -> int:
    """Rows of a share, taken as the decimal that is printed for it."""
    return floor(rows_of_rate(share, n_rows))


def are_probabilities(confidence: NDArray[np.float64]) -> bool:
    """Whether confidences are treated as probabilities of being right."""
    within = np.min(confidence) >= 0 and np.max(confidence) <= 1
    return bool(within and np.mean(confidence) >= _LEAST_MEAN)


def supposed_errors(confidence, accuracy=None) -> NDArray[np.float64]:
    """Error rate of each row, the surest first, as their confidences are in this order.

    It is one minus a probability, or grows with the fourth power of the rank from 0 to 1.
    For an ``accuracy``, all log odds are shifted, or the power is another.
    """
    if are_probabilities(confidence):
        rates = 1 - confidence
        return rates if accuracy is None else _shifted(_log_odds(rates), 1 - accuracy)
    power = _POWER if accuracy is None else accuracy / (1 - accuracy)
    return ((np.arange(len(confidence)) + 0.5) / len(confidence)) ** power


def fitted_errors(confidence, at, wrong) -> NDArray[np.float64]:
    """The same, fitted to rows at some places of the order, which people have labeled."""
    n_wrong = np.count_nonzero(wrong)
    if n_wrong in (0, len(wrong)):  # as if there were half a label more of each kind
        return supposed_errors(confidence, 1 - (n_wrong + 0.5) / (len(wrong) + 1))
    x = _log_odds(supposed_errors(confidence))[:, None]
    return LogisticRegression(C=_C).fit(x[at], wrong).predict_proba(x)[:, 1]


def _log_odds(rates: NDArray[np.float64]) -> NDArray[np.float64]:
    return logit(np.clip(rates, _LEAST_RATE, 1 - _LEAST_RATE))


def _shifted(log_odds: NDArray[np.float64], mean: float) -> NDArray[np.float64]:
    """Rates with this mean."""
    most = np.max(np.abs(log_odds)) + abs(logit(mean))  # moves all of them past it
    added = brentq(lambda added: np.mean(expit(log_odds + added)) - mean, -most, most)
    return expit(log_odds + added)


def planned_share(errors, size, target, delta, gain=GAIN) -> tuple[float, float]:
    """The share of the rows that is expected to spare people the most, and how many.

    The ``errors`` are supposed rates, the surest row first. A share below 1 must be
    better by the factor ``gain``. Any share is valid.
    """
    n_rows, wrong = len(errors), np.cumsum(errors)
    most = tolerated_errors(n_rows, target)
    pools = {float(share): n_surest(n_rows, float(share)) for share in _SHARES}
    pools = {share: n for share, n in pools.items() if n > size}
    # All at once: one by one they take ten times as long.
    left = np.array([*pools.values()]) - size
    audited = tolerated_audit_errors(size, left, np.minimum(most, left), delta)
    spared = {
        share: _expected(wrong[: pools[share]], size, int(tolerated))
        for share, tolerated in zip(pools, audited, strict=True)
    }
    best = max(spared, key=lambda share: (spared[share], share))
    share = best if spared[best] > gain * spared[1.0] else 1.0
    return share, spared[share]


def _expected(wrong: NDArray[np.float64], size: int, tolerated: int) -> float:
    """Rows that are expected to be spared, by the expected errors up to each row."""
    n, share = len(wrong) - size, size / len(wrong)
    if tolerated < 0 or tolerated == size:
        return 0.0 if tolerated < 0 else n
    step = ceil(len(wrong) / _MOST_POINTS)
    # Audited errors come almost as in a Poisson process.
    audited = share * wrong[step // 2 :: step]
    return n * float(pdtr(tolerated, audited).mean())
