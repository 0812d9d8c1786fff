"""Classes of clusters by majority, and the table of clusters that says where from.

For l classes, the codes are 0..l-1; code -1 is an unlabeled row, and code l is a label
that is none of the classes.
"""

import warnings

import numpy as np

from ..utils._checks import as_array
from ..utils._cluster_names import number_clusters
from ..utils._labels import ABSTAIN, decode
from ..utils._random import check_random_state


def check_cluster_labels(labels, n_samples):
    """What a clusterer returned as an array, which must have an integer per row.

    Masked rows are noise, as missing ones are in labelings from elsewhere.
    """
    if isinstance(labels, np.ma.MaskedArray):
        labels = number_clusters(labels, "labels").labels
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


def describe_clusters(labels, codes, given, naming, certifying, class_names, distances):
    """Columns of the table of clusters: sizes, labels, classes.

    Rows have clusters, codes (-1 where unlabeled) and ``given`` codes of their clusters;
    of the labeled rows, indices of those that name clusters and of those that only
    certify.
    """
    names, first, clusters = np.unique(labels, return_index=True, return_inverse=True)
    n_clusters, n_classes = len(names), len(class_names)

    def table(rows):
        return class_counts(clusters[rows], codes[rows], n_clusters, n_classes + 1)

    return describe_counted_clusters(
        names=names,
        sizes=np.bincount(clusters),
        n_unlabeled=np.bincount(clusters[codes < 0], minlength=n_clusters),
        own=given[first],
        counts=table(naming),
        seen=table(certifying) if len(certifying) else None,
        class_names=class_names,
        distances=distances,
    )


def describe_counted_clusters(
    names, sizes, n_unlabeled, own, counts, seen, class_names, distances
):
    """The same from counts.

    ``own`` are codes of the clusters, or ABSTAIN, and ``seen`` the counts (n_clusters,
    n_classes + 1) of rows that only certify; None if there are none.
    """
    n_clusters = len(names)
    labeled = counts.sum(axis=1)
    left_out = own == ABSTAIN
    right = np.where(left_out, 0, counts[np.arange(n_clusters), own])
    with np.errstate(invalid="ignore"):
        purity = np.where(left_out, np.nan, right / labeled)
    columns = {
        "cluster": names,
        "size": sizes,
        "n_unlabeled": n_unlabeled,
        "class": decode(own, class_names),
        "named_by": _named_by(counts[:, :-1], own, distances),
        "n_labels": labeled,
        "purity": purity,
    }
    for name, column in zip(class_names.tolist(), counts.T, strict=False):
        columns[f"n_labels_{name}"] = column
    if seen is not None:
        columns["n_certifying"] = seen.sum(axis=1)
        right = np.where(left_out, 0, seen[np.arange(n_clusters), own])
        columns["n_certifying_errors"] = np.where(left_out, 0, seen.sum(axis=1) - right)
    return columns


def _named_by(counts, own, distances):
    """What gave each cluster its class, in words."""
    most = counts.max(axis=1)
    nearest = np.any(most == 0) and distances() is not None
    # For a cluster that is left out this is meaningless, and the first rule hides it.
    chosen = counts[np.arange(len(own)), own]
    rules = {
        "left out": own == ABSTAIN,
        "nearest labeled cluster" if nearest else "chance": most == 0,
        "learned weights": chosen < most,
        "tie": (counts == most[:, None]).sum(axis=1) > 1,
    }
    return np.select([*rules.values()], [*rules], default="majority").astype(object)


def warn_of_blind_names(columns, what="", *, listed_in="clusters_", stacklevel):
    """Warn of clusters without labels, with the number of their unlabeled rows."""
    blind = np.isin(columns["named_by"], ["nearest labeled cluster", "chance"])
    n_rows = int(columns["n_unlabeled"][blind].sum())
    if not n_rows:
        return
    fate = "take the class of the nearest labeled cluster"
    if columns["named_by"][blind][0] == "chance":
        fate = "have a class by chance"
    warnings.warn(
        f"{int(blind.sum())} of {len(blind)} clusters, with {n_rows} unlabeled rows, "
        f"hold no {what}label and {fate}. The bound covers these rows. {listed_in} lists "
        "the clusters; a search with a target can leave them out, and fewer clusters or "
        "more labels avoid them.",
        stacklevel=stacklevel + 1,
    )
