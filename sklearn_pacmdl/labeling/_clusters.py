"""Classes of clusters by majority or nearest cluster, and the table of clusters.

For l classes, the codes are 0..l-1; code -1 is an unlabeled row, and code l is a label
that is none of the classes.
"""

import warnings
from functools import partial

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.metrics import pairwise_distances
from sklearn.pipeline import Pipeline
from sklearn.utils import check_array, gen_batches

from ..columns import ABSTAIN, decode, number_clusters, unique_inverse
from ..estimators import input_tags, is_pairwise, takes_affinities
from ..utils._checks import as_array, warn
from ..utils._random import check_random_state

# Distances that are held at once, of so many rows as fit to all clusters: 32 MB.
_MOST_DISTANCES = 2**22


def check_cluster_labels(labels, n_samples):
    """The result of a clusterer as an array of integers; masked rows are noise."""
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
            "Pass labels that exist already to certify_clusterings."
        )
    return array


def class_counts(clusters, codes, n_clusters, n_classes):
    """Labeled rows of known classes in each cluster, of shape (n_clusters, n_classes)."""
    counted = (codes >= 0) & (codes < n_classes)
    cells = clusters[counted] * n_classes + codes[counted]
    counts = np.bincount(cells, minlength=n_clusters * n_classes)
    return counts.reshape(n_clusters, n_classes)


def majority_classes(counts, random_state):
    """The most common class of each cluster, ties (of no labels, too) at random."""
    random_state = check_random_state(random_state)
    # The largest random number among the most common classes decides.
    largest = counts == counts.max(axis=1, keepdims=True)
    return np.argmax(largest * random_state.uniform(0.5, 1, size=counts.shape), axis=1)


def cluster_distances(estimator, X, clusters):
    """Distances between clusters in the space that their clusterer saw; lower is nearer.

    They are of shape (n_clusters, n_clusters), between the means of the rows. If the
    clusterer takes distances between rows, they are the means of these; if it takes
    affinities, the negative means of the affinities. None if the rows are not numeric,
    such as texts. Steps of a Pipeline before the clusterer are fitted again.
    """
    return _measured(_between, estimator, X, clusters)


def cluster_margins(estimator, X, clusters, classes):
    """Distances to the nearest cluster of another class less that to its own, or None."""
    if len(np.unique(classes)) < 2:
        return None
    return _measured(partial(_margins, clusters, classes), estimator, X, clusters)


