"""What the clusterers share: set-up, seeds, starts, and the loop of exchanges."""

import warnings
from abc import abstractmethod
from copy import copy
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array, check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from ..utils._checks import is_integer, is_number, shown
from ..utils._sklearn import CallbackSupportMixin, check_sample_weight, with_callbacks
from ._rows import Products, Rows, batches

# Of scores that are looked through at once: they stay near the processor.
BATCH_CELLS = 1 << 16


class Parameters(NamedTuple):
    """Of the clusters: a row's score in one is gain * (row @ direction) + bias."""

    directions: np.ndarray  # (n_features, k)
    gain: Any = 1.0
    bias: Any = 0.0
    lengths: Any = None  # of the sums, where rows are directions

    def scores(self, products):
        """Of products of rows with the directions."""
        if np.ndim(self.gain) == np.ndim(self.bias) == 0:
            return products
        return products * self.gain + self.bias


class Partition(NamedTuple):
    """Labels, what the clusters are made of, and the objective by unit of weight."""

    labels: np.ndarray
    sums: np.ndarray  # (n_features, k)
    sizes: np.ndarray
    parameters: Parameters
    objective: float
    n_moved: int = 0  # rows, since the partition before
    n_held: int = 0  # rows that would gain by a move of their own, too
    promised: float = 0.0  # sum of what each row would gain alone, by unit of weight


class Run(NamedTuple):
    """How one start ended."""

    parameters: Parameters
    labels: np.ndarray
    objectives: list
    converged: bool


