"""Audits of whole groups: drawn, certified, verified, and refused elsewhere."""

import json
from dataclasses import replace

import numpy as np
import pytest

from sklearn_pacmdl.audits import (
    Audit,
    certify_changed_labels,
    certify_labels,
    class_report,
    draw_audit,
    finish_labels,
)
from sklearn_pacmdl.bounds import groups_upper_bound
from sklearn_pacmdl.certificates import (
    AuditCertificate,
    BoundCertificate,
    GroupsCertificate,
)

RNG = np.random.RandomState(0)
NAMES = np.array([f"field {k}" for k in RNG.choice(60, 900)])
TRUTH = RNG.choice(["oats", "rye"], 900)
LABELS = np.where(np.isin(NAMES, ["field 3", "field 7", "field 30"]), "rye", TRUTH)
AUDIT = draw_audit(900, 20, labels=LABELS, groups=NAMES, random_state=1)
ANSWERS = TRUTH[AUDIT.rows]
CERTIFICATE = certify_labels(LABELS, AUDIT, ANSWERS)
Y = AUDIT.labels_by_row(ANSWERS)


def test_whole_groups_are_drawn():
    drawn = dict.fromkeys(NAMES[AUDIT.rows])
    assert len(drawn) == 20
    assert set(AUDIT.rows) == set(np.flatnonzero(np.isin(NAMES, [*drawn])))
    # Group by group, and within a group in the order of the rows.
    expected = np.concatenate([np.flatnonzero(name == NAMES) for name in drawn])
    np.testing.assert_array_equal(AUDIT.rows, expected)
    larger = draw_audit(900, 30, labels=LABELS, groups=NAMES, random_state=1)
    np.testing.assert_array_equal(larger.rows[: AUDIT.size], AUDIT.rows)


def test_each_group_is_equally_likely():
    groups = np.repeat(np.arange(5), [1, 2, 3, 4, 5])
    counts = np.zeros(5)
    for seed in range(600):
        audit = draw_audit(15, 2, groups=groups, random_state=seed)
        counts[np.unique(groups[audit.rows])] += 1
    assert np.all(np.abs(counts / 600 - 2 / 5) < 4 * np.sqrt(0.4 * 0.6 / 600))


def test_excluded_rows_are_in_no_group():
    first = draw_audit(900, 5, groups=NAMES, random_state=0)
    second = draw_audit(900, 5, groups=NAMES, exclude=first, random_state=1)
    assert not set(NAMES[first.rows]) & set(NAMES[second.rows])
    partly = draw_audit(900, 50, groups=NAMES, exclude=np.arange(400), random_state=1)
    assert partly.rows.min() >= 400
    assert partly.verify()


def test_the_certificate_counts_groups():
    names = [*dict.fromkeys(NAMES[AUDIT.rows])]
    wrong = TRUTH != LABELS
    found = [wrong[name == NAMES].sum() for name in names]
    sizes = [np.sum(name == NAMES) for name in names]
    others = [np.sum(name == NAMES) for name in set(NAMES) - set(names)]
    bound = groups_upper_bound(found, sizes, others, 0.1)
    assert CERTIFICATE.n_train_errors + CERTIFICATE.max_test_errors == bound
    assert "the random choice of the 20 audited groups, at most" in CERTIFICATE.statement
    assert BoundCertificate.from_json(CERTIFICATE.to_json()) == CERTIFICATE
    verification = CERTIFICATE.verify(Y, LABELS, audit=AUDIT)
    assert verification
    assert verification.method == "enclosure"
    looser = CERTIFICATE.restated(delta=0.05)
    assert looser.max_test_errors > CERTIFICATE.max_test_errors
    assert looser.verify()


def test_rows_without_a_label_are_not_counted():
    some = np.where(np.isin(NAMES, [*NAMES[AUDIT.rows[:1]], "field 9"]), None, LABELS)
    some[::7] = None
    audit = draw_audit(900, 20, groups=NAMES, random_state=1)
    certificate = certify_labels(some, audit, ANSWERS)
    assert certificate.n_train + certificate.n_test == sum(s is not None for s in some)
    assert "the random choice of the 19 audited groups" in certificate.statement
    assert certificate.verify(Y, some, audit=audit)


