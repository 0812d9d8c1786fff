"""The clusterer of any objective."""

from typing import Literal

import numpy as np

from ..utils._checks import invalid
from ._base import BaseKMeans, Init
from ._objective import Objective


class ObjectiveClusterer(BaseKMeans):
    """Clusterer by an objective of the user's own.

    Parameters
    ----------
    objective : Objective
        What the clustering maximizes.
    n_clusters : int, default=8
        Number of clusters.
    init : {"k-means++", "random"}, array-like of shape (n_clusters, n_features) or \
            callable, default="k-means++"
        First centers. "k-means++" draws rows one after the other, by their distance from
        those drawn before; "random" draws rows at random. A callable is called as
        ``init(X, n_clusters, random_state=...)`` and returns an array.
    n_init : "auto" or int, default="auto"
        Number of starts, of which the one with the best objective is kept. "auto" is 1
        for "k-means++" and for an array, 10 otherwise.
    max_iter : int, default=300
        Maximum number of iterations of one start.
    tol : float, default=1e-6
        A start ends when an iteration raises the objective, per unit of weight, by at
        most this much, and rows that moved one by one would raise it by at most this
        much; or when no row moves.
    verbose : int, default=0
        1 prints a line for each start, 2 also prints one for each iteration.
    random_state : int, RandomState instance or None, default=None
        Seed of the first centers.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        Centers, as the objective shows them.
    labels_ : ndarray of shape (n_samples,) of int32
        Cluster of each row, from 0.
    objective_ : float
        Value of the objective per unit of weight; higher is better.
    inertia_ : float
        Weighted sum of the distances of rows from their centers; lower is better.
    n_iter_ : int
        Number of iterations of the start that was kept.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features, where X has names that are strings.

    See Also
    --------
    Objective : What an objective has to say, with a complete example.
    SphericalKMeans : By the cosine.
    KLKMeans : By the Kullback-Leibler divergence.

    Examples
    --------
    Squared distances in which the second feature counts a hundredfold:

    >>> import numpy as np
    >>> from sklearn_pacmdl.cluster import Clusters, Objective, ObjectiveClusterer
    >>> class WeightedSquares(Objective):
    ...     weights = np.array([[1.0], [100.0]])  # of the features
    ...
    ...     def place(self, rows, sums, sizes):
    ...         means = sums / sizes
    ...         bias = -np.sum(self.weights * means**2, axis=0)
    ...         return Clusters(2 * self.weights * means, bias=bias)
    ...
    ...     def distances(self, rows, products, clusters):
    ...         squares = rows.X**2 @ self.weights
    ...         return np.maximum(squares - clusters.scores(products), 0)
    >>> X = [[0, 0], [5, 0], [0, 1], [5, 1]]
    >>> ObjectiveClusterer(WeightedSquares(), 2, random_state=0).fit_predict(X)
    array([1, 1, 0, 0], dtype=int32)
    """

    objective_: float

    def __init__(
        self,
        objective: Objective,
        n_clusters: int = 8,
        *,
        init: Init = "k-means++",
        n_init: Literal["auto"] | int = "auto",
        max_iter: int = 300,
        tol: float = 1e-6,
        verbose: int = 0,
        random_state: np.random.RandomState | int | None = None,
    ):
        self.objective = objective
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.verbose = verbose
        self.random_state = random_state

    def _make_objective(self):
        return self.objective

    def _keep(self, rows, objective, run):
        super()._keep(rows, objective, run)
        self.objective_ = run.values[-1]

    def _check_parameters(self):
        super()._check_parameters()
        if not isinstance(self.objective, Objective):
            raise invalid("objective", "an instance of Objective", self.objective)
