from math import comb

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import hypergeom

from sklearn_pacmdl.bounds import (
    ClusterSizes,
    decoupled_bound,
    labels_needed,
    planned_bound,
)


def simulated(sizes, error, n_labeled, n_draws, bits=0.0):
    """Mean bound over choices of rows, of which each is wrong by chance, as a rate."""
    cluster = np.repeat(np.arange(len(sizes)), sizes)
    bounds = []
    for draw in range(n_draws):
        rng = np.random.RandomState(draw)
        wrong = rng.uniform(size=len(cluster)) < error
        rows = rng.permutation(len(cluster))[:n_labeled]
        m = np.bincount(cluster[rows], minlength=len(sizes))
        seen = np.bincount(cluster[rows], wrong[rows], minlength=len(sizes))
        a = np.minimum(seen, m - seen)  # of two classes the more frequent one
        bound = decoupled_bound(sizes, m, a, description_length=bits)
        bounds.append(bound / (len(cluster) - n_labeled))
    return np.mean(bounds)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sizes", "error", "n_labeled"),
    [
        ([50] * 12, 0.05, 300),
        ([50] * 12, 0.0, 300),
        ([50] * 12, 0.05, 100),
        ([20] * 40, 0.02, 160),
        ([200, 100, 60, 40, 20, 10, 5, 5], 0.1, 150),
        ([3] * 100, 0.05, 150),
        ([400], 0.1, 100),
    ],
)
def test_is_near_the_mean_of_simulated_bounds(sizes, error, n_labeled):
    plan = {"expected_error": error, "cluster_sizes": sizes, "n_candidates": 16}
    planned = planned_bound(sum(sizes), n_labeled, **plan)
    realized = simulated(sizes, error, n_labeled, 20, bits=4.0)
    assert abs(planned - realized) < 0.03
    if max(sizes) - min(sizes) <= 1:
        del plan["cluster_sizes"]
        equal = planned_bound(sum(sizes), n_labeled, n_clusters=len(sizes), **plan)
        assert equal == pytest.approx(planned, abs=1e-12)


@pytest.mark.parametrize("n_labeled", [5, 25, 40, 200, 399, 600, 799])
@pytest.mark.parametrize("size", [20, 80, 300])
def test_labels_of_clusters_have_the_law_s_mean_and_variance(n_labeled, size):
    found = ClusterSizes.of([size, 800 - size], 0.1).labeled(n_labeled)
    assert found.times @ found.n == pytest.approx(800)
    own = found.n == size
    share, m = found.times[own], found.m[own]
    law = hypergeom(800, size, n_labeled)
    mean = share @ m
    variance = share @ (m - mean) ** 2
    assert np.all((m >= 0) & (m <= size))
    if law.mean() - 2 * law.std() > 0 and law.mean() + 2 * law.std() < size:
        # The ends of the law are cut; rounding at random adds a quarter at most.
        assert mean == pytest.approx(law.mean(), rel=0.02)
        assert 0.75 * law.var() <= variance <= law.var() + 0.25


def test_few_labels_have_the_law_of_exact_chances():
    found = ClusterSizes.of([10, 30], 0.0).labeled(12)
    own = found.n == 10
    ways = [comb(10, m) * comb(30, 12 - m) / comb(40, 12) for m in range(11)]
    # Chances of 0, and of 6 and more, are below 5 %; those of 0 or 1 and of 5 are not.
    assert ways[0] < 0.05 < ways[0] + ways[1]
    assert sum(ways[6:]) < 0.05 < sum(ways[5:])
    expected = [ways[0] + ways[1], *ways[2:5], sum(ways[5:])]
    assert found.m[own].tolist() == [1, 2, 3, 4, 5]
    np.testing.assert_allclose(found.times[own], expected, rtol=1e-9)


def test_one_cluster_of_which_all_is_known_is_its_bound():
    """One cluster has all labels, and a whole number of errors is not rounded."""
    for m, a in [(100, 0), (100, 10), (200, 30)]:
        planned = planned_bound(400, m, expected_error=a / m, n_clusters=1)
        bound = decoupled_bound([400], [m], [a])
        assert bound <= planned * (400 - m) < bound + 1


