"""What a description language is, and Kraft's inequality for its candidate weights.

A weight is a :class:`fractions.Fraction`, so that a certificate can be verified in exact
arithmetic; its length in bits is minus its base-2 logarithm.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, TypeVar

from numpy.typing import ArrayLike, NDArray

from ..utils._checks import invalid
from ..utils._weights import total_weight
from ._labels import uniform_label_weight

#: Weights of one candidate, by term.
Terms = dict[str, Fraction]

#: What an ordinary sweep ranges over, in the order in which results list the bits.
SWEPT_TERMS = ("init", "n_clusters", "algorithm", "grid")
#: Terms that say something else than which candidate it is.
RESERVED_TERMS = frozenset({"label", "subset", "pooling", "candidate"})


@dataclass(frozen=True)
class Candidate:
    """One clustering of a sweep, as a language sees it: without labels and rows.

    Parameters
    ----------
    algorithm : str
        Name of the clusterer.
    n_clusters : int or None
        Number of clusters requested; None if the clusterer has no such parameter.
    init : int
        Index of the random start; 0 for a deterministic clusterer.
    grid : int
        Index of the point of the clusterer's parameter grid.
    params : mapping
        The parameters at that point.
    """

    algorithm: str
    n_clusters: int | None = None
    init: int = 0
    grid: int = 0
    params: Mapping[str, Any] = field(default_factory=dict, compare=False)


class Language(ABC):
    """Base class of all description languages.

    A language answers two questions before any label is seen: which weight does each
    candidate of a sweep get (:meth:`candidate_weights`), and which part of it does each
    labeling of the candidate's clusters get (:meth:`label_weight`). The weight of a
    labeling is the product of the two.

    The bound built on it holds under two conditions. The weights of all labelings that
    all candidates can express must sum to at most 1, and no weight may depend on the
    labels of the data or on which rows are labeled. A search checks the sum over its
    candidates. The sum over the labelings of one clustering is up to the language;
    :func:`check_language` tests it on small cases.

    A new language inherits from this class, or from :class:`UniformLabelLanguage`, and
    an instance of it is passed as ``language=``.

    Attributes
    ----------
    pooled : bool
        Whether candidates that give the same labeling share their weights: a search then
        adds them up. True unless a language sets it to False.
    uses_clusterings : bool
        Whether candidate weights also depend on the clusterings, through
        :meth:`clustering_index` and :meth:`reweigh`. False unless a language sets it to
        True.

    See Also
    --------
    UniformLabelLanguage : Base class with the label weight already defined.

    Examples
    --------
    A language that halves the weight with every further cluster, for a sweep over
    ``n_clusters`` alone, and that counts each class as equally likely:

    >>> from fractions import Fraction
    >>> from sklearn_pacmdl.languages import Language, check_language
    >>> class Halving(Language):
    ...     def candidate_weights(self, candidates):
    ...         numbers = [c.n_clusters for c in candidates]
    ...         if len(set(numbers)) < len(numbers):
    ...             raise ValueError("Halving describes sweeps over n_clusters alone.")
    ...         return [{"n_clusters": Fraction(1, 2**c)} for c in numbers]
    ...
    ...     def label_weight(self, cluster_sizes, cluster_classes, n_classes):
    ...         return Fraction(1, n_classes ** len(cluster_sizes))
    >>> check_language(Halving())
    """

    pooled: bool = True
    uses_clusterings: bool = False

    @property
    def _parts(self) -> "Sequence[Language]":
        """The languages that this one is made of."""
        return ()

    @abstractmethod
    def candidate_weights(self, candidates: Sequence[Candidate]) -> list[Terms]:
        """Weights of the candidates of a whole sweep, by term.

        Parameters
        ----------
        candidates : sequence of Candidate
            All candidates of the sweep.

        Returns
        -------
        weights : list of dict of str to Fraction
            One dict per candidate; the weight of the candidate is the product of its
            values, each in (0, 1]. A term can have any name except "label", "subset",
            "pooling" and "candidate". Results list its bits in a column ``<term>_bits``,
            and certificates list its weight.

        Raises
        ------
        ValueError
            If the language does not describe what the sweep ranges over.
        """

    @abstractmethod
    def label_weight(
        self, cluster_sizes: Sequence[int], cluster_classes: Sequence[int], n_classes: int
    ) -> Fraction:
        """Weight of assigning ``cluster_classes[j]`` to cluster j, for every j.

        Parameters
        ----------
        cluster_sizes : sequence of int
            Number of rows in each cluster, labeled or not.
        cluster_classes : sequence of int
            Index of the class assigned to each cluster.
        n_classes : int
            Number of classes.

        Returns
        -------
        weight : Fraction
            In (0, 1]. Over all assignments of classes, the weights sum to at most 1.
        """

    def label_languages(self, candidates: Sequence[Candidate]) -> "list[Language]":
        """Language that weighs the labels of each candidate; this one by default.

        Parameters
        ----------
        candidates : sequence of Candidate
            All candidates of the sweep.

        Returns
        -------
        languages : list of Language
            One per candidate, whose ``label_weight`` is used.
        """
        return [self] * len(candidates)

    def clustering_index(self, X: Any, labels: NDArray) -> float:
        """Number that a clustering gets without labels; higher is better.

        It is called if ``uses_clusterings`` is True.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows in the permuted order, as the clusterer saw them.
        labels : ndarray of shape (n_samples,) of int
            Cluster of each row.

        Returns
        -------
        value : float
            Passed on to :meth:`reweigh`.

        Raises
        ------
        NotImplementedError
            If the language does not define it.
        """
        # Not abstract: most languages do not look at clusterings, and are not asked.
        raise NotImplementedError(f"{self!r} defines no index of clusterings.")

    def reweigh(self, weights: list[Terms], values: ArrayLike) -> list[Terms]:
        """Weights of the candidates after clustering; unchanged by default.

        It is called if ``uses_clusterings`` is True.

        Parameters
        ----------
        weights : list of dict of str to Fraction
            The ``candidate_weights`` of the sweep.
        values : array-like of shape (n_candidates,)
            The ``clustering_index`` of each candidate; NaN where it is unknown.

        Returns
        -------
        weights : list of dict of str to Fraction
            As of :meth:`candidate_weights`.
        """
        return weights

    def __repr__(self) -> str:
        # Certificates name the language by this text, which must not hold an address.
        named = {k: getattr(v, "__qualname__", repr(v)) for k, v in vars(self).items()}
        values = ", ".join(f"{name}={value}" for name, value in named.items())
        return f"{type(self).__name__}({values})"


class UniformLabelLanguage(Language):
    """Base class of languages in which all labelings of a clustering weigh the same.

    A subclass defines ``candidate_weights`` only. The labels of c clusters, with l
    classes, then cost c log2(l) bits.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from sklearn_pacmdl.languages import UniformLabelLanguage, check_language
    >>> class Even(UniformLabelLanguage):
    ...     def candidate_weights(self, candidates):
    ...         return [{"even": Fraction(1, len(candidates))} for _ in candidates]
    >>> check_language(Even())
    >>> Even().label_weight([30, 20], [0, 1], 3)
    Fraction(1, 9)
    """

    def label_weight(
        self, cluster_sizes: Sequence[int], cluster_classes: Sequence[int], n_classes: int
    ) -> Fraction:
        return uniform_label_weight(len(cluster_sizes), n_classes)


LanguageType = TypeVar("LanguageType", bound=type[Language])
# Exactly these types, not their subclasses: a subclass may weigh otherwise.
_PROVEN: set[type] = set()


def proven(cls: LanguageType) -> LanguageType:
    """Declare that the label weights of a class sum to at most 1 by construction.

    For a language made of others, this holds if it holds for each of them.
    """
    _PROVEN.add(cls)
    return cls


def is_proven(language: Language) -> bool:
    """Whether the weights obey Kraft's inequality without a test on small cases.

    This is never so for a subclass.
    """
    # A language made of others is if all of these are.
    return type(language) in _PROVEN and all(map(is_proven, language._parts))


def check_kraft(weights: Sequence[Mapping[str, Fraction]]) -> Fraction:
    """Sum the weights of candidates, and refuse a sum above 1.

    Parameters
    ----------
    weights : sequence of mapping of str to Fraction
        As returned by :meth:`Language.candidate_weights` for a whole sweep.

    Returns
    -------
    total : Fraction
        In (0, 1].

    Raises
    ------
    ValueError
        If the sum, which the message states, is above 1: by Kraft's inequality there is
        no such code. Also if a weight is not a ratio in (0, 1], or a term is not text or
        is one of "label", "subset", "pooling" and "candidate", which stand for other
        parts of a description.

    Examples
    --------
    >>> from sklearn_pacmdl.languages import ALGO, Candidate, check_kraft
    >>> sweep = [Candidate("kmeans", c, i) for c in (2, 3) for i in range(10)]
    >>> check_kraft(ALGO.candidate_weights(sweep))
    Fraction(2, 3)
    """
    if not isinstance(weights, Sequence):
        raise invalid("weights", "a list of dicts", weights)
    for terms in weights:
        _check_terms(terms)
    total = sum((total_weight(terms) for terms in weights), Fraction())
    if total > 1:
        raise ValueError(
            f"The weights of the {len(weights)} candidates sum to "
            f"{float(total):.12g}; by Kraft's inequality they must sum to at most 1."
        )
    return total


def _check_terms(terms: Any) -> None:
    if not isinstance(terms, Mapping):
        raise invalid(
            "Every element of the weights that candidate_weights returns", "a dict", terms
        )
    for term, weight in terms.items():
        if not isinstance(term, str) or not term or term in RESERVED_TERMS:
            raise invalid(
                "Every term of candidate_weights",
                f"a non-empty text and none of {sorted(RESERVED_TERMS)}",
                term,
            )
        exact = isinstance(weight, Fraction | int) and not isinstance(weight, bool)
        if not exact or not 0 < weight <= 1:
            raise invalid(f"The weight of {term!r}", "a Fraction in (0, 1]", weight)


class SweepRange:
    """What each algorithm of a sweep ranges over."""

    def __init__(self, candidates: Sequence[Candidate]) -> None:
        self.algorithms = {c.algorithm for c in candidates}
        self._values: dict[tuple[str, str], set] = {
            (algorithm, term): {
                getattr(c, term) for c in candidates if c.algorithm == algorithm
            }
            for algorithm in self.algorithms
            for term in ("init", "n_clusters", "grid")
        }

    def values(self, algorithm: str, term: str) -> set:
        """Values that a term other than "algorithm" takes for one algorithm."""
        return self._values[algorithm, term]

    def n_choices(self, term: str) -> int:
        """Largest number of values of a term that a description has to tell apart."""
        if term == "algorithm":
            return len(self.algorithms)
        return max(len(self.values(algorithm, term)) for algorithm in self.algorithms)

    def uniform_weight(self, candidate: Candidate, term: str) -> Fraction:
        """Weight of a candidate's value of a term if all values weigh the same."""
        if term == "algorithm":
            return Fraction(1, len(self.algorithms))
        return Fraction(1, len(self.values(candidate.algorithm, term)))
