"""Looks at an audit after any label, and what chance is left to a false certificate."""

from fractions import Fraction
from functools import cache
from itertools import combinations, product
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_pacmdl.bounds import LooksPlan, bmax, looks_plan

STANDARD = (10_000, 500, 2000)


def naive_boundaries(n_rows, n_tolerated, looks, delta):
    """Boundaries of a bound for one look that is looked at again and again."""
    m = np.array(looks)[:, None]
    # More errors than would be expected certify nothing.
    most = looks[-1] * (n_tolerated + 1) // n_rows
    a = np.minimum(np.arange(most + 2), m)
    bound = bmax(m, n_rows - m, a, delta) + a
    reached = (bound <= n_tolerated) & (np.arange(most + 2) <= m)
    reached = np.logical_or.accumulate(reached)
    return m[np.argmax(reached, axis=0), 0][reached.any(axis=0)]


def test_known_answers():
    plan = looks_plan(*STANDARD)
    assert plan.boundaries.dtype == np.int64
    assert_array_equal(plan.boundaries[:8], [77, 126, 165, 199, 231, 260, 289, 317])
    assert_array_equal(plan.boundaries[20:81:20], [643, 1100, 1538, 1965])
    assert plan.false_certification == pytest.approx(0.099621, abs=5e-7)
    assert plan.expected_labels(200) == pytest.approx(235.27, abs=5e-3)
    assert_array_equal(
        plan.expected_labels([100, 200, 300, 400]).round(), [130, 235, 491, 1222]
    )
    assert plan.success(400) == pytest.approx(0.74, abs=5e-3)
    assert plan.success(501) == pytest.approx(plan.false_certification)
    assert plan.success(600) < 0.02


@pytest.mark.parametrize(
    ("step", "delta", "false"), [(50, 0.1, 0.364), (10, 0.1, 0.426), (10, 0.05, 0.265)]
)
def test_control_that_must_fail(step, delta, false):
    """A bound for one look, looked at again and again."""
    boundaries = naive_boundaries(10_000, 500, range(step, 2001, step), delta)
    naive = LooksPlan(*STANDARD, boundaries)
    assert naive.false_certification == pytest.approx(false, abs=6e-4)


def exact_plan(n_rows, tolerated, max_labels, delta):
    """Boundaries from a chain of fractions, for one error too many."""
    errors = tolerated + 1
    chain, false, boundaries = {0: Fraction(1)}, Fraction(0), []
    for m in range(1, max_labels + 1):
        new = {}
        for x, chance in chain.items():
            up = Fraction(errors - x, n_rows - m + 1)
            new[x] = new.get(x, 0) + chance * (1 - up)
            new[x + 1] = new.get(x + 1, 0) + chance * up
        chain = new
        # The schedule is a root, so that squares are compared.
        level = (delta * (1 - Fraction(1, 10**9))) ** 2 * Fraction(m, max_labels)
        while len(boundaries) <= m:
            chance = chain.get(len(boundaries), 0)
            if (false + chance) ** 2 > level:
                break
            false += chance
            chain.pop(len(boundaries), None)
            boundaries.append(m)
    return boundaries, false


