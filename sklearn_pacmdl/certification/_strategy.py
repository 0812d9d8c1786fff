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

from ..bounds import pac_mdl_bound, selecting_share
from ..languages import Language
from ..utils._checks import as_array, check_flag, invalid
from ..utils._labels import ABSTAIN
from ..utils._weights import length_in_bits, total_weight
from ._counts import ClusterCounts

if TYPE_CHECKING:  # a sweep asks its strategy
    from ._counting import SplitSizes
    from ._sweep import Claim, Sweep


def joined(terms: Mapping[str, Fraction], more: Mapping[str, Fraction]) -> dict:
    """Terms of one weight: the product of all, so that none may hide another."""
    shared = terms.keys() & more.keys()
    if shared:
        raise ValueError(
            f"The terms {sorted(shared)} of a labeling's weight are used for something "
            "else in the same weight; give them other names."
        )
    return {**terms, **more}


class Option(NamedTuple):
    """A labeling of clusters that may be claimed, with its counts and its weight.

    Parameters
    ----------
    classes : ndarray of shape (n_clusters,) of int
        Class codes; -1 for clusters that are left out.
    terms : mapping of str to Fraction
        Factors of the weight of the labeling, by name.
    n_train, n_test : int
        Numbers of certifying rows and of unlabeled rows that are given a class.
    train_errors : int
        Number of errors among the ``n_train`` rows.
    test_errors : int
        Number of errors among the ``n_test`` rows; -1 if unknown.
    clusters : ndarray of shape (n_accepted, 3) of int, default=None
        Rows, certifying rows and errors among these of each cluster that is given a
        class, for ways to certify whose bounds depend on single clusters.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_pacmdl.certification import ClusterCounts, Option
    >>> counts = ClusterCounts.from_tables([[28, 2], [1, 29]], unlabeled=[70, 70])
    >>> option = Option.of(counts, np.array([0, -1]), terms={})
    >>> option.n_train, option.train_errors, option.n_test
    (30, 2, 70)
    """

    classes: np.ndarray
    terms: Mapping[str, Fraction]
    n_train: int
    n_test: int
    train_errors: int
    test_errors: int
    clusters: np.ndarray | None = None

    @classmethod
    def of(
        cls,
        counts: ClusterCounts,
        classes: np.ndarray,
        terms: Mapping,
        *,
        by_cluster: bool = False,
    ) -> "Option":
        """Make an option by counting the rows and errors of a labeling.

        Parameters
        ----------
        counts : ClusterCounts
            Counts of one clustering on one split.
        classes : ndarray of shape (n_clusters,) of int
            Class codes; -1 for clusters that are left out.
        terms : mapping of str to Fraction
            Factors of the weight of the labeling, by name.
        by_cluster : bool, default=False
            Whether to keep the counts of each cluster.

        Returns
        -------
        option : Option
            The labeling with its counts.
        """
        if not isinstance(counts, ClusterCounts):
            raise invalid("counts", "ClusterCounts", counts)
        codes = as_array("classes", classes)
        whole = codes.dtype.kind in "iu" and codes.shape == counts.sizes.shape
        if not whole or not np.all((codes >= ABSTAIN) & (codes < counts.n_classes)):
            allowed = f"{len(counts.sizes)} class codes, one for each cluster"
            raise invalid("classes", allowed, classes)
        if not isinstance(terms, Mapping):
            raise invalid("terms", "a mapping of terms to weights", terms)
        check_flag("by_cluster", by_cluster)
        accepted = np.flatnonzero(classes != ABSTAIN)

        def errors(table):
            return table[accepted].sum(axis=1) - table[accepted, classes[accepted]]

        seen, wrong = counts.certify[accepted].sum(axis=1), errors(counts.certify)
        rows = counts.test[accepted] + seen
        return cls(
            classes=classes,
            terms=terms,
            n_train=int(seen.sum()),
            n_test=int(counts.test[accepted].sum()),
            train_errors=int(wrong.sum()),
            test_errors=-1 if counts.hidden is None else int(errors(counts.hidden).sum()),
            clusters=np.stack([rows, seen, wrong], axis=1) if by_cluster else None,
        )


