"""Chunks of rows, one after the other."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.cluster import MiniBatchKMeans
from sklearn.preprocessing import normalize

from sklearn_pacmdl.cluster import SphericalKMeans
from sklearn_pacmdl.datasets import make_vmf_blobs


@pytest.fixture
def rows():
    """Overlapping directions, with lengths that say nothing."""
    X, _ = make_vmf_blobs(3000, 12, centers=8, concentration=12, random_state=0)
    rng = np.random.default_rng(0)
    return X[rng.permutation(3000)] * rng.uniform(0.1, 9, size=(3000, 1))


def streamed(X, size):
    clusterer = SphericalKMeans(6, random_state=0)
    for start in range(0, X.shape[0], size):
        assert clusterer.partial_fit(X[start : start + size]) is clusterer
    return clusterer


def loss(X, clusterer):
    """Sum of cosine distances from the best centers of predicted clusters."""
    unit, labels = normalize(X), clusterer.predict(X)
    return len(X) - sum(np.linalg.norm(unit[labels == c].sum(axis=0)) for c in range(6))


def test_the_first_rows_are_clustered_as_by_fit(rows):
    ours, fitted = streamed(rows, len(rows)), SphericalKMeans(6, random_state=0).fit(rows)
    assert_array_equal(ours.cluster_centers_, fitted.cluster_centers_)
    assert_array_equal(ours.labels_, fitted.labels_)
    assert ours.n_iter_ == fitted.n_iter_


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_centers_are_means_of_the_rows_that_joined(make, rows):
    """Sums by hand, in which a row stays where it has joined."""
    weights = np.random.default_rng(1).integers(0, 4, len(rows)).astype(float)
    first = SphericalKMeans(6, random_state=0).fit(
        rows[:500], sample_weight=weights[:500]
    )
    unit, labels = normalize(rows), first.predict(rows[:500])
    sums = np.zeros((6, 12))
    np.add.at(sums, labels, weights[:500, None] * unit[:500])
    centers = normalize(sums)
    assert_allclose(centers, first.cluster_centers_)
    for own in slice(500, 1500), slice(1500, 3000):
        joined = (unit[own] @ centers.T).argmax(axis=1)
        np.add.at(sums, joined, weights[own, None] * unit[own])
        centers = normalize(sums)
    ours = SphericalKMeans(6, random_state=0)
    for own in slice(0, 500), slice(500, 1500), slice(1500, 3000):
        ours.partial_fit(make(rows[own]), sample_weight=weights[own])
    assert_allclose(ours.cluster_centers_, centers)
    assert_array_equal(ours.labels_, ours.predict(rows[1500:]))
    assert ours.n_iter_ == first.n_iter_ + 2
    cosines = (unit[1500:] * centers[ours.labels_]).sum(axis=1)
    assert ours.inertia_ == pytest.approx(weights[1500:] @ (1 - cosines))


def test_more_rows_after_a_fit_are_those_after_a_chunk(rows):
    fitted = SphericalKMeans(6, random_state=0).fit(rows[:1000]).partial_fit(rows[1000:])
    assert_array_equal(
        fitted.cluster_centers_,
        SphericalKMeans(6, random_state=0)
        .partial_fit(rows[:1000])
        .partial_fit(rows[1000:])
        .cluster_centers_,
    )


def test_chunks_lose_little_against_a_fit(rows):
    """Less than those of MiniBatchKMeans, by Euclidean distance, on unit rows."""
    fitted = loss(rows, SphericalKMeans(6, n_init=5, random_state=0).fit(rows))
    theirs = MiniBatchKMeans(6, n_init=1, random_state=0)
    for start in range(0, 3000, 500):
        theirs.partial_fit(normalize(rows[start : start + 500]))
    assert fitted <= loss(rows, streamed(rows, 500)) < 1.02 * fitted
    assert loss(rows, streamed(rows, 500)) < loss(normalize(rows), theirs)


def test_float32_is_kept(rows):
    ours = streamed(rows.astype(np.float32), 500)
    assert ours.cluster_centers_.dtype == np.float32
    expected = streamed(rows, 500)
    assert_allclose(ours.cluster_centers_, expected.cluster_centers_, atol=1e-4)


def test_rows_of_zeros_change_nothing(rows):
    ours = SphericalKMeans(6, random_state=0).fit(rows)
    centers = ours.cluster_centers_
    ours.partial_fit(np.zeros((3, 12)))
    assert_allclose(ours.cluster_centers_, centers)
    assert_array_equal(ours.labels_, 0)
    assert ours.inertia_ == 0


def test_bad_input(rows):
    with pytest.raises(ValueError, match="n_clusters must be at most n_samples=5, got 6"):
        SphericalKMeans(6).partial_fit(rows[:5])
    fitted = SphericalKMeans(6, random_state=0).fit(rows)
    with pytest.raises(ValueError, match="n_clusters must be 6, as for the rows before"):
        fitted.set_params(n_clusters=7).partial_fit(rows)
    with pytest.raises(ValueError, match="X has 11 features"):
        fitted.set_params(n_clusters=6).partial_fit(rows[:, :11])
