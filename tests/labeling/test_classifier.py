import numpy as np
import pytest
import sklearn
from numpy.testing import assert_array_equal
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_pacmdl import ClusterLabelClassifier


class Given(ClusterMixin, BaseEstimator):
    """Returns the first column as clusters."""

    def fit(self, X, y=None):
        assert y is None, "labels must not reach the clusterer"
        self.labels_ = self.predict(X)
        return self

    def predict(self, X):
        return np.asarray(X)[:, 0].astype(int)


def classify(clusters, y, **kwargs):
    return ClusterLabelClassifier(Given(), **kwargs).fit(np.c_[clusters], y)


def test_majority_of_each_cluster():
    classifier = classify([5, 5, 5, 5, 2, 2, -1, -1], [1, 1, 0, -1, 0, -1, 2, -1])
    assert_array_equal(classifier.clusters_, [-1, 2, 5])
    assert_array_equal(classifier.class_counts_, [[0, 0, 1], [1, 0, 0], [1, 2, 0]])
    assert_array_equal(classifier.cluster_classes_, [2, 0, 1])
    assert_array_equal(classifier.transduction_, [1, 1, 1, 1, 0, 0, 2, 2])
    assert_array_equal(classifier.labels_, [5, 5, 5, 5, 2, 2, -1, -1])
    assert_array_equal(classifier.predict([[2], [5]]), [0, 1])


def test_ties_are_seeded():
    clusters, y = np.arange(40) // 2, np.tile([0, 1], 20)
    first = classify(clusters, y, random_state=3).transduction_
    assert_array_equal(first, classify(clusters, y, random_state=3).transduction_)
    assert np.any(first != classify(clusters, y, random_state=4).transduction_)


def test_clusters_that_no_row_fell_into_have_some_class_at_random():
    """The same for all of them, wherever their numbers are among those of the others."""
    predicted = [
        classify([0, 0, 5, 5], [7, -1, 8, -1], random_state=i).predict([[-3], [2], [9]])
        for i in range(20)
    ]
    assert {tuple(classes) for classes in predicted} == {(7, 7, 7), (8, 8, 8)}


def test_clusterers_without_predict(iris):
    X, y = iris
    classifier = ClusterLabelClassifier(AgglomerativeClustering(3)).fit(X, y)
    assert np.mean(classifier.transduction_ == y) > 0.85
    assert not hasattr(classifier, "predict")
    with pytest.raises(AttributeError, match="predict"):
        classifier.predict(X)


def test_pipeline_of_a_data_frame():
    X, y = load_iris(return_X_y=True, as_frame=True)
    clusterer = make_pipeline(StandardScaler(), KMeans(3, random_state=0))
    classifier = ClusterLabelClassifier(clusterer).fit(X, y)
    assert classifier.score(X, y) == np.mean(classifier.transduction_ == y) > 0.7
    assert_array_equal(classifier.feature_names_in_, X.columns)


def test_metadata_routing(iris):
    X, y = iris
    weight = np.where(np.arange(150) < 50, 1.0, 1e-9)
    with pytest.raises(ValueError, match="enable_metadata_routing=True"):
        ClusterLabelClassifier(KMeans(2)).fit(X, y, sample_weight=weight)
    with sklearn.config_context(enable_metadata_routing=True):
        clusterer = KMeans(2, random_state=0).set_fit_request(sample_weight=True)
        classifier = ClusterLabelClassifier(clusterer).fit(X, y, sample_weight=weight)
    alone = KMeans(2, random_state=0).fit(X, sample_weight=weight)
    assert_array_equal(classifier.labels_, alone.labels_)
