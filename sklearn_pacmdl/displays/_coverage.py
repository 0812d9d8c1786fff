"""Bounds against the share of rows that are labeled automatically."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..utils._checks import check_open_unit, invalid
from ._display import GRAY, Display, SearchDisplay, columns_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D


@dataclass(kw_only=True, eq=False, repr=False)
class CoverageDisplay(SearchDisplay):
    """Certified bound against coverage: what it costs to label more rows.

    Use :meth:`from_estimator` or :meth:`from_curve`, rather than the constructor.

    Parameters
    ----------
    curve : dict of str to ndarray of shape (n_points,)
        ``coverage``, increasing, and for each of these the ``bound`` and the
        ``test_error``; rates in [0, 1], errors NaN where unknown.
    target : float or None, default=None
        Target bound, in (0, 1).
    chosen : tuple of float or None, default=None
        Coverage and bound of the labeling with the largest coverage within the target;
        None if there is none.
    note : str, default=""
        What the bounds are if they are not certified.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes of the last plot.
    figure_ : matplotlib Figure
        Figure of the last plot.
    line_ : matplotlib Line2D
        The bounds.

    Examples
    --------
    >>> from sklearn.cluster import AgglomerativeClustering
    >>> from sklearn.datasets import load_digits
    >>> from sklearn_pacmdl import CoverageDisplay, PACMDLSearchCV
    >>> X, y = load_digits(return_X_y=True)
    >>> search = PACMDLSearchCV(
    ...     AgglomerativeClustering(), n_clusters=[60, 70, 80], target=0.05
    ... ).set_params(random_state=0).fit(X, y)
    >>> display = CoverageDisplay.from_estimator(search)
    >>> display.chosen == (search.coverage_, search.best_bound_)
    True
    """

    attributes: ClassVar = ("coverage_curve_", "certificates_")
    columns: ClassVar = ("coverage", "bound")
    percent_axes: ClassVar = "xy"

    curve: dict[str, NDArray]
    target: float | None = None
    chosen: tuple[float, float] | None = None
    note: str = ""
    line_: Line2D = field(init=False)

    @classmethod
    def from_curve(
        cls,
        coverage_curve: Mapping[str, ArrayLike],
        *,
        target: float | None = None,
        ax: Axes | None = None,
    ) -> Self:
        """Draw a curve.

        Parameters
        ----------
        coverage_curve : mapping of str to array-like
            ``coverage_curve_`` of a search with a target, or a DataFrame of it.
        target : float, default=None
            Target bound, in (0, 1). It is drawn as a horizontal line, with a star on the
            labeling that has the largest coverage within it.
        ax : matplotlib Axes, default=None
            Where to draw; a new figure by default.

        Returns
        -------
        display : Display
            The display, drawn.

        Raises
        ------
        ValueError
            If a column is missing, the curve has no point, or ``target`` is out of range.
        """
        return cls._from_curve(coverage_curve, target).plot(ax)

    @classmethod
    def _read(cls, search: Any) -> Self:
        display = cls._from_curve(search.coverage_curve_, search.target)
        if display.chosen is not None and not search.certificates_:
            display.note = "not certified"
        return display

    @classmethod
    def _from_curve(cls, coverage_curve, target):
        if target is not None:
            check_open_unit("target", target)
        curve = columns_of("coverage_curve", coverage_curve, cls.columns, ["test_error"])
        if not curve["bound"].size:
            raise ValueError("coverage_curve must hold at least one point, got none.")
        chosen = None
        if target is not None and np.any(curve["bound"] <= target):
            last = np.flatnonzero(curve["bound"] <= target)[-1]
            chosen = float(curve["coverage"][last]), float(curve["bound"][last])
        return cls(curve=curve, target=target, chosen=chosen)

    def _draw(self, ax):
        names = "coverage", "bound", "test_error"
        coverage, bound, error = (self.curve[name] for name in names)
        labels, style = ("bound", "error on hidden rows"), {"markersize": 3.5}
        self.line_ = self._staircase(coverage, bound, error, labels, marker="o", **style)
        if self.target is not None:
            ax.axhline(self.target, color=GRAY, linestyle=":", label="target")
        if self.chosen is not None:
            self._mark(*self.chosen, label="chosen")
        highest = max(0.01, self.target or 0, bound.max(), *error[np.isfinite(error)])
        note = f"\n({self.note})" if self.note else ""
        left = max(0.0, coverage[0] - 0.05 * (1 - coverage[0]) - 0.01)
        ax.set(xlim=(left, 1.005), ylim=(0, min(1.0, 1.15 * highest)))
        ax.set_xlabel("Coverage of the unlabeled rows")
        ax.set_ylabel(f"Bound on the error rate of the covered rows{note}")


# How opaque the bands of rows are, by who labels them: seen on white and on black, and
# fainter than the lines on top of them.
_BANDS = {"automatic": 0.18, "left to people": 0.12, "audited by people": 0.4}


@dataclass(kw_only=True, eq=False, repr=False)
class FinishedLabelsDisplay(Display):
    """Errors left in a finished data set against the share labeled automatically.

    The star is the result for the target that was set before the audit, and this alone is
    certified. Each other step is what another target would have led to. The bands show
    who labels the rows.

    Use :meth:`from_finished`, rather than the constructor.

    Parameters
    ----------
    curve : dict of str to ndarray of shape (n_points,)
        ``share_automatic``, increasing, and for each of these ``error_bound``, the
        guarantee, and ``true_error_rate``; rates in [0, 1], the last NaN where unknown.
    target : float
        Requested error rate of the finished data set, in (0, 1).
    chosen : float or None, default=None
        Share of rows, in [0, 1], that are labeled automatically at the target; None if
        the audit is too small for it.
    share_audited : float, default=0.0
        Share of the rows that were audited, in [0, 1].

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes of the last plot.
    figure_ : matplotlib Figure
        Figure of the last plot.
    line_ : matplotlib Line2D
        The staircase.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_pacmdl import FinishedLabelsDisplay, draw_audit, finish_labels
    >>> rng = np.random.RandomState(0)
    >>> confidence = rng.uniform(size=2000)
    >>> y = rng.randint(10, size=2000)
    >>> labels = np.where(rng.uniform(size=2000) < confidence, y, 0)
    >>> audit = draw_audit(2000, 300, random_state=0)
    >>> finished = finish_labels(labels, confidence, audit, y[audit.rows], target=0.1)
    >>> display = FinishedLabelsDisplay.from_finished(finished, y)
    >>> display.chosen == finished.share_automatic
    True
    """

    columns: ClassVar = ("share_automatic", "error_bound")
    percent_axes: ClassVar[str] = "xy"

    curve: Mapping[str, NDArray]
    target: float
    chosen: float | None = None
    share_audited: float = 0.0
    line_: Line2D = field(init=False)

    @classmethod
    def from_finished(
        cls, finished: Any, y_true: ArrayLike | None = None, *, ax: Axes | None = None
    ) -> Self:
        """Draw a finished data set.

        Parameters
        ----------
        finished : FinishedLabels
            As :func:`~sklearn_pacmdl.finish_labels` returned it. Requires pandas.
        y_true : array-like of shape (n_rows,), default=None
            The right label of each row; if it is known, true error rates are drawn too.
        ax : matplotlib Axes, default=None
            Where to draw; a new figure by default.

        Returns
        -------
        display : Display
            The display, drawn.

        Raises
        ------
        ValueError, TypeError
            If ``finished`` is not of this kind, or a label of ``y_true`` is missing.
        """
        if not hasattr(finished, "at_targets"):
            raise invalid("finished", "what finish_labels returns", finished)
        table = finished.at_targets(y_true=y_true)
        certificate = finished.certificate
        curve = columns_of("finished", table, cls.columns, ["true_error_rate"])
        display = cls(curve=curve, target=finished.target)
        if certificate is not None:
            n_rows = certificate.n_train + certificate.n_test
            display.chosen = float(finished.share_automatic)
            display.share_audited = certificate.n_train / n_rows
        return display.plot(ax)

    def _draw(self, ax):
        names = "share_automatic", "error_bound", "true_error_rate"
        share, most, error = (self.curve[name] for name in names)
        is_known = np.isfinite(error)
        # Without any row labeled automatically nothing is wrong.
        self.line_ = self._staircase(
            np.append(0.0, share),
            np.append(0.0, most),
            np.append(0.0 if is_known.any() else np.nan, error),
            ("if another target had been set", "true error"),
        )
        ax.axhline(self.target, color=GRAY, linestyle=":", label="target")
        if self.chosen is not None:
            label = f"certified: at most {100 * self.target:g}%"
            self._mark(self.chosen, self.target, label)
            # Who labels the rows, as parts of the horizontal axis.
            edges = pairwise([0.0, self.chosen, 1 - self.share_audited, 1.0])
            colors = self.line_.get_color(), GRAY, GRAY
            for (left, right), color, (name, opacity) in zip(
                edges, colors, _BANDS.items(), strict=True
            ):
                band = {"color": color, "alpha": opacity, "linewidth": 0}
                ax.axvspan(left, right, label=f"{name}: {right - left:.1%}", **band)
        highest = max(0.01, self.target, *most, *error[is_known])
        ax.set(xlim=(0, 1), ylim=(0, min(1.0, 1.1 * highest)))
        ax.set_xlabel("Share of the rows labeled automatically")
        ax.set_ylabel("Wrong labels in the finished data set")
