"""The five synthetic data sets of Whissell and Clarke."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import cdist
from scipy.special import gammainc, gammaincinv

from ._samples import check_sizes, checked_generator, join, unit_rows

# Largest distance of Gaussian rows to their mean, in standard deviations of a feature.
_RADIUS = 2.0
# Draws for one center before all are drawn again; most often the first are enough.
_TRIES = 1000


def make_separated_gaussians(
    n_samples: int | ArrayLike = 3000,
    *,
    shuffle: bool = True,
    random_state: np.random.RandomState | int | None = None,
    return_centers: bool = False,
) -> tuple[NDArray[Any], ...]:
    """Generate six Gaussian clusters cut to balls that do not overlap.

    This is 6GAUSS of [1]_, in five features. Means are at least 4 apart, and at random
    places from 0 to 10 in each feature.

    Parameters
    ----------
    n_samples : int or array-like of shape (6,), default=3000
        Number of rows, divided equally among clusters, or numbers by cluster.
    shuffle : bool, default=True
        Whether the rows are shuffled; otherwise they are ordered by cluster.
    random_state : int, RandomState instance or None, default=None
        Seed of all draws.
    return_centers : bool, default=False
        Whether the centers are returned too.

    Returns
    -------
    X : ndarray of shape (n_samples, 5)
        Rows, float64.
    y : ndarray of shape (n_samples,)
        Cluster of each row, int64, from 0.
    centers : ndarray of shape (6, 5)
        Centers of the clusters. Only if ``return_centers=True``.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described.

    Notes
    -----
    Rows are Gaussian with identity covariance, conditioned on being within 2 of the mean.
    Means are drawn one after the other, each uniformly among the places that are far
    enough from the means before it.

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
    generator = checked_generator(shuffle, random_state, return_centers)
    sizes = check_sizes(n_samples, 6)
    centers = _place(lambda: generator.uniform(0.0, 10.0, (1, 5)), 6, 4.0)
    clusters = _balls(centers, sizes, generator)
    return join(clusters, shuffle, generator, centers if return_centers else None)


def make_paired_gaussians(
    n_samples: int | ArrayLike = 3000,
    *,
    shuffle: bool = True,
    random_state: np.random.RandomState | int | None = None,
    return_centers: bool = False,
) -> tuple[NDArray[Any], ...]:
    """Generate three pairs of Gaussian clusters, far from other pairs.

    This is PAIRED of [1]_, in five features. Means of a pair are 4 to 8 apart, those of
    different pairs at least 12. Each cluster is cut to a ball of radius 2 about its mean.

    Parameters
    ----------
    n_samples : int or array-like of shape (6,), default=3000
        Number of rows, divided equally among clusters, or numbers by cluster.
    shuffle : bool, default=True
        Whether the rows are shuffled; otherwise they are ordered by cluster.
    random_state : int, RandomState instance or None, default=None
        Seed of all draws.
    return_centers : bool, default=False
        Whether the centers are returned too.

    Returns
    -------
    X : ndarray of shape (n_samples, 5)
        Rows, float64.
    y : ndarray of shape (n_samples,)
        Cluster of each row, int64, from 0; ``y // 2`` is its pair.
    centers : ndarray of shape (6, 5)
        Centers of the clusters. Only if ``return_centers=True``.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described.

    Notes
    -----
    The two means of a pair lie on opposite sides of its midpoint, which is at a random
    place from 0 to 20 in each feature; their direction and their distance are uniform.
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
    generator = checked_generator(shuffle, random_state, return_centers)
    sizes = check_sizes(n_samples, 6)

    def draw_pair():
        midpoint = generator.uniform(0.0, 20.0, size=5)
        direction = unit_rows(generator.normal(size=(1, 5)))[0]
        half = generator.uniform(4.0, 8.0) / 2 * direction
        return np.stack([midpoint - half, midpoint + half])

    centers = _place(draw_pair, 3, 12.0)
    clusters = _balls(centers, sizes, generator)
    return join(clusters, shuffle, generator, centers if return_centers else None)


def make_elongated_gaussians(
    n_samples: int | ArrayLike = 1500,
    *,
    shuffle: bool = True,
    random_state: np.random.RandomState | int | None = None,
    return_centers: bool = False,
) -> tuple[NDArray[Any], ...]:
    """Generate five Gaussian clusters, each stretched along a feature of its own.

    This is ELONG of [1]_, in five features. The standard deviation of cluster i is 15 in
    feature i, 1 in the others; clusters may overlap. Means are at least 5 apart, and at
    random places from 0 to 50 in each feature.

    Parameters
    ----------
    n_samples : int or array-like of shape (5,), default=1500
        Number of rows, divided equally among clusters, or numbers by cluster.
    shuffle : bool, default=True
        Whether the rows are shuffled; otherwise they are ordered by cluster.
    random_state : int, RandomState instance or None, default=None
        Seed of all draws.
    return_centers : bool, default=False
        Whether the centers are returned too.

    Returns
    -------
    X : ndarray of shape (n_samples, 5)
        Rows, float64.
    y : ndarray of shape (n_samples,)
        Cluster of each row, int64, from 0; it is also the feature of the stretch.
    centers : ndarray of shape (5, 5)
        Centers of the clusters. Only if ``return_centers=True``.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described.

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
    generator = checked_generator(shuffle, random_state, return_centers)
    sizes = check_sizes(n_samples, 5)
    centers = _place(lambda: generator.uniform(0.0, 50.0, (1, 5)), 5, 5.0)
    clusters = [generator.normal(size=(size, 5)) for size in sizes]
    for feature, rows in enumerate(clusters):
        rows[:, feature] *= 15.0
        rows += centers[feature]
    return join(clusters, shuffle, generator, centers if return_centers else None)


