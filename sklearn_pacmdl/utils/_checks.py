"""Checks of single parameters."""

from numbers import Integral
from typing import Any, TypeGuard


def is_integer(value: Any) -> TypeGuard[int]:
    """Whether this is an integer of Python or NumPy, and not a boolean."""
    return isinstance(value, Integral) and not isinstance(value, bool)
