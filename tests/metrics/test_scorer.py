"""Scorers in scikit-learn's own searches, with clusterers that have no ``predict``."""

import inspect
import pickle
from functools import partial
from inspect import signature

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import BaseEstimator, ClusterMixin, TransformerMixin
from sklearn.cluster import DBSCAN, AgglomerativeClustering, KMeans
from sklearn.compose import ColumnTransformer, make_column_transformer
from sklearn.datasets import make_blobs
from sklearn.decomposition import PCA
from sklearn.feature_selection import SelectFpr, SelectFromModel, SelectKBest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import (
    accuracy_score,
    adjusted_mutual_info_score,
    adjusted_rand_score,
    davies_bouldin_score,
    silhouette_score,
    zero_one_loss,
)
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from sklearn_pacmdl import (
    ClusterLabelClassifier,
    PACMDLSearchCV,
    TransductiveSplit,
    pac_mdl_bound,
)
from sklearn_pacmdl import metrics as m

SILHOUETTE = m.make_labeling_scorer(silhouette_score, kind="internal")
DAVIES = m.make_labeling_scorer(davies_bouldin_score, kind="internal")
ACCURACY = m.make_labeling_scorer(accuracy_score, kind="classes")
Q2 = m.make_labeling_scorer(m.dom_q2_score, kind="external")
SCORERS = {
    "informativeness": m.informativeness_scorer,
    "pac_mdl": m.pac_mdl_scorer,
    "silhouette": SILHOUETTE,
    "davies": DAVIES,
    "q2": Q2,
    "dunn": m.make_labeling_scorer(m.dunn_score, kind="internal"),
}
COUNT = m.make_labeling_scorer(lambda X, labels: len({*labels}), kind="internal")
GRID = {"n_clusters": [7, 5, 4, 3, 2]}


@pytest.fixture(scope="module")
def blobs():
    return make_blobs(120, centers=4, cluster_std=0.6, random_state=3)


def cost(y_true, y_pred):
    """Of errors that cost different amounts."""
    matrix = {("a", "b"): 1, ("b", "a"): 10, ("c", "a"): 5, ("c", "b"): 5}
    return np.mean([matrix.get(pair, 0) for pair in zip(y_true, y_pred, strict=True)])


# Clusters 0: a a a b, 1: b b, 2: c, 3: c, unlabeled; 2 is nearest to 3.
AT = np.array([0, 0, 0, 0, 5, 5, 20, 21, 5])[:, None]
IN = np.array([0, 0, 0, 0, 1, 1, 2, 3, 1])
LETTERS = np.array([*"aaabbbcc", None], dtype=object)


def test_metrics_of_classes_get_the_class_that_other_labels_give():
    scorer = m.make_labeling_scorer(cost, kind="classes")
    # Only the b among the a is named wrongly, at a cost of 10 in 8 labels.
    kmeans = KMeans(4, init=[[0], [5], [20], [21]], n_init=1).fit(AT)
    assert scorer(kmeans, AT, LETTERS) == -10 / 8
    assert ACCURACY(kmeans, AT, LETTERS) == 7 / 8
    # Nothing depends on the numbers of clusters, or on how classes are written.
    assert ACCURACY.score_labels(AT, 3 - IN, LETTERS, estimator=kmeans) == 7 / 8
    codes = [None if y is None else "cba".index(y) for y in LETTERS]
    assert ACCURACY(kmeans, AT, codes) == 7 / 8
    # Of a tie with one label left out the other is left: both are named wrongly.
    assert ACCURACY.score_labels(AT[:4], [0, 0, 1, 1], ["a", "b", "a", "a"]) == 0.5


def test_no_label_names_its_own_row():
    """The nearest cluster of a label that is alone is another one."""
    rows = np.array([[0.0], [0.0], [5.0], [5.0], [20.0], [21.0]])
    kmeans = KMeans(4, init=rows[[0, 2, 4, 5]], n_init=1).fit(rows)
    assert ACCURACY(kmeans, rows, [*"aabbcd"]) == 4 / 6
    with pytest.raises(ValueError, match="y must have at least two labels"):
        ACCURACY.score_labels(AT, IN, [0] + [None] * 8)


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
        with pytest.raises(ValueError, match="y has no"):
            SCORERS[name].score_labels(X, y, np.full(len(y), -1))


