"""Finished data sets: which rows are accepted, what is stated, and that it holds."""

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from made import (
    CONFIDENCE,
    FIXED,
    ONCE,
    REST,
    RIGHT,
    TARGET,
    finish,
    with_confidence,
)
from scipy.stats import binom

from sklearn_pacmdl.audits import Audit, draw_audit, finish_labels
from sklearn_pacmdl.bounds import bmax, tolerated_audit_errors
from sklearn_pacmdl.certificates import Certificate, fingerprint_labels


def accepted_one_by_one(truth, labels, confidence, audit, tolerated):
    """The rule in words: from the surest, until one audited error too many."""
    drawn, seen, accepted = set(audit.rows.tolist()), 0, []
    for row in sorted(audit.pool.tolist(), key=lambda row: (-confidence[row], row)):
        if row in drawn and labels[row] != truth[row]:
            seen += 1
            if seen > tolerated:
                break
        accepted.append(row)
    return sorted(accepted) if tolerated >= 0 else []


@pytest.mark.parametrize("dtype", [int, str, np.uint8, float])
@pytest.mark.parametrize("target", [0.05, 0.1, 0.2, 0.9])
@pytest.mark.filterwarnings("ignore:.* rows are equally sure")
def test_the_surest_rows_are_accepted(target, dtype):
    truth, labels, confidence = with_confidence(dtype=dtype)
    confidence = np.round(confidence, 1)  # many are as sure
    audit = draw_audit(1000, 300, labels=labels, confidence=confidence, random_state=1)
    given = labels, confidence, audit, truth[audit.rows]
    finished = finish_labels(*given, target=target)
    allowed = int(1000 * target)
    tolerated = tolerated_audit_errors(300, 700, min(allowed, 700), 0.1)
    expected = accepted_one_by_one(truth, *given[:3], tolerated)
    assert np.flatnonzero(finished.accepted).tolist() == expected
    audited = np.isin(np.arange(1000), audit.rows)
    assert finished.share_automatic == np.sum(finished.accepted & ~audited) / 1000
    left = ~finished.accepted & ~audited
    assert {*finished.to_annotators} == {*np.flatnonzero(left)}
    assert np.all(np.diff(confidence[finished.to_annotators]) >= 0)
    expected = np.where(audited, truth, labels)
    assert np.array_equal(finished.labels[~left], expected[~left])
    assert {*finished.labels[left]} <= {-1, None}
    certificate = finished.certificate
    assert certificate.max_test_errors == bmax(300, 700, tolerated, 0.1) <= allowed
    assert certificate.verify(*given)
    assert Certificate.from_json(certificate.to_json()).verify()


def test_statement_before_and_after_people_have_done_their_part():
    truth, _, finished = finish()
    left = len(finished.to_annotators)
    said = (
        "With probability at least 90% over the random choice of the 300 audited rows, "
        "{}at most 99 of all 1000 rows (9.90%) are labeled wrongly, and these are among "
        f"the {700 - left} rows that were labeled automatically, provided {RIGHT}, "
        f"{ONCE}, {REST}, {TARGET}, {FIXED} and {CONFIDENCE}."
    )
    once = f"once people have labeled the {left} rows that are left, "
    completed = finished.complete(truth[finished.to_annotators])
    for result, clause, n_left in ((finished, once, left), (completed, "", 0)):
        certificate = result.certificate
        assert str(result) == certificate.statement == said.format(clause)
        assert certificate.verify()
        assert certificate.fingerprints["finished"] == fingerprint_labels(result.labels)
        assert certificate.n_left == n_left
        assert result.by_annotators.sum() == 300 + left - n_left
        assert f"{n_left} rows to people" in repr(result)
    wrong = completed.labels != truth
    assert not np.any(wrong & completed.by_annotators)
    assert np.any(wrong)


@pytest.mark.parametrize("target", [0.07, 0.29, 0.57, 0.58])
def test_the_target_is_the_decimal_that_was_written(target):
    """0.29 * 100 is 28.999999999999996 in floats."""
    line = finish(100, 70, target)[2].at_targets([target]).iloc[0]
    assert line["max_errors"] == round(100 * target)


