"""Precision, recall, F1, totals and the macro error, against all populations."""

from fractions import Fraction
from functools import cache
from itertools import product
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sklearn_pacmdl.bounds import (
    _class_scores,
    bmax,
    class_total_bounds,
    f1_lower_bound,
    float_above,
    float_below,
    jaccard_upper_bound,
    macro_error_upper_bound,
    precision_lower_bound,
    precision_upper_bound,
    recall_lower_bound,
    recall_upper_bound,
    total_upper_bound,
)

SAMPLE = {"n_predicted": 500, "n_audited": 300, "n_rows": 2299}


def test_known_answers():
    assert precision_lower_bound(47, 3, n_predicted=500, delta=0.05) == 0.858
    assert f1_lower_bound(47, 3, 2, **SAMPLE, delta=0.05) == 0.896551724137931
    # 487/553, to which 0.8806509945750453 is nearest, but above.
    recall = recall_lower_bound(47, 3, 2, **SAMPLE, delta=0.05)
    assert (
        recall == np.nextafter(0.8806509945750453, 0) == float_below(Fraction(487, 553))
    )
    assert class_total_bounds(47, 3, 2, **SAMPLE, delta=0.1) == (428, 528)
    error = macro_error_upper_bound([3, 8, 1], [50, 60, 40], [500, 400, 300], delta=0.1)
    assert error == 0.1238888888888889


@pytest.mark.parametrize("ratio", [Fraction(2, 3), Fraction(5, 6), Fraction(1, 49)])
def test_decimals_that_are_printed_are_on_the_safe_side(ratio):
    below, above = float_below(ratio), float_above(ratio)
    assert Fraction(repr(below)) < ratio < Fraction(repr(above))
    assert above == np.nextafter(below, 1)
    assert float_below(Fraction(1, 10)) == float_above(Fraction(1, 10)) == 0.1


# The definitions, in fractions: what is true of a population of which a class has four
# cells (rightly predicted, wrongly predicted, missed, others).
SCORES = {
    "precision": lambda tp, fp, fn, tn: Fraction(tp, tp + fp),
    "recall": lambda tp, fp, fn, tn: Fraction(tp, tp + fn),
    "f1": lambda tp, fp, fn, tn: Fraction(2 * tp, 2 * tp + fp + fn),
}
SETS = {"precision": (0, 1), "recall": (0, 2), "f1": (0, 1, 2)}
BOUNDS = {"recall": recall_lower_bound, "f1": f1_lower_bound}


@cache
def lower_bound(name, tp, fp, fn, predicted, audited, rows, delta):
    if name == "precision":
        return precision_lower_bound(tp, fp, n_predicted=predicted, delta=delta)
    sizes = {"n_predicted": predicted, "n_audited": audited, "n_rows": rows}
    return BOUNDS[name](tp, fp, fn, **sizes, delta=delta)


def upper_bound(name, tp, fp, fn, predicted, audited, rows, delta):
    if name == "precision":
        return precision_upper_bound(tp=tp, fp=fp, n_predicted=predicted, delta=delta)
    sizes = {"n_predicted": predicted, "n_audited": audited, "n_rows": rows}
    bound = {"recall": recall_upper_bound, "f1": jaccard_upper_bound}[name]
    most = bound(tp=tp, fp=fp, fn=fn, **sizes, delta=delta)
    return 2 * most / (1 + most) if name == "f1" else most


@cache
def few_bad(bad, audited, size, all_bad):
    """Probability of at most so many bad rows among the audited ones of a set."""
    ways = sum(
        comb(all_bad, j) * comb(size - all_bad, audited - j) for j in range(bad + 1)
    )
    return Fraction(ways, comb(size, audited))


def populations(n_rows):
    """All sizes of the four cells."""
    for tp, fp, fn in product(range(n_rows + 1), repeat=3):
        if tp + fp + fn <= n_rows:
            yield tp, fp, fn, n_rows - tp - fp - fn


def samples(population, audited):
    """All samples of a population, with their probabilities."""
    for cells in product(*(range(min(n, audited) + 1) for n in population)):
        if sum(cells) == audited:
            ways = np.prod([comb(n, x) for n, x in zip(population, cells, strict=True)])
            yield cells, Fraction(int(ways), comb(sum(population), audited))


