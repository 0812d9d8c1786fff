"""Ranges of shares, such as those between certified bounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from ._display import GRAY, Display, filled, literal

# How much of a line its ranges fill, and how opaque they are below estimates.
_FILLED, _OPACITY = 0.6, 0.6


@dataclass(kw_only=True, eq=False, repr=False)
class RangesDisplay(Display):
    """Ranges of shares in a line for each name, and vertical marks.

    By its name in the legend, a range has the lower end, the estimate (NaN without one)
    and the upper end for each of the names.
    """

    percent_axes: ClassVar = "x"

    names: Sequence[str]
    ranges: Mapping[str, Sequence[tuple[float, float, float]]]
    xlabel: str
    marks: Mapping[str, float] = field(default_factory=dict)

    def _draw(self, ax):
        ax.use_sticky_edges = False  # bars do not touch the frame
        at, n = np.arange(len(self.names)), len(self.ranges)
        style = {"marker": "|", "s": 250 / n, "color": ax.xaxis.label.get_color()}
        for i, (name, limits) in enumerate(self.ranges.items()):
            low, estimate, high = np.array(limits, dtype=float).T
            y = at + _FILLED * ((i + 0.5) / n - 0.5)
            bars = {"label": literal(name), "alpha": _OPACITY}
            ax.barh(y, high - low, 0.9 * _FILLED / n, low, **bars)
            if np.isfinite(estimate).any():
                label = None if i else "estimate"
                ax.scatter(estimate, y, zorder=3, label=label, **style)
        for name, share in self.marks.items():
            ax.axvline(share, color=GRAY, linestyle=":", label=literal(name))
        ax.set_yticks(at, [filled(literal(name), 20) for name in self.names])
        left, right = ax.get_xlim()
        least = min(low for limits in self.ranges.values() for low, _, _ in limits)
        limits = (left if least < 0 else max(left, 0), min(right, 1.005))
        ax.set(xlim=limits, ylim=(len(at) - 0.5, -0.5), xlabel=self.xlabel)
