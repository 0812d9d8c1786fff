"""What estimators take, and what goes with their rows when these are permuted."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from sklearn.cluster import (
    DBSCAN,
    AffinityPropagation,
    AgglomerativeClustering,
    KMeans,
    SpectralClustering,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from sklearn_pacmdl.estimators import (
    check_sample_weight,
    is_pairwise,
    is_symmetric,
    kind_of_X,
    permute_rows,
    permuted_parameters,
    without_duplicates,
)

DISTANCES, AFFINITIES = DBSCAN(metric="precomputed"), SpectralClustering()
AFFINITIES.set_params(affinity="precomputed")
X = np.arange(8.0).reshape(4, 2)


@pytest.mark.parametrize(
    ("estimator", "kind"),
    [
        (KMeans(), "features"),
        (DISTANCES, "distances"),
        (AFFINITIES, "affinities"),
        (SpectralClustering(affinity="precomputed_nearest_neighbors"), "distances"),
    ],
)
def test_what_X_holds(estimator, kind):
    assert kind_of_X(estimator) == kind
    assert is_pairwise(estimator) == (kind != "features")
    # The first step that does something takes X.
    assert is_pairwise(make_pipeline("passthrough", estimator)) == (kind != "features")
    assert not is_pairwise(make_pipeline(StandardScaler(), estimator))


def test_weights_of_rows():
    assert check_sample_weight(None, X).tolist() == [1, 1, 1, 1]
    assert check_sample_weight(2, X).tolist() == [2, 2, 2, 2]
    assert check_sample_weight([0, 1, 2, 3], X).dtype == np.float64
    for weight in ([-1, 1, 1, 1], [1, 1], np.nan, np.inf):
        with pytest.raises(ValueError, match=r"sample_weight|weights"):
            check_sample_weight(weight, X)


ORDER = [2, 0, 1]
PAIRS = np.array([[0.0, 1, 2], [1, 0, 3], [2, 3, 0]])


def test_graphs_of_neighbors_have_the_nearest_first():
    permuted = permute_rows(sp.csr_array(PAIRS), ORDER, pairs=True)
    assert_array_equal(permuted.toarray(), [[0, 2, 3], [2, 0, 1], [3, 1, 0]])
    assert permuted.data.tolist() == [2, 3, 1, 2, 1, 3]


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


def test_symmetry_where_distances_are_missing():
    missing = PAIRS.copy()
    missing[0, 1] = np.nan
    assert is_symmetric(missing)
    assert is_symmetric(sp.csr_array(np.triu(PAIRS)))  # no pair is at both places
    assert not is_symmetric(np.triu(PAIRS))


def test_entries_that_are_stored_twice_are_added_in_a_copy():
    X = sp.csr_array((np.array([1.0, 2]), np.array([1, 1]), np.array([0, 2])), (1, 2))
    assert without_duplicates(X).data.tolist() == [3]
    assert X.data.tolist() == [1, 2]
    assert without_duplicates(PAIRS) is PAIRS
