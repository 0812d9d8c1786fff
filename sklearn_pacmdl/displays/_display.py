"""What displays share: axes, ticks, legend, and how results are read."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from numbers import Number
from textwrap import fill, shorten
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from ..utils._checks import invalid, shown
from ..utils._docs import substituted
from ..utils._labels import is_missing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import FigureBase
    from matplotlib.lines import Line2D

# Gray of horizontal lines, which can be seen on white and on black.
GRAY = "0.5"
# How opaque the range of a curve is: curves can be seen through several of them.
_BAND = 0.12
# Points: rings are seen around a star as well, and neither hides the points beside it.
_STAR, _RING = 13, 13
# Letters in a line of a vertical label: two inches of them, so that they fit beside axes
# of which three are side by side on a page.
_WIDTH = 28
# Share of the height of the axes that a name takes below a star; above are the curves.
_ROOM_BELOW = 0.1


class Display(ABC):
    """Base class of displays: makes axes, sets their ticks, adds a legend.

    A subclass stores what it draws in its constructor and draws it in ``_draw(ax)``,
    where each artist that belongs in the legend has a label. Keyword arguments of
    ``_draw`` become options of :meth:`plot`. The class attribute ``percent_axes`` ("y" by
    default) names the axes that show shares as percentages, ``integer_axes`` ("" by
    default) those with ticks at integers only, and ``legend_title`` the legend.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes of the last plot.
    figure_ : matplotlib Figure
        Figure of the last plot.

    See Also
    --------
    SearchDisplay : Base class of displays that draw a fitted search.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from sklearn_pacmdl.displays import Display
    >>> class ErrorsDisplay(Display):
    ...     def __init__(self, errors):
    ...         self.errors = errors
    ...
    ...     def _draw(self, ax):
    ...         ax.plot(self.errors, label="error rate")
    >>> display = ErrorsDisplay([0.2, 0.1, 0.05]).plot()
    >>> plt.close(display.figure_)
    """

    percent_axes: ClassVar[str] = "y"
    integer_axes: ClassVar[str] = ""
    legend_title: ClassVar[str | None] = None

    ax_: "Axes"
    figure_: "FigureBase"

    # Type checkers let subclasses replace these arguments by options of their own.
    @abstractmethod
    def _draw(self, ax: "Axes", *args: Any, **options: Any) -> None:
        """Draw on these axes and name them."""

    def plot(self, ax: "Axes | None" = None, **options: Any) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw. By default this is a new figure, whose legend is beside the
            axes.
        **options : dict
            Options of the drawing, as the description of the class names them.

        Returns
        -------
        display : Display
            The display itself.
        """
        import matplotlib.pyplot as plt
        from matplotlib.axes import Axes
        from matplotlib.ticker import FuncFormatter, MaxNLocator

        # Axes of a user may have no layout that makes room for a legend beside them.
        place: dict[str, Any] = {"loc": "best", "fontsize": "x-small"}
        if ax is None:
            _, ax = plt.subplots(figsize=_size(plt), layout="constrained")
            place = {"loc": "upper left", "bbox_to_anchor": (1, 1), "fontsize": "small"}
        elif not isinstance(ax, Axes):
            raise invalid("ax", "None or an Axes of matplotlib", ax)
        self.ax_, self.figure_ = ax, ax.figure
        self._draw(ax, **options)
        lines = [fill(line, _WIDTH) for line in ax.get_ylabel().split("\n")]
        ax.set_ylabel("\n".join(lines))
        percent = FuncFormatter(lambda value, _: f"{100 * value:g}%")
        integers = MaxNLocator("auto", steps=[1, 2, 5, 10], integer=True)
        axes = {"x": ax.xaxis, "y": ax.yaxis}
        for name in self.percent_axes:
            axes[name].set_major_formatter(percent)
        for name in self.integer_axes:
            axes[name].set_major_locator(integers)
        if ax.get_legend_handles_labels()[0]:
            ax.legend(title=self.legend_title, alignment="left", **place)
        return self

    def _mark(self, x: float, y: float, label: str, name: str = "") -> None:
        """Put a star, in the color of text, on what was chosen, and its name beside it.

        The limits of the axes must be set, since the name is on the side with more room.
        """
        ax, paper = self.ax_, self.ax_.get_facecolor()
        style: dict[str, Any] = {"markersize": _STAR, "markeredgecolor": paper}
        style |= {"color": ax.xaxis.label.get_color(), "clip_on": False}
        ax.plot(x, y, "*", label=label, **style)
        if not name:
            return
        left, low = (ax.transData - ax.transAxes).transform((x, y))
        dx, ha = (8, "left") if left < 0.5 else (-8, "right")
        dy, va = (-8, "top") if low > _ROOM_BELOW else (8, "bottom")
        text = literal(shorten(name, _WIDTH, placeholder="..."))
        style = {"textcoords": "offset points", "size": "small", "ha": ha, "va": va}
        ax.annotate(text, (x, y), (dx, dy), **style)

    def _curve(self, name: str, points: Any, ends: Any, **style: Any) -> "Line2D":
        """A curve and, if there are both ends of its range, the range."""
        (line,) = self.ax_.plot(*points, markersize=3.5, label=literal(name), **style)
        if ends:
            style = {"color": line.get_color(), "alpha": _BAND, "linewidth": 0}
            self.ax_.fill_between(points[0], *ends, **style)
        return line

    def _staircase(
        self, x: NDArray, y: NDArray, true: NDArray, labels: tuple[str, str], **style: Any
    ) -> "Line2D":
        """Steps, each with the value of its right end, and true rates where known."""
        (line,) = self.ax_.plot(x, y, drawstyle="steps-pre", label=labels[0], **style)
        known = np.isfinite(true)
        if known.any():
            mark = "--" if len(x) > 1 else "_"
            style = {"color": line.get_color(), "linewidth": 1, "label": labels[1]}
            self.ax_.plot(x[known], true[known], mark, **style)
        return line

    def _ring(self, points: Sequence[tuple[float, float]], label: str) -> None:
        """Put rings around points that share a value; one alone shares nothing."""
        if len(points) > 1:
            style: dict[str, Any] = {"markerfacecolor": "none", "markeredgecolor": GRAY}
            x, y = zip(*points, strict=True)
            style |= {"markersize": _RING, "clip_on": False}
            self.ax_.plot(x, y, "o", label=label, **style)


