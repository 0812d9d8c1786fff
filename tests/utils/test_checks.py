"""Checks of single parameters."""

from fractions import Fraction
from math import inf, nan

import numpy as np
import pytest

from sklearn_pacmdl.utils._checks import (
    check_flag,
    check_integer,
    check_number,
    check_open_unit,
    check_option,
    exact_decimal,
    shown,
)

NO_NUMBERS = [None, "1", nan, inf, True, 1j, [1], np.array([1, 2])]


@pytest.mark.parametrize("value", [*NO_NUMBERS, 1, 7, 2.0, Fraction(2)])
def test_integers_outside_their_range(value):
    for error in (ValueError, TypeError):
        with pytest.raises(error, match="size must be an integer from 2 to 6, got "):
            check_integer("size", value, 2, 6)


def test_integers_within():
    assert check_integer("size", np.int8(2), 2, 6) == check_integer("size", 2, 2) == 2
    with pytest.raises(ValueError, match="size must be an integer of at least 2, got 1"):
        check_integer("size", 1, 2)


@pytest.mark.parametrize("value", [*NO_NUMBERS, 0, -1.0])
def test_numbers_outside_their_range(value):
    with pytest.raises(ValueError, match="a must be a finite number above 0, got "):
        check_number("a", value, above=0)


def test_numbers_within():
    assert check_number("a", 0, least=0) == 0
    assert check_number("a", np.float32(0.5), above=0) == 0.5
    with pytest.raises(ValueError, match="a finite number of at least 0, got -0.1"):
        check_number("a", np.float64(-0.1), least=0)


@pytest.mark.parametrize("value", [*NO_NUMBERS, 0, 1, 0.0, 1.0, -0.5])
def test_open_unit_interval(value):
    with pytest.raises(ValueError, match=r"delta must be in the open interval \(0, 1\)"):
        check_open_unit("delta", value)
    assert check_open_unit("delta", np.float64(0.5)) == 0.5


@pytest.mark.parametrize("value", [None, "c", ["a"], 1])
def test_options(value):
    with pytest.raises(ValueError, match=r"mode must be one of \['a', 'b'\], got "):
        check_option("mode", value, {"b": 1, "a": 2})
    assert check_option("mode", "a", ["a", "b"]) == "a"


def test_flags():
    assert check_flag("refit", np.True_) is True
    with pytest.raises(ValueError, match="refit must be True or False, got 1"):
        check_flag("refit", 1)


def test_the_decimal_that_was_written():
    assert exact_decimal(0.1) == exact_decimal(np.float64(0.1)) == Fraction(1, 10)
    assert exact_decimal(Fraction(1, 3)) == Fraction(1, 3)
    assert exact_decimal(1) == 1


def test_long_values_are_cut():
    assert shown(np.float64(0.5)) == "0.5"
    assert len(shown(list(range(10**6)))) < 400
