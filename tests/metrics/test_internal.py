from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from sklearn.metrics import pairwise_distances

from sklearn_pacmdl import metrics as m


@pytest.fixture(scope="module")
def blobs():
    return make_blobs(150, n_features=3, centers=4, random_state=0)


def test_sum_of_squared_errors_is_inertia(blobs):
    X, _ = blobs
    kmeans = KMeans(5, n_init=1, random_state=0, tol=0, max_iter=1000).fit(X)
    sse = m.sum_of_squared_errors(X, kmeans.labels_)
    assert sse == pytest.approx(kmeans.inertia_)
    assert m.sum_of_squared_errors(sp.csr_array(X), kmeans.labels_) == pytest.approx(sse)
    assert m.sum_of_squared_errors(X + 1e6, kmeans.labels_) == pytest.approx(
        sse, rel=1e-6
    )
    far = sp.csr_array((X + 1000).astype(np.float32))
    expected = m.sum_of_squared_errors(far.toarray(), kmeans.labels_)
    assert m.sum_of_squared_errors(far, kmeans.labels_) == pytest.approx(
        expected, rel=1e-6
    )
    gaps = sp.random_array((150, 20), density=0.2, random_state=np.random.default_rng(0))
    expected = m.sum_of_squared_errors(gaps.toarray(), kmeans.labels_)
    assert m.sum_of_squared_errors(gaps, kmeans.labels_) == pytest.approx(expected)
    assert m.sse_score(X, kmeans.labels_) == 0 or sse < 745
    assert m.sse_score(X / 100, kmeans.labels_) == pytest.approx(np.exp(-sse / 1e4))


def test_edge_cut(blobs):
    X, labels = blobs
    affinity = np.exp(-cdist(X, X))
    same = labels[:, None] == labels
    upper = np.triu(np.ones_like(affinity), 1).astype(bool)
    expected = affinity[upper & same].sum() / affinity[upper].sum()
    for kind in (np.asarray, sp.csr_matrix, sp.coo_array):
        assert m.edge_cut_score(kind(affinity), labels) == pytest.approx(expected)
    assert m.edge_cut_score(affinity, np.zeros(150)) == 1
    assert m.edge_cut_score(np.eye(150), labels) == 1  # no edges


def test_balance():
    assert m.balance_score(None, [0, 0, 1, 1, 2, 2]) == 1
    assert m.balance_score(None, [0, 0, 0, 1]) == (4 / 2) / 3
    assert m.balance_score(None, ["a"]) == 1


def test_category_utility_counts_correct_guesses():
    """Second route: the expected number of attributes guessed right."""
    rng = np.random.RandomState(0)
    X, labels = (rng.rand(60, 5) < 0.4).astype(float), rng.randint(3, size=60)

    def guessed(rows):
        p = rows.mean(axis=0)
        return np.sum(p**2 + (1 - p) ** 2)

    within = sum(np.mean(labels == c) * guessed(X[labels == c]) for c in range(3))
    expected = 2 / 5 * (within - guessed(X))  # of two values: half of 4/d
    for kind in (np.asarray, sp.csr_matrix, sp.csr_array):
        assert m.category_utility_score(kind(X), labels) == pytest.approx(expected)
    assert m.category_utility_score(X, np.zeros(60)) == pytest.approx(0)
    half = np.repeat([[0, 1, 1], [1, 0, 0]], 10, axis=0)
    assert m.category_utility_score(half, np.repeat([0, 1], 10)) == 1
    with pytest.raises(ValueError, match="zeros and ones only"):
        m.category_utility_score(X + 0.5, labels)


def brute_dunn(X, labels):
    D, same = cdist(X, X), np.equal.outer(labels, labels)
    within = D[same].max()
    return D[~same].min() / within if within else np.inf if D[~same].min() else 0.0


@given(st.integers(3, 40), st.integers(1, 4), st.integers(0, 2**16))
def test_dunn_against_all_pairs(n_rows, n_features, seed):
    rng = np.random.RandomState(seed)
    X = rng.randint(-9, 10, size=(n_rows, n_features)).astype(float)
    labels = np.r_[0, 1, rng.randint(4, size=n_rows - 2)]
    expected = brute_dunn(X, labels)
    assert m.dunn_score(X, labels) == pytest.approx(expected)
    assert m.dunn_score(cdist(X, X), labels, metric="precomputed") == pytest.approx(
        expected
    )
    assert m.dunn_score(sp.csr_array(X), labels) == pytest.approx(expected, abs=1e-6)


