"""First centers that candidates share are those that each would draw."""

import pickle
import warnings
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from conftest import hide
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.cluster import KMeans, MiniBatchKMeans, _kmeans
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_pacmdl import PACMDLSearchCV
from sklearn_pacmdl.estimators._sklearn import _NotingRandomState
from sklearn_pacmdl.model_selection import _plan
from sklearn_pacmdl.model_selection._shared import SharedResults, shared_part


@pytest.fixture
def drawn(monkeypatch):
    """Numbers of centers that k-means++ draws, one time after the other."""
    numbers, plus_plus = [], _kmeans._kmeans_plusplus

    def noting(X, n_clusters, *args, **kwargs):
        numbers.append(n_clusters)
        return plus_plus(X, n_clusters, *args, **kwargs)

    monkeypatch.setattr(_kmeans, "_kmeans_plusplus", noting)
    return numbers


def fit_lent(shared, clusterer, n_clusters, X, weights=None):
    ours = clone(clusterer).set_params(n_clusters=n_clusters)
    with shared.used_by(ours, X):
        return ours.fit(X, sample_weight=weights)


def assert_same_fit(ours, X, weights=None):
    expected = clone(ours).fit(X, sample_weight=weights)
    for name in ("labels_", "cluster_centers_", "inertia_", "n_iter_"):
        ours_is, expected_is = getattr(ours, name), getattr(expected, name)
        assert_array_equal(ours_is, expected_is, err_msg=name, strict=True)
    assert vars(ours).keys() == vars(expected).keys()


@st.composite
def sweeps(draw):
    """Rows, some more than once, weights or none, a clusterer, numbers of clusters.

    The numbers of rows that are tried for a center change at 3, 8 and 21 clusters.
    """
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    X = rng.standard_normal((draw(st.integers(24, 80)), 3))
    X = np.vstack([X, X[:4]])
    make = {
        "float64": np.array,
        "float32": lambda X: X.astype(np.float32),
        "sparse": lambda X: sp.csr_array(X * (X > 0)),
        "columns": np.asfortranarray,
        "integers": lambda X: np.round(5 * X).astype(int),
    }
    X = make[draw(st.sampled_from(sorted(make)))](X)
    weights = rng.uniform(0, 2, X.shape[0]) if draw(st.booleans()) else None
    clusterer = KMeans(
        n_init=draw(st.sampled_from(["auto", 1])),
        random_state=draw(st.integers(0, 9)),
        max_iter=draw(st.sampled_from([1, 300])),
        algorithm=draw(st.sampled_from(["lloyd", "elkan"])),
    )
    numbers = draw(st.lists(st.integers(1, 24), min_size=2, max_size=6))
    return X, weights, clusterer, numbers


@pytest.mark.filterwarnings("ignore:Number of distinct", "ignore:algorithm=.elkan")
@settings(max_examples=50)
@given(sweeps(), sweeps())
def test_other_rows_weights_or_starts_have_other_centers(one, other):
    """A single object for sweeps in turn, of which nothing is confused."""
    shared = SharedResults()
    X, weights, clusterer, (most, *_) = one
    of_other_rows = other[0], None, clusterer, [most]
    by_other = X, weights, other[2], [most]
    without = X, None, clusterer, [most]
    for X, weights, clusterer, (most, *_) in (one, without, of_other_rows, by_other):
        for n_clusters in {most, max(most - 1, 1)}:
            ours = fit_lent(shared, clusterer, n_clusters, X, weights)
            assert_same_fit(ours, X, weights)


def test_rows_are_told_apart_by_what_they_are_not_by_what_they_equal(drawn):
    """Equal rows may be drawn for again, but others must not be taken for the same."""
    shared, X = SharedResults(), np.random.default_rng(0).standard_normal((30, 2))
    for rows in (X, X[::-1].copy(), X.copy()):
        assert_same_fit(fit_lent(shared, KMeans(random_state=0), 5, rows), rows)
    assert len(drawn) == 6


