"""Weights as exact ratios, and their lengths in bits."""

from fractions import Fraction
from math import log2


def length_in_bits(weight: Fraction) -> float:
    """Length of a description of this weight: minus its base-2 logarithm.

    Powers of two are taken out first: both terms may be longer than any float.
    """
    shift = weight.denominator.bit_length() - weight.numerator.bit_length()
    return shift - log2(weight * Fraction(2) ** shift)
