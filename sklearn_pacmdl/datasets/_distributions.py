"""Clusters of directions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..cluster import MAX_CONCENTRATION, sample
from ..utils._checks import check_count, invalid, is_integer
from ._samples import check_numbers, check_sizes, checked_generator, join, unit_rows


def make_vmf_blobs(
    n_samples: int | ArrayLike = 100,
    n_features: int = 3,
    *,
    centers: int | ArrayLike | None = None,
    concentration: float | ArrayLike = 50.0,
    shuffle: bool = True,
    random_state: np.random.RandomState | int | None = None,
    return_centers: bool = False,
) -> tuple[NDArray[Any], ...]:
    """Generate clusters of unit vectors from von Mises-Fisher distributions.

    Parameters
    ----------
    n_samples : int or array-like of shape (n_centers,), default=100
        Total number of rows, or the number of rows of each cluster.
    n_features : int, default=3
        Number of features, at least 2; ignored if ``centers`` is an array.
    centers : int or array-like of shape (n_centers, n_features), default=None
        Mean directions, of any positive length, or the number of mean directions to draw
        uniformly on the sphere. None is 3, or the number of entries of ``n_samples``.
    concentration : float or array-like of shape (n_centers,), default=50.0
        Concentration of the clusters about their mean directions, in [0, 1e9]. With 0,
        rows are uniform on the sphere.
    shuffle : bool, default=True
        Whether the rows are shuffled; otherwise they are ordered by cluster.
    random_state : int, RandomState instance or None, default=None
        Seed of all draws.
    return_centers : bool, default=False
        Whether the centers are returned too.

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
    ValueError, TypeError
        If a parameter is not as described, or if numbers of entries disagree.

    Notes
    -----
    With d features and a concentration kappa far below d, the mean of the rows of a
    cluster has a length of about kappa/d, and clusters overlap.

    References
    ----------
    .. [1] K. V. Mardia and P. E. Jupp, "Directional Statistics", 2000, Section 9.3.2.
    .. [2] A. T. A. Wood, "Simulation of the von Mises Fisher distribution",
           Communications in Statistics - Simulation and Computation, 1994.

    Examples
    --------
    >>> from sklearn_pacmdl.datasets import make_vmf_blobs
    >>> X, y = make_vmf_blobs(6, centers=[[1, 0, 0], [0, 0, 1]], random_state=0)
    >>> y.tolist(), (X**2).sum(axis=1).round(12).tolist()
    ([1, 1, 0, 0, 0, 1], [1.0, 1.0, 1.0, 1.0, 1.0, 1.0])
    """
    generator = checked_generator(shuffle, random_state, return_centers)
    if centers is None:
        centers = max(len(n_samples), 1) if np.iterable(n_samples) else 3
    directions = None
    if is_integer(centers):
        n_centers = check_count("centers", centers, 1)
        check_count("n_features", n_features, 2)
    else:
        directions = check_numbers("centers", centers, 2)
        n_centers, largest = len(directions), np.abs(directions).max(axis=1)
        if directions.shape[1] < 2 or not np.all(largest):
            allowed = "rows of at least 2 features that are not zero"
            raise invalid("centers", allowed, directions)
        # Squares of very long or very short directions leave the range of floats.
        directions = unit_rows(directions / largest[:, None])
    kappa = _check_concentration(concentration, n_centers)
    sizes = check_sizes(n_samples, n_centers)
    if directions is None:
        directions = unit_rows(generator.normal(size=(n_centers, n_features)))
    clusters = [
        sample(direction, k, size, generator)
        for direction, k, size in zip(directions, kappa, sizes, strict=True)
    ]
    return join(clusters, shuffle, generator, directions if return_centers else None)


def _check_concentration(concentration, n_centers):
    kappa = check_numbers("concentration", concentration, 0, 1)
    in_range = 0 <= kappa.min() <= kappa.max() <= MAX_CONCENTRATION
    if kappa.shape not in ((), (n_centers,)) or not in_range:
        allowed = f"one number, or one for each of {n_centers} centers, in [0, "
        raise invalid("concentration", f"{allowed}{MAX_CONCENTRATION:g}]", concentration)
    return np.broadcast_to(kappa, n_centers)
