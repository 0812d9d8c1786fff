"""Classes for clusters from a few labels."""

from ._classifier import ClusterLabelClassifier
from ._majority import check_cluster_labels, class_counts, majority_classes
from ._nearest import cluster_distances, nearest_labeled, rows_as_clustered

__all__ = [
    "ClusterLabelClassifier",
    "check_cluster_labels",
    "class_counts",
    "cluster_distances",
    "majority_classes",
    "nearest_labeled",
    "rows_as_clustered",
]
