"""Bisections that candidates share are those that each would make."""

import numpy as np
import pytest
import scipy.sparse as sp
from conftest import hide
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.cluster import BisectingKMeans, KMeans
from sklearn.mixture import GaussianMixture
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_pacmdl import PACMDLSearchCV
from sklearn_pacmdl.estimators._sklearn import is_bisecting
from sklearn_pacmdl.model_selection import _plan, _shared
from sklearn_pacmdl.model_selection._shared import SharedResults, shared_part


@pytest.fixture
def made(monkeypatch):
    """Numbers of rows of the clusters that are divided, one after the other."""
    sizes, bisect = [], BisectingKMeans._bisect

    def noting(self, X, x_squared_norms, sample_weight, cluster_to_bisect):
        sizes.append(len(cluster_to_bisect.indices))
        bisect(self, X, x_squared_norms, sample_weight, cluster_to_bisect)

    monkeypatch.setattr(BisectingKMeans, "_bisect", noting)
    return sizes


def fit_or_error(clusterer, X, weights=None):
    """The fitted clusterer, or the error of scikit-learn, which splits no single row.

    After few iterations a cluster of one row may have the largest inertia.
    """
    try:
        return clusterer.fit(X, sample_weight=weights)
    except ValueError as error:
        return str(error)


def assert_same_fit(ours, expected, X):
    if isinstance(expected, str):
        assert ours == expected
        return
    for name in ("labels_", "cluster_centers_", "inertia_"):
        assert_array_equal(
            getattr(ours, name), getattr(expected, name), err_msg=name, strict=True
        )
    assert_array_equal(ours.predict(X), expected.predict(X))
    assert vars(ours).keys() == vars(expected).keys()


KINDS = {
    "float64": np.array,
    "float32": lambda X: X.astype(np.float32),
    "sparse": lambda X: sp.csr_array(X * (X > 0)),
    "columns": np.asfortranarray,
}


def rows(rng, n_samples, kind):
    """Rows, four of them twice."""
    X = rng.standard_normal((n_samples, 3))
    return KINDS[kind](np.vstack([X, X[:4]]))


def refused_by_scikit_learn():
    X = rows(np.random.default_rng(7), 12, "sparse")
    clusterer = BisectingKMeans(init="random", max_iter=1, random_state=0)
    return X, None, clusterer, [8]


@st.composite
def sweeps(draw):
    """Rows, weights or none, a clusterer, numbers of clusters."""
    n_samples = draw(st.integers(12, 60))
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    X = rows(rng, n_samples, draw(st.sampled_from(sorted(KINDS))))
    weights = rng.uniform(1, 2, X.shape[0]) if draw(st.booleans()) else None
    clusterer = BisectingKMeans(
        init=draw(st.sampled_from(["random", "k-means++"])),
        n_init=draw(st.integers(1, 3)),
        random_state=draw(st.integers(0, 99)),
        max_iter=draw(st.sampled_from([1, 300])),
        algorithm=draw(st.sampled_from(["lloyd", "elkan"])),
        bisecting_strategy=draw(st.sampled_from(["biggest_inertia", "largest_cluster"])),
    )
    numbers = draw(st.lists(st.integers(1, 8), min_size=2, max_size=5))
    return X, weights, clusterer, numbers


@settings(max_examples=50)
@given(sweeps(), sweeps())
@example(refused_by_scikit_learn(), refused_by_scikit_learn())
def test_other_rows_weights_or_parameters_have_other_bisections(one, other):
    """A single object for sweeps in turn, of which nothing is confused."""
    shared = SharedResults()
    X, weights, clusterer, (n_clusters, *_) = one
    mixed = (X, None, clusterer, [n_clusters]), (X, weights, other[2], [n_clusters])
    for X, weights, clusterer, (n_clusters, *_) in (one, *mixed, other):
        ours = clone(clusterer).set_params(n_clusters=n_clusters)
        expected = fit_or_error(clone(ours), X, weights)
        with shared.used_by(ours):
            result = fit_or_error(ours, X, weights)
        assert_same_fit(result, expected, X)


@pytest.mark.parametrize(
    "changed",
    [
        {"max_iter": 1},
        {"tol": 1.0},
        {"n_init": 2},
        {"init": "k-means++"},
        {"random_state": 1},
        {"algorithm": "elkan"},
        {"bisecting_strategy": "largest_cluster"},
    ],
)
def test_each_parameter_is_told_apart(changed, made):
    shared, X = SharedResults(), np.random.default_rng(0).standard_normal((60, 3))
    for parameters in ({}, changed):
        made.clear()
        ours = BisectingKMeans(5, random_state=0).set_params(**parameters)
        with shared.used_by(ours):
            ours.fit(X)
        assert len(made) == 4


def test_the_comparison_sees_bisections_of_other_rows(monkeypatch):
    """A control that must fail: if rows were not told apart."""
    monkeypatch.setattr(_shared, "_digest", lambda value: np.shape(value))
    shared, X = SharedResults(), np.random.default_rng(0).standard_normal((30, 2))
    for rows in (X, X[::-1].copy()):
        with shared.used_by(ours := BisectingKMeans(5, random_state=0)):
            ours.fit(rows)
    with pytest.raises(AssertionError):
        assert_same_fit(ours, BisectingKMeans(5, random_state=0).fit(rows), rows)


