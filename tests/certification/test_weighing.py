"""What a language says of a sweep is checked, and what it assumes is said."""

from fractions import Fraction

import numpy as np
import pytest

from sklearn_pacmdl.certification._pipeline import make_weighing
from sklearn_pacmdl.certification._ways import Decoupled, HoldOut, Learned, PacMdl
from sklearn_pacmdl.languages import (
    AUTO,
    DECOUPLED,
    Candidate,
    IndexPrior,
    Mixture,
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
    assert weighing.clustering_index is None
    assert weighing.after([np.nan] * 3) is weighing
    assert len(weighing.label_languages) == 3


def test_equal_labelings_share_weights_where_the_language_says_so_and_fits_repeat():
    for strategy in (PacMdl(), Learned(), HoldOut()):
        assert make_weighing(None, SWEEP, strategy).pooled
        assert not make_weighing(None, SWEEP, strategy, reproducible=False).pooled
    assert not make_weighing("algo", SWEEP, PacMdl()).pooled
    assert not make_weighing("algo", SWEEP, PacMdl(), reproducible=False).pooled


def test_a_choice_that_is_not_paid_for_has_no_weights():
    weighing = make_weighing(None, SWEEP, HoldOut())
    assert weighing.weights == [{}, {}, {}]
    assert weighing.label_languages == [None, None, None]
    for language in (AUTO, "algo", Own(), Mixture(["auto", "algo"])):
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


def test_the_default_language_weighs_numbers_of_clusters_where_it_is_meant_to():
    """Where the classes of clusters are paid for alone, it is "auto"."""
    for strategy, language in [(Decoupled(), DECOUPLED), (PacMdl(), AUTO)]:
        weighing = make_weighing(None, SWEEP, strategy)
        assert weighing.language == language
        assert weighing.weights == language.candidate_weights(SWEEP)
        assert weighing.name == ""


@pytest.mark.parametrize("strategy", [PacMdl(), Decoupled()])
def test_label_weights_of_users_are_tested_and_assumed(strategy):
    """Where labels are paid for: a test on small cases is no proof."""
    weighing = make_weighing(Own(), SWEEP, strategy)
    (assumed,) = weighing.assumed
    assert "checked on small cases only" in assumed
    assert weighing.name == repr(Own())
    assert make_weighing(Own(), SWEEP, Learned()).assumed == ()
    assert make_weighing(Mixture(["auto", Own()]), SWEEP, strategy).assumed == (assumed,)
    assert make_weighing(Mixture(["auto", "algo"]), SWEEP, strategy).assumed == ()

    class Generous(Own):
        def label_weight(self, cluster_sizes, cluster_classes, n_classes):
            return Fraction(1)

    with pytest.raises(
        ValueError, match="by Kraft's inequality they must sum to at most"
    ):
        make_weighing(Generous(), SWEEP, strategy)
    assert make_weighing(Generous(), SWEEP, Learned())  # which pays for labels by itself


def test_weights_that_follow_clusterings_are_summed_again():
    prior = IndexPrior(lambda X, labels: 0.5, language="algo")
    weighing = make_weighing(prior, SWEEP, PacMdl())
    assert weighing.clustering_index(None, None) == 0.5
    after = weighing.after([0.1, 0.9, 0.1])
    assert [*after.weights[0]] == ["index"]
    assert after.weights == prior.reweigh(weighing.weights, [0.1, 0.9, 0.1])
    assert after.label_languages == weighing.label_languages

    class Doubling(Own):
        uses_clusterings = True

        def clustering_index(self, X, labels):
            return 0.0

        def reweigh(self, weights, values):
            if not np.any(np.asarray(values) == 7):  # as when it is tested
                return weights
            return [{"own": 2 * terms["own"]} for terms in weights]

    with pytest.raises(ValueError, match="weights of the 3 candidates sum to 2"):
        make_weighing(Doubling(), SWEEP, Learned()).after([7, 7, 7])
