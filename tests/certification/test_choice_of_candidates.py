"""What candidates are chosen or weighed by where some of the labels select."""

from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from sklearn_pacmdl.certification import ClusterCounts, certify_labelings
from sklearn_pacmdl.certification._holdout import HoldOut, mean_over_starts
from sklearn_pacmdl.certification._learned import Learned
from sklearn_pacmdl.certification._registry import make_strategy
from sklearn_pacmdl.languages import Candidate


def test_learned_weights_fall_with_errors_and_with_bits():
    """A candidate that failed has next to none."""
    given = [Fraction(1, 2), Fraction(1, 8), Fraction(1, 8), Fraction(1, 8)]
    terms = Learned().candidate_terms(
        [{"init": weight} for weight in given], np.array([1.0, 1.0, 0.0, np.nan])
    )
    short, long, right, failed = (weight["candidate"] for weight in terms)
    assert short / long == pytest.approx(4)
    assert right / long == pytest.approx(np.exp(Learned().sharpness))
    assert 0 < failed < Fraction(1, 2**1000)
    assert 1 - 1e-8 < short + long + right + failed <= 1


def test_starts_share_their_mean_and_failures_have_no_part_in_it():
    candidates = [Candidate("k", 2, init) for init in range(3)] + [Candidate("k", 3)]
    values = np.array([1.0, 3.0, np.nan, 5.0])
    assert_array_equal(mean_over_starts(values, candidates), [2.0, 2.0, np.nan, 5.0])
    with pytest.raises(ValueError, match="shorter"):
        mean_over_starts(values[:3], candidates)


def test_hold_out_counts_errors_of_selecting_rows_alone():
    counts = ClusterCounts.from_tables(
        certifying=np.eye(3, dtype=int), unlabeled=[1, 1, 1], selecting=5 * np.eye(3)
    )
    assert HoldOut().selection_errors(counts) == 0
    columns = HoldOut().selection_columns(np.array([3.0]), 15, 85)
    assert columns["selection_error"].tolist() == [0.2]


def test_shares_that_select_by_default_are_those_of_the_documentation():
    shares = {
        (kind, for_sets): make_strategy(kind, None, for_sets=for_sets).fraction
        for kind in ("pac-mdl", "learned", "holdout")
        for for_sets in (False, True)
    }
    assert shares == {
        ("pac-mdl", False): 0,
        ("pac-mdl", True): 0,
        ("learned", False): 0.3,
        ("learned", True): 0.3,
        ("holdout", False): 0.5,
        ("holdout", True): 0.6,
    }
    said = " ".join(certify_labelings.__doc__.split())
    assert '0.3 for "learned", and for "holdout" 0.5, or 0.6 with a target' in said
