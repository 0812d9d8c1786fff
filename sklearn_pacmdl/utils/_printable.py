"""Texts of anybody: whether they may control a terminal, and how they are shown."""

import re
from collections.abc import Iterable
from typing import Any

# Control characters, those that turn the direction of a text, halves of characters, and
# what ends a line or a paragraph.
_CONTROL = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
#: What texts that a statement quotes must be, in errors.
PRINTABLE = "without control characters"


def is_printable(text: Any) -> bool:
    """Whether this is a text that statements can quote."""
    return isinstance(text, str) and _CONTROL.search(text) is None


def has_halves(texts: Iterable[str]) -> bool:
    """Whether there is half of a character, which no file in UTF-8 can hold."""
    return re.search("[\ud800-\udfff]", "".join(texts)) is not None


def escaped(text: str, keep: str = "") -> str:
    """The text with all control characters but these as Python writes them."""
    return _CONTROL.sub(
        lambda match: match[0] if match[0] in keep else repr(match[0])[1:-1], text
    )
