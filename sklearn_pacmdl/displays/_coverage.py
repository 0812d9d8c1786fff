"""Bound against coverage."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..utils._checks import check_open_unit
from ._base import GRAY, SearchDisplay, columns_of, documented

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class CoverageDisplay(SearchDisplay):
    """Certified bound against coverage: what it costs to label more rows.

    Use :meth:`from_estimator` or :meth:`from_curve`, rather than the constructor.

    Parameters
    ----------
    curve : dict of str to ndarray
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
    {ax_}
    {figure_}
    line_ : matplotlib Line2D
        The bounds.

    See Also
    --------
    SelectiveClusterLabeler : The labeler whose curve is drawn.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from sklearn.cluster import AgglomerativeClustering
    >>> from sklearn.datasets import load_digits
    >>> from sklearn_pacmdl import CoverageDisplay, SelectiveClusterLabeler
    >>> X, y = load_digits(return_X_y=True)
    >>> labeler = SelectiveClusterLabeler(
    ...     AgglomerativeClustering(), n_clusters=[60, 70, 80], random_state=0
    ... ).fit(X, y)
    >>> display = CoverageDisplay.from_estimator(labeler)
    >>> display.chosen == (labeler.coverage_, labeler.best_bound_)
    True
    >>> plt.close(display.figure_)
    """

    attributes: ClassVar = ("coverage_curve_", "certificates_")
    columns: ClassVar = ("coverage", "bound")
    percent_axes: ClassVar = "xy"

    curve: dict[str, NDArray]
    target: float | None = None
    chosen: tuple[float, float] | None = None
    note: str = ""
    line_: "Line2D" = field(init=False)

    @classmethod
    @documented
    def from_curve(
        cls,
        coverage_curve: Mapping[str, ArrayLike],
        *,
        target: float | None = None,
        ax: "Axes | None" = None,
    ) -> Self:
        """Draw a curve.

        Parameters
        ----------
        coverage_curve : mapping of str to array-like
            ``coverage_curve_`` of a :class:`SelectiveClusterLabeler`, or a DataFrame of
            it.
        target : float, default=None
            Target bound, in (0, 1). It is drawn as a horizontal line, with a star on the
            labeling that has the largest coverage within it.
        {ax}

        {Returns}

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
        coverage, bound, error = (
            self.curve[name] for name in ("coverage", "bound", "test_error")
        )
        self.line_ = self._staircase(
            coverage,
            bound,
            error,
            ("bound", "error on hidden rows"),
            marker="o",
            markersize=3.5,
        )
        if self.target is not None:
            ax.axhline(self.target, color=GRAY, linestyle=":", label="target")
        if self.chosen is not None:
            self._mark(*self.chosen, label="chosen")
        highest = max(0.01, self.target or 0, bound.max(), *error[np.isfinite(error)])
        note = f"\n({self.note})" if self.note else ""
        ax.set(
            xlabel="Coverage of the unlabeled rows",
            xlim=(max(0.0, coverage[0] - 0.05 * (1 - coverage[0]) - 0.01), 1.005),
            ylabel=f"Bound on the error rate of the covered rows{note}",
            ylim=(0, min(1.0, 1.15 * highest)),
        )
