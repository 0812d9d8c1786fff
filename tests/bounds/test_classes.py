"""Precision, recall, F1, totals and the macro error, against all populations."""

from fractions import Fraction
from functools import cache, partial
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from oracles import chance_of, chances, most_unrefuted, worst_failure

from sklearn_pacmdl.bounds import (
    ClassCounts,
    bmax,
    class_score_lower_bound,
    float_above,
    float_below,
    macro_error_upper_bound,
    stratified_upper_bound,
    total_upper_bound,
)

SAMPLE = {"n_predicted": 500, "n_audited": 300, "n_rows": 2299}


def test_known_answers():
    precision = {"metric": "precision", "n_predicted": 500, "delta": 0.05}
    assert class_score_lower_bound(47, 3, **precision) == 0.858
    counts = ClassCounts(47, 3, 2, **SAMPLE)
    for metric, score, share, value in [
        ("f1", "jaccard", Fraction(209, 251), Fraction(209, 230)),
        ("recall", "recall", Fraction(80, 87), Fraction(80, 87)),
    ]:
        assert counts.least(score, 0.05) == share
        bound = class_score_lower_bound(47, 3, 2, metric=metric, **SAMPLE, delta=0.05)
        assert bound == float_below(value)
    assert counts.total(0.1) == (444, 517)
    error = macro_error_upper_bound([3, 8, 1], [50, 60, 40], [500, 400, 300], delta=0.1)
    assert error == 0.10244444444444445
    # At the smallest deltas nothing is refuted.
    for score in ("recall", "jaccard"):
        assert counts.least(score, 1e-300) == 0
        assert 0 < counts.least(score, 1e-30) < counts.least(score, 0.05)


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


@cache
def lower_bound(name, tp, fp, fn, predicted, audited, rows, delta):
    sizes = {"n_predicted": predicted, "n_audited": audited, "n_rows": rows}
    return class_score_lower_bound(tp, fp, fn, metric=name, **sizes, delta=delta)


def populations(n_rows):
    """All sizes of the four cells."""
    for tp, fp, fn in product(range(n_rows + 1), repeat=3):
        if tp + fp + fn <= n_rows:
            yield tp, fp, fn, n_rows - tp - fp - fn


# Ratios of wrongly predicted and missed rows, and of rightly predicted ones and those
# that are rightly not, for which the sizes of both strata are wanted.
LEAST = {"recall": ((0, 1), (-1, 1)), "jaccard": ((1, 1), (0, 1))}
MOST = {"recall": ((1, 0), (1, -1)), "jaccard": ((1, 0), (0, -1))}


@pytest.mark.parametrize("score", LEAST)
@pytest.mark.parametrize(("audited", "rows"), [((3, 3), (6, 8)), ((4, 2), (7, 5))])
def test_against_the_definition(score, audited, rows):
    n, others = rows
    for fp, fn in product(range(0, audited[0] + 1, 2), range(0, audited[1] + 1, 2)):
        counts = ClassCounts(audited[0] - fp, fp, fn, n, sum(audited), n + others)
        ratio = *LEAST[score], n
        most = most_unrefuted((fp, fn), audited, rows, 0.2, ratio)
        assert counts.least(score, 0.2) == 1 - most
        ratio = *MOST[score], (others if score == "recall" else n + others)
        right = audited[0] - fp, audited[1] - fn
        assert counts.most(score, 0.2) == most_unrefuted(right, audited, rows, 0.2, ratio)


# All truths, given how many rows of either stratum were audited.
DESIGNS = [
    ((3, 3), (12, 12)),
    ((0, 5), (4, 14)),
    ((4, 0), (9, 0)),
    ((4, 3), (4, 9)),
    ((2, 3), (8, 12)),
    ((5, 6), (9, 8)),
    ((6, 2), (10, 20)),
    ((5, 0), (14, 4)),
    ((5, 5), (25, 10)),
    ((8, 8), (16, 24)),
    ((6, 20), (12, 50)),
]


