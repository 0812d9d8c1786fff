"""Classes have one name each: in what forms they may be written, and what is refused."""

import inspect
import re
import unicodedata
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from made import with_errors

from sklearn_pacmdl import audits
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

N_ROWS = 1000
ROWS = np.arange(N_ROWS)
AUDIT = draw_audit(N_ROWS, 200, random_state=0)
DRAWN = AUDIT.rows
WORDS = ["Größe", "New York", "spam"]
TRUTH, GOOD = with_errors(N_ROWS, 50, WORDS)
NAMES = {-1: "no", 0: "open", 1: "yes"}  # of classes that are numbers


def worse(labels):
    """Another labeling with the same classes."""
    return np.where(ROWS % 5, labels, np.roll(labels, 1))


def finished(labels, audit, audit_labels):
    return finish_labels(labels, -ROWS, audit, audit_labels, target=0.03)


# All functions that compare labels with those of people.
DOORS = {
    "certify_labels": certify_labels,
    "certify_share": lambda labels, audit, audit_labels: certify_share(
        labels, audit, audit_labels, of=labels[0]
    ),
    "class_report": class_report,
    "finish_labels": finished,
    "plan_finish": lambda labels, audit, audit_labels: plan_finish(
        ROWS, 50, pilot=audit, labels=labels, audit_labels=audit_labels
    ),
    "certify_difference": lambda labels, audit, audit_labels: certify_difference(
        labels, worse(labels), audit, audit_labels
    ),
}
doors = pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)


def test_all_functions_are_called():
    functions = {name: getattr(audits, name) for name in audits.__all__}
    called = {
        name
        for name, function in functions.items()
        if inspect.isfunction(function)
        and "audit_labels" in inspect.signature(function).parameters
    }
    assert called == {*DOORS}


WRITINGS = {
    "NFD": lambda text: unicodedata.normalize("NFD", text),
    "blank at the end": lambda text: f"{text} ",
    "case": str.upper,
    "no break": lambda text: text.replace(" ", "\xa0"),
    "two blanks": lambda text: text.replace(" ", "  "),
    "zero width": lambda text: f"\u200b{text}",
    "full width": lambda text: text.replace("spam", "ｓｐａｍ"),  # noqa: RUF001 (on purpose)
}
OTHERS = {
    "numbers": WORDS.index,
    "texts of numbers": lambda text: str(WORDS.index(text)),
    "letters": lambda text: text[0].lower(),
    "truth values": lambda text: text == "spam",
    "their texts": lambda text: str(text == "spam"),
}
names = pytest.mark.parametrize(
    ("rename", "refusal"),
    [
        *((write, "must be written as ") for write in WRITINGS.values()),
        *((each, "must (hold labels|be of one type)") for each in OTHERS.values()),
    ],
    ids=[*WRITINGS, *OTHERS],
)


def renamed(labels, rename):
    return np.array([*map(rename, labels.tolist())])


@names
@doors
def test_classes_have_one_name(door, rename, refusal):
    assert door(GOOD, AUDIT, TRUTH[DRAWN])
    with pytest.raises(ValueError, match=f"audit_labels {refusal}"):
        door(GOOD, AUDIT, renamed(TRUTH, rename)[DRAWN])
    with pytest.raises(ValueError, match=refusal):
        door(renamed(GOOD, rename), AUDIT, TRUTH[DRAWN])


@names
def test_further_labels_and_classes_have_the_same_names(rename, refusal):
    answers, other = TRUTH[DRAWN], renamed(TRUTH, rename)
    done = finished(GOOD, AUDIT, answers)
    agreement = compare_annotators([TRUTH, GOOD])
    calls = [
        ("second|audit_labels", lambda: certify_difference(GOOD, other, AUDIT, answers)),
        ("human_labels", lambda: done.complete(other[done.to_annotators])),
        ("human_labels", lambda: done.add_labels(other[done.to_annotators])),
        ("y_true", lambda: done.at_targets(y_true=other)),
        ("settled|answers and settled", lambda: agreement.labels(settled=other)),
        (r"answers(\[2\])?", lambda: compare_annotators([TRUTH, GOOD, other])),
    ]
    if "written" in refusal:  # people may find classes that no label has
        named = partial(class_report, classes=[*{*other.tolist()}])
        calls.append(("classes", lambda: named(GOOD, AUDIT, answers)))
    for name, call in calls:
        with pytest.raises((ValueError, TypeError), match=f"^({name}) must (be|hold) "):
            call()