def moved(parts):
    """The same totals, with an error in another group."""
    counts = [*map(list, parts)]
    at = next(each for each in counts if each[3])
    other = next(each for each in counts if each[2] > 5 and not each[3])
    at[3], other[3] = at[3] - 1, 1
    return tuple(map(tuple, counts))


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda parts: ((*parts[0][:3], parts[0][3] + 1), *parts[1:]), "do not add up"),
        (lambda parts: "many", "parts must be tuples of four counts"),
        (lambda parts: 3, "parts must be tuples of four counts"),
        (lambda parts: (*parts, (1, 0, 0, 0)), "parts must be audited groups, at least"),
        (moved, "counts of groups are not those of the data"),
    ],
)
def test_altered_counts_are_detected(change, problem):
    altered = replace(CERTIFICATE, parts=change(CERTIFICATE.parts))
    if change is moved:  # with the bound that follows
        altered = altered._issued()
    verification = altered.verify(Y, LABELS, audit=AUDIT)
    assert not verification
    assert any(problem in text for text in verification.problems)


@pytest.mark.parametrize(
    "parts", [[(1, 5, 5, 0), (10**7, 1, 0, 0)], [(1, 5, 4, 0), (10**7 - 1, 1, 0, 0)]]
)
def test_too_many_groups_and_parts_of_groups_are_refused(parts):
    n_test = sum(times * (n - m) for times, n, m, _ in parts)
    with pytest.raises(ValueError, match="parts must be audited groups, at least one"):
        GroupsCertificate.from_counts(parts[0][2], n_test, 0, weights={}, parts=parts)


def test_altered_groups_are_detected():
    assert Audit.from_json(AUDIT.to_json()) == AUDIT
    values = json.loads(AUDIT.to_json())
    number = values["design"]["number"]
    number[AUDIT.rows[0]] = number[AUDIT.rows[-1]]
    altered = Audit.from_json(json.dumps(values))
    assert not altered.verify()
    sealed = replace(altered, digest="")
    sealed = replace(sealed, digest=sealed._fingerprint())
    assert "rows are not those that follow" in str(sealed.verify())
    number[0] = 10**6
    assert "numbers of groups" in str(Audit.from_json(json.dumps(values)).verify())


def issued(cls, audit=AUDIT, **fields):
    """A certificate of the same counts that somebody has made by hand."""
    digests = {**CERTIFICATE.fingerprints, "audit": audit.digest}
    counts = CERTIFICATE.n_train, CERTIFICATE.n_test, CERTIFICATE.n_train_errors
    return cls.from_counts(*counts, weights={}, fingerprints=digests, **fields)


def test_rows_of_whole_groups_are_not_taken_for_rows_that_were_drawn_one_by_one():
    forged = issued(AuditCertificate)
    assert forged.max_test_errors < CERTIFICATE.max_test_errors
    assert forged.verify()
    assert forged.verify(Y, LABELS, audit=AUDIT).problems == (
        "audit: it is one of whole groups, and the certificate is not",
    )
    rows, parts = draw_audit(900, AUDIT.size, random_state=0), CERTIFICATE.parts
    other = issued(GroupsCertificate, rows, parts=parts)
    assert "audit: it is one of single rows, and" in str(other.verify(audit=rows))
    with pytest.raises(ValueError, match="max_people_errors must be 0 where whole gro"):
        issued(GroupsCertificate, parts=parts, max_people_errors=2)


def test_what_whole_groups_do_not_allow_is_refused():
    for text, call in {
        "finish_labels": lambda: finish_labels(
            LABELS, np.arange(900), AUDIT, ANSWERS, target=0.1
        ),
        "class_report": lambda: class_report(LABELS, AUDIT, ANSWERS),
        "sides must": lambda: certify_labels(LABELS, AUDIT, ANSWERS, sides=2),
        "max_people_errors must": lambda: certify_labels(
            LABELS, AUDIT, ANSWERS, max_people_errors=1
        ),
        "must be an AuditCertificate": lambda: certify_changed_labels(
            CERTIFICATE, LABELS, LABELS
        ),
        "confidence must": lambda: draw_audit(
            900, 5, groups=NAMES, confidence=np.arange(900)
        ),
        "size must be": lambda: draw_audit(900, 60, groups=NAMES),
        "groups must be": lambda: draw_audit(900, 1, groups=np.zeros(900)),
        "groups must": lambda: draw_audit(900, 1, groups=NAMES[1:]),
        "are missing in 2 rows": lambda: draw_audit(
            900, 1, groups=[None, np.nan, *NAMES[2:]]
        ),
    }.items():
        with pytest.raises(ValueError, match=text):
            call()
