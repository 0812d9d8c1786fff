"""What is asked of a labeling: to label all rows, or those within a target error rate.

A goal says which sets of clusters are offered, what is preferred before and after bounds
are known, and by which column candidates are ranked.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import comb
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ..bounds import pac_mdl_bound
from ..languages import Language
from ..utils._checks import check_open_unit, check_option, invalid
from ..utils._labels import ABSTAIN
from ..utils._random import seeded_again
from ..utils._weights import total_weight
from ._counts import ClusterCounts, estimated_errors, left_out_errors
from ._strategy import Option, Strategy, joined

# Of sets that are paid for: rows of either kind, right and wrong, that are added to what
# was seen of a cluster; of a pure and an unlabeled cluster the first is tried first. By
# Laplace's rule; 2 is the same, .5 and .1 cover .2 points fewer rows, which is within the
# error (benchmarks/results/sets.json).
_ADDED_TO_PAID = 1.0
# Of nested sets the same. Half a row is Jeffreys' prior; .1 is the same within the error,
# 1 and 2 cover 3 and 4 points fewer rows (standard error 2; the same file).
_ADDED_TO_NESTED = 0.5
# Nested sets of clusters are those that promise these multiples of the target, and those
# with these shares of the rows of the set that promises the target. Other numbers of
# sets, from 3 to 15, changed mean coverage by less than two standard errors, which are 1
# to 2.4 points. With the level 1 alone it was larger by 5.6 (2.3) and 3.7 (3.0) points by
# hold-out, at targets of 5% and 10% (benchmarks/results/sets.json).
_LEVELS = (0.7, 1.0, 1.3, 1.6, 2.0)
_SHARES = (0.4, 0.7, 0.9)

#: What becomes of rows that a clusterer calls noise.
Noise = Literal["cluster", "abstain"]
ALL_NOISE = "All unlabeled rows are noise"


class Goal(ABC):
    """Base class of goals."""

    abstains: ClassVar[bool]  # whether clusters may be left out
    choose: str  # by the "bound", or by the "errors" that all labels let expect
    chosen_by: ClassVar[str]  # column of what candidates are chosen by where rows select
    drops_noise: bool  # whether rows that a clusterer calls noise are given no class

    @abstractmethod
    def options(self, strategy: Strategy, counts: ClusterCounts, language, rng):
        """Options of a clustering, whose weights sum to at most 1."""

    def selection(self, counts: ClusterCounts, errors: float) -> float:
        """What a candidate is chosen by where selecting rows choose; lower is better.

        By default the errors that these rows let expect, among them all labels of noise
        that is given no class.
        """
        return errors

    @abstractmethod
    def n_chosen_by(self, sizes: Any) -> int:
        """Number of rows that this counts."""

    @abstractmethod
    def selection_column(self, selection: NDArray, sizes: Any) -> NDArray:
        """This as a rate."""

    @abstractmethod
    def best(self, claims: Sequence[Any]) -> Any:
        """The best of the claims of one candidate, or None."""

    def to_bound(self, sweep: Any) -> Sequence[int]:
        """Candidates that need bounds, whatever these are."""
        return []

    @abstractmethod
    def order(self, claims: Any) -> tuple[str, *tuple[NDArray, ...]]:
        """Column to rank candidates by, its values, and what breaks ties."""


@dataclass(frozen=True)
class LabelAll(Goal):
    """Every cluster is given a class, with as few errors as possible.

    Candidates are ranked by bounds, or by the errors that all labels let expect. All
    bounds hold at once, so that either choice is free. The smallest bound would be that
    of a clusterer that calls nearly every row noise. So rows without a class count like
    rows that may be wrong.
    """

    choose: str = "bound"  # or "errors"
    drops_noise: bool = False
    abstains = False
    chosen_by = "selection_error"

    def options(self, strategy, counts, language, rng):
        every = np.ones(len(counts.sizes), dtype=bool)
        return [
            strategy.option(counts, classes, terms)
            for classes, terms in strategy.labelings(counts, every, language, rng)
        ]

    def n_chosen_by(self, sizes):
        return sizes.n_select

    def selection_column(self, selection, sizes):
        return selection / sizes.n_select

    def best(self, claims):
        """The claim with the smallest bound; of several, the shortest description."""
        return min(claims, key=lambda c: (c.bound, c.description_length), default=None)

    def order(self, claims):
        if self.choose == "errors":
            return "estimated_error", self.values(claims.sweep)
        if self.drops_noise:
            lost = claims.uncertified().mean(axis=0)
            return "uncertified", lost, claims.description_lengths()
        return "test_bound", claims.bounds(), claims.description_lengths()

    def values(self, sweep):
        """The error rates that all labels let expect, as means over splits."""
        n_labeled = np.array([sizes.n_labeled for sizes in sweep.sizes])
        return (sweep.of_each("estimated_errors") / n_labeled).mean(axis=1)

    def to_bound(self, sweep):
        if self.choose == "errors":
            return [int(np.nanargmin(self.values(sweep)))]
        return []


@dataclass(frozen=True)
class LabelWithin(Goal):
    """As many rows as possible are given a class, with a bound of at most the target."""

    target: float
    delta: float
    drops_noise: bool = False
    abstains = True
    choose = "bound"
    chosen_by = "expected_coverage"

    def options(self, strategy, counts, language, rng):
        # Ties are broken alike, whichever clusters are left out.
        state = rng.get_state()

        def labelings(accepted):
            rng.set_state(state)
            return list(strategy.labelings(counts, accepted, language, rng))

        if strategy.fraction:
            masks = self._nested(counts)
            weights = [Fraction(1, len(masks))] * len(masks)
        else:
            every = labelings(np.ones(len(counts.sizes), dtype=bool))
            masks, weights = _paid(counts, every[0][0]) if every else ([], [])
        return [
            strategy.option(
                counts, np.where(accepted, classes, ABSTAIN), joined(terms, subset)
            )
            for accepted, weight in zip(masks, weights, strict=True)
            for subset in [{"subset": weight}]
            for classes, terms in labelings(accepted)
        ]

    def selection(self, counts, errors):
        """Noise, and rows in clusters that could not be certified, by the selecting rows.

        Ties are broken by errors.
        """
        _, bounds, rest = self._promise(counts)
        kept, whole = np.sum(bounds <= self.target), counts.whole or counts
        left_out = whole.sizes.sum() - whole.select.sum() - rest[:kept].sum()
        return float(left_out) + errors / (errors + whole.sizes.sum())

    def n_chosen_by(self, sizes):
        return sizes.n_rows - sizes.n_select

    def selection_column(self, selection, sizes):
        return 1 - np.floor(selection) / (sizes.n_rows - sizes.n_select)

    def best(self, claims):
        """The claim that labels most rows within the target, or None."""
        within = [claim for claim in claims if claim.bound <= self.target]
        return min(within, key=lambda c: (-c.option.n_test, c.bound), default=None)

    def order(self, claims):
        coverage = claims.coverages().mean(axis=0)
        return "coverage", -coverage, claims.bounds(), claims.description_lengths()

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
        """Clusters from the purest, with the bounds that so many of them promise.

        Nothing here knows which rows certify: of the rows that do not select, the same
        share of every cluster is taken to, and of noise. Else the choice would depend on
        how many rows of each candidate's clusters certify. Of shape (n_clusters,) each:
        the order, expected bounds for its first clusters, made to grow, and rows of each
        that do not select.
        """
        seen = counts.select.sum(axis=1)
        wrong = left_out_errors(counts.select, counts.names)
        rest = counts.sizes - seen
        order = np.lexsort((-rest, _impurity(wrong, seen, _ADDED_TO_NESTED)))
        whole = counts.whole or counts
        n_rest = whole.sizes.sum() - whole.select.sum()
        certifying = whole.certify.sum() / max(n_rest, 1)
        rows = np.cumsum(rest[order])
        m = np.floor(certifying * rows).astype(np.int64)
        rates = np.cumsum(wrong[order]) / np.maximum(np.cumsum(seen[order]), 1)
        a = np.minimum(np.ceil(m * rates).astype(np.int64), m)
        n = np.maximum(rows - m, 1)
        bits = np.log2(len(_LEVELS) + len(_SHARES))
        bounds = pac_mdl_bound(m, n, a, description_length=bits, delta=self.delta) / n
        # Suffixes' minima: a larger set that promises as much is preferred.
        bounds = np.minimum.accumulate(bounds[::-1])[::-1]
        return order, bounds, rest[order]


def make_goal(target: float | None, choose: str, noise: Noise, delta: float) -> Goal:
    """The goal of a search, or of given labelings; a target leaves clusters out."""
    check_option("choose", choose, ["bound", "errors"])
    drops = check_option("noise", noise, ["cluster", "abstain"]) == "abstain"
    if target is None:
        return LabelAll(choose, drops)
    if choose != "bound":
        raise invalid("choose", "'bound' with a target", choose)
    return LabelWithin(check_open_unit("target", target), delta, drops)


def _paid(counts: ClusterCounts, classes: NDArray[np.integer]):
    """For every number k of clusters the k that look purest on certifying rows.

    Any subset may have been chosen: 1 / c for how many, 1 / (c over k) for which.
    """
    c, seen = len(classes), counts.certify.sum(axis=1)
    wrong = seen - counts.certify[np.arange(c), classes]
    order = np.lexsort((-counts.sizes, _impurity(wrong, seen, _ADDED_TO_PAID)))
    masks = [np.isin(np.arange(c), order[:k]) for k in range(1, c + 1)]
    return masks, [Fraction(1, c * comb(c, k)) for k in range(1, c + 1)]


def _impurity(wrong, seen, added):
    """Share of wrong labels in each cluster, smoothed."""
    return (wrong + added) / (seen + 2 * added)


# Floats that sum to less cannot be of ratios that sum to more than 1: a clustering has at
# most thousands of options, and each float is off by a part in 10**16.
_NEARLY_ONE = 1 - 1e-9


class Counted(NamedTuple):
    """What is left of a clustering once it has been counted."""

    n_clusters: int  # 0 of a classifier
    options: Sequence[Sequence[Option]]  # by split
    train_errors: NDArray[np.integer]  # of the majority classes of all labels, by split
    estimated_errors: NDArray[np.floating]  # of these, to be expected on other rows
    selection_errors: NDArray[np.floating]  # by split, on selecting rows; 0 if none
    preferences: NDArray[np.floating]  # by split: what these alone would choose by
    partition: bytes  # its fingerprint
    sizes: NDArray[np.integer] = np.zeros(0, dtype=int)  # of clusters
    labeled: csr_array = csr_array((0, 0), dtype=int)  # by cluster and class, of split 0


def count_options(
    strategy: Strategy,
    goal: Goal,
    by_split: Sequence[ClusterCounts],
    language: Language,
    seed: int,
    partition: bytes,
    noise: int | None = None,
) -> Counted:
    """What may be claimed of a clustering, from its counts on each split.

    If one of the clusters is ``noise`` that is given no class, all is claimed of the
    other rows as if there were no more. They are the same whatever the labels are, and
    given how many of them certify, these are a uniformly random choice.

    The fingerprint of the partition, four bytes or a multiple, is a part of the seed of
    ties, so that equal partitions break them alike and give the same labeling.
    """
    words = np.frombuffer(partition, dtype=np.uint32).tolist()
    options, errors, preferences, estimated = [], [], [], []
    for split, whole in enumerate(by_split):
        counts = whole if noise is None else _without(whole, noise)
        seen, classes = _seen_by(strategy, counts)
        rng = seeded_again([seed, split, *words])
        offered: Sequence[Option] = []  # where all rows are noise
        if len(seen.sizes):
            own = goal.options(strategy, seen, language, rng)
            offered = _check_options(strategy, own)
        options.append([_of_classes(option, classes, noise) for option in offered])
        # Labeled noise counts as errors to expect: else the fewest would be those of a
        # clusterer that calls nearly every row noise.
        labeled = whole.labeled.sum() - counts.labeled.sum()
        selecting = whole.select.sum() - counts.select.sum()
        estimated.append(estimated_errors(counts, counts.labeled) + labeled)
        selects = strategy.fraction > 0
        errors.append(estimated_errors(seen, seen.select) + selecting if selects else 0)
        preferences.append(goal.selection(seen, errors[-1]) if selects else 0)
    tables = [counts.labeled for counts in by_split]
    return Counted(
        n_clusters=len(by_split[0].sizes),
        options=options,
        train_errors=np.array(
            [int(table.sum() - table[:, :-1].max(axis=1).sum()) for table in tables]
        ),
        estimated_errors=np.array(estimated),
        selection_errors=np.array(errors, dtype=float),
        preferences=np.array(preferences, dtype=float),
        partition=partition,
        sizes=by_split[0].sizes,
        labeled=csr_array(tables[0]),
    )


def _without(counts, noise):
    """The counts of all other clusters, with those of all rows."""

    def others(table, *axes):
        for axis in axes:
            table = None if table is None else np.delete(table, noise, axis)
        return table

    names = "sizes", "select", "certify", "test", "hidden"
    tables = {name: others(getattr(counts, name), 0) for name in names}
    known = {"distances": lambda: others(counts.distances(), 0, 1), "whole": counts}
    return replace(counts, **tables, **known)


def _seen_by(
    strategy: Strategy, counts: ClusterCounts
) -> tuple[ClusterCounts, NDArray[np.integer]]:
    """The counts that a way to certify may look at, and the codes of their classes.

    Where classes need not be known beforehand and some rows select, labels of a class
    that only certifying rows have are of no class: else names of clusters, ties and
    choices would depend on which classes there are among the rows that certify.
    """
    if strategy.fraction and not strategy.knows_classes:
        return counts.of_selecting_classes()
    return counts, np.arange(counts.n_classes)


def _of_classes(option, classes, noise):
    """The option with codes of classes, from places among those that were looked at."""
    given = option.classes
    codes = np.where(given == ABSTAIN, ABSTAIN, classes[given])
    codes = codes if noise is None else np.insert(codes, noise, ABSTAIN)
    return option._replace(classes=codes)


def _check_options(strategy, options):
    """Each labeling once, with weights that could be part of a sum of at most 1."""
    if not options:
        raise ValueError(f"{strategy!r} must offer at least one labeling, got none.")
    largest: dict[tuple[bool, bytes], tuple[Fraction, Option]] = {}
    for option in options:
        for term, weight in option.terms.items():
            if not isinstance(weight, Fraction) or not 0 < weight <= 1:
                name = f"The term {term!r} of {strategy!r}"
                raise invalid(name, "a Fraction in (0, 1]", weight)
        weight = total_weight(option.terms)
        key = option.clusters is None, option.classes.tobytes()
        if key not in largest or weight > largest[key][0]:
            largest[key] = weight, option
    # Exact sums of long ratios are slow, and mostly the sum is far from 1.
    total = sum(float(weight) for weight, _ in largest.values())
    if total > _NEARLY_ONE and sum(weight for weight, _ in largest.values()) > 1:
        raise ValueError(
            f"The weights of the {len(largest)} labelings that {strategy!r} offers of "
            f"one clustering sum to {total:.12g}; they must sum to at most 1."
        )
    return [option for _, option in largest.values()]
