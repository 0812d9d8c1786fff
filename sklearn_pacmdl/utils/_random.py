"""What a parameter ``random_state`` stands for."""

from typing import Any

import numpy as np
from sklearn.utils import check_random_state as _check_random_state

from ._checks import invalid


def check_random_state(random_state: Any) -> np.random.RandomState:
    """The generator that is given or seeded; one of its own for None."""
    try:
        return _check_random_state(random_state)
    except ValueError:
        allowed = "None, an integer from 0 to 2**32 - 1 or a RandomState of NumPy"
        raise invalid("random_state", allowed, random_state) from None
