"""Certificates of audits that bound the errors from above and below."""

from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from made import audited, sealed
from oracles import chances

from sklearn_pacmdl.audits import AuditCertificate, certify_labels
from sklearn_pacmdl.certificates import Certificate


@cache
def interval(n_rows, size, n_wrong, delta, n_people=0, sides=2):
    """What is stated if so many audited rows seem wrong."""
    counts = size, n_rows - size, min(n_wrong + n_people, size)
    options = {"delta": delta, "max_annotator_errors": n_people, "sides": sides}
    low, high = ends(AuditCertificate.from_counts(*counts, **options))
    return low or 0, high


def worst_chance(n_rows, delta, n_people=0, allowed=0, sides=2):
    """Largest probability of a false statement, whatever people get wrong."""

    def chance(size, n_errors):
        return sum(
            p
            for x, p in enumerate(chances(size, n_rows, n_errors))
            if not all(
                low <= n_errors <= high
                for seen in range(max(x - n_people, 0), min(x + n_people, size) + 1)
                for low, high in [interval(n_rows, size, seen, delta, allowed, sides)]
            )
        )

    sizes = range(max(allowed, 1), n_rows)
    return max(chance(size, e) for size in sizes for e in range(n_rows + 1))


@pytest.mark.parametrize("delta", [0.1, 0.3, 0.5])
@pytest.mark.parametrize("n_people", [0, 1, 2])
@pytest.mark.parametrize("sides", [1, 2])
def test_statements_hold_whatever_people_get_wrong(delta, n_people, sides):
    errors = {"n_people": n_people, "allowed": n_people, "sides": sides}
    chance = max(worst_chance(n, delta, **errors) for n in range(3, 11))
    assert chance <= Fraction(str(delta))


@pytest.mark.parametrize("sides", [1, 2])
def test_errors_of_people_that_are_not_allowed_for_break_it(sides):
    assert worst_chance(10, 0.1, 1, 0, sides) > Fraction("0.3")


def test_all_of_delta_for_each_end_breaks_it():
    """Two statements at delta each, of which one may be false oftener than delta."""
    # One end at delta is one end of the interval at 2 delta.
    assert worst_chance(10, 0.6) > Fraction("0.3")


def test_the_ends_by_enumeration():
    """They are the fewest and most errors at which the tail reaches half of delta."""
    n, size, level = 12, 5, Fraction("0.1")
    for seen in range(size + 1):
        laws = [chances(size, n, e) for e in range(n + 1)]
        few = [e for e, law in enumerate(laws) if sum(law[seen:]) >= level]
        many = [e for e, law in enumerate(laws) if sum(law[: seen + 1]) >= level]
        assert interval(n, size, seen, 0.2) == (min(few), max(many))


def ends(certificate):
    return certificate.fewest, certificate.stated[0]


def test_one_side_is_the_default():
    truth, labels, audit = audited()
    given = labels, audit, truth[audit.rows]
    one, two = certify_labels(*given), certify_labels(*given, sides=2)
    assert certify_labels(*given, sides=1) == one
    assert one.sides == 1
    assert two.max_test_errors == one.restated(delta=0.05).max_test_errors


def test_it_is_stored_recomputed_and_compared():
    truth, labels, audit = audited()
    certificate = certify_labels(labels, audit, truth[audit.rows], sides=2)
    assert certificate.verify(labels, audit, truth[audit.rows])
    read = Certificate.from_json(certificate.to_json())
    assert read == certificate
    low, high = ends(certificate)
    share = f"({low / 10:.2f}% to {high / 10:.2f}%)"
    assert f", between {low} and {high} of all 1000 rows {share} are" in read.statement
    assert read.restated(delta=0.01).verify()
    assert ends(read.restated(delta=0.01))[0] < low
    for fewest in (0, low, 30):
        other = sealed(certificate, min_test_errors=fewest)
        right = f"{certificate.min_test_errors} follows from other fields"
        assert other.verify().problems == (f"min_test_errors is {fewest}, and {right}",)
    with pytest.raises(ValueError, match="sides must be an integer from 1 to 2"):
        replace(certificate, sides=3)._issued()


def test_errors_of_people_widen_both_ends():
    truth, labels, audit = audited()
    given = labels, audit, truth[audit.rows]
    low, high = ends(certify_labels(*given, sides=2))
    doubted = certify_labels(*given, sides=2, max_annotator_errors=2)
    assert ends(doubted)[0] <= low - 2
    assert ends(doubted)[1] >= high + 2
    n_wrong = int(np.sum(audit.rows < 50))
    assert f"between {n_wrong - 2} and {n_wrong + 2} of the 200 audited" in doubted.claim


def test_rows_that_could_not_be_drawn():
    truth, labels, audit = audited(exclude=range(100))
    certificate = certify_labels(labels, audit, truth[audit.rows], sides=2)
    assert "of all 900 rows that could be drawn (0.00% to" in certificate.claim
    truth, labels, audit = audited(confidence=np.arange(1000), surest=0.5)
    claim = certify_labels(labels, audit, truth[audit.rows], sides=2).claim
    assert "of all 500 rows that belong to the surest 500 of 1000 (0.00% to" in claim
