"""Random choices: generators, and when a choice of rows looks like none."""

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils import check_random_state as _check_random_state

from ._checks import invalid

# Level of tests for a random choice of rows. A convention: one choice in a thousand is
# called suspicious. It was 0.7 in a thousand of 20,000 (results/random_choice.json).
SUSPICIOUS = 0.001


def check_random_state(random_state: Any) -> np.random.RandomState:
    """The generator that is given or seeded; one of its own for None."""
    try:
        return _check_random_state(random_state)
    except ValueError:
        allowed = "None, an integer from 0 to 2**32 - 1 or a RandomState of NumPy"
        raise invalid("random_state", allowed, random_state) from None


# Holds a generator: to make one takes ten times as long as to seed it.
_OF_THREAD = threading.local()


def seeded_again(seeds: Sequence[int]) -> np.random.RandomState:
    """A generator with these seeds, valid until the next call in the same thread."""
    if not hasattr(_OF_THREAD, "generator"):
        _OF_THREAD.generator = np.random.RandomState(0)
    _OF_THREAD.generator.seed(seeds)
    return _OF_THREAD.generator
