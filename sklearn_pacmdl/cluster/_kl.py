"""k-means of distributions by their Kullback-Leibler divergence."""

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_non_negative

from ..utils._checks import is_number, shown
from ._base import BaseKMeans, Parameters


class KLKMeans(BaseKMeans):
    """K-means of distributions by Kullback-Leibler divergence: information-theoretic.

    Rows are counts or weights, scaled to sum to 1; the center of a cluster is the mean
    of its rows, smoothed; a row is in the cluster whose center codes it shortest. Of all
    partitions into k clusters the best loses least mutual information between features
    and rows that are as likely as their weights say.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    smoothing : float, default=1.0
        Weight of a uniform row added to each cluster, above 0, so that a center gives
        each feature some probability and no divergence is infinite. Where it outweighs
        the rows of a small cluster, others may take them and leave it empty.
    init : {"k-means++", "random"}, array-like of shape (n_clusters, n_features) or \
            callable, default="k-means++"
        First centers: rows drawn one after the other by their divergence from those
        drawn before, rows drawn at random, or given; ``init(X, n_clusters,
        random_state=...)`` returns an array.
    n_init : "auto" or int, default="auto"
        Number of starts, of which the one with the best objective is kept. "auto" is 1
        for "k-means++" and for an array, 10 otherwise.
    max_iter : int, default=300
        Most iterations of one start.
    tol : float, default=1e-6
        A start ends when the mean divergence falls by no more bits than this in an
        iteration, and would fall by no more if rows moved one by one; or when no row
        moves.
    verbose : int, default=0
        1 prints a line for each start, 2 one for each iteration as well.
    random_state : int, RandomState instance or None, default=None
        Of the first centers.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        Centers: distributions, above 0.
    labels_ : ndarray of shape (n_samples,) of int32
        Cluster of each row, from 0. A row of zeros, which is no distribution and takes
        no part in the fit, is in cluster 0.
    inertia_ : float
        Sum of the divergences of rows from their centers in bits, weighted; lower is
        better.
    n_iter_ : int
        Iterations of the start that was kept.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where X has names that are strings.

    See Also
    --------
    SphericalKMeans : By the cosine.

    Notes
    -----
    A smoothing of a adds a * KL(uniform, center) to the objective for each center, and
    with this term no step makes it worse. Rows move as in :class:`SphericalKMeans`, by
    what the centers lose without them and gain with them: Lloyd's iterations would leave
    a document where its rare words are, which is where it is.

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

    def __init__(
        self,
        n_clusters=8,
        *,
        smoothing=1.0,
        init="k-means++",
        n_init="auto",
        max_iter=300,
        tol=1e-6,
        verbose=0,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.smoothing = smoothing
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.verbose = verbose
        self.random_state = random_state

    def _factors(self, X):
        check_non_negative(X, type(self).__name__)
        sums = np.asarray(X.sum(axis=1, dtype=np.float64)).ravel()
        usable = sums > np.finfo(np.float64).tiny
        return np.divide(1.0, sums, out=np.zeros_like(sums), where=usable)

    def _smoothed(self, sums, sizes):
        """Log2 of the centers: the rows' directions."""
        uniform = self.smoothing / sums.shape[0]
        return np.log2((sums + uniform) / (sizes + self.smoothing))

    def _seeds(self, columns):
        return self._smoothed(columns, 1.0)

    def _losses(self, rows, products):
        return np.maximum(rows.negative_entropies[:, None] - products, 0)

    def _place(self, rows, sums, sizes):
        return Parameters(self._smoothed(np.maximum(sums, 0), sizes))

    def _prior(self, rows, parameters):
        return self.smoothing * float(parameters.directions.mean(axis=0).sum())

    def _joining(self, rows, now):
        """Log2 of sums that have half of a row already, with usual values.

        To first order, at none of it, a word that a cluster does not know yet would keep
        every document out that has it.
        """
        half = rows.usual_values[:, None] * (rows.usual_weight / 2)
        uniform = self.smoothing / len(half)
        return np.log2(np.maximum(now.sums, 0) + half + uniform)

    def _exchange_scores(self, rows, batch, products, now):
        """Joining, nearly; staying, exactly."""
        half = rows.weight[batch, None] / 2
        scores = products - np.log2(now.sizes + self.smoothing + half)
        own = now.labels[batch]
        scores[np.arange(own.size), own] = self._staying(rows, batch, own, now)
        return scores

    def _staying(self, rows, batch, own, now):
        """What the objective loses where a row leaves, by unit of its weight."""
        weight = rows.weight[batch]
        row, feature, value = _entries(rows.X[batch])
        uniform = self.smoothing / now.sums.shape[0]
        before = now.sums[feature, own[row]] + uniform
        after = before - (weight * rows.factor[batch])[row] * value
        lost = _x_log2_x(before) - _x_log2_x(np.maximum(after, uniform))
        sizes = now.sizes[own] + self.smoothing
        lost = np.bincount(row, lost, own.size)
        left = np.maximum(sizes - weight, self.smoothing)
        lost -= _x_log2_x(sizes) - _x_log2_x(left)
        return np.divide(lost, weight, out=np.zeros_like(lost), where=weight > 0)

    def _centers(self, parameters):
        return np.exp2(super()._centers(parameters))

    def _keep(self, rows, run):
        super()._keep(rows, run)
        self.inertia_ = -self._score(rows, rows.products(run.parameters.directions))

    def transform(self, X):
        """Divergence of each row from each center.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows, at least 0.

        Returns
        -------
        divergences : ndarray of shape (n_samples, n_clusters)
            Kullback-Leibler divergences in bits, at least 0; 0 for a row of zeros.
        """
        rows, products = self._products_of(X)
        return self._losses(rows, products).astype(products.dtype, copy=False)

    def score(self, X, y=None, sample_weight=None):
        """Negative inertia of rows in the clusters that they are predicted to be in.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows, at least 0.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.

        Returns
        -------
        score : float
            Minus the sum of divergences in bits; at most 0, higher is better.
        """
        return self._score(*self._products_of(X, sample_weight))

    def _score(self, rows, products):
        return -float(rows.weight @ self._losses(rows, products).min(axis=1))

    def _check_parameters(self):
        super()._check_parameters()
        if not is_number(self.smoothing) or not self.smoothing > 0:
            raise ValueError(
                f"smoothing must be a number above 0, got {shown(self.smoothing)}."
            )

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags


def _x_log2_x(x):
    return x * np.log2(x)


def _entries(X):
    """Rows, features and values of what may not be 0."""
    if sparse.issparse(X):
        row = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
        return row, X.indices, X.data
    row, feature = np.nonzero(X)
    return row, feature, X[row, feature]
