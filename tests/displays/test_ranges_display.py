"""Ranges between bounds: bars from end to end, and estimates in them."""

from math import nan

from drawn import legend

from sklearn_pacmdl.displays import RangesDisplay

TWO = {
    "precision": [(0.8, 0.9, 1.0), (0.25, nan, 1.0)],
    "recall": [(0.5, 0.6, 0.75), (0.0, 0.0, 0.125)],
}


def bars(display):
    """Lower and upper ends of bars by kind, from the top."""
    return {
        bars.get_label(): [(bar.get_x(), bar.get_x() + bar.get_width()) for bar in bars]
        for bars in display.ax_.containers
    }


def test_bars_and_estimates_are_where_they_belong():
    display = RangesDisplay(names=["a", "b"], ranges=TWO, xlabel="Share").plot()
    assert bars(display) == {
        "precision": [(0.8, 1.0), (0.25, 1.0)],
        "recall": [(0.5, 0.75), (0.0, 0.125)],
    }
    first, second = (each.get_offsets() for each in display.ax_.collections)
    assert first[:, 0].tolist() == [0.9, None]  # masked, where there is none
    assert second[:, 0].tolist() == [0.6, 0.0]
    heights = [bar.get_y() for of in display.ax_.containers for bar in of]
    assert heights[0] < heights[2] < heights[1] < heights[3]  # of a before those of b
    top, bottom = display.ax_.get_ylim()
    assert top > bottom
    assert legend(display) == ["estimate", "precision", "recall"]
    assert display.ax_.get_xlim()[0] == 0


def test_marks_negative_shares_and_names():
    name = "<b>$x{$ with many words in one name"
    ranges = {"certified": [(-0.2, -0.1, 0.05)]}
    fields = {"names": [name], "ranges": ranges, "xlabel": "Difference"}
    display = RangesDisplay(**fields, marks={"equal": 0}).plot()
    display.figure_.canvas.draw()
    (tick,) = display.ax_.get_yticklabels()
    assert tick.get_text().replace("\n", " ") == name.replace("$", r"\$")
    assert "\n" in tick.get_text()
    assert display.ax_.get_xlim()[0] < -0.2
    assert legend(display) == ["estimate", "equal", "certified"]
