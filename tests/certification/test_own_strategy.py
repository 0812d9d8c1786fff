"""A way to certify that is defined outside the package: one class, one line."""

from dataclasses import dataclass
from fractions import Fraction
from math import log2, prod
from typing import ClassVar, get_args

import numpy as np
import pytest
import sweeps
from numpy.testing import assert_array_equal
from sklearn.cluster import KMeans

from sklearn_pacmdl import (
    PACMDLSearchCV,
    SelectiveClusterLabeler,
    bmax,
    certify_labelings,
)
from sklearn_pacmdl.bounds import decoupled_bound
from sklearn_pacmdl.certificates import BoundCertificate, DecoupledCertificate
from sklearn_pacmdl.certification import Option, Strategy, _registry, register_strategy


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
def registered(registries):
    register_strategy(OneClass())


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
    register_strategy(Trial(terms=tuple(terms)))
    labels = KMeans(3, n_init=1, random_state=0).fit_predict(iris[0])
    with pytest.raises(ValueError, match=message):
        certify_labelings([labels], seen, certify="trial")


def test_two_descriptions_of_one_labeling_are_one(iris, seen):
    terms = ({"own": Fraction(1, 4)}, {"own": Fraction(1, 2)})
    register_strategy(Trial(terms=terms))
    found = certify_labelings([np.zeros(150, int)], seen, certify="trial")
    assert found.certificate.weights["own"] == Fraction(1, 2)
    assert found.certificate.verify()


@dataclass(frozen=True)
class Generous(OneClass):
    kind = "generous"

    def labelings(self, counts, accepted, language, rng):
        for k in range(3):
            yield np.full(len(counts.sizes), k), {"own": Fraction(1, 2)}


def test_weights_above_one_in_all_are_refused(seen):
    register_strategy(Generous())
    with pytest.raises(ValueError, match="3 labelings .* sum to 1.5; they must sum"):
        certify_labelings([np.zeros(150, int)], seen, certify="generous")


@dataclass(frozen=True)
class LazyHoldOut(OneClass):
    kind = "lazy"
    chooses_first = True


def test_who_chooses_first_is_chosen_by_selecting_rows(iris, seen):
    labels = [KMeans(k, n_init=1, random_state=0).fit_predict(iris[0]) for k in (2, 3)]
    register_strategy(LazyHoldOut())
    found = certify_labelings(labels, seen, certify="lazy", random_state=0)
    assert found.best_index == np.argmin(found.results["mean_selection_error"])
    others = np.arange(2) != found.best_index
    assert_array_equal(np.isnan(found.results["mean_test_bound"]), others)


@dataclass(frozen=True)
class Fixed(Strategy):
    """All labels certify the labeling that gives every cluster the first class."""

    fraction: float = 0.0
    kind = "fixed"

    def labelings(self, counts, accepted, language, rng):
        yield np.zeros(len(counts.sizes), dtype=int), {}


def test_a_target_pays_for_sets_alone_where_labels_are_fixed(iris, seen):
    register_strategy(Fixed())
    labels = KMeans(3, n_init=1, random_state=0).fit_predict(iris[0])
    found = certify_labelings(
        [labels], np.minimum(seen, 0), certify="fixed", target=0.5, classes=[0, 1]
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

    register_strategy(Silent())
    with pytest.raises(ValueError, match=r"Silent.* must offer at least one labeling"):
        certify_labelings([np.arange(150) % 3], seen, certify="silent", target=target)


@pytest.mark.parametrize(
    ("cls", "change", "message"),
    [
        (OneClass, {"fraction": 1.5}, "fraction must be in"),
        (LazyHoldOut, {"fraction": 0.0}, "fraction must be above 0"),
    ],
)
def test_what_cannot_be_registered(cls, change, message):
    with pytest.raises(ValueError, match=message):
        register_strategy(cls(**change))


def test_a_strategy_may_have_a_class_of_certificates(seen):
    class OfFairAuditors(BoundCertificate, kind="fair"):
        selects = True
        assumed = ("the auditor was fair",)

    @dataclass(frozen=True)
    class Audited(OneClass):
        kind = "audited"
        certificate = OfFairAuditors

    register_strategy(Audited())
    found = certify_labelings([np.zeros(150, int)], seen, certify="audited")
    assert "provided the auditor was fair" in found.certificate.statement


@pytest.mark.parametrize("target", [None, 0.5])
def test_a_bound_of_single_clusters_is_certified_from_their_counts(target, seen):
    class OwnCertificate(DecoupledCertificate, kind="own decoupled"):
        pass

    @dataclass(frozen=True)
    class OwnDecoupled(Strategy):
        fraction: float = 0.0
        factor: str = "table"
        kind = "own decoupled"
        certificate = OwnCertificate
        of_sets: ClassVar = {"factor": "closed"}

        def labelings(self, counts, accepted, language, rng):
            yield counts.certify[:, :-1].argmax(axis=1), {}

        def option(self, counts, classes, terms):
            option = Option.of(counts, classes, terms, by_cluster=True)
            return option._replace(fields={"factor": self.factor})

        def bounds(self, offers, delta, required=()):
            return [
                np.array([*map(self.bound_of, each.options, each.weights)], dtype=float)
                for each in offers
            ]

        def bound_of(self, option, terms):
            bits = -log2(prod(terms.values()))
            counts = option.clusters.T
            return decoupled_bound(*counts, description_length=bits, factor=self.factor)

    register_strategy(OwnDecoupled())
    clusters = [np.arange(150) // 50]
    own, expected = (
        certify_labelings(clusters, seen, target=target, **way).certificate
        for way in ({"certify": "own decoupled"}, {"certify": "decoupled"})
    )
    assert own.clusters == expected.clusters != ()
    assert own.max_test_errors == expected.max_test_errors
    assert own.verify()


def test_type_checkers_know_the_ways_of_the_package():
    listed = set(get_args(_registry.WayName))
    assert listed == set(sweeps.WAYS), "WayName is in certification/_registry.py"
