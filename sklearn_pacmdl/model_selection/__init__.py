"""Choice of a clustering: the sweep, its results and their display."""

from ._budget_display import LabelBudgetDisplay
from ._coverage_display import CoverageDisplay
from ._display import PACMDLDisplay
from ._search import PACMDLSearchCV
from ._selective import SelectiveClusterLabeler
from ._split import TransductiveSplit

__all__ = [
    "CoverageDisplay",
    "LabelBudgetDisplay",
    "PACMDLDisplay",
    "PACMDLSearchCV",
    "SelectiveClusterLabeler",
    "TransductiveSplit",
]
