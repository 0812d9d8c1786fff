"""The chosen fit is kept rather than repeated, and nobody can tell the difference."""

from dataclasses import replace

import numpy as np
import pytest
from conftest import hide, verified
from joblib import hash as hash_of  # of parameters, attributes and all that is in them
from numpy.testing import assert_array_equal
from sklearn import cluster as skc
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.mixture import GaussianMixture
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_random_state

from sklearn_pacmdl import PACMDLSearchCV
from sklearn_pacmdl.cluster import SphericalKMeans

CLUSTERERS = {
    "k-means": skc.KMeans(n_init=1),
    "mini-batches": skc.MiniBatchKMeans(n_init=1),
    "mixture": GaussianMixture(),
    "Ward": skc.AgglomerativeClustering(),
    "directions": SphericalKMeans(),
    "steps": make_pipeline(StandardScaler(), skc.KMeans(n_init=1)),
    "density": skc.DBSCAN(eps=0.6),
}


class Recorded(ClusterMixin, BaseEstimator):
    """Writes down each of its fits; rows are cut at a random place."""

    fits = 0

    def __init__(self, n_bytes=0, seeded=True, random_state=None):
        self.n_bytes = n_bytes
        self.seeded = seeded
        self.random_state = random_state

    def fit_predict(self, X, y=None):
        Recorded.fits += len(X) > 100  # a few rows are clustered as a trial
        rng = check_random_state(self.random_state if self.seeded else None)
        self.payload_ = bytes(self.n_bytes)
        self.labels_ = (X[:, 2] > rng.uniform(2, 4)).astype(np.int32)
        return self.labels_


def fits_of(clusterer, X, y, **params):
    Recorded.fits = 0
    search = PACMDLSearchCV(clusterer, n_init=3, random_state=0, **params).fit(X, y)
    return search, Recorded.fits


def test_the_chosen_clusterer_is_not_fitted_again(iris):
    X, y = iris
    search, n_fits = fits_of(Recorded(), X, hide(y))
    assert n_fits == 3
    assert_array_equal(search.best_estimator_.labels_, search.labels_)
    assert search.labels_.dtype == np.int32
    assert search.refit_time_ >= 0
    assert fits_of(Recorded(), X, hide(y), refit=False)[1] == 3


def test_what_is_too_large_is_fitted_again(iris):
    X, y = iris
    each = 2**24 // 3  # of three candidates with few rows
    small, n_fits = fits_of(Recorded(each - 2000), X, hide(y))
    assert n_fits == 3
    large, n_fits = fits_of(Recorded(each), X, hide(y))
    assert n_fits == 4
    assert_array_equal(small.labels_, large.labels_)


@pytest.mark.parametrize("n_bytes", [0, 2**24])
def test_ragged_labels_of_a_clusterer_are_left_as_they_are(n_bytes, iris):
    """Whether its fit is kept, or too large for that and repeated."""

    class Members(Recorded):
        def fit_predict(self, X, y=None):
            labels = super().fit_predict(X)
            self.labels_ = [np.flatnonzero(labels == c).tolist() for c in (0, 1)]
            return labels

    X, y = iris
    search, _ = fits_of(Members(n_bytes), X, hide(y), n_jobs=1)
    sizes = [len(members) for members in search.best_estimator_.labels_]
    assert sizes == np.bincount(search.labels_).tolist()


def test_what_is_cached_is_not_kept_in_memory(iris, tmp_path):
    X, y = iris
    _, n_fits = fits_of(Recorded(), X, hide(y), memory=str(tmp_path))
    assert n_fits == 4
    _, n_fits = fits_of(Recorded(), X, hide(y), memory=str(tmp_path))
    assert n_fits == 0


@pytest.mark.needs_callbacks
def test_callbacks_see_the_last_fit(iris):
    class Silent:
        def setup(self, estimator, context):
            pass

        def on_fit_task_begin(self, *args, **kwargs):
            pass

        def on_fit_task_end(self, *args, **kwargs):
            return False

        def teardown(self, estimator, context):
            pass

    X, y = iris
    Recorded.fits = 0
    search = PACMDLSearchCV(Recorded(), n_init=3, random_state=0)
    search.set_callbacks(Silent()).fit(X, hide(y))
    assert Recorded.fits == 4


