"""Displays of real searches."""

import math
import re
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from drawn import legend
from sklearn.cluster import DBSCAN, AgglomerativeClustering, KMeans
from sklearn.datasets import make_blobs

from sklearn_pacmdl import PACMDLDisplay, PACMDLSearchCV

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


def test_curves_are_those_of_the_table(search):
    display = PACMDLDisplay.from_estimator(search)
    table = pd.DataFrame(search.cv_results_)
    assert set(display.lines_) == {"kmeans", "ward", "dbscan"}
    for name in ("kmeans", "ward"):
        rows = table[table["algorithm"] == name]
        bounds = rows.groupby(rows["n_clusters"].astype(int))["mean_test_bound"]
        x, y = display.lines_[name].get_data()
        np.testing.assert_array_equal(x, range(2, 7))
        np.testing.assert_array_equal(y, bounds.min())
        np.testing.assert_array_equal(display.curves[name]["largest"], bounds.max())
    x, y = display.lines_["dbscan"].get_data()
    ranked = table.sort_values(["mean_test_bound", "description_length"])
    best = ranked[ranked["algorithm"] == "dbscan"].iloc[0]
    assert (x[0], y[0]) == (best["n_clusters_found"], best["mean_test_bound"])
    assert display.best[1] == search.best_bound_
    assert display.constant_error == search.constant_error_
    assert display.ax_.get_xlabel() == "Number of clusters"


def test_hold_out_draws_what_it_chose_by(search, iris):
    search.set_params(certify="holdout").fit(*iris)
    display = PACMDLDisplay.from_estimator(search)
    table = pd.DataFrame(search.cv_results_)
    assert display.ranked_by == "mean_selection_error"
    for name in ("kmeans", "ward"):
        rows = table[table["algorithm"] == name]
        errors = rows.groupby(rows["n_clusters"].astype(int))["mean_selection_error"]
        np.testing.assert_allclose(display.lines_[name].get_ydata(), errors.mean())
        np.testing.assert_array_equal(display.curves[name]["smallest"], errors.min())
        np.testing.assert_array_equal(display.curves[name]["largest"], errors.max())
    rate = math.ceil(Fraction(search.certificate_.max_test_errors * 10_000, 75)) / 100
    assert f"chosen: kmeans, bound {rate:.2f}%" in legend(display)
    assert "error on hidden rows" in legend(display)
    again = PACMDLDisplay.from_cv_results(table, ranked_by=search.ranked_by_)
    assert again.best == display.best


def test_hold_out_puts_the_star_where_the_luckiest_start_is_not():
    """The setting with the best mean is chosen, not the one with the best start."""
    X, y = make_blobs(400, centers=8, cluster_std=4.0, random_state=0)
    search = PACMDLSearchCV(
        KMeans(), n_clusters=range(4, 13, 2), n_init=4, certify="holdout"
    )
    elsewhere = 0
    for seed in range(8):
        search.set_params(random_state=seed).fit(X, y)
        display = PACMDLDisplay.from_estimator(search)
        table = search.cv_results_
        chosen = table["n_clusters"][search.best_index_]
        assert display.best == (chosen, search.best_bound_)
        assert np.isfinite(display.ax_.get_ylim()).all()
        elsewhere += chosen != table["n_clusters"][table["mean_selection_error"].argmin()]
        curve = display.curves["kmeans"]
        assert curve["n_clusters"][curve["decides"].argmin()] == chosen
    assert elsewhere


def test_hold_out_on_several_splits_has_no_certified_star(search, iris):
    with pytest.warns(UserWarning, match="under certify='holdout' with 2 splits"):
        search.set_params(certify="holdout", cv=2).fit(*iris)
    display = PACMDLDisplay.from_estimator(search)
    assert "certified" not in display.ax_.get_ylabel()
    assert re.search(
        r"chosen: kmeans, bound [\d.]+% \(not certified\)", str(legend(display))
    )
    display = PACMDLDisplay.from_cv_results(
        search.cv_results_, ranked_by="mean_selection_error"
    )
    assert re.search(r"kmeans, bound [\d.]+% \(mean over splits\)", str(legend(display)))


def test_a_table_of_covered_rows_is_refused(iris):
    labeler = PACMDLSearchCV(KMeans(3), target=0.5, random_state=0)
    labeler.fit(*iris)
    with pytest.raises(ValueError, match="see CoverageDisplay"):
        PACMDLDisplay.from_estimator(labeler)
