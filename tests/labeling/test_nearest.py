"""Clusters without labels are named like the nearest cluster that has some."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist
from sklearn.cluster import AgglomerativeClustering, KMeans, SpectralClustering
from sklearn.decomposition import PCA
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_pacmdl import ClusterLabelClassifier
from sklearn_pacmdl.labeling import cluster_distances, cluster_margins, nearest_labeled

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3))
CLUSTERS = np.r_[np.arange(4), RNG.integers(4, size=36)]


def between_means(rows):
    means = np.stack([rows[c == CLUSTERS].mean(axis=0) for c in range(4)])
    return cdist(means, means)


@pytest.mark.parametrize(
    "container", [np.asarray, np.float32, sp.csr_array, sp.csr_matrix, pd.DataFrame]
)
def test_distances_between_means(container):
    rows = container(X)
    assert_allclose(
        cluster_distances(KMeans(4), rows, CLUSTERS), between_means(X), atol=1e-5
    )


def test_distances_in_the_space_that_the_clusterer_saw():
    texts = [f"w{a} w{b}" for a, b in RNG.integers(6, size=(40, 2))]
    wide, kmeans = X * [1, 100, 10_000], KMeans(4)
    reduced = PCA(2).fit_transform(StandardScaler().fit_transform(wide))
    words = CountVectorizer().fit_transform(texts).toarray()
    nested = make_pipeline(StandardScaler(), make_pipeline(PCA(2), kmeans))
    for pipeline, rows, seen in (
        (make_pipeline(StandardScaler(), PCA(2), kmeans), wide, reduced),
        (nested, wide, reduced),
        (make_pipeline(CountVectorizer(), kmeans), texts, words),
    ):
        found = cluster_distances(pipeline, rows, CLUSTERS)
        assert_allclose(found, between_means(seen), atol=1e-9)


def mean_pairs(pairs):
    members = [c == CLUSTERS for c in range(4)]
    return np.array([[pairs[a][:, b].mean() for b in members] for a in members])


def test_distances_that_the_clusterer_was_given():
    pairs = cdist(X, X)
    ward = AgglomerativeClustering(4, metric="precomputed", linkage="average")
    assert_allclose(cluster_distances(ward, pairs, CLUSTERS), mean_pairs(pairs))
    spectral = SpectralClustering(4, affinity="precomputed")
    affinities = np.exp(-pairs)
    for given in (affinities, sp.csr_array(affinities)):
        found = cluster_distances(spectral, given, CLUSTERS)
        assert_allclose(found, -mean_pairs(affinities))


def test_where_there_are_none():
    graph = sp.csr_array(cdist(X, X) * (cdist(X, X) < 1))
    neighbors = AgglomerativeClustering(4, metric="precomputed", linkage="average")
    assert cluster_distances(neighbors, graph, CLUSTERS) is None
    assert cluster_distances(KMeans(4), np.where(X > 2, np.nan, X), CLUSTERS) is None
    texts = [["a"]] * 40
    assert cluster_distances(KMeans(4), texts, CLUSTERS) is None
    assert cluster_margins(KMeans(4), texts, CLUSTERS, CLASSES) is None
    assert cluster_margins(KMeans(4), X, CLUSTERS, np.zeros(4, dtype=int)) is None


def test_nearest_labeled():
    distances = np.array([[0, 1, 2], [1, 0, 5], [2, 5, 0]])
    for labeled, expected in (
        ([False, True, True], [4, 4, 7]),
        ([False, False, True], [7, 7, 7]),
        ([True, True, True], [9, 4, 7]),
        ([False, False, False], [9, 4, 7]),
    ):
        found = nearest_labeled(np.array([9, 4, 7]), np.array(labeled), lambda: distances)
        assert_array_equal(found, expected)
    unknown = nearest_labeled(np.array([9, 4]), np.array([True, False]), lambda: None)
    assert_array_equal(unknown, [9, 4])


# Three groups on a line, the middle one without labels and nearer to the right.
THREE = np.array([[0.0], [0.1], [6.0], [6.1], [10.0], [10.1]])
SEEN = [0, 0, -1, -1, 1, 1]


def test_the_classifier_names_like_the_nearest_and_fits_no_step_again():
    class Counting(StandardScaler):
        def fit_transform(self, X, y=None, **params):
            self.n_fits_ = getattr(self, "n_fits_", 0) + 1
            return super().fit_transform(X, y, **params)

    pipeline = make_pipeline(Counting(), KMeans(3, random_state=0))
    for seed in range(5):
        classifier = ClusterLabelClassifier(pipeline, random_state=seed).fit(THREE, SEEN)
        assert_array_equal(classifier.transduction_, [0, 0, 1, 1, 1, 1])
        assert classifier.clusterer_[0].n_fits_ == 1


CLASSES = np.array([0, 1, 0, 2])


def margins_of(distances, classes=CLASSES):
    """From distances of the rows to the clusters."""
    pairs = zip(distances, CLUSTERS, strict=True)
    return np.array([min(own[classes != classes[k]]) - own[k] for own, k in pairs])


@pytest.mark.parametrize("classes", [CLASSES, np.array([0, 1, 0, 1])])
@pytest.mark.parametrize(
    "container", [np.asarray, np.float32, sp.csr_array, pd.DataFrame]
)
def test_margins_to_means(container, classes):
    means = np.stack([X[c == CLUSTERS].mean(axis=0) for c in range(4)])
    found = cluster_margins(KMeans(4), container(X), CLUSTERS, classes)
    assert_allclose(found, margins_of(cdist(X, means), classes), atol=1e-5)


def test_margins_of_rows_that_are_measured_some_at_a_time():
    """Each row is a cluster of its own; of four million distances not all are held."""
    rows, classes = RNG.normal(size=(2100, 2)), RNG.integers(3, size=2100)
    others = np.where(classes != classes[:, None], cdist(rows, rows), np.inf)
    found = cluster_margins(KMeans(2100), rows, np.arange(2100), classes)
    assert_allclose(found, others.min(axis=1), atol=1e-6)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("affinities", [False, True])
def test_margins_of_pairs(sparse, affinities):
    pairs = cdist(X, X)
    means = np.stack([pairs[:, c == CLUSTERS].mean(axis=1) for c in range(4)], axis=1)
    clusterer = AgglomerativeClustering(4, metric="precomputed", linkage="average")
    if affinities:
        clusterer = SpectralClustering(4, affinity="precomputed")
        means = -means
    rows = sp.csr_array(pairs) if sparse else pairs
    found = cluster_margins(clusterer, rows, CLUSTERS, CLASSES)
    if sparse and not affinities:
        assert found is None  # distances that are not stored are unknown
    else:
        assert_allclose(found, margins_of(means), atol=1e-9)
