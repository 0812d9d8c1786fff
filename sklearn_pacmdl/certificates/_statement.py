"""What a certificate says: its sentence with what it assumes, and lines of a table."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields

from ..utils._random import SUSPICIOUS
from ..utils._words import confidence, joined
from ._record import Record

#: What every certificate assumes whose labeled rows the package did not draw itself,
#: unless its kind says otherwise.
RANDOM_CHOICE = "the labeled rows are a uniformly random choice"
#: What certificates assume of clusterings computed from rows, and of those that a
#: search did not compute.
WITHOUT_LABELS = "X was made without the labels"
MADE_BEFORE = "the clusterings were made and chosen without the labels"
#: What they assume of a language that weighs labels in its own way.
WEIGHTS = (
    "the weights of the language sum to at most 1 over all labelings of a clustering"
)
#: What an audit proves if it stored digests, and has to be assumed otherwise.
FIXED = {
    "labeling": "the labeling was fixed before the audit was drawn",
    "confidence": "the confidences were fixed before the audit was drawn",
}
BOTH_FIXED = "both labelings were fixed before the audit was drawn"
OUTPUTS_FIXED = "the outputs of both versions were fixed before the audit was drawn"
RIGHT = "the labels that people gave to the audited rows are right"
ONCE = "the audit was not drawn again or chosen because of its result"
REST = "people label the rows that are left to them rightly"
# Each target stops at another audited error, and the audit shows which of these came late
# by luck. A target that is picked by its result fails far more often than delta.
TARGET = "the target was not chosen because of its result"
KNOWN = "the labels that were known before the audit are right"
BEFOREHAND = "what to state was decided before labels of the audited rows were seen"
SEGMENTS = (
    "the segments were made without the labels that people gave to the audited rows, and "
    "decided on before these were seen"
)

# With a number, or with the text that rows were drawn by.
CLASSES = "the {} classes were known beforehand"
PEOPLE = "people labeled at most {} of the audited rows wrongly"
SEED_TEXT = (
    "the source of the text {!r}, by which the rows were drawn, was named before anybody "
    "could know the text"
)
#: Of rows that were drawn elsewhere, with who drew which.
DRAWN_BY = "the audited {} are all that were drawn, uniformly at random, by {!r}"
DRAWN = {"audit": "rows", "groups": "groups", "strata": "rows of each stratum"}
WITHOUT_ANSWERS = (
    "labels, confidences, groups and strata were made without the human labels of these "
    "rows"
)
_PLAIN = {RANDOM_CHOICE, WITHOUT_LABELS, MADE_BEFORE, WEIGHTS, *FIXED.values()}
_PLAIN |= {
    BOTH_FIXED,
    OUTPUTS_FIXED,
    RIGHT,
    ONCE,
    REST,
    TARGET,
    KNOWN,
    BEFOREHAND,
    SEGMENTS,
    WITHOUT_ANSWERS,
}
_WITH_NUMBER = re.compile(
    "|".join(text.format(r"\d{1,16}") for text in (CLASSES, PEOPLE)), re.ASCII
)
_QUOTED = "('[^'\"]{1,200}'|\"[^'\"]{1,200}\")"
_WITH_TEXT = re.compile(
    "|".join(
        [SEED_TEXT, *(DRAWN_BY.replace("{}", what) for what in DRAWN.values())]
    ).replace("{!r}", _QUOTED)
)


def is_foreign(proviso: str, assumed: Collection[str] = ()) -> bool:
    """Whether a clause is neither the package's nor among those that a kind assumes."""
    known = proviso in _PLAIN or proviso in assumed or _WITH_NUMBER.fullmatch(proviso)
    return not known and _WITH_TEXT.fullmatch(proviso) is None


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
