"""Audits of strata: drawn, certified, verified, and refused elsewhere."""

import json
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from math import comb

import numpy as np
import pytest

from sklearn_pacmdl.audits import (
    Audit,
    certify_changed_labels,
    certify_difference,
    certify_labels,
    class_report,
    draw_audit,
    finish_labels,
)
from sklearn_pacmdl.bounds import stratified_upper_bound, total_upper_bound
from sklearn_pacmdl.certificates import (
    AuditCertificate,
    BoundCertificate,
    StrataCertificate,
)

RNG = np.random.RandomState(0)
TRUTH = RNG.choice(["oats", "rye", "spelt"], 900, p=[0.7, 0.25, 0.05])
LABELS = np.where(RNG.uniform(size=900) < 0.1, "rye", TRUTH)
AUDIT = draw_audit(900, 200, labels=LABELS, strata=LABELS, random_state=1)
ANSWERS = TRUTH[AUDIT.rows]
CERTIFICATE = certify_labels(LABELS, AUDIT, ANSWERS)
Y = AUDIT.labels_by_row(ANSWERS)
SIZES = [np.sum(name == LABELS) for name in ("oats", "rye", "spelt")]


def drawn_of(audit, strata):
    return [int(np.sum(strata[audit.rows] == name)) for name in np.unique(strata)]


def shares(n_rows, size):
    """How many rows of each stratum are drawn."""
    strata = np.repeat(np.arange(len(n_rows)), n_rows)
    audit = draw_audit(len(strata), size, strata=strata, random_state=0)
    assert audit.verify()
    return drawn_of(audit, strata)


def test_equally_many_rows_of_each_are_drawn():
    assert min(SIZES) < 66
    rest = 200 - SIZES[2]
    assert drawn_of(AUDIT, LABELS) == [rest - rest // 2, rest // 2, SIZES[2]]
    assert len({*AUDIT.rows}) == AUDIT.size == 200
    # They are mixed: the order does not tell which label a row has.
    assert len(set(LABELS[AUDIT.rows[:20]])) == 3


@pytest.mark.parametrize(
    ("n_rows", "size", "expected"),
    [
        ([5, 5, 5], 9, [3, 3, 3]),
        ([5, 6, 7], 11, [3, 4, 4]),  # the largest first
        ([6, 6, 6], 10, [4, 3, 3]),  # then the first
        ([1, 9, 3], 8, [1, 4, 3]),
        ([1, 9, 3], 12, [1, 8, 3]),
        ([4, 4], 2, [1, 1]),
    ],
)
def test_what_cannot_be_divided(n_rows, size, expected):
    assert shares(n_rows, size) == expected


def test_all_samples_of_each_stratum_are_equally_likely():
    """Also together: samples of strata are independent, in any order."""
    strata, n_draws = np.repeat([0, 1], [4, 3]), 3000
    counts = {}
    for seed in range(n_draws):
        audit = draw_audit(7, 4, strata=strata, random_state=seed)
        sample = tuple(sorted(audit.rows.tolist()))
        counts[sample] = counts.get(sample, 0) + 1
    p = 1 / (comb(4, 2) * comb(3, 2))
    assert len(counts) == 1 / p
    limit = 4.5 * np.sqrt(p * (1 - p) / n_draws)
    assert max(abs(n / n_draws - p) for n in counts.values()) < limit


def test_rows_of_no_stratum_and_excluded_rows_are_not_drawn():
    strata = LABELS.astype(object)
    strata[::2] = None
    audit = draw_audit(900, 100, strata=strata, exclude=np.arange(300), random_state=1)
    assert audit.rows.min() >= 300
    assert np.all(audit.rows % 2 == 1)
    assert audit.verify()
    numbers = np.unique(strata[1::2], return_inverse=True)[1]
    codes = np.full(900, -1)
    codes[1::2] = numbers
    again = draw_audit(900, 100, strata=codes, exclude=np.arange(300), random_state=1)
    np.testing.assert_array_equal(again.rows, audit.rows)
    # They count in full.
    certificate = certify_labels(LABELS, audit, TRUTH[audit.rows])
    assert certificate.max_test_errors > 300
    assert "in 4 strata" in certificate.statement
    y = audit.labels_by_row(TRUTH[audit.rows])
    assert certificate.verify(y, LABELS, audit=audit)
    without = certify_labels(strata, audit, TRUTH[audit.rows])
    assert without.n_test_abstained == 300
    assert "in 3 strata" in without.statement
    assert without.verify(y, strata, audit=audit)


def test_the_certificate_counts_strata():
    wrong = (TRUTH != LABELS)[AUDIT.rows]
    names = np.unique(LABELS)
    found = [int(wrong[LABELS[AUDIT.rows] == name].sum()) for name in names]
    bound = stratified_upper_bound(found, drawn_of(AUDIT, LABELS), SIZES, 0.1)
    assert CERTIFICATE.n_train_errors + CERTIFICATE.max_test_errors == bound
    assert CERTIFICATE.kind == "strata"
    assert "choice of the 200 audited rows in 3 strata, at most" in CERTIFICATE.statement
    assert BoundCertificate.from_json(CERTIFICATE.to_json()) == CERTIFICATE
    verification = CERTIFICATE.verify(Y, LABELS, audit=AUDIT)
    assert verification
    assert verification.method == "enclosure"
    looser = CERTIFICATE.restated(delta=0.05)
    assert looser.max_test_errors > CERTIFICATE.max_test_errors
    assert looser.verify()


def moved(parts):
    """The same totals, with an error in another stratum."""
    counts = [*map(list, parts)]
    at = np.argmax([found for *_, found in counts])
    counts[at][3] -= 1
    counts[at - 1][3] += 1
    return tuple(map(tuple, counts))


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda parts: (*parts, (1, 1, 1, 0)), "do not add up"),
        (lambda parts: "many", "parts must be tuples of four counts"),
        (lambda parts: 3, "parts must be tuples of four counts"),
        (lambda parts: (*parts, (1, 0, 0, 0)), "parts must be strata with rows"),
        (moved, "counts of strata are not those of the data"),
    ],
)
def test_altered_counts_are_detected(change, problem):
    altered = replace(CERTIFICATE, parts=change(CERTIFICATE.parts))
    if change is moved:  # with the bound that follows
        altered = altered._issued()
    verification = altered.verify(Y, LABELS, audit=AUDIT)
    assert not verification
    assert any(problem in text for text in verification.problems)


