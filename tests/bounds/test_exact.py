from decimal import localcontext
from fractions import Fraction
from itertools import product
from math import comb

import mpmath
import numpy as np
import oracles
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sklearn_pacmdl.bounds import _exact, pac_mdl_bound
from sklearn_pacmdl.bounds._exact import tail_reaches
from sklearn_pacmdl.bounds._tail import log_tail, tolerance

LEVELS = {Fraction(p, q) for q in range(2, 8) for p in range(1, q)}


def test_integers_decide_all_small_cases():
    """And the bound is the same from whichever guess."""
    for m, n in product(range(1, 6), repeat=2):
        for a in range(m):
            tails = [oracles.tail(m, n, a, b) for b in range(n + 1)]
            for level in LEVELS:
                reached = [tail >= level for tail in tails]
                for b in range(1, n + 1):
                    assert _exact._counted(m, n, a, b, level) == reached[b]
                bounds = {_exact.exact_bmax(m, n, a, level, b) for b in range(n + 1)}
                assert bounds == {sum(reached) - 1}


def test_enclosure_decides_a_part_in_a_million_off_any_tail():
    """On either side of the mean, and on either side of the tail."""
    part = Fraction(1, 10**6)
    for m, n in product(range(1, 7), repeat=2):
        for a, b in product(range(m), range(1, n + 1)):
            tail = oracles.tail(m, n, a, b)
            assert _exact._enclosed(m, n, a, b, tail * (1 - part)) is True
            assert _exact._enclosed(m, n, a, b, tail + (1 - tail) * part) is False


@pytest.mark.parametrize("x", [0, 1, 2, 999, 1000, 1001, 12_345, 10**6, 10**15])
def test_logarithms_of_factorials_have_forty_digits(x):
    with localcontext(prec=_exact._DIGITS):
        found = str(_exact._log_factorial(x))
    with mpmath.workdps(80):
        exact = mpmath.loggamma(x + 1)
        assert abs(mpmath.mpf(found) - exact) < 1e-46 + 1e-55 * exact


@pytest.mark.parametrize("x", [1, 2**256 - 1, 2**256, 2**300 + 1, 7**4000])
def test_logarithms_of_integers_of_any_size(x):
    with localcontext(prec=_exact._DIGITS):
        found = str(_exact._log_int(x))
    with mpmath.workdps(80):
        assert abs(mpmath.mpf(found) - mpmath.log(x)) < 1e-50


@pytest.mark.parametrize("m", [3, 40, 3000])
def test_exact_ties(m):
    """The enclosure must not decide a tie; the integers must, either way."""
    a, b = m // 3, m // 2
    tie = oracles.tail(m, m, a, b)
    above = tie + Fraction(1, 10**4000)
    assert _exact._enclosed(m, m, a, b, tie) is None
    assert tail_reaches(m, m, a, b, tie) is True
    assert tail_reaches(m, m, a, b, above) is False


@settings(max_examples=50)
@given(data=st.data())
def test_enclosure_decides_at_large_counts(data):
    """One error off the bound, the enclosure decides; against mpmath."""
    m, n = (data.draw(st.integers(20_000, 10**12)) for _ in range(2))
    a = int(m * data.draw(st.sampled_from([0.0, 1e-5, 0.01, 0.4])))
    bits = data.draw(st.integers(0, 3000))
    level = Fraction(1, 10 * 2**bits)
    b = pac_mdl_bound(m, n, a, description_length=bits)
    if 1 < b < n:
        assert tail_reaches(m, n, a, b - 1, level) is True
        assert tail_reaches(m, n, a, b + 1, level) is False


def test_what_cannot_be_decided_counts_as_reached(monkeypatch):
    """A tie, where there are too many rows for integers: the bound is the larger one."""
    monkeypatch.setattr(_exact, "QUICK", 0)
    tie = oracles.tail(40, 40, 13, 20)
    assert tail_reaches(40, 40, 13, 20, tie) is None
    assert {_exact.exact_bmax(40, 40, 13, tie, guess) for guess in (0, 19, 40)} == {20}


