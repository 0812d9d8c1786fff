"""Numbers of threads of fits: what joblib gives to its processes, or what users say."""

import subprocess
import sys

import numpy as np
import pytest
from conftest import hide
from joblib import parallel_config
from sklearn.base import BaseEstimator, ClusterMixin
from threadpoolctl import ThreadpoolController, threadpool_limits

from sklearn_pacmdl import PACMDLSearchCV


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
