"""A report: statements, sections, and how they become a page."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

from ..utils._checks import invalid
from ..utils._version import __version__
from ..utils._writing import write_text
from ._contents import Section, check_all, check_text

# Pixels of the frame in which a notebook shows a report.
_HEIGHT = 640


@dataclass(frozen=True)
class Report:
    """A self-contained page of HTML: what holds, what was assumed, and what was found.

    Results make their reports themselves, by a method ``report``. The constructor serves
    for reports of one's own. A notebook shows a report in a frame. Making the page
    requires Jinja and matplotlib (``pip install "sklearn-pacmdl[report]"``).

    Parameters
    ----------
    title : str
        The heading.
    statements : sequence of str
        What is guaranteed, in large type. The assumptions follow ", provided ". What
        speaks against them follows "; but ": such a statement is marked as doubtful.
    sections : sequence of Section
        The parts, in the order in which they are read.
    instead : str, default=""
        What is said if there is no statement: why nothing is certified.

    Attributes
    ----------
    html : str
        The page, which refers to no other file.

    See Also
    --------
    sklearn_pacmdl.PACMDLSearchCV.report : The report of a search.
    sklearn_pacmdl.audits.FinishedLabels.report : The report of a finished data set.

    Examples
    --------
    >>> from sklearn_pacmdl.reports import Column, Report, Section, Table
    >>> table = Table([Column("topic", ["<a>", "b"]), Column("rows", [70, 30])])
    >>> report = Report("Topics", ["At most 3 are wrong."], [Section("All", table=table)])
    >>> "&lt;a&gt;" in report.html  # texts are escaped
    True
    """

    title: str
    statements: Sequence[str]
    sections: Sequence[Section]
    instead: str = ""

    def __post_init__(self):
        check_text(title=self.title, instead=self.instead)
        check_all("statements", self.statements, str)
        check_all("sections", self.sections, Section)

    @cached_property
    def html(self) -> str:
        """The page."""
        return _template().render(
            report=self,
            written=datetime.now(UTC).isoformat(timespec="seconds"),
            version=__version__,
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file.

        Parameters
        ----------
        path : str or path-like
            Where to write; an existing file is replaced.
        """
        if not isinstance(path, str | os.PathLike):
            raise invalid("path", "the name of a file", path)
        write_text(path, self.html)

    def __repr__(self) -> str:
        # Sections hold whole pictures and pages, which would fill a terminal.
        return f"Report({self.title!r}, {len(self.sections)} sections)"

    def _repr_html_(self) -> str:
        return (
            f'<iframe srcdoc="{escape(self.html)}" title="{escape(self.title)}" '
            f'style="width:100%;height:{_HEIGHT}px;border:0"></iframe>'
        )


def _template() -> Any:
    try:
        from jinja2 import Environment, StrictUndefined
    except ImportError as error:
        raise ImportError(
            'Reports require Jinja: pip install "sklearn-pacmdl[report]".'
        ) from error
    # Names of classes, clusters and files are texts of users, so everything is escaped.
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    source = Path(__file__).with_name("template.html").read_text(encoding="utf-8")
    return environment.from_string(source)


def written(report: Report, path: str | os.PathLike[str] | None) -> Report:
    """The report, once it is written to a file, if there is to be one."""
    if path is not None:
        report.save(path)
    return report
