"""The default: which method is used, and that labels have no say in it."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.cluster import KMeans

from sklearn_pacmdl import PACMDLSearchCV, certify_clusterings
from sklearn_pacmdl.certification import cluster_counts


def search_of(**settings):
    settings = {"n_clusters": [2, 3, 4], "random_state": 0} | settings
    return PACMDLSearchCV(KMeans(), **settings)


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


@pytest.mark.filterwarnings("ignore:No set of clusters|.* hold no")
@pytest.mark.parametrize(("n_labeled", "method"), [(75, "learned"), (3, "pac-mdl")])
def test_where_clusters_are_left_out(n_labeled, method, iris):
    X, y = iris
    seen = hidden(y, n_labeled, seed=4)
    assert PACMDLSearchCV(KMeans(3), target=0.05).fit(X, seen).certify_ == method
    assert certify_clusterings([X[:, 2] > 2.5], seen, target=0.2).certify == method


def test_of_counts():
    tables, unlabeled = [[5, 0], [1, 4]], [9, 9]
    divided = cluster_counts(tables, unlabeled, selecting=[[3, 0], [0, 3]])
    for counts in (divided, cluster_counts(tables, unlabeled)):
        assert certify_clusterings([counts]).certify == "learned"
    few = cluster_counts([[2, 0], [0, 1]], unlabeled)
    assert certify_clusterings([few]).certify == "pac-mdl"


def test_what_certifies_does_not_choose_under_hold_out(iris):
    X, y = iris
    says = "choose must be 'bound' with certify='holdout', where labels that certify"
    with pytest.raises(ValueError, match=says):
        search_of(choose="errors", certify="holdout").fit(X, hidden(y, 75))
    with pytest.raises(ValueError, match=says):
        certify_clusterings([X[:, 0] > 5], y, choose="errors", certify="holdout")


def nearest_of(X, clusters, labeled, i):
    """The cluster with labels whose mean is nearest to that of a row's cluster."""
    others = np.unique(clusters[labeled])
    means = np.array([X[clusters == k].mean(axis=0) for k in others])
    own = X[clusters == clusters[i]].mean(axis=0)
    return others[np.linalg.norm(means - own, axis=1).argmin()]


def test_choice_by_errors(iris):
    """By the mean of errors with and without the row itself, by hand; with a bound."""
    X, y = iris
    seen = hidden(y, 40)
    rows = np.flatnonzero(seen >= 0)
    search = search_of(choose="errors", n_clusters=range(2, 12)).fit(X, seen)
    expected = []
    for params in search.cv_results_["params"]:
        order, clusters = search.row_order_, np.empty(150, dtype=int)
        clusters[order] = KMeans(**params).fit_predict(X[order])
        errors = 0.0
        for i in rows:
            for others in (rows, rows[rows != i]):
                own = others[clusters[others] == clusters[i]]
                if not len(own):  # then the nearest cluster with labels gives its class
                    own = others[clusters[others] == nearest_of(X, clusters, others, i)]
                counts = np.bincount(seen[own], minlength=3)
                errors += 1 - (counts[seen[i]] == counts.max()) / np.sum(
                    counts == counts.max()
                )
        expected.append(errors / 2 / len(rows))
    results = search.cv_results_
    np.testing.assert_allclose(results["mean_estimated_error"], expected)
    assert search.ranked_by_ == "mean_estimated_error"
    assert search.best_index_ == np.argmin(expected)
    assert results["rank_estimated_error"][search.best_index_] == 1
    assert search.best_bound_ == results["mean_test_bound"][search.best_index_]
    certifying = search.divisions_[0][1]
    assert search.certificate_.verify(seen, search.transduction_, certifying=certifying)
    for cluster in np.unique(search.labels_[rows]):  # all labels name the clusters
        counts = np.bincount(seen[rows][search.labels_[rows] == cluster], minlength=3)
        (given,) = {*search.transduction_[search.labels_ == cluster].tolist()}
        assert counts[given] == counts.max()


def test_labels_have_no_say(iris):
    """Whatever the labels of the labeled rows are: the method, and what it divides."""
    X, y = iris
    rng, seen = np.random.RandomState(0), hidden(y, 60)
    labeled = seen >= 0
    for delta in (0.1, 0.01):
        first = search_of(delta=delta).fit(X, seen)
        for _ in range(3):
            other = seen.copy()
            other[labeled] = rng.permutation(seen[labeled])
            again = search_of(delta=delta).fit(X, other)
            assert again.certify_ == first.certify_
            for a, b in zip(again.divisions_[0], first.divisions_[0], strict=True):
                assert_array_equal(a, b)
    pure = np.where(labeled, rng.randint(2, size=150), -1)
    assert search_of().fit(X, pure).certify_ == search_of().fit(X, seen).certify_