@pytest.mark.parametrize("copy_x", [True, False])
@pytest.mark.parametrize("n_init", [1, 3])
def test_a_sweep_draws_centers_once_for_each_number_of_trials(
    n_init, copy_x, drawn, monkeypatch, iris
):
    """Also where fits repeat on a copy, since rows cannot be written into."""
    monkeypatch.setattr(_plan, "_MOST_KEPT", 0)  # the last fit is repeated
    X, y = iris
    sweep = {"n_clusters": range(2, 13), "n_init": n_init, "random_state": 0}
    search = PACMDLSearchCV(KMeans(copy_x=copy_x), **sweep).fit(X, hide(y))
    *swept, last = drawn
    assert swept == [2] * n_init + [7] * n_init + [12] * n_init
    assert last == search.best_params_["n_clusters"]
    order = search.row_order_
    expected = clone(search.best_estimator_).fit_predict(X[order])
    assert_array_equal(search.labels_[order], expected)


@pytest.mark.parametrize("backend", ["loky", "threading"])
@pytest.mark.parametrize("n_init", [1, 3])
def test_processes_find_what_one_does(n_init, backend, iris):
    from joblib import parallel_config

    X, y = iris
    sweep = {"n_clusters": range(2, 13), "n_init": n_init, "random_state": 0}
    one = PACMDLSearchCV(KMeans(), **sweep).fit(X, hide(y))
    with parallel_config(backend=backend):
        two = PACMDLSearchCV(KMeans(), n_jobs=2, **sweep).fit(X, hide(y))
    assert one.certificates_ == two.certificates_
    assert_array_equal(one.labels_, two.labels_)


@pytest.mark.parametrize(
    ("n_init", "n_jobs", "expected"),
    [
        (1, 1, [2, 7, 6, 5, 4, 3, 9, 8]),
        (3, 1, [2, 2, 2, *[7, 6, 5, 4, 3] * 3, *[9, 8] * 3]),
        (1, 2, [9, 8, 7, 6, 5, 4, 3, 2]),
        (3, 2, [(7, 5, 3)] * 3 + [(6, 4)] * 3 + [9, 9, 9, 8, 8, 8, 2, 2, 2]),
        (8, 2, [(7, 6, 5, 4, 3)] * 8 + [(9, 8)] * 8 + [2] * 8),
    ],
)
def test_fits_that_share_are_small_parts_of_a_sweep(n_init, n_jobs, expected, iris):
    """What has most clusters is first in its part, and draws centers for the others."""
    search = PACMDLSearchCV(
        KMeans(), n_clusters=range(2, 10), n_init=n_init, random_state=0
    )
    plan = _plan.make_plan(search, iris[0], hide(iris[1]), None, {})
    groups = plan.groups(n_jobs)
    own = [[plan.candidates[i] for i in group] for group in groups]
    assert sorted(i for group in groups for i in group) == list(range(8 * n_init))
    assert all(len({c.init for c in group}) == 1 for group in own)
    numbers = [tuple(c.n_clusters for c in group) for group in own]
    found = [number[0] if len(number) == 1 else number for number in numbers]
    if n_jobs == 1:
        assert found == expected
    else:  # what takes as long may be in any order
        assert list(map(np.sum, found)) == list(map(np.sum, expected))
        assert Counter(found) == Counter(expected)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_number_of_clusters_that_is_none_is_the_clusterers_to_refuse(n_jobs, iris):
    search = PACMDLSearchCV(KMeans(2.5), n_jobs=n_jobs, random_state=0)
    with pytest.raises(ValueError, match="'n_clusters' parameter of KMeans must be"):
        search.fit(iris[0], hide(iris[1]))


def first_rows(X, n_clusters, random_state):
    return X[:n_clusters]


class Own(KMeans):
    """May draw centers as it likes."""


def test_only_centers_of_the_first_start_of_all_rows_are_shared(drawn):
    assert shared_part(KMeans()) == "first centers"
    X = np.random.default_rng(0).standard_normal((30, 2))
    others = [
        KMeans(n_init=2),
        KMeans(init="random"),
        KMeans(init=X[:8]),
        KMeans(init=first_rows),
        Own(),
        MiniBatchKMeans(),
        make_pipeline(StandardScaler(), KMeans()),
    ]
    assert {shared_part(other) for other in others} == {None, "steps"}
    shared = SharedResults()
    for random_state in (None, np.random.RandomState(0)):
        for _ in range(2):
            fit_lent(shared, KMeans(random_state=random_state), 8, X)
    assert len(drawn) == 4


