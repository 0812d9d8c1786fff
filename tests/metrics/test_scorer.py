"""Scorers in scikit-learn's own searches, with clusterers that have no ``predict``."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn
import sklearn.experimental.enable_halving_search_cv  # for HalvingGridSearchCV
from sklearn.cluster import DBSCAN, AgglomerativeClustering, KMeans
from sklearn.datasets import make_blobs
from sklearn.metrics import (
    adjusted_mutual_info_score,
    adjusted_rand_score,
    davies_bouldin_score,
    make_scorer,
    silhouette_score,
)
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    KFold,
    RandomizedSearchCV,
    cross_validate,
)
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_pacmdl import (
    ClusterLabelClassifier,
    PACMDLSearchCV,
    TransductiveSplit,
    pac_mdl_bound,
)
from sklearn_pacmdl import metrics as m
from sklearn_pacmdl.metrics._scorer import WORST

SILHOUETTE = m.make_labeling_scorer(silhouette_score, kind="internal")
DAVIES = m.make_labeling_scorer(
    davies_bouldin_score, kind="internal", greater_is_better=False
)
Q2 = m.make_labeling_scorer(m.dom_q2_score, kind="external")
SCORERS = {
    "informativeness": m.informativeness_scorer,
    "pac_mdl": m.pac_mdl_scorer,
    "silhouette": SILHOUETTE,
    "davies": DAVIES,
    "q2": Q2,
    "dunn": m.make_labeling_scorer(m.dunn_score, kind="internal"),
}
GRID = {"n_clusters": range(8, 1, -1)}


@pytest.fixture(scope="module")
def blobs():
    return make_blobs(120, centers=4, cluster_std=0.6, random_state=3)


def hidden(y, seed=0):
    seen = y.copy()
    seen[np.random.RandomState(seed).permutation(len(y))[: len(y) // 2]] = -1
    return seen


@pytest.mark.parametrize("name", SCORERS)
def test_grid_search_on_a_clusterer_without_predict(name, blobs):
    X, y = blobs
    search = GridSearchCV(
        AgglomerativeClustering(), GRID, scoring=SCORERS[name], cv=TransductiveSplit()
    )
    assert search.fit(X, y).best_params_ == {"n_clusters": 4}
    assert search.fit(X, hidden(y)).best_params_ == {"n_clusters": 4}
    if SCORERS[name].kind == "internal":
        assert search.fit(X).best_params_ == {"n_clusters": 4}
    else:
        with pytest.raises(ValueError, match="y is needed, got None"):
            SCORERS[name](AgglomerativeClustering(2).fit(X), X)


def test_other_searches(blobs):
    X, y = blobs
    kwargs = {"cv": TransductiveSplit(), "scoring": m.informativeness_scorer}
    randomized = RandomizedSearchCV(
        AgglomerativeClustering(), GRID, n_iter=7, random_state=0, **kwargs
    )
    assert randomized.fit(X).best_score_ > 0.9
    many = GridSearchCV(
        AgglomerativeClustering(), GRID, scoring=SCORERS, cv=TransductiveSplit(),
        refit="informativeness",
    ).fit(X, y)  # fmt: skip
    assert {f"mean_test_{name}" for name in SCORERS} <= many.cv_results_.keys()
    table = pd.DataFrame(many.cv_results_)
    assert np.isfinite(table[[f"mean_test_{name}" for name in SCORERS]]).all(axis=None)
    result = cross_validate(
        AgglomerativeClustering(4), X, y, scoring=SCORERS, cv=TransductiveSplit()
    )
    assert result["test_silhouette"][0] == pytest.approx(
        silhouette_score(X, AgglomerativeClustering(4).fit_predict(X))
    )


def test_rows_of_another_subset_of_the_same_length(blobs):
    """``labels_`` would be of other rows: under halving, and under two folds."""
    X, y = blobs
    scorer = m.make_labeling_scorer(adjusted_rand_score, kind="external")
    for train, test in KFold(2, shuffle=True, random_state=0).split(X):
        fitted = AgglomerativeClustering(4).fit(X[train])
        assert len(fitted.labels_) == len(test)
        assert scorer(fitted, X[test], y[test]) > 0.95
        assert adjusted_rand_score(y[test], fitted.labels_) < 0.2
    halving = HalvingGridSearchCV(
        AgglomerativeClustering(), {"n_clusters": [2, 3, 4, 6]}, scoring=scorer,
        cv=TransductiveSplit(), min_resources=40, random_state=None,
    ).fit(X, y)  # fmt: skip
    assert halving.best_params_ == {"n_clusters": 4}


ESTIMATORS = {
    "with predict": KMeans(4, random_state=0),
    "without": AgglomerativeClustering(4),
    "mixture": GaussianMixture(4, random_state=0),
    "pipeline": make_pipeline(StandardScaler(), AgglomerativeClustering(4)),
    "classifier": ClusterLabelClassifier(KMeans(4, random_state=0)),
    "classifier without": ClusterLabelClassifier(AgglomerativeClustering(4)),
    "classifier in a pipeline": make_pipeline(
        StandardScaler(), ClusterLabelClassifier(KMeans(4, random_state=0))
    ),
    "search": PACMDLSearchCV(KMeans(), n_clusters=[4], random_state=0),
}


@pytest.mark.parametrize("name", ESTIMATORS)
def test_kinds_of_estimators(name, blobs):
    """Clusters are scored, not the classes that a classifier makes of them."""
    X, y = blobs
    two_classes = (y > 1).astype(int)
    fitted = sklearn.clone(ESTIMATORS[name]).fit(X, two_classes)
    scorer = m.make_labeling_scorer(adjusted_mutual_info_score, kind="external")
    assert scorer(fitted, X, y) > 0.95
    assert SILHOUETTE(fitted, X) > 0.5
    assert m.pac_mdl_scorer(fitted, X, hidden(two_classes)) > 0.7
    again = pickle.loads(pickle.dumps(scorer))
    assert again(fitted, X, y) == scorer(fitted, X, y)


def test_unlabelled_rows_are_no_class(blobs):
    X, y = blobs
    fitted = AgglomerativeClustering(4).fit(X)
    scorer = m.make_labeling_scorer(adjusted_rand_score, kind="external")
    seen = hidden(y)
    expected = adjusted_rand_score(y[seen != -1], fitted.labels_[seen != -1])
    assert scorer(fitted, X, seen) == pytest.approx(expected)
    words = [None if v == -1 else "abcd"[v] for v in seen]
    assert scorer(fitted, X, words) == pytest.approx(expected)


def test_one_cluster_gets_the_worst_score(blobs):
    X, y = blobs
    one = DBSCAN(eps=1e3).fit(X)
    for name in ("silhouette", "davies", "dunn"):
        assert SCORERS[name](one, X) == WORST
    assert m.informativeness_scorer(one, X) == 0
    assert Q2(one, X, y) < 0.5
    search = GridSearchCV(
        DBSCAN(), {"eps": [1e3, 0.9, 1e-9]}, scoring=SILHOUETTE, cv=TransductiveSplit()
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        search.fit(X)
    assert search.best_params_ == {"eps": 0.9}


def test_pac_mdl_scorer_on_folds_and_on_all_rows(blobs):
    """m and n are what the docstring says."""
    X, y = blobs
    kmeans = KMeans(4, random_state=0).fit(X)
    seen = hidden(y)
    bound = pac_mdl_bound(60, 60, 0, description_length=8)
    assert m.pac_mdl_scorer(kmeans, X, seen) == pytest.approx(1 - bound / 60)
    fold = slice(0, 40)
    bound = pac_mdl_bound(40, 40, 0, description_length=8)
    assert m.pac_mdl_scorer(kmeans, X[fold], y[fold]) == pytest.approx(1 - bound / 40)
    paid = m.make_pac_mdl_scorer(
        language="algo", n_init=10, n_algorithms=6, n_test=500, delta=0.05
    )
    length = 8 + np.log2(10 * 12 * 6)
    bound = pac_mdl_bound(40, 500, 0, description_length=length, delta=0.05)
    assert paid(kmeans, X[fold], y[fold]) == pytest.approx(1 - bound / 500)
    assert m.pac_mdl_error_bound(y, kmeans.labels_) == pytest.approx(
        1 - m.pac_mdl_score(y, kmeans.labels_)
    )
    with pytest.raises(ValueError, match="language must be 'simple'"):
        m.pac_mdl_error_bound(y, kmeans.labels_, language="auto")


def test_make_scorer_of_our_metrics(blobs):
    X, y = blobs
    scorer = make_scorer(m.dom_q2_score)
    search = GridSearchCV(
        KMeans(random_state=0), {"n_clusters": [2, 4, 8]}, scoring=scorer
    )
    assert search.fit(X, y).best_params_ == {"n_clusters": 4}


def test_beside_the_bound(blobs):
    X, y = blobs
    search = PACMDLSearchCV(
        AgglomerativeClustering(), n_clusters=[2, 4, 6], scoring=SCORERS, random_state=0
    ).fit(X, hidden(y))
    for name in SCORERS:
        values = search.cv_results_[f"score_{name}"]
        assert np.isfinite(values).all(), name
        assert np.argmax(values) == 1 or name == "informativeness"


@pytest.mark.parametrize("routing", [False, True])
def test_with_metadata_routing_and_jobs(routing, blobs):
    X, y = blobs
    with sklearn.config_context(enable_metadata_routing=routing):
        search = GridSearchCV(
            AgglomerativeClustering(), GRID, scoring=SCORERS, refit="silhouette",
            cv=TransductiveSplit(), n_jobs=2,
        ).fit(X, y)  # fmt: skip
    assert search.best_params_ == {"n_clusters": 4}


def test_transductive_split():
    split = TransductiveSplit(random_state=1)
    ((train, test),) = split.split(np.zeros((9, 1)))
    np.testing.assert_array_equal(train, test)
    np.testing.assert_array_equal(np.sort(train), range(9))
    assert split.get_n_splits() == 1
    assert repr(split) == "TransductiveSplit(random_state=1)"
    # What chooses rows at random from the same seed draws another permutation.
    assert np.any(train != np.random.RandomState(1).permutation(9))
    ((again, _),) = split.split(np.zeros((9, 1)))
    np.testing.assert_array_equal(train, again)


def test_bad_input():
    with pytest.raises(
        ValueError, match="kind must be 'internal' or 'external', got 'x'"
    ):
        m.make_labeling_scorer(silhouette_score, kind="x")
    with pytest.raises(TypeError, match="metric must be callable, got 'ari'"):
        m.make_labeling_scorer("ari", kind="external")


def test_properties_of_the_bound_as_a_metric(blobs):
    """Names, order and types of labels do not matter; missing means unlabelled."""
    _, y = blobs
    rng = np.random.RandomState(0)
    labels, seen = rng.randint(5, size=120), hidden(y)
    bound = m.pac_mdl_error_bound(seen, labels)
    assert 0 <= bound <= 1
    order = rng.permutation(120)
    words = pd.Series(seen).map(dict(enumerate("abcd")))
    for other, partition in [
        (seen[order], labels[order]),
        (seen, 7 - labels),
        (seen, labels - 1),
        (seen.tolist(), np.array(list("vwxyz"))[labels]),
        (words, labels),
        (np.where(seen == -1, np.nan, seen), labels.tolist()),
    ]:
        assert m.pac_mdl_error_bound(other, partition) == bound
    assert m.pac_mdl_error_bound(seen, labels, delta=0.01) >= bound
    assert m.pac_mdl_error_bound(seen, labels, language="algo", n_init=9) >= bound
    assert m.pac_mdl_error_bound(seen, labels, classes=range(9)) >= bound
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        m.pac_mdl_error_bound(seen[:-1], labels)
    with pytest.raises(ValueError, match="y has no labelled row"):
        m.pac_mdl_error_bound(np.full(120, -1), labels)


def number_of_clusters(X, labels):
    return len(np.unique(labels))


def test_wrappers_within_wrappers(blobs):
    """Six clusters are scored, not the three classes that are made of them."""
    X, y = blobs
    classes = np.minimum(y, 2)
    count = m.make_labeling_scorer(
        lambda X, labels: len(np.unique(labels)), kind="internal"
    )
    six = ClusterLabelClassifier(KMeans(6, random_state=0))
    without = AgglomerativeClustering(6)
    searches = [
        GridSearchCV(six, {"clusterer__n_clusters": [6]}, cv=2),
        GridSearchCV(without, {"n_clusters": [6]}, scoring=count, cv=TransductiveSplit()),
        PACMDLSearchCV([("w", AgglomerativeClustering())], n_clusters=[6]),
    ]
    for estimator in [
        Pipeline([("c", six)]),
        Pipeline([("c", without)]),
        make_pipeline(StandardScaler(), make_pipeline(StandardScaler(), six)),
        make_pipeline(StandardScaler(), searches[2]),
        *searches,
    ]:
        assert count(sklearn.clone(estimator).fit(X, classes), X) == 6


def test_no_labelled_rows_are_no_agreement(blobs):
    X, y = blobs
    fitted = KMeans(4, random_state=0).fit(X)
    with pytest.raises(ValueError, match="needs labelled rows, y has none"):
        Q2(fitted, X, np.full(len(y), -1))


@pytest.mark.parametrize(
    "name", ["n_clusters", "n_init", "n_algorithms", "n_grid", "n_test"]
)
@pytest.mark.parametrize("language", ["simple", "init", "cluster", "algo"])
def test_numbers_that_are_paid_for(name, language):
    """In every language, those too that it does not pay for."""
    y, labels = [0, 0, 1, 1, -1, -1], [0, 0, 1, 1, 0, 1]
    for value, shown in [(0, "0"), (np.int64(-3), "-3"), (1.5, "1.5"), ("2", "'2'")]:
        message = f"{name} must be an integer of at least 1, got {shown}."
        with pytest.raises(ValueError, match=message):
            m.pac_mdl_error_bound(y, labels, language=language, **{name: value})
    assert 0 < m.pac_mdl_error_bound(y, labels, language=language, **{name: 4}) <= 1


def test_the_search_scores_the_partition_it_bounds(blobs):
    """Not one that is clustered anew, without the metadata of the fit."""
    X, y = blobs
    weight = np.where(np.arange(120) % 3, 1.0, 30.0)
    count = m.make_labeling_scorer(
        lambda X, labels: len(np.unique(labels)), kind="internal"
    )
    with sklearn.config_context(enable_metadata_routing=True):
        dbscan = DBSCAN(eps=0.3, min_samples=20).set_fit_request(sample_weight=True)
        search = PACMDLSearchCV(dbscan, scoring={"n": count}, random_state=0)
        search.fit(X, y, sample_weight=weight)
    assert search.cv_results_["score_n"][0] == search.cv_results_["n_clusters_found"][0]
