"""Errors of people in an audit: what is stated if they are allowed for; it holds.

Whoever makes people err may know everything: all labels, all errors, and which rows were
drawn. So each choice of rows about which people are wrong is tried; of certified labels
in test_two_sides.py.
"""

from fractions import Fraction
from functools import cache
from itertools import combinations, product
from math import comb

import numpy as np
import pytest
from made import CONFIDENCE, FIXED, ONCE, REST, TARGET, finish

from sklearn_pacmdl.audits import (
    certify_labels,
    draw_audit,
    finish_labels,
)
from sklearn_pacmdl.bounds import bmax, tolerated_audit_errors
from sklearn_pacmdl.certificates import Certificate

# Errors of tests are often of a class that no row has.
pytestmark = pytest.mark.filterwarnings(
    "ignore:audit_labels holds labels that are not in labels"
)


def wrong_answers(size, most):
    """Every choice of at most so many of the audited rows, as a mask."""
    for count in range(most + 1):
        for chosen in combinations(range(size), count):
            yield np.isin(np.arange(size), chosen)


def cut_in_words(wrong, audited, found, tolerated):
    """Rows before one error too many that people found, of rows from the surest."""
    seen = [row for row in range(len(wrong)) if row in audited and found[row]]
    if tolerated < 0:
        return 0
    return seen[tolerated] if len(seen) > tolerated else len(wrong)


@cache
def most_found(n_rows, size, max_errors, delta, allowed):
    """Errors that people may find among accepted rows, as a certificate has them."""
    audit, zeros = draw_audit(n_rows, size, random_state=0), np.zeros(n_rows, dtype=int)
    target = (max_errors + 0.5) / n_rows
    options = {"target": target, "delta": delta, "max_annotator_errors": allowed}
    finished = finish_labels(zeros, zeros, audit, zeros[:size], **options)
    return finished.certificate.n_train_errors - allowed


def broken_chance(wrong, size, max_errors, delta, *, made, allowed):
    """Share of audits that people can make leave too many errors in the finished set."""
    n_rows, failures = len(wrong), 0
    tolerated = most_found(n_rows, size, max_errors, delta, allowed)
    for audited in combinations(range(n_rows), size):
        left = []
        for mistaken in wrong_answers(size, made):
            # People take right labels for wrong ones, and wrong ones for right ones.
            lies = dict(zip(audited, mistaken.tolist(), strict=True))
            found = {row: wrong[row] != lie for row, lie in lies.items()}
            cut = cut_in_words(wrong, audited, found, tolerated)
            unaudited = [row for row in range(cut) if row not in audited]
            left.append(sum(wrong[row] for row in unaudited) + sum(mistaken))
        failures += max(left) > max_errors
    return Fraction(failures, comb(n_rows, size))


def worst_chance(n_rows, size, max_errors, delta, **errors):
    return max(
        broken_chance(wrong, size, max_errors, delta, **errors)
        for wrong in product([0, 1], repeat=n_rows)
    )


@pytest.mark.parametrize(
    ("n_rows", "size", "max_errors", "delta"),
    [(7, 3, 3, 0.4), (8, 5, 2, 0.6)],
)
def test_finished_labels_hold_whatever_people_get_wrong(n_rows, size, max_errors, delta):
    chance = worst_chance(n_rows, size, max_errors, delta, made=1, allowed=1)
    assert 0.3 < chance <= Fraction(str(delta))  # it could have failed


def test_finishing_without_allowing_for_errors_of_people_breaks_the_statement():
    wrong = (1, 1, 1, 1, 1, 0, 0)
    assert broken_chance(wrong, 3, 3, 0.4, made=1, allowed=0) > Fraction(2, 5)


