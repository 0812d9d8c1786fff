"""Searches for a clustering with a certified bound on its labeling errors."""

from ._default_candidates import default_candidates
from ._search import PACMDLSearchCV
from ._split import TransductiveSplit

__all__ = ["PACMDLSearchCV", "TransductiveSplit", "default_candidates"]
