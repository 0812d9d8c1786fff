"""The four languages of Banerjee and Langford."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..utils._checks import check_integer, invalid
from ..utils._weights import length_in_bits
from ._language import (
    SWEPT_TERMS,
    Candidate,
    Language,
    Terms,
    UniformLabelLanguage,
    swept_values,
    uniform_label_weight,
)

# Clusters that a length is computed for: exact weights of more take seconds.
_MOST = 1_000_000


@dataclass(frozen=True)
class PaperLanguage(UniformLabelLanguage):
    """One of the languages Simple, Init, Cluster and Algo of Banerjee and Langford.

    There are four by name, which ``language=`` takes [1]_. All of them, "simple" too,
    spend ``c log2(l)`` bits on the labels of the c clusters *found*. In addition,

    - "init" spends log2(r) bits on the random start,
    - "cluster" also spends log2(c (c - 1)) bits on the number of clusters *requested*
      (none for a clusterer without such a number), and log2 of the size of the parameter
      grid,
    - "algo" also spends log2(s) bits on the algorithm.

    Each algorithm has its own number of starts and its own grid. A language refuses a
    sweep over something that it does not describe.

    Parameters
    ----------
    name : str
        Name by which the language can be selected.
    terms : tuple of str
        What the language describes besides the labels.

    Raises
    ------
    ValueError, TypeError
        If ``name`` is not text, or ``terms`` holds anything but "init", "n_clusters",
        "algorithm" and "grid".

    References
    ----------
    .. [1] A. Banerjee and J. Langford, "An Objective Evaluation Criterion for
           Clustering", KDD 2004, Eqs. 1-4.

    Examples
    --------
    >>> from sklearn_pacmdl.languages import PaperLanguage
    >>> algo = PaperLanguage("algo", ("init", "n_clusters", "algorithm", "grid"))
    >>> print(f"{algo(3, 3, n_init=10, n_algorithms=6):.3f}")
    13.247
    """

    name: str
    terms: tuple[str, ...]

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise invalid("name", "text", self.name)
        if not isinstance(self.terms, tuple) or set(self.terms) - set(SWEPT_TERMS):
            raise invalid("terms", f"a tuple of terms among {SWEPT_TERMS}", self.terms)

    def __call__(
        self,
        n_clusters: int,
        n_classes: int,
        *,
        n_init: int = 1,
        n_algorithms: int = 1,
        n_grid: int = 1,
        asked: int | None = None,
    ) -> float:
        """Description length of one labeling of one clustering.

        Parameters
        ----------
        n_clusters : int
            Number of clusters found.
        n_classes : int
            Number of classes.
        n_init, n_algorithms, n_grid : int, default=1
            Numbers of random starts, algorithms and points of the parameter grid.
        asked : int, default=None
            Number of clusters requested; by default the number found.

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
        check_integer("n_clusters", n_clusters, 1, _MOST)
        name = "n_clusters" if asked is None else "asked"
        asked = check_integer(name, n_clusters if asked is None else asked, 1)
        choices = {
            "init": check_integer("n_init", n_init, 1),
            "algorithm": check_integer("n_algorithms", n_algorithms, 1),
            "grid": check_integer("n_grid", n_grid, 1),
        }
        weight = uniform_label_weight(n_clusters, n_classes)
        for term in self.terms:
            described = term == "n_clusters"
            weight *= (
                number_weight(asked, name) if described else Fraction(1, choices[term])
            )
        return length_in_bits(weight)

    def candidate_weights(self, candidates: Sequence[Candidate]) -> list[Terms]:
        values = swept_values(candidates)
        for term in SWEPT_TERMS:
            n_choices = max(len(values[c.algorithm, term]) for c in candidates)
            if term not in self.terms and n_choices > 1:
                other = next(lang.name for lang in PAPER_LANGUAGES if term in lang.terms)
                raise ValueError(
                    f"language={self.name!r} does not describe a choice among "
                    f"{n_choices} values of {term!r}; one that does is {other!r}."
                )
        return [self._weights(c, values) for c in candidates]

    def selection_bits(self, candidates: Sequence[Candidate]) -> NDArray[np.float64]:
        """Bits of the candidates without label bits, even for a sweep that is refused.

        Parameters
        ----------
        candidates : sequence of Candidate
            All candidates of the sweep.

        Returns
        -------
        bits : ndarray of shape (n_candidates,)
            NaN where the language cannot describe the number of clusters.
        """
        values = swept_values(candidates)
        bits = np.full(len(candidates), np.nan)
        for i, candidate in enumerate(candidates):
            if "n_clusters" not in self.terms or candidate.n_clusters != 1:
                weights = self._weights(candidate, values)
                bits[i] = sum(map(length_in_bits, weights.values()))
        return bits

    def _weights(self, candidate, values):
        return {
            term: number_weight(candidate.n_clusters)
            if term == "n_clusters"
            else Fraction(1, len(values[candidate.algorithm, term]))
            for term in self.terms
        }


def number_weight(n_clusters: int | None, name: str = "n_clusters") -> Fraction:
    """1 / (c (c - 1)), which sums to 1 over all c from 2; 1 if no number is requested."""
    if n_clusters is None:
        return Fraction(1)
    if n_clusters < 2:
        allowed = (
            "at least 2 in a language that describes it ('simple' and 'init' do not)"
        )
        raise invalid(name, allowed, n_clusters)
    return Fraction(1, n_clusters * (n_clusters - 1))


#: From the shortest description to the longest.
PAPER_LANGUAGES = (
    PaperLanguage("simple", ()),
    PaperLanguage("init", ("init",)),
    PaperLanguage("cluster", ("init", "n_clusters", "grid")),
    PaperLanguage("algo", ("init", "n_clusters", "algorithm", "grid")),
)

LanguageName = Literal["simple", "init", "cluster", "algo"]


def get_language(language: LanguageName | Language) -> Language:
    """Look up a language by its name; a language itself is returned as it is."""
    by_name = {each.name: each for each in PAPER_LANGUAGES}
    if isinstance(language, Language):
        return language
    if isinstance(language, str) and language in by_name:
        return by_name[language]
    inherits = "an instance of a class that inherits from"
    allowed = f"one of {sorted(by_name)} or {inherits} sklearn_pacmdl.languages.Language"
    raise invalid("language", allowed, language)