def test_other_targets():
    _, given, finished = finish()
    frame = finished.at_targets([0.05, 0.1, 0.2])
    assert frame["certified"].to_dict() == {0.05: False, 0.1: True, 0.2: False}
    for target, line in frame.iterrows():
        other = finish_labels(*given, target=target)
        assert line["share_automatic"] == other.share_automatic
        assert line["n_to_annotators"] == len(other.to_annotators)
        assert line["n_automatic"] == round(1000 * other.share_automatic)
    steps = finished.at_targets()
    labels, _, audit, answers = given
    assert len(steps) == np.sum(labels[audit.rows] != answers) + 1
    assert steps["share_automatic"].is_monotonic_increasing
    assert steps["n_to_annotators"].iloc[-1] == 0
    (own,) = steps.query("certified").to_dict("records")
    assert own["max_errors"] == finished.certificate.max_test_errors
    assert own["share_automatic"] == finished.share_automatic


def test_an_audit_that_is_too_small_accepts_nothing():
    with pytest.warns(UserWarning, match="An audit of 20 of 1000 rows is too small for"):
        truth, _, finished = finish(1000, 20, target=0.02)
    assert finished.certificate is None
    assert finished.share_automatic == 0
    assert len(finished.to_annotators) == 980
    assert not finished.accepted.any()
    assert "the audit is too small" in str(finished)
    assert not finished.at_targets()["certified"].any()
    completed = finished.complete(truth[finished.to_annotators])
    assert np.array_equal(completed.labels, truth)
    assert completed.certificate is None


def test_excluded_rows_stay_outside():
    truth, _, finished = finish(target=0.2, plan={"exclude": range(100)})
    assert not finished.accepted[:100].any()
    assert finished.to_annotators.min() >= 100
    assert finished.at_targets([0.2])["max_errors"].item() == 180
    completed = finished.complete(truth[finished.to_annotators])
    assert np.all(completed.labels[:100] == -1)
    assert "of all 900 rows" in completed.certificate.statement


def test_the_rest_is_labeled_in_a_table(tmp_path):
    truth, (labels, *_), finished = finish(200, 100, dtype=str)
    sheet = finished.to_frame(pd.DataFrame({"id": np.arange(200) + 1000}))
    assert sheet["row"].tolist() == finished.to_annotators.tolist()
    assert sheet["id"].tolist() == (finished.to_annotators + 1000).tolist()
    path = tmp_path / "rest.csv"
    sheet.assign(label=truth[sheet["row"]]).to_csv(path, index=False)
    completed = finished.complete(finished.read_labels(path, dtype=str))
    expected = np.where(completed.by_annotators, truth, labels)
    assert completed.labels.tolist() == expected.tolist()
    with pytest.raises(ValueError, match="Labels of 1 row are missing"):
        finished.complete([None, *truth[finished.to_annotators][1:]])
    with pytest.raises(ValueError, match="human_labels must be"):
        finished.complete(["1"])


def test_people_may_label_in_installments(tmp_path):
    truth, _, finished = finish()
    expected = finished.complete(truth[finished.to_annotators])
    for i in range(3):
        left, path = finished.to_annotators, tmp_path / f"{i}.csv"
        today = left[np.isin(np.arange(len(left)), [*range(5), 6, *range(8, 20)])]
        sheet = finished.to_frame(path=path)
        sheet["label"] = np.where(np.isin(left, today), truth[left], None)
        sheet.drop(index=7).to_csv(path, index=False, sep=";")
        some = finished.read_labels(path)
        with pytest.raises(ValueError, match=r"are missing.*add_labels takes a part of"):
            finished.complete(some)
        finished = finished.add_labels(some)
        assert np.array_equal(finished.labels[today], truth[today])
        left = left[~np.isin(left, today)]
        assert finished.to_annotators.tolist() == left.tolist()
        assert f"have labeled the {len(left)} rows that are left" in str(finished)
        assert finished.certificate.verify()
    completed = finished.complete(truth[finished.to_annotators])
    assert completed.certificate == expected.certificate
    assert np.array_equal(completed.labels, expected.labels)
    assert np.array_equal(completed.by_annotators, expected.by_annotators)


