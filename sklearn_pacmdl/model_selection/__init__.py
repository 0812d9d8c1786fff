"""Choice of a clustering: the sweep, its results and their display."""

from ._display import PACMDLDisplay
from ._search import PACMDLSearchCV

__all__ = ["PACMDLDisplay", "PACMDLSearchCV"]
