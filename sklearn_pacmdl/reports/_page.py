"""A page of HTML: its sections with texts, tables and pictures, and how it is made."""

from __future__ import annotations

import base64
import io
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..utils._checks import check_fields, check_printable, invalid, required
from ..utils._printable import escaped
from ..utils._version import __version__
from ..utils._words import html_table, rate_in_percent
from ..utils._writing import write_text

# Rows of a table that are shown; a reader looks no further, and browsers stay quick.
MOST_ROWS = 200
# Pictures are drawn once for each of these styles of matplotlib, the second for readers
# whose screens are dark.
_STYLES = {"light": "default", "dark": "dark_background"}
# Inches of pictures, of which the letters can be read when a phone shows all the width.
_WIDTH, _HEIGHT = 5.2, 4.0


class Column(NamedTuple):
    """A column of a table; floats are rates, and shown in percent."""

    name: str
    values: Sequence[Any]
    # Whether the certificate guarantees the numbers; the others are descriptive.
    certified: bool = False
    rounded: Callable[[float], float] = round  # up for bounds, and down for lower ones

    @property
    def texts(self) -> list[str]:
        return [_text(value, self.rounded) for value in self.values[:MOST_ROWS]]

    @property
    def is_numeric(self) -> bool:
        """Whether all values that are there are numbers, which are aligned and marked."""
        return all(
            isinstance(value, int | float | np.number | None)
            and not isinstance(value, bool)
            for value in self.values[:MOST_ROWS]
        )


def _text(value: Any, rounded: Callable[[float], float]) -> str:
    if value is None or value is np.ma.masked:
        return ""
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, float | np.floating):
        return "" if np.isnan(value) else rate_in_percent(float(value), rounded)
    if isinstance(value, int | np.integer):
        return f"{value:,}"
    return str(value)


class Picture(NamedTuple):
    """A figure of matplotlib, for light and for dark screens."""

    draw: Callable[[], Any]  # returns the figure, once for each style
    caption: str
    height: float = _HEIGHT  # inches

    def sources(self) -> dict[str, str]:
        """A data URI of SVG for "light" and for "dark" screens."""
        import matplotlib.pyplot as plt

        # The same figure has the same text each time, whenever it is drawn.
        fixed = {
            "svg.hashsalt": "sklearn_pacmdl",
            "figure.figsize": (_WIDTH, self.height),
        }
        options = {"format": "svg", "transparent": True, "metadata": {"Date": None}}
        uris = {}
        for name, style in _STYLES.items():
            with plt.style.context([style, fixed]):
                figure, file = self.draw(), io.BytesIO()
                figure.savefig(file, **options)
                plt.close(figure)
            code = base64.b64encode(file.getvalue()).decode("ascii")
            uris[name] = f"data:image/svg+xml;base64,{code}"
        return uris


class Section(NamedTuple):
    """A part of a report: a heading, and below it what there is, in this order."""

    title: str
    paragraphs: Sequence[str] = ()
    columns: Sequence[Column] = ()  # of a table, of which the first names the rows
    picture: Picture | None = None
    html: str = ""  # trusted, such as the diagram of an estimator
    verbatim: str = ""  # shown with its spaces and lines
    folded: bool = False  # whether readers have to open the section


# Pixels of the frame in which a notebook shows a report.
_FRAME = 640


