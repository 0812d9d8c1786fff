"""The contract of an objective: what a cluster is and what a move of rows gains."""

from abc import ABC, abstractmethod
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._scaled_rows import Rows


class Clusters(NamedTuple):
    """Models of k clusters: a row x is in the one with the highest score.

    The score is ``gain * (x @ direction) + bias``.
    """

    directions: NDArray[Any]  # (n_features, k)
    gain: Any = 1.0
    bias: Any = 0.0
    # Product of each direction with the sum of the rows of its cluster, if known.
    lengths: Any = None
    prior: float = 0.0  # term of the value that depends on the clusters alone

    def scores(self, products: NDArray[Any]) -> NDArray[Any]:
        """Of rows, by their products with the directions; not a copy if these."""
        if np.ndim(self.gain) == np.ndim(self.bias) == 0 and self[1:3] == (1, 0):
            return products
        return products * self.gain + self.bias


class Partition(NamedTuple):
    """Where a climb stands: labels, sums and sizes of clusters, and their value."""

    labels: NDArray[np.int32]
    sums: NDArray[np.float64]  # (n_features, k)
    sizes: NDArray[np.float64]  # weight of the rows of each cluster
    clusters: Clusters
    value: float  # of the objective, per unit of weight
    n_moved: int = 0  # rows that moved since the partition before
    n_held: int = 0  # rows that would gain by a move of their own but were held back
    promised: float = 0.0  # sum of what each row would gain alone, per unit of weight


class Objective(ABC):
    """What a clustering maximizes.

    The value of a clustering is the sum of the scores of the rows in their clusters,
    each times the weight of its row, plus a term for the clusters themselves. "Rows" are
    rows of X times their factors.
    """

    # Clusters share rows by the softmax of their scores if the assignment is soft.
    assignment: Literal["hard", "soft"] = "hard"
    # The objective whose clustering this one starts from; it draws the first centers.
    first: "Objective | None" = None
    # Rounds of moves for one product of the rows with the directions.
    n_rounds: int = 1
    # Whether rows of the fit keep the labels of the last move where `predict` differs.
    keeps_labels: bool = False

    @abstractmethod
    def row_factors(self, X: Any) -> NDArray[np.float64]:
        """Factor of each row; a row with factor 0 takes no part in the fit."""

    @abstractmethod
    def place(self, rows: Rows, sums: NDArray[Any], sizes: NDArray[Any]) -> Clusters:
        """Clusters that are best for the weighted sums and sizes of their rows."""

    @abstractmethod
    def distances(
        self, rows: Rows, products: NDArray[Any], clusters: Clusters
    ) -> NDArray[Any]:
        """Distance of each row from each cluster, 0 where the row is the center."""

    def joining_directions(self, rows: Rows, now: Partition) -> NDArray[Any]:
        """Directions whose products with the rows :meth:`exchange_scores` receives."""
        return now.clusters.directions

    @abstractmethod
    def exchange_scores(
        self, rows: Rows, batch: slice, products: NDArray[Any], now: Partition
    ) -> NDArray[Any]:
        """Gain of rows, by unit of weight, if they join a cluster or stay in their own.

        The products may be overwritten.
        """

    def centers(self, clusters: Clusters) -> NDArray[Any]:
        """Centers as users see them, in ``cluster_centers_``."""
        return np.ascontiguousarray(clusters.directions.T)
