"""What holds of all generators: order, sizes, seeds and errors."""

import inspect

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import make_blobs

from sklearn_pacmdl import datasets

MAKERS = [name for name in datasets.__all__ if name.startswith("make_")]
GENERATORS = [getattr(datasets, name) for name in MAKERS]
N_CLUSTERS = {
    datasets.make_elongated_gaussians: 5,
    datasets.make_paired_gaussians: 6,
    datasets.make_rings: 2,
    datasets.make_separated_gaussians: 6,
    datasets.make_uniform_boxes: 8,
    datasets.make_vmf_blobs: 3,
}
every = pytest.mark.parametrize("make", GENERATORS, ids=lambda make: make.__name__)


def sorted_rows(X, y):
    return np.column_stack([y, X])[np.lexsort(X.T)]


@every
def test_types(make):
    X, y = make(random_state=0)
    assert X.dtype == np.float64
    assert y.dtype == np.int64
    assert X.shape == (y.size, 2 if make is datasets.make_rings else X.shape[1])
    assert np.all(np.isfinite(X))


@every
def test_seeds_reproduce(make):
    first, again, other = (make(random_state=seed)[0] for seed in (3, 3, 4))
    np.testing.assert_array_equal(first, again)
    assert np.mean(first == other) < 0.01
    stream = np.random.RandomState(3)
    np.testing.assert_array_equal(first, make(random_state=stream)[0])
    assert np.mean(first == make(random_state=stream)[0]) < 0.01


@every
def test_shuffle_changes_the_order_only(make):
    X, y = make(random_state=1)
    in_order, clusters = make(random_state=1, shuffle=False)
    np.testing.assert_array_equal(np.diff(clusters) >= 0, True)
    assert np.any(np.diff(y) < 0)
    np.testing.assert_array_equal(sorted_rows(X, y), sorted_rows(in_order, clusters))


@every
@pytest.mark.parametrize("n_samples", [1, 7, 48, 101])
def test_an_integer_is_divided_as_by_make_blobs(make, n_samples):
    n_clusters = N_CLUSTERS[make]
    X, y = make(n_samples, random_state=0)
    assert len(X) == len(y) == n_samples
    _, expected = make_blobs(n_samples, centers=n_clusters)
    np.testing.assert_array_equal(
        np.bincount(y, minlength=n_clusters), np.bincount(expected, minlength=n_clusters)
    )


@every
@given(data=st.data())
def test_sizes_of_clusters(make, data):
    n_clusters = N_CLUSTERS[make]
    sizes = data.draw(
        st.lists(st.integers(0, 30), min_size=n_clusters, max_size=n_clusters).filter(any)
    )
    X, y = make(sizes, random_state=0)
    assert len(X) == sum(sizes)
    assert np.bincount(y, minlength=n_clusters).tolist() == sizes


@every
def test_return_centers(make):
    if make is datasets.make_rings:
        assert "return_centers" not in inspect.signature(make).parameters
        return
    X, y, centers = make(3000, random_state=2, return_centers=True)
    np.testing.assert_array_equal(X, make(3000, random_state=2)[0])
    assert centers.shape == (N_CLUSTERS[make], X.shape[1])
    means = np.stack([X[y == c].mean(axis=0) for c in range(len(centers))])
    error = np.abs(means - centers).max(axis=0) * np.sqrt(300)
    assert np.all(error < 4.5 * X[y == 0].std(axis=0).max())
