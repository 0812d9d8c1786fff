"""Description languages: weights of labelings, in bits, that obey Kraft's inequality.

A language answers two questions before any label is seen: which weight does each
candidate clustering of a sweep get, and which part of it does each labeling of the
candidate's clusters get. Languages of your own inherit from :class:`Language`.
"""

from ._auto import AUTO, AutoLanguage
from ._base import Candidate, Language, UniformLabelLanguage, check_kraft
from ._check import check_language
from ._decoupled import DECOUPLED, DecoupledLanguage
from ._index import IndexPrior
from ._mixture import BalancedLabels, Mixture
from ._paper import ALGO, CLUSTER, INIT, SIMPLE, PaperLanguage
from ._prior import Prior
from ._registry import get_language

__all__ = [
    "ALGO",
    "AUTO",
    "CLUSTER",
    "DECOUPLED",
    "INIT",
    "SIMPLE",
    "AutoLanguage",
    "BalancedLabels",
    "Candidate",
    "DecoupledLanguage",
    "IndexPrior",
    "Language",
    "Mixture",
    "PaperLanguage",
    "Prior",
    "UniformLabelLanguage",
    "check_kraft",
    "check_language",
    "get_language",
]
