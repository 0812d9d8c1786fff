"""Totals over strata: the inversion for up to three, groups, and methods for many."""

from fractions import Fraction
from itertools import permutations, product
from math import perm

import mpmath
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from oracles import chances, most_unrefuted, worst_failure
from scipy.stats import hypergeom

from sklearn_pacmdl.bounds import (
    _inversion,
    _strata,
    bmax,
    groups_upper_bound,
    stratified_upper_bound,
    total_upper_bound,
)
from sklearn_pacmdl.bounds._inversion import Order, Ratio, Sample
from sklearn_pacmdl.bounds._inversion import chances as chances_of


# Found by an independent program, which cuts numbers into cells in another way.
@pytest.mark.parametrize(
    ("found", "audited", "rows", "expected"),
    [
        ((3, 8), (40, 30), (200, 100), 57),
        ((1, 2), (30, 30), (300, 100), 39),
        ((0, 5), (50, 25), (150, 250), 83),
        ((2, 2), (60, 20), (120, 200), 49),
        ((6, 6), (50, 50), (100, 300), 68),
        ((0, 0), (30, 30), (300, 100), 21),
        ((57, 3), (60, 140), (1500, 3500), 1591),
    ],
)
def test_known_answers(found, audited, rows, expected):
    bound = stratified_upper_bound(found, audited, rows, 0.1)
    assert type(bound) is int
    assert abs(bound - expected) <= 1


def test_totals_of_a_uniform_sample():
    assert total_upper_bound(3, 50, 500, 0.05) == 71
    assert total_upper_bound(11, 300, 1597, 0.1) == 84
    upper = total_upper_bound([[0], [3]], 50, 500, [0.1, 0.05])
    assert upper.tolist() == [[bmax(50, 450, 0, d) for d in (0.1, 0.05)], [62, 71]]
    for found in range(0, 50, 7):
        alone = stratified_upper_bound([found], [50], [500], 0.1)
        assert alone == total_upper_bound(found, 50, 500, 0.1)


@pytest.mark.parametrize("n_strata", [1, 2, 3, 5, 20])
def test_strata_that_take_no_part(n_strata):
    """No row audited: all rows may be errors. All audited: what was found."""
    found, audited = [1] * n_strata, [20, *[15] * (n_strata - 1)]
    rows = [*range(100, 100 + n_strata)]
    bound = stratified_upper_bound(found, audited, rows, 0.1)
    more = [*found, 0, 3], [*audited, 0, 10], [*rows, 7, 10]
    assert stratified_upper_bound(*more, 0.1) == bound + 7 + 3
    assert stratified_upper_bound(audited, audited, rows, 0.1) == sum(rows)
    assert stratified_upper_bound([0, 3], [0, 10], [7, 10], 0.1) == 10


# Validity: all truths, and all audits of each

DESIGNS = [
    ((2, 3), (8, 12)),
    ((1, 1, 1, 2, 1), (2, 3, 2, 3, 2)),
    ((1, 3, 2), (3, 4, 3)),
    ((3, 0, 1), (5, 2, 4)),
    ((4, 1), (5, 6)),
    ((5, 6), (9, 8)),
    ((3, 3), (12, 12)),
    ((6, 2), (10, 20)),
    ((1, 8), (15, 12)),
    ((5, 5), (25, 10)),
    ((8, 8), (16, 24)),
    ((10, 5), (30, 20)),
    ((12, 3), (20, 25)),
    ((2, 3, 1), (2, 5, 5)),
    ((3, 3, 3), (7, 6, 8)),
    ((2, 4, 3), (9, 8, 5)),
    ((2, 2, 1, 2), (4, 3, 3, 4)),
    ((1, 2, 1, 2), (2, 4, 2, 4)),
]


def worst_ratio(bound, audited, rows, delta):
    shape = [m + 1 for m in audited]
    bounds = [bound(x, audited, rows, delta) for x in np.ndindex(*shape)]
    bounds = np.reshape(bounds, shape)
    return worst_failure(audited, rows, bounds, lambda *e: sum(e)) / delta


def one_less(*sample):
    return stratified_upper_bound(*sample) - 1


