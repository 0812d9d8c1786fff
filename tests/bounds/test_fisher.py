"""Totals from one sample, and from independent samples of strata."""

from fractions import Fraction
from itertools import product
from math import comb, prod

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_pacmdl.bounds import _strata, bmax, total_upper_bound
from sklearn_pacmdl.bounds._strata import fisher_upper_bound


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


def test_known_answers():
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


DESIGNS = [
    ((3, 5), (1, 2)), ((4, 4), (2, 2)), ((2, 6), (1, 3)), ((2, 2, 3), (1, 1, 2)),
    ((5, 3), (4, 1)),
]  # fmt: skip


def violations(rows, audited, bound):
    """For all numbers of errors, the probability that their sum is above the bound."""
    found = list(product(*(range(m + 1) for m in audited)))
    bounds = [bound(x) for x in found]
    for errors in product(*(range(n + 1) for n in rows)):
        total = Fraction(0)
        for x, most in zip(found, bounds, strict=True):
            if sum(errors) > most:
                ways = Fraction(1)
                for E, n, m, j in zip(errors, rows, audited, x, strict=True):
                    ways *= Fraction(comb(E, j) * comb(n - E, m - j), comb(n, m))
                total += ways
        yield total


@pytest.mark.parametrize("delta", [Fraction(1, 20), Fraction(1, 10), Fraction(3, 10)])
def test_fails_at_most_as_often_as_it_may(delta):
    worst, naive = Fraction(0), Fraction(0)
    for rows, audited in DESIGNS:

        def fisher(x, audited=audited, rows=rows):
            return fisher_upper_bound(x, audited, rows, float(delta))

        def as_if_uniform(x, audited=audited, rows=rows):
            return total_upper_bound(sum(x), sum(audited), sum(rows), float(delta))

        worst = max(worst, *violations(rows, audited, fisher))
        naive = max(naive, *violations(rows, audited, as_if_uniform))
    assert worst <= delta
    assert naive > delta  # the control: unequal fractions are taken for one sample
