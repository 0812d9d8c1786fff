"""Figures of results: bounds, scores, coverage, dendrograms, budgets and audits."""

from ._chosen import ContingencyDisplay, DendrogramDisplay
from ._coverage import CoverageDisplay, FinishedLabelsDisplay
from ._display import Display, SearchDisplay
from ._how_many import LabelBudgetDisplay
from ._sweeps import PACMDLDisplay, ScoresDisplay

__all__ = [
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
