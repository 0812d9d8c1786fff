"""A generator that is seeded when it is first used."""

import numpy as np
from numpy.testing import assert_array_equal
from sklearn.utils import check_random_state

from sklearn_pacmdl.utils._random import SeededLater


def test_it_draws_as_if_it_had_been_seeded_at_once():
    calls, rng = [], SeededLater()

    def seeds(*values):
        calls.append(values)
        return values

    for seed in (1, 2, 1):
        rng.seed_later(lambda seed=seed: seeds(seed, 7))
        expected = np.random.RandomState([seed, 7])
        assert check_random_state(rng) is rng
        assert_array_equal(rng.normal(size=3), expected.normal(size=3))
        assert_array_equal(rng.permutation(9), expected.permutation(9))
    assert calls == [(1, 7), (2, 7), (1, 7)]


def test_a_seed_that_is_not_needed_is_not_computed():
    rng = SeededLater()
    rng.seed_later(lambda: 1 / 0)
    rng.seed_later(lambda: [3])
    assert rng.randint(100) == np.random.RandomState([3]).randint(100)
