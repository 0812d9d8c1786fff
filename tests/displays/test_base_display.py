import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from sklearn_pacmdl.displays._display import Display, SearchDisplay


class Search(BaseEstimator):
    def fit(self, X, y=None):
        return self


class SharesDisplay(SearchDisplay):
    columns = ("n_clusters", "share")
    integer_axes = "x"

    def _draw(self, ax, *, scale="linear"):
        ax.plot(self.table["n_clusters"], self.table["share"])
        ax.set(yscale=scale)


@pytest.fixture
def search():
    search = Search()
    search.cv_results_ = {"share": [0.05, 0.125], "n_clusters": [2, 4]}
    yield search
    plt.close("all")


def test_a_table_of_shares(search):
    _, ax = plt.subplots()
    display = SharesDisplay.from_estimator(search, ax=ax, scale="log")
    assert display.ax_ is ax
    assert display.legend_ is None  # without labels
    assert ax.get_yscale() == "log"
    again = display.plot(scale="linear").ax_
    assert again.get_yscale() == "linear"
    assert all(tick == round(tick) for tick in again.get_xticks())
    percent = again.yaxis.get_major_formatter()
    texts = [percent(value) for value in (0.05, 0.07, 0.125, 1)]
    assert texts == ["5%", "7%", "12.5%", "100%"]


@pytest.mark.parametrize("style", ["default", "dark_background"])
def test_what_is_chosen_has_the_color_of_text(style):
    class StarDisplay(Display):
        def _draw(self, ax):
            self._mark(0.5, 0.5, label="chosen")

    with plt.style.context(style):
        display = StarDisplay().plot()
        (star,) = display.ax_.lines
        assert star.get_color() == plt.rcParams["axes.labelcolor"]
        assert star.get_color() != plt.rcParams["axes.facecolor"]


class LineDisplay(Display):
    def _draw(self, ax):
        ax.plot([0, 1, 2], [0, 0.1, 9.0], label="line", marker="o")


def test_legends_cover_no_point():
    """Below the axes of a new figure, and within those of a user."""
    display = LineDisplay().plot()
    display.figure_.canvas.draw()
    extent = display.legend_.get_window_extent()
    assert 0 <= extent.y0 < extent.y1 <= display.ax_.xaxis.get_tightbbox().y0
    figure, ax = plt.subplots()
    legend = LineDisplay().plot(ax).legend_
    figure.draw_without_rendering()
    assert legend is ax.get_legend()
    box = legend.get_window_extent()
    points = ax.transData.transform(ax.lines[0].get_xydata())
    assert not any(box.contains(*point) for point in points)


@pytest.mark.parametrize(
    "table",
    [
        {"share": [0.5, 0.6], "n_clusters": np.ma.array([2, 0], mask=[False, True])},
        pd.DataFrame({"share": [0.5, 0.6], "n_clusters": [2, np.nan]}),
    ],
)
def test_missing_entries_are_nan(search, table):
    search.cv_results_ = table
    display = SharesDisplay.from_estimator(search)
    np.testing.assert_array_equal(display.table["n_clusters"], [2.0, np.nan])
    assert list(display.table) == ["n_clusters", "share"]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"share": [0.5]}, r"cv_results_ must have the columns \['n_clusters'\]"),
        (7, "cv_results_ must be a mapping of columns, got 7"),
        ({"share": [0.5], "n_clusters": [2, 3]}, "cv_results_ must be columns of one"),
        ({"share": 0.5, "n_clusters": 2}, "cv_results_ must be columns of one length"),
    ],
)
def test_bad_tables(search, table, message):
    search.cv_results_ = table
    with pytest.raises(ValueError, match=message):
        SharesDisplay.from_estimator(search)


def test_bad_searches_and_axes(search):
    with pytest.raises(NotFittedError, match="must be fitted and have cv_results_; this"):
        SharesDisplay.from_estimator(Search())
    with pytest.raises(TypeError, match="search must be a fitted search, got 7"):
        SharesDisplay.from_estimator(7)
    for ax in (7, plt.figure().add_subplot(projection="3d")):
        with pytest.raises(TypeError, match="ax must be None or rectilinear Axes of .*,"):
            SharesDisplay.from_estimator(search, ax=ax)
