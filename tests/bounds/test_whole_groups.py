"""Bounds from whole groups hold for all populations; those for rows do not."""

from fractions import Fraction
from itertools import permutations, product
from math import perm

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sklearn_pacmdl.bounds import groups_upper_bound, total_upper_bound

DELTAS = 0.1, 0.3


def worst_violation(sizes, n_drawn, bound, delta, errors_of=range):
    """Largest probability of a wrong bound over all errors in groups, over delta."""
    worst = 0.0
    draws = list(permutations(range(len(sizes)), n_drawn))
    assert len(draws) == perm(len(sizes), n_drawn)
    for errors in product(*(errors_of(size + 1) for size in sizes)):
        wrong = sum(bound(errors, sizes, drawn, delta) < sum(errors) for drawn in draws)
        worst = max(worst, wrong / len(draws))
    return worst / delta


def of_groups(errors, sizes, drawn, delta):
    others = [size for k, size in enumerate(sizes) if k not in drawn]
    found, audited = ([values[k] for k in drawn] for values in (errors, sizes))
    return groups_upper_bound(found, audited, others, delta)


def of_rows(errors, sizes, drawn, delta):
    found, audited = (sum(values[k] for k in drawn) for values in (errors, sizes))
    return total_upper_bound(found, audited, sum(sizes), delta)


@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize(
    ("sizes", "n_drawn"),
    [((1, 1, 1, 1, 1, 1), 3), ((2, 2, 2, 2, 2), 3), ((1, 2, 3, 2), 3), ((3, 1, 2, 5), 2)],
)
def test_it_holds_for_all_populations_and_orders(sizes, n_drawn, delta):
    assert worst_violation(sizes, n_drawn, of_groups, delta) <= 1


def test_a_bound_for_rows_fails_where_groups_are_wrong_as_a_whole():
    def nothing_or_all(n_numbers):
        return 0, n_numbers - 1

    sizes = (6, 6, 6, 6, 6)
    assert worst_violation(sizes, 3, of_rows, 0.1, nothing_or_all) > 3


def refuted(total, found, audited, others, delta):
    """Whether somebody gets rich who bets in exact arithmetic, group by group."""
    capitals = [Fraction(2**i, 31) for i in range(5)]
    sizes = [*audited, *others]
    for t, (error, size) in enumerate(zip(found, audited, strict=True)):
        left = sizes[t:]
        mean_size = Fraction(sum(sizes), len(sizes))
        seen, of_rows = sum(found[:t]), sum(audited[:t])
        # The package's rate is a float, which is exact for whoever takes it as it is.
        rate = Fraction(float((seen + 0.05 * float(mean_size)) / (of_rows + mean_size)))
        mean = (total - seen - rate * sum(left)) / len(left)
        most = max(left) * (1 - rate)
        for i in range(5):
            bet = Fraction(i + 1, 5)
            capitals[i] *= 1 + bet * (mean - (error - rate * size)) / (most - mean)
        if sum(capitals) >= 1 / Fraction(delta):
            return True
    return False


@given(
    groups=st.lists(
        st.integers(1, 12).flatmap(
            lambda size: st.tuples(st.integers(0, size), st.just(size))
        ),
        min_size=1,
        max_size=6,
    ),
    others=st.lists(st.integers(1, 12), min_size=1, max_size=8),
    delta=st.sampled_from([0.01, 0.1, 0.3, 0.5]),
)
def test_it_is_the_largest_total_that_exact_bets_do_not_refute(groups, others, delta):
    found, audited = map(list, zip(*groups, strict=True))
    most = sum(found) + sum(others)
    assume(max(audited + others) > 1)  # else they are rows
    bound = groups_upper_bound(found, audited, others, delta)
    expected = max(
        [sum(found)]
        + [
            total
            for total in range(sum(found), most)
            if not refuted(total, found, audited, others, delta)
        ]
        # With all other rows wrong, nothing is left to bet on.
        + [most] * (bound == most)
    )
    assert bound == expected


def test_groups_of_one_row_are_rows():
    """Bets are looser, as one group of two rows shows."""
    found, ones = [1, 0, 1] + [0] * 37, [1] * 40
    bound = groups_upper_bound(found, ones, [1] * 160, 0.1)
    assert bound == total_upper_bound(2, 40, 200, 0.1) == 23
    assert groups_upper_bound([0] * 3, [1] * 3, [], 0.1) == 0
    assert groups_upper_bound(found, ones, [1] * 159 + [2], 0.1) > 27


def test_large_populations_cost_nothing():
    rng = np.random.default_rng(0)
    sizes = rng.integers(1, 1000, 10**6)
    errors = rng.binomial(sizes, 0.02)
    bound = groups_upper_bound(errors[:5000], sizes[:5000], sizes[5000:], 0.1)
    assert errors.sum() < bound < 1.1 * errors.sum()
