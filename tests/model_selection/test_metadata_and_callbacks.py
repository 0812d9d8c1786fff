"""What searches hand on: metadata of rows, and callbacks."""

from types import SimpleNamespace

import joblib
import numpy as np
import pytest
import sklearn
from conftest import hide
from numpy.testing import assert_array_equal
from searches import TWO, Breaking, Counting, search_of
from sklearn import cluster as skc
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.exceptions import FitFailedWarning, UnsetMetadataPassedError
from sklearn.metrics import adjusted_rand_score, make_scorer, v_measure_score
from sklearn.model_selection import cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.metadata_routing import MetadataRequest

from sklearn_pacmdl.languages import Candidate
from sklearn_pacmdl.model_selection import _evaluation, _search


@pytest.mark.needs_callbacks
def test_progress_bar(capsys, iris):
    from sklearn.callback import ProgressBar

    search = search_of(TWO, n_clusters=[2, 3])
    expected = clone(search).fit(*iris)
    search.set_callbacks(ProgressBar())
    for n_jobs in (1, 2):
        search.set_params(n_jobs=n_jobs).fit(*iris)
        assert search.certificate_ == expected.certificate_
        assert "PACMDLSearchCV" in capsys.readouterr().out


def test_verbose(capsys, iris, monkeypatch):
    """Lines while it lasts, in processes too; in the end all are done."""
    search_of(skc.KMeans(), n_clusters=[2, 3], verbose=0).fit(*iris)
    assert not capsys.readouterr().out
    for n_jobs in (1, 2):
        search = search_of(skc.KMeans(), n_clusters=[2, 3], n_jobs=n_jobs, verbose=1)
        monkeypatch.setattr(_evaluation, "_EVERY", 0)
        search.set_params(cv=2).fit(*iris)
        first, *lines, last = capsys.readouterr().out.splitlines()[-4:]
        assert first.startswith("Fitting 2 candidates once each")
        assert lines[0].startswith("1 of 2 candidates in ")
        assert "s left, running: kmeans, " in lines[0]
        assert "; fewest errors: kmeans, " in lines[0]
        assert last.startswith("2 of 2 candidates in ")
        assert "kmeans, 3 clusters, about " in last
    with joblib.parallel_config(backend="multiprocessing"):  # tells in the end
        search.fit(*iris)
    assert capsys.readouterr().out.splitlines()[-1].startswith("2 of 2 candidates in ")
    # It changes no result, although the most costly fits are first where it is printed.
    algorithms = [("kmeans", skc.KMeans(n_init=1)), TWO[1]]
    search = search_of(algorithms, n_clusters=[2, 3, 5], n_init=2)
    silent, told = (clone(search).set_params(verbose=v).fit(*iris) for v in (0, 1))
    assert told.certificate_ == silent.certificate_
    assert_array_equal(told.transduction_, silent.transduction_)
    for name in ("algorithm", "ranking_value", "mean_test_bound", "bits"):
        assert_array_equal(told.cv_results_[name], silent.cv_results_[name])


def test_the_first_cut_of_a_tree_and_the_most_clusters_come_first():
    pairs = [(*TWO[1], 2), (*TWO[1], 3), *((*TWO[0], k) for k in (2, 4, 8))]
    jobs = [SimpleNamespace(estimator=each) for _, each, _ in pairs]
    candidates = [Candidate(name, k) for name, _, k in pairs]
    plan = SimpleNamespace(jobs=jobs, candidates=candidates)
    assert _evaluation._work_of(plan) == [1.0, 0.01, 2.0, 4.0, 8.0]
    ordered = _evaluation.costly_first(plan, [[2, 3], [0, 1], [4]])
    assert ordered == [[4], [0, 1], [2, 3]]


