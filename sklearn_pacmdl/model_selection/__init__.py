"""Choice of a clustering: the sweep and its results."""

from ._search import PACMDLSearchCV
from ._selective import SelectiveClusterLabeler
from ._split import TransductiveSplit

__all__ = ["PACMDLSearchCV", "SelectiveClusterLabeler", "TransductiveSplit"]
