"""Labels from elsewhere: what they become, and how they go through a search."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.cluster import AgglomerativeClustering
from sklearn.datasets import make_blobs

from sklearn_pacmdl import ClusterLabelClassifier, PACMDLSearchCV
from sklearn_pacmdl.cluster import PrecomputedLabels

COLUMNS = {
    "integers": ([3, -1, 3, 7], [3, -1, 3, 7], {-1: -1, 3: 3, 7: 7}),
    "whole floats": ([3.0, np.nan, 0.0], [3, -1, 0], {0: 0, 3: 3}),
    "floats": ([1.5, 1.0, 1.5], [1, 0, 1], {0: 1.0, 1: 1.5}),
    "strings": (["b", None, "a"], [1, -1, 0], {0: "a", 1: "b"}),
    "numerals": (["10", "9"], [10, 9], {10: "10", 9: "9"}),
    "booleans": ([True, False], [1, 0], {0: False, 1: True}),
    "categories": (pd.Categorical(["z", None, "a"]), [1, -1, 0], {0: "a", 1: "z"}),
    "nullable": (pd.array([4, None, 2], dtype="Int64"), [4, -1, 2], {2: 2, 4: 4}),
    "dates": (
        pd.to_datetime(["2020-02-01", None, "2020-01-01"]),
        [1, -1, 0],
        {0: np.datetime64("2020-01-01"), 1: np.datetime64("2020-02-01")},
    ),
    "nothing": ([None, None], [-1, -1], {}),
}


@pytest.mark.parametrize("kind", COLUMNS)
def test_labels_by_hand(kind):
    values, labels, names = COLUMNS[kind]
    found = PrecomputedLabels().fit(pd.DataFrame({"a": values}))
    np.testing.assert_array_equal(found.labels_, labels)
    assert found.labels_.dtype == np.int64
    assert found.names_ == names


@pytest.mark.parametrize("column", ["leiden_1.0", 1, -1])
@pytest.mark.parametrize("dtype", [object, "category", "string"])
def test_columns_by_name_and_position(column, dtype):
    frame = pd.DataFrame({"leiden_0.5": ["a", "b"], "leiden_1.0": ["y", "x"]})
    found = PrecomputedLabels(column).fit(frame.astype(dtype))
    np.testing.assert_array_equal(found.labels_, [1, 0])
    assert found.feature_names_in_.tolist() == list(frame)
    if column != "leiden_1.0":
        found = PrecomputedLabels(column).fit(frame.to_numpy(dtype=object))
        np.testing.assert_array_equal(found.labels_, [1, 0])


@pytest.mark.parametrize("column", ["leiden", 1])
@pytest.mark.parametrize(
    "make",
    [
        pl.from_pandas,
        lambda frame: pa.Table.from_pandas(frame),
        lambda frame: pa.concat_tables(
            [pa.Table.from_pandas(frame[:2]), pa.Table.from_pandas(frame[2:])]
        ),
    ],
    ids=["Polars", "PyArrow", "PyArrow chunks"],
)
def test_gaps_in_columns_of_other_libraries(make, column):
    """PyArrow itself would fill gaps in categories of several chunks."""
    leiden = pd.Categorical(["b", "a", None, "c", "b"])
    frame = pd.DataFrame({"other": [1.0, None, 1.0, 2.0, 2.0], "leiden": leiden})
    found = PrecomputedLabels(column).fit(make(frame))
    np.testing.assert_array_equal(found.labels_, [1, 0, -1, 2, 1])
    assert found.names_ == {0: "a", 1: "b", 2: "c"}
    assert found.n_features_in_ == 2


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
    np.testing.assert_array_equal(
        PrecomputedLabels().fit_predict(column[order]), labels[order]
    )
    same = [[repr(a) == repr(b) for b in values] for a in values]
    np.testing.assert_array_equal(labels[:, None] == labels, same | _noise(labels))


def _noise(labels):
    """-1 as a number and as what is missing are the same."""
    return (labels == -1)[:, None] & (labels == -1)


def labelings():
    """Names of clusters, of a true and two poor clusterings, and the classes."""
    X, y = make_blobs(300, centers=4, random_state=3)
    frame = pd.DataFrame(
        {f"k={k}": AgglomerativeClustering(k).fit_predict(X) for k in (2, 4, 8)}
    )
    return frame.map("cluster {}".format), y


@pytest.mark.parametrize("certify", ["labels", "holdout"])
@pytest.mark.parametrize(
    "make", [pd.DataFrame, lambda f: f.astype("category"), lambda f: f.to_numpy(object)]
)
def test_search(make, certify):
    """The labels follow their rows: nearly no error, which permuted ones would have."""
    frame, y = labelings()
    X = make(frame)
    columns = list(frame) if hasattr(X, "columns") else [0, 1, 2]
    seen = np.where(np.random.RandomState(0).rand(300) < 0.5, y, -1)
    options = {} if certify == "labels" else {"certify": certify}
    search = PACMDLSearchCV(
        PrecomputedLabels(), param_grid={"column": columns}, random_state=0, **options
    ).fit(X, seen)
    assert search.best_params_ == {"column": columns[1]}
    assert np.mean(search.transduction_ != y) < 0.02
    assert search.best_bound_ < 0.12
    assert not hasattr(search, "predict")


def test_gaps_in_a_frame():
    frame, y = labelings()
    frame.iloc[::10] = None
    found = ClusterLabelClassifier(PrecomputedLabels("k=4"), random_state=0).fit(frame, y)
    assert set(found.clusters_) == {-1, 0, 1, 2, 3}


def test_strings_are_refused_for_other_clusterers():
    frame, y = labelings()
    search = PACMDLSearchCV(
        [("labels", PrecomputedLabels(0)), ("ward", AgglomerativeClustering())]
    )
    with pytest.raises(ValueError, match="could not convert string to float"):
        search.fit(frame, y)
