import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import besseli, mp
from scipy.stats import ks_2samp, kstest, vonmises_fisher

from sklearn_pacmdl.datasets import make_vmf_blobs


def expected_length(n_features, kappa):
    """Length of the mean row, in 30 digits."""
    with mp.workdps(30):
        order = mp.mpf(n_features) / 2
        return float(besseli(order, kappa) / besseli(order - 1, kappa))


def blobs(n_samples, n_features, centers, concentration, random_state=0):
    return make_vmf_blobs(
        n_samples, n_features, centers=centers, concentration=concentration,
        random_state=random_state, return_centers=True,
    )  # fmt: skip


@given(
    n_features=st.integers(2, 40),
    kappa=st.floats(0, 1e9),
    n_centers=st.integers(1, 5),
    seed=st.integers(0, 2**32 - 1),
)
def test_rows_are_unit_vectors(n_features, kappa, n_centers, seed):
    X, _, centers = blobs(50, n_features, n_centers, kappa, random_state=seed)
    assert X.shape == (50, n_features)
    np.testing.assert_allclose(np.linalg.norm(X, axis=1), 1, rtol=1e-15)
    np.testing.assert_allclose(np.linalg.norm(centers, axis=1), 1, rtol=1e-15)


def test_rows_of_the_plane_are_unit_vectors():
    X, *_ = blobs(300_000, 2, 3, 1.0)
    np.testing.assert_allclose(np.linalg.norm(X, axis=1), 1, rtol=1e-15)


@pytest.mark.parametrize(
    ("n_features", "kappa"),
    [(2, 1e-3), (2, 40), (3, 1), (3, 200), (10, 5), (20, 1e6), (300, 90), (300, 1e3)],
)
def test_mean_direction_and_resultant_length(n_features, kappa):
    n = 20_000
    X, _, (center,) = blobs(n, n_features, 1, kappa)
    length = expected_length(n_features, kappa)
    # Variances of the cosine, and of a coordinate across the mean direction.
    cosine = 1 - length**2 - (n_features - 1) / kappa * length
    across = (1 - cosine - length**2) / (n_features - 1)
    mean = X.mean(axis=0)
    assert abs(mean @ center - length) < 4 * np.sqrt(cosine / n)
    off = mean - (mean @ center) * center
    z = n * (off @ off) / across - (n_features - 1)
    assert abs(z) < 4 * np.sqrt(2 * (n_features - 1))


def test_many_features():
    X, y, centers = blobs(40, 100_000, 2, 1e5)
    np.testing.assert_allclose(np.linalg.norm(X, axis=1), 1, rtol=1e-14)
    cosines = np.sum(X * centers[y], axis=1)
    # I_{d/2}(d) / I_{d/2-1}(d) -> 2 / (1 + sqrt(5)) as d grows; cosines vary by 1e-3
    assert cosines.mean() == pytest.approx(2 / (1 + np.sqrt(5)), abs=2e-3)
    across = X - cosines[:, None] * centers[y]
    assert np.abs(np.corrcoef(across)[np.triu_indices(40, 1)]).max() < 0.02


@pytest.mark.parametrize("n_features", [2, 3, 5])
@pytest.mark.parametrize("kappa", [0.3, 3.0, 60.0])
def test_agrees_with_scipy(n_features, kappa):
    center = np.arange(1, n_features + 1) / np.linalg.norm(np.arange(1, n_features + 1))
    X, _ = make_vmf_blobs(4000, centers=center[None], concentration=kappa, random_state=0)
    theirs = vonmises_fisher(center, kappa).rvs(
        4000, random_state=np.random.RandomState(1)
    )
    for axis in [center, *np.eye(n_features)]:
        assert ks_2samp(X @ axis, theirs @ axis).pvalue > 0.003


def test_no_concentration_is_uniform():
    X, _ = make_vmf_blobs(20_000, 3, centers=1, concentration=0, random_state=0)
    for coordinate in X.T:  # uniform on the sphere of three features
        assert kstest(coordinate, "uniform", args=(-1, 2)).pvalue > 0.003


def test_centers_are_uniform():
    _, _, centers = blobs(20_000, 3, 20_000, 50)
    for coordinate in centers.T:
        assert kstest(coordinate, "uniform", args=(-1, 2)).pvalue > 0.003


@pytest.mark.parametrize("scale", [1e-300, 1e-3, 1, 7, 1e300])
def test_centers_are_rescaled(scale):
    directions = np.array([[3.0, 4.0, 0.0], [0.0, 0.0, -1.0]])
    X, y, centers = blobs(100, 99, scale * directions, 1e8)
    np.testing.assert_allclose(centers, [[0.6, 0.8, 0], [0, 0, -1]], rtol=1e-14)
    np.testing.assert_allclose(X, centers[y], atol=1e-3)


def test_a_concentration_for_each_center():
    kappas = [0.1, 10, 1000]
    X, y, _ = blobs(30_000, 4, 3, kappas)
    lengths = [np.linalg.norm(X[y == c].mean(axis=0)) for c in range(3)]
    expected = [expected_length(4, kappa) for kappa in kappas]
    np.testing.assert_allclose(lengths, expected, atol=0.01)


def test_number_of_centers_follows_the_sizes():
    _, y, centers = make_vmf_blobs([2, 3, 4, 1], random_state=0, return_centers=True)
    assert centers.shape == (4, 3)
    assert np.bincount(y).tolist() == [2, 3, 4, 1]
    assert len(make_vmf_blobs(return_centers=True)[2]) == 3
