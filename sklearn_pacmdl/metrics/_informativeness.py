"""Informativeness: how well classifiers can predict the clusters of held-out rows."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.metrics import pairwise_distances_argmin
from sklearn.model_selection import KFold, check_cv
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid, NearestNeighbors
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import check_consistent_length, indexable
from sklearn.utils.parallel import Parallel, delayed

from ..columns import complete_labels
from ..estimators import kind_of_X, num_samples, split_rows, without_duplicates
from ..utils._checks import (
    check_integer,
    check_n_jobs,
    invalid,
    is_integer,
    is_iterable,
    refuse_masked,
    shown,
)
from ..utils._random import check_random_state
from ..utils._row_order import check_same_order
from ..utils._words import joined
from ._internal import Rows

_SPLITS = "an integer, a splitter or an iterable of pairs of row indices"


def informativeness_score(
    X: Rows,
    labels: ArrayLike,
    *,
    classifiers: Any = None,
    cv: Any = 10,
    random_state: int | np.random.RandomState | None = None,
) -> float:
    """How well classifiers predict the clusters of rows held out, corrected for chance.

    The clusters are taken as classes, which several classifiers predict by
    cross-validation. The best of these classifiers counts.

    Parameters
    ----------
    X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
        Rows, or distances between rows for classifiers that take these.
    labels : array-like of shape (n_samples,)
        Cluster of each row, as integers or text; noise labeled -1 is a cluster, too.
    classifiers : classifier or list of (named) classifiers, default=None
        Those of one type as (name, classifier) pairs. By default 5 nearest neighbors, a
        decision tree by entropy and nearest centroid.
    cv : int, splitter or iterable, default=10
        If an int, the number of shuffled, unstratified folds. A splitter must
        hold out every row exactly once.
    random_state : int, RandomState instance or None, default=None
        Seed of the folds, and of classifiers whose own is None.

    Returns
    -------
    score : float
        At most 1 and at least ``-1 / (n_clusters - 1)``; higher is better. It is about 0
        by chance, and 0 for one cluster. Of clusterings with equal scores the one with
        more clusters is better, and scorers of :func:`make_labeling_scorer` prefer it.

    Raises
    ------
    ValueError
        If X and labels are of different lengths, a label is missing (None, NaN, NA) or
        infinite, ``cv`` is below 2, or it does not hold out every row once.

    See Also
    --------
    informativeness_scores : Of many clusterings at once, faster.

    Notes
    -----
    A training fold that holds one cluster predicts it. Every clustering that one of the
    classifiers predicts without mistakes has the score 1: of five separated blobs, for
    instance, 2, 3, 4 and 5 clusters.

    References
    ----------
    .. [1] J. S. Whissell and C. L. A. Clarke, "Classification-Based Clustering
           Evaluation", ICDM 2010, Eq. 5 and Algorithm 1, whose line 12 lacks a factor k.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from sklearn_pacmdl.metrics import informativeness_score
    >>> X, labels = make_blobs(90, centers=3, cluster_std=0.5, random_state=1)
    >>> informativeness_score(X, labels, random_state=0)
    1.0
    """
    return float(_scores(X, [labels], "labels", classifiers, cv, random_state)[0])


def informativeness_scores(
    X: Rows,
    clusterings: Sequence[ArrayLike],
    *,
    classifiers: Any = None,
    cv: Any = 10,
    n_jobs: int | None = None,
    random_state: int | np.random.RandomState | None = None,
) -> NDArray[np.float64]:
    """Informativeness of many clusterings of the same rows.

    Scores are those of :func:`informativeness_score`, on the same folds for all. What
    does not depend on the clusters is computed once, and a classifier that can no longer
    be the best one of a clustering is abandoned.

    Parameters
    ----------
    X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
        Rows, or distances between rows for classifiers that take these.
    clusterings : sequence of array-like of shape (n_samples,)
        Cluster of each row, for each clustering.
    classifiers : classifier or list of (named) classifiers, default=None
        Those of one type as (name, classifier) pairs. By default 5 nearest neighbors, a
        decision tree by entropy and nearest centroid.
    cv : int, splitter or iterable, default=10
        If an int, the number of shuffled, unstratified folds. A splitter must
        hold out every row exactly once.
    n_jobs : int, default=None
        Number of clusterings scored at once.
    random_state : int, RandomState instance or None, default=None
        Seed of the folds, and of classifiers whose own is None.

    Returns
    -------
    scores : ndarray of shape (n_clusterings,)
        At most 1; higher is better.

    Raises
    ------
    ValueError
        If X and labels are of different lengths, a label is missing (None, NaN, NA) or
        infinite, ``cv`` is below 2, or it does not hold out every row once.

    References
    ----------
    .. [1] J. S. Whissell and C. L. A. Clarke, "Classification-Based Clustering
           Evaluation", ICDM 2010, Eq. 5 and Algorithm 1, whose line 12 lacks a factor k.

    Examples
    --------
    >>> from sklearn.cluster import AgglomerativeClustering
    >>> from sklearn.datasets import make_blobs
    >>> from sklearn_pacmdl.metrics import informativeness_scores
    >>> X, _ = make_blobs(90, centers=3, cluster_std=0.5, random_state=1)
    >>> clusterings = [AgglomerativeClustering(k).fit_predict(X) for k in (6, 3)]
    >>> scores = informativeness_scores(X, clusterings, random_state=0)
    >>> int(scores.argmax())
    1
    """
    return _scores(X, clusterings, "clusterings", classifiers, cv, random_state, n_jobs)


def _scores(X, clusterings, name, classifiers, cv, random_state, n_jobs=None):
    check_n_jobs(n_jobs)
    if not is_iterable(clusterings):
        raise invalid(name, "clusterings, one after the other", clusterings)
    columns = [*clusterings]
    check_same_order(X=X, **{name: columns[0] if name == "labels" else columns})
    refuse_masked("X", X)
    if hasattr(X, "__array_namespace__"):  # of another library, which array_api_dispatch
        X = np.asarray(X)  # would hand to classifiers as it is
    (X,) = indexable(X)
    X = without_duplicates(X)
    columns = [complete_labels(labels, name) for labels in columns]
    check_consistent_length(X, *columns)
    if not columns or not num_samples(X):
        raise ValueError(
            f"informativeness needs rows and labels, got {name}={shown(clusterings)}."
        )
    random_state = check_random_state(random_state)
    named = named_classifiers(classifiers, random_state.randint(2**31 - 1))
    columns = [_by_first_appearance(labels) for labels in columns]
    if all(codes.max() == 0 for codes in columns):
        return np.zeros(len(columns))
    predictors = _predictors(X, named, cv, random_state.randint(2**31 - 1))
    return np.array(
        Parallel(n_jobs=n_jobs)(delayed(_score)(predictors, codes) for codes in columns)
    )


def _score(predictors, codes):
    """Eq. 5; a classifier whose mistakes cost too many bits to be best is abandoned."""
    sizes = np.bincount(codes)
    k, n_samples = sizes.size, codes.size
    if k == 1:
        return 0.0
    lengths = -np.log2(sizes / n_samples)  # of each cluster's code word
    entropy = float(sizes @ lengths) / n_samples
    best = 0.0
    for folds in predictors.values():
        # More than rounding of the sums may amount to: the bits are below 100.
        count = _rows_right(folds, codes, lengths, entropy - best + 1e-9)
        if count is not None:
            best = max(best, float(count @ lengths) / n_samples)
    chance = entropy / k
    return (best - chance) / (entropy - chance)


def _rows_right(folds, codes, lengths, most_lost):
    """Rows of each cluster that are predicted right; None once too many bits are lost."""
    count, lost = np.zeros(lengths.size, dtype=np.int64), 0.0
    for fold in folds:
        right, clusters = fold.right(codes), codes[fold.test]
        count += np.bincount(clusters[right], minlength=lengths.size)
        lost += lengths[clusters[~right]].sum() / codes.size
        if lost > most_lost:
            return None
    return count


def _by_first_appearance(labels):
    """Clusters numbered so that their names cannot change a classifier's ties."""
    _, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(order.size)
    return rank[codes]


