"""Which weights a labeling can have, term by term."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from ..utils._weights import role_of_term, total_weight


def wrong_weights(weights: Any, n_candidates: Any = None) -> str | None:
    """What is wrong with the weights of a labeling, or None.

    Weights of terms are at most 1. "pooling" is what other candidates that express the
    same labeling add, as a factor: if S is the weight of this candidate and L that of
    the labeling within it, the pooled weight is S L plus the sum of S' L' over the
    others. Since candidates' weights sum to at most 1 and no L' is above 1, that sum is
    at most 1 - S. No tighter limit holds in general: of two candidates that express one
    labeling, one may need fewer clusters, and then has a much larger L'.
    """
    if not isinstance(weights, Mapping):
        return "they are not a mapping of terms to ratios"
    for term, weight in weights.items():
        if not isinstance(term, str):
            return f"a term is not text: {term!r}"
        if isinstance(weight, bool) or not isinstance(weight, Fraction | int):
            return f"{term!r} is not a Fraction: {weight!r}"
        if weight <= 0 or (weight > 1 and role_of_term(term) != "pooling"):
            return f"a weight is outside (0, 1]: {term!r}"
    return _wrong_pooling(weights, n_candidates) if "pooling" in weights else None


def _wrong_pooling(weights: Mapping[str, Fraction], n_candidates: Any) -> str | None:
    if weights["pooling"] < 1:
        return "'pooling' is below 1, but others only add to a weight"
    if n_candidates == 1:
        return "'pooling' requires other candidates, but there is only one"
    candidate = _weight_of(weights, "candidate")
    added = candidate * _weight_of(weights, "labeling") * (weights["pooling"] - 1)
    if added > 1 - candidate:
        return "'pooling' is more than all other candidates together can add"
    return None


def _weight_of(weights: Mapping[str, Fraction], role: str) -> Fraction:
    return total_weight({t: w for t, w in weights.items() if role_of_term(t) == role})
