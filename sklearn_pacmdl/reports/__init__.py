"""Reports: one self-contained page of HTML that says what was found and what holds."""

# What is imported as itself is a result, or for other rooms, and not in __all__.

from ._page import Report as Report
from ._page import ReportMixin as ReportMixin
from ._sections import certificate_report
from ._sections import classes_report as classes_report
from ._sections import clusterings_report as clusterings_report
from ._sections import finished_report as finished_report
from ._sections import search_report as search_report
from ._sections import share_report as share_report

__all__ = ["certificate_report"]
