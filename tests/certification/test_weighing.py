"""What a language says of a sweep is checked, and what it assumes is said."""

from fractions import Fraction

import numpy as np
import pytest
from conftest import bits_of, hide
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.cluster import KMeans

from sklearn_pacmdl import BoundCertificate, PACMDLSearchCV, certify_clusterings
from sklearn_pacmdl.languages import Candidate, Prior, UniformLabelLanguage

SWEEP = [Candidate("a", c) for c in (2, 3, 4)]
THIRD = Fraction(1, 3)
PAID = ("pac-mdl", "learned")


class Own(UniformLabelLanguage):
    """A language of a user, with any weights."""

    def __init__(self, *weights):
        self.weights = weights

    def candidate_weights(self, candidates):
        weights = self.weights or [Fraction(1, len(candidates))] * len(candidates)
        return [{"own": weight} for weight in weights]


def certified(language, certify):
    seen = np.random.RandomState(0).permutation(60) < 40
    y = np.where(seen, np.arange(60) % 2, -1)
    given = [np.arange(60) % c for c in (2, 3, 4)], y
    settings = {"candidates": SWEEP, "certify": certify, "language": language}
    return certify_clusterings(*given, **settings, random_state=0)


@pytest.mark.parametrize("certify", PAID)
def test_weights_above_one_in_all_are_refused(certify):
    assert certified(Own(THIRD, THIRD, THIRD), certify)
    above = THIRD + Fraction(1, 10**40)
    no_dict = Own()
    no_dict.candidate_weights = lambda candidates: "own"
    for language, message in (
        (Own(THIRD, THIRD, above), "weights of the 3 candidates sum to 1; by Kraft"),
        (Own(THIRD, THIRD), r"one dict per candidate \(3\), got 2"),
        (Own(1 / 3, THIRD, THIRD), r"'own' must be a Fraction in \(0, 1\], got 0.3"),
        (no_dict, "candidate_weights returns must be a dict, got 'o'"),
    ):
        with pytest.raises(ValueError, match=message):
            certified(language, certify)


@pytest.mark.parametrize("certify", PAID)
def test_the_default_language_prefers_some_numbers_of_clusters(certify):
    default, prior, other = (
        certified(own, certify).results["description_length"].tolist()
        for own in (None, Prior(), "algo")
    )
    assert default == prior != other


class Generous(Own):
    """Any labeling weighs as much as all together may."""

    def label_weight(self, cluster_sizes, cluster_classes, n_classes):
        return Fraction(1)


def test_label_weights_of_users_are_assumed_where_they_are_used():
    """Those of all labelings of a clustering cannot be summed."""

    def assumed(language, certify):
        provisos = certified(language, certify).certificate.provisos
        return any("sum to at most 1 over all labelings" in said for said in provisos)

    assert assumed(Generous(), "pac-mdl")
    assert not assumed(Generous(), "learned")
    assert not assumed(Own(), "pac-mdl")  # its labels weigh the same
    assert certified(Own(), "pac-mdl").certificate.subject["language"] == repr(Own())


def test_a_term_of_its_own(blobs):
    X, y = blobs
    language = Own(*(Fraction(1, 2**i) for i in (1, 2, 3)))
    given = {"certify": "pac-mdl", "language": language, "random_state": 0}
    search = PACMDLSearchCV(KMeans(n_init=2), n_clusters=[2, 3, 4], **given)
    results = search.fit(X, hide(y)).cv_results_
    assert_array_equal(bits_of(results, "own"), [1, 2, 3])
    both = bits_of(results, "label") + bits_of(results, "own")
    assert_allclose(results["description_length"], both)
    assert [*results["bits"][0]] == ["label", "own"]
    certificate = search.certificate_
    assert certificate.weights["own"] == Fraction(1, 2 ** (search.best_index_ + 1))
    assert certificate.verify()
    assert BoundCertificate.from_json(certificate.to_json()) == certificate


def test_what_must_be_defined():
    half = type("Half", (UniformLabelLanguage,), {})
    with pytest.raises(TypeError, match="abstract.*candidate_weights"):
        half()
