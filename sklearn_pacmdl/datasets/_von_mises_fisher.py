"""Clusters of directions."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..utils._checks import (
    InvalidParameterError,
    check_count,
    check_flag,
    invalid,
    is_integer,
    shown,
)
from ..utils._random import check_random_state
from ..utils._von_mises_fisher import MAX_CONCENTRATION, sample
from ._samples import check_numbers, check_sizes, join, unit_rows
from ._whissell_clarke import documented


@documented
def make_vmf_blobs(
    n_samples: int | ArrayLike = 100,
    n_features: int = 3,
    *,
    centers: int | ArrayLike | None = None,
    concentration: float | ArrayLike = 50.0,
    weights: ArrayLike | None = None,
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
    weights : array-like of shape (n_centers,), default=None
        Probability of each cluster, with which the cluster of each row is drawn; only
        for an integer ``n_samples``. None divides the rows equally, as
        :func:`sklearn.datasets.make_blobs` does.
    {shuffle}
    {random_state}
    {return_centers}

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        Rows of Euclidean length 1, float64.
    {y}
    centers : ndarray of shape (n_centers, n_features)
        Mean directions, of length 1. Only if ``return_centers=True``.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described, or if numbers of entries disagree.

    See Also
    --------
    make_separated_gaussians : Gaussian clusters that do not overlap.
    sklearn.datasets.make_blobs : Gaussian clusters.

    Notes
    -----
    With d features and a concentration kappa far below d, the mean of the rows of a
    cluster has a length of about kappa/d, and clusters overlap. To keep them apart, let
    the concentration grow with the number of features.

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
    check_flag("shuffle", shuffle)
    check_flag("return_centers", return_centers)
    generator = check_random_state(random_state)
    if centers is None:
        centers = max(len(n_samples), 1) if np.iterable(n_samples) else 3
    directions = None
    if is_integer(centers):
        n_centers = check_count("centers", centers, 1)
        check_count("n_features", n_features, 2)
    else:
        directions = _check_directions(centers)
        n_centers = len(directions)
    kappa = _check_concentration(concentration, n_centers)
    sizes = check_sizes(n_samples, n_centers)
    if weights is not None:
        shares = _check_weights(weights, n_samples, n_centers)
        sizes = generator.multinomial(int(sizes.sum()), shares)
    if directions is None:
        directions = unit_rows(generator.normal(size=(n_centers, n_features)))
    clusters = [
        sample(direction, k, size, generator)
        for direction, k, size in zip(directions, kappa, sizes, strict=True)
    ]
    return join(clusters, shuffle, generator, directions if return_centers else None)


def _check_directions(centers):
    centers = check_numbers("centers", centers, 2)
    largest = np.abs(centers).max(axis=1, keepdims=True)
    if centers.shape[1] < 2 or not np.all(largest):
        raise invalid("centers", "rows of at least 2 features that are not zero", centers)
    # Squares of very long or very short directions leave the range of floats.
    return unit_rows(centers / largest)


def _check_concentration(concentration, n_centers):
    kappa = check_numbers("concentration", concentration, 0, 1)
    in_range = 0 <= kappa.min() <= kappa.max() <= MAX_CONCENTRATION
    if kappa.shape not in ((), (n_centers,)) or not in_range:
        allowed = f"one number, or one for each of {n_centers} centers, in [0, "
        raise invalid("concentration", f"{allowed}{MAX_CONCENTRATION:g}]", concentration)
    return np.broadcast_to(kappa, n_centers)


def _check_weights(weights, n_samples, n_centers):
    if not is_integer(n_samples):
        raise InvalidParameterError(
            "weights must be None if n_samples is the size of each cluster, got "
            f"n_samples={shown(n_samples)}."
        )
    values = check_numbers("weights", weights, 1)
    is_probability = values.min() >= 0 and np.isclose(values.sum(), 1)
    if values.size != n_centers or not is_probability:
        allowed = f"a probability for each of {n_centers} centers, with a sum of 1"
        raise invalid("weights", allowed, weights)
    return values / values.sum()
