"""Certificates whose bound follows from the counts of each cluster."""

from fractions import Fraction

import numpy as np

from sklearn_pacmdl.bounds import decoupled_bound
from sklearn_pacmdl.certificates import BoundCertificate, DecoupledCertificate

CLUSTERS = [(2, 60, 30, 0), (1, 60, 30, 3)]


def make(**given):
    return DecoupledCertificate.from_counts(
        90, 90, 3, **{"weights": {}, "clusters": CLUSTERS} | given
    )


def test_states_the_bound_of_its_clusters():
    certificate = make()
    expected = decoupled_bound([60] * 3, [30] * 3, [0, 0, 3])
    assert certificate.max_test_errors == expected
    assert certificate.verify()[1:3] == ("integers", ())
    assert BoundCertificate.from_json(certificate.to_json()) == certificate
    assert make(weights={"init": Fraction(1, 8)}).max_test_errors == decoupled_bound(
        [60] * 3, [30] * 3, [0, 0, 3], description_length=3 - 1e-9
    )


def test_states_the_bound_of_the_factors_that_were_chosen():
    clusters = [(40, 15, 10, 0), (20, 15, 10, 1)]
    counts, given = (600, 300, 20), {"weights": {}}
    each = [15] * 60, [10] * 60, [0] * 40 + [1] * 20
    bounds = {}
    for factor in ("table", "closed"):
        certificate = DecoupledCertificate.from_counts(
            *counts, **given, clusters=clusters, factor=factor
        )
        assert certificate.verify()
        bounds[factor] = certificate.max_test_errors
        assert bounds[factor] == decoupled_bound(*each, factor=factor)
    assert bounds["table"] < bounds["closed"]


def test_large_counts_are_not_decided_in_integers():
    """Of more than 10**5 rows."""
    for n_clusters, method in ((1666, "integers"), (1667, "enclosure")):
        n = 30 * n_clusters
        certificate = DecoupledCertificate.from_counts(
            n, n, 0, weights={}, clusters=[(n_clusters, 60, 30, 0)]
        )
        assert certificate.verify()[1:3] == (method, ())


def data():
    """Three clusters of 60 rows, half of them labeled, three of these wrong."""
    clusters, labels = np.repeat(["a", "b", "c"], 60), np.repeat([0, 1, 0], 60)
    y = np.where(np.arange(180) % 2 == 0, labels, -1)
    y[[120, 122, 124]] = 1
    return y, labels, clusters


def test_clusters_are_counted_again():
    y, labels, clusters = data()
    certificate = make()
    assert certificate.verify(y, labels, clusters=clusters)
    moved = clusters.copy()
    moved[[0, 120]] = moved[[120, 0]]
    problems = certificate.verify(y, labels, clusters=moved).problems
    assert problems == ("clusters: their counts are not those of the data",)
    problems = certificate.verify(y, labels, clusters=labels * 0).problems
    assert problems == ("clusters: labels differ within a cluster",)
