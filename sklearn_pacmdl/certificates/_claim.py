"""The statement of a certificate: its probability, its claim and its assumptions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ..utils._levels import SUSPICIOUS
from ..utils._words import confidence, joined
from ._kinds import kind_of


def statement_of(certificate: Any) -> str:
    """The statement of a certificate with well-formed fields, as a sentence."""
    c = certificate
    n_labeled = c.n_train + c.n_train_abstained + c.n_select
    choice = [f"the {n_labeled} {kind_of(c.kind).labeled_rows} rows"]
    random = choice + also_random([c])
    return sentence(c.delta, random, claim_of(c), c.provisos, caveats_of([c]))


def claim_of(certificate: Any) -> str:
    """The statement without its probability and its provisos."""
    return kind_of(certificate.kind).claim(certificate)


def also_random(certificates: Iterable[Any]) -> list[str]:
    """What is random besides the choice of the labeled rows, each once."""
    phrases = (kind_of(certificate.kind).also_random for certificate in certificates)
    return [phrase for phrase in dict.fromkeys(phrases) if phrase]


def caveats_of(records: Iterable[Any]) -> list[str]:
    """What the facts of certificates or audits say against the provisos, each once."""
    p_values = (float(r.facts.get("random_choice_p_value", 1)) for r in records)
    return [
        f"the labeled rows do not look like a random choice (p = {p_value:.2g})"
        for p_value in dict.fromkeys(p_values)
        if p_value <= SUSPICIOUS
    ]


def ended(text: str, caveats: Sequence[str]) -> str:
    """A sentence from what it says and what speaks against it."""
    return f"{text}; but {joined(caveats)}." if caveats else f"{text}."


def sentence(
    delta: float,
    choice: Sequence[str],
    claim: str,
    provisos: Sequence[str],
    caveats: Sequence[str] = (),
) -> str:
    """Join probability, random choice, claim, provisos and caveats to a sentence."""
    stated = f"{confidence(delta)} over the random choice of {joined(choice)}, {claim}"
    provided = f", provided {joined(provisos)}" if provisos else ""
    return ended(f"{stated}{provided}", caveats)
