"""Weights that users choose, term by term."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from ..utils._checks import check_number, exact_decimal, invalid
from ..utils._weights import total_weight
from ._auto import AUTO, renormalized_number_weights
from ._base import (
    SWEPT_TERMS,
    Candidate,
    SweepRange,
    Terms,
    UniformLabelLanguage,
    proven,
)
from ._paper import number_weight

# Weights passed as floats may add up to this much above 1 by rounding alone: each is off
# by at most 1.1e-16 of itself, and with them the sum of computed weights by little more.
_ROUNDING = Fraction(1, 10**9)
# Weights of the numbers of clusters of a sweep, by name.
_NUMBER_PRIORS: dict[str, Callable] = {
    "paper": lambda numbers: {c: number_weight(c) for c in numbers},
    "renormalized": renormalized_number_weights,
    "uniform": lambda numbers: dict.fromkeys(numbers, Fraction(1, len(numbers))),
}


@proven
@dataclass(frozen=True, repr=False)
class Prior(UniformLabelLanguage):
    """Weights chosen by the user, term by term.

    Each parameter maps the values of its term to positive weights, by a mapping or a
    function; None weighs the term as ``"auto"`` does. The weights must have been chosen
    without looking at the labels. All labelings of a clustering weigh the same.

    Parameters
    ----------
    algorithm : mapping or callable, default=None
        Weights of the names of the clusterers.
    n_clusters : {"paper", "renormalized", "uniform"}, mapping or callable, default=None
        Weights of the numbers of clusters requested. Not used for clusterers without such
        a number. "paper" is 1 / (c (c - 1)); "renormalized", the default, divides it by
        its sum over the numbers tried; "uniform" gives the same weight to each of these.
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
    n_clusters: (
        Literal["paper", "renormalized", "uniform"] | Mapping | Callable | None
    ) = None
    init: Mapping | Callable | None = None
    grid: Mapping | Callable | None = None

    def __post_init__(self) -> None:
        for term in SWEPT_TERMS:
            prior, allowed = getattr(self, term), "a mapping, a function or None"
            if term == "n_clusters":
                allowed = f"one of {sorted(_NUMBER_PRIORS)}, {allowed}"
                if isinstance(prior, str) and prior in _NUMBER_PRIORS:
                    continue
            if not (prior is None or callable(prior) or isinstance(prior, Mapping)):
                raise invalid(f"{term} of a Prior", allowed, prior)

    def candidate_weights(self, candidates: Sequence[Candidate]) -> list[Terms]:
        sweep = SweepRange(candidates)
        weights = [
            terms | dict(self._chosen(candidate, sweep))
            for candidate, terms in zip(
                candidates, AUTO.candidate_weights(candidates), strict=True
            )
        ]
        total = sum(map(total_weight, weights))
        if 1 < total <= 1 + _ROUNDING:
            for terms in weights:
                terms["algorithm"] /= total
        return weights

    def _chosen(self, candidate, sweep) -> Iterator[tuple[str, Fraction]]:
        """Weights of those terms of a candidate that have a prior."""
        for term in SWEPT_TERMS:
            prior: Any = getattr(self, term)
            value = getattr(candidate, term)
            if prior is None or value is None:
                continue
            if isinstance(prior, str):
                numbers = sweep.values(candidate.algorithm, term)
                weight = _NUMBER_PRIORS[prior](numbers)[value]
            elif callable(prior):
                weight = prior(dict(candidate.params) if term == "grid" else value)
            elif value in prior:
                weight = prior[value]
            else:
                raise ValueError(
                    f"Prior({term}=...) has no weight for {value!r}; "
                    f"it has weights for {list(prior)}."
                )
            yield term, exact_decimal(check_number("A weight of a Prior", weight))
