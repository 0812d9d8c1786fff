"""Candidates that share a tree or steps are what they are without sharing these."""

import pickle
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from conftest import hide
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.base import BaseEstimator, ClusterMixin, TransformerMixin, clone
from sklearn.cluster import AgglomerativeClustering, FeatureAgglomeration, KMeans
from sklearn.datasets import make_blobs
from sklearn.decomposition import PCA
from sklearn.exceptions import FitFailedWarning
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import kneighbors_graph
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_memory

from sklearn_pacmdl import PACMDLSearchCV
from sklearn_pacmdl.model_selection import _plan, _shared
from sklearn_pacmdl.model_selection._shared import SharedResults, shared_part


def nearest(X):
    return kneighbors_graph(X, 3, include_self=False)


def assert_same_state(estimator, expected):
    state, other = (
        {k: v for k, v in vars(own).items() if k.endswith("_")}
        for own in (estimator, expected)
    )
    assert state.keys() == other.keys()
    for name, value in other.items():
        assert_array_equal(state[name], value, err_msg=name, strict=True)


@st.composite
def sweeps(draw):
    """Rows with ties and duplicates, an agglomerative clusterer, numbers of clusters."""
    n_samples = draw(st.integers(6, 24))
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    kind = draw(st.sampled_from(["grid", "normal", "float32"]))
    X = {
        "grid": rng.integers(1, 4, size=(n_samples, 2)),
        "normal": rng.standard_normal((n_samples, 3)),
        "float32": rng.standard_normal((n_samples, 3)).astype(np.float32),
    }[kind]
    linkage = draw(st.sampled_from(["ward", "complete", "average", "single"]))
    metrics = ["euclidean", "l2", "l1", "cosine", "precomputed", pairwise_distances]
    metric = "euclidean" if linkage == "ward" else draw(st.sampled_from(metrics))
    if metric == "precomputed":
        X = pairwise_distances(X.astype(float))
    graph = draw(st.sampled_from([None, "callable", "sparse", "dense"]))
    if graph is not None and not callable(metric):  # which takes all pairs
        graph = {
            "callable": lambda: nearest,
            "sparse": lambda: sp.csr_array(nearest(X)),
            "dense": lambda: nearest(X).toarray(),
        }[graph]()
    else:
        graph = None
    clusterer = AgglomerativeClustering(
        linkage=linkage,
        metric=metric,
        connectivity=graph,
        compute_full_tree=draw(st.sampled_from(["auto", True, False])),
        compute_distances=draw(st.booleans()),
    )
    # Without a merge, scikit-learn's builders of trees that stop early fail.
    numbers = st.lists(st.integers(1, n_samples - 1), min_size=2, max_size=5)
    return X, clusterer, draw(numbers)


@pytest.mark.filterwarnings("ignore:the number of connected components")
@given(sweeps())
def test_every_fitted_attribute_is_that_of_a_fit_without_sharing(sweep):
    X, clusterer, numbers = sweep
    shared = SharedResults()
    rows = X.view()
    rows.flags.writeable = False
    for n_clusters in [*numbers, numbers[0]]:
        clusterer.set_params(n_clusters=n_clusters)
        ours, expected = clone(clusterer), clone(clusterer).fit(X)
        with shared.used_by(ours):
            ours.fit(rows)
        assert ours.memory is None
        assert_same_state(ours, expected)
    full = clusterer.compute_full_tree or clusterer.connectivity is None
    n_trees = 1 if full else len(set(numbers))
    assert len(shared.results) == (0 if callable(clusterer.metric) else n_trees)


@settings(max_examples=50)
@given(sweeps(), sweeps())
def test_other_rows_or_parameters_have_other_trees(one, other):
    """A single object for two sweeps in turn, of which nothing is confused."""
    shared = SharedResults()
    for X, clusterer, (n_clusters, *_) in (one, other):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ours = clone(clusterer).set_params(n_clusters=n_clusters)
            expected = clone(ours).fit(X)
            with shared.used_by(ours):
                ours.fit(X)
        assert_same_state(ours, expected)


