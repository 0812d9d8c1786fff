"""Weights that users choose, term by term."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from ..utils._checks import check_number, exact_decimal, invalid
from ..utils._weights import total_weight
from ._language import SWEPT_TERMS, Candidate, Terms, UniformLabelLanguage, swept_values
from ._paper import number_weight

# Weights passed as floats may add up to this much above 1 by rounding alone: each is off
# by at most 1.1e-16 of itself, and the sum of computed weights by little more.
_ROUNDING = Fraction(1, 10**9)
# Numbers of clusters that differ by less than a quarter give nearly the same bounds. For
# Ward's cuts of digits into 8 to 60 clusters, with 50% and 10% labeled, mean bounds over
# 30 choices of rows are 18.9% and 31.1% if all labels certify. Weights of 1 / (c (c - 1))
# give 19.4% and 32.2%, and equal weights 19.2% and 31.8%. Where selecting labels weigh
# the candidates, too, the three differ by at most 0.02 points (tried by hand).
PREFERRED_NUMBERS = frozenset(round(1.25**i) for i in range(100))


def _preferring_some(numbers: Collection[int]) -> dict[int, Fraction]:
    """Weights of the numbers of clusters."""
    total = sum(Fraction(1, c) for c in numbers)
    preferred = [c for c in numbers if c in PREFERRED_NUMBERS]
    # One more than these is the number that a clusterer has of its own.
    preferred = preferred if 0 < len(preferred) < len(numbers) - 1 else list(numbers)
    weights = {c: Fraction(1, c) / total / 2 for c in numbers}
    for c in preferred:
        weights[c] += Fraction(1, 2 * len(preferred))
    return weights


# Weights of the numbers of clusters of a sweep, by name.
_NUMBER_PRIORS: dict[str | None, Callable] = {
    None: _preferring_some,
    "paper": lambda numbers: {c: number_weight(c) for c in numbers},
    "uniform": lambda numbers: dict.fromkeys(numbers, Fraction(1, len(numbers))),
}


@dataclass(frozen=True, repr=False)
class Prior(UniformLabelLanguage):
    """Weights of what a sweep ranges over, term by term, as the user chooses them.

    Each parameter maps the values of its term to positive weights, by a mapping or a
    function; None weighs all values alike, except for the number of clusters. The weights
    must have been chosen without looking at the labels. All labelings of a clustering
    weigh the same. ``Prior()`` is what weighs a sweep where ``language`` is None.

    Parameters
    ----------
    algorithm : mapping or callable, default=None
        Weights of the names of the clusterers.
    n_clusters : {"paper", "uniform"}, mapping or callable, default=None
        Weights of the numbers of clusters requested, if any. "paper" is 1 / (c (c - 1));
        "uniform" gives the same weight to each number tried. By default half of the
        weight is proportional to 1 / c. The other half is shared equally by those numbers
        that are rounded powers of 5/4 (1 to 7, 9, 12, 15, 18, 23 and so on). If all but
        one are such numbers, all share it.
    init : mapping or callable, default=None
        Weights of the indices of the random starts.
    grid : mapping or callable, default=None
        Weights of the indices of the grid points. A function gets the point itself, a
        dict of parameters.

    Raises
    ------
    ValueError
        If a parameter is none of these.

    Notes
    -----
    If the weights of all candidates of a sweep sum to less than 1, bits are wasted. If
    they sum to more than 1, a search refuses them. An excess of at most 1e-9, which can
    result from adding floats, is divided out.

    Examples
    --------
    >>> from sklearn_pacmdl.languages import Candidate, Prior
    >>> prior = Prior(algorithm={"ward": 0.75, "kmeans": 0.25})
    >>> sweep = [Candidate("ward", 3), Candidate("kmeans", 3)]
    >>> [weights["algorithm"] for weights in prior.candidate_weights(sweep)]
    [Fraction(3, 4), Fraction(1, 4)]
    """

    algorithm: Mapping | Callable | None = None
    n_clusters: Literal["paper", "uniform"] | Mapping | Callable | None = None
    init: Mapping | Callable | None = None
    grid: Mapping | Callable | None = None

    def __post_init__(self) -> None:
        for term in SWEPT_TERMS:
            prior, allowed = getattr(self, term), "a mapping, a function or None"
            if term == "n_clusters":
                allowed = f"'paper', 'uniform', {allowed}"
                if isinstance(prior, str) and prior in _NUMBER_PRIORS:
                    continue
            if not (prior is None or callable(prior) or isinstance(prior, Mapping)):
                raise invalid(f"{term} of a Prior", allowed, prior)

    def candidate_weights(self, candidates: Sequence[Candidate]) -> list[Terms]:
        values: dict = swept_values(candidates)
        if self.n_clusters is None or isinstance(self.n_clusters, str):
            weigh = _NUMBER_PRIORS[self.n_clusters]
            for name, term in [key for key in values if key[1] == "n_clusters"]:
                numbers = values[name, term] - {None}
                values[name, term] = weigh(numbers) if numbers else {}
        weights = [
            {t: self._weight(c, t, values[c.algorithm, t]) for t in SWEPT_TERMS}
            for c in candidates
        ]
        total = sum(map(total_weight, weights))
        if 1 < total <= 1 + _ROUNDING:
            for terms in weights:
                terms["algorithm"] /= total
        return weights

    def _weight(self, candidate, term, values) -> Fraction:
        """Weight of the value that a term has for a candidate, among all its values."""
        prior: Any = getattr(self, term)
        value = getattr(candidate, term)
        if value is None:
            return Fraction(1)
        if term == "n_clusters" and (prior is None or isinstance(prior, str)):
            return values[value]
        if prior is None:
            return Fraction(1, len(values))
        if callable(prior):
            weight = prior(dict(candidate.params) if term == "grid" else value)
        elif value in prior:
            weight = prior[value]
        else:
            raise ValueError(
                f"Prior({term}=...) has no weight for {value!r}; "
                f"it has weights for {list(prior)}."
            )
        return exact_decimal(check_number("A weight of a Prior", weight))
