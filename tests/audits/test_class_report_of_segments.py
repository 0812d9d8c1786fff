"""Reports by class of each segment: those of its rows alone, which hold together."""

from fractions import Fraction
from functools import cache
from itertools import product
from math import comb, prod

import numpy as np
import pytest

from sklearn_pacmdl.audits import Audit, class_report, draw_audit
from sklearn_pacmdl.bounds import class_score_lower_bound
from sklearn_pacmdl.certificates import Certificate

RNG = np.random.RandomState(0)
TRUTH = np.where(RNG.uniform(size=600) < 0.3, "fail", "pass")
JUDGE = np.where(RNG.uniform(size=600) < 0.1, "fail", TRUTH)
YEAR = RNG.choice(["2023", "2024"], 600, p=[0.3, 0.7])
METRICS = ["precision", "recall", "total", "macro_error"]


@pytest.mark.parametrize("sides", [1, 2])
@pytest.mark.parametrize("strata", [None, JUDGE])
def test_a_segment_is_a_data_set_of_its_own(strata, sides):
    audit = draw_audit(600, 150, labels=JUDGE, strata=strata, random_state=0)
    settings = {"metrics": METRICS, "sides": sides}
    data = JUDGE, audit, TRUTH[audit.rows]
    table = class_report(*data, by=YEAR, **settings)
    assert table.n_statements == 2
    assert Certificate.from_json(table.to_json()) == table
    assert table.verify(*data, by=YEAR)
    assert not table.verify(*data, by=np.roll(YEAR, 1))
    frame = table.to_frame()
    for name, report in table.certificates.items():
        own = np.flatnonzero(name == YEAR)
        rows = np.searchsorted(own, audit.rows[YEAR[audit.rows] == name])
        by = {} if strata is None else {"strata": strata[own]}
        alone = Audit.of_rows(rows, len(own), labels=JUDGE[own], source="me", **by)
        expected = class_report(
            JUDGE[own], alone, TRUTH[own][rows], delta=0.05, **settings
        )
        assert report.bounds == expected.bounds
        assert report.counts == expected.counts
        assert f" rows of {len(own)} of segment {name!r}" in report.statement
        lines = frame.loc[name]
        assert lines["class"].tolist() == ["fail", "pass"]
        assert lines["total_upper_bound"].tolist() == [
            *report.bounds["total_upper_bound"]
        ]
        assert {*lines["macro_error_bound"]} == {report.macro_error_bound}
    assert "in each of 2 segments, the lower " in table.statement
    assert "in the table hold (2 statements that share delta)" in table.statement
    printed = str(table).splitlines()
    assert printed[2].split()[:3] == ["segment", "class", "predicted"]
    assert len(printed) == 7


@pytest.mark.filterwarnings("ignore:labels is missing in ")
def test_segments_of_which_nothing_can_be_said():
    some = np.where(YEAR == "2023", None, JUDGE)
    audit = draw_audit(600, 150, random_state=0)
    with pytest.raises(ValueError, match="by must be segments of which some rows have"):
        class_report(some, audit, TRUTH[audit.rows], by=YEAR)
    unseen = np.where(np.isin(np.arange(600), audit.rows), "old", YEAR)
    with pytest.raises(ValueError, match="by must be segments, at least one with both"):
        class_report(JUDGE, audit, TRUTH[audit.rows], by=unseen)
    few = np.where(
        np.arange(600) == np.setdiff1d(np.arange(600), audit.rows)[0], "x", YEAR
    )
    table = class_report(JUDGE, audit, TRUTH[audit.rows], by=few)
    assert table.others == {"x": (1, 0, 0)}
    assert "nothing is known of 'x'" in table.statement
    assert {*table.to_frame().index} == {"2023", "2024"}


@cache
def precision(tp, fp, n_predicted, delta):
    counts = {"n_predicted": n_predicted, "delta": delta}
    return class_score_lower_bound(tp, fp, metric="precision", **counts)


def chance_of_failure(truth, size, delta):
    """Probability over all draws that any precision is below its bound.

    The cells of a segment are rightly and wrongly predicted rows, and others.
    """

    def is_false(cells, drawn):
        n = sum(cells[:2])
        is_stated = 0 < sum(drawn) < sum(cells)
        return is_stated and precision(*drawn[:2], n, delta) * n > cells[0] + 1e-9

    numbers, failed = [n for cells in truth for n in cells], 0
    for drawn in product(*(range(min(size, n) + 1) for n in numbers)):
        if sum(drawn) == size and any(map(is_false, truth, (drawn[:3], drawn[3:]))):
            failed += prod(map(comb, numbers, drawn))
    return Fraction(failed, comb(sum(numbers), size))


def test_all_segments_hold_together():
    """The control is all of delta for each segment."""
    truths = [((right, 8 - right, 1),) * 2 for right in range(9)]
    worst = {
        level: max(chance_of_failure(truth, 9, level) for truth in truths)
        for level in (0.13, 0.26)
    }
    assert 0 < worst[0.13] <= 0.26 < worst[0.26]
