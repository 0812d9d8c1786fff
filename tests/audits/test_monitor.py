"""Audits that stop as soon as the labels so far are enough."""

import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from sklearn_pacmdl.audits import AuditMonitor, audit_size
from sklearn_pacmdl.bounds import bmax, looks_plan


@pytest.fixture
def monitor():
    return AuditMonitor(10_000, 0.05, max_labels=2000)


def test_rates_are_numbers_of_rows_of_the_plan(monitor):
    plan = looks_plan(10_000, 500, 2000)
    assert monitor.n_tolerated == 500
    assert_array_equal(monitor.boundaries, plan.boundaries)
    assert monitor.false_certification == plan.false_certification
    assert monitor.expected_labels(0.02) == plan.expected_labels(200)
    assert monitor.probability_of_success(0.0401) == plan.success(401)


def test_target_is_the_decimal_that_was_written():
    """In floats, 0.29 * 100 is below 29, and 0.07 * 100 is above 7."""
    assert AuditMonitor(100, 0.29, max_labels=50).n_tolerated == 29
    rates = AuditMonitor(100, 0.3, max_labels=50)
    assert rates.expected_labels(0.07) == rates.plan.expected_labels(7)


def test_states(monitor):
    assert monitor.state == "go on"
    assert monitor.labels_still_needed == 77
    for labels, errors, state, needed in (
        (76, 0, "go on", 1),
        (1, 1, "go on", 126 - 77),
        (48, 0, "go on", 1),
        (1, 0, "certified", 0),
    ):
        assert monitor.certified_at is None
        assert monitor.update(labels, errors) is monitor
        assert (monitor.state, monitor.labels_still_needed) == (state, needed)
    assert monitor.certified_at == 126
    assert_array_equal(monitor.history, [[0, 0], [76, 0], [77, 1], [125, 1], [126, 1]])
    least = audit_size(1000, 0.1, 0.0).n_labels
    assert AuditMonitor(1000, 0.1, max_labels=least).boundaries.tolist() == [least]


def test_too_many_errors_cannot_succeed(monitor):
    most = monitor.boundaries.size - 1
    at_the_limit = AuditMonitor(10_000, 0.05, max_labels=2000).update(2000, most)
    assert at_the_limit.state == "certified"
    assert monitor.update(500, most).state == "go on"
    assert monitor.labels_still_needed == monitor.boundaries[most] - 500
    assert monitor.update(1, 1).state == "cannot succeed any more"
    assert monitor.labels_still_needed is None
    assert monitor.update(0, 0).n_labels == 501