def test_rows_of_another_subset_of_the_same_length(blobs):
    """``labels_`` would be of other rows, as under halving and under two folds."""
    X, y = blobs
    scorer = m.make_labeling_scorer(adjusted_rand_score, kind="external")
    for train, test in KFold(2, shuffle=True, random_state=0).split(X):
        fitted = AgglomerativeClustering(4).fit(X[train])
        assert len(fitted.labels_) == len(test)
        assert scorer(fitted, X[test], y[test]) > 0.95
        assert adjusted_rand_score(y[test], fitted.labels_) < 0.2


FOUR = ClusterLabelClassifier(KMeans(4, random_state=0))
SEARCH = PACMDLSearchCV(KMeans(), n_clusters=[4], random_state=0)
SCALE, ALL_ROWS = StandardScaler(), TransductiveSplit()
ESTIMATORS = {
    "with predict": KMeans(4, random_state=0),
    "without": AgglomerativeClustering(4),
    "mixture": GaussianMixture(4, random_state=0),
    "pipeline": make_pipeline(StandardScaler(), AgglomerativeClustering(4)),
    "classifier": FOUR,
    "classifier without": ClusterLabelClassifier(AgglomerativeClustering(4)),
    "alone in a pipeline": Pipeline([("c", AgglomerativeClustering(4))]),
    "pipeline in a pipeline": make_pipeline(SCALE, make_pipeline(StandardScaler(), FOUR)),
    "search in a pipeline": make_pipeline(SCALE, SEARCH),
    "grid search of classifiers": GridSearchCV(
        FOUR, {"clusterer__n_clusters": [4]}, cv=2
    ),
    "grid search of clusterers": GridSearchCV(
        AgglomerativeClustering(), {"n_clusters": [4]}, scoring=COUNT, cv=ALL_ROWS
    ),
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


def test_what_is_not_finite_is_refused(blobs):
    """Searches make their error_score of it; an infinite one would win every search."""
    (X, y), clusterings = blobs, {1: np.zeros(120, int), 120: np.arange(120)}
    for kind in ("internal", "external"):
        of_no_value = m.make_labeling_scorer(lambda *of: np.nan, kind=kind)
        with pytest.raises(ValueError, match="gave nan for 1 clusters of 120 rows"):
            of_no_value.score_labels(X, clusterings[1], y)
    with pytest.raises(ValueError, match="gave inf for 120 clusters of 120 rows"):
        SCORERS["dunn"].score_labels(X, clusterings[120])
    alone = m.informativeness_scorer.score_labels(X, clusterings[1])
    assert alone == pytest.approx(0, abs=1e-8)


@pytest.mark.parametrize(
    ("clusterer", "order"), [(KMeans(random_state=0), 1), (AgglomerativeClustering(), -1)]
)
def test_of_equally_informative_clusterings_the_one_with_more_clusters(clusterer, order):
    """Each of these can be predicted without mistakes; the data have five blobs."""
    centers = 20 * np.c_[np.arange(5), np.arange(5) ** 2]
    X, _ = make_blobs(150, centers=centers, cluster_std=0.3, random_state=0)
    numbers = [2, 4, 5, 6, 9][::order]
    cv = TransductiveSplit(random_state=0)
    ((order, _),) = cv.split(X)
    search = GridSearchCV(
        clusterer, {"n_clusters": numbers}, scoring=m.informativeness_scorer, cv=cv
    ).fit(X)
    assert search.best_params_ == {"n_clusters": 5}
    for k, score in zip(numbers, search.cv_results_["mean_test_score"], strict=True):
        labels = sklearn.clone(clusterer).set_params(n_clusters=k).fit_predict(X[order])
        exact = m.informativeness_score(X[order], labels, random_state=0)
        assert exact == 1 or k > 5
        assert exact - 1e-9 < score < exact


def test_ties_are_broken_among_a_million_rows():
    """In floats too; and by less than one row that is predicted otherwise."""
    X = np.repeat([[0.0], [9.0]], 500_000, axis=0)
    X[[7, 8]] = 5.0  # one in each fold
    more = np.digitize(X[:, 0], [4, 6])
    halves = np.arange(0, 10**6, 2), np.arange(1, 10**6, 2)
    scorer = m.make_labeling_scorer(
        m.informativeness_score,
        kind="internal",
        classifiers=NearestCentroid(),
        cv=[halves, halves[::-1]],
    )
    two = scorer.score_labels(X, np.minimum(more, 1))
    three = scorer.score_labels(X, more)
    assert 1 - 1e-6 < two < three <= 1


def wide_and_narrow(y):
    """Clusters in the first feature, hidden by the scale of the second."""
    rng = np.random.RandomState(0)
    return np.c_[y + rng.normal(scale=0.1, size=len(y)), 1e3 * rng.normal(size=len(y))]


def mixed_columns(y):
    words = np.array(["low", "high"])[(y > 1).astype(int)]
    return pd.DataFrame({"number": wide_and_narrow(y)[:, 0], "word": words})


SPACES = {
    "scaled": (wide_and_narrow, StandardScaler()),
    "projected": (wide_and_narrow, make_pipeline(StandardScaler(), PCA(1))),
    "mixed": (
        mixed_columns,
        make_column_transformer(
            (StandardScaler(), ["number"]), (OneHotEncoder(), ["word"])
        ),
    ),
}


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("clusterer", [KMeans(random_state=0), AgglomerativeClustering()])
@pytest.mark.parametrize("name", ["silhouette", "davies", "dunn", "informativeness"])
def test_a_pipeline_is_judged_in_the_space_of_its_clusterer(
    name, clusterer, space, blobs
):
    """As the clusterer alone, on rows that were transformed before."""
    (make, before), scorer, numbers = SPACES[space], SCORERS[name], [2, 3, 4, 6]
    X, cv = make(blobs[1]), TransductiveSplit(random_state=0)

    def judged(rows):
        rows = sklearn.clone(before).fit_transform(rows)
        for k in numbers:
            alone = sklearn.clone(clusterer).set_params(n_clusters=k).fit(rows)
            yield scorer.score_labels(rows, alone.labels_)

    ((order, _),) = cv.split(X)
    pipeline = Pipeline([("before", before), ("clusterer", clusterer)])
    grid = {"clusterer__n_clusters": numbers}
    scores = GridSearchCV(pipeline, grid, scoring=scorer, cv=cv).fit(X).cv_results_
    ordered = X.iloc[order] if hasattr(X, "iloc") else X[order]
    np.testing.assert_allclose(scores["mean_test_score"], list(judged(ordered)))
    # Where rows may come in any order, the search by the bound judges in it, too.
    if name != "informativeness" and not hasattr(clusterer, "predict"):
        search = PACMDLSearchCV(pipeline, n_clusters=numbers, scoring={"of": scorer})
        scores = search.fit(X, hidden(blobs[1])).cv_results_
        np.testing.assert_allclose(scores["score_of"], list(judged(X)))


@pytest.mark.parametrize("name", SCORERS)
def test_clusters_that_are_named_in_words(name, blobs):
    """As those of graphs are."""
    X, y = blobs
    numbers, words = (X[:, 0] > 0).astype(int), np.where(X[:, 0] > 0, "right", "left")
    score = SCORERS[name].score_labels
    assert score(X, words, hidden(y)) == score(X, numbers, hidden(y))


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
    paid = m.make_labeling_scorer(
        m.pac_mdl_score, kind="bound", language="algo", n_init=10, n_algorithms=6,
        n_test=500, delta=0.05,
    )  # fmt: skip
    length = 8 + np.log2(10 * 12 * 6)
    bound = pac_mdl_bound(40, 500, 0, description_length=length, delta=0.05)
    assert paid(kmeans, X[fold], y[fold]) == pytest.approx(1 - bound / 500)
    assert m.pac_mdl_error_bound(y, kmeans.labels_) == pytest.approx(
        1 - m.pac_mdl_score(y, kmeans.labels_)
    )
    with pytest.raises(ValueError, match="language must be one of"):
        m.pac_mdl_error_bound(y, kmeans.labels_, language="auto")


LOSSES = [
    getattr(m, name)
    for name in m.__all__
    if "lower is better"
    in (inspect.getdoc(getattr(m, name)) or "").partition("See Also")[0]
]


@pytest.mark.parametrize(
    "loss", [*LOSSES, davies_bouldin_score], ids=lambda f: f.__name__
)
def test_known_losses_are_negated(loss):
    kind = "internal" if next(iter(signature(loss).parameters)) == "X" else "external"
    for metric in (loss, partial(loss)):
        make = partial(m.make_labeling_scorer, metric, kind=kind)
        assert make().sign == -1, "losses are listed in _LOSSES of _scorer.py"
        assert make(greater_is_better=False).sign == -1
        with pytest.raises(ValueError, match="greater_is_better must be False or None"):
            make(greater_is_better=True)
    for called_a_loss in (cost, zero_one_loss):
        assert m.make_labeling_scorer(called_a_loss, kind="classes").sign == -1
    assert ACCURACY.sign == 1


def test_with_metadata_routing(blobs):
    with sklearn.config_context(enable_metadata_routing=True):
        search = GridSearchCV(
            AgglomerativeClustering(), GRID, scoring=SCORERS, refit="silhouette",
            cv=TransductiveSplit(),
        ).fit(*blobs)  # fmt: skip
    assert search.best_params_ == {"n_clusters": 4}


def test_transductive_split():
    split = TransductiveSplit(random_state=1)
    ((train, test),), ((again, _),) = (split.split(np.zeros((9, 1))) for _ in range(2))
    np.testing.assert_array_equal(train, test)
    np.testing.assert_array_equal(train, again)
    np.testing.assert_array_equal(np.sort(train), range(9))
    assert split.get_n_splits() == 1
    assert repr(split) == "TransductiveSplit(random_state=1)"
    # What chooses rows at random from the same seed draws another permutation.
    assert np.any(train != np.random.RandomState(1).permutation(9))


def test_reprs_show_no_addresses():
    metric = partial(m.pairwise_fbeta_score, beta=2)
    scorer = m.make_labeling_scorer(metric, kind="external", greater_is_better=False)
    shown = "pairwise_fbeta_score, kind='external', greater_is_better=False"
    assert repr(scorer) == f"make_labeling_scorer({shown})"
    scorer = m.make_labeling_scorer(m.dunn_score, kind="internal", metric="precomputed")
    shown = "dunn_score, kind='internal', metric='precomputed'"
    assert repr(scorer) == f"make_labeling_scorer({shown})"
    for scorer in SCORERS.values():
        assert " at 0x" not in repr(scorer)


def test_the_search_scores_the_clustering_it_bounds(blobs):
    """Not one that is clustered anew, without the metadata of the fit."""
    X, y = blobs
    weight = np.where(np.arange(120) % 3, 1.0, 30.0)
    with sklearn.config_context(enable_metadata_routing=True):
        dbscan = DBSCAN(eps=0.3, min_samples=20).set_fit_request(sample_weight=True)
        search = PACMDLSearchCV(dbscan, scoring={"n": COUNT}, random_state=0)
        search.fit(X, y, sample_weight=weight)
    assert search.cv_results_["score_n"][0] == search.cv_results_["n_clusters_found"][0]


@pytest.mark.parametrize("name", ["q2", "silhouette"])
def test_ordinary_folds_are_told_of(name, blobs):
    """Their clusters are of rows that no clusterer was fitted to."""
    kmeans, grid = KMeans(n_init=1, random_state=0), {"n_clusters": [3, 4]}
    search = partial(GridSearchCV, kmeans, grid, scoring=SCORERS[name])
    with pytest.warns(UserWarning, match=r"fitted to 96 others.*TransductiveSplit\(\)"):
        search(cv=5).fit(*blobs)
    search(cv=TransductiveSplit()).fit(*blobs)
    search(cv=5, scoring=m.pac_mdl_scorer).fit(*blobs)  # a bound is for other rows


# --- Labels must not have helped to make the clusters ---------------------------------


class NeedsThreeClasses(TransformerMixin, BaseEstimator):
    """A step that fails on labels of its own making."""

    def fit(self, X, y):
        if len(np.unique(y[y >= 0])) < 3:
            raise TypeError("need 3 classes")
        self.kept_ = np.argsort([-abs(np.corrcoef(x, y)[0, 1]) for x in X.T])[:5]
        return self

    def transform(self, X):
        return X[:, self.kept_]


class ByLabels(ClusterMixin, BaseEstimator):
    """A clusterer that looks at the labels when it is given some."""

    def fit(self, X, y=None):
        self.labels_ = np.zeros(len(X), dtype=int) if y is None else np.asarray(y)
        return self

    def predict(self, X):
        return self.labels_


def test_no_bound_on_a_clusterer_that_looks_at_labels():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), rng.integers(2, size=60)
    for clusterer in (ByLabels(), make_pipeline(StandardScaler(), ByLabels())):
        with pytest.raises(ValueError, match="may use the labels"):
            m.pac_mdl_scorer(clusterer.fit(X, y), X, y)


