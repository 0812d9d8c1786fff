"""Choose, judge and certify clusterings, as a scikit-learn extension."""

from .bounds import bmax, labels_needed, pac_mdl_bound
from .certificates import BoundCertificate
from .certification import certify_labelings
from .dendrogram import DendrogramLabeler
from .displays import CoverageDisplay, LabelBudgetDisplay, PACMDLDisplay
from .labeling import ClusterLabelClassifier
from .model_selection import (
    PACMDLSearchCV,
    SelectiveClusterLabeler,
    TransductiveSplit,
)
from .utils._version import __version__ as __version__

__all__ = [
    "BoundCertificate",
    "ClusterLabelClassifier",
    "CoverageDisplay",
    "DendrogramLabeler",
    "LabelBudgetDisplay",
    "PACMDLDisplay",
    "PACMDLSearchCV",
    "SelectiveClusterLabeler",
    "TransductiveSplit",
    "bmax",
    "certify_labelings",
    "labels_needed",
    "pac_mdl_bound",
]
