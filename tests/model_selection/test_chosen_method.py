"""Which method certifies: certificates are of its kind, at every entry point."""

from itertools import product

import numpy as np
import pytest
from conftest import hide
from numpy.testing import assert_array_equal
from sklearn.cluster import KMeans

from sklearn_pacmdl import PACMDLSearchCV, certify_clusterings
from sklearn_pacmdl.certification import cluster_counts
from sklearn_pacmdl.languages import Prior

METHODS = ["pac-mdl", "learned", "holdout"]


def search_of(**settings):
    settings = {"n_clusters": [2, 3, 4], "random_state": 0} | settings
    return PACMDLSearchCV(KMeans(n_init=1), **settings)


def certificates(iris, settings):
    """Of a search, of given clusterings, and of counts; the same within a target."""
    counts = [cluster_counts([[25, 0, 1], [0, 25, 2], [0, 3, 24]], [25, 25, 25])]
    seen = hide(iris[1])
    for target in (None, 0.4):
        given = {"random_state": 0, "target": target} | settings
        search = search_of(n_clusters=[3], **given).fit(iris[0], seen)
        yield search.certify_, search.certificate_
        for certified in (
            certify_clusterings([search.labels_], seen, **given),
            certify_clusterings(counts, **given),
        ):
            yield certified.certify, certified.certificate


@pytest.mark.parametrize(
    ("certify", "language"),
    [
        *product([*METHODS, "auto"], [None]),
        *product([*METHODS[:2], "auto"], [Prior(), "algo"]),
    ],
)
def test_the_kind_is_the_method(certify, language, iris):
    used = "learned" if certify == "auto" else certify
    given = {"certify": certify, "language": language}
    for method, certificate in certificates(iris, given):
        assert certificate.kind == method == used
        assert certificate.verify()


@pytest.mark.parametrize("settings", [{}, {"noise": "abstain"}, {"target": 0.9}])
@pytest.mark.parametrize("certify", METHODS)
def test_the_table_is_small_and_has_bounds_of_the_paper_under_its_criterion(
    certify, settings, iris
):
    """Where every row has a class; NaN for numbers that a language cannot describe."""
    search = search_of(certify=certify, n_clusters=[1, 3], **settings)
    results = search.fit(iris[0], hide(iris[1])).cv_results_
    plain = [name for name in results if not name.startswith(("param_", "split"))]
    assert settings or len(plain) <= (18 if certify == "pac-mdl" else 15), plain
    names = {f"mean_{name}_bound" for name in ("simple", "init", "cluster", "algo")}
    there = names if certify == "pac-mdl" and not settings else set()
    assert names & results.keys() == there
    for name in there:
        missing = name in ("mean_cluster_bound", "mean_algo_bound")
        assert np.isnan(results[name]).tolist() == [missing, False]


def hidden(y, n_labeled, seed=0):
    return np.where(np.random.RandomState(seed).permutation(len(y)) < n_labeled, y, -1)


@pytest.mark.filterwarnings("ignore:.* clusters, with .* unlabeled rows, hold no")
@pytest.mark.parametrize(
    ("method", "n_labeled", "settings"),
    [
        ("learned", 75, {}),
        ("learned", 75, {"delta": 0.001}),
        ("learned", 4, {}),
        ("pac-mdl", 3, {}),
        ("pac-mdl", 3, {"choose": "errors"}),
        ("pac-mdl", 3, {"target": 0.999}),
        ("learned", 75, {"choose": "errors"}),
    ],
)
def test_the_search_is_that_of_the_method(method, n_labeled, settings, iris):
    X, y = iris
    seen = hidden(y, n_labeled, seed=4)
    auto = search_of(**settings).fit(X, seen)
    asked = search_of(certify=method, **settings).fit(X, seen)
    assert auto.certify == "auto"
    assert auto.certify_ == asked.certify_ == auto.certificate_.kind == method
    assert auto.certificate_ == asked.certificate_
    assert_array_equal(auto.transduction_, asked.transduction_)
    clusterings = {"a": X[:, 0] > 5.5, "b": X[:, 2] > 2.5}
    found, same = (
        certify_clusterings(clusterings, seen, **given, **settings, random_state=0)
        for given in ({}, {"certify": method})
    )
    assert found.certify == same.certify == found.certificate.kind == method
    assert found.certificate == same.certificate


def test_of_counts():
    tables, unlabeled = [[5, 0], [1, 4]], [9, 9]
    divided = cluster_counts(tables, unlabeled, selecting=[[3, 0], [0, 3]])
    for counts in (divided, cluster_counts(tables, unlabeled)):
        assert certify_clusterings([counts]).certify == "learned"
    few = cluster_counts([[2, 0], [0, 1]], unlabeled)
    assert certify_clusterings([few]).certify == "pac-mdl"
