"""Audits of strata: bounds, errors tolerated, and labels spread by Neyman's rule."""

from fractions import Fraction
from functools import cache
from itertools import combinations, product
from math import comb, prod

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy.stats import hypergeom

from sklearn_pacmdl.bounds import (
    _strata,
    neyman_allocation,
    stratified_upper_bound,
    tolerated_audit_errors,
    tolerated_kept_errors,
    total_upper_bound,
)

METHODS = ["fisher", "thinned", "pooled"]
DELTAS = [0.05, 0.1, 0.2, 0.3, 0.5]


def a_thousand_strata():
    """Of 5 to 39 rows, of which a tenth was audited, and at least one."""
    rng = np.random.default_rng(0)
    rows = rng.integers(5, 40, 1000)
    audited = np.maximum(1, np.round(0.1 * rows)).astype(int)
    errors = rng.binomial(rows, rng.beta(0.2, 4, 1000))
    found = rng.hypergeometric(errors, rows - errors, audited)
    return errors, (found, audited, rows)


@pytest.mark.parametrize(
    ("method", "expected"),
    [("fisher", 75), ("auto", 75), ("thinned", 86), ("pooled", 96)],
)
def test_two_strata(method, expected):
    sample = (3, 8), (220, 80), (1318, 279)
    bound = stratified_upper_bound(*sample, 0.1, method=method)
    assert type(bound) is int
    assert bound == expected


def test_rivals_for_two_strata():
    """Half of delta for each stratum; and one uniform audit that finds as many errors."""
    x, m, n = np.array([(3, 8), (220, 80), (1318, 279)])
    assert total_upper_bound(x, m, n, 0.05).sum() == 88
    assert total_upper_bound(x.sum(), m.sum(), n.sum(), 0.1) == 84


def test_equal_fractions():
    for found in [(4, 7), (11, 0)]:
        sample = found, (100, 200), (500, 1000)
        assert stratified_upper_bound(*sample, 0.1, method="pooled") == 80


@pytest.mark.parametrize(
    ("method", "expected"),
    [("thinned", 1461), ("auto", 1461), ("pooled", 1856), ("fisher", 9164)],
)
def test_a_thousand_strata(method, expected):
    errors, sample = a_thousand_strata()
    assert (sample[2].sum(), sample[1].sum(), errors.sum()) == (22_554, 2310, 1033)
    assert stratified_upper_bound(*sample, 0.1, method=method) == expected


def test_auto_goes_by_the_strata_that_were_audited_in_part():
    for n_strata, method in [(1, "fisher"), (4, "fisher"), (5, "thinned")]:
        found, audited, rows = ([k] * n_strata for k in (1, 20, 100))
        bound = stratified_upper_bound(found, audited, rows, 0.1)
        for other in {"fisher", "thinned"}:
            same = stratified_upper_bound(found, audited, rows, 0.1, method=other)
            assert (same == bound) == (other == method)
        # Nothing was audited, or everything: both are known beforehand.
        more = [*found, 0, 3], [*audited, 0, 10], [*rows, 7, 10]
        assert stratified_upper_bound(*more, 0.1) == bound + 7 + 3


@pytest.mark.parametrize("method", METHODS)
def test_strata_that_take_no_part(method):
    assert stratified_upper_bound([0, 2], [0, 5], [4, 5], 0.1, method=method) == 6
    # All audited rows are wrong, and so may be all others.
    assert stratified_upper_bound([2, 3], [2, 3], [9, 9], 0.1, method=method) == 18
    assert stratified_upper_bound([2, 3], [9, 9], [9, 9], 0.1, method=method) == 5


# The inequality


def chances(m, n, errors):
    """Probability of each number of errors among m of n rows."""
    return {
        x: Fraction(comb(errors, x) * comb(n - errors, m - x), comb(n, m))
        for x in range(max(0, errors + m - n), min(errors, m) + 1)
    }


