"""Candidates, scorers and fits that fail or warn, and what is left after them."""

import warnings
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from searches import TWO, Breaking, search_of
from sklearn import cluster as skc
from sklearn.base import BaseEstimator, ClusterMixin, clone
from sklearn.exceptions import ConvergenceWarning, FitFailedWarning
from sklearn.model_selection import KFold


def broken_scorer(estimator, X, y):
    raise RuntimeError("no score today")


def test_a_scorer_that_raises(iris):
    search = search_of(TWO, n_clusters=[2, 3], scoring=broken_scorer)
    says = "Scorer 'score' failed for 4 of 4 .*: 4 with .*: no score today"
    with pytest.warns(UserWarning, match=says):
        search.fit(*iris)
    assert np.isnan(search.cv_results_["score"]).all()
    assert search.best_bound_ < 1
    with pytest.raises(RuntimeError, match="no score today"):
        search.set_params(error_score="raise").fit(*iris)


def test_a_candidate_that_raises(iris):
    X, y = iris
    search = search_of(Breaking(), n_clusters=[2, 3, 4])
    says = "1 of 3 .*breaking, 3 clusters.*1 with RuntimeError: three is too many"
    with pytest.warns(FitFailedWarning, match=says):
        results = search.fit(X, y).cv_results_
    assert_array_equal(np.isnan(results["mean_test_bound"]), [False, True, False])
    assert results["rank_test_bound"][1] == 3
    assert np.ma.is_masked(results["n_clusters_found"][1])
    with pytest.warns(FitFailedWarning):
        search.set_params(error_score=1.0).fit(X, y)
    assert search.cv_results_["mean_test_bound"][1] == 1.0
    two = search_of(skc.KMeans(), n_clusters=[2, 4]).fit(X, y).cv_results_
    first, second = two["mean_n_certifying_errors"]
    errors = search.cv_results_["mean_n_certifying_errors"]
    assert_array_equal(errors, [first, np.nan, second])
    with pytest.raises(RuntimeError, match="three is too many"):
        search.set_params(error_score="raise").fit(X, y)
    says = "All 2 candidates failed: 2 with .*many"
    with pytest.raises(ValueError, match=says) as error:
        search_of(Breaking(), n_clusters=3, n_init=2).fit(X, y)
    assert "\n" not in str(error.value)
    assert "in fit_predict" in str(error.value.__cause__)


class Particular(UserWarning):
    def __init__(self, one, other):
        super().__init__(f"{one}{other}")


class Complaining(skc.KMeans):
    def fit_predict(self, X, y=None, sample_weight=None):
        if self.n_clusters > 2:
            message = f"{self.n_clusters} clusters are too many"
            warnings.warn(message, ConvergenceWarning, stacklevel=2)
            warnings.warn(message, ConvergenceWarning, stacklevel=2)
        warnings.warn("hello", UserWarning, stacklevel=2)
        warnings.warn(Particular("some", "thing"), stacklevel=2)
        return super().fit_predict(X)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_warnings_of_clusterers_are_told_once(n_jobs, iris, capfd):
    search = search_of(Complaining(), n_clusters=[2, 3, 4, 5], n_jobs=n_jobs)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        search.fit(*iris)
    names = "; ".join(f"complaining, {c} clusters" for c in (3, 4, 5))
    many = f"3 of 4 candidates ({names}), for example: 3 clusters are too many"
    assert sorted((w.category.__name__, str(w.message)) for w in caught) == [
        ("ConvergenceWarning", many),
        ("UserWarning", "4 of 4 candidates: hello"),
        ("UserWarning", "4 of 4 candidates: something"),
    ]
    assert {Path(w.filename).name for w in caught} == {Path(__file__).name}
    assert capfd.readouterr().err == ""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.filterwarnings("ignore", "hello|something")
        warnings.filterwarnings("ignore", category=ConvergenceWarning)
        search.fit(*iris)
    assert not caught


def test_causes_of_failures_are_told_with_their_numbers(iris):
    algorithms = [("three", Breaking()), ("labels", Halves()), TWO[0]]
    numbers = {"three": [2, 3], "kmeans": [3]}
    with pytest.warns(FitFailedWarning) as caught:
        search_of(algorithms, n_clusters=numbers, n_init={"three": 3}).fit(*iris)
    message = str(caught[0].message)
    assert "4 of 8 candidates failed" in message
    assert "three, 3 clusters, start 0; three, 3 clusters, start 1" in message
    assert "random_state" not in message
    causes = "Causes: 3 with RuntimeError: three is too many; 1 with ValueError: The"
    assert causes in message
    assert "\n" not in message


