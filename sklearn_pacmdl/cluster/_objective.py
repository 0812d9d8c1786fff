"""The contract of an objective: what a cluster is and what a move of rows gains."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._scaled_rows import Rows


class Clusters(NamedTuple):
    """Models of k clusters, in which the score of a row is linear in the row.

    The score of a row x in a cluster is ``gain * (x @ direction) + bias``; the row
    belongs to the cluster where its score is highest. See :class:`Objective`.

    Parameters
    ----------
    directions : ndarray of shape (n_features, k)
        Direction of each cluster, in columns.
    gain : ndarray of shape (k,) or float, default=1.0
        Factor of the product of a row with the direction.
    bias : ndarray of shape (k,) or float, default=0.0
        Score of a row of zeros.
    lengths : ndarray of shape (k,), default=None
        Product of each direction with the sum of the rows of its cluster, where the
        objective has computed it anyway.
    prior : float, default=0.0
        Term of the value that depends on the clusters alone; higher is better.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_pacmdl.cluster import Clusters
    >>> clusters = Clusters(np.eye(2), bias=np.array([0.0, 1.0]))
    >>> clusters.scores(np.array([[3, 4]]) @ clusters.directions)
    array([[3., 5.]])
    """

    directions: NDArray[Any]
    gain: Any = 1.0
    bias: Any = 0.0
    lengths: Any = None
    prior: float = 0.0

    def scores(self, products: NDArray[Any]) -> NDArray[Any]:
        """Score of each row in each cluster.

        Parameters
        ----------
        products : ndarray of shape (n_samples, k)
            Products of the rows with the directions.

        Returns
        -------
        scores : ndarray of shape (n_samples, k)
            Higher is better. They are the products themselves, not a copy, if there is
            neither gain nor bias.
        """
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
    """What a clustering maximizes; subclasses are clustered by ObjectiveClusterer.

    The value of a clustering is the weighted sum of the scores of the rows in their
    clusters, plus a term for the clusters themselves. A subclass has to say which
    clusters are best for given rows (:meth:`place`) and how far rows are from them
    (:meth:`distances`). With only these, rows move by their scores as in Lloyd's
    algorithm; :meth:`exchange_scores` makes the moves exact.

    The methods receive the data as an object ``rows``, which may not be written to. Its
    ``rows.X`` is an array or CSR matrix of shape (n_samples, n_features), and
    ``rows.factor`` that of :meth:`row_factors`. The weights ``rows.weight`` are 0 for
    rows with factor 0, and ``rows.total_weight`` is their sum. All rows are times their
    factors.

    Attributes
    ----------
    assignment : {"hard", "soft"}, default="hard"
        Whether each row is in one cluster, or clusters share it by the softmax of its
        scores, which then are log densities (expectation maximization).
    first : Objective, default=None
        Objective whose clustering this one starts from; it also draws the first centers.
    n_rounds : int, default=1
        Maximum number of rounds of moves for one product of the rows with the
        directions, for moves that hardly change these.
    keeps_labels : bool, default=False
        Whether rows of ``fit`` keep the labels of the last move where the highest score,
        and so ``predict``, says otherwise.

    Examples
    --------
    The objective of k-means:

    >>> import numpy as np
    >>> from sklearn.utils.extmath import row_norms
    >>> from sklearn_pacmdl.cluster import Clusters, Objective, ObjectiveClusterer
    >>> class SquaredDistances(Objective):
    ...     def place(self, rows, sums, sizes):
    ...         means = sums / sizes
    ...         return Clusters(means, gain=2.0, bias=-np.sum(means**2, axis=0))
    ...
    ...     def distances(self, rows, products, clusters):
    ...         squares = row_norms(rows.X, squared=True)[:, None]
    ...         return np.maximum(squares - clusters.scores(products), 0)
    >>> X = [[0, 0], [0, 1], [9, 8], [9, 9]]
    >>> clusterer = ObjectiveClusterer(SquaredDistances(), 2, random_state=0).fit(X)
    >>> clusterer.inertia_
    1.0
    """

    assignment: Literal["hard", "soft"] = "hard"
    first: Objective | None = None
    n_rounds: int = 1
    keeps_labels: bool = False

    def __repr__(self) -> str:
        parameters = ", ".join(f"{name}={value!r}" for name, value in vars(self).items())
        return f"{type(self).__name__}({parameters})"

    @abstractmethod
    def place(self, rows: Rows, sums: NDArray[Any], sizes: NDArray[Any]) -> Clusters:
        """Clusters that are best for given rows.

        First clusters are of one row each, or of one center times its factor.

        Parameters
        ----------
        rows : Rows
            Some of the rows of the data, one after the other, or all of them.
        sums : ndarray of shape (n_features, k)
            Weighted sum of the rows of each cluster.
        sizes : ndarray of shape (k,)
            Weight of the rows of each cluster; positive if the assignment is hard.

        Returns
        -------
        clusters : Clusters
            The clusters.
        """

    @abstractmethod
    def distances(
        self, rows: Rows, products: NDArray[Any], clusters: Clusters
    ) -> NDArray[Any]:
        """Distance of each row from each cluster.

        It draws first centers, ``transform`` returns it, and ``inertia_`` is its sum.

        Parameters
        ----------
        rows : Rows
            The data.
        products : ndarray of shape (n_samples, k)
            Products of the rows with the directions of the clusters.
        clusters : Clusters
            The clusters.

        Returns
        -------
        distances : ndarray of shape (n_samples, k)
            At least 0, and 0 where the row is the center.
        """

    def row_factors(self, X: Any) -> NDArray[np.float64]:
        """Factor by which each row is multiplied, such as one over its length.

        Parameters
        ----------
        X : {ndarray, sparse matrix} of shape (n_samples, n_features)
            Data.

        Returns
        -------
        factors : ndarray of shape (n_samples,)
            At least 0; a row with factor 0 takes no part in the fit.

        Raises
        ------
        ValueError
            If the objective is not defined for such rows.
        """
        return np.ones(X.shape[0])

    def joining_directions(self, rows: Rows, now: Clustering) -> NDArray[Any]:
        """Directions whose products with the rows :meth:`exchange_scores` receives.

        Parameters
        ----------
        rows : Rows
            The data.
        now : Clustering
            Labels, sums, sizes and clusters before the move.

        Returns
        -------
        directions : ndarray of shape (n_features, k)
            A column depends on the sum and the size of its own cluster alone.
        """
        return now.clusters.directions

    def exchange_scores(
        self, rows: Rows, batch: slice, products: NDArray[Any], now: Clustering
    ) -> NDArray[Any]:
        """What rows gain by joining each cluster and, in their own, by staying.

        By default these are the scores of the rows, as if no row were part of its center.

        Parameters
        ----------
        rows : Rows
            The data.
        batch : slice
            The rows to score.
        products : ndarray of shape (n_batch, k)
            Products of these rows with :meth:`joining_directions`; may be overwritten.
        now : Clustering
            Labels, sums, sizes and clusters before the move.

        Returns
        -------
        scores : ndarray of shape (n_batch, k)
            Gain of the value per unit of weight of the row; a row moves where this is
            higher than in its own cluster.
        """
        return now.clusters.scores(products)

    def centers(self, clusters: Clusters) -> NDArray[Any]:
        """Centers as users see them, in ``cluster_centers_``.

        Parameters
        ----------
        clusters : Clusters
            The clusters.

        Returns
        -------
        centers : ndarray of shape (k, n_features)
            By default the directions.
        """
        return np.ascontiguousarray(clusters.directions.T)
