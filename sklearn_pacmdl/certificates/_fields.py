"""Checks of the single fields of a certificate."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ..bounds._tail import MAX_COUNT
from ..utils._checks import is_integer
from ..utils._checks import shown as plain
from ._fingerprint import FINGERPRINTS
from ._kinds import is_known, kind_of, known_kinds

if TYPE_CHECKING:
    from ._certificate import BoundCertificate

# Characters of a value in a list of problems, which are enough to recognize it.
_MOST_SHOWN = 100


def shown(value: Any) -> str:
    """Text of a value of any kind, cut short."""
    text = plain(value)
    return text if len(text) <= _MOST_SHOWN else f"{text[: _MOST_SHOWN - 3]}..."


def is_class_name(value: Any) -> bool:
    """Whether JSON keeps this label apart from all others."""
    return isinstance(value, str | bool) or _is_real(value)


def is_fact(value: Any) -> bool:
    """Whether this is a number or text that may be recorded."""
    return isinstance(value, str) or _is_real(value)


def are_counts(values: Any) -> bool:
    """Whether these are the four counts of a kind of clusters."""
    return isinstance(values, tuple) and len(values) == 4 and all(map(_is_count, values))


def is_delta(value: Any) -> bool:
    """Whether this is a float that can be a probability of failure."""
    return isinstance(value, float) and 0 < value < 1


def malformed(certificate: BoundCertificate) -> list[str]:
    """Problems of single fields, with which nothing can be computed or stated."""
    problems = [
        f"{name} is {what_else}: {shown(getattr(certificate, name))}"
        for name, (is_right, what_else) in _FIELDS.items()
        if not is_right(getattr(certificate, name))
    ]
    if not is_known(certificate.kind):
        problems.append(f"kind is not one of {known_kinds()}: {shown(certificate.kind)}")
    return problems or kind_of(certificate.kind).wrong_facts(certificate)


def _is_count(value: Any) -> bool:
    return is_integer(value) and 0 <= value <= MAX_COUNT


def _is_real(value: Any) -> bool:
    plain = isinstance(value, int | float) and not isinstance(value, bool)
    return plain and abs(value) <= sys.float_info.max  # neither infinite nor NaN


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value)


def _maps_text_to(is_value: Callable[[Any], bool]) -> Callable[[Any], bool]:
    def is_mapping(value: Any) -> bool:
        return isinstance(value, Mapping) and all(
            _is_text(key) and is_value(item) for key, item in value.items()
        )

    return is_mapping


def _is_tuple_of(is_item: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, tuple) and all(map(is_item, value))


def _is_subject(value: Any) -> bool:
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        return False
    return _maps_text_to(lambda item: True)(value)


def _is_date(value: Any) -> bool:
    try:
        return datetime.fromisoformat(value).utcoffset() == timedelta(0)
    except (TypeError, ValueError):
        return False


def _are_facts(value: Any) -> bool:
    if not _maps_text_to(is_fact)(value):
        return False
    p_value = value.get("random_choice_p_value", 1)  # which the statement may end with
    return _is_real(p_value) and 0 < p_value <= 1


def _are_fingerprints(value: Any) -> bool:
    return isinstance(value, Mapping) and all(
        name in FINGERPRINTS
        and isinstance(digest, str)
        and re.fullmatch("[0-9a-f]{64}", digest)
        for name, digest in value.items()
    )


# For each field a check, and the description of the problem if it fails. Kinds are
# checked against the registry instead.
_FIELDS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "n_train": (_is_count, "not a count"),
    "n_test": (lambda v: _is_count(v) and v > 0, "not a count of at least 1"),
    "n_train_errors": (_is_count, "not a count"),
    "delta": (is_delta, "not a number in (0, 1)"),
    "weights": (_maps_text_to(lambda v: isinstance(v, Fraction | int)), "not ratios"),
    "bits": (_maps_text_to(_is_real), "not numbers by term"),
    "description_length": (_is_real, "not a number"),
    "max_test_errors": (_is_count, "not a count"),
    "bound": (_is_real, "not a number"),
    "provisos": (_is_tuple_of(_is_text), "not a tuple of clauses"),
    "subject": (_is_subject, "not a mapping that JSON can hold"),
    "n_select": (_is_count, "not a count"),
    "n_train_abstained": (_is_count, "not a count"),
    "n_test_abstained": (_is_count, "not a count"),
    "drawn": (lambda v: isinstance(v, bool), "neither True nor False"),
    "clusters": (_is_tuple_of(are_counts), "not tuples of four counts"),
    "classes": (_is_tuple_of(is_class_name), "not a tuple of text and numbers"),
    "facts": (
        _are_facts,
        "not numbers and text by name, with a random_choice_p_value in (0, 1] if any",
    ),
    "fingerprints": (
        _are_fingerprints,
        f"not SHA-256 digests in hexadecimal of some of {FINGERPRINTS}",
    ),
    "version": (_is_text, "not text"),
    "date": (_is_date, "not an ISO 8601 time in UTC"),
    "digest": (lambda v: isinstance(v, str), "not text"),
}
