"""One clustering as a classifier, classes of clusters, and the table of clusters."""

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
from sklearn_pacmdl.labeling import (
    check_cluster_labels,
    describe_counted_clusters,
    left_out_names,
    majority_classes,
    nearest_others,
    warn_of_blind_names,
)


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


def test_the_most_common_class_is_taken_whatever_the_seed():
    """By one row out of many thousands, too."""
    table = np.array([[3, 1, 2], [0, 0, 1], [10**6, 10**6 + 1, 0]])
    for seed in range(20):
        assert majority_classes(table, seed).tolist() == [0, 2, 1]


def test_ties_and_clusters_without_labels_are_drawn_evenly():
    drawn = majority_classes(np.tile([[2, 2, 1], [0, 0, 0]], (3000, 1)), 0)
    tied, blind = drawn[::2], drawn[1::2]
    assert_array_equal(np.abs(np.bincount(tied, minlength=3) - [1500, 1500, 0]) < 150, 1)
    assert not np.any(tied == 2)
    assert_array_equal(np.abs(np.bincount(blind, minlength=3) - 1000) < 150, 1)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([0, 1], r"returned labels of shape \(2,\); expected \(3,\), one per row"),
        ([[0, 1, 2]], r"returned labels of shape \(1, 3\)"),
        ([0.0, 1.0, 2.0], "returned labels of dtype float64; expected integers"),
        (["a", "b", "c"], "returned labels of dtype <U1; expected integers"),
    ],
)
def test_what_is_no_clustering(labels, message):
    with pytest.raises(ValueError, match=message):
        check_cluster_labels(labels, 3)
    assert_array_equal(check_cluster_labels([5, -1, 5], 3), [5, -1, 5])
    assert check_cluster_labels(np.array([], dtype=int), 0).size == 0


# Clusters on a line at 0, 1, 3 and 7.
PLACES = np.array([0.0, 1, 3, 7])
BETWEEN = abs(PLACES[:, None] - PLACES)


def test_the_nearest_other_cluster_is_never_the_cluster_itself():
    every = np.ones(4, dtype=bool)
    assert_array_equal(nearest_others(every, lambda: BETWEEN), [1, 0, 1, 2])
    some = np.array([True, False, False, True])
    assert_array_equal(nearest_others(some, lambda: BETWEEN), [3, 0, 0, 0])
    assert nearest_others(every, lambda: None) is None
    assert nearest_others(~every, lambda: BETWEEN) is None


def test_a_row_has_no_say_in_its_own_name():
    # Cluster 0 has two rows of class 0 and one of class 1, cluster 1 one of class 1,
    # cluster 2 two of class 0; the last column is for rows of no class.
    table = np.array([[2, 1, 0], [0, 1, 0], [2, 0, 0], [0, 0, 0]])
    clusters, codes = np.array([0, 0, 0, 1, 2, 2]), np.array([0, 0, 1, 1, 0, 0])
    drawn = [
        left_out_names(table, clusters, codes, seed, lambda: BETWEEN)
        for seed in range(20)
    ]
    # Without one of its two rows, class 0 ties with class 1; the row of class 1 leaves 0.
    assert {int(names[0]) for names in drawn} == {0, 1}
    for names in drawn:
        assert names[0] == names[1]
        # The only row of cluster 1 is named by cluster 0, which is nearest.
        assert_array_equal(names[2:], [0, 0, 0, 0])


NUMBERS = np.array([3, 7])


def described(counts, own, *, seen=None, distances=lambda: None):
    counts = np.array(counts)
    sizes = counts.sum(axis=1) + 10
    return describe_counted_clusters(
        np.arange(len(own)) + 5,
        sizes,
        np.full(len(own), 10),
        np.array(own),
        counts,
        None if seen is None else np.array(seen),
        NUMBERS,
        distances,
    )


def test_columns_of_counts():
    """The last column counts labels that are of no class."""
    columns = described(
        [[3, 1, 0], [2, 2, 1], [0, 5, 1], [4, 1, 0], [1, 0, 0]],
        [0, 1, 1, 1, -1],
        seen=[[1, 1, 2], [0, 3, 0], [0, 0, 0], [2, 3, 0], [2, 0, 0]],
    )
    expected = {
        "cluster": [5, 6, 7, 8, 9],
        "size": [14, 15, 16, 15, 11],
        "n_unlabeled": [10] * 5,
        "class": [3, 7, 7, 7, -1],
        "named_by": ["majority", "tie", "majority", "learned weights", "left out"],
        "n_labels": [4, 5, 6, 5, 1],
        "purity": [3 / 4, 2 / 5, 5 / 6, 1 / 5, np.nan],
        "n_labels_3": [3, 2, 0, 4, 1],
        "n_labels_7": [1, 2, 5, 1, 0],
        "n_certifying": [4, 3, 0, 5, 2],
        "n_certifying_errors": [3, 0, 0, 2, 0],
    }
    for name, values in expected.items():
        assert_array_equal(columns[name], values)
    assert "n_certifying" not in described([[1, 0, 0]], [0])


@pytest.mark.parametrize(
    ("distances", "rule", "how"),
    [
        (lambda: None, "chance", "have a class by chance"),
        (lambda: np.zeros((2, 2)), "nearest labeled cluster", "take the class of the"),
    ],
)
def test_clusters_without_labels_are_named_and_warned_of(distances, rule, how):
    columns = described([[3, 0, 0], [0, 0, 2]], [0, 0], distances=distances)
    assert columns["named_by"].tolist() == ["majority", rule]
    message = f"1 of 2 clusters, with 10 unlabeled rows, hold no label and {how}"
    with pytest.warns(UserWarning, match=message) as caught:
        warn_of_blind_names(columns)
    assert caught[0].filename == __file__
    columns["n_unlabeled"][1] = 0
    warn_of_blind_names(columns)  # nothing depends on that name


def test_distances_are_asked_for_where_they_matter():
    def never():
        raise AssertionError

    described([[3, 0, 0], [0, 2, 0]], [0, -1], distances=never)
