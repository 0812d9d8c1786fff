"""Claims of a sweep, from counts that were made up: who pays, and what is shared."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from sklearn_pacmdl import bmax
from sklearn_pacmdl.certification import Option
from sklearn_pacmdl.certification._counting import Counted, SplitSizes
from sklearn_pacmdl.certification._learned import Learned
from sklearn_pacmdl.certification._pac_mdl import PacMdl
from sklearn_pacmdl.certification._sweep import Sweep
from sklearn_pacmdl.certification._weighing import weigh
from sklearn_pacmdl.languages import Candidate
from sklearn_pacmdl.utils._weights import total_weight

SIZES = [SplitSizes(0, 40, 60), SplitSizes(0, 44, 50)]
EVEN = [{"label": Fraction(1, 4)}, {"label": Fraction(1, 8)}]


def option(n_train, n_test, errors, terms):
    return Option(np.array([0, 1]), terms, n_train, n_test, errors, -1)


def counted(options, labelings, errors):
    """The same options on both splits."""
    return Counted(2, [options] * 2, [labelings] * 2, np.zeros(2), np.array(errors), b"")


def sweep_of(*found, strategy=None, language="auto"):
    strategy = strategy or PacMdl()
    candidates = [Candidate(name, 3) for name in "abc"[: len(found)]]
    weighing = weigh(language, candidates, strategy)
    return Sweep(strategy, candidates, found, weighing, SIZES, 2, 0.1)


ONE = counted([option(40, 30, 2, EVEN[0])], [b"same"], [1.0, 3.0])
TWO = counted(
    [option(40, 30, 2, EVEN[1]), option(30, 20, 0, EVEN[1])],
    [b"same", b"other"],
    [2.0, 5.0],
)
NOTHING = counted([option(40, 0, 0, EVEN[0])], [b"left out"], [0.5, 0.5])


def test_equal_labelings_share_their_weights_if_the_language_says_so():
    shared = sweep_of(ONE, TWO).offered[0]
    alone = sweep_of(ONE, TWO, language="algo").offered[0]
    for offered in (shared, alone):
        assert [len(offered[i]) for i in range(2)] == [1, 2]
    own = [total_weight(alone[i][0].terms) for i in range(2)]
    assert own == [Fraction(1, 12) * Fraction(1, 4), Fraction(1, 12) * Fraction(1, 8)]
    assert all("pooling" not in claim.terms for own in alone.values() for claim in own)
    # "auto" pays one bit for one of two algorithms.
    total = Fraction(1, 8) + Fraction(1, 16)
    assert shared[0][0].terms["pooling"] == total / Fraction(1, 8)
    assert shared[1][0].terms["pooling"] == total / Fraction(1, 16)
    assert "pooling" not in shared[1][1].terms
    for claim in (shared[0][0], shared[1][0]):
        assert total_weight(claim.terms) == total
        assert claim.bound == bmax(40, 30, 2, float(total / 10)) / 30
        assert claim.description_length == pytest.approx(-np.log2(float(total)))


def test_what_failed_and_what_gives_no_label_claims_nothing():
    sweep = sweep_of(ONE, None, NOTHING)
    assert sweep.failed.tolist() == [False, True, False]
    assert_array_equal(sweep.selection, [[1, 3], [np.nan, np.nan], [0.5, 0.5]])
    assert sweep.claims[0][1] is sweep.claims[0][2] is None
    expected = np.array([[0.5, np.nan, 0.0], [0.6, np.nan, 0.0]])
    assert_array_equal(sweep.coverages, expected)
    assert_array_equal(sweep.coverage, expected.mean(axis=0))
    assert_array_equal(np.isnan(sweep.bounds), [False, True, True])
    assert sweep.best_claims(0) == [claims[0] for claims in sweep.claims]


def test_another_fit_is_claimed_at_the_weight_of_the_first():
    """The weights of other candidates do not reach it, nor do its own errors."""
    first = sweep_of(ONE, TWO, ONE, strategy=Learned())
    again = counted([option(40, 30, 1, EVEN[0])], [b"same"], [9.0, 9.0])
    sweep = first.refitted(1, again)
    (claims, _) = sweep.offered
    assert [*claims] == [1]
    (claim,) = claims[1]
    assert claim.option.train_errors == 1
    expected = first.offered[0][1][0].terms["candidate"]
    assert claim.terms == {"candidate": expected, **EVEN[0]}
    assert_array_equal(sweep.selection, first.selection)
    assert sweep.of(0) is ONE


def test_claims_of_one_candidate_pay_as_all_do():
    sweep = sweep_of(ONE, TWO, language="algo")
    (only,) = sweep.only(1).offered[0].values()
    assert only == sweep.offered[0][1]
    pooled = replace(sweep, weighing=weigh("auto", sweep.candidates, PacMdl()))
    assert "pooling" not in pooled.only(0).offered[0][0][0].terms
