"""Reports: one self-contained page of HTML that says what was found and what holds."""

# What is imported as itself is a result, or for other rooms, and not in __all__.

from ._certificate_pages import audit_report as audit_report
from ._certificate_pages import certificate_report
from ._certificate_pages import finished_report as finished_report
from ._certificate_pages import without_statement as without_statement
from ._page import Report as Report
from ._page import ReportMixin as ReportMixin
from ._page import check_page as check_page
from ._sections import clusterings_report as clusterings_report
from ._sections import search_report as search_report

__all__ = ["certificate_report"]
