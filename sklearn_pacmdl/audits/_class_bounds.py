"""Everything that a uniform sample says of the classes of a labeling, together."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..bounds import (
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
)
from ..utils._checks import exact_decimal

SCORES = ("precision", "recall", "f1")


class ClassCounts(NamedTuple):
    """Counts of a class; the first three are of audited rows only."""

    tp: int
    fp: int
    fn: int
    n_predicted: int
    n_audited: int
    n_rows: int

    @property
    def most_good(self) -> int:
        """Rows that can be rightly predicted."""
        return self.n_predicted - self.fp

    @property
    def most_missed(self) -> int:
        """Rows of the class that can be missing among those predicted."""
        elsewhere = self.n_audited - self.tp - self.fp - self.fn
        return self.n_rows - self.n_predicted - elsewhere


def count_classes(
    predicted: NDArray[np.int64],
    rows: NDArray[np.int64],
    truth: NDArray[np.int64],
    n_classes: int,
) -> list[ClassCounts]:
    """The counts of each class, of codes that are -1 where there is no label.

    The ``rows`` are a uniformly random choice, and ``truth`` the codes that they truly
    have.
    """

    def of_classes(codes):
        return np.bincount(codes[codes >= 0], minlength=n_classes).tolist()

    audited = predicted[rows]
    columns = audited[audited == truth], audited, truth, predicted
    sizes = len(rows), len(predicted)
    return [
        ClassCounts(tp, n_audited - tp, n_true - tp, n_predicted, *sizes)
        for tp, n_audited, n_true, n_predicted in zip(
            *map(of_classes, columns), strict=True
        )
    ]


@dataclass
class ClassFacts:
    """What is known of a class: at first nothing but what is certain."""

    counts: ClassCounts
    precision: Fraction
    recall: Fraction
    jaccard: Fraction
    most_precision: Fraction
    most_recall: Fraction
    most_jaccard: Fraction
    least: int
    most: int

    @classmethod
    def for_certain(cls, c: ClassCounts) -> ClassFacts:
        good, nothing = c.most_good, Fraction(0)
        # A score that is not defined, since its set is empty, counts as 0.
        sizes = c.n_predicted, good + c.fn, c.n_predicted + c.fn
        precision, recall, jaccard = (Fraction(good, max(size, 1)) for size in sizes)
        most = precision, recall, jaccard
        totals = c.tp + c.fn, good + c.most_missed
        return cls(c, nothing, nothing, nothing, *most, *totals)

    def state(self, metrics: Collection[str], delta: float, sides: int = 1) -> None:
        """Add the bounds that are asked for, each at delta, half for either side."""
        counts = self.counts._asdict()
        level = delta if sides == 1 else float_below(exact_decimal(delta) / 2)
        both = {**counts, "delta": level}
        predicted = {name: both[name] for name in ("tp", "fp", "n_predicted", "delta")}
        if "precision" in metrics:
            self.precision = exact_decimal(precision_lower_bound(**predicted))
            if sides == 2:
                most = precision_upper_bound(**predicted)
                self.most_precision = min(self.most_precision, most)
        if "recall" in metrics:
            self.recall = exact_decimal(recall_lower_bound(**both))
            if sides == 2:
                self.most_recall = min(self.most_recall, recall_upper_bound(**both))
        if "f1" in metrics:
            f1 = exact_decimal(f1_lower_bound(**both))
            self.jaccard = f1 / (2 - f1)
            if sides == 2:
                self.most_jaccard = min(self.most_jaccard, jaccard_upper_bound(**both))
        if "total" in metrics:  # from both sides, always
            self.least, self.most = class_total_bounds(**counts, delta=delta)

    def conclude(self) -> None:
        """Improve every bound by what follows from the others."""
        c, jaccard = self.counts, self.jaccard
        self.precision = max(self.precision, jaccard)
        self.recall = max(self.recall, jaccard)
        if self.precision and self.recall:
            self.jaccard = max(jaccard, _jaccard(self.precision, self.recall))
        least = [self.least, self.least_good + c.fn]
        missed = [c.most_missed]
        if self.recall:
            missed.append(math.floor(self.most_good * (1 / self.recall - 1)))
        if self.jaccard:
            missed.append(math.floor(self.most_good / self.jaccard) - c.n_predicted)
        if self.most_precision and self.most_recall and self.most_jaccard:
            together = _jaccard(self.most_precision, self.most_recall)
            self.most_jaccard = min(self.most_jaccard, together)
            least.append(math.ceil(self.least_good / self.most_recall))
            in_either = math.ceil(self.least_good / self.most_jaccard)
            least.append(in_either + self.least_good - c.n_predicted)
        self.least = max(least)
        self.most = min(self.most, self.most_good + min(missed))

    @property
    def least_good(self) -> int:
        """Rows that are rightly predicted, at least."""
        return math.ceil(self.precision * self.counts.n_predicted)

    @property
    def most_good(self) -> int:
        return math.floor(self.most_precision * self.counts.n_predicted)

    @property
    def f1(self) -> Fraction:
        return 2 * self.jaccard / (1 + self.jaccard)

    @property
    def most_f1(self) -> Fraction:
        return 2 * self.most_jaccard / (1 + self.most_jaccard)


def _jaccard(precision: Fraction, recall: Fraction) -> Fraction:
    return 1 / (1 / precision + 1 / recall - 1)


@dataclass(frozen=True)
class Statements:
    """What is stated, decided before labels of the audited rows are seen."""

    metrics: tuple[str, ...]
    declared: NDArray[np.bool_]  # classes that were named, predicted or not
    delta: float
    sides: int = 1

    def n_statements(self, counts: Sequence[ClassCounts]) -> list[int]:
        """How many statements there are about each class."""
        scores, totals = len({*SCORES} & {*self.metrics}), "total" in self.metrics
        return [
            scores + totals if c.n_predicted else totals * is_declared
            for c, is_declared in zip(counts, self.declared.tolist(), strict=True)
        ]

    def bounds(
        self, counts: Sequence[ClassCounts], names: NDArray[Any]
    ) -> dict[str, Any]:
        """Everything that holds together at delta, as fields of a report."""
        by_class = self.n_statements(counts)
        n_statements = sum(by_class) + ("macro_error" in self.metrics)
        share = float_below(exact_decimal(self.delta) / n_statements)
        facts = [ClassFacts.for_certain(c) for c in counts]
        for fact, n in zip(facts, by_class, strict=True):
            if n:
                metrics = self.metrics if fact.counts.n_predicted else ("total",)
                fact.state(metrics, share, self.sides)
            fact.conclude()
        predicted = [fact for fact in facts if fact.counts.n_predicted]
        least, most = self._macro_error(predicted, share)
        return {
            "columns": _columns(facts, [share * n for n in by_class], names, self.sides),
            "macro_error_bound": most,
            "macro_error_lower_bound": least,
            "n_statements": n_statements,
        }

    def _macro_error(
        self, facts: Sequence[ClassFacts], delta: float
    ) -> tuple[float, float]:
        """Lower and upper bound of the macro error."""
        # Without two sides, nothing is said of the largest precision.
        most_good = [
            fact.most_precision if self.sides == 2 else Fraction(1) for fact in facts
        ]
        least = float_below(1 - Fraction(sum(most_good), len(facts)))
        most = float_above(1 - Fraction(sum(f.precision for f in facts), len(facts)))
        if "macro_error" in self.metrics:
            counts = [fact.counts for fact in facts]
            table = [(c.fp, c.tp, c.tp + c.fp, c.n_predicted) for c in counts]
            wrong, right, *sizes = zip(*table, strict=True)
            if self.sides == 2:
                delta = float_below(exact_decimal(delta) / 2)
                most_right = macro_error_upper_bound(right, *sizes, delta=delta)
                least = max(least, float_below(1 - exact_decimal(most_right)))
            most = min(most, macro_error_upper_bound(wrong, *sizes, delta=delta))
        return least, most


def _columns(
    facts: Sequence[ClassFacts], spent: Sequence[float], names: NDArray[Any], sides: int
) -> dict[str, NDArray[Any]]:
    """Counts and bounds by class, as columns."""
    counts = [fact.counts for fact in facts]
    columns: dict[str, Any] = {
        "class": names,
        "n_predicted": [c.n_predicted for c in counts],
        "audited_predicted": [c.tp + c.fp for c in counts],
        "audited_true": [c.tp + c.fn for c in counts],
        "audited_right": [c.tp for c in counts],
    }
    if sides == 2:
        columns |= {
            "errors_lower_bound": [f.counts.n_predicted - f.most_good for f in facts],
            "errors_upper_bound": [f.counts.n_predicted - f.least_good for f in facts],
        }
    for name in SCORES:
        least = [getattr(fact, name) for fact in facts]
        columns[f"{name}_lower_bound"] = [*map(float_below, least)]
        if sides == 2:
            most = [getattr(fact, f"most_{name}") for fact in facts]
            columns[f"{name}_upper_bound"] = [*map(float_above, most)]
    columns |= {
        "total_lower_bound": [fact.least for fact in facts],
        "total_upper_bound": [fact.most for fact in facts],
        "delta": spent,
    }
    return {name: np.asarray(column) for name, column in columns.items()}
