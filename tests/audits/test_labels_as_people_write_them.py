"""Labels in other forms and writings, and classes that are called -1, at all doors."""

import json
import re
import unicodedata
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from made import with_errors

from sklearn_pacmdl.audits import (
    Audit,
    certify_difference,
    certify_labels,
    certify_share,
    class_report,
    compare_annotators,
    draw_audit,
    finish_labels,
    plan_finish,
)

N_ROWS = 600
NAMES = {-1: "no", 0: "open", 1: "yes"}


def finished(labels, audit, answers):
    given = labels, np.arange(N_ROWS), audit, answers
    return finish_labels(*given, target=0.05)


def other_labels(labels):
    other = np.array(labels, dtype=object)
    other[::50] = other[0]
    return other


# All functions that compare labels with those of people.
DOORS = {
    "certify_labels": certify_labels,
    "finish_labels": finished,
    "class_report": class_report,
    "certify_difference": lambda labels, audit, answers: certify_difference(
        labels, other_labels(labels), audit, answers
    ),
    "plan_finish": lambda labels, audit, answers: plan_finish(
        np.arange(N_ROWS), 50, pilot=audit, labels=labels, audit_labels=answers
    ),
}


def text_of(result):
    """Without the time at which it was issued, and the digest that follows from it."""
    return re.sub(r"\n *(issued|SHA-256 of this certificate) .*", "", str(result))


doors = pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)


@pytest.mark.parametrize("classes", [[-1, 1], [1.0, -1.0]])
def test_a_class_called_minus_one_is_refused_before_rows_are_drawn(classes):
    labels = with_errors(N_ROWS, 20, classes)[1]
    n = int(np.sum(labels == -1))
    with pytest.raises(ValueError, match=f"labels holds -1 in {n} of 600 rows, and no"):
        draw_audit(N_ROWS, 100, labels=labels)
    drawn_without_label = np.where(labels == -1, None, labels)
    with pytest.warns(UserWarning, match=f"labels is missing in {n} of 600 rows"):
        assert draw_audit(N_ROWS, 100, labels=drawn_without_label).size == 100


def test_minus_one_beside_other_classes_is_named():
    labels = with_errors(N_ROWS, 20, [-1, 0, 1])[1]
    n = int(np.sum(labels == -1))
    with (
        pytest.warns(UserWarning, match=f"labels holds -1 in {n} of 600 rows, which are"),
        pytest.warns(UserWarning, match=f"labels is missing in {n} of 600 rows, which"),
    ):
        draw_audit(N_ROWS, 100, labels=labels)
    assert draw_audit(N_ROWS, 100, labels=labels, classes=NAMES).classes["-1"] == "no"


def in_all_forms(labels):
    """As numbers, as their texts, and by their names."""
    return [labels, labels.astype(float), labels.astype(str),
            np.array([NAMES[label] for label in labels])]  # fmt: skip


@doors
def test_classes_with_names_are_the_same_in_all_forms(door):
    truth, labels = with_errors(N_ROWS, 20, [-1, 0, 1])
    audit = draw_audit(N_ROWS, 200, labels=labels, classes=NAMES, random_state=0)
    audit = Audit.from_json(audit.to_json())
    assert audit.verify(labels)
    assert audit.verify(labels.astype(str))
    answers = in_all_forms(truth[audit.rows])
    results = {text_of(door(labels, audit, each)) for each in answers}
    results |= {text_of(door(each, audit, answers[0])) for each in in_all_forms(labels)}
    assert len(results) == 1


@doors
def test_classes_cannot_be_renamed_after_the_answers(door):
    """Of k! namings one could take the best."""
    truth, labels = with_errors(N_ROWS, 20, [-1, 0, 1])
    audit = draw_audit(N_ROWS, 200, labels=labels, classes=NAMES, random_state=0)
    answers = truth[audit.rows]
    for swapped in ({-1: 1, 0: 0, 1: -1}, {-1: "yes", 0: "open", 1: "no"}):
        renamed = np.array([swapped[label] for label in labels])
        with pytest.raises(ValueError, match="the audit was drawn for"):
            door(renamed, audit, answers)
    for other in ({"-1": "yes", "0": "open", "1": "no"}, {}):
        altered = replace(audit, classes=other)
        assert not altered.verify()
        with pytest.raises(ValueError, match="audit must be as it was drawn|audit was"):
            door(labels, altered, np.abs(answers))


