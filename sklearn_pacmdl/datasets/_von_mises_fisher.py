"""Clusters of directions."""

import numpy as np
from sklearn.utils import check_random_state

from ..utils._checks import is_integer, shown
from ..utils._von_mises_fisher import MAX_CONCENTRATION, sample
from ._samples import check_integer, check_numbers, check_sizes, join, unit_rows


def make_vmf_blobs(
    n_samples=100,
    n_features=3,
    *,
    centers=None,
    concentration=50.0,
    weights=None,
    shuffle=True,
    random_state=None,
    return_centers=False,
):
    """Generate clusters of unit vectors, each of a von Mises-Fisher distribution.

    Parameters
    ----------
    n_samples : int or array-like of shape (n_centers,), default=100
        Number of rows in all, or in each cluster.
    n_features : int, default=3
        Number of features, 2 or more; ignored where the centers are given.
    centers : int or array-like of shape (n_centers, n_features), default=None
        Number of mean directions to draw, uniformly on the sphere, or the directions,
        of any positive length. None is 3, or as many as ``n_samples`` has entries.
    concentration : float or array-like of shape (n_centers,), default=50.0
        Concentration of the clusters about their mean direction, in [0, 1e9]: 0 is
        uniform on the sphere.
    weights : array-like of shape (n_centers,), default=None
        Probability of each cluster, for an integer ``n_samples``: the cluster of each
        row is drawn. None divides the rows equally, as
        :func:`sklearn.datasets.make_blobs` does.
    shuffle : bool, default=True
        Whether the rows are shuffled; otherwise they are ordered by cluster.
    random_state : int, RandomState instance or None, default=None
        Seed of all draws.
    return_centers : bool, default=False
        Whether the mean directions are returned too.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        Rows of Euclidean length 1, float64.
    y : ndarray of shape (n_samples,)
        Cluster of each row, int64, from 0.
    centers : ndarray of shape (n_centers, n_features)
        Mean directions, of length 1. Only if ``return_centers=True``.

    Raises
    ------
    TypeError
        If a number or an array of numbers is expected and something else is given.
    ValueError
        If there are fewer than 2 features, a center is zero, a concentration is out of
        range, weights are not probabilities or come with several ``n_samples``, or
        lengths disagree.

    See Also
    --------
    make_separated_gaussians : Gaussian clusters that do not overlap.
    sklearn.datasets.make_blobs : Gaussian clusters.

    Notes
    -----
    For d features and a concentration of kappa far below d the mean of a cluster has
    length about kappa/d, and clusters overlap: let the concentration grow with the
    number of features.

    References
    ----------
    .. [1] K. V. Mardia and P. E. Jupp, "Directional Statistics", 2000, Section 9.3.2.
    .. [2] A. T. A. Wood, "Simulation of the von Mises Fisher distribution",
           Communications in Statistics - Simulation and Computation, 1994.

    Examples
    --------
    >>> from sklearn_pacmdl.datasets import make_vmf_blobs
    >>> X, y = make_vmf_blobs(6, centers=[[1, 0, 0], [0, 0, 1]], random_state=0)
    >>> X.shape
    (6, 3)
    >>> y.tolist()
    [1, 1, 0, 0, 0, 1]
    >>> (X**2).sum(axis=1).round(12).tolist()
    [1.0, 1.0, 1.0, 1.0, 1.0, 1.0]
    """
    generator = check_random_state(random_state)
    if centers is None:
        centers = 3 if is_integer(n_samples) else max(np.size(n_samples), 1)
    if is_integer(centers):
        check_integer("centers", centers, 1)
        check_integer("n_features", n_features, 2)
        n_centers = centers
    else:
        centers = _check_directions(centers)
        n_centers = len(centers)
    kappa = _check_concentration(concentration, n_centers)
    sizes = check_sizes(n_samples, n_centers)
    if weights is not None:
        weights = _check_weights(weights, n_samples, n_centers)
        sizes = generator.multinomial(n_samples, weights)
    if is_integer(centers):
        centers = unit_rows(generator.normal(size=(n_centers, n_features)))
    clusters = [
        sample(center, k, size, generator)
        for center, k, size in zip(centers, kappa, sizes, strict=True)
    ]
    X, y = join(clusters, shuffle, generator)
    return (X, y, centers) if return_centers else (X, y)


def _check_directions(centers):
    centers = check_numbers("centers", centers, 2)
    if centers.shape[1] < 2:
        raise ValueError(
            f"centers must have 2 features or more, got shape {centers.shape}."
        )
    largest = np.abs(centers).max(axis=1, keepdims=True)
    if not np.all(largest):
        row = int(np.argmin(largest))
        raise ValueError(f"centers must not be zero, got zero in row {row}.")
    # Squares of very long or very short directions leave the range of floats.
    return unit_rows(centers / largest)


def _check_concentration(concentration, n_centers):
    kappa = check_numbers("concentration", concentration, 0, 1)
    if kappa.ndim == 1 and kappa.size != n_centers:
        raise ValueError(
            f"concentration must be one number, or one for each of {n_centers} centers, "
            f"got {kappa.size}."
        )
    if kappa.min() < 0 or kappa.max() > MAX_CONCENTRATION:
        raise ValueError(
            f"concentration must be in [0, {MAX_CONCENTRATION:g}], got "
            f"{shown(concentration)}."
        )
    return np.broadcast_to(kappa, n_centers)


def _check_weights(weights, n_samples, n_centers):
    if not is_integer(n_samples):
        raise ValueError(
            f"weights must be None where n_samples gives the size of each cluster, got "
            f"{weights!r}."
        )
    weights = check_numbers("weights", weights, 1)
    if weights.size != n_centers:
        raise ValueError(
            f"weights must have one entry for each of {n_centers} centers, got "
            f"{weights.size}."
        )
    if weights.min() < 0 or not np.isclose(weights.sum(), 1):
        raise ValueError(
            f"weights must be 0 or more and sum to 1, got {shown(weights.tolist())}."
        )
    return weights / weights.sum()
