"""Rows times a factor each, of unit norm or unit sum, without a copy of the data."""

import numpy as np
from scipy import sparse
from sklearn.utils import gen_batches

BATCH_ENTRIES = 1 << 20


class Rows:
    """Data, factors that normalise the rows, and weights of the rows.

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

    def take(self, indices):
        """Some rows as dense columns, of shape (n_features, len(indices))."""
        rows = self.X[indices]
        rows = rows.toarray() if sparse.issparse(rows) else rows
        return (rows * self.factor[indices, None]).T

    def sizes(self, assignment, k):
        """Weight of each cluster."""
        if assignment.ndim == 2:
            return self.weight @ assignment
        return np.bincount(assignment, weights=self.weight, minlength=k)

    def sums(self, assignment, k):
        """Weighted sum of the rows of each cluster, given labels or shares."""
        if assignment.ndim == 2:
            shares = (self._mass[:, None] * assignment).astype(self.X.dtype, copy=False)
            return (self.X.T @ shares).astype(np.float64, copy=False)
        return _sums(self.X, self._mass, assignment, k)

    def moved_sums(self, sums, before, after):
        """The sums after some rows have changed clusters."""
        moved = np.flatnonzero(before != after)
        k = sums.shape[1]
        if 3 * moved.size > before.size:
            return self.sums(after, k)
        X, mass = self.X[moved], self._mass[moved]
        return sums + _sums(X, mass, after[moved], k) - _sums(X, mass, before[moved], k)


def _sums(X, mass, labels, k):
    add = _sparse_sums if sparse.issparse(X) else _dense_sums
    sums = np.zeros((X.shape[1], k))
    n_entries = X.nnz if sparse.issparse(X) else X.size
    n_rows = max(1, X.shape[0] * BATCH_ENTRIES // max(1, n_entries))
    for batch in gen_batches(X.shape[0], n_rows):
        add(sums, X, mass, labels, batch)
    return sums


def _sparse_sums(sums, X, mass, labels, batch):
    """One pass over the entries; each knows its cell, the row's cluster its column."""
    bounds = X.indptr[batch.start : batch.stop + 1]
    entries = slice(bounds[0], bounds[-1])
    per_row = np.diff(bounds)
    cells = X.indices[entries] * np.intp(sums.shape[1])
    cells += np.repeat(labels[batch], per_row)
    values = X.data[entries] * np.repeat(mass[batch], per_row)
    sums += np.bincount(cells, values, minlength=sums.size).reshape(sums.shape)


def _dense_sums(sums, X, mass, labels, batch):
    members = sparse.csc_array(
        (mass[batch].astype(X.dtype, copy=False), labels[batch], _steps(batch)),
        shape=(sums.shape[1], batch.stop - batch.start),
    )
    sums += (members @ X[batch]).T


def _steps(batch):
    return np.arange(batch.stop - batch.start + 1)
