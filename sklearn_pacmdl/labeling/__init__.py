"""Classes for clusters from a few labels, and a test of the choice of labeled rows."""

from ._classifier import ClusterLabelClassifier
from ._majority import check_cluster_labels, class_counts, majority_classes
from ._nearest import cluster_distances, nearest_labeled, rows_as_clustered
from ._random_choice import RandomChoiceTest, random_choice_test

__all__ = [
    "ClusterLabelClassifier",
    "RandomChoiceTest",
    "check_cluster_labels",
    "class_counts",
    "cluster_distances",
    "majority_classes",
    "nearest_labeled",
    "random_choice_test",
    "rows_as_clustered",
]
