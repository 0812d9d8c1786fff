"""Bounds of a difference of two numbers of rows, against enumeration in integers."""

from fractions import Fraction
from functools import cache
from itertools import pairwise
from math import comb, log, sqrt
from statistics import NormalDist

import numpy as np
import pytest
from oracles import chance_of

from sklearn_pacmdl.bounds import difference_bounds, stratified_upper_bound
from sklearn_pacmdl.bounds._difference import Order

DELTAS = ["0.05", "0.2", "0.5"]


def totals(n_rows):
    return [(p, q) for p in range(n_rows + 1) for q in range(n_rows + 1 - p)]


def limit(p, q, n, n_rows, level):
    """The order of samples, as the theory has it."""
    z = max(0.0, -NormalDist().inv_cdf(float(level)))
    c = max(z * z / 4, 0.5)
    mean = (p - q) / (n + 2 * c)
    variance = ((p + q + 2 * c) / (n + 2 * c) - mean**2) / (n + 2 * c)
    return (p - q) / n + z * sqrt(variance * (1 - n / n_rows))


@cache
def event(p, q, n, n_rows, level):
    """The smallest event that includes a sample, closed sample by sample."""
    limits = {s: limit(*s, n, n_rows, level) for s in totals(n)}
    least = min(limits[a, b] for a, b in totals(n) if a >= p and b <= q)
    reached = [s for s in totals(n) if limits[s] <= least + 1e-12]
    return {(a, b) for a, b in totals(n) if any(a <= x and b >= y for x, y in reached)}


def numbers_of_both(found, n, n_rows, side):
    """Of all rows of the kinds together, those with both tails of the side or more."""

    def reaches(number, counts):
        ways = sum(comb(number, k) * comb(n_rows - number, n - k) for k in counts)
        return ways >= side * comb(n_rows, n)

    possible = range(found, n_rows - (n - found) + 1)
    fewest = min(k for k in possible if reaches(k, range(found, n + 1)))
    most = max(k for k in possible if reaches(k, range(found + 1)))
    return range(min(fewest, max(most - 1, found)), most + 1)


def enumerated(p, q, n, n_rows, delta):
    """Ends of the differences at which both chances reach the level, somewhere."""
    half = Fraction(delta) / 2
    numbers = numbers_of_both(p + q, n, n_rows, half / 100)
    level = half * Fraction(98, 100)

    def largest(p, q):
        lower_set = event(p, q, n, n_rows, level)
        return max(
            first - second
            for first, second in totals(n_rows)
            if first >= p and second >= q and first + second in numbers
            if level * (1 - Fraction(1, 10**5))
            <= chance_of(
                lambda *drawn: drawn[:2] in lower_set,
                (first, second, n_rows - first - second),
                n,
            )
        )

    return -largest(q, p), largest(p, q)


@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("n_rows", [2, 4, 6, 8])
def test_bounds_are_those_of_all_pairs_of_totals(n_rows, delta):
    for n in range(1, n_rows + 1):
        for p, q in totals(n):
            expected = enumerated(p, q, n, n_rows, delta)
            assert difference_bounds(p, q, n, n_rows, float(delta)) == expected


@pytest.mark.parametrize("n", [1, 2, 7, 30])
@pytest.mark.parametrize("n_rows", [30, 31, 10**6])
@pytest.mark.parametrize("level", [1e-9, 0.05, 0.4])
def test_events_are_lower_sets_that_grow(n, n_rows, level):
    order = Order(n, n_rows, log(level))
    events = {}
    for p, q in totals(n):
        most = events[p, q] = order.event(p, q)
        assert np.all(np.diff(most) >= 0)
        assert most[q] >= p
    nested = sorted(events.values(), key=lambda most: most.sum())
    assert all(np.all(a <= b) for a, b in pairwise(nested))


def test_control_limits_alone_make_no_lower_sets():
    order = Order(30, 10**6, log(0.05))
    with_fewer = order.limit(np.float64(29), np.arange(2.0))
    assert with_fewer[1] > with_fewer[0]  # the second has one more of the second kind


def worst_chance(n_rows, bounds, sizes=None):
    """Largest probability that the true difference is outside, for all truths."""

    def chance(first, second, n):
        def is_outside(p, q, _):
            low, high = bounds(p, q, n)
            return not low <= first - second <= high

        return chance_of(is_outside, (first, second, n_rows - first - second), n)

    sizes = sizes or range(1, n_rows)
    return max(chance(*pair, n) for pair in totals(n_rows) for n in sizes)


@pytest.mark.parametrize("delta", DELTAS)
def test_the_truth_is_outside_with_probability_delta_at_most(delta):
    for n_rows in range(2, 9):
        own = cache(lambda p, q, n, k=n_rows: difference_bounds(p, q, n, k, float(delta)))
        assert worst_chance(n_rows, own) <= Fraction(delta)


def test_the_truth_is_rarely_outside_with_more_rows():
    own = cache(lambda p, q, n: difference_bounds(p, q, n, 16, 0.2))
    assert Fraction(1, 20) <= worst_chance(16, own, [7]) <= Fraction(1, 5)


def test_control_two_sides_at_delta_each_are_false_too_often():
    own = cache(lambda p, q, n: difference_bounds(p, q, n, 16, 0.8))
    assert worst_chance(16, own, [7]) > Fraction(2, 5)


def test_control_the_kinds_as_two_strata_are_false_too_often():
    """Both are counted in one sample, and strata would have one each."""

    def bounds(p, q, n):
        sizes = [n, n], [5, 5], 0.2 / 2
        most = stratified_upper_bound([p, n - q], *sizes) - 5
        return 5 - stratified_upper_bound([q, n - p], *sizes), most

    assert worst_chance(5, cache(bounds)) > 1.9 * Fraction(1, 5)


@pytest.mark.parametrize(
    ("sample", "most"),
    [((5, 16, 400), 0.04), ((20, 80, 400), 0.083), ((2, 10, 400), 0.0315),
     ((30, 30, 200), 0.151)],
)  # fmt: skip
def test_bounds_are_nearly_as_tight_as_normal_ones(sample, most):
    low, high = difference_bounds(*sample, 50_000, 0.1)
    assert (high - low) / 50_000 < most


def test_known_values():
    assert difference_bounds(2, 15, 24, 300, 0.1) == (-218, -85)
    assert difference_bounds(10, 40, 100, 1000, 0.1) == (-403, -195)
    assert difference_bounds(0, 0, 0, 100, 0.1) == (-100, 100)
    assert difference_bounds(3, 1, 5, 5, 0.1) == (2, 2)
    assert difference_bounds(3, 1, 5, 500, 1e-320) == (-493, 497)


def test_many_rows_cost_a_little():
    """Beyond 4096 rows bounds are not computed to the last row; they only get wider."""
    (low, high), (first, last) = (
        np.divide(difference_bounds(6, 14, 40, n, 0.1), n) for n in (10**7, 4095)
    )
    assert first - 0.02 < low < first
    assert last < high < last + 0.02
