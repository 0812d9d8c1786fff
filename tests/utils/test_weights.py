"""Weights as ratios: never above what they stand for."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_pacmdl.utils._weights import (
    length_in_bits,
    total_weight,
    weight_of_length,
    weights_of_nats,
)

finite = st.floats(-1e4, 1e4)


@given(st.lists(st.one_of(finite, st.just(-np.inf)), max_size=20), finite)
def test_softmax_is_rounded_down(nats, last):
    nats = [*nats, last]
    weights = weights_of_nats(nats)
    assert sum(weights) <= 1
    with mpmath.workdps(60):
        powers = [mpmath.exp(mpmath.mpf(x) - max(nats)) for x in nats]
        for weight, power in zip(weights, powers, strict=True):
            exact = power / sum(powers)
            if exact > mpmath.mpf(2) ** -9999:
                assert (1 - 1e-8) * exact <= mpmath.mpf(weight.numerator) / (
                    weight.denominator
                )


@pytest.mark.parametrize(
    ("n_weights", "spread"),
    [(100_000, 0.0), (100_000, 1e-9), (100_000, 1.0), (10_000, 1e3), (2_000, 1e300)],
)
def test_many_weights_sum_to_at_most_one(n_weights, spread):
    """Of as many as there may be, equal, nearly equal, and far apart."""
    nats = spread * np.random.default_rng(0).uniform(size=n_weights)
    weights = weights_of_nats(nats)
    finest = max(weight.denominator for weight in weights)  # all are powers of two
    total = sum(w.numerator * (finest // w.denominator) for w in weights)
    assert 1 - Fraction(1, 10**8) <= Fraction(total, finest) <= 1


@pytest.mark.parametrize("offset", [1e9, -1e9])
def test_large_nats_are_not_rounded_up(offset):
    """Only differences are rounded, which are small: 1e9 has a last place of 1e-7."""
    for n in range(1, 60):
        nats = offset + np.random.default_rng(n).uniform(size=n)
        assert 1 - Fraction(1, 10**8) <= sum(weights_of_nats(nats)) <= 1


def test_softmax_depends_on_differences_and_terms_are_multiplied():
    assert weights_of_nats([3.0, 1.0]) == weights_of_nats(np.array([0.0, -2.0]))
    assert weights_of_nats([7.0]) == [weight_of_length(0.0)]
    assert length_in_bits(weights_of_nats([0.0, -np.inf])[1]) == pytest.approx(10_000)
    assert total_weight({}) == 1
    assert total_weight(dict.fromkeys("ab", Fraction(1, 3))) == Fraction(1, 9)


@given(st.floats(0, 12_000))
def test_weights_of_lengths_are_rounded_down(bits):
    with mpmath.workdps(60):
        exact = mpmath.mpf(2) ** -mpmath.mpf(bits)
        weight = weight_of_length(bits)
        found = mpmath.mpf(weight.numerator) / weight.denominator
        assert (1 - 1e-8) * exact <= found <= exact


@given(st.fractions(min_value=Fraction(1, 10**300), max_value=10**300))
def test_lengths_are_logarithms(ratio):
    """Those of ratios above 1 are negative."""
    if ratio > 0:
        assert length_in_bits(ratio) == pytest.approx(
            float(-mpmath.log(mpmath.mpf(ratio.numerator) / ratio.denominator, 2)),
            rel=1e-12,
            abs=1e-12,
        )


@pytest.mark.parametrize("shift", [0, 1, 2, 1000, 100_000])
def test_lengths_of_powers_of_two_are_exact(shift):
    """However far beyond the range of floats."""
    assert length_in_bits(Fraction(1, 2**shift)) == shift
    assert length_in_bits(Fraction(2**shift)) == -shift
    assert length_in_bits(Fraction(3, 2**shift)) == pytest.approx(shift - np.log2(3))
