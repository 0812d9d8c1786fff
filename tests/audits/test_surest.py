"""Audits of the surest rows: what holds, for all small populations."""

from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from made import with_confidence
from oracles import left

from sklearn_pacmdl.audits import (
    Audit,
    certify_labels,
    class_report,
    draw_audit,
    finish_labels,
)
from sklearn_pacmdl.bounds import bmax, tolerated_audit_errors
from sklearn_pacmdl.certificates import Certificate

n_tolerated = cache(tolerated_audit_errors)
LEVELS = [0.05, 0.1, 0.2, 0.4]
SIZES = [(k, m) for k in range(2, 9) for m in range(1, k)]


@pytest.mark.filterwarnings("ignore:An audit of")
@pytest.mark.parametrize("hidden", [0, 1])
def test_a_pool_is_accepted_as_if_it_were_all_rows(hidden):
    """Pools of 2 to 8 of up to 12 rows."""
    n_certified = 0
    for k, m in SIZES:
        for most in range(hidden, k - m + hidden):
            n_rows, delta = max(k, 2 * most + 2), LEVELS[(k + m + most) % len(LEVELS)]
            plan = {"target": float(Fraction(2 * most + 1, 2 * n_rows)), "delta": delta}
            surest = float(Fraction(2 * k + 1, 2 * n_rows)) if k < n_rows else 1.0
            confidence, labels = -np.arange(n_rows), np.ones(n_rows, dtype=int)
            drawn = {"surest": surest, "classes": {0: 0, 1: 1}, "random_state": k} | plan
            audit = draw_audit(n_rows, m, labels=labels, confidence=confidence, **drawn)
            assert audit.pool.tolist() == list(range(k))
            given = labels, confidence, audit, np.zeros(m, dtype=int)  # all are wrong
            seen = n_tolerated(m, k - m, most - hidden, delta)
            finished = finish_labels(*given, max_annotator_errors=hidden, **plan)
            unaudited = finished.accepted.copy()
            unaudited[audit.rows] = False
            assert unaudited.sum() == left(range(k), {*audit.rows}, seen - hidden)
            assert len(finished.to_annotators) == n_rows - m - unaudited.sum()
            if seen < hidden:
                assert finished.certificate is None
                continue
            certificate = finished.certificate
            errors = certificate.max_test_errors
            assert errors == bmax(m, k - m, seen, delta)
            stated = f"at most {errors + hidden} of all {n_rows} rows"
            assert stated in certificate.statement
            assert certificate.verify(*given)
            assert Certificate.from_json(certificate.to_json()).verify()
            n_certified += 1
    assert n_certified > 5


def best_pool(wrong, audited, n_rows, most, level):
    """The rows that are accepted, if the audit of all rows chooses the pool, too."""
    found = []
    for k in range(2, n_rows + 1):
        own, here = {row for row in audited if row < k}, [r for r in wrong if r < k]
        n = k - len(own)
        seen = len(own) if most >= n else n_tolerated(len(own), n, most, level)
        errors = [row for row in here if row in own]
        cut = errors[seen] if 0 <= seen < len(errors) else k
        n_spared = len(set(range(cut)) - own) if seen >= 0 else 0
        found.append((n_spared, left(here, own, seen)))
    return max(found)


def test_a_share_that_is_chosen_by_this_audit_fails_too_often():
    """A control: the pool has to be fixed before rows are drawn from it."""
    n_rows, m, most, level = 8, 3, 2, 0.2 + 1e-9  # above a chance that occurs
    audits = [set(audited) for audited in combinations(range(n_rows), m)]
    failed = [
        sum(best_pool(wrong, own, n_rows, most, level)[1] > most for own in audits)
        for e in range(n_rows + 1)
        for wrong in combinations(range(n_rows), e)
    ]
    assert max(failed) / len(audits) > 0.23


