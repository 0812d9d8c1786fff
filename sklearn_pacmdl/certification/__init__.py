"""Certification of clusterings: ways to use labels, and given labelings."""

from ._certify_labelings import CertifiedLabelings, certify_labelings
from ._counts import ClusterCounts
from ._registry import register_strategy
from ._strategy import Option, Strategy

__all__ = [
    "CertifiedLabelings",
    "ClusterCounts",
    "Option",
    "Strategy",
    "certify_labelings",
    "register_strategy",
]
