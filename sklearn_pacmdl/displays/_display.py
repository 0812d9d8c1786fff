"""What displays share: axes, ticks, legend, and how results are read."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from inspect import isabstract
from itertools import pairwise
from numbers import Number
from textwrap import fill
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from ..columns import is_missing
from ..utils._checks import invalid, shown, warn
from ..utils._docs import substituted
from ..utils._printable import escaped

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, FigureBase
    from matplotlib.lines import Line2D

# Gray of horizontal lines, which can be seen on white and on black.
GRAY = "0.5"
# How opaque the range of a curve is: curves can be seen through several of them.
_BAND = 0.12
# Points of a star, or a ring around one, which do not hide the points beside them.
STAR = 13
# Letters in a line of a vertical label: two inches of them, so that they fit
# beside axes of which three are side by side on a page.
_WIDTH = 28
# Marks and lines that tell curves apart without color.
MARKERS, LINES = "osDPXp", ("-", "--", "-.", (0, (5, 1, 1, 1, 1, 1)))
# Columns of a legend below axes, and its letters; the first of these that fits.
_LEGENDS = [(4, "small"), (3, "small"), (2, "small"), (2, "x-small"), (1, "x-small")]
# Share of the height of axes for a legend within, and the rest below it: later titles
# make axes smaller.
_MOST, _SPARE = 0.75, 0.05


class Display(ABC):
    """Base class of displays: makes axes, sets their ticks, adds a legend.

    A subclass stores its data in its constructor and draws them in ``_draw(ax)``, with a
    label for each artist of the legend. Keyword arguments of ``_draw`` become options of
    :meth:`plot`. The class attribute ``percent_axes`` ("y" by default) names the axes
    that show shares as percentages, ``integer_axes`` ("" by default) those with ticks at
    integers only, and ``legend_title`` the legend.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes of the last plot.
    figure_ : matplotlib Figure
        Figure of the last plot.

    Examples
    --------
    >>> from sklearn_pacmdl.displays import Display
    >>> class ErrorsDisplay(Display):
    ...     def __init__(self, errors):
    ...         self.errors = errors
    ...
    ...     def _draw(self, ax):
    ...         ax.plot(self.errors, label="error rate")
    >>> display = ErrorsDisplay([0.2, 0.1, 0.05]).plot()
    """

    percent_axes: ClassVar[str] = "y"
    integer_axes: ClassVar[str] = ""
    legend_title: str | None = None

    ax_: Axes
    figure_: FigureBase

    # Type checkers let subclasses replace these arguments by options of their own.
    @abstractmethod
    def _draw(self, ax: Axes, *args: Any, **options: Any) -> None:
        """Draw on these axes and name them."""

    def plot(self, ax: Axes | None = None, **options: Any) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; the legend is then at the top of the axes. By default this is a
            new figure, whose legend is below the axes.
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
        if ax.get_legend_handles_labels()[0]:
            self._add_legend(is_new)
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

    def _add_legend(self, is_new: bool) -> None:
        """Below the axes of a new figure; those of a user may have no room there."""
        from matplotlib.transforms import ScaledTranslation

        ax, figure = self.ax_, self._page
        below: Any = ax.xaxis.get_tightbbox()
        depth = below.y0 - ax.bbox.y0 if below else 0.0
        down = ScaledTranslation(0, depth / figure.dpi, figure.dpi_scale_trans)
        title, under = _filled(self.legend_title or "", 80), ax.transAxes + down
        place: dict[str, Any] = {"title": title, "alignment": "left", "frameon": False}
        place |= {"handlelength": 1.6, "columnspacing": 1.2, "bbox_transform": under}
        room = 0.93 * figure.bbox.width if is_new else ax.bbox.width
        for n_columns, size in _LEGENDS:
            place |= {"ncols": n_columns, "fontsize": size, "title_fontsize": size}
            legend = ax.legend(**place, loc="upper left", bbox_to_anchor=(0, 0))
            width = legend.get_window_extent().width
            if width <= room:
                break
        if not is_new:
            place |= {
                "mode": "expand",
                "borderaxespad": 0,
                "bbox_transform": ax.transAxes,
            }
            legend = ax.legend(**place, loc="upper left", bbox_to_anchor=(0, 0, 1, 1))
        elif width > 0.9 * ax.bbox.width:  # there is room below the vertical axis as well
            legend = ax.legend(**place, loc="upper right", bbox_to_anchor=(1, 0))
        texts = [*legend.get_texts(), legend.get_title()]
        longest = max(len(line) for t in texts for line in t.get_text().split("\n"))
        for text in texts if width > room else []:
            text.set_text(_filled(text.get_text(), int(room / width * longest)))
        if not is_new:
            legend.set_in_layout(False)  # its width is that of the axes
            share = legend.get_window_extent().height / ax.bbox.height + _SPARE
            if share < _MOST:
                self._make_room(share)
            else:
                legend.remove()
                warn("These axes have no room for a legend; make the figure larger.")

    def _make_room(self, share: float) -> None:
        """Leave this share of the axes, at their top, to the legend."""
        from matplotlib.patches import Rectangle

        ax, scale = self.ax_, self.ax_.yaxis.get_transform()
        low, high = ax.get_ylim()
        whole = ax.get_yaxis_transform()
        drawn = Rectangle((0, low), 1, high - low, transform=whole)
        for artist in (*ax.lines, *ax.collections, *ax.patches):
            if artist.get_clip_on():
                artist.set_clip_path(drawn)
        ax.set_yticks([tick for tick in ax.get_yticks() if low <= tick <= high])
        bottom, top = scale.transform([low, high])
        top = bottom + (top - bottom) / (1 - share)
        ax.set_ylim(low, scale.inverted().transform([top])[0])
        ax.axhline(high, color=ax.spines["top"].get_edgecolor(), linewidth=0.8)

    def _mark(self, x: float, y: float, label: str) -> None:
        """Put a star, in the color of text, on what was chosen."""
        ax, paper = self.ax_, self.ax_.get_facecolor()
        style: dict[str, Any] = {"markersize": STAR, "markeredgecolor": paper}
        style |= {"color": ax.xaxis.label.get_color(), "clip_on": False, "zorder": 3}
        ax.plot(x, y, "*", label=literal(_filled(label, 2 * _WIDTH)), **style)

    def _curve(self, name: str, points: Any, ends: Any, **style: Any) -> Line2D:
        """A curve and, if there are both ends of its range, the range."""
        (line,) = self.ax_.plot(*points, markersize=4, label=literal(name), **style)
        if ends:
            style = {"color": line.get_color(), "alpha": _BAND, "linewidth": 0}
            self.ax_.fill_between(points[0], *ends, **style)
        return line

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
        text.set_text(_filled(text.get_text(), max(1, int(share * longest))))


def _filled(text: str, width: int) -> str:
    return "\n".join(fill(line, width) for line in text.split("\n"))


class SearchDisplay(Display):
    """Base class of displays that draw the results of a fitted search.

    A subclass names the columns of ``cv_results_`` that it needs in the class attribute
    ``columns`` and draws them in ``_draw(ax)``. One that draws something else names the
    fitted attributes it needs in ``attributes``, and makes itself of a search in the
    class method ``_read(search)``. See :class:`Display` for all else.

    Parameters
    ----------
    table : dict of str to ndarray of shape (n_points,)
        What to draw, by column. :meth:`from_estimator` stores numbers as float64, with
        NaN where an entry is missing.

    Examples
    --------
    >>> from sklearn.cluster import AgglomerativeClustering
    >>> from sklearn.datasets import load_iris
    >>> from sklearn_pacmdl import PACMDLSearchCV
    >>> from sklearn_pacmdl.displays import SearchDisplay
    >>> class BitsDisplay(SearchDisplay):
    ...     columns = ("n_clusters", "description_length")
    ...     percent_axes, integer_axes = "", "x"
    ...
    ...     def _draw(self, ax):
    ...         ax.plot(*self.table.values(), "o", label="description length")
    ...         ax.set(xlabel="Number of clusters", ylabel="Bits")
    >>> X, y = load_iris(return_X_y=True)
    >>> search = PACMDLSearchCV(
    ...     AgglomerativeClustering(), n_clusters=range(2, 10), random_state=0
    ... ).fit(X, y)
    >>> display = BitsDisplay.from_estimator(search)
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
        if isabstract(cls):
            what = "draws nothing itself; call that of PACMDLDisplay, for instance"
            raise TypeError(f"{cls.__name__} {what}.")
        check_search(search, cls.attributes)
        return cls._read(search).plot(ax, **options)

    @classmethod
    def _read(cls, search: Any) -> Self:
        """Make the display of a fitted search."""
        return cls(columns_of("cv_results_", search.cv_results_, cls.columns))


documented = substituted(Display, SearchDisplay.from_estimator)


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
