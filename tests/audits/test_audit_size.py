"""How many rows to audit, for a number that is fixed before."""

from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from oracles import chances
from scipy.stats import hypergeom

from sklearn_pacmdl.audits import (
    AuditMonitor,
    AuditSize,
    audit_size,
    certify_share,
    draw_audit,
    finish_labels,
)
from sklearn_pacmdl.bounds import bmax, stratified_upper_bound


@pytest.mark.parametrize(
    ("rate", "n_labels", "n_errors", "round_number"),
    [
        (0.01, 105, 2, 110),
        (0.02, 232, 7, 260),
        (0.03, 600, 23, 600),
        (0.04, 2176, 97, 2200),
    ],
)
def test_known_answers(rate, n_labels, n_errors, round_number):
    """10,000 rows, 500 errors tolerated; audits of a round number of rows are known."""
    size = audit_size(10_000, 0.05, rate)
    assert (size.n_labels, size.n_errors) == (n_labels, n_errors)
    assert size.power >= 0.9
    errors = round(10_000 * rate)
    for m in range(max(10, round_number - 600), round_number + 1, 10):
        (m_array, a) = np.array([m]), np.arange(min(m, 100))
        few = np.flatnonzero(a + bmax(m_array, 10_000 - m, a, 0.1) <= 500)
        power = hypergeom.cdf(few.max(initial=-1), 10_000, errors, m)
        assert (power >= 0.9) == (m == round_number)


def test_small_audits_against_fractions():
    """The smallest of all audits, found by trying each."""
    n_plans = 0
    rates = product((2, 7, 20), (0.1, 0.25, 0.6), (0.0, 0.1, 0.5))
    for (n_rows, target, rate), levels in product(rates, ((0.1, 0.9), (0.3, 0.5))):
        delta, power = levels
        tolerated = int(Fraction(repr(target)) * n_rows)
        errors = -int(-Fraction(repr(rate)) * n_rows // 1)
        if errors > tolerated:
            continue
        size = audit_size(n_rows, target, rate, delta=delta, power=power)
        least = smallest(n_rows, tolerated, errors, Fraction(repr(delta)), power)
        assert (size.n_labels, size.n_errors) == least[:2]
        assert size.power == pytest.approx(float(least[2]))
        n_plans += 0 < size.n_errors < tolerated
    assert n_plans > 1


def smallest(n_rows, tolerated, errors, delta, power):
    for m in range(1, n_rows + 1):
        most = -1
        for a in range(m + 1):
            if sum(chances(m, n_rows, tolerated + 1)[: a + 1]) < delta:
                most = a
        chance = sum(chances(m, n_rows, errors)[: most + 1])
        if chance >= Fraction(repr(power)):
            return m, most, chance
    raise AssertionError


@settings(max_examples=25)
@given(
    n_rows=st.integers(2, 10**5),
    target=st.sampled_from([0.01, 0.05, 0.3]),
    ratio=st.floats(0, 0.8),
    delta=st.sampled_from([1e-6, 0.05, 0.1, 0.5]),
)
def test_what_is_planned_succeeds(n_rows, target, ratio, delta):
    rate = ratio * target
    tolerated = int(Fraction(repr(target)) * n_rows)
    if np.ceil(rate * n_rows) >= tolerated:
        rate = 0.0
    size = audit_size(n_rows, target, rate, delta=delta)
    assert isinstance(size, AuditSize)
    assert size.n_tolerated == tolerated
    assert size.power >= 0.9
    left = n_rows - size.n_labels
    bound = size.n_errors + bmax(size.n_labels, left, size.n_errors, delta)
    assert bound <= tolerated
    assert size.power_at(rate) == pytest.approx(size.power)


def test_power_of_other_rates():
    size = audit_size(10_000, 0.05, 0.02)
    rates = np.array([0, 0.01, 0.02, 0.0501, 0.5, 1])
    powers = size.power_at(rates)
    expected = hypergeom.cdf(
        size.n_errors, 10_000, np.ceil(10_000 * rates).astype(int), size.n_labels
    )
    assert_allclose(powers, expected, rtol=1e-9)
    assert powers[2] == pytest.approx(size.power)
    # A labeling that misses the target is certified with probability delta at most.
    assert powers[3] < 0.1
    assert isinstance(size.power_at(0.01), float)


def test_no_audit_of_a_part_may_be_enough():
    assert audit_size(100, 0.05, 0.05, delta=0.01) == AuditSize(100, 5, 1.0, 100, 5)
    # That the only row left out is wrong too has a probability of 6 of 100.
    assert audit_size(100, 0.05, 0.05) == AuditSize(99, 5, 1.0, 100, 5)
    assert audit_size(100, 0.001, 0.0).n_labels == 91


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"n_rows": 1}, "n_rows must be an integer from 2"),
        ({"expected_error": 0.11}, "expected_error must be at most 0.1, .* got 0.11"),
    ],
)
def test_bad_input_is_named(changed, message):
    right = {"n_rows": 1000, "target": 0.1, "expected_error": 0.05}
    with pytest.raises(ValueError, match=message):
        audit_size(**right | changed)


