"""A method of certification that is defined outside the package, in one class."""

import pickle
from dataclasses import dataclass
from fractions import Fraction
from typing import get_args

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.cluster import KMeans

from sklearn_pacmdl import (
    PACMDLSearchCV,
    bmax,
    certify_clusterings,
)
from sklearn_pacmdl.certificates import BoundCertificate
from sklearn_pacmdl.certification import HoldOut, Learned, Method
from sklearn_pacmdl.certification._methods import METHODS, Certify


@dataclass(frozen=True)
class OneClass(Method):
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
def own_kinds(registries):
    pass


def test_a_search_certifies_so(iris, seen):
    X, _ = iris
    search = PACMDLSearchCV(
        KMeans(n_init=1), n_clusters=[3], certify=OneClass(), random_state=0
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


def test_so_do_given_clusterings_and_selective_searches(iris, seen):
    X, _ = iris
    labels = KMeans(3, n_init=1, random_state=0).fit_predict(X)
    certified = certify_clusterings({"k": labels}, seen, certify=OneClass())
    assert certified.certificate.kind == "one-class"
    labeler = PACMDLSearchCV(
        KMeans(n_init=1), n_clusters=[9], target=0.8, certify=OneClass(), random_state=0
    )
    labeler.fit(X, seen)
    assert labeler.coverage_ > 0
    ((_, rows),) = labeler.divisions_
    assert labeler.certificate_.verify(seen, labeler.transduction_, certifying=rows)


def test_objects_are_equal_by_value_and_copied_as_parameters(iris, seen):
    search = PACMDLSearchCV(KMeans(3, n_init=1), certify=OneClass(0.5), random_state=0)
    assert search.get_params()["certify"] == OneClass(0.5) != OneClass()
    assert clone(search).certify == OneClass(0.5)
    search.fit(iris[0], seen)
    assert search.certify_ == search.certificate_.kind == "one-class"
    again = pickle.loads(pickle.dumps(search))
    assert again.certify == OneClass(0.5)
    assert again.certificate_ == search.certificate_
    assert BoundCertificate.from_json(again.certificate_.to_json()).verify()


def test_an_object_is_what_its_name_stands_for(iris, seen):
    clusterer = KMeans(n_init=1)
    for name, method in METHODS.items():
        one, other = (
            PACMDLSearchCV(clusterer, n_clusters=[2, 3], certify=own, random_state=0)
            .fit(iris[0], seen)
            .certificate_
            for own in (name, method())
        )
        assert one == other


@pytest.mark.parametrize("way", [Learned, HoldOut])
@pytest.mark.parametrize("fraction", [0, 1, 0.0, 1.0, -0.5, 2, True, "half", np.nan])
def test_shares_that_select(way, fraction):
    message = rf"fraction must be in the open interval \(0, 1\), got {fraction!r}"
    with pytest.raises(ValueError, match=message):
        way(fraction)


@dataclass(frozen=True)
class Trial(OneClass):
    """One that breaks a rule, as the tests say."""

    kind = "trial"
    terms: tuple = ()

    def labelings(self, counts, accepted, language, rng):
        for terms in self.terms:
            yield np.zeros(len(counts.sizes), dtype=int), dict(terms)


@pytest.mark.parametrize(
    ("terms", "message"),
    [
        ([{"algorithm": Fraction(1)}], "terms .'algorithm'. .* are used for something"),
        ([{"own": 0.5}], "must be a Fraction in"),
        ([{"own": Fraction(3, 2)}], "must be a Fraction in"),
    ],
)
def test_weights_of_labelings_are_checked(terms, message, iris, seen):
    labels = KMeans(3, n_init=1, random_state=0).fit_predict(iris[0])
    with pytest.raises(ValueError, match=message):
        certify_clusterings([labels], seen, certify=Trial(terms=tuple(terms)))


def test_two_descriptions_of_one_labeling_are_one(iris, seen):
    terms = ({"own": Fraction(1, 4)}, {"own": Fraction(1, 2)})
    found = certify_clusterings([np.zeros(150, int)], seen, certify=Trial(terms=terms))
    assert found.certificate.weights["own"] == Fraction(1, 2)
    assert found.certificate.verify()


@dataclass(frozen=True)
class Generous(OneClass):
    kind = "generous"

    def labelings(self, counts, accepted, language, rng):
        for k in range(3):
            yield np.full(len(counts.sizes), k), {"own": Fraction(1, 2)}


def test_weights_above_one_in_all_are_refused(seen):
    with pytest.raises(ValueError, match="3 labelings .* sum to 1.5; they must sum"):
        certify_clusterings([np.zeros(150, int)], seen, certify=Generous())


@dataclass(frozen=True)
class LazyHoldOut(OneClass):
    kind = "lazy"
    chooses_first = True


def test_who_chooses_first_is_chosen_by_selecting_rows(iris, seen):
    labels = [KMeans(k, n_init=1, random_state=0).fit_predict(iris[0]) for k in (2, 3)]
    found = certify_clusterings(labels, seen, certify=LazyHoldOut(), random_state=0)
    assert found.best_index == np.argmin(found.results["mean_selection_error"])
    others = np.arange(2) != found.best_index
    assert_array_equal(np.isnan(found.results["mean_test_bound"]), others)


@dataclass(frozen=True)
class Fixed(Method):
    """All labels certify the labeling that gives every cluster the first class."""

    fraction: float = 0.0
    kind = "fixed"

    def labelings(self, counts, accepted, language, rng):
        yield np.zeros(len(counts.sizes), dtype=int), {}


def test_a_target_pays_for_sets_alone_where_labels_are_fixed(iris, seen):
    labels = KMeans(3, n_init=1, random_state=0).fit_predict(iris[0])
    found = certify_clusterings(
        [labels], np.minimum(seen, 0), certify=Fixed(), target=0.5, classes=[0, 1]
    )
    assert found.coverage == 1
    assert found.certificate.weights["subset"] == Fraction(1, 3)
    assert "label" not in found.certificate.weights


@pytest.mark.parametrize("target", [None, 0.5])
def test_a_way_that_offers_nothing(target, seen):
    @dataclass(frozen=True)
    class Silent(OneClass):
        fraction: float = 0.0
        kind = "silent"

        def labelings(self, counts, accepted, language, rng):
            yield from ()

    with pytest.raises(ValueError, match=r"Silent.* must offer at least one labeling"):
        certify_clusterings([np.arange(150) % 3], seen, certify=Silent(), target=target)


class Taken(Learned):
    """Whose certificates would be taken for those of the package."""


@pytest.mark.parametrize(
    ("cls", "change", "message"),
    [
        (OneClass, {"fraction": 1.5}, "fraction must be in"),
        (LazyHoldOut, {"fraction": 0.0}, "fraction must be above 0"),
        (OneClass, {"fraction": 0.0}, "fraction must be above 0 in certificates of 'one"),
        (Taken, {}, "kind must be a text .* and not one of .* got 'learned'"),
    ],
)
def test_what_cannot_be_passed(cls, change, message, seen):
    given = {"clusterings": [np.zeros(150, int)], "y": seen}
    certify_clusterings(**given, certify=OneClass())
    with pytest.raises(ValueError, match=message):
        certify_clusterings(**given, certify=cls(**change))


def test_a_class_is_no_object(seen):
    with pytest.raises(TypeError, match="certify must be .* or an instance of Meth"):
        certify_clusterings([np.zeros(150, int)], seen, certify=OneClass)


def test_a_method_may_have_a_class_of_certificates(seen):
    class OfFairAuditors(BoundCertificate, kind="audited"):
        selects = True
        assumed = ("the auditor was fair",)

    @dataclass(frozen=True)
    class Audited(OneClass):
        kind = "audited"
        certificate = OfFairAuditors

    found = certify_clusterings([np.zeros(150, int)], seen, certify=Audited())
    assert "provided the auditor was fair" in found.certificate.statement


def test_type_checkers_know_the_ways_of_the_package():
    names, cls = get_args(Certify)
    assert set(get_args(names)) == {*METHODS, "auto"}
    assert cls is Method
    assert all(method().kind == kind for kind, method in METHODS.items())
