"""The figure of a sweep, of results made by hand."""

import numpy as np
import pytest
from drawn import legend, table_of
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_pacmdl import PACMDLDisplay

ALGORITHMS = np.array(["ward", "ward", "kmeans", "kmeans", "dbscan"], dtype=object)
BOUNDS = {
    "algorithm": ALGORITHMS,
    "n_clusters": np.ma.array([2, 3, 2, 2, 0], mask=[0, 0, 0, 0, 1]),
    "n_clusters_found": np.ma.array([2, 3, 2, 2, 7]),
    "description_length": [5.0, 6.0, 7.0, 7.0, 8.0],
    "mean_test_bound": np.array([0.4, 0.2, 0.3, 0.5, 0.25]),
    "ranking_value": np.array([0.4, 0.2, 0.3, 0.5, 0.25]),
    "rank_test_bound": [4, 1, 3, 5, 2],
}
ESTIMATES = BOUNDS | {"mean_certifying_error": [0.2, 0.1, 0.15, 0.12, 0.05]}
# The third candidate has the best start, the first the best mean over starts.
SELECTION = BOUNDS | {
    "mean_test_bound": [0.25, *[np.nan] * 4],
    "description_length": [0.0, *[np.nan] * 4],
    "mean_selection_error": [0.2, 0.3, 0.1, 0.5, 0.4],
    "ranking_value": [0.2, 0.3, 0.3, 0.3, 0.4],
    "rank_selection_error": [1, 2, 2, 2, 5],
}
del SELECTION["rank_test_bound"]


def draw(columns, constant_error=None, **changed):
    return PACMDLDisplay.from_cv_results(columns | changed, constant_error=constant_error)


def points_of(display, marker):
    lines = [line for line in display.ax_.lines if line.get_marker() == marker]
    return [line.get_xydata().tolist() for line in lines if len(line.get_xdata())]


def star(display):
    """The ends of the line, of which the second has the star."""
    ((estimate, bound),) = points_of(display, "*")
    return [estimate, bound]


def test_estimates_and_the_one_bound():
    display = draw(ESTIMATES)
    lines = {name: line.get_xydata() for name, line in display.lines_.items()}
    assert_array_equal(lines["ward"], [[2, 0.2], [3, 0.1]])
    # The best start is the one with the smallest bound.
    assert_array_equal(lines["kmeans"], [[2, 0.15]])
    assert_array_equal(lines["dbscan"], [[7, 0.05]])
    assert star(display) == [[3, 0.1], [3, 0.2]]
    assert not display.ax_.collections
    assert points_of(display, "_") == []
    assert legend(display) == [
        *("ward", "kmeans", "dbscan", "chosen: ward, 3 clusters\nbound: 20.00%")
    ]
    title = display.legend_.get_title().get_text().replace("\n", " ")
    means = "Points are estimates, not certified: errors among the certifying labels."
    assert title.startswith(
        f"{means} The lowest is optimistic; bounds decide, by all labels. "
    )
    assert title.endswith("The line from the chosen one ends at its bound, the star.")
    assert display.ax_.get_ylabel() == "Error rate"


def test_the_rest_is_drawn_on_request():
    display = draw(ESTIMATES, constant_error=0.6)
    top = display.ax_.get_ylim()[1]
    display.plot(details=True)
    assert points_of(display, "_") == [[[7, 0.25]], [[2, 0.3]]]
    (band, *_) = display.ax_.collections
    heights = band.get_paths()[0].vertices[:, 1]
    assert (heights.min(), heights.max()) == (0.12, 0.15)
    assert legend(display)[4:] == [
        "best bound of each other algorithm",
        "from best to worst start",
        "best constant classifier: 60.00%",
    ]
    assert display.ax_.get_ylim()[1] == pytest.approx(1.08 * 0.3)
    assert top < 0.3


def test_no_bound_but_that_of_the_chosen_one_moves_the_range():
    tops = [
        draw(ESTIMATES, mean_test_bound=[bound, 0.2, bound, bound, bound]).ax_.get_ylim()
        for bound in (0.25, 0.99)
    ]
    assert tops[0] == tops[1]


def test_the_star_and_its_curve_lie_on_the_others():
    display = draw(ESTIMATES)
    order = {name: line.get_zorder() for name, line in display.lines_.items()}
    assert order["ward"] > max(order["kmeans"], order["dbscan"])
    others = [line for line in display.ax_.lines if line.get_marker() != "*"]
    (drawn,) = [line for line in display.ax_.lines if line.get_marker() == "*"]
    assert drawn.get_zorder() > max(line.get_zorder() for line in others)


@pytest.mark.parametrize("columns", [BOUNDS, SELECTION])
def test_what_candidates_are_ranked_by(columns):
    display = draw(columns)
    first = display.lines_["ward"].get_ydata()
    assert_array_equal(first, columns["ranking_value"][:2])
    is_bound = columns is BOUNDS
    assert star(display) == [[3, 0.2]] * 2 if is_bound else [[2, 0.2], [2, 0.25]]
    assert display.ax_.get_ylabel().startswith("Bound" if is_bound else "Error rate")
    title = display.legend_.get_title().get_text()
    assert ("the selecting labels" in title) == (not is_bound)
    # Under hold-out the band is that of starts, around their mean.
    display.plot(details=True)
    heights = display.ax_.collections[0].get_paths()[0].vertices[:, 1]
    ends = (0.3, 0.5) if is_bound else (0.1, 0.5)
    assert (heights.min(), heights.max()) == ends
    assert_array_equal(display.lines_["kmeans"].get_ydata(), [0.3])


