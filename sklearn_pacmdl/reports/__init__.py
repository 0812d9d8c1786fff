"""Reports: one self-contained page of HTML that says what was found and what holds."""

# Besides what users need, the mixin and the contents of the results of other rooms.
from ._audits import certificate_report
from ._audits import classes_report as classes_report
from ._audits import finished_report as finished_report
from ._report import Report
from ._report import ReportMixin as ReportMixin
from ._search import labelings_report as labelings_report
from ._search import search_report as search_report

__all__ = ["Report", "certificate_report"]
