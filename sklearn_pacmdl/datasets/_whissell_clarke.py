"""The five synthetic data sets of Whissell and Clarke."""

import numpy as np
from scipy.spatial.distance import cdist
from scipy.special import gammainc, gammaincinv
from sklearn.utils import check_random_state

from ..utils._checks import shown
from ._samples import (
    check_integer,
    check_non_negative,
    check_numbers,
    check_range,
    check_sizes,
    join,
    unit_rows,
)

# Draws for one place among the centers before it, and fresh starts where that fails.
_TRIES, _STARTS = 1000, 20
# Below, what a float can tell of a probability no longer draws radii.
_MIN_PROBABILITY = 1e-290


def make_separated_gaussians(
    n_samples=3000,
    n_features=5,
    *,
    n_clusters=6,
    center_box=(0.0, 10.0),
    min_distance=4.0,
    max_radius=2.0,
    shuffle=True,
    random_state=None,
    return_centers=False,
):
    """Generate Gaussian clusters cut to balls, with a least distance between means.

    Known as 6GAUSS in [1]_, where the balls may touch but do not overlap.

    Parameters
    ----------
    n_samples : int or array-like of shape (n_clusters,), default=3000
        Number of rows in all, divided equally, or in each cluster.
    n_features : int, default=5
        Number of features.
    n_clusters : int, default=6
        Number of clusters.
    center_box : tuple of float (min, max), default=(0.0, 10.0)
        Range of the means in each feature.
    min_distance : float, default=4.0
        Least Euclidean distance between means.
    max_radius : float, default=2.0
        Largest Euclidean distance of a row to the mean of its cluster, in standard
        deviations of a feature; may be infinite.
    shuffle : bool, default=True
        Whether the rows are shuffled; otherwise they are ordered by cluster.
    random_state : int, RandomState instance or None, default=None
        Seed of all draws.
    return_centers : bool, default=False
        Whether the means are returned too.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        Rows, float64.
    y : ndarray of shape (n_samples,)
        Cluster of each row, int64, from 0.
    centers : ndarray of shape (n_clusters, n_features)
        Means of the clusters. Only if ``return_centers=True``.

    Raises
    ------
    TypeError
        If a number is expected and something else is given.
    ValueError
        If a number is out of range, ``n_samples`` has another length than
        ``n_clusters``, no place was found for the means, or ``max_radius`` is so small
        that Gaussian rows as near have no probability in double precision.

    See Also
    --------
    make_paired_gaussians : Clusters in pairs.
    make_elongated_gaussians : Clusters of different shapes.
    sklearn.datasets.make_blobs : Gaussian clusters that may overlap.

    Notes
    -----
    Rows follow the Gaussian of identity covariance, given that they are within
    ``max_radius`` of the mean; the covariance is less than the identity for that. The
    radius is drawn by its distribution function, without rejection.

    Means are drawn in turn, each uniform where it is far enough from those before; if
    one finds no place in 1000 draws all are drawn afresh, 20 times at most.

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
    generator = check_random_state(random_state)
    check_integer("n_features", n_features, 1)
    check_integer("n_clusters", n_clusters, 1)
    sizes = check_sizes(n_samples, n_clusters)
    box = _check_box(center_box, n_features, n_clusters, min_distance)
    _check_max_radius(max_radius, n_features)
    centers = _draw_centers(n_clusters, n_features, box, min_distance, generator)
    X, y = _balls(centers, sizes, max_radius, shuffle, generator)
    return (X, y, centers) if return_centers else (X, y)


def make_paired_gaussians(
    n_samples=3000,
    n_features=5,
    *,
    n_pairs=3,
    center_box=(0.0, 20.0),
    pair_distance=(4.0, 8.0),
    min_distance=12.0,
    max_radius=2.0,
    shuffle=True,
    random_state=None,
    return_centers=False,
):
    """Generate pairs of Gaussian clusters, near each other and far from other pairs.

    Known as PAIRED in [1]_. Each cluster is cut to a ball about its mean.

    Parameters
    ----------
    n_samples : int or array-like of shape (2 * n_pairs,), default=3000
        Number of rows in all, divided equally, or in each cluster.
    n_features : int, default=5
        Number of features.
    n_pairs : int, default=3
        Number of pairs of clusters.
    center_box : tuple of float (min, max), default=(0.0, 20.0)
        Range of the midpoints of the pairs in each feature.
    pair_distance : tuple of float (min, max), default=(4.0, 8.0)
        Range of the Euclidean distance between the two means of a pair.
    min_distance : float, default=12.0
        Least Euclidean distance between means of different pairs.
    max_radius : float, default=2.0
        Largest Euclidean distance of a row to the mean of its cluster, in standard
        deviations of a feature; may be infinite.
    shuffle : bool, default=True
        Whether the rows are shuffled; otherwise they are ordered by cluster.
    random_state : int, RandomState instance or None, default=None
        Seed of all draws.
    return_centers : bool, default=False
        Whether the means are returned too.

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
    TypeError
        If a number is expected and something else is given.
    ValueError
        If a number is out of range, ``n_samples`` has another length than there are
        clusters, no place was found for the means, or ``max_radius`` is so small that
        Gaussian rows as near have no probability in double precision.

    See Also
    --------
    make_separated_gaussians : The same clusters without pairs, and how they are drawn.

    Notes
    -----
    The two means of a pair lie on opposite sides of its midpoint, in a uniform
    direction and at a uniform distance from the range; they may leave the box. The
    paper leaves both choices open. Its classes are taken to be the six clusters: three
    clusters then have an adjusted mutual information of log 3 over its geometric mean
    with log 6, the 0.78 of the paper's table.

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
    generator = check_random_state(random_state)
    check_integer("n_features", n_features, 1)
    check_integer("n_pairs", n_pairs, 1)
    sizes = check_sizes(n_samples, 2 * n_pairs)
    distances = check_range("pair_distance", pair_distance, 0.0)
    box = _check_box(center_box, n_features, n_pairs, min_distance, distances[1])
    _check_max_radius(max_radius, n_features)

    def draw_pair():
        midpoint = generator.uniform(*box, size=n_features)
        direction = unit_rows(generator.normal(size=(1, n_features)))[0]
        half = generator.uniform(*distances) / 2 * direction
        return np.stack([midpoint - half, midpoint + half])

    centers = _place(draw_pair, n_pairs, min_distance)
    X, y = _balls(centers, sizes, max_radius, shuffle, generator)
    return (X, y, centers) if return_centers else (X, y)


