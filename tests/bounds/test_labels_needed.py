"""How many labels are needed, before there are any."""

from math import floor

import numpy as np
import pytest

from sklearn_pacmdl import labels_needed
from sklearn_pacmdl.bounds import SELECTING_SHARE, bmax

PLAN = {"n_clusters": 10, "expected_error": 0.05}


def first_without_errors(n_rows, target):
    """The fewest labels of which none that certifies is wrong."""
    for m in range(4, n_rows):
        n_test = n_rows - m
        if bmax(m - floor(SELECTING_SHARE * m), n_test, 0, 0.1) <= target * n_test:
            return m
    raise AssertionError


@pytest.mark.parametrize(("n_clusters", "target"), [(4, 0.2), (4, 0.05), (20, 0.05)])
def test_pure_clusters_need_labels_that_are_all_right(n_clusters, target):
    sizes = [2000 // n_clusters] * n_clusters
    least = first_without_errors(2000, target)
    number = labels_needed(2000, target=target, cluster_sizes=sizes, certify="holdout")
    assert least <= number <= 1.1 * least


def test_few_labels_name_clusters_wrongly():
    sizes = [100] * 20
    number = labels_needed(2000, target=0.2, cluster_sizes=sizes, certify="holdout")
    # A part of them names 20 clusters, each needs one at least.
    assert number > 2 * first_without_errors(2000, 0.2)


def test_harder_targets_need_more():
    targets = [0.5, 0.3, 0.2, 0.12, 0.1, 0.08]
    numbers = [labels_needed(5000, target=target, **PLAN) for target in targets]
    assert numbers == sorted(numbers)
    assert 4 <= numbers[0] < numbers[-1] < 2500


@pytest.mark.parametrize(
    ("name", "value"),
    [("expected_error", 0.08), ("quantile", 0.9), ("delta", 0.01), ("n_clusters", 40),
     ("select_fraction", 0.9)],
)  # fmt: skip
def test_what_needs_more_labels(name, value):
    usual = labels_needed(5000, target=0.12, **PLAN)
    assert labels_needed(5000, target=0.12, **PLAN | {name: value}) > usual


def test_what_hardly_matters():
    """The number of rows; and a learned description pays little more than hold-out."""
    few, many = (labels_needed(n, target=0.12, **PLAN) for n in (10**4, 2**51))
    assert abs(few - many) < 0.15 * many
    ways = "learned", "holdout"
    learned, holdout = (labels_needed(5000, target=0.12, certify=c, **PLAN) for c in ways)
    assert holdout <= learned <= 1.2 * holdout


def test_what_is_out_of_reach():
    assert labels_needed(5000, target=0.04, **PLAN) is None
    assert labels_needed(60, target=0.01, n_clusters=2) is None
    assert labels_needed(3, target=0.9, n_clusters=1) is None
    # Perhaps half of the rows are enough where the error rate is nearly the target.
    assert labels_needed(1000, target=0.06, quantile=0.9, **PLAN) == 500


def test_the_same_plan_again():
    np.random.seed(3)  # noqa: NPY002 (plans must not draw from it)
    before = np.random.get_state()[1].copy()  # noqa: NPY002 (the same)
    numbers = {labels_needed(5000, target=0.1, **PLAN) for _ in range(2)}
    assert len(numbers) == 1
    np.testing.assert_array_equal(before, np.random.get_state()[1])  # noqa: NPY002 (the same)


@pytest.mark.parametrize("target", [0.06, 0.1])
def test_only_a_number_of_clusters_plans_more_than_even_sizes(target):
    plan = {"target": target, "expected_error": 0.02}
    even = labels_needed(5000, cluster_sizes=[500] * 10, **plan)
    assert labels_needed(5000, n_clusters=10, **plan) >= 0.95 * even


@pytest.mark.parametrize("error", [0.3, 0.95])
def test_any_error_rate(error):
    """Labels are enough for errors as expected; near 1 there are more classes than 10."""
    target = (1 + error) / 2
    number = labels_needed(10**4, target=target, expected_error=error, n_clusters=5)
    certifying, others = number - floor(SELECTING_SHARE * number), 10**4 - number
    assert bmax(certifying, others, floor(error * certifying), 0.1) <= target * others