def test_a_fit_that_is_repeated_begins_anew():
    """As one is on a copy of its rows, if these could not be written into."""
    shared, X = SharedResults(), np.random.default_rng(0).standard_normal((60, 3))
    for n_clusters in (3, 5, 2, 6):
        ours = BisectingKMeans(n_clusters, random_state=0)
        with shared.used_by(ours):
            ours.fit(X[::2])
            ours.fit(X)
        assert_same_fit(ours, clone(ours).fit(X), X)


@pytest.mark.parametrize("make", [sp.csr_array, sp.csr_matrix, sp.csc_array, np.array])
def test_rows_that_are_not_copied(make, iris):
    """For sparse ones the last step of a fit fails, as they cannot be written into."""
    X, y = make(iris[0]), hide(iris[1])
    own, copied = (
        PACMDLSearchCV(
            BisectingKMeans(copy_x=copy_x), n_clusters=range(2, 12), random_state=0
        ).fit(X, y)
        for copy_x in (False, True)
    )
    assert_array_equal(own.labels_, copied.labels_)
    for name in ("n_clusters_found", "mean_train_errors", "mean_test_bound"):
        assert_array_equal(own.cv_results_[name], copied.cv_results_[name])


@pytest.mark.parametrize("numbers", [range(2, 9), [8, 2, 5]])
@pytest.mark.parametrize("scaled", [False, True])
def test_a_sweep_makes_each_bisection_once(numbers, scaled, made, monkeypatch, iris):
    """Also for the last fit, which is that of a fit without the search."""
    X, y = iris
    clusterer = BisectingKMeans()
    if scaled:
        clusterer = make_pipeline(StandardScaler(), clusterer)
    search = PACMDLSearchCV(clusterer, n_clusters=numbers, n_init=2, random_state=0)
    search.fit(X, hide(y))
    assert len(made) == 2 * (8 - 1)
    assert made.count(len(X)) == 2
    order = search.row_order_
    expected = clone(search.best_estimator_).fit_predict(X[order])
    assert_array_equal(search.labels_[order], expected)


@pytest.mark.parametrize(
    ("n_init", "n_jobs", "expected"),
    [
        (1, 1, [[2, 3, 4, 5, 6]]),
        (1, 2, [[2, 4, 6], [3, 5]]),
        (1, 9, [[6], [5], [4], [3], [2]]),
        (2, 2, [[2, 3, 4, 5, 6]] * 2),
        (2, 3, [[2, 4, 6], [2, 4, 6], [3, 5], [3, 5]]),
    ],
)
def test_no_process_waits_for_the_bisections_of_another(n_init, n_jobs, expected, iris):
    """Where there are fewer starts than processes, they share the numbers of clusters."""
    search = PACMDLSearchCV(
        [("bisecting", BisectingKMeans()), ("alone", GaussianMixture())],
        n_clusters=range(2, 7),
        n_init=n_init,
        random_state=0,
    )
    plan = _plan.make_plan(search, iris[0], hide(iris[1]), None, {})
    groups = plan.groups(n_jobs)
    assert sorted(i for group in groups for i in group) == list(range(10 * n_init))
    own = [[plan.candidates[i] for i in group] for group in groups]
    bisecting = [group for group in own if group[0].algorithm == "bisecting"]
    assert [[c.n_clusters for c in group] for group in bisecting] == expected
    assert all(len({c.init for c in group}) == 1 for group in bisecting)
    assert len(own) == len(bisecting) + 5 * n_init


@pytest.mark.parametrize("n_init", [1, 2])
def test_processes_find_what_one_does(n_init, iris):
    X, y = iris
    sweep = {"n_clusters": range(2, 9), "n_init": n_init, "random_state": 0}
    one, two = (
        PACMDLSearchCV(BisectingKMeans(), n_jobs=n_jobs, **sweep).fit(X, hide(y))
        for n_jobs in (1, 2)
    )
    assert one.certificates_ == two.certificates_
    assert_array_equal(one.labels_, two.labels_)


def first_rows(X, n_clusters, random_state):
    return X[:n_clusters]


class Own(BisectingKMeans):
    """May divide clusters as it likes."""


def test_only_fits_that_nest_are_shared():
    assert is_bisecting(BisectingKMeans())
    scaled = make_pipeline(StandardScaler(), BisectingKMeans())
    assert shared_part(scaled) == "bisections"
    for other in (KMeans(), Own(), BisectingKMeans(init=first_rows)):
        assert not is_bisecting(other)
    shared, X = SharedResults(), np.random.default_rng(0).standard_normal((30, 2))
    for random_state in (None, np.random.RandomState(0)):
        with shared.used_by(ours := BisectingKMeans(5, random_state=random_state)):
            ours.fit(X)
    assert not shared.results


def test_bisections_of_another_kind_are_not_shared(monkeypatch):
    """As those of a version of scikit-learn to come may be."""
    monkeypatch.setattr(BisectingKMeans, "_bisect", lambda self, X, node: None)
    assert not is_bisecting(BisectingKMeans())


def test_a_fit_that_fails_leaves_the_clusterer_as_it_was():
    ours = BisectingKMeans(5, random_state=0)
    with pytest.raises(ValueError, match="n_clusters=5"), SharedResults().used_by(ours):
        ours.fit([[0.0], [1.0]])
    assert "_bisect" not in vars(ours)