def test_dunn_of_many_rows_and_far_from_the_origin():
    # More rows in a cluster than are compared at once.
    X, labels = make_blobs([2500, 300, 200], n_features=4, random_state=1)
    expected = brute_dunn(X, labels)
    assert m.dunn_score(X, labels) == pytest.approx(expected)
    assert m.dunn_score(X + 1e5, labels) == pytest.approx(expected, rel=1e-6)
    uniform = np.random.RandomState(0).rand(3000, 4)
    labels = (uniform[:, 0] > 0.8).astype(int)
    assert m.dunn_score(uniform, labels) == pytest.approx(brute_dunn(uniform, labels))


def test_dunn_degenerate():
    assert m.dunn_score([[0.0], [1.0]], [0, 1]) == np.inf
    assert m.dunn_score([[1.0], [1.0]], [0, 1]) == 0
    with pytest.raises(ValueError, match="at least 2 clusters, got 1"):
        m.dunn_score([[0.0], [1.0]], [0, 0])


@pytest.mark.parametrize("name", ["sum_of_squared_errors", "sse_score", "dunn_score"])
def test_order_and_type_of_rows(name, blobs):
    (X, labels), measure = blobs, getattr(m, name)
    value, order = measure(X, labels), np.random.RandomState(0).permutation(len(X))
    assert type(value) is float
    assert measure(X[order], labels[order]) == pytest.approx(value)
    assert measure(X.tolist(), labels) == pytest.approx(value)
    assert measure(X.astype(np.float32), labels) == pytest.approx(value, rel=1e-4)


def stored_twice(X, kind):
    """The same sparse rows with every entry in two parts, the second out of order."""
    whole = kind(X)
    columns = [np.r_[part, part] for part in np.split(whole.indices, whole.indptr[1:-1])]
    values = [np.r_[v / 4, 3 * v / 4] for v in np.split(whole.data, whole.indptr[1:-1])]
    parts = np.concatenate(values), np.concatenate(columns), 2 * whole.indptr
    again = kind(parts, shape=X.shape)
    np.testing.assert_allclose(again.toarray(), X)
    assert again.nnz == 2 * whole.nnz
    return again


@pytest.mark.parametrize("kind", [sp.csr_matrix, sp.csr_array])
def test_entries_that_are_stored_in_parts(kind):
    """One entry, whichever way it is stored; and the user's matrix stays as it was."""
    rng = np.random.RandomState(0)
    X = rng.randint(3, size=(30, 6)).astype(float)
    labels = rng.randint(3, size=30)
    measures = [
        (m.sum_of_squared_errors, X),
        (m.dunn_score, X),
        (m.category_utility_score, X // 2),
        (m.edge_cut_score, X @ X.T),
        (partial(m.informativeness_score, random_state=0), X),
    ]
    for measure, rows in measures:
        sparse = stored_twice(rows, kind)
        before = sparse.data.copy(), sparse.indices.copy(), sparse.indptr.copy()
        expected = measure(rows, labels)
        assert measure(sparse, labels) == pytest.approx(expected, rel=1e-6)
        after = sparse.data, sparse.indices, sparse.indptr
        np.testing.assert_equal(after, before)


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "manhattan"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_distances_may_be_rounded(metric, dtype):
    """More rows than are compared at once, in the precision of the data."""
    X = np.random.RandomState(0).normal(size=(2100, 50)).astype(dtype)
    D = pairwise_distances(X, metric=metric).astype(dtype)
    labels = np.arange(2100) % 3
    assert 0 < m.dunn_score(D, labels, metric="precomputed") < 1
    assert 0 < m.edge_cut_score(D, labels) < 1
    D[2099, 1] *= 1.001
    with pytest.raises(ValueError, match="must be symmetric"):
        m.dunn_score(D, labels, metric="precomputed")
