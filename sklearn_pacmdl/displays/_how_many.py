"""How many labels are enough: what to expect of numbers of labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import cycle
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from ..bounds import label_plan
from ..utils._checks import as_array, check_open_unit, invalid, is_number
from ._display import GRAY, LINES, Display, check_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D


# Numbers of labels on a curve; a point takes some milliseconds.
_N_POINTS = 60


@dataclass(kw_only=True, eq=False, repr=False)
class LabelBudgetDisplay(Display):
    """Bound to expect against number of labels, with one curve for each expected error.

    Use :meth:`from_parameters`, rather than the constructor.

    Parameters
    ----------
    curves : dict of float to dict of str to ndarray of shape (n_points,)
        By expected error. Each curve holds ``n_labeled``, increasing, and for each of
        these numbers the ``bound``, a rate in [0, 1].
    needed : dict of float to (int or None), default={}
        By expected error: the number of labels for ``target``, as of
        :func:`~sklearn_pacmdl.labels_needed`. Empty without a target.
    target : float or None, default=None
        Target bound, in (0, 1).

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes of the last plot.
    figure_ : matplotlib Figure
        Figure of the last plot.
    lines_ : dict of float to matplotlib Line2D
        The curve of each expected error.

    Examples
    --------
    >>> from sklearn_pacmdl import LabelBudgetDisplay
    >>> display = LabelBudgetDisplay.from_parameters(
    ...     10_000, target=0.15, n_clusters=10
    ... )
    >>> display.needed
    {0.0: 77, 0.05: 137, 0.1: 450}
    """

    legend_title = "Expected error"

    curves: Mapping[float, Mapping[str, NDArray]]
    needed: Mapping[float, int | None] = field(default_factory=dict)
    target: float | None = None
    lines_: dict[float, Line2D] = field(init=False)

    @classmethod
    def from_parameters(
        cls,
        n_rows: int,
        *,
        target: float | None = None,
        expected_error: float | Sequence[float] = (0.0, 0.05, 0.1),
        ax: Axes | None = None,
        **plan: Any,
    ) -> Self:
        """Compute the bounds to expect and draw them.

        Parameters
        ----------
        n_rows : int
            Number of rows, labeled or not; from 2 to 2**51.
        target : float, default=None
            Target bound, in (0, 1): a horizontal line with marks where it is reached.
        expected_error : float or sequence of float, default=(0.0, 0.05, 0.1)
            Shares of all rows that the labeling will label wrongly, in [0, 1).
        ax : matplotlib Axes, default=None
            Where to draw; a new figure by default.
        **plan : dict
            Further parameters of :func:`~sklearn_pacmdl.bounds.labels_needed`, of which
            ``n_clusters`` or ``cluster_sizes`` is required.

        Returns
        -------
        display : Display
            The display, drawn.

        Raises
        ------
        ValueError
            If a parameter is not as described.
        """
        check_axes(ax)
        if target is not None:
            check_open_unit("target", target)
        errors = as_array("expected_error", expected_error).ravel().tolist()
        if not errors or not all(map(is_number, errors)):
            raise invalid("expected_error", "at least one number", expected_error)
        curves, needed = {}, {}
        for error in dict.fromkeys(errors):
            planned = label_plan(n_rows, expected_error=error, **plan)
            # Evenly spread on a logarithmic axis.
            most = planned.n_rows // 2
            spread = np.geomspace(min(4, most), most, _N_POINTS).round()
            n_labeled = np.unique(spread.astype(np.int64))
            bound = np.array([planned.bound(m) for m in n_labeled.tolist()])
            curves[error] = {"n_labeled": n_labeled, "bound": bound}
            if target is not None:
                needed[error] = planned.needed(target)
        return cls(curves=curves, needed=needed, target=target).plot(ax)

    def _draw(self, ax):
        from matplotlib.ticker import FuncFormatter

        self.lines_ = {}
        for style, (error, curve) in zip(cycle(LINES), self.curves.items(), strict=False):
            label, number = f"{100 * error:g}%", self.needed.get(error)
            if number is not None:
                label += f": {number:,} labels"
            elif error in self.needed:
                label += ": target out of reach"
            points = curve["n_labeled"], curve["bound"]
            (self.lines_[error],) = ax.plot(*points, linestyle=style, label=label)
        if self.target is not None:
            ax.axhline(self.target, color=GRAY, linestyle=":", label="target")
            for error, number in self.needed.items():
                if number is not None:
                    color = self.lines_[error].get_color()
                    ax.vlines(number, 0, self.target, color=color, linewidth=0.8)
                    mark = {"color": color, "markeredgecolor": ax.get_facecolor()}
                    ax.plot(number, self.target, "o", **mark)
        left, right, top = self._limits()
        ax.set(xscale="log", xlabel="Number of labels", xlim=(left, right), ylim=(0, top))
        ax.set_ylabel("Bound on the error rate of the unlabeled rows")
        ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,.0f}"))

    def _limits(self):
        """Left, right and upper edge; the first curve enters the picture at the left."""
        curves = self.curves.values()
        wanted = 0.1 if self.target is None else self.target
        # All curves flatten out well below this, and steep parts show little.
        top = min(1.0, 4 * max(wanted, *(curve["bound"][-1] for curve in curves)))
        left = min(c["n_labeled"][np.argmax(c["bound"] <= top)] for c in curves)
        right = max(curve["n_labeled"][-1] for curve in curves)
        return left, max(right, left + 1), top