def test_a_rate_that_is_a_number_of_rows_tolerates_as_many():
    """Its decimal may be below: 5 / 6500 is 0.0007692307692307692."""
    pairs = [(6500, 5), (10**9, 123_456_789)]
    pairs += [(n, k) for n in (7, 39, 600, 6500) for k in range(1, n, 1 + n // 40)]
    for n_rows, k in pairs:
        assert audit_size(n_rows, k / n_rows, 0).n_tolerated == k
    assert audit_size(6500, 5 / 6500, 5 / 6500).n_tolerated == 5
    assert audit_size(100, 1 - 0.93, 0).n_tolerated == 7
    assert audit_size(100, 0.0699, 0).n_tolerated == 6
    assert audit_size(10**6, 0.000006999, 0).n_tolerated == 6
    assert AuditMonitor(6500, 5 / 6500, max_labels=6000).n_tolerated == 5
    audit = draw_audit(6500, 3000, random_state=0)
    right = np.zeros(6500, dtype=int)
    finished = finish_labels(right, right, audit, right[audit.rows], target=5 / 6500)
    assert finished.at_targets([5 / 6500])["max_errors"].tolist() == [5]


# How many checks bound a share closely enough


@cache
def planned(n_rows=500, target=0.06, error=(0.3, 0.02), n_predicted=80, **options):
    return audit_size(n_rows, target, error, n_predicted=n_predicted, **options)


def distance(found, audited, rows, delta):
    found, audited = np.array(found), np.array(audited)
    most = stratified_upper_bound(found, audited, rows, delta / 2)
    return most + stratified_upper_bound(audited - found, audited, rows, delta / 2)


def exact_power(rows, truly, audited, most, delta):
    """Probability that the bounds are so many rows apart, over all audits."""
    laws = [chances(*each) for each in zip(audited, rows, truly, strict=True)]
    power = 0.0
    for (x, p), (y, q) in product(*map(enumerate, laws)):
        if (chance := float(p * q)) > 1e-4:
            apart = distance((x, y), audited, rows, delta) - sum(rows)
            power += chance * (apart <= most)
    return power


def test_known_answer_of_a_share():
    size = planned()
    assert (size.n_labels, size.n_audited) == (72, (36, 36))
    assert 0.9 <= size.power <= 1
    # 25 of the first 36 and 1 of the others are expected.
    audited, rows = np.array([36, 36]), [80, 420]
    most = stratified_upper_bound([25, 1], audited, rows, 0.05)
    least = 500 - stratified_upper_bound(audited - [25, 1], audited, rows, 0.05)
    assert size.upper == most / 500
    assert size.lower == least / 500
    assert size.upper - size.lower <= 2 * 0.06


@pytest.mark.parametrize(
    ("rows", "truly", "target", "power"),
    [
        ((80, 420), (50, 12), 0.06, 0.9),
        ((300, 900), (260, 2), 0.04, 0.5),
        ((100, 150), (50, 75), 0.1, 0.9),  # where all bounds are nearly as far apart
    ],
)
def test_the_power_is_no_larger_than_over_all_audits(rows, truly, target, power):
    n, error = sum(rows), (1 - truly[0] / rows[0], truly[1] / rows[1])
    size = audit_size(n, target, error, n_predicted=rows[0], power=power)
    exact = exact_power(rows, truly, size.n_audited, 2 * target * n + 1e-9, 0.1)
    assert size.power >= power
    assert exact - 0.15 < size.power < exact + 0.02


def test_certificates_are_as_close_as_planned():
    labels = np.arange(500) < 80
    truth = np.where(np.arange(500) < 24, False, labels)
    truth[-9:] = True  # 8.4 are expected, which are rounded up
    widths = []
    for seed in range(60):
        audit = draw_audit(500, 72, strata=labels, random_state=seed)
        share = certify_share(labels, audit, truth[audit.rows], of=True)
        widths.append(share.upper - share.lower)
    assert 0.85 < np.mean(np.array(widths) <= 0.12) <= 1


def test_more_is_asked_for_by_more_checks():
    assert planned(power=0.5).n_labels < planned().n_labels
    assert planned(target=0.09).n_labels < planned(target=0.08).n_labels
    assert planned(error=(0.05, 0.05)) == planned(error=0.05)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"n_predicted": 0}, "n_predicted must be an integer from 1 to 499"),
        ({"n_predicted": 500}, "n_predicted must be an integer from 1 to 499"),
        ({"error": 1.5}, r"expected_error must be in the interval \[0, 1\]"),
        ({"error": (0.1, 0.1, 0.1)}, "expected_error must be a number"),
        ({"error": ((0.1, 0.1),)}, "expected_error must be a number"),
        ({"n_rows": 90, "target": 0.001}, "target must be reached by an audit of fewer"),
        ({"target": 0}, "target must be in the open interval"),
    ],
)
def test_bad_input_of_shares_is_named(changed, message):
    with pytest.raises(ValueError, match=message):
        planned(**changed)
