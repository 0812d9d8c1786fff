"""Pictures can be read: on phones, in the dark, and where one candidate is far ahead."""

from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import pytest
from drawn import table_of
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.datasets import load_digits

from sklearn_pacmdl import (
    CoverageDisplay,
    FinishedLabelsDisplay,
    LabelBudgetDisplay,
    PACMDLDisplay,
    PACMDLSearchCV,
    draw_audit,
    finish_labels,
)
from sklearn_pacmdl.displays import ContingencyDisplay

# Inches: a phone, at 100 pixels each.
PHONE = 3.9, 3.2
KINDS = ["alpine", "coniferous", "deciduous", "evergreen", "herbaceous", "succulent"]


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:600], y[:600]


@pytest.fixture(scope="module")
def fitted(digits):
    """A search by each method of certification."""
    X, y = digits
    labeled = np.random.RandomState(0).permutation(len(y)) < len(y) // 2
    models = [("ward", AgglomerativeClustering()), ("k-means", KMeans(n_init=1))]
    return {
        way: PACMDLSearchCV(
            models, n_clusters=[5, 10, 20, 40], n_init=2, certify=way, random_state=0
        ).fit(X, np.where(labeled, y, -1))
        for way in ("learned", "holdout", "pac-mdl")
    }


def finished():
    rng = np.random.RandomState(0)
    sure, truth = rng.uniform(size=2000), rng.randint(5, size=2000)
    labels = np.where(rng.uniform(size=2000) < sure, truth, 0)
    audit = draw_audit(2000, 300, random_state=0)
    made = finish_labels(labels, sure, audit, truth[audit.rows], target=0.1)
    return FinishedLabelsDisplay.from_finished(made, truth)


def coverage():
    curve = {"coverage": [0.4, 0.7, 1.0], "bound": [0.1, 0.2, 0.4]}
    return CoverageDisplay.from_curve(curve, target=0.2)


def contingency():
    kinds = np.array(KINDS)
    numbers = np.arange(6000) % 6
    clusters = np.where(np.arange(6000) % 7, numbers, (numbers + 1) % 6)
    return ContingencyDisplay.from_labels(kinds[numbers], kinds[clusters])


ALONE = {
    "finished": finished,
    "coverage": coverage,
    "contingency": contingency,
    "budget": lambda: LabelBudgetDisplay.from_parameters(2000, target=0.2, n_clusters=5),
}
OF_SEARCHES = {
    way: lambda found, way=way: PACMDLDisplay.from_estimator(found[way])
    for way in ("learned", "holdout", "pac-mdl")
}
ALL = [*ALONE, *OF_SEARCHES]


def draw(name, fitted):
    return ALONE[name]() if name in ALONE else OF_SEARCHES[name](fitted)


def ticks_of(axis):
    """Labels of ticks that are drawn: others are outside the limits."""
    low, high = sorted(axis.get_view_interval())
    ticks = [tick for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high]
    labels = [tick.label1 for tick in ticks if tick.label1.get_visible()]
    return [label for label in labels if label.get_text()]


def texts_of(axes):
    below, beside = ticks_of(axes.xaxis), ticks_of(axes.yaxis)
    others = [axes.title, axes.xaxis.label, axes.yaxis.label]
    return below, beside, [text for text in others if text.get_text()]


@pytest.mark.parametrize("size", [PHONE, (6.4, 4.8)])
@pytest.mark.parametrize("name", ALL)
def test_nothing_is_cut_and_nothing_overlaps(name, size, fitted):
    with plt.rc_context({"figure.figsize": size, "figure.dpi": 100}):
        display = draw(name, fitted)
        display.figure_.draw_without_rendering()
    page, legend = display.figure_.bbox, display.legend_
    if legend is not None:  # none of the width is the legend's
        assert legend.get_window_extent().y1 <= display.ax_.bbox.y0
        assert display.ax_.bbox.width > 0.7 * page.width
    for axes in display.figure_.axes:
        below, beside, others = texts_of(axes)
        boxes = [text.get_window_extent() for text in below + beside + others]
        boxes += [text.get_window_extent() for text in axes.texts]
        boxes += [legend.get_window_extent()] if legend is not None else []
        for box in boxes:
            assert box.x0 >= -1
            assert box.y0 >= -1
            assert box.x1 <= page.x1 + 1
            assert box.y1 <= page.y1 + 1
        for ticks, end in ((below, "x"), (beside, "y")):
            extents = [text.get_window_extent() for text in ticks]
            extents.sort(key=lambda box, end=end: getattr(box, f"{end}0"))
            for first, second in pairwise(extents):
                assert getattr(first, f"{end}1") <= getattr(second, f"{end}0")
    # As far as it is drawn, so that the second drawing is no narrower.
    before = display.ax_.bbox.extents
    display.figure_.draw_without_rendering()
    np.testing.assert_allclose(display.ax_.bbox.extents, before, atol=1)


