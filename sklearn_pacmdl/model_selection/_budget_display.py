"""How many labels to buy, as curves."""

import numpy as np

from ..bounds import labels_needed, planned_bound
from ..utils._checks import is_number


class LabelBudgetDisplay:
    """Bound to expect against number of labels, a curve for each expected error.

    Made by :meth:`from_parameters`; the constructor stores.

    Parameters
    ----------
    curves : dict of float to dict of str to ndarray
        By expected error; each curve holds ``n_labeled``, increasing, and for each of
        these the ``bound``, a rate in [0, 1].
    needed : dict of float to (int or None)
        By expected error: the labels from which on the bound is at most ``target``; None
        if half the rows do not suffice. Empty without a target.
    target : float or None
        Bound wanted.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    lines_ : dict of float to matplotlib Line2D
        The curve of each expected error.

    See Also
    --------
    sklearn_pacmdl.bounds.labels_needed : The numbers that are marked.
    PACMDLDisplay : The bounds once the labels are there.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from sklearn_pacmdl.model_selection import LabelBudgetDisplay
    >>> display = LabelBudgetDisplay.from_parameters(
    ...     50_000, target=0.1, n_clusters=10, n_classes=5
    ... )
    >>> display.needed
    {0.0: 175, 0.05: 996, 0.1: None}
    >>> plt.close(display.figure_)
    """

    def __init__(self, *, curves, needed, target):
        self.curves = curves
        self.needed = needed
        self.target = target

    @classmethod
    def from_parameters(
        cls, n_total, *, target=None, expected_error=(0.0, 0.05, 0.1), ax=None, **plan
    ):
        """Compute the bounds to expect and draw them.

        Parameters
        ----------
        n_total : int
            Rows, labeled or not; from 2 to 2**51.
        target : float, default=None
            Bound wanted, in (0, 1): a horizontal line, marked where it is reached.
        expected_error : float or sequence of float, default=(0.0, 0.05, 0.1)
            Shares of all rows that the labeling will name wrongly, in [0, 1).
        ax : matplotlib Axes, default=None
            Where to draw; a new figure by default.
        **plan : dict
            Further parameters of :func:`~sklearn_pacmdl.bounds.labels_needed`, of which
            ``n_clusters`` and ``n_classes`` are required.

        Returns
        -------
        display : LabelBudgetDisplay

        Raises
        ------
        ValueError
            If a parameter is not as described.
        """
        if target is not None and not (is_number(target) and 0 < target < 1):
            raise ValueError(f"target must be None or in (0, 1), got {target!r}.")
        errors = np.atleast_1d(expected_error).tolist()
        if not errors:
            raise ValueError("expected_error must hold at least one number, got none.")
        curves, needed = {}, {}
        for error in errors:
            plan["expected_error"] = error
            curves[error] = _curve(n_total, plan)
            if target is not None:
                reached = curves[error]["bound"][-1] <= target
                needed[error] = (
                    labels_needed(n_total, target=target, **plan) if reached else None
                )
        return cls(curves=curves, needed=needed, target=target).plot(ax=ax)

    def plot(self, ax=None):
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; a new figure by default.

        Returns
        -------
        display : LabelBudgetDisplay
            Itself.
        """
        import matplotlib.pyplot as plt
        from matplotlib.ticker import FuncFormatter

        if ax is None:
            _, ax = plt.subplots(figsize=(7.5, 4.5), layout="constrained")
        self.ax_, self.figure_ = ax, ax.figure
        self.lines_: dict = {}
        for error, curve in self.curves.items():
            (self.lines_[error],) = ax.plot(
                curve["n_labeled"], curve["bound"], label=self._label(error)
            )
        if self.target is not None:
            ax.axhline(self.target, color="0.4", linestyle=":", label="target")
        for error, number in self.needed.items():
            if number is not None:
                self._mark(error, number)
        left, right, top = self._limits()
        ax.set(
            xscale="log",
            xlabel="Number of labels",
            xlim=(left, right),
            ylabel="Bound on the error rate of the unlabeled rows",
            ylim=(0, top),
        )
        ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,.0f}"))
        ax.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{100 * y:g}%"))
        ax.legend(title="Expected error", fontsize="small", alignment="left")
        return self

    def _limits(self):
        """Left, right and upper edge: from where the first curve comes into sight."""
        curves = self.curves.values()
        wanted = 0.1 if self.target is None else self.target
        top = min(1.0, 4 * max(wanted, *(curve["bound"][-1] for curve in curves)))
        entries = [np.argmax(curve["bound"] <= top) for curve in curves]
        left = min(
            curve["n_labeled"][i] for curve, i in zip(curves, entries, strict=True)
        )
        right = max(curve["n_labeled"][-1] for curve in curves)
        return left, max(right, left + 1), top

    def _label(self, error):
        label = f"{100 * error:g}%"
        if error not in self.needed:
            return label
        number = self.needed[error]
        if number is None:
            return f"{label}: target out of reach"
        return f"{label}: {number:,} labels"

    def _mark(self, error, number):
        color = self.lines_[error].get_color()
        self.ax_.vlines(number, 0, self.target, color=color, linewidth=0.8)
        self.ax_.plot(
            number,
            self.target,
            marker="o",
            color=color,
            markeredgecolor="white",
            linestyle="none",
        )


def _curve(n_total, plan):
    """Bounds for numbers of labels that are evenly spread on a logarithmic axis."""
    planned_bound(n_total, 0, **plan)  # bad parameters are named here
    n_labeled = np.unique(np.geomspace(1, n_total // 2, 400).round().astype(np.int64))
    return {
        "n_labeled": n_labeled,
        "bound": planned_bound(n_total, n_labeled, **plan),
    }
