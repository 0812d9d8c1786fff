"""Which sets of clusters may be left out, at what price, and which of them is claimed."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import comb
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from sklearn_pacmdl.bounds import bmax
from sklearn_pacmdl.certification import ClusterCounts
from sklearn_pacmdl.certification._counting import SplitSizes
from sklearn_pacmdl.certification._holdout import HoldOut
from sklearn_pacmdl.certification._learned import Learned
from sklearn_pacmdl.certification._pac_mdl import PacMdl
from sklearn_pacmdl.certification._selective import selective
from sklearn_pacmdl.certification._strategy import Option, Strategy
from sklearn_pacmdl.certification._sweep import Claim
from sklearn_pacmdl.languages import SIMPLE, Candidate


def options_of(strategy, counts):
    return strategy.options(counts, SIMPLE, np.random.RandomState(0))


def accepted(options):
    """Indices of the clusters that are given a class, option by option."""
    return [np.flatnonzero(option.classes != -1).tolist() for option in options]


# --- All labels certify: any set, paid for by its size -------------------------------

# From the purest: cluster 2, then 0; of clusters 1 and 3, which look alike (half of
# their rows are wrong with a right and a wrong one added), the larger comes first.
MIXED = ClusterCounts.from_tables(
    [[1, 4], [3, 3], [0, 10], [0, 0]], unlabeled=[20, 20, 5, 90]
)


def test_sets_grow_from_the_purest_cluster():
    options = options_of(selective(PacMdl(), 0.3, 0.1), MIXED)
    assert accepted(options) == [[2], [0, 2], [0, 2, 3], [0, 1, 2, 3]]
    assert [o.n_train for o in options] == [10, 15, 15, 21]
    assert [o.n_test for o in options] == [5, 25, 115, 135]
    assert [o.train_errors for o in options] == [0, 1, 1, 4]


def test_of_clusters_that_look_alike_the_larger_comes_first():
    alike = ClusterCounts.from_tables([[5, 0], [5, 0], [5, 0]], unlabeled=[7, 9, 8])
    sets = accepted(options_of(selective(PacMdl(), 0.3, 0.1), alike))
    assert sets == [[1], [1, 2], [0, 1, 2]]


def test_sets_and_their_labels_are_paid_for():
    options = options_of(selective(PacMdl(), 0.3, 0.1), MIXED)
    for k, option in enumerate(options, start=1):
        subset, label = Fraction(1, 4 * comb(4, k)), Fraction(1, 2**k)
        assert option.terms == {"subset": subset, "label": label}


def test_ties_between_classes_are_broken_alike_in_all_sets():
    """A set and a larger one differ in the clusters that are left out alone."""
    ties = ClusterCounts.from_tables(np.full((6, 3), 2), unlabeled=np.arange(1, 7))
    options = options_of(selective(PacMdl(), 0.3, 0.1), ties)
    largest = options[-1].classes
    for option in options:
        kept = option.classes != -1
        assert_array_equal(option.classes[kept], largest[kept])


@pytest.mark.parametrize("c", range(1, 8))
def test_weights_of_all_sets_sum_to_one(c):
    """There are c over k sets of k clusters, and each might have been chosen."""
    counts = ClusterCounts.from_tables(np.tile([3, 1], (c, 1)), unlabeled=np.ones(c))
    options = options_of(selective(PacMdl(), 0.3, 0.1), counts)
    sizes = [len(kept) for kept in accepted(options)]
    assert sizes == list(range(1, c + 1))
    total = sum(
        comb(c, k) * option.terms["subset"]
        for k, option in zip(sizes, options, strict=True)
    )
    assert total == 1


# --- Some labels select: a few nested sets, fixed before the others are seen ----------

# Two pure clusters of 100 rows and one with every fifth row wrong: 20 rows of each
# select, 10 certify, so that of the 80 others one in eight certifies.
SELECT = [[20, 0], [16, 4], [0, 20]]
NESTED = ClusterCounts.from_tables(
    [[10, 0], [8, 2], [0, 10]], unlabeled=[70, 70, 70], selecting=SELECT
)
# Of the two pure clusters first one alone, then both; the level is shared by 8 sets.
ALONE, BOTH = (bmax(10 * k, 70 * k, 0, 0.1 / 8) / (70 * k) for k in (1, 2))
# 4 of 60 selecting rows are wrong, thus 2 of 30 certifying rows are expected to be.
ALL = bmax(30, 210, 2, 0.1 / 8) / 210


@pytest.mark.parametrize("base", [HoldOut(), Learned()])
def test_bounds_that_sets_promise(base):
    order, bounds, rest = selective(base, 0.3, 0.1)._promise(NESTED)
    assert order.tolist() == [0, 2, 1]
    assert rest.tolist() == [80, 80, 80]
    # One cluster alone promises no less than both, so both are preferred to it.
    assert ALONE > BOTH < ALL
    assert_array_equal(bounds, [BOTH, BOTH, ALL])


@pytest.mark.parametrize("base", [HoldOut(), Learned()])
@pytest.mark.parametrize(
    ("target", "sets"),
    [
        (BOTH, [[0], [0, 2], [0, 1, 2]]),
        (ALL, [[0], [0, 2], [0, 1, 2]]),
        (0.001, [[0]]),
        (0.999, [[0], [0, 2], [0, 1, 2]]),
    ],
)
def test_nested_sets_share_their_weight(base, target, sets):
    options = options_of(selective(base, target, 0.1), NESTED)
    found = sorted(map(tuple, accepted(options)))
    assert {*found} == {*map(tuple, sets)}
    assert {option.terms["subset"] for option in options} == {Fraction(1, len(sets))}


@pytest.mark.parametrize("base", [HoldOut(), Learned()])
@pytest.mark.parametrize("target", [0.05, 0.2, 0.4])
def test_sets_do_not_depend_on_what_certifies(base, target):
    """Labels and places of certifying rows change no set, only which rows are counted."""
    rng = np.random.RandomState(0)
    for _ in range(20):
        sizes = rng.randint(40, 90, size=8)
        purity = rng.uniform(0.4, 1, size=8)
        select = np.stack([rng.multinomial(6, [p, 1 - p]) for p in purity])
        found = []
        for _ in range(2):
            certify = rng.multinomial(30, np.full(16, 1 / 16)).reshape(8, 2)
            test = sizes - 6 - certify.sum(axis=1)
            counts = ClusterCounts.from_tables(certify, test, selecting=select)
            options = options_of(selective(base, target, 0.1), counts)
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
    counts = ClusterCounts.from_tables(
        [[27, 0], [50, 0]], unlabeled=[73, 100], selecting=[[40, 0], [30, 10]]
    )
    _, bounds, _ = selective(HoldOut(), 0.3, 0.1)._promise(counts)
    expected = [bmax(30, 70, 0, 0.1 / 8) / 70, bmax(77, 173, 10, 0.1 / 8) / 173]
    assert_array_equal(bounds, expected)
    assert expected != [bmax(31, 69, 0, 0.1 / 8) / 69, bmax(77, 173, 9, 0.1 / 8) / 173]


def test_a_few_pure_rows_promise_less_than_many_nearly_pure_ones():
    """Half a row of either kind is added: 0.5 / 3 wrong, 1.5 / 22, and 0.5 / 1.

    Of the last two, which look alike, the larger comes first.
    """
    counts = ClusterCounts.from_tables(
        np.tile([1, 0], (4, 1)),
        unlabeled=[50, 50, 10, 20],
        selecting=[[2, 0], [20, 1], [0, 0], [0, 0]],
    )
    for base in (HoldOut(), Learned()):
        order, _, rest = selective(base, 0.3, 0.1)._promise(counts)
        assert order.tolist() == [1, 0, 3, 2]
        assert rest.tolist() == [51, 51, 21, 11]


def test_clusters_without_other_rows_promise_nothing_and_are_no_error():
    """All rows of a cluster select: its set is that of no rows."""
    counts = ClusterCounts.from_tables(
        [[0, 0], [5, 0]], unlabeled=[0, 20], selecting=[[4, 0], [3, 1]]
    )
    order, bounds, rest = selective(HoldOut(), 0.3, 0.1)._promise(counts)
    assert order.tolist() == [0, 1]
    assert rest.tolist() == [0, 25]
    assert np.all((bounds >= 0) & (bounds <= 1))


def test_hold_out_prefers_candidates_that_leave_out_fewer_rows():
    """Errors only decide among those that leave out as many."""
    few, many = selective(HoldOut(), ALL, 0.1), selective(HoldOut(), BOTH, 0.1)
    errors = 4
    assert few.selection_errors(NESTED) == pytest.approx(errors / (errors + 300))
    assert many.selection_errors(NESTED) == pytest.approx(80 + errors / (errors + 300))
    columns = many.selection_columns(np.array([80.9, 0.9, np.nan]), 60, 240)
    assert_array_equal(columns["expected_coverage"], [1 - 80 / 240, 1, np.nan])
    learned = selective(Learned(), BOTH, 0.1)
    assert learned.selection_errors(NESTED) == Learned().selection_errors(NESTED) == 4
    assert_array_equal(
        learned.selection_columns(np.array([6.0]), 60, 240)["selection_error"], [0.1]
    )


SIZES = [SplitSizes(60, 30, 210), SplitSizes(61, 29, 210)]


def test_hold_out_ranks_before_anything_is_claimed():
    """By what selecting rows say, of all starts and all splits; claims are not there."""
    candidates = [Candidate("a", 3, 0), Candidate("a", 3, 1), Candidate("a", 4)]
    selection = np.array([[6.0, 8.0], [1.0, 1.0], [3.0, 1.0]])
    sweep = SimpleNamespace(sizes=SIZES, candidates=candidates, selection=selection)
    plain, sets = HoldOut().rank(sweep), selective(HoldOut(), 0.2, 0.1).rank(sweep)
    assert (plain.column, plain.n_rows) == ("selection_error", 60.5)
    assert (sets.column, sets.n_rows) == ("expected_coverage", 239.5)
    for ranking in (plain, sets):
        assert ranking.values.tolist() == [4, 4, 2]
        assert ranking.best == 2
    # Starts share their mean; of the best kind the start with fewest errors is taken.
    selection[2] = 9
    assert HoldOut().rank(sweep).best == 1


@pytest.mark.parametrize("base", [PacMdl(), Learned()])
def test_the_others_rank_by_what_is_claimed(base):
    """Most rows, then the smallest bound, then the shortest description."""
    sweep = SimpleNamespace(
        coverage=np.array([0.5, 0.9, 0.9, np.nan, 0.9]),
        bounds=np.array([0.1, 0.2, 0.15, np.nan, 0.15]),
        description_lengths=np.array([1.0, 5.0, 9.0, np.nan, 8.0]),
    )
    ranking = selective(base, 0.2, 0.1).rank(sweep)
    assert (ranking.column, ranking.best) == ("coverage", 4)
    assert ranking.ranks.tolist() == [4, 1, 1, 5, 1]
    sweep.bounds[1] = 0.1
    assert selective(base, 0.2, 0.1).rank(sweep).best == 1


# --- What is claimed ------------------------------------------------------------------


def claim(bound, n_test):
    option = Option(np.array([0]), {}, 10, n_test, 0, -1)
    return Claim(option, {}, 0.0, bound)


@pytest.mark.parametrize("base", [PacMdl(), HoldOut(), Learned()])
def test_most_rows_within_the_target_are_claimed(base):
    strategy = selective(base, 0.2, 0.1)
    small, exact, above = claim(0.05, 50), claim(0.2, 60), claim(0.2000001, 70)
    assert strategy.best([small, exact, above]) is exact
    assert strategy.best([small, above]) is small
    assert strategy.best([above]) is None
    assert strategy.best([]) is None
    better = claim(0.1, 60)
    assert strategy.best([exact, better, small]) is better


def test_ways_to_certify_stay_what_they_are():
    for base in (PacMdl(), HoldOut(), Learned()):
        strategy = selective(base, 0.2, 0.1)
        assert strategy.abstains
        for name in ("kind", "fraction", "chooses_first", "pays_for_labels"):
            assert getattr(strategy, name) == getattr(base, name)
        select, certify = np.array([3, 1]), np.array([2, 0])
        assert_array_equal(strategy.naming(select, certify), base.naming(select, certify))


@dataclass(frozen=True)
class Fixed(Strategy):
    """Every cluster is of class 0, whatever was seen."""

    fraction: float = 0.0
    kind = "fixed"

    def labelings(self, counts, accepted, language, rng):
        yield np.zeros(len(counts.sizes), dtype=int), {}


class OwnRank(Fixed):
    def rank(self, sweep):
        return super().rank(sweep)


class OwnBest(Fixed):
    def best(self, claims):
        return super().best(claims)


class OwnOptions(Fixed):
    def options(self, counts, language, rng):
        return super().options(counts, language, rng)


def test_ways_that_choose_for_themselves_cannot_leave_clusters_out():
    """A rank of its own is what a way that chooses first has to have."""
    for own, name in ((OwnRank, "rank"), (OwnBest, "best"), (OwnOptions, "options")):
        with pytest.raises(ValueError, match=rf"since it defines \['{name}'\] itself"):
            selective(own(), 0.2, 0.1)
    for base in (Fixed(), HoldOut()):
        assert selective(base, 0.2, 0.1).target == 0.2


def test_labels_that_are_fixed_are_not_paid_for_with_their_set():
    options = options_of(selective(Fixed(), 0.3, 0.1), MIXED)
    assert [{*option.terms} for option in options] == [{"subset"}] * 4