def named_classifiers(classifiers, seed=0):
    """Classifiers by name, those without a seed with this one."""
    items = classifiers
    if classifiers is None:
        tree = DecisionTreeClassifier(criterion="entropy")
        items = [KNeighborsClassifier(), tree, NearestCentroid()]
    pairs = [
        item
        if isinstance(item, tuple) and len(item) == 2
        else (type(item).__name__.lower(), item)
        for item in (items if isinstance(items, list | tuple) else [items])
    ]
    named = dict(pairs)
    if not pairs or len(named) < len(pairs):
        raise ValueError(
            "classifiers must be one or more classifiers, those of one type as (name, "
            f"classifier) with different names; got {shown(items)}."
        )
    for name, classifier in pairs:
        if isinstance(classifier, type) or not hasattr(classifier, "get_params"):
            raise invalid("classifiers", "instances of classifiers", classifiers)
        named[name] = clone(classifier)
        unseeded = {
            key: seed
            for key, value in classifier.get_params(deep=True).items()
            if value is None and (key == "random_state" or key.endswith("__random_state"))
        }
        named[name].set_params(**unseeded)
    if len(kinds := {*map(kind_of_X, named.values())}) > 1:
        allowed = f"classifiers of one kind of X, not of {joined(sorted(kinds))}"
        raise invalid("classifiers", allowed, classifiers)
    return named