def test_people_who_complete_may_name_a_class_of_no_row():
    result = finished(GOOD, AUDIT, TRUTH[DRAWN])
    rest = TRUTH[result.to_annotators].astype(object)
    rest[0] = "of no row"
    with pytest.warns(UserWarning, match=r"not in labels and .*: 'of no row' \(1 row\)"):
        assert result.complete(rest).labels[result.to_annotators[0]] == "of no row"


@doors
def test_a_handful_of_typos_is_named_and_counts_as_errors(door):
    answers = TRUTH[DRAWN].astype(object)
    answers[np.flatnonzero(answers == "spam")[:2]] = ["Spam", "spam?"]
    message = r"'Spam' \(1 row\) differs from 'spam' in case only, 'spam\?' \(1 row\)"
    with pytest.warns(UserWarning, match=message):
        door(GOOD, AUDIT, answers)
    answers[np.flatnonzero(answers == "spam")[:12]] = "SPAM"
    with pytest.raises(ValueError, match=r"'SPAM' \(12 rows\) differs from 'spam'"):
        door(GOOD, AUDIT, answers)


def test_a_labeling_that_has_some_of_the_classes_is_named_in_a_warning():
    coarse = np.where(TRUTH == "spam", "other", TRUTH)
    message = re.escape("audit_labels holds labels that are not in first: 'spam' (")
    with pytest.warns(UserWarning, match=rf"{message}.*errors of first\."):
        certificate = certify_difference(coarse, GOOD, AUDIT, TRUTH[DRAWN])
    assert certificate.upper_bound < 0


@pytest.mark.parametrize("few", [1, 5])
def test_no_winner_where_few_rows_were_audited(few):
    audit = draw_audit(N_ROWS, few, random_state=0)
    texts = renamed(GOOD, OTHERS["texts of numbers"])
    with pytest.raises(ValueError, match="audit_labels must hold labels .* in second"):
        certify_difference(worse(GOOD), texts, audit, TRUTH[audit.rows])


def test_labels_to_audit_that_may_be_gaps_or_one_class_are_named():
    labels = with_errors(600, 20, ["Ham", "unknown", "ham"])[1]
    with (
        pytest.warns(UserWarning, match=r"alike: 'Ham' \(\d+ rows\) differs from"),
        pytest.warns(UserWarning, match=r"for a missing label: 'unknown' \(\d+ row"),
    ):
        draw_audit(600, 100, labels=labels)


def test_spreadsheets_make_1_of_01():
    """Recall and shares of 01 would miss all rows of which people said so."""
    labels = np.array([f"{month:02d}" for month in ROWS % 12 + 1])
    answers = labels[DRAWN].astype(int)
    for certify in (certify_labels, class_report, partial(certify_share, of="01")):
        with pytest.raises(ValueError, match="'01' in the form of a number only"):
            certify(labels, AUDIT, answers)


# Classes that are numbers


def text_of(result):
    """Without quotes, the time of issue, and the digest that follows from it."""
    return re.sub(r"\n *(issued|SHA-256 of this certificate) .*|'", "", str(result))


@doors
@pytest.mark.parametrize("named", [False, True])
def test_numbers_their_texts_and_their_names_are_the_same_labels(door, named):
    truth, labels = with_errors(N_ROWS, 20, [*NAMES] if named else [0, 1, 2])
    classes = NAMES if named else None
    audit = draw_audit(N_ROWS, 200, labels=labels, classes=classes, random_state=0)
    audit = Audit.from_json(audit.to_json())

    def forms(y):
        by_name = [renamed(y, NAMES.get)] if named else []
        return [*(y.astype(form) for form in (int, float, str, object)), *by_name]

    assert all(audit.verify(each) for each in forms(labels)[:4])
    results = {text_of(door(labels, audit, y)) for y in forms(truth[audit.rows])}
    results |= {text_of(door(y, audit, truth[audit.rows])) for y in forms(labels)}
    assert len(results) == 1


