"""k-means on the unit sphere, plain and with clusters of balanced sizes."""

from typing import NamedTuple

import numpy as np
from sklearn.utils.extmath import row_norms

from ..utils._checks import is_number
from ..utils._von_mises_fisher import log_normalizer, mean_resultant_length
from ._base import BaseKMeans, Parameters

MAX_ROUNDS = 50
# Of the concentration by feature that balances sizes most; derived in the Notes.
BALANCING = ((1 + 5**0.5) / 2) ** 0.5 / 2


class DirectionalKMeans(BaseKMeans):
    """What algorithms on rows of unit norm share: cosines and their seeds."""

    def _factors(self, X):
        norms = row_norms(X).astype(np.float64)
        return np.divide(1.0, norms, out=np.zeros_like(norms), where=norms > 0)

    def _seeds(self, columns):
        return columns

    def _losses(self, rows, products):
        return np.maximum(1 - products, 0)

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
        return 1 - self._products_of(X)[1]


def unit_columns(sums):
    """Columns of unit norm, and their norms; a column of zeros stays."""
    norms = np.linalg.norm(sums, axis=0)
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
    tol : float, default=1e-6
        A start ends when the mean cosine gains no more than this, or no row moves.
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
    sklearn.cluster.KMeans : By Euclidean distance; on unit rows it raises the lengths of
        the means rather than the cosines with them.
    sklearn.cluster.BisectingKMeans : Repeated bisection; give it
        ``sklearn.preprocessing.normalize(X)``.
    FrequencySensitiveKMeans : With clusters of balanced sizes.
    VonMisesFisherMixture : With a concentration and a weight for each cluster.

    Notes
    -----
    Data are neither copied nor made dense: rows are scaled as they are used. An iteration
    multiplies X by the centers that have moved and updates the sums of clusters by the
    rows that have. Beside X it needs a few arrays of shape (n_samples, n_clusters) and
    (n_features, n_clusters). An empty cluster gets the row that fits its own worst.

    References
    ----------
    .. [1] I. S. Dhillon and D. S. Modha, "Concept decompositions for large sparse text
           data using clustering", Machine Learning 42, 2001.
    .. [2] D. Arthur and S. Vassilvitskii, "k-means++: the advantages of careful seeding",
           SODA 2007.

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
        tol=1e-6,
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
        return Parameters(unit_columns(sums)[0])

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
        return float(rows.weight @ (cosines - 1.0))


class Balance(NamedTuple):
    """A partition as the likelihood of balanced clusters sees it."""

    labels: np.ndarray
    sizes: np.ndarray
    cosines: np.ndarray  # sum of those of the rows with their center, of each cluster
    values: np.ndarray  # log density of each row
    likelihood: float


class FrequencySensitiveKMeans(SphericalKMeans):
    """Spherical k-means that keeps the sizes of clusters in balance.

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
        First centers, as in :class:`SphericalKMeans`.
    n_init : "auto" or int, default="auto"
        Number of starts, of which the most likely is kept. "auto" is 1 for "k-means++"
        and for an array, 10 otherwise.
    max_iter : int, default=300
        Most iterations of one start.
    tol : float, default=1e-6
        A start ends when the mean log density gains no more than this.
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
        Cluster of each row, from 0. At a border, ``predict`` may differ: it takes the
        sizes of clusters as they are, while ``fit`` counts the row itself among them.
    log_likelihood_ : float
        Sum of the log densities of rows in their clusters, in nats, weighted; higher is
        better.
    inertia_ : float
        Sum of the cosine distances of rows to the centers of the clusters that
        ``predict`` gives, weighted; lower is better.
    n_iter_ : int
        Iterations of the start that was kept.
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
    size, and C_d the normaliser of the density, the likelihood is

        L = sum_h n_h log C_d(c / n_h) + c T_h / n_h.

    For given sizes a row x gains most from the cluster of the largest slope of L,

        k_h (m_h'x) + log C_d(k_h) + k_h (A_d(k_h) - T_h / n_h),  k_h = c / n_h,

    m_h being the center and A_d the mean resultant length. Rows change clusters by this
    rule, those that gain most first and half as many as long as L would not rise, until
    none gains; then centers become the directions of their clusters' sums. So L rises in
    every step. The model is that of [1]_, which counts sizes row by row and approximates
    the normaliser.

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
    array([104, 299, 597])
    >>> np.bincount(FrequencySensitiveKMeans(3, random_state=0).fit_predict(X))
    array([399, 300, 301])
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
        directions, cosines = unit_columns(sums)
        average = self.concentration
        if average is None:
            average = BALANCING * rows.X.shape[1]
        mass = average * rows.total_weight / self.n_clusters
        return _slopes(directions, mass, sizes, cosines)

    def _assign(self, rows, products, parameters, before):
        """Rows change clusters while that raises the likelihood, directions fixed."""
        directions, mass = parameters.directions, parameters.extra
        now = _balance(rows, products, mass, before)
        each = np.arange(before.size)
        for _ in range(MAX_ROUNDS):
            slopes = _slopes(directions, mass, now.sizes, now.cosines)
            scores = slopes.scores(products)
            wanted = scores.argmax(axis=1)
            gains = rows.weight * (scores[each, wanted] - scores[each, now.labels])
            movers = np.argsort(-gains, kind="stable")[: np.count_nonzero(gains > 0)]
            then = _most_that_gain(rows, products, mass, now, wanted, movers)
            if then is None:
                break
            now = then
        labels = np.where(rows.weight > 0, now.labels, wanted)
        return labels, now.values

    def _keep(self, rows, run):
        directions, mass = run.parameters.directions, run.parameters.extra
        products = rows.products(directions)
        found = _balance(rows, products, mass, run.assignment)
        slopes = _slopes(directions, mass, found.sizes, found.cosines)
        super()._keep(rows, run._replace(parameters=slopes))
        self.concentrations_ = slopes.gain
        self.log_likelihood_ = found.likelihood

    def _check_parameters(self):
        super()._check_parameters()
        value = self.concentration
        if value is not None and not (is_number(value) and value > 0):
            raise ValueError(
                f"concentration must be None or a number above 0, got {value!r}."
            )


def _slopes(directions, mass, sizes, cosines):
    """Scores that say what the likelihood gains by a unit of a row in a cluster."""
    n_features, kappa = directions.shape[0], mass / sizes
    length = mean_resultant_length(n_features, kappa)
    bias = log_normalizer(n_features, kappa) + kappa * (length - cosines / sizes)
    return Parameters(directions, kappa, bias, mass)


def _balance(rows, products, mass, labels):
    k = products.shape[1]
    near = products[np.arange(labels.size), labels].astype(np.float64)
    sizes = rows.sizes(labels, k)
    cosines = np.bincount(labels, weights=rows.weight * near, minlength=k)
    if not sizes.all():
        return Balance(labels, sizes, cosines, near, -np.inf)
    kappa = mass / sizes
    log_normalizers = log_normalizer(rows.X.shape[1], kappa)
    return Balance(
        labels,
        sizes,
        cosines,
        log_normalizers[labels] + kappa[labels] * near,
        float(sizes @ log_normalizers + kappa @ cosines),
    )


def _most_that_gain(rows, products, mass, now, wanted, movers):
    """Move all, or else half of those, or half of those, that raise the likelihood."""
    while movers.size:
        labels = now.labels.copy()
        labels[movers] = wanted[movers]
        then = _balance(rows, products, mass, labels)
        if then.likelihood > now.likelihood:
            return then
        movers = movers[: movers.size // 2]
    return None
