"""Digests of labels and row orders: by value, whatever holds the values."""

from decimal import Decimal
from hashlib import sha256

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_pacmdl.certificates import (
    fingerprint_confidence,
    fingerprint_labels,
    fingerprint_row_order,
)

SAME_NUMBERS = [
    [2, 0, -1, 2],
    [2, 0, None, 2],
    (2.0, 0.0, np.nan, 2.0),
    np.array([2, 0, -1, 2], dtype=np.int32),
    np.array([2, 0, -1, 2], dtype=np.int8),
    np.array([2, 0, -1, 2]),
    np.array([2, 0, np.nan, 2]),
    np.array([2, 0, None, 2], dtype=object),
    np.ma.masked_array([2, 0, 7, 2], mask=[0, 0, 1, 0]),
    pd.Series([2, 0, None, 2]),
    pd.Series([2, 0, None, 2], index=[3, 1, 0, 2]),
    pd.Series([2, 0, None, 2], dtype="Int64"),
    pd.Series([2, 0, None, 2], dtype="category"),
    ["2", "0", None, "2"],
]
SAME_WORDS = [
    ["b", "a", None, "b"],
    np.array(["b", "a", None, "b"], dtype=object),
    pd.Series(["b", "a", None, "b"]),
    pd.Series(["b", "a", None, "b"], dtype="string"),
    pd.Series(["b", "a", None, "b"], dtype="category"),
]


@pytest.mark.parametrize("same", [SAME_NUMBERS, SAME_WORDS])
def test_equal_values_have_one_digest(same):
    digests = {fingerprint_labels(labels) for labels in same}
    assert len(digests) == 1


DIFFERENT = [
    [2, 0, -1, 2],
    [2, 0, 2, -1],
    [2, 0, 1, 2],
    [0, 2, -1, 0],  # the same clustering
    [2, 0, -1],
    [2, 0, -1, 2, -1],
    ["2.0", "0.0", None, "2.0"],
    ["02", "0", None, "02"],
    [25, 0, -1, 25],
    [True, False, None, True],
    [1, 0, None, 1],
    ["true", "false", None, "true"],
    ["b", "a", None, "b"],
    ["ba", ",", None, "ba"],
    ['b", "a', "a", None, 'b", "a'],
    [],
]


def test_different_values_have_different_digests():
    digests = {fingerprint_labels(labels) for labels in DIFFERENT}
    assert len(digests) == len(DIFFERENT)


@given(st.lists(st.integers(-1, 3), max_size=6), st.lists(st.integers(-1, 3), max_size=6))
def test_digests_are_equal_where_labels_are(first, second):
    same = fingerprint_labels(first) == fingerprint_labels(second)
    assert same == (first == second)


def test_digest_is_the_documented_one():
    """Written out: classes as they appear, then each row's number among them."""
    codes = np.array([0, 1, -1, 0], dtype="<i8")
    head = b'["labels",["2","0"]]'
    assert fingerprint_labels([2, 0, -1, 2]) == sha256(head + codes.tobytes()).hexdigest()
    rows = b'["row order",3]' + np.array([2, 0, 1], dtype="<i8").tobytes()
    assert fingerprint_row_order([2, 0, 1]) == sha256(rows).hexdigest()


def test_row_orders():
    orders = [2, 0, 1], np.array([2, 0, 1], dtype=np.int32), np.array([2, 0, 1], "u8")
    assert len({fingerprint_row_order(order) for order in orders}) == 1
    others = [2, 1, 0], [0, 1, 2], [0, 1], []
    assert len({fingerprint_row_order(order) for order in (orders[0], *others)}) == 5
    for no_order in ([[0, 1]], [0.5], ["a"], 3):
        with pytest.raises(ValueError, match="row_order must be a 1-dimensional array"):
            fingerprint_row_order(no_order)


@pytest.mark.parametrize("labels", [[1, True], [0, 1, Decimal(1)], [None, 1, 1, [1]]])
def test_no_value_hides_behind_an_equal_one_of_another_type(labels):
    """Equal values are numbered once, and only one of them is checked."""
    for order in (labels, labels[::-1]):
        with pytest.raises(TypeError, match="y must hold labels"):
            fingerprint_labels(order)


@pytest.mark.parametrize("zero", [0.0, -0.0])
def test_confidences_are_numbers_whose_zeros_are_equal(zero):
    numbers = np.array([0.0, 0.5, np.inf]).astype("<f8").tobytes()
    expected = sha256(b'["confidence",3]' + numbers).hexdigest()
    assert fingerprint_confidence(np.array([zero, 0.5, np.inf])) == expected


@pytest.mark.parametrize("label", [2, True, "a"])
def test_labels_of_numpy_are_those_of_python(label):
    assert fingerprint_labels([np.array([label])[0]]) == fingerprint_labels([label])
