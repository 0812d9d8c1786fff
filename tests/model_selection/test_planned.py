"""How many labels a search needs, by the labels that it has."""

import numpy as np
import pytest
from conftest import ColumnOfX
from sklearn.base import clone
from sklearn.cluster import AgglomerativeClustering
from sklearn.datasets import make_blobs

from sklearn_pacmdl import PACMDLSearchCV

pytestmark = pytest.mark.filterwarnings("ignore:.* clusters, with")

X, TRUTH = make_blobs(1200, centers=6, cluster_std=0.7, random_state=1)


def searched(n_labeled, draw=0, **settings):
    y = TRUTH.copy()
    y[np.random.RandomState(draw).permutation(len(y))[n_labeled:]] = -1
    settings = {"n_clusters": range(2, 13), "random_state": 0} | settings
    return PACMDLSearchCV(AgglomerativeClustering(), **settings).fit(X, y)


@pytest.fixture(scope="module")
def search():
    return searched(60)


def test_a_bound_that_meets_the_target_needs_no_more(search):
    assert search.labels_needed(search.best_bound_) == 60
    assert search.labels_needed(0.99, quantile=0.9) == 60
    assert search.labels_needed(search.best_bound_ - 1e-9) > 60


@pytest.mark.parametrize("certify", ["learned", "holdout"])
def test_plans_come_true(certify):
    bounds = [searched(400, d, certify=certify).best_bound_ for d in range(6)]
    target = 1.2 * np.median(bounds)
    met = {0.5: [], 0.9: []}
    for draw in range(12):
        pilot = searched(60, draw, certify=certify)
        for quantile, own in met.items():
            number = pilot.labels_needed(target, quantile=quantile)
            own.append(searched(number, draw, certify=certify).best_bound_ <= target)
    assert np.mean(met[0.5]) >= 0.25
    assert np.mean(met[0.9]) >= 0.75


def test_harder_targets_and_higher_quantiles_need_more(search):
    targets = [share * search.best_bound_ for share in (0.9, 0.7, 0.6, 0.5)]
    numbers = [search.labels_needed(target) for target in targets]
    assert numbers == sorted(numbers)
    assert search.labels_needed(targets[1], quantile=0.9) > numbers[1]


def test_out_of_reach_is_none(search):
    assert search.labels_needed(0.001) is None
    assert searched(700).labels_needed(0.01) is None  # more than half are labeled
    several = PACMDLSearchCV(AgglomerativeClustering(3), cv=2, n_clusters=None)
    with pytest.raises(AttributeError, match="each of the 2 splits"):
        several.fit(X, TRUTH).labels_needed(0.1)
    # Finer clusterings are planned with.
    coarse, both = (searched(60, n_clusters=numbers) for numbers in ([2], [2, 6]))
    assert coarse.labels_needed(0.3) is None
    assert both.labels_needed(0.3) >= 60


def test_one_in_ten_clusterings_is_too_good():
    """By few labels, the best of many clusterings mostly looks better than it is."""
    y = np.where(np.random.RandomState(0).permutation(len(TRUTH)) < 60, TRUTH, -1)
    rest = np.random.RandomState(1).randint(range(7, 16), size=(len(y), 9))
    clusterings = np.column_stack([TRUTH, rest])
    one = PACMDLSearchCV(ColumnOfX(), {"column": [0, 1]}, random_state=0)
    few = clone(one).fit(clusterings, y)
    many = one.set_params(param_grid={"column": range(10)}).fit(clusterings, y)
    assert few.labels_needed(few.best_bound_ / 2) is not None
    assert many.labels_needed(many.best_bound_ / 2) is None


def test_the_same_plan_again(search):
    targets = 0.8 * search.best_bound_, 0.6 * search.best_bound_
    first = [search.labels_needed(target) for target in targets]
    for again in (search, searched(60, refit=False)):
        assert [again.labels_needed(target) for target in targets] == first


def test_other_ways_are_planned_as_learned(search):
    target = 0.7 * search.best_bound_
    other = searched(60, certify="pac-mdl")
    assert other.labels_needed(target) == search.labels_needed(target)


def test_only_some_candidates_are_kept():
    many = searched(60, n_clusters=range(2, 60))
    assert len(many._planned_) <= 21
    assert many.labels_needed(0.7 * many.best_bound_) > 60
