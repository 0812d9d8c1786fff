"""Informativeness: how well classifiers can predict the clusters of held-out rows."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence, Sized
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.metrics import pairwise_distances_argmin
from sklearn.model_selection import KFold, check_cv
from sklearn.neighbors import (
    KNeighborsClassifier,
    NearestCentroid,
    NearestNeighbors,
)
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import check_consistent_length, indexable
from sklearn.utils.parallel import Parallel, delayed

from ..utils._checks import (
    check_integer,
    check_n_jobs,
    invalid,
    is_integer,
    is_iterable,
    shown,
)
from ..utils._docs import substituted
from ..utils._labels import complete_labels
from ..utils._random import check_random_state
from ..utils._sklearn import num_samples, split_rows
from ._internal import Rows, without_duplicates

_SPLITS = "an integer, a splitter or an iterable of pairs of row indices"


class Informativeness(NamedTuple):
    """Informativeness of a clustering, with what it is made of.

    Parameters
    ----------
    score : float
        The result of :func:`informativeness_score`.
    correct_bits : dict of str to float
        For each classifier, the expected bits of a predicted cluster that are right,
        called A in the source; higher is better.
    correct_fractions : dict of str to ndarray of shape (n_clusters,)
        For each classifier, the share of all rows that are in the cluster and are
        predicted to be in it.
    clusters : ndarray of shape (n_clusters,)
        Names of the clusters, in order of their first row.
    """

    score: float
    correct_bits: dict[str, float]
    correct_fractions: dict[str, NDArray[np.float64]]
    clusters: NDArray[Any]


def informativeness_score(
    X: Rows,
    labels: ArrayLike,
    *,
    classifiers: Any = None,
    cv: Any = 10,
    max_rows: int | None = None,
    n_jobs: int | None = None,
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
        Cluster of each row, as integers or text. Noise labeled -1 is a cluster like the
        others.
    classifiers : classifier or list of (named) classifiers, default=None
        Those of one type as (name, classifier) pairs. By default 5 nearest neighbors, a
        decision tree by entropy and nearest centroid.
    cv : int, splitter or iterable, default=10
        An int means that many shuffled folds, which are not stratified. Any other must
        hold out every row exactly once.
    max_rows : int, default=None
        Number of rows to draw at random, without replacement, if there are more. The
        result is then that of these rows, in time that does not grow with the others: an
        estimate of what all rows would give, mostly a lower one, since classifiers learn
        from fewer rows. ``cv`` divides the rows that are drawn. By default, all rows are
        used.
    n_jobs : int, default=None
        Number of fits at once, over classifiers and folds.
    random_state : int, RandomState instance or None, default=None
        Seed of the folds, of rows that are drawn, and of classifiers whose own is None.

    Returns
    -------
    score : float
        At most 1 and at least ``-1 / (n_clusters - 1)``; higher is better. It is about 0
        by chance, and 0 for one cluster. Of clusterings with equal scores the one with
        more clusters is better, and scorers of :func:`make_informativeness_scorer`
        prefer it.

    Raises
    ------
    ValueError
        If X and labels are of different lengths, a label is missing (None, NaN, NA) or
        infinite, ``cv`` is below 2, it does not hold out every row once, or ``max_rows``
        is below 2.

    See Also
    --------
    informativeness : With the details by classifier and cluster.
    informativeness_scores : Of many clusterings at once, faster.

    Notes
    -----
    Eq. 5 of [1]_; line 12 of its Algorithm 1 lacks a factor k. A training fold that
    holds one cluster predicts it.

    Every clustering that one of the classifiers predicts without mistakes has the score
    1. Of five separated blobs, for instance, 2, 3, 4 and 5 clusters all have it, and the
    score cannot tell them apart.

    References
    ----------
    .. [1] J. S. Whissell and C. L. A. Clarke, "Classification-Based Clustering
           Evaluation", ICDM 2010, Algorithm 1 and Eq. 5.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from sklearn_pacmdl.metrics import informativeness_score
    >>> X, labels = make_blobs(90, centers=3, cluster_std=0.5, random_state=1)
    >>> informativeness_score(X, labels, random_state=0)
    1.0
    """
    return float(
        informativeness_scores(
            X,
            [complete_labels(labels)],
            classifiers=classifiers,
            cv=cv,
            max_rows=max_rows,
            n_jobs=n_jobs,
            random_state=random_state,
        )[0]
    )