def test_the_comparison_sees_a_tree_of_other_rows(monkeypatch):
    """A control that must fail: if rows were not told apart."""
    monkeypatch.setattr(_shared, "_digest", lambda value: np.shape(value))
    shared, X = SharedResults(), np.random.default_rng(0).standard_normal((30, 2))
    for rows in (X, X[::-1]):
        with shared.used_by(ward := AgglomerativeClustering(5)):
            ward.fit(rows)
    with pytest.raises(AssertionError):
        assert_same_state(ward, AgglomerativeClustering(5).fit(rows))


@pytest.mark.parametrize("is_view", [False, True])
def test_rows_that_can_be_written_into_are_read_again(is_view):
    """Also through a view that cannot, if its base can."""
    shared, X = SharedResults(), np.random.default_rng(0).standard_normal((30, 2))
    rows = X.view()
    rows.flags.writeable = not is_view
    for _ in range(2):
        with shared.used_by(ward := AgglomerativeClustering(5)):
            ward.fit(rows)
        assert_same_state(ward, AgglomerativeClustering(5).fit(rows))
        X[:, 0] *= 9


PIPELINE = make_pipeline(StandardScaler(), AgglomerativeClustering())


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("clusterer", [AgglomerativeClustering(), PIPELINE])
def test_a_sweep_builds_one_tree(clusterer, n_jobs, monkeypatch, iris):
    """Also for the last fit, whose attributes are those of a fit without the search."""
    monkeypatch.setattr(_plan, "_MOST_KEPT", 0)  # so that the last fit is repeated
    X, y = iris
    kept, built, call = [], [], SharedResults._call
    read, digest = [], _shared._digest
    monkeypatch.setattr(_shared, "_digest", lambda v: [read.append(v), digest(v)][1])

    def keep(self, function, *args, **kwargs):
        before = {*self.results}
        result = call(self, function, *args, **kwargs)
        if "tree" in function.__name__:  # and no step
            kept.append([*self.results][-1])
            built.append({*self.results} != before)
        return result

    monkeypatch.setattr(SharedResults, "_call", keep)
    search = PACMDLSearchCV(
        clusterer, n_clusters=range(2, 9), certify="pac-mdl", n_jobs=n_jobs,
        random_state=0,
    ).fit(X, hide(y))  # fmt: skip
    assert len(set(kept)) == 1
    if n_jobs == 1 and clusterer is not PIPELINE:  # rows are read once
        assert sum(np.shape(value) == X.shape for value in read) == 1
    # Two processes: the tree came from a worker, and was used here.
    assert built == ([True] + 7 * [False] if n_jobs == 1 else [False])
    order = search.row_order_
    expected = clone(search.best_estimator_).fit(X[order])
    expected, best = (
        e[-1] if clusterer is PIPELINE else e for e in (expected, search.best_estimator_)
    )
    assert best.memory is None
    restored = np.empty_like(expected.labels_)
    restored[order] = expected.labels_
    expected.labels_ = restored
    assert_same_state(best, expected)


def test_warnings_and_errors_of_a_tree_belong_to_all_candidates_that_share_it(iris):
    X, y = iris
    apart = X + 100 * (np.arange(150) > 75)[:, None]
    ward = AgglomerativeClustering(connectivity=nearest)
    search = PACMDLSearchCV(ward, n_clusters=[2, 3, 4], random_state=0)
    with pytest.warns(UserWarning, match="3 of 3 candidates.*connected components"):
        search.fit(apart, y)
    cosine = AgglomerativeClustering(metric="cosine", linkage="average")
    clusterers = [("fine", AgglomerativeClustering()), ("cosine", cosine)]
    X = np.r_[np.zeros((1, 4)), X[1:]]  # the first row has no direction
    search = PACMDLSearchCV(clusterers, n_clusters=[2, 3], random_state=0)
    with pytest.warns(FitFailedWarning, match="2 of 4 .* 2 with .*zero vectors"):
        search.fit(X, y)
    assert_array_equal(np.isnan(search.cv_results_["mean_test_bound"]), [0, 0, 1, 1])


def complaining(X):
    warnings.warn("nearly", UserWarning, stacklevel=1)
    raise ValueError("too late")


