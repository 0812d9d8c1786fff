"""Favorites of a list with clusterers and classifiers, from errors that were made up."""

from fractions import Fraction

import numpy as np
import pytest
import sweeps
from numpy.testing import assert_array_equal

from sklearn_pacmdl.certification import HoldOut, Learned
from sklearn_pacmdl.languages import Candidate

LEARNS = [False, False, False, True, True]
LIST = [Candidate("a", 2, 0), Candidate("a", 2, 1), Candidate("a", 3)]
LIST += [Candidate("b", None), Candidate("c", None)]


def sweep_of(found, learns=LEARNS, method=None):
    return sweeps.sweep_of_kinds(method or Learned(), LIST, found, learns)


def shares_of(sweep):
    """What is more than a candidate's own part of its weight, in favorites' weights."""
    method = sweep.method
    errors = sweep.of_each("selection_errors")[:, 0]
    own = method._candidate_weights(sweep.weights.of_candidates, errors)
    shares = []
    for i, claims in sweeps.claims_of(sweep).items():
        weight = np.prod(list(claims[0].terms.values())) if claims else None
        if weight is not None:
            weight -= (1 - method.of_preferred) * own[i]["candidate"]
            weight /= method.of_preferred
        shares.append(weight)
    return shares


#: Errors that other folds let expect, and errors, for each of five folds.
LUCKY = [[1, 9, 9, 9, 9], [4, 0, 0, 0, 0]]
OTHERS = [[9, 1, 1, 1, 1], [0, 3, 3, 3, 3]]
STEADY = [[2, 2, 2, 2, 2], [2, 2, 2, 2, 2]]
BAD = [[8, 8, 8, 8, 8], [0, 0, 0, 0, 0]]


def counted(*each, n_splits=1):
    """Candidates with these estimates and errors by folds."""
    return [sweeps.counted_by_folds(*own, n_splits) for own in each]


def test_the_kind_with_fewer_errors_by_folds_is_preferred():
    """Within a kind, the smallest estimate is, whatever the errors by folds."""
    found = counted((2, OTHERS), (2, OTHERS), (3, LUCKY), (7, STEADY), (8, BAD))
    # Of clusterings the third is chosen on the first fold (4 errors), and then the first
    # (3 errors each), which makes 16. The first classifier has 10.
    assert shares_of(sweep_of(found)) == [Fraction(1, 32), 0, 0, Fraction(31, 32), 0]
    found[3:4] = counted((7, [STEADY[0], [4, 4, 4, 4, 4]]))
    assert shares_of(sweep_of(found)) == [Fraction(31, 32), 0, 0, Fraction(1, 32), 0]


def test_starts_are_chosen_by_their_means_on_each_fold():
    """A start that is lucky on the other folds is chosen with all its starts, or not."""
    starts = (1, [[0] * 5, [9] * 5]), (5, [[8] * 5, [0] * 5])
    found = counted(*starts, (2, [[3] * 5, [1] * 5]), (3, STEADY), (9, BAD))
    # Means of both starts are 4 and 3: the third clustering is chosen, with 5 errors.
    assert shares_of(sweep_of(found)) == [0, 0, Fraction(31, 32), Fraction(1, 32), 0]


@pytest.mark.parametrize("failed", [[0, 1, 2], [3, 4]])
def test_nobody_has_the_share_of_a_kind_that_failed(failed):
    found = counted(*((i, STEADY) for i in range(5)))
    found = [None if i in failed else own for i, own in enumerate(found)]
    left = [s for s in shares_of(sweep_of(found)) if s is not None]
    assert left == [Fraction(31, 32), *[0] * (len(left) - 1)]


@pytest.mark.parametrize("kind", [False, True])
def test_a_list_of_one_kind_has_one_favorite(kind):
    """Whether or not its errors by folds are known."""
    found = counted((4, BAD), (4, BAD), (2, LUCKY), (1, LUCKY), (3, LUCKY))
    for learns in ((), [kind] * 5):
        assert shares_of(sweep_of(found, learns)) == [0, 0, 0, 1, 0]


def test_hold_out_takes_the_favorite_of_all_splits():
    """Which ranks first; the others rank by their estimates."""
    each = (1, OTHERS), (1, OTHERS), (3, LUCKY), (7, STEADY), (2, BAD)
    found = counted(*each, n_splits=2)
    # Clusterers make 16 errors by folds, as above, and classifiers 10. Of these the last
    # has the smaller estimate.
    ranking = sweeps.ranking_of(sweep_of(found, method=HoldOut()))
    assert ranking.best == 4
    assert_array_equal(ranking.ranks, [2, 2, 4, 5, 1])
    assert_array_equal(ranking.values, [1, 1, 3, 7, 2])
    one_kind = sweeps.ranking_of(sweep_of(found, (), HoldOut()))
    assert one_kind.best == 0


def test_another_fit_changes_no_share():
    first = sweep_of(counted(*((i, STEADY) for i in range(5))))
    again = first.refitted(0, sweeps.counted_by_folds(9, [[9] * 5, [9] * 5]))
    assert shares_of(again) == shares_of(first)
