"""What a language says of a sweep: weights of candidates and of their labels."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from ..languages import (
    AUTO,
    Candidate,
    Language,
    check_kraft,
    check_language,
    get_language,
)
from ..languages._base import is_proven
from ..languages._registry import LanguageName
from ..utils._checks import shown
from ._strategy import Strategy

_UNPROVEN = (
    "the weights of the language sum to at most 1 over all labelings, which was checked "
    "on small cases only"
)


@dataclass(frozen=True)
class Weighing:
    """Weights of the candidates of a sweep, fixed before any certifying label is seen."""

    language: Language
    weights: list[dict[str, Fraction]]  # of candidates, by term
    label_languages: Sequence[Language | None]  # that weigh the labels of each
    pooled: bool  # whether equal labelings share their weights
    name: str  # of the language, or its code; empty by default
    assumed: tuple[str, ...] = ()  # of the language

    @property
    def clustering_index(self) -> Callable | None:
        """What the language asks of rows and clusters, if it looks at them."""
        language = self.language
        return language.clustering_index if language.uses_clusterings else None

    def after(self, index_values: Sequence[float]) -> "Weighing":
        """The same once the clusterings are known, for a language that looks at them."""
        if not self.language.uses_clusterings:
            return self
        weights = self.language.reweigh(self.weights, index_values)
        check_kraft(weights)
        return replace(self, weights=weights)


def check_language_of(
    certify: str, strategy: Strategy, language: LanguageName | Language | None
) -> None:
    """Refuse a language where it has no effect, and what is none."""
    if language is None:
        return
    get_language(language)
    if certify == "auto" or strategy.chooses_first:
        why = "may have no effect" if certify == "auto" else "has no effect"
        raise ValueError(
            f"language must be None with certify={certify!r}, where it {why}, got "
            f"language={shown(language)}."
        )


def make_weighing(
    language: LanguageName | Language | None,
    candidates: Sequence[Candidate],
    strategy: Strategy,
    *,
    reproducible: bool = True,
) -> Weighing:
    """Ask the language for its weights, and check them.

    Parameters
    ----------
    language : str, Language or None
        By default, that of the strategy.
    candidates : sequence of Candidate
        All of the sweep.
    strategy : Strategy
    reproducible : bool, default=True
        Whether a clustering is the same where it is computed again. If not, what is
        certified may be another one: weights pooled with candidates that gave the first
        could then sum to more than 1.

    Returns
    -------
    weighing : Weighing

    Raises
    ------
    ValueError
        If the language does not pay for the sweep, breaks Kraft's inequality, or is not
        used by the strategy.
    """
    check_language_of(strategy.kind, strategy, language)
    if strategy.chooses_first:
        nothing = [None] * len(candidates)
        return Weighing(AUTO, [{} for _ in candidates], nothing, reproducible, "")
    chosen = strategy.default_language if language is None else get_language(language)
    pooled = chosen.pooled and reproducible
    name = language if isinstance(language, str) else repr(chosen)
    name = "" if language is None else name
    weights = list(chosen.candidate_weights(candidates))
    if len(weights) != len(candidates):
        raise ValueError(
            "candidate_weights of a language must return one dict per candidate "
            f"({len(candidates)}), got {len(weights)} from {language!r}."
        )
    check_kraft(weights)
    assumed: tuple[str, ...] = ()
    if strategy.pays_for_labels and not is_proven(chosen):
        check_language(chosen, [candidates])
        assumed = (_UNPROVEN,)
    of_labels = chosen.label_languages(candidates)
    return Weighing(chosen, weights, of_labels, pooled, name, assumed)
