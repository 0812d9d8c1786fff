"""Labels that give other names to the classes are refused by every function."""

import inspect
import re
from functools import partial

import numpy as np
import pytest

from sklearn_pacmdl import audits
from sklearn_pacmdl.audits import (
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
TRUTH = np.where(ROWS % 3, "ham", "spam")
OTHER = np.where(TRUTH == "ham", "spam", "ham")
GOOD = np.where(ROWS % 20, TRUTH, OTHER)  # 50 are wrong
BAD = np.where(ROWS % 5, TRUTH, OTHER)  # 200 are wrong
AUDIT = draw_audit(N_ROWS, 200, random_state=0)
DRAWN = AUDIT.rows

NAMES = {
    "numbers": (0, 1),
    "texts of numbers": ("0", "1"),
    "yes and no": ("no", "yes"),
    "truth values": (False, True),
    "their texts": ("False", "True"),
    "case": ("HAM", "Spam"),
    "blanks": ("ham ", " spam"),
}
names = pytest.mark.parametrize("pair", NAMES.values(), ids=NAMES)


def renamed(labels, pair):
    return np.array([pair[label == "spam"] for label in labels])


def finished(labels, audit, audit_labels):
    return finish_labels(labels, -ROWS, audit, audit_labels, target=0.03)


# Called with a labeling, the audit and human labels.
DOORS = {
    "certify_labels": certify_labels,
    "certify_share": lambda labels, audit, audit_labels: certify_share(
        labels, audit, audit_labels, of=labels[0].item()
    ),
    "class_report": class_report,
    "finish_labels": finished,
    "plan_finish": lambda labels, audit, audit_labels: plan_finish(
        ROWS, 50, pilot=audit, labels=labels, audit_labels=audit_labels
    ),
    "certify_difference": lambda labels, audit, audit_labels: certify_difference(
        labels, BAD, audit, audit_labels
    ),
    "certify_difference, second": lambda labels, audit, audit_labels: certify_difference(
        BAD, labels, audit, audit_labels
    ),
}
REFUSAL = r"must (hold labels that are in|be written as|be of one type)"


def test_all_functions_are_called():
    functions = {name: getattr(audits, name) for name in audits.__all__}
    called = {
        name
        for name, function in functions.items()
        if inspect.isfunction(function)
        and "audit_labels" in inspect.signature(function).parameters
    }
    assert called == {name.partition(",")[0] for name in DOORS}


@names
@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
def test_classes_have_one_name(door, pair):
    assert door(GOOD, AUDIT, TRUTH[DRAWN])
    with pytest.raises(ValueError, match=REFUSAL):
        door(renamed(GOOD, pair), AUDIT, TRUTH[DRAWN])
    with pytest.raises(ValueError, match=REFUSAL):
        door(GOOD, AUDIT, renamed(TRUTH, pair)[DRAWN])


@names
def test_labels_that_are_added_later_have_the_same_names(pair):
    done = finished(GOOD, AUDIT, TRUTH[DRAWN])
    rest = renamed(TRUTH, pair)
    for add in done.add_labels, done.complete:
        assert add(TRUTH[done.to_annotators])
        with pytest.raises(ValueError, match=f"human_labels {REFUSAL}|human_labels must"):
            add(rest[done.to_annotators])
    with pytest.raises(ValueError, match=f"y_true {REFUSAL}"):
        done.at_targets(y_true=rest)


@names
def test_annotators_use_the_same_names(pair):
    other = renamed(GOOD, pair)
    with pytest.raises(
        (ValueError, TypeError), match=r"answers.* must (hold|be written)"
    ):
        compare_annotators([TRUTH, GOOD, other])
    agreement = compare_annotators([TRUTH, GOOD])
    with pytest.raises(ValueError, match=f"settled {REFUSAL}|settled must"):
        agreement.labels(settled=other)


def test_a_labeling_that_has_some_of_the_classes_is_named_in_a_warning():
    coarse = np.where(TRUTH == "ham", "ham", "other")
    message = re.escape("audit_labels holds labels that are not in first: 'spam' (")
    with pytest.warns(UserWarning, match=rf"{message}.*errors of first\."):
        certificate = certify_difference(coarse, GOOD, AUDIT, TRUTH[DRAWN])
    assert certificate.upper_bound < 0


@pytest.mark.parametrize("few", [1, 5])
def test_no_winner_where_few_rows_were_audited(few):
    audit = draw_audit(N_ROWS, few, random_state=0)
    given = BAD, renamed(GOOD, ("0", "1")), audit, TRUTH[audit.rows]
    with pytest.raises(ValueError, match="audit_labels must hold labels .* in second"):
        certify_difference(*given)


def test_classes_that_were_named_at_the_draw_need_not_occur():
    """All of some labels may be wrong."""
    audit = draw_audit(N_ROWS, 50, classes={0: "ham", 1: "spam"}, random_state=0)
    certify = partial(certify_labels, np.full(N_ROWS, "ham"))
    answers = np.full(50, "spam")
    assert certify(audit, answers).n_train_errors == 50
    with pytest.raises(ValueError, match=r"name all classes when the audit is drawn"):
        certify(draw_audit(N_ROWS, 50, random_state=0), answers)


@pytest.mark.parametrize("texts", ["first", "second"])
def test_numbers_and_their_texts_are_one_class_of_two_labelings(texts):
    truth = ROWS % 4
    labelings = {
        "first": np.where(ROWS < 100, (truth + 1) % 4, truth),
        "second": np.where(ROWS < 40, (truth + 1) % 4, truth),
    }
    expected = certify_difference(**labelings, audit=AUDIT, audit_labels=truth[DRAWN])
    assert -60 <= expected.upper_bound < 0
    labelings[texts] = labelings[texts].astype(str)
    for name in labelings:
        audit = draw_audit(N_ROWS, 200, labels=labelings[name], random_state=0)
        found = certify_difference(**labelings, audit=audit, audit_labels=truth[DRAWN])
        assert found.claim == expected.claim