def make_elongated_gaussians(
    n_samples=1500,
    n_features=5,
    *,
    n_clusters=5,
    center_box=(0.0, 50.0),
    min_distance=5.0,
    stretch=15.0,
    shuffle=True,
    random_state=None,
    return_centers=False,
):
    """Generate Gaussian clusters, each stretched along another feature.

    Known as ELONG in [1]_. Clusters may overlap.

    Parameters
    ----------
    n_samples : int or array-like of shape (n_clusters,), default=1500
        Number of rows in all, divided equally, or in each cluster.
    n_features : int, default=5
        Number of features.
    n_clusters : int, default=5
        Number of clusters, at most ``n_features``.
    center_box : tuple of float (min, max), default=(0.0, 50.0)
        Range of the means in each feature.
    min_distance : float, default=5.0
        Least Euclidean distance between means.
    stretch : float, default=15.0
        Standard deviation of cluster i in feature i; it is 1 in the others.
    shuffle : bool, default=True
        Whether the rows are shuffled; otherwise they are ordered by cluster.
    random_state : int, RandomState instance or None, default=None
        Seed of all draws.
    return_centers : bool, default=False
        Whether the means are returned too.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        Rows, float64.
    y : ndarray of shape (n_samples,)
        Cluster of each row, int64, from 0; also the feature of its stretch.
    centers : ndarray of shape (n_clusters, n_features)
        Means of the clusters. Only if ``return_centers=True``.

    Raises
    ------
    TypeError
        If a number is expected and something else is given.
    ValueError
        If a number is out of range, there are more clusters than features,
        ``n_samples`` has another length than ``n_clusters``, or no place was found for
        the means.

    See Also
    --------
    make_separated_gaussians : Clusters of equal shape, and how means are drawn.

    Notes
    -----
    Rows are stretched about their mean, which stays in the box. The paper could also be
    read as a stretch about zero, which would carry the means hundreds of units apart:
    clusters that its Table I reports as hard to count would then be easy.

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
    generator = check_random_state(random_state)
    check_integer("n_features", n_features, 1)
    check_integer("n_clusters", n_clusters, 1)
    if n_clusters > n_features:
        raise ValueError(
            f"n_clusters must be at most n_features={n_features}, a feature to stretch "
            f"for each, got {n_clusters}."
        )
    sizes = check_sizes(n_samples, n_clusters)
    box = _check_box(center_box, n_features, n_clusters, min_distance)
    check_non_negative("stretch", stretch)
    centers = _draw_centers(n_clusters, n_features, box, min_distance, generator)
    clusters = [generator.normal(size=(size, n_features)) for size in sizes]
    for feature, rows in enumerate(clusters):
        rows[:, feature] *= stretch
        rows += centers[feature]
    X, y = join(clusters, shuffle, generator)
    return (X, y, centers) if return_centers else (X, y)


def make_uniform_boxes(
    n_samples=2400,
    n_features=3,
    *,
    n_clusters=8,
    center_box=(0.0, 10.0),
    side=3.0,
    min_distance=5.0,
    shuffle=True,
    random_state=None,
    return_centers=False,
):
    """Generate clusters uniform in cubes, with a least distance between centers.

    Known as UNIFORM in [1]_.

    Parameters
    ----------
    n_samples : int or array-like of shape (n_clusters,), default=2400
        Number of rows in all, divided equally, or in each cluster.
    n_features : int, default=3
        Number of features.
    n_clusters : int, default=8
        Number of clusters.
    center_box : tuple of float (min, max), default=(0.0, 10.0)
        Range of the centers in each feature; cubes may stick out by half a side.
    side : float, default=3.0
        Length of the edges of each cube, which are parallel to the axes.
    min_distance : float, default=5.0
        Least Euclidean distance between centers.
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
        Centers of the cubes. Only if ``return_centers=True``.

    Raises
    ------
    TypeError
        If a number is expected and something else is given.
    ValueError
        If a number is out of range, ``n_samples`` has another length than
        ``n_clusters``, or no place was found for the centers.

    See Also
    --------
    make_separated_gaussians : Clusters in balls, and how centers are drawn.

    Notes
    -----
    The distance is between centers: cubes of the default side and distance can overlap,
    in a corner of less than a ten-thousandth of their volume, if they differ by almost
    the side in each feature. That cubes need not lie within the range is a choice the
    paper leaves open.

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
    generator = check_random_state(random_state)
    check_integer("n_features", n_features, 1)
    check_integer("n_clusters", n_clusters, 1)
    sizes = check_sizes(n_samples, n_clusters)
    check_non_negative("side", side)
    box = _check_box(center_box, n_features, n_clusters, min_distance)
    centers = _draw_centers(n_clusters, n_features, box, min_distance, generator)
    clusters = [
        center + generator.uniform(-side / 2, side / 2, size=(size, n_features))
        for center, size in zip(centers, sizes, strict=True)
    ]
    X, y = join(clusters, shuffle, generator)
    return (X, y, centers) if return_centers else (X, y)


