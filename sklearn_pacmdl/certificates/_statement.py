"""What a certificate says: its sentence, and lines of a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields

from ..utils._random import SUSPICIOUS
from ..utils._words import confidence, joined
from ._clauses import is_foreign
from ._record import Record

# Characters: a line of a table holds so much of a list of classes, and a digest is
# recognized by so many of its digits.
_LINE, DIGITS = 60, 16


def caveats_of(records: Iterable[Record]) -> list[str]:
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


def sentence(delta, choice, claim, provisos, caveats=(), assumed=()) -> str:
    """Join probability, random choice, claim, provisos and caveats to a sentence.

    Provisos are marked that are neither the package's nor ``assumed`` by a class.
    """
    stated = f"{confidence(delta)} over the random choice of {joined(choice)}, {claim}"
    foreign = [repr(clause) for clause in provisos if is_foreign(clause, assumed)]
    clauses = [clause for clause in provisos if not is_foreign(clause, assumed)]
    if foreign:
        clauses.append(f"(as its author states) {joined(foreign)}")
    provided = f", provided {joined(clauses)}" if clauses else ""
    return with_caveats(f"{stated}{provided}", caveats)


def lines_beyond(record: Record, base: type) -> Iterator[tuple[str, str]]:
    """Names and texts of fields that are not by default, nor of the base class."""
    known = {f.name for f in fields(base)}
    for f in fields(record):
        value = getattr(record, f.name)
        if f.name not in known and value not in (f.default, {}):
            text = f"{value:.6g}" if isinstance(value, float) else str(value)
            if isinstance(value, Mapping | tuple):
                text = ", ".join(map(repr, value))
            if isinstance(value, tuple) and isinstance(value[0], tuple):
                text = str(sum(part[0] for part in value))  # which says how many
            yield f.name.replace("_", " "), shortened(text)


def shortened(text: str, length: int = _LINE) -> str:
    return text if len(text) <= length else f"{text[:length]}..."
