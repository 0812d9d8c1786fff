"""Estimators that go by position, or that reorder rows, are found out by equal rows."""

import numpy as np
import pytest
from conftest import hide
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import KMeans
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from sklearn_pacmdl import PACMDLSearchCV
from sklearn_pacmdl.estimators import check_follows_rows

MADE_BEFOREHAND = np.random.default_rng(0).integers(3, size=150)


class LookedUp(ClusterMixin, BaseEstimator):
    """Labels of a global: in the order of the file, whatever rows it is given."""

    def __init__(self, cut=False):
        self.cut = cut

    def fit(self, X, y=None):
        return self

    def fit_predict(self, X, y=None):
        return MADE_BEFOREHAND[: len(X)] if self.cut else MADE_BEFOREHAND


class Joined(LookedUp):
    """Fails unless it is given as many rows as it knows labels of."""

    def fit_predict(self, X, y=None):
        return np.column_stack([X, MADE_BEFOREHAND])[:, -1].astype(int)


def looked_up(X):
    return MADE_BEFOREHAND[:, None] * 1.0


@pytest.mark.parametrize(
    "clusterer",
    [
        Joined(),
        make_pipeline(FunctionTransformer(looked_up), KMeans(3, n_init=1)),
        *(LookedUp(cut) for cut in (True, False)),
        *(make_pipeline(StandardScaler(), LookedUp(cut)) for cut in (True, False)),
    ],
    ids=["all rows", "a function", "cut", "whole", "cut within", "whole within"],
)
def test_labels_that_do_not_follow_the_rows_are_refused(clusterer):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(150, 2)), rng.integers(2, size=150)
    with pytest.raises(ValueError, match="do not follow the rows"):
        PACMDLSearchCV(clusterer, random_state=0).fit(X, y)


def rolled(X):
    return np.roll(X, 1, axis=0)


def by_size(X):
    return X[np.argsort(X[:, 0])]


def shuffled(X):
    return np.random.default_rng(3).permutation(X)


class Turned(ClusterMixin, BaseEstimator):
    """Clusters of rows that it turns around and does not turn back."""

    def fit_predict(self, X, y=None):
        return KMeans(4, n_init=1, random_state=0).fit_predict(X[::-1])


@pytest.mark.parametrize(
    "clusterer",
    [
        make_pipeline(FunctionTransformer(rolled), KMeans(4, n_init=1)),
        make_pipeline(FunctionTransformer(shuffled), KMeans(4, n_init=1)),
        Turned(),
    ],
    ids=["rolled", "shuffled", "turned"],
)
@pytest.mark.parametrize("n_rows", [60, 120])
def test_what_mixes_up_rows_is_noticed(clusterer, n_rows, blobs):
    X, y = blobs[0][:n_rows], hide(blobs[1][:n_rows])
    search = PACMDLSearchCV(clusterer, n_clusters=None, random_state=0)
    with pytest.warns(UserWarning, match="seem not to follow .* sorts, shifts or shuff"):
        search.fit(X, y)
    assert search.best_bound_ > 0.5


def test_sorting_is_refused(blobs):
    """Sorted rows have the same labels in each order."""
    clusterer = make_pipeline(FunctionTransformer(by_size), KMeans(4, n_init=1))
    with pytest.raises(ValueError, match="do not follow the rows"):
        PACMDLSearchCV(clusterer, random_state=0).fit(*blobs)


class Leaders(ClusterMixin, BaseEstimator):
    """A row begins a cluster unless it is near the drifting center of an earlier one."""

    def __init__(self, radius=1.0):
        self.radius = radius

    def fit_predict(self, X, y=None):
        centers, labels = [], []
        for row in X:
            near = [np.linalg.norm(row - center) < self.radius for center in centers]
            if any(near):
                centers[near.index(True)] += (row - centers[near.index(True)]) / 5
            else:
                centers.append(row.copy())
            labels.append(near.index(True) if any(near) else len(centers) - 1)
        return np.array(labels)


class OfOneSize(ClusterMixin, BaseEstimator):
    """Clusters of at most a quarter of the rows: the first to come get the nearest."""

    def fit_predict(self, X, y=None):
        distances = KMeans(4, n_init=1, random_state=0).fit_transform(X)
        labels, places = [], np.full(4, -(-len(X) // 4))
        for row in distances:
            label = min(np.flatnonzero(places), key=row.__getitem__)
            labels.append(label)
            places[label] -= 1
        return np.array(labels)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    "estimator",
    [Leaders(), Leaders(0.01), OfOneSize()],
    ids=["leaders", "rows alone", "of one size"],
)
@pytest.mark.parametrize("data", ["blobs", "noise"])
def test_clusterers_that_depend_on_the_order_of_rows_pass(estimator, data, seed, blobs):
    X = blobs[0] if data == "blobs" else np.random.default_rng(0).normal(size=(120, 3))
    check_follows_rows(estimator, np.random.default_rng(seed).permutation(X), {})