def test_altered_strata_are_detected():
    assert Audit.from_json(AUDIT.to_json()) == AUDIT
    values = json.loads(AUDIT.to_json())

    def problems(number):
        design = {"kind": "strata", "number": number}
        altered = Audit.from_json(json.dumps(values | {"design": design}))
        sealed = replace(altered, digest="")
        return str(replace(sealed, digest=sealed._fingerprint()).verify())

    strata = values["design"]["number"]
    swapped = strata.copy()
    swapped[AUDIT.rows[0]] = (swapped[AUDIT.rows[0]] + 1) % 3
    assert "rows are not those that follow" in problems(swapped)
    assert "rows are not those that follow" in problems([-1] * 900)
    assert "numbers of strata" in problems([*strata[:-1], 10**6])
    assert "numbers of strata" in problems([-2] * 900)
    assert "numbers of strata" in problems([0] * 899)
    as_rows = {"design": {"kind": "audit", "number": strata}}
    altered = Audit.from_json(json.dumps(values | as_rows))
    assert "design has numbers of groups or strata" in str(altered.verify())
    for design in ("strata", [], {"kind": "cells", "number": []}, {"kind": "audit"}):
        with pytest.raises(ValueError, match="Not an audit: "):
            Audit.from_json(json.dumps(values | {"design": design}))


def test_strata_are_not_taken_for_one_uniform_sample():
    counts = CERTIFICATE.n_train, CERTIFICATE.n_test, CERTIFICATE.n_train_errors
    given = {"weights": {}, "fingerprints": CERTIFICATE.fingerprints}
    forged = AuditCertificate.from_counts(*counts, **given)
    assert forged.verify()
    assert forged.verify(Y, LABELS, audit=AUDIT).problems == (
        "audit: it is one of strata, and the certificate is not",
    )
    with pytest.raises(ValueError, match="max_people_errors must be 0 where strata we"):
        replace(CERTIFICATE, max_people_errors=2)._issued()