def test_the_time_left_of_a_sweep(monkeypatch):
    """A second of this clock is an iteration for a cluster, of a fit as it is."""
    clock, seen = [0.0], []

    class Clocked(skc.KMeans):
        def fit_predict(self, X, y=None):
            labels = super().fit_predict(X)
            clock[0] += self.n_iter_ * self.n_clusters
            return labels

    class Seen(_evaluation.Progress):
        def _look(self, *part):
            super()._look(*part)
            seen.append((clock[0], *self._seconds_left()))

    times = SimpleNamespace(perf_counter=lambda: clock[0], monotonic=lambda: 0.0)
    monkeypatch.setattr(_evaluation, "time", times)
    monkeypatch.setattr(_search, "Progress", Seen)
    X, y = make_blobs(300, centers=8, cluster_std=2.0, random_state=0)
    candidates = [("a", Clocked()), ("b", Clocked(n_init=3, tol=0.01))]
    search = search_of(candidates, n_clusters=range(2, 31, 2), verbose=1)
    is_labeled = np.random.RandomState(0).permutation(300) < 150
    search.fit(X, np.where(is_labeled, y, -1))
    total = clock[0]
    assert len(seen) == 30
    assert [is_whole for _, _, is_whole in seen[:3]] == [False, True, True]
    checked = [at + left for at, left, is_whole in seen if is_whole and at > total / 10]
    assert len(checked) > 20
    assert all(total / 2 <= estimate <= 2 * total for estimate in checked)


def test_metadata_routing(iris):
    X, y = iris
    weight = np.where(np.arange(150) < 100, 1.0, 1e-6)
    plain = search_of(skc.KMeans(), n_clusters=2)
    with pytest.raises(ValueError, match="enable_metadata_routing=True"):
        plain.fit(X, y, sample_weight=weight)
    with sklearn.config_context(enable_metadata_routing=True):
        kmeans = skc.KMeans().set_fit_request(sample_weight=True)
        search_of([("kmeans", kmeans), TWO[1]], n_clusters=2).fit(
            X, y, sample_weight=weight
        )
        alone = clone(kmeans).set_params(n_clusters=2, random_state=0)
        alone.fit(X, sample_weight=weight)
        by_kmeans = search_of(kmeans, n_clusters=2).fit(X, y, sample_weight=weight)
        assert adjusted_rand_score(by_kmeans.labels_, alone.labels_) == 1
        with pytest.raises(ValueError, match="one column per row"):
            by_kmeans.fit(X, y, sample_weight=np.eye(150))
        # Weights of scores reach a search of scikit-learn that is around this one.
        kmeans = skc.KMeans(2).set_fit_request(sample_weight=False)
        searching = search_of(kmeans).set_score_request(sample_weight=True)
        weighted, unweighted = (
            cross_validate(searching, X, y, cv=2, params=params)["test_score"]
            for params in ({"sample_weight": y + 1.0}, None)
        )
        assert np.any(weighted != unweighted)


class Weighing:
    """A scorer of the user's that wants weights of all rows, in the clusterer's order."""

    def get_metadata_routing(self):
        request = MetadataRequest(owner=self)
        request.score.add_request(param="weight", alias=True)
        request.score.add_request(param="unit", alias=True)
        return request

    def __call__(self, estimator, X, y, weight, unit):
        assert len(weight) == len(X) == len(y)
        return unit * float(weight @ X[:, 0])


def test_metadata_reach_scorers_for_the_rows_that_they_see(iris):
    X, y = iris
    seen, weight = hide(y), np.random.RandomState(0).uniform(size=150)
    metric = make_scorer(adjusted_rand_of_weighted)
    with sklearn.config_context(enable_metadata_routing=True):
        scoring = {
            "metric": metric.set_score_request(sample_weight=True),
            "plain": make_scorer(v_measure_score),
            "own": Weighing(),
        }
        kmeans = skc.KMeans().set_fit_request(sample_weight=False)
        search = search_of([("kmeans", kmeans), TWO[1]], n_clusters=3, scoring=scoring)
        # Scikit-learn 1.7 does not know that accuracy takes them: nobody asks for them.
        with pytest.raises((UnsetMetadataPassedError, TypeError), match="accuracy"):
            clone(search).set_params(scoring=["accuracy"]).fit(X, y, sample_weight=weight)
        with pytest.raises(TypeError, match="unexpected argument.*'other'"):
            search.fit(X, seen, other=weight)
        search.fit(X, seen, sample_weight=weight, weight=list(weight), unit=2)
    results, known = search.cv_results_, seen != -1
    expected = adjusted_rand_of_weighted(y[known], search.labels_[known], weight[known])
    assert results["score_metric"][search.best_index_] == pytest.approx(expected)
    np.testing.assert_allclose(results["score_own"], 2 * weight @ X[:, 0])


