"""Which label for each cluster: weights of the labelings of one clustering."""

from fractions import Fraction

import numpy as np
from scipy.special import log_softmax

from ..utils._checks import is_integer, shown
from ..utils._weights import weight_of_length


def check_count(name, value, least):
    """An integer of at least so much, or a ValueError that names it."""
    if not is_integer(value) or value < least:
        raise ValueError(
            f"{name} must be an integer of at least {least}, got {shown(value)}."
        )
    return int(value)


def uniform_label_weight(n_clusters: int, n_classes: int) -> Fraction:
    """Weight of any labeling of the clusters, all being as likely.

    Parameters
    ----------
    n_clusters : int
        Clusters found, c; at least 0.
    n_classes : int
        Classes, l; at least 1.

    Returns
    -------
    weight : Fraction
        ``l ** -c``, exactly; c log2(l) bits.

    Raises
    ------
    ValueError
        If a number is not as described.

    Examples
    --------
    >>> from sklearn_pacmdl.languages import uniform_label_weight
    >>> uniform_label_weight(3, 2)
    Fraction(1, 8)
    """
    n_clusters = check_count("n_clusters", n_clusters, 0)
    return Fraction(1, check_count("n_classes", n_classes, 1) ** n_clusters)


def balanced_label_weight(cluster_sizes, cluster_classes, n_classes, balance=2.0):
    """Weight of a labeling, larger where the classes share the rows evenly.

    Clusters are described from the largest to the smallest. Each class has a weight
    proportional to ``exp(-balance * share)``, share being what part of an even share of
    the rows, N / l, earlier clusters have given it.

    Parameters
    ----------
    cluster_sizes : sequence of int
        Rows of each cluster, labeled or not; of equal ones the first comes first.
    cluster_classes : sequence of int
        Index of the class given to each cluster.
    n_classes : int
        Classes, l.
    balance : float, default=2.0
        How strongly even shares are preferred, at least 0; 0 is the uniform weight.

    Returns
    -------
    weight : Fraction
        Over all classes that the clusters may be given, they sum to at most 1, and to 1
        but for rounding: numbers are rounded down to a ratio.

    Examples
    --------
    >>> from sklearn_pacmdl.languages import balanced_label_weight
    >>> for classes in ([0, 1], [0, 0]):
    ...     print(f"{float(balanced_label_weight([50, 50], classes, 2)):.3f}")
    0.440
    0.060
    """
    sizes = np.asarray(cluster_sizes, dtype=float)
    order = np.argsort(-sizes, kind="stable")
    classes = np.asarray(cluster_classes)[order]
    added = np.zeros((len(sizes), n_classes))
    added[np.arange(len(sizes)), classes] = sizes[order]
    before = added.cumsum(axis=0) - added  # rows that each class has been given so far
    scores = log_softmax(-balance * before * n_classes / sizes.sum(), axis=1)
    nats = -scores[np.arange(len(sizes)), classes].sum()
    return weight_of_length(nats / np.log(2))
