"""Names of clusters from elsewhere as integers, whatever holds them."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_array_equal

from sklearn_pacmdl import certify_clusterings
from sklearn_pacmdl.columns import number_clusters
from sklearn_pacmdl.displays import ContingencyDisplay

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


def categories(values):
    """Categories in another order than the sorted one, which is the one that counts."""
    known = sorted({v for v in values if v is not None}, reverse=True)
    return pd.Series(pd.Categorical(values, categories=known))


CONTAINERS = {
    "objects": lambda values: np.array(values, dtype=object),
    "pandas": lambda values: pd.Series(values, dtype=object),
    "pandas, inferred": pd.array,
    "pandas, categories": categories,
    "Polars": pl.Series,
    "PyArrow": pa.array,
    "PyArrow, dictionary": lambda values: pa.array(values).dictionary_encode(),
    "PyArrow, unsigned indices": unsigned,
    "PyArrow, chunks": in_chunks,
}


def numbered(column):
    return number_clusters(column, "this column")


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("kind", COLUMNS)
def test_all_containers_agree(kind, container):
    values, labels = COLUMNS[kind]
    found = numbered(CONTAINERS[container](values))
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
    labels = numbered(CONTAINERS[container](values)).labels
    assert labels[0] == labels[3]
    assert len(set(labels.tolist())) == 3


@pytest.mark.parametrize("values", [["b", "b", "a", "b"], [7, 7, 3, 7]])
def test_what_a_mask_hides_is_noise(values):
    """And no cluster, as if the mask were forgotten."""
    hidden = np.ma.array(values, mask=[False, True, False, False])
    assert numbered(hidden).labels[1] == -1
    y, names = [0, 0, 1, None], [-1, *sorted({*values})]
    for held in ([hidden], {"a": hidden}, hidden[None]):
        found = certify_clusterings(held, y, certify="pac-mdl")
        assert found.clusters.index.tolist() == names
    display = ContingencyDisplay.from_labels([0, 0, 1, 0], hidden)
    assert sorted(display.clusters, key=str) == sorted(names, key=str)


@pytest.mark.parametrize(
    "column",
    [
        pl.Series(["z", None, "a"], dtype=pl.Categorical),
        pl.Series(["z", None, "a"], dtype=pl.Enum(["z", "a"])),
        pl.Series(["z", None, "a"], dtype=pl.Object),
        pd.Series(["z", pd.NA, "a"], dtype="string"),
        np.array(["z", np.nan, "a"], dtype=object),
    ],
    ids=["Categorical", "Enum", "Object", "string", "objects"],
)
def test_text_by_hand(column):
    found = numbered(column)
    assert_array_equal(found.labels, [1, -1, 0])
    assert found.names == {0: "a", 1: "z"}


@pytest.mark.parametrize(
    "column",
    [
        np.array(["a", 1], dtype=object),
        pd.Series(["a", 1]),
        pl.Series([["a"], ["b"]]),
        pa.array([["a"], ["b"]]),
    ],
    ids=["objects", "pandas", "Polars", "PyArrow"],
)
def test_values_that_are_no_names(column):
    with pytest.raises(TypeError, match="values in this column must be of one type"):
        numbered(column)


@pytest.mark.parametrize("n", [127, 128, 129, 40_000])
def test_clusters_of_any_number_stay_apart(n):
    """They are held in the smallest type that numbers them."""
    names = np.arange(n).astype(str).astype(object)
    assert sorted(numbered(names).labels) == list(range(n))


@given(
    hnp.arrays(
        st.sampled_from([np.int8, np.uint8, np.int64]),
        st.integers(1, 30),
        fill=st.nothing(),
    )
)
@example(np.array([2**63 - 1, 2**63 - 2]))
def test_whole_numbers_are_counted_as_they_are_sorted(values):
    """Those near one another are counted, which takes less time."""
    found = numbered(values)
    names, codes = np.unique(values, return_inverse=True)
    assert_array_equal([found.names[n] for n in found.labels.tolist()], values)
    assert_array_equal(np.unique(found.labels, return_inverse=True)[1], codes)
    assert len(found.names) == len(names)


VALUES = st.one_of(
    st.lists(st.one_of(st.none(), st.text(max_size=2)), min_size=1, max_size=12),
    st.lists(st.one_of(st.none(), st.integers(-3, 3)), min_size=1, max_size=12),
    st.lists(st.sampled_from([np.nan, 0.5, 0.0, -2.0]), min_size=1, max_size=12),
)


@settings(max_examples=30)
@given(values=VALUES, seed=st.integers(0, 100))
def test_rows_may_come_in_any_order(values, seed):
    order = np.random.RandomState(seed).permutation(len(values))
    column = np.array(values, dtype=object)
    labels = numbered(column).labels
    assert_array_equal(numbered(column[order]).labels, labels[order])
    same = [[repr(a) == repr(b) for b in values] for a in values]
    are_noise = labels == -1  # as a number and as what is missing
    assert_array_equal(labels[:, None] == labels, same | np.outer(are_noise, are_noise))
