"""What is drawn for clusters without a most common class, and what is no clustering."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from sklearn_pacmdl.labeling import check_cluster_labels, majority_classes


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
