"""Classes of clusters by majority.

For l classes, the codes are 0..l-1; code -1 is an unlabeled row, and code l is a label
that is none of the classes.
"""

import numpy as np

from ..utils._checks import as_array
from ..utils._random import check_random_state


def check_cluster_labels(labels, n_samples):
    """What a clusterer returned as an array, which must have an integer per row."""
    array = as_array("labels", labels)
    if array.shape != (n_samples,):
        raise ValueError(
            f"The clusterer returned labels of shape {array.shape}; expected "
            f"({n_samples},), one per row."
        )
    if array.dtype.kind not in "iu":
        raise ValueError(
            f"The clusterer returned labels of dtype {array.dtype}; expected integers. "
            "Encode names, for example by numpy.unique(names, return_inverse=True)[1]. "
            "Labels that exist already can be columns of X, with "
            "sklearn_pacmdl.cluster.PrecomputedLabels() as the clusterer."
        )
    return array


def class_counts(clusters, codes, n_clusters, n_classes):
    """Labeled rows of each class in each cluster, of shape (n_clusters, n_classes).

    Unlabeled rows and labels that are none of the classes are not counted.
    """
    counted = (codes >= 0) & (codes < n_classes)
    cells = clusters[counted] * n_classes + codes[counted]
    counts = np.bincount(cells, minlength=n_clusters * n_classes)
    return counts.reshape(n_clusters, n_classes)


def majority_classes(counts, random_state):
    """The most common class of each cluster, from counts (n_clusters, n_classes).

    All classes of a tie are equally likely. A cluster without labeled rows is a tie
    between all classes.
    """
    random_state = check_random_state(random_state)
    # The largest random number among the most common classes decides.
    largest = counts == counts.max(axis=1, keepdims=True)
    return np.argmax(largest * random_state.uniform(0.5, 1, size=counts.shape), axis=1)
