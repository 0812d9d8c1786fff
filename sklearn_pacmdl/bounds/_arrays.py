"""Numbers that come in, as arrays of float64, and that go out, rounded safely."""

from decimal import Decimal
from fractions import Fraction
from math import inf, nextafter
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..utils._checks import as_array, exact_decimal, invalid
from ..utils._row_order import check_same_order
from ._tail import MAX_COUNT

Floats = NDArray[np.float64]


def as_counts(**named: ArrayLike) -> tuple[Floats, ...]:
    """Check counts, and return them as arrays of whole numbers, broadcast together."""
    check_same_order(**named)
    counts = []
    for name, value in named.items():
        array = as_array(name, value)
        whole = array.dtype.kind in "iuf" and np.all(array == np.floor(array))
        if not whole or np.any(array < 0) or np.any(array > MAX_COUNT):
            raise invalid(name, "integer counts from 0 to 2**51", value)
        counts.append(array.astype(float))
    return np.broadcast_arrays(*counts)


def as_parts(one: str, many: str, /, **named: ArrayLike) -> tuple[Floats, ...]:
    """Check counts of parts of the rows, as many of each as there are parts."""
    first, values = next(iter(named.items()))
    shape = as_array(first, values).shape
    if len(shape) != 1 or not shape[0]:
        raise invalid(first, f"counts of at least one {one}, in a sequence", values)
    for name, counts in named.items():
        if as_array(name, counts).shape != shape:
            raise invalid(name, f"one count for each of {shape[0]} {many}", counts)
    return as_counts(**named)


def as_ints(counts: NDArray[Any]) -> Any:
    """Counts as integers: an array, or an int if they are of shape ()."""
    whole = counts.astype(np.int64)
    return whole if whole.shape else int(whole)


def check_at_most(count: Floats, limit: Floats, name: str, limit_name: str) -> None:
    """Refuse counts above their limits; the error names the first one."""
    if np.any(count > limit):
        i = np.unravel_index(np.argmax(count > limit), count.shape)
        raise ValueError(
            f"{name} must be at most {limit_name}, got {name}={count[i]:.0f} "
            f"and {limit_name}={limit[i]:.0f}."
        )


def as_problem(n_train, n_test, n_train_errors, delta, description_length=0.0):
    """Check what a bound is asked for: the shape; and m, n, a, delta and level, flat.

    The level is the log of delta times the weight of a description.
    """
    m, n, a = as_counts(n_train=n_train, n_test=n_test, n_train_errors=n_train_errors)
    check_at_most(a, m, "n_train_errors", "n_train")
    allowed = "a non-negative number of bits"
    bits = _as_numbers(
        "description_length", description_length, allowed, lambda v: v >= 0
    )
    together = np.broadcast_arrays(m, n, a, as_delta(delta), bits)
    m, n, a, deltas, bits = (array.ravel() for array in together)
    log_delta = np.log(deltas)
    # Log of the decimals, which below 2.3e-308 their doubles are far from.
    for i in np.flatnonzero(deltas < np.finfo(float).tiny):
        log_delta[i] = float(Decimal(repr(float(deltas[i]))).ln())
    return together[0].shape, [m, n, a, deltas, log_delta - bits * np.log(2)]


def as_delta(delta: ArrayLike) -> Floats:
    """Check probabilities strictly between 0 and 1."""
    return _as_numbers(
        "delta", delta, "in the open interval (0, 1)", lambda v: (v > 0) & (v < 1)
    )


def _as_numbers(name, value, allowed, is_right) -> Floats:
    """Check numbers of any type; text is refused, though NumPy might read it as one."""
    array = as_array(name, value)
    exact = array.dtype == object and all(isinstance(v, Real) for v in array.flat)
    if array.dtype.kind in "iuf" or exact:
        try:
            numbers = array.astype(float)
        except OverflowError:  # an integer that no float can be
            raise invalid(name, allowed, value) from None
        if np.all(is_right(numbers)):
            return numbers
    raise invalid(name, allowed, value)


def float_below(ratio: Fraction) -> float:
    """The float next to a ratio whose printed decimal is not above the ratio."""
    nearest = float(ratio)
    return nearest if exact_decimal(nearest) <= ratio else nextafter(nearest, -inf)


def float_above(ratio: Fraction) -> float:
    """The float next to a ratio whose printed decimal is not below the ratio."""
    nearest = float(ratio)
    return nearest if exact_decimal(nearest) >= ratio else nextafter(nearest, inf)
