"""Rows must not be mixed up, nor the columns and graphs that belong to them."""

import numpy as np
import pytest
import scipy.sparse as sp
from conftest import Untouched
from numpy.testing import assert_array_equal
from sklearn import cluster as skc
from sklearn.cluster import AgglomerativeClustering
from sklearn.metrics import adjusted_rand_score, pairwise_distances
from sklearn.neighbors import kneighbors_graph, sort_graph_by_row_values
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from sklearn_pacmdl import PACMDLSearchCV


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
