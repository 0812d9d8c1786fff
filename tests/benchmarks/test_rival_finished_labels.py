"""What rivals keep is what they describe, and what is counted of ours is what we do."""

import math
from itertools import product

import compare_finished_labels as comparison
import numpy as np
import pytest
import rival_finished_labels as rivals
from conftest import too_often
from scipy.stats import binom

from sklearn_pacmdl.audits import draw_audit, finish_labels
from sklearn_pacmdl.bounds import tolerated_audit_errors

# ---- The rival's confidence limits


def plays(errors, mean, delta):
    """The gambler's capital after each draw, one draw at a time."""
    capital, seen, spread, variance = 1.0, 0.0, 0.0, 0.25
    for i, error in enumerate(errors, start=1):
        stake = math.sqrt(2 * math.log(2 / delta) / (len(errors) * variance))
        capital *= 1 - min(stake, 0.75 / (1 - mean)) * (error - mean)
        yield capital
        seen += error
        spread += (error - (0.5 + seen) / (i + 1)) ** 2
        variance = (0.25 + spread) / (i + 1)


@pytest.mark.parametrize("rate", [0.02, 0.1, 0.3])
def test_betting_is_the_game_that_is_described(rate):
    rng = np.random.RandomState(0)
    for size in (1, 30, 100):
        errors = (rng.uniform(size=size) < rate).astype(float)
        for target in (0.01, 0.05, 0.2, 0.5, 0.9):
            excluded = max(plays(errors, target, 0.05)) >= 20
            assert rivals.betting(errors, target, 0.05) == excluded


def test_the_capital_grows_with_the_mean():
    """So that a target is above the limit if and only if it is excluded itself."""
    rng = np.random.RandomState(1)
    for rate in (0.02, 0.2, 0.5):
        errors = rng.uniform(size=60) < rate
        games = [max(plays(errors, m, 0.05)) for m in np.linspace(0.001, 0.999, 300)]
        assert np.all(np.diff(games) >= -1e-9 * np.array(games[1:]))


@pytest.mark.parametrize("target", [0.2, 0.4, 0.6])
def test_betting_holds_and_the_others_do_not(target):
    """The chance to certify a mean that is not below the target, from all outcomes."""
    size, delta = 12, 0.2
    outcomes = np.array([*product([0.0, 1.0], repeat=size)])
    n_errors = outcomes.sum(axis=1)
    chances = target**n_errors * (1 - target) ** (size - n_errors)

    def chance(certified):
        return chances @ [certified(errors, target, delta) for errors in outcomes]

    assert 0 < chance(rivals.betting) <= delta
    assert chance(lambda errors, *_: errors.mean() <= target) > delta
    if target == 0.2:  # twelve draws are too few
        assert chance(rivals.normal) > delta


@pytest.mark.parametrize("certified", [rivals.betting, rivals.normal])
def test_the_threshold_is_the_last_that_is_certified(certified):
    rng = np.random.RandomState(2)
    uncertainty = rng.uniform(size=500)
    is_wrong = rng.uniform(size=500) < 0.5 * uncertainty
    draws = rng.randint(500, size=200)
    n_kept = rivals.n_kept(uncertainty, draws, is_wrong[draws], 0.1, 0.1, certified)

    def is_certified(n_rows):
        below = uncertainty[draws] < np.sort(uncertainty)[n_rows]
        return certified((is_wrong[draws] & below).astype(float), 0.1, 0.1)

    assert 0 < n_kept < 499
    assert is_certified(n_kept)
    assert not is_certified(n_kept + 1)


def test_as_many_different_rows():
    rng = np.random.RandomState(3)
    n_draws = rivals.n_draws_for(250, 1000)
    different = [len(np.unique(rng.randint(1000, size=n_draws))) for _ in range(300)]
    assert np.mean(different) == pytest.approx(250, abs=1)


# ---- Our side of the comparison


@pytest.fixture(scope="module")
def data():
    """Of which the surest labels are right; errors become frequent where none is sure."""
    rng = np.random.RandomState(4)
    truth = rng.randint(5, size=1200)
    confidence = rng.uniform(size=1200)
    wrong = rng.uniform(size=1200) < 0.6 * (1 - confidence) ** 2
    return comparison.Labeled(truth, truth + wrong, confidence, 200)


@pytest.mark.parametrize("size", [20, 100, 200, 600, 1150])
@pytest.mark.filterwarnings("ignore:An audit of 20 of 1200 rows is too small")
def test_errors_are_those_that_finish_labels_leaves(data, size):
    order = np.argsort(-data.confidence)
    tolerated = tolerated_audit_errors(size, 1200 - size, 60, 0.05)
    for seed in range(10):
        audit = draw_audit(1200, size, random_state=seed)
        finished = finish_labels(
            data.labels, data.confidence, audit, data.truth[audit.rows],
            target=0.05, delta=0.05,
        )  # fmt: skip
        expected = np.sum(
            finished.complete(data.truth[finished.to_annotators]).labels != data.truth
        )
        wrong_rows = order[data.wrong[order]]
        left = comparison.errors_left(wrong_rows, audit.rows, data.wrong, tolerated)
        assert left == expected


def test_violations_are_as_frequent_as_computed(data):
    counts = comparison.count_violations(data, 20_000, n_orders=20)
    violations, probability = (
        counts[name] for name in ("violations", "probability of a violation")
    )
    assert not too_often(violations, 20_000, 0.05)
    assert probability <= 0.05
    tails = (
        binom.cdf(violations, 20_000, probability),
        binom.sf(violations - 1, 20_000, probability),
    )
    assert min(tails) > 1e-6
    # Nothing would be left to violate if the labels had few errors.
    few = data._replace(labels=np.where(data.confidence < 0.9, data.truth, data.labels))
    assert comparison.count_violations(few, 100)["violations"] == 0
