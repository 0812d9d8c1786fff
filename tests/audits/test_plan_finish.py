"""Plans of what a budget gives: against real audits, exact sums, and known answers."""

from math import comb, floor

import numpy as np
import pytest

from sklearn_pacmdl.audits import draw_audit, finish_labels, plan_finish
from sklearn_pacmdl.bounds import bmax

# Errors of tests are often of a class that no row has.
pytestmark = pytest.mark.filterwarnings(
    "ignore:audit_labels holds labels that are not in labels"
)

N_ROWS = 2000
PLAN = {"target": 0.05, "delta": 0.1}


def ranks(n_rows=N_ROWS):
    """From almost 0 for the surest row, which is the last one, to almost 1."""
    return (n_rows - np.arange(n_rows) - 0.5) / n_rows


def labeled(rates, seed):
    """Labels that are wrong at these rates, and the truth."""
    wrong = np.random.RandomState(seed).uniform(size=len(rates)) < rates
    return wrong.astype(int), np.zeros(len(rates), dtype=int)


def spared(confidence, rates, size, surest, seed, exclude=()):
    """Share of the rows that a real audit of labels at these rates spares."""
    labels, truth = labeled(rates, seed)
    given = {"labels": labels, "confidence": confidence}
    how = {"exclude": exclude, "surest": surest, "random_state": seed}
    audit = draw_audit(len(rates), size, **given, **how, **PLAN)
    answers = truth[audit.rows]
    finished = finish_labels(**given, audit=audit, audit_labels=answers, **PLAN)
    return finished.share_automatic


CASES = {
    "probabilities": (1 - 0.6 * ranks() ** 2, 0.6 * ranks() ** 2, None),
    "scores": (-100 * ranks(), ranks() ** 4, None),
    "scores, accuracy": (-100 * ranks(), ranks() ** 9, 0.9),
    "few errors": (1 - 0.08 * ranks(), 0.08 * ranks(), None),
}


@pytest.mark.filterwarnings("ignore:An audit of .* is too small")
@pytest.mark.parametrize("size", [40, 100, 400])
@pytest.mark.parametrize("case", CASES)
def test_as_many_rows_are_spared_as_planned_if_what_is_supposed_is_true(case, size):
    confidence, rates, accuracy = CASES[case]
    plan = plan_finish(confidence, size, expected_accuracy=accuracy)
    found = [spared(confidence, rates, size, plan.surest, seed) for seed in range(60)]
    planned = plan.to_frame().loc[size, "share_automatic"]
    error = np.std(found, ddof=1) / 60**0.5
    assert abs(np.mean(found) - planned) < 0.015 + 3.5 * error


@pytest.mark.filterwarnings("ignore:An audit of .* is too small")
def test_a_pilot_tells_of_confidences_that_claim_too_much():
    """Plans without it promise a third too much; with it, they are right on average."""
    confidence, rates = 1 - 0.3 * ranks() ** 2, 0.05 + 0.6 * ranks() ** 2
    planned, found = [], []
    for seed in range(12):
        labels, truth = labeled(rates, seed)
        pilot = draw_audit(N_ROWS, 300, labels=labels, random_state=1000 + seed)
        learned = {"pilot": pilot, "audit_labels": truth[pilot.rows]}
        plan = plan_finish(confidence, 200, labels=labels, **learned)
        assert plan.n_rows == N_ROWS - 300
        planned.append(plan.to_frame().loc[200, "share_automatic"])
        found.append(spared(confidence, rates, 200, plan.surest, seed, exclude=pilot))
    without = plan_finish(confidence, 200).to_frame().loc[200, "share_automatic"]
    assert without > 1.3 * np.mean(found)
    apart = np.subtract(planned, found)
    assert abs(np.mean(apart)) < 0.02 + 3 * np.std(apart, ddof=1) / 12**0.5 < 0.15


@pytest.mark.parametrize("confidence", [1 - 0.6 * ranks() ** 2, -ranks(), ranks()])
def test_the_share_is_that_of_a_drawing(confidence):
    plan = plan_finish(confidence, 100)
    shares = plan.to_frame()["surest"]
    assert plan.surest == shares[100]
    assert plan.columns["n_audited"].tolist() == [13, 25, 50, 75, 100, 150, 200, 400]
    for size, share in shares.items():
        auto = draw_audit(N_ROWS, size, confidence=confidence, surest="auto", **PLAN)
        same = draw_audit(N_ROWS, size, confidence=confidence, surest=share, **PLAN)
        assert len(auto.pool) == len(same.pool) == floor(N_ROWS * share + 1e-9)


