"""Figures of results: bounds, coverage, budgets and audits."""

from ._chosen import ContingencyDisplay
from ._coverage import CoverageDisplay, FinishedLabelsDisplay
from ._how_many import LabelBudgetDisplay
from ._ranges import RangesDisplay as RangesDisplay  # for reports, and not in __all__
from ._sweeps import PACMDLDisplay

__all__ = [
    "ContingencyDisplay",
    "CoverageDisplay",
    "FinishedLabelsDisplay",
    "LabelBudgetDisplay",
    "PACMDLDisplay",
]
