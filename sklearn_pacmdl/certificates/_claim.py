"""The statement of a certificate: its probability, its claim and its assumptions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ._kinds import kind_of
from ._words import confidence, joined

if TYPE_CHECKING:
    from ._certificate import BoundCertificate


def statement_of(certificate: BoundCertificate) -> str:
    """The statement of a certificate with well-formed fields, as a sentence."""
    c = certificate
    n_labeled = c.n_train + c.n_train_abstained + c.n_select
    choice = [f"the {n_labeled} {kind_of(c.kind).labeled_rows} rows"]
    return sentence(c.delta, choice + also_random([c]), claim_of(c), c.provisos)


def claim_of(certificate: BoundCertificate) -> str:
    """The statement without its probability and its provisos."""
    return kind_of(certificate.kind).claim(certificate)


def also_random(certificates: Iterable[BoundCertificate]) -> list[str]:
    """What is random besides the choice of the labeled rows, each once."""
    phrases = (kind_of(certificate.kind).also_random for certificate in certificates)
    return [phrase for phrase in dict.fromkeys(phrases) if phrase]


def sentence(
    delta: float, choice: Sequence[str], claim: str, provisos: Sequence[str]
) -> str:
    """Join probability, random choice, claim and provisos to a sentence."""
    stated = f"{confidence(delta)} over the random choice of {joined(choice)}, {claim}"
    return f"{stated}, provided {joined(provisos)}." if provisos else f"{stated}."
