"""Mixtures of von Mises-Fisher distributions."""

import warnings
from typing import Any

import numpy as np
from scipy.special import logsumexp, softmax
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from ..utils._checks import is_integer, shown
from ..utils._von_mises_fisher import concentration, log_normalizer, sample
from ._base import Parameters, Run, check_not_negative
from ._spherical import DirectionalKMeans, spherical_labels, unit_columns

# Nats of mean log density. Soft assignments approach their end ever more slowly; hard
# ones reach it: of 20 starts on classic3 with k = 10, 17 end within 1e-5 of where tol=0
# ends with a tol of 1e-3, all with 1e-6, in 15 % more time.
AUTO_TOL = {"soft": 1e-3, "hard": 1e-6}


class VonMisesFisherMixture(DirectionalKMeans):
    """Mixture of von Mises-Fisher distributions: directions with their concentrations.

    To unit vectors what a mixture of round Gaussians is to points: each component has a
    mean direction, a concentration and a weight. Fitted by expectation maximization with
    shares of rows ("soft"), or with each row in its best component ("hard").

    Parameters
    ----------
    n_components : int, default=1
        Number of components.
    assignment : {"soft", "hard"}, default="soft"
        Whether components share a row by its posterior probabilities, or the most
        probable one has it.
    pseudo_count : float, default=1.0
        Rows by which concentrations are drawn towards that of a typical component, at
        least 0. With 0, the maximum likelihood, the concentration of a component of one
        row or of equal rows has no limit.
    init : {"k-means++", "random"}, array-like of shape (n_components, n_features) or \
            callable, default="k-means++"
        First mean directions, as in :class:`SphericalKMeans`. From these, spherical
        k-means is run to give the first components their rows, except with "random":
        then rows start in the component of the nearest direction, which also finds
        mixtures of different concentrations that spherical k-means leads away from.
    n_init : "auto" or int, default="auto"
        Number of starts, of which the one with the best objective is kept. "auto" is 1
        for "k-means++" and for an array, 10 otherwise.
    max_iter : int, default=300
        Most iterations of one start, after those of spherical k-means.
    tol : "auto" or float, default="auto"
        A start ends when the mean log density gains no more than this, in nats. "auto"
        is 1e-3 for soft and 1e-6 for hard assignment.
    verbose : int, default=0
        1 prints a line for each start, 2 one for each iteration as well.
    random_state : int, RandomState instance or None, default=None
        Of the first mean directions.

    Attributes
    ----------
    weights_ : ndarray of shape (n_components,)
        Weights of the components; they sum to 1.
    cluster_centers_ : ndarray of shape (n_components, n_features)
        Mean directions, of unit norm.
    concentrations_ : ndarray of shape (n_components,)
        Concentrations, between 1e-8 and 1e9.
    labels_ : ndarray of shape (n_samples,) of int32
        Most probable component of each row, from 0. A row of zeros takes no part in the
        fit; it goes to a component by weight and concentration alone.
    lower_bound_ : float
        Mean over rows of the log density in nats, plus the penalty of concentrations
        (see Notes), of the start that was kept; higher is better. With hard assignment,
        of the joint density of row and component.
    lower_bounds_ : list of float
        The same after each iteration; but for rounding, it never falls.
    converged_ : bool
        Whether the start that was kept ended by ``tol``.
    n_iter_ : int
        Its number of iterations, after those of spherical k-means.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where X has names that are strings.

    See Also
    --------
    SphericalKMeans : The limit of equal weights and equal, large concentrations.
    sklearn.mixture.GaussianMixture : Points that are not directions.
    scipy.stats.vonmises_fisher : A single distribution, in low dimensions.

    Notes
    -----
    A pseudo-count of a adds a * (log C_d(k) + k * r) to the log likelihood for each
    concentration k, C_d being the normalizer and r the mean cosine of rows with the
    center of their cluster in spherical k-means: maximum a posteriori, by a conjugate
    prior, in place of maximum likelihood. They solve A_d(k) = (length of the sum of rows
    + a * r) / (weight + a) by Newton's method from the start of [1]_. Bessel functions
    are computed on a log scale, by their uniform expansion where the order is high, so
    that any number of features will do.

    References
    ----------
    .. [1] A. Banerjee, I. S. Dhillon, J. Ghosh and S. Sra, "Clustering on the unit
           hypersphere using von Mises-Fisher distributions", Journal of Machine Learning
           Research 6, 2005.

    Examples
    --------
    >>> from sklearn_pacmdl.cluster import VonMisesFisherMixture
    >>> from sklearn_pacmdl.datasets import make_vmf_blobs
    >>> X, _ = make_vmf_blobs(1000, 50, centers=2, concentration=40, random_state=0)
    >>> mixture = VonMisesFisherMixture(2, random_state=0).fit(X)
    >>> mixture.concentrations_.round()
    array([41., 41.])
    """

    _k_name = "n_components"
    _min_features = 2

    def __init__(
        self,
        n_components=1,
        *,
        assignment="soft",
        pseudo_count=1.0,
        init="k-means++",
        n_init="auto",
        max_iter=300,
        tol="auto",
        verbose=0,
        random_state=None,
    ):
        self.n_components = n_components
        self.assignment = assignment
        self.pseudo_count = pseudo_count
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.verbose = verbose
        self.random_state = random_state

    def _place(self, rows, sums, sizes):
        n_features = sums.shape[0]
        directions, lengths = unit_columns(sums)
        weights = sizes + self.pseudo_count
        drawn = lengths + self.pseudo_count * rows.typical_length
        means = np.divide(drawn, weights, out=np.zeros_like(weights), where=weights > 0)
        kappa = concentration(n_features, means)
        with np.errstate(divide="ignore"):  # a component without rows
            log_weights = np.log(sizes / rows.total_weight)
        return Parameters(
            directions, kappa, log_normalizer(n_features, kappa) + log_weights, lengths
        )

    def _prior(self, rows, parameters):
        kappa = parameters.gain
        log_density = log_normalizer(rows.X.shape[1], kappa) + kappa * rows.typical_length
        return self.pseudo_count * float(log_density.sum())

    @property
    def _tol(self):
        return AUTO_TOL[self.assignment] if self.tol == "auto" else self.tol

    def _run(self, rows, directions, context):
        labels = self._first_labels(rows, directions, context)
        if self.assignment == "hard":
            return self._climb(rows, labels, context)
        sums = rows.sums(labels, self.n_components)
        sizes = rows.sizes(labels, self.n_components)
        return self._climb_softly(rows, self._place(rows, sums, sizes), context)

    def _first_labels(self, rows, directions, context):
        at_random = isinstance(self.init, str) and self.init == "random"
        if rows.typical_length is None or not at_random:
            labels = spherical_labels(self, rows, directions, context)
        if rows.typical_length is None:  # of the first start, so that starts compare
            lengths = np.linalg.norm(rows.sums(labels, self.n_components), axis=0)
            rows.typical_length = lengths.sum() / rows.total_weight
        return rows.products(directions).argmax(axis=1) if at_random else labels

    def _climb_softly(self, rows, parameters, context):
        """Expectation maximization, ending with expectations."""
        objectives: list[float] = []
        converged, last = False, -np.inf
        scores: Any = None

        def run():
            return Run(parameters, scores.argmax(axis=1), objectives, converged)

        for iteration in range(self.max_iter):
            if iteration:
                shares = softmax(scores, axis=1)
                sums, sizes = rows.shared_sums(shares), rows.weight @ shares
                parameters = self._place(rows, sums, sizes)
            step = context.subcontext(task_name=f"soft iteration {iteration}")
            step.call_on_fit_task_begin(estimator=self, X=rows.X)
            scores = parameters.scores(rows.products(parameters.directions))
            likelihood = float(rows.weight @ logsumexp(scores, axis=1))
            objective = (likelihood + self._prior(rows, parameters)) / rows.total_weight
            objectives.append(objective)
            self._report(iteration, objective)
            converged, last = objective - last <= self._tol, objective
            if self._ended(step, rows, run) or converged:
                break
        return run()

    def _keep(self, rows, run):
        super()._keep(rows, run)
        self.concentrations_ = run.parameters.gain
        log_normalizers = log_normalizer(rows.X.shape[1], run.parameters.gain)
        self.weights_ = softmax(run.parameters.bias - log_normalizers)
        self.lower_bounds_ = run.objectives
        self.lower_bound_ = run.objectives[-1]
        self.converged_ = run.converged
        if not run.converged:
            warnings.warn(
                f"The best start did not converge in max_iter={self.max_iter} "
                "iterations. Raise max_iter or tol, or check for degenerate data.",
                ConvergenceWarning,
                stacklevel=4,
            )

    def predict_proba(self, X):
        """Posterior probability of each component.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_components)
            They sum to 1 over components.
        """
        return softmax(self._scores_of(X), axis=1)

    def score_samples(self, X):
        """Log density of each row.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        log_density : ndarray of shape (n_samples,)
            In nats, by unit of area of the sphere.
        """
        return logsumexp(self._scores_of(X), axis=1)

    def score(self, X, y=None, sample_weight=None):
        """Mean log density of the rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows; those of zeros do not count.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.

        Returns
        -------
        score : float
            In nats; higher is better.
        """
        rows, products = self._products_of(X, sample_weight)
        log_density = logsumexp(self._parameters.scores(products), axis=1)
        return float(rows.weight @ log_density) / rows.total_weight

    def bic(self, X):
        """Bayesian information criterion of the mixture on rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        bic : float
            Lower is better.
        """
        rows, products = self._products_of(X)
        n_parameters = self._n_parameters() * np.log(np.count_nonzero(rows.weight))
        return self._deviance(rows, products) + n_parameters

    def aic(self, X):
        """Akaike information criterion of the mixture on rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        aic : float
            Lower is better.
        """
        return self._deviance(*self._products_of(X)) + 2 * self._n_parameters()

    def _deviance(self, rows, products):
        """Rows of zeros have none."""
        log_density = logsumexp(self._parameters.scores(products), axis=1)
        return -2 * float(rows.weight @ log_density)

    def _n_parameters(self):
        """Of directions one less than features; a concentration; weights sum to 1."""
        k, n_features = self.cluster_centers_.shape
        return k * (n_features + 1) - 1

    def sample(self, n_samples=1):
        """Draw rows from the mixture.

        Parameters
        ----------
        n_samples : int, default=1
            Number of rows.

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
            Rows of unit norm, by component.
        y : ndarray of shape (n_samples,) of int
            Their components.

        Raises
        ------
        ValueError
            If ``n_samples`` is not an int of at least 1.
        """
        check_is_fitted(self)
        if not is_integer(n_samples) or n_samples < 1:
            raise ValueError(
                f"n_samples must be an int of at least 1, got {shown(n_samples)}."
            )
        random_state = check_random_state(self.random_state)
        weights = self.weights_ / self.weights_.sum()
        counts = random_state.multinomial(n_samples, weights)
        drawn = [
            sample(direction, kappa, count, random_state)
            for direction, kappa, count in zip(
                self.cluster_centers_, self.concentrations_, counts, strict=True
            )
        ]
        return np.concatenate(drawn), np.repeat(np.arange(counts.size), counts)

    def _check_tol(self):
        if self.tol != "auto":
            check_not_negative("tol", self.tol, otherwise="'auto' or ")

    def _check_parameters(self):
        super()._check_parameters()
        if self.assignment not in ("soft", "hard"):
            raise ValueError(
                f"assignment must be 'soft' or 'hard', got {shown(self.assignment)}."
            )
        check_not_negative("pseudo_count", self.pseudo_count)