@pytest.mark.parametrize(
    ("n_total", "n_clusters", "error"),
    [(40, 4, 0.05), (41, 3, 0.0), (30, 2, 0.1), (45, 15, 0.02), (2, 1, 0.0)],
)
def test_is_the_last_number_by_brute_force(n_total, n_clusters, error):
    plan = {"n_clusters": n_clusters, "expected_error": error, "delta": 0.3}
    numbers = np.arange(1, n_total // 2 + 1)
    bounds = planned_bound(n_total, numbers, **plan)
    for target in (0.15, 0.25, 0.4, 0.6, 0.9):
        violations = numbers[bounds > target]
        if violations.size and violations[-1] == numbers[-1]:
            with pytest.raises(ValueError, match="target must be at least"):
                labels_needed(n_total, target=target, **plan)
        else:
            number = labels_needed(n_total, target=target, **plan)
            assert type(number) is int
            assert number == max(violations, default=0) + 1


@pytest.mark.slow
@settings(max_examples=8)
@given(
    n_total=st.integers(40, 120),
    error=st.sampled_from([0.0, 0.01, 0.07]),
    n_clusters=st.integers(1, 6),
    target=st.floats(0.15, 0.9),
)
def test_is_monotone(n_total, error, n_clusters, target):
    plan = {"expected_error": error, "n_clusters": n_clusters, "target": target}

    def needed(**changed):
        try:
            return labels_needed(n_total, **plan | changed)
        except ValueError as error:
            if "target must be at least" not in str(error):
                raise
            return n_total

    number = needed()
    assume(number < n_total)
    assert needed(target=target + 0.05) <= number
    assert needed(delta=0.3) <= number
    assert needed(n_candidates=100) >= number
    assert needed(expected_error=error + 0.05) >= number
    if error:
        assert needed(quantile=0.9) >= number


def test_cluster_sizes_matter_and_zeros_do_not():
    plan = {"expected_error": 0.02}
    even = planned_bound(200, 50, n_clusters=4, **plan)
    assert planned_bound(200, 50, cluster_sizes=[50] * 4, **plan) == even
    assert planned_bound(200, 50, cluster_sizes=[0, 50, 50, 50, 50], **plan) == even
    many = planned_bound(200, 50, cluster_sizes=[5] * 40, **plan)
    assert many > even


def test_classes_need_not_be_known():
    plan = {"n_clusters": 3, "expected_error": 0.05}
    assert planned_bound(500, 100, n_classes=7, **plan) == planned_bound(500, 100, **plan)
    with pytest.raises(ValueError, match="n_classes must be an integer where certify"):
        planned_bound(500, 100, certify="pac-mdl", **plan)


def test_description_length_is_that_of_the_choice():
    plan = {"n_clusters": 3, "expected_error": 0.05}
    found = planned_bound(500, 100, description_length=5, **plan)
    assert found == planned_bound(500, 100, n_candidates=32, **plan)


def test_quantiles_are_those_of_the_errors_seen():
    """At error rates of a few rows, so that Gauss's law and the exact one agree."""
    n_rows, m, wrong = 400, 200, 80
    plan = {"n_clusters": 1, "expected_error": wrong / n_rows}
    for quantile in (0.1, 0.9):
        planned = planned_bound(n_rows, m, quantile=quantile, **plan)
        total, seen = 0, -1
        while total < quantile * comb(n_rows, m):
            seen += 1
            total += comb(wrong, seen) * comb(n_rows - wrong, m - seen)
        bounds = [decoupled_bound([n_rows], [m], [a]) for a in (seen - 1, seen + 1)]
        assert bounds[0] <= planned * (n_rows - m) <= bounds[1] + 1


@pytest.mark.parametrize("n_total", [2, 3, 10**9, 10**12])
def test_any_number_of_rows(n_total):
    bound = planned_bound(n_total, [0, 1, n_total // 2], n_clusters=3)
    assert bound[0] == 1.0
    assert np.all((bound >= 0) & (bound <= 1))
    assert decoupled_bound([n_total], [n_total // 2], [0]) <= n_total


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({}, "Either n_clusters or cluster_sizes must be given, got n_clusters=None"),
        ({"n_clusters": 2, "cluster_sizes": [50, 50]}, "Either n_clusters or cluster_"),
        ({"cluster_sizes": [50, 40]}, "cluster_sizes must be counts of n_total = 100"),
        ({"cluster_sizes": 100}, "cluster_sizes must be counts of n_total = 100"),
    ],
)
def test_bad_input_is_named(kwargs, message):
    with pytest.raises(ValueError, match=message):
        planned_bound(100, 10, **kwargs)
    with pytest.raises(ValueError, match=message):
        labels_needed(100, target=0.5, **kwargs)