def adjusted_rand_of_weighted(y, labels, sample_weight=None):
    """Of the rows whose weight is large; all must be in the same order."""
    heavy = sample_weight > 0.5
    return adjusted_rand_score(y[heavy], labels[heavy])


@pytest.mark.needs_callbacks
def test_memory_is_found_again_under_callbacks(tmp_path, iris):
    from sklearn.callback import ProgressBar

    path = tmp_path / "fits"
    pipeline = make_pipeline(StandardScaler(), Counting(path))
    kept = {"memory": str(tmp_path / "cache"), "refit": False}
    search = search_of(pipeline, n_clusters=[2, 3], **kept).set_callbacks(ProgressBar())
    for _ in range(2):
        search.fit(*iris)
        assert path.read_text() == "xx"


class Recorder:
    """A callback that keeps what it is told, and is handed on to clusterers."""

    max_propagation_depth = None

    def __init__(self):
        self.begun, self.ended = [], []

    def setup(self, estimator, context):
        self.root = estimator

    def teardown(self, estimator, context):
        assert estimator is self.root

    def on_fit_task_begin(self, estimator, context, *, X=None, y=None, metadata=None):
        self.begun.append((context.task_name, context.task_id, estimator, X, y, metadata))

    def on_fit_task_end(
        self, estimator, context, *, X=None, y=None, metadata=None, fitted_estimator=None
    ):
        self.ended.append((context.task_name, context.task_id))
        self.fitted_estimator = fitted_estimator


@pytest.mark.needs_callbacks
def test_callbacks_are_told_of_every_task(iris):
    """Of those that fail as of others, as tasks of the search itself."""
    X, y = iris
    weight = np.ones(150)
    recorder = Recorder()
    with sklearn.config_context(enable_metadata_routing=True):
        clusterer = Breaking().set_fit_request(sample_weight=True)
        search = search_of(clusterer, n_clusters=[2, 3]).set_callbacks(recorder)
        with pytest.warns(FitFailedWarning, match="too many"):
            search.fit(X, y, sample_weight=weight)
    names = ["fit", "sweep", "candidate", "candidate", "refit"]
    ids = [0, 0, 0, 1, 1]
    assert [event[:2] for event in recorder.begun] == list(zip(names, ids, strict=True))
    assert sorted(recorder.ended) == sorted(zip(names, ids, strict=True))
    for name, _, estimator, seen, labels, metadata in recorder.begun:
        assert estimator is search
        whole = name in ("fit", "sweep")
        assert_array_equal(seen, X if whole else X[search.row_order_])
        assert labels is (y if whole else None)
        assert_array_equal(metadata["sample_weight"], weight)
    assert recorder.ended[-1] == ("fit", 0)
    assert recorder.fitted_estimator is not search
    assert_array_equal(recorder.fitted_estimator.predict(X), search.predict(X))
    search.set_callbacks(Interrupting())
    with pytest.raises(KeyboardInterrupt):
        search.fit(X, y)
    assert hasattr(search, "certificate_")


class Interrupting(Recorder):
    """Sees the search without what an earlier fit found."""

    def on_fit_task_end(self, estimator, context):
        assert not hasattr(estimator, "certificate_")
        raise KeyboardInterrupt
