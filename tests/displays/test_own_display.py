"""A display from outside the package: one class with one method."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris

from sklearn_pacmdl import PACMDLSearchCV
from sklearn_pacmdl.displays import Display, SearchDisplay


class FitTimeDisplay(SearchDisplay):
    columns = ("n_clusters", "fit_time")
    percent_axes, integer_axes = "", "x"

    def _draw(self, ax, *, scale="linear"):
        ax.plot(self.table["n_clusters"], self.table["fit_time"], "o", label="one fit")
        ax.set(xlabel="Number of clusters", ylabel="Seconds", yscale=scale)


@pytest.fixture
def search():
    search = PACMDLSearchCV(KMeans(), n_clusters=[2, 3, 4], random_state=0)
    yield search.fit(*load_iris(return_X_y=True))
    plt.close("all")


def test_it_draws_a_search(search):
    display = FitTimeDisplay.from_estimator(search)
    x, y = display.ax_.lines[0].get_data()
    np.testing.assert_array_equal(x, [2, 3, 4])
    np.testing.assert_array_equal(y, search.cv_results_["fit_time"])
    assert all(tick == round(tick) for tick in display.ax_.get_xticks())
    (text,) = display.ax_.get_legend().get_texts()
    assert text.get_text() == "one fit"


def test_its_options_reach_it(search):
    _, ax = plt.subplots()
    display = FitTimeDisplay.from_estimator(search, ax=ax, scale="log")
    assert display.ax_ is ax
    assert ax.get_yscale() == "log"
    assert display.plot(scale="linear").ax_.get_yscale() == "linear"


def test_a_display_must_draw():
    with pytest.raises(TypeError, match="_draw"):
        Display()