def test_centers_drawn_by_other_rules_are_not_shared(monkeypatch, drawn):
    """As those of a version of scikit-learn to come may be."""
    noting = _kmeans._kmeans_plusplus

    def by_two_trials(*args, **kwargs):
        return noting(*args, **kwargs, n_local_trials=2)

    monkeypatch.setattr(_kmeans, "_kmeans_plusplus", by_two_trials)
    shared, X = SharedResults(), np.random.default_rng(0).standard_normal((30, 2))
    for n_clusters in (9, 8, 2, 2):
        assert_same_fit(fit_lent(shared, KMeans(random_state=0), n_clusters, X), X)
    assert drawn == [9, 9, 8, 8, 2, 2, 2]  # with two clusters there are two trials
    monkeypatch.setattr(_kmeans, "_kmeans_plusplus", noting)
    monkeypatch.setattr(_NotingRandomState, "uniform", np.random.RandomState.uniform)
    drawn.clear()
    for n_clusters in (9, 8):  # as if other numbers were drawn
        fit_lent(shared, KMeans(random_state=0), n_clusters, X)
    assert drawn == [9, 8]
    monkeypatch.setattr(KMeans, "_init_centroids", lambda self, X, n_clusters: X)
    assert shared_part(KMeans()) is None


def test_only_what_a_thread_drew_last_is_kept_in_its_process(drawn):
    """Centers may take as much as the rows, which have another place elsewhere."""
    shared, X = SharedResults(), np.random.default_rng(0).standard_normal((30, 2))
    for random_state in (0, 1, 0):
        for n_clusters in (5, 4):
            fit_lent(shared, KMeans(random_state=random_state), n_clusters, X)
    assert drawn == [5, 5, 5]
    with ThreadPoolExecutor(1) as other:
        other.submit(fit_lent, shared, KMeans(random_state=1), 5, X).result()
    fit_lent(shared, KMeans(random_state=0), 4, X)
    assert drawn == [5, 5, 5, 5]
    assert len(shared._drawn) == 2
    assert not pickle.loads(pickle.dumps(shared))._drawn


@pytest.mark.parametrize(
    "make", [np.array, sp.csr_array, pd.DataFrame, pl.DataFrame, np.ndarray.tolist]
)
def test_rows_that_others_may_have_written_into_are_not_known(make, drawn):
    """A Pipeline that writes into lists would leave centers of rows that were."""
    shared, X = SharedResults(), make(np.random.default_rng(0).standard_normal((30, 2)))
    for n_clusters in (5, 4):
        fit_lent(shared, KMeans(random_state=0), n_clusters, X)
    assert drawn == ([5, 4] if make is np.ndarray.tolist else [5])


def test_warnings_are_those_of_a_fit_without_sharing():
    """Rows so large that squared distances between them are beyond all floats."""
    X = 1e200 * sp.random(120, 3, density=0.5, random_state=0, format="csr")
    shared = SharedResults()
    for n_clusters in (5, 4):
        ours = texts_of(partial(fit_lent, shared, KMeans(random_state=0), n_clusters, X))
        assert ours == texts_of(partial(KMeans(n_clusters, random_state=0).fit, X))
        assert ours


def texts_of(function):
    """Texts of the warnings that a function gives."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        function()
    return [str(warning.message) for warning in caught]


@pytest.mark.parametrize("n_clusters", [0, 3])
def test_a_fit_that_fails_leaves_the_clusterer_as_it_was(n_clusters):
    ours = KMeans(n_clusters, random_state=0)
    with pytest.raises(ValueError, match="n_clusters"), SharedResults().used_by(ours):
        ours.fit([[0.0], [1.0]])
    assert "_init_centroids" not in vars(ours)
