"""What the clusterers share: parameters, checks, starts, and what a fit leaves."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, validate_data

from ..estimators import DocumentedEstimator, check_sample_weight, without_duplicates
from ..utils._checks import (
    check_count,
    check_integer,
    check_number,
    invalid,
    is_integer,
    refuse_masked,
    warn,
)
from ..utils._random import check_random_state
from ..utils._row_order import check_same_order
from ._climb import climb, make_starts
from ._objective import Objective
from ._scaled_rows import Rows

Init = Literal["k-means++", "random"] | ArrayLike

# Of the climb of a first objective; measured as the default of SphericalKMeans.
FIRST_TOL = 1e-8


@dataclass(eq=False, repr=False, kw_only=True)
class BaseClusterer(
    DocumentedEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    ClusterMixin,
    BaseEstimator,
):
    """Clusters rows by an objective; subclasses name their parameters and make it."""

    # What may leave clusters empty, for a warning.
    _why_fewer = "duplicate points in X"

    # Parameters are fields, of which `__init__` is made: here those of all clusterers.
    init: Init = "k-means++"
    n_init: Literal["auto"] | int = "auto"
    max_iter: int = 300
    tol: Any = 1e-6
    random_state: np.random.RandomState | int | None = None

    # The parameter that is the number of clusters.
    _size_name = "n_clusters"
    _min_features = 1

    @abstractmethod
    def _make_objective(self) -> Objective:
        """The objective with the parameters of this clusterer."""

    def fit(self, X: Any, y: None = None, sample_weight: ArrayLike | None = None) -> Self:
        """Cluster the rows.

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
        self : object
            The fitted clusterer.

        Raises
        ------
        ValueError, TypeError
            If a parameter or the data are not as described. This is checked before the
            clustering starts.
        """
        check_same_order(X=X, sample_weight=sample_weight)
        self._check_parameters()
        objective = self._make_objective()
        rows = self._read(X, objective, sample_weight, reset=True)
        self._check_rows(rows)
        first, k = objective.first or objective, self._n_clusters
        draw = make_starts(rows, first, self.init, k, self._size_name)
        random_state = check_random_state(self.random_state)
        best = None
        for _ in range(self._n_starts()):
            labels = rows.labels(draw(random_state))
            labels = self._first_labels(rows, objective, labels)
            run = self._climb(rows, objective, labels, self._tol)
            if best is None or run.values[-1] > best.values[-1]:
                best = run
        self._keep(rows, objective, best)
        for message in self._complaints(best):
            warn(message, ConvergenceWarning)
        return self

    def _first_labels(self, rows, objective, labels):
        """Labels from which the climb starts, by those of the first clusters."""
        if objective.first is None:
            return labels
        return self._climb(rows, objective.first, labels, FIRST_TOL).labels

    def _climb(self, rows, objective, labels, tol):
        return climb(rows, labels, objective, self._n_clusters, self.max_iter, tol)

    def _keep(self, rows, objective, run):
        """Fitted attributes; subclasses add their own."""
        # Parameters may be set anew after the fit: what was fitted keeps its own.
        self._objective, self._clusters = objective, run.clusters
        if np.ndim(run.clusters.bias) == 0:  # else products and bias may cancel
            directions = rows.as_factor(run.clusters.directions)
            self._clusters = run.clusters._replace(directions=directions)
        self.labels_ = run.labels.astype(np.int32)
        centers = objective.centers(run.clusters)
        self.cluster_centers_ = centers.astype(rows.X.dtype, copy=False)
        self.n_iter_ = len(run.values)

    def _complaints(self, run):
        """Messages of the warnings that a fit ends with."""
        n_distinct = np.unique(self.labels_).size
        if n_distinct < self._n_clusters:
            yield (
                f"Number of distinct clusters ({n_distinct}) found smaller than "
                f"{self._size_name} ({self._n_clusters}). Possibly due to "
                f"{self._why_fewer}."
            )

    def _n_starts(self):
        if isinstance(self.init, str):
            if self.n_init == "auto":
                return 1 if self.init == "k-means++" else 10
            return self.n_init
        if self.n_init not in ("auto", 1):
            warn(
                "Explicit initial center position passed: performing only one init "
                f"instead of n_init={self.n_init}.",
                RuntimeWarning,
            )
        return 1

    def predict(self, X: Any) -> NDArray[np.int32]:
        """Cluster of each row.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        labels : ndarray of shape (n_samples,) of int32
            Clusters, from 0. A row of zeros is in the cluster with the highest bias.
        """
        return self._rows_of(X).labels(self._clusters).astype(np.int32)

    def transform(self, X: Any) -> NDArray[Any]:
        """Distance of each row from each center.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        distances : ndarray of shape (n_samples, n_clusters)
            Distances as the objective defines them: cosine distances, divergences in
            bits. They are at least 0.
        """
        rows, products = self._products_of(X)
        distances = self._objective.distances(rows, products, self._clusters)
        return distances.astype(products.dtype, copy=False)

    def _products_of(self, X, sample_weight=None):
        """New rows, and their products with the directions of the clusters."""
        rows = self._rows_of(X, sample_weight)
        return rows, rows.products(self._clusters.directions)

    def _rows_of(self, X, sample_weight=None):
        check_is_fitted(self)
        check_same_order(X=X, sample_weight=sample_weight)
        return self._read(X, self._objective, sample_weight, reset=False)

    @property
    def _n_clusters(self):
        return int(getattr(self, self._size_name))  # np.int8 would overflow in products

    @property
    def _tol(self):
        return self.tol

    @property
    def _n_features_out(self):
        return self.cluster_centers_.shape[0]

    def _read(self, X, objective, sample_weight, reset):
        """Rows of checked data, with their factors and weights."""
        refuse_masked("X", X)
        X = validate_data(
            self,
            X,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            order="C",
            ensure_min_features=self._min_features if reset else 1,
            reset=reset,
        )
        X = without_duplicates(X)
        return Rows(X, objective.row_factors(X), check_sample_weight(sample_weight, X))

    def _check_parameters(self):
        check_integer(self._size_name, getattr(self, self._size_name), 1)
        check_integer("max_iter", self.max_iter, 1)
        if not is_auto(self.n_init):
            if not is_integer(self.n_init) or self.n_init < 1:
                raise invalid("n_init", "'auto' or an integer of at least 1", self.n_init)
            check_count("n_init", self.n_init, 1)
        is_name = isinstance(self.init, str)
        names = ("k-means++", "random")
        if self.init not in names if is_name else not np.iterable(self.init):
            raise invalid("init", "'k-means++', 'random' or an array", self.init)
        self._check_tol()

    def _check_tol(self):
        check_number("tol", self.tol, least=0)

    def _check_rows(self, rows):
        n_samples, usable = rows.weight.size, np.count_nonzero(rows.weight)
        if usable < self._n_clusters:
            most = f"at most n_samples={n_samples}"
            if n_samples >= self._n_clusters:
                most = f"at most the {usable} rows that are not zero and have a weight"
            raise invalid(self._size_name, most, self._n_clusters)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def is_auto(value: Any) -> bool:
    """Whether a parameter is left to the clusterer; arrays are compared with no text."""
    return isinstance(value, str) and value == "auto"
