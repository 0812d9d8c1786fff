"""What a certificate says: its sentence, and its fields as lines of a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from typing import Protocol

from ..utils._random import SUSPICIOUS
from ..utils._words import confidence, joined
from ._provisos import in_a_sentence
from ._record import Record

# Characters: a line of a table holds so much of a list of classes, and a digest is
# recognized by so many of its digits.
_LINE, _DIGITS = 60, 16


class Tested(Protocol):
    """A record of a choice of rows that may have been tested."""

    @property
    def random_choice_p_value(self) -> float | None: ...


def caveats_of(records: Iterable[Tested]) -> list[str]:
    """What tests of the choice of rows say against the provisos, each once."""
    p_values = dict.fromkeys(r.random_choice_p_value for r in records)
    return [
        f"the labeled rows do not look like a random choice (p = {p_value:.2g})"
        for p_value in p_values
        if p_value is not None and p_value <= SUSPICIOUS
    ]


def with_caveats(text: str, caveats: Sequence[str]) -> str:
    """A sentence from what it says and what speaks against it."""
    return f"{text}; but {joined(caveats)}." if caveats else f"{text}."


def sentence(
    delta: float,
    choice: Sequence[str],
    claim: str,
    provisos: Sequence[str],
    caveats: Sequence[str] = (),
    assumed: Sequence[str] = (),
) -> str:
    """Join probability, random choice, claim, provisos and caveats to a sentence.

    Provisos are marked that are neither the package's nor ``assumed`` by a class.
    """
    stated = f"{confidence(delta)} over the random choice of {joined(choice)}, {claim}"
    provided = f", provided {in_a_sentence(provisos, assumed)}" if provisos else ""
    return with_caveats(f"{stated}{provided}", caveats)


def lines_beyond(record: Record, base: type) -> Iterator[tuple[str, str]]:
    """Names and texts of a record's fields that its base class does not have.

    Those that are as they are by default say nothing.
    """
    known = {f.name for f in fields(base)}
    for f in fields(record):
        value = getattr(record, f.name)
        if f.name not in known and value != f.default:
            text = f"{value:.6g}" if isinstance(value, float) else str(value)
            if isinstance(value, tuple):  # of counts, by how many there are of each
                text = str(sum(part[0] for part in value))
            yield f.name.replace("_", " "), shortened(text)


def shortened(text: str, length: int = _LINE) -> str:
    return text if len(text) <= length else f"{text[:length]}..."


def shortened_digest(digest: str) -> str:
    return shortened(digest, _DIGITS)
