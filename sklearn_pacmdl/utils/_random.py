"""What a parameter ``random_state`` stands for."""

from collections.abc import Callable, Sequence
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


class SeededLater(np.random.RandomState):
    """A generator whose seed takes long to compute, and is computed only if it is used.

    It may be seeded again and again, which takes a tenth of the time of a new generator.
    """

    def seed_later(self, seeds: Callable[[], Sequence[int]]) -> None:
        """Seed it by what a function returns, once it is used."""
        self._seeds = seeds

    def __getattribute__(self, name: str) -> Any:
        own = super().__getattribute__("__dict__")
        if "_seeds" in own and not name.startswith("__") and name != "seed_later":
            super().__getattribute__("seed")(own.pop("_seeds")())
        return super().__getattribute__(name)
