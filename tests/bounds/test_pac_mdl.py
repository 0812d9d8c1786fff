import math
from bisect import bisect_right
from decimal import Decimal
from fractions import Fraction
from itertools import product
from operator import neg

import mpmath
import numpy as np
import oracles
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy.stats import hypergeom

from sklearn_pacmdl.bounds import bmax, bucket, log_chance, pac_mdl_bound

DELTAS = [0.1, 0.05, 0.01, 1e-3, 1e-8, 0.2, 0.25, 0.3, 0.5, 0.75, 0.9, 0.999]
# Floats nearest to tails that occur: the decimal printed is at times above the tail.
DELTAS += [1 / 3, 2 / 3, 1 / 6, 5 / 6, 1 / 1771, 11 / 50]


@pytest.mark.parametrize(
    ("counts", "divisors", "expected"),
    [
        ((1430, 1430, 5), [4, 40, 80, 480], [14, 19, 20, 24]),
        ((1500, 1500, 45), [27, 270, 1620], [74, 83, 89]),
    ],
)
def test_known_answers(counts, divisors, expected):
    assert_array_equal(bmax(*counts, 0.1 / np.array(divisors)), expected)
    bits = np.log2(divisors)  # of the divisors 480 and 27, the paper prints the rates
    assert_array_equal(pac_mdl_bound(*counts, description_length=bits), expected)


@pytest.mark.parametrize(
    ("size", "power", "expected"),
    [
        (1e3, 1, 118),
        (1e3, 30, 302),
        (1e3, 400, 969),
        (1e5, 400, 16_459),
        (1e7, 400, 1_058_168),
        (1e9, 1, 100_017_195),
        (1e9, 400, 100_575_093),
    ],
)
def test_known_answers_beyond_scipy(size, power, expected):
    """Levels 10**-power with a tenth of the labeled rows wrong, up to N = 2e9."""
    bits = (power - 1) * math.log2(10)
    bound = pac_mdl_bound(size, size, size / 10, description_length=bits, delta=0.1)
    assert bound == expected


def test_all_small_cases_against_fractions():
    """Every m, n <= 25 and every a, at 18 levels with exact ties among them."""
    cases, expected, ties = [], [], 0
    levels = [Fraction(repr(delta)) for delta in DELTAS]
    for m, n in product(range(26), repeat=2):
        for a in range(m + 1):
            tails = [oracles.tail(m, n, a, b) for b in range(n + 1)]  # they fall
            for delta, level in zip(DELTAS, levels, strict=True):
                bound = bisect_right(tails, -level, key=neg) - 1
                cases.append((m, n, a, delta))
                expected.append(bound)
                ties += tails[bound] == level
    m, n, a, delta = np.array(cases).T
    assert_array_equal(bmax(m, n, a, delta), expected)
    assert ties > 500


def test_small_tails_against_fractions():
    counts = [
        (m, n, a, b)
        for m, n in product(range(9), repeat=2)
        for a, b in product(range(m + 1), range(n + 1))
    ]
    expected = [float(oracles.tail(*c)) for c in counts]
    np.testing.assert_allclose(bucket(*np.array(counts).T), expected, rtol=1e-13)


def crosses(m, n, a, b, delta, bits=0):
    """Whether b is the bound, or one above it where the tail is within rounding."""
    with mpmath.workdps(40):
        level = mpmath.log(mpmath.mpf(repr(delta))) - mpmath.mpf(bits) * mpmath.log(2)
    assert b == n or oracles.log_tail(m, n, a, b + 1) < level
    assert b <= 1 or oracles.log_tail(m, n, a, b - 1) >= level
    return level


@settings(max_examples=60)
@given(data=st.data())
def test_extreme_cases_against_mpmath(data):
    """Never below the truth, at most one above: N up to 2e12, 1e6 bits."""
    count = st.integers(0, 12).flatmap(lambda e: st.integers(1, 10**e))
    m, n = data.draw(count, "m"), data.draw(count, "n")
    share = data.draw(st.sampled_from([0, 1e-6, 1e-3, 0.05, 0.3, 0.9]), "share")
    a = int(share * m)
    bits = data.draw(st.one_of(st.just(0.0), st.floats(0, 60), st.floats(0, 1e6)), "bits")
    delta = data.draw(st.sampled_from([0.1, 1e-6, 0.5, 0.9]), "delta")
    crosses(
        m, n, a, pac_mdl_bound(m, n, a, description_length=bits, delta=delta), delta, bits
    )


