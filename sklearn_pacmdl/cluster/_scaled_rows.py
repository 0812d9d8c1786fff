"""Rows that are scaled while they are used, so that the data are not copied."""

from functools import cached_property

import numpy as np
from scipy import sparse
from scipy.special import xlogy

from ..estimators import batches as batches

# Entries of X that are worked on at once. Fits of 20,000 x 128 dense rows take 10% more
# time with 2^18 or less and 6% more with 2^22. A quarter of that for sparse rows, whose
# entries take more memory each: with all of it fits of documents take 3% less time.
BATCH_ENTRIES = 1 << 20


class Rows:
    """Data, factors that normalize the rows, and weights of the rows."""

    # Directions and sums have one column for each cluster: of shape (n_features, k).

    def __init__(self, X, factor, weight):
        self.X = X
        self.factor = factor.astype(X.dtype, copy=False)
        # A row with factor 0, such as a row of zeros, takes no part in a fit.
        self.weight = np.where(factor > 0, weight, 0.0)
        self._whole = None

    def products(self, directions):
        """Product of each row with each direction."""
        products = self.X @ self.as_factor(directions)
        products *= self.factor[:, None]
        return products

    def as_factor(self, directions):
        """Directions as products are fastest with, where there are several."""
        return directions.astype(self.X.dtype, order="C", copy=False)

    def labels(self, clusters):
        """The cluster in which the score of each row is highest."""
        directions = self.as_factor(clusters.directions)
        labels = np.empty(len(self.weight), np.int32)
        for batch in batches(len(labels), self.batch_size):
            products = self.part(batch).products(directions)
            labels[batch] = clusters.scores(products).argmax(axis=1)
        return labels

    def part(self, batch):
        """Consecutive rows, which share their entries with these."""
        part = Rows.__new__(Rows)  # there is nothing to compute anew
        if not sparse.issparse(self.X):
            part.X = self.X[batch]
        else:
            bounds = self.X.indptr[batch.start : batch.stop + 1]
            entries = slice(bounds[0], bounds[-1])
            # An index copies entries, and so does the constructor where they are a small
            # part of an array. With a copy fits of documents take 15 to 30% more time.
            part.X = type(self.X)((len(bounds) - 1, self.X.shape[1]), dtype=self.X.dtype)
            part.X.data, part.X.indices = self.X.data[entries], self.X.indices[entries]
            part.X.indptr = bounds - bounds[0]
        part.factor, part.weight = self.factor[batch], self.weight[batch]
        part._whole = self, batch
        return part

    @cached_property
    def total_weight(self):
        """Sum of the weights."""
        return self.weight.sum()

    @cached_property
    def batch_size(self):
        """Number of rows that are worked on at once."""
        return _batch_size(self.X)

    @cached_property
    def usual_weight(self):
        """Mean weight of the rows that have one."""
        return self.total_weight / np.count_nonzero(self.weight)

    @cached_property
    def weights_are_equal(self):
        """Whether all rows that take part have the same weight."""
        least = self.weight.min(initial=np.inf, where=self.weight > 0)
        return self.weight.max() == least

    @cached_property
    def usual_values(self):
        """Mean of the positive values of each feature, over rows that take part."""
        used = (self.weight > 0).astype(self.X.dtype)
        counts = np.zeros(self.X.shape[1])
        for batch in batches(used.size, self.batch_size):
            counts += (self.X[batch] > 0).T @ used[batch]
        return (self.X.T @ (used * self.factor)) / np.maximum(counts, 1)

    @cached_property
    def negative_entropies(self):
        """Minus the entropy of each row of unit sum, in bits; 0 for a row of zeros."""
        if self._whole is not None:  # which takes them once for all its parts
            rows, batch = self._whole
            return rows.negative_entropies[batch]
        sums = np.zeros(len(self.weight))
        for batch in batches(sums.size, self.batch_size):
            part = self.X[batch]
            if sparse.issparse(part):
                part.data = xlogy(part.data, part.data)  # a slice of rows is a copy
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
        return np.bincount(labels, self.weight, minlength=k)

    def sums(self, labels, k):
        """Weighted sum of the rows of each cluster."""
        sums = np.zeros((self.X.shape[1], k))
        _add_to_sums(sums, self.X, self._masses, labels)
        return sums

    def shared_sums(self, shares):
        """The sums if clusters share rows; shares have shape (n_samples, k)."""
        mass = self._masses(slice(None))[:, None] * shares
        mass = mass.astype(self.X.dtype, copy=False)
        return (self.X.T @ mass).astype(np.float64, copy=False)

    def moved_sums(self, sums, before, after):
        """The sums after some rows have changed clusters."""
        moved = np.flatnonzero(before != after)
        k = sums.shape[1]
        # To update a third of the rows takes 0.84 of the time of summing all of them.
        if 3 * moved.size > before.size:
            return self.sums(after, k)
        sums = sums.copy()
        # Sparse rows are copied some at a time; sums of dense ones depend on how many.
        size = self.batch_size if sparse.issparse(self.X) else max(moved.size, 1)
        for labels, sign in (after, 1), (before, -1):
            for batch in batches(moved.size, size):
                rows = moved[batch]
                mass = sign * self._masses(rows)
                _add_to_sums(sums, self.X[rows], mass.__getitem__, labels[rows])
        return sums

    def _masses(self, batch):
        return self.weight[batch] * self.factor[batch]


def _batch_size(X):
    n_entries = 4 * X.nnz if sparse.issparse(X) else X.size
    return max(1, X.shape[0] * BATCH_ENTRIES // max(1, n_entries))


def _add_to_sums(sums, X, masses, labels):
    """Add rows, times their masses, to the sums of their clusters, in place."""
    n_clusters = sums.shape[1]
    for batch in batches(X.shape[0], _batch_size(X)):
        mass = masses(batch)
        if sparse.issparse(X):  # in one pass, each entry to its cell of the raveled sums
            bounds = X.indptr[batch.start : batch.stop + 1]
            entries, per_row = slice(bounds[0], bounds[-1]), np.diff(bounds)
            cells = X.indices[entries] * np.intp(n_clusters)
            cells += np.repeat(labels[batch], per_row)
            values = X.data[entries] * np.repeat(mass, per_row)
            np.add.at(sums.reshape(-1), cells, values)  # a view: sums are contiguous
        else:
            n_rows = batch.stop - batch.start
            mass = mass.astype(X.dtype, copy=False)
            parts = mass, labels[batch], np.arange(n_rows + 1)
            members = sparse.csc_array(parts, shape=(n_clusters, n_rows))
            sums += (members @ X[batch]).T