def worst_ratio(design, score, delta, side, less=0):
    (n_seen, n_other), (n, others) = audited, rows = design

    @np.vectorize
    def bound(fp, fn):
        counts = ClassCounts(n_seen - fp, fp, fn, n, n_seen + n_other, n + others)
        least = float(counts.least(score, delta)) - 1e-12 + less
        return -least if side == "least" else float(counts.most(score, delta)) + 1e-12

    def truth(fp, fn):
        size = n - fp + fn if score == "recall" else n + fn
        share = (n - fp) / size if size else 0
        return (-share if side == "least" else share) if size else -2

    bounds = bound(*np.indices((n_seen + 1, n_other + 1)))
    return worst_failure(audited, rows, bounds, truth) / delta


@pytest.mark.parametrize("side", ["least", "most"])
@pytest.mark.parametrize("score", ["recall", "jaccard"])
def test_every_truth_of_few_rows(score, side):
    worst = [worst_ratio(design, score, 0.1, side) for design in DESIGNS[:4]]
    assert 0.9 < max(worst) <= 1


@pytest.mark.parametrize("side", ["least", "most"])
@pytest.mark.parametrize("score", ["recall", "jaccard"])
@pytest.mark.parametrize("delta", [0.05, 0.1, 0.3])
def test_every_truth(score, side, delta):
    worst = [worst_ratio(design, score, delta, side) for design in DESIGNS]
    assert 0.97 < max(worst) <= 1
    if side == "least":  # the control: a little more is too much
        assert max(worst_ratio(d, score, delta, side, 0.01) for d in DESIGNS[4:]) > 1


@pytest.mark.parametrize(("is_shared", "expected"), [(True, 1.76), (False, 0.41)])
def test_delta_must_not_be_shared_by_the_counts_of_all_classes(is_shared, expected):
    """The control: all of delta for the class of which fewer rows were found.

    Neither of two classes is predicted anywhere, and each has half of the rows.
    """
    delta, failed = 0.1, 0
    for found, chance in enumerate(chances(13, 40, 20)):
        few = min(found, 13 - found)
        most = total_upper_bound(few, 13, 40, delta if is_shared else delta / 2)
        failed += chance if most < 20 else 0
    assert float(failed) / delta == pytest.approx(expected, abs=0.01)


def violation(name, population, audited, delta):
    """Probability that a bound is above the truth."""
    tp, fp, _, _ = population
    truth = SCORES[name](*population)
    sizes = tp + fp, audited, sum(population)

    def is_above(*cells):
        bound = lower_bound(name, *cells[:3], *sizes, delta)
        return Fraction(repr(bound)) > truth

    return chance_of(is_above, population, audited)


@pytest.mark.parametrize(("n_rows", "delta"), [(6, 0.2), (7, 0.05)])
@pytest.mark.parametrize("name", ["precision", "recall", "f1"])
def test_no_lower_bound_fails_more_often_than_delta(name, n_rows, delta):
    worst = max(
        violation(name, population, audited, delta) / Fraction(repr(delta))
        for population in populations(n_rows)
        if population[0]  # else it is 0, or not defined
        for audited in range(1, n_rows)
    )
    # So few rows may show nothing of two strata; of more, see above.
    assert (0.8 if name == "precision" else 0) <= worst <= 1


@cache
def total_bounds(*counts):
    return ClassCounts(*counts[:-1]).total(counts[-1])


@pytest.mark.parametrize(("n_rows", "delta"), [(6, 0.5), (7, 0.1)])
def test_no_total_fails_more_often_than_delta(n_rows, delta):
    worst = Fraction(0)
    for population in populations(n_rows):
        tp, fp, fn, _ = population
        for audited in range(1, n_rows):

            def is_outside(*cells, sizes=(tp + fp, audited, n_rows)):
                least, most = total_bounds(*cells[:3], *sizes, delta)
                return not least <= tp + fn <= most  # noqa: B023 (called at once)

            worst = max(worst, chance_of(is_outside, population, audited))
    assert 0.4 < worst / Fraction(repr(delta)) <= 1


