"""Tables of labeled rows by cluster and class, and the most common class of each."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from sklearn_pacmdl.labeling import check_cluster_labels, class_counts, majority_classes


def test_rows_are_counted_by_cluster_and_class():
    """Unlabeled rows are not counted, nor labels that are none of the classes."""
    clusters = np.array([0, 0, 2, 2, 2, 1, 2])
    codes = np.array([1, 1, 0, 2, -1, 3, 2])
    expected = [[0, 2, 0], [0, 0, 0], [1, 0, 2], [0, 0, 0]]
    assert_array_equal(class_counts(clusters, codes, 4, 3), expected)
    assert class_counts(clusters[:0], codes[:0], 0, 3).shape == (0, 3)
    assert class_counts(clusters, codes, 3, 0).shape == (3, 0)
    # What has no label may be of any cluster.
    assert_array_equal(class_counts(np.array([0, 9]), np.array([0, -1]), 1, 1), [[1]])


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
