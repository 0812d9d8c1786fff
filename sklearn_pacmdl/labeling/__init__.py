"""A clustering and some labels make a classifier."""

from ._classifier import ClusterLabelClassifier
from ._majority import check_cluster_labels, class_counts, majority_classes

__all__ = [
    "ClusterLabelClassifier",
    "check_cluster_labels",
    "class_counts",
    "majority_classes",
]