documented = substituted(informativeness_score)


@documented
def informativeness_scores(
    X: Rows,
    labelings: Sequence[ArrayLike],
    *,
    classifiers: Any = None,
    cv: Any = 10,
    max_rows: int | None = None,
    n_jobs: int | None = None,
    random_state: int | np.random.RandomState | None = None,
) -> NDArray[np.float64]:
    """Informativeness of many clusterings of the same rows.

    What does not depend on the clusters is computed once for all of them, and a
    classifier that can no longer be the best one of a clustering is abandoned. All
    clusterings share the folds, and the rows that are drawn where there are more than
    ``max_rows``. Scores are those of :func:`informativeness_score`.

    Parameters
    ----------
    {X}
    labelings : sequence of array-like of shape (n_samples,)
        Cluster of each row, for each clustering.
    {classifiers}
    {cv}
    {max_rows}
    n_jobs : int, default=None
        Number of clusterings scored at once.
    {random_state}

    Returns
    -------
    scores : ndarray of shape (n_labelings,)
        At most 1; higher is better.

    {Raises}

    Examples
    --------
    >>> from sklearn.cluster import AgglomerativeClustering
    >>> from sklearn.datasets import make_blobs
    >>> from sklearn_pacmdl.metrics import informativeness_scores
    >>> X, _ = make_blobs(90, centers=3, cluster_std=0.5, random_state=1)
    >>> labelings = [AgglomerativeClustering(k).fit_predict(X) for k in (6, 3)]
    >>> scores = informativeness_scores(X, labelings, random_state=0)
    >>> int(scores.argmax())
    1
    """
    check_n_jobs(n_jobs)
    how = classifiers, max_rows, random_state
    rows, pairs, named, seed = _judged(X, labelings, "labelings", *how)
    if all(len(clusters) == 1 for clusters, _ in pairs):
        return np.zeros(len(pairs))
    predictors = _predictors(rows, named, cv, seed)
    return np.array(
        Parallel(n_jobs=n_jobs)(delayed(_score)(predictors, codes) for _, codes in pairs)
    )


@documented
def informativeness(
    X: Rows,
    labels: ArrayLike,
    *,
    classifiers: Any = None,
    cv: Any = 10,
    max_rows: int | None = None,
    n_jobs: int | None = None,
    random_state: int | np.random.RandomState | None = None,
) -> Informativeness:
    """Informativeness of a clustering, with its details.

    Parameters
    ----------
    {X}
    {labels}
    {classifiers}
    {cv}
    {max_rows}
    {n_jobs}
    {random_state}

    Returns
    -------
    informativeness : Informativeness
        The score, and the correct bits and the correct fractions for each classifier.

    {Raises}

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from sklearn_pacmdl.metrics import informativeness
    >>> X, labels = make_blobs(90, centers=3, cluster_std=0.5, random_state=1)
    >>> result = informativeness(X, labels, random_state=0)
    >>> print(result.correct_fractions["nearestcentroid"].sum())
    1.0
    """
    check_n_jobs(n_jobs)
    how = classifiers, max_rows, random_state
    rows, ((clusters, codes),), named, seed = _judged(X, [labels], "labels", *how)
    sizes = np.bincount(codes)
    predictors = _predictors(rows, named, cv, seed)
    tasks = [(name, fold) for name, folds in predictors.items() for fold in folds]
    right_by_task = Parallel(n_jobs=n_jobs)(
        delayed(_right)(fold, codes) for _, fold in tasks
    )
    counts = {name: np.zeros_like(sizes) for name in predictors}
    for (name, fold), right in zip(tasks, right_by_task, strict=True):
        counts[name] += np.bincount(codes[fold.test][right], minlength=sizes.size)
    fractions = {name: count / codes.size for name, count in counts.items()}
    lengths, entropy = _code(sizes)
    bits = {name: float(count @ lengths) / codes.size for name, count in counts.items()}
    score = float(_corrected(max(bits.values()), entropy, sizes.size))
    return Informativeness(score, bits, fractions, clusters)


def _score(predictors, codes):
    """The score alone: a classifier whose mistakes cost too much already is left."""
    sizes = np.bincount(codes)
    lengths, entropy = _code(sizes)
    best = 0.0
    for folds in predictors.values():
        count, lost = np.zeros_like(sizes), 0.0
        for fold in folds:
            right = _right(fold, codes)
            clusters = codes[fold.test]
            count += np.bincount(clusters[right], minlength=sizes.size)
            lost += lengths[clusters[~right]].sum() / codes.size
            # More than rounding of the sums may amount to: the bits are below 100.
            if entropy - lost < best - 1e-9:
                break
        else:
            best = max(best, float(count @ lengths) / codes.size)
    return _corrected(best, entropy, sizes.size)


def _code(sizes):
    """Length in bits of each cluster's code word, and its mean: bits of no mistakes."""
    lengths = -np.log2(sizes / sizes.sum())
    return lengths, float(sizes @ lengths) / sizes.sum()


def _corrected(bits, entropy, k):
    """Eq. 5: correct bits, corrected for chance."""
    if k == 1:
        return 0.0
    chance = entropy / k
    return (bits - chance) / (entropy - chance)


def check_judges(
    classifiers: Any, cv: Any, max_rows: Any, n_jobs: Any, random_state: Any
) -> None:
    """Check what can be checked without rows of the parameters of informativeness."""
    check_n_jobs(n_jobs)
    check_random_state(random_state)
    _draw(0, classifiers, max_rows, 0)
    if is_integer(cv):
        check_integer("cv", cv, 2)
    elif not _may_split(cv):
        raise invalid("cv", _SPLITS, cv)


def _may_split(cv):
    """Whether this may be what scikit-learn takes as ``cv``, beside an integer."""
    if isinstance(cv, str | bytes):
        return False
    if cv is None or isinstance(cv, Iterator) or hasattr(cv, "split"):
        return True
    pairs = list(cv) if is_iterable(cv) else [()]
    return all(isinstance(pair, Sized) and len(pair) == 2 for pair in pairs)


def _judged(X, labelings, name, classifiers, max_rows, random_state):
    """Rows, names and numbers of clusters by labeling, classifiers, and a seed."""
    (X,) = indexable(X)
    X, pairs = without_duplicates(X), []
    if not is_iterable(labelings):
        raise invalid(name, "labelings, one after the other", labelings)
    for labels in labelings:
        labels = complete_labels(labels, name)
        check_consistent_length(X, labels)
        pairs.append(_by_first_appearance(labels))
    if not pairs or not pairs[0][0].size:
        raise ValueError(
            f"informativeness needs rows and labels, got {name}={shown(labelings)}."
        )
    named, seed, rows = _draw(num_samples(X), classifiers, max_rows, random_state)
    if rows is not None:  # on both axes where they hold distances
        X, _ = split_rows(next(iter(named.values())), X, None, rows)
        pairs = [_of_rows(names, codes[rows]) for names, codes in pairs]
    return X, pairs, named, seed


def _of_rows(names, codes):
    present, numbers = _by_first_appearance(codes)
    return names[present], numbers


def _by_first_appearance(labels):
    """Clusters numbered so that their names cannot change a classifier's ties."""
    names, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(order.size)
    return names[order], rank[codes]


def _named(classifiers, seed):
    if classifiers is None:
        classifiers = [
            KNeighborsClassifier(),
            DecisionTreeClassifier(criterion="entropy"),
            NearestCentroid(),
        ]
    argument = classifiers
    if not isinstance(classifiers, list | tuple):
        classifiers = [classifiers]
    pairs = [
        item
        if isinstance(item, tuple) and len(item) == 2
        else (type(item).__name__.lower(), item)
        for item in classifiers
    ]
    names = [name for name, _ in pairs]
    if not pairs or len(set(names)) < len(names):
        raise ValueError(
            "classifiers must be one or more classifiers, those of one type as (name, "
            f"classifier) with different names; got {shown(classifiers)}."
        )
    named = {}
    for name, classifier in pairs:
        if isinstance(classifier, type) or not hasattr(classifier, "get_params"):
            raise invalid("classifiers", "instances of classifiers", argument)
        classifier = clone(classifier)
        unseeded = [
            key
            for key, value in classifier.get_params(deep=True).items()
            if value is None and (key == "random_state" or key.endswith("__random_state"))
        ]
        named[name] = classifier.set_params(**dict.fromkeys(unseeded, seed))
    return named