@pytest.mark.parametrize("dtype", [int, str])
def test_a_table_may_be_filled_in_further(dtype, tmp_path):
    truth, _, first = finish(200, 100, dtype=dtype)
    path, sheet = tmp_path / "rest.csv", first.to_frame()
    answers = truth[first.to_annotators].astype(object)
    some = sheet.assign(label=np.where(np.arange(len(answers)) < 5, answers, None))
    some.to_csv(path, index=False)
    read = first.read_labels(path, dtype=dtype if dtype is str else None)
    second = first.add_labels(read)
    assert {*second.read_labels(some).tolist()} <= {-1, None}
    whole = sheet.assign(label=answers)
    third = second.add_labels(second.read_labels(whole))
    assert third.labels.tolist() == first.complete(answers).labels.tolist()
    assert third.read_labels(whole).size == 0
    whole.loc[3, "label"] = next(name for name in truth if name != answers[3])
    row = first.to_annotators[3]
    with pytest.raises(ValueError, match=rf"added before, got others for rows \[{row}\]"):
        second.read_labels(whole)


def test_accepting_others_than_the_surest_contradicts_the_certificate():
    """Which finishing again shows: of as many rows, and with the digests of these."""
    _, given, finished = finish()
    turned = given[0], -given[1], *given[2:]
    other = finish_labels(*turned, target=0.1)
    picked = replace(other.certificate, n_left=other.certificate.n_left)._issued()
    assert picked.verify(*turned)
    problems = str(picked.verify(*given).problems)
    assert "labels: its SHA-256 digest is not the one that was recorded" in problems
    assert "n_automatic is" in problems
    more = finished.certificate.n_train_errors + 1
    later = replace(finished.certificate, n_train_errors=more)._issued()
    problem = f"n_train_errors is {more} here and {more - 1} in the"
    assert problem in str(later.verify(*given))


def test_holds_where_every_row_may_be_wrong():
    """Of 400 rows the 120 surest are wrong: nothing about the order helps."""
    n_rows, size, target, delta, n_draws = 400, 80, 0.1, 0.2, 400
    truth = np.arange(n_rows) % 2
    labels = np.where(np.arange(n_rows) < 120, 1 - truth, truth)
    confidence, allowed = -np.arange(n_rows), 40
    exact = naive = 0
    for seed in range(n_draws):
        audit = draw_audit(n_rows, size, random_state=seed)
        finished = finish_labels(
            labels, confidence, audit, truth[audit.rows], target=target, delta=delta
        )
        automatic = np.setdiff1d(np.flatnonzero(finished.accepted), audit.rows)
        exact += np.sum(labels[automatic] != truth[automatic]) > allowed
        # Control: accept while the errors seen, scaled up, are within the target.
        errors = np.sort(audit.rows[labels[audit.rows] != truth[audit.rows]])
        tolerated = int(allowed / (n_rows / size - 1))
        cut = errors[tolerated] if tolerated < len(errors) else n_rows
        rest = np.setdiff1d(np.arange(cut), audit.rows)
        naive += np.sum(labels[rest] != truth[rest]) > allowed
    most = binom.ppf(1 - 1e-6, n_draws, delta)
    assert 0.02 * n_draws < exact <= most
    assert naive > most


def test_a_target_that_is_picked_by_its_result_fails_too_often():
    """Why the statement assumes that it was not: 400 of 2,000 rows are wrong."""
    n_rows, size, n_draws, delta = 2000, 200, 1000, 0.1
    most_left = bmax(size, n_rows - size, np.arange(41), delta)  # a target for each
    rng = np.random.default_rng(0)
    fixed = picked = 0
    for _ in range(n_draws):
        wrong, audited = np.zeros((2, n_rows), dtype=bool)
        wrong[rng.choice(n_rows, 400, replace=False)] = True
        audited[rng.choice(n_rows, size, replace=False)] = True
        errors = np.append(np.flatnonzero(wrong & audited), [n_rows] * 41)[:41]
        left = np.append(0, np.cumsum(wrong & ~audited))[errors]
        n_automatic = np.append(0, np.cumsum(~audited))[errors]
        fixed += left[2] > most_left[2]
        best = np.argmax(n_automatic / most_left)
        picked += left[best] > most_left[best]
    most = binom.ppf(1 - 1e-6, n_draws, delta)
    assert fixed <= most < picked


