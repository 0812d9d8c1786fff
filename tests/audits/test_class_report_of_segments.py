"""Reports by class of each segment: those of its rows alone, which hold together."""

import numpy as np
import pytest

from sklearn_pacmdl.audits import Audit, class_report, draw_audit
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