def drawn(**more):
    truth, labels, confidence = with_confidence(400)
    plan = {"surest": 0.5, "target": 0.1, "delta": 0.1, "random_state": 0}
    audit = draw_audit(400, 60, labels=labels, confidence=confidence, **plan | more)
    return truth, (labels, confidence, audit, truth[audit.rows])


def test_the_pool_is_the_surest_share_and_ties_go_by_row_number():
    confidence = [5, -np.inf, 7, 5, 5, 9, 5, 1e300, 5, 5]
    audit = draw_audit(10, 3, confidence=confidence, surest=0.5, exclude=[9])
    assert audit.pool.tolist() == [0, 2, 5, 7]
    assert audit.doubtful.tolist() == [1, 3, 4, 6, 8]
    assert audit.not_excluded.tolist() == [*range(9)]
    assert draw_audit(10, 3, confidence=confidence, surest=1).doubtful.size == 0
    # 0.29 * 100 is 28.999999999999996 in floats.
    assert len(draw_audit(100, 3, confidence=range(100), surest=0.29).pool) == 29
    # As many ties that sorts which keep no order mix them.
    audit = draw_audit(2000, 3, confidence=np.arange(2000) % 2, surest=0.25)
    assert audit.pool.tolist() == list(range(1, 1000, 2))


def test_rows_outside_of_the_pool_go_to_people():
    truth, given = drawn(target=0.05)
    finished = finish_labels(*given, target=0.05)
    left = finished.to_annotators
    assert set(given[2].doubtful) <= set(left)
    assert np.all(np.diff(given[1][left]) >= 0)
    n_automatic = 400 - 60 - len(left)
    assert finished.share_automatic == n_automatic / 400 > 0
    line = finished.at_targets([0.05, 0.2]).iloc[0]
    assert (line["max_errors"], line["n_to_annotators"]) == (20, len(left))
    assert line["certified"]
    (own,) = finished.at_targets().query("certified").to_dict("records")
    assert (own["max_errors"], own["n_automatic"]) == (19, n_automatic)
    assert finished.certificate.max_test_errors == 19
    completed = finished.complete(truth[left])
    for each, n_left in ((finished, len(left)), (completed, 0)):
        assert each.certificate.n_left == n_left
        assert each.certificate.verify(*given, finished_labels=each.labels)
    assert "19 of all 400 rows (4.75%)" in completed.certificate.statement


def test_excluded_rows_are_told_from_doubtful_ones():
    _, given = drawn(exclude=range(40))
    finished = finish_labels(*given, target=0.1)
    assert "36 of all 360 rows that were not excluded" in str(finished)
    assert finished.to_annotators.min() >= 40
    assert finished.certificate.verify(*given)


def test_other_statements_say_that_they_are_about_the_pool():
    _, (labels, _, audit, answers) = drawn()
    certificate = certify_labels(labels, audit, answers)
    assert "of all 200 rows that belong to the surest 200 of 400 (" in str(certificate)
    assert certificate.verify(labels, audit, answers)
    report = class_report(labels, audit, answers)
    assert "the 60 audited rows of the surest 200 of 400, " in report.statement


def test_the_plan_needs_no_labels_and_takes_all_rows_if_many_are_audited():
    n_rows, order = 2000, np.random.RandomState(0).permutation(2000)
    for confidence in (order - 7.0, 0.6 + order / 5001):
        pools = [
            len(draw_audit(n_rows, size, confidence=confidence, surest="auto").pool)
            for size in (30, 100, 1000)
        ]
        assert pools == sorted(pools)
        assert pools[0] < n_rows == pools[-1]
    plan = {"surest": "auto", "target": 0.02, "delta": 0.1}
    assert len(draw_audit(n_rows, 30, confidence=confidence, **plan).pool) < pools[0]


def test_a_pool_of_other_rows_is_found_out():
    _, (labels, confidence, *_) = drawn()
    other = draw_audit(400, 60, confidence=confidence[::-1], surest=0.5, random_state=0)
    problems = str(other.verify(labels, confidence).problems)
    assert "confidence: the doubtful rows are not the least sure" in problems


