"""What displays share: axes, ticks, legend, and how results are read."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from itertools import pairwise
from numbers import Number
from textwrap import fill
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from ..columns import is_missing
from ..utils._checks import invalid, shown
from ..utils._printable import escaped

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, FigureBase
    from matplotlib.legend import Legend
    from matplotlib.lines import Line2D

# Gray of horizontal lines, which can be seen on white and on black.
GRAY = "0.5"
# How opaque the range of a curve is: curves can be seen through several of them.
BAND = 0.12
# Points of a star, which does not hide the points beside it.
_STAR = 13
# Letters in a line of a vertical label: two inches of them, so that they fit
# beside axes of which three are side by side on a page.
_WIDTH = 28
# Marks and lines that tell curves apart without color.
MARKERS, LINES = "osDPXp", ("-", "--", "-.", (0, (5, 1, 1, 1, 1, 1)))
# Inches from which a figure has small letters in its legend, of which 14 are an inch, and
# not smaller ones; and inches of what stands beside them.
_WIDE, _HANDLE = 5, 0.5


class Display(ABC):
    """Base class of displays: makes axes, sets their ticks, adds a legend.

    A subclass stores its data in its constructor and draws them in ``_draw(ax)``, with a
    label for each artist of the legend. Keyword arguments of ``_draw`` become options of
    :meth:`plot`. The class attribute ``percent_axes`` ("y" by default) names the axes
    that show shares as percentages, ``integer_axes`` ("" by default) those with ticks at
    integers only, and ``legend_title`` the legend.
    """

    percent_axes: ClassVar[str] = "y"
    integer_axes: ClassVar[str] = ""
    legend_title: str | None = None

    ax_: Axes
    figure_: FigureBase
    legend_: Legend | None

    # Type checkers let subclasses replace these arguments by options of their own.
    @abstractmethod
    def _draw(self, ax: Axes, *args: Any, **options: Any) -> None:
        """Draw on these axes and name them."""

    def plot(self, ax: Axes | None = None, **options: Any) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; the legend is then within the axes. By default this is a new
            figure, whose legend is below the axes.
        **options : dict
            Options of the drawing, as the description of the class names them.

        Returns
        -------
        display : Display
            The display itself.
        """
        import matplotlib.pyplot as plt
        from matplotlib.ticker import FuncFormatter, MaxNLocator

        check_axes(ax)
        is_new = ax is None
        if ax is None:
            _, ax = plt.subplots(layout="constrained")
        self.ax_, self.figure_ = ax, ax.figure
        self._draw(ax, **options)
        percent = FuncFormatter(lambda value, _: f"{100 * value:g}%")
        integers = MaxNLocator("auto", steps=[1, 2, 5, 10], integer=True)
        axes = {"x": ax.xaxis, "y": ax.yaxis}
        for name in self.percent_axes:
            axes[name].set_major_formatter(percent)
        for name in self.integer_axes:
            axes[name].set_major_locator(integers)
        self._fit_below()
        self.legend_ = self._legend(is_new)
        self._fit_beside(ax)
        return self

    @property
    def _page(self) -> Figure:
        """The whole figure, of which the axes may be in a part."""
        page: Any = self.figure_.figure
        return page

    def _fit_below(self) -> None:
        """Break lines that are longer than the axes, and turn overlapping ticks."""
        self._page.draw_without_rendering()
        ax = self.ax_
        low, high = sorted(ax.get_xlim())
        ticks = [t for t in ax.xaxis.get_major_ticks() if low <= t.get_loc() <= high]
        boxes = [tick.label1.get_window_extent() for tick in ticks]
        boxes = sorted((box for box in boxes if box.width), key=lambda box: box.x0)
        if any(left.x1 > right.x0 for left, right in pairwise(boxes)):
            ax.tick_params("x", rotation=90)
        for text in (ax.title, ax.xaxis.label):
            _break(text, ax.bbox.width / (text.get_window_extent().width or 1))

    def _fit_beside(self, ax: Axes) -> None:
        """Break lines of the vertical label, which is beside axes of any height."""
        self._page.draw_without_rendering()
        label = ax.yaxis.label
        height = label.get_window_extent().height or 1
        most = _WIDTH / max(1, *map(len, label.get_text().split("\n")))
        _break(label, min(most, ax.bbox.height / height))

    def _legend(self, is_new: bool) -> Legend | None:
        """Below the axes of a new figure, where it covers no point."""
        handles, labels = self.ax_.get_legend_handles_labels()
        if not labels:
            return None
        width = self._page.get_figwidth()
        size, n_letters = ("small", 14) if width >= _WIDE else ("x-small", 17)
        style: dict[str, Any] = {"fontsize": size, "title_fontsize": size}
        style |= {"title": self.legend_title, "alignment": "left"}
        if not is_new:
            return self.ax_.legend(loc="best", **style)
        length = int(n_letters * (width / 2 - _HANDLE))  # of a line in one of two columns
        labels = [filled(label, length) for label in labels]
        style |= {"loc": "outside lower right", "ncols": 2, "frameon": False}
        style["title"] = filled(self.legend_title or "", 2 * length)
        return self._page.legend(handles, labels, **style)

    def _mark(self, x: Any, y: Any, label: str) -> None:
        """Put a star, in the color of text, on what was chosen, or at a line from it."""
        ax, paper = self.ax_, self.ax_.get_facecolor()
        style: dict[str, Any] = {"markersize": _STAR, "markeredgecolor": paper}
        style |= {"color": ax.xaxis.label.get_color(), "clip_on": False, "zorder": 3}
        style |= {"linewidth": 2, "markevery": [-1]}
        ax.plot(x, y, "-*", label=literal(filled(label, 2 * _WIDTH)), **style)

    def _staircase(
        self, x: NDArray, y: NDArray, true: NDArray, labels: tuple[str, str], **style: Any
    ) -> Line2D:
        """Steps, each with the value of its right end, and true rates where known."""
        (line,) = self.ax_.plot(x, y, drawstyle="steps-pre", label=labels[0], **style)
        known = np.isfinite(true)
        if known.any():
            mark = "--" if len(x) > 1 else "_"
            style = {"color": line.get_color(), "linewidth": 1, "label": labels[1]}
            self.ax_.plot(x[known], true[known], mark, **style)
        return line


