"""Errors against labels of an audit that stops as soon as it may."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from ._base import GRAY, Display, documented

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class AuditMonitorDisplay(Display):
    """Errors against labels of an audit, with what certifies and what no longer can.

    :meth:`AuditMonitor.plot` makes one.

    Parameters
    ----------
    boundaries : ndarray of shape (n_boundaries,) of int
        Entry a is the number of labels from which on a errors certify.
    max_labels : int
        Labels after which the audit ends.
    n_labels, n_errors : ndarray of shape (n_looks,) of int
        Labels and errors so far at each look, from (0, 0).
    certified_at : int or None, default=None
        Number of labels at the look that certified. It is marked with a star.

    Attributes
    ----------
    {ax_}
    {figure_}

    See Also
    --------
    sklearn_pacmdl.audits.AuditMonitor : What is drawn.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from sklearn_pacmdl.audits import AuditMonitor
    >>> monitor = AuditMonitor(10_000, 0.05, max_labels=500)
    >>> display = monitor.update(100, 3).update(100, 1).plot()
    >>> plt.close(display.figure_)
    """

    percent_axes: ClassVar[str] = ""
    integer_axes: ClassVar[str] = "y"

    boundaries: NDArray
    max_labels: int
    n_labels: NDArray
    n_errors: NDArray
    certified_at: int | None = None

    def _draw(self, ax: "Axes") -> None:
        most = len(self.boundaries) - 1
        top = 1.15 * max(most + 1, self.n_errors.max())
        # So many errors certify from each boundary on, up to the end of the audit.
        labels = np.append(self.boundaries, self.max_labels)
        errors = np.append(np.arange(most + 1), most)
        ax.fill_between(
            labels, errors, step="post", color="C0", alpha=0.15, label="certified"
        )
        ax.plot(
            labels,
            errors,
            drawstyle="steps-post",
            color="C0",
            label="most errors that certify",
        )
        bottom = min(-0.5, -0.02 * top)
        ax.fill_between(
            np.append(0, labels),
            np.append(bottom, errors),
            most + 0.5,
            step="post",
            color="C1",
            alpha=0.08,
            label="go on",
        )
        # Between whole numbers of errors, since the largest one may still succeed.
        ax.axhline(most + 0.5, color=GRAY, linestyle=":")
        ax.axhspan(
            most + 0.5, top, color=GRAY, alpha=0.15, label="cannot succeed any more"
        )
        ax.plot(
            self.n_labels,
            self.n_errors,
            color="C1",
            marker="o",
            markersize=3.5,
            label="this audit",
        )
        if self.certified_at is not None:
            (at,) = np.flatnonzero(self.n_labels == self.certified_at)[:1]
            self._mark(self.n_labels[at], self.n_errors[at], label="certified here")
        ax.set(
            xlabel="Labels",
            xlim=(0, 1.02 * self.max_labels),
            ylabel="Errors",
            ylim=(bottom, top),
        )