@pytest.mark.parametrize("way", ["learned", "holdout", "pac-mdl"])
def test_what_is_at_one_height_is_one_kind_of_number(way, fitted):
    """The star is on the curve of the chosen candidate, whatever is certified."""
    search = fitted[way]
    display = PACMDLDisplay.from_estimator(search)
    table = search.cv_results_
    drawn = table["mean_certifying_error" if way == "learned" else "ranking_value"]
    points = {
        (float(n), float(value))
        for n, value in zip(table["n_clusters"], drawn, strict=True)
        if np.isfinite(value)
    }
    for line in display.lines_.values():
        known = np.isfinite(line.get_ydata())
        assert set(map(tuple, line.get_xydata()[known].tolist())) <= points
    (star,) = [line for line in display.ax_.lines if line.get_marker() == "*"]
    best = search.best_index_
    assert star.get_xydata().tolist() == [
        [table["n_clusters"][best], height]
        for height in (drawn[best], table["mean_test_bound"][best])
    ]


@pytest.mark.parametrize("best", [0.001, 0.01, 0.04, 0.2, 0.8])
def test_the_picture_shows_the_leaders(best):
    """The best is above the lower edge, and what is close to it is in sight."""
    found = np.array([best, 1.5 * best, 3 * best, 0.9, 0.95, 0.97, 0.99]).clip(max=0.99)
    display = PACMDLDisplay.from_cv_results(table_of(np.arange(2, 9), found))
    top = display.ax_.get_ylim()[1]
    assert top >= min(3 * best, 1)
    assert best / top >= min(1 / 13, best / 0.13)


@pytest.mark.parametrize("style", ["default", "dark_background", "grayscale"])
def test_empty_cells_have_the_color_of_the_paper(style):
    with plt.style.context(style):
        display = contingency()
        paper = display.ax_.get_facecolor()
        colors = display.image_.to_rgba(display.image_.get_array())
    np.testing.assert_allclose(colors[display.counts == 0], [paper] * 24, atol=0.01)


@pytest.mark.parametrize("style", ["default", "dark_background", "grayscale"])
def test_counts_stand_out_in_cells_of_any_color(style):
    clusters = np.repeat(range(20), 100)
    classes = np.tile(range(100), 20) < 5 * clusters  # shares of 0, 5, ..., 95 percent
    with plt.style.context(style):
        display = ContingencyDisplay.from_labels(classes, clusters)
        colors = display.image_.to_rgba(display.image_.get_array())
    assert len(display.ax_.texts) == 39
    for text in display.ax_.texts:
        column, row = text.get_position()
        shades = [colors[int(row), int(column), :3], text.get_color()[:3]]
        cell, ink = np.dot(shades, [0.299, 0.587, 0.114])
        assert abs(cell - ink) > 0.45


def test_curves_differ_without_color():
    with plt.style.context("grayscale"):
        display = LabelBudgetDisplay.from_parameters(1000, n_clusters=5)
        assert len({line.get_linestyle() for line in display.lines_.values()}) == 3
        names = {"algorithm": np.array([*"abcd"], dtype=object)}
        table = table_of([2] * 4, [0.1, 0.2, 0.3, 0.4], **names)
        display = PACMDLDisplay.from_cv_results(table)
        assert len({line.get_marker() for line in display.lines_.values()}) == 4
