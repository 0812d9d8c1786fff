"""Audits of strata: bounds, errors tolerated, and labels spread by Neyman's rule."""

from fractions import Fraction
from functools import cache
from itertools import product
from math import comb, prod

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sklearn_pacmdl.bounds import (
    _strata,
    bmax,
    bucket,
    stratified_upper_bound,
    total_upper_bound,
)
from sklearn_pacmdl.bounds._strata import fisher_upper_bound

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
    for n_even, n_uneven, method in [
        (1, 0, "fisher"),
        (4, 0, "pooled"),
        (5, 0, "pooled"),
        (2, 2, "fisher"),
        (2, 3, "thinned"),
    ]:
        n_strata = n_even + n_uneven
        found, rows = [1] * n_strata, [100] * n_strata
        audited = [20] * n_even + [12] * n_uneven
        bound = stratified_upper_bound(found, audited, rows, 0.1)
        for other in {"fisher", "thinned", "pooled"}:
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


@settings(max_examples=40)
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


# --- Fisher's method, also of weighted strata -----------------------------------------


def at_most(x, m, N, E):
    """Probability of at most x errors in m of N rows of which E are errors, exactly."""
    ways = sum(
        comb(E, j) * comb(N - E, m - j)
        for j in range(max(0, m - N + E), min(x, E, m) + 1)
    )
    return Fraction(ways, comb(N, m))


def level(delta, n_strata):
    """The product of so many uniform numbers that is not reached with this probability.

    Of the tail of Gamma(n_strata) in its closed form, by bisection.
    """
    with mpmath.workdps(40):

        def tail(c):
            return mpmath.exp(-c) * sum(
                c**j / mpmath.factorial(j) for j in range(n_strata)
            )

        low, high = mpmath.mpf(0), mpmath.mpf(1000)
        for _ in range(120):
            middle = (low + high) / 2
            low, high = (
                (middle, high)
                if tail(middle) > mpmath.mpf(repr(delta))
                else (low, middle)
            )
        return mpmath.exp(-low)


def brute_force(x, m, N, delta, weights=None):
    """The largest total that is not refuted, over all ways to spread the errors."""
    weights = weights or [1] * len(N)
    tested = sum(0 < a < n for a, n in zip(m, N, strict=True))
    least = level(delta, tested)
    tails = [
        {E: at_most(a, b, n, E) for E in range(a, n - b + a + 1)}
        for a, b, n in zip(x, m, N, strict=True)
    ]
    best = 0
    for errors in product(*tails):
        p = Fraction(1)
        for own, E in zip(tails, errors, strict=True):
            p *= own[E]
        with mpmath.workdps(40):
            if mpmath.mpf(p.numerator) / p.denominator >= least:
                total = sum(w * E for w, E in zip(weights, errors, strict=True))
                best = max(best, total)
    return best


def test_known_answers_of_fisher():
    assert total_upper_bound(3, 50, 500, 0.05) == 71
    assert total_upper_bound(11, 300, 1597, 0.1) == 84
    assert fisher_upper_bound((3, 8), (220, 80), (1318, 279), 0.1) == 75
    rows = (500, 400, 300)
    weights = [Fraction(1, 3 * n) for n in rows]
    rate = fisher_upper_bound((3, 8, 1), (50, 60, 40), rows, 0.1, weights=weights)
    assert rate == 0.1238888888888889


def test_totals_of_arrays():
    x = np.array([[0], [3]])
    upper = total_upper_bound(x, 50, 500, [0.1, 0.05])
    assert upper.tolist() == [[bmax(50, 450, 0, d) for d in (0.1, 0.05)], [62, 71]]
    assert isinstance(total_upper_bound(3, 50, 500, 0.1), int)


@pytest.mark.parametrize("delta", [0.3, 0.1, 0.01])
@pytest.mark.parametrize(
    ("audited", "rows"), [((3, 2), (7, 9)), ((1, 5), (9, 6)), ((2, 2, 3), (4, 5, 6))]
)
def test_against_all_ways_to_spread_the_errors(audited, rows, delta):
    weights = [Fraction(1 + i, 3) for i in range(len(rows))]
    for found in product(*(range(m + 1) for m in audited)):
        assert fisher_upper_bound(found, audited, rows, delta) == brute_force(
            found, audited, rows, delta
        )
        weighted = fisher_upper_bound(found, audited, rows, delta, weights=weights)
        best = brute_force(found, audited, rows, delta, weights)
        # Rounded to a float, which may be a unit in the last place above.
        assert float(best) <= weighted <= float(best + max(weights)) * (1 + 1e-15)


