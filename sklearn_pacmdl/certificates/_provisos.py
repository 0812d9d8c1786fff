"""What statements assume: all clauses of this package, which tell those of others."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from ..utils._words import joined

#: What every certificate assumes whose labeled rows the package did not draw itself,
#: unless its kind says otherwise.
RANDOM_CHOICE = "the labeled rows are a uniformly random choice"
#: What certificates assume of clusterings that were computed from rows, and of labelings
#: that were not computed by the search itself.
WITHOUT_LABELS = "X was made without the labels"
MADE_BEFORE = "the labelings were made and chosen without the labels"
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
RIGHT = "the labels that people gave to the audited rows are right"
ONCE = "the audit was not drawn again or chosen because of its result"
REST = "people label the rows that are left to them rightly"
# Each target stops at an audited error of its own, and what was seen tells which of these
# came late by luck: whoever picks a target by its result fails far more often than delta.
TARGET = "the target was not chosen because of its result"
KNOWN = "the labels that were known before the audit are right"
BEFOREHAND = "what to state was decided before labels of the audited rows were seen"

# With a number, or with the text that rows were drawn by.
CLASSES = "the {} classes were known beforehand"
PEOPLE = "people labeled at most {} of the audited rows wrongly"
SEED_TEXT = (
    "the source of the text {!r}, by which the rows were drawn, was named before anybody "
    "could know the text"
)
_PLAIN = {RANDOM_CHOICE, WITHOUT_LABELS, MADE_BEFORE, WEIGHTS, *FIXED.values()}
_PLAIN |= {BOTH_FIXED, RIGHT, ONCE, REST, TARGET, KNOWN, BEFOREHAND}
_WITH_NUMBER = re.compile(
    "|".join(text.format(r"\d{1,16}") for text in (CLASSES, PEOPLE)), re.ASCII
)
_WITH_TEXT = re.compile(SEED_TEXT.replace("{!r}", "(['\"])[^'\"]{1,200}\\1"))


def is_foreign(proviso: str, assumed: Collection[str] = ()) -> bool:
    """Whether a clause is neither the package's nor among those that a kind assumes."""
    known = proviso in _PLAIN or proviso in assumed or _WITH_NUMBER.fullmatch(proviso)
    return not known and _WITH_TEXT.fullmatch(proviso) is None


def in_a_sentence(provisos: Sequence[str], assumed: Collection[str] = ()) -> str:
    """The clauses as a list, of which those of others are quoted and marked."""
    clauses: dict[bool, list[str]] = {False: [], True: []}
    for proviso in provisos:
        clauses[is_foreign(proviso, assumed)].append(proviso)
    foreign = joined([*map(repr, clauses[True])]) if clauses[True] else ""
    marked = [f"(as its author states) {foreign}"] if foreign else []
    return joined([*clauses[False], *marked])