def mean_without_kept_errors(m, n, errors, ratio):
    law = chances(m, n, errors)
    return sum(chance * (1 - ratio) ** x for x, chance in law.items())


def test_the_thinned_inequality_in_fractions():
    """For every audit of up to 12 rows and ten rates. It is tight for a single error."""
    failed = 0
    for n in range(2, 13):
        for m, errors, tenths in product(range(1, n), range(n + 1), range(1, 11)):
            ratio = Fraction(tenths, 10)
            rate = ratio * Fraction(m, n)
            mean = mean_without_kept_errors(m, n, errors, ratio)
            assert mean <= (1 - rate) ** errors
            assert errors != 1 or mean == (1 - rate) ** errors
            # The control: a rate that is a tenth higher than it is.
            failed += mean > (1 - rate * Fraction(11, 10)) ** errors
    assert failed > 1000


# The methods by their definitions


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
        tail = sum(
            comb(n_draws, j) * p**j * (1 - p) ** (n_draws - j) for j in range(x + 1)
        )
        if x >= fraction * total - 1 or tail >= Fraction(repr(delta)):
            kept.append(total)
    return max(kept)


def any_sample(data, most_strata=6, most_rows=40):
    strata = data.draw(st.integers(1, most_strata))
    rows = [data.draw(st.integers(2, most_rows)) for _ in range(strata)]
    audited = [data.draw(st.integers(1, n - 1)) for n in rows]
    found = [data.draw(st.integers(0, m)) for m in audited]
    return found, audited, rows


@settings(max_examples=60, deadline=None)
@given(data=st.data(), delta=st.sampled_from([0.001, *DELTAS]))
def test_against_the_definitions(data, delta):
    sample = any_sample(data)
    for method, definition in [
        ("thinned", thinned_by_definition),
        ("pooled", pooled_by_definition),
    ]:
        bound = stratified_upper_bound(*sample, delta, method=method)
        assert bound == definition(*sample, delta)


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
        sample = [c.tolist() for c in (rng.randint(0, 200, 6), audited, rows)]
        total = stratified_upper_bound(*sample, 0.1, method="thinned")
        with mpmath.workdps(50):
            delta = nearest_tie(sample, total)
        assert stratified_upper_bound(*sample, delta, method="thinned") >= total
        with monkeypatch.context() as without:
            without.setattr(_strata, "_ROUNDING", 0)
            lost += stratified_upper_bound(*sample, delta, method="thinned") < total
    assert lost > 1


@settings(max_examples=60, deadline=None)
@given(data=st.data(), delta=st.sampled_from([0.001, *DELTAS]))
def test_is_monotone(data, delta):
    found, audited, rows = any_sample(data, most_rows=10_000)
    one = next((s for s in range(len(rows)) if found[s] < audited[s]), None)
    for method in METHODS:
        bound = stratified_upper_bound(found, audited, rows, delta, method=method)
        assert sum(found) <= bound <= sum(rows) - sum(audited) + sum(found)
        surer = stratified_upper_bound(found, audited, rows, delta / 2, method=method)
        if method != "thinned":  # whose rates depend on delta
            assert surer >= bound
        if one is not None:
            more = [x + (s == one) for s, x in enumerate(found)]
            worse = stratified_upper_bound(more, audited, rows, delta, method=method)
            assert worse >= bound


def test_one_stratum_is_a_uniform_sample():
    for found in range(0, 50, 7):
        exact = total_upper_bound(found, 50, 500, 0.1)
        bounds = [
            stratified_upper_bound([found], [50], [500], 0.1, method=method)
            for method in METHODS
        ]
        assert bounds[0] == exact
        assert exact <= min(bounds[1:])


