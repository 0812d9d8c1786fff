"""Audits of whole groups and of strata: drawn, certified, verified, refused elsewhere."""

import json
import re
from dataclasses import replace
from math import comb

import numpy as np
import pytest
from made import sealed

from sklearn_pacmdl.audits import (
    Audit,
    AuditCertificate,
    GroupsCertificate,
    certify_labels,
    draw_audit,
)
from sklearn_pacmdl.bounds import (
    groups_upper_bound,
    stratified_upper_bound,
)
from sklearn_pacmdl.certificates import Certificate

RNG = np.random.RandomState(0)
NAMES = np.array([f"field {k}" for k in RNG.choice(60, 900)])
TRUTH = RNG.choice(["oats", "rye", "spelt"], 900, p=[0.7, 0.25, 0.05])
LABELS = np.where(RNG.uniform(size=900) < 0.1, "rye", TRUTH)
WRONG = TRUTH != LABELS


class Audited:
    """Labels that are certified by an audit of groups or strata."""

    def __init__(self, size, **design):
        self.audit = draw_audit(900, size, labels=LABELS, random_state=1, **design)
        self.answers = TRUTH[self.audit.rows]
        self.certificate = certify_labels(LABELS, self.audit, self.answers)

    def verify(self, certificate):
        return certificate.verify(LABELS, self.audit, self.answers)

    def issued(self, cls, audit=None, **fields):
        """A certificate of the same counts that somebody has made by hand."""
        c = self.certificate
        digest = (self.audit if audit is None else audit).digest
        fields["fingerprints"] = {**c.fingerprints, "audit": digest}
        counts = c.n_train, c.n_test, c.n_train_errors
        return cls.from_counts(*counts, **fields)


GROUPS, STRATA = Audited(20, groups=NAMES), Audited(200, strata=LABELS)
SIZES = [np.sum(name == LABELS) for name in ("oats", "rye", "spelt")]
both = pytest.mark.parametrize("audited", [GROUPS, STRATA], ids=["groups", "strata"])


def test_whole_groups_are_drawn():
    drawn = dict.fromkeys(NAMES[GROUPS.audit.rows])
    assert len(drawn) == 20
    assert set(GROUPS.audit.rows) == set(np.flatnonzero(np.isin(NAMES, [*drawn])))
    # Group by group, and within a group in the order of the rows.
    expected = np.concatenate([np.flatnonzero(name == NAMES) for name in drawn])
    np.testing.assert_array_equal(GROUPS.audit.rows, expected)
    larger = draw_audit(900, 30, labels=LABELS, groups=NAMES, random_state=1)
    np.testing.assert_array_equal(larger.rows[: GROUPS.audit.size], GROUPS.audit.rows)


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
    names = [*dict.fromkeys(NAMES[GROUPS.audit.rows])]
    found = [WRONG[name == NAMES].sum() for name in names]
    sizes, others = (
        [np.sum(name == NAMES) for name in each] for each in (names, {*NAMES} - {*names})
    )
    certificate = GROUPS.certificate
    assert certificate.stated[0] == groups_upper_bound(found, sizes, others, 0.1)
    assert "the random choice of the 20 audited groups, at most" in certificate.statement


def test_the_certificate_counts_strata():
    rows, certificate = STRATA.audit.rows, STRATA.certificate
    names = np.unique(LABELS)
    found = [int(WRONG[rows][LABELS[rows] == name].sum()) for name in names]
    bound = stratified_upper_bound(found, drawn_of(STRATA.audit, LABELS), SIZES, 0.1)
    assert certificate.stated[0] == bound
    assert "choice of the 200 audited rows in 3 strata, at most" in certificate.statement


@both
def test_the_certificate_is_stored_and_stated_again(audited):
    certificate = audited.certificate
    assert Certificate.from_json(certificate.to_json()) == certificate
    verification = audited.verify(certificate)
    assert verification
    assert verification.arithmetic == "enclosure"
    looser = certificate.restated(delta=0.05)
    assert looser.max_test_errors > certificate.max_test_errors
    assert looser.verify()


