"""Names that users know from scikit-learn, and names of candidates in messages."""

import re
import warnings

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import KMeans
from sklearn.metrics import accuracy_score, adjusted_rand_score, silhouette_score

from sklearn_pacmdl import PACMDLSearchCV


@pytest.mark.parametrize("fitted", [False, True])
@pytest.mark.parametrize(
    ("name", "ours"),
    [
        ("best_score_", "best_bound_"),
        ("predict_proba", "confidence_"),
        ("fit_predict", "transduction_"),
    ],
)
def test_attributes_of_other_estimators_name_ours(name, ours, fitted, blobs):
    search = PACMDLSearchCV(KMeans(n_init=1), n_clusters=[3], random_state=0)
    if fitted:
        search.fit(*blobs)
    assert not hasattr(search, name)
    with pytest.raises(AttributeError, match=ours):
        getattr(search, name)


@pytest.mark.parametrize(
    "metric",
    [adjusted_rand_score, silhouette_score, accuracy_score, lambda X, labels: 0.0],
)
def test_metrics_as_scorers_are_refused_with_a_remedy(metric, blobs):
    name = re.escape(metric.__name__)
    for scoring in (metric, {"mine": metric}):
        search = PACMDLSearchCV(KMeans(), n_clusters=[3], scoring=scoring)
        with pytest.raises(ValueError, match=rf"make_labeling_scorer\({name}, kind="):
            search.fit(*blobs)


class Picky(ClusterMixin, BaseEstimator):
    """Warns, or fails, with some numbers of clusters."""

    def __init__(self, n_clusters=2, fails=False, random_state=None):
        self.n_clusters, self.fails = n_clusters, fails
        self.random_state = random_state

    def fit_predict(self, X, y=None):
        if self.n_clusters == 5 and self.fails:
            raise ArithmeticError("no five")
        if self.n_clusters == 5:
            warnings.warn("five are many", RuntimeWarning, stacklevel=1)
        return np.argsort(np.argsort(X[:, 0])) * self.n_clusters // len(X)


@pytest.mark.parametrize("fails", [False, True])
@pytest.mark.parametrize(
    ("n_init", "names"), [(1, "picky, 5 clusters"), (2, "picky, 5 clusters, start 0; ")]
)
def test_messages_name_candidates(fails, n_init, names, blobs):
    search = PACMDLSearchCV(
        [("picky", Picky(fails=fails))], n_clusters=[4, 5, 6], n_init=n_init
    )
    with pytest.warns(RuntimeWarning, match=names) as caught:
        search.fit(*blobs)
    assert "random_state" not in str(caught[0].message)
