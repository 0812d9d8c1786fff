"""Weights as exact ratios, and their lengths in bits."""

from fractions import Fraction
from math import log2


def length_in_bits(weight: Fraction) -> float:
    """Length of a description of this weight: minus its base-2 logarithm."""
    return log2(weight.denominator) - log2(weight.numerator)
