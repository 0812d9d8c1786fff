"""Weights of the labelings of one clustering: which class each cluster gets."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from scipy.special import log_softmax

from ..utils._checks import check_integer
from ..utils._weights import weight_of_length


def uniform_label_weight(n_clusters: int, n_classes: int) -> Fraction:
    """Weight of any labeling of c clusters if all weigh the same: n_classes ** -c."""
    n_clusters = check_integer("n_clusters", n_clusters, 0)
    return Fraction(1, check_integer("n_classes", n_classes, 1) ** n_clusters)


def balanced_label_weight(
    cluster_sizes: Sequence[int],
    cluster_classes: Sequence[int],
    n_classes: int,
    balance: float = 2.0,
) -> Fraction:
    """Weight of a labeling, larger where the classes share the rows evenly.

    Over all assignments of classes these sum to 1, except that each is rounded down to a
    ratio; a ``balance`` of 0 is the uniform weight.
    """
    # The default balance was measured as half of the weight in "auto": 1 is worse by 0.6
    # points of the bound; 3, 4 and 6 are better by 0.3, 0.5 and 0.7 on average over six
    # data sets, of which five have classes of similar sizes, but 4 and 6 are worse by
    # 0.2 and 0.7 on one of these (benchmarks/bench_constants.py,
    # benchmarks/results/constants.json).
    sizes = np.asarray(cluster_sizes, dtype=float)
    # Clusters are described from the largest to the smallest. Each class has a weight
    # proportional to exp(-balance * share). Its share is the number of rows that earlier
    # clusters have brought it, in units of an even share of the rows, N / l.
    order = np.argsort(-sizes, kind="stable")
    classes = np.asarray(cluster_classes)[order]
    added = np.zeros((len(sizes), n_classes))
    added[np.arange(len(sizes)), classes] = sizes[order]
    before = added.cumsum(axis=0) - added  # rows of each class so far
    scores = log_softmax(-balance * before * n_classes / sizes.sum(), axis=1)
    nats = -scores[np.arange(len(sizes)), classes].sum()
    return weight_of_length(nats / np.log(2))
