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
    macro_error_upper_bound,
    precision_lower_bound,
    recall_lower_bound,
)
from ..utils._checks import exact_decimal

SCORES = {"precision", "recall", "f1"}


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

    own = predicted[rows]
    columns = map(of_classes, (own[own == truth], own, truth, predicted))
    sizes = len(rows), len(predicted)
    return [
        ClassCounts(right, seen - right, true - right, n_predicted, *sizes)
        for right, seen, true, n_predicted in zip(*columns, strict=True)
    ]


@dataclass
class Known:
    """What is known of a class: at first nothing but what is certain."""

    counts: ClassCounts
    precision: Fraction
    recall: Fraction
    jaccard: Fraction
    least: int
    most: int

    @classmethod
    def for_certain(cls, c: ClassCounts) -> Known:
        nothing = Fraction(0)
        return cls(c, nothing, nothing, nothing, c.tp + c.fn, c.most_good + c.most_missed)

    def state(self, metrics: Collection[str], delta: float) -> None:
        """Add the bounds that are asked for, each at delta."""
        counts = self.counts._asdict()
        if "precision" in metrics:
            own = {name: counts[name] for name in ("tp", "fp", "n_predicted")}
            self.precision = exact_decimal(precision_lower_bound(**own, delta=delta))
        if "recall" in metrics:
            self.recall = exact_decimal(recall_lower_bound(**counts, delta=delta))
        if "f1" in metrics:
            f1 = exact_decimal(f1_lower_bound(**counts, delta=delta))
            self.jaccard = f1 / (2 - f1)
        if "total" in metrics:
            self.least, self.most = class_total_bounds(**counts, delta=delta)

    def conclude(self) -> None:
        """Improve every bound by what follows from the others."""
        c, jaccard = self.counts, self.jaccard
        self.precision = max(self.precision, jaccard)
        self.recall = max(self.recall, jaccard)
        if self.precision and self.recall:
            self.jaccard = max(jaccard, 1 / (1 / self.precision + 1 / self.recall - 1))
        self.least = max(self.least, math.ceil(self.precision * c.n_predicted) + c.fn)
        missed = [c.most_missed]
        if self.recall:
            missed.append(math.floor(c.most_good * (1 / self.recall - 1)))
        if self.jaccard:
            missed.append(math.floor(c.most_good / self.jaccard) - c.n_predicted)
        self.most = min(self.most, c.most_good + min(missed))

    @property
    def f1(self) -> Fraction:
        return 2 * self.jaccard / (1 + self.jaccard)


@dataclass(frozen=True)
class Plan:
    """What is stated, decided before labels of the audited rows are seen."""

    metrics: tuple[str, ...]
    declared: NDArray[np.bool_]  # classes that were named, predicted or not
    delta: float

    def n_statements(self, counts: Sequence[ClassCounts]) -> list[int]:
        """How many statements there are about each class."""
        scores, totals = len(SCORES & set(self.metrics)), "total" in self.metrics
        return [
            scores + totals if c.n_predicted else totals * known
            for c, known in zip(counts, self.declared.tolist(), strict=True)
        ]

    def state(self, counts: Sequence[ClassCounts], names: NDArray[Any]) -> dict[str, Any]:
        """Everything that holds together at delta, as fields of a report."""
        predicted = [c for c in counts if c.n_predicted]
        by_class = self.n_statements(counts)
        n_statements = sum(by_class) + ("macro_error" in self.metrics)
        share = float_below(exact_decimal(self.delta) / n_statements)
        known = [Known.for_certain(c) for c in counts]
        for own, n_own in zip(known, by_class, strict=True):
            if n_own:
                own.state(self.metrics if own.counts.n_predicted else ("total",), share)
            own.conclude()
        lacking = [1 - own.precision for own in known if own.counts.n_predicted]
        macro_error = float_above(Fraction(sum(lacking), len(predicted)))
        if "macro_error" in self.metrics:
            table = [(c.fp, c.tp + c.fp, c.n_predicted) for c in predicted]
            own_bound = macro_error_upper_bound(*zip(*table, strict=True), delta=share)
            macro_error = min(macro_error, own_bound)
        return {
            "columns": _columns(known, [share * n for n in by_class], names),
            "macro_error_bound": macro_error,
            "n_statements": n_statements,
        }


def _columns(
    known: Sequence[Known], spent: Sequence[float], names: NDArray[Any]
) -> dict[str, NDArray[Any]]:
    """Counts and bounds by class, as columns."""
    counts = [own.counts for own in known]
    columns = {
        "class": names,
        "n_predicted": [c.n_predicted for c in counts],
        "audited_predicted": [c.tp + c.fp for c in counts],
        "audited_true": [c.tp + c.fn for c in counts],
        "audited_right": [c.tp for c in counts],
        "precision_lower_bound": [float_below(own.precision) for own in known],
        "recall_lower_bound": [float_below(own.recall) for own in known],
        "f1_lower_bound": [float_below(own.f1) for own in known],
        "total_lower_bound": [own.least for own in known],
        "total_upper_bound": [own.most for own in known],
        "delta": spent,
    }
    return {name: np.asarray(column) for name, column in columns.items()}
