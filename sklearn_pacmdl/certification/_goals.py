"""Goals of certification: to label all rows, or as many as a target error rate allows."""

from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, comb
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ..bounds import pac_mdl_bound
from ..columns import ABSTAIN
from ..utils._checks import check_open_unit, check_option, invalid, warn
from ..utils._words import joined, percent_below
from ._counts import ClusterCounts, left_out_errors
from ._methods import Option

# Pseudo-counts (right and wrong rows) that order clusters by purity where sets cost bits:
# a pure cluster is tried before one without labels. By Laplace's rule; with 0.1, 0.5 and
# 2, coverage is the same within the error (benchmarks/results/sets.json).
_ADDED_TO_PAID = 1.0
# The same for nested sets. Half a row is Jeffreys' prior; with 0.1 coverage is 1.1 points
# smaller (standard error 0.8), and with 1 and 2 the same (the same file).
_ADDED_TO_NESTED = 0.5
# Nested sets of clusters: sets with expected errors of these multiples of the target, and
# sets with these shares of the rows of the set at the target. Fewer levels, and fewer or
# more shares, change mean coverage by up to 1.2 points and 1.2 standard errors
# (benchmarks/results/sets.json).
_LEVELS = (0.7, 1.0, 1.3, 1.6, 2.0)
_SHARES = (0.4, 0.7, 0.9)

# Targets that a message lists, of those that would have been reached.
_MOST_TARGETS = 4

#: Treatment of rows that a clusterer calls noise.
Noise = Literal["cluster", "abstain"]
ALL_NOISE = "All unlabeled rows are noise"


@dataclass(frozen=True)
class LabelAll:
    """Every cluster is given a class, with as few errors as possible."""

    # All bounds hold at once, so that candidates may be chosen by bounds or by errors.
    # With noise the smallest bound would be that of a clusterer that calls nearly every
    # row noise. So rows without a class count like rows that may be wrong.

    choose: str = "bound"  # or "errors": expected errors, by all labels
    drops_noise: bool = False  # whether rows of noise are given no class
    declared: bool = field(default=False, kw_only=True)  # whether classes are known
    abstains: ClassVar[bool] = False  # whether clusters may be left out
    # The column that chooses among candidates where rows select.
    chosen_by: ClassVar[str] = "selection_error"

    @property
    def names_all_classes(self) -> bool:
        """Whether clusters may have classes that no selecting row has."""
        return self.declared and self.choose == "errors"

    def options(self, method: Any, counts: ClusterCounts, language: Any, rng: Any):
        """Options of a clustering, whose weights sum to at most 1."""
        every = np.ones(len(counts.sizes), dtype=bool)
        return [
            Option.of(counts, classes, terms)
            for classes, terms in method._labelings(counts, every, language, rng)
        ]

    def selection(self, counts: ClusterCounts, errors: float) -> float:
        """What a candidate is chosen by where selecting rows choose; lower is better."""
        return errors  # that these let expect, among them all labels of dropped noise

    def n_chosen_by(self, sizes: Any) -> int:
        """Number of rows that this counts."""
        return sizes.n_select

    def best(self, claims: Any) -> Any:
        """The claim with the smallest bound; of several, the shortest description."""
        return min(claims, key=lambda c: (c.bound, c.description_length), default=None)

    def order(self, claims: Any) -> tuple[str, *tuple[NDArray, ...]]:
        """Column to rank candidates by, its values, and what breaks ties."""
        if self.choose == "errors":
            return "estimated_error", claims.sweep.estimated_error_rates().mean(axis=1)
        names = "bound", "description_length"
        bounds, bits = (claims.per_split(name).mean(axis=0) for name in names)
        if self.drops_noise:
            return "uncertified", claims.uncertified().mean(axis=0), bits
        return "test_bound", bounds, bits


