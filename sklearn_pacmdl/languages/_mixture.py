"""Languages made of other languages."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from ..utils._checks import check_number, exact_decimal, invalid, shown
from ..utils._weights import total_weight
from ._base import Candidate, Language, Terms, proven
from ._labels import balanced_label_weight
from ._registry import LanguageName, get_language


class CompositeLanguage(Language):
    """A language made of others; it pools equal labelings if all of them do."""

    @property
    def pooled(self) -> bool:  # type: ignore[override]  # elsewhere it is a constant
        """Whether equal labelings share their weights: if they do in every part."""
        return all(part.pooled for part in self._parts)


class WrappingLanguage(CompositeLanguage):
    """A language that weighs candidates as the one in its parameter ``language`` does."""

    language: LanguageName | Language

    @property
    def _parts(self) -> Sequence[Language]:
        return (inner_language(self.language),)

    def candidate_weights(self, candidates: Sequence[Candidate]) -> list[Terms]:
        return self._parts[0].candidate_weights(candidates)


def inner_language(language: LanguageName | Language) -> Language:
    """Look up a language that another one is made of.

    Raises
    ------
    ValueError
        If its weights depend on the clusterings, which only a search can give to it.
    """
    found = get_language(language)
    if found.uses_clusterings:
        raise ValueError(
            "A language whose weights depend on the clusterings can only be the "
            f"outermost one, got {shown(found)} inside another."
        )
    return found


@proven
@dataclass(frozen=True)
class BalancedLabels(WrappingLanguage):
    """Any language, with a preference for labels that share the rows evenly.

    Clusters are described from the largest to the smallest. The weight of a class is
    proportional to ``exp(-balance * share)``, where its share is the number of rows that
    earlier clusters have given it, in units of an even share of the rows. Compared with
    uniform label weights, this saves several bits if the classes are of similar sizes and
    the clusters many, but can cost any number of bits if they are not: a
    :class:`Mixture` with ``language`` costs at most one bit. The sizes of clusters do not
    depend on labels, so the language can be used with any data.

    Parameters
    ----------
    language : str or Language, default="auto"
        The language that weighs the candidates.
    balance : float, default=2.0
        How strongly even shares are preferred, above 0.

    Raises
    ------
    ValueError, TypeError
        If ``language`` is not a language, or ``balance`` is not a positive number.

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

    language: LanguageName | Language = "auto"
    balance: float = 2.0  # as in balanced_label_weight, which says where it was measured

    def __post_init__(self) -> None:
        inner_language(self.language)
        check_number("balance", self.balance, above=0)

    def label_weight(
        self, cluster_sizes: Sequence[int], cluster_classes: Sequence[int], n_classes: int
    ) -> Fraction:
        return balanced_label_weight(
            cluster_sizes, cluster_classes, n_classes, balance=self.balance
        )


@proven
@dataclass(frozen=True)
class Mixture(CompositeLanguage):
    """Several languages at once, each with a share of the weight.

    The weight of a labeling is the sum of the languages' weights times their shares, so
    it costs at most log2(1 / share) bits more than under any of them. With two halves
    this is one bit more than under the better one, which need not be known beforehand.

    If the languages weigh the candidates alike and the shares sum to 1, candidates keep
    the terms of these languages. Otherwise they have one term, "mixture".

    Parameters
    ----------
    languages : sequence of str or Language
        The languages, each of which must describe the sweep.
    shares : sequence of float or Fraction, default=None
        Positive numbers that sum to at most 1; by default all are equal.

    Raises
    ------
    ValueError, TypeError
        If ``languages`` is empty or holds anything else than languages, or the shares are
        not as described.

    Examples
    --------
    A mixture of a language that prefers few clusters and one that does not:

    >>> from sklearn_pacmdl.languages import Candidate, Mixture, Prior
    >>> few_or_any = Mixture(["algo", Prior(n_clusters="uniform")])
    >>> sweep = [Candidate("ward", c) for c in (2, 3, 4, 5)]
    >>> [terms["mixture"] for terms in few_or_any.candidate_weights(sweep)]
    [Fraction(3, 8), Fraction(5, 24), Fraction(1, 6), Fraction(3, 20)]
    """

    languages: Sequence[LanguageName | Language]
    shares: Sequence[float | Fraction] | None = None

    def __post_init__(self) -> None:
        several = isinstance(self.languages, Sequence) and len(self.languages)
        if not several or isinstance(self.languages, str):
            allowed = "one or more languages in a list"
            raise invalid("languages", allowed, self.languages)
        n_parts, shares = len(self._parts), self._exact_shares
        if len(shares) != n_parts or min(shares) <= 0 or sum(shares) > 1:
            raise invalid(
                "shares",
                f"{n_parts} positive numbers, one for each of the languages, that sum to "
                "at most 1",
                self.shares,
            )

    # Looked up once: the label weight of every cluster count of every candidate needs it.
    @cached_property
    def _parts(self) -> Sequence[Language]:
        return [inner_language(language) for language in self.languages]

    @cached_property
    def _exact_shares(self) -> list[Fraction]:
        if self.shares is None:
            return [Fraction(1, len(self.languages))] * len(self.languages)
        if not np.iterable(self.shares):
            raise invalid("shares", "a list of numbers or None", self.shares)
        shares = [check_number("Each of shares", share) for share in self.shares]
        return [exact_decimal(share) for share in shares]

    def candidate_weights(self, candidates: Sequence[Candidate]) -> list[Terms]:
        first, *others = (part.candidate_weights(candidates) for part in self._parts)
        if all(weights == first for weights in others) and sum(self._exact_shares) == 1:
            return first
        return [
            {"mixture": sum(weighted, Fraction())}
            for weighted in self._weighted(candidates)
        ]

    def label_languages(self, candidates: Sequence[Candidate]) -> list[Language]:
        """The mixture that weighs the labels of each candidate.

        Its shares are those that the languages have in the weight of the candidate.

        Parameters
        ----------
        candidates : sequence of Candidate
            All candidates of the sweep.

        Returns
        -------
        languages : list of Mixture
            One per candidate.
        """
        inner = zip(
            *(part.label_languages(candidates) for part in self._parts), strict=True
        )
        return [
            Mixture(languages, [part / sum(weighted) for part in weighted])
            for languages, weighted in zip(inner, self._weighted(candidates), strict=True)
        ]

    def _weighted(self, candidates) -> Iterator[tuple[Fraction, ...]]:
        """For every candidate, each language's share times its weight there."""
        columns = [
            [share * total_weight(terms) for terms in part.candidate_weights(candidates)]
            for share, part in zip(self._exact_shares, self._parts, strict=True)
        ]
        return zip(*columns, strict=True)

    def label_weight(
        self, cluster_sizes: Sequence[int], cluster_classes: Sequence[int], n_classes: int
    ) -> Fraction:
        """Mean of the weights of one labeling, for languages that weigh candidates alike.

        Parameters
        ----------
        cluster_sizes : sequence of int
            Number of rows in each cluster, labeled or not.
        cluster_classes : sequence of int
            Index of the class given to each cluster.
        n_classes : int
            Number of classes.

        Returns
        -------
        weight : Fraction
            At least each language's weight times its share.
        """
        described = cluster_sizes, cluster_classes, n_classes
        return sum(
            (
                share * part.label_weight(*described)
                for share, part in zip(self._exact_shares, self._parts, strict=True)
            ),
            Fraction(),
        )