@both
def test_two_sides_are_bounds_at_half_of_delta(audited):
    given, c = (LABELS, audited.audit, audited.answers), audited.certificate
    two = certify_labels(*given, sides=2)
    assert two.stated[0] == c.restated(delta=0.05).stated[0]
    # The other end is that of the right rows.
    right = [(times, n, m, m - x) for times, n, m, x in c.parts]
    counts = c.n_train, c.n_test, c.n_train - c.n_train_errors
    others = type(c).from_counts(*counts, delta=0.05, parts=right)
    assert two.fewest == 900 - others.stated[0]
    assert 0 < two.fewest < WRONG.sum() < two.stated[0]
    assert f"between {two.fewest} and {two.stated[0]} of all 900 rows" in two.claim
    assert two.verify(*given)
    assert Certificate.from_json(two.to_json()) == two
    assert not replace(two, min_test_errors=two.min_test_errors + 1).verify()


def test_rows_without_a_label_are_not_counted():
    gone = np.isin(NAMES, [NAMES[GROUPS.audit.rows[0]], "field 9"])
    some = np.where(gone | (np.arange(900) % 7 == 0), None, LABELS)
    audit = draw_audit(900, 20, groups=NAMES, random_state=1)
    certificate = certify_labels(some, audit, GROUPS.answers)
    assert certificate.n_train + certificate.n_test == sum(s is not None for s in some)
    assert "the random choice of the 19 audited groups" in certificate.statement
    assert certificate.verify(some, audit, GROUPS.answers)
    audit = draw_audit(900, 200, strata=LABELS, random_state=1)
    certificate = certify_labels(some, audit, TRUTH[audit.rows])
    assert certificate.n_train == sum(some[row] is not None for row in audit.rows)
    assert sum(m for _, _, m, _ in certificate.parts) == certificate.n_train


def drawn_of(audit, strata):
    return [int(np.sum(strata[audit.rows] == name)) for name in np.unique(strata)]


