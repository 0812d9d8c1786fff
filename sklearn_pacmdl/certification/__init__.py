"""Clusterings and labels become certificates: ways to certify, and given labelings."""

from ._counts import ClusterCounts
from ._labelings import CertifiedLabelings, certify_labelings
from ._registry import register_strategy
from ._strategy import Option, Ranking, Strategy
from ._sweep import Claim, Sweep

__all__ = [
    "CertifiedLabelings",
    "Claim",
    "ClusterCounts",
    "Option",
    "Ranking",
    "Strategy",
    "Sweep",
    "certify_labelings",
    "register_strategy",
]