class BaseKMeans(
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    ClusterMixin,
    CallbackSupportMixin,
    BaseEstimator,
):
    """Moves rows between clusters while that raises the objective.

    An algorithm says how rows are normalized (`_factors`), what clusters are made of the
    sums of their rows (`_place`), and what a row gains by joining a cluster and loses by
    leaving its own (`_exchange_scores`). Scores are linear in the row, so one product
    with the directions of the clusters serves every algorithm. The objective is the
    weighted mean of the scores of rows in their clusters, plus `_prior`.

    Leaving is not the reverse of joining: a row is part of the center of its own
    cluster. Lloyd's iterations compare it with that center all the same, and stop where
    every row of many features holds its own cluster for the nearest.
    """

    # ------------------------------------------------------------------ the algorithm

    @abstractmethod
    def _factors(self, X):
        """Factor of each row that normalizes it, 0 for a row of zeros."""

    @abstractmethod
    def _seeds(self, columns):
        """Directions of clusters made of one row each; rows as columns."""

    @abstractmethod
    def _losses(self, rows, products):
        """Loss of each row in each cluster of one row, at least 0."""

    @abstractmethod
    def _place(self, rows, sums, sizes):
        """Parameters that are best for clusters of these sums and sizes."""

    @abstractmethod
    def _exchange_scores(self, rows, batch, products, now):
        """By unit of weight, what rows gain by joining; at their own cluster, by staying.

        `products` are those of the rows of the batch, and may be overwritten.
        """

    def _joining(self, rows, now):
        """Directions whose products `_exchange_scores` is given."""
        return now.parameters.directions

    def _prior(self, rows, parameters):
        """What parameters add to the sum of scores."""
        return 0.0

    def _objective(self, rows, sums, sizes, parameters):
        """Sum of the scores of rows in their clusters, and the prior."""
        products = parameters.lengths
        if products is None:
            products = np.einsum("ij,ij->j", parameters.directions, sums)
        scores = parameters.gain * products + parameters.bias * sizes
        return float(scores.sum()) + self._prior(rows, parameters)

    # ------------------------------------------------------------------ fit

    _stage_of = None  # the clusterer that callbacks are told of, where it is another

    @property
    def _caller(self):
        return self if self._stage_of is None else self._stage_of

    @with_callbacks
    def fit(self, X, y=None, sample_weight=None):
        """Cluster the rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows; float32 and float64 are kept, sparse data are never made dense.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows, at least 0; by default 1 each.

        Returns
        -------
        self : object
            Itself.

        Raises
        ------
        ValueError, TypeError
            If a parameter or the data are not as described, before work starts.
        """
        self._check_parameters()
        X = self._check_X(X, reset=True)
        weight = check_sample_weight(sample_weight, X)
        rows = Rows(X, self._factors(X), weight)
        self._check_rows(rows)
        if not callable(self.init) and not isinstance(self.init, str):
            self._given_directions(rows, self.init)
        random_state = check_random_state(self.random_state)
        n_starts = self._n_starts()
        context = self._init_callback_context(max_subtasks=n_starts)
        metadata = None if sample_weight is None else {"sample_weight": sample_weight}
        told = {"estimator": self, "X": X, "y": y, "metadata": metadata}
        context.call_on_fit_task_begin(**told)
        best = None
        for start in range(n_starts):
            inner = context.subcontext(task_name=f"start {start}", max_subtasks=None)
            inner.call_on_fit_task_begin(**told)
            run = self._run(rows, self._init_directions(rows, random_state), inner)
            inner.call_on_fit_task_end(
                **told, reconstruction_attributes=partial(self._kept, rows, run)
            )
            if self.verbose:
                print(
                    f"Start {start + 1} of {n_starts}: {len(run.objectives)} iterations, "
                    f"objective {run.objectives[-1]:.9g}."
                )
            if best is None or run.objectives[-1] > best.objectives[-1]:
                best = run
        self._keep(rows, best)
        context.call_on_fit_task_end(**told, reconstruction_attributes={})
        return self

    def _run(self, rows, directions, context):
        """One start."""
        return self._climb(rows, rows.products(directions).argmax(axis=1), context)

    def _climb(self, rows, labels, context):
        """Rows move, all that gain or a part of them, until none gains."""
        k = self._n_clusters
        labels = _without_empty(rows, labels, k)
        now = self._partition(rows, labels, rows.sums(labels, k))
        products, changed = Products(rows, k), np.arange(k)
        objectives: list[float] = []
        converged = False

        def run():
            return Run(now.parameters, self._settle(rows, now), objectives, converged)

        for iteration in range(self.max_iter):
            step = context.subcontext(task_name=f"iteration {iteration}")
            step.call_on_fit_task_begin(estimator=self._caller, X=rows.X)
            # A cluster that no row has left or joined has not moved.
            products.renew(self._joining(rows, now), changed)
            before, now = now, self._exchange(rows, products, now)
            if now is before:
                now = self._step_of_lloyd(rows, now)
            objectives.append(now.objective)
            self._report(iteration, now.objective)
            moved = before.labels != now.labels
            changed = np.union1d(before.labels[moved], now.labels[moved])
            gained = now.objective - before.objective
            # Moves at once may nearly cancel, so what rows would gain one by one counts
            # too. And small gains open the way for larger ones, hence a small default of
            # tol: with 1e-8, 100, 100 and 99 of 100 starts of spherical k-means on
            # classic3, cmu-different-1000 and cmu-same-1000 (k = 3) end within 1e-5 of
            # where tol=0 ends, in relative terms; with 1e-6 99, 99 and 73.
            converged = max(gained, now.promised) <= self._tol and not now.n_held
            if self._ended(step, rows, run) or converged:
                break
        return run()

    def _ended(self, step, rows, run):
        """Tell callbacks that an iteration has ended, and whether they end the start."""
        fitted = None if self._stage_of else lambda: self._kept(rows, run())
        return step.call_on_fit_task_end(
            estimator=self._caller, X=rows.X, reconstruction_attributes=fitted
        )

    def _step_of_lloyd(self, rows, now):
        """The partition of `predict`, if it is better; where exchanges are exact, not."""
        labels = self._settle(rows, now)
        full = np.all(rows.sizes(labels, now.sizes.size))
        if full and np.any(labels != now.labels):
            sums = rows.moved_sums(now.sums, now.labels, labels)
            then = self._partition(rows, labels, sums)
            if then.objective > now.objective:
                return then
        return now._replace(n_held=0, promised=0.0)

    def _partition(self, rows, labels, sums):
        sizes = rows.sizes(labels, sums.shape[1])
        parameters = self._place(rows, sums, sizes)
        objective = self._objective(rows, sums, sizes, parameters) / rows.total_weight
        return Partition(labels, sums, sizes, parameters, objective)

    def _exchange(self, rows, products, now):
        """The partition after those moves that gain most; the same if none gains."""
        wanted, movers, promised = self._movers(rows, products, now)
        n_movers = movers.size
        if now.n_held:  # what was too much a step ago is hardly right now
            movers = movers[: 4 * now.n_moved]
        while movers.size:
            labels = now.labels.copy()
            labels[movers] = wanted[movers]
            if np.all(rows.sizes(labels, now.sizes.size)):
                sums = rows.moved_sums(now.sums, now.labels, labels)
                then = self._partition(rows, labels, sums)
                if then.objective > now.objective:
                    n_held = n_movers - movers.size
                    return then._replace(
                        n_moved=movers.size, n_held=n_held, promised=promised
                    )
            movers = movers[: movers.size // 2]
        return now

    def _movers(self, rows, products, now):
        """Where each row gains most; the rows that gain, the most first; their gains."""
        wanted = np.empty_like(now.labels)
        gains = np.empty(wanted.size)
        n_rows = max(1, min(BATCH_CELLS // now.sizes.size, rows.batch_size))
        for batch in batches(wanted.size, n_rows):
            scores = self._exchange_scores(rows, batch, products[batch], now)
            each, own = np.arange(len(scores)), now.labels[batch]
            wanted[batch] = scores.argmax(axis=1)
            gains[batch] = scores[each, wanted[batch]] - scores[each, own]
        gains *= rows.weight
        counts = np.bincount(now.labels[rows.weight > 0], minlength=now.sizes.size)
        gains[counts[now.labels] == 1] = 0  # no cluster is left empty
        movers = np.argsort(-gains, kind="stable")[: np.count_nonzero(gains > 0)]
        return wanted, movers, gains[movers].sum() / rows.total_weight

    def _settle(self, rows, now):
        """Labels as `predict` gives them; where rows have stopped moving, the same."""
        products = rows.products(now.parameters.directions)
        return now.parameters.scores(products).argmax(axis=1)

    def _report(self, iteration, objective):
        if self.verbose > 1:
            print(f"  Iteration {iteration + 1}: objective {objective:.9g}.")

    def _keep(self, rows, run):
        """Fitted attributes; those of a single algorithm are its own to add."""
        self._parameters = run.parameters
        self.labels_ = run.labels.astype(np.int32)
        self.cluster_centers_ = self._centers(run.parameters).astype(
            rows.X.dtype, copy=False
        )
        self.n_iter_ = len(run.objectives)
        found = np.unique(self.labels_).size
        if found < self._n_clusters:
            warnings.warn(
                f"Number of distinct clusters ({found}) found smaller than "
                f"{self._k_name} ({self._n_clusters}). Possibly due to duplicate points "
                "in X.",
                ConvergenceWarning,
                stacklevel=5,
            )

    def _kept(self, rows, run):
        """Attributes of this clusterer, had it ended with a run: not told to the user."""
        as_if = copy(self)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            as_if._keep(rows, run)
        return vars(as_if)

    def _centers(self, parameters):
        return np.ascontiguousarray(parameters.directions.T)

    # ------------------------------------------------------------------ seeds

    def _init_directions(self, rows, random_state):
        """Directions of the first clusters, of shape (n_features, k)."""
        k = self._n_clusters
        if isinstance(self.init, str) and self.init == "random":
            chances = rows.weight / rows.total_weight
            return self._seeds(
                rows.take(random_state.choice(chances.size, k, replace=False, p=chances))
            )
        if isinstance(self.init, str):
            return self._k_means_plus_plus(rows, random_state)
        if callable(self.init):
            centers = self.init(rows.X, k, random_state=random_state)
            return self._given_directions(rows, centers)
        return self._given_directions(rows, self.init)

    def _given_directions(self, rows, centers):
        k = self._n_clusters
        try:
            centers = check_array(
                centers, dtype=rows.X.dtype, ensure_2d=False, allow_nd=True
            )
        except (TypeError, ValueError) as error:  # sparse, ragged, not finite, no numbers
            raise ValueError(f"init must give finite numbers: {error}") from error
        if centers.shape != (k, rows.X.shape[1]):
            raise ValueError(
                f"init must give centers of shape ({self._k_name}, n_features) = "
                f"({k}, {rows.X.shape[1]}), got shape {centers.shape}."
            )
        factors = self._factors(centers)
        if not factors.all():
            raise ValueError("init must give centers that are not zero.")
        return self._seeds((centers * factors[:, None]).T)

    def _k_means_plus_plus(self, rows, random_state):
        """Greedy k-means++ with the algorithm's own loss in place of squared distance."""
        k = self._n_clusters
        n_trials = 2 + int(np.log(k))
        chances = rows.weight
        loss = np.full(chances.size, np.inf)
        chosen: list[int] = []
        for n_draws in [1] + [n_trials] * (k - 1):
            chances = rows.weight if not chosen else rows.weight * loss
            if not chances.sum() > 0:  # every row is one of the chosen
                chances = rows.weight
            drawn = random_state.choice(chances.size, n_draws, p=chances / chances.sum())
            seeds = self._seeds(rows.take(drawn))
            losses = self._losses(rows, rows.products(seeds))
            np.minimum(losses, loss[:, None], out=losses)
            best = (rows.weight @ losses).argmin()
            loss = losses[:, best].astype(np.float64)
            chosen.append(drawn[best])
        return self._seeds(rows.take(np.array(chosen)))

    def _n_starts(self):
        if callable(self.init) or isinstance(self.init, str):
            if self.n_init == "auto":
                return 1 if self.init == "k-means++" else 10
            return self.n_init
        if self.n_init not in ("auto", 1):
            warnings.warn(
                "Explicit initial center position passed: performing only one init "
                f"instead of n_init={self.n_init}.",
                RuntimeWarning,
                stacklevel=4,
            )
        return 1

    # ------------------------------------------------------------------ use

    def predict(self, X):
        """Cluster of each row.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        labels : ndarray of shape (n_samples,) of int32
            Clusters, from 0; of rows of zeros that of the highest bias.
        """
        return self._scores_of(X).argmax(axis=1).astype(np.int32)

    def _scores_of(self, X):
        """Of new rows in each cluster."""
        _, products = self._products_of(X)
        return self._parameters.scores(products)

    def _products_of(self, X, sample_weight=None):
        """New rows, and their products with the directions of the clusters."""
        check_is_fitted(self)
        X = self._check_X(X, reset=False)
        rows = Rows(X, self._factors(X), check_sample_weight(sample_weight, X))
        return rows, rows.products(self._parameters.directions)

    # ------------------------------------------------------------------ checks

    _k_name = "n_clusters"
    _min_features = 1

    @property
    def _n_clusters(self):
        return getattr(self, self._k_name)

    @property
    def _tol(self):
        return self.tol

    @property
    def _n_features_out(self):
        return self.cluster_centers_.shape[0]

    def _check_X(self, X, reset):
        X = validate_data(
            self,
            X,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            order="C",
            ensure_min_features=self._min_features if reset else 1,
            reset=reset,
        )
        if sparse.issparse(X) and not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        return X

    def _check_parameters(self):
        for name in (self._k_name, "max_iter"):
            value = getattr(self, name)
            if not is_integer(value) or value < 1:
                raise ValueError(
                    f"{name} must be an int of at least 1, got {shown(value)}."
                )
        if self.n_init != "auto" and (not is_integer(self.n_init) or self.n_init < 1):
            raise ValueError(
                "n_init must be 'auto' or an int of at least 1, got "
                f"{shown(self.n_init)}."
            )
        self._check_init()
        self._check_tol()
        check_not_negative("verbose", self.verbose)

    def _check_init(self):
        if isinstance(self.init, str):
            known = self.init in ("k-means++", "random")
        else:
            known = callable(self.init) or np.iterable(self.init)
        if not known:
            raise ValueError(
                "init must be 'k-means++', 'random', an array of centers or a callable, "
                f"got {shown(self.init)}."
            )

    def _check_tol(self):
        check_not_negative("tol", self.tol)

    def _check_rows(self, rows):
        n_samples, usable = rows.weight.size, np.count_nonzero(rows.weight)
        if n_samples < self._n_clusters:
            raise ValueError(
                f"n_samples={n_samples} should be >= {self._k_name}={self._n_clusters}."
            )
        if usable < self._n_clusters:
            raise ValueError(
                f"{self._k_name} must be at most the number of rows that are not zero "
                f"and have a positive weight ({usable}), got {self._n_clusters}."
            )

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def check_not_negative(name, value, otherwise=""):
    if not (is_number(value) or isinstance(value, bool)) or value < 0:
        raise ValueError(
            f"{name} must be {otherwise}a number of at least 0, got {shown(value)}."
        )


def _without_empty(rows, labels, k):
    """Labels where an empty cluster has a row of the largest."""
    used = np.flatnonzero(rows.weight > 0)
    counts = np.bincount(labels[used], minlength=k)
    labels = labels.copy()
    for empty in np.flatnonzero(counts == 0):
        largest = counts.argmax()
        row = used[labels[used] == largest][0]
        labels[row] = empty
        counts[[largest, empty]] += [-1, 1]
    return labels
