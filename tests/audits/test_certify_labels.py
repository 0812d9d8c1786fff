"""Certificates of labelings from anywhere: facts, refusals, and that they hold."""

from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import pandas as pd
import pytest
from made import FIXED, ONCE, RIGHT, audited, sealed, with_errors
from oracles import chances
from scipy.stats import binom

from sklearn_pacmdl.audits import (
    AuditCertificate,
    certify_labels,
    draw_audit,
)
from sklearn_pacmdl.bounds import bmax
from sklearn_pacmdl.certificates import Certificate


@pytest.mark.parametrize("dtype", [int, str, object, np.uint8, float])
def test_facts(dtype):
    truth, labels = with_errors(dtype=dtype)
    audit = draw_audit(1000, 200, labels=labels, random_state=0)
    n_wrong = int(np.sum(audit.rows < 50))
    certificate = certify_labels(labels, audit, truth[audit.rows], delta=0.05)
    assert (certificate.n_train, certificate.n_test) == (200, 800)
    assert certificate.n_train_errors == n_wrong
    assert certificate.max_test_errors == bmax(200, 800, n_wrong, 0.05)
    assert certificate.stated_bound == certificate.stated[0] / 1000
    assert certificate.provisos == (RIGHT, ONCE)
    assert certificate.fingerprints["audit"] == audit.digest
    assert certificate.verify(labels, audit, truth[audit.rows])
    assert Certificate.from_json(certificate.to_json()).verify()
    assert certificate.restated(delta=0.01).verify()


def test_statement():
    truth, labels = with_errors(1000, 0)
    audit = draw_audit(1000, 200, random_state=0)
    certificate = certify_labels(labels, audit, truth[audit.rows])
    assert certificate.statement == (
        "With probability at least 90% over the random choice of the 200 audited rows, "
        "at most 10 of all 1000 rows (1.00%) are labeled wrongly: 0 of the 200 audited "
        f"rows and at most 10 of the 800 others, provided {RIGHT}, {ONCE} and {FIXED}."
    )
    assert "audited rows (m)" in str(certificate)


@pytest.mark.filterwarnings("ignore:labels holds -1 in 250 of 1,000 rows")
def test_rows_without_a_label_are_not_counted():
    truth, labels = with_errors()
    labels[::4] = -1
    audit = draw_audit(1000, 200, random_state=0)  # without labels, all may be drawn
    certificate = certify_labels(labels, audit, truth[audit.rows])
    blank = int(np.sum(audit.rows % 4 == 0))
    assert certificate.n_train == 200 - blank
    assert certificate.n_train_abstained == blank
    assert certificate.n_test == 750 - certificate.n_train
    assert "of all 750 rows that are given a label" in certificate.statement
    assert certificate.verify(labels, audit, truth[audit.rows])


def test_excluded_rows_are_not_counted():
    truth, labels = with_errors()
    audit = draw_audit(1000, 100, exclude=range(100), random_state=0)
    certificate = certify_labels(labels, audit, truth[audit.rows])
    assert certificate.n_train + certificate.n_test == 900
    assert certificate.n_train_errors == 0
    assert certificate.n_excluded == 100
    assert "of all 900 rows that could be drawn (" in certificate.statement
    blank = np.where(np.arange(1000) % 4, labels, -1)
    claim = certify_labels(blank, audit, truth[audit.rows]).claim
    assert "of all 675 rows that could be drawn and are given a label (" in claim
    with pytest.raises(ValueError, match="n_excluded must be an integer from 0"):
        replace(certificate, n_excluded=-1)._issued()
    assert certificate.verify(labels, audit, truth[audit.rows])