def test_equally_many_rows_of_each_are_drawn():
    assert min(SIZES) < 66
    rest = 200 - SIZES[2]
    assert drawn_of(STRATA.audit, LABELS) == [rest - rest // 2, rest // 2, SIZES[2]]
    assert len({*STRATA.audit.rows}) == STRATA.audit.size == 200
    # They are mixed: the order does not tell which label a row has.
    assert len(set(LABELS[STRATA.audit.rows[:20]])) == 3


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
    strata = np.repeat(np.arange(len(n_rows)), n_rows)
    audit = draw_audit(len(strata), size, strata=strata, random_state=0)
    assert audit.verify()
    assert drawn_of(audit, strata) == expected


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


def moved(parts):
    """The same totals, with an error in another group or stratum."""
    counts = [*map(list, parts)]
    at = next(each for each in counts if each[3])
    other = next(each for each in counts if each is not at and each[2] > each[3] + 5)
    at[3], other[3] = at[3] - 1, other[3] + 1
    return tuple(map(tuple, counts))


@both
def test_altered_counts_are_detected(audited):
    certificate = audited.certificate
    first, *others = parts = certificate.parts
    for altered, problem in (
        (((*first[:3], first[3] + 1), *others), "do not add up"),
        ("many", "parts must be tuples of four counts"),
        (3, "parts must be tuples of four counts"),
        ((*parts, (1, 0, 0, 0)), "parts must be tuples of four counts"),
    ):
        verification = audited.verify(replace(certificate, parts=altered))
        assert problem in str(verification.problems)
    # With the bound that follows, data show what was moved.
    exchanged = replace(certificate, parts=moved(parts))._issued()
    assert re.search("parts is .* in the data", str(audited.verify(exchanged).problems))


@pytest.mark.parametrize(
    "parts", [[(1, 5, 5, 0), (10**7, 1, 0, 0)], [(1, 5, 4, 0), (10**7 - 1, 1, 0, 0)]]
)
def test_too_many_groups_and_parts_of_groups_are_refused(parts):
    n_test = sum(times * (n - m) for times, n, m, _ in parts)
    with pytest.raises(ValueError, match="parts must be audited groups, at least one"):
        GroupsCertificate.from_counts(parts[0][2], n_test, 0, parts=parts)


@both
def test_altered_designs_are_detected(audited):
    audit, kind = audited.audit, audited.certificate.kind
    assert Audit.from_json(audit.to_json()) == audit
    values = json.loads(audit.to_json())
    number = values["design"]["number"]

    def problems(number, kind=kind):
        design = {"kind": kind, "number": number}
        altered = Audit.from_json(json.dumps(values | {"design": design}))
        return str(sealed(altered).verify())

    first = audit.rows[0]
    other = next(n for n in number if n != number[first])
    swapped = [other if row == first else n for row, n in enumerate(number)]
    assert "rows are not those that follow" in problems(swapped)
    least = {"groups": 0, "strata": -1}[kind]
    assert "rows are not those that follow" in problems([least] * 900)
    for wrong in ([*number[:-1], 10**6], [least - 1] * 900, [0] * 899):
        assert f"{kind} are not numbers of {kind}" in problems(wrong)
    assert "design has numbers of groups or strata" in problems(number, "audit")
    for design in (kind, [], {"kind": "cells", "number": []}, {"kind": kind}):
        with pytest.raises(ValueError, match="Not an audit: "):
            Audit.from_json(json.dumps(values | {"design": design}))


@both
def test_they_are_not_taken_for_single_rows(audited):
    c, kind = audited.certificate, audited.certificate.kind
    forged = audited.issued(AuditCertificate)
    assert forged.verify()
    assert audited.verify(forged).problems == (
        f"kind is 'audit' here and {kind!r} in the data",
    )
    rows = draw_audit(900, audited.audit.size, random_state=0)
    other = audited.issued(type(c), rows, parts=c.parts)
    verification = other.verify(LABELS, rows, TRUTH[rows.rows])
    assert f"kind is {kind!r} here and 'audit' in the data" in str(verification)
    with pytest.raises(ValueError, match=f"max_annotator_errors must be 0 where {kind}"):
        audited.issued(type(c), parts=c.parts, max_annotator_errors=2)


@both
def test_what_they_do_not_allow_is_refused(audited):
    given = LABELS, audited.audit, audited.answers
    with pytest.raises(ValueError, match="of single rows only; let several people label"):
        certify_labels(*given, max_annotator_errors=1)
    kind = audited.certificate.kind
    drawn_by = {kind: NAMES if kind == "groups" else LABELS}
    with pytest.raises(ValueError, match="confidence must be left out .* single rows"):
        draw_audit(900, 5, confidence=np.arange(900), **drawn_by)


@pytest.mark.parametrize(
    ("size", "design", "message"),
    [
        (60, {"groups": NAMES}, "size must be"),
        (1, {"groups": np.zeros(900)}, "groups must be"),
        (1, {"groups": NAMES[1:]}, "groups must"),
        (1, {"groups": [None, np.nan, *NAMES[2:]]}, "are missing in 2 rows"),
        (5, {"groups": LABELS, "strata": LABELS}, "strata must be None where groups"),
        (2, {"strata": LABELS}, "size must be an integer from 3 to 899"),
        (1, {"strata": np.zeros(900, dtype=int)}, "strata must be at least two strata"),
        (5, {"strata": np.arange(900)}, "strata must be at least two"),
        (3, {"strata": LABELS[1:]}, "strata must have one label for each"),
    ],
)
def test_what_cannot_be_drawn_is_refused(size, design, message):
    with pytest.raises(ValueError, match=message):
        draw_audit(900, size, **design)
