"""The division of labeled rows at the edges of what can be divided."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from sklearn_pacmdl.certification._counting import divide, naming_rows
from sklearn_pacmdl.certification._ways import HoldOut, Learned


@pytest.mark.parametrize(
    ("n_rows", "fraction", "n_select"), [(2, 0.5, 1), (10, 0.1, 1), (10, 0.9, 9)]
)
def test_one_row_is_enough_on_either_side(n_rows, fraction, n_select):
    select, certify = divide(np.arange(n_rows), HoldOut(fraction=fraction), [0])
    assert len(select) == n_select
    assert sorted([*select, *certify]) == list(range(n_rows))


@pytest.mark.parametrize(("n_rows", "fraction"), [(1, 0.5), (9, 0.1), (0, 0.5)])
def test_no_side_is_empty(n_rows, fraction):
    with pytest.raises(ValueError, match=f"of {n_rows} labeled rows is 0"):
        divide(np.arange(n_rows), HoldOut(fraction=fraction), [0])


def test_all_certify_where_none_select():
    rows = np.array([4, 2, 7])
    select, certify = divide(rows, HoldOut(fraction=0), [0])
    assert select.tolist() == []
    assert certify.tolist() == [2, 4, 7]


def test_each_set_of_labeled_rows_has_a_division_of_its_own():
    """And it depends on the set alone, not on the order in which it is given."""
    rng, strategy, ranks = np.random.default_rng(0), HoldOut(), set()
    for _ in range(50):
        rows = rng.choice(400, 100, replace=False)
        select, certify = divide(rows, strategy, [0, 0])
        assert_array_equal(np.sort([*select, *certify]), np.sort(rows))
        assert_array_equal(select, divide(np.sort(rows), strategy, [0, 0])[0])
        ranks.add(tuple(np.searchsorted(np.sort(rows), select)))
    assert len(ranks) == 50


def test_each_seed_has_a_division_of_its_own():
    divisions = {tuple(divide(np.arange(100), HoldOut(), [s, 0])[0]) for s in range(50)}
    assert len(divisions) == 50


def test_the_fraction_is_the_decimal_that_was_written():
    """In floats, .29 of 100 rows is a little less than 29."""
    select, _ = divide(np.arange(100), HoldOut(fraction=0.29), [0])
    assert len(select) == 29


def test_clusters_are_named_by_all_labels_unless_some_choose_first():
    parts = np.array([3, 5]), np.array([2, 4])
    assert naming_rows(HoldOut(), *parts).tolist() == [3, 5]
    assert naming_rows(Learned(), *parts).tolist() == [2, 3, 4, 5]