@pytest.mark.parametrize("texts", ["first", "second"])
def test_numbers_and_their_texts_are_one_class_of_two_labelings(texts):
    truth, first = with_errors(N_ROWS, 100, range(4))
    labelings = {"first": first, "second": with_errors(N_ROWS, 40, range(4))[1]}
    expected = certify_difference(**labelings, audit=AUDIT, audit_labels=truth[DRAWN])
    assert -60 <= expected.upper_bound < 0
    labelings[texts] = labelings[texts].astype(str)
    for name in labelings:
        audit = draw_audit(N_ROWS, 200, labels=labelings[name], random_state=0)
        found = certify_difference(**labelings, audit=audit, audit_labels=truth[DRAWN])
        assert found.claim == expected.claim


@pytest.mark.parametrize("classes", [[-1, 1], [1.0, -1.0], [-1, 0, 1]])
def test_a_class_called_minus_one_is_named_before_rows_are_drawn(classes):
    labels = with_errors(600, 20, classes)[1]
    n = int(np.sum(labels == -1))
    has, missing = f"labels holds -1 in {n} of 600 rows, ", f"missing in {n} of 600 rows"
    if len(classes) == 2:
        with pytest.raises(ValueError, match=f"{has}and no"):
            draw_audit(600, 100, labels=labels)
    else:
        with (
            pytest.warns(UserWarning, match=f"{has}which are"),
            pytest.warns(UserWarning, match=f"labels is {missing}, which"),
        ):
            draw_audit(600, 100, labels=labels)
        assert draw_audit(600, 100, labels=labels, classes=NAMES).classes["-1"] == "no"
    with pytest.warns(UserWarning, match=f"labels is {missing}"):
        drawn = draw_audit(600, 100, labels=np.where(labels == -1, None, labels))
    assert drawn.size == 100


@doors
def test_classes_cannot_be_renamed_after_the_answers(door):
    """Of k! namings one could take the best."""
    truth, labels = with_errors(N_ROWS, 20, [-1, 0, 1])
    audit = draw_audit(N_ROWS, 200, labels=labels, classes=NAMES, random_state=0)
    answers = truth[audit.rows]
    for swapped in ({-1: 1, 0: 0, 1: -1}, {-1: "yes", 0: "open", 1: "no"}):
        with pytest.raises(ValueError, match="the audit was drawn for"):
            door(renamed(labels, swapped.get), audit, answers)
    for other in ({"-1": "yes", "0": "open", "1": "no"}, {}):
        altered = replace(audit, classes=other)
        with pytest.raises(ValueError, match="audit must be as it was drawn|audit was"):
            door(labels, altered, np.abs(answers))


def test_classes_that_were_named_at_the_draw_need_not_occur():
    """All of some labels may be wrong."""
    labels, answers = np.full(N_ROWS, "ham"), np.full(50, "spam")
    audit = draw_audit(N_ROWS, 50, classes={0: "ham", 1: "spam"}, random_state=0)
    assert certify_labels(labels, audit, answers).n_train_errors == 50
    with pytest.raises(ValueError, match=r"name all classes when the audit is drawn"):
        certify_labels(labels, draw_audit(N_ROWS, 50, random_state=0), answers)


def test_a_finished_data_set_has_the_names(tmp_path):
    truth, labels = with_errors(N_ROWS, 60, [-1, 1])
    named = {"labels": labels, "classes": {-1: "no", 1: "yes"}}
    strata = draw_audit(N_ROWS, 60, strata=labels, **named)
    assert sum(labels[strata.rows] == -1) == 30
    audit = draw_audit(N_ROWS, 200, random_state=0, **named)
    sheet = audit.to_frame()
    sheet.assign(label=truth[sheet["row"]]).to_csv(tmp_path / "a.csv", index=False)
    answers = audit.read_labels(tmp_path / "a.csv")
    assert set(answers) == {"no", "yes"}
    given = labels, ROWS, audit, answers
    result = finish_labels(*given, target=0.03)
    rest = truth[result.to_annotators]
    partly = result.add_labels(np.where(np.arange(len(rest)) < 9, rest, None))
    assert len(partly.to_annotators) == len(rest) - 9 > 0
    sheet = partly.to_frame().assign(label=truth[partly.to_annotators])
    complete = partly.complete(partly.read_labels(sheet))
    by_name = result.complete(audit.rename(rest))
    assert complete.labels.tolist() == by_name.labels.tolist()
    assert set(complete.labels) == {"no", "yes"}
    assert complete.certificate.verify(*given, finished_labels=complete.labels)
    assert not certify_labels(labels, audit, answers).verify(-labels, audit, answers)
    assert result.at_targets(y_true=truth).shape == (*result.at_targets().shape[:1], 7)
