"""k-means on the unit sphere, plain and balanced, and objectives of unit rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from scipy import sparse
from sklearn.utils.extmath import row_norms

from ..utils._checks import check_number
from ._kmeans import BaseKMeans
from ._objective import Clusters, Objective
from ._von_mises_fisher import (
    MAX_CONCENTRATION,
    concentration,
    log_normalizer,
    mean_resultant_length,
)

# Concentration k / d with the largest k A_d'(k). For many features, A_d(k) approaches
# (sqrt(1 + z^2) - 1) / z with z = 2 k / d; the maximum is at z^2 = (1 + sqrt(5)) / 2. On
# blobs of 600, 300 and 100 rows (50 and 200 features, concentrations of 0.3 and 0.4 per
# feature) the largest cluster has 1.08 to 1.20 times the mean size. With a quarter of the
# constant, or four times as much, it has 1.23 to 1.42 times the mean size.
BALANCING = ((1 + 5**0.5) / 2) ** 0.5 / 2


class Directional(Objective):
    """What objectives of rows of unit length share: cosines, and exact exchanges."""

    def row_factors(self, X):
        norms = row_norms(X).astype(np.float64)
        lost = np.flatnonzero((norms == 0) | np.isinf(norms))
        if lost.size:  # rows of zeros, and those whose squares leave the range of floats
            rows = X[lost].astype(np.float64)
            ends = [rows.max(axis=1), -rows.min(axis=1)]
            ends = [end.toarray() if sparse.issparse(end) else end for end in ends]
            largest = np.max(ends, 0).ravel()  # which is taken out of the squares
            largest[largest < np.finfo(np.float64).tiny] = 1.0
            norms[lost] = largest * row_norms(sparse.diags_array(1 / largest) @ rows)
        usable = norms > np.finfo(np.float64).tiny
        return np.divide(1.0, norms, out=np.zeros_like(norms), where=usable)

    def distances(self, rows, products, clusters):
        """Cosine distances, from 0 to 2."""
        return np.clip(1 - products, 0, 2)

    def exchange_scores(self, rows, batch, products, now):
        """By the lengths of sums with a row more, and at its own cluster with it less."""
        dtype = products.dtype
        lengths = np.maximum(now.clusters.lengths, np.finfo(dtype).tiny).astype(dtype)
        each, current = np.arange(len(products)), now.labels[batch]
        cosines = products[each, current]
        # A number in place of a column: 7% of a fit of 20,000 x 128 dense rows, k = 50.
        if rows.weights_are_equal:
            weight = row_weight = dtype.type(rows.usual_weight)
        else:
            row_weight = rows.weight[batch].astype(dtype)
            weight = row_weight[:, None]
        gained = _by_unit_of_weight(lengths, weight, products)
        gained[each, current] = _by_unit_of_weight(lengths[current], -row_weight, cosines)
        return now.clusters.scores(gained)


@dataclass
class Cosine(Directional):
    """Sum of the cosines of rows with the centers of their clusters."""

    def place(self, rows, sums, sizes):
        directions, lengths = _unit_columns(sums)
        return Clusters(directions, lengths=lengths)


@dataclass
class FrequencySensitive(Directional):
    """Log density of rows whose concentration is inverse to the size of the cluster."""

    concentration: float | None = None  # of a cluster of average size

    first = Cosine()
    # Each move changes what the sizes say, but hardly the directions. On documents (k =
    # 10) the mean likelihood rises up to 20 rounds; 50 or 200 change nothing. One round
    # takes 20 to 40% less time there, but twice the iterations on overlapping blobs.
    n_rounds = 20
    keeps_labels = True

    def place(self, rows, sums, sizes):
        """Scores are what the likelihood gains by a unit of a row in a cluster."""
        n_features, k = sums.shape
        directions, lengths = _unit_columns(sums)
        average = self.concentration
        if average is None:
            average = BALANCING * n_features
        kappa = average * rows.total_weight / k / sizes
        kappa = np.minimum(kappa, MAX_CONCENTRATION)
        mean_length = mean_resultant_length(n_features, kappa)
        bias = log_normalizer(n_features, kappa) + kappa * (mean_length - lengths / sizes)
        # The value is the likelihood itself: without what the bias has of gains.
        prior = float(kappa @ (lengths - mean_length * sizes))
        return Clusters(directions, kappa, bias, lengths, prior)

    def exchange_scores(self, rows, batch, products, now):
        """Rows count as part of their cluster, or the likelihood isolates single rows."""
        return now.clusters.scores(products)


@dataclass
class VonMisesFisher(Directional):
    """Log density of rows in a mixture, and of its concentrations a priori."""

    assignment: Literal["hard", "soft"] = "soft"
    pseudo_count: float = 1.0
    # Mean cosine of rows with their center, towards which concentrations are drawn; not
    # a number until the first start sets it, for all starts, so that values compare.
    typical_length: float = np.nan

    first = Cosine()

    def place(self, rows, sums, sizes):
        n_features = sums.shape[0]
        directions, lengths = _unit_columns(sums)
        weights = sizes + self.pseudo_count
        drawn = lengths + self.pseudo_count * self.typical_length
        means = np.divide(drawn, weights, out=np.zeros_like(weights), where=weights > 0)
        kappa = concentration(n_features, means)
        with np.errstate(divide="ignore"):  # a component without rows
            log_weights = np.log(sizes / rows.total_weight)
        log_normalizers = log_normalizer(n_features, kappa)
        log_density = log_normalizers + kappa * self.typical_length
        prior = self.pseudo_count * float(log_density.sum())
        return Clusters(directions, kappa, log_normalizers + log_weights, lengths, prior)


def _by_unit_of_weight(length, weight, cosine):
    """(|s + w x| - |s|) / w for sums s of some length and unit rows x at some angle.

    As (2 |s| cosine + w) / (|s + w x| + |s|), which does not cancel; |s| is positive.
    """
    doubled = (2 * length) * cosine
    after = doubled * weight
    after += length**2 + weight**2
    np.sqrt(np.maximum(after, 0, out=after), out=after)
    after += length
    doubled += weight
    doubled /= after
    return doubled


def _unit_columns(sums):
    """Columns of unit norm, and their norms; a column of zeros stays."""
    norms = np.sqrt(np.einsum("ij,ij->j", sums, sums))
    return sums / np.where(norms > 0, norms, 1.0), norms


@dataclass(eq=False, repr=False, kw_only=True)
class SphericalKMeans(BaseKMeans):
    """K-means on the unit sphere: each cluster has rows that point the same way.

    Maximizes the sum of the cosines between rows and the centers of their clusters. A
    center is the mean of the unit rows of its cluster, scaled to unit length. This is
    the usual choice for documents (tf-idf) and embeddings.

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
    tol : float, default=1e-8
        A start ends when no row moves, or when the mean cosine rises by at most this
        much both in an iteration and if rows moved one by one.
    random_state : int, RandomState instance or None, default=None
        Seed of the first centers.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        Centers, of unit length.
    labels_ : ndarray of shape (n_samples,) of int32
        Cluster of each row, from 0. A row of zeros, which has no direction and takes no
        part in the fit, is in cluster 0.
    inertia_ : float
        Weighted sum of the cosine distances of rows from their centers, at least 0; lower
        is better.
    n_iter_ : int
        Number of iterations of the start that was kept, counted in the same way.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features, if these are strings.

    Notes
    -----
    The sum of the cosines of a cluster is the length of the sum of its rows. A row moves
    if that raises the total length of the two sums it leaves and joins [3]_. All gaining
    rows move at once; if the objective then does not rise, only the half with the largest
    gains moves, or half of those, and so on. Lloyd's iterations compare a row with a
    center that includes the row, and stop too early with many features and few rows.

    Sparse data are never made dense. Besides X the fit needs a few arrays of shape
    (n_samples, n_clusters) and (n_features, n_clusters), and a copy of the rows that
    move, at most a third of X. Data that are not in row-major order, or that hold an
    entry in several parts, are copied as a whole. No cluster is left empty, except where
    rows are duplicates.

    References
    ----------
    .. [1] I. S. Dhillon and D. S. Modha, "Concept decompositions for large sparse text
           data using clustering", Machine Learning 42, 2001.
    .. [2] D. Arthur and S. Vassilvitskii, "k-means++: the advantages of careful seeding",
           SODA 2007.
    .. [3] I. S. Dhillon, Y. Guan and J. Kogan, "Iterative clustering of high dimensional
           text data augmented by local search", ICDM 2002.

    Examples
    --------
    >>> from sklearn_pacmdl.cluster import SphericalKMeans
    >>> X = [[1, 0], [3, 0.1], [0, 2], [0.1, 9]]
    >>> SphericalKMeans(n_clusters=2, random_state=0).fit_predict(X)
    array([1, 1, 0, 0], dtype=int32)
    """

    # The default of tol: small gains open the way for larger ones. Of 100 starts on
    # classic3, cmu-different-1000 and cmu-same-1000 (k = 3), 100, 100 and 99 end within a
    # relative 1e-5 of the end with tol=0; with 1e-6 99, 99 and 73 do.
    tol: float = 1e-8
    n_clusters: int = field(default=8, kw_only=False)

    def _make_objective(self):
        return Cosine()


@dataclass(eq=False, repr=False, kw_only=True)
class FrequencySensitiveKMeans(BaseKMeans):
    """Spherical k-means that brings the sizes of clusters into balance.

    A mixture of von Mises-Fisher distributions with hard assignments: the concentration
    of a cluster is inversely proportional to its size.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    init : {"k-means++", "random"} or array-like of shape (n_clusters, n_features), \
            default="k-means++"
        First centers of spherical k-means, which runs first.
    n_init : "auto" or int, default="auto"
        Number of starts, of which the one with the best objective is kept. "auto" is 1
        for "k-means++" and for an array, 10 otherwise.
    max_iter : int, default=300
        Maximum number of iterations of one start, besides a first spherical k-means.
    tol : float, default=1e-6
        A start ends when no row moves, or when the mean log density rises by at most
        this much both in an iteration and if rows moved one by one.
    random_state : int, RandomState instance or None, default=None
        Seed of the first centers.
    concentration : float, default=None
        Concentration of a cluster of average size, greater than 0; by default 0.636 times
        the number of features, which balances sizes most.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        Centers, of unit length.
    concentrations_ : ndarray of shape (n_clusters,)
        Concentration of each cluster.
    labels_ : ndarray of shape (n_samples,) of int32
        Fitted cluster of each row, from 0. ``predict`` takes the sizes of the clusters as
        fixed and can therefore differ.
    log_likelihood_ : float
        Weighted sum of the log densities of rows, in nats; higher is better.
    inertia_ : float
        Weighted sum of the cosine distances, at least 0, of rows from the centers of the
        clusters by ``predict``; lower is better.
    n_iter_ : int
        Number of iterations of the start that was kept, counted in the same way.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features, if these are strings.

    Notes
    -----
    For cluster h, n_h is its size, and T_h the sum of the cosines of its rows with its
    center m_h. With c, the concentration times the average size, and the normalizer C_d
    of the density, the likelihood is

        L = sum_h n_h log C_d(c / n_h) + c T_h / n_h.

    With the mean resultant length A_d, a row x raises L most (to first order) in the
    cluster with the largest

        k_h (m_h'x) + log C_d(k_h) + k_h (A_d(k_h) - T_h / n_h),  k_h = c / n_h.

    Starting from spherical k-means, rows move by this
    rule, so that L rises in every step. Overlapping clusters exchange rows until their
    sizes are even; separate ones mostly keep their rows. [1]_ counts sizes row by row.

    References
    ----------
    .. [1] A. Banerjee and J. Ghosh, "Frequency-sensitive competitive learning for
           scalable balanced clustering on high-dimensional hyperspheres", IEEE
           Transactions on Neural Networks 15(3), 2004.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_pacmdl.cluster import FrequencySensitiveKMeans
    >>> from sklearn_pacmdl.datasets import make_vmf_blobs
    >>> X, _ = make_vmf_blobs([600, 300, 100], 50, concentration=30, random_state=0)
    >>> np.bincount(FrequencySensitiveKMeans(3, random_state=0).fit_predict(X))
    array([387, 300, 313])
    """

    n_clusters: int = field(default=8, kw_only=False)
    concentration: float | None = None

    _min_features = 2

    def _make_objective(self):
        return FrequencySensitive(self.concentration)

    def _keep(self, rows, objective, run):
        super()._keep(rows, objective, run)
        self.concentrations_ = run.clusters.gain
        self.log_likelihood_ = run.values[-1] * rows.total_weight

    def _check_parameters(self):
        super()._check_parameters()
        if self.concentration is not None:
            check_number("concentration", self.concentration, above=0)
