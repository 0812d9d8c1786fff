"""Figures of results: bounds, coverage, label budgets and finished data sets."""

from ._base import Display, SearchDisplay
from ._bounds import PACMDLDisplay
from ._budget import LabelBudgetDisplay
from ._coverage import CoverageDisplay
from ._finished import FinishedLabelsDisplay

__all__ = [
    "CoverageDisplay",
    "Display",
    "FinishedLabelsDisplay",
    "LabelBudgetDisplay",
    "PACMDLDisplay",
    "SearchDisplay",
]
