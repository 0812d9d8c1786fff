"""The paper's requirements of its five data sets, and the laws of the draws."""

import inspect

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist, pdist
from scipy.stats import chi, ks_1samp, kstest, norm
from sklearn.metrics import adjusted_mutual_info_score

from sklearn_pacmdl.datasets import (
    make_elongated_gaussians,
    make_paired_gaussians,
    make_rings,
    make_separated_gaussians,
    make_uniform_boxes,
)

ROUNDING = 1e-9
seeds = pytest.mark.parametrize("seed", range(20))


def cut_chi_cdf(n_features, radius):
    total = chi.cdf(min(radius, 1e9), n_features)
    return lambda x: chi.cdf(x, n_features) / total


def drawn(make, seed, n_clusters, size, most, apart):
    """Rows, clusters and centers of the defaults, after what all of them promise."""
    X, y, centers = make(random_state=seed, return_centers=True)
    assert np.bincount(y).tolist() == [size] * n_clusters
    assert len(X) == len(y)
    if make is not make_paired_gaussians:
        assert 0 <= centers.min() <= centers.max() <= most
        assert pdist(centers).min() >= apart
    # A draw rarely shows these: few means are near enough to be kept apart.
    defaults = inspect.signature(make).parameters
    assert defaults["min_distance"].default == apart
    assert defaults["center_box"].default == (0, most)
    return X, y, centers


@seeds
def test_separated_gaussians(seed):
    X, y, centers = drawn(make_separated_gaussians, seed, 6, 500, 10, 4)
    assert X.shape[1] == 5
    assert np.linalg.norm(X - centers[y], axis=1).max() <= 2 + ROUNDING
    np.testing.assert_array_equal(cdist(X, centers).argmin(axis=1), y)


@seeds
def test_paired_gaussians(seed):
    X, y, centers = drawn(make_paired_gaussians, seed, 6, 500, 20, 12)
    midpoints = centers.reshape(3, 2, 5).mean(axis=1)
    assert 0 <= midpoints.min() <= midpoints.max() <= 20
    distances = cdist(centers, centers)
    pair = np.arange(6) // 2
    within = distances[(pair[:, None] == pair) & ~np.eye(6, dtype=bool)]
    assert 4 - ROUNDING <= within.min() <= within.max() <= 8 + ROUNDING
    assert distances[pair[:, None] != pair].min() >= 12
    assert np.linalg.norm(X - centers[y], axis=1).max() <= 2 + ROUNDING
    np.testing.assert_array_equal(cdist(X, centers).argmin(axis=1), y)