def _predictors(X, named, cv, seed):
    """Predictors of each classifier, one for each fold, those that share work first."""
    n_samples = num_samples(X)
    if is_integer(cv):
        n_folds = check_integer("cv", cv, 2, n_samples)
        cv = KFold(n_folds, shuffle=True, random_state=seed)
    try:
        splits = [(train, np.asarray(test)) for train, test in check_cv(cv).split(X)]
        held_out = np.sort(np.concatenate([test for _, test in splits]))
    except (TypeError, ValueError) as error:
        raise invalid("cv", _SPLITS, cv) from error
    if not np.array_equal(held_out, np.arange(n_samples)):
        raise ValueError(f"cv must hold out every row exactly once, got {shown(cv)}.")
    kinds = {name: _kind(classifier, X) for name, classifier in named.items()}
    return {
        name: [kinds[name](named[name], X, train, test) for train, test in splits]
        for name in sorted(named, key=lambda name: kinds[name] is _Refitted)
    }


def _kind(classifier, X):
    """How to predict: two classifiers have parts that do not depend on the labels."""
    if type(classifier) is KNeighborsClassifier and classifier.weights == "uniform":
        return _Neighbors
    plain = {"metric": "euclidean", "shrink_threshold": None, "priors": "uniform"}
    if (
        type(classifier) is NearestCentroid
        and classifier.get_params() == plain
        and isinstance(X, np.ndarray)
        and X.dtype.kind in "biuf"
    ):
        return _Centroids
    return _Refitted


class _Refitted:
    """Predicts clusters of held-out rows by any classifier, which is fitted again."""

    def __init__(self, classifier, X, train, test):
        self.classifier, self.train, self.test = classifier, train, test
        self.X_train = split_rows(classifier, X, train)
        self.X_test = split_rows(classifier, X, test, train)

    def predict(self, codes):
        # Without gaps, on which some classifiers insist: a fold may lack clusters.
        clusters, near = np.unique(codes[self.train], return_inverse=True)
        return clusters[self._predict(near, clusters.size) if clusters.size > 1 else 0]

    def right(self, codes):
        """Whether each held-out row is predicted to be in its cluster."""
        return codes[self.test] == self.predict(codes)

    def _predict(self, near, k):
        with warnings.catch_warnings():
            # Of a statistic of nearest centroids that its predictions do not use.
            warnings.filterwarnings("ignore", "self.within_class_std_dev_ has at least")
            # Clusters may well be many; the doubt is whether they are a regression's y.
            warnings.filterwarnings("ignore", "The number of unique classes is greater")
            classifier = clone(self.classifier).fit(self.X_train, near)
            return np.asarray(classifier.predict(self.X_test), dtype=np.intp)


class _Neighbors(_Refitted):
    """By nearest neighbors, which are found once for all clusterings."""

    def __init__(self, classifier, X, train, test):
        super().__init__(classifier, X, train, test)
        params = classifier.get_params()
        del params["weights"]
        neighbors = NearestNeighbors(**params).fit(self.X_train)
        self.nearest = neighbors.kneighbors(self.X_test, return_distance=False)
        del self.X_train, self.X_test  # they may be large

    def _predict(self, near, k):
        """The most frequent cluster, of equals the first, as the classifier does."""
        rows = np.arange(len(self.test))[:, None] * k
        votes = np.bincount(
            (rows + near[self.nearest]).ravel(), minlength=len(self.test) * k
        )
        return votes.reshape(-1, k).argmax(axis=1)


class _Centroids(_Refitted):
    """By the nearest of the clusters' means."""

    def _predict(self, near, k):
        sums = [np.bincount(near, feature, k) for feature in self.X_train.T]
        centers = np.stack(sums, axis=1) / np.bincount(near)[:, None]
        centers = centers.astype(np.result_type(self.X_test, np.float32), copy=False)
        return pairwise_distances_argmin(self.X_test, centers)