def extreme_score(name, cells, predicted, n_rows, delta, upper):
    """The least or largest score of all populations that the sample does not refute."""
    members = SETS[name]
    audited = sum(cells[i] for i in members)
    if (cells[0] == audited) if upper else not cells[0]:
        return Fraction(int(upper))
    scores = []
    for population in populations(n_rows):
        tp, fp, _, _ = population
        if tp + fp != predicted or np.any(np.array(population) < cells):
            continue
        size = sum(population[i] for i in members)
        few = (cells[0], tp) if upper else (audited - cells[0], size - tp)
        p = few_bad(few[0], audited, size, few[1])
        if p >= Fraction(repr(delta)):
            scores.append(SCORES[name](*population))
    return max(scores) if upper else min(scores)


@pytest.mark.parametrize("name", SCORES)
@pytest.mark.parametrize("delta", [0.05, 0.25])
def test_against_all_populations_that_are_not_refuted(name, delta):
    n_rows = 7
    for audited, predicted in product((3, 5), range(n_rows + 1)):
        for tp, fp, fn in product(range(audited + 1), repeat=3):
            tn = audited - tp - fp - fn
            if tn < 0 or tp + fp > predicted or fn + tn > n_rows - predicted:
                continue
            found = lower_bound(name, tp, fp, fn, predicted, audited, n_rows, delta)
            given = name, (tp, fp, fn, tn), predicted, n_rows, delta
            assert found == float_below(extreme_score(*given, upper=False))
            found = upper_bound(name, tp, fp, fn, predicted, audited, n_rows, delta)
            assert found == extreme_score(*given, upper=True)


def violation(name, population, audited, delta):
    """Probability that a bound is above the truth."""
    tp, fp, _, _ = population
    truth = SCORES[name](*population)
    sizes = tp + fp, audited, sum(population)
    failed = Fraction(0)
    for cells, p in samples(population, audited):
        bound = lower_bound(name, *cells[:3], *sizes, delta)
        failed += p if Fraction(repr(bound)) > truth else 0
    return failed


@pytest.mark.parametrize(("n_rows", "delta"), [(6, 0.2), (7, 0.05)])
@pytest.mark.parametrize("name", ["precision", "recall", "f1"])
def test_no_lower_bound_fails_more_often_than_delta(name, n_rows, delta):
    worst = max(
        violation(name, population, audited, delta) / Fraction(repr(delta))
        for population in populations(n_rows)
        if population[0]  # else it is 0, or not defined
        for audited in range(1, n_rows)
    )
    assert 0.8 < worst <= 1  # not vacuously


@cache
def total_bounds(*counts):
    *cells, predicted, audited, rows, delta = counts
    sizes = {"n_predicted": predicted, "n_audited": audited, "n_rows": rows}
    return class_total_bounds(*cells, **sizes, delta=delta)


@pytest.mark.parametrize(("n_rows", "delta"), [(6, 0.5), (7, 0.1)])
def test_no_total_fails_more_often_than_delta(n_rows, delta):
    worst = Fraction(0)
    for population in populations(n_rows):
        tp, fp, fn, _ = population
        for audited in range(1, n_rows):
            failed = Fraction(0)
            for cells, p in samples(population, audited):
                sizes = tp + fp, audited, n_rows
                least, most = total_bounds(*cells[:3], *sizes, delta)
                failed += 0 if least <= tp + fn <= most else p
            worst = max(worst, failed / Fraction(repr(delta)))
    assert 0.4 < worst <= 1


@pytest.mark.parametrize("predicted", [(3, 3), (2, 4), (4, 3), (2, 2, 3)])
def test_no_macro_error_fails_more_often_than_delta(predicted):
    worst = Fraction(0)
    n_rows, n_classes = sum(predicted), len(predicted)

    @cache
    def bound(wrong, seen, delta):
        return macro_error_upper_bound(wrong, seen, predicted, delta=delta)

    for errors in product(*(range(n + 1) for n in predicted)):
        truth = sum(map(Fraction, errors, predicted)) / n_classes
        cells = [*errors, *np.subtract(predicted, errors).tolist()]
        for audited, delta in product(range(1, n_rows), (0.1, 0.4)):
            failed = Fraction(0)
            for drawn, p in samples(cells, audited):
                wrong, right = drawn[:n_classes], drawn[n_classes:]
                seen = tuple(np.add(wrong, right).tolist())
                failed += p if Fraction(repr(bound(wrong, seen, delta))) < truth else 0
            worst = max(worst, failed / Fraction(repr(delta)))
    assert 0 < worst <= 1


