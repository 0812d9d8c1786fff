import numpy as np
import pytest
from sklearn.cluster import AgglomerativeClustering
from sklearn.datasets import make_blobs

from sklearn_pacmdl import PACMDLSearchCV
from sklearn_pacmdl.bounds import (
    ClusterSizes,
    PlannedWays,
    choice_bits,
    decoupled_bound,
    planned_bound,
)
from sklearn_pacmdl.model_selection._planned import observed_rates

X, Y = make_blobs(300, centers=4, cluster_std=1.0, random_state=0)
ROWS = np.random.RandomState(0).permutation(300)


def fitted(n_labeled=40, **parameters):
    seen = Y.copy()
    seen[ROWS[n_labeled:]] = -1
    defaults = {"n_clusters": [2, 4, 6], "certify": "decoupled", "random_state": 0}
    return PACMDLSearchCV(AgglomerativeClustering(), **defaults | parameters).fit(X, seen)


@pytest.fixture(scope="module")
def search():
    return fitted()


def test_rates_are_those_seen_with_a_label_of_the_common_rate():
    clusters = {
        "n_labels": np.array([10, 4, 0]),
        "purity": np.array([0.8, 1.0, np.nan]),
    }
    common = 2.5 / 15
    expected = [(2 + common) / 11, common / 5, common]
    np.testing.assert_allclose(observed_rates(clusters), expected)
    clusters |= {"n_certifying": np.array([0, 5, 5])}
    clusters |= {"n_certifying_errors": np.array([0, 0, 5])}
    common = 7.5 / 25
    expected = [(2 + common) / 11, common / 10, (5 + common) / 6]
    np.testing.assert_allclose(observed_rates(clusters), expected)


def test_table_with_a_given_rate_is_of_sizes_alone(search):
    table = search.plan_labels([60, 150], expected_error=0.05)
    sizes = search.clusters_["size"]
    assert table.index.tolist() == [60, 150]
    assert table.columns.tolist() == ["decoupled", "learned", "holdout"]
    for m in (60, 150):
        plan = {"expected_error": 0.05, "cluster_sizes": sizes}
        bits = search.certificate_.description_length
        direct = planned_bound(300, m, description_length=bits, **plan)
        assert table.loc[m, "decoupled"] == direct
        ways = PlannedWays(ClusterSizes.of(sizes, 0.05), 4, 0.1, choice_bits(3), {})
        assert table.loc[m, "holdout"] == ways.bound("holdout", m)
        assert table.loc[m, "learned"] == pytest.approx(
            ways.bound("learned", m), abs=0.01
        )


def test_number_is_the_first_that_meets_the_target(search):
    """By brute force over the numbers of labels up to it."""
    target = search.plan_labels(75)["decoupled"].item()
    assert target < search.best_bound_
    number = search.labels_needed(target)
    assert type(number) is int
    bounds = search.plan_labels(np.arange(41, 76))["decoupled"].to_numpy()
    assert number == 41 + np.argmax(bounds <= target)


def test_a_bound_that_is_reached_needs_no_more(search):
    assert search.labels_needed(search.best_bound_) == 40
    assert search.labels_needed(0.99) == 40
    assert search.labels_needed(search.best_bound_ - 1e-9) > 40


def test_lower_targets_need_no_fewer_labels(search):
    targets = np.linspace(0.85, 1.2, 6) * search.best_bound_
    numbers = [search.labels_needed(target) for target in targets]
    assert numbers == sorted(numbers, reverse=True)


def test_plan_is_near_the_bound_with_so_many_labels(search):
    """For the same labeling and another choice of rows, as a mean over choices."""
    clusters = np.unique(search.labels_, return_inverse=True)[1]
    table = np.zeros((clusters.max() + 1, 4), dtype=int)
    np.add.at(table, (clusters, Y), 1)
    bounds = []
    for draw in range(20):
        rows = np.random.RandomState(draw).permutation(300)[:150]
        seen = np.zeros_like(table)
        np.add.at(seen, (clusters[rows], Y[rows]), 1)
        m = seen.sum(axis=1)
        a = m - seen.max(axis=1)
        bits = search.certificate_.description_length
        sizes = table.sum(axis=1)
        bounds.append(decoupled_bound(sizes, m, a, description_length=bits) / 150)
    assert search.plan_labels(150)["decoupled"].item() == pytest.approx(
        np.mean(bounds), abs=0.05
    )


def test_out_of_reach_says_what_is_expected(search):
    message = r"target must be at least about 0\.\d+, .* rows labeled, got 0\.0001\."
    with pytest.raises(ValueError, match=message):
        search.labels_needed(0.0001)


@pytest.mark.filterwarnings("ignore:.* hold no")
@pytest.mark.parametrize("certify", ["learned", "holdout"])
def test_of_other_ways(certify):
    search = fitted(certify=certify, select_fraction=0.4)
    table = search.plan_labels([60, 200])
    assert table.columns[0] == certify
    assert set(table.columns) == {"decoupled", "learned", "holdout"}
    target = 0.95 * search.best_bound_
    number = search.labels_needed(target)
    assert 40 < number < 300
    at = search.plan_labels([number])[certify].item()
    assert at <= target


def test_of_a_language_that_pays_for_classes():
    search = fitted(certify="pac-mdl")
    table = search.plan_labels([60, 200])
    assert table.columns.tolist() == ["pac-mdl", "decoupled", "learned", "holdout"]
    assert search.labels_needed(0.95 * search.best_bound_) > 40


def test_what_is_missing_is_said():
    with pytest.raises(AttributeError, match="refit=True"):
        fitted(refit=False).labels_needed(0.1)
    several = PACMDLSearchCV(AgglomerativeClustering(), n_clusters=[4], cv=3)
    several.fit(X, Y)
    with pytest.raises(AttributeError, match="each of the 3 splits"):
        several.plan_labels()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda s: s.labels_needed(0), r"target must be in the open interval \(0, 1\)"),
        (lambda s: s.labels_needed("0.1"), "target must be in the open interval"),
        (lambda s: s.labels_needed(0.1, expected_error=1), "expected_error must be None"),
        (lambda s: s.plan_labels(300), "n_labeled must be integers from 0 to 299"),
        (lambda s: s.plan_labels([[1]]), "n_labeled must be integers from 0 to 299"),
        (lambda s: s.plan_labels(-1), "n_labeled must be integer counts"),
    ],
)
def test_bad_input_is_named(search, call, message):
    with pytest.raises(ValueError, match=message):
        call(search)