class Offers(NamedTuple):
    """Options of all candidates on one split, with their weights and bounds.

    Parameters
    ----------
    candidates : sequence of int
        Index of the candidate of each option.
    options : sequence of Option
        What may be claimed.
    weights : sequence of mapping of str to Fraction
        All factors of the weight of each option.
    sizes : SplitSizes
        Numbers of rows of the split.
    bounds : ndarray of shape (n_options,) of int
        What :meth:`Strategy.bounds` returned.
    """

    candidates: Sequence[int]
    options: Sequence[Option]
    weights: Sequence[Mapping[str, Fraction]]
    sizes: "SplitSizes"
    bounds: NDArray[np.integer]

    def take(self, places: Sequence[int]) -> "Offers":
        """Return some of them, by their places.

        Parameters
        ----------
        places : sequence of int
            Indices of options.

        Returns
        -------
        offers : Offers
            In the order of the places.
        """
        return Offers(
            [self.candidates[k] for k in places],
            [self.options[k] for k in places],
            [self.weights[k] for k in places],
            self.sizes,
            self.bounds[np.asarray(places, dtype=np.intp)],
        )


@dataclass(frozen=True, eq=False)  # arrays have no single truth value
class Ranking:
    """Order of the candidates of a sweep, with the values by which they are ordered.

    Parameters
    ----------
    column : str
        Column of the results that candidates are ranked by.
    values : ndarray of shape (n_candidates,)
        Lower is better; NaN for candidates that cannot be chosen.
    tie_breakers : sequence of ndarray of shape (n_candidates,), default=()
        Values that decide among equal candidates, the most important first; lower is
        better.
    n_rows : float, default=1.0
        Rows that the values count errors or rows among, so that results can show them
        as rates.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_pacmdl.certification import Ranking
    >>> ranking = Ranking("test_bound", np.array([0.2, 0.1, np.nan, 0.1]))
    >>> ranking.best, ranking.ranks.tolist()
    (1, [3, 1, 4, 1])
    """

    column: str
    values: NDArray[np.floating]
    tie_breakers: Sequence[NDArray[np.floating]] = ()
    n_rows: float = 1.0

    @cached_property
    def best(self) -> int:
        """Index of the best candidate; the first one if several are equal in all."""
        values = np.where(np.isnan(self.values), np.inf, self.values)
        return int(np.lexsort((*self.tie_breakers[::-1], values))[0])

    @cached_property
    def ranks(self) -> NDArray[np.integer]:
        """Rank of each candidate, 1 for the best; equal values have equal ranks."""
        values = np.where(np.isnan(self.values), np.inf, self.values)
        return rankdata(values, method="min").astype(int)