@dataclass(frozen=True)
class LabelWithin(LabelAll):
    """As many rows as possible are given a class, with a bound of at most the target."""

    target: float = 0.05
    delta: float = 0.1
    abstains = True
    chosen_by = "expected_coverage"

    def options(self, method, counts, language, rng):
        # Ties are broken alike, whichever clusters are left out.
        state = rng.get_state()

        def labelings(accepted):
            rng.set_state(state)
            return list(method._labelings(counts, accepted, language, rng))

        if method.fraction:
            masks = self._nested(counts)
            weights = [Fraction(1, len(masks))] * len(masks)
        else:
            ((classes, _),) = labelings(np.ones(len(counts.sizes), dtype=bool))
            masks, weights = _paid(counts, classes)
        return [
            Option.of(
                counts, np.where(accepted, classes, ABSTAIN), terms | {"subset": weight}
            )
            for accepted, weight in zip(masks, weights, strict=True)
            for classes, terms in labelings(accepted)
        ]

    def selection(self, counts, errors):
        # Noise, and rows in clusters that could not be certified, by the selecting rows.
        # Ties are broken by errors.
        _, bounds, rest = self._promise(counts)
        kept, whole = np.sum(bounds <= self.target), counts.whole or counts
        left_out = whole.sizes.sum() - whole.select.sum() - rest[:kept].sum()
        return float(left_out) + errors / (errors + whole.sizes.sum())

    def n_chosen_by(self, sizes):
        return sizes.n_certify + sizes.n_test

    def best(self, claims):
        """The claim that labels most rows within the target, or None."""
        within = [claim for claim in claims if claim.bound <= self.target]
        return min(within, key=lambda c: (-c.option.n_test, c.bound), default=None)

    def order(self, claims):
        names = "bound", "description_length"
        ties = (claims.per_split(name).mean(axis=0) for name in names)
        return "coverage", -claims.coverages().mean(axis=0), *ties

    def _nested(self, counts):
        """A few nested sets that selecting rows fix, from the smallest."""
        order, bounds, rest = self._promise(counts)
        reached = {int(np.sum(bounds <= level * self.target)) for level in _LEVELS}
        rows = np.cumsum(rest)
        kept = rows[max(np.sum(bounds <= self.target), 1) - 1]
        reached |= {int(np.searchsorted(rows, share * kept)) for share in _SHARES}
        sizes = sorted(reached - {0}) or [1]
        return [np.isin(np.arange(len(order)), order[:size]) for size in sizes]

    def _promise(self, counts):
        """Order of clusters from the purest, bounds of so many, and rows to certify."""
        # Nothing here knows which rows certify: the same share of the other rows is
        # supposed to certify in every cluster, and in noise. Else the choice would depend
        # on how many rows of each candidate's clusters certify.
        n_select = counts.select.sum(axis=1)
        wrong = left_out_errors(counts.select, counts.names)
        rest = counts.sizes - n_select
        order = np.lexsort((-rest, _impurity(wrong, n_select, _ADDED_TO_NESTED)))
        whole = counts.whole or counts
        n_rest = whole.sizes.sum() - whole.select.sum()
        certifying = whole.certify.sum() / max(n_rest, 1)
        rows = np.cumsum(rest[order])
        m = np.floor(certifying * rows).astype(np.int64)
        rates = np.cumsum(wrong[order]) / np.maximum(np.cumsum(n_select[order]), 1)
        a = np.minimum(np.ceil(m * rates).astype(np.int64), m)
        n = np.maximum(rows - m, 1)
        bits = np.log2(len(_LEVELS) + len(_SHARES))
        bounds = pac_mdl_bound(m, n, a, description_length=bits, delta=self.delta) / n
        # Suffixes' minima: a larger set that promises as much is preferred.
        bounds = np.minimum.accumulate(bounds[::-1])[::-1]
        return order, bounds, rest[order]