def test_scorers_that_return_nan(iris):
    def score(estimator, X, y):
        return np.nan if estimator.n_clusters < 4 else 0.5

    def other(estimator, X, y):
        return 1 / (estimator.n_clusters - 2) if estimator.n_clusters < 5 else np.nan

    scoring = {"one": score, "two": other}
    search = search_of(skc.KMeans(), n_clusters=[2, 3, 4, 5], scoring=scoring)
    with pytest.warns(UserWarning, match="returned nan") as caught:
        search.fit(*iris)
    assert [str(w.message) for w in caught] == [
        "Scorer 'one' returned nan for 2 of 4 candidates.",
        "Scorer 'two' failed for 1 of 4 candidates, recorded as nan: 1 with "
        "ZeroDivisionError: division by zero and returned nan for 1 of 4 candidates.",
    ]
    assert_array_equal(search.cv_results_["score_two"], [np.nan, 1, 0.5, np.nan])


class Halves(ClusterMixin, BaseEstimator):
    """What it returns is no clustering."""

    def fit_predict(self, X, y=None):
        return np.full(len(X), 0.5)


def test_one_cluster_is_a_valid_poor_candidate(iris):
    of_kmeans = search_of(skc.KMeans(1), certify="pac-mdl", language="init")
    for search in (search_of(skc.DBSCAN(eps=100.0)), of_kmeans):
        search.fit(*iris)
        assert search.cv_results_["n_clusters_found"][0] == 1
        assert search.best_bound_ > 0.6
        assert search.certificate_.verify()


@pytest.mark.filterwarnings("ignore:X .* feature names")
def test_features_are_those_of_the_last_good_fit(iris):
    X, y = iris
    frame = pd.DataFrame(X, columns=list("abcd"))
    search = search_of(skc.KMeans(3)).fit(frame, y)
    certificate = search.certificate_
    with pytest.raises(ValueError, match="n_clusters"):
        search.set_params(n_clusters=999).fit(X[:, :2], y)
    assert search.certificate_ is certificate
    assert search.n_features_in_ == 4
    assert_array_equal(search.predict(frame), search.transduction_)
    search.set_params(n_clusters=3).fit(X[:, :2], y)
    assert search.n_features_in_ == 2
    assert not hasattr(search, "feature_names_in_")


def test_an_interrupted_sweep_leaves_the_results_before_it(iris, monkeypatch):
    search = search_of(skc.KMeans(), n_clusters=[2, 3]).fit(*iris)
    certificate, labels = search.certificate_, search.labels_
    monkeypatch.setattr(skc.KMeans, "fit_predict", Mock(side_effect=KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        search.fit(*iris)
    assert search.certificate_ is certificate
    assert search.labels_ is labels


def why(search, name):
    """What the error says of an attribute that is missing."""
    assert not hasattr(search, name)
    with pytest.raises(AttributeError) as raised:
        getattr(search, name)
    message = f"{type(search).__name__!r} object has no attribute {name!r}"
    assert message in str(raised.value)
    assert raised.value.name == name
    assert not str(raised.value).endswith("..")
    return str(raised.value)


def test_missing_attributes_say_why(iris):
    X, y = iris
    search = search_of(skc.KMeans(3))
    for name in ("certificate_", "best_bound_", "clusters_", "best_estimator_"):
        assert "fit sets it, and has not been called" in why(search, name)
    elsewhere = {"best_score_": "best_bound_", "predict_proba": "confidence_"}
    elsewhere["fit_predict"] = "transduction_"
    for own in (search, clone(search).fit(X, y)):
        assert all(ours in why(own, name) for name, ours in elsewhere.items())
    search.set_params(cv=2, refit=False).fit(X, y)
    for name in ("certificate_", "best_bound_"):
        assert "each of the 2 splits has a certificate of its own" in why(search, name)
    missing = ("transduction_", "labels_", "clusters_", "completed_y_", "score")
    for name in (*missing, "best_estimator_", "predict"):
        assert "fit with refit=True" in why(search, name)
    search.set_params(cv=KFold(2), refit=True)
    with pytest.warns(UserWarning, match="scores, not guarantees"):
        search.fit(X, y)
    assert "uniformly random choice" in why(search, "certificate_")
    ward = search_of(skc.AgglomerativeClustering(3))
    assert "no clusterer of the search has predict" in why(ward, "predict")
    assert "'agglomerativeclustering', has no predict; " in why(ward.fit(X, y), "score")
    labeler = search_of(skc.KMeans(2), target=0.01)
    with pytest.warns(UserWarning, match="No set of clusters"):
        labeler.fit(X, y)
    for name in ("best_bound_", "certificate_"):
        assert why(labeler, name).endswith("no labeling reached the target")
    assert set(labeler.predict(X)) == {-1}
    assert "only a search with a target" in why(search, "coverage_curve_")
    for name in ("__array__", "nothing", "nothing_"):
        assert why(search, name).endswith(f"no attribute {name!r}")
