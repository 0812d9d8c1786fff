"""Precision, recall, F1 and size of a class, from a uniform sample of all rows."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..utils._checks import exact_decimal
from ._arrays import Floats, as_counts, as_delta, check_at_most, float_below
from ._pac_mdl import bmax
from ._strata import fisher_upper_bound

# Both decide about speed; the second also about precision where there are more sizes than
# can be looked at one by one. For up to 100,000 rows no bound was too low because of it,
# beyond by up to 1.5e-4, and 10**7 rows took half a second.
_PIECES = 16  # that a range of sizes is cut into
_MOST_RANGES = 2**10  # that are cut further


class _AuditedSet(NamedTuple):
    """A set of rows, of which so many audited ones are good and bad.

    Its size is from ``smallest`` to ``largest``, and whatever the sample, it has no more
    than ``most_good`` and ``most_bad`` rows of either.
    """

    good: int
    bad: int
    smallest: int
    largest: int
    most_good: int
    most_bad: int

    def most_share(self, delta: float) -> Fraction:
        """The largest share of good rows, where the bad ones are bounded from below."""
        good, bad, smallest, largest, most_good, most_bad = self
        swapped = _AuditedSet(bad, good, smallest, largest, most_bad, most_good)
        return 1 - _least_share(swapped, delta)


# Precision, recall and the Jaccard coefficient of a class are the share of the rows that
# are rightly predicted in three sets: those predicted, those truly in the class, and
# those in either. The audited rows of a set are a uniform sample of it.


def _of_predicted(tp: int, fp: int, n_predicted: int) -> _AuditedSet:
    return _AuditedSet(tp, fp, n_predicted, n_predicted, n_predicted, n_predicted)


def _of_class(
    tp: int, fp: int, fn: int, n_predicted: int, n_audited: int, n_rows: int
) -> _AuditedSet:
    largest = n_rows - n_audited + tp + fn
    most_bad = n_rows - n_predicted - (n_audited - tp - fp - fn)
    return _AuditedSet(tp, fn, tp + fn, largest, n_predicted - fp, most_bad)


def _of_either(
    tp: int, fp: int, fn: int, n_predicted: int, n_audited: int, n_rows: int
) -> _AuditedSet:
    largest = n_rows - (n_audited - tp - fp - fn)
    most_bad = n_rows  # the sizes say it all
    return _AuditedSet(tp, fp + fn, n_predicted + fn, largest, n_predicted - fp, most_bad)


def _least_share(rows: _AuditedSet, delta: float) -> Fraction:
    """The smallest share of good rows in a set, at any size that is possible."""
    # For the true size the bound on the bad rows holds with probability 1 - delta. So the
    # smallest share at all sizes costs nothing more.
    good, bad, smallest, largest, most_good, most_bad = rows
    if not good:
        return Fraction(0)

    def bad_at(size: Floats) -> Floats:
        """Most bad rows at a size; each row more adds none or one."""
        most = bad + bmax(good + bad, size - good - bad, bad, delta)
        return np.minimum(most, most_bad).astype(float)

    # The good rows never become fewer as the set grows: from some size on, they are too
    # many.
    possible, beyond = float(smallest), largest + 1.0
    while beyond - possible > 1:
        sizes = np.unique(np.linspace(possible, beyond - 1, _MOST_RANGES).round())
        n_possible = max(int(np.sum(sizes - bad_at(sizes) <= most_good)), 1)
        possible, beyond = [*sizes, beyond][n_possible - 1 : n_possible + 1]
    first, last = np.array([float(smallest)]), np.array([possible])
    shares = []
    # Ranges of sizes are cut in pieces, and given up where no share in them can be
    # smaller than the smallest so far.
    while first.size:
        edges = np.linspace(first, last + 1, _PIECES + 1, axis=1).round()
        starts, ends = edges[:, :-1].ravel(), edges[:, 1:].ravel() - 1
        first, last = starts[starts <= ends], ends[starts <= ends]
        bad_last, good_first = bad_at(last), first - bad_at(first)
        shares += [_smallest(good_first, first), _smallest(last - bad_last, last)]
        # In between are at least as many good rows as at the first size, and at most as
        # many bad ones as at the last.
        wide, in_all = last - first > 1, good_first + bad_last
        least = np.where(wide, good_first / in_all, np.inf)
        limit = np.sort(least)[_MOST_RANGES:][:1]
        open_ = (least < float(min(shares))) & (least < np.min(limit, initial=np.inf))
        if np.any(given_up := wide & ~open_):
            shares.append(_smallest(good_first[given_up], in_all[given_up]))
        first, last = first[open_] + 1, last[open_] - 1
    return min(shares)


def _smallest(good: Floats, size: Floats) -> Fraction:
    """The smallest of several ratios, exactly."""
    ratio = good / size
    near = np.flatnonzero(ratio <= ratio.min() * (1 + 1e-15))
    return min(Fraction(int(good[i]), int(size[i])) for i in near)


def precision_lower_bound(
    tp: ArrayLike, fp: ArrayLike, *, n_predicted: ArrayLike, delta: ArrayLike
) -> Any:
    """Bound the precision of a class from below, from a uniform sample of all rows.

    The precision is the share of the rows predicted to be in the class that truly are.
    With probability at least ``1 - delta`` over the choice of the audited rows it is not
    below this bound. Array arguments broadcast.

    Parameters
    ----------
    tp, fp : int or array-like of int
        Audited rows that are predicted to be in the class, and truly are (``tp``), or
        are not (``fp``).
    n_predicted : int or array-like of int
        All rows that are predicted to be in the class, at least ``tp + fp``.
    delta : float or array-like of float
        Probability, in (0, 1), with which the statement may fail. It may depend on
        ``n_predicted`` and on ``tp + fp``, but not on ``tp``.

    Returns
    -------
    precision : float or ndarray of float64
        In [0, 1]; higher is better. As exact as :func:`bmax`. 0 without a rightly
        predicted audited row.

    Raises
    ------
    ValueError
        If a count is negative, not an integer or too large, or delta outside (0, 1).

    See Also
    --------
    recall_lower_bound : The share of the rows truly in the class.
    sklearn.metrics.precision_score : The precision on the audited rows.

    Examples
    --------
    >>> from sklearn_pacmdl.bounds import precision_lower_bound
    >>> precision_lower_bound(47, 3, n_predicted=500, delta=0.05)
    0.858
    """
    tp, fp, predicted = as_counts(tp=tp, fp=fp, n_predicted=n_predicted)
    check_at_most(tp + fp, predicted, "tp + fp", "n_predicted")
    return _lower_bounds(_of_predicted, tp, fp, predicted, delta=delta)


def recall_lower_bound(
    tp: ArrayLike,
    fp: ArrayLike,
    fn: ArrayLike,
    *,
    n_predicted: ArrayLike,
    n_audited: ArrayLike,
    n_rows: ArrayLike,
    delta: ArrayLike,
) -> Any:
    """Bound the recall of a class from below, from a uniform sample of all rows.

    The recall is the share of the rows truly in the class that are predicted to be. With
    probability at least ``1 - delta`` over the choice of the audited rows it is not below
    this bound. Array arguments broadcast.

    Parameters
    ----------
    tp, fp, fn : int or array-like of int
        Audited rows that are both predicted to be in the class and truly in it (``tp``),
        only predicted (``fp``), or only truly in it (``fn``).
    n_predicted : int or array-like of int
        All rows that are predicted to be in the class, at least ``tp + fp``.
    n_audited : int or array-like of int
        Rows that were drawn uniformly without replacement, at least ``tp + fp + fn``.
    n_rows : int or array-like of int
        All rows, audited or not; at most 2**51.
    delta : float or array-like of float
        Probability, in (0, 1), with which the statement may fail. It may depend on
        ``n_predicted``, but not on how many rows of the class were audited: given these,
        the bound fails far more often than delta.

    Returns
    -------
    recall : float or ndarray of float64
        In [0, 1]; higher is better. Never above the exact bound: for more than 100,000
        rows it was up to 2e-4 too low. 0 without a rightly predicted audited row.

    Raises
    ------
    ValueError
        If a count is negative, not an integer or too large, counts contradict each other,
        or delta is outside (0, 1).

    See Also
    --------
    precision_lower_bound : The share of the rows predicted to be in the class.
    f1_lower_bound : Both in one number.
    sklearn.metrics.recall_score : The recall on the audited rows.

    Notes
    -----
    How many rows are truly in the class is not known, so this is the smallest recall at
    all numbers that are possible. For the true number the bound holds with probability
    ``1 - delta``, since the audited rows of the class are a uniform sample of them.

    Examples
    --------
    >>> from sklearn_pacmdl.bounds import recall_lower_bound
    >>> recall_lower_bound(
    ...     47, 3, 2, n_predicted=500, n_audited=300, n_rows=2299, delta=0.05
    ... )
    0.8806509945750451
    """
    counts = _check_class(tp, fp, fn, n_predicted, n_audited, n_rows)
    return _lower_bounds(_of_class, *counts, delta=delta)


def f1_lower_bound(
    tp: ArrayLike,
    fp: ArrayLike,
    fn: ArrayLike,
    *,
    n_predicted: ArrayLike,
    n_audited: ArrayLike,
    n_rows: ArrayLike,
    delta: ArrayLike,
) -> Any:
    """Bound the F1 score of a class from below, from a uniform sample of all rows.

    This is the harmonic mean of precision and recall. With probability at least ``1 -
    delta`` over the choice of the audited rows it is not below this bound. Array
    arguments broadcast.

    Parameters
    ----------
    tp, fp, fn, n_predicted, n_audited, n_rows : int or array-like of int
        As in :func:`recall_lower_bound`.
    delta : float or array-like of float
        As in :func:`recall_lower_bound`.

    Returns
    -------
    f1 : float or ndarray of float64
        In [0, 1]; higher is better. As exact as :func:`recall_lower_bound`.

    Raises
    ------
    ValueError
        If a count is negative, not an integer or too large, counts contradict each other,
        or delta is outside (0, 1).

    See Also
    --------
    precision_lower_bound, recall_lower_bound : The two scores by themselves.
    sklearn.metrics.f1_score : The score on the audited rows.

    Notes
    -----
    F1 = 2 J / (1 + J), with the Jaccard coefficient J. One statement about J is better
    than two, about precision and recall, that share delta.

    Examples
    --------
    >>> from sklearn_pacmdl.bounds import f1_lower_bound
    >>> f1_lower_bound(47, 3, 2, n_predicted=500, n_audited=300, n_rows=2299, delta=0.05)
    0.896551724137931
    """
    counts = _check_class(tp, fp, fn, n_predicted, n_audited, n_rows)
    return _lower_bounds(_of_either, *counts, delta=delta, of_share=_f1)


def _f1(jaccard: Fraction) -> Fraction:
    return 2 * jaccard / (1 + jaccard)


# Arguments are those of the lower bounds.


def precision_upper_bound(*, delta: float, **counts: int) -> Fraction:
    """Largest precision of a class."""
    return _of_predicted(**counts).most_share(delta)


def recall_upper_bound(*, delta: float, **counts: int) -> Fraction:
    """Largest recall of a class."""
    return _of_class(**counts).most_share(delta)


def jaccard_upper_bound(*, delta: float, **counts: int) -> Fraction:
    """Largest Jaccard coefficient of a class."""
    return _of_either(**counts).most_share(delta)


def class_total_bounds(
    tp: int,
    fp: int,
    fn: int,
    *,
    n_predicted: int,
    n_audited: int,
    n_rows: int,
    delta: float,
) -> tuple[int, int]:
    """Fewest and most rows that are truly in a class; half of delta is spent on each.

    Delta may depend on ``n_predicted`` and on ``tp + fp``, but not on ``tp`` or ``fn``.
    """
    # By predictions: the rows predicted to be in the class, and the others.
    rows = np.array([n_predicted, n_rows - n_predicted])
    audited = np.array([tp + fp, n_audited - tp - fp])
    in_class = np.array([tp, fn])
    half = float_below(exact_decimal(delta) / 2)
    most_elsewhere = fisher_upper_bound(audited - in_class, audited, rows, half)
    return n_rows - most_elsewhere, fisher_upper_bound(in_class, audited, rows, half)


def macro_error_upper_bound(
    n_errors: Sequence[int],
    n_audited: Sequence[int],
    n_predicted: Sequence[int],
    *,
    delta: float,
) -> float:
    """Most that the mean precision over the predicted classes is below 1.

    The counts are of errors among the audited rows of each predicted class, of these,
    and of all its rows. Delta may depend on the last two, but not on ``n_errors``.
    """
    weights = [Fraction(1, len(n_predicted) * int(n)) for n in n_predicted]
    return fisher_upper_bound(n_errors, n_audited, n_predicted, delta, weights)


def _check_class(tp, fp, fn, n_predicted, n_audited, n_rows):
    """Check that the counts fit together, and return them as arrays of one shape."""
    sizes = {"n_predicted": n_predicted, "n_audited": n_audited, "n_rows": n_rows}
    counts = as_counts(tp=tp, fp=fp, fn=fn, **sizes)
    tp, fp, fn, predicted, audited, rows = counts
    check_at_most(audited, rows, "n_audited", "n_rows")
    check_at_most(predicted, rows, "n_predicted", "n_rows")
    check_at_most(tp + fp, predicted, "tp + fp", "n_predicted")
    check_at_most(tp + fp + fn, audited, "tp + fp + fn", "n_audited")
    elsewhere = "n_audited - (tp + fp)", "n_rows - n_predicted"
    check_at_most(audited - tp - fp, rows - predicted, *elsewhere)
    return counts


def _lower_bounds(
    make: Callable[..., _AuditedSet],
    *counts: Floats,
    delta: ArrayLike,
    of_share: Callable[[Fraction], Fraction] = Fraction,
) -> Any:
    """What follows from the least share in a set of rows, by element, rounded down."""
    *together, deltas = np.broadcast_arrays(*counts, as_delta(delta))
    whole = [count.ravel().astype(np.int64).tolist() for count in together]
    cases = list(zip(*whole, deltas.ravel().tolist(), strict=True))
    by_case = {
        (*case, level): float_below(of_share(_least_share(make(*case), level)))
        for *case, level in set(cases)
    }
    bounds = [by_case[case] for case in cases]
    return np.reshape(bounds, deltas.shape) if deltas.ndim else bounds[0]