def test_recall_does_not_hold_given_the_audited_rows_of_a_class():
    """The control: were delta shared by how many rows of a class were audited."""
    population, audited, delta = (10, 0, 10, 20), 12, 0.1
    assert violation("recall", population, audited, delta) == pytest.approx(
        0.044, abs=5e-4
    )
    failed = given = Fraction(0)
    for cells, p in samples(population, audited):
        if cells[0] + cells[1] == 6:
            given += p
            bound = lower_bound("recall", *cells[:3], 10, audited, 40, delta)
            failed += p if bound > Fraction(1, 2) else 0
    assert failed / given == pytest.approx(0.69, abs=5e-3)


@settings(max_examples=40)
@given(data=st.data())
def test_ranges_do_not_change_the_smallest_share(data):
    """Sizes looked at one by one, and cut into ranges of which few are open."""
    rows = data.draw(st.integers(2, 3000))
    predicted = data.draw(st.integers(1, rows))
    audited = data.draw(st.integers(1, min(rows, 60)))
    low = max(0, audited - (rows - predicted))
    seen = data.draw(st.integers(low, min(audited, predicted)))
    tp = data.draw(st.integers(0, seen))
    fn = data.draw(st.integers(0, audited - seen))
    counts = (tp, seen - tp, fn, predicted, audited, rows, 0.05)
    name = data.draw(st.sampled_from(sorted(BOUNDS)))
    bound = lower_bound(name, *counts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_class_scores, "_PIECES", rows + 1)
        one_by_one = lower_bound.__wrapped__(name, *counts)
        patch.setattr(_class_scores, "_PIECES", 2)
        patch.setattr(_class_scores, "_MOST_RANGES", 3)
        rough = lower_bound.__wrapped__(name, *counts)
    assert one_by_one == bound
    assert 0 <= rough <= bound


@pytest.mark.parametrize("name", BOUNDS)
def test_very_many_rows(name):
    """The bound stays below that of fewer rows, where it is exact."""
    few = lower_bound(name, 47, 3, 2, 22_000, 300, 100_000, 0.05)
    many = lower_bound(name, 47, 3, 2, 220_000_000, 300, 10**9, 0.05)
    assert few - 5e-4 < many < few


def test_what_is_certain():
    """Classes without audited rows, all rows audited, and rows that cannot be missed."""
    assert precision_lower_bound(0, 0, n_predicted=[0, 9], delta=0.1).tolist() == [0, 0]
    sizes = {"n_predicted": 4, "n_audited": 9, "n_rows": 9}
    assert recall_lower_bound(3, 1, 1, **sizes, delta=0.1) == 0.75
    assert f1_lower_bound(3, 1, 1, **sizes, delta=0.1) == 0.75
    assert class_total_bounds(3, 1, 1, **sizes, delta=0.1) == (4, 4)
    # All rows not predicted are audited, and are not of the class.
    sizes = {"n_predicted": 50, "n_audited": 15, "n_rows": 60}
    assert recall_lower_bound(2, 3, 0, **sizes, delta=0.001) == 1
    # No row is predicted: a class of which only the total is unknown.
    sizes = {"n_predicted": 0, "n_audited": 30, "n_rows": 90}
    assert recall_lower_bound(0, 0, 4, **sizes, delta=0.1) == 0
    least, most = class_total_bounds(0, 0, 4, **sizes, delta=0.1)
    assert most == total_upper_bound(4, 30, 90, 0.05) == 4 + bmax(30, 60, 4, 0.05)
    assert 4 <= least < 12


def test_arrays():
    delta = [[0.1], [0.01]]
    tp = np.array([40, 0, 47])
    sizes = {"n_predicted": 500, "n_audited": 300, "n_rows": 2299}
    recalls = recall_lower_bound(tp, 3, 2, **sizes, delta=delta)
    assert recalls.shape == (2, 3)
    assert recalls[1, 2] == recall_lower_bound(47, 3, 2, **sizes, delta=0.01)
