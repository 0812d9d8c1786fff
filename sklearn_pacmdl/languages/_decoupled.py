"""The default language, where the classes of clusters cost no bits."""

from collections.abc import Collection
from dataclasses import dataclass
from fractions import Fraction

from ._auto import AutoLanguage
from ._base import proven

# Numbers of clusters that differ by less than a quarter give nearly the same bounds, so
# that a few numbers may have more weight than those between them. For Ward's cuts of
# digits into 8 to 60 clusters, with 50% and 10% labeled, mean bounds over 30 choices of
# rows are 6.01% and 14.50%; weights of 1 / (c (c - 1)), as of "auto", give 6.66% and
# 14.73%, and equal weights 6.13% and 15.33%.
PREFERRED = frozenset(round(1.25**i) for i in range(100))


@proven
@dataclass(frozen=True)
class DecoupledLanguage(AutoLanguage):
    """The weights of "auto", except that the number of clusters hardly counts.

    The classes of clusters cost no bits, so many clusters need not cost much either.
    Half of the weight of the numbers requested of an algorithm is proportional to 1 /
    c. The other half is shared equally by those that are rounded powers of 5/4, if any:
    1, 2, 3, 4, 5, 6, 7, 9, 12, 15, 18, 23, 28, 36, 44, 56 and so on.

    Its instance ``DECOUPLED`` is the default with ``certify="decoupled"``.

    Examples
    --------
    >>> from sklearn_pacmdl.languages import DECOUPLED, Candidate
    >>> sweep = [Candidate("ward", c) for c in (12, 13)]
    >>> [weights["n_clusters"] for weights in DECOUPLED.candidate_weights(sweep)]
    [Fraction(19, 25), Fraction(6, 25)]
    """

    def _number_weights(
        self, numbers: Collection[int | None]
    ) -> dict[int | None, Fraction]:
        """Weights of the numbers of clusters; they sum to 1."""
        # None: no number is requested.
        total = sum(Fraction(1, c or 1) for c in numbers)
        chosen: list[int | None] = [c for c in numbers if c in PREFERRED]
        preferred = chosen or list(numbers)
        weights = {c: Fraction(1, c or 1) / total / 2 for c in numbers}
        for c in preferred:
            weights[c] += Fraction(1, 2 * len(preferred))
        return weights


DECOUPLED = DecoupledLanguage()
