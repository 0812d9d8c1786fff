"""How others decide which labels of a model are kept in a finished data set.

PAC labels of E. J. Candes, A. Ilyas and T. Zrnic, "Probably Approximately Correct
Labels", arXiv:2506.10908, 2025, with their code at github.com/tijana-zrnic/pac-labels.
Rows are drawn uniformly and with replacement, and people label them. For a threshold of
uncertainty, a draw counts as an error if its row lies below the threshold and is labeled
wrongly: the mean of a draw is then the error rate of the data set of which people label
the other rows. The largest threshold for which an upper confidence limit of this mean is
at most the target is looked for by bisection, and rows below it keep their label; so do
none if no threshold will do (where their code would keep nearly all). Nothing is paid
for the choice, because the mean grows with the threshold and has to be bounded only
where it first exceeds the target.

The confidence limit is one of these two:

``betting``
    Their non-asymptotic option, of I. Waudby-Smith and A. Ramdas, "Estimating means of
    bounded random variables by betting", JRSS B 86, 2024. A gambler bets, before each
    draw, that the mean is below m. The stake is sqrt(2 ln(2 / delta) / (n v)), where v
    is the variance so far, regularized by half an error and a variance of a quarter in
    one draw more, and is cut off where the gambler could lose more than three quarters.
    If the mean is m the capital is a martingale, so m is excluded once the capital has
    ever reached 1 / delta, with Ville's inequality. The capital grows with m: the limit
    is at most the target if and only if the target itself is excluded, and one game is
    played for each threshold. (Their code plays one for each m of a grid of 100,000, and
    takes the last m that is not excluded, up to 0.00001 less.)

``normal``
    Their asymptotic option: mean plus normal quantile times standard error.
"""

import math

import numpy as np
from scipy.special import ndtri

# Most of the capital that the gambler may lose in one draw.
_MOST_LOST = 0.75


def betting(errors, target, delta):
    """Whether the mean is certified to be at most the target.

    `errors` are 0 or 1, in drawing order.
    """
    n = len(errors)
    n_seen = 1 + np.arange(1, n + 1)
    mean = (0.5 + np.cumsum(errors)) / n_seen
    variance = (0.25 + np.cumsum((errors - mean) ** 2)) / n_seen
    before = np.append(0.25, variance[:-1])  # known when the stake is placed
    stake = np.sqrt(2 * math.log(2 / delta) / (n * before))
    stake = np.minimum(stake, _MOST_LOST / (1 - target))
    log_capital = np.cumsum(np.log1p(-stake * (errors - target)))
    return bool(log_capital.max() >= -math.log(delta))


def normal(errors, target, delta):
    """The same if draws were so many that their mean is normal."""
    margin = -ndtri(delta) * errors.std() / math.sqrt(len(errors))
    return bool(errors.mean() + margin <= target)


def n_kept(uncertainty, draws, wrong, target, delta, certified=betting):
    """How many rows, from the surest, keep their label.

    Parameters
    ----------
    uncertainty : ndarray of shape (n_rows,)
        Without ties.
    draws : ndarray of int
        Rows in drawing order; they may repeat.
    wrong : ndarray of bool
        Which of the draws are labeled wrongly.
    """
    thresholds = np.sort(uncertainty)
    kept, too_many = -1, len(thresholds)
    while too_many - kept > 1:
        middle = (kept + too_many) // 2
        errors = wrong * (uncertainty[draws] < thresholds[middle])
        if certified(errors.astype(float), target, delta):
            kept = middle
        else:
            too_many = middle
    return max(kept, 0)


def n_draws_for(n_different, n_rows):
    """How many draws meet so many different rows on average."""
    return round(math.log1p(-n_different / n_rows) / math.log1p(-1 / n_rows))
