"""What certificates assume, as clauses after "provided"."""

import re
from collections.abc import Collection

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
_PLAIN |= {BOTH_FIXED, OUTPUTS_FIXED, RIGHT, ONCE, REST, TARGET, KNOWN, BEFOREHAND}
_PLAIN |= {SEGMENTS, WITHOUT_ANSWERS}
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
