"""The contract of an objective: what a cluster is and what a move of rows gains."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._scaled_rows import Rows


class Clusters(NamedTuple):
    """Models of k clusters, in which the score of a row is linear in the row.

    The score of a row x is ``gain * (x @ direction) + bias``; higher is better.
    """

    directions: NDArray[Any]  # (n_features, k)
    gain: Any = 1.0  # by cluster, or of all
    bias: Any = 0.0  # score of a row of zeros, likewise
    # Products of directions with sums of rows, where they are computed anyway.
    lengths: Any = None
    prior: float = 0.0  # term of the value that depends on the clusters alone

    def scores(self, products: NDArray[Any]) -> NDArray[Any]:
        """Scores of rows in clusters, from products of shape (n_rows, k), or these."""
        if np.ndim(self.gain) == np.ndim(self.bias) == 0 and self[1:3] == (1, 0):
            return products
        return products * self.gain + self.bias


class Clustering(NamedTuple):
    """Where a climb stands: labels, sums and sizes of clusters, and their value."""

    labels: NDArray[np.int32]
    sums: NDArray[np.float64]  # (n_features, k)
    sizes: NDArray[np.float64]  # weight of the rows of each cluster
    clusters: Clusters
    value: float  # of the objective, per unit of weight
    n_moved: int = 0  # rows that moved since the clustering before
    n_held: int = 0  # rows that would gain by a move of their own but were held back
    promised: float = 0.0  # sum of what each row would gain alone, per unit of weight


class Objective(ABC):
    """What a clustering maximizes: scores of the rows, and a term of the clusters.

    With :meth:`place` and :meth:`distances` alone, rows move by their scores as in
    Lloyd's algorithm; :meth:`exchange_scores` makes the moves exact. All rows are times
    their factors, and weights are 0 for rows with factor 0.
    """

    # With "soft", clusters share rows by the softmax of their scores: log densities.
    assignment: Literal["hard", "soft"] = "hard"
    # Objective whose clustering this one starts from; it also draws the first centers.
    first: Objective | None = None
    # Rounds of moves for one product of rows with directions that these hardly change.
    n_rounds: int = 1
    # Whether ``fit`` keeps the labels of the last move where ``predict`` says otherwise.
    keeps_labels: bool = False

    def __repr__(self) -> str:
        parameters = ", ".join(f"{name}={value!r}" for name, value in vars(self).items())
        return f"{type(self).__name__}({parameters})"

    @abstractmethod
    def place(self, rows: Rows, sums: NDArray[Any], sizes: NDArray[Any]) -> Clusters:
        """Clusters that are best for weighted sums of rows, with weights ``sizes``.

        First clusters are of one row each, or of one center times its factor.
        """

    @abstractmethod
    def distances(
        self, rows: Rows, products: NDArray[Any], clusters: Clusters
    ) -> NDArray[Any]:
        """Distances, at least 0, from products of the rows with the directions.

        They draw first centers, ``transform`` returns them, ``inertia_`` is their sum.
        """

    def row_factors(self, X: Any) -> NDArray[np.float64]:
        """Factor of each row, such as one over its length; rows with 0 take no part.

        A ValueError says that the objective is not defined for such rows.
        """
        return np.ones(X.shape[0])

    def joining_directions(self, rows: Rows, now: Clustering) -> NDArray[Any]:
        """Directions whose products with the rows :meth:`exchange_scores` receives.

        A column depends on the sum and the size of its own cluster alone.
        """
        return now.clusters.directions

    def exchange_scores(
        self, rows: Rows, batch: slice, products: NDArray[Any], now: Clustering
    ) -> NDArray[Any]:
        """What rows gain by joining each cluster and, in their own, by staying.

        By unit of their weight, and by default as if no row were part of its center. The
        products, of the batch with the joining directions, may be overwritten.
        """
        return now.clusters.scores(products)

    def centers(self, clusters: Clusters) -> NDArray[Any]:
        """Centers as users see them, of shape (k, n_features)."""
        return np.ascontiguousarray(clusters.directions.T)
