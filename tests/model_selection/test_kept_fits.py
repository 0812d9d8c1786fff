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
