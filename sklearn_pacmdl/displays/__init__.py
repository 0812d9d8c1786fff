"""Figures of results: bounds, coverage and label budgets."""

from ._base import Display, SearchDisplay
from ._bounds import PACMDLDisplay
from ._budget import LabelBudgetDisplay
from ._coverage import CoverageDisplay

__all__ = [
    "CoverageDisplay",
    "Display",
    "LabelBudgetDisplay",
    "PACMDLDisplay",
    "SearchDisplay",
]
