"""A generator that is seeded again and again, since to make one takes longer."""

from threading import Thread

import numpy as np
from numpy.testing import assert_array_equal
from sklearn.utils import check_random_state

from sklearn_pacmdl.utils._random import seeded_again


def test_it_draws_as_a_new_one_would():
    for seeds in ([1, 7], [2, 7], [1, 7]):
        rng, expected = seeded_again(seeds), np.random.RandomState(seeds)
        assert check_random_state(rng) is rng
        assert_array_equal(rng.normal(size=3), expected.normal(size=3))
        assert_array_equal(rng.permutation(9), expected.permutation(9))


def test_threads_do_not_draw_from_the_same_one():
    rng, found = seeded_again([1]), []
    other = Thread(target=lambda: found.append(seeded_again([2]).randint(1000)))
    other.start()
    other.join()
    assert found == [np.random.RandomState([2]).randint(1000)]
    assert rng.randint(1000) == np.random.RandomState([1]).randint(1000)
