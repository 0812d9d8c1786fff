"""Tables of counts: what is read of them, and what is no count."""

from collections import Counter

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.stats import binom

from sklearn_pacmdl.certification import Learned, certify_clusterings, cluster_counts


def test_tables_are_read_by_part():
    counts = cluster_counts(
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


def test_tables_without_what_may_be_missing():
    counts = cluster_counts([[5.0, 0.0]], unlabeled=np.array([7], dtype="u1"))
    for field in (counts.sizes, counts.select, counts.certify, counts.test):
        assert field.dtype == np.int64
    assert_array_equal(counts.select, [[0, 0, 0]])
    assert_array_equal(counts.certify, [[5, 0, 0]])
    assert counts.sizes.tolist() == [12]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"certifying": [[5, 0.5]]}, "certifying must be counts in 2"),
        ({"certifying": [[]]}, "certifying must be counts in 2"),
        ({"selecting": [[1]]}, r"got shapes \(1, 3\), \(1, 2\) and \(1,\)"),
        ({"unlabeled": [7, 1]}, r"got shapes \(1, 3\), \(1, 3\) and \(2,\)"),
        ({"unlabeled": [-1]}, "unlabeled must be counts from 0"),
        ({"certifying": [[0, 0]], "unlabeled": [0]}, "rows in every cluster"),
        ({"unlabeled": [2**51 - 4]}, "from 1 to 2.*51 rows in every cluster"),
    ],
)
def test_tables_that_do_not_go_together(change, message):
    with pytest.raises(ValueError, match=message):
        cluster_counts(**{"certifying": [[5, 0]], "unlabeled": [7]} | change)
    # As many rows as floats can count, or a single one of any part, make a cluster.
    largest = cluster_counts([[2**50, 0]], unlabeled=[2**50])
    assert largest.sizes.tolist() == [2**51]
    tables = {"certifying": [[0, 0], [1, 0], [0, 0]], "unlabeled": [1, 0, 0]}
    cluster_counts(**tables, selecting=[[0, 0], [0, 0], [0, 1]])


def test_a_table_is_divided_by_the_law_of_a_random_division():
    """Whatever the seed: two of the three labeled rows of one kind, and their shares."""
    counts = cluster_counts([[2, 0], [1, 0]], unlabeled=[5, 5])
    n, seen = 1000, Counter()
    for seed in range(n):
        divided = counts.divided(seed, 0.7)
        assert np.array_equal(divided.select + divided.certify, counts.certify)
        seen[tuple(divided.select[:, 0].tolist())] += 1
    assert seen.keys() == {(2, 0), (1, 1)}  # of three pairs of rows, one and two
    assert binom.cdf(seen[2, 0], n, 1 / 3) > 1e-6 < binom.sf(seen[2, 0], n, 1 / 3)
    assert np.array_equal(counts.divided(5, 0.7).select, counts.divided(5, 0.7).select)


def test_what_cannot_be_divided_is_refused():
    counts = cluster_counts([[2, 0], [1, 0]], unlabeled=[5, 5])
    with pytest.raises(ValueError, match="labeled rows must be from 10 to 100000000 to"):
        certify_clusterings(counts, certify=Learned(0.1))
    many = cluster_counts([[2**40, 0]], unlabeled=[5])
    with pytest.raises(ValueError, match="to 100000000 to divide 0.6, got 1099511627776"):
        certify_clusterings(many)
