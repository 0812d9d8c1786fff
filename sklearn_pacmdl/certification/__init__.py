"""Certification of clusterings: ways to use labels, and given labelings."""

from ._certify_labelings import CertifiedLabelings, certify_labelings
from ._counts import ClusterCounts
from ._methods import Decoupled, HoldOut, Learned, PacMdl
from ._strategy import Option, Strategy

__all__ = [
    "CertifiedLabelings",
    "ClusterCounts",
    "Decoupled",
    "HoldOut",
    "Learned",
    "Option",
    "PacMdl",
    "Strategy",
    "certify_labelings",
]
