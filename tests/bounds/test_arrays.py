"""One wrong element of an array is enough, and the limits themselves are allowed."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from sklearn_pacmdl.bounds import pac_mdl_bound


def refuse(message, *counts, **given):
    with pytest.raises((ValueError, TypeError), match=f"^{message}"):
        pac_mdl_bound(*counts, **given)


@pytest.mark.parametrize("bad", [-1, 0.5, 2**51 + 1, np.nan, np.inf, -np.inf])
def test_counts(bad):
    for given in (bad, [bad], [3, bad], [[bad, 3], [3, 3]]):
        refuse(r"n_train must be integer counts from 0 to 2\*\*51", given, 5, 0)
    refuse(r"n_test must be integer counts from 0 to 2\*\*51", [1, 2], [2, bad], 0)


@pytest.mark.parametrize("bad", ["3", True, None, 1j, [True, False], ["a"], Fraction(3)])
def test_what_is_no_count(bad):
    refuse("n_train must be", bad, 5, 0)


def test_the_first_count_above_its_limit_is_named():
    limits = [[3, 3], [3, 7]]
    assert pac_mdl_bound(limits, 5, limits).shape == (2, 2)
    for errors, named in (([[3, 4], [9, 7]], (4, 3)), ([[0, 0], [0, 8]], (8, 7))):
        got = "got n_train_errors={} and n_train={}".format(*named)
        refuse(f"n_train_errors must be at most n_train, {got}", limits, 5, errors)


@pytest.mark.parametrize(
    "bad", [0, 1, -0.1, 1.1, np.nan, np.inf, 10**400, "0.5", None, 0.5j, Decimal("0.5")]
)
def test_probabilities(bad):
    for given in (bad, [bad], [0.5, bad]):
        refuse("delta must be", 5, 5, 1, delta=given)


def test_probabilities_of_any_type():
    least, most = np.nextafter(0, 1), np.nextafter(1, 0)
    assert pac_mdl_bound(5, 5, 0, delta=[least, most]).tolist() == [5, 0]
    assert pac_mdl_bound(5, 5, 0, delta=np.float32([0.5])).shape == (1,)
    exact = [Fraction(1, 8), np.array(Fraction(1, 8), dtype=object)]
    for delta in exact:
        assert pac_mdl_bound(15, 15, 4, delta=delta) == pac_mdl_bound(
            15, 15, 4, delta=0.125
        )


@pytest.mark.parametrize("bad", [-1e-300, -1, np.nan, -np.inf, "3", None])
def test_lengths_in_bits(bad):
    for given in (bad, [bad], [3.0, bad]):
        refuse("description_length must be", 5, 5, 1, description_length=given)
    bounds = pac_mdl_bound(5, 5, 0, description_length=[0, 0.5, np.inf])
    assert bounds[2] == 5