@pytest.mark.parametrize("n_wrong", [0, 3, 12, 30])
def test_the_expected_bound_is_that_of_all_audits(n_wrong):
    """Against a sum over all numbers of audited errors, in integers."""
    n_rows, size, delta = 40, 10, 0.2
    confidence, accuracy = np.ones(n_rows), None
    if n_wrong:
        confidence, accuracy = np.arange(n_rows), 1 - n_wrong / n_rows
    plan = plan_finish(confidence, size, delta=delta, expected_accuracy=accuracy)
    expected = 0.0
    for seen in range(max(0, size - (n_rows - n_wrong)), min(size, n_wrong) + 1):
        ways = comb(n_wrong, seen) * comb(n_rows - n_wrong, size - seen)
        bound = seen + bmax(size, n_rows - size, seen, delta)
        expected += ways / comb(n_rows, size) * bound / n_rows
    planned = plan.to_frame().loc[size, "error_bound"]
    assert planned == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("accuracy", [0.05, 0.5, 0.95])
@pytest.mark.parametrize("confidence", [1 - 0.3 * ranks(), -ranks()])
def test_labels_are_supposed_to_be_right_as_often_as_expected(confidence, accuracy):
    plan = plan_finish(confidence, 100, expected_accuracy=accuracy)
    assert plan.error_rate == pytest.approx(1 - accuracy, abs=2e-3)
    assert f"{100 * accuracy:g}% of the labels are right" in plan.sentence


def test_small_data_sets():
    plan = plan_finish(ranks(100), 10, target=0.95)  # all may be wrong
    assert plan.columns["share_automatic"][-1] == 0.6  # 40 checks, and 60 others
    assert plan.columns["n_to_annotators"][-1] == 0
    # No row is drawn twice, and none is left without a check.
    plan = plan_finish(ranks(10), 8)
    assert plan.columns["n_audited"].tolist() == [1, 2, 4, 6, 8, 9]
    total = sum(plan.columns[name] for name in ("n_audited", "n_to_annotators"))
    assert np.all(total <= 10)


def pilot_of(n_wrong, size=60, **given):
    labels, given["classes"] = np.zeros(N_ROWS, dtype=int), {0: 0, 1: 1}
    pilot = draw_audit(N_ROWS, size, labels=labels, random_state=0, **given)
    answers = (np.arange(size) < n_wrong).astype(int)
    return {"pilot": pilot, "labels": labels, "audit_labels": answers}


def test_more_errors_in_the_pilot_promise_less():
    plans = [plan_finish(-ranks(), 100, **pilot_of(n)) for n in (0, 5, 30, 60)]
    rates = [plan.error_rate for plan in plans]
    promised = [plan.to_frame().loc[100, "share_automatic"] for plan in plans]
    assert rates == sorted(rates)
    assert promised == sorted(promised, reverse=True)
    assert rates[0] < 0.05 < 0.9 < rates[-1]


def test_the_pilot_tells_where_errors_are():
    """All of them are in the first quarter of the file: least sure, or surest."""
    learned = pilot_of(0)
    learned["audit_labels"] = (learned["pilot"].rows < N_ROWS // 4).astype(int)
    least_sure, surest = (
        plan_finish(confidence, 100, **learned).to_frame().loc[100, "share_automatic"]
        for confidence in (-ranks(), ranks())
    )
    assert least_sure > 0.6 > 0.1 > surest


def test_rows_that_the_pilot_excludes_are_excluded_and_blank_ones_tell_nothing():
    given = pilot_of(10, exclude=range(100))
    assert plan_finish(-ranks(), 100, **given).n_rows == N_ROWS - 160
    labels, pilot = np.zeros(N_ROWS, dtype=int), draw_audit(N_ROWS, 60, random_state=0)
    labels[pilot.rows[:10]] = -1
    learned = {"pilot": pilot, "labels": labels, "audit_labels": np.zeros(60, dtype=int)}
    assert plan_finish(-ranks(), 100, **learned).error_rate < 0.05


def test_confidences_may_be_infinite():
    confidence = np.concatenate([[np.inf] * 30, -ranks()[60:], [-np.inf] * 30])
    for given in ({}, {"expected_accuracy": 0.8}, pilot_of(6)):
        plan = plan_finish(confidence, 100, **given)
        assert 0 < plan.columns["share_automatic"][-1] < 1


def test_says_what_it_expects_and_that_it_guarantees_nothing():
    worse = str(plan_finish(1 - 0.6 * ranks() ** 2, 400))
    assert worse.startswith("400 checks: an error rate of about 22% certified for all")
    assert "all labels at 5% is not possible: more of them are expected to be" in worse
    assert "guarantees nothing: it supposes that labels are right as often as" in worse
    assert len(worse.splitlines()) == 3 + 8
    better = plan_finish(1 - 0.04 * ranks(), 400)
    assert f"takes about {better.n_to_certify} checks" in better.sentence
    for sentence in (worse, better.sentence):
        assert "To spare rows" not in sentence
    few = plan_finish(1 - 0.6 * ranks() ** 2, 25).sentence
    assert "To spare rows, draw from the surest 55% of them." in few
    assert "fourth power of the rank" in plan_finish(-ranks(), 100).sentence
    of_pilot = plan_finish(-ranks(), 100, **pilot_of(5))
    assert "as often wrong as in the pilot of 60 rows" in of_pilot.sentence
    html = of_pilot._repr_html_()
    assert of_pilot.sentence.replace("'", "&#x27;") in html
    assert html.count("<tr>") == 1 + len(of_pilot.columns["surest"])
