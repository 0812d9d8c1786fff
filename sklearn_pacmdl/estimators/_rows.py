"""Permutation of rows, with everything that is aligned with them.

The order of the rows must not tell which rows are labeled: users often put these first,
and the results of many clusterers depend on the order.
"""

import warnings
from collections.abc import Mapping, Sized

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from ..utils._checks import as_array, warn
from ._sklearn import (
    batches,
    is_known,
    is_pairwise,
    num_samples,
    row_subset,
    working_steps,
)

# Parameters with one entry per row, and the axes along which rows lie.
_ROW_AXES = {"connectivity": (0, 1), "preference": (0,)}
# Rows clustered twice, with a copy of each, to see whether labels follow them. With 100
# rows of digits, k-means, mixtures and Ward's linkage take 5 to 20 ms; with all 1,797, 15
# to 180 ms. More would not tell more: either labels are turned around with rows or not.
_N_TRIED = 50
# Of the copies that are not together by chance, all clusterers of scikit-learn put more
# than 0.8 together where they can. By chance alone it is less than a fifth (of 50 rows in
# two clusters and two orders, by two standard deviations; by more in more clusters).
# Fewer than five pairs that can differ tell nothing.
_LEAST_TOGETHER, _FEWEST_TO_TELL = 0.2, 5
# Rows of a matrix that are compared with its columns at once, and what rounding may make
# of their sum. Distances of single precision between equal rows can be 1e-4 of others.
_N_COMPARED, _ROUNDING = 1024, 1e-4
# Parameters that hold points, components or steps: if there are as many of these as rows,
# that is a coincidence.
_NOT_ROWS = {"init", "means_init", "precisions_init", "weights_init", "seeds", "steps"}
_NOT_ROWS |= {"transformer_list", "transformers", "vocabulary"}


def without_duplicates(X):
    """Sparse rows that store each entry once, and leave those of the user alone."""
    if sp.issparse(X) and not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def permute_rows(X, order, pairs):
    """X in the new row order; on both axes if it holds distances or affinities."""
    if not pairs:
        rows = row_subset(X, order)
        # By the index of a data frame, a step might restore the old order.
        return rows.reset_index(drop=True) if hasattr(rows, "reset_index") else rows
    check_square(X)
    X = _permute(X, order, axes=(0, 1))
    if sp.issparse(X):  # neighbor graphs are read row by row, nearest first
        # Here because it imports a fifth of scikit-learn, and graphs are rare.
        from sklearn.neighbors import sort_graph_by_row_values

        X = sort_graph_by_row_values(X, warn_when_not_sorted=False)
    return X


def check_square(X):
    """Refuse distances or affinities that are not between all pairs of rows."""
    if len(np.shape(X)) != 2 or np.shape(X)[0] != np.shape(X)[1]:
        raise ValueError(
            "X must be square where it holds precomputed distances or affinities, got "
            f"shape {np.shape(X)}."
        )


def is_symmetric(X):
    """Whether square X has the same at both places of a pair, up to rounding or gaps."""
    if sp.issparse(X):
        X = sp.csr_array(X, dtype=float)
        both = (X != 0).multiply(X.T != 0)
        asymmetry, total = (abs(Y.multiply(both)).sum() for Y in (X - X.T, X))
    else:
        X, asymmetry, total = np.asarray(X), 0.0, 0.0
        for part in batches(len(X), _N_COMPARED):
            rows, columns = (each.astype(float) for each in (X[part], X[:, part].T))
            with np.errstate(invalid="ignore"):  # missing distances may be infinite
                asymmetry += np.nansum(abs(rows - columns))
            total += abs(rows).sum(where=np.isfinite(rows))
    return bool(asymmetry <= _ROUNDING * total)


def split_rows(estimator, X, rows, columns=None):
    """Some rows of X; of distances, columns of the same or of the fitted ``columns``."""
    if not is_pairwise(estimator):
        return row_subset(X, rows)
    check_square(X)
    return _permute(_permute(X, rows, (0,)), rows if columns is None else columns, (1,))


def unable_to_write(function, X):
    """Call a function with rows that it cannot change.

    Arrays and parts of sparse rows are shared read-only, and copied for compiled code
    that requires writable ones.
    """
    shared = None
    if isinstance(X, np.ndarray):
        shared = X.view()
        shared.flags.writeable = False
    elif sp.issparse(X) and X.format == "csr":
        parts = [part.view() for part in (X.data, X.indices, X.indptr)]
        for part in parts:
            part.flags.writeable = False
        shared = type(X)(tuple(parts), shape=X.shape, copy=False)
        # SciPy remembers this; without it, every candidate would look it up.
        shared.has_canonical_format = X.has_canonical_format
        shared.has_sorted_indices = X.has_sorted_indices
    if shared is not None:
        try:
            return function(shared)
        except ValueError as error:
            if "read-only" not in str(error):
                raise
    return function(X.copy() if hasattr(X, "copy") else X)


