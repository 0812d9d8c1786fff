"""Bound on all errors from a uniform choice of whole groups of rows."""

from __future__ import annotations

from bisect import bisect_left

import numpy as np
from numpy.typing import ArrayLike

from ..utils._checks import as_array, check_open_unit, invalid
from ._arrays import Floats, as_counts, as_parts, check_at_most
from ._strata import total_upper_bound
from ._tail import EPS

# Bets, as shares of the largest that cannot ruin the bettor, and their weights. Bounds
# were up to two percentage points tighter than with 7 to 10 equal bets; with 3 they were
# up to 1.5 points looser, and at best 0.3 tighter (60 to 5000 groups of 1 to 40 rows, a
# tenth to a third audited, 2 to 25% of errors, spread or filling groups). With weights
# that double, margins above the true rate are 16 to 18% smaller than with equal ones if
# errors are spread or fill half of a group, 1 to 4% if 5 to 10% of the groups are wholly
# wrong, and 8% larger if a quarter are (40 of 200 groups of ten rows, 60 draws).
_BETS, _WEIGHTS = np.arange(1, 6) / 5, 2.0 ** np.arange(5) / 31
# Before the first group, errors are expected as in this share of a group of mean size.
_FIRST_RATE = 0.05
# Roundings of a bet, in units of the largest group: four operations on smaller numbers,
# and two on their totals divided by the number of groups.
_ROUNDINGS = 16 * EPS
# For the mean of the bets. Sums of logarithms have an allowance of their own.
_MARGIN = 1e-9


def groups_upper_bound(
    n_errors: ArrayLike, n_audited: ArrayLike, n_others: ArrayLike, delta: float
) -> int:
    """Bound from above how many rows are of a kind, from a sample of whole groups.

    With probability at least ``1 - delta`` over the choice of the audited groups, at most
    this many of all rows are of the kind, such as errors. Rows of one group, such as a
    document, a patient or a field, may be wrong together: nothing is assumed of them.

    Parameters
    ----------
    n_errors : array-like of int, of shape (n_drawn,)
        Rows of the kind in each audited group, in the order of drawing.
    n_audited : array-like of int, of shape (n_drawn,)
        All rows of these groups, each of which was audited; at least 1. The groups were
        drawn uniformly without replacement.
    n_others : array-like of int, of shape (n_others,)
        Rows of each group that was not drawn, at least 1.
    delta : float
        Probability, in (0, 1), with which the statement may fail.

    Returns
    -------
    n_most : int
        From audited rows of the kind to these and all unaudited rows; lower is better.

    Raises
    ------
    ValueError
        If a count is negative, not an integer or too large, ``n_errors`` exceeds
        ``n_audited``, no group was drawn, or delta is outside (0, 1).

    See Also
    --------
    total_upper_bound : The tighter bound for rows that were drawn one by one.

    Notes
    -----
    Suppose that there are T errors in all, and that somebody bets, before each group is
    drawn, that it has fewer errors than the mean of the remaining groups. Then nobody
    expects to gain, and capital grows to ``1 / delta`` times its beginning with
    probability at most ``delta``, by Ville's inequality. A T is refuted if capital grows
    so far, and the bound is the largest T that is not refuted [1]_. The bets are on
    errors beyond those that the rate so far predicts for a group of this size. See
    :doc:`/theory` for the proof. If all groups have one row, the bound is that of
    :func:`total_upper_bound`.

    References
    ----------
    .. [1] I. Waudby-Smith and A. Ramdas, "Confidence sequences for sampling without
       replacement", NeurIPS 2020.

    Examples
    --------
    20 of 100 documents with ten rows each were audited, and two of these have errors:

    >>> from sklearn_pacmdl.bounds import groups_upper_bound
    >>> groups_upper_bound([0, 3, 0, 1] + [0] * 16, [10] * 20, [10] * 80, 0.1)
    131
    """
    check_open_unit("delta", delta)
    if as_array("n_others", n_others).ndim != 1:
        raise invalid("n_others", "a sequence of counts, one for each group", n_others)
    found, audited = as_parts("group", "groups", n_errors=n_errors, n_audited=n_audited)
    (others,) = as_counts(n_others=n_others)
    for name, sizes in {"n_audited": audited, "n_others": others}.items():
        if np.any(sizes < 1):
            raise invalid(name, "counts of at least 1", sizes)
    check_at_most(found, audited, "n_errors", "n_audited")
    if max(audited.max(), others.max(initial=1)) == 1:
        n_groups = len(found) + len(others)
        return int(total_upper_bound(found.sum(), len(found), n_groups, delta))
    game = _Game(found, audited, others)
    level = -np.log(delta) + _MARGIN
    low = int(found.sum())
    more = range(low + 1, low + int(others.sum()) + 1)
    return low + bisect_left(more, True, key=lambda n: game.log_capital(n) > level)


class _Game:
    """What is known before each group is drawn, and what it then shows."""

    def __init__(self, found: Floats, audited: Floats, others: Floats) -> None:
        self.found, self.audited = found, audited
        self.found_before = np.cumsum(found) - found
        audited_before = np.cumsum(audited) - audited
        n_groups, n_rows = len(found) + len(others), audited.sum() + others.sum()
        self.n_left = n_groups - np.arange(len(found), dtype=float)
        self.rows_left = n_rows - audited_before
        # Expected errors of a row, by the groups so far.
        size = n_rows / n_groups
        self.rate = (self.found_before + _FIRST_RATE * size) / (audited_before + size)
        # Of the groups that are left.
        largest = np.maximum.accumulate(audited[::-1])[::-1]
        self.largest = np.maximum(largest, others.max(initial=0))

    def log_capital(self, total: int) -> float:
        """Largest log of the mean capital of all bets, if there are so many errors."""
        # Errors beyond the rate: the mean of the groups left, this group, and the most.
        beyond = total - self.found_before - self.rate * self.rows_left
        mean, most = beyond / self.n_left, (1 - self.rate) * self.largest
        shown = self.found - self.rate * self.audited
        # A factor 1 + bet * (mean - shown) / (most - mean), rounded down.
        rounding = _ROUNDINGS * self.largest
        gain = (most - mean) + _BETS[:, None] * (mean - shown) - rounding
        with np.errstate(divide="ignore"):
            factors = np.log(np.maximum(gain, 0) / (most - mean + 2 * rounding))
        sums = np.cumsum(factors, axis=1)
        # Each logarithm and each sum is off by this at most.
        off = 4 * EPS * (1 + np.maximum.accumulate(np.abs(sums), axis=1))
        sums -= np.arange(1, len(mean) + 1) * off
        log_capitals = np.logaddexp.reduce(sums + np.log(_WEIGHTS)[:, None], axis=0)
        return float(log_capitals.max())