def test_a_certificate_says_what_is_allowed_for():
    labels = np.zeros(1000, dtype=int)
    audit = draw_audit(1000, 200, labels=labels, random_state=0)
    certificate = certify_labels(labels, audit, labels[:200], max_annotator_errors=3)
    assert certificate.n_train_errors == certificate.max_annotator_errors == 3
    assert certificate.max_test_errors == bmax(200, 800, 3, 0.1)
    assert certificate.statement == (
        "With probability at least 90% over the random choice of the 200 audited rows, "
        "at most 31 of all 1000 rows (3.10%) are labeled wrongly: at most 3 of the 200 "
        "audited rows and at most 28 of the 800 others, provided people labeled at most "
        f"3 of the audited rows wrongly and {ONCE}."
    )
    assert certificate.verify(labels, audit, labels[:200])
    again = Certificate.from_json(certificate.to_json())
    assert again == certificate
    assert again.verify()
    assert certificate.restated(delta=0.01).verify()


@pytest.mark.parametrize(
    ("n_errors", "allowed", "counted"), [(2, 0, 2), (2, 3, 5), (18, 5, 20), (0, 20, 20)]
)
def test_no_more_errors_are_counted_than_rows(n_errors, allowed, counted):
    labels = np.zeros(100, dtype=int)
    audit = draw_audit(100, 20, labels=labels)
    answers = (np.arange(20) < n_errors).astype(int)
    certificate = certify_labels(labels, audit, answers, max_annotator_errors=allowed)
    assert certificate.n_train_errors == counted
    assert certificate.verify(labels, audit, answers)
    if counted < 20:
        answers[19] = 1
        problem = f"n_train_errors is {counted} here and {counted + 1} in the data"
        assert problem in certificate.verify(labels, audit, answers).problems


def test_finishing_stops_earlier_and_leaves_errors_to_the_audited_rows():
    truth, given, finished = finish(600, 250, max_annotator_errors=2)
    labels, confidence, audit, _ = given
    seen = tolerated_audit_errors(250, 350, 60 - 2, 0.1) - 2
    order = np.argsort(-confidence)
    wrong = np.isin(order, audit.rows) & (labels != truth)[order]
    cut = np.flatnonzero(wrong)[seen]
    assert sorted(order[:cut]) == np.flatnonzero(finished.accepted).tolist()
    certificate = finished.certificate
    assert certificate.n_train_errors == seen + 2
    b = certificate.max_test_errors
    automatic, left = 350 - len(finished.to_annotators), len(finished.to_annotators)
    assert b == bmax(250, 350, seen + 2, 0.1) <= 58
    assert certificate.claim == (
        f"once people have labeled the {left} rows that are left, at most {b + 2} of all "
        f"600 rows (9.84%) are labeled wrongly, and at most {b} of these are among the "
        f"{automatic} rows that were labeled automatically, and the others among the "
        "audited rows"
    )
    people = "people labeled at most 2 of the audited rows wrongly"
    assert certificate.provisos == (people, ONCE, REST, TARGET, FIXED, CONFIDENCE)
    assert certificate.verify(*given)
    assert finished.complete(truth[finished.to_annotators]).certificate.verify()
    (own,) = finished.at_targets().query("certified").to_dict("records")
    assert own["max_errors"] == b + 2
    assert own["share_automatic"] == finished.share_automatic
    for target, line in finished.at_targets([0.05, 0.2]).iterrows():
        other = finish_labels(*given, target=target, max_annotator_errors=2)
        assert line["n_to_annotators"] == len(other.to_annotators)
    nobody = finish_labels(*given, target=0.999, max_annotator_errors=249).at_targets()
    assert len(nobody) == 2


@pytest.mark.parametrize(("target", "allowed"), [(0.003, 2), (0.1, 60), (0.1, 50)])
def test_an_audit_may_be_too_small_for_the_errors_of_people(target, allowed):
    with pytest.warns(UserWarning, match=f"max_annotator_errors={allowed} and delta=0.1"):
        _, _, finished = finish(600, 250, target, max_annotator_errors=allowed)
    assert finished.certificate is None
    assert not finished.accepted.any()
