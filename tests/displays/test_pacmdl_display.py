"""Displays of results made by hand."""

import numpy as np
import pytest
from drawn import legend
from sklearn.base import BaseEstimator
from sklearn.cluster import AgglomerativeClustering

from sklearn_pacmdl import PACMDLDisplay, PACMDLSearchCV


class Results(BaseEstimator):
    """What a display sees of a search."""

    def __init__(self, ranked_by="mean_test_bound", certified=True, **columns):
        self.cv_results_ = columns
        self.ranked_by_ = ranked_by
        self.constant_error_ = 0.6
        self.certificates_ = [None] if certified else []

    def fit(self, X, y=None):
        return self


BOUNDS = {
    "algorithm": np.array(["ward", "ward", "kmeans", "kmeans", "dbscan"], dtype=object),
    "n_clusters": np.ma.array([2, 3, 2, 2, 0], mask=[0, 0, 0, 0, 1]),
    "n_clusters_found": np.ma.array([2, 3, 2, 2, 7]),
    "description_length": [5.0, 6.0, 7.0, 7.0, 8.0],
    "mean_test_bound": np.array([0.4, 0.2, 0.3, 0.5, 0.25]),
    "ranking_value": np.array([0.4, 0.2, 0.3, 0.5, 0.25]),
    "rank_test_bound": [4, 1, 3, 5, 2],
}
# The third candidate has the best start, the first the best mean over starts.
SELECTION = {
    **{name: BOUNDS[name] for name in ("algorithm", "n_clusters", "n_clusters_found")},
    "mean_test_bound": [0.25, *[np.nan] * 4],
    "description_length": [0.0, *[np.nan] * 4],
    "mean_selection_error": [0.2, 0.3, 0.1, 0.5, 0.4],
    "ranking_value": [0.2, 0.3, 0.3, 0.3, 0.4],
    "rank_selection_error": [1, 2, 2, 2, 5],
}


def test_curves_points_and_star():
    display = PACMDLDisplay.from_estimator(Results(**BOUNDS))
    assert list(display.curves) == ["ward", "kmeans"]
    np.testing.assert_array_equal(display.lines_["ward"].get_data(), [[2, 3], [0.4, 0.2]])
    kmeans = display.curves["kmeans"]
    assert [kmeans[name].item() for name in ("smallest", "decides", "largest")] == [
        0.3, 0.3, 0.5,
    ]  # fmt: skip
    np.testing.assert_array_equal(display.lines_["dbscan"].get_data(), [[7], [0.25]])
    assert display.best == (3.0, 0.2)
    assert legend(display) == [
        "ward", "kmeans", "dbscan", "from best to worst", "best constant classifier",
        "chosen: ward",
    ]  # fmt: skip
    assert (
        display.ax_.get_ylabel().replace("\n", " ")
        == "Bound on the error rate of the unlabeled rows"
    )


def test_hidden_errors_are_those_of_the_best_start():
    columns = {**BOUNDS, "mean_test_error": [0.1, 0.1, 0.2, 0.3, np.nan]}
    display = PACMDLDisplay.from_estimator(Results(**columns))
    np.testing.assert_array_equal(display.curves["kmeans"]["test_error"], [0.2])
    assert "error on hidden rows" in legend(display)
    assert "error on hidden rows" not in legend(display.plot(test_error=False))


def test_values_that_decide_are_drawn_where_a_mean_over_starts_does():
    results = Results("mean_selection_error", **SELECTION)
    display = PACMDLDisplay.from_estimator(results)
    kmeans = display.curves["kmeans"]
    assert [kmeans[name].item() for name in ("smallest", "decides", "largest")] == [
        0.1, 0.3, 0.5,
    ]  # fmt: skip
    assert display.best == (2.0, 0.25)
    assert (
        display.ax_.get_ylabel().replace("\n", " ")
        == "Error rate expected from the selecting labels"
    )
    assert "chosen: ward, bound 25.00%" in legend(display)


def test_candidates_without_a_bound_are_left_out():
    """As those that do not lead where all labels certify."""
    missing = [np.nan, 0.2, 0.3, np.nan, np.nan]
    columns = {**BOUNDS, "ranking_value": missing, "mean_test_bound": missing}
    display = PACMDLDisplay.from_estimator(Results(**columns))
    assert list(display.lines_) == ["ward", "kmeans"]
    np.testing.assert_array_equal(
        display.lines_["ward"].get_data(), [[2, 3], [np.nan, 0.2]]
    )
    assert display.best == (3.0, 0.2)


def test_estimated_errors_are_drawn_where_they_decide(iris):
    search = PACMDLSearchCV(
        AgglomerativeClustering(), n_clusters=range(2, 5), choose="errors", cv=1
    ).fit(*iris)
    display = PACMDLDisplay.from_estimator(search)
    errors = search.cv_results_["mean_estimated_error"]
    (line,) = display.lines_.values()
    np.testing.assert_array_equal(line.get_ydata(), errors)
    label = display.ax_.get_ylabel().replace("\n", " ")
    assert label == "Error rate expected from all labels"
    assert display.best[1] == search.best_bound_


def test_candidates_that_share_the_best_rank_are_ringed():
    columns = {**BOUNDS, "ranking_value": [0.4, 0.2, 0.3, 0.5, 0.2]}
    display = PACMDLDisplay.from_estimator(Results(**columns))
    (ring,) = [line for line in display.ax_.get_lines() if "rank" in line.get_label()]
    assert np.transpose(ring.get_data()).tolist() == [[3, 0.2], [7, 0.2]]
    assert "share the best rank" in legend(display)
    assert "share the best rank" not in legend(PACMDLDisplay.from_cv_results(BOUNDS))


def test_of_equal_bounds_the_shorter_description_is_chosen():
    columns = {**BOUNDS, "ranking_value": [0.2] * 5, "mean_test_bound": [0.2] * 5}
    display = PACMDLDisplay.from_estimator(Results(**columns))
    assert display.best == (2.0, 0.2)


def test_notes():
    display = PACMDLDisplay.from_estimator(Results(certified=False, **BOUNDS))
    assert display.ax_.get_ylabel().endswith("\n(not certified)")
    columns = {**BOUNDS, "split1_test_bound": BOUNDS["mean_test_bound"]}
    display = PACMDLDisplay.from_cv_results(columns)
    assert display.ax_.get_ylabel().endswith("\n(mean over splits)")
    assert "best constant classifier" not in legend(display)


def test_tables_without_a_candidate_are_refused():
    columns = {**BOUNDS, "ranking_value": [np.inf] * 5}
    with pytest.raises(ValueError, match="hold a candidate that did not fail"):
        PACMDLDisplay.from_cv_results(columns)
