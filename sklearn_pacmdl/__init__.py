"""Choose, judge and certify clusterings, as a scikit-learn extension."""

from .bounds import BoundCertificate, bmax, pac_mdl_bound
from .labeling import ClusterLabelClassifier
from .model_selection import PACMDLDisplay, PACMDLSearchCV, TransductiveSplit

__version__ = "0.1.0.dev0"

__all__ = [
    "BoundCertificate",
    "ClusterLabelClassifier",
    "PACMDLDisplay",
    "PACMDLSearchCV",
    "TransductiveSplit",
    "bmax",
    "pac_mdl_bound",
]
