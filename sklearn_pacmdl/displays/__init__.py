"""Figures of results: bounds, coverage, label budgets, finished data sets and audits."""

from ._base import Display, SearchDisplay
from ._bounds import PACMDLDisplay
from ._budget import LabelBudgetDisplay
from ._coverage import CoverageDisplay
from ._finished import FinishedLabelsDisplay
from ._monitor import AuditMonitorDisplay

__all__ = [
    "AuditMonitorDisplay",
    "CoverageDisplay",
    "Display",
    "FinishedLabelsDisplay",
    "LabelBudgetDisplay",
    "PACMDLDisplay",
    "SearchDisplay",
]
