"""Ways to certify: which labeled rows choose, which set weights, and which certify.

Every way makes *options* of the counts of a clustering: labelings of its clusters, some
of which may be left without a class, each with a weight that was fixed before the
certifying labels were seen. The weights of all options that a sweep could have sum to at
most 1, so the bounds of all of them hold at once.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import new_class
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..bounds import pac_mdl_bound
from ..certificates import BoundCertificate
from ..languages import Language
from ..utils._checks import as_array, check_flag, invalid, is_number
from ..utils._labels import ABSTAIN
from ..utils._weights import length_in_bits, total_weight
from ._counts import ClusterCounts


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
    fields : mapping of str to object, default={}
        Further fields of the certificate.

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
    fields: Mapping[str, Any] = {}

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
        accepted = np.flatnonzero(codes != ABSTAIN)

        def errors(table):
            return table[accepted].sum(axis=1) - table[accepted, codes[accepted]]

        seen, wrong = counts.certify[accepted].sum(axis=1), errors(counts.certify)
        rows = counts.test[accepted] + seen
        return cls(
            classes=codes,
            terms=terms,
            n_train=int(seen.sum()),
            n_test=int(counts.test[accepted].sum()),
            train_errors=int(wrong.sum()),
            test_errors=-1 if counts.hidden is None else int(errors(counts.hidden).sum()),
            clusters=np.stack([rows, seen, wrong], axis=1) if by_cluster else None,
        )


class Offers(NamedTuple):
    """Options of all candidates on one split, with all factors of their weights."""

    candidates: Sequence[int]  # index of the candidate of each option
    options: Sequence[Option]  # what may be claimed
    weights: Sequence[Mapping[str, Fraction]]  # all factors of the weight of each option


@dataclass(frozen=True)
class Strategy(ABC):
    """Base class of ways to certify.

    A subclass is a frozen dataclass, declares ``kind`` and ``fraction``, and defines
    :meth:`labelings`. An instance is passed as ``certify``. Whether the
    certificates are valid depends on what :meth:`labelings` looks at. Weights must be
    functions of ``counts.sizes``, ``counts.select``, ``counts.distances`` and
    ``counts.names``. So must the classes if ``chooses_first`` is True; the classes of
    other strategies may also depend on ``counts.certify``, since their weights account
    for it. ``counts.hidden`` must not be looked at.

    Attributes
    ----------
    chooses_first : bool, default=False
        Whether selecting rows alone choose the candidate, by the errors to expect
        among them, and name its clusters. The choice then costs no bits, and the other
        candidates have no bounds.
    knows_classes : bool, default=True
        Whether certificates assume that all classes were known beforehand. If not, and
        if some rows select, ``counts`` has only the classes of these, and certifying rows
        of other classes are in the last column, as errors.
    pays_for_labels : bool, default=False
        Whether the weights of the language for labels are used.
    when_abstaining : mapping, default={}
        Fields that have other values where clusters may be left out.
    certificate : type
        Class of certificates, with the same ``kind``. By default, a subclass of
        :class:`~sklearn_pacmdl.certificates.BoundCertificate`, made for the strategy.

    See Also
    --------
    Learned, HoldOut, Decoupled, PacMdl : Those that come with the package.

    Examples
    --------
    Every cluster is given the most common class of the selecting rows, so there is
    nothing to choose and the weight is 1:

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
    >>> labelings = OneClass().labelings(counts, np.array([True]), None, None)
    >>> [(classes.tolist(), terms) for classes, terms in labelings]
    [([0], {})]
    """

    chooses_first: ClassVar[bool] = False
    knows_classes: ClassVar[bool] = True
    pays_for_labels: ClassVar[bool] = False
    when_abstaining: ClassVar[Mapping[str, Any]] = {}
    certificate: ClassVar[type[BoundCertificate]]

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        own = cls.__dict__
        if isinstance(own.get("kind"), str) and "certificate" not in own:
            cls.certificate = _own_certificate(cls, own["kind"])

    @property
    @abstractmethod
    def kind(self) -> str:
        """Name of the strategy, and the kind of its certificates."""

    @property
    @abstractmethod
    def fraction(self) -> float:
        """Share of the labeled rows that select, in [0, 1); the others certify."""

    @abstractmethod
    def labelings(
        self,
        counts: ClusterCounts,
        accepted: NDArray[np.bool_],
        language: Language,
        rng: np.random.RandomState,
    ) -> Iterator[tuple[np.ndarray, Mapping[str, Fraction]]]:
        """Generate labelings of the accepted clusters, with the terms of their weights.

        Parameters
        ----------
        counts : ClusterCounts
            Counts of one clustering on one split.
        accepted : ndarray of shape (n_clusters,) of bool
            Clusters that are to be given a class.
        language : Language
            What weighs the labels of this clustering, for strategies whose labels cost
            bits.
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

    def option(
        self, counts: ClusterCounts, classes: np.ndarray, terms: Mapping[str, Fraction]
    ) -> Option:
        """Count the rows and errors of a labeling.

        Parameters
        ----------
        counts : ClusterCounts
            As in :meth:`labelings`.
        classes : ndarray of shape (n_clusters,) of int
            Class codes; -1 for clusters that are left out.
        terms : mapping of str to Fraction
            Those of :meth:`labelings`, and "subset" where clusters may be left out.

        Returns
        -------
        option : Option
            By default without the counts of single clusters.
        """
        return Option.of(counts, classes, terms)

    def bounds(
        self, offers: Sequence[Offers], delta: float, required: Sequence[int] = ()
    ) -> Sequence[NDArray[np.number]]:
        """Bound the errors of options; by default, by the PAC-MDL bound.

        Parameters
        ----------
        offers : sequence of Offers
            Of all candidates, by split.
        delta : float
            Probability, in (0, 1), with which the bounds of a split may fail all at once.
        required : sequence of int, default=()
            Candidates whose options must have a bound.

        Returns
        -------
        bounds : sequence of ndarray of shape (n_options,)
            By split, numbers of rows; NaN for options without a bound.
        """
        return [pac_mdl_bounds(each.options, each.weights, delta) for each in offers]

    def candidate_weights(
        self, weights: Sequence[Mapping[str, Fraction]], selection_errors: np.ndarray
    ) -> Sequence[Mapping[str, Fraction]]:
        """Return the weights of the candidates by term; by default, the language's.

        Parameters
        ----------
        weights : sequence of mapping of str to Fraction
            Weights that the language gives.
        selection_errors : ndarray of shape (n_candidates,)
            Errors to expect by the selecting rows; NaN for candidates that failed.

        Returns
        -------
        terms : sequence of mapping of str to Fraction
            The weights, whose products sum to at most 1 over all candidates.
        """
        return weights

    def weight(
        self, option: Option, candidate: Mapping[str, Fraction], *, preferred: bool
    ) -> Mapping[str, Fraction]:
        """Return all factors of the weight of an option of one candidate.

        Parameters
        ----------
        option : Option
            One of those that the candidate offers.
        candidate : mapping of str to Fraction
            Weight of the candidate, as of :meth:`candidate_weights`.
        preferred : bool
            Whether the candidate is the one that selecting rows alone would choose.

        Returns
        -------
        terms : mapping of str to Fraction
            By default, those of the candidate and of the option. The products sum to at
            most 1 over all options that all candidates could have.
        """
        return joined(candidate, option.terms)