def test_pairs_score_as_in_the_paper():
    _, y = make_paired_gaussians(random_state=0)
    score = adjusted_mutual_info_score(y, y // 2, average_method="geometric")
    assert score == pytest.approx(0.783, abs=5e-4)


def test_pairs_lie_in_all_directions_and_at_all_distances():
    one_pair = {"n_features": 3, "n_pairs": 1, "return_centers": True}
    draws = [make_paired_gaussians(1, random_state=s, **one_pair) for s in range(2000)]
    centers = np.concatenate([centers for _, _, centers in draws])
    apart = centers[1::2] - centers[::2]
    distances = np.linalg.norm(apart, axis=1)
    assert kstest(distances, "uniform", args=(4, 4)).pvalue > 0.003
    midpoints = centers[::2] + apart / 2
    for axis in range(3):
        cosines = apart[:, axis] / distances
        assert kstest(cosines, "uniform", args=(-1, 2)).pvalue > 0.003
        assert kstest(midpoints[:, axis], "uniform", args=(0, 20)).pvalue > 0.003


@seeds
def test_elongated_gaussians(seed):
    X, y, centers = drawn(make_elongated_gaussians, seed, 5, 300, 50, 5)
    expected = np.where(np.eye(5, dtype=bool), 15, 1)
    spread = np.stack([X[y == c].std(axis=0) for c in range(5)])
    np.testing.assert_allclose(spread, expected, rtol=5 / np.sqrt(600))
    standard = (X - centers[y]) / expected[y]
    assert ks_1samp(standard.ravel(), norm.cdf).pvalue > 1e-3


@seeds
def test_uniform_boxes(seed):
    X, y, centers = drawn(make_uniform_boxes, seed, 8, 300, 10, 5)
    assert X.shape[1] == 3
    inside = X - centers[y]
    assert np.abs(inside).max() <= 1.5 + ROUNDING
    assert kstest(inside.ravel(), "uniform", args=(-1.5, 3)).pvalue > 1e-3
    assert np.abs(np.corrcoef(inside.T) - np.eye(3)).max() < 0.1


@seeds
def test_rings(seed):
    X, y = make_rings(random_state=seed, shuffle=False)
    assert np.bincount(y).tolist() == [1200, 400]
    angle = np.concatenate(
        [2 * np.pi * np.arange(1200) / 1200, 2 * np.pi * np.arange(400) / 400]
    )
    radius = np.repeat([2, 1], [1200, 400])
    noise = X - radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    assert -ROUNDING <= noise.min() <= noise.max() <= 0.1 + ROUNDING
    assert kstest(noise.ravel(), "uniform", args=(0, 0.1)).pvalue > 1e-3
    assert abs(np.corrcoef(noise.T)[0, 1]) < 0.12


def test_rings_without_noise():
    X, y = make_rings([5, 0, 7], radii=[3.0, 2.0, 0.5], noise=0, random_state=0)
    np.testing.assert_allclose(np.hypot(*X.T), np.array([3.0, 2.0, 0.5])[y])
    assert np.bincount(y).tolist() == [5, 0, 7]


@pytest.mark.parametrize(
    ("n_features", "radius"),
    [
        (1, 0.5),
        (2, 2.0),
        (5, 2.0),
        (5, 1e-3),
        (5, np.inf),
        (5, np.float64(1e200)),
        (40, 2.0),
    ],
)
def test_rows_are_gaussian_within_the_radius(n_features, radius):
    one = {"n_clusters": 1, "max_radius": radius, "return_centers": True}
    X, _, centers = make_separated_gaussians(4000, n_features, random_state=0, **one)
    rows = X - centers
    lengths = np.linalg.norm(rows, axis=1)
    assert ks_1samp(lengths, cut_chi_cdf(n_features, radius)).pvalue > 0.003
    if n_features > 1:
        angles = np.arctan2(rows[:, 0], rows[:, 1])
        assert kstest(angles, "uniform", args=(-np.pi, 2 * np.pi)).pvalue > 0.003
    else:
        assert abs(np.mean(rows > 0) - 0.5) < 4 / np.sqrt(4 * 4000)


@given(
    n_clusters=st.integers(1, 6),
    n_features=st.integers(1, 8),
    low=st.floats(-1e3, 1e3),
    width=st.floats(0.1, 1e3),
    share=st.floats(0, 0.9),
    seed=st.integers(0, 2**32 - 1),
)
def test_requirements_hold_for_other_sizes(
    n_clusters, n_features, low, width, share, seed
):
    # On a line n centers find a place, however drawn, if 2n distances fit.
    distance = share * width / (2 * n_clusters)
    params = {
        "n_samples": 20,
        "n_features": n_features,
        "center_box": (low, low + width),
        "min_distance": distance,
        "random_state": seed,
        "return_centers": True,
    }
    results = [
        make_separated_gaussians(n_clusters=n_clusters, **params),
        make_uniform_boxes(n_clusters=n_clusters, **params),
    ]
    if n_clusters <= n_features:
        results.append(make_elongated_gaussians(n_clusters=n_clusters, **params))
    for X, y, centers in results:
        assert X.shape == (20, n_features)
        assert y.max() < n_clusters
        assert centers.shape == (n_clusters, n_features)
        assert low <= centers.min() <= centers.max() <= low + width
        if n_clusters > 1:
            assert pdist(centers).min() >= distance


@given(n_features=st.integers(2, 50), n_pairs=st.integers(1, 4), seed=st.integers(0, 99))
def test_pairs_in_other_sizes(n_features, n_pairs, seed):
    assume(n_features > 3 or n_pairs < 3)
    X, _, centers = make_paired_gaussians(
        10, n_features, n_pairs=n_pairs, pair_distance=(1.0, 1.0), min_distance=3.0,
        random_state=seed, return_centers=True,
    )  # fmt: skip
    assert X.shape == (10, n_features)
    first, second = centers[::2], centers[1::2]
    np.testing.assert_allclose(np.linalg.norm(first - second, axis=1), 1)
    if n_pairs > 1:
        assert pdist(first).min() >= 3
        assert pdist(second).min() >= 3


class Counting(np.random.RandomState):
    """Counts the centers that are drawn."""

    n_drawn = 0

    def uniform(self, *args, **kwargs):
        self.n_drawn += 1
        return super().uniform(*args, **kwargs)


def test_a_tight_fit_is_found_after_fresh_starts():
    """Two centers on a line can block the third: then all are drawn again."""
    tries = {"n_features": 1, "n_clusters": 3, "center_box": (0, 1), "min_distance": 0.4}
    most = 0
    for seed in range(10):
        generator = Counting(seed)
        _, _, centers = make_uniform_boxes(
            3, random_state=generator, return_centers=True, **tries
        )
        assert pdist(centers).min() >= 0.4
        most = max(most, generator.n_drawn)
    # A start draws one center, and up to 1,000 for each of the others; rows follow.
    assert 1 + 2 * 1000 + 3 < most <= 20 * (1 + 2 * 1000) + 3
