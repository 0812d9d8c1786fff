"""Classes for clusters without labels: those of the nearest labeled clusters."""

import warnings

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.metrics import pairwise_distances
from sklearn.pipeline import Pipeline
from sklearn.utils import check_array, gen_batches

from ..utils._sklearn import input_tags, is_pairwise, takes_affinities
from ._clusters import majority_classes

# Distances that are held at once, of so many rows as fit to all clusters: 32 MB.
_MOST_DISTANCES = 2**22


def cluster_distances(estimator, X, clusters):
    """Distances between clusters in the space that their clusterer saw; lower is nearer.

    They are of shape (n_clusters, n_clusters), between the means of the rows. If the
    clusterer takes distances between rows, they are the means of these; if it takes
    affinities, the negative means of the affinities. None if the rows are not numeric,
    such as texts. Steps of a Pipeline before the clusterer are fitted again.
    """
    return _measured(_between, estimator, X, clusters)


def cluster_margins(estimator, X, clusters, classes):
    """Distance of each row to the nearest cluster of another class, less that to its own.

    None if there are no distances, as of :func:`cluster_distances`, or no other classes.
    """
    if len(np.unique(classes)) < 2:
        return None
    return _measured(_margins, estimator, X, clusters, classes)


def _measured(measure, estimator, X, *args):
    """Result of a measurement among rows as their clusterer saw them, if possible."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the fit has issued them already
            while isinstance(estimator, Pipeline):  # its steps are fitted again
                steps, estimator = estimator[:-1], estimator[-1]
                X = clone(steps).fit_transform(X) if len(steps) else X
            return measure(estimator, X, *args)
    except Exception as error:
        if "read-only" in str(error):
            raise  # the caller may have a copy to write into
        # Whatever a step or a check refuses, there are then no distances to use.
        return None


def _between(estimator, X, clusters):
    X = _as_numbers(estimator, X)
    sizes, members = _members(X, clusters)
    if not is_pairwise(estimator):
        return pairwise_distances(_means(X, sizes, members))
    sums = _dense(members @ X @ members.T)
    return _sign(estimator) * sums / np.outer(sizes, sizes)


def _margins(estimator, X, clusters, classes):
    X = _as_numbers(estimator, X)
    sizes, members = _members(X, clusters)
    pairs = is_pairwise(estimator)
    means = None if pairs else _means(X, sizes, members)
    margins, own_classes = np.empty(len(clusters)), classes[clusters]
    n_rows = max(_MOST_DISTANCES // len(sizes), 1)
    for batch in gen_batches(len(clusters), n_rows):
        if pairs:
            distances = _sign(estimator) * _dense(X[batch] @ members.T) / sizes
        else:
            distances = pairwise_distances(X[batch], means)
        to_cluster = np.take_along_axis(distances, clusters[batch, None], axis=1)[:, 0]
        other = classes != own_classes[batch, None]
        margins[batch] = np.where(other, distances, np.inf).min(axis=1) - to_cluster
    return margins


def _as_numbers(estimator, X):
    """The rows; an error, after which there are no distances, if they are no numbers."""
    tags = input_tags(estimator)
    if tags.string or tags.categorical:
        raise TypeError("numbers may be names")
    X = check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32])
    if is_pairwise(estimator) and sp.issparse(X) and _sign(estimator) == 1:
        raise TypeError("a graph of neighbors lacks most distances")
    return X


def _sign(estimator):
    """By which entries of a table of pairs become distances."""
    return -1 if takes_affinities(estimator) else 1


def _members(X, clusters):
    """Sizes of clusters, and which rows are in each as a matrix of ones."""
    sizes, n = np.bincount(clusters), len(clusters)
    ones = np.ones(n, dtype=X.dtype)
    return sizes, sp.csr_array((ones, (clusters, np.arange(n))), (len(sizes), n))


def _means(X, sizes, members):
    return sp.diags_array(1 / sizes) @ (members @ X)


def _dense(table):
    return table.toarray() if sp.issparse(table) else table


def nearest_labeled(classes, labeled, distances):
    """Classes of clusters, where those without labels have that of the nearest with some.

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
    cells, cell_of_row = np.unique(clusters * table.shape[1] + codes, return_inverse=True)
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
