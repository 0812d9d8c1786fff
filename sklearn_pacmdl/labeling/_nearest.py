"""Classes for clusters without labels: those of the nearest labeled clusters."""

import warnings

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.metrics import pairwise_distances
from sklearn.pipeline import Pipeline
from sklearn.utils import check_array, gen_batches

from ..utils._checks import as_array, invalid, shown
from ..utils._sklearn import input_tags, is_pairwise, num_samples, takes_affinities

# Distances that are held at once, of so many rows as fit to all clusters: 32 MB.
_MOST_DISTANCES = 2**22


def cluster_distances(estimator, X, clusters):
    """Compute the distances between clusters in the space that their clusterer saw.

    These are the distances between the means of the rows. If the clusterer takes
    distances between rows, they are the means of these distances; if it takes affinities,
    the negative means of the affinities.

    Parameters
    ----------
    estimator : estimator
        The clusterer, fitted or not. The steps of a Pipeline before it are fitted again.
    X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
        The data that the clusterer was fitted to.
    clusters : ndarray of shape (n_samples,) of int
        Cluster of each row, in 0..n_clusters-1.

    Returns
    -------
    distances : ndarray of shape (n_clusters, n_clusters) or None
        Lower is nearer. None if the rows are not numeric, such as texts.

    Raises
    ------
    ValueError, TypeError
        If ``estimator`` is no clusterer, or ``clusters`` does not number the clusters of
        the rows.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.cluster import KMeans
    >>> from sklearn_pacmdl.labeling import cluster_distances
    >>> X = np.array([[0.0], [2.0], [5.0], [5.0]])
    >>> cluster_distances(KMeans(2), X, np.array([0, 0, 1, 1]))
    array([[0., 4.],
           [4., 0.]])
    """
    _check_clusterer(estimator)
    numbers = as_array("clusters", clusters)
    whole = numbers.dtype.kind in "iu" and numbers.min(initial=0) >= 0
    if not whole or numbers.shape != (num_samples(X),):
        allowed = f"integers from 0, one for each row of X={shown(X)}"
        raise invalid("clusters", allowed, clusters)
    return _measured(_between, estimator, X, numbers)


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
            clusterer, rows = rows_as_clustered(estimator, X)
            return measure(clusterer, rows, *args)
    except Exception as error:
        if "read-only" in str(error):
            raise  # the caller may have a copy to write into
        # Whatever a step or a check refuses, there are then no distances to use.
        return None


def rows_as_clustered(estimator, X):
    """Return the clusterer at the end of a Pipeline, and the rows as it sees them.

    Parameters
    ----------
    estimator : estimator
        A clusterer or Pipeline, fitted or not. The steps of a Pipeline are fitted again.
    X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
        The data that the estimator takes.

    Returns
    -------
    clusterer : estimator
        The last step, or the estimator itself.
    X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_transformed)
        The rows as transformed by the steps before it, or the rows themselves.

    Raises
    ------
    ValueError
        If ``estimator`` is no clusterer.

    Examples
    --------
    >>> from sklearn.cluster import KMeans
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from sklearn_pacmdl.labeling import rows_as_clustered
    >>> clusterer, X = rows_as_clustered(
    ...     make_pipeline(StandardScaler(), KMeans(2)), [[1.0], [3.0]]
    ... )
    >>> clusterer, X.tolist()
    (KMeans(n_clusters=2), [[-1.0], [1.0]])
    """
    _check_clusterer(estimator)
    while isinstance(estimator, Pipeline):
        steps, estimator = estimator[:-1], estimator[-1]
        X = clone(steps).fit_transform(X) if len(steps) else X
    return estimator, X


def _check_clusterer(estimator):
    fits = any(hasattr(estimator, method) for method in ("fit", "fit_predict"))
    if isinstance(estimator, type) or not fits:
        raise invalid(
            "estimator", "a clusterer, or a Pipeline that ends in one", estimator
        )


def _between(estimator, X, clusters):
    X = _as_numbers(estimator, X)
    if X is None:
        return None
    sizes, members = _members(X, clusters)
    if not is_pairwise(estimator):
        return pairwise_distances(_means(X, sizes, members))
    sums = members @ X @ members.T
    return _sign(estimator) * _dense(sums) / np.outer(sizes, sizes)


def _margins(estimator, X, clusters, classes):
    X = _as_numbers(estimator, X)
    if X is None:
        return None
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
    """The rows if they can be measured, else None."""
    tags = input_tags(estimator)
    if tags.string or tags.categorical:
        return None  # numbers may be names
    X = check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32])
    if is_pairwise(estimator) and sp.issparse(X) and _sign(estimator) == 1:
        return None  # a graph of neighbors, which lacks most distances
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
    """Give clusters without labels the class of the nearest cluster with labels.

    Parameters
    ----------
    classes : ndarray of shape (n_clusters,) of int
        Class of each cluster.
    labeled : ndarray of shape (n_clusters,) of bool
        Which clusters hold labels.
    distances : callable
        Returns the distances between clusters, of shape (n_clusters, n_clusters), or
        None; lower is nearer. It is called only if some clusters hold labels and some do
        not. Among equally near clusters the first is taken.

    Returns
    -------
    classes : ndarray of shape (n_clusters,) of int
        Class of each cluster. Those of labeled clusters are unchanged, and so are all
        others if there are no distances.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_pacmdl.labeling import nearest_labeled
    >>> distances = np.array([[0, 1, 2], [1, 0, 5], [2, 5, 0]])
    >>> labeled = np.array([False, True, True])
    >>> nearest_labeled(np.array([9, 4, 7]), labeled, lambda: distances)
    array([4, 4, 7])
    """
    argument, classes = classes, as_array("classes", classes)
    if classes.ndim != 1:
        raise invalid("classes", "1-dimensional", argument)
    mask, labeled = labeled, as_array("labeled", labeled)
    if labeled.dtype != bool or labeled.shape != classes.shape:
        raise invalid("labeled", f"a mask of {len(classes)} clusters", mask)
    if not callable(distances):
        raise invalid("distances", "callable", distances)
    if labeled.all() or not labeled.any():
        return classes
    between = distances()
    if between is None:
        return classes
    between = as_array("distances", between)
    if between.shape != (len(classes), len(classes)):
        allowed = f"a function that returns None or a table of {len(classes)} clusters"
        raise invalid("distances", allowed, between)
    nearest = np.flatnonzero(labeled)[between[:, labeled].argmin(axis=1)]
    return np.where(labeled, classes, classes[nearest])
