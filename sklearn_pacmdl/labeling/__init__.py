"""A clustering and some labels make a classifier."""

from ._classifier import ClusterLabelClassifier

__all__ = ["ClusterLabelClassifier"]
