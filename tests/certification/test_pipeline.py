"""Claims of a sweep, from counts that were made up: what they cost, and who is best."""

from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from sklearn_pacmdl import bmax
from sklearn_pacmdl.certification import Option
from sklearn_pacmdl.certification._counting import SplitSizes
from sklearn_pacmdl.certification._goals import LabelAll
from sklearn_pacmdl.certification._options import Counted
from sklearn_pacmdl.certification._pipeline import (
    Ranking,
    Sweep,
    bound,
    make_weighing,
    rank,
    weigh,
)
from sklearn_pacmdl.certification._ways import HoldOut, Learned, PacMdl
from sklearn_pacmdl.languages import Candidate
from sklearn_pacmdl.utils._weights import total_weight

SIZES = [SplitSizes(10, 40, 60), SplitSizes(20, 44, 50)]
EVEN = [{"label": Fraction(1, 4)}, {"label": Fraction(1, 8)}]
KINDS = [Candidate(name, 3) for name in "abc"]


def option(n_train, n_test, errors, terms):
    return Option(np.array([0, 1]), terms, n_train, n_test, errors, -1)


def counted(options, errors):
    """The same options on both splits; what selects goes by errors."""
    errors = np.array(errors)
    return Counted(2, [options] * 2, np.zeros(2), np.zeros(2), errors, errors, b"")


def sweep_of(*found, strategy=None, language=None, candidates=KINDS):
    strategy, candidates = strategy or PacMdl(), candidates[: len(found)]
    weighing = make_weighing(language, candidates, strategy)
    return Sweep(strategy, LabelAll(), candidates, found, weighing, SIZES, 2, 0.1)


def offered_by(sweep, only=None):
    """What is offered on the first split."""
    return bound(weigh(sweep, only)).offered[0]


ONE = counted([option(40, 30, 2, EVEN[0])], [1.0, 3.0])
TWO = counted(
    [option(40, 30, 2, EVEN[1]), option(30, 20, 0, EVEN[1])],
    [2.0, 5.0],
)
NOTHING = counted([option(40, 0, 0, EVEN[0])], [0.5, 0.5])


def test_claims_cost_the_candidate_and_its_labels():
    """The same whether all are asked for or one."""
    sweep = sweep_of(ONE, TWO, language="algo")
    offered = offered_by(sweep)
    assert [len(offered[i]) for i in range(2)] == [1, 2]
    # A bit for one of two algorithms, and log2(6) bits for three clusters.
    for claim, label in zip([offered[0][0], *offered[1]], (4, 8, 8), strict=True):
        total = Fraction(1, 12) * Fraction(1, label)
        assert total_weight(claim.terms) == total
        assert claim.description_length == pytest.approx(-np.log2(float(total)))
        o = claim.option
        bound = bmax(o.n_train, o.n_test, o.train_errors, float(total / 10))
        assert claim.bound == bound / o.n_test
    (only,) = offered_by(sweep, only=1).values()
    assert only == offered[1]


def test_what_failed_and_what_gives_no_label_claims_nothing():
    sweep = sweep_of(ONE, None, NOTHING)
    assert sweep.failed().tolist() == [False, True, False]
    assert_array_equal(
        sweep.of_each("selection_errors"), [[1, 3], [np.nan, np.nan], [0.5, 0.5]]
    )
    claims = bound(weigh(sweep))
    assert claims.of(1) == claims.of(2) == [None, None]
    assert claims.of(0) == [best[0] for best in claims.best]
    expected = np.array([[0.5, np.nan, 0.0], [0.6, np.nan, 0.0]])
    assert_array_equal(claims.coverages(), expected)
    assert_array_equal(np.isnan(claims.bounds()), [False, True, True])


def test_another_fit_is_claimed_at_the_weight_of_the_first():
    """The weights of other candidates do not reach it, nor do its own errors."""
    first = sweep_of(ONE, TWO, ONE, strategy=Learned())
    again = counted([option(40, 30, 1, EVEN[0])], [9.0, 9.0])
    sweep = first.refitted(1, again)
    (claim,) = offered_by(sweep)[1]
    assert claim.option.train_errors == 1
    expected = offered_by(first)[1][0].terms["candidate"]
    # A twentieth of all weight is for classes that have no name, by their own weight; so
    # is half of what a candidate has that is not preferred.
    label = EVEN[0]["label"] / 2
    assert claim.terms == {"candidate": expected, "label": label}
    assert_array_equal(
        sweep.of_each("selection_errors"), first.of_each("selection_errors")
    )
    assert sweep.of(0) is ONE


def test_selecting_rows_choose_by_means_over_starts_that_did_not_fail():
    """Of their choice alone anything is claimed, and at no bits."""
    starts = [*(Candidate("k", 2, init) for init in range(3)), Candidate("k", 3)]
    errors = [[4.0, 4.0], [0.0, 2.0], None, [2.0, 3.0]]
    found = [e and counted([option(40, 30, 2, {})], e) for e in errors]
    weighed = weigh(sweep_of(*found, strategy=HoldOut(), candidates=starts))
    ranking = weighed.preferred
    assert_array_equal(ranking.values, [2.5, 2.5, np.nan, 2.5])
    assert ranking.ranks.tolist() == [1, 1, 4, 1]
    assert (ranking.column, ranking.best, ranking.n_rows) == ("selection_error", 1, 15)
    claims = bound(weighed)
    assert [[*own] for own in claims.offered] == [[1], [1]]
    assert claims.of(1)[0].description_length == 0
    assert rank(claims) is ranking


def test_only_its_own_selecting_rows_set_the_weights_of_a_split():
    """Those of another split may certify here."""
    found = [counted([option(40, 30, 2, EVEN[0])], e) for e in ([1.0, 9.0], [4.0, 2.0])]
    claims = bound(weigh(sweep_of(*found, strategy=Learned())))
    preferred = [
        [own[i][0].terms["candidate"] > Fraction(9, 10) for i in range(2)]
        for own in claims.offered
    ]
    assert preferred == [[True, False], [False, True]]


def test_ties_are_broken_by_the_most_important_value_first():
    values = np.array([0.2, 0.1, 0.1, 0.1, np.nan])
    first, second = np.array([0, 3, 2, 2, 0]), np.array([0, 0, 9, 8, 0])
    assert Ranking.of("bound", values).best == 1
    assert Ranking.of("bound", values, first).best == 2
    ranking = Ranking.of("bound", values, first, second)
    assert ranking.best == 3
    assert ranking.ranks.tolist() == [4, 1, 1, 1, 5]
