"""What the generators share: checks of parameters, numbers and order of rows."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..utils._checks import as_array, check_count, check_flag, invalid, is_integer
from ..utils._random import check_random_state


def check_numbers(name: str, values: ArrayLike, *ndims: int) -> NDArray[np.float64]:
    """An array of finite numbers with one of these numbers of dimensions, not empty."""
    array = as_array(name, values)
    is_numeric = array.size > 0 and array.dtype.kind in "iuf"
    if array.ndim not in ndims or not is_numeric or not np.all(np.isfinite(array)):
        shapes = " or ".join(f"{ndim}-dimensional" for ndim in ndims)
        raise invalid(name, f"finite numbers, {shapes}, and not empty", values)
    return array.astype(np.float64)


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


def checked_generator(shuffle, random_state, return_centers=False):
    """The generator, after the checks that all functions share."""
    check_flag("shuffle", shuffle)
    check_flag("return_centers", return_centers)
    return check_random_state(random_state)
