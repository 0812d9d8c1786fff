"""What the generators share: docstrings, checks of parameters, centers, order of rows."""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import cdist
from scipy.special import gammainc, gammaincinv

from ..utils._checks import (
    InvalidParameterError,
    as_array,
    check_count,
    check_flag,
    check_number,
    invalid,
    is_integer,
)
from ..utils._random import check_random_state

# Draws for one center, and starts if they fail. The defaults of all generators succeed in
# the first start; more would only delay the error where there is no room.
_TRIES, _STARTS = 1000, 20
# Floats keep 16 digits down to 2e-308, so that a uniform draw times this still does.
_MIN_PROBABILITY = 1e-290


def check_numbers(name: str, values: ArrayLike, *ndims: int) -> NDArray[np.float64]:
    """An array of finite numbers with one of these numbers of dimensions, not empty."""
    array = as_array(name, values)
    is_numeric = array.size > 0 and array.dtype.kind in "iuf"
    if array.ndim not in ndims or not is_numeric or not np.all(np.isfinite(array)):
        shapes = " or ".join(f"{ndim}-dimensional" for ndim in ndims)
        raise invalid(name, f"finite numbers, {shapes}, and not empty", values)
    return array.astype(np.float64)


def check_range(name: str, values: ArrayLike, least: float = -np.inf):
    """Both ends of a range, smaller first."""
    ends = check_numbers(name, values, 1)
    if ends.size != 2 or not least <= ends[0] <= ends[1]:
        limit = "" if least == -np.inf else f", of at least {least:g}"
        raise invalid(name, f"two numbers, the smaller first{limit}", values)
    return ends


def check_sizes(n_samples, n_clusters: int) -> NDArray[np.integer]:
    """Rows of each cluster: as passed, or equal shares whose rest goes to the first."""
    if is_integer(n_samples):
        check_count("n_samples", n_samples, 1)
        share, rest = divmod(n_samples, n_clusters)
        return share + (np.arange(n_clusters) < rest)
    sizes = as_array("n_samples", n_samples)
    is_valid = sizes.shape == (n_clusters,) and sizes.dtype.kind in "iu"
    # More than 2**31 rows fit in no memory.
    if not is_valid or sizes.min() < 0 or not 1 <= sum(sizes.tolist()) < 2**31:
        allowed = "an integer of at least 1, or one of at least 0 for each of "
        allowed += f"{n_clusters} clusters, not all 0"
        raise invalid("n_samples", allowed, n_samples)
    return sizes


def join(clusters, shuffle: bool, generator, centers=None):
    """Rows of all clusters, the number of the cluster of each, and centers, if any."""
    clusters = list(clusters)
    X = np.concatenate(clusters)
    y = np.repeat(np.arange(len(clusters)), [len(rows) for rows in clusters])
    if shuffle:
        order = generator.permutation(len(y))
        X, y = X[order], y[order]
    return (X, y) if centers is None else (X, y, centers)


def unit_rows(X):
    """Rows divided by their Euclidean lengths."""
    return X / np.linalg.norm(X, axis=1, keepdims=True)


def checked_generator(shuffle, random_state, return_centers=False, n_features=1):
    """The generator, after the checks that all functions share."""
    check_flag("shuffle", shuffle)
    check_flag("return_centers", return_centers)
    check_count("n_features", n_features, 1)
    return check_random_state(random_state)


def check_box(center_box, n_features, n_groups, min_distance, reach=0.0):
    """Ends of the box, if it is wide enough for two groups of centers."""
    check_number("min_distance", min_distance, least=0)
    low, high = check_range("center_box", center_box)
    widest = np.sqrt(n_features) * (high - low) + reach
    if n_groups > 1 and min_distance > widest:
        most = f"at most {widest:g}, the largest distance within center_box={center_box}"
        raise invalid("min_distance", most, min_distance)
    return low, high


def check_max_radius(max_radius, n_features):
    if not (isinstance(max_radius, float) and max_radius == np.inf):
        check_number("max_radius", max_radius, least=0)
    if _probability_within(max_radius, n_features) < _MIN_PROBABILITY:
        least = np.sqrt(2 * gammaincinv(n_features / 2, _MIN_PROBABILITY))
        reason = f"at least about {least:.3g} for n_features={n_features}, because no "
        reason += "Gaussian row is nearer to its mean in double precision"
        raise invalid("max_radius", reason, max_radius)


def layout(n_samples, n_features, n_clusters, center_box, min_distance):
    """Sizes of clusters, and a function that draws their centers uniformly."""
    check_count("n_clusters", n_clusters, 1)
    sizes = check_sizes(n_samples, n_clusters)
    box = check_box(center_box, n_features, n_clusters, min_distance)

    def draw(generator):
        shape = 1, n_features
        return place(lambda: generator.uniform(*box, shape), n_clusters, min_distance)

    return sizes, draw


def place(draw_group, n_groups, min_distance):
    """Groups of centers, each drawn until it is far from those before, as one array."""
    for _ in range(_STARTS):
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
    raise InvalidParameterError(
        "min_distance must leave room in center_box for all clusters, got "
        f"{min_distance}. {_STARTS} attempts to place {n_groups} random centers or pairs "
        f"failed, with up to {_TRIES} draws for each."
    )


def balls(centers, sizes, max_radius, generator):
    """Rows of each cluster: Gaussians of these means within a radius."""
    n_features = centers.shape[1]
    most = _probability_within(max_radius, n_features)
    for center, size in zip(centers, sizes, strict=True):
        # Half the squared length is gamma distributed, independent of the direction.
        below = generator.uniform(size=size) * most
        lengths = np.sqrt(2 * gammaincinv(n_features / 2, below))
        directions = unit_rows(generator.normal(size=(size, n_features)))
        yield center + lengths[:, None] * directions


def _probability_within(radius, n_features):
    """Probability that a standard Gaussian row is no longer than this."""
    # A power of a float or a NumPy number would warn of overflow; this is then infinite.
    radius = float(radius)
    return gammainc(n_features / 2, radius * radius / 2)
