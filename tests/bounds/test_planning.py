from fractions import Fraction
from itertools import product
from math import ceil, comb, floor, log2

import numpy as np
import oracles
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy.special import gammaln

from sklearn_pacmdl.bounds import (
    labels_needed,
    pac_mdl_bound,
    planned_bound,
    selecting_share,
)
from sklearn_pacmdl.bounds._labels_needed import _error_quantile
from sklearn_pacmdl.languages import INIT

KINDS = ["pac-mdl", "holdout", "learned"]
# Plans of fixed labelings, under languages that describe the classes of clusters; those
# of "decoupled" are in test_planned_decoupled.py.
PAID = {"certify": "pac-mdl"}
SMALL = {"n_clusters": 5, "n_classes": 2, "n_candidates": 50} | PAID
LARGE = {"n_clusters": 10, "n_classes": 10, "n_candidates": 50} | PAID


@pytest.mark.parametrize(
    ("n_total", "target", "expected_error", "quantile", "clustering", "expected"),
    [
        (1000, 0.05, 0.0, 0.5, SMALL, 211),
        (1000, 0.05, 0.0, 0.9, SMALL, 211),
        (10_000, 0.10, 0.05, 0.5, LARGE, 1933),
        (10_000, 0.10, 0.05, 0.9, LARGE, 2588),
    ],
)
def test_known_answers(n_total, target, expected_error, quantile, clustering, expected):
    number = labels_needed(
        n_total,
        target=target,
        expected_error=expected_error,
        quantile=quantile,
        **clustering,
    )
    assert type(number) is int
    assert number == expected


def exact_quantile(n_rows, n_errors, n_drawn, quantile):
    ways, x = 0, -1
    while ways < quantile * comb(n_rows, n_drawn):
        x += 1
        ways += comb(n_errors, x) * comb(n_rows - n_errors, n_drawn - x)
    return max(x, n_drawn + n_errors - n_rows, 0)


@pytest.mark.parametrize("quantile", [0.5, 0.9, 0.05, 0.25, 1e-6, 0.999999])
def test_quantile_against_integers(quantile):
    cases = [
        (n_rows, n_errors, n_drawn)
        for n_rows in (1, 2, 3, 5, 8, 20, 33)
        for n_errors in range(n_rows + 1)
        for n_drawn in range(n_rows + 1)
    ]
    expected = [exact_quantile(*case, Fraction(repr(quantile))) for case in cases]
    assert_array_equal(_error_quantile(*np.array(cases, float).T, quantile), expected)


def test_quantile_of_many_rows():
    """By symmetry the median of half the rows is the half of an odd number, rounded."""
    for n_rows in (10**4, 10**6, 10**9, 10**12):
        n_errors = np.array([1.0, 7, 101, n_rows / 4 + 1])
        n_errors += n_errors % 2 == 0
        half = np.full_like(n_errors, n_rows / 2)
        median = _error_quantile(np.full_like(half, n_rows), n_errors, half, 0.5)
        assert_array_equal(median, (n_errors - 1) / 2)


def log_comb(n, k):
    outside = (k < 0) | (k > n)
    k = np.clip(k, 0, n)
    log_ways = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    return np.where(outside, -np.inf, log_ways)


def quantile_by_sums(n_rows, n_errors, n_drawn, quantile):
    x = np.arange(n_errors + 1)
    log_pmf = log_comb(n_errors, x) + log_comb(n_rows - n_errors, n_drawn - x)
    cdf = np.exp(log_pmf - log_comb(n_rows, n_drawn)).cumsum()
    return int(np.argmax(cdf >= quantile - 1e-9))


def by_definition(n_total, n_labeled, error, quantile, fraction, level):
    """The bound that is reached with this probability, from the words of the docstring.

    Every number of errors that may be seen has a probability and a bound, both exact;
    which numbers of rows are meant is found by trial.
    """
    aside = max(k for k in range(n_labeled) if k <= fraction * n_labeled)
    n_rows, m, n = n_total - aside, n_labeled - aside, n_total - n_labeled
    wrong = min(k for k in range(n_rows + 1) if k >= error * n_rows)
    reached = Fraction(0)
    for seen in range(m + 1):
        ways = comb(wrong, seen) * comb(n_rows - wrong, m - seen)
        reached += Fraction(ways, comb(n_rows, m))
        if reached >= quantile:
            tails = (oracles.tail(m, n, seen, b) for b in range(n, -1, -1))
            return n - next(i for i, tail in enumerate(tails) if tail >= level), n
    raise AssertionError("probabilities sum to 1")


