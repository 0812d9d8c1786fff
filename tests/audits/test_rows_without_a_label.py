"""Rows without a label, or of no stratum, are not drawn, and it is said."""

import numpy as np
import pytest

from sklearn_pacmdl.audits import (
    certify_difference,
    certify_labels,
    certify_share,
    class_report,
    draw_audit,
    finish_labels,
)

N_ROWS = 1000
ROWS = np.arange(N_ROWS)
TRUTH = ROWS % 2
WRONG = np.where(ROWS % 10, TRUTH, 1 - TRUTH)
HAVE = ROWS >= 400
LABELS = np.where(HAVE, WRONG.astype(object), None)


def drawn(**given):
    with pytest.warns(UserWarning, match="(labels|strata) is missing in 400 of 1,000 ro"):
        audit = draw_audit(N_ROWS, 100, random_state=0, **given)
    assert np.all(HAVE[audit.rows])
    assert audit.pool.tolist() == ROWS[HAVE].tolist()
    return audit, TRUTH[audit.rows]


@pytest.mark.filterwarnings("ignore:labels holds -1")
@pytest.mark.parametrize(
    ("gap", "classes"), [(None, [0, 1]), (-1, [0, 1]), (None, ["a", "b"])]
)
def test_they_are_not_drawn_and_statements_are_about_the_others(gap, classes):
    truth, wrong = np.array(classes)[TRUTH], np.array(classes)[WRONG]
    labels, other = (np.where(HAVE, y.astype(object), gap) for y in (wrong, truth))
    audit, _ = drawn(labels=labels)
    answers = truth[audit.rows]
    certificate = certify_labels(labels, audit, answers)
    assert (certificate.n_excluded, certificate.n_doubtful) == (400, 0)
    share = certify_share(labels, audit, answers, of=classes[0])
    for each in (certificate, share):
        assert "of all 600 rows that could be drawn (" in each.claim
        assert each.verify(labels, audit, answers)
    report = class_report(labels, audit, answers)
    assert "the 100 audited rows of 600" in report.statement
    assert certify_difference(labels, other, audit, answers).n_rows == 600


@pytest.mark.parametrize(
    ("surest", "n_pool", "which"),
    [(None, 600, "could be drawn"), (0.5, 300, "belong to the surest 300 of 600")],
)
def test_finished_data_sets_count_them_and_leave_them_to_people(surest, n_pool, which):
    confidence = -ROWS / N_ROWS
    given = {"labels": LABELS, "confidence": confidence, "surest": surest}
    with pytest.warns(UserWarning, match="labels is missing in 400"):
        audit = draw_audit(N_ROWS, 100, random_state=0, **given)
    assert audit.verify(LABELS, confidence)
    assert audit.verify(confidence=confidence)
    assert np.all(HAVE[audit.rows])
    assert len(audit.pool) == n_pool
    given = LABELS, confidence, audit, TRUTH[audit.rows]
    finished = finish_labels(*given, target=0.05)
    left = finished.to_annotators
    assert left[:400].tolist() == ROWS[~HAVE].tolist()
    assert f"the {len(left)} rows that are left, at most" in str(finished)
    done = finished.complete(TRUTH[left])
    assert "of all 1000 rows" in done.certificate.claim
    assert np.sum(done.labels != TRUTH) <= 50
    assert done.certificate.verify(*given, finished_labels=done.labels)
    claim = certify_labels(LABELS, audit, TRUTH[audit.rows]).claim
    assert f"rows that {which} (" in claim


def test_rows_of_no_stratum_are_not_counted_as_wrong():
    strata = np.where(HAVE, ROWS // 500, -1)
    audit, answers = drawn(strata=strata)
    none, _ = drawn(strata=np.where(HAVE, ROWS // 500, None))
    excluded = draw_audit(N_ROWS, 100, strata=strata, exclude=ROWS[~HAVE], random_state=0)
    for other in (none, excluded):
        assert other.rows.tolist() == audit.rows.tolist()
    certificate = certify_labels(WRONG, audit, answers)
    assert "of all 600 rows that could be drawn" in certificate.claim
    assert certificate.verify(WRONG, audit, answers)
    assert certificate.claim == certify_labels(WRONG, excluded, answers).claim
    share = certify_share(WRONG, audit, answers, of=1)
    assert share.claim == certify_share(WRONG, excluded, answers, of=1).claim
    # They are no labeled rows, and may be drawn later.
    later = draw_audit(N_ROWS, 50, exclude=audit, random_state=1)
    assert len(later.pool) == 900


def test_too_few_rows_with_a_label():
    labels = np.where(ROWS < 10, "a", None)
    with (
        pytest.warns(UserWarning, match="labels is missing in 990"),
        pytest.raises(ValueError, match="size must be an integer from 1 to 9, got 10"),
    ):
        draw_audit(N_ROWS, 10, labels=labels)
    with pytest.raises(ValueError, match="labels must be given for at least two rows"):
        draw_audit(N_ROWS, 5, labels=np.where(ROWS < 1, "a", None))


def test_errors_that_a_target_allows_count_the_rows_without_a_label():
    labels = np.array([0] * 6 + [None] * 2, dtype=object)
    with pytest.warns(UserWarning, match="labels is missing in 2 of 8 rows"):
        audit = draw_audit(8, 3, labels=labels, random_state=0)
    finished = finish_labels(labels, -np.arange(8), audit, [0] * 3, target=3 / 8)
    assert finished.at_targets([3 / 8])["max_errors"].tolist() == [3]
