"""Checks of parameters and the order of rows, shared by the generators."""

from numbers import Real

import numpy as np

from ..utils._checks import is_integer, shown


def check_integer(name, value, minimum):
    if not is_integer(value):
        raise TypeError(f"{name} must be an integer, got {shown(value)}.")
    if value < minimum:
        raise ValueError(f"{name} must be {minimum} or more, got {shown(value)}.")


def check_non_negative(name, value, *, finite=True):
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name} must be a number, got {shown(value)}.")
    if not float(value) >= 0 or (finite and np.isinf(float(value))):
        kind = "a finite number" if finite else "a number"
        raise ValueError(f"{name} must be {kind} of 0 or more, got {shown(value)}.")


def check_numbers(name, values, *ndims):
    """An array of finite numbers with one of these numbers of dimensions, not empty."""
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise ValueError(f"{name} must not be ragged, got {shown(values)}.") from error
    if array.ndim not in ndims or array.size == 0:
        allowed = " or ".join(map(str, ndims))
        raise ValueError(
            f"{name} must have {allowed} dimensions and an entry, got {shown(values)}."
        )
    if array.dtype.kind not in "iuf":
        raise TypeError(f"{name} must be numeric, got {shown(values)}.")
    if not np.all(np.isfinite(array)):
        raise ValueError(f"{name} must be finite, got {shown(values)}.")
    return array.astype(np.float64)


def check_range(name, values, minimum=-np.inf):
    """Both ends of a range, smaller first."""
    ends = check_numbers(name, values, 1)
    if ends.size != 2 or not minimum <= ends[0] <= ends[1]:
        least = "" if minimum == -np.inf else f", the smaller at least {minimum:g}"
        raise ValueError(
            f"{name} must be two numbers, the smaller first{least}, got {shown(values)}."
        )
    return ends


def check_sizes(n_samples, n_clusters):
    """Rows of each cluster: as given, or equal shares whose rest goes to the first."""
    if is_integer(n_samples):
        check_integer("n_samples", n_samples, 1)
        share, rest = divmod(n_samples, n_clusters)
        return share + (np.arange(n_clusters) < rest)
    sizes = np.asarray(n_samples)
    if sizes.ndim != 1 or not np.issubdtype(sizes.dtype, np.integer):
        raise TypeError(
            "n_samples must be an integer, or one for each cluster, got "
            f"{shown(n_samples)}."
        )
    if sizes.size != n_clusters:
        raise ValueError(
            f"n_samples must have one entry for each of {n_clusters} clusters, got "
            f"{sizes.size}."
        )
    if sizes.min() < 0 or sizes.sum() < 1:
        raise ValueError(
            "n_samples must be 0 or more each and 1 or more in all, got "
            f"{shown(n_samples)}."
        )
    return sizes


def join(clusters, shuffle, generator):
    """Rows of all clusters and the number of the cluster of each."""
    X = np.concatenate(clusters)
    y = np.repeat(np.arange(len(clusters)), [len(rows) for rows in clusters])
    if not shuffle:
        return X, y
    order = generator.permutation(len(y))
    return X[order], y[order]


def unit_rows(X):
    return X / np.linalg.norm(X, axis=1, keepdims=True)