def make_rings(
    n_samples=(1200, 400),
    *,
    radii=(2.0, 1.0),
    noise=0.1,
    shuffle=True,
    random_state=None,
):
    """Generate concentric rings in the plane, with uniform noise.

    Known as RINGS in [1]_.

    Parameters
    ----------
    n_samples : int or array-like of shape (n_rings,), default=(1200, 400)
        Number of rows in all, divided equally, or on each ring.
    radii : array-like of shape (n_rings,), default=(2.0, 1.0)
        Radius of each ring about zero; by default the outer ring comes first, as in
        :func:`sklearn.datasets.make_circles`.
    noise : float, default=0.1
        Largest noise: each coordinate is moved up by a uniform number from 0 to this.
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
    TypeError
        If a number is expected and something else is given.
    ValueError
        If a radius or the noise is negative or infinite, or ``n_samples`` has another
        length than ``radii``.

    See Also
    --------
    sklearn.datasets.make_circles : Two circles, with Gaussian noise.

    Notes
    -----
    Rows are evenly spaced in angle, the first of each ring at angle zero. The noise is
    taken as the paper states it, from zero up, so that the mean of a ring lies at half
    the noise in both coordinates. That it is uniform and drawn for each coordinate is a
    choice the paper leaves open.

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
    generator = check_random_state(random_state)
    lengths = check_numbers("radii", radii, 1)
    if lengths.min() < 0:
        raise ValueError(f"radii must be 0 or more, got {shown(radii)}.")
    check_non_negative("noise", noise)
    clusters = []
    for radius, size in zip(lengths, check_sizes(n_samples, lengths.size), strict=True):
        angles = np.linspace(0, 2 * np.pi, size, endpoint=False)
        ring = radius * np.column_stack([np.cos(angles), np.sin(angles)])
        clusters.append(ring + generator.uniform(0, noise, size=ring.shape))
    return join(clusters, shuffle, generator)


def _check_box(center_box, n_features, n_groups, min_distance, reach=0.0):
    """Ends of the box, if it is wide enough for two groups of centers."""
    check_non_negative("min_distance", min_distance)
    low, high = check_range("center_box", center_box)
    widest = np.sqrt(n_features) * (high - low) + reach
    if n_groups > 1 and min_distance > widest:
        raise ValueError(
            f"min_distance must be at most {widest:g}, the largest distance that "
            f"center_box={center_box!r} leaves, got {shown(min_distance)}."
        )
    return low, high


def _check_max_radius(max_radius, n_features):
    check_non_negative("max_radius", max_radius, finite=False)
    if _probability_within(max_radius, n_features) < _MIN_PROBABILITY:
        least = np.sqrt(2 * gammaincinv(n_features / 2, _MIN_PROBABILITY))
        raise ValueError(
            f"max_radius must be about {least:.3g} or more for n_features={n_features}: "
            f"Gaussian rows hardly come nearer to their mean, got {shown(max_radius)}."
        )


def _draw_centers(n_clusters, n_features, box, min_distance, generator):
    return _place(
        lambda: generator.uniform(*box, size=(1, n_features)), n_clusters, min_distance
    )


def _place(draw_group, n_groups, min_distance):
    """Groups of centers, each drawn until it is far from those before, as one array."""
    for _ in range(_STARTS):
        centers = _place_in_turn(draw_group, n_groups, min_distance)
        if centers is not None:
            return centers
    raise ValueError(
        "min_distance must leave room in center_box for all clusters, got "
        f"{min_distance!r}: in {_STARTS} starts with up to {_TRIES} draws for each, "
        f"{n_groups} random centers or pairs never all found a place."
    )


def _place_in_turn(draw_group, n_groups, min_distance):
    centers = draw_group()
    for _ in range(n_groups - 1):
        for _ in range(_TRIES):
            group = draw_group()
            if cdist(group, centers).min() >= min_distance:
                centers = np.concatenate([centers, group])
                break
        else:
            return None
    return centers


def _balls(centers, sizes, max_radius, shuffle, generator):
    """Rows of Gaussians of these means within a radius, and their clusters."""
    clusters = [
        center + _gaussian_rows_within(max_radius, size, center.size, generator)
        for center, size in zip(centers, sizes, strict=True)
    ]
    return join(clusters, shuffle, generator)


def _gaussian_rows_within(max_radius, n_rows, n_features, generator):
    # Half the squared length is gamma distributed, independent of the direction.
    below = generator.uniform(size=n_rows) * _probability_within(max_radius, n_features)
    lengths = np.sqrt(2 * gammaincinv(n_features / 2, below))
    directions = unit_rows(generator.normal(size=(n_rows, n_features)))
    return lengths[:, None] * directions


def _probability_within(radius, n_features):
    """Probability that a standard Gaussian row is no longer than this."""
    # Powers and NumPy's numbers complain of overflow; this product is then infinite.
    radius = float(radius)
    return gammainc(n_features / 2, radius * radius / 2)
