"""Scores of classes where rows were drawn by strata, against all populations."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from oracles import LEAST, most_unrefuted, worst_failure

from sklearn_pacmdl.bounds import ClassCounts, stratified_upper_bound


def counts_of(cells):
    """Counts of a class, of (fp, fn), audited and all rows, of each stratum."""
    return ClassCounts.of_strata(
        [
            ClassCounts(m - fp, fp, fn, n, m + m_other, n + n_other)
            for (fp, fn), (m, m_other), (n, n_other) in cells
        ]
    )


# Cells of predicted rows, and of others, with a stratum for each pair; and as all cells
# of one list, without those that have no rows.
DESIGNS = {
    "by label": ([(3, 0), (0, 3)], [(7, 0), (0, 9)]),
    "three labels": ([(2, 0), (0, 2), (0, 2)], [(5, 0), (0, 4), (0, 6)]),
    "three cells": ([(2, 2), (0, 2)], [(4, 6), (0, 5)]),
    "two strata": ([(2, 3), (2, 2)], [(5, 6), (4, 4)]),
    "a known side": ([(2, 2), (3, 2)], [(2, 6), (3, 5)]),
}


def worst(design, bound, score="recall"):
    """Largest probability that a lower bound of all counts is above the truth."""
    audited, rows = (np.array(each).T.ravel() for each in DESIGNS[design])
    cells, n_strata = rows > 0, len(DESIGNS[design][0])
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
        least = bound([*zip(of_kinds(found).T.tolist(), *DESIGNS[design], strict=True)])
        bounds[found] = 1 - float(least) + 1e-12
    return worst_failure(audited[cells], rows[cells], bounds, missing)


@pytest.mark.parametrize("score", ["recall", "jaccard"])
@pytest.mark.parametrize("design", DESIGNS)
def test_every_truth(design, score):
    delta = 0.3
    chance = worst(design, lambda c: counts_of(c).least(score, delta), score)
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

    alone = [worst("by label", each) / delta for each in (inverted, divided)]
    both = worst("by label", lambda cells: max(inverted(cells), divided(cells))) / delta
    assert 0.9 < min(alone) < max(alone) <= 1 < both


@pytest.mark.parametrize("score", LEAST)
@pytest.mark.parametrize("design", ["three labels", "three cells"])
def test_three_cells_against_the_definition(design, score):
    """The inversion over all numbers of rows in all cells, in fractions."""
    audited, rows = DESIGNS[design]
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
    audited, rows = DESIGNS["two strata"]

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


def test_what_is_certain():
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
