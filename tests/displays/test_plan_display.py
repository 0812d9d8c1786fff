from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
from numpy.testing import assert_array_equal

from sklearn_pacmdl.audits import plan_finish
from sklearn_pacmdl.displays import FinishPlanDisplay

RANKS = (np.arange(3000) + 0.5) / 3000


def line(display, label):
    (found,) = [v for v in display.ax_.lines if v.get_label() == label]
    return found


def test_what_is_drawn_is_in_the_table():
    plan = plan_finish(1 - 0.6 * RANKS**2, 80)
    display = plan.plot()
    assert isinstance(display, FinishPlanDisplay)
    names = {
        "rows spared": "share_automatic",
        "error rate certified for all labels": "error_bound",
        "rows drawn from, to spare rows": "surest",
    }
    for label, column in names.items():
        drawn = line(display, label)
        assert_array_equal(drawn.get_xdata(), plan.columns["n_audited"])
        assert_array_equal(drawn.get_ydata(), plan.columns[column])
    assert set(line(display, "target").get_ydata()) == {0.05}
    assert set(line(display, "budget: 80 checks").get_xdata()) == {80}


def test_all_rows_are_drawn_from_without_a_line():
    display = plan_finish(1 - 0.04 * RANKS, 1600).plot()
    assert len(display.ax_.lines) == 4


def test_names_of_ticks_do_not_overlap():
    _, ax = plt.subplots(figsize=(4, 3), layout="constrained")
    table = plan_finish(RANKS, 80).columns
    table |= {"n_audited": 100 * table["n_audited"]}
    display = FinishPlanDisplay(table=table, target=0.1, budget=8000).plot(ax)
    assert display.ax_ is ax
    display.figure_.canvas.draw()
    boxes = [text.get_window_extent() for text in ax.get_xticklabels()]
    assert len(boxes) == 6
    assert all(a.x1 < b.x0 for a, b in pairwise(boxes))
