"""Ways to certify: which labeled rows choose, which set weights, and which certify.

Every way makes *options* of the counts of a clustering: labelings of its clusters, some
of which may be left without a class, each with a weight that was fixed before the
certifying labels were seen. The weights of all options that a sweep could have sum to at
most 1, so the bounds of all of them hold at once.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from ..labeling._majority import ABSTAIN
from ..languages import Language
from ._counts import ClusterCounts

if TYPE_CHECKING:  # a sweep asks its strategy
    from ._sweep import Claim, Sweep


class Option(NamedTuple):
    """A labeling of the clusters of a clustering, and its weight among such labelings."""

    classes: np.ndarray  # (c,) class codes, or ABSTAIN
    terms: Mapping[str, Fraction]  # what its weight is the product of
    n_train: int  # certifying rows with a class
    n_test: int  # unlabeled rows with a class
    train_errors: int
    test_errors: int  # -1 where unknown

    @classmethod
    def of(cls, counts: ClusterCounts, classes: np.ndarray, terms: Mapping) -> "Option":
        """Count what a labeling does."""
        accepted = np.flatnonzero(classes != ABSTAIN)

        def errors(table):
            return int(table[accepted].sum() - table[accepted, classes[accepted]].sum())

        return cls(
            classes=classes,
            terms=terms,
            n_train=int(counts.certify[accepted].sum()),
            n_test=int(counts.test[accepted].sum()),
            train_errors=errors(counts.certify),
            test_errors=-1 if counts.hidden is None else errors(counts.hidden),
        )


@dataclass(frozen=True)
class Ranking:
    """The order of the candidates of a sweep, and what it follows.

    Parameters
    ----------
    column : str
        Column of the results that candidates are ranked by.
    values : ndarray of shape (n_candidates,)
        Lower is better; NaN for candidates that cannot be chosen.
    tie_breakers : sequence of ndarray of shape (n_candidates,)
        What decides among equals, the most important first; lower is better.
    """

    column: str
    values: NDArray[np.floating]
    tie_breakers: Sequence[NDArray[np.floating]] = ()

    @cached_property
    def best(self) -> int:
        """Index of the best candidate; the first of several that are equal in all."""
        values = np.where(np.isnan(self.values), np.inf, self.values)
        return int(np.lexsort((*self.tie_breakers[::-1], values))[0])

    @cached_property
    def ranks(self) -> NDArray[np.integer]:
        """Rank of each candidate, 1 for the best; equal values have equal ranks."""
        values = np.where(np.isnan(self.values), np.inf, self.values)
        return rankdata(values, method="min").astype(int)


@dataclass(frozen=True)
class Strategy(ABC):
    """A way to certify. An instance is made known by :func:`register_strategy`.

    A subclass is a frozen dataclass, declares ``kind`` and ``fraction``, and defines
    :meth:`labelings`. What that method may
    look at decides whether the certificates are valid: weights and, where
    ``chooses_first``, classes too, must be functions of ``counts.sizes``,
    ``counts.select`` and ``counts.distances``; the classes of other strategies may also
    follow ``counts.certify``, since their weights pay for it. ``counts.hidden`` must not
    be looked at.
    """

    # Default of ``fraction`` where clusters may be left out; None for the same.
    selective_fraction: ClassVar[float | None] = None
    # Whether clusters may be left without a class.
    abstains: ClassVar[bool] = False

    @property
    @abstractmethod
    def kind(self) -> str:
        """Name: a value of ``certify``, and the kind of the certificates."""

    @property
    @abstractmethod
    def fraction(self) -> float:
        """Share of the labeled rows that select, in [0, 1); the others certify."""

    @property
    def chooses_first(self) -> bool:
        """Whether a candidate is chosen by selecting rows alone, so at no bits."""
        return False

    @property
    def pays_for_labels(self) -> bool:
        """Whether the language's weights of labels are used."""
        return False

    def with_fraction(self, fraction: float) -> "Strategy":
        """The same way to certify, with another share of selecting rows."""
        return replace(self, **{"fraction": fraction})

    @abstractmethod
    def labelings(
        self,
        counts: ClusterCounts,
        accepted: NDArray[np.bool_],
        language: Language | None,
        rng: np.random.RandomState,
    ) -> Iterator[tuple[np.ndarray, Mapping[str, Fraction]]]:
        """Labelings of the accepted clusters, with the terms of their weights.

        Parameters
        ----------
        counts : ClusterCounts
            Of one clustering on one split.
        accepted : ndarray of shape (n_clusters,) of bool
            Clusters that are to have a class.
        language : Language or None
            What weighs the labels of this clustering, for those that pay for labels.
        rng : RandomState
            For ties between classes.

        Yields
        ------
        classes : ndarray of shape (n_clusters,) of int
            Class codes; those of clusters that are not accepted are ignored.
        terms : mapping of str to Fraction
            Their product is the weight of this labeling; the weights of all labelings
            that could be yielded sum to at most 1.
        """

    def options(
        self,
        counts: ClusterCounts,
        language: Language | None,
        rng: np.random.RandomState,
    ) -> list[Option]:
        """What may be claimed of a clustering: by default labelings of all clusters."""
        every = np.ones(len(counts.sizes), dtype=bool)
        return [
            Option.of(counts, classes, terms)
            for classes, terms in self.labelings(counts, every, language, rng)
        ]

    def candidate_terms(
        self, weights: Sequence[Mapping[str, Fraction]], selection_errors: np.ndarray
    ) -> Sequence[Mapping[str, Fraction]]:
        """Weights of the candidates by term: by default those of the language."""
        return weights

    def selection_errors(self, counts: ClusterCounts) -> float:
        """What a candidate is chosen or weighed by; must not look at other labels."""
        return 0.0

    def selection_columns(
        self, errors: np.ndarray, n_select: int, n_others: int
    ) -> dict[str, np.ndarray]:
        """The same as columns of the results, from all candidates' selection errors."""
        return {}

    def best(self, claims: Sequence["Claim"]) -> "Claim | None":
        """The claim with the smallest bound; of equals, the shortest description."""
        return min(claims, key=lambda c: (c.bound, c.description_length), default=None)

    def rank(self, sweep: "Sweep") -> Ranking:
        """Order of the candidates: by default the smallest bound is best."""
        return Ranking("test_bound", sweep.bounds, (sweep.description_lengths,))

    def naming(self, select: np.ndarray, certify: np.ndarray) -> np.ndarray:
        """Which labeled rows give clusters their classes: by default all of them."""
        return np.sort(np.concatenate([select, certify]))