def make_goal(target: float | None, choose: str, noise: str, delta: float) -> LabelAll:
    """The goal of a search, or of given clusterings; a target leaves clusters out."""
    check_option("choose", choose, ["bound", "errors"])
    drops = check_option("noise", noise, ["cluster", "abstain"]) == "abstain"
    if target is None:
        return LabelAll(choose, drops)
    if choose != "bound":
        raise invalid("choose", "'bound' with a target", choose)
    return LabelWithin(choose, drops, check_open_unit("target", target), delta)


def report_reach(goal: LabelAll, sizes: Any, delta: float) -> None:
    """Warn of a target that these numbers of labels cannot reach, whatever they are."""
    if not isinstance(goal, LabelWithin):
        return
    m, n = sizes.n_certify, sizes.n_test
    least = float(pac_mdl_bound(m, n, 0, delta=delta)) / n
    if goal.target < least:
        warn(
            f"No set of clusters has a bound of at most target={goal.target} except by "
            f"chance: even without an error, {m} certifying labels bound the error rate "
            f"of {n} unlabeled rows by {_rounded_up(least)}. That is the smallest target "
            "that they can reach. Pass a larger one, or label more rows."
        )


def report_unreached(claims: Any) -> None:
    """Warn that nothing is certified, and say what other targets would reach."""
    goal = claims.sweep.goal
    if not goal.abstains:
        warn(f"{ALL_NOISE}, so no row is given a class.")
        return
    front, n_test = _front_of(claims), claims.sweep.sizes[0].n_test
    places = np.linspace(0, len(front) - 1, min(len(front), _MOST_TARGETS)).round()
    reached = [
        f"{_rounded_up(claim.bound)} for {percent_below(claim.option.n_test, n_test)}"
        for claim in (front[int(place)] for place in places)
    ]
    more = ""
    if reached:  # else all rows are noise
        others = f"; others are {joined(reached[1:])}" if reached[1:] else ""
        more = f" The smallest bound is {reached[0]} of the unlabeled rows{others}."
    warn(
        f"No set of clusters has a bound of at most target={goal.target}, so no row is "
        f"given a class.{more}"
    )


def _front_of(claims: Any) -> list[Any]:
    """Claims of a split that no other one surpasses in bound and coverage, in order."""
    front: list[Any] = []
    every = [claim for of_one in claims.offered[0].values() for claim in of_one]
    for claim in sorted(every, key=lambda c: (c.bound, -c.option.n_test)):
        if not front or claim.option.n_test > front[-1].option.n_test:
            front.append(claim)
    return front


def coverage_curve(claims: Any) -> dict[str, NDArray]:
    """Coverage, bound and error of claims that none surpasses in both of the first."""
    front = _front_of(claims)
    rows, errors = (
        np.array([getattr(claim.option, name) for claim in front], dtype=float)
        for name in ("n_test", "test_errors")
    )
    return {
        "coverage": rows / claims.sweep.sizes[0].n_test,
        "bound": np.array([claim.bound for claim in front], dtype=float),
        "test_error": np.where(errors >= 0, errors / rows, np.nan),
    }


def _rounded_up(rate):
    """A bound as a target that it meets, with four decimals."""
    return f"{ceil(round(1e4 * rate, 6)) / 1e4:.4f}"


def _paid(counts, classes):
    """For every number k of clusters the k purest of certifying rows, and its weight."""
    # Any subset may have been chosen: 1 / c for how many, 1 / (c over k) for which.
    c, labeled = len(classes), counts.certify.sum(axis=1)
    wrong = labeled - counts.certify[np.arange(c), classes]
    order = np.lexsort((-counts.sizes, _impurity(wrong, labeled, _ADDED_TO_PAID)))
    masks = [np.isin(np.arange(c), order[:k]) for k in range(1, c + 1)]
    return masks, [Fraction(1, c * comb(c, k)) for k in range(1, c + 1)]


def _impurity(wrong, labeled, added):
    """Share of wrong labels in each cluster, smoothed."""
    return (wrong + added) / (labeled + 2 * added)
