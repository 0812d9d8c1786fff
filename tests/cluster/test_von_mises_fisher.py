"""The von Mises-Fisher distribution against mpmath, SciPy and its own definition."""

import mpmath as mp
import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import vonmises_fisher

from sklearn_pacmdl.cluster import _von_mises_fisher as vmf

# log C_d and A_d at concentration 1e6, where the power series of mpmath takes seconds.
LARGE = {
    2: (-999994.0111833792, 0.999999499999875),
    62: (-999634.6817286323, 0.9999695004498754),
    1000: (-994017.0475705337, 0.9995006245004917),
    100000: (-399874.6238151911, 0.9512496710346305),
}


def log_bessel(order, kappa):
    """By its power series, whose terms are all positive."""
    order, kappa = mp.mpf(order), mp.mpf(kappa)
    term = total = mp.mpf(1)
    j = 0
    while term > total * mp.mpf(10) ** -28:
        j += 1
        term *= kappa**2 / 4 / (j * (order + j))
        total += term
    return order * mp.log(kappa / 2) - mp.loggamma(order + 1) + mp.log(total)


def oracle(n_features, kappa):
    with mp.workdps(30):
        order = mp.mpf(n_features) / 2 - 1
        log_i = log_bessel(order, kappa)
        log_c = order * mp.log(kappa) - (order + 1) * mp.log(2 * mp.pi) - log_i
        return float(log_c), float(mp.exp(log_bessel(order + 1, kappa) - log_i))


def agrees(n_features, kappa, log_c, length):
    assert vmf.log_normalizer(n_features, kappa) == pytest.approx(log_c, rel=1e-13)
    found = vmf.mean_resultant_length(n_features, kappa)
    assert found == pytest.approx(length, rel=1e-14)
    # At 1e6 in two dimensions the length knows the concentration to 1e-10.
    assert vmf.concentration(n_features, length) == pytest.approx(kappa, rel=1e-9)


@pytest.mark.parametrize("kappa", [1e-3, 0.3, 5, 31, 3e3])
@pytest.mark.parametrize("n_features", [2, 3, 10, 61, 62, 63, 100, 1000, 100_000])
def test_mpmath(n_features, kappa):
    agrees(n_features, kappa, *oracle(n_features, kappa))


@pytest.mark.parametrize("n_features", LARGE)
def test_mpmath_at_large_concentrations(n_features):
    agrees(n_features, 1e6, *LARGE[n_features])


def test_limits():
    for n_features in (2, 5, 100, 10_000):
        # The uniform distribution: one over the area of the sphere.
        half = n_features / 2
        area = np.log(2) + half * np.log(np.pi) - float(mp.loggamma(half))
        assert vmf.log_normalizer(n_features, 0) == pytest.approx(-area, rel=1e-12)
        assert vmf.mean_resultant_length(n_features, 0) == pytest.approx(0, abs=1e-8)
        lengths = vmf.concentration(n_features, np.array([0.0, 1.0]))
        assert lengths[0] == vmf.MIN_CONCENTRATION
        assert 1e8 < lengths[1] <= vmf.MAX_CONCENTRATION
    kappa = np.geomspace(1e-8, 1e9, 200)
    for n_features in (2, 60, 64, 5000):
        length = vmf.mean_resultant_length(n_features, kappa)
        assert np.all(np.diff(length) >= 0)
        assert length.max() <= 1


def test_default_concentration_weighs_sizes_most():
    """Where k A_d'(k) is largest, by differences of A_d; derived for many features."""
    d = 10_000
    kappa = np.linspace(0.5, 0.8, 3001) * d
    slope = np.gradient(vmf.mean_resultant_length(d, kappa), kappa)
    # Tests of the clusterers say that it is the default.
    assert kappa[np.argmax(kappa * slope)] / d == pytest.approx(0.636, abs=1e-3)


@pytest.mark.parametrize(("n_features", "kappa"), [(2, 3.0), (3, 10.0), (7, 0.5)])
def test_scipy_and_unit_mass(n_features, kappa):
    direction = np.eye(n_features)[0]
    density = vonmises_fisher(direction, kappa).logpdf(direction)
    ours = vmf.log_normalizer(n_features, kappa)
    assert ours + kappa == pytest.approx(density)
    band = 2 * np.pi ** ((n_features - 1) / 2) / float(mp.gamma((n_features - 1) / 2))
    mass, _ = quad(
        lambda angle: (
            np.exp(ours + kappa * np.cos(angle)) * np.sin(angle) ** (n_features - 2)
        ),
        0,
        np.pi,
    )
    assert mass * band == pytest.approx(1)
