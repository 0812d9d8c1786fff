"""Everything that a uniform sample says of the classes of a labeling, together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from ..bounds import ClassCounts, f1_of, float_above, float_below, macro_error_upper_bound
from ..utils._checks import exact_decimal, invalid

#: Bounds by name, of each class.
Bounds: TypeAlias = dict[str, tuple[float, ...]]
#: Scores, and what is bounded for them: F1 grows with the Jaccard coefficient.
SCORES = {"precision": "precision", "recall": "recall", "f1": "jaccard"}


def share_of_delta(delta: float, n_statements: int) -> float:
    """The delta of each of several statements, which may have two parts on two sides."""
    share = float_below(exact_decimal(delta) / n_statements)
    if not float_below(exact_decimal(share) / 4):
        allowed = f"large enough to be divided into {4 * n_statements} parts"
        raise invalid("delta", allowed, delta)
    return share


def count_classes(predicted, rows, truth, n_classes, stratum=0) -> list[ClassCounts]:
    """Counts of each class; ``truth`` has the true codes of the random ``rows``.

    ``stratum`` numbers that of each row, if rows were drawn by strata.
    """
    number = np.broadcast_to(stratum, predicted.shape)
    n_strata, drawn_from, audited = int(number.max()) + 1, number[rows], predicted[rows]

    def of_cells(codes, strata):
        cells = (n_classes * strata + codes)[codes >= 0]
        numbers = np.bincount(cells, minlength=n_strata * n_classes)
        return numbers.reshape(n_strata, n_classes)

    def of_strata(strata):
        numbers = np.bincount(strata, minlength=n_strata)
        return np.tile(numbers[:, None], n_classes)

    right = audited == truth
    tp, n_true = of_cells(audited[right], drawn_from[right]), of_cells(truth, drawn_from)
    fp, n_predicted = of_cells(audited, drawn_from) - tp, of_cells(predicted, number)
    sizes = of_strata(drawn_from), of_strata(number)
    table = np.stack([tp, fp, n_true - tp, n_predicted, *sizes])
    return [
        ClassCounts.of_strata([ClassCounts(*each) for each in by_stratum])
        for by_stratum in table.T.tolist()
    ]


def least_scores(counts: ClassCounts, scores, delta) -> dict[str, Fraction]:
    """Lower bounds, each at delta, and what follows from the others."""
    least = {score: counts.least(SCORES[score], delta) for score in scores}
    jaccard = least.get("f1", Fraction(0))
    least = {score: max(bound, jaccard) for score, bound in least.items()}
    if {*least} == {*SCORES}:
        least["f1"] = max(jaccard, _jaccard(least["precision"], least["recall"]))
    return _with_f1(least)


def most_scores(counts: ClassCounts, scores, delta) -> dict[str, Fraction]:
    """Upper bounds, each at delta, and what follows from the others."""
    most = {score: counts.most(SCORES[score], delta) for score in scores}
    if "f1" in most:
        most["f1"] = min(most.values())
    if {*most} == {*SCORES}:
        most["f1"] = min(most["f1"], _jaccard(most["precision"], most["recall"]))
    return _with_f1(most)


def _jaccard(precision: Fraction, recall: Fraction) -> Fraction:
    if not precision or not recall:
        return Fraction(0)
    return 1 / (1 / precision + 1 / recall - 1)


def _with_f1(scores: dict[str, Fraction]) -> dict[str, Fraction]:
    of_f1 = {"f1": f1_of(scores["f1"])} if "f1" in scores else {}
    return scores | of_f1


@dataclass(frozen=True)
class Statements:
    """What is stated, decided before labels of the audited rows are seen."""

    metrics: tuple[str, ...]
    declared: Sequence[bool]  # whether a class was named, predicted or not
    delta: float
    sides: int = 1

    @property
    def scores(self) -> list[str]:
        return [score for score in SCORES if score in self.metrics]

    def n_statements(self, counts: Sequence[ClassCounts]) -> list[int]:
        """How many statements there are about each class."""
        totals = "total" in self.metrics
        return [
            len(self.scores) + totals if c.n_predicted else totals * is_declared
            for c, is_declared in zip(counts, self.declared, strict=True)
        ]

    def share(self, counts: Sequence[ClassCounts]) -> float:
        """The delta of each statement."""
        n_statements = sum(self.n_statements(counts)) + ("macro_error" in self.metrics)
        return share_of_delta(self.delta, n_statements)

    def bounds(self, counts: Sequence[ClassCounts]) -> Bounds:
        """Everything that holds together at delta: bounds of each class, by name.

        The macro error, if it is stated, has one of each.
        """
        share = self.share(counts)
        # Totals have two sides always.
        level = float_below(exact_decimal(share) / 2) if self.sides == 2 else share
        bounds = self._of_scores(counts, level)
        if "total" in self.metrics:
            totals = [
                c.total(share if n else None)
                for c, n in zip(counts, self.n_statements(counts), strict=True)
            ]
            ends = zip(*totals, strict=True)
            bounds["total_lower_bound"], bounds["total_upper_bound"] = ends
        return bounds | self._macro_error([c for c in counts if c.n_predicted], level)

    def _of_scores(self, counts: Sequence[ClassCounts], level: float) -> Bounds:
        least = [least_scores(c, self.scores, level) for c in counts]
        by_name: Bounds = {
            f"{score}_lower_bound": tuple(float_below(of[score]) for of in least)
            for score in self.scores
        }
        if self.sides == 1:
            return by_name
        most = [most_scores(c, self.scores, level) for c in counts]
        for score in self.scores:
            bounds = tuple(float_above(of[score]) for of in most)
            by_name[f"{score}_upper_bound"] = bounds
        if "precision" in self.scores:
            for end, of_classes in {"lower": most, "upper": least}.items():
                by_name[f"errors_{end}_bound"] = tuple(
                    int((1 - of["precision"]) * c.n_predicted)
                    for c, of in zip(counts, of_classes, strict=True)
                )
        return by_name

    def _macro_error(self, counts: Sequence[ClassCounts], level: float) -> Bounds:
        if "macro_error" not in self.metrics:
            return {}
        table = [
            [(s.fp, s.tp, s.tp + s.fp, s.n_predicted) for s in c.strata or (c,)]
            for c in counts
        ]
        wrong, right, *sizes = np.moveaxis(np.array(table), -1, 0)
        most_wrong = macro_error_upper_bound(wrong, *sizes, delta=level)
        bounds: Bounds = {"macro_error_bound": (most_wrong,)}
        if self.sides == 2:
            most_right = macro_error_upper_bound(right, *sizes, delta=level)
            least = float_below(1 - exact_decimal(most_right))
            bounds["macro_error_lower_bound"] = (least,)
        return bounds
