"""Clusters against classes, and what all figures share: sizes, names, legends."""

from unittest import mock

import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.text import Text
from sklearn.cluster import AgglomerativeClustering
from sklearn.datasets import load_iris

from sklearn_pacmdl import PACMDLDisplay, PACMDLSearchCV
from sklearn_pacmdl.displays import ContingencyDisplay, CoverageDisplay


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    labeled = np.random.RandomState(0).permutation(150) < 75
    return X, y, np.where(labeled, y, -1)


def order_of(counts):
    """The order in which clusters with these counts of classes are drawn."""
    clusters, classes = np.nonzero(counts)
    n_rows = counts[clusters, classes]
    with mock.patch.object(ContingencyDisplay, "plot", lambda display, ax: display):
        display = ContingencyDisplay.from_labels(
            np.repeat(classes, n_rows), np.repeat(clusters, n_rows)
        )
    np.testing.assert_array_equal(display.counts, counts[display.clusters])
    return display.clusters


@given(st.integers(1, 6), st.integers(0, 4), st.randoms())
def test_clusters_that_are_classes_are_on_a_diagonal(k, split, random):
    """Classes cut into pieces, in any order, come back as a staircase."""
    pieces = [(c, 10 + c) for c in range(k)] + [(random.randrange(k), 3)] * split
    random.shuffle(pieces)
    counts = np.zeros((len(pieces), k), dtype=int)
    for row, (c, n) in enumerate(pieces):
        counts[row, c] = n
    order = order_of(counts)
    assert sorted(order) == list(range(len(pieces)))
    columns = counts[order].argmax(axis=1)
    assert np.all(np.diff(columns) >= 0)


def test_assignment_is_the_one_that_agrees_most():
    # By the most common class both clusters would be of class 0.
    assert order_of(np.array([[9, 8], [7, 1]])) == [1, 0]


def test_counts_of_the_contingency(iris):
    X, _, y_seen = iris
    scored = PACMDLSearchCV(AgglomerativeClustering(5), random_state=0).fit(X, y_seen)
    display = ContingencyDisplay.from_estimator(scored, y_seen)
    assert display.counts.sum() == 75
    for cluster, row in zip(display.clusters, display.counts, strict=True):
        own = y_seen[(scored.labels_ == cluster) & (y_seen >= 0)]
        assert row.tolist() == [np.sum(own == c) for c in display.classes]
    texts = [int(text.get_text()) for text in display.ax_.texts]
    assert sum(texts) == 75
    words = ContingencyDisplay.from_labels(
        np.array(["a", None, "b"], dtype=object), ["x", "x", "y"]
    )
    assert (words.classes, words.clusters) == (["a", "b"], ["x", "y"])
    many = ContingencyDisplay.from_labels(np.arange(900) % 90, np.arange(900) % 90)
    assert not many.ax_.texts
    assert len(many.ax_.get_yticks()) == 0


def test_new_figures_have_the_size_that_users_set():
    curve = {"coverage": [0.5, 1.0], "bound": [0.1, 0.2]}
    with plt.rc_context({"figure.figsize": (3, 7)}):
        figure = CoverageDisplay.from_curve(curve).figure_
        assert figure.get_size_inches().tolist() == [3, 7]


def test_labels_fit_beside_small_axes():
    figure, axes = plt.subplots(1, 3, figsize=(10, 3), layout="constrained")
    curve = {"coverage": [0.5, 1.0], "bound": [0.1, 0.2]}
    for ax in axes:
        CoverageDisplay.from_curve(curve, target=0.2, ax=ax)
    figure.draw_without_rendering()
    for ax in axes:
        extent = ax.yaxis.label.get_window_extent()
        assert extent.y0 >= 0
        assert extent.y1 <= figure.bbox.y1


@pytest.mark.parametrize("name", ["$k_{$", r"$\frac{a$", "$a$"])
def test_names_of_users_are_no_mathematics(name, iris):
    X, y, _ = iris
    search = PACMDLSearchCV(
        [(name, AgglomerativeClustering())], n_clusters=[2, 3, 5], random_state=0
    ).fit(X, np.array([f"{name}{c}" for c in "abc"])[y])
    displays = [
        PACMDLDisplay.from_estimator(search),
        ContingencyDisplay.from_labels([name, "b", name], [name, "d", "d"]),
    ]
    for display in displays:
        display.figure_.canvas.draw()
        texts = [text.get_text() for text in display.figure_.findobj(Text)]
        assert any(name.replace("$", r"\$") in text for text in texts)
