"""What ``certify`` may be: a name of a method, or an object with its share of labels."""

import pickle
from dataclasses import dataclass
from typing import get_args

import numpy as np
import pytest
from conftest import Untouched
from sklearn.base import clone
from sklearn.cluster import KMeans

from sklearn_pacmdl import PACMDLSearchCV, certify_clusterings
from sklearn_pacmdl.certificates import BoundCertificate
from sklearn_pacmdl.certification import Certify, HoldOut, Learned, PacMdl

METHODS = {"pac-mdl": PacMdl, "learned": Learned, "holdout": HoldOut}


@pytest.fixture
def seen(iris):
    _, y = iris
    return np.where(np.random.RandomState(1).permutation(150) < 80, y, -1)


def test_objects_are_equal_by_value_and_copied_as_parameters(iris, seen):
    search = PACMDLSearchCV(KMeans(3, n_init=1), certify=HoldOut(0.5), random_state=0)
    assert search.get_params()["certify"] == HoldOut(0.5) != HoldOut()
    assert clone(search).certify == HoldOut(0.5)
    search.fit(iris[0], seen)
    ((select, certify),) = search.divisions_
    assert (len(select), len(certify)) == (40, 40)
    assert search.certify_ == search.certificate_.kind == "holdout"
    again = pickle.loads(pickle.dumps(search))
    assert again.certify == HoldOut(0.5)
    assert again.certificate_ == search.certificate_
    assert BoundCertificate.from_json(again.certificate_.to_json()).verify()
    for name, method in METHODS.items():  # an object is what its name stands for
        one, other = (
            clone(search).set_params(certify=own).fit(iris[0], seen).certificate_
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
class Own(Learned):
    """Whose certificates would be taken for those of the package."""


@pytest.mark.parametrize("certify", [Own(), Learned, "hold-out", None, 0.6])
def test_nothing_else_certifies(certify, iris, seen):
    says = "certify must be one of .* or an instance of Learned, HoldOut or PacMdl, got"
    with pytest.raises((TypeError, ValueError), match=says):
        certify_clusterings([np.zeros(150, int)], seen, certify=certify)
    with pytest.raises((TypeError, ValueError), match=says):
        PACMDLSearchCV(Untouched(), certify=certify).fit(iris[0], seen)


def test_type_checkers_know_the_ways_of_the_package():
    names, *classes = get_args(Certify)
    assert set(get_args(names)) == {*METHODS, "auto"}
    assert classes == [PacMdl, Learned, HoldOut]
    assert all(method().kind == kind for kind, method in METHODS.items())
