"""Rows, and pairs of these, are not mixed up, or they are refused by name."""

import re
import warnings
from functools import partial

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from conftest import Untouched
from numpy.testing import assert_array_equal
from scipy.cluster.hierarchy import fcluster, linkage
from sklearn import cluster as skc
from sklearn.base import BaseEstimator, ClusterMixin, clone
from sklearn.cluster import AgglomerativeClustering
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score, pairwise_distances, silhouette_score
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, KFold, cross_validate
from sklearn.neighbors import (
    KNeighborsClassifier,
    kneighbors_graph,
    sort_graph_by_row_values,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import all_estimators

from sklearn_pacmdl import (
    ClusterLabelClassifier,
    PACMDLSearchCV,
    TransductiveSplit,
    metrics,
)

N = 80
X, TRUTH = make_blobs(N, centers=4, cluster_std=0.4, random_state=3)
SEEN = np.where(np.random.RandomState(1).permutation(N) < N // 2, TRUTH, -1)


class Elsewhere(ClusterMixin, BaseEstimator):
    """A clusterer of another package: without tags, and without a look at the shape."""

    def __init__(self, n_clusters=4, dissimilarity="euclidean"):
        self.n_clusters = n_clusters
        self.dissimilarity = dissimilarity

    def fit(self, X, y=None):
        D = X if self.dissimilarity == "precomputed" else pairwise_distances(X)
        above = D[np.triu_indices(*D.shape[:1], 1, D.shape[1])]
        n_pairs = len(D) * (len(D) - 1) // 2
        tree = linkage(above[:n_pairs], "average")
        self.labels_ = fcluster(tree, self.n_clusters, "maxclust")
        return self


def similarities(X):
    return -pairwise_distances(X, metric="sqeuclidean")


# Clusterers of rows, what makes them some of pairs, and how these are computed.
CASES = [
    (
        skc.AffinityPropagation(damping=0.9, preference=-50, random_state=0),
        "affinity",
        similarities,
    ),
    (skc.AgglomerativeClustering(4, linkage="average"), "metric", pairwise_distances),
    (skc.DBSCAN(0.8), "metric", pairwise_distances),
    (skc.HDBSCAN(copy=True), "metric", pairwise_distances),
    (skc.OPTICS(cluster_method="dbscan", eps=0.8), "metric", pairwise_distances),
    (skc.SpectralClustering(4, random_state=0), "affinity", rbf_kernel),
    (Elsewhere(), "dissimilarity", pairwise_distances),
]
CASES = {type(clusterer).__name__: (clusterer, *pairs) for clusterer, *pairs in CASES}
ARI = metrics.make_labeling_scorer(adjusted_rand_score, kind="external")
EXTERNAL = {"ari": ARI, "bound": metrics.pac_mdl_scorer}


def internal(**kwargs):
    """Scorers of rows, or of distances with metric="precomputed"."""
    make = partial(metrics.make_labeling_scorer, kind="internal")
    return {
        "silhouette": make(silhouette_score, **kwargs),
        "dunn": make(metrics.dunn_score, **kwargs),
        "informativeness": make(
            metrics.informativeness_score, classifiers=KNeighborsClassifier(**kwargs)
        ),
    }


OF_ROWS, OF_DISTANCES = internal(), internal(metric="precomputed")


def case(name):
    """Clusterers of rows and of pairs, the pairs, and scorers of pairs."""
    clusterer, parameter, compute = CASES[name]
    further = OF_DISTANCES if compute is pairwise_distances else {}
    of_pairs = clone(clusterer).set_params(**{parameter: "precomputed"})
    return clusterer, of_pairs, compute(X), {**EXTERNAL, **further}


def test_all_clusterers_of_pairs_are_cases():
    def takes_pairs(kind):
        constraints = getattr(kind, "_parameter_constraints", {}).values()
        return any("'precomputed'" in str(each) for own in constraints for each in own)

    kinds = {name for name, kind in all_estimators("cluster") if takes_pairs(kind)}
    assert kinds - {"FeatureAgglomeration"} == {*CASES} - {"Elsewhere"}


def grid_scores(estimator, X, y, scorers, cv):
    """Mean scores by a search of scikit-learn, and what its warnings or error say."""
    search = GridSearchCV(estimator, {}, scoring=scorers, cv=cv, refit=False)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            results = search.fit(X, y).cv_results_
        except ValueError as error:
            return dict.fromkeys(scorers, np.nan), str(error)
    texts = "\n".join(str(w.message) for w in caught)
    return {name: results[f"mean_test_{name}"][0] for name in scorers}, texts


WRAPPERS = {
    "alone": lambda clusterer: clusterer,
    "pipeline": make_pipeline,
    "passed on": lambda clusterer: make_pipeline("passthrough", clusterer),
    "classifier": lambda clusterer: ClusterLabelClassifier(clusterer, random_state=0),
}


@pytest.mark.parametrize("wrapper", WRAPPERS)
@pytest.mark.parametrize("name", CASES)
def test_grid_search_of_pairs_scores_as_that_of_rows(name, wrapper):
    clusterer, of_pairs, pairs, scorers = case(name)
    wrap, cv = WRAPPERS[wrapper], TransductiveSplit()
    scores, texts = grid_scores(wrap(of_pairs), pairs, SEEN, scorers, cv)
    own = {key: {**EXTERNAL, **OF_ROWS}[key] for key in scorers}
    of_rows, _ = grid_scores(wrap(clusterer), X, SEEN, own, cv)
    assert scores == pytest.approx(of_rows), texts
    assert scores["ari"] > 0.9


@pytest.mark.parametrize("n_folds", [2, 3])
@pytest.mark.parametrize("name", CASES)
def test_folds_of_pairs_are_refused(name, n_folds):
    """In halves, distances of test to training rows are square, too."""
    _, of_pairs, pairs, scorers = case(name)
    for shuffled in ({}, {"shuffle": True, "random_state": 0}):
        cv = KFold(n_folds, **shuffled)
        scores, texts = grid_scores(of_pairs, pairs, TRUTH, scorers, cv)
        assert np.isnan([*scores.values()]).all()
        assert re.search("must|should|expected|not supported", texts)
        assert re.search("square|symmetric|along both axes|affinity='precomputed'", texts)


@pytest.mark.parametrize("name", CASES)
def test_folds_take_columns_along_for_our_estimators(name):
    """Although half of the clusterers are not tagged as pairwise."""
    clusterer, of_pairs, pairs, _ = case(name)
    folds = {"cv": KFold(2, shuffle=True, random_state=0), "return_estimator": True}
    folds["scoring"] = lambda *_: 0
    search = partial(PACMDLSearchCV, n_clusters=None)
    for kind in (ClusterLabelClassifier, search):
        found, expected = (
            cross_validate(kind(each, random_state=0), data, TRUTH, **folds)["estimator"]
            for each, data in ((of_pairs, pairs), (clusterer, X))
        )
        assert len(found) == 2
        for one, other in zip(found, expected, strict=True):
            assert adjusted_rand_score(one.labels_, other.labels_) == 1


# DBSCAN of scikit-learn 1.7 itself unsorts graphs.
@pytest.mark.filterwarnings("ignore:Precomputed sparse input was not sorted")
def test_rows_permuted_without_their_columns_are_refused():
    order = np.random.RandomState(0).permutation(N)
    graph = sort_graph_by_row_values(
        kneighbors_graph(X, 20, mode="distance"), warn_when_not_sorted=False
    )
    D = pairwise_distances(X)
    for pairs in (D, pd.DataFrame(D), sp.csr_array(D), graph):
        fitted = skc.DBSCAN(0.8, metric="precomputed").fit(pairs)
        assert ARI(fitted, pairs, TRUTH) > 0.7
        torn = pairs.iloc[order] if hasattr(pairs, "iloc") else pairs[order]
        with pytest.raises(ValueError, match="symmetric matrix of distances"):
            ARI(fitted, torn, TRUTH[order])


def test_rounding_and_missing_distances_are_symmetric():
    D = pairwise_distances(X).astype(np.float32)
    D[np.triu_indices(N)] *= 1 + 1e-6
    D[3, 5] = D[5, 3] = np.inf
    known = np.nan_to_num(D)
    assert ARI(skc.DBSCAN(0.8, metric="precomputed").fit(known), known, TRUTH) > 0.9
    clusterer = Elsewhere(dissimilarity="precomputed").fit(known)
    D[5, 3] = 0
    with pytest.raises(ValueError, match="symmetric matrix of distances"):
        ARI(clusterer, D, TRUTH)


@pytest.mark.parametrize("name", CASES)
def test_searches_and_classifiers_of_pairs_find_what_those_of_rows_find(name):
    clusterer, of_pairs, pairs, scorers = case(name)
    own = {key: {**EXTERNAL, **OF_ROWS}[key] for key in scorers}
    settings = {"n_clusters": None, "random_state": 0}
    search = PACMDLSearchCV(of_pairs, scoring=scorers, **settings).fit(pairs, SEEN)
    rows = PACMDLSearchCV(clusterer, scoring=own, **settings).fit(X, SEEN)
    assert adjusted_rand_score(search.labels_, rows.labels_) == 1
    for key in ("mean_test_bound", *(f"score_{key}" for key in scorers)):
        assert search.cv_results_[key] == pytest.approx(rows.cv_results_[key])
    found, expected = (
        ClusterLabelClassifier(each, random_state=0).fit(data, SEEN).transduction_
        for each, data in ((of_pairs, pairs), (clusterer, X))
    )
    assert np.array_equal(found, expected)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("metric", ["silhouette", "dunn", "informativeness"])
def test_metrics_of_features_refuse_pairs(name, metric):
    """They would take the distances to all rows for features of a row."""
    _, of_pairs, pairs, scorers = case(name)
    fitted, says = of_pairs.fit(pairs), r"would take X for (features|distances)"
    for scorer in (OF_ROWS[metric], *[OF_DISTANCES[metric]] * (metric not in scorers)):
        with pytest.raises(ValueError, match=says):
            scorer(fitted, pairs)
        with pytest.raises(ValueError, match=says):
            scorer.score_labels(pairs, TRUTH, estimator=fitted)


def test_edges_are_cut_by_affinities():
    cut = metrics.make_labeling_scorer(metrics.edge_cut_score, kind="internal")
    _, of_pairs, affinities, _ = case("SpectralClustering")
    assert cut(of_pairs.fit(affinities), affinities) > 0.9
    _, of_pairs, distances, _ = case("DBSCAN")
    with pytest.raises(ValueError, match="edge_cut_score would take X for affinities"):
        cut(of_pairs.fit(distances), distances)


class Neighbors(KNeighborsClassifier):
    """A classifier of another package, without tags."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = False
        return tags


def test_informativeness_of_distances_is_that_of_the_rows():
    D, score = (
        pairwise_distances(X),
        partial(metrics.informativeness_score, random_state=0),
    )
    rows = score(X, TRUTH % 3, classifiers=KNeighborsClassifier())
    for kind in (KNeighborsClassifier, Neighbors):
        classifiers = [kind(metric="precomputed")]
        assert score(D, TRUTH % 3, classifiers=classifiers) == pytest.approx(rows)
    for other in (DecisionTreeClassifier(), SVC(kernel="precomputed")):
        with pytest.raises(ValueError, match="classifiers must be classifiers of one"):
            score(D, TRUTH, classifiers=[*classifiers, other])


@pytest.mark.parametrize("kind", [np.asarray, sp.coo_array, lambda D: D.tolist()])
def test_rows_of_square_X_alone_keep_their_order(kind):
    texts = ["a text of its own length"] * 24
    for rows, keeps in (
        (kind(pairwise_distances(X)), True),
        (kind(X), False),
        (texts, False),
    ):
        ((train, test),) = TransductiveSplit().split(rows)
        for order in (train, test):
            assert np.array_equal(order, np.arange(len(order))) == keeps


def same_clustering(a, b):
    return adjusted_rand_score(a, b) == 1


def test_labels_are_in_the_order_of_the_rows(blobs):
    X, y = blobs
    search = PACMDLSearchCV(AgglomerativeClustering(4), random_state=0).fit(X, y)
    alone = AgglomerativeClustering(4).fit(X)
    assert same_clustering(search.labels_, alone.labels_)
    assert_array_equal(search.best_estimator_.labels_, search.labels_)
    assert np.any(search.row_order_ != np.arange(len(X)))


def neighbor_graph(X):
    graph = kneighbors_graph(X, 60, mode="distance")
    return sort_graph_by_row_values(graph, warn_when_not_sorted=False)


PRECOMPUTED = {
    "sparse graph": (skc.DBSCAN(eps=0.8, metric="precomputed"), neighbor_graph),
    "spectral, neighbors": (
        skc.SpectralClustering(
            4, affinity="precomputed_nearest_neighbors", n_neighbors=50
        ),
        neighbor_graph,
    ),
    "pipeline that passes distances on": (
        make_pipeline("passthrough", skc.DBSCAN(eps=0.8, metric="precomputed")),
        pairwise_distances,
    ),
    "pipeline that computes distances": (
        make_pipeline(
            FunctionTransformer(pairwise_distances),
            AgglomerativeClustering(4, metric="precomputed", linkage="average"),
        ),
        lambda X: X,
    ),
}


# DBSCAN of scikit-learn 1.7 unsorts the graphs that it asks to be sorted.
@pytest.mark.filterwarnings("ignore:Precomputed sparse input was not sorted")
@pytest.mark.parametrize("name", PRECOMPUTED)
def test_precomputed_distances_are_permuted_on_both_axes(name, blobs):
    X, y = blobs
    clusterer, compute = PRECOMPUTED[name]
    D = compute(X)
    search = PACMDLSearchCV(clusterer, random_state=0).fit(D, y)
    assert same_clustering(search.labels_, clusterer.fit_predict(D))
    assert search.best_bound_ < 0.5


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix, sp.coo_array])
@pytest.mark.filterwarnings("ignore:.*connected components")
def test_connectivity_is_permuted_on_both_axes(kind, blobs):
    X, y = blobs
    graph = kneighbors_graph(X, 10).toarray()
    graph = kind(np.maximum(graph, graph.T))
    clusterer = AgglomerativeClustering(4, connectivity=graph)
    alone = clusterer.fit_predict(X)
    by_grid = AgglomerativeClustering(4), {"connectivity": [graph]}
    for given in ((clusterer,), by_grid):
        search = PACMDLSearchCV(*given, random_state=0).fit(X, y)
        assert same_clustering(search.labels_, alone)


class WithRowParameter(Untouched):
    def __init__(self, offsets=None):
        self.offsets = offsets


@pytest.mark.parametrize("kind", [np.asarray, list])
def test_unknown_parameters_along_rows_are_refused(kind, blobs):
    X, y = blobs
    clusterer = WithRowParameter(kind(np.zeros(len(X))))
    with pytest.raises(ValueError, match="'offsets' has one entry per row"):
        PACMDLSearchCV(clusterer).fit(X, y)
    with pytest.raises(ValueError, match="'withrowparameter__offsets' has one entry"):
        PACMDLSearchCV(make_pipeline(clusterer)).fit(X, y)


def test_pairs_that_may_be_none_are_refused(blobs):
    X, y = blobs
    dbscan = skc.DBSCAN(eps=0.8, metric="precomputed")
    with pytest.raises(ValueError, match=r"X must be square .* shape \(120, 2\)"):
        PACMDLSearchCV(dbscan).fit(X, y)
    pipeline = make_pipeline(FunctionTransformer(), dbscan)
    with pytest.raises(ValueError, match="it is unknown whether the columns"):
        PACMDLSearchCV(pipeline).fit(pairwise_distances(X), y)
