"""The division of labeled rows at the edges of what can be divided."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from sklearn_pacmdl import certify_clusterings
from sklearn_pacmdl.certification import HoldOut

# Few labels have none for one of the two clusters.
pytestmark = pytest.mark.filterwarnings(
    "ignore:.* hold no label and", "ignore:The labeled rows do not look"
)


def divided(labeled, fraction=0.5, seed=0):
    """Rows that select and rows that certify, of those that are labeled."""
    y = np.full(400, -1)
    y[labeled] = np.arange(len(labeled)) % 2
    settings = {"certify": HoldOut(fraction), "classes": [0, 1], "random_state": seed}
    return certify_clusterings([np.arange(400) % 2], y, **settings).division


@pytest.mark.parametrize(
    ("n_rows", "fraction", "n_select"),
    [(2, 0.5, 1), (10, 0.1, 1), (10, 0.9, 9), (9, np.float32(0.5), 4)],
)
def test_one_row_is_enough_on_either_side(n_rows, fraction, n_select):
    select, certify = divided(np.arange(n_rows), fraction)
    assert len(select) == n_select
    assert sorted([*select, *certify]) == list(range(n_rows))


@pytest.mark.parametrize(("n_rows", "fraction"), [(1, 0.5), (9, 0.1)])
def test_no_side_is_empty(n_rows, fraction):
    with pytest.raises(ValueError, match=f"of {n_rows} labeled rows is 0"):
        divided(np.arange(n_rows), fraction)


def test_each_set_of_labeled_rows_and_each_seed_has_a_division_of_its_own():
    rng, ranks = np.random.default_rng(0), set()
    for _ in range(50):
        rows = np.sort(rng.choice(400, 100, replace=False))
        select, certify = divided(rows)
        assert_array_equal(np.sort([*select, *certify]), rows)
        ranks.add(tuple(np.searchsorted(rows, select)))
    assert len(ranks) == 50
    divisions = {tuple(divided(rows, seed=seed)[0]) for seed in range(50)}
    assert len(divisions) == 50


def test_the_fraction_is_the_decimal_that_was_written():
    """In floats, .29 of 100 rows is a little less than 29."""
    select, _ = divided(np.arange(100), 0.29)
    assert len(select) == 29
