"""Names of clusters as integers, whatever holds them."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_array_equal

from sklearn_pacmdl.utils._cluster_names import number_clusters, unique_integers

COLUMNS = {
    "text": (["b", None, "a", "b"], [1, -1, 0, 1]),
    "numerals": (["10", "-1", "9", None], [10, -1, 9, -1]),
    "no numerals": (["10", "-1", "09", None], [1, -1, 0, -1]),
    "whole numbers": ([7, None, -1, 7], [7, -1, -1, 7]),
    "fractions": ([1.5, None, 0.5, 1.5], [1, -1, 0, 1]),
    "fractions and -1": ([-1.0, 0.5, None, -1.5], [-1, 1, -1, 0]),
    "booleans": ([True, None, False, True], [1, -1, 0, 1]),
    "dates": ([dt.datetime(2020, 2, 1), None, dt.datetime(2020, 1, 1)], [1, -1, 0]),
}


def in_chunks(values):
    """Two chunks of PyArrow, each with a dictionary of its own."""
    parts = values[:2], values[2:]
    kind = pa.array(values).type
    return pa.chunked_array([pa.array(v, kind).dictionary_encode() for v in parts])


def unsigned(values):
    """As Polars writes categories."""
    encoded = pa.array(values).dictionary_encode()
    indices = encoded.indices.cast("uint32")
    return pa.DictionaryArray.from_arrays(indices, encoded.dictionary)


def masked(values):
    """Values behind a mask, which are clusters if the mask is forgotten."""
    gaps = [v is None for v in values]
    return np.ma.array([values[0] if v is None else v for v in values], mask=gaps)


def categories(values):
    """Categories in another order than the sorted one, which is the one that counts."""
    known = sorted({v for v in values if v is not None}, reverse=True)
    return pd.Series(pd.Categorical(values, categories=known))


CONTAINERS = {
    "objects": lambda values: np.array(values, dtype=object),
    "pandas": lambda values: pd.Series(values, dtype=object),
    "pandas, inferred": lambda values: pd.Series(pd.array(values)),
    "pandas, categories": categories,
    "Polars": pl.Series,
    "PyArrow": pa.array,
    "PyArrow, dictionary": lambda values: pa.array(values).dictionary_encode(),
    "PyArrow, unsigned indices": unsigned,
    "PyArrow, chunks": in_chunks,
    "masked": masked,
}


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("kind", COLUMNS)
def test_all_containers_agree(kind, container):
    values, labels = COLUMNS[kind]
    found = number_clusters(CONTAINERS[container](values), "a column")
    assert_array_equal(found.labels, labels)
    assert found.labels.dtype == np.int64
    assert set(found.names) == {n for n in labels if n != -1} | ({-1} & set(values))
    for value, label in zip(values, labels, strict=True):
        # Dates of older pandas are of NumPy, in nanoseconds.
        assert value in (None, "-1") or pd.Series([found.names[label]])[0] == value


@pytest.mark.parametrize("container", CONTAINERS)
def test_large_numbers_stay_apart(container):
    """As floats, which some containers turn columns with gaps into, they would not."""
    values = [2**60 + 1, None, 2**60, 2**60 + 1]
    labels = number_clusters(CONTAINERS[container](values), "a column").labels
    assert labels[0] == labels[3]
    assert len(set(labels.tolist())) == 3


@pytest.mark.parametrize(
    "column",
    [
        pl.Series(["z", None, "a"], dtype=pl.Categorical),
        pl.Series(["z", None, "a"], dtype=pl.Enum(["z", "a"])),
        pl.Series(["z", None, "a"], dtype=pl.Object),
        pd.Series(["z", pd.NA, "a"], dtype="string"),
        np.array(["z", np.nan, "a"], dtype=object),
        np.array(["z", None, "a"], dtype=np.dtypes.StringDType(na_object=None)),
    ],
    ids=lambda column: str(column.dtype),
)
def test_text_by_hand(column):
    found = number_clusters(column, "a column")
    assert_array_equal(found.labels, [1, -1, 0])
    assert found.names == {0: "a", 1: "z"}


def test_numbers_of_one_column_do_not_depend_on_the_order_of_rows():
    values = np.array(["b", None, "a", "c"], dtype=object)
    for order in ([0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2]):
        found = number_clusters(values[order], "a column")
        assert_array_equal(found.labels, np.array([1, -1, 0, 2])[order])
        assert_array_equal(found.rows([1, 0]).labels, found.labels[[1, 0]])


@pytest.mark.parametrize(
    "column",
    [
        np.array(["a", 1], dtype=object),
        pd.Series(["a", 1]),
        np.array([["a"], None], dtype=object),
        pl.Series([["a"], ["b"]]),
        pa.array([["a"], ["b"]]),
    ],
    ids=["objects", "pandas", "lists", "Polars", "PyArrow"],
)
def test_values_that_are_no_names(column):
    with pytest.raises(TypeError, match="values in column 'x' must be of one type"):
        number_clusters(column, "column 'x'")


def test_many_clusters_need_larger_codes():
    for n in (1, 127, 128, 129, 40_000):
        names = np.arange(n).astype(str)
        found = number_clusters(names, "a column")
        assert len(set(found.labels.tolist())) == n
        assert found.codes.dtype.itemsize == (1 if n <= 128 else 2 if n <= 32_768 else 4)


@given(
    hnp.arrays(
        st.sampled_from([np.int8, np.uint8, np.int64, np.uint64]),
        st.integers(0, 30),
        fill=st.nothing(),
    )
)
@example(np.array([2**63 - 1]))
def test_counting_finds_what_sorting_finds(values):
    found, codes = unique_integers(values)
    expected, expected_codes = np.unique(values, return_inverse=True)
    assert_array_equal(found, expected)
    assert_array_equal(codes, expected_codes)
    assert found.dtype == expected.dtype
