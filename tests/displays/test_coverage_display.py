import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from drawn import legend, stars
from sklearn.cluster import AgglomerativeClustering
from sklearn.model_selection import StratifiedShuffleSplit

from sklearn_pacmdl import CoverageDisplay, PACMDLSearchCV, certify_clusterings

CURVE = {
    "coverage": [0.4, 0.7, 1.0],
    "bound": [0.1, 0.2, 0.4],
    "test_error": [np.nan] * 3,
}


@pytest.fixture
def labeler():
    return PACMDLSearchCV(
        AgglomerativeClustering(), n_clusters=[4, 8], target=0.25, random_state=0
    )


@pytest.mark.parametrize("certify", ["pac-mdl", "learned", "holdout"])
def test_curve_and_star_are_those_of_what_was_certified(certify, labeler, iris):
    labeler.set_params(certify=certify, target=0.4).fit(*iris)
    display = CoverageDisplay.from_estimator(labeler)
    curve = labeler.coverage_curve_
    x, y = display.line_.get_data()
    np.testing.assert_array_equal(x, curve["coverage"])
    np.testing.assert_array_equal(y, curve["bound"])
    # What is left of a point can be covered for its bound.
    assert display.line_.get_drawstyle() == "steps-pre"
    assert display.chosen == (labeler.coverage_, labeler.best_bound_)
    assert stars(display) == [display.chosen]
    assert legend(display) == ["bound", "error on hidden rows", "target", "chosen"]
    (dashed,) = (line for line in display.ax_.lines if line.get_linestyle() == "--")
    np.testing.assert_array_equal(dashed.get_ydata(), curve["test_error"])
    label = display.ax_.get_ylabel().replace("\n", " ")
    assert label == "Bound on the error rate of the covered rows"

    X, y = iris  # of clusterings from elsewhere
    seen = np.where(np.random.RandomState(3).permutation(150) < 80, y, -1)
    table = {str(k): AgglomerativeClustering(k).fit_predict(X) for k in (4, 8)}
    settings = {"certify": certify, "random_state": 0}
    found = certify_clusterings(table, seen, target=0.4, **settings)
    display = CoverageDisplay.from_curve(found.coverage_curve, target=0.4)
    assert stars(display) == [(found.coverage, found.bound)]
    assert np.all(np.diff(display.line_.get_data()) > 0)
    assert "error on hidden rows" not in legend(display)
    assert certify_clusterings(table, seen, **settings).coverage_curve is None


def test_no_target_is_reached_and_nothing_is_certified(labeler, iris):
    with pytest.warns(UserWarning, match="No set of clusters"):
        labeler.set_params(target=0.001).fit(*iris)
    display = CoverageDisplay.from_estimator(labeler)
    assert display.chosen is None
    assert stars(display) == []
    assert "chosen" not in legend(display)
    assert display.note == ""
    cv = StratifiedShuffleSplit(1, test_size=0.5, random_state=0)
    with pytest.warns(UserWarning, match="scores, not guarantees"):
        labeler.set_params(target=0.5, cv=cv).fit(*iris)
    label = CoverageDisplay.from_estimator(labeler).ax_.get_ylabel()
    assert "not certified" in label


@pytest.mark.parametrize(
    ("target", "chosen"),
    [(None, None), (0.05, None), (0.1, (0.4, 0.1)), (0.3, (0.7, 0.2)), (0.9, (1, 0.4))],
)
def test_from_a_curve(target, chosen):
    _, ax = plt.subplots()
    display = CoverageDisplay.from_curve(CURVE, target=target, ax=ax)
    assert display.ax_ is ax
    assert display.figure_ is ax.figure
    assert display.chosen == chosen
    assert ("target" in legend(display)) == (target is not None)
    lower, upper = ax.get_ylim()
    assert lower == 0
    assert upper >= max(0.4, target or 0)
    frame = CoverageDisplay.from_curve(pd.DataFrame(CURVE), target=target)
    assert frame.chosen == chosen
    assert display.plot() is display
    assert display.ax_ is not ax


@pytest.mark.parametrize("coverage", [0.001, 0.5, 1.0])
@pytest.mark.parametrize("bound", [0.0, 1.0])
def test_a_single_point(coverage, bound):
    curve = {"coverage": [coverage], "bound": [bound], "test_error": [0.0]}
    display = CoverageDisplay.from_curve(curve)
    display.figure_.canvas.draw()
    left, right = display.ax_.get_xlim()
    assert left <= coverage <= right
    assert display.ax_.get_ylim()[1] > 0