def _own_certificate(strategy: type[Strategy], kind: str) -> type[BoundCertificate]:
    """A class of certificates, to be found where its strategy is."""
    # Without a default, each instance has its own.
    fraction = strategy.__dict__.get("fraction", strategy.fraction)
    selects = not is_number(fraction) or fraction > 0
    attributes = {
        "__doc__": f"Certificate of kind {kind!r}.",
        "__module__": strategy.__module__,
        "__qualname__": f"{strategy.__qualname__}.certificate",
        "selects": selects,
        "also_random": "of their division" if selects else "",
    }
    return new_class(
        f"{strategy.__name__}Certificate",
        (BoundCertificate,),
        {"kind": kind},
        lambda namespace: namespace.update(attributes),
    )


def pac_mdl_bounds(
    options: Sequence[Option], weights: Sequence[Mapping[str, Fraction]], delta: float
) -> NDArray[np.integer]:
    """PAC-MDL bounds of options, which hold all at once."""
    counts = [(o.n_train, o.n_test, o.train_errors) for o in options]
    lengths = [length_in_bits(total_weight(terms)) for terms in weights]
    return pac_mdl_bound(
        *np.array(counts, dtype=np.int64).reshape(-1, 3).T,
        description_length=np.array(lengths, dtype=float),
        delta=delta,
    )
