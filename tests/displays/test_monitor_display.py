from drawn import legend
from numpy.testing import assert_array_equal

from sklearn_pacmdl.audits import AuditMonitor
from sklearn_pacmdl.displays import AuditMonitorDisplay


def line(display, label):
    (found,) = [v for v in display.ax_.lines if v.get_label() == label]
    return found


def test_boundaries_and_path_are_drawn():
    monitor = AuditMonitor(10_000, 0.05, max_labels=500).update(60, 3).update(40, 0)
    display = monitor.plot()
    assert isinstance(display, AuditMonitorDisplay)
    x, y = line(display, "most errors that certify").get_data()
    assert_array_equal(x, [*monitor.boundaries, 500])
    last = monitor.boundaries.size - 1
    assert_array_equal(y, [*range(last + 1), last])
    x, y = line(display, "this audit").get_data()
    assert_array_equal(x, [0, 60, 100])
    assert_array_equal(y, [0, 3, 3])
    assert legend(display) == [
        "certified",
        "most errors that certify",
        "go on",
        "cannot succeed any more",
        "this audit",
    ]
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("Labels", "Errors")
    display.figure_.canvas.draw()


def test_the_certificate_is_marked():
    monitor = AuditMonitor(10_000, 0.05, max_labels=500).update(60, 0).update(40, 0)
    display = monitor.update(50, 2).plot()
    x, y = line(display, "certified here").get_data()
    assert (list(x), list(y)) == ([100], [0])


def test_errors_beyond_the_boundaries_are_in_the_picture():
    monitor = AuditMonitor(1000, 0.1, max_labels=100).update(80, 70)
    ax = monitor.plot().ax_
    assert ax.get_ylim()[1] > 70
    assert ax.get_xlim()[1] >= 100


def test_a_single_boundary_and_no_update():
    display = AuditMonitor(1000, 0.1, max_labels=22).plot()
    display.figure_.canvas.draw()