def test_a_finished_data_set_has_the_names(tmp_path):
    truth, labels = with_errors(N_ROWS, 20, [-1, 1])
    confidence = np.arange(N_ROWS)
    names = {-1: "no", 1: "yes"}
    strata = draw_audit(N_ROWS, 60, labels=labels, strata=labels, classes=names)
    assert sum(labels[strata.rows] == -1) == 30
    audit = draw_audit(N_ROWS, 200, labels=labels, classes=names, random_state=0)
    sheet = audit.to_frame()
    sheet["label"] = truth[sheet["row"]]
    sheet.to_csv(tmp_path / "a.csv", index=False)
    answers = audit.read_labels(tmp_path / "a.csv")
    assert set(answers) == {"no", "yes"}
    result = finish_labels(labels, confidence, audit, answers, target=0.02)
    rest = truth[result.to_annotators]
    partly = result.add_labels(np.where(np.arange(len(rest)) < 9, rest, None))
    assert len(partly.to_annotators) == len(rest) - 9 > 0
    complete = partly.complete(partly.read_labels(
        partly.to_frame().assign(label=truth[partly.to_annotators])
    ))  # fmt: skip
    by_name = result.complete(audit.rename(rest))
    assert complete.labels.tolist() == by_name.labels.tolist()
    assert set(complete.labels) == {"no", "yes"}
    given = labels, confidence, audit, answers
    assert complete.certificate.verify(*given, finished_labels=complete.labels)
    whole = certify_labels(labels, audit, answers)
    assert whole.verify(labels, audit, answers)
    assert not whole.verify(-labels, audit, answers)
    assert result.at_targets(y_true=truth).shape == (*result.at_targets().shape[:1], 7)


def test_altered_names_in_a_file_are_detected():
    audit = draw_audit(50, 5, classes={"a": 1, "b": 2}, random_state=0)
    values = json.loads(audit.to_json())
    for other in ({"a": 2, "b": 1}, {"a": 1}, {"a": 1, "b": 1}, {"a": -1, "b": 2}, 3):
        assert not Audit.from_json(json.dumps({**values, "classes": other})).verify()


@doors
def test_numbers_and_their_texts_are_the_same_labels(door):
    truth, labels = with_errors(N_ROWS, 20, [0, 1, 2])
    audit = draw_audit(N_ROWS, 200, labels=labels, random_state=0)
    answers = truth[audit.rows]
    forms = [float, str, object]
    results = {text_of(door(labels.astype(form), audit, answers)) for form in forms}
    results |= {text_of(door(labels, audit, answers.astype(form))) for form in forms}
    assert len(results) == 1


WORDS = ["Größe", "New York", "spam"]
WRITINGS = {
    "NFD": lambda text: unicodedata.normalize("NFD", text),
    "blank at the end": lambda text: f"{text} ",
    "case": str.upper,
    "no break": lambda text: text.replace(" ", "\xa0"),
    "two blanks": lambda text: text.replace(" ", "  "),
    "zero width": lambda text: f"\u200b{text}",
    "full width": lambda text: text.replace("spam", "ｓｐａｍ"),  # noqa: RUF001 (on purpose)
}
writings = pytest.mark.parametrize("write", WRITINGS.values(), ids=WRITINGS)


@doors
@writings
def test_labels_that_differ_in_writing_only_are_refused(door, write):
    truth, labels = with_errors(N_ROWS, 20, WORDS)
    audit = draw_audit(N_ROWS, 100, labels=labels, random_state=0)
    answers = np.array([*map(write, truth[audit.rows])])
    with pytest.raises(ValueError, match=r"audit_labels must be written as labels, got"):
        door(labels, audit, answers)
    door(labels, audit, truth[audit.rows])