@settings(max_examples=25)
@given(data=st.data())
def test_state_tells_what_right_labels_would_lead_to(data):
    monitor = AuditMonitor(300, 0.1, max_labels=data.draw(st.integers(30, 90)))
    while monitor.state == "go on" and monitor.n_labels < monitor.max_labels:
        k = data.draw(st.integers(1, min(30, monitor.max_labels - monitor.n_labels)))
        monitor.update(k, data.draw(st.integers(0, (k + 3) // 4)))
    again = AuditMonitor.from_json(monitor.to_json())
    left = monitor.max_labels - monitor.n_labels
    if monitor.state == "cannot succeed any more":
        assert again.update(left, 0).state == "cannot succeed any more"
    before = AuditMonitor(300, 0.1, max_labels=monitor.max_labels)
    for (m, a), (m2, a2) in zip(monitor.history[:-1], monitor.history[1:], strict=True):
        assert before.state == "go on"
        needed = before.labels_still_needed
        assert needed > 0
        after = AuditMonitor.from_json(before.to_json())
        assert after.update(needed - 1, 0).state == "go on"
        assert after.update(1, 0).state == "certified"
        before.update(int(m2 - m), int(a2 - a))


def test_a_batch_is_one_look_after_its_last_label():
    """Few errors within a batch are not seen, unless it is given label by label."""
    errors = [0] * 126 + [1] * 4
    one, each = (AuditMonitor(10_000, 0.05, max_labels=2000) for _ in range(2))
    assert one.update(130, 4).state == "go on"
    for wrong in errors:
        each.update(1, wrong)
    assert each.state == "certified"
    assert each.certified_at == 77


def test_a_certificate_remains_until_it_is_refuted():
    monitor = AuditMonitor(200, 0.1, max_labels=150).update(100, 1)
    assert monitor.state == "certified"
    statement = monitor.statement
    assert monitor.update(20, 19).state == "certified"
    assert (monitor.statement, monitor.certified_at) == (statement, 100)
    # 21 errors of all rows are more than 20.
    assert monitor.update(1, 1).state == "cannot succeed any more"
    assert monitor.labels_still_needed is None
    assert monitor.statement == (
        "What 100 labels certified is refuted by 21 errors in 121 labels."
    )


def test_statement(monitor):
    nothing = "Nothing is certified by "
    assert monitor.statement == (
        f"{nothing}0 errors in 0 labels; 77 more labels without an error would do."
    )
    assert monitor.update(125, 1).statement == (
        f"{nothing}1 error in 125 labels; 1 more label without an error would do."
    )
    assert monitor.update(1, 0).statement == (
        "With probability at least 90% over the random order of the rows, at most 500 of "
        "all 10000 rows (5.00%) are labeled wrongly, provided the labeling and this plan "
        "were fixed before the first row was drawn, the rows were labeled in drawing "
        "order, none was left out and the labels that people gave them are right."
    )
    failed = AuditMonitor(10_000, 0.05, max_labels=100, delta=0.01).update(10, 9)
    assert failed.statement == (
        f"{nothing}9 errors in 10 labels, and nothing can be: 0 errors in 100 labels "
        "would have been few enough."
    )


@pytest.mark.parametrize("delta", [0.1, 0.2])
def test_goes_on_tomorrow(delta):
    monitor = AuditMonitor(3000, 0.1, max_labels=300, delta=delta)
    monitor.update(np.int64(20), np.int64(2)).update(10, 0)
    again = AuditMonitor.from_json(monitor.to_json(indent=1))
    assert again.to_json() == monitor.to_json()
    assert repr(again) == "AuditMonitor(2 errors in 30 labels: go on)"
    assert_array_equal(again.boundaries, monitor.boundaries)
    assert again.update(270, 0).state == monitor.update(270, 0).state == "certified"
    assert AuditMonitor.from_json(again.to_json()).certified_at == 300


def test_boundaries_that_were_fixed_remain():
    """Those of another version are kept, if they keep delta."""
    text = AuditMonitor(3000, 0.1, max_labels=300).update(40, 0).to_json()
    values = json.loads(text)
    later = [m + 1 for m in values["boundaries"][:-1]]
    kept = AuditMonitor.from_json(json.dumps({**values, "boundaries": later}))
    assert_array_equal(kept.boundaries, later)
    sooner = [m - 5 for m in values["boundaries"]]
    with pytest.raises(ValueError, match=r"boundaries must be such that .*delta=0.1"):
        AuditMonitor.from_json(json.dumps({**values, "boundaries": sooner}))


@pytest.mark.parametrize(
    "history",
    [
        [[0, 0], [True, False]],
        [[False, False], [9, 1]],
        [[0.0, 0.0]],
        [[0, 0], [9, 1, 5]],
        [[1, 0]],
    ],
)
def test_a_history_is_of_pairs_of_integers(history):
    values = json.loads(AuditMonitor(3000, 0.1, max_labels=300).to_json())
    with pytest.raises(
        ValueError, match=r"a list that begins with .*, of pairs of integers"
    ):
        AuditMonitor.from_json(json.dumps({**values, "history": history}))


def test_plans_that_would_take_hours_are_refused():
    values = json.loads(AuditMonitor(10**6, 0.5, max_labels=300).to_json())
    values |= {"max_labels": 200_000, "boundaries": [*range(150_000, 200_000)]}
    with pytest.raises(ValueError, match="labels times boundaries are at most 5,000,000"):
        AuditMonitor.from_json(json.dumps(values))
    with pytest.raises(ValueError, match="max_labels must be smaller for this target"):
        AuditMonitor(10**7, 0.5, max_labels=10**6)


def test_simulated_audits_in_batches_and_the_control_that_must_fail():
    """Batches whose size depends on the errors so far; delta covers them."""
    n_rows, target, max_labels, n_audits, n_wrong = 400, 0.1, 200, 1500, 41
    monitor = AuditMonitor(n_rows, target, max_labels=max_labels, delta=0.2)
    any_look = monitor.plan.most_errors(np.arange(max_labels + 1))
    m, a = np.ogrid[: max_labels + 1, :30]
    bound = bmax(m, n_rows - m, np.minimum(a, m), 0.2) + a
    one_look = np.sum((bound <= monitor.n_tolerated) & (a <= m), axis=1) - 1
    rng = np.random.default_rng(0)
    failed = np.zeros((2, n_audits), dtype=bool)
    for i in range(n_audits):
        wrong = rng.permutation(n_rows) < n_wrong
        seen = np.append(0, np.cumsum(wrong))
        m = 0
        while m < max_labels:
            m = min(m + 1 + int(seen[m]) % 4, max_labels)
            failed[0, i] |= seen[m] <= any_look[m]
            if m % 10 == 0 or m == max_labels:
                failed[1, i] |= seen[m] <= one_look[m]
    share, naive = (Fraction(int(n), n_audits) for n in failed.sum(axis=1))
    # Four standard errors above delta at most for ours; the control is far above.
    assert share < 0.2 + 4 * (0.2 * 0.8 / n_audits) ** 0.5
    assert naive > 0.2 + 4 * (0.2 * 0.8 / n_audits) ** 0.5