def literal(text: Any) -> str:
    """A text of the user, none of which matplotlib reads as mathematics."""
    return str(text).replace("$", r"\$")


def _size(plt: Any) -> tuple[float, float] | None:
    """Size of a new figure: the user's if one is set, else with room for a legend."""
    key = "figure.figsize"
    is_set = plt.rcParams[key] != plt.rcParamsDefault[key]
    return None if is_set else (8, 4.5)


class SearchDisplay(Display):
    """Base class of displays that draw the results of a fitted search.

    A subclass names the columns of ``cv_results_`` that it needs in the class attribute
    ``columns`` and draws them in ``_draw(ax)``. One that draws something else names the
    fitted attributes it needs in ``attributes``, and makes itself of a search in the
    class method ``_read(search)``. See :class:`Display` for ticks and legend.

    Parameters
    ----------
    table : dict of str to ndarray
        What to draw, by column. :meth:`from_estimator` stores numbers as float64, with
        NaN where an entry is missing.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes of the last plot.
    figure_ : matplotlib Figure
        Figure of the last plot.

    See Also
    --------
    PACMDLDisplay : Bound against number of clusters.
    CoverageDisplay : Bound against coverage.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
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
    >>> plt.close(display.figure_)
    """

    attributes: ClassVar[tuple[str, ...]] = ("cv_results_",)
    columns: ClassVar[tuple[str, ...]] = ()

    def __init__(self, table: dict[str, NDArray]) -> None:
        self.table = table

    @classmethod
    def from_estimator(
        cls, search: BaseEstimator, *, ax: "Axes | None" = None, **options: Any
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


documented = substituted(Display, SearchDisplay.from_estimator)


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
    """Columns of a table, numbers as float64 with NaN where an entry is missing.

    The columns have one shape (n_rows,), and optional ones that the table lacks are NaN;
    errors call the table ``name``.
    """
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
