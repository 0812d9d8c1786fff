"""Errors left in a finished data set against the share labeled automatically."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..utils._checks import invalid
from ._base import GRAY, Display, columns_of, documented

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

# How opaque the bands of rows are, by who labels them: seen on white and on black, and
# fainter than the lines on top of them.
_BANDS = {"automatic": 0.18, "left to people": 0.12, "audited by people": 0.3}


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class FinishedLabelsDisplay(Display):
    """Errors left in a finished data set against the share labeled automatically.

    The star is the result for the target that was set before the audit, and this alone is
    certified. Each other step of the staircase is what one other target would have led
    to, had it been set instead; the steps do not hold together. The bands show who labels
    the rows.

    Use :meth:`from_finished`, rather than the constructor.

    Parameters
    ----------
    curve : dict of str to ndarray
        ``share_automatic``, increasing, and for each of these ``max_error_rate``, the
        guarantee, and ``true_error_rate``; rates in [0, 1], the last NaN where unknown.
    target : float
        Requested error rate of the finished data set, in (0, 1).
    chosen : float or None, default=None
        Share that is labeled automatically at the target; None if the audit is too small
        for it.
    share_audited : float, default=0.0
        Share of the rows that were audited, in [0, 1].

    Attributes
    ----------
    {ax_}
    {figure_}
    line_ : matplotlib Line2D
        The staircase.

    See Also
    --------
    sklearn_pacmdl.finish_labels : Returns what is drawn.
    CoverageDisplay : Bound against coverage of a search.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
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
    >>> plt.close(display.figure_)
    """

    columns: ClassVar = ("share_automatic", "max_error_rate")
    percent_axes: ClassVar[str] = "xy"

    curve: Mapping[str, NDArray]
    target: float
    chosen: float | None = None
    share_audited: float = 0.0
    line_: "Line2D" = field(init=False)

    @classmethod
    @documented
    def from_finished(
        cls,
        finished: Any,
        y_true: ArrayLike | None = None,
        *,
        ax: "Axes | None" = None,
    ) -> Self:
        """Draw a finished data set.

        Parameters
        ----------
        finished : FinishedLabels
            As :func:`~sklearn_pacmdl.finish_labels` returned it. Requires pandas.
        y_true : array-like of shape (n_rows,), default=None
            The right label of each row; if it is known, true error rates are drawn too.
        {ax}

        {Returns}

        Raises
        ------
        ValueError, TypeError
            If ``finished`` is not of this kind, or a label of ``y_true`` is missing.
        """
        if not hasattr(finished, "at_targets"):
            raise invalid("finished", "what finish_labels returns", finished)
        table = finished.at_targets(y_true=y_true)
        certificate = finished.certificate
        display = cls(
            curve=columns_of("finished", table, cls.columns, ["true_error_rate"]),
            target=finished.target,
        )
        if certificate is not None:
            n_rows = certificate.n_train + certificate.n_test
            display.chosen = float(finished.share_automatic)
            display.share_audited = certificate.n_train / n_rows
        return display.plot(ax)

    def _draw(self, ax):
        share, most, error = (
            self.curve[name]
            for name in ("share_automatic", "max_error_rate", "true_error_rate")
        )
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
            self._mark(
                self.chosen, self.target, f"certified: at most {100 * self.target:g}%"
            )
            self._draw_bands(ax, self.chosen, self.line_.get_color())
        highest = max(0.01, self.target, *most, *error[is_known])
        ax.set(
            xlabel="Share of the rows labeled automatically",
            xlim=(0, 1),
            ylabel="Wrong labels in the finished data set",
            ylim=(0, min(1.0, 1.1 * highest)),
        )

    def _draw_bands(self, ax, chosen, color):
        """Who labels the rows, as parts of the horizontal axis."""
        edges = [0.0, chosen, 1 - self.share_audited, 1.0]
        colors = [color, GRAY, GRAY]
        for i, (name, opacity) in enumerate(_BANDS.items()):
            ax.axvspan(
                edges[i],
                edges[i + 1],
                color=colors[i],
                alpha=opacity,
                linewidth=0,
                label=f"{name}: {edges[i + 1] - edges[i]:.1%} of the rows",
            )
