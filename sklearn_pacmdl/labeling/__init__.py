"""Classes for clusters from a few labels."""

# What is imported as itself is for other rooms, and not public.

from ._classifier import ClusterLabelClassifier
from ._classifier import classifier_of as classifier_of
from ._classifier import score as score
from ._clusters import check_cluster_labels as check_cluster_labels
from ._clusters import class_counts as class_counts
from ._clusters import cluster_distances as cluster_distances
from ._clusters import cluster_margins as cluster_margins
from ._clusters import describe_clusters as describe_clusters
from ._clusters import describe_counted_clusters as describe_counted_clusters
from ._clusters import left_out_names as left_out_names
from ._clusters import majority_classes as majority_classes
from ._clusters import nearest_labeled as nearest_labeled
from ._clusters import nearest_others as nearest_others
from ._clusters import warn_of_blind_names as warn_of_blind_names

__all__ = ["ClusterLabelClassifier"]
