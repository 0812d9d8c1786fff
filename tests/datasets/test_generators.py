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
        np.bincount(y, minlength=n_clusters),
        np.bincount(expected, minlength=n_clusters),
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


BAD = [
    *[
        (make, error, message, params)
        for make in GENERATORS
        for error, message, params in [
            (ValueError, "n_samples must be 1 or more, got 0", {"n_samples": 0}),
            (TypeError, "n_samples must be an integer, or one for", {"n_samples": 9.0}),
            (TypeError, "n_samples must be an integer, or one for", {"n_samples": True}),
            (ValueError, "cannot be used to seed", {"random_state": "seed"}),
        ]
    ],
    *[
        (make, error, message, params)
        for make in GENERATORS
        if make not in (datasets.make_rings, datasets.make_vmf_blobs)
        for error, message, params in [
            (TypeError, "n_features must be an integer, got 2.5", {"n_features": 2.5}),
            (ValueError, "n_features must be 1 or more, got 0", {"n_features": 0}),
            (ValueError, r"one entry for each of \d clusters, got 1", {"n_samples": [9]}),
            (ValueError, "min_distance must be a finite", {"min_distance": np.nan}),
            (ValueError, "min_distance must be a finite", {"min_distance": -1}),
            (TypeError, "min_distance must be a number", {"min_distance": "far"}),
            (ValueError, r"at most .* center_box=.* got 299.0", {"min_distance": 299.0}),
            (ValueError, "center_box must be two numbers", {"center_box": (1, 0)}),
            (ValueError, "center_box must be two numbers", {"center_box": (0, 1, 2)}),
            (ValueError, "center_box must be finite", {"center_box": (0, np.inf)}),
            (TypeError, "center_box must be numeric", {"center_box": ("a", "b")}),
        ]
    ],
    *[
        (make, ValueError, message, {"max_radius": value, "n_features": n_features})
        for make in (datasets.make_paired_gaussians, datasets.make_separated_gaussians)
        for message, value, n_features in [
            ("max_radius must be a number of 0 or more", -2.0, 5),
            ("max_radius must be a number of 0 or more", np.nan, 5),
            (r"max_radius must be about 1.8e-58 or more", 0, 5),
            (r"max_radius must be about 10.4 or more for n_features=1000", 2.0, 1000),
        ]
    ],
    (
        datasets.make_separated_gaussians,
        ValueError,
        "n_clusters must be 1 or more, got 0",
        {"n_clusters": 0},
    ),
    (
        datasets.make_separated_gaussians,
        ValueError,
        "n_samples must be 0 or more each",
        {"n_samples": [2, -1], "n_clusters": 2},
    ),
    (
        datasets.make_separated_gaussians,
        ValueError,
        "n_samples must be 0 or more each",
        {"n_samples": [0, 0], "n_clusters": 2},
    ),
    (
        datasets.make_paired_gaussians,
        TypeError,
        "n_pairs must be an integer, got True",
        {"n_pairs": True},
    ),
    *[
        (datasets.make_paired_gaussians, ValueError, message, {"pair_distance": value})
        for message, value in [
            ("pair_distance must be two numbers", (8.0, 4.0)),
            ("at least 0, got", (-1.0, 4.0)),
            ("pair_distance must have 1 dimensions", 5.0),
        ]
    ],
    (
        datasets.make_elongated_gaussians,
        ValueError,
        "n_clusters must be at most n_features=5, .* got 6",
        {"n_clusters": 6},
    ),
    (
        datasets.make_elongated_gaussians,
        ValueError,
        "stretch must be a finite number of 0 or more, got inf",
        {"stretch": np.inf},
    ),
    (datasets.make_uniform_boxes, TypeError, "side must be a number", {"side": None}),
    *[
        (datasets.make_rings, error, message, params)
        for error, message, params in [
            (ValueError, "noise must be a finite number", {"noise": -0.1}),
            (ValueError, "radii must be 0 or more", {"radii": (1, -1)}),
            (ValueError, "radii must have 1 dimensions and an entry", {"radii": ()}),
            (ValueError, "for each of 3 clusters, got 2", {"radii": (1, 2, 3)}),
        ]
    ],
    *[
        (datasets.make_vmf_blobs, error, message, params)
        for error, message, params in [
            (ValueError, "n_features must be 2 or more, got 1", {"n_features": 1}),
            (ValueError, "centers must be 1 or more, got 0", {"centers": 0}),
            (ValueError, "centers must have 2 dimensions", {"centers": [1.0, 0.0]}),
            (ValueError, "centers must have 2 features", {"centers": [[1.0], [2.0]]}),
            (ValueError, "zero in row 1", {"centers": [[1.0, 0.0], [0.0, 0.0]]}),
            (ValueError, "centers must be finite", {"centers": [[1.0, np.nan]]}),
            (ValueError, "centers must not be ragged", {"centers": [[1.0], [1.0, 2.0]]}),
            (TypeError, "centers must be numeric", {"centers": [["a", "b"]]}),
            (
                ValueError,
                r"concentration must be in \[0, 1e\+09\]",
                {"concentration": -1},
            ),
            (ValueError, r"\[0, 1e\+09\], got 100000000000", {"concentration": 1e11}),
            (ValueError, "concentration must be finite", {"concentration": np.inf}),
            (ValueError, "each of 3 centers, got 2", {"concentration": [1, 2]}),
            (ValueError, "each of 3 centers, got 2", {"weights": [0.5, 0.5]}),
            (ValueError, "weights must be 0 or more and", {"weights": [1, 1, -1]}),
            (ValueError, "sum to 1, got", {"weights": [0.5, 0.5, 0.5]}),
            (ValueError, "weights must be None", {"weights": [1], "n_samples": [5]}),
            (
                ValueError,
                "each of 2 clusters, got 3",
                {"n_samples": [1] * 3, "centers": 2},
            ),
        ]
    ],
]


@pytest.mark.parametrize(("make", "error", "message", "params"), BAD)
def test_bad_input(make, error, message, params):
    generator = np.random.RandomState(0)
    before = generator.get_state()[2]
    with pytest.raises(error, match=message):
        make(**{"random_state": generator, **params})
    assert generator.get_state()[2] == before, "drew before it checked"