@dataclass(frozen=True, repr=False)
class Report:
    """A self-contained page of HTML: what holds, what was assumed, and what was found.

    Results make their reports themselves, by a method ``report``. A notebook shows a
    report in a frame.

    Parameters
    ----------
    title : str
        The heading.
    html : str
        The page, which refers to no other file.

    Examples
    --------
    >>> from sklearn_pacmdl.certificates import BoundCertificate
    >>> from sklearn_pacmdl.reports import certificate_report
    >>> certificate = BoundCertificate.from_counts(
    ...     n_train=100, n_test=900, n_train_errors=2, weights={}, delta=0.05
    ... )
    >>> report = certificate_report(certificate, title="<Topics>")
    >>> "&lt;Topics&gt;" in report.html  # texts are escaped
    True
    """

    title: str
    html: str

    def __post_init__(self):
        check_fields(self, title=str, html=str)
        check_printable("title", self.title)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file.

        Parameters
        ----------
        path : str or path-like
            Where to write; an existing file is replaced.
        """
        check_page(path)
        write_text(path, self.html)

    def __repr__(self) -> str:
        # The page holds whole pictures, which would fill a terminal.
        return f"Report({self.title!r}, {len(self.html):,} characters)"

    def _repr_html_(self) -> str:
        return (
            f'<iframe srcdoc="{escape(self.html)}" title="{escape(self.title)}" '
            f'style="width:100%;height:{_FRAME}px;border:0"></iframe>'
        )


class ReportMixin(ABC):
    """Gives a result the method ``report``, by what its ``_report`` makes."""

    @abstractmethod
    def _report(self, title: str | None) -> Report:
        """The page of this kind of result."""

    def report(
        self, path: str | os.PathLike[str] | None = None, *, title: str | None = None
    ) -> Report:
        """Make a page of HTML that says what was found, what holds and why.

        Parameters
        ----------
        path : str or path-like, default=None
            Where to write the page; by default it is only returned.
        title : str, default=None
            The heading; by default it names the result.

        Returns
        -------
        report : Report
            The statement, what was assumed and whether it was checked, and what was
            found, in one file without links, which notebooks show. Each number is marked
            as certified or as descriptive. Requires ``sklearn-pacmdl[report]``.

        Raises
        ------
        ValueError
            If ``path`` or ``title`` is not as described.
        sklearn.exceptions.NotFittedError
            If this is a search that has not been fitted.
        """
        if path is not None:
            check_page(path)
        report = self._report(title)
        if path is not None:
            report.save(path)
        return report


def check_page(path: Any, name: str = "path") -> None:
    """Check that a page can be made and have this name."""
    is_name = isinstance(path, str | os.PathLike)
    if not is_name or os.path.splitext(path)[1].lower() not in (".html", ".htm"):
        raise invalid(name, "the name of a file that ends in .html", path)
    _template()


def make_report(
    title: str | None,
    default_title: str,
    statements: Sequence[str],
    sections: Sequence[Section],
    instead: str = "",
) -> Report:
    """The report of these sections; `instead` says why there is no statement."""
    if title is not None and not isinstance(title, str):
        raise invalid("title", "a text or None", title)
    title = default_title if title is None else title
    check_printable("title", title)
    html = _template().render(
        title=title,
        statements=statements,
        instead=instead,
        sections=sections,
        table=_table,
        written=datetime.now(UTC).isoformat(timespec="seconds"),
        version=__version__,
    )
    return Report(title, html)


def _table(columns: Sequence[Column]) -> str:
    texts = zip(*(column.texts for column in columns), strict=True)
    heads = []
    for column in columns:
        kind = "certified" if column.certified else "descriptive"
        badge = f"<br><span class='badge {kind}'>{kind}</span>"
        heads.append(escape(column.name) + badge * column.is_numeric)
    table = html_table(texts, [column.is_numeric for column in columns], heads)
    n_left = len(columns[0].values) - MOST_ROWS
    note = f"\n<p class='soft'>{n_left} further rows are not shown.</p>"
    return f"<div class='scroll'>{table}</div>{note if n_left > 0 else ''}"


def _template() -> Any:
    jinja = required("jinja2", "Reports require Jinja", "report")
    # Names of classes, clusters and files are texts of users, so everything is escaped.
    environment = jinja.Environment(
        autoescape=True,
        # HTML, which is no plain text, is trusted.
        finalize=lambda v: escaped(v, keep="\n") if type(v) is str else v,
        undefined=jinja.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    source = Path(__file__).with_name("template.html").read_text(encoding="utf-8")
    return environment.from_string(source)
