"""Tables of counts: what is read of them, and what is no count."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.stats import binom

from sklearn_pacmdl.certification import ClusterCounts


def test_tables_are_read_by_part():
    counts = ClusterCounts.from_tables(
        [[5, 0], [1, 4]],
        unlabeled=[7, 9],
        selecting=[[2, 1], [0, 3]],
        certifying_others=[0, 6],
        selecting_others=[8, 0],
    )
    assert_array_equal(counts.certify, [[5, 0, 0], [1, 4, 6]])
    assert_array_equal(counts.select, [[2, 1, 8], [0, 3, 0]])
    assert_array_equal(counts.labeled, [[7, 1, 8], [1, 7, 6]])
    assert_array_equal(counts.test, [7, 9])
    assert_array_equal(counts.sizes, [23, 23])
    assert counts.n_classes == 2
    assert counts.hidden is None
    assert counts.distances() is None
    counts.check()


def test_tables_without_what_may_be_missing():
    counts = ClusterCounts.from_tables([[5.0, 0.0]], unlabeled=np.array([7], dtype="u1"))
    for field in (counts.sizes, counts.select, counts.certify, counts.test):
        assert field.dtype == np.int64
    assert_array_equal(counts.select, [[0, 0, 0]])
    assert_array_equal(counts.certify, [[5, 0, 0]])
    assert counts.sizes.tolist() == [12]


def test_clusters_of_one_row_of_any_part_are_clusters():
    ClusterCounts.from_tables(
        [[0, 0], [1, 0], [0, 0]], [1, 0, 0], selecting=[[0, 0], [0, 0], [0, 1]]
    ).check()
    with pytest.raises(ValueError, match="rows in every cluster"):
        ClusterCounts.from_tables([[0, 0], [1, 0]], [0, 1])


def test_as_many_rows_as_floats_can_count():
    counts = ClusterCounts.from_tables([[2**51, 0]], unlabeled=[2**51])
    assert counts.sizes.tolist() == [2**52]
    with pytest.raises(ValueError, match="sizes must be counts from 0"):
        counts.check()
    ClusterCounts.from_tables([[2**50, 0]], unlabeled=[2**50]).check()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"certify": np.array([[5, 0.5, 0]])}, "certify must be counts in 2"),
        ({"select": np.array([[1, 0]])}, r"select must be of shape \(1, 3\)"),
        ({"test": np.array([8])}, "sizes must be the sum of labeled and unlabeled rows"),
        ({"sizes": np.array([14, 1])}, "sizes must be the sum"),
        ({"select": np.array([[0, 1, 1]])}, "sizes must be the sum"),
    ],
)
def test_fields_that_do_not_go_together(change, message):
    good = ClusterCounts.from_tables([[5, 0]], unlabeled=[7], selecting=[[1, 0]])
    good.check()
    with pytest.raises(ValueError, match=message):
        replace(good, **change).check()


def test_a_table_has_a_class_besides_the_others():
    others = np.array([[5]])
    counts = ClusterCounts(np.array([12]), others * 0, others, np.array([7]))
    with pytest.raises(ValueError, match=r"select must be of shape \(1, 1\)"):
        counts.check()
    one = np.array([[5, 0]])
    ClusterCounts(np.array([12]), one * 0, one, np.array([7])).check()


def test_a_table_is_divided_by_the_law_of_a_random_division():
    """Whatever the seed: two of the three labeled rows of one kind, and their shares."""
    counts = ClusterCounts.from_tables([[2, 0], [1, 0]], unlabeled=[5, 5])
    n, seen = 1000, Counter()
    for seed in range(n):
        divided = counts.divided(seed, 0.7)
        assert np.array_equal(divided.select + divided.certify, counts.certify)
        seen[tuple(divided.select[:, 0].tolist())] += 1
    assert seen.keys() == {(2, 0), (1, 1)}  # of three pairs of rows, one and two
    assert binom.cdf(seen[2, 0], n, 1 / 3) > 1e-6 < binom.sf(seen[2, 0], n, 1 / 3)
    assert np.array_equal(counts.divided(5).select, counts.divided(5).select)


def test_what_cannot_be_divided_is_refused():
    counts = ClusterCounts.from_tables([[2, 0], [1, 0]], unlabeled=[5, 5])
    with pytest.raises(ValueError, match="counts must be of rows that are not yet div"):
        counts.divided(0).divided(0)
    with pytest.raises(ValueError, match="labeled rows must be from 10 to 100000000 to"):
        counts.divided(0, 0.1)
    many = ClusterCounts.from_tables([[2**40, 0]], unlabeled=[5])
    with pytest.raises(ValueError, match="to 100000000 to divide 0.6, got 1099511627776"):
        many.divided(0)
