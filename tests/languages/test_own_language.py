"""Languages that users write: one class, with a term of its own name."""

from fractions import Fraction

import pytest
from conftest import bits_of, hide
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.cluster import KMeans

from sklearn_pacmdl import BoundCertificate, PACMDLSearchCV
from sklearn_pacmdl.languages import UniformLabelLanguage


class Frugal(UniformLabelLanguage):
    """Each further candidate, in the order of the sweep, costs a bit more."""

    def candidate_weights(self, candidates):
        return [{"place": Fraction(1, 2 ** (i + 1))} for i in range(len(candidates))]


def test_a_term_of_its_own(blobs):
    X, y = blobs
    given = {"certify": "pac-mdl", "language": Frugal(), "random_state": 0}
    search = PACMDLSearchCV(KMeans(n_init=2), n_clusters=[2, 3, 4], **given)
    results = search.fit(X, hide(y)).cv_results_
    assert_array_equal(bits_of(results, "place"), [1, 2, 3])
    both = bits_of(results, "label") + bits_of(results, "place")
    assert_allclose(results["description_length"], both)
    assert [*results["bits"][0]] == ["label", "place"]
    certificate = search.certificate_
    assert certificate.weights["place"] == Fraction(1, 2 ** (search.best_index_ + 1))
    assert certificate.verify()
    assert BoundCertificate.from_json(certificate.to_json()) == certificate
    assert certificate.subject["language"] == "Frugal()"
    assert "weights of the language" not in certificate.statement


def test_what_must_be_defined():
    class Half(UniformLabelLanguage):
        pass

    with pytest.raises(TypeError, match="abstract.*candidate_weights"):
        Half()