def as_if_uniform(found, audited, rows, delta):
    return total_upper_bound(sum(found), sum(audited), sum(rows), delta)


def at_the_proportional_truth(found, audited, rows, delta):
    """The largest total that is not refuted where all strata have the same rate."""
    sample, size = Sample(found, audited, rows), sum(rows)
    ratio = Ratio((1, 1), (0, 0), size)
    windows = [np.arange(m + 1.0) for m in audited]
    event = Order.at(sample, ratio, delta).event(found, windows[:-1])
    for total in range(size, sum(found), -1):
        first = round(total * rows[0] / size)
        laws = [
            np.array(chances(m, n, e), float)
            for m, n, e in zip(audited, rows, (first, total - first), strict=True)
        ]
        up_to = np.append(0, np.cumsum(laws[1]))
        if laws[0] @ up_to[event.astype(int) + 1] >= delta:
            return total
    return sum(found)


@pytest.mark.parametrize("design", DESIGNS[:2])
def test_every_truth_and_every_audit_of_few_rows(design):
    worst = [worst_ratio(stratified_upper_bound, *design, d) for d in (0.1, 0.5)]
    assert 0.1 < max(worst) <= 1


@pytest.mark.parametrize("delta", [0.05, 0.1, 0.2, 0.5])
def test_every_truth_and_every_audit(delta):
    worst = [worst_ratio(stratified_upper_bound, *design, delta) for design in DESIGNS]
    assert 0.97 < max(worst) <= 1
    # Controls: a bound that is lower, and errors that are only sought where rates agree.
    assert min(worst_ratio(one_less, *design, delta) for design in DESIGNS) > 1
    two = [design for design in DESIGNS if len(design[0]) == 2]
    proportional = [worst_ratio(at_the_proportional_truth, *d, delta) for d in two]
    assert max(proportional) > (1.5 if delta < 0.5 else 1)


def test_strata_are_no_uniform_sample():
    """The control: what is right for a uniform sample fails in most designs."""
    cases = product(DESIGNS[:8], (0.1, 0.2, 0.5))
    worst = [worst_ratio(as_if_uniform, *design, delta) for design, delta in cases]
    assert max(worst) > 3
    assert np.mean(np.array(worst) > 1) > 0.5


# The inversion by its definition


@pytest.mark.parametrize("delta", [0.05, 0.3])
@pytest.mark.parametrize(
    ("audited", "rows"), [((3, 4), (9, 7)), ((2, 5), (11, 8)), ((1, 2, 2), (4, 3, 5))]
)
def test_against_the_definition(audited, rows, delta):
    ratio = (1,) * len(rows), (0,) * len(rows), sum(rows)
    for found in product(*(range(0, m + 1, 2) for m in audited)):
        most = most_unrefuted(found, audited, rows, delta, ratio)
        bound = stratified_upper_bound(found, audited, rows, delta)
        assert bound == most * sum(rows)


