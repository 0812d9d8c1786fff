"""One estimate of errors for clusterers and classifiers: nested cross-validation.

The smallest estimate of dozens of clusterings is too small, and the fits by which
classifiers are cross-validated lack a fold. So the two kinds are compared fold by fold of
the selecting rows: the other folds choose a candidate of each kind and name its clusters,
and its errors on the fold count. So do those of other divisions into folds, for which
clusters are named again, and no classifier is fitted.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..labeling import nearest_others
from ._counts import ClusterCounts, estimated_errors

# Of the selecting rows, by which classifiers are cross-validated, too. With ten, bounds
# on six data sets were larger by 0.1 and 0.5 points, at 5 and 10% labels.
N_FOLDS = 5
# With one division, bounds of Ward's cuts and three classifiers in one list were larger,
# by 0.1, 0.3 and 0.0 points, than with four at random, at 5, 10 and 50% labels; by eight
# they were the same within 0.1 (26 data sets, ten draws, tried by hand).
N_DIVISIONS = 5


def fold_numbers(codes: NDArray[np.integer], division: int = 0) -> NDArray[np.integer]:
    """The fold of each selecting row; the rows are in random order, with class codes."""
    folds = np.empty(len(codes), dtype=int)
    # Each fold gets its share of each class: one of each five rows, by turns. So two of
    # 25 rows are in one fold in at most one division.
    turn, row = np.divmod(np.arange(len(codes)), N_FOLDS)
    folds[np.argsort(codes, kind="stable")] = (row + division * turn) % N_FOLDS
    return folds


class Folds(NamedTuple):
    """Selecting rows of one split, in the folds of several divisions."""

    rows: NDArray[np.integer]
    codes: NDArray[np.integer]  # classes among all
    columns: NDArray[np.integer]  # and among those of selecting rows; no class is last
    n_columns: int
    divisions: list[NDArray[np.integer]]  # folds of rows

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
        divisions = [fold_numbers(own, division) for division in range(N_DIVISIONS)]
        return cls(rows, own, columns, len(classes) + 1, divisions)

    def of_clustering(
        self, clusters: NDArray, counts: ClusterCounts, noise: int | None = None
    ) -> NDArray[np.floating]:
        """Errors that other folds let expect among their rows, and errors by fold.

        ``counts`` have the distances between clusters. ``noise`` is the cluster that is
        given no class, whose labels count as errors; they leave it out.
        """
        found: list[tuple[float, float]] = []
        n_clusters = int(clusters.max()) + 1
        for folds in self.divisions:
            tables = np.zeros((N_FOLDS, n_clusters, self.n_columns), dtype=np.int64)
            np.add.at(tables, (folds, clusters[self.rows], self.columns), 1)
            dropped = np.zeros(N_FOLDS, dtype=np.int64)
            if noise is not None:
                dropped = tables[:, noise].sum(axis=1)
                tables = np.delete(tables, noise, axis=1)
            for table, n_dropped in zip(tables, dropped, strict=True):
                others = tables.sum(axis=0) - table
                expected = estimated_errors(counts, others) + dropped.sum() - n_dropped
                wrong = table * _wrong_names(others, counts.distances)
                found.append((expected, wrong.sum() + n_dropped))
        return np.array(found).T

    def of_predictions(self, predicted: NDArray[np.integer]) -> NDArray[np.floating]:
        """The same of a classifier, by its cross-validated predictions."""
        wrong = predicted[self.rows] != self.codes
        by_division = [
            np.bincount(folds, wrong, minlength=N_FOLDS) for folds in self.divisions
        ]
        errors = np.concatenate(by_division)
        return np.stack([wrong.sum() - errors, errors])


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
