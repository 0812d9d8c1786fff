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
from sklearn_pacmdl.cluster import PrecomputedLabels
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


def of_pandas(column):
    return pd.DataFrame({"c": column})


def of_arrow(column):
    return pa.table({"c": column})


CONTAINERS = {
    "objects": lambda values: np.array(values, dtype=object)[:, None],
    "pandas": lambda values: of_pandas(pd.Series(values, dtype=object)),
    "pandas, inferred": lambda values: of_pandas(pd.array(values)),
    "pandas, categories": lambda values: of_pandas(categories(values)),
    "Polars": lambda values: pl.DataFrame({"c": values}),
    "PyArrow": lambda values: of_arrow(pa.array(values)),
    "PyArrow, dictionary": lambda values: of_arrow(pa.array(values).dictionary_encode()),
    "PyArrow, unsigned indices": lambda values: of_arrow(unsigned(values)),
    "PyArrow, chunks": lambda values: of_arrow(in_chunks(values)),
}


def numbered(frame):
    return PrecomputedLabels().fit(frame)


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("kind", COLUMNS)
def test_all_containers_agree(kind, container):
    values, labels = COLUMNS[kind]
    found = numbered(CONTAINERS[container](values))
    assert_array_equal(found.labels_, labels)
    assert found.labels_.dtype == np.int64
    assert set(found.names_) == {n for n in labels if n != -1} | ({-1} & set(values))
    for value, label in zip(values, labels, strict=True):
        # Dates of older pandas are of NumPy, in nanoseconds.
        assert value in (None, "-1") or pd.Series([found.names_[label]])[0] == value


@pytest.mark.parametrize("container", CONTAINERS)
def test_large_numbers_stay_apart(container):
    """As floats, which some containers turn columns with gaps into, they would not."""
    values = [2**60 + 1, None, 2**60, 2**60 + 1]
    labels = numbered(CONTAINERS[container](values)).labels_
    assert labels[0] == labels[3]
    assert len(set(labels.tolist())) == 3


@pytest.mark.parametrize("values", [["b", "b", "a", "b"], [7, 7, 3, 7]])
def test_what_a_mask_hides_is_noise(values):
    """And no cluster, as if the mask were forgotten."""
    hidden = np.ma.array(values, mask=[False, True, False, False])
    assert numbered(hidden[:, None]).labels_[1] == -1
    y, names = [0, 0, 1, None], [-1, *sorted({*values})]
    for held in ([hidden], {"a": hidden}, hidden[None]):
        found = certify_clusterings(held, y, certify="pac-mdl")
        assert found.clusters.index.tolist() == names
    display = ContingencyDisplay.from_labels([0, 0, 1, 0], hidden)
    assert sorted(display.clusters, key=str) == sorted(names, key=str)


@pytest.mark.parametrize(
    "frame",
    [
        pl.DataFrame({"c": pl.Series(["z", None, "a"], dtype=pl.Categorical)}),
        pl.DataFrame({"c": pl.Series(["z", None, "a"], dtype=pl.Enum(["z", "a"]))}),
        pl.DataFrame({"c": pl.Series(["z", None, "a"], dtype=pl.Object)}),
        of_pandas(pd.Series(["z", pd.NA, "a"], dtype="string")),
        np.array(["z", np.nan, "a"], dtype=object)[:, None],
    ],
    ids=["Categorical", "Enum", "Object", "string", "objects"],
)
def test_text_by_hand(frame):
    found = numbered(frame)
    assert_array_equal(found.labels_, [1, -1, 0])
    assert found.names_ == {0: "a", 1: "z"}


@pytest.mark.parametrize(
    "frame",
    [
        np.array([["a"], [1]], dtype=object),
        of_pandas(pd.Series(["a", 1])),
        pl.DataFrame({"c": [["a"], ["b"]]}),
        of_arrow(pa.array([["a"], ["b"]])),
    ],
    ids=["objects", "pandas", "Polars", "PyArrow"],
)
def test_values_that_are_no_names(frame):
    with pytest.raises(TypeError, match="values in column None of X must be of one type"):
        numbered(frame)


@pytest.mark.parametrize("n", [127, 128, 129, 40_000])
def test_clusters_of_any_number_stay_apart(n):
    """They are held in the smallest type that numbers them."""
    names = np.arange(n).astype(str).astype(object)[:, None]
    assert sorted(numbered(names).labels_) == list(range(n))


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
    found = numbered(values[:, None])
    names, codes = np.unique(values, return_inverse=True)
    assert_array_equal([found.names_[n] for n in found.labels_.tolist()], values)
    assert_array_equal(np.unique(found.labels_, return_inverse=True)[1], codes)
    assert len(found.names_) == len(names)


@pytest.mark.parametrize("column", ["leiden_1.0", 1, -1])
@pytest.mark.parametrize("dtype", [object, "category", "string"])
def test_columns_by_name_and_position(column, dtype):
    frame = pd.DataFrame({"leiden_0.5": ["a", "b"], "leiden_1.0": ["y", "x"]})
    found = PrecomputedLabels(column).fit(frame.astype(dtype))
    assert_array_equal(found.labels_, [1, 0])
    assert found.feature_names_in_.tolist() == list(frame)
    if column != "leiden_1.0":
        found = PrecomputedLabels(column).fit(frame.to_numpy(dtype=object))
        assert_array_equal(found.labels_, [1, 0])


VALUES = st.one_of(
    st.lists(st.one_of(st.none(), st.text(max_size=2)), min_size=1, max_size=12),
    st.lists(st.one_of(st.none(), st.integers(-3, 3)), min_size=1, max_size=12),
    st.lists(st.sampled_from([np.nan, 0.5, 0.0, -2.0]), min_size=1, max_size=12),
)


@settings(max_examples=30)
@given(values=VALUES, seed=st.integers(0, 100))
def test_rows_may_come_in_any_order(values, seed):
    order = np.random.RandomState(seed).permutation(len(values))
    column = np.array(values, dtype=object)[:, None]
    labels = PrecomputedLabels().fit_predict(column)
    assert_array_equal(PrecomputedLabels().fit_predict(column[order]), labels[order])
    same = [[repr(a) == repr(b) for b in values] for a in values]
    assert_array_equal(labels[:, None] == labels, same | _noise(labels))


def _noise(labels):
    """-1 as a number and as what is missing are the same."""
    return (labels == -1)[:, None] & (labels == -1)
