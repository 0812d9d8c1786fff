"""One wrong element of an array is enough, and the limits themselves are allowed."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from sklearn_pacmdl.bounds._arrays import as_bits, as_counts, as_delta, check_at_most

MOST = 2**51


@pytest.mark.parametrize("bad", [-1, 0.5, MOST + 1, np.nan, np.inf, -np.inf])
def test_counts(bad):
    for given in (bad, [bad], [3, bad], [[bad, 3], [3, 3]]):
        with pytest.raises(ValueError, match=r"^n must be integer counts from 0 to 2\*"):
            as_counts(n=given)
    with pytest.raises(ValueError, match=r"^m must be integer counts from 0 to 2\*\*51"):
        as_counts(n=[1, 2], m=[2, bad])


@pytest.mark.parametrize("bad", ["3", True, None, 1j, [True, False], ["a"], Fraction(3)])
def test_what_is_no_count(bad):
    with pytest.raises((ValueError, TypeError), match="^n must be"):
        as_counts(n=bad)


def test_counts_are_broadcast_as_floats():
    n, m, a = as_counts(n=[0, MOST], m=3.0, a=np.uint8([[1], [2], [3]]))
    assert n.shape == m.shape == a.shape == (3, 2)
    assert {array.dtype for array in (n, m, a)} == {np.dtype(float)}
    assert n[1].tolist() == [0, MOST]
    assert a[:, 0].tolist() == [1, 2, 3]


def test_the_first_count_above_its_limit_is_named():
    limit = np.array([[3.0, 3.0], [3.0, 7.0]])
    check_at_most(limit, limit, "a", "m")
    for counts, named in (
        ([[3, 4], [9, 7]], "got a=4 and m=3"),
        ([[0, 0], [0, 8]], "got a=8 and m=7"),
    ):
        with pytest.raises(ValueError, match=f"^a must be at most m, {named}"):
            check_at_most(np.array(counts, dtype=float), limit, "a", "m")


@pytest.mark.parametrize(
    "bad", [0, 1, 0.0, 1.0, -0.1, 1.1, np.nan, np.inf, 10**400, "0.5", None, 0.5j, "a"]
)
def test_probabilities(bad):
    for given in (bad, [bad], [0.5, bad]):
        with pytest.raises((ValueError, TypeError), match="^delta must be"):
            as_delta(given)


def test_probabilities_of_any_type():
    least, most = np.nextafter(0, 1), np.nextafter(1, 0)
    assert as_delta([least, most]).tolist() == [least, most]
    assert as_delta(np.float32([0.5])).dtype == float
    assert as_delta([Fraction(1, 4), 0.5]).tolist() == [0.25, 0.5]
    assert as_delta(np.array(Fraction(1, 8), dtype=object)) == 0.125
    with pytest.raises((ValueError, TypeError), match="^delta must be"):
        as_delta([Decimal("0.5")])  # is no Real


@pytest.mark.parametrize("bad", [-1e-300, -1, np.nan, -np.inf, "3", None])
def test_lengths_in_bits(bad):
    for given in (bad, [bad], [3.0, bad]):
        with pytest.raises((ValueError, TypeError), match="^description_length must be"):
            as_bits(given)
    assert as_bits([0, 0.5, np.inf]).tolist() == [0, 0.5, np.inf]
