"""Searches for a clustering with a certified bound on its labeling errors."""

from ._search import PACMDLSearchCV
from ._split import TransductiveSplit

__all__ = ["PACMDLSearchCV", "TransductiveSplit"]