@writings
def test_people_who_complete_write_as_others_did(write):
    truth, labels = with_errors(N_ROWS, 20, WORDS)
    confidence = np.arange(N_ROWS)
    audit = draw_audit(N_ROWS, 100, labels=labels, random_state=0)
    answers = truth[audit.rows]
    result = finish_labels(labels, confidence, audit, answers, target=0.04)
    rest = np.array([*map(write, truth[result.to_annotators])])
    for fill_in in (result.complete, result.add_labels):
        with pytest.raises(ValueError, match="human_labels must be written as labels"):
            fill_in(rest)
    rest = truth[result.to_annotators].astype(object)
    rest[0] = "of no row"
    with pytest.warns(
        UserWarning, match=r"not in labels and .*: 'of no row' \(1 row\)\."
    ):
        assert result.complete(rest).labels[result.to_annotators[0]] == "of no row"


@writings
def test_annotators_who_write_differently_do_not_disagree(write):
    truth = with_errors(N_ROWS, 20, WORDS)[0]
    other = np.array([*map(write, truth)])
    with pytest.raises(
        ValueError, match="answers must be written as its most common labels"
    ):
        compare_annotators([truth, other])
    assert compare_annotators([truth, truth]).n_agreed == N_ROWS


@writings
def test_other_labelings_and_classes_are_written_as_the_labels(write):
    truth, labels = with_errors(N_ROWS, 20, WORDS)
    audit = draw_audit(N_ROWS, 100, labels=labels, random_state=0)
    answers = truth[audit.rows]
    other = np.array([*map(write, other_labels(labels))])
    refusals = {
        "second": lambda: certify_difference(labels, other, audit, answers),
        "classes": lambda: class_report(labels, audit, answers, classes=[*{*other}]),
    }
    for name, refused in refusals.items():
        with pytest.raises(
            ValueError, match=f"^{name} must be written as (labels|first)"
        ):
            refused()


@doors
def test_a_handful_of_typos_is_named_and_counts_as_errors(door):
    truth, labels = with_errors(N_ROWS, 20, ["ham", "spam"])
    audit = draw_audit(N_ROWS, 200, labels=labels, random_state=0)
    answers = truth[audit.rows].astype(object)
    at = np.flatnonzero(answers == "spam")[:2]
    answers[at] = ["Spam", "spam?"]
    message = r"'Spam' \(1 row\) differs from 'spam' in case only, 'spam\?' \(1 row\)"
    with pytest.warns(UserWarning, match=message):
        door(labels, audit, answers)
    answers[np.flatnonzero(answers == "spam")[:12]] = "SPAM"
    with pytest.raises(ValueError, match=r"'SPAM' \(12 rows\) differs from 'spam'"):
        door(labels, audit, answers)


@doors
def test_another_vocabulary_is_refused(door):
    truth, labels = with_errors(N_ROWS, 20, ["ham", "spam"])
    audit = draw_audit(N_ROWS, 200, labels=labels, random_state=0)
    answers = np.where(truth[audit.rows] == "ham", "h", "s")
    with pytest.raises(ValueError, match=r"labels, such as 'ham', 'spam', got others: '"):
        door(labels, audit, answers)


def test_labels_to_audit_that_may_be_gaps_or_one_class_are_named():
    labels = with_errors(N_ROWS, 20, ["Ham", "unknown", "ham"])[1]
    with (
        pytest.warns(
            UserWarning, match=r"written alike: 'Ham' \(\d+ rows\) differs from"
        ),
        pytest.warns(
            UserWarning, match=r"stand for a missing label: 'unknown' \(\d+ row"
        ),
    ):
        draw_audit(N_ROWS, 100, labels=labels)


def test_spreadsheets_make_1_of_01():
    """Recall and shares of 01 would miss all rows of which people said so."""
    labels = np.array([f"{month:02d}" for month in np.arange(N_ROWS) % 12 + 1])
    audit = draw_audit(N_ROWS, 200, labels=labels, random_state=0)
    answers = np.array([int(label) for label in labels[audit.rows]])
    for certify in (certify_labels, class_report, partial(certify_share, of="01")):
        with pytest.raises(ValueError, match="'01' in the form of a number only"):
            certify(labels, audit, answers)
