"""Audits of rows that somebody else drew: what they assume, refuse, and state."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from made import sealed, with_errors

from sklearn_pacmdl.audits import (
    Audit,
    certify_labels,
    certify_share,
    class_report,
    draw_audit,
    finish_labels,
)
from sklearn_pacmdl.bounds import groups_upper_bound, stratified_upper_bound
from sklearn_pacmdl.random_choice import random_choice_test

N_ROWS = 600
TRUTH, LABELS = with_errors(N_ROWS, 60)
ORDER = np.random.RandomState(0).permutation(N_ROWS)
CONFIDENCE = np.random.RandomState(1).uniform(size=N_ROWS)
GROUPS = np.arange(N_ROWS) // 10
UNDRAWN = "agrees with the data, but no seed shows how the rows were chosen"
BY = "are all that were drawn, uniformly at random, by 'project 7'"
WITHOUT = "labels, confidences, groups and strata were made without the human labels of"


def of_rows(rows=ORDER[:100], **options):
    return Audit.of_rows(rows, N_ROWS, source="project 7", **options)


def test_rows_keep_the_order_in_which_they_are_given():
    assert of_rows().rows.tolist() == ORDER[:100].tolist()
    mask = np.isin(np.arange(N_ROWS), ORDER[:100])
    assert of_rows(mask).rows.tolist() == np.flatnonzero(mask).tolist()
    assert (of_rows().seed, of_rows().source) == (None, "project 7")


@pytest.mark.parametrize(
    "function",
    [
        certify_labels,
        class_report,
        partial(certify_share, of=1),
        lambda labels, *data: (
            finish_labels(labels, CONFIDENCE, *data, target=0.2).certificate
        ),
    ],
)
def test_statements_are_those_of_drawn_rows_but_for_the_choice(function):
    drawn = draw_audit(N_ROWS, 100, labels=LABELS, confidence=CONFIDENCE, random_state=0)
    audit = of_rows(drawn.rows, labels=LABELS, confidence=CONFIDENCE)
    answers = TRUTH[drawn.rows]
    ours, theirs = function(LABELS, audit, answers), function(LABELS, drawn, answers)
    assert ours.claim == theirs.claim
    assert audit.provisos == (f"the audited rows {BY}", f"{WITHOUT} these rows")
    assert {*ours.provisos} - {*theirs.provisos} == {*audit.provisos}
    assert "(as its author states)" not in ours.statement
    # Of a labeling that the audit does not know, the same is assumed, and no date.
    statement = function(LABELS, of_rows(drawn.rows), answers).statement
    assert "labeling was fixed before the audit" not in statement
    assert f"{WITHOUT} these rows" in statement


def test_what_is_stored_and_altered():
    audit = of_rows(labels=LABELS)
    assert Audit.from_json(audit.to_json()) == audit
    assert "by project 7" in audit._repr_html_()
    for source in (None, "x" * 201):
        assert not sealed(audit, source=source).verify()
    for changes in ({"seed": 3}, {"rows": audit.rows[:0]}):
        assert not sealed(audit, **changes).verify()
    assert sealed(audit, source="project 8").verify()  # which every statement quotes


def test_whole_groups_are_shuffled_by_a_seed_and_drawn_by_nobody_again():
    """Bets on groups need an order that does not depend on their errors."""
    drawn = np.random.RandomState(0).permutation(60)[:12]
    rows = np.flatnonzero(np.isin(GROUPS, drawn))
    by_errors = rows[np.argsort(LABELS[rows] != TRUTH[rows], kind="stable")]
    audit, again, other = (
        of_rows(each, groups=GROUPS, random_state=seed)
        for each, seed in ((rows, 5), (by_errors, 5), (rows, 6))
    )
    assert audit.rows.tolist() == again.rows.tolist() != other.rows.tolist()
    order = GROUPS[audit.rows[::10]]
    assert sorted(order.tolist()) == sorted(drawn.tolist()) != order.tolist()
    certificate = certify_labels(LABELS, audit, TRUTH[audit.rows])
    assert f"the audited groups {BY}" in certificate.statement
    errors = [int(np.sum((LABELS != TRUTH)[k == GROUPS])) for k in order]
    most = groups_upper_bound(errors, [10] * 12, [10] * 48, 0.1)
    assert certificate.stated[0] == most
    assert certificate.verify(LABELS, audit, TRUTH[audit.rows]).outcome == UNDRAWN
    for rows in (audit.rows[::-1], audit.rows[:-1]):
        assert not sealed(audit, rows=rows).verify()


def test_strata_may_have_any_numbers_of_drawn_rows():
    strata = np.where(np.arange(N_ROWS) < 400, "many", "few")
    rows = np.concatenate([ORDER[ORDER < 400][:50], ORDER[ORDER >= 400][:10]])
    audit = of_rows(rows, strata=strata, labels=LABELS)
    certificate = certify_labels(LABELS, audit, TRUTH[rows])
    assert f"the audited rows of each stratum {BY}" in certificate.statement
    wrong = (LABELS != TRUTH)[rows]
    found = wrong[50:].sum(), wrong[:50].sum()
    most = stratified_upper_bound(found, [10, 50], [200, 400], 0.1)
    assert certificate.n_train_errors + certificate.max_test_errors == most
    gaps = np.where(np.arange(N_ROWS) % 6, strata, None).astype(object)
    with pytest.warns(UserWarning, match="strata is missing in 100 of 600 rows"):
        some = of_rows(rows[rows % 6 > 0], strata=gaps)
    assert len(some.pool) == 500


def test_rows_without_a_label_belong_to_the_audit():
    """Others drew without a look at labels."""
    labels = np.where(np.arange(N_ROWS) % 5, LABELS, -1)
    audit = of_rows(labels=labels, classes={0: "a", 1: "b", 2: "c"}, test=TEST)
    assert len(audit.pool) == N_ROWS
    certificate = certify_labels(labels, audit, TRUTH[audit.rows])
    assert certificate.n_train_abstained == np.sum(audit.rows % 5 == 0)
    finished = finish_labels(labels, CONFIDENCE, audit, TRUTH[audit.rows], target=0.3)
    left = np.setdiff1d(np.flatnonzero(labels == -1), audit.rows)
    assert {*left} <= {*finished.to_annotators}


TEST = random_choice_test(ORDER[:100], n_samples=N_ROWS)


def test_known_labels_are_of_rows_that_could_not_be_drawn():
    known = np.where(np.isin(np.arange(N_ROWS), ORDER[100:150]), TRUTH, -1)
    audit = of_rows(labels=LABELS, known_labels=known)
    assert audit.excluded.tolist() == sorted(ORDER[100:150].tolist())
    drawn = draw_audit(N_ROWS, 20, exclude=audit, random_state=0)
    assert {*ORDER[:150]} == {*drawn.excluded}


@pytest.mark.parametrize(
    ("rows", "what"),
    [
        (np.arange(100), "form too few runs of adjacent rows"),
        (np.flatnonzero(LABELS == 1)[:150:2], "labels"),
    ],
)
def test_a_choice_that_does_not_look_random_is_said_in_every_statement(rows, what):
    with pytest.warns(UserWarning, match="do not look like a uniformly random choice"):
        audit = of_rows(rows, labels=LABELS)
    assert audit.random_choice_p_value <= 0.001
    certificate = certify_labels(LABELS, audit, TRUTH[audit.rows])
    assert certificate.caveat.startswith("the labeled rows do not look like a random")
    assert "but the labeled rows do not look like a random" in certificate.statement


HALVES = np.arange(N_ROWS) // 300
ODD = np.concatenate([ORDER[ORDER < 300][:50], np.arange(300, 350)])
FAIR = np.flatnonzero(np.isin(GROUPS, ORDER[ORDER < 60][:15]))


@pytest.mark.parametrize(
    ("by", "odd", "fair"),
    [
        ({"strata": HALVES}, ODD, ORDER[:100]),
        ({"groups": GROUPS}, np.flatnonzero(GROUPS < 15), FAIR),
    ],
)
def test_the_choice_is_tested_within_strata_and_by_group(by, odd, fair):
    with pytest.warns(UserWarning, match="do not look like"):
        of_rows(odd, **by)
    assert of_rows(fair, **by).random_choice_p_value > 0.001


def test_a_test_that_was_made_already_is_taken():
    assert of_rows(test=TEST).random_choice_p_value == TEST.p_value
    doubtful = replace(TEST, p_value=0.0005)
    audit = of_rows(test=doubtful)
    assert audit.random_choice_test.startswith("the labeled rows do not look like")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rows": [1, 5, 5]}, r"must be drawn without replacement, .* repeats \[5\]"),
        ({"rows": [1, N_ROWS]}, "rows must be a mask of 600 rows, or indices"),
        ({"rows": [0.5, 1]}, "rows must be a mask of 600 rows, or indices"),
        ({"rows": []}, "rows must be"),
        ({"rows": np.arange(N_ROWS)}, "rows must be at least one row, and fewer than"),
        ({"exclude": ORDER[:3]}, "rows must be rows that could be drawn: not excluded"),
        ({"groups": GROUPS}, "rows must be all rows of each group that was drawn"),
        ({"groups": GROUPS, "strata": GROUPS}, "strata must be None where groups"),
        ({"strata": np.where(LABELS, "a", None)}, "of a stratum"),
        ({"random_state": 0}, "random_state must be None without groups to shuffle"),
        ({"test": 0.5}, "test must be None or a result of random_choice_test"),
        ({"source": ""}, "source must be a text of 1 to 200 printable"),
        ({"source": None}, "source must be a text of 1 to 200 printable"),
        ({"groups": GROUPS, "confidence": CONFIDENCE}, "confidence must be left out"),
    ],
)
@pytest.mark.filterwarnings("ignore:strata is missing")
def test_what_is_refused(options, message):
    given = {"rows": ORDER[:100], "n_rows": N_ROWS, "source": "project 7"}
    with pytest.raises((ValueError, TypeError), match=message):
        Audit.of_rows(**(given | options))
