"""Which sets of clusters may be left out, what clusters are called, and at what price."""

import tracemalloc
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from math import comb

import numpy as np
import pytest
import sweeps
from numpy.testing import assert_array_equal

from sklearn_pacmdl import certify_clusterings
from sklearn_pacmdl.bounds import bmax
from sklearn_pacmdl.certification import cluster_counts
from sklearn_pacmdl.languages import get_language


def options_of(kind, counts, target=0.3):
    return sweeps.way(kind, within=target).options(counts, get_language("simple"))


def accepted(options):
    """Indices of the clusters that are given a class, option by option."""
    return [np.flatnonzero(option.classes != -1).tolist() for option in options]


# --- All labels certify: any set, paid for by its size -------------------------------

# From the purest: cluster 2, then 0; of clusters 1 and 3, which look alike (half of
# their rows are wrong with a right and a wrong one added), the larger comes first.
MIXED = cluster_counts([[1, 4], [3, 3], [0, 10], [0, 0]], unlabeled=[20, 20, 5, 90])


def test_sets_grow_from_the_purest_cluster():
    """They and their labels are paid for."""
    options = options_of("pac-mdl", MIXED)
    assert accepted(options) == [[2], [0, 2], [0, 2, 3], [0, 1, 2, 3]]
    assert [o.n_train for o in options] == [10, 15, 15, 21]
    assert [o.n_test for o in options] == [5, 25, 115, 135]
    assert [o.train_errors for o in options] == [0, 1, 1, 4]
    for k, option in enumerate(options, start=1):
        subset, label = Fraction(1, 4 * comb(4, k)), Fraction(1, 2**k)
        assert option.terms == {"subset": subset, "label": label}


def test_ties_between_classes_are_broken_alike_in_all_sets():
    """A set and a larger one differ in the clusters that are left out alone."""
    ties = cluster_counts(np.full((6, 3), 2), unlabeled=np.arange(1, 7))
    options = options_of("pac-mdl", ties)
    largest = options[-1].classes
    for option in options:
        kept = option.classes != -1
        assert_array_equal(option.classes[kept], largest[kept])


@pytest.mark.parametrize("c", range(1, 8))
def test_weights_of_all_sets_sum_to_one(c):
    """There are c over k sets of k clusters, and each might have been chosen."""
    counts = cluster_counts(np.tile([3, 1], (c, 1)), unlabeled=np.ones(c))
    options = options_of("pac-mdl", counts)
    sizes = [len(kept) for kept in accepted(options)]
    assert sizes == list(range(1, c + 1))
    weights = [option.terms["subset"] for option in options]
    assert sum(comb(c, k) * w for k, w in zip(sizes, weights, strict=True)) == 1


# --- Some labels select: a few nested sets, fixed before the others are seen ----------

# Two pure clusters of 100 rows and one with every fifth row wrong: 20 rows of each
# select, 10 certify, so that of the 80 others one in eight certifies.
SELECT = [[20, 0], [16, 4], [0, 20]]
NESTED = cluster_counts(
    [[10, 0], [8, 2], [0, 10]], unlabeled=[70, 70, 70], selecting=SELECT
)
# Of the two pure clusters first one alone, then both; the level is shared by 8 sets.
ALONE, BOTH = (bmax(10 * k, 70 * k, 0, 0.1 / 8) / (70 * k) for k in (1, 2))
# 4 of 60 selecting rows are wrong, thus 2 of 30 certifying rows are expected to be.
ALL = bmax(30, 210, 2, 0.1 / 8) / 210


def promise(counts):
    """Order of the clusters, the bounds of so many of them, and rows that are left."""
    return sweeps.way("holdout", within=0.3).goal._promise(counts)


def test_bounds_that_sets_promise():
    order, bounds, rest = promise(NESTED)
    assert order.tolist() == [0, 2, 1]
    assert rest.tolist() == [80, 80, 80]
    # One cluster alone promises no less than both, so both are preferred to it.
    assert ALONE > BOTH < ALL
    assert_array_equal(bounds, [BOTH, BOTH, ALL])


