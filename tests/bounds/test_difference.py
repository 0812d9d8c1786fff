"""Bounds of a difference of two numbers of rows, against enumeration in integers."""

from fractions import Fraction
from functools import cache
from math import comb

import pytest

from sklearn_pacmdl.bounds import difference_bounds

DELTAS = ["0.05", "0.2", "0.5"]


@cache
def law(n_rows, first, second, n):
    """In how many samples there are so many rows of either kind."""
    others = n_rows - first - second
    return {
        (p, q): comb(first, p) * comb(second, q) * comb(others, n - p - q)
        for p in range(min(first, n) + 1)
        for q in range(min(second, n - p) + 1)
        if n - p - q <= others
    }


def totals(n_rows):
    return [(p, q) for p in range(n_rows + 1) for q in range(n_rows + 1 - p)]


def enumerated(p, q, n, n_rows, delta):
    """Ends of the differences at which both tails reach half of delta, somewhere."""
    level, ends = Fraction(delta) / 2 * comb(n_rows, n), []
    for sign in (-1, 1):
        reached = [
            first - second
            for first, second in totals(n_rows)
            if (p, q) in law(n_rows, first, second, n)
            and level
            <= sum(
                number
                for (a, b), number in law(n_rows, first, second, n).items()
                if sign * (a - b) <= sign * (p - q)
            )
        ]
        ends.append(sign * max(sign * d for d in reached))
    return tuple(ends)


@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("n_rows", [1, 2, 4, 6, 8])
def test_bounds_are_those_of_all_pairs_of_totals(n_rows, delta):
    """Ties included: a tail that is just the level is not refuted."""
    for n in range(n_rows + 1):
        for p, q in totals(n):
            expected = enumerated(p, q, n, n_rows, delta)
            assert difference_bounds(p, q, n, n_rows, float(delta)) == expected


def worst_chance(n_rows, bounds):
    """Largest probability that the true difference is outside, for all truths."""

    def chance(first, second, n):
        false = sum(
            number
            for (p, q), number in law(n_rows, first, second, n).items()
            for low, high in [bounds(p, q, n)]
            if not low <= first - second <= high
        )
        return Fraction(false, comb(n_rows, n))

    sizes = range(1, n_rows)
    return max(chance(*pair, n) for pair in totals(n_rows) for n in sizes)


@pytest.mark.parametrize("delta", DELTAS)
def test_the_truth_is_outside_with_probability_delta_at_most(delta):
    for n_rows in range(2, 9):
        own = cache(lambda p, q, n, k=n_rows: difference_bounds(p, q, n, k, float(delta)))
        assert worst_chance(n_rows, own) <= Fraction(delta)


def test_roles_can_be_exchanged():
    for p, q, n, n_rows in [(2, 15, 24, 300), (0, 0, 5, 90), (7, 7, 20, 5000)]:
        low, high = difference_bounds(p, q, n, n_rows, 0.1)
        assert difference_bounds(q, p, n, n_rows, 0.1) == (-high, -low)


def test_known_values():
    assert difference_bounds(2, 15, 24, 300, 0.1) == (-231, -67)
    assert difference_bounds(10, 40, 100, 1000, 0.1) == (-442, -146)
    assert difference_bounds(0, 0, 0, 100, 0.1) == (-100, 100)
    assert difference_bounds(3, 1, 5, 5, 0.1) == (2, 2)
    assert difference_bounds(3, 1, 5, 500, 1e-320) == (-493, 497)


def test_many_rows_cost_a_little():
    """Beyond 4096 rows bounds are not computed to the last row; they only get wider."""
    low, high = difference_bounds(30, 70, 200, 10**7, 0.1)
    fine = difference_bounds(30, 70, 200, 4095, 0.1)
    share = fine[0] / 4095, fine[1] / 4095
    assert share[0] - 0.02 < low / 10**7 < share[0]
    assert share[1] < high / 10**7 < share[1] + 0.02
