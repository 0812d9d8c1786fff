"""Displays of real searches."""

import math
from fractions import Fraction

import numpy as np
import pytest
from drawn import legend
from sklearn.cluster import DBSCAN, AgglomerativeClustering, KMeans
from sklearn.datasets import make_blobs
from sklearn.exceptions import FitFailedWarning

from sklearn_pacmdl import PACMDLDisplay, PACMDLSearchCV, certify_clusterings
from sklearn_pacmdl.languages import Candidate

ESTIMATORS = [
    ("kmeans", KMeans()),
    ("ward", AgglomerativeClustering()),
    ("dbscan", DBSCAN()),
]


@pytest.fixture
def search(iris):
    search = PACMDLSearchCV(
        ESTIMATORS,
        n_clusters=range(2, 7),
        n_init=4,
        param_grid={"dbscan__eps": [0.4, 0.8]},
        random_state=0,
    )
    return search.fit(*iris)


def star(display):
    """Number of clusters and height of the chosen one, and height of its bound."""
    (line,) = [line for line in display.ax_.lines if line.get_marker() == "*"]
    (x, value), (_, bound) = line.get_xydata().tolist()
    return x, value, bound


def place(search, column):
    """Where the chosen candidate belongs."""
    table, best = search.cv_results_, search.best_index_
    asked = table["n_clusters"][best]
    found = table["n_clusters_found"][best]
    number = found if asked is np.ma.masked else asked
    return number, table[column][best], table["mean_test_bound"][best]


def test_what_is_said_of_the_chosen_candidate(search):
    display = PACMDLDisplay.from_estimator(search)
    assert list(display.lines_) == ["kmeans", "ward", "dbscan"]
    assert star(display) == place(search, "mean_certifying_error")
    bound = math.ceil(Fraction(search.certificate_.max_test_errors * 10_000, 75)) / 100
    texts = " ".join(legend(display)).replace("\n", " ")
    claim = f"at most {bound:.2f}% of the unlabeled rows wrong"
    assert f"certified with probability at least 90%: {claim}" in texts
    assert len(legend(display)) == 5
    true = search.cv_results_["mean_test_error"][search.best_index_]
    assert f"truly wrong, chosen: {100 * true:.2f}%" in legend(display)
    assert display.constant_error == search.constant_error_
    table, n_certifying = search.cv_results_, 75 - round(0.6 * 75)
    estimate = table["mean_n_certifying_errors"] / n_certifying
    np.testing.assert_allclose(table["mean_certifying_error"], estimate)


def test_errors_are_drawn_where_they_decide(search, iris):
    search.set_params(choose="errors").fit(*iris)
    display = PACMDLDisplay.from_estimator(search)
    assert star(display) == place(search, "mean_estimated_error")
    assert star(display)[2] == search.best_bound_


def test_clusterings_that_were_certified(iris):
    X, y = iris
    y = np.where(np.random.RandomState(0).permutation(150) < 75, y, -1)
    made = {f"k{k}": KMeans(k, random_state=0).fit_predict(X) for k in (2, 3, 5)}
    certified = certify_clusterings(made, y, random_state=0)
    display = PACMDLDisplay.from_estimator(certified)
    lines = display.lines_.items()
    assert {name: line.get_xdata().tolist() for name, line in lines} == {
        f"k{k}": [k] for k in (2, 3, 5)
    }
    assert star(display)[2] == certified.bound
    described = [Candidate("k-means", k) for k in (2, 3, 5)]
    certified = certify_clusterings(made, y, candidates=described, random_state=0)
    (line,) = PACMDLDisplay.from_estimator(certified).lines_.values()
    errors = certified.results["mean_certifying_error"]
    np.testing.assert_array_equal(line.get_xydata(), np.transpose([[2, 3, 5], errors]))


def test_what_is_not_certified_says_so(iris):
    search = PACMDLSearchCV(KMeans(n_init=1), n_clusters=[2, 3], random_state=0)
    with pytest.warns(UserWarning, match="scores, not guarantees"):
        search.set_params(cv=[(range(75), range(75, 150))]).fit(*iris)
    display = PACMDLDisplay.from_estimator(search)
    assert "bound, not certified: " in str(legend(display))
    search.set_params(cv=2).fit(*iris)
    display = PACMDLDisplay.from_estimator(search)
    assert "mean of bounds, not certified: " in str(legend(display))
    assert star(display) == place(search, "mean_certifying_error")
    X, y = iris
    with pytest.warns(UserWarning, match="random"):  # the classes are in order
        search.set_params(cv=None).fit(X, np.where(np.arange(150) < 75, y, -1))
    assert "doubtful bound: " in str(legend(PACMDLDisplay.from_estimator(search)))


class Breaking(KMeans):
    def fit_predict(self, X, y=None, sample_weight=None):
        if self.n_clusters == 3:
            raise RuntimeError("three is too many")
        return super().fit_predict(X)


@pytest.mark.parametrize("certify", ["pac-mdl", "holdout"])
def test_failed_candidates_are_left_out_whatever_their_score(certify, iris):
    search = PACMDLSearchCV(
        Breaking(), n_clusters=[2, 3, 4], certify=certify, error_score=0.0, random_state=0
    )
    with pytest.warns(FitFailedWarning):
        search.fit(*iris)
    display = PACMDLDisplay.from_estimator(search)
    x, y = display.lines_["breaking"].get_data()
    np.testing.assert_array_equal(x[np.isfinite(y)], [2, 4])
    assert star(display)[0] == search.cv_results_["n_clusters"][search.best_index_]


@pytest.mark.parametrize("certify", ["pac-mdl", "learned", "holdout"])
@pytest.mark.parametrize("seed", range(5))
def test_the_star_is_on_the_chosen_candidate(certify, seed):
    """Of equal bounds too: many numbers of clusters here give no error."""
    X, cluster = make_blobs(120, centers=4, cluster_std=0.6, random_state=3)
    y = np.array([0, 1, 2, 2])[cluster]
    search = PACMDLSearchCV(
        [("ward", AgglomerativeClustering()), ("kmeans", KMeans())],
        n_clusters=[7, 6, 5, 4], n_init=2, certify=certify, random_state=seed,
    ).fit(X, y)  # fmt: skip
    display = PACMDLDisplay.from_estimator(search)
    assert star(display)[0] == search.cv_results_["n_clusters"][search.best_index_]


def test_a_table_of_covered_rows_is_refused(iris):
    labeler = PACMDLSearchCV(KMeans(3), target=0.5, random_state=0)
    labeler.fit(*iris)
    with pytest.raises(ValueError, match="see CoverageDisplay"):
        PACMDLDisplay.from_estimator(labeler)
