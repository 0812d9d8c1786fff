"""k-means on the unit sphere, plain and with clusters of balanced sizes."""

import numpy as np
from scipy import sparse
from sklearn.utils.extmath import row_norms

from ..utils._checks import is_number, shown
from ..utils._von_mises_fisher import (
    MAX_CONCENTRATION,
    log_normalizer,
    mean_resultant_length,
)
from ._base import BaseKMeans, Parameters

MAX_ROUNDS = 20
# Of the concentration by feature that balances sizes most; derived in the Notes.
BALANCING = ((1 + 5**0.5) / 2) ** 0.5 / 2


class DirectionalKMeans(BaseKMeans):
    """What algorithms on rows of unit norm share: cosines and their seeds."""

    def _factors(self, X):
        norms = row_norms(X).astype(np.float64)
        lost = np.flatnonzero((norms == 0) | np.isinf(norms))
        if lost.size:  # rows of zeros, and those whose squares leave the range of floats
            norms[lost] = _scaled_norms(X[lost].astype(np.float64))
        usable = norms > np.finfo(np.float64).tiny
        return np.divide(1.0, norms, out=np.zeros_like(norms), where=usable)

    def _seeds(self, columns):
        return columns

    def _losses(self, rows, products):
        return np.maximum(1 - products, 0)

    def _exchange_scores(self, rows, batch, products, now):
        """Lengths of sums with a row more, and at its own cluster with it less."""
        dtype = products.dtype
        lengths = np.maximum(now.parameters.lengths, np.finfo(dtype).tiny).astype(dtype)
        each, own = np.arange(len(products)), now.labels[batch]
        cosines = products[each, own]
        if rows.weights_are_equal:
            weight = row_weight = dtype.type(rows.usual_weight)
        else:
            row_weight = rows.weight[batch].astype(dtype)
            weight = row_weight[:, None]
        gained = _by_unit_of_weight(lengths, weight, products)
        gained[each, own] = _by_unit_of_weight(lengths[own], -row_weight, cosines)
        return now.parameters.scores(gained)

    def transform(self, X):
        """Cosine distance of each row to each center.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        distances : ndarray of shape (n_samples, n_clusters)
            One minus the cosine, from 0 to 2; 1 for a row of zeros.
        """
        return np.clip(1 - self._products_of(X)[1], 0, 2)


def _scaled_norms(rows):
    """Norm of each row, its largest value taken out of the squares."""
    ends = [rows.max(axis=1), -rows.min(axis=1)]
    largest = np.max([e.toarray() if sparse.issparse(e) else e for e in ends], 0).ravel()
    largest[largest < np.finfo(np.float64).tiny] = 1.0
    return largest * row_norms(sparse.diags_array(1 / largest) @ rows)


def _by_unit_of_weight(length, weight, cosine):
    """(|s + w x| - |s|) / w for sums s of some length and unit rows x at some angle.

    Without cancellation; lengths are above 0.
    """
    doubled = (2 * length) * cosine
    after = doubled * weight
    after += length**2 + weight**2
    np.sqrt(np.maximum(after, 0, out=after), out=after)
    after += length
    doubled += weight
    doubled /= after
    return doubled


def unit_columns(sums):
    """Columns of unit norm, and their norms; a column of zeros stays."""
    norms = np.sqrt(np.einsum("ij,ij->j", sums, sums))
    return sums / np.where(norms > 0, norms, 1.0), norms


