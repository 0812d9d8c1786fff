"""The table of clusters, made of counts that are written out."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from sklearn_pacmdl.labeling import describe_counted_clusters, warn_of_blind_names

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
