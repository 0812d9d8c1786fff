"""Which of two labelings is better, by one audit."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from made import BEFOREHAND, ONCE, OUTPUTS, RIGHT

from sklearn_pacmdl.audits import (
    Audit,
    DifferenceCertificate,
    certify_difference,
    draw_audit,
)
from sklearn_pacmdl.bounds import difference_bounds


def made(dtype=int, n_rows=1000, **options):
    """The first labeling is wrong in 100 rows, the second in 40, and both in 20."""
    truth = np.arange(n_rows) % 4
    rows = np.arange(n_rows)
    first = np.where(rows < 100, (truth + 1) % 4, truth)
    second = np.where((rows >= 80) & (rows < 120), (truth + 2) % 4, truth)
    audit = draw_audit(n_rows, 200, random_state=0, **options)
    return first.astype(dtype), second.astype(dtype), audit, truth.astype(dtype)


@pytest.mark.parametrize("dtype", [int, str, object, np.uint8])
def test_counts(dtype):
    first, second, audit, truth = made(dtype)
    certificate = certify_difference(first, second, audit, truth[audit.rows])
    n_first = int(np.sum((audit.rows >= 100) & (audit.rows < 120)))
    n_second = int(np.sum(audit.rows < 80))
    n_seen = int(np.sum(audit.rows < 120))
    assert certificate.n_differing == 120
    assert certificate.n_audited_differing == n_seen
    assert (certificate.n_first_right, certificate.n_second_right) == (n_first, n_second)
    bounds = certificate.lower_bound, certificate.upper_bound
    assert bounds == difference_bounds(n_first, n_second, n_seen, 120, 0.1)
    assert bounds[0] <= -60 <= bounds[1] < 0
    assert f"between {-bounds[1]} and {-bounds[0]} fewer wrong" in certificate.statement
    assert certificate.verify(first, second, audit, truth[audit.rows])
    other = certify_difference(second, first, audit, truth[audit.rows])
    assert (other.lower_bound, other.upper_bound) == (-bounds[1], -bounds[0])
    assert f"between {-bounds[1]} and {-bounds[0]} more wrong" in other.statement


def test_it_is_stored_and_compared():
    first, second, audit, truth = made()
    given = first, second, audit, truth[audit.rows]
    certificate = certify_difference(*given)
    read = DifferenceCertificate.from_json(certificate.to_json())
    assert read == certificate
    assert read.verify().unchecked[:2] == ("first: not given", "second: not given")
    assert str(read).startswith(f"{certificate.statement}\n")
    assert "digest is not that" in str(replace(read, upper_bound=-70).verify())
    # Consistent, but not what the data say.
    fewer = replace(read, n_rows=999)._issued()
    assert fewer.verify()
    assert fewer.verify(*given).problems == ("n_rows is 999 here and 1000 in the data",)
    with pytest.raises(ValueError, match="verify requires all of first, second, audit"):
        read.verify(first, second)
    with pytest.raises(ValueError, match="Not a certificate of a difference"):
        DifferenceCertificate.from_json("{}")


def test_the_audit_may_have_been_drawn_for_either():
    first, second, _, truth = made()
    for labels in (first, second):
        audit = draw_audit(1000, 200, labels=labels, random_state=0)
        assert certify_difference(first, second, audit, truth[audit.rows]).verify()
    with pytest.raises(ValueError, match="first or second must be the labeling that"):
        certify_difference(second, truth, draw_audit(1000, 9, labels=first), truth[:9])


def test_rows_that_do_not_count():
    first, second, audit, truth = made(exclude=range(90))
    first[95:97] = second[95:97] = -1
    certificate = certify_difference(first, second, audit, truth[audit.rows])
    assert (certificate.n_rows, certificate.n_differing) == (908, 28)


def test_an_undecided_difference():
    first, second, _, truth = made()
    both = np.where(np.arange(1000) < 40, first, second), second
    few = draw_audit(1000, 5, random_state=0)
    certificate = certify_difference(*both, few, truth[few.rows])
    assert certificate.lower_bound < 0 < certificate.upper_bound
    assert " fewer and " in certificate.statement


# Outputs of two versions, by human labels of both

ROWS = np.arange(600)
FIRST = np.where(ROWS < 150, "bad", "good")
SECOND = np.where((ROWS >= 100) & (ROWS < 170), "bad", "good")  # better in 80 rows
AUDIT = draw_audit(600, 60, random_state=0)
GIVEN = FIRST[AUDIT.rows], SECOND[AUDIT.rows], AUDIT


@pytest.fixture(scope="module")
def certificate():
    return certify_difference(*GIVEN, of="good")


def test_rows_of_the_class_by_one_version_alone_are_counted(certificate):
    n_first = int(np.sum((AUDIT.rows >= 150) & (AUDIT.rows < 170)))
    n_second = int(np.sum(AUDIT.rows < 100))
    assert (certificate.n_first_right, certificate.n_second_right) == (n_first, n_second)
    bounds = difference_bounds(n_second, n_first, 60, 600, 0.1)
    assert (certificate.lower_bound, certificate.upper_bound) == bounds
    assert 0 < bounds[0] <= 80 <= bounds[1]
    low, high = (f"{100 * bound / 600:.1f}" for bound in bounds)
    assert certificate.claim == (
        "the output of the second version is truly 'good' for between "
        f"{bounds[0]} and {bounds[1]} more rows than that of the first ({low}0% to "
        f"{high}0% of the 600 rows that could be drawn): in {n_first} of the 60 audited "
        f"rows only the first is, and in {n_second} only the second"
    )
    table, _ = certificate.numbers
    assert table["what"] == ["good, second minus first"]
    assert table["estimate"] == [pytest.approx((n_second - n_first) / 60)]
    assert certificate.provisos == (RIGHT, ONCE, OUTPUTS, BEFOREHAND)


def test_versions_and_classes_can_be_exchanged(certificate):
    exchanged = certify_difference(GIVEN[1], GIVEN[0], AUDIT, of="good")
    for other in (exchanged, certify_difference(*GIVEN, of="bad")):
        assert other.lower_bound == -certificate.upper_bound
        assert other.upper_bound == -certificate.lower_bound
        assert " fewer rows than" in other.claim


def test_several_classes_count_as_one(certificate):
    parts = np.where(ROWS % 2, "good", "fair")
    first, second = (np.where(y == "good", parts, y) for y in (FIRST, SECOND))
    given = first[AUDIT.rows], second[AUDIT.rows], AUDIT
    together = certify_difference(*given, of=["good", "fair"])
    assert together.lower_bound == certificate.lower_bound
    assert "truly 'good' or 'fair' for" in together.claim
    assert together.verify(*given)


def test_an_audit_may_have_names_of_classes_rows_left_out_and_labels():
    labels = np.where(ROWS < 30, -1, 1)
    of_labels = draw_audit(600, 50, labels=labels, classes={-1: "bad", 1: "good"})
    both = (np.where(y == "good", 1, -1)[of_labels.rows] for y in (FIRST, SECOND))
    named = certify_difference(*both, of_labels, of=1)
    assert (named.of, named.n_rows) == (("good",), 600)
    nothing = np.full(50, 1)
    assert certify_difference(nothing, nothing, of_labels, of=-1).lower_bound < 0
    fewer = draw_audit(600, 50, exclude=range(90))
    both = (y[fewer.rows] for y in (FIRST, SECOND))
    assert certify_difference(*both, fewer, of="good").n_rows == 510


def test_the_change_is_outside_in_few_draws():
    rng = np.random.RandomState(0)
    change = rng.permutation(np.repeat([-1, 1, 0], [4, 24, 172]))
    first = np.where(change == 0, rng.choice(["bad", "good"], 200), "good")
    first[change == 1] = "bad"
    second = np.where(change == 0, first, np.where(change == 1, "good", "bad"))
    bounds, n_misses = {}, 0
    for seed in range(400):
        audit = draw_audit(200, 12, random_state=seed)
        seen = np.sum(change[audit.rows] == 1), np.sum(change[audit.rows] == -1)
        if seen not in bounds:  # which follow from these numbers
            both = first[audit.rows], second[audit.rows]
            certificate = certify_difference(*both, audit, of="good")
            bounds[seen] = certificate.lower_bound, certificate.upper_bound
        n_misses += not bounds[seen][0] <= 20 <= bounds[seen][1]
    assert 0 < n_misses <= 40


def test_it_is_stored_and_certified_again(certificate):
    read = DifferenceCertificate.from_json(certificate.to_json())
    assert read == certificate
    checked = read.verify(*GIVEN)
    assert checked, checked.problems
    assert "second: 60 labels counted; SHA-256 digest" in checked.checked
    exchanged = read.verify(GIVEN[1], *GIVEN[1:])
    assert "first: its SHA-256 digest is not" in str(exchanged)
    others = replace(read, n_second_right=read.n_second_right + 1)._issued()
    assert others.verify()
    assert "n_second_right is" in str(others.verify(*GIVEN))
    with pytest.raises(ValueError, match="audit_labels must be None for two"):
        read.verify(*GIVEN, GIVEN[0])


def test_bad_input_is_named():
    first, second, audit = GIVEN
    gaps = np.where(np.arange(60) < 3, None, second)
    capital = np.where(second == "good", "Good", second)
    by_strata = draw_audit(600, 60, strata=FIRST)
    altered = replace(audit, rows=audit.rows[::-1])
    other_order = pd.Series(second, index=audit.rows[::-1])
    for text, given, options in (
        ("second must be 60 labels, one for each row", (first, second[1:], audit), {}),
        ("first must be 60 labels", (FIRST, SECOND, audit), {}),
        ("second must", (first, gaps, audit), {}),
        ("second must be written as first", (first, capital, audit), {}),
        ("of must be written as first and second", GIVEN, {"of": "Good"}),
        ("of must be of classes that were given to some", GIVEN, {"of": "fine"}),
        ("of must be None with audit_labels", (*GIVEN, first), {}),
        ("audit_labels must be human labels", (FIRST, SECOND, audit), {"of": None}),
        ("without strata for certify_difference", (first, second, by_strata), {}),
        ("audit must be as it was drawn", (first, second, altered), {}),
        ("second", (pd.Series(first, index=audit.rows), other_order, audit), {}),
    ):
        with pytest.raises((ValueError, TypeError), match=text):
            certify_difference(*given, **{"of": "good"} | options)


def test_who_drew_the_rows_is_said():
    rows = np.random.RandomState(0).permutation(600)[:60]
    audit = Audit.of_rows(rows, 600, source="project 7")
    both = (y[audit.rows] for y in (FIRST, SECOND))
    assert "'project 7'" in certify_difference(*both, audit, of="good").statement
