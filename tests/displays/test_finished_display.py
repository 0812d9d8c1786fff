import numpy as np
import pytest
from drawn import legend, stars

from sklearn_pacmdl import FinishedLabelsDisplay, draw_audit, finish_labels

N_ROWS, SIZE = 1000, 200


@pytest.fixture(scope="module")
def truth():
    return np.random.RandomState(1).randint(3, size=N_ROWS)


@pytest.fixture(scope="module")
def finish(truth):
    """The rate of errors rises from 0 to one in two as confidence falls."""
    rng = np.random.RandomState(2)
    confidence = rng.permutation(N_ROWS)
    wrong = rng.uniform(size=N_ROWS) < 0.5 - 0.5 * confidence / N_ROWS
    labels = np.where(wrong, (truth + 1) % 3, truth)

    def finish(target=0.1, size=SIZE, **missing):
        audit = draw_audit(N_ROWS, size, random_state=0)
        given = np.where(confidence < missing.get("below", 0), -1, labels)
        return finish_labels(given, confidence, audit, truth[audit.rows], target=target)

    return finish


def test_staircase_and_star_are_those_of_the_finished_labels(finish):
    """What is left of a point can be labeled automatically at its target."""
    finished = finish()
    display = FinishedLabelsDisplay.from_finished(finished)
    table = finished.at_targets()
    x, y = display.line_.get_data()
    np.testing.assert_array_equal(x, [0, *table["share_automatic"]])
    np.testing.assert_array_equal(y, [0, *table["error_bound"]])
    assert display.line_.get_drawstyle() == "steps-pre"
    assert stars(display) == [(finished.share_automatic, 0.1)]
    for target in (0.01, 0.05, 0.1, 0.2, 0.4):  # any, and not only that of a point
        share = x[np.flatnonzero(y <= target)[-1]]
        assert share == finish(target).share_automatic


def test_true_errors_are_counted_row_by_row(finish, truth):
    finished = finish()
    display = FinishedLabelsDisplay.from_finished(finished, truth)
    for most, rate in zip(
        display.curve["error_bound"], display.curve["true_error_rate"], strict=True
    ):
        # Slightly above, or the decimal that is printed might be below the fraction.
        found = finish(most + 1e-9)
        assert rate == np.mean(found.complete(truth[found.to_annotators]).labels != truth)
    (dashed,) = (line for line in display.ax_.lines if line.get_linestyle() == "--")
    np.testing.assert_array_equal(
        dashed.get_ydata(), [0, *display.curve["true_error_rate"]]
    )


def test_bands_are_who_labels_the_rows(finish, truth):
    finished = finish(below=100)
    display = FinishedLabelsDisplay.from_finished(finished, truth)
    shares = (
        finished.share_automatic, len(finished.to_annotators) / N_ROWS, SIZE / N_ROWS
    )  # fmt: skip
    assert sum(shares) == pytest.approx(1)
    assert legend(display) == [
        "if another target had been set",
        "true error",
        "target",
        "certified: at most 10%",
        f"automatic: {shares[0]:.1%}",
        f"left to people: {shares[1]:.1%}",
        f"audited by people: {shares[2]:.1%}",
    ]


def test_an_audit_too_small_for_the_target_certifies_nothing(finish):
    with pytest.warns(UserWarning, match="too small"):
        finished = finish(target=0.001, size=20)
    display = FinishedLabelsDisplay.from_finished(finished)
    assert display.chosen is None
    assert stars(display) == []
    assert legend(display) == ["if another target had been set", "target"]
