"""k-means of distributions by Kullback-Leibler divergence, and what all k-means share."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.utils.validation import check_non_negative

from ..utils._checks import check_number
from ._clusterer import BaseClusterer
from ._objective import Clusters, Objective
from ._scaled_rows import batches


class BaseKMeans(BaseClusterer):
    """Clusterers whose fit is judged by the distances of rows from their centers."""

    def _keep(self, rows, objective, run):
        super()._keep(rows, objective, run)
        self.inertia_ = self._inertia(rows)

    def _inertia(self, rows):
        inertia, directions = 0.0, rows.as_factor(self._clusters.directions)
        for batch in batches(len(rows.weight), rows.batch_size):
            part = rows.part(batch)
            products = part.products(directions)
            labels = self._clusters.scores(products).argmax(axis=1)
            distances = self._objective.distances(part, products, self._clusters)
            inertia += part.weight @ distances[np.arange(labels.size), labels]
        return float(inertia)

    def score(
        self, X: Any, y: None = None, sample_weight: ArrayLike | None = None
    ) -> float:
        """Negative inertia of rows in the clusters that ``predict`` gives.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows; float32 and float64 are kept, sparse data are never made dense.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows, at least 0; by default each weight is 1.

        Returns
        -------
        score : float
            Minus the weighted sum of the distances of rows from the centers of their
            clusters; at most 0, higher is better.
        """
        return -self._inertia(self._rows_of(X, sample_weight))


@dataclass
class KullbackLeibler(Objective):
    """Minus the code length of rows by the smoothed means of their clusters, in bits."""

    smoothing: float

    def row_factors(self, X):
        check_non_negative(X, KLKMeans.__name__)
        sums = np.asarray(X.sum(axis=1, dtype=np.float64)).ravel()
        usable = sums > np.finfo(np.float64).tiny
        return np.divide(1.0, sums, out=np.zeros_like(sums), where=usable)

    def place(self, rows, sums, sizes):
        # Sums that rows have left may be negative by rounding.
        smoothed = np.maximum(sums, 0) + self.smoothing / sums.shape[0]
        logs = np.log2(smoothed / (sizes + self.smoothing))
        # The uniform row that is part of each center is coded by it, too.
        return Clusters(logs, prior=self.smoothing * float(logs.mean(axis=0).sum()))

    def distances(self, rows, products, clusters):
        """Divergences in bits."""
        return np.maximum(rows.negative_entropies[:, None] - products, 0)

    def joining_directions(self, rows, now):
        """Log2 of sums that have half of a row already, with usual values."""
        # Midpoint rule: at weight 0, a new word would keep documents out of a cluster.
        half = rows.usual_values[:, None] * (rows.usual_weight / 2)
        uniform = self.smoothing / len(half)
        return np.log2(np.maximum(now.sums, 0) + half + uniform)

    def exchange_scores(self, rows, batch, products, now):
        """Joining, nearly; staying, exactly."""
        half = rows.weight[batch, None] / 2
        scores = products - np.log2(now.sizes + self.smoothing + half)
        # What the objective loses if a row leaves, per unit of its weight.
        current, weight = now.labels[batch], rows.weight[batch]
        entries = sparse.coo_array(rows.X[batch])
        (row, feature), value = entries.coords, entries.data
        uniform = self.smoothing / now.sums.shape[0]
        before = now.sums[feature, current[row]] + uniform
        after = before - (weight * rows.factor[batch])[row] * value
        lost = _x_log2_x(before) - _x_log2_x(np.maximum(after, uniform))
        sizes = now.sizes[current] + self.smoothing
        lost = np.bincount(row, lost, current.size)
        remaining = np.maximum(sizes - weight, self.smoothing)
        lost -= _x_log2_x(sizes) - _x_log2_x(remaining)
        lost = np.divide(lost, weight, out=np.zeros_like(lost), where=weight > 0)
        scores[np.arange(current.size), current] = lost
        return scores

    def centers(self, clusters):
        return np.exp2(super().centers(clusters))


def _x_log2_x(x):
    return x * np.log2(x)


@dataclass(eq=False, repr=False, kw_only=True)
class KLKMeans(BaseKMeans):
    """K-means of distributions by Kullback-Leibler divergence: information-theoretic.

    Rows are counts or weights, which are scaled to sum to 1. The center of a cluster is
    the smoothed mean of its rows, and a row is in the cluster whose center has the least
    divergence from it, in bits. Without smoothing, the best partition into k clusters is
    the one that loses the least mutual information between features and rows.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    init : {"k-means++", "random"} or array-like of shape (n_clusters, n_features), \
                default="k-means++"
        First centers. "k-means++" draws rows one after the other, by their distance from
        those drawn before; "random" draws rows at random.
    n_init : "auto" or int, default="auto"
        Number of starts, of which the one with the best objective is kept. "auto" is 1
        for "k-means++" and for an array, 10 otherwise.
    max_iter : int, default=300
        Maximum number of iterations of one start, besides a first spherical k-means.
    tol : float, default=1e-6
        A start ends when no row moves, or when the mean divergence falls by at most this
        many bits both in an iteration and if rows moved one by one.
    random_state : int, RandomState instance or None, default=None
        Seed of the first centers.
    smoothing : float, default=1.0
        Weight of a uniform row that is added to each cluster, greater than 0, so that a
        center gives each feature some probability and no divergence is infinite. If it
        outweighs the rows of a small cluster, that may lose them all.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        Centers: distributions, with all probabilities greater than 0.
    labels_ : ndarray of shape (n_samples,) of int32
        Cluster of each row, from 0. A row of zeros, which is no distribution and takes
        no part in the fit, is in cluster 0.
    inertia_ : float
        Weighted sum of the divergences of rows from their centers, in bits; lower is
        better.
    n_iter_ : int
        Number of iterations of the start that was kept, counted in the same way.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features, if these are strings.

    Notes
    -----
    A smoothing of a adds a * KL(uniform, center) to the objective for each center; with
    this term no step makes the objective worse. Rows move as in
    :class:`SphericalKMeans`, by what the centers lose without them and gain with them.
    Weighting rows by their sums (``sample_weight=X.sum(axis=1)``) makes the inertia the
    lost mutual information of [1]_ times the sum of X, as the smoothing goes to 0.

    References
    ----------
    .. [1] I. S. Dhillon, S. Mallela and R. Kumar, "A divisive information-theoretic
           feature clustering algorithm for text classification", Journal of Machine
           Learning Research 3, 2003.

    Examples
    --------
    >>> from sklearn_pacmdl.cluster import KLKMeans
    >>> X = [[8, 1, 1], [5, 2, 0], [0, 1, 9], [1, 0, 3]]
    >>> KLKMeans(n_clusters=2, random_state=0).fit_predict(X)
    array([1, 1, 0, 0], dtype=int32)
    """

    n_clusters: int = field(default=8, kw_only=False)
    smoothing: float = 1.0

    _why_fewer = "duplicate points in X, or to smoothing that outweighs small clusters"

    def _make_objective(self):
        return KullbackLeibler(self.smoothing)

    def _check_parameters(self):
        super()._check_parameters()
        check_number("smoothing", self.smoothing, above=0)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags
