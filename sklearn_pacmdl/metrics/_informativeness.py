"""Informativeness: how well classifiers can predict the clusters of held-out rows."""

import warnings
from typing import NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import KFold, check_cv
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import check_consistent_length, check_random_state, column_or_1d
from sklearn.utils.parallel import Parallel, delayed

from ..utils._checks import is_integer
from ..utils._sklearn import split_rows


class Informativeness(NamedTuple):
    """Informativeness of a clustering, with what it is made of.

    Parameters
    ----------
    score : float
        As of :func:`informativeness_score`.
    correct_bits : dict of str to float
        By classifier, the expected bits of a predicted cluster that are right: A in the
        source; higher is better.
    correct_fractions : dict of str to ndarray of shape (n_clusters,)
        By classifier, the share of all rows that are in the cluster and predicted so.
    clusters : ndarray of shape (n_clusters,)
        Names of the clusters, in order of their first row.
    """

    score: float
    correct_bits: dict
    correct_fractions: dict
    clusters: np.ndarray


def informativeness_score(
    X, labels, *, classifiers=None, cv=10, n_jobs=None, random_state=None
):
    """How well classifiers predict the clusters of rows held out, corrected for chance.

    The clusters are taken as classes, predicted by cross-validation with each of
    several classifiers, and the best of these counts.

    Parameters
    ----------
    X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
        Rows; or distances between rows, for classifiers that take these.
    labels : array-like of shape (n_samples,)
        Cluster of each row; their names do not matter, noise labelled -1 is a cluster.
    classifiers : classifier or list of (named) classifiers, default=None
        Those of one type as (name, classifier) pairs. By default 5 nearest neighbours,
        a decision tree by entropy and nearest centroid.
    cv : int, splitter or iterable, default=10
        An int means that many shuffled folds, not stratified ones.
    n_jobs : int, default=None
        Fits at once, over classifiers and folds.
    random_state : int, RandomState instance or None, default=None
        Of the folds, and of classifiers whose own is None.

    Returns
    -------
    score : float
        At most 1; higher is better; about 0 by chance, 0 for one cluster, and at least
        ``-1 / (n_clusters - 1)``. Of clusterings with equal scores the one with more
        clusters is better: GridSearchCV keeps the first of equals, so give it the
        numbers of clusters in descending order.

    Raises
    ------
    ValueError
        If X and labels are of different lengths, or ``cv`` is below 2.

    See Also
    --------
    informativeness : With the details by classifier and cluster.

    Notes
    -----
    Eq. 5 of [1]_; line 12 of its Algorithm 1 lacks a factor k. A training fold that
    holds one cluster predicts it.

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
    return informativeness(
        X,
        labels,
        classifiers=classifiers,
        cv=cv,
        n_jobs=n_jobs,
        random_state=random_state,
    ).score


def informativeness(
    X, labels, *, classifiers=None, cv=10, n_jobs=None, random_state=None
):
    """Informativeness of a clustering, with its details.

    Parameters
    ----------
    X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
        As in :func:`informativeness_score`.
    labels : array-like of shape (n_samples,)
        Cluster of each row.
    classifiers : classifier or list of (named) classifiers, default=None
        As in :func:`informativeness_score`.
    cv : int, splitter or iterable, default=10
        As in :func:`informativeness_score`.
    n_jobs : int, default=None
        As in :func:`informativeness_score`.
    random_state : int, RandomState instance or None, default=None
        As in :func:`informativeness_score`.

    Returns
    -------
    informativeness : Informativeness
        The score, and by classifier the correct bits and the correct fractions.

    Raises
    ------
    ValueError
        If X and labels are of different lengths, or ``cv`` is below 2.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from sklearn_pacmdl.metrics import informativeness
    >>> X, labels = make_blobs(90, centers=3, cluster_std=0.5, random_state=1)
    >>> result = informativeness(X, labels, random_state=0)
    >>> print(result.correct_fractions["nearestcentroid"].sum())
    1.0
    """
    labels = column_or_1d(labels)
    check_consistent_length(X, labels)
    clusters, codes = _by_first_appearance(labels)
    random_state = check_random_state(random_state)
    named = _named(classifiers, random_state.randint(2**31 - 1))
    splits = _splits(cv, X, codes, random_state.randint(2**31 - 1))
    tasks = [(name, split) for name in named for split in splits]
    right = Parallel(n_jobs=n_jobs)(
        delayed(_right)(named[name], X, codes, train, test)
        for name, (train, test) in tasks
    )
    sizes = np.bincount(codes)
    counts = {name: np.zeros_like(sizes) for name in named}
    for (name, (_, test)), correct in zip(tasks, right, strict=True):
        counts[name] += np.bincount(codes[test][correct], minlength=sizes.size)
    fractions = {name: count / codes.size for name, count in counts.items()}
    lengths = -np.log2(sizes / codes.size)
    bits = {name: float(fraction @ lengths) for name, fraction in fractions.items()}
    entropy = float(sizes / codes.size @ lengths)  # exactly the bits of no mistakes
    score = _corrected(max(bits.values()), entropy, sizes.size)
    return Informativeness(score, bits, fractions, clusters)


def _corrected(bits, entropy, k):
    """Eq. 5: correct bits, corrected for chance."""
    if k == 1:
        return 0.0
    chance = entropy / k
    return (bits - chance) / (entropy - chance)


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
    elif not isinstance(classifiers, list | tuple):
        classifiers = [classifiers]
    pairs = [
        item if isinstance(item, tuple) else (type(item).__name__.lower(), item)
        for item in classifiers
    ]
    names = [name for name, _ in pairs]
    if not pairs or len(set(names)) < len(names):
        raise ValueError(
            "classifiers must be one or more classifiers, those of one type as (name, "
            f"classifier) with different names; got {classifiers!r}."
        )
    named = {}
    for name, classifier in pairs:
        classifier = clone(classifier)
        unseeded = [
            key
            for key, value in classifier.get_params(deep=True).items()
            if value is None and (key == "random_state" or key.endswith("__random_state"))
        ]
        named[name] = classifier.set_params(**dict.fromkeys(unseeded, seed))
    return named


def _splits(cv, X, codes, seed):
    if is_integer(cv):
        if not 2 <= cv <= codes.size:
            raise ValueError(
                f"cv must be between 2 and the number of rows ({codes.size}) when it is "
                f"an int, got {cv!r}."
            )
        cv = KFold(int(cv), shuffle=True, random_state=seed)
    return list(check_cv(cv).split(X, codes))


def _right(classifier, X, codes, train, test):
    """Whether each held-out row is predicted to be in its cluster."""
    if np.all(codes[train] == codes[train][0]):
        return codes[test] == codes[train][0]
    X_train, y_train = split_rows(classifier, X, codes, train)
    X_test, y_test = split_rows(classifier, X, codes, test, train)
    with warnings.catch_warnings():
        # Of a statistic of nearest centroids that its predictions do not use.
        warnings.filterwarnings("ignore", "self.within_class_std_dev_ has at least")
        predicted = clone(classifier).fit(X_train, y_train).predict(X_test)
    return predicted == y_test