@pytest.mark.parametrize(
    "step",
    [
        SelectKBest(k=10),
        SelectFpr(alpha=0.5),
        NeedsThreeClasses(),
        make_pipeline(SelectKBest(k=10)),
        SelectFromModel(LogisticRegression()),
        ColumnTransformer([("few", SelectKBest(k=2), slice(0, 20))]),
    ],
    ids=lambda step: type(step).__name__,
)
def test_no_bound_on_clusters_made_with_labels(step):
    """On noise such steps make any labels look predictable."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 200)), rng.integers(3, size=60)
    y[::2] = -1
    search = GridSearchCV(
        make_pipeline(step, KMeans(2, n_init=1, random_state=0)),
        {"kmeans__n_clusters": [2]},
        scoring=m.pac_mdl_scorer,
        cv=TransductiveSplit(),
        error_score="raise",
    )
    with pytest.raises(ValueError, match="may use the labels"):
        search.fit(X, y)


def test_steps_without_labels_pass():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 20)), rng.integers(2, size=60)
    pipeline = make_pipeline(PCA(2), KMeans(2, n_init=1, random_state=0)).fit(X, y)
    assert 0 <= m.pac_mdl_scorer(pipeline, X, y) <= 1
    classifier = ClusterLabelClassifier(pipeline, random_state=0).fit(X, y)
    assert m.pac_mdl_scorer(classifier, X, y) == m.pac_mdl_scorer(pipeline, X, y)


# --- Scorers of one's own -------------------------------------------------------------


class LargestCluster:
    """Minus the share of the largest cluster; it is never asked to cluster anew."""

    def __call__(self, estimator, X, y=None):
        raise NotImplementedError

    def score_labels(self, X, labels, y=None, *, classes=None, estimator=None):
        return -np.bincount(labels).max() / len(labels)


def test_a_scorer_of_ones_own(blobs):
    scoring, clusterer = {"own": LargestCluster()}, AgglomerativeClustering()
    search = PACMDLSearchCV(clusterer, n_clusters=[2, 4], scoring=scoring)
    search.fit(blobs[0], hidden(blobs[1]))
    assert search.cv_results_["score_own"][1] == -1 / 4


def test_a_class_called_minus_one_is_named_and_can_be_declared():
    X, y = make_blobs(120, centers=3, random_state=1)
    clusters = y
    scorer = m.make_labeling_scorer(adjusted_rand_score, kind="external")
    for classes, said in {(-1, 1, 1): "1 class", (-1, 0, 1): "2 classes"}.items():
        labels = np.array(classes)[y]
        with pytest.warns(UserWarning, match=f"leaves out 40 of 120 rows.*have {said}"):
            scorer.score_labels(X, clusters, labels)
        own = m.make_labeling_scorer(
            adjusted_rand_score, kind="external", classes=sorted({*classes})
        )
        score = own.score_labels(X, clusters, labels)
        assert score == adjusted_rand_score(labels, clusters)
        assert f"classes={sorted({*classes})}" in repr(own)
    few = np.where(np.arange(120) < 50, y, -1)  # as most semi-supervised labels
    assert scorer.score_labels(X, clusters, few) == 1
    with_gaps = np.where(np.arange(120) < 90, y, -1)
    own = m.make_labeling_scorer(adjusted_rand_score, kind="external", classes=[0, 1, 2])
    assert own.score_labels(X, clusters, with_gaps) == 1