def test_small_plans_against_fractions():
    n_plans = 0
    for n_rows, delta in product((1, 2, 5, 9, 13), ("0.1", "0.25", "0.5")):
        most = {0, 1, n_rows // 4, n_rows // 2, n_rows - 1} - {n_rows}
        for tolerated, max_labels in product(most, {1, n_rows // 2, n_rows} - {0}):
            design = n_rows, tolerated, max_labels
            plan = looks_plan(*design, delta=float(delta))
            boundaries, false = exact_plan(*design, Fraction(delta))
            assert_array_equal(plan.boundaries, boundaries)
            assert plan.false_certification == pytest.approx(float(false))
            assert false <= Fraction(delta)
            n_plans += plan.boundaries.size > 1
    assert n_plans > 25


@cache
def subsets(n_rows):
    return np.array(list(product([0, 1], repeat=n_rows)))


def chances_of_false_claims(plan):
    """By number of errors: share of the orders of rows in which a look ever errs."""
    wrong = subsets(plan.n_rows)
    n_errors = wrong.sum(axis=1)
    seen = np.cumsum(wrong, axis=1)[:, : plan.max_labels]
    certified = seen <= plan.most_errors(np.arange(1, plan.max_labels + 1))
    failed = np.any(certified, axis=1) & (n_errors > plan.n_tolerated)
    n_failed = np.bincount(n_errors, weights=failed).astype(int).tolist()
    return [Fraction(n, comb(plan.n_rows, e)) for e, n in enumerate(n_failed)]


def test_every_truth_and_every_order():
    """All orders of all errors of all small data sets; and what must fail."""
    nearest = control = Fraction(0)
    sizes = [(8, 6), (8, 7), (9, 7), (9, 8), (10, 7), (10, 9)]
    for (n_rows, max_labels), delta in product(sizes, ("0.1", "0.3", "0.4", "0.5")):
        for tolerated in range(n_rows - 1):
            design = n_rows, tolerated, max_labels
            plan = looks_plan(*design, delta=float(delta))
            looks = range(1, max_labels + 1)
            naive = naive_boundaries(*design[:2], looks, float(delta))
            rules = plan, LooksPlan(*design, naive)
            ours, others = (max(chances_of_false_claims(rule)) for rule in rules)
            assert float(ours) == pytest.approx(plan.false_certification)
            assert float(others) == pytest.approx(rules[1].false_certification)
            nearest = max(nearest, ours / Fraction(delta))
            control = max(control, others / Fraction(delta))
    assert 0.97 < nearest <= 1
    assert control > 1.04


def test_law_of_stopping_by_enumeration():
    n_rows, n_errors = 10, 3
    plan = looks_plan(n_rows, 4, 9, delta=0.3)
    stops, labels, n_orders = np.zeros(plan.boundaries.size), 0, comb(n_rows, n_errors)
    for wrong in combinations(range(n_rows), n_errors):
        seen = np.cumsum(np.isin(np.arange(plan.max_labels), wrong))
        certified = seen <= plan.most_errors(np.arange(1, 10))
        stop = np.argmax(certified) if certified.any() else plan.max_labels - 1
        stops[seen[stop]] += certified.any()
        labels += stop + 1
    assert_allclose(plan.law(n_errors), stops / n_orders, atol=1e-14)
    assert plan.success(n_errors) == pytest.approx(stops.sum() / n_orders)
    assert plan.expected_labels(n_errors) == pytest.approx(labels / n_orders)
    assert 0 < plan.success(n_errors) < 1


@settings(max_examples=80)
@given(data=st.data())
def test_every_plan_keeps_its_level(data):
    n_rows = data.draw(st.integers(1, 10 ** data.draw(st.integers(1, 9))), "n_rows")
    n_tolerated = data.draw(st.integers(0, n_rows - 1), "n_tolerated")
    max_labels = data.draw(st.integers(1, min(n_rows, 120)), "max_labels")
    delta = data.draw(st.sampled_from([1e-6, 0.01, 0.1, 0.5, 0.9]), "delta")
    plan = looks_plan(n_rows, n_tolerated, max_labels, delta=delta)
    assert 0 <= plan.false_certification <= delta
    assert np.all(np.diff(plan.boundaries) >= 0)
    assert np.all(plan.boundaries >= np.arange(plan.boundaries.size))
    # No error at all is enough as soon as in a single look, at the end at the latest.
    assert bool(plan.boundaries.size) == (
        bmax(max_labels, n_rows - max_labels, 0, delta) <= n_tolerated
    )
    chances = plan.success([0, n_tolerated, n_rows])
    assert np.all(np.diff(chances) <= 1e-9)
    assert np.all(plan.expected_labels([0, n_rows]) <= max_labels + 1e-9)


def test_errors_that_certify():
    plan = looks_plan(*STANDARD)
    labels = [0, 76, 77, 125, 126, 2000]
    assert_array_equal(plan.most_errors(labels), [-1, -1, 0, 0, 1, 81])
    assert plan.most_errors(77) == 0
    assert type(plan.most_errors(77)) is int
    with pytest.raises(ValueError, match="read-only"):
        plan.boundaries[0] = 1


def test_too_few_labels_and_all_of_them():
    plan = looks_plan(10_000, 500, 44)
    assert plan.boundaries.size == 0
    assert plan.false_certification == 0
    assert plan.success([0, 500]).tolist() == [0, 0]
    assert plan.expected_labels(0) == 44
    assert looks_plan(10_000, 500, 45).boundaries.tolist() == [45]
    # Chances that floats take for zero certify nothing.
    assert looks_plan(2000, 1000, 2000, delta=1e-310).boundaries.size == 0
    plan = looks_plan(50, 5, 50)
    assert plan.most_errors(50) == 5
    assert plan.success([0, 5]).tolist() == pytest.approx([1, 1])
