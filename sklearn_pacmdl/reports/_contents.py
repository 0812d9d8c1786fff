"""What reports consist of: sections with texts, tables and pictures."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..utils._checks import check_flag, invalid, is_iterable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Rows of a table that are shown; a reader looks no further, and browsers stay quick.
MOST_ROWS = 200
# Pictures are drawn once for each of these styles of matplotlib, the second for readers
# whose screens are dark.
_STYLES = {"light": "default", "dark": "dark_background"}


@dataclass(frozen=True)
class Column:
    """A column of a table, and whether its numbers are guaranteed.

    Parameters
    ----------
    name : str
        Head of the column.
    values : sequence
        Numbers or texts. Floats are rates in [0, 1], and shown in percent; NaN is shown
        as nothing.
    certified : bool, default=False
        Whether the certificate guarantees the numbers. The others are descriptive.

    See Also
    --------
    Table : A table of columns.

    Examples
    --------
    >>> from sklearn_pacmdl.reports import Column
    >>> Column("purity", [0.9, float("nan"), 1.0]).texts
    ['90.00%', '', '100.00%']
    """

    name: str
    values: Sequence[Any]
    certified: bool = False

    def __post_init__(self):
        check_text(name=self.name)
        check_flag("certified", self.certified)
        if not is_iterable(self.values) or isinstance(self.values, Mapping):
            raise invalid("values", "a sequence of numbers or texts", self.values)

    @property
    def texts(self) -> list[str]:
        return [_text(value) for value in list(self.values)[:MOST_ROWS]]

    @property
    def is_numeric(self) -> bool:
        """Whether all values are numbers, which are aligned and marked."""
        numbers = (int, float, np.number)
        return all(
            isinstance(value, numbers) and not isinstance(value, bool)
            for value in list(self.values)[:MOST_ROWS]
        )


def _text(value: Any) -> str:
    if value is None or value is np.ma.masked:
        return ""
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, float | np.floating):
        return "" if np.isnan(value) else f"{value:.2%}"
    if isinstance(value, int | np.integer):
        return f"{value:,}"
    return str(value)


@dataclass(frozen=True)
class Table:
    """Columns of equal length.

    Parameters
    ----------
    columns : sequence of Column
        The columns, of which the first one names the rows. 200 rows are shown at most.

    See Also
    --------
    Section : A part of a report.

    Examples
    --------
    >>> from sklearn_pacmdl.reports import Column, Table
    >>> table = Table([Column("cluster", [0, 1]), Column("size", [40, 60])])
    >>> table.rows
    [('0', '40'), ('1', '60')]
    """

    columns: Sequence[Column]

    def __post_init__(self):
        check_all("columns", self.columns, Column)
        lengths = [len(column.values) for column in self.columns]
        if not lengths or len(set(lengths)) > 1:
            raise invalid("columns", "columns of one length", self.columns)

    @property
    def rows(self) -> list[tuple[str, ...]]:
        return list(zip(*(column.texts for column in self.columns), strict=True))

    @property
    def n_left_out(self) -> int:
        """Rows that are not shown."""
        return max(0, len(self.columns[0].values) - MOST_ROWS)


@dataclass(frozen=True)
class Picture:
    """A figure of matplotlib, for light and for dark screens.

    Parameters
    ----------
    draw : callable
        Makes and returns the figure. It is called once for each style.
    caption : str
        What can be seen, in a sentence.

    See Also
    --------
    sklearn_pacmdl.displays : Figures of results.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from sklearn_pacmdl.reports import Picture
    >>> picture = Picture(Figure, "An empty figure.")
    >>> picture.sources()["dark"][:26]
    'data:image/svg+xml;base64,'
    """

    draw: Callable[[], Figure]
    caption: str

    def __post_init__(self):
        if not callable(self.draw):
            raise invalid("draw", "a function that returns a figure", self.draw)
        check_text(caption=self.caption)

    def sources(self) -> dict[str, str]:
        """Draw the figure once for each style.

        Returns
        -------
        sources : dict of str to str
            A data URI of SVG for "light" and for "dark" screens.
        """
        return {name: self._source(style) for name, style in _STYLES.items()}

    def _source(self, style: str) -> str:
        import matplotlib.pyplot as plt

        # The same figure has the same text each time, whenever it is drawn.
        with plt.style.context([style, {"svg.hashsalt": "sklearn_pacmdl"}]):
            figure, file = self.draw(), io.BytesIO()
            figure.savefig(file, format="svg", transparent=True, metadata={"Date": None})
            plt.close(figure)
        code = base64.b64encode(file.getvalue()).decode("ascii")
        return f"data:image/svg+xml;base64,{code}"


@dataclass(frozen=True)
class Section:
    """A part of a report, with a heading.

    Parameters
    ----------
    title : str
        The heading.
    paragraphs : sequence of str, default=()
        Plain texts, without markup.
    table : Table or None, default=None
        Shown below the texts.
    picture : Picture or None, default=None
        Shown below the table.
    verbatim : str, default=""
        A text that is shown with its spaces and lines, at the end.
    html : str, default=""
        Trusted HTML that is shown as it is, such as the diagram of an estimator.
    folded : bool, default=False
        Whether readers have to open the section.

    See Also
    --------
    Report : What sections are parts of.

    Examples
    --------
    >>> from sklearn_pacmdl.reports import Section
    >>> Section("Data", ["The rows are documents of 2025."]).title
    'Data'
    """

    title: str
    paragraphs: Sequence[str] = field(default=())
    table: Table | None = None
    picture: Picture | None = None
    verbatim: str = ""
    html: str = ""
    folded: bool = False

    def __post_init__(self):
        check_text(title=self.title, verbatim=self.verbatim, html=self.html)
        check_all("paragraphs", self.paragraphs, str)
        check_flag("folded", self.folded)
        for name, kind in {"table": Table, "picture": Picture}.items():
            value = getattr(self, name)
            if value is not None and not isinstance(value, kind):
                raise invalid(name, f"a {kind.__name__} or None", value)


def check_text(**texts: Any) -> None:
    for name, text in texts.items():
        if not isinstance(text, str):
            raise invalid(name, "a text", text)


def check_all(name: str, values: Any, kind: type) -> None:
    """Check that a parameter is a sequence of one kind of things."""
    if not is_iterable(values) or not all(isinstance(each, kind) for each in values):
        plural = "texts" if kind is str else kind.__name__
        raise invalid(name, f"a sequence of {plural}", values)
