"""Coverage against bound, as a curve."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..utils._checks import is_number

_COLUMNS = ("coverage", "bound", "test_error")


class CoverageDisplay:
    """Certified bound against coverage: what more answers cost.

    Made by :meth:`from_estimator` or :meth:`from_curve`; the constructor stores.

    Parameters
    ----------
    curve : dict of str to ndarray
        ``coverage``, increasing, and for each of these the ``bound`` and the
        ``test_error``; rates in [0, 1], errors NaN where unknown.
    target : float or None
        Bound wanted.
    chosen : tuple of float, or None
        Coverage and bound of the labeling with the largest coverage within the target;
        None if there is none.
    note : str
        What the bounds are if they are not certified.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    line_ : matplotlib Line2D
        The bounds.

    See Also
    --------
    SelectiveClusterLabeler : What the curve is of.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from sklearn.cluster import AgglomerativeClustering
    >>> from sklearn.datasets import load_digits
    >>> from sklearn_pacmdl import SelectiveClusterLabeler
    >>> from sklearn_pacmdl.model_selection import CoverageDisplay
    >>> X, y = load_digits(return_X_y=True)
    >>> labeler = SelectiveClusterLabeler(
    ...     AgglomerativeClustering(), n_clusters=[60, 70, 80], random_state=0
    ... ).fit(X, y)
    >>> display = CoverageDisplay.from_estimator(labeler)
    >>> display.chosen == (labeler.coverage_, labeler.best_bound_)
    True
    >>> plt.close(display.figure_)
    """

    def __init__(self, *, curve, target, chosen, note):
        self.curve = curve
        self.target = target
        self.chosen = chosen
        self.note = note

    @classmethod
    def from_estimator(cls, labeler, *, ax=None):
        """Draw the curve of a fitted labeler.

        Parameters
        ----------
        labeler : SelectiveClusterLabeler
            Fitted.
        ax : matplotlib Axes, default=None
            Where to draw; a new figure by default.

        Returns
        -------
        display : CoverageDisplay

        Raises
        ------
        ValueError
            If the labeler could claim nothing at all.
        """
        check_is_fitted(labeler)
        display = cls._from_curve(labeler.coverage_curve_, labeler.target)
        if display.chosen is not None and not labeler.certificates_:
            display.note = "not certified"
        return display.plot(ax=ax)

    @classmethod
    def from_curve(cls, coverage_curve, *, target=None, ax=None):
        """Draw a curve.

        Parameters
        ----------
        coverage_curve : mapping of str to array-like
            ``coverage_curve_`` of a labeler; a DataFrame of it too.
        target : float, default=None
            Bound wanted, in (0, 1): a horizontal line, with a star on the labeling that
            has the largest coverage within it.
        ax : matplotlib Axes, default=None
            Where to draw; a new figure by default.

        Returns
        -------
        display : CoverageDisplay

        Raises
        ------
        ValueError
            If an array is missing, there is no point, or ``target`` is out of range.
        """
        return cls._from_curve(coverage_curve, target).plot(ax=ax)

    @classmethod
    def _from_curve(cls, coverage_curve, target):
        if target is not None and not (is_number(target) and 0 < target < 1):
            raise ValueError(f"target must be None or in (0, 1), got {target!r}.")
        missing = set(_COLUMNS) - set(coverage_curve)
        if missing:
            raise ValueError(
                "coverage_curve must be the coverage_curve_ of a "
                f"SelectiveClusterLabeler; it has no {sorted(missing)}."
            )
        curve = {name: np.asarray(coverage_curve[name], float) for name in _COLUMNS}
        if not curve["bound"].size:
            raise ValueError("coverage_curve must hold at least one point, got none.")
        within = np.zeros(0, dtype=int)
        if target is not None:
            within = np.flatnonzero(curve["bound"] <= target)
        chosen = None
        if within.size:
            last = within[-1]
            chosen = float(curve["coverage"][last]), float(curve["bound"][last])
        return cls(curve=curve, target=target, chosen=chosen, note="")

    def plot(self, ax=None):
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; a new figure by default.

        Returns
        -------
        display : CoverageDisplay
            Itself.
        """
        import matplotlib.pyplot as plt
        from matplotlib.ticker import FuncFormatter

        if ax is None:
            _, ax = plt.subplots(figsize=(7.5, 4.5), layout="constrained")
        self.ax_, self.figure_ = ax, ax.figure
        coverage, bound = self.curve["coverage"], self.curve["bound"]
        # To cover more than one point does takes the bound of the next.
        (self.line_,) = ax.plot(
            coverage,
            bound,
            drawstyle="steps-pre",
            marker="o",
            markersize=3.5,
            label="bound",
        )
        if self._known_errors().size:
            ax.plot(
                coverage,
                self.curve["test_error"],
                color=self.line_.get_color(),
                linestyle="--",
                linewidth=1,
                marker=None if len(coverage) > 1 else "_",
                label="error on hidden rows",
            )
        if self.target is not None:
            ax.axhline(self.target, color="0.4", linestyle=":", label="target")
        if self.chosen is not None:
            ax.plot(
                *self.chosen, marker="*", markersize=15, color="black",
                linestyle="none", label="chosen", clip_on=False,
            )  # fmt: skip
        wanted = 0 if self.target is None else self.target
        highest = max(0.01, wanted, bound.max(), *self._known_errors())
        ax.set(
            xlabel="Coverage: share of the unlabeled rows that are given a class",
            xlim=(max(0.0, coverage[0] - 0.05 * (1 - coverage[0]) - 0.01), 1.005),
            ylabel="Bound on the error rate among these"
            + (f"\n({self.note})" if self.note else ""),
            ylim=(0, min(1.0, 1.15 * highest)),
        )
        percent = FuncFormatter(lambda value, _: f"{100 * value:g}%")
        ax.xaxis.set_major_formatter(percent)
        ax.yaxis.set_major_formatter(percent)
        ax.legend(fontsize="small")
        return self

    def _known_errors(self):
        errors = self.curve["test_error"]
        return errors[np.isfinite(errors)]