def test_the_clustering_that_was_counted_is_certified(iris):
    """Without a seed another fit would give other labels; there is none."""
    X, y = iris
    seen = hide(y)
    search, n_fits = fits_of(Recorded(seeded=False), X, seen)
    assert n_fits == 3
    wrong = (search.transduction_ != seen)[search.divisions_[0][1]].sum()
    assert search.cv_results_["mean_train_errors"][search.best_index_] == wrong
    assert search.certificate_.n_train_errors == wrong
    assert verified(search, seen)


@pytest.mark.parametrize("target", [None, 0.5])
@pytest.mark.parametrize("name", CLUSTERERS)
def test_a_kept_fit_is_the_same_as_another(name, target, iris, tmp_path):
    """Where fits are remembered in a folder, the chosen one is repeated."""
    X, y = iris
    n_clusters = None if name == "density" else [3, 6]
    search = PACMDLSearchCV(
        CLUSTERERS[name], n_clusters=n_clusters, target=target, random_state=0
    )
    kept = search.fit(X, hide(y))
    estimator, certificate = kept.best_estimator_, kept.certificate_
    labels, results = kept.labels_, kept.cv_results_
    again = search.set_params(memory=str(tmp_path)).fit(X, hide(y))
    assert again.best_estimator_ is not estimator
    assert hash_of(again.best_estimator_) == hash_of(estimator)
    assert labels.dtype == again.labels_.dtype
    assert_array_equal(labels, again.labels_)
    undated = [replace(c, date="") for c in (certificate, again.certificate_)]
    assert undated[0] == undated[1]
    for column in results.keys() - {"fit_time"}:
        assert_array_equal(results[column], again.cv_results_[column])


def test_what_a_scorer_writes_is_not_kept(iris):
    """It sees labels."""

    def scorer(estimator, X, y):
        estimator.told = y
        estimator.cluster_centers_[:] = y.sum()
        estimator.labels_[:] = 0
        return 0.0

    X, y = iris
    plain = PACMDLSearchCV(skc.KMeans(3, n_init=1), random_state=0).fit(X, hide(y))
    scored = plain.__class__(**plain.get_params(deep=False) | {"scoring": scorer})
    scored.fit(X, hide(y))
    assert not hasattr(scored.best_estimator_, "told")
    assert hash_of(scored.best_estimator_) == hash_of(plain.best_estimator_)
    assert_array_equal(scored.labels_, plain.labels_)


def test_what_cannot_be_read_is_fitted_again(iris):
    X, y = iris
    search, n_fits = fits_of(Forgetful(), X, hide(y))
    assert n_fits == 4
    assert search.best_estimator_.payload_ == b""


class Forgetful(Recorded):
    def __setstate__(self, state):
        raise RuntimeError("no state can be set")


class FirstColumn(ClusterMixin, BaseEstimator):
    """Clusters that are numbers in the rows, in the type of the rows."""

    def fit_predict(self, X, y=None):
        self.labels_ = X[:, 0]
        return self.labels_


@pytest.mark.parametrize(
    ("dtype", "numbers"),
    [
        (np.int64, [-(2**63), 2**63 - 1]),
        (np.int64, [-1, 0, 1]),
        (np.int32, [-128, 127]),
        (np.int32, [-129, 0]),
        (np.int16, [0, 255, 256]),
        (np.int16, [-(2**15), 2**15 - 1]),
        (np.uint8, [0, 255]),
    ],
)
def test_labels_are_restored(dtype, numbers):
    """They are kept in the smallest type that holds them."""
    X = np.resize(np.array(numbers, dtype=dtype), 60)[:, None]
    y = (X[:, 0] == numbers[0]).astype(int)
    search = PACMDLSearchCV(FirstColumn(), random_state=0).fit(X, hide(y))
    assert search.best_estimator_.labels_.dtype == search.labels_.dtype == dtype
    assert_array_equal(search.labels_, X[:, 0])
