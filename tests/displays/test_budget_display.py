import numpy as np
import pytest
from drawn import legend

from sklearn_pacmdl.bounds import labels_needed
from sklearn_pacmdl.displays import LabelBudgetDisplay

PLAN = {"n_clusters": 2, "n_classes": 3}


def test_curves_fall_and_are_drawn():
    display = LabelBudgetDisplay.from_parameters(
        10_000, expected_error=[0.0, 0.02], certify="holdout", quantile=0.9, **PLAN
    )
    assert list(display.lines_) == [0.0, 0.02]
    for error, line in display.lines_.items():
        x, y = line.get_data()
        assert (x[0], x[-1]) == (4, 5000)
        assert np.all(np.diff(x) > 0)
        assert y[0] > 0.5
        assert error < y[-1] < error + 0.02
    assert display.needed == {}
    assert legend(display) == ["0%", "2%"]
    assert display.ax_.get_xscale() == "log"
    assert display.ax_.get_xlabel() == "Number of labels"


def test_target_is_marked_where_it_is_reached():
    display = LabelBudgetDisplay.from_parameters(
        1000, target=0.15, expected_error=(0.0, 0.05, 0.3), **PLAN
    )
    numbers = {
        error: labels_needed(1000, target=0.15, expected_error=error, **PLAN)
        for error in (0.0, 0.05)
    }
    assert display.needed == {**numbers, 0.3: None}
    marks = [line.get_data() for line in display.ax_.lines if line.get_marker() == "o"]
    drawn = [(float(x[0]), float(y[0])) for x, y in marks]
    assert drawn == [(number, 0.15) for number in numbers.values()]
    assert legend(display) == [
        f"0%: {numbers[0.0]:,} labels",
        f"5%: {numbers[0.05]:,} labels",
        "30%: target out of reach",
        "target",
    ]


@pytest.mark.parametrize("n_rows", [2, 10**9])
def test_any_number_of_rows(n_rows):
    display = LabelBudgetDisplay.from_parameters(
        n_rows, target=0.5, expected_error=0.025, **PLAN
    )
    assert list(display.curves) == [0.025]
    display.figure_.canvas.draw()
