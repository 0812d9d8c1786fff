"""A way to certify that is defined outside the package: one class, one line."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.cluster import KMeans

from sklearn_pacmdl import (
    PACMDLSearchCV,
    SelectiveClusterLabeler,
    bmax,
    certify_labelings,
)
from sklearn_pacmdl.certification import Strategy, register_strategy
from sklearn_pacmdl.certification._registry import _STRATEGIES


@dataclass(frozen=True)
class OneClass(Strategy):
    """Every cluster gets the most common class of the selecting rows."""

    fraction: float = 0.25
    kind = "one-class"

    def labelings(self, counts, accepted, language, rng):
        common = counts.select[:, :-1].sum(axis=0).argmax()
        yield np.full(len(counts.sizes), common), {"constant": Fraction(1)}


@pytest.fixture
def seen(iris):
    _, y = iris
    return np.where(np.random.RandomState(1).permutation(150) < 80, y, -1)


@pytest.fixture(autouse=True)
def registered():
    register_strategy(OneClass())
    yield
    del _STRATEGIES["one-class"]


def test_a_search_certifies_so(iris, seen):
    X, _ = iris
    search = PACMDLSearchCV(
        KMeans(n_init=1), n_clusters=[3], certify="one-class", random_state=0
    ).fit(X, seen)
    ((select, certify),) = search.divisions_
    common = np.bincount(seen[select]).argmax()
    assert_array_equal(search.transduction_, common)
    certificate = search.certificate_
    assert certificate.kind == "one-class"
    errors = int(np.sum(seen[certify] != common))
    n = int(np.sum(seen < 0))
    assert certificate.max_test_errors == bmax(len(certify), n, errors, 0.1)
    assert certificate.weights["constant"] == 1
    assert certificate.verify(seen, search.transduction_, certifying=certify)
    assert "one-class" in certificate.to_json()


def test_so_do_given_labelings_and_selective_searches(iris, seen):
    X, _ = iris
    labels = KMeans(3, n_init=1, random_state=0).fit_predict(X)
    certified = certify_labelings({"k": labels}, seen, certify="one-class")
    assert certified.certificate.kind == "one-class"
    labeler = SelectiveClusterLabeler(
        KMeans(n_init=1), n_clusters=[9], target=0.8, certify="one-class", random_state=0
    )
    labeler.fit(X, seen)
    assert labeler.coverage_ > 0
    ((_, rows),) = labeler.divisions_
    assert labeler.certificate_.verify(seen, labeler.transduction_, certifying=rows)


def test_a_name_is_given_once_and_only_to_strategies():
    with pytest.raises(ValueError, match="kind must be other than"):
        register_strategy(OneClass())
    with pytest.raises(TypeError, match="strategy must be an instance"):
        register_strategy(OneClass)
