"""Classes of clusters by majority.

For l classes, the codes are 0..l-1; code -1 is an unlabeled row, and code l is a label
that is none of the classes.
"""

import numpy as np

from ..utils._checks import as_array, check_count, invalid
from ..utils._random import check_random_state


def check_cluster_labels(labels, n_samples):
    """Check the labels that a clusterer returned.

    Parameters
    ----------
    labels : array-like
        Return value of ``fit_predict``.
    n_samples : int
        Number of rows.

    Returns
    -------
    labels : ndarray of shape (n_samples,) of int
        The labels as an array.

    Raises
    ------
    ValueError
        If there is not one integer per row.
    """
    check_count("n_samples", n_samples, 0)
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
    """Count the labeled rows of each class in each cluster.

    Parameters
    ----------
    clusters, codes : ndarray of shape (n_samples,) of int
        Cluster index in 0..n_clusters-1 and class code of each row.
    n_clusters, n_classes : int
        Numbers of clusters and of classes.

    Returns
    -------
    counts : ndarray of shape (n_clusters, n_classes) of int64
        Unlabeled rows and labels that are none of the classes are not counted.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described.
    """
    arguments = {"clusters": clusters, "codes": codes}
    clusters, codes = (as_array(name, values) for name, values in arguments.items())
    for name, array in ("codes", codes), ("clusters", clusters):
        if array.dtype.kind not in "iu" or array.ndim != 1 or len(array) != len(codes):
            allowed = "integers, as many in clusters as in codes"
            raise invalid(name, allowed, arguments[name])
    n_clusters = check_count("n_clusters", n_clusters, 0)
    n_classes = check_count("n_classes", n_classes, 0)
    counted = (codes >= 0) & (codes < n_classes)
    counted_clusters = clusters[counted]
    if (
        counted_clusters.size
        and not 0 <= counted_clusters.min() <= counted_clusters.max() < n_clusters
    ):
        raise invalid(
            "clusters", f"from 0 to {n_clusters - 1}, by n_clusters", counted_clusters
        )
    cells = counted_clusters * n_classes + codes[counted]
    counts = np.bincount(cells, minlength=n_clusters * n_classes)
    return counts.reshape(n_clusters, n_classes)


def majority_classes(counts, random_state):
    """Find the most common class of each cluster; ties are broken at random.

    All classes of a tie are equally likely. A cluster without labeled rows is a tie
    between all classes.

    Parameters
    ----------
    counts : ndarray of shape (n_clusters, n_classes)
        Finite numbers of at least 0, as returned by :func:`class_counts`.
    random_state : int, RandomState instance or None
        Source of randomness for ties.

    Returns
    -------
    classes : ndarray of shape (n_clusters,) of int
        Class code of each cluster.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described.
    """
    table = as_array("counts", counts)
    if table.dtype.kind not in "iuf" or table.ndim != 2 or not table.shape[1]:
        raise invalid("counts", "a table of numbers with a column per class", counts)
    if not np.all((table >= 0) & np.isfinite(table)):
        raise invalid("counts", "finite numbers of at least 0", counts)
    random_state = check_random_state(random_state)
    # The largest random number among the most common classes decides.
    largest = table == table.max(axis=1, keepdims=True)
    return np.argmax(largest * random_state.uniform(0.5, 1, size=table.shape), axis=1)
