"""Figures of results: bounds, scores, coverage, dendrograms, budgets and audits."""

from ._base import Display, SearchDisplay
from ._bounds import PACMDLDisplay
from ._budget import LabelBudgetDisplay
from ._contingency import ContingencyDisplay
from ._coverage import CoverageDisplay
from ._dendrogram import DendrogramDisplay
from ._finished import FinishedLabelsDisplay
from ._monitor import AuditMonitorDisplay
from ._scores import ScoresDisplay

__all__ = [
    "AuditMonitorDisplay",
    "ContingencyDisplay",
    "CoverageDisplay",
    "DendrogramDisplay",
    "Display",
    "FinishedLabelsDisplay",
    "LabelBudgetDisplay",
    "PACMDLDisplay",
    "ScoresDisplay",
    "SearchDisplay",
]