def test_warnings_before_an_error_are_passed_on():
    shared = SharedResults()
    with (
        pytest.warns(UserWarning, match="nearly"),
        pytest.raises(ValueError, match="too late"),
    ):
        shared.cache(complaining)(np.arange(3))
    assert not shared.results


def test_what_a_candidate_writes_reaches_no_other(iris):
    """A scorer sees labels; it must not change a later clustering."""
    X, y = iris

    def writing(estimator, X, y):
        estimator.children_[:] = 0
        return 0

    sweep = {"n_clusters": range(2, 9), "random_state": 0}
    ours = PACMDLSearchCV(AgglomerativeClustering(), scoring=writing, **sweep).fit(X, y)
    expected = PACMDLSearchCV(AgglomerativeClustering(), **sweep).fit(X, y)
    assert ours.certificates_ == expected.certificates_
    assert_array_equal(ours.labels_, expected.labels_)


def levels(X, path):
    """What the clusterer below does not want to compute twice."""
    with open(path, "a") as file:
        file.write("x")
    return np.argsort(X[:, 2])


class Slices(ClusterMixin, BaseEstimator):
    """Clusterer from elsewhere that follows scikit-learn's convention of `memory`."""

    def __init__(self, path=None, n_clusters=2, memory=None):
        self.path, self.n_clusters, self.memory = path, n_clusters, memory

    def fit_predict(self, X, y=None):
        order = check_memory(self.memory).cache(levels)(X, self.path)
        labels = np.empty(len(X), dtype=int)
        labels[order] = np.arange(len(X)) * self.n_clusters // len(X)
        return labels


def test_clusterers_from_elsewhere_take_part_by_their_memory(tmp_path, iris):
    fits = tmp_path / "fits"
    sweep = {"n_clusters": range(2, 7), "random_state": 0}
    search = PACMDLSearchCV(Slices(str(fits)), **sweep).fit(*iris)
    # Twice, on a part of the rows, before the sweep: do its labels follow the rows?
    assert fits.read_text() == "xx" + "x"
    own = Slices(str(fits), memory=str(tmp_path / "own"))
    other = PACMDLSearchCV(own, **sweep).fit(*iris)
    assert other.best_estimator_.memory == own.memory
    assert search.certificates_ == other.certificates_


def test_only_the_memory_of_a_last_step_that_has_none_is_lent(tmp_path):
    ward = AgglomerativeClustering()
    assert shared_part(ward) == "tree"
    assert shared_part(make_pipeline(ward)) == "tree"
    assert shared_part(make_pipeline(make_pipeline(ward))) == "tree"
    assert shared_part(make_pipeline(FeatureAgglomeration(), KMeans())) == "steps"
    assert shared_part(AgglomerativeClustering(memory=str(tmp_path))) is None


def numbers_of(X):
    return (x for x in X)


def test_what_cannot_be_recognized_or_kept_is_not_shared():
    """Functions, arrays that hold more than numbers, and results that are used up."""
    shared = SharedResults()
    first, second = (shared.cache(lambda x, k=k: x + k) for k in (1, 2))
    assert (first(1), second(1)) == (2, 3)
    assert shared.cache(np.max)(np.array([None, None], dtype=object)[:1]) is None
    for mask, largest in (([True, False, False], 2), ([False, False, False], 3)):
        assert shared.cache(np.max)(np.ma.array([3, 1, 2], mask=mask)) == largest
    assert list(shared.cache(numbers_of)(np.arange(3))) == [0, 1, 2]
    assert not shared.results
    assert shared.cache(ignore=["verbose"])(np.sort)(np.ones(2)).sum() == 2
    assert len(shared.results) == 1


