"""What a sweep found: claims of all candidates, with bounds that hold at once."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..languages import Candidate
from ..utils._weights import length_in_bits, total_weight
from ._counting import Counted, SplitSizes
from ._strategy import Offers, Option, Ranking, Strategy, joined
from ._weighing import Weighing


class Claim(NamedTuple):
    """An option of a candidate on one split, with its bound."""

    option: Option
    terms: dict[str, Fraction]  # all weights; "pooling" may be above 1
    description_length: float  # of all of these, in bits
    bound: float  # rate, mostly among the unlabeled rows that have a class
    is_sharper: bool = False  # whether the bound is by the strategy's second statement


@dataclass(frozen=True)
class Sweep:
    """All candidates, counted and weighed, and what may be claimed of them."""

    strategy: Strategy
    candidates: Sequence[Candidate]
    counted: Sequence[Counted | None]  # None for a candidate that failed
    weighing: Weighing
    sizes: Sequence[SplitSizes]  # by split
    n_classes: int
    delta: float
    claimed: Sequence[int] | None = None  # candidates to make claims of; None for all

    def of(self, index: int) -> Counted:
        """What was counted of a candidate that did not fail."""
        counted = self.counted[index]
        assert counted is not None
        return counted

    def only(self, index: int) -> "Sweep":
        """The sweep with claims of one candidate, which was chosen without them."""
        return replace(self, claimed=[index])

    def refitted(self, index: int, counted: Counted) -> "Sweep":
        """The sweep with claims of one candidate, of which another fit was counted.

        Only what no candidate but this one has a say in: not the weights of other
        candidates with the same labeling, nor weights learned from another partition.
        """
        errors = self.of(index).selection_errors
        again = counted._replace(selection_errors=errors)
        return replace(
            self.only(index),
            counted=[again if i == index else c for i, c in enumerate(self.counted)],
            weighing=replace(self.weighing, pooled=False),
        )

    def ranked(self) -> tuple["Sweep", Ranking]:
        """The sweep and the order of its candidates.

        If the best candidate was chosen without claims, the sweep has only its claims.
        """
        ranking = self.strategy.rank(self)
        return (self.only(ranking.best) if self.strategy.chooses_first else self), ranking

    @cached_property
    def failed(self) -> NDArray[np.bool_]:
        """Whether each candidate failed."""
        return np.array([counted is None for counted in self.counted])

    @cached_property
    def selection(self) -> NDArray[np.floating]:
        """Selection errors, of shape (n_candidates, n_splits)."""
        missing = np.full(len(self.sizes), np.nan)
        return np.array(
            [missing if c is None else c.selection_errors for c in self.counted]
        )

    @cached_property
    def offered(self) -> list[dict[int, list[Claim]]]:
        """By split: what may be claimed of each candidate, all at once.

        Where a candidate is chosen at no bits, there are claims only once it is chosen:
        a choice by claims would have to be paid for.
        """
        if self.strategy.chooses_first and self.claimed is None:
            raise ValueError(
                f"{self.strategy!r} chooses first, so it must rank candidates by what "
                "the selecting rows say (selection), not by claims."
            )
        offers = [self._offers(split) for split in range(len(self.sizes))]
        leaders = set(self.strategy.leaders(offers, self.delta))
        return [self._claims(own, leaders) for own in offers]

    @cached_property
    def claims(self) -> list[dict[int, Claim | None]]:
        """By split: the best claim of each candidate, None where there is none."""
        return [
            {i: self.strategy.best(own) for i, own in offered.items()}
            for offered in self.offered
        ]

    def best_claims(self, index: int) -> list[Claim | None]:
        """The best claims of one candidate, by split."""
        return [claims[index] for claims in self.claims]

    def per_split(self, value) -> NDArray[np.floating]:
        """A value of each best claim, of shape (n_splits, n_candidates); else NaN."""
        table = np.full((len(self.sizes), len(self.candidates)), np.nan)
        for split, claims in enumerate(self.claims):
            for i, claim in claims.items():
                if claim is not None:
                    table[split, i] = value(claim)
        return table

    @cached_property
    def bounds(self) -> NDArray[np.floating]:
        """Mean bound of each candidate."""
        return self.per_split(lambda claim: claim.bound).mean(axis=0)

    @cached_property
    def description_lengths(self) -> NDArray[np.floating]:
        """Mean description length of each candidate, in bits."""
        return self.per_split(lambda claim: claim.description_length).mean(axis=0)

    @cached_property
    def coverages(self) -> NDArray[np.floating]:
        """Share of the unlabeled rows with a class, of shape (n_splits, n_candidates).

        It is 0 where nothing can be claimed.
        """
        n_test = np.array([[sizes.n_test] for sizes in self.sizes])
        table = self.per_split(lambda claim: claim.option.n_test) / n_test
        for split, claims in enumerate(self.claims):
            for i, claim in claims.items():
                if claim is None and not self.failed[i]:
                    table[split, i] = 0.0
        return table

    @property
    def coverage(self) -> NDArray[np.floating]:
        """Mean of :attr:`coverages`, by candidate."""
        return self.coverages.mean(axis=0)

    def _offers(self, split):
        """Options on one split, with what pays for all of them, and their bounds."""
        selected = self.strategy.candidate_terms(
            self.weighing.weights, self.selection[:, split]
        )
        offered = [
            (i, option, labeling)
            for i in self._claimed
            if not self.failed[i]
            for option, labeling in zip(
                self.of(i).options[split], self.of(i).labelings[split], strict=True
            )
            if option.n_test
        ]
        terms = [joined(selected[i], option.terms) for i, option, _ in offered]
        if self.weighing.pooled:
            terms = _pooled(terms, [labeling for *_, labeling in offered])
        candidates, options = (
            [i for i, *_ in offered],
            [option for _, option, _ in offered],
        )
        sizes = self.sizes[split]
        bounds = self.strategy.bounds(options, terms, sizes, self.delta)
        return Offers(candidates, options, terms, sizes, bounds)

    def _claims(self, offers, leaders):
        """Claims on one split; of leaders by the second statement of the strategy."""
        own = [k for k, i in enumerate(offers.candidates) if i in leaders]
        found = self.strategy.sharper(offers.take(own), self.delta) if own else {}
        bounds = offers.bounds.copy()
        for k, bound in found.items():
            bounds[own[k]] = bound
        sharpened = {offers.candidates[own[k]] for k in found}
        claims: dict[int, list[Claim]] = {i: [] for i in self._claimed}
        for k, (i, option, terms) in enumerate(zip(*offers[:3], strict=True)):
            bits = length_in_bits(total_weight(terms))
            rate = bounds[k] / option.n_test
            claims[i].append(Claim(option, terms, bits, rate, i in sharpened))
        return claims

    @property
    def _claimed(self):
        return range(len(self.candidates)) if self.claimed is None else self.claimed


def _pooled(terms, labelings):
    """Terms with what pooling saves: weights of equal labelings, by whichever
    candidate, are added up."""
    own = [total_weight(t) for t in terms]
    totals: dict[bytes, Fraction] = defaultdict(Fraction)
    for labeling, weight in zip(labelings, own, strict=True):
        totals[labeling] += weight
    return [
        t | ({"pooling": totals[labeling] / weight} if totals[labeling] > weight else {})
        for t, weight, labeling in zip(terms, own, labelings, strict=True)
    ]