def literal(text: Any) -> str:
    """A text of the user without what matplotlib reads as mathematics or cannot draw."""
    return escaped(str(text), keep="\n").replace("$", r"\$")


def _break(text: Any, share: float) -> None:
    """Break the lines of a text, of whose longest one there is room for this share."""
    if share < 1:
        longest = max(map(len, text.get_text().split("\n")))
        text.set_text(filled(text.get_text(), max(1, int(share * longest))))


def filled(text: str, width: int) -> str:
    return "\n".join(fill(line, width) for line in text.split("\n"))


class SearchDisplay(Display):
    """Base class of displays that draw the results of a fitted search.

    A subclass names the columns of ``cv_results_`` that it needs in the class attribute
    ``columns``. One that draws something else names the fitted attributes it needs in
    ``attributes``, and makes itself of a search in ``_read(search)``.
    """

    attributes: ClassVar[tuple[str, ...]] = ("cv_results_",)
    columns: ClassVar[tuple[str, ...]] = ()

    def __init__(self, table: dict[str, NDArray]) -> None:
        self.table = table

    @classmethod
    def from_estimator(
        cls, search: BaseEstimator, *, ax: Axes | None = None, **options: Any
    ) -> Self:
        """Draw the results of a fitted search.

        Parameters
        ----------
        search : estimator
            A fitted search, as the description of the class names it.
        ax : matplotlib Axes, default=None
            Where to draw; a new figure by default.
        **options : dict
            Options of the drawing, as in :meth:`plot`.

        Returns
        -------
        display : Display
            The display, drawn.

        Raises
        ------
        ValueError, TypeError
            If ``search`` is not an estimator, is not fitted, or has no such results.
        """
        check_search(search, cls.attributes)
        return cls._read(search).plot(ax, **options)

    @classmethod
    def _read(cls, search: Any) -> Self:
        """Make the display of a fitted search."""
        return cls(columns_of("cv_results_", search.cv_results_, cls.columns))


def check_axes(ax: Any) -> None:
    from matplotlib.axes import Axes

    # Those of 3-D are Axes by their type.
    if ax is not None and not (isinstance(ax, Axes) and ax.name == Axes.name):
        raise invalid("ax", "None or rectilinear Axes of matplotlib", ax)


def check_search(search: Any, attributes: Sequence[str]) -> None:
    """Check that a search is fitted and has what is to be drawn."""
    if not isinstance(search, BaseEstimator):
        raise invalid("search", "a fitted search", search)
    needed = f"search must be fitted and have {', '.join(attributes)}"
    reason = "this %(name)s is not fitted yet, or has no such results."
    check_is_fitted(search, list(attributes), msg=f"{needed}; {reason}")


def columns_of(
    name: str, table: Any, needed: Sequence[str], optional: Sequence[str] = ()
) -> dict[str, NDArray]:
    """Columns of a table, numbers as float64; missing entries and columns are NaN."""
    try:
        by_name = dict(table)
    except (TypeError, ValueError):
        raise invalid(name, "a mapping of columns", table) from None
    missing = sorted(set(needed) - set(by_name))
    if missing:
        raise ValueError(
            f"{name} must have the columns {missing}, which are missing; it has "
            f"{shown(list(by_name) or 'none')}."
        )
    columns = {column: _plain(by_name[column]) for column in needed}
    shapes = {column: array.shape for column, array in columns.items()}
    if len(set(shapes.values())) > 1 or any(len(shape) != 1 for shape in shapes.values()):
        raise invalid(name, "columns of one length", shapes)
    blank = np.full(next(iter(shapes.values()), ()), np.nan)
    return columns | {column: _plain(by_name.get(column, blank)) for column in optional}


def _plain(values: Any) -> NDArray:
    array = np.ma.asarray(values)
    if array.dtype.kind == "O" and array.ndim:  # as of pandas where some are missing
        filled = [np.nan if is_missing(value) else value for value in array]
        if all(isinstance(value, Number | np.bool_) for value in filled):
            array = np.ma.asarray(filled, dtype=float)
    if array.dtype.kind in "biuf":
        return np.ma.filled(array.astype(float), np.nan)
    return np.asarray(values)
