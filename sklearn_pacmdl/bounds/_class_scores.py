"""Precision, recall, F1 and size of a class, from a uniform sample of all rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import floor, lcm
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..utils._checks import check_option, exact_decimal, invalid
from ._arrays import as_counts, as_delta, check_at_most, float_above, float_below
from ._inversion import Ratio, Sample
from ._pac_mdl import bmax
from ._strata import ratio_upper_bound, weighted_upper_bound


class ClassCounts(NamedTuple):
    """Counts of a class; the first three are of audited rows only.

    Given how many predicted rows were audited, these and the others are two strata. So a
    delta may depend on this number, but on those of no other class.
    """

    tp: int
    fp: int
    fn: int
    n_predicted: int
    n_audited: int
    n_rows: int

    @property
    def _sizes(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """Audited rows and all rows of both strata."""
        audited = self.tp + self.fp
        rows = self.n_predicted, self.n_rows - self.n_predicted
        return (audited, self.n_audited - audited), rows

    def _largest(
        self, found: tuple[int, int], ratio: tuple[Any, Any, int], delta: float
    ) -> Fraction:
        return ratio_upper_bound(Sample(found, *self._sizes), Ratio(*ratio), delta)

    def _precision_below_one(self, n_right: int, n_wrong: int, delta: float) -> Fraction:
        unaudited = self.n_predicted - n_right - n_wrong
        most = n_wrong + bmax(n_right + n_wrong, unaudited, n_wrong, delta)
        return Fraction(most, self.n_predicted)

    def least(self, score: str, delta: float) -> Fraction:
        """Smallest precision, recall or Jaccard coefficient; 0 if no row is predicted."""
        n, missed = self.n_predicted, (self.fp, self.fn)
        if not n:
            return Fraction(0)
        if score == "precision":
            return 1 - self._precision_below_one(self.tp, self.fp, delta)
        of = {"recall": ((0, 1), (-1, 1), n), "jaccard": ((1, 1), (0, 1), n)}
        return 1 - self._largest(missed, of[score], delta)

    def most(self, score: str, delta: float) -> Fraction:
        """Largest precision, recall or Jaccard coefficient; 0 if no row is predicted."""
        n, n_others = self.n_predicted, self.n_rows - self.n_predicted
        if not n:
            return Fraction(0)
        if score == "precision":
            return self._precision_below_one(self.fp, self.tp, delta)
        if not n_others:
            return Fraction(1) if score == "recall" else self.most("precision", delta)
        found = self.tp, self.n_audited - self.tp - self.fp - self.fn
        of = {
            "recall": ((1, 0), (1, -1), n_others),
            "jaccard": ((1, 0), (0, -1), self.n_rows),
        }
        return self._largest(found, of[score], delta)

    def total(self, delta: float | None) -> tuple[int, int]:
        """Fewest and most rows truly in the class, half of delta for each; None: sure."""
        if delta is None:
            n_true = self.tp + self.fn
            return n_true, self.n_rows - self.n_audited + n_true
        half = float_below(exact_decimal(delta) / 2)
        audited, rows = self._sizes
        in_class = np.array([self.tp, self.fn])
        elsewhere = weighted_upper_bound(audited - in_class, audited, rows, half)
        most = weighted_upper_bound(in_class, audited, rows, half)
        return self.n_rows - floor(elsewhere), floor(most)


def class_score_lower_bound(
    tp: ArrayLike,
    fp: ArrayLike,
    fn: ArrayLike = 0,
    *,
    metric: Literal["precision", "recall", "f1"],
    n_predicted: ArrayLike,
    n_audited: ArrayLike | None = None,
    n_rows: ArrayLike | None = None,
    delta: ArrayLike,
) -> Any:
    """Bound precision, recall or F1 of a class from below, from counts of an audit.

    With probability at least ``1 - delta`` over the choice of the audited rows the score
    on all rows is not below this bound. The audited rows are a uniform sample of all
    rows, or one of the rows that are predicted to be in the class and one of the others.
    Array arguments broadcast.

    Parameters
    ----------
    tp, fp, fn : int or array-like of int
        Audited rows that are both predicted to be in the class and truly in it (``tp``),
        only predicted (``fp``), or only truly in it (``fn``).
    metric : {"precision", "recall", "f1"}
        The score: the share of the rows predicted to be in the class that truly are, the
        share of the rows truly in it that are predicted, or their harmonic mean.
    n_predicted : int or array-like of int
        All rows that are predicted to be in the class, at least ``tp + fp``.
    n_audited : int or array-like of int, default=None
        Number of audited rows, at least ``tp + fp + fn``. For the precision, which does
        not depend on them, ``fn``, ``n_audited`` and ``n_rows`` may be left out.
    n_rows : int or array-like of int, default=None
        All rows, audited or not; at most 2**51.
    delta : float or array-like of float
        Probability, in (0, 1), with which the statement may fail. It may depend on
        ``n_predicted`` and on ``tp + fp``, but on nothing else that the audit shows.

    Returns
    -------
    score : float or ndarray of float64
        In [0, 1]; higher is better. 0 without a rightly predicted audited row.

    Raises
    ------
    ValueError
        If a count is negative, not an integer or too large, counts contradict each other,
        delta is outside (0, 1), or ``metric`` is another.

    See Also
    --------
    sklearn_pacmdl.audits.class_report : The bounds of all classes together.
    sklearn.metrics.recall_score : The recall on the audited rows.

    Notes
    -----
    The rows that are predicted to be in the class, and the others, are two strata. The
    bound is the smallest score that is not refuted. A recall is refuted if as few
    wrongly predicted and missed rows as observed have a probability below 0.98 delta, in
    the order of an approximate limit. The Jaccard coefficient J is bounded in the same
    way, and F1 = 2 J / (1 + J). The precision is as exact as :func:`bmax`. See
    :doc:`/theory`.

    Examples
    --------
    >>> from sklearn_pacmdl.bounds import class_score_lower_bound
    >>> class_score_lower_bound(47, 3, metric="precision", n_predicted=500, delta=0.05)
    0.858
    >>> counts = {"n_predicted": 500, "n_audited": 300, "n_rows": 2299}
    >>> class_score_lower_bound(47, 3, 2, metric="recall", **counts, delta=0.05)
    0.9195402298850573
    >>> class_score_lower_bound(47, 3, 2, metric="f1", **counts, delta=0.05)
    0.908695652173913
    """
    check_option("metric", metric, ["precision", "recall", "f1"])
    if metric == "precision":  # nothing is asked of the rows that are not predicted
        tp, fp, predicted = as_counts(tp=tp, fp=fp, n_predicted=n_predicted)
        check_at_most(tp + fp, predicted, "tp + fp", "n_predicted")
        counts = tp, fp, 0, predicted, tp + fp, predicted
        return _lower_bounds("precision", *counts, delta=delta)
    for name, value in {"n_audited": n_audited, "n_rows": n_rows}.items():
        if value is None:
            raise invalid(name, f"a number of rows where metric={metric!r}", value)
    counts = _check_class(tp, fp, fn, n_predicted, n_audited, n_rows)
    if metric == "recall":
        return _lower_bounds("recall", *counts, delta=delta)
    # One statement about J is better than two about precision and recall.
    return _lower_bounds("jaccard", *counts, delta=delta, of_share=f1_of)


def f1_of(jaccard: Fraction) -> Fraction:
    """The F1 score that belongs to a Jaccard coefficient."""
    return 2 * jaccard / (1 + jaccard)


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
    # Weights of rows are whole, so that sums of them are exact, and too large if not.
    whole = min(lcm(*map(int, n_predicted)), 2**40)
    weights = [-(-whole // int(n)) for n in n_predicted]
    most = floor(weighted_upper_bound(n_errors, n_audited, n_predicted, delta, weights))
    return float_above(min(Fraction(most, whole * len(weights)), Fraction(1)))


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
    score: str,
    *counts: Any,
    delta: ArrayLike,
    of_share: Callable[[Fraction], Fraction] = Fraction,
) -> Any:
    """What follows from the least share, by element, rounded down."""
    *together, deltas = np.broadcast_arrays(*counts, as_delta(delta))
    whole = [count.ravel().astype(np.int64).tolist() for count in together]
    cases = list(zip(*whole, deltas.ravel().tolist(), strict=True))
    by_case = {
        (*case, level): float_below(of_share(ClassCounts(*case).least(score, level)))
        for *case, level in set(cases)
    }
    bounds = [by_case[case] for case in cases]
    return np.reshape(bounds, deltas.shape) if deltas.ndim else bounds[0]
