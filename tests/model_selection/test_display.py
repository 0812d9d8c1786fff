import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from conftest import hide
from sklearn.cluster import DBSCAN, AgglomerativeClustering, KMeans
from sklearn.exceptions import NotFittedError

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
    yield search.fit(*iris)
    plt.close("all")


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
    best = table[table["algorithm"] == "dbscan"].sort_values("mean_test_bound").iloc[0]
    assert (x[0], y[0]) == (best["n_clusters_found"], best["mean_test_bound"])
    assert display.best[1] == search.best_bound_
    assert display.constant_error == table["mean_constant_error"].iloc[0]
    assert display.ax_.get_xlabel() == "Number of clusters"


def test_from_a_data_frame_on_given_axes(search):
    _, ax = plt.subplots()
    display = PACMDLDisplay.from_cv_results(pd.DataFrame(search.cv_results_), ax=ax)
    assert display.ax_ is ax
    assert display.figure_ is ax.figure
    np.testing.assert_array_equal(
        display.lines_["kmeans"].get_ydata(),
        PACMDLDisplay.from_estimator(search).lines_["kmeans"].get_ydata(),
    )


def legend(display):
    return [text.get_text() for text in display.ax_.get_legend().get_texts()]


def test_hidden_errors_are_drawn_where_they_are_known(search, iris):
    X, y = iris
    assert "error on hidden rows" in legend(PACMDLDisplay.from_estimator(search))
    without = PACMDLDisplay.from_estimator(search, test_error=False)
    assert "error on hidden rows" not in legend(without)
    search.fit(X, hide(y))
    assert "error on hidden rows" not in legend(PACMDLDisplay.from_estimator(search))


def test_several_splits_are_named_a_mean(search, iris):
    assert "mean over splits" not in PACMDLDisplay.from_estimator(search).ax_.get_ylabel()
    search.set_params(cv=2).fit(*iris)
    assert "mean over splits" in PACMDLDisplay.from_estimator(search).ax_.get_ylabel()


def test_what_is_not_certified_says_so(search, iris):
    with pytest.warns(UserWarning, match="scores, not guarantees"):
        search.set_params(cv=[(range(75), range(75, 150))]).fit(*iris)
    label = PACMDLDisplay.from_estimator(search).ax_.get_ylabel()
    assert "not certified" in label


def test_unfitted():
    with pytest.raises(NotFittedError):
        PACMDLDisplay.from_estimator(PACMDLSearchCV(KMeans()))


def test_wrong_table():
    with pytest.raises(ValueError, match="it has no \\['algorithm', .*'mean_test_bound'"):
        PACMDLDisplay.from_cv_results({"n_clusters": [2]})
