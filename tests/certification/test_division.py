"""Labels that select: how many, which, and what ``certify`` says of them."""

import pickle
from dataclasses import dataclass, replace
from typing import get_args

import numpy as np
import pytest
from conftest import DIVIDING, Untouched
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.cluster import KMeans

from sklearn_pacmdl import PACMDLSearchCV, certify_clusterings
from sklearn_pacmdl.certificates import BoundCertificate
from sklearn_pacmdl.certification import Certify, HoldOut, Learned, PacMdl, cluster_counts

# Few labels have none for one of the two clusters.
pytestmark = pytest.mark.filterwarnings(
    "ignore:.* hold no label and", "ignore:The labeled rows do not look"
)


def divided(labeled, fraction=0.5, seed=0):
    """Rows that select and rows that certify, of those that are labeled."""
    y = np.full(400, -1)
    y[labeled] = np.arange(len(labeled)) % 2
    settings = {"certify": HoldOut(fraction), "classes": [0, 1], "random_state": seed}
    return certify_clusterings([np.arange(400) % 2], y, **settings).division


@pytest.mark.parametrize(
    ("n_rows", "fraction", "n_select"),
    # In floats, .29 of 100 rows is a little less than 29.
    [(2, 0.5, 1), (10, 0.1, 1), (10, 0.9, 9), (9, np.float32(0.5), 4), (100, 0.29, 29)],
)
def test_one_row_is_enough_on_either_side(n_rows, fraction, n_select):
    """The fraction is the decimal that was written."""
    select, certify = divided(np.arange(n_rows), fraction)
    assert len(select) == n_select
    assert sorted([*select, *certify]) == list(range(n_rows))


@pytest.mark.parametrize(("n_rows", "fraction"), [(1, 0.5), (9, 0.1)])
def test_no_side_is_empty(n_rows, fraction):
    with pytest.raises(ValueError, match=f"of {n_rows} labeled rows is 0"):
        divided(np.arange(n_rows), fraction)


def test_each_set_of_labeled_rows_and_each_seed_has_a_division_of_its_own():
    rng, ranks = np.random.default_rng(0), set()
    for _ in range(20):
        rows = np.sort(rng.choice(400, 100, replace=False))
        select, certify = divided(rows)
        assert_array_equal(np.sort([*select, *certify]), rows)
        ranks.add(tuple(np.searchsorted(rows, select)))
    assert len(ranks) == 20
    divisions = {tuple(divided(rows, seed=seed)[0]) for seed in range(20)}
    assert len(divisions) == 20


@pytest.mark.parametrize(("between", "expected"), [(None, 0.55), (1, 0.5), (-1, 0.0)])
def test_a_cluster_that_one_row_names_has_the_class_of_the_nearest(between, expected):
    """Without the row: half an error. If no distances are known, a guess and .3 more."""
    counts = cluster_counts(
        np.ones((4, 2), dtype=int),
        unlabeled=[5, 5, 5, 5],
        selecting=[[3, 0], [0, 1], [0, 2], [0, 0]],
    )
    if between is not None:
        # The second cluster is nearest to the first, or to the third.
        near = np.array([[0, 1, 2, 1], [1, 0, 3, 1], [2, 3, 0, 1], [1, 1, 1, 0]])
        counts = replace(counts, distances=lambda: between * near)
    found = certify_clusterings([counts], certify="holdout")
    rate = found.results["mean_selection_error"].tolist()
    assert rate == pytest.approx([expected / 6])


@pytest.mark.filterwarnings("ignore:No set of clusters has a bound")
@pytest.mark.parametrize("target", [None, 0.5])
@pytest.mark.parametrize(
    ("certify", "n_select"), [("learned", 60), ("holdout", 60), ("pac-mdl", 0)]
)
def test_the_share_that_selects_is_that_of_the_documentation(certify, target, n_select):
    rows = np.arange(200)
    seen = np.where(np.random.RandomState(0).permutation(200) < 100, rows % 2, -1)
    ways = [(certify, n_select)]
    if n_select:
        ways.append((DIVIDING[certify](0.5), 50))
        assert "fraction : float, default=0.6" in DIVIDING[certify].__doc__
    for way, expected in ways:
        settings = {"certify": way, "target": target, "random_state": 0}
        found = certify_clusterings([rows % 4, rows % 8], seen, **settings)
        assert len(found.division[0]) == expected


METHODS = {"pac-mdl": PacMdl, "learned": Learned, "holdout": HoldOut}


@pytest.fixture
def seen(iris):
    _, y = iris
    return np.where(np.random.RandomState(1).permutation(150) < 80, y, -1)


def test_objects_are_equal_by_value_and_copied_as_parameters(iris, seen):
    settings = {"certify": HoldOut(0.5), "n_clusters": [2, 3], "random_state": 0}
    search = PACMDLSearchCV(KMeans(n_init=1), **settings)
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