# Exhaustively: all truths of few rows, and all samples of each stratum.


@cache
def stated(found, audited, n_rows, delta):
    """Most errors of all rows, by the certificate."""
    certificate = StrataCertificate.from_counts(
        sum(audited),
        sum(n_rows) - sum(audited),
        sum(found),
        weights={},
        delta=delta,
        parts=[(1, *each) for each in zip(n_rows, audited, found, strict=True)],
    )
    return certificate.stated[0]


@cache
def as_if_uniform(found, audited, n_rows, delta):
    """The control: one uniform sample of all rows."""
    return total_upper_bound(sum(found), sum(audited), sum(n_rows), delta)


def worst_chance(bound, n_rows, size, delta):
    """Largest probability, over all truths, that there are more errors than stated."""
    audited = tuple(shares(n_rows, size))
    worst = Fraction(0)
    for errors in product(*(range(n + 1) for n in n_rows)):
        failed = Fraction(0)
        for found in product(*(range(m + 1) for m in audited)):
            if bound(found, audited, n_rows, delta) < sum(errors):
                chance = Fraction(1)
                for e, x, m, n in zip(errors, found, audited, n_rows, strict=True):
                    ways = comb(e, x) * comb(n - e, m - x) if m - x >= 0 else 0
                    chance *= Fraction(ways, comb(n, m))
                failed += chance
        worst = max(worst, failed)
    return worst


STRATA = [(5, 5), (3, 8), (2, 9), (1, 4, 6), (3, 3, 4)]


@pytest.mark.parametrize("delta", [0.1, 0.3, 0.5])
@pytest.mark.parametrize("n_rows", STRATA)
def test_no_statement_fails_more_often_than_delta(n_rows, delta):
    for size in range(len(n_rows), sum(n_rows)):
        assert worst_chance(stated, n_rows, size, delta) <= Fraction(str(delta))


def test_bounds_of_uniform_samples_fail():
    assert worst_chance(as_if_uniform, (2, 9), 4, 0.3) > Fraction("0.45")
    assert worst_chance(as_if_uniform, (3, 8), 6, 0.1) > Fraction("0.15")


def test_what_strata_do_not_allow_is_refused():
    for text, call in {
        "audit must be one without strata for finish_labels": lambda: finish_labels(
            LABELS, np.arange(900), AUDIT, ANSWERS, target=0.1
        ),
        "audit must be one without strata for class_report": lambda: class_report(
            LABELS, AUDIT, ANSWERS
        ),
        "without strata for certify_difference": lambda: certify_difference(
            LABELS, TRUTH, draw_audit(900, 9, strata=LABELS, random_state=0), TRUTH[:9]
        ),
        "sides must": lambda: certify_labels(LABELS, AUDIT, ANSWERS, sides=2),
        "max_people_errors must": lambda: certify_labels(
            LABELS, AUDIT, ANSWERS, max_people_errors=1
        ),
        "must be an AuditCertificate": lambda: certify_changed_labels(
            CERTIFICATE, LABELS, LABELS
        ),
        "confidence must": lambda: draw_audit(
            900, 5, strata=LABELS, confidence=np.arange(900)
        ),
        "strata must be None where groups": lambda: draw_audit(
            900, 5, strata=LABELS, groups=LABELS
        ),
        "size must be an integer from 3 to 899": lambda: draw_audit(
            900, 2, strata=LABELS
        ),
        "strata must be at least two strata": lambda: draw_audit(
            900, 1, strata=np.zeros(900, dtype=int)
        ),
        "strata must be at least two": lambda: draw_audit(9, 5, strata=np.arange(9)),
        "strata must have one label for each": lambda: draw_audit(
            900, 3, strata=LABELS[1:]
        ),
    }.items():
        with pytest.raises(ValueError, match=text):
            call()
