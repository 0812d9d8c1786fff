"""Batches that were audited one after the other."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..utils._checks import check_fields, check_open_unit
from ._display import GRAY, Display, columns_of, documented, literal

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Batches whose names fit side by side below a figure of usual size.
_FEW = 30
_TEXTS = "batch", "state"
_NUMBERS = "n_audited", "error_rate", "max_error_rate", "max_error_rate_so_far"


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class AuditSeriesDisplay(Display):
    """Certified and estimated error rates of batches, one after the other.

    :meth:`AuditSeries.plot` makes one.

    Parameters
    ----------
    table : mapping of str to array-like of shape (n_batches,)
        Columns of :meth:`AuditSeries.to_frame`, and the names in ``batch``.
    target : float
        Share of wrong labels that is tolerated, in (0, 1). It is drawn as a horizontal
        line.

    Attributes
    ----------
    {ax_}
    {figure_}

    See Also
    --------
    sklearn_pacmdl.audits.AuditSeries : What is drawn.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> import numpy as np
    >>> from sklearn_pacmdl.audits import AuditSeries
    >>> series = AuditSeries(target=0.05, n_batches=2)
    >>> labels = np.arange(1000) % 3
    >>> for month in ["January", "February"]:
    ...     audit = series.draw(month, labels, size=200)
    ...     certificate = series.certify(month, labels, labels[audit.rows])
    >>> display = series.plot()
    >>> plt.close(display.figure_)
    """

    table: Mapping[str, Any]
    target: float

    def __post_init__(self) -> None:
        check_fields(self, table=Mapping)
        check_open_unit("target", self.target)

    def _draw(self, ax: "Axes") -> None:
        columns = columns_of("table", self.table, [*_TEXTS, *_NUMBERS])
        at = np.arange(len(columns["batch"]))
        audited, error, most, so_far = (columns[name] for name in _NUMBERS)
        ax.axhline(self.target, color=GRAY, linestyle=":", label="target")
        # What is certified, and what is left to see of it above the estimate.
        for met, color, says in [(True, "C0", "within"), (False, "C3", "above")]:
            here = np.isfinite(most) & ((most <= self.target) == met)
            if here.any():
                ax.vlines(at[here], error[here], most[here], color=color, alpha=0.4)
                style: dict[str, Any] = {"color": color, "markersize": 11}
                says = f"certified: {says} target"
                ax.plot(
                    at[here], most[here], "_", markeredgewidth=2.5, label=says, **style
                )
        ax.plot(at, error, "o", color="C0", markersize=4, label="rate in the audit")
        known = np.isfinite(so_far)
        style = {"color": "C1", "linewidth": 1, "drawstyle": "steps-mid", "zorder": 1}
        ax.plot(at[known], so_far[known], label="certified: all batches so far", **style)
        ax.set_xticks(at, [*map(_name, columns["batch"], columns["state"], audited)])
        size = "small" if len(at) <= _FEW else "x-small"
        ax.tick_params("x", rotation=90, labelsize=size)
        ax.set(
            xlim=(-0.5, max(len(at), 1) - 0.5),
            ylim=(0, None),
            xlabel="Batch, audited rows",
        )
        ax.set_ylabel("Share of wrong labels")


def _name(batch: Any, state: Any, n_audited: float) -> str:
    """What is written below a batch."""
    what = f"{n_audited:,.0f}" if np.isfinite(n_audited) else ""
    words = [str(state)] * (state in ("waiting", "skipped")) + [what] * bool(what)
    return f"{literal(batch)}: {' '.join(words)}"
