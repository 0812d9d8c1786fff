"""Precision, recall, F1 and size of a class, from a uniform sample of all rows."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from math import floor, lcm
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..utils._checks import check_option, exact_decimal, invalid
from ._arrays import as_counts, as_delta, check_at_most, float_above, float_below
from ._inversion import Ratio, Sample
from ._strata import ratio_upper_bound, weighted_upper_bound

# Cells of one inversion for a ratio. With more, the predicted rows and the others are
# bounded by themselves, at half of delta each: 0.3 and 0.7 of it gain 2 to 5% of a margin
# of recall, and lose 2% of one of F1.
_MOST_TOGETHER = 3
#: Cells that are bounded together for a total: two groups. More would lose more than the
#: labels tell.
MOST_DIVIDED = 6


class ClassCounts(NamedTuple):
    """Counts of a class; the first three are of audited rows only.

    Given how many predicted rows were audited, these and the others are two strata. So a
    delta may depend on this number, but on those of no other class. If rows were drawn by
    strata, each of these has such counts, and so two cells.
    """

    tp: int
    fp: int
    fn: int
    n_predicted: int
    n_audited: int
    n_rows: int
    strata: tuple[ClassCounts, ...] = ()

    @classmethod
    def of_strata(cls, strata: Sequence[ClassCounts]) -> ClassCounts:
        """The counts of all strata together, of which there may be one."""
        if len(strata) == 1:
            return strata[0]
        sums = np.sum([each[:-1] for each in strata], axis=0).tolist()
        return cls._make([*sums, tuple(strata)])

    @property
    def _cells(self) -> Any:
        """Audited rows truly in the class, audited rows, and rows, of each cell.

        Each is an array of the predicted rows and of the others, by stratum.
        """
        parts = np.array([each[:-1] for each in self.strata or (self,)])
        tp, fp, fn, n_predicted, n_audited, n_rows = parts.T
        others = fn, n_audited - tp - fp, n_rows - n_predicted
        return np.stack([(tp, tp + fp, n_predicted), others], axis=1)

    def _largest(self, found: Any, ratio: tuple[Any, Any, int], delta: float) -> Fraction:
        _, audited, rows = self._cells
        # Without strata there are two cells, even if one of them has no rows.
        is_cell = rows > 0 if self.strata else np.full(rows.shape, True)
        if is_cell.sum() <= _MOST_TOGETHER:
            kind, _ = np.nonzero(is_cell)
            alpha, gamma = (tuple(np.take(each, kind).tolist()) for each in ratio[:2])
            sample = (tuple(each[is_cell].tolist()) for each in (found, audited, rows))
            weighted = Ratio(alpha, gamma, ratio[2])
            return ratio_upper_bound(Sample(*sample), weighted, delta)
        above, below = Ratio(*ratio).of(self._most_of_each(found, delta))
        return Fraction(above, below) if below else Fraction(1)

    def _most_of_each(self, found: Any, delta: float) -> list[int]:
        """Most predicted rows and most others of a kind, which hold together."""
        _, audited, rows = self._cells
        is_open = np.any((audited > 0) & (audited < rows), axis=1)
        # If one of both is known, or may be anything, all of delta is left for the other.
        level = float_below(exact_decimal(delta) / 2) if is_open.all() else delta
        return [
            floor(weighted_upper_bound(*cells, level))
            for cells in zip(found, audited, rows, strict=True)
        ]

    def _share_of_predicted(self, found: Any, delta: float) -> Fraction:
        """Largest share of the predicted rows, by the audited ones that were found."""
        _, audited, rows = self._cells
        most = floor(weighted_upper_bound(found, audited[0], rows[0], delta))
        return Fraction(most, self.n_predicted)

    def least(self, score: str, delta: float) -> Fraction:
        """Smallest precision, recall or Jaccard coefficient; 0 if no row is predicted."""
        n, (in_class, audited, _) = self.n_predicted, self._cells
        if not n:
            return Fraction(0)
        missed = np.array([audited[0] - in_class[0], in_class[1]])
        if score == "precision":
            return 1 - self._share_of_predicted(missed[0], delta)
        of = {"recall": ((0, 1), (-1, 1), n), "jaccard": ((1, 1), (0, 1), n)}
        return 1 - self._largest(missed, of[score], delta)

    def most(self, score: str, delta: float) -> Fraction:
        """Largest precision, recall or Jaccard coefficient; 0 if no row is predicted."""
        n, n_others = self.n_predicted, self.n_rows - self.n_predicted
        if not n:
            return Fraction(0)
        in_class, audited, _ = self._cells
        if score == "precision":
            return self._share_of_predicted(in_class[0], delta)
        if not n_others:
            return Fraction(1) if score == "recall" else self.most("precision", delta)
        found = np.array([in_class[0], audited[1] - in_class[1]])
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
        in_class, audited, rows = self._cells
        elsewhere, most = (
            floor(weighted_upper_bound(found, audited, rows, half))
            if np.count_nonzero(rows) <= MOST_DIVIDED
            else sum(self._most_of_each(found, half))
            for found in (audited - in_class, in_class)
        )
        return self.n_rows - elsewhere, most


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


def macro_error_upper_bound(n_errors, n_audited, n_rows, *, delta: float) -> float:
    """Most that the mean precision over the predicted classes is below 1.

    The counts are of errors among the audited rows of each predicted class, of these, and
    of all its rows; or of those in each stratum, on a second axis. Delta may depend on
    the last two, but not on ``n_errors``.
    """
    x, m, n = (np.asarray(each) for each in (n_errors, n_audited, n_rows))
    n_predicted = n.reshape(len(n), -1).sum(axis=1).tolist()
    # Weights of rows are whole, so that sums of them are exact, and too large if not.
    whole = min(lcm(*n_predicted), 2**40)
    weights = np.array([-(-whole // each) for each in n_predicted], dtype=float)
    # Classes are on the last axis, as their weights.
    most = floor(weighted_upper_bound(x.T, m.T, n.T, delta, weights))
    return float_above(min(Fraction(most, whole * len(n)), Fraction(1)))


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


def _lower_bounds(score, *counts, delta, of_share=Fraction):
    """What follows from the least share, by element, rounded down."""

    @cache
    def bound(*case):
        *sizes, level = map(float, case)
        together: Any = [*map(int, sizes)]
        return float_below(of_share(ClassCounts(*together).least(score, level)))

    bounds = np.vectorize(bound, otypes=[float])(*counts, as_delta(delta))
    return bounds if bounds.ndim else float(bounds)