@pytest.mark.parametrize("target", [0.1, 0.001])
@pytest.mark.parametrize(("dtype", "other"), [(int, bool), (bool, int), (bool, str)])
def test_people_who_complete_use_labels_of_the_same_type(dtype, other, target):
    """As integers, True would become 1."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # nothing is automatic at the lower target
        truth, _, finished = finish(target=target, dtype=dtype)
    with pytest.raises(ValueError, match="human_labels must be of one type"):
        finished.complete(with_confidence(dtype=other)[0][finished.to_annotators])
    # Numbers of another kind, and texts of numbers, are the same labels.
    if dtype is int:
        for kind in (float, str):
            completed = finished.complete(truth[finished.to_annotators].astype(kind))
            assert completed.labels.dtype == np.int64


@pytest.mark.parametrize("kind", [int, str, bool])
def test_labels_that_people_gave_before_are_kept(kind):
    rng = np.random.RandomState(0)
    truth = rng.randint(2, size=1000).astype(kind)
    labels = np.where(np.arange(1000) % 20, truth, truth[::-1])
    confidence = rng.uniform(size=1000)
    pilot = draw_audit(1000, 60, labels=labels, random_state=1)
    known = pilot.labels_by_row(truth[pilot.rows])
    fixed = {"labels": labels, "confidence": confidence, "random_state": 2}
    audit = draw_audit(1000, 200, exclude=pilot, known_labels=known, **fixed)
    again = draw_audit(1000, 200, known_labels=known, **fixed)
    assert audit == replace(again, date=audit.date, digest=audit.digest)
    assert audit.excluded.tolist() == sorted(pilot.rows)
    assert Audit.from_json(audit.to_json()) == audit
    assert audit.verify(labels, confidence)
    given = labels, confidence, audit, truth[audit.rows]
    finished = finish_labels(*given, target=0.03)
    done = finished.complete(truth[finished.to_annotators])
    assert done.labels[pilot.rows].tolist() == truth[pilot.rows].tolist()
    assert np.isin(done.labels, truth).all()
    assert np.mean(done.labels != truth.astype(done.labels.dtype)) <= 0.03
    assert "of all 1000 rows" in done.certificate.claim
    assert "known before the audit are right" in done.certificate.statement
    assert done.certificate.verify(*given, finished_labels=done.labels)


def test_known_labels_are_checked_at_the_draw():
    labels = np.where(np.arange(100) % 2, "ham", "spam")
    known = np.where(np.arange(100) < 10, "spam", None)
    for given, exclude, message in (
        (known, [10], "labels of all rows in ex"),
        (known[:10], (), "have one label for each of"),
        (np.where(known == "spam", "yes", None), (), "hold labels that are in lab"),
        (labels, (), "labels of at most 98"),
    ):
        with pytest.raises(ValueError, match=f"known_labels must (be )?{message}"):
            draw_audit(100, 9, labels=labels, exclude=exclude, known_labels=given)


def test_equally_sure_rows_are_accepted_by_their_places_which_is_said():
    truth = np.repeat([0, 1], 500)  # sorted by class
    audit = draw_audit(1000, 200, labels=truth, random_state=0)
    wrong = np.isin(np.arange(1000), audit.rows[truth[audit.rows] == 1][-12:])
    answers = np.where(wrong, 0, truth)[audit.rows]
    with pytest.warns(UserWarning, match="1000 rows are equally sure, and the first"):
        finished = finish_labels(truth, np.ones(1000), audit, answers, target=0.05)
    n = finished.accepted.sum()
    assert 0 < n < 1000
    assert finished.accepted[:n].all()
    # Few ties, and ties that are accepted as a whole, need no word.
    finish_labels(truth, np.arange(1000) // 20, audit, answers, target=0.05)
    finish_labels(truth, np.ones(1000), audit, truth[audit.rows], target=0.05)
