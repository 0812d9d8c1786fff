"""Which weights a labeling can have, as exact ratios."""

from collections.abc import Mapping
from fractions import Fraction
from math import prod

# Terms that are no part of a candidate's weight: which labeling of its clusters, which
# of these are labeled, which share of delta; the others say which candidate.
_WITHIN_CANDIDATE = frozenset({"label", "subset"})


def wrong_weights(weights, subject):
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
        if weight <= 0 or (weight > 1 and term != "pooling"):
            return f"a weight is outside (0, 1]: {term!r}"
    return _wrong_pooling(weights, subject) if "pooling" in weights else None


def _wrong_pooling(weights, subject):
    if weights["pooling"] < 1:
        return "'pooling' is below 1, but others only add to a weight"
    if subject.get("n_candidates") == 1:
        return "'pooling' needs other candidates, and there is only one"
    inside = total_weight(
        {term: weight for term, weight in weights.items() if term in _WITHIN_CANDIDATE}
    )
    own = total_weight(
        {t: weight for t, weight in weights.items() if t not in ("pooling", "joint")}
    )
    if own * (weights["pooling"] - 1) > 1 - own / inside:
        return "'pooling' is more than all other candidates together can add"
    return None


def total_weight(weights):
    """Exact product of the weights of all terms."""
    return prod(weights.values(), start=Fraction(1))


def ratio_text(weight):
    """Exact text of a ratio; hexadecimal where decimals would be long."""
    parts = weight.numerator, weight.denominator
    return "/".join(str(v) if v < 10**18 else hex(v) for v in parts)


def parse_ratio(text):
    """The ratio that :func:`ratio_text` wrote."""
    numerator, denominator = (int(part, 0) for part in text.split("/"))
    return Fraction(numerator, denominator)
