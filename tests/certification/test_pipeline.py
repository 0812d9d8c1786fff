"""Claims of a sweep, from counts that were made up: what they cost, and who is best."""

from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from sklearn_pacmdl.certification import HoldOut, Learned, PacMdl
from sklearn_pacmdl.certification._counting import CandidateCounts, SplitSizes
from sklearn_pacmdl.certification._goals import LabelAll, LabelWithin
from sklearn_pacmdl.certification._methods import Option
from sklearn_pacmdl.certification._pipeline import (
    Claim,
    Sweep,
    bound,
    rank,
    weigh_candidates,
)
from sklearn_pacmdl.languages import Candidate

SIZES = [SplitSizes(10, 40, 60), SplitSizes(20, 44, 50)]
EVEN = [{"label": Fraction(1, 4)}, {"label": Fraction(1, 8)}]
KINDS = [Candidate(name, 3) for name in "abc"]


def option(n_train, n_test, errors, terms):
    return Option(np.array([0, 1]), terms, n_train, n_test, errors, -1)


def counted(options, errors):
    """The same options on both splits; what selects goes by errors."""
    errors = [np.array(errors)] * 2
    return CandidateCounts(2, [options] * 2, *np.zeros((2, 2)), *errors, b"")


def sweep_of(*found, method=None, language=None, candidates=KINDS):
    method, candidates = method or PacMdl(), candidates[: len(found)]
    weights = weigh_candidates(language, candidates, method)
    return Sweep(method, LabelAll(), candidates, found, weights, SIZES, 2, 0.1)


ONE = counted([option(40, 30, 2, EVEN[0])], [1.0, 3.0])
TWO = counted([option(40, 30, 2, EVEN[1]), option(30, 20, 0, EVEN[1])], [2.0, 5.0])
NOTHING = counted([option(40, 0, 0, EVEN[0])], [0.5, 0.5])


def test_what_failed_and_what_gives_no_label_claims_nothing():
    sweep = sweep_of(ONE, None, NOTHING)
    errors = [[1, 3], [np.nan, np.nan], [0.5, 0.5]]
    assert_array_equal(sweep.of_each("selection_errors"), errors)
    claims = bound(sweep)
    assert [(best[1], best[2]) for best in claims.best] == [(None, None)] * 2
    expected = np.array([[0.5, np.nan, 0.0], [0.6, np.nan, 0.0]])
    assert_array_equal(claims.coverages(), expected)
    missing = np.isnan(claims.per_split("bound").mean(axis=0))
    assert_array_equal(missing, [False, True, True])


def test_another_fit_is_claimed_at_the_weight_of_the_first():
    """The weights of other candidates do not reach it, nor do its own errors."""
    first = sweep_of(ONE, TWO, ONE, method=Learned())
    again = counted([option(40, 30, 1, EVEN[0])], [9.0, 9.0])
    sweep = first.refitted(1, again)
    (claim,) = bound(sweep).offered[0][1]
    assert claim.option.train_errors == 1
    expected = bound(first).offered[0][1][0].terms["candidate"]
    # A twentieth of all weight is for classes that have no name, by their own weight; so
    # is half of what a candidate has that is not preferred.
    label = EVEN[0]["label"] / 2
    assert claim.terms == {"candidate": expected, "label": label}
    errors = (each.of_each("selection_errors") for each in (sweep, first))
    assert_array_equal(*errors)
    assert sweep.counted[0] is ONE


def test_selecting_rows_choose_by_means_over_starts_that_did_not_fail():
    """Of their choice alone anything is claimed, and at no bits."""
    starts = [*(Candidate("k", 2, init) for init in range(3)), Candidate("k", 3)]
    errors = [[4.0, 4.0], [0.0, 2.0], None, [2.0, 3.0]]
    found = [e and counted([option(40, 30, 2, {})], e) for e in errors]
    claims = bound(sweep_of(*found, method=HoldOut(), candidates=starts))
    ranking = claims.preferred
    assert_array_equal(ranking.values, [2.5, 2.5, np.nan, 2.5])
    assert ranking.ranks.tolist() == [1, 1, 4, 1]
    assert (ranking.column, ranking.best, ranking.n_rows) == ("selection_error", 1, 15)
    assert [[*own] for own in claims.offered] == [[1], [1]]
    assert claims.best[0][1].description_length == 0
    assert rank(claims) is ranking
    # Within a target by rows that are expected to be left out, of all that do not select.
    sweep = replace(claims.sweep, goal=LabelWithin(target=0.2))
    ranking = bound(sweep).preferred
    assert (ranking.column, ranking.n_rows) == ("expected_coverage", 97)


def test_only_its_own_selecting_rows_set_the_weights_of_a_split():
    """Those of another split may certify here."""
    found = [counted([option(40, 30, 2, EVEN[0])], e) for e in ([1.0, 9.0], [4.0, 2.0])]
    claims = bound(sweep_of(*found, method=Learned()))
    preferred = [
        [own[i][0].terms["candidate"] > Fraction(9, 10) for i in range(2)]
        for own in claims.offered
    ]
    assert preferred == [[True, False], [False, True]]


@pytest.mark.parametrize("method", [PacMdl(), Learned()])
def test_the_others_rank_by_what_is_claimed(method):
    """Most rows, then the smallest bound, then the shortest description."""
    goal, bounds = LabelWithin(target=0.2), np.array([[0.1, 0.2, 0.15, np.nan, 0.15]])
    lengths = np.array([[1.0, 5.0, 9.0, np.nan, 8.0]])
    assert bound(sweep_of(ONE, TWO, method=method)).preferred is None
    claims = SimpleNamespace(
        sweep=SimpleNamespace(goal=goal),
        preferred=None,
        coverages=lambda: np.array([[0.5, 0.9, 0.9, np.nan, 0.9]]),
        per_split={"bound": bounds, "description_length": lengths}.get,
    )
    ranking = rank(claims)
    assert (ranking.column, ranking.best) == ("coverage", 4)
    assert ranking.ranks.tolist() == [4, 1, 1, 5, 1]
    bounds[0, 1] = 0.1
    assert rank(claims).best == 1


def claim(bound, n_test):
    option = Option(np.array([0]), {}, 10, n_test, 0, -1)
    return Claim(option, {}, 0.0, bound)


def test_most_rows_within_the_target_are_claimed():
    best = LabelWithin(target=0.2).best
    small, exact, above = claim(0.05, 50), claim(0.2, 60), claim(0.2000001, 70)
    better = claim(0.1, 60)
    for claims, chosen in (
        ([small, exact, above], exact),
        ([small, above], small),
        ([above], None),
        ([], None),
        ([exact, better, small], better),
    ):
        assert best(claims) is chosen
