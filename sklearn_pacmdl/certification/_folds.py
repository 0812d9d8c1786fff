"""One estimate of errors for clusterers and classifiers: nested cross-validation.

The smallest estimate of dozens of clusterings is too small, and the fits by which
classifiers are cross-validated lack a fold. So the two kinds are compared fold by fold of
the selecting rows: the other folds choose a candidate of each kind and name its clusters,
and its errors on the fold count.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..labeling import nearest_others
from ._counts import ClusterCounts, estimated_errors

# Of the selecting rows, by which classifiers are cross-validated, too. With ten, bounds
# on six data sets were larger by 0.1 and 0.5 points, at 5 and 10% labels.
N_FOLDS = 5


def fold_numbers(codes: NDArray[np.integer]) -> NDArray[np.integer]:
    """The fold of each selecting row; the rows are in random order, with class codes."""
    folds = np.empty(len(codes), dtype=int)
    # Each fold gets its share of each class.
    folds[np.argsort(codes, kind="stable")] = np.arange(len(codes)) % N_FOLDS
    return folds


class Folds(NamedTuple):
    """Selecting rows of one split, in folds."""

    rows: NDArray[np.integer]
    codes: NDArray[np.integer]  # classes among all
    columns: NDArray[np.integer]  # and among those of selecting rows; no class is last
    n_columns: int
    folds: NDArray[np.integer]

    @classmethod
    def of(
        cls, select: NDArray, order: NDArray, codes: NDArray, n_classes: int
    ) -> "Folds":
        """Divide the selecting rows, in the permuted order of all rows."""
        rows = order[np.isin(order, select)]
        own = codes[rows]
        classes = np.unique(own[own < n_classes])
        if not len(classes):
            classes = np.zeros(1, dtype=np.int64)
        columns = np.searchsorted(classes, own)
        return cls(rows, own, columns, len(classes) + 1, fold_numbers(own))

    def of_clustering(
        self, clusters: NDArray, counts: ClusterCounts, noise: int | None = None
    ) -> NDArray[np.floating]:
        """Errors that other folds let expect among their rows, and errors by fold.

        ``counts`` have the distances between clusters. ``noise`` is the cluster that is
        given no class, whose labels count as errors; they leave it out.
        """
        shape = N_FOLDS, int(clusters.max()) + 1, self.n_columns
        tables = np.zeros(shape, dtype=np.int64)
        np.add.at(tables, (self.folds, clusters[self.rows], self.columns), 1)
        dropped = np.zeros(N_FOLDS, dtype=np.int64)
        if noise is not None:
            dropped = tables[:, noise].sum(axis=1)
            tables = np.delete(tables, noise, axis=1)
        others = tables.sum(axis=0) - tables
        expected = [estimated_errors(counts, table) for table in others]
        errors = [
            (table * _wrong_names(by, counts.distances)).sum()
            for table, by in zip(tables, others, strict=True)
        ]
        return np.stack([expected + dropped.sum() - dropped, errors + dropped])

    def of_predictions(self, predicted: NDArray[np.integer]) -> NDArray[np.floating]:
        """The same of a classifier, by its cross-validated predictions."""
        wrong = predicted[self.rows] != self.codes
        errors = np.bincount(self.folds, wrong, minlength=N_FOLDS)
        return np.stack([errors.sum() - errors, errors])


def _wrong_names(table, distances):
    """Probability that a row of each cluster and class is given another class.

    The most common class in the table names a cluster, of several any; the nearest
    cluster with labels names those that have none.
    """
    named = table[:, :-1]
    most_common = named == named.max(axis=1, keepdims=True)
    right = most_common / most_common.sum(axis=1, keepdims=True)
    labeled = named.any(axis=1)
    nearest = None if labeled.all() else nearest_others(labeled, distances)
    if nearest is not None:
        right = np.where(labeled[:, None], right, right[nearest])
    return np.column_stack([1 - right, np.ones(len(table))])