@pytest.mark.parametrize("predicted", [(3, 3), (2, 4), (4, 3), (2, 2, 3)])
def test_no_macro_error_fails_more_often_than_delta(predicted):
    n_classes, worst = len(predicted), Fraction(0)

    @cache
    def bound(wrong, right, delta):
        seen = np.add(wrong, right)
        return macro_error_upper_bound(wrong, seen, predicted, delta=delta)

    def is_low(errors, delta, *drawn):
        rate = sum(map(Fraction, errors, predicted)) / n_classes
        stated = bound(drawn[:n_classes], drawn[n_classes:], delta)
        return Fraction(repr(stated)) < rate

    for errors in product(*(range(n + 1) for n in predicted)):
        cells = [*errors, *np.subtract(predicted, errors).tolist()]
        for audited, delta in product(range(1, sum(predicted)), (0.1, 0.4)):
            failed = chance_of(partial(is_low, errors, delta), cells, audited)
            worst = max(worst, failed / Fraction(repr(delta)))
    assert 0 < worst <= 1


@pytest.mark.parametrize("name", ["recall", "f1"])
def test_very_many_rows(name):
    """The bound stays below that of fewer rows, where cells are of one number."""
    few = lower_bound(name, 47, 3, 2, 220, 300, 1000, 0.05)
    for scale in (100, 10**6):
        bound = lower_bound(name, 47, 3, 2, 220 * scale, 300, 1000 * scale, 0.05)
        assert few - 0.02 < bound < few


def test_what_is_certain():
    """Classes without audited rows, all rows audited, and rows that cannot be missed."""

    def least(tp, fp, fn, sizes, metric="recall", delta=0.1):
        sizes = dict(zip(("n_predicted", "n_audited", "n_rows"), sizes, strict=True))
        return class_score_lower_bound(tp, fp, fn, metric=metric, delta=delta, **sizes)

    none = {"metric": "precision", "n_predicted": [0, 9], "delta": 0.1}
    assert class_score_lower_bound(0, 0, **none).tolist() == [0, 0]
    for metric in ("recall", "f1"):
        assert least(3, 1, 1, (4, 9, 9), metric) == 0.75
    assert ClassCounts(3, 1, 1, 4, 9, 9).total(0.1) == (4, 4)
    # All rows not predicted are audited, and are not of the class.
    assert least(2, 3, 0, (50, 15, 60), delta=0.001) == 1
    # All predicted rows may be wrong, and then no row is in the class.
    assert least(0, 4, 0, (9, 4, 9)) == 0
    # No row is predicted: a class of which only the total is unknown.
    assert least(0, 0, 4, (0, 30, 90)) == 0
    fewest, most = ClassCounts(0, 0, 4, 0, 30, 90).total(0.1)
    assert most == total_upper_bound(4, 30, 90, 0.05) == 4 + bmax(30, 60, 4, 0.05)
    assert 4 <= fewest < 12


def test_arrays():
    cells, more = (np.array([40, 0, 47]), 3, 2), {"metric": "recall", **SAMPLE}
    recalls = class_score_lower_bound(*cells, delta=[[0.1], [0.01]], **more)
    assert recalls.shape == (2, 3)
    assert recalls[1, 2] == class_score_lower_bound(47, 3, 2, delta=0.01, **more)


def test_counts_that_a_score_needs_are_asked_for():
    for metric in ("recall", "f1"):
        with pytest.raises(
            ValueError, match=f"n_audited must be .* metric='{metric}', got"
        ):
            class_score_lower_bound(4, 1, 1, metric=metric, n_predicted=9, delta=0.1)
    with pytest.raises(ValueError, match="metric must be .* got 'jaccard'"):
        class_score_lower_bound(4, 1, metric="jaccard", n_predicted=9, delta=0.1)


# Rows that were drawn by strata


def counts_of(cells):
    """Counts of a class, of (fp, fn), audited and all rows, of each stratum."""
    strata = [
        ClassCounts(m - fp, fp, fn, n, m + m_other, n + n_other)
        for (fp, fn), (m, m_other), (n, n_other) in cells
    ]
    return ClassCounts.of_strata(strata)


