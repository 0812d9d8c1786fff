"""Checks of single parameters."""

from math import isfinite
from numbers import Integral, Real
from typing import Any, TypeGuard

import numpy as np


def shown(value: Any) -> str:
    """The value as text, numbers of NumPy as plain ones."""
    with np.printoptions(legacy="1.25"):
        return repr(value)


def is_integer(value: Any) -> TypeGuard[int]:
    """Whether this is an integer of Python or NumPy, and not a boolean."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_number(value: Any) -> TypeGuard[float]:
    """Whether this is a finite real number and not a boolean."""
    return isinstance(value, Real) and not isinstance(value, bool) and isfinite(value)
