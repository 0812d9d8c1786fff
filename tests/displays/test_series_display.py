import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_hex
from numpy.testing import assert_array_equal

from sklearn_pacmdl.audits import AuditSeries
from sklearn_pacmdl.displays import AuditSeriesDisplay


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


@pytest.fixture
def series():
    """Of the five batches the second is bad, the third skipped and the last waiting."""
    series = AuditSeries(target=0.1, n_batches=5)
    truth = np.arange(1000) % 3
    for t, n_wrong in enumerate([20, 200, None, 30, 30]):
        if n_wrong is None:
            series.skip("$x$")
            continue
        labels = np.where(np.arange(1000) < n_wrong, 3, truth)
        audit = series.draw(str(t), labels, size=200, random_state=t)
        if t < 4:
            series.certify(str(t), labels, truth[audit.rows])
    return series


def line(display, label):
    (found,) = [v for v in display.ax_.lines if v.get_label() == label]
    return found


def test_what_is_drawn_is_in_the_table(series):
    display = series.plot()
    assert isinstance(display, AuditSeriesDisplay)
    table = series.to_frame()
    within, above = (line(display, f"certified: {x} target") for x in ("within", "above"))
    assert_array_equal(within.get_xdata(), [0, 3])
    assert_array_equal(within.get_ydata(), table["max_error_rate"].iloc[[0, 3]])
    assert_array_equal(above.get_xdata(), [1])
    assert_array_equal(above.get_ydata(), table["max_error_rate"].iloc[[1]])
    assert to_hex(within.get_color()) != to_hex(above.get_color())
    rates = line(display, "rate in the audit").get_ydata()
    assert_array_equal(rates, table["error_rate"])
    so_far = line(display, "certified: all batches so far").get_data()
    assert_array_equal(so_far, [[0, 1, 3], table["max_error_rate_so_far"].dropna()])
    assert set(line(display, "target").get_ydata()) == {0.1}
    display.figure_.canvas.draw()
    names = [text.get_text() for text in display.ax_.get_xticklabels()]
    assert names == ["0: 200", "1: 200", r"\$x\$: skipped", "3: 200", "4: waiting 200"]


def test_no_batch_and_many():
    AuditSeries(target=0.1).plot().figure_.canvas.draw()
    series = AuditSeries(target=0.1)
    for t in range(50):
        series.skip(str(t))
    ticks = series.plot().ax_.get_xticklabels()
    assert len(ticks) == 50
    assert ticks[0].get_size() < 8


def test_on_given_axes(series):
    _, ax = plt.subplots()
    assert series.plot(ax).ax_ is ax


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"target": 1}, "target must be in the open interval"),
        ({"table": 3}, "table must be of type Mapping"),
    ],
)
def test_bad_input_is_named(series, changed, message):
    given = {"table": series.plot().table, "target": 0.1}
    with pytest.raises(ValueError, match=message):
        AuditSeriesDisplay(**given | changed)
    with pytest.raises(ValueError, match="table must have the columns"):
        AuditSeriesDisplay(table={}, target=0.1).plot()
