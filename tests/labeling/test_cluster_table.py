"""The table of clusters, made of counts that are written out; codes become classes."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from sklearn_pacmdl.labeling import describe_counted_clusters, warn_of_blind_names
from sklearn_pacmdl.utils._labels import completed, decode

NUMBERS, WORDS = np.array([3, 7]), np.array(["a", "b"])


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
    assert columns["cluster"].tolist() == [5, 6, 7, 8, 9]
    assert columns["size"].tolist() == [14, 15, 16, 15, 11]
    assert columns["n_unlabeled"].tolist() == [10] * 5
    assert columns["class"].tolist() == [3, 7, 7, 7, -1]
    assert columns["named_by"].tolist() == [
        "majority",
        "tie",
        "majority",
        "learned weights",
        "left out",
    ]
    assert columns["n_labels"].tolist() == [4, 5, 6, 5, 1]
    assert_array_equal(columns["purity"], [3 / 4, 2 / 5, 5 / 6, 1 / 5, np.nan])
    assert columns["n_labels_3"].tolist() == [3, 2, 0, 4, 1]
    assert columns["n_labels_7"].tolist() == [1, 2, 5, 1, 0]
    assert columns["n_certifying"].tolist() == [4, 3, 0, 5, 2]
    assert columns["n_certifying_errors"].tolist() == [3, 0, 0, 2, 0]
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
        warn_of_blind_names(columns, stacklevel=1)
    assert caught[0].filename == __file__
    columns["n_unlabeled"][1] = 0
    warn_of_blind_names(columns, stacklevel=1)  # nothing depends on that name


def test_distances_are_asked_for_where_they_matter():
    def never():
        raise AssertionError

    described([[3, 0, 0], [0, 2, 0]], [0, -1], distances=never)


@pytest.mark.parametrize(
    ("names", "left_out", "dtype"),
    [(NUMBERS, -1, NUMBERS.dtype), (WORDS, None, object)],
)
def test_codes_become_classes(names, left_out, dtype):
    whole = decode(np.array([1, 0, 1]), names)
    assert whole.tolist() == names[[1, 0, 1]].tolist()
    assert whole.dtype == names.dtype
    some = decode(np.array([1, -1, 0]), names)
    assert some.tolist() == [names[1], left_out, names[0]]
    assert some.dtype == dtype


@pytest.mark.parametrize(
    ("labels", "given", "expected", "dtype"),
    [
        (np.array([3, -1, 7]), np.array([7, 7, 3]), [3, 7, 7], int),
        (np.array(["a", "ccc"]), np.array(["b", "a"]), ["a", "ccc"], "<U3"),
        (np.array(["a", None], object), WORDS[[1, 1]], ["a", "b"], object),
        (np.array([3, -1]), np.array([None, "b"]), [3, "b"], object),
    ],
)
def test_given_labels_stay(labels, given, expected, dtype):
    before = given.copy()
    whole = completed(labels, given, None)
    assert whole.tolist() == expected
    assert whole.dtype == dtype
    assert_array_equal(given, before)