@pytest.mark.parametrize("exponent", [4, 8, 12])
@pytest.mark.parametrize("bits", [0, 100, 1e4, 1e6])
def test_half_the_rows_at_every_scale(exponent, bits):
    m = 10**exponent
    for a in (0, m // 1000, m // 10):
        b = pac_mdl_bound(m, m, a, description_length=bits)
        assert 1 < b <= m
        crosses(m, m, a, b, 0.1, bits)


@pytest.mark.parametrize(
    ("m", "n", "a", "delta"),
    [
        # Tails above a half, of more terms than are summed one by one.
        *((m, m, m // 2, delta) for m in (60_000, 209_255_424) for delta in (0.6, 0.9)),
        (1340, 1440, 1, 4.4e-323),  # printed so, but its double is 1 % away
    ],
)
def test_deltas_of_any_size_against_mpmath(m, n, a, delta):
    b = bmax(m, n, a, delta)
    assert crosses(m, n, a, b, delta) <= oracles.log_tail(m, n, a, b)


def test_the_oracle_of_tails_above_a_half():
    b = np.arange(29_700, 30_000, 50)
    found = [float(oracles.log_tail(60_000, 60_000, 30_000, int(each))) for each in b]
    expected = hypergeom.logcdf(30_000, 120_000, 30_000 + b, 60_000)
    np.testing.assert_allclose(found, expected, rtol=1e-7)


def log_tails(m, n, a, b):
    return log_chance(m + n, [m], a, a + np.atleast_1d(b))


def test_tails_against_mpmath_up_to_large_counts():
    rng = np.random.RandomState(0)
    for _ in range(100):
        m, n = (int(10 ** rng.uniform(0, 9)) for _ in range(2))
        a = int(m * rng.uniform(0, 0.8) ** 2)
        b = min(n, int(a * n / m * rng.uniform(1, 1.2)) + 1)
        (got,) = log_tails(m, n, a, b)
        want = oracles.log_tail(m, n, a, b)
        assert abs(got - want) <= 1e-12 * (1 + abs(want)), (m, n, a, b)


def test_levels_near_one_are_exact():
    """One row is labeled, and right: b others are wrong with probability 1 - b / N."""
    for b in (1, 2, 5):
        total = np.arange(20, 10_001, 3)
        delta = 1 - b / total
        lacking = [1 - Fraction(repr(value)) for value in delta.tolist()]
        exact = [math.floor(q * N) for q, N in zip(lacking, total.tolist(), strict=True)]
        assert_array_equal(bmax(1, total - 1, 0, delta), exact)


counts = st.integers(1, 4000)


@given(m=counts, n=counts, data=st.data())
def test_bound_is_monotone(m, n, data):
    a = data.draw(st.integers(0, m - 1))
    bits = data.draw(st.floats(0, 2000))
    more = data.draw(st.floats(0, 50))

    def bound(a, bits, delta=0.1):
        return pac_mdl_bound(m, n, a, description_length=bits, delta=delta)

    assert bound(a, bits) <= bound(a + 1, bits)
    assert bound(a, bits) <= bound(a, bits + more)
    assert bound(a, bits, delta=0.2) <= bound(a, bits, delta=0.1)
    assert 0 <= bound(a, bits) <= n


def test_delta_means_the_decimal():
    """The binary double 0.1 is above a tenth: taken at its word it would give 2."""
    assert bmax(2, 3, 0, 0.1) == 3
    assert bmax(2, 3, 0, np.nextafter(0.1, 1)) == 2


@pytest.mark.parametrize(
    ("counts", "delta"),
    [((40, 1000, 39), 1 - 2**-53), ((35, 289, 34), 1 - 1e-14), ((2, 400, 1), 4.4e-323)],
)
def test_extreme_delta(counts, delta):
    m, n, a = counts
    level = Fraction(repr(delta))
    tails = [oracles.tail(m, n, a, b) for b in range(n + 1)]
    assert bmax(m, n, a, delta) == max(b for b in range(n + 1) if tails[b] >= level)


def test_degenerate_counts():
    assert pac_mdl_bound(10, 10, 0, description_length=np.inf) == 10
    # Of 2**51 labeled rows, all right, against 10 others: none of these is wrong.
    assert bmax(2**51, 10, 0, 0.1) == 0
    assert bmax(10, 2**51, 10, 0.1) == 2**51


def test_scalars_give_int_and_arrays_broadcast():
    assert type(bmax(10, 10, 1, 0.1)) is int
    assert type(pac_mdl_bound(10, 10, 1)) is int
    assert isinstance(bucket(10, 10, 1, 3), float)
    bits = [0, 1, 2]
    bound = pac_mdl_bound(10, [[10], [20]], [0, 1, 2], description_length=bits, delta=0.1)
    assert bound.shape == (2, 3)
    assert bound.dtype == np.int64
    assert bound[1, 2] == pac_mdl_bound(10, 20, 2, description_length=2)
    assert pac_mdl_bound(10, 10, [], delta=0.1).shape == (0,)
    exact = {"description_length": Fraction(5), "delta": Fraction(1, 10)}
    assert pac_mdl_bound(1500, 1500, 45, **exact) == bmax(1500, 1500, 45, 0.1 / 32)
    assert bmax(1500, 1500, 45, Fraction(1, 10)) == pac_mdl_bound(1500, 1500, 45)


# One wrong element is enough, and the limits themselves are allowed


def refuse(message, *counts, **given):
    with pytest.raises((ValueError, TypeError), match=f"^{message}"):
        pac_mdl_bound(*counts, **given)


@pytest.mark.parametrize("bad", [-1, 0.5, 2**51 + 1, np.nan, np.inf, -np.inf])
def test_counts(bad):
    for value in (bad, [bad], [3, bad], [[bad, 3], [3, 3]]):
        refuse(r"n_train must be integer counts from 0 to 2\*\*51", value, 5, 0)
    refuse(r"n_test must be integer counts from 0 to 2\*\*51", [1, 2], [2, bad], 0)


@pytest.mark.parametrize("bad", ["3", True, None, 1j, [True, False], ["a"], Fraction(3)])
def test_what_is_no_count(bad):
    refuse("n_train must be", bad, 5, 0)


def test_the_first_count_above_its_limit_is_named():
    limits = [[3, 3], [3, 7]]
    assert pac_mdl_bound(limits, 5, limits).shape == (2, 2)
    for errors, named in (([[3, 4], [9, 7]], (4, 3)), ([[0, 0], [0, 8]], (8, 7))):
        got = "got n_train_errors={} and n_train={}".format(*named)
        refuse(f"n_train_errors must be at most n_train, {got}", limits, 5, errors)


@pytest.mark.parametrize(
    "bad", [0, 1, -0.1, 1.1, np.nan, np.inf, 10**400, "0.5", None, 0.5j, Decimal("0.5")]
)
def test_probabilities(bad):
    for value in (bad, [bad], [0.5, bad]):
        refuse("delta must be", 5, 5, 1, delta=value)


def test_probabilities_of_any_type():
    least, most = np.nextafter(0, 1), np.nextafter(1, 0)
    assert pac_mdl_bound(5, 5, 0, delta=[least, most]).tolist() == [5, 0]
    assert pac_mdl_bound(5, 5, 0, delta=np.float32([0.5])).shape == (1,)
    eighths = 0.125, Fraction(1, 8), np.array(Fraction(1, 8), dtype=object)
    assert len({int(pac_mdl_bound(15, 15, 4, delta=delta)) for delta in eighths}) == 1


@pytest.mark.parametrize("bad", [-1e-300, -1, np.nan, -np.inf, "3", None])
def test_lengths_in_bits(bad):
    for value in (bad, [bad], [3.0, bad]):
        refuse("description_length must be", 5, 5, 1, description_length=value)
    bounds = pac_mdl_bound(5, 5, 0, description_length=[0, 0.5, np.inf])
    assert bounds[2] == 5