class SphericalKMeans(DirectionalKMeans):
    """K-means on the unit sphere: clusters of rows that point the same way.

    Raises the sum of the cosines of rows with the centers of their clusters, centers
    being means of unit rows scaled to unit norm. The usual choice for documents (tf-idf)
    and embeddings.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    init : {"k-means++", "random"}, array-like of shape (n_clusters, n_features) or \
            callable, default="k-means++"
        First centers: rows drawn one after the other by their cosine distance to those
        drawn before, rows drawn at random, or given; ``init(X, n_clusters,
        random_state=...)`` returns an array.
    n_init : "auto" or int, default="auto"
        Number of starts, of which the best is kept. "auto" is 1 for "k-means++" and for
        an array, 10 otherwise.
    max_iter : int, default=300
        Most iterations of one start.
    tol : float, default=1e-8
        A start ends when the mean cosine gains no more than this by an iteration, and
        would gain no more if rows moved one by one; or when no row moves.
    verbose : int, default=0
        1 prints a line for each start, 2 one for each iteration as well.
    random_state : int, RandomState instance or None, default=None
        Of the first centers.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        Centers, of unit norm.
    labels_ : ndarray of shape (n_samples,) of int32
        Cluster of each row, from 0. A row of zeros, which has no direction and takes no
        part in the fit, is in cluster 0.
    inertia_ : float
        Sum of the cosine distances of rows to their centers, weighted; lower is better.
    n_iter_ : int
        Iterations of the start that was kept.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where X has names that are strings.

    See Also
    --------
    sklearn.cluster.KMeans : By Euclidean distance; on unit rows it raises the squared
        lengths of the means rather than the cosines with them.
    sklearn.cluster.BisectingKMeans : Repeated bisection; give it
        ``sklearn.preprocessing.normalize(X)``.
    FrequencySensitiveKMeans : With clusters of balanced sizes.
    VonMisesFisherMixture : With a concentration and a weight for each cluster.

    Notes
    -----
    A row moves if the lengths of the two sums of rows gain by it, all rows that gain at
    once, or the half of them that gains most, or half of those, until the objective
    rises [3]_. Lloyd's iterations compare a row with the center it is part of, and so
    leave it there where features are many and rows few: among 100 documents its own
    share of the center can outweigh all that it has in common with others.

    Sparse data are never made dense, and rows are scaled as they are used. An iteration
    multiplies X by the centers that have moved and updates the sums of clusters by the
    rows that have. Beside X it needs a few arrays of shape (n_samples, n_clusters) and
    (n_features, n_clusters), and a copy of the rows that move, at most a third of X; data
    in another order than by rows, or with entries in parts, are copied whole. No cluster
    is left empty, but for duplicates.

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

    def __init__(
        self,
        n_clusters=8,
        *,
        init="k-means++",
        n_init="auto",
        max_iter=300,
        tol=1e-8,
        verbose=0,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.verbose = verbose
        self.random_state = random_state

    def _place(self, rows, sums, sizes):
        directions, lengths = unit_columns(sums)
        return Parameters(directions, lengths=lengths)

    def _keep(self, rows, run):
        super()._keep(rows, run)
        self.inertia_ = -self._score(rows, rows.products(run.parameters.directions))

    def score(self, X, y=None, sample_weight=None):
        """Negative inertia of rows in the clusters that they are predicted to be in.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.

        Returns
        -------
        score : float
            Minus the sum of cosine distances; at most 0, higher is better.
        """
        return self._score(*self._products_of(X, sample_weight))

    def _score(self, rows, products):
        labels = self._parameters.scores(products).argmax(axis=1)
        cosines = products[np.arange(labels.size), labels]
        return float(rows.weight @ np.minimum(cosines - 1.0, 0))


def spherical_labels(clusterer, rows, directions, context):
    """From where models with more parameters start, which alone find worse partitions."""
    plain = SphericalKMeans(
        clusterer._n_clusters, max_iter=clusterer.max_iter, verbose=clusterer.verbose
    )
    plain._stage_of = clusterer
    return plain._run(rows, directions, context).labels


class FrequencySensitiveKMeans(SphericalKMeans):
    """Spherical k-means that brings the sizes of clusters into balance.

    A mixture of von Mises-Fisher distributions with hard assignments, in which the
    concentration of a cluster is inversely proportional to its size.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    concentration : float, default=None
        Concentration of a cluster of average size, above 0. By default .636 times the
        number of features, which weighs sizes most (see Notes).
    init : {"k-means++", "random"}, array-like of shape (n_clusters, n_features) or \
            callable, default="k-means++"
        First centers, as in :class:`SphericalKMeans`, which is run first.
    n_init : "auto" or int, default="auto"
        Number of starts, of which the most likely is kept. "auto" is 1 for "k-means++"
        and for an array, 10 otherwise.
    max_iter : int, default=300
        Most iterations of one start, after those of spherical k-means.
    tol : float, default=1e-6
        A start ends when the mean log density gains no more than this by an iteration,
        and would gain no more if rows moved one by one; or when no row moves.
    verbose : int, default=0
        1 prints a line for each start, 2 one for each iteration as well.
    random_state : int, RandomState instance or None, default=None
        Of the first centers.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        Centers, of unit norm.
    concentrations_ : ndarray of shape (n_clusters,)
        Concentration of each cluster.
    labels_ : ndarray of shape (n_samples,) of int32
        Cluster of each row, from 0. ``predict`` can differ for rows of ``fit``.
    log_likelihood_ : float
        Sum of the log densities of rows in their clusters, in nats, weighted; higher is
        better.
    inertia_ : float
        Sum of the cosine distances of rows to the centers of the clusters that
        ``predict`` gives, weighted; lower is better.
    n_iter_ : int
        Iterations of the start that was kept, after those of spherical k-means.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where X has names that are strings.

    See Also
    --------
    SphericalKMeans : Without balance.
    VonMisesFisherMixture : With concentrations that are learned.

    Notes
    -----
    With sizes n_h, sums of cosines T_h, c the concentration of average size times that
    size, and C_d the normalizer of the density, the likelihood is

        L = sum_h n_h log C_d(c / n_h) + c T_h / n_h.

    For given sizes a row x gains most from the cluster of the largest slope of L,

        k_h (m_h'x) + log C_d(k_h) + k_h (A_d(k_h) - T_h / n_h),  k_h = c / n_h,

    m_h being the center and A_d the mean resultant length. From the partition of
    spherical k-means, rows change clusters by this rule: all that gain, or the half of
    them that gains most, or half of those, until L rises, which it does in every step.
    This is a local search: clusters that overlap exchange rows until their sizes are
    even, clusters that are well apart mostly keep theirs. The model is that of [1]_,
    which counts sizes row by row and approximates the normalizer.

    n log C_d(c / n) is concave in n, of curvature -k^2 A_d'(k) / n, and this is what
    balances sizes; against it works c times the sum of mean cosines, which tight small
    clusters raise. The first outweighs the second most where k A_d'(k) is largest. With
    A_d(k) = (sqrt(1 + z^2) - 1) / z, z = 2 k / d, which many features approach, that is
    at z = sqrt((1 + sqrt(5)) / 2): k = .636 d.

    References
    ----------
    .. [1] A. Banerjee and J. Ghosh, "Frequency sensitive competitive learning for
           balanced clustering on high-dimensional hyperspheres", IEEE Transactions on
           Neural Networks 15(3), 2004.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_pacmdl.cluster import FrequencySensitiveKMeans, SphericalKMeans
    >>> from sklearn_pacmdl.datasets import make_vmf_blobs
    >>> X, _ = make_vmf_blobs([600, 300, 100], 50, concentration=30, random_state=0)
    >>> np.bincount(SphericalKMeans(3, random_state=0).fit_predict(X))
    array([103, 299, 598])
    >>> np.bincount(FrequencySensitiveKMeans(3, random_state=0).fit_predict(X))
    array([387, 300, 313])
    """

    _min_features = 2

    def __init__(
        self,
        n_clusters=8,
        *,
        concentration=None,
        init="k-means++",
        n_init="auto",
        max_iter=300,
        tol=1e-6,
        verbose=0,
        random_state=None,
    ):
        super().__init__(
            n_clusters,
            init=init,
            n_init=n_init,
            max_iter=max_iter,
            tol=tol,
            verbose=verbose,
            random_state=random_state,
        )
        self.concentration = concentration

    def _place(self, rows, sums, sizes):
        """Scores that say what the likelihood gains by a unit of a row in a cluster."""
        n_features, k = sums.shape
        directions, lengths = unit_columns(sums)
        average = self.concentration
        if average is None:
            average = BALANCING * n_features
        kappa = average * rows.total_weight / k / sizes
        kappa = np.minimum(kappa, MAX_CONCENTRATION)
        mean_length = mean_resultant_length(n_features, kappa)
        bias = log_normalizer(n_features, kappa) + kappa * (mean_length - lengths / sizes)
        return Parameters(directions, kappa, bias, lengths)

    def _objective(self, rows, sums, sizes, parameters):
        log_normalizers = log_normalizer(sums.shape[0], parameters.gain)
        return float(sizes @ log_normalizers + parameters.gain @ parameters.lengths)

    def _run(self, rows, directions, context):
        labels = spherical_labels(self, rows, directions, context)
        return self._climb(rows, labels, context)

    def _exchange_scores(self, rows, batch, products, now):
        """Rows count as part of their cluster, or the likelihood isolates single rows."""
        return now.parameters.scores(products)

    def _exchange(self, rows, products, now):
        """In rounds: each move changes what the sizes say, the directions hardly."""
        for _ in range(MAX_ROUNDS):
            before, now = now, super()._exchange(rows, products, now)
            if now is before:
                break
        return now

    def _settle(self, rows, now):
        return np.where(rows.weight > 0, now.labels, super()._settle(rows, now))

    def predict(self, X):
        """Cluster of each row, with the sizes of the clusters as they are.

        For some of the rows that were passed to ``fit`` it can differ from ``labels_``:
        ``fit`` leaves a row where it is if moving it, which also changes the sizes, would
        not raise the likelihood. Use ``labels_`` or ``fit_predict`` for the partition
        that was fitted, as in a certificate for these rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        labels : ndarray of shape (n_samples,) of int32
            Clusters, from 0; of rows of zeros that of the highest bias.
        """
        return super().predict(X)

    def _keep(self, rows, run):
        super()._keep(rows, run)
        self.concentrations_ = run.parameters.gain
        self.log_likelihood_ = run.objectives[-1] * rows.total_weight

    def _check_parameters(self):
        super()._check_parameters()
        value = self.concentration
        if value is not None and not (is_number(value) and value > 0):
            raise ValueError(
                f"concentration must be None or a number above 0, got {shown(value)}."
            )
