"""Tables of counts: what is read of them, what is none, and what rare classes change."""

from collections import Counter
from dataclasses import replace

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


def test_only_classes_of_selecting_rows_are_shown():
    counts = cluster_counts(
        [[4, 1, 0], [2, 0, 1]],
        unlabeled=[4, 1],
        selecting=[[0, 2, 0], [0, 0, 3]],
        certifying_others=[0, 3],
        selecting_others=[1, 0],
    )
    counts = replace(counts, hidden=np.array([[3, 0, 1, 0], [0, 1, 0, 0]]))
    shown, classes = counts.of_selecting_classes()
    assert_array_equal(classes, [1, 2])
    assert_array_equal(shown.select, [[2, 0, 1], [0, 3, 0]])
    assert_array_equal(shown.certify, [[1, 0, 4], [0, 1, 5]])
    assert_array_equal(shown.hidden, [[0, 1, 3], [1, 0, 0]])
    assert_array_equal(shown.sizes, counts.sizes)


def test_selecting_rows_of_no_declared_class_leave_the_first():
    counts = cluster_counts([[3, 4]], [9], selecting=[[0, 0]], selecting_others=[2])
    shown, classes = counts.of_selecting_classes()
    assert classes.tolist() == [0]
    assert_array_equal(shown.select, [[0, 2]])
    assert_array_equal(shown.certify, [[3, 4]])


@pytest.mark.parametrize("target", [None, 0.6])
def test_a_class_of_certifying_rows_alone_is_only_an_error(target):
    """Under hold-out: beside it, the same rows with a wrong label of a known class."""
    rng = np.random.RandomState(0)
    y = rng.randint(3, size=240)
    clusters = 3 * rng.randint(10, size=240) + np.where(rng.uniform(size=240) < 0.1, 0, y)
    seen = np.where(rng.permutation(240) < 60, y, -1)
    clusterings = {"fine": clusters, "coarse": clusters % 3}
    settings = {"certify": "holdout", "target": target, "random_state": 0}
    first = certify_clusterings(clusterings, seen, **settings)
    certify = first.division[1]
    right = certify[seen[certify] == first.transduction[certify]][:4]
    new, known = seen.copy(), seen.copy()
    new[right] = [7, 8, 9, 9]
    known[right] = (seen[right] + 1) % 3
    found = certify_clusterings(clusterings, new, **settings)
    for other in (first, certify_clusterings(clusterings, known, **settings)):
        assert_array_equal(found.transduction, other.transduction)
        assert (found.best_index, found.coverage) == (other.best_index, other.coverage)
    a, b = found.certificate, first.certificate
    assert a.n_train_errors == b.n_train_errors + 4
    assert a.weights == b.weights
    assert a.max_test_errors > b.max_test_errors
    assert not any("known" in proviso for proviso in a.provisos)


def test_counts_from_elsewhere_too():
    """A column that only certifying rows have changes neither ties nor names."""
    select, certify = [[2, 2], [0, 0], [1, 3]], [[4, 1], [3, 0], [0, 5]]
    few = cluster_counts(certify, [50, 50, 50], selecting=select)
    more = np.insert(certify, 0, [0, 6, 0], axis=1), [50, 44, 50]
    more = cluster_counts(*more, selecting=np.insert(select, 0, 0, axis=1))
    for seed in range(10):
        settings = {"certify": "holdout", "random_state": seed}
        a, b = (certify_clusterings([own], **settings) for own in (few, more))
        assert_array_equal(a.cluster_classes + 1, b.cluster_classes)
