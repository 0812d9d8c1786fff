"""Fits: the chosen one is kept, with as many threads as others, and in little memory."""

import subprocess
import sys
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from conftest import hide, verified
from joblib import hash as hash_of  # of parameters, attributes and all that is in them
from joblib import parallel_config
from numpy.testing import assert_array_equal
from sklearn import cluster as skc
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.mixture import GaussianMixture
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_random_state
from threadpoolctl import ThreadpoolController, threadpool_limits

from sklearn_pacmdl import PACMDLSearchCV

CLUSTERERS = {
    "k-means": skc.KMeans(n_init=1),
    "mixture": GaussianMixture(),
    "Ward": skc.AgglomerativeClustering(),
    "steps": make_pipeline(StandardScaler(), skc.KMeans(n_init=1)),
}


class Recorded(ClusterMixin, BaseEstimator):
    """Counts its fits; rows are cut at a random place."""

    fits = 0

    def __init__(self, n_bytes=0, seeded=True, random_state=None):
        self.n_bytes = n_bytes
        self.seeded = seeded
        self.random_state = random_state

    def fit_predict(self, X, y=None):
        Recorded.fits += len(X) > 100  # a few rows are clustered as a trial
        rng = check_random_state(self.random_state if self.seeded else None)
        self.payload_ = np.zeros(self.n_bytes, dtype=np.uint8)
        self.labels_ = (X[:, 2] > rng.uniform(2, 4)).astype(np.int32)
        return self.labels_


@pytest.mark.parametrize(
    ("params", "n_fits"),
    [
        ({}, 3),
        ({"refit": False}, 3),
        ({"estimator__n_bytes": 10**8}, 4),  # a third of what may be kept is less
        ({"scoring": lambda estimator, X, y: 0.0}, 4),
    ],
)
def test_small_fits_are_not_repeated(params, n_fits, iris):
    """Unless somebody who sees labels has had them."""
    X, y = iris
    search = PACMDLSearchCV(Recorded(), n_init=3, random_state=0).set_params(**params)
    Recorded.fits = 0
    search.fit(X, hide(y))
    assert Recorded.fits == n_fits
    if search.refit:
        assert_array_equal(search.best_estimator_.labels_, search.labels_)


def test_the_clustering_that_was_counted_is_certified(iris):
    """Without a seed another fit would give other labels; there is none."""
    X, y = iris
    seen = hide(y)
    clusterer = Recorded(seeded=False)
    search = PACMDLSearchCV(clusterer, n_init=3, random_state=0).fit(X, seen)
    wrong = (search.transduction_ != seen)[search.divisions_[0][1]].sum()
    assert search.certificate_.n_train_errors == wrong
    assert verified(search, seen)


@pytest.mark.parametrize("n_jobs", [None, 2])
@pytest.mark.parametrize("name", CLUSTERERS)
def test_a_kept_fit_is_the_same_as_another(name, n_jobs, iris):
    """A fit that a scorer has had is repeated."""
    X, y = iris
    search = PACMDLSearchCV(
        CLUSTERERS[name], n_clusters=[3, 6], random_state=0, n_jobs=n_jobs
    )
    kept = search.fit(X, hide(y))
    estimator, certificate, labels = kept.best_estimator_, kept.certificate_, kept.labels_
    again = search.set_params(scoring="adjusted_rand_score").fit(X, hide(y))
    assert again.best_estimator_ is not estimator
    assert hash_of(again.best_estimator_) == hash_of(estimator)
    assert_array_equal(labels, again.labels_)
    undated = [replace(c, date="") for c in (certificate, again.certificate_)]
    assert undated[0] == undated[1]


class Threaded(ClusterMixin, BaseEstimator):
    """Its labels depend on the number of threads; fits are repeated unless kept."""

    def __init__(self, n_clusters=2, kept=True):
        self.n_clusters = n_clusters
        self.kept = kept

    def fit_predict(self, X, y=None):
        pools = ThreadpoolController().select(user_api="blas").info()
        self.threads_ = max(pool["num_threads"] for pool in pools)
        self.kept_ = None if self.kept else (lambda: None)
        return (X[:, 2] > 2 + 0.5 * self.threads_).astype(int)


@pytest.mark.parametrize("kept", [True, False])
@pytest.mark.parametrize("threads", [1, 2])
def test_fits_use_the_threads_of_the_process(threads, kept, iris):
    X, y = iris
    search = PACMDLSearchCV(Threaded(kept=kept), random_state=0)
    with threadpool_limits(threads):
        search.fit(X, hide(y))
    assert search.best_estimator_.threads_ == threads


@pytest.mark.parametrize("kept", [True, False])
def test_another_fit_has_as_many_threads_as_the_first(kept, iris):
    """Else it would give another clustering than the one that was chosen."""
    X, y = iris
    swept = {"n_clusters": [2, 3], "n_jobs": 2, "random_state": 0}
    search = PACMDLSearchCV(Threaded(kept=kept), **swept)
    with threadpool_limits(1), parallel_config("loky", inner_max_num_threads=2):
        search.fit(X, hide(y))
        now = ThreadpoolController().select(user_api="blas").info()
    assert search.best_estimator_.threads_ == 2
    np.testing.assert_array_equal(search.labels_, X[:, 2] > 3)
    assert {pool["num_threads"] for pool in now} == {1}


SWEEP_OF_THREADS = """
import sys
import numpy as np
from joblib import parallel_config
from sklearn.cluster import KMeans
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn_pacmdl import PACMDLSearchCV

X = np.random.RandomState(0).normal(size=(200, 3))
y = np.where(np.random.RandomState(1).uniform(size=200) < 0.5, X[:, 0] > 0, -1)
scaler = StandardScaler().set_output(transform="polars")
search = PACMDLSearchCV(make_pipeline(scaler, KMeans()), n_clusters=[2, 3, 4, 5],
                        n_jobs=4, random_state=0, error_score="raise")
assert "polars" not in sys.modules
with parallel_config(backend="threading"):
    search.fit(X, y)
"""


def test_polars_is_imported_before_threads_start():
    subprocess.run([sys.executable, "-c", SWEEP_OF_THREADS], check=True, timeout=60)


def test_room_beside_two_copies_of_the_rows():
    """At most 64 bytes a row: labels, codes, an order, and those of the clusterer."""
    rng, n_rows = np.random.default_rng(0), 300_000
    y = rng.integers(4, size=n_rows)
    X = rng.standard_normal((n_rows, 32), dtype=np.float32)
    X[np.arange(n_rows), y] += 6
    y[rng.random(n_rows) < 0.7] = -1
    clusterer = skc.MiniBatchKMeans(n_init=1)
    search = PACMDLSearchCV(clusterer, n_clusters=[3, 4], random_state=0)
    search.fit(X[:1000], y[:1000])
    tracemalloc.start()
    search.fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < X.nbytes + 64 * len(y)  # the other copy is the user's
