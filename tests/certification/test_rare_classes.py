"""Rare classes: which of them the certifying rows happen to have must not matter."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import sweeps
from conftest import too_often
from numpy.testing import assert_array_equal

from sklearn_pacmdl import certify_clusterings
from sklearn_pacmdl.certification import cluster_counts

N_DRAWS = 250
PAIRS = np.repeat(np.arange(45), 2)  # 45 classes of two rows each


def test_only_classes_of_selecting_rows_are_shown():
    counts = cluster_counts(
        [[4, 1, 0], [2, 0, 1]],
        unlabeled=[4, 1],
        selecting=[[0, 2, 0], [0, 0, 3]],
        certifying_others=[0, 3],
        selecting_others=[1, 0],
    )
    counts = replace(counts, hidden=np.array([[3, 0, 1, 0], [0, 1, 0, 0]]))
    shown, classes = counts.of_selecting_classes()
    assert_array_equal(classes, [1, 2])
    assert_array_equal(shown.select, [[2, 0, 1], [0, 3, 0]])
    assert_array_equal(shown.certify, [[1, 0, 4], [0, 1, 5]])
    assert_array_equal(shown.hidden, [[0, 1, 3], [1, 0, 0]])
    assert_array_equal(shown.sizes, counts.sizes)


def test_selecting_rows_of_no_declared_class_leave_the_first():
    counts = cluster_counts([[3, 4]], [9], selecting=[[0, 0]], selecting_others=[2])
    shown, classes = counts.of_selecting_classes()
    assert classes.tolist() == [0]
    assert_array_equal(shown.select, [[0, 2]])
    assert_array_equal(shown.certify, [[3, 4]])


@pytest.mark.parametrize("target", [None, 0.6])
def test_a_class_of_certifying_rows_alone_is_only_an_error(target):
    """Under hold-out: beside it, the same rows with a wrong label of a known class."""
    rng = np.random.RandomState(0)
    y = rng.randint(3, size=240)
    clusters = 3 * rng.randint(10, size=240) + np.where(rng.uniform(size=240) < 0.1, 0, y)
    seen = np.where(rng.permutation(240) < 60, y, -1)
    clusterings = {"fine": clusters, "coarse": clusters % 3}
    settings = {"certify": "holdout", "target": target, "random_state": 0}
    first = certify_clusterings(clusterings, seen, **settings)
    certify = first.division[1]
    right = certify[seen[certify] == first.transduction[certify]][:4]
    new, known = seen.copy(), seen.copy()
    new[right] = [7, 8, 9, 9]
    known[right] = (seen[right] + 1) % 3
    found = certify_clusterings(clusterings, new, **settings)
    for other in (first, certify_clusterings(clusterings, known, **settings)):
        assert_array_equal(found.transduction, other.transduction)
        assert (found.best_index, found.coverage) == (other.best_index, other.coverage)
    a, b = found.certificate, first.certificate
    assert a.n_train_errors == b.n_train_errors + 4
    assert a.weights == b.weights
    assert a.max_test_errors > b.max_test_errors
    assert not any("known" in proviso for proviso in a.provisos)


def test_counts_from_elsewhere_too():
    """A column that only certifying rows have changes neither ties nor names."""
    select, certify = [[2, 2], [0, 0], [1, 3]], [[4, 1], [3, 0], [0, 5]]
    few = cluster_counts(certify, [50, 50, 50], selecting=select)
    more = np.insert(certify, 0, [0, 6, 0], axis=1), [50, 44, 50]
    more = cluster_counts(*more, selecting=np.insert(select, 0, 0, axis=1))
    for seed in range(10):
        settings = {"certify": "holdout", "random_state": seed}
        a, b = (certify_clusterings([own], **settings) for own in (few, more))
        assert_array_equal(a.cluster_classes + 1, b.cluster_classes)


WAYS = {
    "holdout": sweeps.way("holdout"),
    "learned": sweeps.way("learned"),
    "selective": sweeps.way("holdout", within=0.8),
}


def claim_of(way, clustering, y, seed, rng, declared):
    """What is claimed of a random choice of nine labeled rows, at one seed."""
    order = rng.permutation(len(y))
    labeled, test = np.sort(order[:9]), np.sort(order[9:])
    division, n_classes = way.divided(labeled, [seed, 0]), int(y.max()) + 1
    counts = sweeps.counts_of_rows(clustering, y, n_classes, (labeled, test), division)
    if not declared:
        counts = without_unseen(counts)
    return sweeps.best_claim(sweeps.sweep_of(way, [counts], seed=seed))


def without_unseen(counts):
    """Without columns of classes that no labeled row has, as if there were none."""
    (seen,) = np.nonzero(counts.labeled[:, :-1].any(axis=0))

    def fewer(table):
        others = table.sum(axis=1) - table[:, seen].sum(axis=1)
        return np.column_stack([table[:, seen], others])

    parts = ("select", "certify", "hidden")
    return replace(counts, **{name: fewer(getattr(counts, name)) for name in parts})


def failures(way, n_clusters, declared=True):
    rng, failed = np.random.default_rng(0), 0
    clustering = np.arange(len(PAIRS)) % n_clusters
    for _ in range(N_DRAWS):
        claim = claim_of(way, clustering, PAIRS, 0, rng, declared)
        failed += claim is not None and sweeps.is_wrong(claim)
    return failed


@pytest.mark.parametrize("n_clusters", [1, 2, 5])
@pytest.mark.parametrize("kind", WAYS)
def test_simulated_coverage(kind, n_clusters):
    failed = failures(WAYS[kind], n_clusters, declared=False)
    assert not too_often(failed, N_DRAWS)


#: Any class of any cluster costs as much: log2 of the number of classes.
EVEN = {"certainty": 0.0, "unseen": 1.0, "fraction": 0.12}
EVEN |= {"of_preferred": Fraction(1, 10**6), "of_named": Fraction(1, 10**6)}
#: The rule is broken: names are classes of any labeled row.
OF_ALL = sweeps.way("learned", knows_classes=True, **EVEN)


def test_simulated_coverage_of_even_weights():
    """Nor if all classes are known beforehand, and not only those that were seen."""
    for way in (sweeps.way("learned", **EVEN), OF_ALL):
        assert not too_often(failures(way, 1), N_DRAWS)


def test_control_classes_of_all_labels_fail():
    """They are those that labeled rows happen to have, certifying ones among them."""
    assert too_often(failures(OF_ALL, 1, declared=False), N_DRAWS)
