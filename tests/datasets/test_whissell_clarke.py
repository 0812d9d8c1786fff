"""The paper's requirements of its five data sets, and the laws of the draws."""

import numpy as np
import pytest
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


def drawn(make, seed, n_clusters, size, most, apart):
    """Rows, clusters and centers, after what all sets promise of these."""
    X, y, centers = make(random_state=seed, return_centers=True)
    assert np.bincount(y).tolist() == [size] * n_clusters
    assert len(X) == len(y)
    if make is not make_paired_gaussians:
        assert 0 <= centers.min() <= centers.max() <= most
        assert pdist(centers).min() >= apart
    return X, y, centers


@pytest.mark.parametrize(
    ("make", "most", "apart", "slack"),
    [
        (make_separated_gaussians, 10, 4, 1.02),
        (make_elongated_gaussians, 50, 5, 1.3),
        (make_uniform_boxes, 10, 5, 1.02),
    ],
)
def test_centers_are_as_near_and_as_far_as_they_may_be(make, most, apart, slack):
    """A single set rarely shows either: few centers are nearly too near."""
    draws = [make(8, random_state=s, return_centers=True)[2] for s in range(600)]
    nearest, all_of = [pdist(centers).min() for centers in draws], np.concatenate(draws)
    assert apart <= min(nearest) < slack * apart
    assert 0 <= all_of.min() < 0.01 * most
    assert 0.99 * most < all_of.max() <= most


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
    draws = [
        make_paired_gaussians(6, random_state=s, return_centers=True)[2]
        for s in range(600)
    ]
    centers = np.stack(draws)[:, :2]  # of the first pair, which no other one limits
    apart, midpoints = centers[:, 1] - centers[:, 0], centers.mean(axis=1)
    distances = np.linalg.norm(apart, axis=1)
    assert kstest(distances, "uniform", args=(4, 4)).pvalue > 0.003
    for axis in range(5):
        cosines = apart[:, axis] / distances
        assert abs(np.mean(cosines > 0) - 0.5) < 4 / np.sqrt(4 * 600)
        assert kstest(cosines**2, "beta", args=(1 / 2, 2)).pvalue > 0.003
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


def test_rows_are_gaussian_within_the_radius():
    X, y, centers = make_separated_gaussians(9000, random_state=0, return_centers=True)
    rows = X - centers[y]
    within = chi.cdf(2, 5)
    lengths = np.linalg.norm(rows, axis=1)
    assert ks_1samp(lengths, lambda x: chi.cdf(x, 5) / within).pvalue > 0.003
    angles = np.arctan2(rows[:, 0], rows[:, 1])
    assert kstest(angles, "uniform", args=(-np.pi, 2 * np.pi)).pvalue > 0.003
