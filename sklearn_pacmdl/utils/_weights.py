"""Weights of descriptions as exact ratios: lengths and products."""

from collections.abc import Mapping
from fractions import Fraction
from math import floor, log2, prod

import numpy as np
from numpy.typing import ArrayLike

# Factor that lowers weights from floats. The rounding errors of the lengths from which it
# is computed (bits up to 10,000 have units of 2e-12) are far smaller.
_MARGIN = 1 - 1e-9
# No softmax weight is longer than this many bits: ratios of more digits would be slow.
_LONGEST = 10_000.0


def total_weight(weights: Mapping[str, Fraction]) -> Fraction:
    """Exact product of the weights of all terms."""
    return prod(weights.values(), start=Fraction(1))


def length_in_bits(weight: Fraction) -> float:
    """Length of a description of this weight: minus its base-2 logarithm."""
    # Powers of two are taken out first: both terms may be longer than any float.
    numerator, denominator = weight.as_integer_ratio()
    shift = denominator.bit_length() - numerator.bit_length()
    if shift >= 0:
        return shift - log2((numerator << shift) / denominator)
    return shift - log2(numerator / (denominator << -shift))


def weight_of_length(bits: float) -> Fraction:
    """A ratio over a power of 2, below the weight by a part in 10**8 at most."""
    shift = floor(bits)
    # 32 binary digits: what the last one is worth is less than the margin.
    numerator = floor(2.0 ** (32 + shift - bits) * _MARGIN)
    return Fraction(numerator, 2 ** (32 + shift))


def weights_of_nats(nats: ArrayLike) -> list[Fraction]:
    """Weights proportional to ``exp(nats)`` that sum to at most 1.

    Each is below that of the softmax by a part in 10**8 at most, or raised to 2**-10000.
    Of up to 100,000 ``nats`` at least one is finite, and others may be -inf.
    """
    # The sum is at most 1 although logarithms are rounded. Every weight is lowered by at
    # least a part in 10**9. The length is off by at most 4e-12 bits. Each of the n
    # additions in the normalizing constant, of numbers up to ln n < 12, is off by at most
    # 4e-15 nats, together by less than 4e-10. What raising the smallest weights adds, n
    # times 2**-10000, is nothing beside that. Rounding of the nats themselves does no
    # harm: the weights are those of the rounded numbers.
    relative = np.asarray(nats, dtype=float)
    relative = relative - relative.max()
    bits = (np.logaddexp.reduce(relative) - relative) / np.log(2)
    return [weight_of_length(min(length, _LONGEST)) for length in bits]