def check_follows_rows(estimator, X, metadata):
    """Refuse a clusterer that looks up labels by position instead of following rows.

    Warn of one that seems to mix up rows. Known ones without functions do neither.
    """
    values = estimator.get_params(deep=True).values()
    functions = [v for v in values if callable(v) and not isinstance(v, type)]
    if is_known(estimator) and not functions:
        return
    # A few rows and their copies are clustered in two orders, or half of all if the
    # clusterer fails on a few. If it fails on these too, the sweep reports that.
    n_samples, random_state = num_samples(X), np.random.RandomState(0)
    shuffled = random_state.permutation(n_samples)
    half = shuffled[: n_samples // 2]
    for each, alone in ((half[:_N_TRIED], half[:0]), (half, shuffled[2 * len(half) :])):
        rows = random_state.permutation(np.concatenate([each, each, alone]))
        if len(rows) < n_samples and permuted_parameters(estimator, shuffled):
            continue
        try:
            there = _clusters_of(estimator, X, metadata, rows)
            back = _clusters_of(estimator, X, metadata, rows[::-1])
        except Exception:
            continue
        by_position = there == back and there != _numbered(there[::-1])
        if by_position or len(there) == n_samples > len(rows):
            raise ValueError(
                f"The labels of {estimator!r} do not follow the rows that it is given: "
                "in another order of the rows they stay as they were. Rows are permuted "
                "before clustering. Pass labels that exist already to "
                "certify_clusterings."
            )
        if len(there) == len(back) == len(rows):
            _warn_unless_together(estimator, rows, there + back[::-1])
        return


def _warn_unless_together(estimator, rows, labels):
    """Warn if copies of a row are together only as often as by chance, in two orders."""
    # Clusters may depend on the order of the rows, but equal rows are mostly in one.
    by_row = np.argsort(rows, kind="stable")
    labels = np.reshape(labels, (2, -1))[:, by_row]
    copied = rows[by_row][1:] == rows[by_row][:-1]
    together = (labels[:, 1:] == labels[:, :-1])[:, copied]
    n, sizes = len(rows), [np.bincount(each) for each in labels]
    by_chance = sum(size @ (size - 1) for size in sizes) / (n * (n - 1)) * copied.sum()
    most = sum(min(np.sum(size // 2), copied.sum()) for size in sizes)
    least = by_chance + _LEAST_TOGETHER * (most - by_chance)
    if most - by_chance >= _FEWEST_TO_TELL and together.sum() < least:
        warn(
            f"The labels of {estimator!r} seem not to follow the rows that it is given: "
            f"of {together.size} pairs of equal rows, {together.sum()} are in one "
            f"cluster, and {by_chance:.0f} would be by chance. Labels must be in the "
            "order of the rows: leave out what sorts, shifts or shuffles them."
        )


def _clusters_of(estimator, X, metadata, rows):
    """Clusters of some rows, or of all rows in another order, numbered as they appear."""
    n_samples = num_samples(X)
    aligned = permuted_parameters(estimator, rows) if len(rows) == n_samples else {}
    X = permute_rows(X, rows, takes_pairs(estimator, X))
    params = rows_of_metadata(metadata, rows, n_samples)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        labels = clone(estimator).set_params(**aligned).fit_predict(X, **params)
    return _numbered(as_array("labels", labels).tolist())


def _numbered(labels):
    """Number clusters by first appearance, so that equal partitions become equal."""
    numbers: dict = {}
    return [numbers.setdefault(label, len(numbers)) for label in labels]


def takes_pairs(estimator, X):
    """Whether X holds distances or affinities between rows, aligned on both axes.

    A ValueError where X is square and the last step of a Pipeline takes what may be X
    itself or what an earlier step computes from it.
    """
    if is_pairwise(estimator):
        return True
    if is_pairwise(working_steps(estimator)[-1]) and X.shape[0] == X.shape[-1]:
        raise ValueError(
            f"X is square, of shape {X.shape}, and the last step of the Pipeline takes "
            "precomputed distances or affinities, so it is unknown whether the columns "
            "of X are rows too. Apply the earlier steps to X before the search."
        )
    return False


def permuted_parameters(estimator, order):
    """Parameters of the estimator that lie along rows, in the new row order.

    A ValueError if a parameter has as many entries as there are rows: if they belong to
    rows, they would then belong to other rows.
    """
    permuted = {}
    for name, value in estimator.get_params(deep=True).items():
        leaf = name.rpartition("__")[2]
        if leaf in _NOT_ROWS or not _along_rows(value, len(order)):
            continue
        if leaf not in _ROW_AXES:
            raise ValueError(
                f"Parameter {name!r} has one entry per row, but rows are permuted before "
                "clustering and only these are known to lie along rows: "
                f"{sorted(_ROW_AXES)}. Pass it as metadata of fit, or compute it in a "
                "Pipeline."
            )
        permuted[name] = _permute(value, order, _ROW_AXES[leaf])
    return permuted


def _along_rows(value, n_samples):
    if isinstance(value, str | bytes | type) or hasattr(value, "get_params"):
        return False
    if isinstance(value, Mapping):
        parts = value.values()
        return len(value) == n_samples or any(_along_rows(v, n_samples) for v in parts)
    shape = getattr(value, "shape", None)
    if isinstance(shape, tuple):
        return n_samples in shape
    return isinstance(value, Sized) and len(value) == n_samples


def rows_of_metadata(params, rows, n_samples):
    """Metadata with one entry per row, of these rows in this order; the rest as it is."""
    metadata = {}
    for name, value in params.items():
        shape = getattr(value, "shape", None)
        if shape is None:
            shape = (len(value),) if isinstance(value, list | tuple) else ()
        if shape[1:2] == (n_samples,):
            raise ValueError(
                f"Metadata {name!r} has one column per row of X; only metadata with one "
                "entry or one row per row of X can be permuted along with it."
            )
        per_row = shape[:1] == (n_samples,)
        metadata[name] = _permute(value, rows, axes=(0,)) if per_row else value
    return metadata


def _permute(array, order, axes):
    array = array.tocsr() if sp.issparse(array) else np.asarray(array)
    for axis in axes:
        array = array[order] if axis == 0 else array[:, order]
    return array
