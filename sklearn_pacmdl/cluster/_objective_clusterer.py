"""The clusterer of any objective."""

from typing import Literal

import numpy as np

from ..utils._checks import invalid
from ._base import BaseKMeans, Init, documented
from ._objective import Objective


@documented
class ObjectiveClusterer(BaseKMeans):
    """Clusterer by a user-defined objective.

    Parameters
    ----------
    objective : Objective
        What the clustering maximizes.
    {n_clusters}
    {init}
    {n_init}
    {max_iter}
    tol : float, default=1e-6
        A start ends when no row moves, or when the objective per unit of weight rises by
        at most this much both in an iteration and if rows moved one by one.
    {verbose}
    {random_state}

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
    {n_iter_}
    {n_features_in_}
    {feature_names_in_}

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
