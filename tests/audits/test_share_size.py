"""How many checks bound a share closely enough: against all audits, and certificates."""

from functools import cache
from itertools import product

import numpy as np
import pytest
from oracles import chances

from sklearn_pacmdl.audits import audit_size, certify_share, draw_audit
from sklearn_pacmdl.bounds import stratified_upper_bound


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


def test_known_answer():
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
def test_bad_input_is_named(changed, message):
    with pytest.raises(ValueError, match=message):
        planned(**changed)
