"""The table of clusters: what each is called, and on which labels that rests."""

import sys

import numpy as np
import pytest
from conftest import hide
from numpy.testing import assert_array_equal
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import KMeans
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from sklearn_pacmdl import PACMDLSearchCV

BLIND = "ignore:.* clusters, with .* unlabeled rows, hold no"
pytestmark = pytest.mark.filterwarnings("ignore:No set of clusters has a bound")


def search_of(certify="pac-mdl", n_clusters=6, **kwargs):
    given = {"certify": certify, "n_clusters": n_clusters, "random_state": 0} | kwargs
    return PACMDLSearchCV(KMeans(n_init=1), **given)


@pytest.mark.filterwarnings(BLIND)
@pytest.mark.parametrize("certify", ["pac-mdl", "learned", "holdout"])
def test_against_counts_by_hand(iris, certify):
    X, y = iris
    y = hide(y, 0.7)
    search = search_of(certify).fit(X, y)
    table = search.clusters_
    assert table.index.name == "cluster"
    naming = y >= 0
    if certify == "holdout":
        naming = np.isin(np.arange(150), search.divisions_[0][0])
    for cluster, row in table.iterrows():
        rows = search.labels_ == cluster
        labels, others = y[rows & naming], y[rows & (y >= 0) & ~naming]
        assert row["size"] == rows.sum()
        assert row["n_unlabeled"] == (y[rows] == -1).sum()
        assert {row["class"]} == {*search.transduction_[rows]}
        assert row["n_labels"] == len(labels)
        for k in range(3):
            assert row[f"n_labels_{k}"] == np.sum(labels == k)
        purity = np.mean(labels == row["class"]) if len(labels) else np.nan
        assert_array_equal(row["purity"], purity)
        if certify == "holdout":
            assert row["n_certifying"] == len(others)
            assert row["n_certifying_errors"] == np.sum(others != row["class"])
    assert ("n_certifying" in table) == (certify == "holdout")
    if certify == "holdout":
        certificate = search.certificate_
        assert table["n_certifying"].sum() == certificate.n_train
        assert table["n_certifying_errors"].sum() == certificate.n_train_errors

    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "pandas", None)
        with pytest.raises(ImportError, match=r"pip install 'sklearn-pacmdl\[plot\]'"):
            _ = search.clusters_


LINE = np.array([[0.0], [0.1], [0.2], [6.0], [6.1], [6.2], [10.0], [10.1], [10.2]])
GAPS = [0, 0, -1, -1, -1, -1, 1, 1, -1]


def test_clusters_without_labels_are_told():
    with pytest.warns(UserWarning, match="1 of 3 clusters, with 3 unlabeled") as caught:
        search = search_of(n_clusters=3).fit(LINE, GAPS)
    assert caught[0].filename == __file__  # the line of the user
    assert_array_equal(search.transduction_, [0, 0, 0, 1, 1, 1, 1, 1, 1])
    rows = search.clusters_.set_index("size", append=True)
    assert sorted(rows["named_by"]) == ["majority", "majority", "nearest labeled cluster"]


def test_without_distances_they_are_named_by_chance():
    texts = [str(float(value)) for (value,) in LINE]
    pipeline = make_pipeline(FunctionTransformer(as_numbers), KMeans(3, n_init=1))
    with pytest.warns(UserWarning, match="the class of the nearest labeled cluster"):
        PACMDLSearchCV(pipeline, n_clusters=3, random_state=0).fit(texts, GAPS)
    given = set()
    unknown = make_pipeline(FunctionTransformer(), ByTexts())
    for seed in range(8):
        with pytest.warns(UserWarning, match="have a class by chance"):
            search = PACMDLSearchCV(unknown, random_state=seed).fit(texts, GAPS)
        assert "chance" in set(search.clusters_["named_by"])
        given.add(search.transduction_[3])
    assert given == {0, 1}


def as_numbers(texts):
    return np.array(texts, dtype=float)[:, None]


class ByTexts(ClusterMixin, BaseEstimator):
    """Clusters texts, between which nothing else knows distances."""

    def fit(self, X, y=None):
        return self

    def fit_predict(self, X, y=None):
        return np.array([min(int(float(text) // 4), 2) for text in X])


@pytest.mark.parametrize("words", [False, True])
def test_labels_of_people_are_kept(iris, words):
    X, y = iris
    seen = hide(y)
    if words:
        names = np.array(["setosa", "versicolor", "virginica"], dtype=object)
        seen = np.where(seen == -1, None, names[seen])
    known = seen != (None if words else -1)
    for settings in ({}, {"certify": "holdout"}, {"certify": "auto", "target": 0.05}):
        fitted = search_of(n_clusters=3, **settings).fit(X, seen)
        assert_array_equal(fitted.completed_y_[known], seen[known])
        assert_array_equal(fitted.completed_y_[~known], fitted.transduction_[~known])


def test_all_labels_name_by_the_nearest_too():
    """A cluster whose only label is of no declared class is none that a label names."""
    X = np.repeat([[0.0], [1.0], [1.5]], 4, axis=0)
    y = np.repeat([0, 1, 2], 4)
    for seed in range(4):
        with pytest.warns(UserWarning, match="not in classes="):
            search = PACMDLSearchCV(
                KMeans(n_init=1), n_clusters=3, classes=[0, 1], random_state=seed
            ).fit(X, y)
        assert_array_equal(search.transduction_, np.repeat([0, 1, 1], 4))
        assert_array_equal(search.completed_y_, y)
        named = dict(zip(search.labels_, search.transduction_, strict=True))
        assert search.clusters_["class"].to_dict() == named


def test_steps_that_write_in_place_have_distances_too():
    """They fail on read-only rows, and get a copy."""

    def centered(X):
        X -= X.mean(axis=0)
        return X

    pipeline = make_pipeline(FunctionTransformer(centered), KMeans(3, n_init=1))
    search = PACMDLSearchCV(pipeline, n_clusters=3, certify="pac-mdl", random_state=0)
    with pytest.warns(UserWarning, match="the class of the nearest labeled cluster"):
        search.fit(LINE.copy(), GAPS)
    assert_array_equal(search.transduction_, [0, 0, 0, 1, 1, 1, 1, 1, 1])


class Members(ClusterMixin, BaseEstimator):
    """Lists the rows of each cluster in ``labels_``."""

    def fit_predict(self, X, y=None):
        labels = (X[:, 2] > 3).astype(int)
        self.labels_ = [np.flatnonzero(labels == c).tolist() for c in (0, 1)]
        return labels


@pytest.mark.parametrize("scoring", [None, lambda estimator, X, y: 0.0])
def test_ragged_labels_of_a_clusterer_are_left_as_they_are(scoring, iris):
    """Whether its fit is kept, or repeated after a scorer."""
    X, y = iris
    search = PACMDLSearchCV(Members(), scoring=scoring, random_state=0).fit(X, hide(y))
    sizes = [len(members) for members in search.best_estimator_.labels_]
    assert sizes == np.bincount(search.labels_).tolist()