def test_kept_results_are_bounded(monkeypatch):
    """The first to be used goes first; one that is too large is not kept at all."""
    shared, sort = SharedResults(), np.sort
    call = shared.cache(sort)
    call(np.arange(10))
    (size,) = map(len, shared.results.values())
    monkeypatch.setattr(_shared, "_MOST_BYTES", 2 * size)
    (first,) = shared.results
    call(np.arange(1, 11))
    call(np.arange(10))  # used again
    call(np.arange(2, 12))
    assert len(shared.results) == 2
    assert first in shared.results
    call(np.arange(10**4))
    assert len(shared.results) == 2
    # Only what another process has computed comes back from it.
    away = pickle.loads(pickle.dumps(shared))
    assert not away.results
    away.cache(sort)(np.arange(10))
    assert pickle.loads(pickle.dumps(away)).results == {first: shared.results[first]}


def test_what_has_most_clusters_begins_first_where_fits_run_at_once():
    """Else processes wait for the longest fit in the end."""
    X, y = np.random.default_rng(0).normal(size=(40, 2)), np.resize([0, 1], 40)
    kinds = [("ward", AgglomerativeClustering()), ("k-means", KMeans(n_init=1))]
    search = PACMDLSearchCV(kinds, n_clusters=[3, 9, 5], n_init=2, random_state=0)
    plan = _plan.make_plan(search, X, y, None, {})
    tree = [("ward", 3), ("ward", 9), ("ward", 5)]
    single = [[("k-means", k)] for k in (9, 9, 5, 5, 3, 3)]
    one, two = (
        [[(c.algorithm, c.n_clusters) for c in map(plan.candidates.__getitem__, part)]
         for part in plan.parts(n_jobs)]
        for n_jobs in (1, 2)
    )  # fmt: skip
    assert sorted(one) == sorted([tree, *single])
    assert two == [tree, *single]  # 17 clusters in all


FITS = []


class Doubled(TransformerMixin, BaseEstimator):
    def __init__(self, factor=2.0, function=None):
        self.factor, self.function = factor, function

    def fit(self, X, y=None):
        FITS.append(np.shape(X)[0])
        return self

    def transform(self, X):
        return self.factor * X


class Spoiling(KMeans):
    """Writes into its rows, whoever else may read them."""

    def fit_predict(self, X, y=None, sample_weight=None):
        labels = super().fit_predict(X)
        X[:] = 0
        return labels


BLOBS, TRUTH = make_blobs(500, centers=5, random_state=0)
LABELS = np.where(np.random.RandomState(0).permutation(500) < 80, TRUTH, -1)


@pytest.mark.parametrize("clusterer", [KMeans(n_init=1), Spoiling(n_init=1)])
def test_steps_before_a_clusterer_are_fitted_once_for_each_setting(
    clusterer, monkeypatch
):
    search = PACMDLSearchCV(
        make_pipeline(Doubled(), PCA(2), clusterer),
        {"doubled__factor": [1.0, 2.0, 3.0]},
        n_clusters=range(2, 10),
        random_state=0,
    )
    FITS.clear()
    search.fit(BLOBS, LABELS)
    assert FITS.count(500) == 3  # and on a few rows, to see whether labels follow them
    # Labels are those of fits by themselves: nothing that was fitted is shared by name.
    monkeypatch.setattr(_plan, "SharedResults", lambda steps: SharedResults(steps=False))
    alone = clone(search).fit(BLOBS, LABELS)
    assert FITS.count(500) >= 3 + 24
    assert_array_equal(search.labels_, alone.labels_)
    for column in ("mean_test_bound", "n_clusters_found"):
        assert_array_equal(search.cv_results_[column], alone.cv_results_[column])


TEXTS = [f"week{row % 7} month{row % 5}" for row in range(500)]


@pytest.mark.parametrize(
    ("rows", "steps", "n_fits"),
    [
        (BLOBS, [Doubled(function=np.log1p)], 1),
        (TEXTS, [HashingVectorizer(n_features=32), Doubled()], 1),
        # What cannot be recognized, and once more for the distances between clusters.
        (BLOBS, [Doubled(function=lambda x: x)], 4),
    ],
)
def test_steps_are_fitted_again_if_they_cannot_be_recognized(rows, steps, n_fits):
    pipeline = make_pipeline(*steps, KMeans(n_init=1))
    FITS.clear()
    PACMDLSearchCV(pipeline, n_clusters=[2, 3, 4], random_state=0).fit(rows, LABELS)
    assert FITS.count(500) == n_fits