def test_a_data_set_is_finished_for_what_was_planned():
    for name, value in {"target": 0.2, "delta": 0.05}.items():
        plan = {"target": 0.1, "delta": 0.1} | {name: value}
        with pytest.raises(ValueError, match=f"{name} must be 0.1, for which the audit"):
            finish_labels(*drawn()[1], **plan)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"surest": 0.1}, "surest must leave more than the 60 rows of size, got 0.1"),
        ({"surest": 0}, 'surest must be None, "auto" or a share'),
        ({"surest": "most"}, 'surest must be None, "auto" or a share'),
        ({"confidence": None}, "confidence must be given with surest, target"),
        ({"confidence": None, "surest": None}, "must be given with surest, target"),
        ({"target": 1}, "target must be"),
    ],
)
def test_bad_input_is_refused(given, message):
    _, (labels, confidence, *_) = drawn()
    plan = {"confidence": confidence, "surest": 0.5, "target": 0.1, "delta": 0.1}
    with pytest.raises(ValueError, match=message):
        draw_audit(400, 60, labels=labels, **plan | given)


def test_the_shell_draws_from_the_surest(shell):
    _, (labels, confidence, audit, _) = drawn()
    pd.DataFrame({"auto": labels, "sure": confidence}).to_csv("all.csv", index=False)
    draw = "audit draw all.csv --size 60 --labels auto --confidence sure --seed 0"
    for share, expected in {"0.5": audit, "auto": drawn(surest="auto")[1][2]}.items():
        shell(f"{draw} --surest {share} --target 0.1 --delta 0.1 --output {share}")
        found = Audit.from_json(Path(f"{share}.json").read_text("utf-8"))
        assert found.doubtful.tolist() == expected.doubtful.tolist()
        assert (found.target, found.delta) == (0.1, 0.1)
    _, err = shell(f"{draw} --surest half --output other", 2)
    assert "invalid share value: 'half'" in err


@pytest.mark.parametrize("by_segment", [False, True])
def test_rows_that_are_called_the_surest_are_compared(by_segment):
    """Whoever exchanges them for the rows that are labeled rightly is found out."""
    rng = np.random.RandomState(0)
    truth, confidence = rng.randint(2, size=1000), rng.uniform(size=1000)
    labels = np.where(rng.uniform(size=1000) < 0.15, 1 - truth, truth)
    options = {"labels": labels, "confidence": confidence, "surest": 0.8}
    audit = draw_audit(1000, 150, random_state=1, **options)
    wrong = np.flatnonzero(labels != truth)
    rest = np.setdiff1d(np.arange(1000), wrong)[: 200 - len(wrong)]
    doubtful = np.union1d(wrong, rest)
    rows = audit.design.draw(audit.seed, np.setdiff1d(np.arange(1000), doubtful), 150)
    forged = replace(audit, doubtful=doubtful, rows=rows)
    forged = replace(forged, digest=forged._fingerprint())
    # No row of the first segment is too doubtful.
    further = {"by": confidence < 0.5} if by_segment else {}
    for made, is_honest in (audit, True), (forged, False):
        given = labels, made, truth[made.rows]
        certificate = certify_labels(*given, **further)
        assert "confidence: not given" in certificate.verify(*given, **further).unchecked
        verified = certificate.verify(*given, confidence=confidence, **further)
        assert bool(verified) is is_honest
        assert is_honest or "not the least sure" in str(verified)


def test_rows_of_no_stratum_are_not_called_doubtful():
    labels, strata = np.arange(400) % 2, np.repeat(["a", "b", None, "a"], 100)
    with pytest.warns(UserWarning, match="strata is missing in 100 of 400 rows"):
        audit = draw_audit(400, 60, labels=labels, strata=strata, random_state=0)
    given, confidence = (labels, audit, labels[audit.rows]), np.arange(400.0)
    assert certify_labels(*given).verify(*given, confidence=confidence)
    assert audit.verify(labels, confidence)