def test_many_rows():
    """Neither rounding nor size makes the bounds of a billion rows or strata unlikely."""
    for scale in (1, 10, 1000):
        sample = np.array([[30, 10], [10_000, 6000], [10**6, 10**6]]) * [
            [1],
            [1],
            [scale],
        ]
        small = stratified_upper_bound(*sample, 0.1) / scale
        assert 4000 < small < 7200
    rows = np.full(10**5, 50)
    found = np.arange(10**5) % 10 == 0
    bound = stratified_upper_bound(found.astype(int), rows // 10, rows, 0.1)
    assert 10**5 < bound < 1.04 * 10**5


@pytest.mark.parametrize("method", METHODS)
def test_a_delta_below_all_normal_numbers(method):
    sample = (0, 0), (220, 80), (1318, 279)
    bound = stratified_upper_bound(*sample, 5e-324, method=method)
    assert stratified_upper_bound(*sample, 1e-300, method=method) <= bound <= 1297
    assert_array_equal(tolerated_kept_errors(0.5, 10**5, [5e-324, 1e-300]), [-1, 84_113])


# Validity

DESIGNS = [
    ((4, 1), (5, 6)),
    ((1, 3, 2), (3, 4, 3)),
    ((1, 1, 1, 2, 1), (2, 3, 2, 3, 2)),
    ((3, 0, 1), (5, 2, 4)),
    ((2, 3, 1), (2, 5, 5)),
    ((2, 3), (8, 12)),
    ((5, 6), (9, 8)),
]


def worst_violation(bound, audited, rows, delta):
    """Largest probability over delta, over all truths, that there are more errors."""
    bound, worst = cache(bound), Fraction(0)
    laws = [
        [chances(m, n, errors) for errors in range(n + 1)]
        for m, n in zip(audited, rows, strict=True)
    ]
    for errors in product(*(range(n + 1) for n in rows)):
        law = [of[e] for of, e in zip(laws, errors, strict=True)]
        wrong = sum(
            prod(own[x] for own, x in zip(law, found, strict=True))
            for found in product(*law)
            if bound(found) < sum(errors)
        )
        worst = max(worst, Fraction(wrong) / Fraction(repr(delta)))
    return float(worst)


def worst_of_designs(bound):
    return [
        worst_violation(lambda found: bound(found, m, n, d), m, n, d)  # noqa: B023 (called at once)
        for m, n in DESIGNS
        for d in (0.1, 0.2, 0.5)
    ]


@pytest.mark.parametrize(
    ("method", "nearest"), [("fisher", 0.4), ("thinned", 0.5), ("pooled", 0.8)]
)
def test_every_truth_and_every_audit(method, nearest):
    def bound(*sample):
        return stratified_upper_bound(*sample, method=method)

    worst = worst_of_designs(bound)
    assert nearest < max(worst) <= 1


def as_if_uniform(found, audited, rows, delta):
    return total_upper_bound(sum(found), sum(audited), sum(rows), delta)


def test_strata_are_no_uniform_sample():
    """The control: what is right for a uniform sample fails in most designs."""
    worst = worst_of_designs(as_if_uniform)
    assert max(worst) > 3
    assert np.mean(np.array(worst) > 1) > 0.5


def chance_of_violation(bound, errors, audited, rows):
    """Summed over what may be found; bounds rise with what is found in each stratum."""
    laws = [hypergeom(n, e, m) for n, e, m in zip(rows, errors, audited, strict=True)]
    chance, second = 0.0, audited[1]
    for first in range(audited[0] + 1):
        while second >= 0 and bound((first, second), audited, rows, 0.1) >= sum(errors):
            second -= 1
        chance += laws[0].pmf(first) * laws[1].cdf(second)
    return chance


@pytest.mark.parametrize(
    ("method", "audited", "expected"),
    [
        ("fisher", (220, 80), 0.035),
        ("fisher", (280, 20), 0.026),
        ("thinned", (220, 80), 0.003),
        ("thinned", (280, 20), 0.002),
    ],
)
def test_two_groups(method, audited, expected):
    """With 3 and 43 % of errors."""

    def bound(*sample):
        return stratified_upper_bound(*sample, method=method)

    chance = chance_of_violation(bound, (37, 120), audited, (1318, 279))
    assert abs(chance - expected) < 0.001


def test_two_groups_as_if_uniform():
    """The control: where the second group is audited less, its errors are overlooked."""
    chance = chance_of_violation(as_if_uniform, (37, 120), (280, 20), (1318, 279))
    assert abs(chance - 0.983) < 0.001


@pytest.mark.slow
def test_forty_strata():
    """Audited the least where there are most errors; the control is as if uniform."""
    rng = np.random.default_rng(0)
    rows = rng.integers(20, 80, 40)
    errors = rng.binomial(rows, np.linspace(0.01, 0.3, 40))
    audited = neyman_allocation(rows, np.linspace(0.3, 0.01, 40), 800)
    found = rng.hypergeometric(errors, rows - errors, audited, size=(2000, 40))
    bounds = np.array([stratified_upper_bound(x, audited, rows, 0.1) for x in found])
    assert np.mean(bounds < errors.sum()) < 0.01
    assert bounds.mean() < 1.7 * errors.sum()
    naive = total_upper_bound(found.sum(axis=1), audited.sum(), rows.sum(), 0.1)
    assert np.mean(naive < errors.sum()) > 0.4


# A data set to be finished


@pytest.mark.parametrize(
    ("fraction", "tolerated", "delta", "expected"),
    [
        (0.1, 60, 0.1, 2),
        (0.1, 8, 0.5, -1),  # fewer than one kept error is expected
        (0.1, 9, 0.34, -1),  # .9**10 is .3487
        (0.1, 9, 0.35, 0),
        (0.5, 0, 0.5, -1),
        (0.5, 3, 0.1, 0),  # .5**4 is below
        (0.5, 3, 0.0625, -1),  # and at this level, equal
        (0.5, 3, 0.06251, 0),
    ],
)
def test_tolerated_kept_errors(fraction, tolerated, delta, expected):
    found = tolerated_kept_errors(fraction, tolerated, delta)
    assert type(found) is int
    assert found == expected


def tolerated_by_definition(fraction, tolerated, delta):
    """The largest count below the mean by one whose binomial tail is below delta."""
    best = -1
    for a in range(40):
        n = tolerated + 1 + a
        tail = sum(
            comb(n, j) * fraction**j * (1 - fraction) ** (n - j) for j in range(a + 1)
        )
        if a <= fraction * n - 1 and tail < delta:
            best = a
    return best


def test_tolerated_kept_errors_in_fractions():
    tolerated = [0, 1, 2, 3, 5, 8, 12]
    for fraction in (Fraction(1, 10), Fraction(2, 7), Fraction(1, 2), Fraction(3, 4)):
        for delta in DELTAS:
            expected = [
                tolerated_by_definition(fraction, t, Fraction(repr(delta)))
                for t in tolerated
            ]
            found = tolerated_kept_errors(fraction, tolerated, delta)
            assert_array_equal(found, expected)
    assert max(expected) > 20


def test_tolerated_kept_errors_of_arrays():
    found = tolerated_kept_errors(0.1, [[20], [60], [200]], [0.05, 0.1])
    assert found.dtype == np.int64
    assert_array_equal(found, [[-1, -1], [2, 2], [14, 15]])
    assert tolerated_kept_errors(0.1, []).shape == (0,)
    billions = tolerated_kept_errors(0.1, 2**51, 0.1) / 2**51
    assert 1 / 9 - 1e-6 < billions < 1 / 9


def kept_sets(strata, audited, rate):
    """Chance of each set of rows that are kept: every audit, and every coin."""
    chances = [{frozenset(): Fraction(1)}]
    for s, m in enumerate(audited):
        rows = [row for row, own in enumerate(strata) if own == s]
        coin = rate * Fraction(len(rows), m)
        own = dict.fromkeys(powerset(rows), Fraction(0))
        for drawn in combinations(rows, m):
            for kept in powerset(drawn):
                chance = coin ** len(kept) * (1 - coin) ** (m - len(kept))
                own[kept] += chance / comb(len(rows), m)
        chances.append({kept: chance for kept, chance in own.items() if chance})
    joint = {frozenset(): Fraction(1)}
    for own in chances:
        joint = {
            both | kept: chance * more
            for both, chance in joint.items()
            for kept, more in own.items()
        }
    return joint


def powerset(rows):
    return [frozenset(c) for k in range(len(rows) + 1) for c in combinations(rows, k)]


def accepts_too_much(errors, shown, tolerated, most):
    """Whether more errors than tolerated, not shown, come before the one that stops."""
    seen = accepted = 0
    for row in errors:
        if row in shown:
            seen += 1
            if seen == most + 1:
                break
        else:
            accepted += 1
    return most >= 0 and accepted > tolerated


def worst_finish(strata, audited, rate, rule):
    """Largest violation over delta, over all truths, of counts that a rule tolerates."""
    laws, worst = kept_sets(strata, audited, rate), 0.0
    assert sum(laws.values()) == 1
    for tolerated in range(len(strata) - sum(audited)):
        for delta in DELTAS:
            most = rule(tolerated, delta)
            if most < 0:
                continue
            for errors in map(sorted, powerset(range(len(strata)))):
                wrong = sum(
                    chance
                    for shown, chance in laws.items()
                    if accepts_too_much(errors, shown, tolerated, most)
                )
                worst = max(worst, float(wrong) / delta)
    return worst


FINISHES = [
    ("abababab", (3, 2)),
    ("aabbbbba", (2, 2)),
    ("bbbaaaaa", (2, 2)),
    ("abcabcaa", (1, 1, 1)),
]


@pytest.mark.parametrize(("letters", "audited"), FINISHES)
def test_every_truth_every_audit_and_every_coin(letters, audited):
    strata = ["abc".index(letter) for letter in letters]
    rate = min(Fraction(m, strata.count(s)) for s, m in enumerate(audited))

    def rule(tolerated, delta):
        return tolerated_kept_errors(rate, tolerated, delta)

    assert 0.5 < worst_finish(strata, audited, rate, rule) <= 1

    # The control: what a uniform audit of that size may show, and no sooner.
    def uniform(tolerated, delta):
        unaudited = len(strata) - sum(audited)
        return tolerated_audit_errors(sum(audited), unaudited, tolerated, delta)

    assert worst_finish(strata, audited, rate, uniform) > 2


@pytest.mark.slow
def test_finished_by_simulation():
    """2000 rows, errors in the stratum that is audited less, which is kept in full."""
    rng = np.random.default_rng(0)
    rows, audited, tolerated = (1500, 500), (150, 200), 60
    errors = np.sort(rng.choice(1500, 300, replace=False))
    ours = tolerated_kept_errors(Fraction(1, 10), tolerated)
    naive = tolerated_audit_errors(sum(audited), sum(rows) - sum(audited), tolerated)
    failed = np.zeros(2)
    for _ in range(5000):
        shown = np.isin(errors, rng.permutation(1500)[:150])
        for i, most in enumerate([ours, naive]):
            cut = np.append(np.flatnonzero(shown), len(errors))[most]
            failed[i] += np.sum(~shown[:cut]) > tolerated
    assert failed[0] / 5000 < 0.1
    assert failed[1] / 5000 > 0.5


# How to spread labels


def test_neyman_by_its_known_answer():
    labels = neyman_allocation((1318, 279), (0.07, 0.259), 300)
    assert labels.dtype == np.int64
    assert_array_equal(labels, [220, 80])


def variance(rows, labels, guesses):
    """Of the number of errors, estimated by group and added up; labels by whole rows."""
    return sum(
        Fraction(n * n, k) * guess * (1 - guess)
        for n, k, guess in zip(rows, labels, guesses, strict=True)
    )


@pytest.mark.parametrize(
    ("rows", "percent"),
    [((40, 60, 25), (5, 20, 50)), ((12, 200, 30), (50, 1, 10)), ((14, 14), (3, 3))],
)
def test_no_allocation_is_better(rows, percent):
    guesses = [Fraction(p, 100) for p in percent]
    for n_labels in range(10 * len(rows), min(sum(rows), 80) + 1):
        labels = neyman_allocation(rows, [float(g) for g in guesses], n_labels)
        assert labels.sum() == n_labels
        every = product(*(range(10, n + 1) for n in rows[:-1]))
        best = min(
            variance(rows, (*first, n_labels - sum(first)), guesses)
            for first in every
            if 10 <= n_labels - sum(first) <= rows[-1]
        )
        assert variance(rows, labels.tolist(), guesses) == best


def test_neyman_at_its_limits():
    assert_array_equal(neyman_allocation([1000, 4, 0], 0.1, 100), [96, 4, 0])
    assert_array_equal(neyman_allocation([1000, 1000], [0, 0], 100), [50, 50])
    # All guesses below .01 are the same, and so are those above .5.
    assert_array_equal(neyman_allocation([1000, 1000], [0, 0.01], 100), [50, 50])
    assert_array_equal(neyman_allocation([1000, 1000], [0.5, 0.9], 100), [50, 50])
    assert_array_equal(neyman_allocation([1000, 10], [0, 1], 1010), [1000, 10])
    assert_array_equal(neyman_allocation([1000, 30], [0, 1], 20), [10, 10])


# Bad input


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"n_found": [3, -1]}, "n_found must be integer counts from 0"),
        ({"n_found": [3, 81]}, "n_found must be at most n_audited, got n_found=81"),
        (
            {"n_audited": [220, 280]},
            "n_audited must be at most n_rows, got n_audited=280",
        ),
        (
            {"n_found": 3, "n_audited": 5, "n_rows": 9},
            "n_rows must be counts of at least",
        ),
        ({"n_rows": [[1318, 279]]}, "n_rows must be counts of at least one stratum"),
        ({"delta": 0}, r"delta must be in the open interval \(0, 1\), got 0"),
        ({"delta": [0.1, 0.1]}, r"delta must be in the open interval \(0, 1\), got"),
        ({"method": "lancaster"}, r"method must be one of \['auto', .* got 'lancaster'"),
    ],
)
def test_bad_strata(changed, message):
    right = {"n_found": [3, 8], "n_audited": [220, 80], "n_rows": [1318, 279]}
    with pytest.raises(ValueError, match=message):
        stratified_upper_bound(**{**right, "delta": 0.1, **changed})


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"kept_fraction": 1}, r"kept_fraction must be in the open .* got 1"),
        ({"kept_fraction": [0.1]}, r"kept_fraction must be in the open .* got \[0.1\]"),
        ({"n_tolerated": -1}, "n_tolerated must be integer counts from 0"),
        ({"n_tolerated": 0.5}, "n_tolerated must be integer counts .* got 0.5"),
        ({"delta": 1}, r"delta must be in the open interval \(0, 1\), got 1"),
    ],
)
def test_bad_thinning(changed, message):
    right = {"kept_fraction": 0.1, "n_tolerated": 60, "delta": 0.1}
    with pytest.raises(ValueError, match=message):
        tolerated_kept_errors(**right | changed)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"n_rows": 100}, "n_rows must be counts of at least one group, .* got 100"),
        ({"n_rows": [100, -1]}, "n_rows must be integer counts from 0"),
        (
            {"expected_error": [0.1]},
            r"expected_error must be one number in \[0, 1\], or 2",
        ),
        ({"expected_error": 1.1}, "expected_error must be one number .* got 1.1"),
        ({"expected_error": "0"}, "expected_error must be one number .* got '0'"),
        ({"n_labels": 19}, "n_labels must be an integer from 20 to 300, got 19"),
        ({"n_labels": 301}, "n_labels must be an integer from 20 to 300, got 301"),
    ],
)
def test_bad_groups(changed, message):
    right = {"n_rows": [100, 200], "expected_error": [0.1, 0.2], "n_labels": 60}
    with pytest.raises(ValueError, match=message):
        neyman_allocation(**right | changed)
