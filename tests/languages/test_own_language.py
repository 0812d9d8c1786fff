"""Languages that users write: one class, with a term of its own name."""

from fractions import Fraction

import numpy as np
import pytest
from conftest import bits_of, hide
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.cluster import KMeans
from sklearn.metrics import silhouette_score

from sklearn_pacmdl import BoundCertificate, PACMDLSearchCV
from sklearn_pacmdl.languages import (
    Candidate,
    IndexPrior,
    Language,
    Mixture,
    UniformLabelLanguage,
    check_language,
    get_language,
)
from sklearn_pacmdl.languages._base import is_proven


class Frugal(UniformLabelLanguage):
    """Each further candidate, in the order of the sweep, costs a bit more."""

    def candidate_weights(self, candidates):
        return [{"place": Fraction(1, 2 ** (i + 1))} for i in range(len(candidates))]


class Tight(Language):
    """Weighs clusterings by how tight they are, which needs no labels."""

    pooled = False
    uses_clusterings = True

    def __init__(self, nats=1.0):
        self.nats = nats

    def candidate_weights(self, candidates):
        return [{"even": Fraction(1, len(candidates))} for _ in candidates]

    def label_weight(self, cluster_sizes, cluster_classes, n_classes):
        return Fraction(1, n_classes ** len(cluster_sizes))

    def clustering_index(self, X, labels):
        means = np.array([X[labels == k].mean(axis=0) for k in np.unique(labels)])
        return -float(np.mean((X - means[labels]) ** 2))

    def reweigh(self, weights, values):
        ranks = np.argsort(np.argsort(-np.asarray(values)))
        return [{"how tight": Fraction(1, 2 ** (int(rank) + 1))} for rank in ranks]


def search_of(language, blobs):
    X, y = blobs
    search = PACMDLSearchCV(
        KMeans(n_init=2),
        n_clusters=[2, 3, 4],
        certify="pac-mdl",
        language=language,
        random_state=0,
    )
    return search.fit(X, hide(y))


def test_a_term_of_its_own(blobs):
    search = search_of(Frugal(), blobs)
    results = search.cv_results_
    assert_array_equal(bits_of(results, "place"), [1, 2, 3])
    both = bits_of(results, "label") + bits_of(results, "place")
    assert_allclose(results["description_length"], both)
    assert [*results["bits"][0]] == ["label", "place"]
    certificate = search.certificate_
    assert certificate.weights["place"] == Fraction(1, 2 ** (search.best_index_ + 1))
    assert certificate.verify()
    assert BoundCertificate.from_json(certificate.to_json()) == certificate
    assert certificate.subject["language"] == "Frugal()"
    assert "the weights of the language sum to at most 1" in certificate.statement


def test_weights_that_follow_the_clusterings(blobs):
    search = search_of(Tight(nats=2.0), blobs)
    # More clusters are tighter.
    assert_array_equal(bits_of(search.cv_results_, "how tight"), [3, 2, 1])
    assert "even" not in search.cv_results_["bits"][0]
    assert search.certificate_.subject["language"] == "Tight(nats=2.0)"
    assert search.certificate_.verify()


def test_it_can_be_a_part_of_ours():
    mixture = Mixture(["auto", Frugal()])
    check_language(mixture)
    assert mixture.pooled
    assert not is_proven(mixture)
    with pytest.raises(ValueError, match=r"outermost one, got Tight\(nats=1.0\)"):
        Mixture(["auto", Tight()])


def test_defaults():
    language, sweep = Frugal(), [Candidate("ward", c) for c in (2, 3)]
    check_language(language)
    assert get_language(language) is language
    assert language.pooled
    assert not language.uses_clusterings
    assert language.label_languages(sweep) == [language, language]
    weights = language.candidate_weights(sweep)
    assert language.reweigh(weights, [0.0, 1.0]) == weights
    with pytest.raises(NotImplementedError, match=r"Frugal\(\) defines no index"):
        language.clustering_index(np.eye(2), np.arange(2))


def test_what_must_be_defined():
    class Half(UniformLabelLanguage):
        pass

    with pytest.raises(TypeError, match="abstract.*candidate_weights"):
        Half()


class Reserved(Frugal):
    def candidate_weights(self, candidates):
        return [{"pooling": Fraction(1)} for _ in candidates]


def test_terms_that_stand_for_something_else_are_refused(blobs):
    with pytest.raises(ValueError, match="none of .*'pooling'.* got 'pooling'"):
        search_of(Reserved(), blobs)


def test_names_of_languages_hold_no_addresses():
    assert repr(IndexPrior(silhouette_score)).startswith("IndexPrior(index=silhouette_sc")
    assert "0x" not in repr(Mixture([Frugal(), "auto"]))
