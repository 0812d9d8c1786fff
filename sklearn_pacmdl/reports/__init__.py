"""Reports: one self-contained page of HTML that says what was found and what holds."""

# Besides what users need, the mixin and the contents of the results of other rooms.
from ._page import Report
from ._page import ReportMixin as ReportMixin
from ._sections import certificate_report
from ._sections import classes_report as classes_report
from ._sections import clusterings_report as clusterings_report
from ._sections import finished_report as finished_report
from ._sections import search_report as search_report
from ._sections import share_report as share_report

__all__ = ["Report", "certificate_report"]