def exact_weight(certify, n_clusters, n_classes, n_candidates):
    """By counting what a language tells apart: labelings of clusters, and candidates."""
    if certify == "holdout":
        return Fraction(1)
    per_cluster = 2 if certify == "learned" else n_classes
    labelings = sum(1 for _ in product(range(per_cluster), repeat=n_clusters))
    return Fraction(1, labelings * (n_candidates if certify == "pac-mdl" else 1))


@pytest.mark.parametrize("seed", range(36))
def test_against_the_definition_in_fractions(seed):
    rng = np.random.RandomState(seed)
    n_total, certify = int(rng.randint(2, 42)), KINDS[seed % 3]
    described = {
        "n_clusters": int(rng.randint(1, 5)),
        "n_classes": int(rng.randint(1, 4)),
        "n_candidates": int(rng.choice([1, 5])),
    }
    delta, quantile, error, fraction = (
        float(rng.choice(values))
        for values in ([0.1, 0.5], [0.5, 0.9, 0.2], [0, 0.1, 0.25, 0.4], [0.1, 0.37, 0.8])
    )
    plan = described | {"delta": delta, "quantile": quantile}
    plan["expected_error"] = error
    if certify == "pac-mdl":
        fraction = 0.0
    else:
        plan["select_fraction"] = fraction
    error, quantile, fraction, level = (
        Fraction(repr(value)) for value in (error, quantile, fraction, delta)
    )
    level *= exact_weight(certify, **described)
    numbers = range(1, n_total // 2 + 1)
    expected = [
        Fraction(*by_definition(n_total, number, error, quantile, fraction, level))
        for number in numbers
    ]
    found = planned_bound(n_total, [*numbers], certify=certify, **plan)
    assert found.tolist() == [float(rate) for rate in expected]
    for target in (0.05, 0.2, 0.5, 0.8):
        violations = [
            k for k, rate in zip(numbers, expected, strict=True) if rate > target
        ]
        if violations[-1:] == [n_total // 2]:
            with pytest.raises(ValueError, match="target must be at least"):
                labels_needed(n_total, target=target, certify=certify, **plan)
        else:
            needed_number = labels_needed(n_total, target=target, certify=certify, **plan)
            assert needed_number == max(violations, default=0) + 1


def every_bound(n_total, expected_error, quantile, fraction, bits, delta):
    """The bound for each number of labels up to half the rows, one after the other."""
    error = Fraction(repr(expected_error))
    bounds = []
    for n_labeled in range(1, n_total // 2 + 1):
        aside = floor(Fraction(repr(fraction)) * n_labeled)
        n_rows, n_train = n_total - aside, n_labeled - aside
        seen = quantile_by_sums(n_rows, ceil(error * n_rows), n_train, quantile)
        bounds.append((n_train, n_total - n_labeled, seen))
    m, n, a = np.array(bounds).T
    return pac_mdl_bound(m, n, a, description_length=bits, delta=delta), n


def random_plan(seed):
    rng = np.random.RandomState(seed)
    kind = KINDS[seed % 3]
    error = float(rng.choice([0.0, 0.01, 0.05, 0.1, 0.3, round(0.3 * rng.rand(), 6)]))
    plan = {
        "expected_error": error,
        "n_clusters": int(rng.randint(1, 8)),
        "n_classes": int(rng.randint(2, 6)),
        "n_candidates": int(rng.choice([1, 50])),
        "delta": float(rng.choice([0.1, 0.01, 0.5])),
        "quantile": float(rng.choice([0.5, 0.9])),
        "certify": kind,
    }
    if kind != "pac-mdl" and rng.rand() < 0.5:
        plan["select_fraction"] = float(rng.choice([0.1, 0.37, 0.8]))
    if rng.rand() < 0.3:
        plan["description_length"] = float(rng.choice([0.0, 2.5, 30.0]))
    n_total = int(2 * 10 ** rng.uniform(0, 3)) + int(rng.randint(2))
    return n_total, plan, rng


def bits_of(plan):
    """As of the language that pays for labels and a choice; a bit is two classes."""
    clusters, candidates = plan["n_clusters"], plan["n_candidates"]
    formulas = {
        "pac-mdl": INIT(clusters, plan["n_classes"], n_init=candidates),
        "holdout": 0.0,
        "learned": INIT(clusters, 2),
    }
    return plan.get("description_length", formulas[plan["certify"]])


def default_fraction(plan):
    if plan["certify"] == "pac-mdl":
        return 0
    clusters = (
        len(plan["cluster_sizes"]) if "cluster_sizes" in plan else plan["n_clusters"]
    )
    return selecting_share(clusters)


@pytest.mark.parametrize("seed", range(90))
def test_against_every_number_of_labels(seed):
    n_total, plan, rng = random_plan(seed)
    bound, n_test = every_bound(
        n_total,
        plan["expected_error"],
        plan["quantile"],
        plan.get("select_fraction", default_fraction(plan)),
        bits_of(plan),
        plan["delta"],
    )
    numbers = np.arange(1, n_total // 2 + 1)
    assert_array_equal(planned_bound(n_total, numbers, **plan), bound / n_test)
    reached = np.clip(bound[rng.randint(bound.size, size=8)] / n_test[-1], 0.001, 0.999)
    for target in [*reached.round(4), *reached, 0.02, 0.1, 0.25]:
        violations = numbers[bound / n_test > target]
        if violations.size and violations[-1] == numbers[-1]:
            with pytest.raises(ValueError, match="target must be at least"):
                labels_needed(n_total, target=target, **plan)
        else:
            expected = violations[-1] + 1 if violations.size else 1
            assert labels_needed(n_total, target=target, **plan) == expected


def needed(n_total, **plan):
    """Labels needed; more than there are where half the rows do not suffice."""
    try:
        return labels_needed(n_total, **plan)
    except ValueError as error:
        if "target must be at least" not in str(error):
            raise
        return n_total


@pytest.mark.slow
@settings(max_examples=30)
@given(
    n_total=st.integers(2, 30_000),
    error=st.sampled_from([0.0, 0.01, 0.07, 0.2]),
    certify=st.sampled_from(KINDS),
    data=st.data(),
)
def test_is_monotone(n_total, error, certify, data):
    plan = {
        "target": data.draw(st.floats(error + 0.01, 0.9), "target"),
        "expected_error": error,
        "n_clusters": data.draw(st.integers(1, 20), "n_clusters"),
        "n_classes": data.draw(st.integers(1, 10), "n_classes"),
        "certify": certify,
    }
    number = needed(n_total, **plan)
    assert needed(n_total, **plan | {"target": plan["target"] + 0.05}) <= number
    assert needed(n_total, **plan | {"delta": 0.2}) <= number
    assert needed(n_total, **plan | {"n_clusters": plan["n_clusters"] + 1}) >= number
    assert needed(n_total, **plan | {"n_classes": plan["n_classes"] + 1}) >= number
    assert needed(n_total, **plan | {"n_candidates": 10}) >= number
    assert needed(n_total, **plan | {"quantile": 0.9}) >= number
    assert needed(n_total, **plan | {"expected_error": error + 0.01}) >= number


@pytest.mark.slow
@settings(max_examples=40)
@given(
    n_total=st.integers(1000, 10**12),
    error=st.sampled_from([0.0, 0.01, 0.05]),
    certify=st.sampled_from(KINDS),
    data=st.data(),
)
def test_is_on_the_last_tooth(n_total, error, certify, data):
    plan = LARGE | {"expected_error": error, "certify": certify}
    target = 0.1
    number = needed(n_total, target=target, **plan)
    assume(1 < number < n_total)
    before, at = planned_bound(n_total, [number - 1, number], **plan)
    assert at <= target < before
    later = data.draw(st.lists(st.integers(number, n_total // 2), max_size=50))
    nearby = np.arange(number, min(number + 500, n_total // 2 + 1))
    assert np.all(planned_bound(n_total, [*later, *nearby], **plan) <= target)


@pytest.mark.parametrize("certify", KINDS)
@pytest.mark.parametrize(
    ("target", "expected_error"), [(0.01, 0.0), (0.1, 0.05), (0.051, 0.05)]
)
def test_a_billion_rows(certify, target, expected_error):
    plan = LARGE | {"expected_error": expected_error, "certify": certify}
    number = labels_needed(10**9, target=target, **plan)
    before, at = planned_bound(10**9, [number - 1, number], **plan)
    assert at <= target < before
    assert np.all(planned_bound(10**9, number + np.arange(2000), **plan) <= target)


def test_fewer_labels_than_needed_may_do():
    """The bound is a saw-tooth: halving the range by one test would stop too early."""
    plan = LARGE | {"expected_error": 0.05}
    fewer = np.arange(1, 1933)
    assert np.any(planned_bound(10_000, fewer, **plan) <= 0.1)


def test_errors_are_counted_in_decimals():
    """A tenth of 30 rows is three errors, though 0.1 * 30 is a little more in binary."""
    plan = SMALL | {"description_length": 0.0, "quantile": 0.999999}
    seen = [0.1, np.nextafter(0.1, 1)]
    bounds = [planned_bound(30, 15, expected_error=e, **plan) for e in seen]
    assert bounds == [pac_mdl_bound(15, 15, 3) / 15, pac_mdl_bound(15, 15, 4) / 15]


def test_scalars_and_arrays():
    assert isinstance(planned_bound(100, 10, **SMALL), float)
    assert planned_bound(100, [[10, 20], [30, 40]], **SMALL).shape == (2, 2)
    assert planned_bound(100, [], **SMALL).shape == (0,)
    assert planned_bound(100, 0, **SMALL) == 1.0
    assert planned_bound(2, 1, **SMALL) == 1.0


def test_description_length_replaces_the_formulas():
    bits = 5 * log2(2) + log2(50)
    plan = PAID | {"n_clusters": 1, "description_length": bits}
    assert labels_needed(1000, target=0.05, **plan) == 211


def test_out_of_reach_says_what_is_reached():
    message = (
        r"target must be at least 0\.06, the bound to expect with n_total // 2 = 500 "
        r"labels, got 0\.05\."
    )
    plan = SMALL | {"expected_error": 0.015}
    assert planned_bound(1000, 500, **plan) == 0.06
    with pytest.raises(ValueError, match=message):
        labels_needed(1000, target=0.05, **plan)
    assert labels_needed(1000, target=0.06, **plan) <= 500


@pytest.mark.parametrize("n_total", [98, 99, 1001, 12_345])
def test_the_bound_reached_can_be_asked_for(n_total):
    plan = SMALL | {"expected_error": 0.3, "certify": "holdout"}
    reached = planned_bound(n_total, n_total // 2, **plan)
    assert labels_needed(n_total, target=reached, **plan) <= n_total // 2
    with pytest.raises(ValueError, match=f"target must be at least {reached}, "):
        labels_needed(n_total, target=reached * 0.99, **plan)


@pytest.mark.slow
def test_a_target_met_exactly_is_met():
    """A bound of b errors on n rows meets the decimal b / n."""
    plan = SMALL | {"expected_error": 0.01}
    numbers = np.arange(1, 501)
    errors = np.round(planned_bound(1000, numbers, **plan) * (1000 - numbers)).astype(int)
    # Only where a bound is that decimal do floats matter.
    exactly = (1000 * errors) % (1000 - numbers) == 0
    met = np.unique(1000 * errors[exactly] // (1000 - numbers[exactly]))
    for thousandths in met[(met >= 60) & (met < 500)].tolist():
        violations = numbers[1000 * errors > thousandths * (1000 - numbers)]
        number = labels_needed(1000, target=thousandths / 1000, **plan)
        assert number == violations[-1] + 1


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"n_total": 1}, r"n_total must be an integer from 2 to 2251799813685248, got 1"),
        ({"expected_error": 1}, r"expected_error must be a number in \[0, 1\), got 1"),
        ({"n_clusters": 0}, "n_clusters must be an integer from 1 to"),
        ({"select_fraction": 0.5}, "fraction must be None where certify is 'pac-mdl'"),
        (
            {"select_fraction": 0, "certify": "holdout"},
            "fraction must be in the open",
        ),
    ],
)
def test_bad_input_is_named(kwargs, message):
    good = {"n_total": 100, **SMALL}
    with pytest.raises(ValueError, match=message):
        labels_needed(target=0.5, **good | kwargs)
    with pytest.raises(ValueError, match=message):
        planned_bound(n_labeled=10, **good | kwargs)


@pytest.mark.parametrize(
    ("n_labeled", "message"),
    [
        (100, "n_labeled must be at most n_total - 1, got n_labeled=100"),
        ([5, -1], "n_labeled must be integer counts from 0"),
    ],
)
def test_bad_numbers_of_labels(n_labeled, message):
    with pytest.raises(ValueError, match=message):
        planned_bound(100, n_labeled, **SMALL)
