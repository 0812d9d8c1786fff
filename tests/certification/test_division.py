"""Labels that select: how many, which, and what errors they let expect."""

from dataclasses import replace

import numpy as np
import pytest
from conftest import DIVIDING
from numpy.testing import assert_array_equal

from sklearn_pacmdl import certify_clusterings
from sklearn_pacmdl.certification import HoldOut, cluster_counts

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
    # In floats, .29 of 100 rows is a little less than 29.
    [(2, 0.5, 1), (10, 0.1, 1), (10, 0.9, 9), (9, np.float32(0.5), 4), (100, 0.29, 29)],
)
def test_one_row_is_enough_on_either_side(n_rows, fraction, n_select):
    """The fraction is the decimal that was written."""
    select, certify = divided(np.arange(n_rows), fraction)
    assert len(select) == n_select
    assert sorted([*select, *certify]) == list(range(n_rows))


@pytest.mark.parametrize(("n_rows", "fraction"), [(1, 0.5), (9, 0.1)])
def test_no_side_is_empty(n_rows, fraction):
    with pytest.raises(ValueError, match=f"of {n_rows} labeled rows is 0"):
        divided(np.arange(n_rows), fraction)


def test_each_set_of_labeled_rows_and_each_seed_has_a_division_of_its_own():
    rng, ranks = np.random.default_rng(0), set()
    for _ in range(20):
        rows = np.sort(rng.choice(400, 100, replace=False))
        select, certify = divided(rows)
        assert_array_equal(np.sort([*select, *certify]), rows)
        ranks.add(tuple(np.searchsorted(rows, select)))
    assert len(ranks) == 20
    divisions = {tuple(divided(rows, seed=seed)[0]) for seed in range(20)}
    assert len(divisions) == 20


@pytest.mark.parametrize(("between", "expected"), [(None, 0.55), (1, 0.5), (-1, 0.0)])
def test_a_cluster_that_one_row_names_has_the_class_of_the_nearest(between, expected):
    """Without the row: half an error. If no distances are known, a guess and .3 more."""
    counts = cluster_counts(
        np.ones((4, 2), dtype=int),
        unlabeled=[5, 5, 5, 5],
        selecting=[[3, 0], [0, 1], [0, 2], [0, 0]],
    )
    if between is not None:
        # The second cluster is nearest to the first, or to the third.
        near = np.array([[0, 1, 2, 1], [1, 0, 3, 1], [2, 3, 0, 1], [1, 1, 1, 0]])
        counts = replace(counts, distances=lambda: between * near)
    found = certify_clusterings([counts], certify="holdout")
    rate = found.results["mean_selection_error"].tolist()
    assert rate == pytest.approx([expected / 6])


@pytest.mark.filterwarnings("ignore:No set of clusters has a bound")
@pytest.mark.parametrize("target", [None, 0.5])
@pytest.mark.parametrize(
    ("certify", "n_select"), [("learned", 60), ("holdout", 60), ("pac-mdl", 0)]
)
def test_the_share_that_selects_is_that_of_the_documentation(certify, target, n_select):
    rows = np.arange(200)
    seen = np.where(np.random.RandomState(0).permutation(200) < 100, rows % 2, -1)
    ways = [(certify, n_select)]
    if n_select:
        ways.append((DIVIDING[certify](0.5), 50))
        assert "fraction : float, default=0.6" in DIVIDING[certify].__doc__
    for way, expected in ways:
        settings = {"certify": way, "target": target, "random_state": 0}
        found = certify_clusterings([rows % 4, rows % 8], seen, **settings)
        assert len(found.division[0]) == expected