def _measured(measure, estimator, X, clusters):
    """Result of a measurement among rows as their clusterer saw them, if possible."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the fit has issued them already
            while isinstance(estimator, Pipeline):  # its memory knows all but the last
                steps = Pipeline([*estimator.steps[:-1], ("rows", "passthrough")])
                X = clone(steps).set_params(memory=estimator.memory).fit_transform(X)
                estimator = estimator[-1]
            tags = input_tags(estimator)
            if tags.string or tags.categorical:  # numbers may be names
                return None
            X = check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32])
            sign = None  # by which entries of a table of pairs become distances
            if is_pairwise(estimator):
                sign = -1 if takes_affinities(estimator) else 1
            if sign == 1 and sp.issparse(X):  # a graph of neighbors lacks most distances
                return None
            sizes, n = np.bincount(clusters), len(clusters)
            places = np.ones(n, dtype=X.dtype), (clusters, np.arange(n))
            members = sp.csr_array(places, (len(sizes), n))
            return measure(X, sizes, members, sign)
    except Exception as error:
        if "read-only" in str(error):
            raise  # the caller may have a copy to write into
        # Whatever a step or a check refuses, there are then no distances to use.
        return None


def _between(X, sizes, members, sign):
    if sign is None:
        return pairwise_distances(sp.diags_array(1 / sizes) @ (members @ X))
    return sign * _dense(members @ X @ members.T) / np.outer(sizes, sizes)


def _margins(clusters, classes, X, sizes, members, sign):
    means = sp.diags_array(1 / sizes) @ (members @ X) if sign is None else None
    margins, own_classes = np.empty(len(clusters)), classes[clusters]
    n_rows = max(_MOST_DISTANCES // len(sizes), 1)
    for batch in gen_batches(len(clusters), n_rows):
        if sign is None:
            distances = pairwise_distances(X[batch], means)
        else:
            distances = sign * _dense(X[batch] @ members.T) / sizes
        to_cluster = np.take_along_axis(distances, clusters[batch, None], axis=1)[:, 0]
        other = classes != own_classes[batch, None]
        margins[batch] = np.where(other, distances, np.inf).min(axis=1) - to_cluster
    return margins


def _dense(table):
    return table.toarray() if sp.issparse(table) else table


def nearest_labeled(classes, labeled, distances):
    """Classes of clusters; one without labels has the class of the nearest labeled one.

    ``labeled`` (n_clusters,) is a mask. ``distances`` is only called if some clusters
    hold labels and some do not. Where nothing is known of distances nothing changes.
    """
    nearest = None if labeled.all() else nearest_others(labeled, distances)
    return classes if nearest is None else np.where(labeled, classes, classes[nearest])


def left_out_names(table, clusters, codes, random_state, distances):
    """Class of each of some labeled rows, by the other labels of its cluster.

    ``table`` (n_clusters, n_classes + 1) counts the labeled rows, those of no class last;
    rows have clusters and codes. Without other labels the nearest cluster names the row.
    """
    cells, cell_of_row = unique_inverse(clusters * table.shape[1] + codes)
    cluster, code = np.divmod(cells, table.shape[1])
    other_labels = table[cluster]
    other_labels[np.arange(len(cells)), code] -= 1
    names = majority_classes(other_labels[:, :-1], random_state)
    alone, named = ~other_labels[:, :-1].any(axis=1), table[:, :-1].any(axis=1)
    nearest = None
    if alone.any() and named.sum() > 1:
        nearest = nearest_others(named, distances)
    if nearest is not None:
        majority = majority_classes(table[:, :-1], random_state)
        names[alone] = majority[nearest[cluster[alone]]]
    return names[cell_of_row]


def nearest_others(labeled, distances):
    """For each cluster the nearest other one that is labeled; the first of several.

    None if ``distances`` returns None instead of a table of distances between clusters,
    or if none is labeled. Without meaning for a labeled cluster that has no other.
    """
    between = distances() if labeled.any() else None
    if between is None:
        return None
    allowed = labeled & ~np.eye(len(labeled), dtype=bool)
    return np.where(allowed, between, np.inf).argmin(axis=1)


def describe_clusters(labels, codes, given, naming, certifying, class_names, distances):
    """Columns of the table of clusters: sizes, labels, classes.

    Rows have clusters, codes (-1 where unlabeled) and ``given`` codes of their clusters.
    Some labeled rows name clusters, and others only certify.
    """
    names, clusters = unique_inverse(labels)
    own = np.empty(len(names), dtype=given.dtype)
    own[clusters] = given
    n_clusters, n_classes = len(names), len(class_names) + 1
    counts, seen = (
        class_counts(clusters[rows], codes[rows], n_clusters, n_classes)
        for rows in (naming, certifying)
    )
    return describe_counted_clusters(
        names=names,
        sizes=np.bincount(clusters),
        n_unlabeled=np.bincount(clusters[codes < 0], minlength=n_clusters),
        own=own,
        counts=counts,
        seen=seen if len(certifying) else None,
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
    named = counts[:, :-1]
    most = named.max(axis=1)
    nearest = np.any(most == 0) and distances() is not None
    # For a cluster that is left out this is meaningless, and the first rule hides it.
    chosen = named[np.arange(n_clusters), own]
    rules = {
        "left out": left_out,
        "nearest labeled cluster" if nearest else "chance": most == 0,
        "learned weights": chosen < most,
        "tie": (named == most[:, None]).sum(axis=1) > 1,
    }
    named_by = np.select([*rules.values()], [*rules], default="majority")
    columns = {
        "cluster": names,
        "size": sizes,
        "n_unlabeled": n_unlabeled,
        "class": decode(own, class_names),
        "named_by": named_by.astype(object),
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


# Share of the unlabeled rows in clusters without a label from which a warning tells of
# them. With few labels, a search of many numbers mostly chooses some such clusters, and
# its bound covers them. Of digits with 400 labels, Ward's 169 clusters have 12% of the
# rows there, and 2% of all rows are wrong.
_MANY = 0.25


def warn_of_blind_names(columns, what="", *, listed_in="clusters_"):
    """Warn if many unlabeled rows are in clusters without a label."""
    blind = np.isin(columns["named_by"], ["nearest labeled cluster", "chance"])
    n_rows = int(columns["n_unlabeled"][blind].sum())
    if n_rows <= _MANY * columns["n_unlabeled"].sum():
        return
    fate = "take the class of the nearest labeled cluster"
    if columns["named_by"][blind][0] == "chance":
        fate = "have a class by chance"
    warn(
        f"{int(blind.sum())} of {len(blind)} clusters, with {n_rows} unlabeled rows, "
        f"hold no {what}label and {fate}. The bound covers these rows. {listed_in} lists "
        "the clusters; a search with a target can leave them out, and fewer clusters or "
        "more labels avoid them."
    )
