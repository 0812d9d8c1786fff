"""Weights as exact ratios, and their lengths in bits."""

from fractions import Fraction
from math import floor, log2

# Of a weight that is no ratio: what rounding of its logarithm may amount to, and more.
_MARGIN = 1 - 1e-9


def length_in_bits(weight: Fraction) -> float:
    """Length of a description of this weight: minus its base-2 logarithm.

    Powers of two are taken out first: both terms may be longer than any float.
    """
    numerator, denominator = weight.as_integer_ratio()
    shift = denominator.bit_length() - numerator.bit_length()
    if shift >= 0:
        return shift - log2((numerator << shift) / denominator)
    return shift - log2(numerator / (denominator << -shift))


def weight_of_length(bits: float) -> Fraction:
    """A ratio that is at most the weight of a description of this length.

    Its denominator is a power of 2, and it is less by a part in 10**8 at most.
    """
    shift = floor(bits)
    numerator = floor(2.0 ** (32 + shift - bits) * _MARGIN)
    return Fraction(numerator, 2 ** (32 + shift))
