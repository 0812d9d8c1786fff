"""Which candidate: weights of the clusterings of a sweep, fixed before any label.

A weight is a :class:`fractions.Fraction`, so that a certificate can be checked in exact
arithmetic; its length in bits is minus its base-2 logarithm.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Protocol, runtime_checkable

import numpy as np

from ..utils._checks import shown
from ..utils._weights import length_in_bits
from ._labels import balanced_label_weight, check_count, uniform_label_weight

#: What a description may have to say, in the order in which bits are listed.
TERMS = (
    "label",
    "init",
    "n_clusters",
    "algorithm",
    "grid",
    "mixture",
    "index",
    "candidate",
    "subset",
    "pooling",
)
# Those that weigh candidates before any label is seen.
_CANDIDATE_TERMS = TERMS[1:7]

# Weights given as floats may add up to this much above 1 by rounding alone.
_ROUNDING = Fraction(1, 10**9)


@dataclass(frozen=True)
class Candidate:
    """One clustering of a sweep, as a language sees it: no labels, no rows.

    Parameters
    ----------
    algorithm : str
        Name of the clusterer.
    n_clusters : int or None
        Number of clusters asked for; None where the clusterer has no such parameter.
    init : int
        Index of the random start; 0 for a deterministic clusterer.
    grid : int
        Index of the point of the clusterer's parameter grid.
    params : mapping
        That point.
    """

    algorithm: str
    n_clusters: int | None = None
    init: int = 0
    grid: int = 0
    params: Mapping[str, Any] = field(default_factory=dict, compare=False)


@runtime_checkable
class Language(Protocol):
    """The two methods that make an object a description language.

    The weight of a labeling is the product of the candidate's weights and the label
    weight. The bound built on it holds if the weights of all labelings that all
    candidates can express sum to at most 1, and if no weight depends on the labels of
    the data or on which rows are labeled. The search checks the sum over candidates;
    that the label weights of one clustering sum to at most 1 is up to the language, and
    :func:`check_language` tries it on small cases.

    Where several candidates give the same labeling, its weight is the sum of theirs,
    which the search adds up; an attribute ``pooled`` that is False keeps it from that.
    A language whose label weights differ between candidates has a third method,
    ``label_languages(candidates)``, see :class:`Mixture`; one whose candidate weights
    depend on the clusterings has ``index(X, labels)`` and ``reweigh(weights, values)``,
    see :class:`IndexPrior`.

    Examples
    --------
    A language that doubles the weight of fewer clusters, for a sweep over
    ``n_clusters`` alone:

    >>> from fractions import Fraction
    >>> from sklearn_pacmdl.languages import Language, check_language
    >>> class Halving:
    ...     def candidate_weights(self, candidates):
    ...         numbers = [c.n_clusters for c in candidates]
    ...         if len(set(numbers)) < len(numbers):
    ...             raise ValueError("Halving pays for a sweep over n_clusters alone.")
    ...         return [{"n_clusters": Fraction(1, 2**c)} for c in numbers]
    ...
    ...     def label_weight(self, cluster_sizes, cluster_classes, n_classes):
    ...         return Fraction(1, n_classes ** len(cluster_sizes))
    >>> isinstance(Halving(), Language)
    True
    >>> check_language(Halving())
    """

    def candidate_weights(
        self, candidates: Sequence[Candidate]
    ) -> list[dict[str, Fraction]]:
        """Weights of each candidate of the whole sweep, by term.

        Parameters
        ----------
        candidates : sequence of Candidate
            All of the sweep.

        Returns
        -------
        weights : list of dict of str to Fraction
            One dict per candidate, with terms among "init", "n_clusters", "algorithm"
            and "grid"; the candidate's weight is the product.

        Raises
        ------
        ValueError
            For a sweep that the language does not pay for.
        """

    def label_weight(
        self, cluster_sizes: Sequence[int], cluster_classes: Sequence[int], n_classes: int
    ) -> Fraction:
        """Weight of giving ``cluster_classes[j]`` to cluster j, for every j.

        Parameters
        ----------
        cluster_sizes : sequence of int
            Rows of each cluster, labeled or not.
        cluster_classes : sequence of int
            Index of the class given to each cluster.
        n_classes : int
            Number of classes.

        Returns
        -------
        weight : Fraction
            In (0, 1]; over all classes that the clusters may be given, the weights sum
            to at most 1.
        """


def check_kraft(weights: Sequence[Mapping[str, Fraction]]) -> Fraction:
    """Sum of the candidates' weights, refused above 1.

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
        If the sum is above 1 (Kraft's inequality: no such code exists), which the
        message states, a weight is no ratio in (0, 1], or a term is none of
        :data:`TERMS`.

    Examples
    --------
    >>> from sklearn_pacmdl.languages import Candidate, algo, check_kraft
    >>> sweep = [Candidate("kmeans", c, i) for c in (2, 3) for i in range(10)]
    >>> check_kraft(algo.candidate_weights(sweep))
    Fraction(2, 3)
    """
    total = Fraction(0)
    for terms in weights:
        product = Fraction(1)
        if not isinstance(terms, Mapping):
            raise ValueError(
                "candidate_weights must return a list of dicts, got "
                f"{shown(terms)} in it."
            )
        for term, weight in terms.items():
            if term not in _CANDIDATE_TERMS:
                raise ValueError(
                    f"The terms of candidate_weights must be among {_CANDIDATE_TERMS}, "
                    f"got {shown(term)}."
                )
            if not isinstance(weight, Fraction | int) or not 0 < weight <= 1:
                raise ValueError(
                    f"Every weight must be a Fraction in (0, 1], got {shown(weight)} for "
                    f"{term!r}."
                )
            product *= weight
        total += product
    if total > 1:
        raise ValueError(
            f"The weights of the {len(weights)} candidates sum to "
            f"{float(total):.12g}; by Kraft's inequality they must sum to at most 1."
        )
    return total


class _Sweep:
    """What each algorithm of a sweep ranges over."""

    def __init__(self, candidates):
        self.algorithms = {c.algorithm for c in candidates}
        self._values = {
            (algorithm, term): {
                getattr(c, term) for c in candidates if c.algorithm == algorithm
            }
            for algorithm in self.algorithms
            for term in ("n_clusters", "init", "grid")
        }

    def values(self, algorithm, term):
        return self._values[algorithm, term]

    def choices(self, term):
        """Largest number of values that a description may have to tell apart."""
        if term == "algorithm":
            return len(self.algorithms)
        return max(len(self.values(algorithm, term)) for algorithm in self.algorithms)


def _paper_weight(n_clusters):
    """1 / (c (c - 1)): over c = 2, 3, ... these sum to 1."""
    if n_clusters is None:
        return Fraction(1)
    if n_clusters < 2:
        raise ValueError(
            "n_clusters must be at least 2 in a language that describes it, "
            f"got {n_clusters}; language='simple' and 'init' allow 1."
        )
    return Fraction(1, n_clusters * (n_clusters - 1))


class _UniformLabels(ABC):
    """Every class of every cluster is as likely: c log2(l) bits for c clusters found."""

    def candidate_weights(self, candidates):
        """Weights of each candidate of a whole sweep, by term.

        Parameters
        ----------
        candidates : sequence of Candidate
            All of the sweep.

        Returns
        -------
        weights : list of dict of str to Fraction
            One dict per candidate; its weight is the product.

        Raises
        ------
        ValueError
            If the sweep is over something that the language does not pay for.
        """
        return self._weigh(candidates)

    @abstractmethod
    def _weigh(self, candidates): ...

    def label_weight(self, cluster_sizes, cluster_classes, n_classes):
        """Weight of one labeling of the clusters of a candidate.

        Parameters
        ----------
        cluster_sizes, cluster_classes : sequence of int
            Rows in each cluster, and the class given to it.
        n_classes : int
            Number of classes, l.

        Returns
        -------
        weight : Fraction
            ``l ** -c`` for c clusters, whichever the classes.
        """
        return uniform_label_weight(len(cluster_sizes), n_classes)


@dataclass(frozen=True)
class PaperLanguage(_UniformLabels):
    """One of the languages Simple, Init, Cluster and Algo of [1]_.

    ``simple``, ``init``, ``cluster`` and ``algo`` are its four instances. All spend
    ``c log2(l)`` bits on the labels of the c clusters *found*. On top of that,

    - ``init`` spends log2(r) on the random start,
    - ``cluster`` also log2(c (c - 1)) on the number of clusters *asked for* (nothing
      for a clusterer that takes no such number), and log2 of the size of the parameter
      grid,
    - ``algo`` also log2(s) on the algorithm.

    Numbers of starts and grid sizes are each algorithm's own. A language refuses a
    sweep over something that it does not describe.

    Parameters
    ----------
    name : str
        Name under which it can be asked for.
    terms : tuple of str
        What it describes besides the labels.

    References
    ----------
    .. [1] A. Banerjee and J. Langford, "An Objective Evaluation Criterion for
           Clustering", KDD 2004, Eqs. 1-4.

    Examples
    --------
    Bits for 3 clusters and 3 classes, 10 starts, 6 algorithms:

    >>> from sklearn_pacmdl.languages import algo, cluster, init, simple
    >>> for language in (simple, init, cluster, algo):
    ...     print(f"{language(3, 3, n_init=10, n_algorithms=6):.3f}")
    4.755
    8.077
    10.662
    13.247
    """

    name: str
    terms: tuple[str, ...]
    pooled = False  # as in the paper: each candidate pays for itself

    def __call__(
        self, n_clusters, n_classes, *, n_init=1, n_algorithms=1, n_grid=1, asked=None
    ):
        """Description length in bits of one labeling of one clustering.

        Parameters
        ----------
        n_clusters : int
            Clusters found.
        n_classes : int
            Classes.
        n_init, n_algorithms, n_grid : int, default=1
            Random starts, algorithms, points of the parameter grid.
        asked : int, default=None
            Clusters asked for; as many as found by default.

        Returns
        -------
        description_length : float
            In bits; lower is better.

        Raises
        ------
        ValueError
            If a number is not an integer of at least 1, or the language describes the
            number of clusters and ``asked`` is 1.
        """
        check_count("n_clusters", n_clusters, 1)
        asked = check_count("asked", n_clusters if asked is None else asked, 1)
        choices = {
            "init": check_count("n_init", n_init, 1),
            "algorithm": check_count("n_algorithms", n_algorithms, 1),
            "grid": check_count("n_grid", n_grid, 1),
        }
        weight = uniform_label_weight(n_clusters, n_classes)
        for term in self.terms:
            weight *= (
                _paper_weight(asked)
                if term == "n_clusters"
                else Fraction(1, choices[term])
            )
        return length_in_bits(weight)

    def _weigh(self, candidates):
        sweep = _Sweep(candidates)
        for term in TERMS[1:5]:
            choices = sweep.choices(term)
            if term not in self.terms and choices > 1:
                raise ValueError(
                    f"language={self.name!r} does not pay for a choice among {choices} "
                    f"values of {term!r}; one that does is "
                    f"{_cheapest_paying(term)!r}, and 'auto' pays for any sweep."
                )
        return [self._weights(c, sweep) for c in candidates]

    def selection_bits(self, candidates):
        """Bits of each candidate, label bits left out, whether or not the sweep is paid.

        Parameters
        ----------
        candidates : sequence of Candidate
            A whole sweep.

        Returns
        -------
        bits : ndarray of shape (n_candidates,)
            NaN where the language cannot describe the number of clusters.
        """
        sweep = _Sweep(candidates)
        describable = [
            "n_clusters" not in self.terms or c.n_clusters is None or c.n_clusters > 1
            for c in candidates
        ]
        return np.array(
            [
                sum(map(length_in_bits, self._weights(c, sweep).values()))
                if described
                else np.nan
                for c, described in zip(candidates, describable, strict=True)
            ],
            dtype=float,
        )

    def _weights(self, candidate, sweep):
        return {
            term: _paper_weight(candidate.n_clusters)
            if term == "n_clusters"
            else _uniform_weight(candidate, term, sweep)
            for term in self.terms
        }


def _uniform_weight(candidate, term, sweep):
    if term == "algorithm":
        return Fraction(1, len(sweep.algorithms))
    return Fraction(1, len(sweep.values(candidate.algorithm, term)))


simple = PaperLanguage("simple", ())
init = PaperLanguage("init", ("init",))
cluster = PaperLanguage("cluster", ("init", "n_clusters", "grid"))
algo = PaperLanguage("algo", ("init", "n_clusters", "algorithm", "grid"))
PAPER_LANGUAGES = (simple, init, cluster, algo)


def _cheapest_paying(term):
    return next(lang.name for lang in PAPER_LANGUAGES if term in lang.terms)


@dataclass(frozen=True)
class AutoLanguage(_UniformLabels):
    """The paper's language Algo, renormalized on the sweep, with balance in the labels.

    The weight 1 / (c (c - 1)) of the number of clusters is divided by its sum over the
    numbers that the algorithm was asked for: a single number costs nothing. Where one
    cluster is among the numbers, the weight is 1 / (c (c + 1)). The weight of labels is
    the mean of :func:`uniform_label_weight` and :func:`balanced_label_weight`. No
    labeling costs more than one bit more than under Algo; where classes are of similar
    sizes, or several candidates agree, it costs several bits less.

    Examples
    --------
    >>> from sklearn_pacmdl.languages import Candidate, auto
    >>> sweep = [Candidate("ward", c) for c in (2, 3)]
    >>> [weights["n_clusters"] for weights in auto.candidate_weights(sweep)]
    [Fraction(3, 4), Fraction(1, 4)]
    """

    def _weigh(self, candidates):
        sweep = _Sweep(candidates)
        priors = {
            algorithm: _renormalized(sweep.values(algorithm, "n_clusters"))
            for algorithm in sweep.algorithms
        }
        return [
            {
                "init": _uniform_weight(c, "init", sweep),
                "n_clusters": priors[c.algorithm][c.n_clusters],
                "algorithm": _uniform_weight(c, "algorithm", sweep),
                "grid": _uniform_weight(c, "grid", sweep),
            }
            for c in candidates
        ]

    def label_weight(self, cluster_sizes, cluster_classes, n_classes):
        """Weight of one labeling of the clusters of a candidate.

        Parameters
        ----------
        cluster_sizes, cluster_classes : sequence of int
            Rows in each cluster, and the class given to it.
        n_classes : int
            Number of classes, l.

        Returns
        -------
        weight : Fraction
            At least half of ``l ** -c`` for c clusters.
        """
        uniform = super().label_weight(cluster_sizes, cluster_classes, n_classes)
        return (
            uniform + balanced_label_weight(cluster_sizes, cluster_classes, n_classes)
        ) / 2


def _renormalized(numbers):
    """The paper's weights of the numbers of clusters, divided by their sum."""
    shift = 1 if 1 in numbers else 0
    weights = {c: _paper_weight(c if c is None else c + shift) for c in numbers}
    total = sum(weights.values())
    return {c: weight / total for c, weight in weights.items()}


auto = AutoLanguage()

# Weights of the numbers of clusters of a sweep, by name.
_NUMBER_PRIORS = {
    "paper": lambda numbers: {c: _paper_weight(c) for c in numbers},
    "renormalized": _renormalized,
    "uniform": lambda numbers: dict.fromkeys(numbers, Fraction(1, len(numbers))),
}


def as_weight(value, what="A weight of a Prior"):
    """The decimal that the user wrote, as an exact ratio."""
    try:
        exact = isinstance(value, Fraction | int)
        return Fraction(value if exact else repr(float(value)))
    except (TypeError, ValueError):  # no number, or infinite
        raise ValueError(f"{what} must be a number, got {shown(value)}.") from None


@dataclass(frozen=True)
class Prior(_UniformLabels):
    """Weights given by the user, term by term.

    Each parameter maps the values of its term to positive weights, by a mapping or a
    function; None leaves the term as :data:`auto` has it. They must have been chosen
    without looking at the labels.

    Parameters
    ----------
    algorithm : mapping or callable, default=None
        From the names of the clusterers.
    n_clusters : {"paper", "renormalized", "uniform"}, mapping or callable, default=None
        From the numbers of clusters asked for. Not used where there is none. "paper"
        is 1 / (c (c - 1)); "renormalized", the default, divides it by its sum over the
        numbers tried; "uniform" weighs these alike.
    init : mapping or callable, default=None
        From the indices of the random starts.
    grid : mapping or callable, default=None
        From the indices of the grid points; a function is given the point itself,
        a dict of parameters.

    Notes
    -----
    The weights of all candidates of a sweep may sum to less than 1, which wastes bits,
    but not to more: the search refuses them. An excess of at most 1e-9, as floats add
    up, is divided out.

    Examples
    --------
    >>> from sklearn_pacmdl.languages import Candidate, Prior
    >>> prior = Prior(algorithm={"ward": 0.75, "kmeans": 0.25})
    >>> sweep = [Candidate("ward", 3), Candidate("kmeans", 3)]
    >>> [weights["algorithm"] for weights in prior.candidate_weights(sweep)]
    [Fraction(3, 4), Fraction(1, 4)]
    """

    algorithm: Mapping | Callable | None = None
    n_clusters: Mapping | Callable | str | None = None
    init: Mapping | Callable | None = None
    grid: Mapping | Callable | None = None

    def __post_init__(self):
        if isinstance(self.n_clusters, str) and self.n_clusters not in _NUMBER_PRIORS:
            raise ValueError(
                f"Prior(n_clusters=...) must be one of {sorted(_NUMBER_PRIORS)}, a "
                f"mapping or a function, got {shown(self.n_clusters)}."
            )

    def _weigh(self, candidates):
        weights, sweep = auto.candidate_weights(candidates), _Sweep(candidates)
        for candidate, terms in zip(candidates, weights, strict=True):
            terms.update(self._given(candidate, sweep))
        return _without_rounding(weights)

    def _given(self, candidate, sweep):
        for term in ("algorithm", "n_clusters", "init", "grid"):
            prior, value = getattr(self, term), getattr(candidate, term)
            if prior is None or value is None:
                continue
            if isinstance(prior, str):
                numbers = sweep.values(candidate.algorithm, term)
                weight = _NUMBER_PRIORS[prior](numbers)[value]
            elif callable(prior):
                argument = dict(candidate.params) if term == "grid" else value
                weight = prior(argument)
            elif value in prior:
                weight = prior[value]
            else:
                raise ValueError(
                    f"Prior({term}=...) has no weight for {value!r}; "
                    f"it has weights for {list(prior)}."
                )
            yield term, as_weight(weight)


def _without_rounding(weights):
    total = Fraction(0)
    for terms in weights:
        product = Fraction(1)
        for weight in terms.values():
            product *= weight
        total += product
    if 1 < total <= 1 + _ROUNDING:
        for terms in weights:
            terms["algorithm"] /= total
    return weights


def get_language(language):
    """The language of this name, or the given object if it is a language.

    Parameters
    ----------
    language : str or object
        A name, or an object with the methods of :class:`Language`.

    Returns
    -------
    language : object
        It has the two methods.

    Raises
    ------
    ValueError
        If there is no language of this name.
    TypeError
        If the object lacks one of the two methods of :class:`Language`.
    """
    named = {lang.name: lang for lang in PAPER_LANGUAGES} | {"auto": auto}
    if isinstance(language, str):
        if language not in named:
            raise ValueError(
                f"language must be one of {sorted(named)} or an object with the "
                f"methods of sklearn_pacmdl.languages.Language, got {shown(language)}."
            )
        return named[language]
    if isinstance(language, type) or not isinstance(language, Language):
        raise TypeError(
            f"language must be one of {sorted(named)} or an object with the methods "
            f"'candidate_weights' and 'label_weight', got {shown(language)}."
        )
    return language


def get_fixed_language(language):
    """The same, for one that other languages are made of.

    Raises
    ------
    ValueError
        If its weights wait for the clusterings: only the search can hand it these.
    """
    language = get_language(language)
    if hasattr(language, "reweigh"):
        raise ValueError(
            "A language whose weights follow an index of the clusterings can only be the "
            f"outermost, with others as its base, got {shown(language)} inside another."
        )
    return language


def label_languages(language, candidates):
    """The object that weighs the labels of each candidate of a sweep.

    Parameters
    ----------
    language : Language
        It itself, unless it has a method of this name.
    candidates : sequence of Candidate
        All of the sweep.

    Returns
    -------
    languages : list of object
        Each has a ``label_weight``.

    Examples
    --------
    >>> from sklearn_pacmdl.languages import Candidate, algo, label_languages
    >>> label_languages(algo, [Candidate("ward", 2)])[0].label_weight([9, 1], [0, 0], 2)
    Fraction(1, 4)
    """
    if hasattr(language, "label_languages"):
        return language.label_languages(candidates)
    return [language] * len(candidates)
