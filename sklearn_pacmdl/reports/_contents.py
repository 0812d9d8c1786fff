"""What reports consist of: sections with texts, tables and pictures."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

# Rows of a table that are shown; a reader looks no further, and browsers stay quick.
MOST_ROWS = 200
# Pictures are drawn once for each of these styles of matplotlib, the second for readers
# whose screens are dark.
_STYLES = {"light": "default", "dark": "dark_background"}


class Column(NamedTuple):
    """A column of a table; floats are rates, and shown in percent."""

    name: str
    values: Sequence[Any]
    # Whether the certificate guarantees the numbers; the others are descriptive.
    certified: bool = False

    @property
    def texts(self) -> list[str]:
        return [_text(value) for value in self.values[:MOST_ROWS]]

    @property
    def is_numeric(self) -> bool:
        """Whether all values are numbers, which are aligned and marked."""
        numbers = (int, float, np.number)
        return all(
            isinstance(value, numbers) and not isinstance(value, bool)
            for value in self.values[:MOST_ROWS]
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


class Picture(NamedTuple):
    """A figure of matplotlib, for light and for dark screens."""

    draw: Callable[[], Any]  # returns the figure, once for each style
    caption: str

    def sources(self) -> dict[str, str]:
        """A data URI of SVG for "light" and for "dark" screens."""
        return {name: self._as_uri(style) for name, style in _STYLES.items()}

    def _as_uri(self, style: str) -> str:
        import matplotlib.pyplot as plt

        # The same figure has the same text each time, whenever it is drawn.
        with plt.style.context([style, {"svg.hashsalt": "sklearn_pacmdl"}]):
            figure, file = self.draw(), io.BytesIO()
            figure.savefig(file, format="svg", transparent=True, metadata={"Date": None})
            plt.close(figure)
        code = base64.b64encode(file.getvalue()).decode("ascii")
        return f"data:image/svg+xml;base64,{code}"


class Section(NamedTuple):
    """A part of a report: a heading, and below it what there is, in this order."""

    title: str
    paragraphs: Sequence[str] = ()
    columns: Sequence[Column] = ()  # of a table, of which the first names the rows
    picture: Picture | None = None
    html: str = ""  # trusted, such as the diagram of an estimator
    verbatim: str = ""  # shown with its spaces and lines
    folded: bool = False  # whether readers have to open the section