def test_what_is_said_of_the_chosen_candidate():
    texts = legend(draw(ESTIMATES, params=[{"eps": 0.5, "ward__random_state": 7}] * 5))
    assert texts[3] == "chosen: ward, eps=0.5, 3 clusters\nbound: 20.00%"
    display = draw(ESTIMATES, split1_test_bound=BOUNDS["mean_test_bound"])
    texts = " ".join(legend(display)).replace("\n", " ")
    assert "chosen: ward, 3 clusters mean of bounds, not certified: 20.00%" in texts
    title = display.legend_.get_title().get_text().replace("\n", " ")
    assert "ends at its bound, the star" in title
    # Of equal bounds, the shorter description is chosen.
    display = draw(BOUNDS, ranking_value=[0.2] * 5, mean_test_bound=[0.2] * 5)
    assert star(display) == [[2, 0.2]] * 2


def test_the_true_error_rate_of_the_chosen_is_a_line():
    true = [0.1, 0.123, 0.2, 0.3, np.nan]
    display = draw(ESTIMATES, mean_test_error=true)
    assert "truly wrong, chosen: 12.30%" in legend(display)
    assert [0.123, 0.123] in [list(line.get_ydata()) for line in display.ax_.lines]
    display.plot(test_error=False)
    assert not any("truly" in text for text in legend(display))


def test_rows_without_a_class_count_as_wrong_ones():
    covered, lost = np.array([1.0, 0.8, 1.0, 1.0, 0.0]), [0.4, 0.36, 0.5, 0.5, 1.0]
    display = draw(
        ESTIMATES | {"rank_uncertified": range(5)},
        **{"mean_coverage": covered, "mean_uncertified": lost, "ranking_value": lost},
    )  # fmt: skip
    assert_allclose(display.lines_["ward"].get_ydata(), [0.2, 0.2 + 0.8 * 0.1])
    assert display.table["value"].max() == 1.0
    assert star(display)[1] == [3, 0.36]
    assert display.ax_.get_ylabel() == "Unlabeled rows\nwithout a class or wrong"


def test_candidates_without_a_bound_are_gaps():
    """As those that do not lead where all labels certify."""
    missing = [np.nan, 0.2, 0.3, np.nan, np.nan]
    display = draw(BOUNDS, ranking_value=missing, mean_test_bound=missing)
    assert list(display.lines_) == ["ward", "kmeans"]
    assert_array_equal(display.lines_["ward"].get_xydata(), [[2, np.nan], [3, 0.2]])


def test_many_numbers_are_on_a_logarithmic_axis():
    ax = draw(table_of([2, 15, 16, 300], [0.2] * 4)).ax_
    assert ax.get_xscale() == "log"
    labels = [text.get_text() for text in ax.get_xticklabels()]
    assert labels == ["2", "5", "10", "20", "50", "100", "200"]
    assert not ax.get_xticks(minor=True).size
    ax = draw(table_of([2, 15, 16], [0.2] * 3)).ax_
    assert ax.get_xscale() == "linear"
    assert_array_equal(ax.get_xticks() % 1, 0)


def test_an_algorithm_above_the_picture_says_how_far():
    names = np.array(["ward", "ward", "dbscan"], dtype=object)
    numbers = np.ma.array([2, 40, 3], mask=[0, 0, 1])
    display = draw(
        table_of(
            numbers, [0.8, 0.02, 0.9], algorithm=names, n_clusters_found=numbers.data
        )
    )
    assert display.ax_.get_ylim()[1] < 0.8
    assert legend(display)[:2] == ["ward", "dbscan, above the picture: 90.00%"]


def test_many_clusterings_are_one_set_of_points():
    names = np.array([f"topics {i}" for i in range(7)], dtype=object)
    values = 0.3 - 0.02 * np.arange(7)
    columns = table_of(
        np.ma.array(np.zeros(7), mask=np.ones(7)),
        values,
        clustering=names,
        algorithm=names,
        n_clusters_found=5 + np.arange(7),
        mean_certifying_error=values - 0.1,
    )
    display = draw(columns)
    assert list(display.lines_) == ["clusterings"]
    assert "chosen: topics 6, 11 clusters" in legend(display)[1]
    assert len(draw({name: values[:6] for name, values in columns.items()}).lines_) == 6


def test_tables_without_a_candidate_are_refused():
    with pytest.raises(ValueError, match="hold a candidate that did not fail"):
        draw(BOUNDS, ranking_value=[np.inf] * 5)
    targeted = {k: v for k, v in BOUNDS.items() if k != "rank_test_bound"}
    with pytest.raises(ValueError, match="see CoverageDisplay"):
        draw(targeted, rank_coverage=range(5))
    with pytest.raises(ValueError, match=r"table must have .* from_cv_results make one"):
        PACMDLDisplay(table={}, heights="bounds").plot()
