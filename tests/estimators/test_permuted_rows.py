"""What lies along rows goes with them, and what may be their number by chance stays."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from sklearn.cluster import DBSCAN, AffinityPropagation, AgglomerativeClustering, KMeans
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from sklearn_pacmdl.estimators import (
    is_symmetric,
    permute_rows,
    permuted_parameters,
    rows_of_metadata,
    split_rows,
    takes_pairs,
    unable_to_write,
    without_duplicates,
)

ORDER = [2, 0, 1]
PAIRS = np.array([[0.0, 1, 2], [1, 0, 3], [2, 3, 0]])
OF_PAIRS = DBSCAN(metric="precomputed")


def dense(X):
    return X.toarray() if sp.issparse(X) else X


def test_rows_of_a_table():
    assert permute_rows([[5], [6], [7]], ORDER, pairs=False) == [[7], [5], [6]]
    frame = permute_rows(pd.DataFrame({"a": [5, 6, 7]}), ORDER, pairs=False)
    assert frame["a"].tolist() == [7, 5, 6]
    assert frame.index.tolist() == [0, 1, 2]  # which tells no step the old order


@pytest.mark.parametrize("container", [np.array, sp.csr_array, sp.coo_array])
def test_pairs_are_permuted_on_both_axes(container):
    permuted = permute_rows(container(PAIRS), ORDER, pairs=True)
    assert_array_equal(dense(permuted), [[0, 2, 3], [2, 0, 1], [3, 1, 0]])
    if sp.issparse(permuted):  # the nearest first
        assert permuted.data.tolist() == [2, 3, 1, 2, 1, 3]
    with pytest.raises(ValueError, match=r"X must be square .* shape \(2, 3\)"):
        permute_rows(container(PAIRS[:2]), [0, 1], pairs=True)


def test_some_rows_of_pairs_have_the_same_columns_or_those_of_a_fit():
    assert_array_equal(split_rows(OF_PAIRS, PAIRS, [2, 0]), [[0, 2], [2, 0]])
    assert_array_equal(split_rows(OF_PAIRS, PAIRS, [2], [1, 0]), [[3, 2]])
    assert_array_equal(split_rows(KMeans(), PAIRS, [2]), [[2, 3, 0]])


def test_a_pipeline_that_may_compute_pairs_is_refused():
    assert takes_pairs(OF_PAIRS, PAIRS)
    assert not takes_pairs(KMeans(), PAIRS)
    pipeline = make_pipeline(FunctionTransformer(), OF_PAIRS)
    assert not takes_pairs(pipeline, PAIRS[:2])
    with pytest.raises(ValueError, match="it is unknown whether the columns"):
        takes_pairs(pipeline, PAIRS)


def test_only_parameters_that_are_known_to_lie_along_rows_are_permuted():
    known = AgglomerativeClustering(connectivity=PAIRS)
    found = permuted_parameters(make_pipeline(known), ORDER)
    assert_array_equal(
        found["agglomerativeclustering__connectivity"], [[0, 2, 3], [2, 0, 1], [3, 1, 0]]
    )
    found = permuted_parameters(AffinityPropagation(preference=[5, 6, 7]), ORDER)
    assert_array_equal(found["preference"], [7, 5, 6])
    assert permuted_parameters(KMeans(3, init=PAIRS), ORDER) == {}
    for value in ([5, 6, 7], {"a": [5, 6, 7]}, np.zeros((1, 3))):
        step = FunctionTransformer(kw_args=value)
        with pytest.raises(ValueError, match="'kw_args' has one entry per row"):
            permuted_parameters(step, ORDER)
        assert permuted_parameters(step, [0, 1]) == {}


def test_metadata_go_with_their_rows():
    given = {"weight": [5, 6, 7], "two": np.eye(3)[:, :2], "other": [1, 2], "text": "abc"}
    found = rows_of_metadata(given, [2, 0], 3)
    assert found["weight"].tolist() == [7, 5]
    assert found["two"].tolist() == [[0, 0], [1, 0]]
    assert (found["other"], found["text"]) == ([1, 2], "abc")
    with pytest.raises(ValueError, match="'pairs' has one column per row"):
        rows_of_metadata({"pairs": np.ones((2, 3))}, [2, 0], 3)


@pytest.mark.parametrize("container", [np.array, sp.csr_array])
def test_symmetry_up_to_rounding(container):
    assert is_symmetric(container(PAIRS))
    almost, other = PAIRS.copy(), PAIRS.copy()
    almost[0, 1] += 1e-5
    other[0, 1] += 0.1
    assert is_symmetric(container(almost))
    assert not is_symmetric(container(other))


def test_symmetry_where_distances_are_missing():
    missing = PAIRS.copy()
    missing[0, 1] = np.nan
    assert is_symmetric(missing)
    assert is_symmetric(sp.csr_array(np.triu(PAIRS)))  # no pair is at both places
    assert not is_symmetric(np.triu(PAIRS))


@pytest.mark.parametrize("container", [np.array, sp.csr_array])
def test_rows_cannot_be_written(container):
    X = container(PAIRS)

    def write(X):
        (X.data if sp.issparse(X) else X)[0] = 9
        return X

    written = unable_to_write(write, X)
    assert dense(written).max() == 9
    assert_array_equal(dense(X), PAIRS)
    assert unable_to_write(lambda X: X, X) is not X
    with pytest.raises(ValueError, match="another reason"):
        unable_to_write(lambda X: (_ for _ in ()).throw(ValueError("another reason")), X)


def test_entries_that_are_stored_twice_are_added_in_a_copy():
    X = sp.csr_array((np.array([1.0, 2]), np.array([1, 1]), np.array([0, 2])), (1, 2))
    assert without_duplicates(X).data.tolist() == [3]
    assert X.data.tolist() == [1, 2]
    assert without_duplicates(PAIRS) is PAIRS
