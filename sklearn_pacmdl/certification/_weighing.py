"""What a language says of a sweep: weights of candidates and of their labels."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..languages import (
    Candidate,
    Language,
    Prior,
    UniformLabelLanguage,
    check_kraft,
    get_language,
)
from ..languages._paper import LanguageName
from ..utils._checks import shown
from ._strategy import Strategy

_UNPROVEN = (
    "the weights of the language sum to at most 1 over all labelings of a clustering"
)


@dataclass(frozen=True)
class Weighing:
    """Weights of the candidates of a sweep, fixed before any certifying label is seen."""

    language: Language  # that weighs labels, too, where these cost bits
    weights: Sequence[dict[str, Fraction]]  # of candidates, by term
    name: str  # of the language, or its code; empty by default
    assumed: tuple[str, ...] = ()  # of the language


def check_language_of(
    strategy: Strategy, language: LanguageName | Language | None
) -> None:
    """Refuse a language where it has no effect, and what is none."""
    if language is None:
        return
    get_language(language)
    if strategy.chooses_first:
        raise ValueError(
            f"language must be None with certify={strategy.kind!r}, where it has no "
            f"effect, got language={shown(language)}."
        )


def make_weighing(
    language: LanguageName | Language | None,
    candidates: Sequence[Candidate],
    strategy: Strategy,
) -> Weighing:
    """Ask the language for its weights, and check them.

    Raises
    ------
    ValueError
        If the language does not pay for the sweep, breaks Kraft's inequality, or is not
        used by the strategy.
    """
    check_language_of(strategy, language)
    if strategy.chooses_first:
        return Weighing(Prior(), [{} for _ in candidates], "")
    chosen = Prior() if language is None else get_language(language)
    name = language if isinstance(language, str) else repr(chosen)
    name = "" if language is None else name
    weights = list(chosen.candidate_weights(candidates))
    if len(weights) != len(candidates):
        raise ValueError(
            "candidate_weights of a language must return one dict per candidate "
            f"({len(candidates)}), got {len(weights)} from {language!r}."
        )
    check_kraft(weights)
    own = type(chosen).label_weight is not UniformLabelLanguage.label_weight
    assumed = (_UNPROVEN,) if strategy.pays_for_labels and own else ()
    return Weighing(chosen, weights, name, assumed)