# Cells of predicted rows, and of others, with a stratum for each pair; and as all cells
# of one list, without those that have no rows.
STRATA = {
    "by label": ([(3, 0), (0, 3)], [(7, 0), (0, 9)]),
    "three labels": ([(2, 0), (0, 2), (0, 2)], [(5, 0), (0, 4), (0, 6)]),
    "three cells": ([(2, 2), (0, 2)], [(4, 6), (0, 5)]),
    "two strata": ([(2, 3), (2, 2)], [(5, 6), (4, 4)]),
    "a known side": ([(2, 2), (3, 2)], [(2, 6), (3, 5)]),
}


def worst_of_strata(design, bound, score="recall"):
    """Largest probability that a lower bound of all counts is above the truth."""
    audited, rows = (np.array(each).T.ravel() for each in STRATA[design])
    cells, n_strata = rows > 0, len(STRATA[design][0])
    n = rows[:n_strata].sum()

    def of_kinds(numbers):
        """FP and FN of all strata, from those of the cells that have rows."""
        both = np.zeros(2 * n_strata, dtype=int)
        both[cells] = numbers
        return both.reshape(2, n_strata)

    def missing(*numbers):
        fp, fn = of_kinds(numbers).sum(axis=1)
        size = n - fp + fn if score == "recall" else n + fn
        return 1 - (n - fp) / size if size else 0

    shape = audited[cells] + 1
    bounds = np.zeros(shape)
    for found in np.ndindex(*shape):
        least = bound([*zip(of_kinds(found).T.tolist(), *STRATA[design], strict=True)])
        bounds[found] = 1 - float(least) + 1e-12
    return worst_failure(audited[cells], rows[cells], bounds, missing)


@pytest.mark.parametrize("score", ["recall", "jaccard"])
@pytest.mark.parametrize("design", STRATA)
def test_every_truth_of_strata(design, score):
    delta = 0.3
    chance = worst_of_strata(design, lambda c: counts_of(c).least(score, delta), score)
    assert 0 < chance <= delta


def at_levels(cells, *levels):
    """Recall where predicted rows and others are bounded by themselves."""
    found, audited, rows = (np.array(each).T for each in zip(*cells, strict=True))
    most = [
        stratified_upper_bound(*each, level)
        for *each, level in zip(found, audited, rows, levels, strict=True)
    ]
    right = int(rows[0].sum() - most[0])
    return Fraction(right, right + int(most[1]) or 1)


def test_the_better_of_two_bounds_is_not_valid():
    """The control of why sizes, and nothing that was found, decide about the method."""
    delta = 0.4

    def inverted(cells):
        return counts_of(cells).least("recall", delta)

    def divided(cells):
        return at_levels(cells, 0.98 * delta, 0.02 * delta)

    alone = [worst_of_strata("by label", each) / delta for each in (inverted, divided)]
    better = worst_of_strata("by label", lambda c: max(inverted(c), divided(c))) / delta
    assert 0.9 < min(alone) < max(alone) <= 1 < better


@pytest.mark.parametrize("score", LEAST)
@pytest.mark.parametrize("design", ["three labels", "three cells"])
def test_three_cells_against_the_definition(design, score):
    """The inversion over all numbers of rows in all cells, in fractions."""
    audited, rows = STRATA[design]
    kinds, cells = np.nonzero(np.array(rows).T)
    n = int(np.array(rows)[:, 0].sum())
    alpha, gamma = (tuple(np.take(each, kinds).tolist()) for each in LEAST[score])
    found = [(1, 0), (0, 1), (0, 1)][: len(rows)]
    flat = [
        tuple(each[s][k] for k, s in zip(kinds, cells, strict=True))
        for each in (found, audited, rows)
    ]
    largest = most_unrefuted(*flat, 0.2, (alpha, gamma, n))
    counts = counts_of([*zip(found, audited, rows, strict=True)])
    assert counts.least(score, 0.2) == 1 - largest


