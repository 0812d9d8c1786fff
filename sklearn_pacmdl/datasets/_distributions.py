"""Clusters of directions, and Dom's family of distributions of classes and clusters."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..cluster import MAX_CONCENTRATION, sample
from ..utils._checks import (
    InvalidParameterError,
    check_count,
    check_number,
    invalid,
    is_integer,
)
from ._samples import check_numbers, check_sizes, checked_generator, join, unit_rows
from ._whissell_clarke import documented


@documented
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


def dom_joint_distribution(
    n_useful: int,
    n_noise: int,
    useful_error: float,
    noise_share: float,
    n_classes: int = 5,
) -> NDArray[np.float64]:
    """Joint distribution of classes and clusters with two kinds of errors.

    Classes are equally probable. Each class has one or more useful clusters of its own,
    or several classes share one. A part of every class strays to the useful clusters of
    other classes, and another part to noise clusters, which belong to no class.

    Parameters
    ----------
    n_useful : int
        Number of useful clusters, ``|K_u|``, at least 1.
    n_noise : int
        Number of noise clusters, ``|K_n|``, at least 0.
    useful_error : float
        Share of a class in useful clusters of other classes, epsilon_1, in [0, 1]. It is
        taken to be 0 for a class to which all useful clusters belong.
    noise_share : float
        Share of a class in noise clusters, epsilon_2, in [0, 1].
    n_classes : int, default=5
        Number of classes, ``|C|``, at least 1.

    Returns
    -------
    probabilities : ndarray of shape (n_classes, n_useful + n_noise)
        Joint probabilities p(c, k), useful clusters first; they sum to 1.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described, if the shares sum to more than 1, or if
        ``noise_share`` is positive without a noise cluster.

    References
    ----------
    .. [1] B. E. Dom, "An information-theoretic external cluster-validity measure", IBM
           Research Report RJ 10219, 2001, Section 6.1.

    Examples
    --------
    >>> from sklearn_pacmdl.datasets import dom_joint_distribution
    >>> dom_joint_distribution(2, 1, 0.2, 0.1, n_classes=2)
    array([[0.35, 0.1 , 0.05],
           [0.1 , 0.35, 0.05]])
    """
    check_count("n_useful", n_useful, 1)
    check_count("n_noise", n_noise, 0)
    check_count("n_classes", n_classes, 1)
    check_number("useful_error", useful_error, least=0)
    check_number("noise_share", noise_share, least=0)
    if useful_error + noise_share > 1 or (noise_share > 0 and not n_noise):
        raise InvalidParameterError(
            "useful_error and noise_share must sum to at most 1, and noise_share must be "
            f"0 if n_noise is 0, got useful_error={useful_error}, "
            f"noise_share={noise_share}, n_noise={n_noise}."
        )
    p = np.zeros((n_classes, n_useful + n_noise))
    for c, useful in enumerate(_useful_clusters(n_useful, n_classes)):
        foreign = np.setdiff1d(np.arange(n_useful), useful)
        strayed = useful_error if foreign.size else 0.0
        p[c, useful] = (1 - strayed - noise_share) / len(useful)
        p[c, foreign] = strayed / max(foreign.size, 1)
        p[c, n_useful:] = noise_share / max(n_noise, 1)
    return p / n_classes


def _useful_clusters(n_useful, n_classes):
    """Useful clusters of each class; classes share them where there are fewer."""
    # In groups whose sizes differ by at most 1, the larger ones first.
    if n_useful >= n_classes:
        return np.array_split(np.arange(n_useful), n_classes)
    groups = np.array_split(np.arange(n_classes), n_useful)
    return [[k] for k, classes in enumerate(groups) for _ in classes]
