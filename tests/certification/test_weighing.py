"""What a language says of a sweep is checked, and what it assumes is said."""

from fractions import Fraction

import pytest

from sklearn_pacmdl.certification._pipeline import make_weighing
from sklearn_pacmdl.certification._ways import Decoupled, HoldOut, Learned, PacMdl
from sklearn_pacmdl.languages import (
    Candidate,
    Prior,
    UniformLabelLanguage,
)

SWEEP = [Candidate("a", c) for c in (2, 3, 4)]


class Own(UniformLabelLanguage):
    """A language of a user, with any weights."""

    def __init__(self, *weights):
        self.weights = weights

    def candidate_weights(self, candidates):
        weights = self.weights or [Fraction(1, len(candidates))] * len(candidates)
        return [{"own": weight} for weight in weights]


@pytest.mark.parametrize("strategy", [PacMdl(), Learned()])
def test_weights_are_those_of_the_language(strategy):
    weighing = make_weighing("algo", SWEEP, strategy)
    assert [terms["n_clusters"] for terms in weighing.weights] == [
        Fraction(1, c * (c - 1)) for c in (2, 3, 4)
    ]
    assert weighing.name == "algo"
    assert weighing.assumed == ()


def test_a_choice_that_is_not_paid_for_has_no_weights():
    weighing = make_weighing(None, SWEEP, HoldOut())
    assert weighing.weights == [{}, {}, {}]
    for language in (Prior(), "algo", Own()):
        with pytest.raises(
            ValueError, match="language must be None with certify='holdout', where it"
        ):
            make_weighing(language, SWEEP, HoldOut())


@pytest.mark.parametrize("strategy", [PacMdl(), Learned()])
def test_weights_above_one_in_all_are_refused(strategy):
    third = Fraction(1, 3)
    assert make_weighing(Own(third, third, third), SWEEP, strategy)
    above = third + Fraction(1, 10**40)
    with pytest.raises(
        ValueError, match="weights of the 3 candidates sum to 1; by Kraft"
    ):
        make_weighing(Own(third, third, above), SWEEP, strategy)
    with pytest.raises(ValueError, match=r"one dict per candidate \(3\), got 2"):
        make_weighing(Own(third, third), SWEEP, strategy)


@pytest.mark.parametrize("strategy", [Learned(), Decoupled(), PacMdl()])
def test_the_default_language_prefers_some_numbers_of_clusters(strategy):
    weighing = make_weighing(None, SWEEP, strategy)
    assert weighing.language == Prior()
    assert weighing.weights == Prior().candidate_weights(SWEEP)
    assert weighing.name == ""


class Generous(Own):
    """Any labeling weighs as much as all together may."""

    def label_weight(self, cluster_sizes, cluster_classes, n_classes):
        return Fraction(1)


def test_label_weights_of_users_are_assumed_where_they_are_used():
    """Those of all labelings of a clustering cannot be summed."""
    (assumed,) = make_weighing(Generous(), SWEEP, PacMdl()).assumed
    assert "sum to at most 1 over all labelings of a clustering" in assumed
    for strategy in (Learned(), Decoupled()):
        assert make_weighing(Generous(), SWEEP, strategy).assumed == ()
    weighing = make_weighing(Own(), SWEEP, PacMdl())  # its labels weigh the same
    assert weighing.assumed == ()
    assert weighing.name == repr(Own())
