"""Figures of results: bounds, coverage, budgets and audits."""

from ._chosen import ContingencyDisplay
from ._coverage import CoverageDisplay, FinishedLabelsDisplay
from ._display import Display, SearchDisplay
from ._how_many import AuditMonitorDisplay, FinishPlanDisplay, LabelBudgetDisplay
from ._sweeps import PACMDLDisplay

__all__ = [
    "AuditMonitorDisplay",
    "ContingencyDisplay",
    "CoverageDisplay",
    "Display",
    "FinishPlanDisplay",
    "FinishedLabelsDisplay",
    "LabelBudgetDisplay",
    "PACMDLDisplay",
    "SearchDisplay",
]
