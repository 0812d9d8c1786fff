"""Rows times a factor each, of unit norm or unit sum, without a copy of the data."""

from functools import cached_property

import numpy as np
from scipy import sparse
from scipy.special import xlogy

BATCH_ENTRIES = 1 << 20


def batches(n, size):
    """Slices that cover the range of n; without the checks of scikit-learn's, which take
    long where an iteration takes a millisecond."""
    return (slice(start, min(start + size, n)) for start in range(0, n, size))


class Rows:
    """Data, factors that normalize the rows, and weights of the rows.

    A row that is zero has factor and weight 0: it has no direction to learn from.
    Directions and sums have one column for each cluster: of shape (n_features, k).
    """

    def __init__(self, X, factor, weight):
        self.X = X
        self.factor = factor.astype(X.dtype, copy=False)
        self.weight = np.where(factor > 0, weight, 0.0)
        self.total_weight = self.weight.sum()
        self._mass = self.weight * factor

    def products(self, directions):
        """Of each row with each direction."""
        products = self.X @ directions.astype(self.X.dtype, copy=False)
        products *= self.factor[:, None]
        return products

    @cached_property
    def batch_size(self):
        """Rows of about as many entries as are worked on at once."""
        n_entries = self.X.nnz if sparse.issparse(self.X) else self.X.size
        return max(1, len(self.weight) * BATCH_ENTRIES // max(1, n_entries))

    @cached_property
    def usual_weight(self):
        return self.total_weight / np.count_nonzero(self.weight)

    @cached_property
    def weights_are_equal(self):
        """But for those of rows that take no part."""
        return self.weight.max() == self.weight[self.weight > 0].min()

    @cached_property
    def usual_values(self):
        """Mean of the positive values of each feature, over rows that have a weight."""
        used = (self.weight > 0).astype(self.X.dtype)
        counts = np.zeros(self.X.shape[1])
        for batch in batches(used.size, self.batch_size):
            counts += (self.X[batch] > 0).T @ used[batch]
        return (self.X.T @ (used * self.factor)) / np.maximum(counts, 1)

    @cached_property
    def negative_entropies(self):
        """Of rows of unit sum, in bits; 0 for a row of zeros."""
        sums = np.zeros(len(self.weight))
        for batch in batches(sums.size, self.batch_size):
            part = self.X[batch]
            if sparse.issparse(part):
                part.data = xlogy(part.data, part.data)  # of a copy: slices of rows are
            else:
                part = xlogy(part, part)
            sums[batch] = np.asarray(part.sum(axis=1)).ravel()
        factor = self.factor.astype(np.float64)
        with np.errstate(divide="ignore", invalid="ignore"):
            entropies = (sums * factor + np.log(factor)) / np.log(2)
        return np.where(factor > 0, entropies, 0.0)

    def take(self, indices):
        """Some rows as dense columns, of shape (n_features, len(indices))."""
        rows = self.X[indices]
        rows = rows.toarray() if sparse.issparse(rows) else rows
        return (rows * self.factor[indices, None]).T

    def sizes(self, labels, k):
        """Weight of each cluster."""
        return np.bincount(labels, weights=self.weight, minlength=k)

    def sums(self, labels, k):
        """Weighted sum of the rows of each cluster."""
        sums = np.zeros((self.X.shape[1], k))
        _add_to_sums(sums, self.X, self._mass, labels)
        return sums

    def shared_sums(self, shares):
        """The same where clusters share rows; shares of shape (n_samples, k)."""
        mass = (self._mass[:, None] * shares).astype(self.X.dtype, copy=False)
        return (self.X.T @ mass).astype(np.float64, copy=False)

    def moved_sums(self, sums, before, after):
        """The sums after some rows have changed clusters."""
        moved = np.flatnonzero(before != after)
        k = sums.shape[1]
        if 3 * moved.size > before.size:
            return self.sums(after, k)
        sums, X, mass = sums.copy(), self.X[moved], self._mass[moved]
        _add_to_sums(sums, X, mass, after[moved])
        _add_to_sums(sums, X, -mass, before[moved])
        return sums


class Products:
    """Of batches of rows with directions that change a few at a time.

    Those of sparse rows are kept, and renewed for directions that have changed; those of
    dense rows are made batch by batch, which is faster than to keep them.
    """

    def __init__(self, rows, k):
        self.rows = rows
        n_kept = len(rows.weight) if sparse.issparse(rows.X) else 0
        self.kept = np.empty((n_kept, k), rows.X.dtype)

    def renew(self, directions, changed):
        self.directions = directions.astype(self.rows.X.dtype, order="C", copy=False)
        if self.kept.size:
            # Sparse products want columns that are contiguous by rows, as `take` makes
            # them and an index does not; clipping spares it another copy.
            columns = self.directions.take(changed, axis=1, mode="clip")
            self.kept[:, changed] = self.rows.X @ columns

    def __getitem__(self, batch):
        part = (
            self.kept[batch] if self.kept.size else self.rows.X[batch] @ self.directions
        )
        return part * self.rows.factor[batch, None]


def _add_to_sums(sums, X, mass, labels):
    """Add rows, times their masses, to the sums of their clusters, in place."""
    add = _add_sparse if sparse.issparse(X) else _add_dense
    n_entries = X.nnz if sparse.issparse(X) else X.size
    n_rows = max(1, X.shape[0] * BATCH_ENTRIES // max(1, n_entries))
    for batch in batches(X.shape[0], n_rows):
        add(sums, X, mass, labels, batch)


def _add_sparse(sums, X, mass, labels, batch):
    """One pass over the entries; each knows its cell, the row's cluster its column."""
    bounds = X.indptr[batch.start : batch.stop + 1]
    entries = slice(bounds[0], bounds[-1])
    per_row = np.diff(bounds)
    cells = X.indices[entries] * np.intp(sums.shape[1])
    cells += np.repeat(labels[batch], per_row)
    values = X.data[entries] * np.repeat(mass[batch], per_row)
    np.add.at(sums.reshape(-1), cells, values)  # a view: sums are contiguous


def _add_dense(sums, X, mass, labels, batch):
    members = sparse.csc_array(
        (mass[batch].astype(X.dtype, copy=False), labels[batch], _steps(batch)),
        shape=(sums.shape[1], batch.stop - batch.start),
    )
    sums += (members @ X[batch]).T


def _steps(batch):
    return np.arange(batch.stop - batch.start + 1)
