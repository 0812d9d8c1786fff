"""Description languages: weights of labelings, in bits, that obey Kraft's inequality.

A language answers two questions before any label is seen: how much weight does each
candidate clustering of a sweep get, and how much of that does each labeling of its
clusters get. Any object with the two methods of :class:`Language` is one.
"""

from ._check import check_language, is_checked
from ._index import IndexPrior
from ._labels import balanced_label_weight, uniform_label_weight
from ._mixture import BalancedLabels, Mixture
from ._prunings import (
    best_prunings,
    count_prunings,
    cut_weights,
    dendrogram_children,
    flat_cuts,
)
from ._selection import (
    PAPER_LANGUAGES,
    TERMS,
    AutoLanguage,
    Candidate,
    Language,
    PaperLanguage,
    Prior,
    algo,
    auto,
    check_kraft,
    cluster,
    get_language,
    init,
    label_languages,
    simple,
)

__all__ = [
    "PAPER_LANGUAGES",
    "TERMS",
    "AutoLanguage",
    "BalancedLabels",
    "Candidate",
    "IndexPrior",
    "Language",
    "Mixture",
    "PaperLanguage",
    "Prior",
    "algo",
    "auto",
    "balanced_label_weight",
    "best_prunings",
    "check_kraft",
    "check_language",
    "cluster",
    "count_prunings",
    "cut_weights",
    "dendrogram_children",
    "flat_cuts",
    "get_language",
    "init",
    "is_checked",
    "label_languages",
    "simple",
    "uniform_label_weight",
]