@pytest.mark.parametrize("named", [False, True])
def test_a_series_in_another_order_is_refused(named):
    truth, labels = with_errors(100, 5)
    audit = draw_audit(100, 20, random_state=0)
    expected = certify_labels(labels, audit, truth[audit.rows])
    names = pd.Index([f"message {i}" for i in range(100)]) if named else np.arange(100)
    labels = pd.Series(labels, index=names) if named else labels
    answers = pd.Series(truth, index=names).iloc[audit.rows]
    place = r"labels.index\[audit.rows\]" if named else "audit.rows"
    with pytest.raises(ValueError, match=rf"pass audit_labels.loc\[{place}\]"):
        certify_labels(labels, audit, answers.sort_index())
    again = answers.sort_index().loc[names[audit.rows]]
    for same in (answers, again, answers.reset_index(drop=True)):
        assert certify_labels(labels, audit, same) == expected


@pytest.mark.parametrize("n_errors", [9, 40])
def test_holds_for_a_sorted_file_whatever_the_labeling_knew(n_errors):
    """The wrong rows come first, and the labeling was tuned on all labels."""
    n_rows, size, delta, n_draws = 300, 60, 0.2, 600
    truth, labels = with_errors(n_rows, n_errors)
    exact = naive = 0
    for seed in range(n_draws):
        audit = draw_audit(n_rows, size, random_state=seed)
        certificate = certify_labels(labels, audit, truth[audit.rows], delta=delta)
        a = certificate.n_train_errors
        exact += a + certificate.max_test_errors < n_errors
        # Control: the normal approximation of the one-sided 80 % limit.
        rate = a / size
        limit = rate + 0.8416 * np.sqrt(rate * (1 - rate) / size * (1 - size / n_rows))
        naive += limit * n_rows < n_errors
    most = binom.ppf(1 - 1e-6, n_draws, delta)
    assert exact <= most
    assert exact > 0.05 * n_draws  # the simulation could have failed
    if n_errors == 9:
        assert naive > most


# Errors that are bounded from above and below


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


@pytest.fixture(scope="module")
def given():
    truth, labels, audit = audited()
    return labels, audit, truth[audit.rows]


def test_one_side_is_the_default(given):
    one, two = certify_labels(*given), certify_labels(*given, sides=2)
    assert certify_labels(*given, sides=1) == one
    assert one.sides == 1
    assert two.max_test_errors == one.restated(delta=0.05).max_test_errors


def test_it_is_stored_recomputed_and_compared(given):
    certificate = certify_labels(*given, sides=2)
    assert certificate.verify(*given)
    read = Certificate.from_json(certificate.to_json())
    assert read == certificate
    low, high = ends(certificate)
    share = f"({low / 10:.2f}% to {high / 10:.2f}%)"
    assert f", between {low} and {high} of all 1000 rows {share} are" in read.statement
    assert read.restated(delta=0.01).verify()
    assert ends(read.restated(delta=0.01))[0] < low
    right = f"{certificate.min_test_errors} follows from other fields"
    for fewest in (0, low, 30):
        problems = sealed(certificate, min_test_errors=fewest).verify().problems
        assert problems == (f"min_test_errors is {fewest}, and {right}",)
    with pytest.raises(ValueError, match="sides must be an integer from 1 to 2"):
        replace(certificate, sides=3)._issued()


def test_errors_of_people_widen_both_ends(given):
    low, high = ends(certify_labels(*given, sides=2))
    doubted = certify_labels(*given, sides=2, max_annotator_errors=2)
    assert ends(doubted)[0] <= low - 2
    assert ends(doubted)[1] >= high + 2
    n_wrong = int(np.sum(given[1].rows < 50))
    assert f"between {n_wrong - 2} and {n_wrong + 2} of the 200 audited" in doubted.claim


@pytest.mark.parametrize(
    ("how", "which"),
    [
        ({"exclude": range(100)}, "900 rows that could be drawn"),
        (
            {"confidence": np.arange(1000), "surest": 0.5},
            "500 rows that belong to the surest 500 of 1000",
        ),
    ],
)
def test_rows_that_could_not_be_drawn(how, which):
    truth, labels, audit = audited(**how)
    certificate = certify_labels(labels, audit, truth[audit.rows], sides=2)
    assert f"of all {which} (0.00% to" in certificate.claim
