"""Classes of clusters and the weights of their labels, method by method."""

import tracemalloc
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import sweeps

from sklearn_pacmdl import certify_clusterings
from sklearn_pacmdl.certification import cluster_counts
from sklearn_pacmdl.languages import get_language


def with_distances(table, distances, **others):
    counts = cluster_counts(table, unlabeled=np.ones(len(table)), **others)
    return replace(counts, distances=lambda: distances)


LINE = np.abs(np.subtract.outer([0, 1, 5], [0, 1, 5]))


@pytest.mark.parametrize(
    ("way", "n_clusters", "n_classes"),
    [("holdout", 500, 1000), ("learned", 500, 1000), ("holdout", 10, 38_040)],
)
def test_memory_grows_with_clusters_times_classes(way, n_clusters, n_classes):
    rng = np.random.default_rng(0)
    certify, select = rng.poisson(0.02, size=(2, n_clusters, n_classes))
    counts = cluster_counts(
        certify, unlabeled=rng.poisson(50, size=n_clusters), selecting=select
    )
    tracemalloc.start()
    certify_clusterings(counts, certify=way, random_state=0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 12 * certify.nbytes


# The selecting rows say 0, 1; the certifying rows say 1, 1.
SPLIT = cluster_counts([[1, 3], [0, 4]], unlabeled=[5, 5], selecting=[[2, 0], [1, 2]])


def labelings_of(way, counts, accepted=(True, True), seed=0):
    return way.labelings(counts, accepted, get_language("simple"), seed)


@pytest.mark.parametrize("kind", ["holdout", "learned"])
def test_certifying_labels_name_no_cluster(kind):
    """Nor one without selecting labels, which has the class of the nearest."""
    selecting, certify = [[2, 0], [0, 0], [0, 3]], [[1, 0], [0, 9], [0, 1]]
    counts = with_distances(certify, LINE, selecting=selecting)
    for seed in range(5):
        (classes, _), *_ = labelings_of(sweeps.way(kind), counts, [True] * 3, seed)
        assert classes.tolist() == [0, 0, 1]


@pytest.mark.parametrize(
    ("kind", "expected"),
    [("holdout", ([0, 1], {})), ("pac-mdl", ([1, 1], {"label": Fraction(1, 4)}))],
)
def test_which_rows_name_and_what_is_paid(kind, expected):
    ((classes, terms),) = labelings_of(sweeps.way(kind), SPLIT)
    assert (classes.tolist(), terms) == expected


LEARNED = sweeps.way("learned")


def test_learned_ties_are_broken_by_chance():
    """No cluster has selecting rows, and as many certifying ones of either class."""
    counts = cluster_counts([[2, 2]], [5], selecting=[[0, 0]])
    drawn = []
    for seed in range(200):
        (classes, terms), *others = labelings_of(LEARNED, counts, (True,), seed)
        drawn.append(int(classes[0]))
        for _, own in ((classes, terms), *others):
            assert 0.5 * (1 - 1e-6) < own["label"] < 0.5
        assert [own.tolist() for own, _ in others] in ([], [[1 - drawn[-1]]])
    assert 70 < sum(drawn) < 130


@pytest.mark.parametrize(("selecting", "name"), [([0, 0], 1), ([1, 0], 0)])
def test_learned_names_clusters_without_labels_like_the_nearest(selecting, name):
    """If rows of neither part are labeled; a selecting row alone is a name."""
    select = [[0, 2], selecting, [2, 0]]
    counts = with_distances([[0, 4], [0, 0], [4, 0]], LINE, selecting=select)
    ((classes, _),) = labelings_of(LEARNED, counts, (True, True, True))
    assert classes.tolist() == [1, name, 0]
