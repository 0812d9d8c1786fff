"""Searches for a clustering with a certified bound on its labeling errors."""

from ._search import PACMDLSearchCV
from ._selective import SelectiveClusterLabeler
from ._split import TransductiveSplit

__all__ = ["PACMDLSearchCV", "SelectiveClusterLabeler", "TransductiveSplit"]
