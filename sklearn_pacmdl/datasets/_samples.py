"""What the generators share: docstrings, checks of parameters, the order of rows."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..utils._checks import check_count, invalid, is_integer


def check_numbers(name: str, values: ArrayLike, *ndims: int) -> NDArray[np.float64]:
    """An array of finite numbers with one of these numbers of dimensions, not empty."""
    shapes = " or ".join(f"{ndim}-dimensional" for ndim in ndims)
    allowed = f"finite numbers, {shapes}, and not empty"
    try:
        array = np.asarray(values)
    except ValueError as error:  # ragged
        raise invalid(name, allowed, values) from error
    if (
        array.ndim not in ndims
        or array.size == 0
        or array.dtype.kind not in "iuf"
        or not np.all(np.isfinite(array))
    ):
        raise invalid(name, allowed, values)
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
    allowed = f"an integer of at least 1, or one of at least 0 for each of {n_clusters} "
    allowed += "clusters, not all 0"
    try:
        sizes = np.asarray(n_samples)
    except ValueError as error:  # ragged
        raise invalid("n_samples", allowed, n_samples) from error
    if (
        sizes.shape != (n_clusters,)
        or not np.issubdtype(sizes.dtype, np.integer)
        or sizes.min() < 0
        or not 1 <= sum(sizes.tolist()) < 2**31  # more fit in no memory
    ):
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
