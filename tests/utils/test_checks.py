"""Checks of parameters at their limits, and how errors show what they got."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from sklearn_pacmdl.utils._checks import (
    InvalidParameterError,
    as_array,
    as_mask,
    check_count,
    check_fields,
    check_flag,
    check_integer,
    check_n_jobs,
    check_number,
    check_open_unit,
    check_option,
    check_printable,
    exact_decimal,
    first_of,
    hint_of_image,
    listed,
    rows_of_rate,
    shown,
)
from sklearn_pacmdl.utils._random import seeded_again
from sklearn_pacmdl.utils._row_order import check_order_of_rows, check_same_order

TINY = np.finfo(float).tiny


@pytest.mark.parametrize(
    ("check", "right", "wrong"),
    [
        (lambda v: check_integer("p", v, 1, 3), [1, np.int8(3)], [0, 4, True, 2.0, "2"]),
        (lambda v: check_integer("p", v, 1), [1, 10**400], [0, None]),
        (lambda v: check_count("p", v, 0), [0, 2**31 - 1], [-1, 2**31]),
        (
            lambda v: check_number("p", v, above=0),
            [TINY, 5, Fraction(1, 3)],
            [0, -1, np.nan, np.inf, True, 10**400, 1j],
        ),
        (lambda v: check_number("p", v, least=0), [0, 0.5], [-TINY]),
        (
            lambda v: check_open_unit("p", v),
            [TINY, 1 - 1e-16, np.float32(0.5)],
            [0, 1, 1.0, -0.1, 1.1, np.nan, False, "0.1", None],
        ),
        (check_n_jobs, [None, -1, 1, 2**20], [0, 1.0, True, 2**20 + 1, -(2**20) - 1]),
        (lambda v: check_option("p", v, {"a", "b"}), ["a"], ["c", "", None, ["a"]]),
        (lambda v: check_flag("p", v), [True, np.False_], [0, 1, None, "no"]),
        (lambda v: check_printable("p", v), ["", "Größe"], ["\x1b", "a\nb", 1]),
    ],
)
def test_limits_are_as_they_are_said(check, right, wrong):
    for value in right:
        assert check(value) in (value, None)
    for value in wrong:
        with pytest.raises(InvalidParameterError, match=r"^(p|n_jobs) must be .*, got "):
            check(value)


def test_errors_say_what_is_allowed():
    in_words = {(1, 3): "from 1 to 3", (2, np.inf): "of at least 2"}
    for (least, most), limits in in_words.items():
        with pytest.raises(TypeError, match=f"^p must be an integer {limits}, got 'x'.$"):
            check_integer("p", "x", least, most)
    with pytest.raises(ValueError, match=r"number above 0 of at least 1, got 0\.$"):
        check_number("p", 0, above=0, least=1)
    with pytest.raises(ValueError, match=r"^first must be of type int or float, got 'a'"):
        check_fields(pd.Series({"first": "a"}), first=(int, float))


def test_values_are_shown_plainly_and_cut():
    assert shown(np.float64(0.5)) == "0.5"
    assert shown("\x1b[2J") == r"'\x1b[2J'"
    assert shown(10**5000) == "a int that is too long to show"
    assert shown("a" * 298) == f"'{'a' * 298}'"
    assert shown("a" * 299) == f"'{'a' * 299}..."
    assert first_of("abc", 3) == "a, b, c"
    assert first_of("abcd", 3) == "a, b, c, ..."
    assert listed([np.int64(1), "a"]) == "1, 'a'"
    assert listed([]) == "none"


def test_arrays_and_masks():
    assert as_array("p", [[1], [2]]).shape == (2, 1)
    with pytest.raises(ValueError, match="p must be an array with rows of one length"):
        as_array("p", [[1], [2, 3]])
    with pytest.raises(ValueError, match="p must be an array without masked values"):
        as_array("p", np.ma.array([1, 2], mask=[0, 1]))
    assert as_mask("p", [2, 0], 3).tolist() == [True, False, True]
    assert as_mask("p", [True, False], 2).tolist() == [True, False]
    assert as_mask("p", [], 2).tolist() == [False, False]
    for rows in ([3], [-1], [True], [0.0], [[0]], ["a"]):
        with pytest.raises(ValueError, match="a mask of 3 rows, or indices of such"):
            as_mask("p", rows, 3)
    assert hint_of_image("y", np.ones((2, 3)), 6).endswith("pass y.ravel().")
    assert (
        hint_of_image("y", np.ones(6), 6) == hint_of_image("y", np.ones((2, 3)), 5) == ""
    )


def test_generators_are_seeded_again():
    expected = np.random.RandomState([1, 2]).uniform()
    assert [seeded_again([1, 2]).uniform() for _ in range(2)] == [expected] * 2


def test_rates_are_the_decimals_that_users_wrote():
    assert exact_decimal(0.1) == Fraction(1, 10)
    assert exact_decimal(Fraction(1, 3)) == Fraction(1, 3)
    assert rows_of_rate(0.29, 100) == 29
    assert rows_of_rate(5 / 6500, 6500) == 5
    assert rows_of_rate(1 / 3, 3) == 1
    assert rows_of_rate(0.25, 10) == Fraction(5, 2)


NAMES = pd.Index(["a", "b", "c"])


NAN = float("nan")


@pytest.mark.parametrize(
    ("index", "other", "is_refused"),
    [
        (range(3), [2, 0, 1], True),
        (range(3), range(2, -1, -1), True),
        (range(3), [0.0, 2.0, 1.0], True),
        (["a", "b", "c"], pd.CategoricalIndex(["b", "a", "c"]), True),
        ([1, 1, 2], [1, 2, 1], True),
        ([1, 1, 2], [1, 2, 2], True),
        ([NAN, 1.0, 2.0], [1.0, NAN, 2.0], True),
        ([NAN, 1.0, NAN], [NAN, NAN, 1.0], True),
        ([NAN, 1.0, NAN], [1.0, NAN, 1.0], True),
        ([4, 7, 9], [9, 5, 4], True),
        (["a", "b", "c"], ["d", "e", "f"], False),
        (["a", "b", "c"], ["c", "e", "f"], True),
        (range(1, 4), range(2, 5), True),
        ([1, "a", None], ["a", None, 1], True),
        ([(1, 2), (3, 4), (5, 6)], [(3, 4), (1, 2), (5, 6)], True),
        (pd.date_range("2026", periods=3), pd.date_range("2026", periods=3)[::-1], True),
        (pd.date_range("2026", periods=3), range(3), False),
        (["0", "1", "2"], [2, 0, 1], False),
        (range(3), [3, 1, 2], False),
        (pd.Index([[0], [1], [2]]), pd.Index([[1], [0], [2]]), False),
    ],
)
def test_indexes_of_any_kind(index, other, is_refused):
    """Those of the same values, each as often, and in another order."""
    first, second = pd.Series([0, 1, 1], index), pd.Series([0, 1, 0], other)
    for a, b in ((first, second), (second, first)):
        if is_refused:
            message = "second must (be in the order|have the rows) of first, but its in"
            with pytest.raises(ValueError, match=message):
                check_same_order(first=a, second=b)
        else:
            assert check_same_order(first=a, second=b, y=a).equals(a.index)


def test_ways_out_are_named():
    first, second = pd.Series([0, 1, 1]), pd.Series([1, 0, 1], [2, 0, 1])
    message = r"pass second\[1\].loc\[first.index\], or second\[1\].to_numpy\(\)"
    with pytest.raises(ValueError, match=message):
        check_same_order(first=first, second=[[1, 2, 3], second])
    repeated = pd.Series([1, 0, 1], [2, 0, 2])
    with pytest.raises(ValueError, match="pass both sorted alike, or second.to_numpy"):
        check_same_order(first=repeated.sort_index(), second=repeated)
    with pytest.raises(ValueError, match="its index has 2 of these 3 rows and others"):
        check_same_order(first=pd.Series([0] * 3, NAMES), second=pd.Index([*"abz"]))


def test_a_target_with_names_beside_rows_without_is_told():
    y = pd.Series([0, 1, 0], NAMES)
    with pytest.warns(UserWarning, match="y has names of rows as its index, and X has"):
        check_same_order(X=pd.DataFrame({"a": [1, 2, 3]}), y=y)
    assert check_same_order(X=np.ones((3, 1)), y=np.ones(3)) is None


def test_answers_have_the_rows_or_positions_as_their_index():
    rows, answers = np.array([7, 2, 5]), pd.Series(list("abc"))
    for index in ([7, 2, 5], range(3), [11, 12, 13]):
        check_order_of_rows("p", answers.set_axis(index), rows, "audit.rows")
    with pytest.raises(ValueError, match=r"p must be .* pass p.loc\[audit.rows\]"):
        check_order_of_rows("p", answers.set_axis([2, 5, 7]), rows, "audit.rows")
    with pytest.raises(ValueError, match=r"has 2 of these 3 rows"):
        check_order_of_rows("p", answers.set_axis([2, 5, 8]), rows, "audit.rows")