@pytest.mark.parametrize("kind", ["holdout", "learned"])
@pytest.mark.parametrize(
    ("target", "sets"),
    [
        (BOTH, [[0], [0, 2], [0, 1, 2]]),
        (ALL, [[0], [0, 2], [0, 1, 2]]),
        (0.001, [[0]]),
        (0.999, [[0], [0, 2], [0, 1, 2]]),
    ],
)
def test_nested_sets_share_their_weight(kind, target, sets):
    options = options_of(kind, NESTED, target)
    found = sorted(map(tuple, accepted(options)))
    assert {*found} == {*map(tuple, sets)}
    assert {option.terms["subset"] for option in options} == {Fraction(1, len(sets))}


@pytest.mark.parametrize("kind", ["holdout", "learned"])
@pytest.mark.parametrize("target", [0.05, 0.2, 0.4])
def test_sets_do_not_depend_on_what_certifies(kind, target):
    """Labels and places of certifying rows change no set, only which rows are counted."""
    rng = np.random.RandomState(0)
    for _ in range(20):
        sizes, purity = rng.randint(40, 90, size=8), rng.uniform(0.4, 1, size=8)
        select, found = rng.binomial(6, purity), []
        for _ in range(2):
            certify = rng.multinomial(30, np.full(16, 1 / 16)).reshape(8, 2)
            test = sizes - 6 - certify.sum(axis=1)
            selecting = np.column_stack([select, 6 - select])
            counts = cluster_counts(certify, test, selecting=selecting)
            options = options_of(kind, counts, target)
            sets = sorted({tuple(own) for own in accepted(options)}, key=len)
            assert all({*one} < {*larger} for one, larger in pairwise(sets))
            prices = {option.terms["subset"] for option in options}
            assert prices == {Fraction(1, len(sets))}
            found.append(sets)
        assert found[0] == found[1]


def test_promises_count_certifying_rows_down_and_errors_up():
    """77 of 250 rows certify: 30.8 of the first 100, where none of 40 is wrong; of all,
    an eighth of 77 is expected to be wrong.
    """
    counts = cluster_counts(
        [[27, 0], [50, 0]], unlabeled=[73, 100], selecting=[[40, 0], [30, 10]]
    )
    _, bounds, _ = promise(counts)
    expected = [bmax(30, 70, 0, 0.1 / 8) / 70, bmax(77, 173, 10, 0.1 / 8) / 173]
    assert_array_equal(bounds, expected)
    assert expected != [bmax(31, 69, 0, 0.1 / 8) / 69, bmax(77, 173, 9, 0.1 / 8) / 173]


def test_a_few_pure_rows_promise_less_than_many_nearly_pure_ones():
    """Half a row of either kind is added: 0.5 / 3 wrong, 1.5 / 22, and 0.5 / 1.

    Of the last two, which look alike, the larger comes first.
    """
    counts = cluster_counts(
        np.tile([1, 0], (4, 1)),
        unlabeled=[50, 50, 10, 20],
        selecting=[[2, 0], [20, 1], [0, 0], [0, 0]],
    )
    order, _, rest = promise(counts)
    assert order.tolist() == [1, 0, 3, 2]
    assert rest.tolist() == [51, 51, 21, 11]
    # A cluster whose rows all select promises nothing: its set is that of no rows.
    select = [[4, 0], [3, 1]]
    counts = cluster_counts([[0, 0], [5, 0]], unlabeled=[0, 20], selecting=select)
    order, bounds, rest = promise(counts)
    assert (order.tolist(), rest.tolist()) == ([0, 1], [0, 25])
    assert np.all((bounds >= 0) & (bounds <= 1))


def test_hold_out_prefers_candidates_that_leave_out_fewer_rows():
    """Errors only decide among those that leave out as many."""
    few, many = (sweeps.way("holdout", within=share).goal for share in (ALL, BOTH))
    every, errors = sweeps.way("holdout").goal, 4
    assert every.selection(NESTED, errors) == errors
    assert few.selection(NESTED, errors) == pytest.approx(errors / (errors + 300))
    assert many.selection(NESTED, errors) == pytest.approx(80 + errors / (errors + 300))
    (rows,) = sweeps.sweep_of(sweeps.way("holdout"), [NESTED]).sizes
    assert (many.n_chosen_by(rows), every.n_chosen_by(rows)) == (240, 60)


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