@pytest.mark.parametrize(
    ("found", "audited", "rows"),
    [
        ((0, 1), (3, 2), (7, 9)),
        ((1, 0), (1, 5), (9, 6)),
        ((0, 1, 0), (2, 2, 3), (4, 5, 6)),
    ],
)
def test_what_nearly_refutes_a_total_does_not(found, audited, rows):
    """Levels within rounding errors of what speaks against a total are on its side."""
    tails = [
        {E: at_most(a, m, n, E) for E in range(a, n - m + a + 1)}
        for a, m, n in zip(found, audited, rows, strict=True)
    ]
    likeliest = {}
    for errors in product(*tails):
        p = prod(own[E] for own, E in zip(tails, errors, strict=True))
        likeliest[sum(errors)] = max(likeliest.get(sum(errors), 0), p)
    k, seen = len(rows), sum(found)
    for total, p in likeliest.items():
        if total == seen:
            continue
        for nudge, least in ((1e-13, total), (-1e-11, total), (-1e-6, total - 1)):
            with mpmath.workdps(40):
                c = -mpmath.log(mpmath.mpf(p.numerator) / p.denominator) * (1 + nudge)
                terms = (c**j / mpmath.factorial(j) for j in range(k))
                delta = float(mpmath.exp(-c) * sum(terms))
            if 0 < delta < 1:
                assert fisher_upper_bound(found, audited, rows, delta) == least


def test_strata_that_teach_nothing_cost_nothing():
    """No row audited: all rows may be errors. All audited: what was found."""
    alone = total_upper_bound(3, 50, 500, 0.1)
    assert fisher_upper_bound([3], [50], [500], 0.1) == alone
    assert fisher_upper_bound([3, 0, 7], [50, 0, 20], [500, 11, 20], 0.1) == alone + 18
    assert fisher_upper_bound([0, 2], [0, 4], [5, 4], 0.1) == 7
    assert fisher_upper_bound([0, 0], [0, 0], [0, 3], 0.1) == 3
    # Where all audited rows are errors, all rows may be.
    assert fisher_upper_bound([4, 5], [4, 5], [30, 40], 0.1) == 70


@given(data=st.data())
def test_the_bracket_does_not_change_the_bound(data):
    """Rows are sorted at once, or first narrowed down to a few."""
    n_strata = data.draw(st.integers(2, 6))
    rows = [data.draw(st.integers(1, 300)) for _ in range(n_strata)]
    audited = [data.draw(st.integers(0, n)) for n in rows]
    found = [data.draw(st.integers(0, m)) for m in audited]
    weights = data.draw(st.sampled_from([None, [1 / n for n in rows]]))
    delta = data.draw(st.sampled_from([1e-300, 1e-9, 0.1, 0.9]))
    bound = fisher_upper_bound(found, audited, rows, delta, weights=weights)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_strata, "_MOST_SORTED", 1)
        assert fisher_upper_bound(found, audited, rows, delta, weights=weights) == bound
    assert sum(found) <= (bound if weights is None else np.inf)


def test_thousands_of_audited_rows():
    """The next total, of all its divisions among two strata, is the first refuted."""
    found, audited, rows = (30, 12), (2000, 1500), (20_000, 9000)
    total = fisher_upper_bound(found, audited, rows, 0.1)
    for unaudited in (total - 42, total - 41):
        first = np.arange(unaudited + 1)
        tails = bucket(2000, 18_000, 30, first), bucket(1500, 7500, 12, first[::-1])
        reached = np.max(tails[0] * tails[1]) >= float(level(0.1, 2))
        assert reached == (unaudited + 42 == total)


def test_a_thousand_million_rows():
    """What is narrowed down is still refuted at the next row, and not before."""
    found, audited, rows = (30, 2), (2000, 1500), (10**9, 7 * 10**8)
    total = fisher_upper_bound(found, audited, rows, 0.1)
    assert total == pytest.approx(2.42e7, rel=0.1)
    assert total < fisher_upper_bound((31, 2), audited, rows, 0.1)
    smaller = fisher_upper_bound(found, audited, (10**6, 7 * 10**5), 0.1)
    assert 0.99 < 1000 * smaller / total < 1


def test_a_level_that_underflows():
    samples = [0, 0], [2000, 2000], [4000, 4000]
    assert fisher_upper_bound(*samples, 3e-308) < 2500
    assert fisher_upper_bound(*samples, 5e-324) == 4000
