"""Exact ratios as floats, rounded so that a bound is never better than it is."""

from fractions import Fraction
from math import inf, nextafter

from ..utils._checks import exact_decimal


def float_below(ratio: Fraction) -> float:
    """The float next to a ratio of which the decimal that is printed is not above it."""
    nearest = float(ratio)
    return nearest if exact_decimal(nearest) <= ratio else nextafter(nearest, -inf)


def float_above(ratio: Fraction) -> float:
    """The float next to a ratio of which the decimal that is printed is not below it."""
    nearest = float(ratio)
    return nearest if exact_decimal(nearest) >= ratio else nextafter(nearest, inf)