@pytest.mark.parametrize("end", [0, 1])
def test_enclosure_allows_for_the_error_of_logarithms(end):
    """It is certain of levels outside of it by a part in 10**25, not in 10**35."""
    m, n, a, b = 30, 50, 4, 20
    head = Fraction(comb(m, a) * comb(n, b), comb(m + n, a + b))
    level = head * Fraction(_exact._ratio_sum(m, n, a, b)[end])
    outside = 2 * end - 1
    near, far = (level * (1 + outside * Fraction(1, 10**k)) for k in (35, 25))
    assert _exact._enclosed(m, n, a, b, near) is None
    assert _exact._enclosed(m, n, a, b, far) is (end == 0)


def check_sum(m, n, a, b):
    """The enclosure has the sum within, and is narrow, or little could be decided."""
    low, high = _exact._ratio_sum(m, n, a, b)
    with mpmath.workdps(50):
        exact = term = mpmath.mpf(1)
        for j in range(min(a, n - b)):
            term *= mpmath.mpf((a - j) * (n - b - j))
            term /= (m - a + 1 + j) * (b + 1 + j)
            exact += term
        assert low <= exact <= high
    assert high - low < 1e-11 * low


def test_enclosure_contains_the_sum():
    rng = np.random.RandomState(0)
    for _ in range(200):
        m, n = rng.randint(1, 300, size=2).tolist()
        check_sum(m, n, int(rng.randint(0, m)), int(rng.randint(1, n + 1)))


@pytest.mark.parametrize("block", [1, 7, 64])
def test_enclosure_contains_sums_that_are_cut_off(block, monkeypatch):
    """What is left out after any block is below a geometric series, which is added."""
    monkeypatch.setattr(_exact, "_BLOCK", block)
    rng = np.random.RandomState(block)
    for _ in range(25):
        m, n = rng.randint(500, 4000, size=2).tolist()
        a = int(rng.randint(1, m // 2))
        check_sum(m, n, a, min(n, a * n // m + int(rng.randint(1, 60))))


@pytest.mark.parametrize("counts", [(30_000, 20_000, 7, 0), (30_000, 20_000, 30_000, 9)])
def test_what_is_certain_reaches_no_level_above_one(counts):
    """No errors needed, or all labeled rows wrong, where integers would be slow."""
    assert tail_reaches(*counts, Fraction(1)) is True
    assert tail_reaches(*counts, 1 + Fraction(1, 10**30)) is False


def test_levels_below_the_range_of_floats():
    """300 clusters, 20 classes: a level of 1e-391."""
    level = Fraction(1, 10 * 20**300)
    b = pac_mdl_bound(2500, 2500, 100, description_length=300 * np.log2(20))
    assert tail_reaches(2500, 2500, 100, b, level) is True
    assert tail_reaches(2500, 2500, 100, b + 1, level) is False


# --- What floats get wrong, and by how much ---------------------------------------------


def test_tolerance_is_well_above_the_error_of_tails():
    """Twice it, where it was measured to be three times, however the tail is summed."""
    rng = np.random.RandomState(1)
    cases = []
    for _ in range(120):
        m, n = (int(10 ** rng.uniform(0, 6)) for _ in range(2))
        a = int(m * rng.uniform(0, 0.8) ** 2)
        b = int(np.clip(a * n / m * rng.uniform(0.9, 1.1) + rng.randint(3), 1, n))
        cases.append((m, n, a, b))
    m, n, a, b = np.array(cases, dtype=float).T
    tail, _ = log_tail(m, n, a, b)
    error = [abs(t - oracles.log_tail(*c)) for t, c in zip(tail, cases, strict=True)]
    assert np.all(2 * np.array(error, dtype=float) <= tolerance(m + n, tail, tail))


@pytest.mark.parametrize("above", [1.001, 1.01, 1.02, 1.04, 1.06, 1.065])
@pytest.mark.parametrize("a", [150_000, 400_000])
def test_tolerance_of_tails_that_are_integrated(a, above):
    """Beyond 512 terms, up to where they fall so fast that all corrections count."""
    m, b = 1_000_000, int(a * above)
    tail, _ = log_tail(*np.array([[m], [m], [a], [b]], dtype=float))
    error = float(abs(tail[0] - oracles.log_tail(m, m, a, b)))
    assert 2 * error <= tolerance(2 * m, tail[0], tail[0])