def test_four_cells_against_the_definition():
    """Totals of predicted rows and of others, by the inversion in fractions."""
    audited, rows = STRATA["two strata"]

    def most(found, audited, rows):
        total = (1, 1), (0, 0), sum(rows)
        return most_unrefuted(found, audited, rows, 0.1, total) * sum(rows)

    kinds = [*zip(zip(*audited, strict=True), zip(*rows, strict=True), strict=True)]
    errors = (0, 1), (1, 0)
    fp, fn = (most(x, *of) for x, of in zip(errors, kinds, strict=True))
    of_strata = zip(zip(*errors, strict=True), audited, rows, strict=True)
    counts = counts_of([*of_strata])
    assert counts.least("recall", 0.2) == (9 - fp) / (9 - fp + fn)
    assert counts.least("jaccard", 0.2) == (9 - fp) / (9 + fn)
    tp, tn = (
        most(np.subtract(of[0], x).tolist(), *of)
        for x, of in zip(errors, kinds, strict=True)
    )
    assert counts.most("recall", 0.2) == tp / (tp + 10 - tn)


def test_recall_is_not_below_the_bound_from_both_kinds_of_errors():
    margins = []
    for fp, fn in [(34, 1), (0, 0), (10, 3), (60, 5), (90, 12), (33, 0), (36, 2)]:
        cells = [((fp, 0), (100, 0), (675, 0)), ((0, fn), (0, 100), (0, 4325))]
        new = counts_of(cells).least("recall", 0.05)
        other = at_levels(cells, 0.025, 0.025)
        assert new >= other
        if fp in (33, 34, 36):
            margins.append((0.9 - float(new), 0.9 - float(other)))
    here, others = np.mean(margins, axis=0)
    assert here <= 0.75 * others


def test_one_stratum_is_the_same_as_none():
    counts = ClassCounts(47, 3, 2, 500, 300, 2299)
    assert ClassCounts.of_strata([counts]) == counts


def test_what_checks_by_label_help():
    """The table of doc/screening.md."""
    page = Path(__file__).parents[2] / "doc" / "screening.md"
    for n in (100, 500, 2000, 5000):
        table = []
        for m in (50, n // 100):
            fp = int(0.1 * m + 0.5)
            fn = int(0.1 * n * (100 - m) / (10_000 - n) + 0.5)
            counts = ClassCounts(m - fp, fp, fn, n, 100, 10_000)
            table += [counts.least(score, 0.05) for score in ("precision", "recall")]
        columns = [table[i] for i in (0, 2, 1, 3)]
        line = " | ".join([f"{n // 100}", *(f"{float(v):.3f}" for v in columns)])
        assert f"| {line} |" in page.read_text(encoding="utf-8")


def test_what_is_certain_of_strata():
    """No row that could be missed, no row that must be right, and all rows audited."""
    cell = [(0, 0), (5, 0), (20, 0)]
    no_others = counts_of([cell, [(1, 0), *cell[1:]]])
    assert (no_others.least("recall", 0.1), no_others.most("recall", 0.1)) == (1, 1)
    all_wrong = counts_of([[(5, 0), *cell[1:]]] * 2)
    assert (all_wrong.least("recall", 0.1), all_wrong.least("jaccard", 0.1)) == (0, 0)
    whole = counts_of([[(1, 0), (5, 4), (5, 4)], [(0, 2), (3, 6), (3, 6)]])
    assert whole.least("recall", 0.1) == whole.most("recall", 0.1) == Fraction(7, 9)
    assert whole.total(0.1) == (9, 9)
    unseen = counts_of([[(0, 0), (0, 0), (5, 4)], [(0, 0), (0, 6), (3, 6)]])
    assert unseen.least("recall", 0.1) == 0
    assert unseen.total(0.1) == (0, 12)


def test_all_of_delta_is_left_where_one_side_is_known():
    """All predicted rows were reviewed, in each of three strata: only misses count."""
    cells = [[(2, x), (9, 20), (9, 90)] for x in (1, 0, 2)]
    missed = stratified_upper_bound([1, 0, 2], [20] * 3, [90] * 3, 0.1)
    assert counts_of(cells).least("recall", 0.1) == Fraction(21, 21 + missed)
