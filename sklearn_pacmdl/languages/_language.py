"""What a description language is, and Kraft's inequality for its candidate weights.

A weight is a :class:`fractions.Fraction`, so that a certificate can be verified in exact
arithmetic; its length in bits is minus its base-2 logarithm.
"""

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from ..utils._checks import check_integer, invalid
from ..utils._weights import total_weight

#: Weights of one candidate, by term.
Terms = dict[str, Fraction]

#: What an ordinary sweep ranges over, in the order in which results list the bits.
SWEPT_TERMS = ("init", "n_clusters", "algorithm", "grid")
#: Terms that do not describe the candidate.
RESERVED_TERMS = frozenset({"label", "subset", "named", "candidate"})


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

    Examples
    --------
    >>> from sklearn_pacmdl.languages import Candidate
    >>> Candidate("k-means", n_clusters=3).init
    0
    """

    algorithm: str
    n_clusters: int | None = None
    init: int = 0
    grid: int = 0
    params: Mapping[str, Any] = field(default_factory=dict, compare=False)


class Language(ABC):
    """Base class of all description languages.

    Before any label is seen, a language gives a weight to each candidate of a sweep
    (:meth:`candidate_weights`), and a part of it to each labeling of the candidate's
    clusters (:meth:`label_weight`). The weight of a labeling is the product of the two.

    The bound built on it holds under two conditions. The weights of all labelings of all
    candidates must sum to at most 1. No weight may depend on the labels of the data, or
    on the choice of the labeled rows. A search checks the sum over its candidates. The
    sum over the labelings of one clustering is up to the language, and certificates say
    that it is assumed if a language defines ``label_weight`` itself.

    A new language inherits from this class, or from :class:`UniformLabelLanguage`, and
    an instance of it is passed as ``language=``.

    Examples
    --------
    A language that halves the weight with every further cluster, for a sweep over
    ``n_clusters`` alone:

    >>> from fractions import Fraction
    >>> from sklearn_pacmdl.languages import Candidate, Language
    >>> sweep = [Candidate("ward", c) for c in (2, 3)]
    >>> class Halving(Language):
    ...     def candidate_weights(self, candidates):
    ...         numbers = [c.n_clusters for c in candidates]
    ...         if len(set(numbers)) < len(numbers):
    ...             raise ValueError("Halving describes sweeps over n_clusters alone.")
    ...         return [{"n_clusters": Fraction(1, 2**c)} for c in numbers]
    ...
    ...     def label_weight(self, cluster_sizes, cluster_classes, n_classes):
    ...         return Fraction(1, n_classes ** len(cluster_sizes))
    >>> [float(w["n_clusters"]) for w in Halving().candidate_weights(sweep)]
    [0.25, 0.125]
    """

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
            "named" and "candidate". Results list its bits in a column
            ``<term>_bits``, and certificates list its weight.

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

    def __repr__(self) -> str:
        # Certificates name the language by this text, which must not hold an address.
        named = {k: getattr(v, "__qualname__", repr(v)) for k, v in vars(self).items()}
        values = ", ".join(f"{name}={value}" for name, value in named.items())
        return f"{type(self).__name__}({values})"


def uniform_label_weight(n_clusters: int, n_classes: int) -> Fraction:
    """Weight of any labeling of c clusters if all weigh the same: n_classes ** -c."""
    n_clusters = check_integer("n_clusters", n_clusters, 0)
    return Fraction(1, check_integer("n_classes", n_classes, 1) ** n_clusters)


class UniformLabelLanguage(Language):
    """Base class of languages in which all labelings of a clustering weigh the same.

    A subclass defines ``candidate_weights`` only. The labels of c clusters, with l
    classes, then cost c log2(l) bits.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from sklearn_pacmdl.languages import UniformLabelLanguage
    >>> class Even(UniformLabelLanguage):
    ...     def candidate_weights(self, candidates):
    ...         return [{"even": Fraction(1, len(candidates))} for _ in candidates]
    >>> Even().label_weight([30, 20], [0, 1], 3)
    Fraction(1, 9)
    """

    def label_weight(
        self, cluster_sizes: Sequence[int], cluster_classes: Sequence[int], n_classes: int
    ) -> Fraction:
        return uniform_label_weight(len(cluster_sizes), n_classes)


def check_kraft(weights: Sequence[Mapping[str, Fraction]]) -> Fraction:
    """Sum the weights of the candidates of a sweep, and refuse a sum above 1.

    By Kraft's inequality there is no such code. Refused, too, are weights that are no
    ratios in (0, 1], and terms that are no texts or have another meaning.
    """
    if not isinstance(weights, Sequence):
        raise invalid("weights", "a list of dicts", weights)
    for terms in weights:
        if not isinstance(terms, Mapping):
            element = "Every element of the weights that candidate_weights returns"
            raise invalid(element, "a dict", terms)
        for term, weight in terms.items():
            if not isinstance(term, str) or not term or term in RESERVED_TERMS:
                allowed = f"a non-empty text and none of {sorted(RESERVED_TERMS)}"
                raise invalid("Every term of candidate_weights", allowed, term)
            exact = isinstance(weight, Fraction | int) and not isinstance(weight, bool)
            if not exact or not 0 < weight <= 1:
                raise invalid(f"The weight of {term!r}", "a Fraction in (0, 1]", weight)
    total = sum((total_weight(terms) for terms in weights), Fraction())
    if total > 1:
        raise ValueError(
            f"The weights of the {len(weights)} candidates sum to "
            f"{float(total):.12g}; by Kraft's inequality they must sum to at most 1."
        )
    return total


def swept_values(candidates: Sequence[Candidate]) -> dict[tuple[str, str], set]:
    """Values that each term takes among the candidates of each algorithm, by both."""
    algorithms = {c.algorithm for c in candidates}
    values: dict[tuple[str, str], set] = defaultdict(set)
    for c in candidates:
        for term in SWEPT_TERMS:
            values[c.algorithm, term].add(getattr(c, term))
    return values | {(name, "algorithm"): algorithms for name in algorithms}