@dataclass(frozen=True)
class Strategy(ABC):
    """Base class of ways to certify.

    A subclass is a frozen dataclass, declares ``kind`` and ``fraction``, and defines
    :meth:`labelings`. An instance is passed to :func:`register_strategy`. Whether the
    certificates are valid depends on what :meth:`labelings` looks at. Weights must be
    functions of ``counts.sizes``, ``counts.select`` and ``counts.distances``. So must the
    classes if ``chooses_first`` is True; the classes of other strategies may also depend
    on ``counts.certify``, since their weights pay for it. ``counts.hidden`` must not be
    looked at.

    See Also
    --------
    register_strategy : Register a way to certify.

    Examples
    --------
    Every cluster is given the most common class of the selecting rows, so there is
    nothing to choose and nothing to pay for:

    >>> from dataclasses import dataclass
    >>> import numpy as np
    >>> from sklearn_pacmdl.certification import ClusterCounts, Strategy
    >>> @dataclass(frozen=True)
    ... class OneClass(Strategy):
    ...     fraction: float = 0.25
    ...     kind = "one class for all"
    ...
    ...     def labelings(self, counts, accepted, language, rng):
    ...         common = counts.select[:, :-1].sum(axis=0).argmax()
    ...         yield np.full(len(counts.sizes), common), {}
    >>> counts = ClusterCounts.from_tables([[9, 1]], unlabeled=[90], selecting=[[3, 0]])
    >>> OneClass().options(counts, None, np.random.RandomState(0))[0].train_errors
    1
    """

    # Default of ``fraction`` where clusters may be left out; None for the same.
    selective_fraction: ClassVar[float | None] = None
    # Whether clusters may be left without a class.
    abstains: ClassVar[bool] = False

    @property
    @abstractmethod
    def kind(self) -> str:
        """Name of the strategy: a value of ``certify``, and the kind of certificates."""

    @property
    @abstractmethod
    def fraction(self) -> float:
        """Share of the labeled rows that select, in [0, 1); the others certify."""

    @property
    def chooses_first(self) -> bool:
        """Whether selecting rows alone choose the candidate, which then costs no bits."""
        return False

    @property
    def pays_for_labels(self) -> bool:
        """Whether the language's weights of labels are used."""
        return False

    @property
    def by_cluster(self) -> bool:
        """Whether options keep the counts of each cluster."""
        return False

    @property
    def knows_classes(self) -> bool:
        """Whether certificates rest on knowing all classes beforehand.

        If not, and if some rows select, ``counts`` has only the classes of these, and
        certifying rows of other classes are in the last column, as errors.
        """
        return True

    @property
    def facts(self) -> dict[str, float | str]:
        """What a certificate has to record of the strategy, none by default."""
        return {}

    def for_sets(self) -> "Strategy":
        """Return the way to certify sets of clusters, the same by default.

        Returns
        -------
        strategy : Strategy
            What options that leave clusters out are certified by.
        """
        return self

    def for_clusters(self, numbers: Sequence[int]) -> "Strategy":
        """Return the way to certify with the share of selecting rows that suits a sweep.

        Parameters
        ----------
        numbers : sequence of int
            The candidates' numbers of clusters, as far as these are known before any
            label is seen.

        Returns
        -------
        strategy : Strategy
            Itself by default.
        """
        return self

    def with_fraction(self, fraction: float) -> "Strategy":
        """Return the same way to certify with another share of selecting rows.

        Parameters
        ----------
        fraction : float
            In [0, 1).

        Returns
        -------
        strategy : Strategy
            The copy.
        """
        return replace(self, **{"fraction": fraction})

    @abstractmethod
    def labelings(
        self,
        counts: ClusterCounts,
        accepted: NDArray[np.bool_],
        language: Language | None,
        rng: np.random.RandomState,
    ) -> Iterator[tuple[np.ndarray, Mapping[str, Fraction]]]:
        """Generate labelings of the accepted clusters, with the terms of their weights.

        Parameters
        ----------
        counts : ClusterCounts
            Counts of one clustering on one split.
        accepted : ndarray of shape (n_clusters,) of bool
            Clusters that are to be given a class.
        language : Language or None
            Language that weighs the labels of this clustering, for strategies that pay
            for labels.
        rng : RandomState
            Source of randomness for ties between classes.

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
        """List what may be claimed of a clustering; by default, of all its clusters.

        Parameters
        ----------
        counts, language, rng : object
            As in :meth:`labelings`.

        Returns
        -------
        options : list of Option
            The weights of all options that could be returned sum to at most 1.
        """
        every = np.ones(len(counts.sizes), dtype=bool)
        return [
            Option.of(counts, classes, terms, by_cluster=self.by_cluster)
            for classes, terms in self.labelings(counts, every, language, rng)
        ]

    def way_of(self, option: Option) -> "Strategy":
        """Return the way to certify that one option is certified by.

        Parameters
        ----------
        option : Option
            One of :meth:`options`.

        Returns
        -------
        strategy : Strategy
            What the kind of the certificate, its facts and :meth:`identity` are of;
            itself by default.
        """
        return self

    def identity(self, classes: np.ndarray) -> np.ndarray:
        """Return what an option says of each cluster, for comparisons between options.

        Options of several candidates that say the same of every row share their weights.

        Parameters
        ----------
        classes : ndarray of shape (n_clusters,) of int
            Class codes; -1 for clusters that are left out.

        Returns
        -------
        identity : ndarray of shape (n_clusters,) of int
            By default, the class codes.
        """
        return classes

    def bounds(
        self,
        options: Sequence[Option],
        weights: Sequence[Mapping[str, Fraction]],
        sizes: "SplitSizes",
        delta: float,
    ) -> np.ndarray:
        """Bound the errors of options; by default, by the PAC-MDL bound.

        Parameters
        ----------
        options : sequence of Option
            Of all candidates, on one split.
        weights : sequence of mapping of str to Fraction
            All factors of the weight of each option.
        sizes : SplitSizes
            Numbers of rows of the split.
        delta : float
            Probability, in (0, 1), with which the bounds may fail all at once.

        Returns
        -------
        n_test_errors : ndarray of shape (n_options,) of int
            A bound for each option; by default all of them hold at once.
        """
        counts = [(o.n_train, o.n_test, o.train_errors) for o in options]
        lengths = [length_in_bits(total_weight(terms)) for terms in weights]
        return pac_mdl_bound(
            *np.array(counts, dtype=np.int64).reshape(-1, 3).T,
            description_length=np.array(lengths, dtype=float),
            delta=delta,
        )

    def leaders(self, offers: Sequence[Offers], delta: float) -> Sequence[int]:
        """Pick candidates to be bounded by a costlier statement; by default, none.

        Parameters
        ----------
        offers : sequence of Offers
            By split. Candidates may be picked by the bounds if the second statement is
            about all options at once, too.
        delta : float
            As in :meth:`bounds`.

        Returns
        -------
        candidates : sequence of int
            Indices; the same candidates on all splits, so that their means compare.
        """
        return ()

    def sharper(self, offers: Offers, delta: float) -> Mapping[int, int]:
        """Bound the errors of options of the leaders by the costlier statement.

        Parameters
        ----------
        offers : Offers
            Those of the leaders, on one split.
        delta : float
            Probability with which this statement may fail; that of :meth:`bounds` is
            another.

        Returns
        -------
        n_test_errors : mapping of int to int
            Bounds of the options at these places, to be used instead; by default, none.
        """
        return {}

    def candidate_terms(
        self, weights: Sequence[Mapping[str, Fraction]], selection_errors: np.ndarray
    ) -> Sequence[Mapping[str, Fraction]]:
        """Return the weights of the candidates by term; by default, the language's.

        Parameters
        ----------
        weights : sequence of mapping of str to Fraction
            Weights that the language gives.
        selection_errors : ndarray of shape (n_candidates,)
            Values that :meth:`selection_errors` returned; NaN for candidates that failed.

        Returns
        -------
        terms : sequence of mapping of str to Fraction
            The weights, whose products sum to at most 1 over all candidates.
        """
        return weights

    def selection_errors(self, counts: ClusterCounts) -> float:
        """Return the value that a candidate is chosen or weighed by before certification.

        Parameters
        ----------
        counts : ClusterCounts
            Only sizes, selecting rows and distances may be looked at.

        Returns
        -------
        errors : float
            Lower is better; 0 by default.
        """
        return 0.0

    def selection_columns(
        self, errors: np.ndarray, n_select: int, n_others: int
    ) -> dict[str, np.ndarray]:
        """Return the columns of the results that show the selection errors.

        Parameters
        ----------
        errors : ndarray of shape (n_candidates,)
            Selection errors on one split.
        n_select, n_others : int
            Number of rows that select, and number of all other rows.

        Returns
        -------
        columns : dict of str to ndarray of shape (n_candidates,)
            By default "selection_error", the errors as a rate, where rows select.
        """
        return {"selection_error": errors / n_select} if self.fraction else {}

    def best(self, claims: Sequence["Claim"]) -> "Claim | None":
        """Choose among the claims of one candidate.

        Parameters
        ----------
        claims : sequence of Claim
            Options with their bounds, which hold at once.

        Returns
        -------
        claim : Claim or None
            By default the claim with the smallest bound; if several have it, the one with
            the shortest description.
        """
        return min(claims, key=lambda c: (c.bound, c.description_length), default=None)

    def rank(self, sweep: "Sweep") -> Ranking:
        """Rank the candidates; by default, the smallest bound is best.

        A strategy that chooses first has no bounds yet, and ranks by its selection
        errors.

        Parameters
        ----------
        sweep : Sweep
            All candidates. A strategy that chooses first may look at its ``candidates``
            and its ``selection`` only.

        Returns
        -------
        ranking : Ranking
            The values to rank by, with the name of their column.
        """
        if self.chooses_first:
            n_rows = float(np.mean([sizes.n_select for sizes in sweep.sizes]))
            errors = sweep.selection.mean(axis=1)
            return Ranking("selection_error", errors, (), n_rows)
        return Ranking("test_bound", sweep.bounds, (sweep.description_lengths,))

    def naming(self, select: np.ndarray, certify: np.ndarray) -> np.ndarray:
        """Return the labeled rows that give clusters their classes; by default, all.

        Parameters
        ----------
        select, certify : ndarray of int
            Row indices.

        Returns
        -------
        naming : ndarray of int
            Sorted row indices.
        """
        return np.sort(np.concatenate([select, certify]))


def with_rule(strategy: Strategy, numbers: Sequence[int]) -> Strategy:
    """The same way to certify with the share for these numbers of clusters, if any."""
    if not len(numbers):
        return strategy
    share = selecting_share(strategy.kind, float(np.median(numbers)))
    return strategy.with_fraction(share)