def _draw(n_samples, classifiers, max_rows, random_state):
    """Classifiers by name, seed of the folds, and rows that are drawn; None for all."""
    if max_rows is not None:
        check_integer("max_rows", max_rows, 2)
    random_state = check_random_state(random_state)
    named = _named(classifiers, random_state.randint(2**31 - 1))
    folds_seed, rows = random_state.randint(2**31 - 1), None
    # Drawn last, so that folds of all rows do not depend on it.
    if max_rows is not None and max_rows < n_samples:
        rows = np.sort(random_state.choice(n_samples, max_rows, replace=False))
    return named, folds_seed, rows


def _predictors(X, named, cv, seed):
    """Predictors of each classifier, one for each fold, those that share work first."""
    splits = _splits(cv, X, seed)
    kinds = {name: _kind(classifier, X) for name, classifier in named.items()}
    return {
        name: [kinds[name](named[name], X, train, test) for train, test in splits]
        for name in sorted(named, key=lambda name: kinds[name] is _Refitted)
    }


def _splits(cv, X, seed):
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
    return splits


def _kind(classifier, X):
    """How to predict: two classifiers have parts that do not depend on the labels."""
    if type(classifier) is KNeighborsClassifier and classifier.weights == "uniform":
        return _Neighbors
    plain = {"metric": "euclidean", "shrink_threshold": None, "priors": "uniform"}
    if (
        type(classifier) is NearestCentroid
        and classifier.get_params() == plain
        and isinstance(X, np.ndarray)
    ):
        return _Centroids
    return _Refitted


class _Neighbors:
    """Nearest neighbors of held-out rows, found once for all labelings."""

    def __init__(self, classifier, X, train, test):
        self.train, self.test = train, test
        X_train, _ = split_rows(classifier, X, None, train)
        X_test, _ = split_rows(classifier, X, None, test, train)
        params = classifier.get_params()
        del params["weights"]
        neighbors = NearestNeighbors(**params).fit(X_train)
        self.nearest = neighbors.kneighbors(X_test, return_distance=False)

    def predict(self, codes):
        """The most frequent cluster, of equals the first, as the classifier does."""
        clusters, near = np.unique(codes[self.train], return_inverse=True)
        rows = np.arange(len(self.test))[:, None] * clusters.size
        votes = np.bincount(
            (rows + near[self.nearest]).ravel(), minlength=len(self.test) * clusters.size
        )
        return clusters[votes.reshape(-1, clusters.size).argmax(axis=1)]


class _Centroids:
    """Nearest of the clusters' means; rows are taken apart once for all labelings."""

    def __init__(self, classifier, X, train, test):
        self.train, self.test = train, test
        self.X_train, self.X_test = X[train], X[test]

    def predict(self, codes):
        clusters, near = np.unique(codes[self.train], return_inverse=True)
        sums = np.stack(
            [
                np.bincount(near, weights=feature, minlength=clusters.size)
                for feature in self.X_train.T
            ],
            axis=1,
        )
        centers = sums / np.bincount(near)[:, None]
        centers = centers.astype(np.result_type(self.X_test, np.float32), copy=False)
        return clusters[pairwise_distances_argmin(self.X_test, centers)]


class _Refitted:
    """Any other classifier, fitted to every labeling anew."""

    def __init__(self, classifier, X, train, test):
        self.classifier, self.train, self.test = classifier, train, test
        self.X_train, _ = split_rows(classifier, X, None, train)
        self.X_test, _ = split_rows(classifier, X, None, test, train)

    def predict(self, codes):
        # Without gaps, on which some classifiers insist: a fold may lack clusters.
        clusters, near = np.unique(codes[self.train], return_inverse=True)
        with warnings.catch_warnings():
            # Of a statistic of nearest centroids that its predictions do not use.
            warnings.filterwarnings("ignore", "self.within_class_std_dev_ has at least")
            # Clusters may well be many; the doubt is whether they are a regression's y.
            warnings.filterwarnings("ignore", "The number of unique classes is greater")
            classifier = clone(self.classifier).fit(self.X_train, near)
            return clusters[np.asarray(classifier.predict(self.X_test), dtype=np.intp)]


def _right(fold, codes):
    """Whether each held-out row is predicted to be in its cluster."""
    learned = codes[fold.train]
    if np.all(learned == learned[0]):
        return codes[fold.test] == learned[0]
    return fold.predict(codes) == codes[fold.test]