def make_uniform_boxes(
    n_samples: int | ArrayLike = 2400,
    *,
    shuffle: bool = True,
    random_state: np.random.RandomState | int | None = None,
    return_centers: bool = False,
) -> tuple[NDArray[Any], ...]:
    """Generate eight uniform clusters in cubes.

    This is UNIFORM of [1]_, in three features. Cubes have sides of length 3, parallel to
    the axes; their centers are at least 5 apart, and at random places from 0 to 10.

    Parameters
    ----------
    n_samples : int or array-like of shape (8,), default=2400
        Number of rows, divided equally among clusters, or numbers by cluster.
    shuffle : bool, default=True
        Whether the rows are shuffled; otherwise they are ordered by cluster.
    random_state : int, RandomState instance or None, default=None
        Seed of all draws.
    return_centers : bool, default=False
        Whether the centers are returned too.

    Returns
    -------
    X : ndarray of shape (n_samples, 3)
        Rows, float64.
    y : ndarray of shape (n_samples,)
        Cluster of each row, int64, from 0.
    centers : ndarray of shape (8, 3)
        Centers of the clusters. Only if ``return_centers=True``.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described.

    Notes
    -----
    The distance is between centers: cubes may overlap in a corner, by less than a
    ten-thousandth of their volume. The paper leaves open whether cubes lie within the
    range of the centers; here they need not.

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
    generator = checked_generator(shuffle, random_state, return_centers)
    sizes = check_sizes(n_samples, 8)
    centers = _place(lambda: generator.uniform(0.0, 10.0, (1, 3)), 8, 5.0)
    clusters = [
        center + generator.uniform(-1.5, 1.5, size=(size, 3))
        for center, size in zip(centers, sizes, strict=True)
    ]
    return join(clusters, shuffle, generator, centers if return_centers else None)


def make_rings(
    n_samples: int | ArrayLike = (1200, 400),
    *,
    shuffle: bool = True,
    random_state: np.random.RandomState | int | None = None,
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Generate two concentric rings in the plane, with uniform noise.

    This is RINGS of [1]_. Radii are 2 and 1, and noise of each coordinate is at most 0.1.

    Parameters
    ----------
    n_samples : int or array-like of shape (2,), default=(1200, 400)
        Number of rows, divided equally among rings, or numbers by ring.
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
    clusters = []
    for radius, size in zip((2.0, 1.0), check_sizes(n_samples, 2), strict=True):
        angles = np.linspace(0, 2 * np.pi, size, endpoint=False)
        ring = radius * np.column_stack([np.cos(angles), np.sin(angles)])
        clusters.append(ring + generator.uniform(0, 0.1, size=ring.shape))
    return join(clusters, shuffle, generator)


def _place(draw_group, n_groups, min_distance):
    """Groups of centers, each drawn until it is far from those before, as one array."""
    while True:
        centers = draw_group()
        for _ in range(n_groups - 1):
            draws = (draw_group() for _ in range(_TRIES))
            far = (g for g in draws if cdist(g, centers).min() >= min_distance)
            group = next(far, None)
            if group is None:
                break
            centers = np.concatenate([centers, group])
        else:
            return centers


def _balls(centers, sizes, generator):
    """Rows of each cluster: Gaussians of these means within a radius."""
    half = centers.shape[1] / 2
    for center, size in zip(centers, sizes, strict=True):
        # Half the squared length is gamma distributed, independent of the direction.
        below = generator.uniform(size=size) * gammainc(half, _RADIUS**2 / 2)
        lengths = np.sqrt(2 * gammaincinv(half, below))
        directions = unit_rows(generator.normal(size=(size, centers.shape[1])))
        yield center + lengths[:, None] * directions
