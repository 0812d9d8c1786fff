"""Languages made of languages."""

from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import Any

from ..utils._checks import is_number, shown
from ._labels import balanced_label_weight
from ._selection import (
    as_weight,
    get_fixed_language,
    get_language,
    label_languages,
)


class WithBase:
    """A language that weighs candidates like its ``base``."""

    base: Any

    @property
    def pooled(self):
        """Whether equal labelings share their weights: if they do in the base."""
        return getattr(get_language(self.base), "pooled", True)

    def candidate_weights(self, candidates):
        """Those of the base language.

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
            If the base language does not pay for the sweep.
        """
        return get_language(self.base).candidate_weights(candidates)


@dataclass(frozen=True)
class BalancedLabels(WithBase):
    """Any language, but with labels that share rows evenly among classes preferred.

    The weight of a labeling of a clustering is :func:`balanced_label_weight`: several
    bits shorter than the uniform one where classes are of similar sizes and clusters
    many, and longer without limit where they are not. A :class:`Mixture` with the base
    language costs one bit at most. Sizes of clusters do not depend on labels, so it may
    be used on any data.

    Parameters
    ----------
    base : str or Language, default="auto"
        What weighs the candidates.
    balance : float, default=2.0
        How strongly even shares are preferred, above 0.

    Raises
    ------
    ValueError, TypeError
        If ``base`` is no language, or ``balance`` no positive number.

    Examples
    --------
    >>> from sklearn_pacmdl.languages import BalancedLabels, Mixture
    >>> from sklearn_pacmdl.utils._weights import length_in_bits
    >>> balanced = BalancedLabels("simple")
    >>> sizes, classes = [30, 30, 20, 20], [0, 1, 2, 3]
    >>> for language in (balanced, Mixture(["simple", balanced])):
    ...     print(f"{length_in_bits(language.label_weight(sizes, classes, 4)):.2f} bits")
    5.22 bits
    6.03 bits
    """

    base: Any = "auto"
    balance: float = 2.0

    def __post_init__(self):
        get_fixed_language(self.base)
        if not is_number(self.balance) or self.balance <= 0:
            raise ValueError(
                f"balance must be a number above 0, got {shown(self.balance)}."
            )

    def label_weight(self, cluster_sizes, cluster_classes, n_classes):
        """Weight of one labeling of the clusters of a candidate.

        Parameters
        ----------
        cluster_sizes, cluster_classes : sequence of int
            Rows in each cluster, and the class given to it.
        n_classes : int
            Number of classes.

        Returns
        -------
        weight : Fraction
            As of :func:`balanced_label_weight`.
        """
        return balanced_label_weight(
            cluster_sizes, cluster_classes, n_classes, balance=self.balance
        )


@dataclass(frozen=True)
class Mixture:
    """Several languages at once, each with a share of the weight.

    The weight of a labeling is the mean of the languages' weights, so it costs at most
    log2(1 / share) bits more than under any of them: with two halves, one bit more than
    under the better, which need not be known beforehand.

    Parameters
    ----------
    languages : sequence of str or Language
        Each must pay for the sweep.
    shares : sequence of float or Fraction, default=None
        Positive numbers that sum to at most 1, equal by default.

    Raises
    ------
    ValueError, TypeError
        If there is no language, one of them is none, or the shares are not such.

    Examples
    --------
    Few clusters, or any number alike:

    >>> from sklearn_pacmdl.languages import Candidate, Mixture, Prior
    >>> few_or_any = Mixture(["algo", Prior(n_clusters="uniform")])
    >>> sweep = [Candidate("ward", c) for c in (2, 3, 4, 5)]
    >>> [terms["mixture"] for terms in few_or_any.candidate_weights(sweep)]
    [Fraction(3, 8), Fraction(5, 24), Fraction(1, 6), Fraction(3, 20)]
    """

    languages: Any
    shares: Any = None

    def __post_init__(self):
        if isinstance(self.languages, str) or not len(self.languages):
            raise ValueError(
                "languages must be one or more languages in a list, got "
                f"{self.languages!r}."
            )
        shares = [share for share, _ in self._parts()]
        few_or_many = self.shares is not None and len(self.shares) != len(self.languages)
        if few_or_many or min(shares) <= 0 or sum(shares) > 1:
            raise ValueError(
                f"shares must be {len(self.languages)} positive numbers, one for each "
                f"language, that sum to at most 1, got {shown(self.shares)}."
            )

    @property
    def pooled(self):
        """Whether equal labelings share their weights: if they do in every part."""
        return all(getattr(language, "pooled", True) for _, language in self._parts())

    def _parts(self):
        languages = [get_fixed_language(language) for language in self.languages]
        if self.shares is None:
            shares = [Fraction(1, len(languages))] * len(languages)
        else:
            shares = [as_weight(share, "Each of shares") for share in self.shares]
        return list(zip(shares, languages, strict=False))

    def candidate_weights(self, candidates):
        """Weights of each candidate of a whole sweep, by term.

        Parameters
        ----------
        candidates : sequence of Candidate
            All of the sweep.

        Returns
        -------
        weights : list of dict of str to Fraction
            One dict per candidate. Where the languages weigh candidates alike, their
            terms; else one term, "mixture", the mean of their weights.

        Raises
        ------
        ValueError
            If one of the languages does not pay for the sweep.
        """
        first, *others = (
            language.candidate_weights(candidates) for _, language in self._parts()
        )
        if all(weights == first for weights in others) and self._complete():
            return first
        return [{"mixture": sum(parts)} for parts in self._weighted(candidates)]

    def _complete(self):
        return sum(share for share, _ in self._parts()) == 1

    def _weighted(self, candidates):
        """Of every candidate, the share of each language times its weight there."""
        columns = [
            [
                share * prod(terms.values())
                for terms in language.candidate_weights(candidates)
            ]
            for share, language in self._parts()
        ]
        return list(zip(*columns, strict=True))

    def label_languages(self, candidates):
        """The mixture that weighs the labels of each candidate.

        Its shares are those that the languages have in the weight of the candidate.

        Parameters
        ----------
        candidates : sequence of Candidate
            All of the sweep.

        Returns
        -------
        languages : list of Mixture
            One for each candidate.
        """
        inner = zip(
            *(label_languages(language, candidates) for _, language in self._parts()),
            strict=True,
        )
        return [
            Mixture(languages, [part / sum(parts) for part in parts])
            for languages, parts in zip(inner, self._weighted(candidates), strict=True)
        ]

    def label_weight(self, cluster_sizes, cluster_classes, n_classes):
        """Mean of the weights of one labeling, for languages that weigh candidates alike.

        Parameters
        ----------
        cluster_sizes, cluster_classes : sequence of int
            Rows in each cluster, and the class given to it.
        n_classes : int
            Number of classes.

        Returns
        -------
        weight : Fraction
            At least each language's weight times its share.
        """
        return sum(
            share * language.label_weight(cluster_sizes, cluster_classes, n_classes)
            for share, language in self._parts()
        )
