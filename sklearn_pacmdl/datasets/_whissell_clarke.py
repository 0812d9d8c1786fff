"""The five synthetic data sets of Whissell and Clarke."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..utils._checks import check_count, check_number, invalid
from ._samples import (
    balls,
    check_box,
    check_max_radius,
    check_numbers,
    check_range,
    check_sizes,
    checked_generator,
    join,
    layout,
    place,
    unit_rows,
)


def make_separated_gaussians(
    n_samples: int | ArrayLike = 3000,
    n_features: int = 5,
    *,
    n_clusters: int = 6,
    center_box: tuple[float, float] = (0.0, 10.0),
    min_distance: float = 4.0,
    max_radius: float = 2.0,
    shuffle: bool = True,
    random_state: np.random.RandomState | int | None = None,
    return_centers: bool = False,
) -> tuple[NDArray[Any], ...]:
    """Generate Gaussian clusters cut to balls, with a minimum distance between means.

    This is 6GAUSS of [1]_, where the balls may touch but do not overlap.

    Parameters
    ----------
    n_samples : int or array-like of shape (n_clusters,), default=3000
        Number of rows, divided equally among clusters, or numbers by cluster.
    n_features : int, default=5
        Number of features.
    n_clusters : int, default=6
        Number of clusters.
    center_box : tuple of float (min, max), default=(0.0, 10.0)
        Range of the means in each feature.
    min_distance : float, default=4.0
        Minimum Euclidean distance between means, at least 0.
    max_radius : float, default=2.0
        Largest Euclidean distance, at least 0 and perhaps infinite, of a row to the mean
        of its cluster, in standard deviations of a feature.
    shuffle : bool, default=True
        Whether the rows are shuffled; otherwise they are ordered by cluster.
    random_state : int, RandomState instance or None, default=None
        Seed of all draws.
    return_centers : bool, default=False
        Whether the centers are returned too.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        Rows, float64.
    y : ndarray of shape (n_samples,)
        Cluster of each row, int64, from 0.
    centers : ndarray of shape (n_clusters, n_features)
        Centers of the clusters. Only if ``return_centers=True``.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described, if no place was found for the centers, or if
        Gaussian rows within ``max_radius`` have no probability in double precision.

    Notes
    -----
    Rows are Gaussian with identity covariance, conditioned on being within
    ``max_radius`` of the mean. Means are drawn one after the other, each uniformly among
    the places that are far enough from the means before it. If one finds no place in 1000
    draws, all are drawn again, at most 20 times.

    References
    ----------
    .. [1] J. S. Whissell and C. L. A. Clarke, "Classification-Based Clustering
           Evaluation", ICDM 2010, Section V-A.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_pacmdl.datasets import make_separated_gaussians
    >>> X, y, centers = make_separated_gaussians(random_state=0, return_centers=True)
    >>> X.shape, np.bincount(y).tolist()
    ((3000, 5), [500, 500, 500, 500, 500, 500])
    >>> bool(np.linalg.norm(X - centers[y], axis=1).max() < 2.001)
    True
    """
    generator = checked_generator(shuffle, random_state, return_centers, n_features)
    sizes, draw = layout(n_samples, n_features, n_clusters, center_box, min_distance)
    check_max_radius(max_radius, n_features)
    centers = draw(generator)
    clusters = balls(centers, sizes, max_radius, generator)
    return join(clusters, shuffle, generator, centers if return_centers else None)


def make_paired_gaussians(
    n_samples: int | ArrayLike = 3000,
    n_features: int = 5,
    *,
    n_pairs: int = 3,
    center_box: tuple[float, float] = (0.0, 20.0),
    pair_distance: tuple[float, float] = (4.0, 8.0),
    min_distance: float = 12.0,
    max_radius: float = 2.0,
    shuffle: bool = True,
    random_state: np.random.RandomState | int | None = None,
    return_centers: bool = False,
) -> tuple[NDArray[Any], ...]:
    """Generate pairs of Gaussian clusters, near each other and far from other pairs.

    This is PAIRED of [1]_. Each cluster is cut to a ball about its mean.

    Parameters
    ----------
    n_samples : int or array-like of shape (2 * n_pairs,), default=3000
        Total number of rows, or the number of rows of each cluster.
    n_features : int, default=5
        Number of features.
    n_pairs : int, default=3
        Number of pairs of clusters.
    center_box : tuple of float (min, max), default=(0.0, 20.0)
        Range of the midpoints of the pairs in each feature.
    pair_distance : tuple of float (min, max), default=(4.0, 8.0)
        Range of the Euclidean distance between the two means of a pair.
    min_distance : float, default=12.0
        Minimum Euclidean distance between means of different pairs, at least 0.
    max_radius : float, default=2.0
        Largest Euclidean distance, at least 0 and perhaps infinite, of a row to the mean
        of its cluster, in standard deviations of a feature.
    shuffle : bool, default=True
        Whether the rows are shuffled; otherwise they are ordered by cluster.
    random_state : int, RandomState instance or None, default=None
        Seed of all draws.
    return_centers : bool, default=False
        Whether the centers are returned too.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        Rows, float64.
    y : ndarray of shape (n_samples,)
        Cluster of each row, int64, from 0; ``y // 2`` is its pair.
    centers : ndarray of shape (2 * n_pairs, n_features)
        Means of the clusters. Only if ``return_centers=True``.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described, if no place was found for the centers, or if
        Gaussian rows within ``max_radius`` have no probability in double precision.

    Notes
    -----
    The two means of a pair lie on opposite sides of its midpoint; their direction is
    uniform, and their distance is uniform on ``pair_distance``. They may leave the box.
    The paper leaves these choices open. Its table agrees with six classes, not three.

    References
    ----------
    .. [1] J. S. Whissell and C. L. A. Clarke, "Classification-Based Clustering
           Evaluation", ICDM 2010, Section V-A and Table I.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_pacmdl.datasets import make_paired_gaussians
    >>> X, y, centers = make_paired_gaussians(random_state=0, return_centers=True)
    >>> X.shape, np.bincount(y).tolist()
    ((3000, 5), [500, 500, 500, 500, 500, 500])
    >>> distances = np.linalg.norm(centers[::2] - centers[1::2], axis=1)
    >>> bool(4 <= distances.min() <= distances.max() <= 8)
    True
    """
    generator = checked_generator(shuffle, random_state, return_centers, n_features)
    check_count("n_pairs", n_pairs, 1)
    sizes = check_sizes(n_samples, 2 * n_pairs)
    distances = check_range("pair_distance", pair_distance, 0.0)
    box = check_box(center_box, n_features, n_pairs, min_distance, distances[1])
    check_max_radius(max_radius, n_features)

    def draw_pair():
        midpoint = generator.uniform(*box, size=n_features)
        direction = unit_rows(generator.normal(size=(1, n_features)))[0]
        half = generator.uniform(*distances) / 2 * direction
        return np.stack([midpoint - half, midpoint + half])

    centers = place(draw_pair, n_pairs, min_distance)
    clusters = balls(centers, sizes, max_radius, generator)
    return join(clusters, shuffle, generator, centers if return_centers else None)


def make_elongated_gaussians(
    n_samples: int | ArrayLike = 1500,
    n_features: int = 5,
    *,
    n_clusters: int = 5,
    center_box: tuple[float, float] = (0.0, 50.0),
    min_distance: float = 5.0,
    stretch: float = 15.0,
    shuffle: bool = True,
    random_state: np.random.RandomState | int | None = None,
    return_centers: bool = False,
) -> tuple[NDArray[Any], ...]:
    """Generate Gaussian clusters, each stretched along a feature of its own.

    This is ELONG of [1]_. Clusters may overlap.

    Parameters
    ----------
    n_samples : int or array-like of shape (n_clusters,), default=1500
        Total number of rows, or the number of rows of each cluster.
    n_features : int, default=5
        Number of features.
    n_clusters : int, default=5
        Number of clusters, at most ``n_features``.
    center_box : tuple of float (min, max), default=(0.0, 50.0)
        Range of the means in each feature.
    min_distance : float, default=5.0
        Minimum Euclidean distance between means, at least 0.
    stretch : float, default=15.0
        Standard deviation of cluster i in feature i, greater than 0; 1 in other features.
    shuffle : bool, default=True
        Whether the rows are shuffled; otherwise they are ordered by cluster.
    random_state : int, RandomState instance or None, default=None
        Seed of all draws.
    return_centers : bool, default=False
        Whether the centers are returned too.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        Rows, float64.
    y : ndarray of shape (n_samples,)
        Cluster of each row, int64, from 0; it is also the feature of the stretch.
    centers : ndarray of shape (n_clusters, n_features)
        Centers of the clusters. Only if ``return_centers=True``.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described, or if no place was found for the centers.

    Notes
    -----
    Rows are stretched about their mean, which stays in the box. The paper could also be
    read as a stretch about zero.

    References
    ----------
    .. [1] J. S. Whissell and C. L. A. Clarke, "Classification-Based Clustering
           Evaluation", ICDM 2010, Section V-A and Table I.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_pacmdl.datasets import make_elongated_gaussians
    >>> X, y = make_elongated_gaussians(random_state=0)
    >>> X.shape, np.bincount(y).tolist()
    ((1500, 5), [300, 300, 300, 300, 300])
    >>> [int(X[y == cluster].std(axis=0).argmax()) for cluster in range(5)]
    [0, 1, 2, 3, 4]
    """
    generator = checked_generator(shuffle, random_state, return_centers, n_features)
    sizes, draw = layout(n_samples, n_features, n_clusters, center_box, min_distance)
    if n_clusters > n_features:
        most = f"at most n_features={n_features}, as each is stretched along one of them"
        raise invalid("n_clusters", most, n_clusters)
    check_number("stretch", stretch, least=0)
    centers = draw(generator)
    clusters = [generator.normal(size=(size, n_features)) for size in sizes]
    for feature, rows in enumerate(clusters):
        rows[:, feature] *= stretch
        rows += centers[feature]
    return join(clusters, shuffle, generator, centers if return_centers else None)


def make_uniform_boxes(
    n_samples: int | ArrayLike = 2400,
    n_features: int = 3,
    *,
    n_clusters: int = 8,
    center_box: tuple[float, float] = (0.0, 10.0),
    side: float = 3.0,
    min_distance: float = 5.0,
    shuffle: bool = True,
    random_state: np.random.RandomState | int | None = None,
    return_centers: bool = False,
) -> tuple[NDArray[Any], ...]:
    """Generate uniform clusters in cubes, with a minimum distance between centers.

    This is UNIFORM of [1]_.

    Parameters
    ----------
    n_samples : int or array-like of shape (n_clusters,), default=2400
        Total number of rows, or the number of rows of each cluster.
    n_features : int, default=3
        Number of features.
    n_clusters : int, default=8
        Number of clusters.
    center_box : tuple of float (min, max), default=(0.0, 10.0)
        Range of the centers in each feature; cubes may exceed it by half a side.
    side : float, default=3.0
        Length of the edges of each cube, parallel to the axes; at least 0.
    min_distance : float, default=5.0
        Minimum Euclidean distance between centers, at least 0.
    shuffle : bool, default=True
        Whether the rows are shuffled; otherwise they are ordered by cluster.
    random_state : int, RandomState instance or None, default=None
        Seed of all draws.
    return_centers : bool, default=False
        Whether the centers are returned too.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        Rows, float64.
    y : ndarray of shape (n_samples,)
        Cluster of each row, int64, from 0.
    centers : ndarray of shape (n_clusters, n_features)
        Centers of the clusters. Only if ``return_centers=True``.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described, or if no place was found for the centers.

    Notes
    -----
    The distance is between centers: cubes may overlap in a corner, with the defaults by
    less than a ten-thousandth of their volume. The paper leaves open whether cubes lie
    within the range of the centers; here they need not.

    References
    ----------
    .. [1] J. S. Whissell and C. L. A. Clarke, "Classification-Based Clustering
           Evaluation", ICDM 2010, Section V-A.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_pacmdl.datasets import make_uniform_boxes
    >>> X, y, centers = make_uniform_boxes(random_state=0, return_centers=True)
    >>> X.shape, np.bincount(y).tolist()
    ((2400, 3), [300, 300, 300, 300, 300, 300, 300, 300])
    >>> bool(np.abs(X - centers[y]).max() <= 1.5)
    True
    """
    generator = checked_generator(shuffle, random_state, return_centers, n_features)
    sizes, draw = layout(n_samples, n_features, n_clusters, center_box, min_distance)
    check_number("side", side, least=0)
    centers = draw(generator)
    clusters = [
        center + generator.uniform(-side / 2, side / 2, size=(size, n_features))
        for center, size in zip(centers, sizes, strict=True)
    ]
    return join(clusters, shuffle, generator, centers if return_centers else None)


def make_rings(
    n_samples: int | ArrayLike = (1200, 400),
    *,
    radii: ArrayLike = (2.0, 1.0),
    noise: float = 0.1,
    shuffle: bool = True,
    random_state: np.random.RandomState | int | None = None,
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Generate concentric rings in the plane, with uniform noise.

    This is RINGS of [1]_.

    Parameters
    ----------
    n_samples : int or array-like of shape (n_rings,), default=(1200, 400)
        Total number of rows, or the number of rows of each ring.
    radii : array-like of shape (n_rings,), default=(2.0, 1.0)
        Radius of each ring about zero, at least 0.
    noise : float, default=0.1
        Maximum noise: a uniform number from 0 to this is added to each coordinate.
    shuffle : bool, default=True
        Whether the rows are shuffled; otherwise they are ordered by ring and angle.
    random_state : int, RandomState instance or None, default=None
        Seed of the noise and of the order.

    Returns
    -------
    X : ndarray of shape (n_samples, 2)
        Rows, float64.
    y : ndarray of shape (n_samples,)
        Ring of each row, int64, from 0.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described.

    Notes
    -----
    Rows are evenly spaced in angle, and the first row of each ring is at angle zero. The
    noise starts at zero, as the paper states it; that it is uniform and drawn for each
    coordinate is left open there.

    References
    ----------
    .. [1] J. S. Whissell and C. L. A. Clarke, "Classification-Based Clustering
           Evaluation", ICDM 2010, Section V-A.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_pacmdl.datasets import make_rings
    >>> X, y = make_rings(random_state=0)
    >>> X.shape, np.bincount(y).tolist()
    ((1600, 2), [1200, 400])
    """
    generator = checked_generator(shuffle, random_state)
    lengths = check_numbers("radii", radii, 1)
    if lengths.min() < 0:
        raise invalid("radii", "numbers of at least 0", radii)
    check_number("noise", noise, least=0)
    clusters = []
    for radius, size in zip(lengths, check_sizes(n_samples, lengths.size), strict=True):
        angles = np.linspace(0, 2 * np.pi, size, endpoint=False)
        ring = radius * np.column_stack([np.cos(angles), np.sin(angles)])
        clusters.append(ring + generator.uniform(0, noise, size=ring.shape))
    return join(clusters, shuffle, generator)