@pytest.mark.parametrize(
    ("found", "audited", "rows"),
    [
        ((9, 3), (120, 40), (900, 300)),
        ((190, 120), (300, 200), (900, 600)),
        ((2, 7, 1), (30, 25, 20), (200, 90, 150)),
    ],
)
def test_chances_are_raised_and_hardly(found, audited, rows):
    """Windows, logarithms and sums lose less than is added."""
    ratio, level = Ratio((1,) * len(rows), (0,) * len(rows), sum(rows)), 0.0098
    sample = Sample(found, audited, rows)
    numbers, chance = chances_of(sample, ratio, 0.01, len(rows))
    assert all(np.all(np.diff(each) == 1) for each in numbers)  # cells are of one number
    windows = [np.arange(m + 1.0) for m in audited]
    event = Order.at(sample, ratio, level).event(found, windows[:-1]).astype(int)
    for at in product(*((0, len(each) // 2, len(each) - 1) for each in numbers)):
        laws = [
            chances(m, n, int(each[i]))
            for m, n, each, i in zip(audited, rows, numbers, at, strict=True)
        ]
        up_to = [sum(laws[-1][: y + 1]) for y in range(-1, audited[-1] + 1)]
        exact = sum(
            np.prod([law[k] for law, k in zip(laws, x, strict=False)])
            * up_to[event[x] + 1]
            for x in np.ndindex(event.shape)
        )
        assert exact <= chance[at] <= min(1, exact * (1 + 2e-5) + 2e-5 * level)


@given(data=st.data())
def test_limits_never_fall_and_events_are_lower_sets(data):
    n_strata = data.draw(st.integers(2, 3))
    audited = [data.draw(st.integers(1, 12)) for _ in range(n_strata)]
    rows = [m + data.draw(st.sampled_from([0, 1, 5, 1000, 10**9])) for m in audited]
    delta = data.draw(st.sampled_from([1e-9, 0.01, 0.1, 0.6, 0.999]))
    two = [((0, 1), (-1, 1), rows[0]), ((1, 0), (0, -1), sum(rows[:2]))]
    ratios = [((1,) * n_strata, (0,) * n_strata, sum(rows)), *two * (n_strata == 2)]
    ratio = Ratio(*data.draw(st.sampled_from(ratios)))
    found = [data.draw(st.integers(0, m)) for m in audited]
    order = Order.at(Sample(found, audited, rows), ratio, delta)
    for s, m in enumerate(audited):
        if found[s] < m:
            more = [x + (i == s) for i, x in enumerate(found)]
            assert order.limit(found) <= order.limit(more)
    event = order.event(found, [np.arange(m + 1.0) for m in audited[:-1]])
    assert event[tuple(found[:-1])] >= found[-1]
    assert all(np.all(np.diff(event, axis=s) <= 0) for s in range(n_strata - 1))


def test_many_rows():
    """Neither rounding nor size makes bounds unlikely; cells lose little."""
    for n in (2, 3, 4):
        found, audited = [30, 10, 20, 5][:n], [10_000, 6000, 8000, 5000][:n]
        bounds = [
            stratified_upper_bound(found, audited, [rows] * n, 0.1) / rows
            for rows in (10**5, 10**6, 10**9)
        ]
        estimate = np.sum(np.divide(found, audited))
        assert estimate < bounds[1] < bounds[2] < 1.02 * bounds[1] < 1.6 * estimate
    bound = stratified_upper_bound((10**6, 10**7), (10**8, 10**8), (2**50, 2**51), 0.1)
    assert 1 < bound / (0.01 * 2**50 + 0.1 * 2**51) < 1.002


@pytest.mark.parametrize("n_strata", [2, 3, 5])
def test_cells_and_blocks_only_raise_bounds(monkeypatch, n_strata):
    sample = [4, 1, 0, 2, 1][:n_strata], [30, 20, 9, 40, 8][:n_strata]
    sample = *sample, [200, 90, 60, 110, 50][:n_strata]
    exact = stratified_upper_bound(*sample, 0.1)
    for name, fewer in {"_MOST_CELLS": 2000, "_MOST_BLOCKS": {2: 12, 3: 9}}.items():
        with monkeypatch.context() as patch:
            patch.setattr(_inversion, name, fewer)
            _strata._in_groups.cache_clear()
            assert exact < stratified_upper_bound(*sample, 0.1) < 1.4 * exact
    _strata._in_groups.cache_clear()


@pytest.mark.parametrize("n_strata", [1, 2, 3, 4, 20])
def test_a_delta_below_all_normal_numbers(n_strata):
    sample = [0, 1] * n_strata, [220, 80] * n_strata, [1318, 279] * n_strata
    bounds = [stratified_upper_bound(*sample, d) for d in (1e-200, 1e-300, 5e-324)]
    assert bounds == sorted(bounds)
    assert bounds[-1] == 1298 * n_strata


# Groups of strata


def test_groups_of_strata():
    """Bounds of four to six strata, which lose less than each on its own would."""
    found, audited, rows = (20, 10, 5, 2), (100,) * 4, (500, 1000, 2000, 4000)
    assert stratified_upper_bound(found, audited, rows, 0.1) == 553
    alone = total_upper_bound(found, audited, rows, 0.1 / 4)
    assert alone.sum() > 553


@given(data=st.data())
def test_hulls_are_below_their_curves(data):
    totals = np.cumsum(data.draw(st.lists(st.integers(1, 9), min_size=1, max_size=12)))
    nats = np.cumsum(data.draw(st.lists(st.floats(0, 3), min_size=12, max_size=12)))
    corners = _strata._hull(totals * 1.0, nats[: len(totals)])
    assert np.all(np.diff(corners[0]) > 0)
    below = np.interp(totals, *corners)
    assert np.all(below <= nats[: len(totals)] * (1 + 1e-12))
    slopes = np.diff(corners[1]) / np.diff(corners[0])
    assert np.all(np.diff(slopes) >= 0)
    assert {*map(tuple, corners.T)} <= {*zip(totals, nats, strict=False)}


def test_sizes_decide_about_the_method():
    for n_strata in (3, 4, 15, 16, 30):
        half = n_strata // 2
        even, uneven = [20] * n_strata, [20] * half + [12] * (n_strata - half)
        for audited, errors in product((even, uneven), (0, 3)):
            sample = Sample([errors] * n_strata, audited, [100] * n_strata)
            many = _strata._thinned if n_strata > 15 else None
            expected = _strata._pooled if n_strata > 3 and audited is even else many
            assert _strata._of_many(sample) == expected


# Many strata


def test_a_thousand_strata():
    """Of 5 to 39 rows, of which a tenth was audited, and at least one."""
    rng = np.random.default_rng(0)
    rows = rng.integers(5, 40, 1000)
    audited = np.maximum(1, np.round(0.1 * rows)).astype(int)
    errors = rng.binomial(rows, rng.beta(0.2, 4, 1000))
    found = rng.hypergeometric(errors, rows - errors, audited)
    assert (rows.sum(), audited.sum(), errors.sum()) == (22_554, 2310, 1033)
    assert stratified_upper_bound(found, audited, rows, 0.1) == 1461
    rows = np.full(10**5, 50)
    found = np.arange(10**5) % 10 == 0
    bound = stratified_upper_bound(found.astype(int), rows // 10, rows, 0.1)
    assert 10**5 < bound < 1.04 * 10**5


def test_the_thinned_inequality_in_fractions():
    """For every audit of up to 12 rows and ten rates. It is tight for a single error."""
    failed = 0
    for n in range(2, 13):
        for m, errors, tenths in product(range(1, n), range(n + 1), range(1, 11)):
            ratio = Fraction(tenths, 10)
            rate = ratio * Fraction(m, n)
            law = chances(m, n, errors)
            mean = sum(chance * (1 - ratio) ** x for x, chance in enumerate(law))
            assert mean <= (1 - rate) ** errors
            assert errors != 1 or mean == (1 - rate) ** errors
            # The control: a rate that is a tenth higher than it is.
            failed += mean > (1 - rate * Fraction(11, 10)) ** errors
    assert failed > 1000


def e_value(found, audited, rows, delta, total):
    """The mean of e-values over rates, in the precision of mpmath."""
    fractions = [mpmath.mpf(m) / n for m, n in zip(audited, rows, strict=True)]
    nats = -mpmath.log(mpmath.mpf(repr(delta)))
    first = min(mpmath.sqrt(10 * nats / sum(audited)), mpmath.mpf("0.475"))
    steps = [(mpmath.mpf("0.95") / first) ** (mpmath.mpf(j) / 5) for j in range(6)]
    rates = [first * step * min(fractions) for step in steps]
    lost = [
        mpmath.fprod((1 - c / f) ** x for x, f in zip(found, fractions, strict=True))
        for c in rates
    ]
    return sum(p / (1 - c) ** total for p, c in zip(lost, rates, strict=True)) / 6


def thinned_by_definition(found, audited, rows, delta):
    """The largest total whose e-value is below 1/delta, in 50 digits."""
    most = sum(n - m + x for x, m, n in zip(found, audited, rows, strict=True))
    with mpmath.workdps(50):
        limit = 1 / mpmath.mpf(repr(delta))
        totals = range(sum(found), most + 1)
        return max(t for t in totals if e_value(found, audited, rows, delta, t) < limit)


def pooled_by_definition(found, audited, rows, delta):
    """The largest total that is too near to what was found, or not too improbable."""
    fraction = min(Fraction(m, n) for m, n in zip(audited, rows, strict=True))
    x, m = sum(found), sum(audited)
    kept = []
    for total in range(x, sum(rows) - m + x + 1):
        n_draws = min(total, m)
        p = fraction * total / n_draws if n_draws else Fraction(0)
        ways = [
            np.prod([Fraction(n_draws - i, i + 1) for i in range(j)], initial=1)
            for j in range(x + 1)
        ]
        tail = sum(w * p**j * (1 - p) ** (n_draws - j) for j, w in enumerate(ways))
        if x >= fraction * total - 1 or tail >= Fraction(repr(delta)):
            kept.append(total)
    return max(kept)


@settings(max_examples=30)
@given(data=st.data(), delta=st.sampled_from([0.001, 0.05, 0.1, 0.3, 0.5]))
def test_many_strata_against_the_definitions(data, delta):
    strata = data.draw(st.integers(1, 6))
    rows = [data.draw(st.integers(2, 40)) for _ in range(strata)]
    audited = [data.draw(st.integers(1, n - 1)) for n in rows]
    found = [data.draw(st.integers(0, m)) for m in audited]
    sample = Sample(found, audited, rows)
    assert _strata._thinned(sample, delta) == thinned_by_definition(*sample, delta)
    assert _strata._pooled(sample, delta) == pooled_by_definition(*sample, delta)


def nearest_tie(sample, total):
    """The largest delta, as printed, at which the e-value of a total is below 1/delta."""
    low, high = 1e-12, 0.5
    while np.nextafter(low, 1) < high:
        middle = (low + high) / 2
        below = e_value(*sample, middle, total) < 1 / mpmath.mpf(repr(middle))
        low, high = (middle, high) if below else (low, middle)
    return low


@pytest.mark.parametrize("scale", [10**4, 10**6])
def test_totals_that_are_hardly_refuted_are_kept(monkeypatch, scale):
    """Floats could take either side, and without an allowance take the wrong one."""
    rng, lost = np.random.RandomState(0), 0
    for _ in range(8):
        rows, audited = rng.randint(scale, 2 * scale, 6), rng.randint(500, 1000, 6)
        sample = Sample(*(c.tolist() for c in (rng.randint(0, 200, 6), audited, rows)))
        total = _strata._thinned(sample, 0.1)
        with mpmath.workdps(50):
            delta = nearest_tie(sample, total)
        assert _strata._thinned(sample, delta) >= total
        with monkeypatch.context() as without:
            without.setattr(_strata, "_ROUNDING", 0)
            lost += _strata._thinned(sample, delta) < total
    assert lost > 1


@pytest.mark.parametrize("method", ["_thinned", "_pooled"])
def test_every_truth_and_every_audit_of_many_strata(method):
    def bound(found, audited, rows, delta):
        return getattr(_strata, method)(Sample(found, audited, rows), delta)

    worst = [worst_ratio(bound, *design, d) for design in DESIGNS[:3] for d in (0.1, 0.5)]
    assert 0.2 < max(worst) <= 1


# Whole groups: bounds hold for all populations, and those for rows do not

GROUP_DELTAS = 0.1, 0.3


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


@pytest.mark.parametrize("delta", GROUP_DELTAS)
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


@pytest.mark.parametrize("missed", [1e-3, 1e-8, 1e-14])
@pytest.mark.parametrize(
    ("audited", "rows", "low", "high"),
    [(50, 1000, 20, 20), (50, 1000, 0, 30), (200, 900, 890, 900), (30, 60, 7, 55)],
)
def test_counts_beyond_a_window_are_as_improbable_as_supposed(
    audited, rows, low, high, missed
):
    window = _inversion._window(audited, rows, low, high, missed)
    assert np.all(np.diff(window) == 1)
    of_low, of_high = (hypergeom(rows, number, audited) for number in (low, high))
    assert of_low.cdf(window[0] - 1) <= missed
    assert of_high.sf(window[-1]) <= missed
