"""The fields of certificates as they are issued; errors name the field."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from dataclasses import fields, replace
from fractions import Fraction
from math import isclose
from typing import Any, TypeGuard

import numpy as np

from ..utils._checks import (
    PRINTABLE,
    check_integer,
    invalid,
    is_iterable,
    is_number,
    is_printable,
    shown,
)
from ..utils._printable import has_halves
from ._record import MOST_BITS, Json, Record

# Entries of fields: classes and clusters take a microsecond each. Terms are multiplied.
MOST_ENTRIES, MOST_TERMS = 2**18, 100


def are_texts(values: object) -> TypeGuard[Collection[str]]:
    """Whether this is a collection of texts that are not empty and can be quoted."""
    if not isinstance(values, Collection) or not is_iterable(values):
        return False
    return all(is_printable(text) and text for text in values)


def check_sizes(certificate: Record) -> None:
    """Refuse fields that are too large to compute anything from, whatever they hold."""
    for f in fields(certificate):
        value = getattr(certificate, f.name)
        most = MOST_TERMS if f.name == "weights" else MOST_ENTRIES
        is_array = isinstance(value, np.ndarray) and value.ndim > 0
        is_sized = isinstance(value, Mapping | tuple | list) or is_array
        if is_sized and len(value) > most:
            raise ValueError(f"{f.name} has more than {most} entries: {len(value)}.")
    weights = getattr(certificate, "weights", None)
    n_bits = sum(
        part.bit_length()
        for weight in (weights.values() if isinstance(weights, Mapping) else ())
        if isinstance(weight, Fraction | int)
        for part in weight.as_integer_ratio()
    )
    if n_bits > MOST_BITS:
        raise ValueError(f"weights have more than {MOST_BITS} binary digits: {n_bits}.")


def with_counts(record: Record, **most: int) -> Any:
    """The same with integers from 0 to these in the fields of these names."""
    counts = {
        name: check_integer(name, getattr(record, name), 0, limit)
        for name, limit in most.items()
    }
    return replace(record, **counts)


def is_same(ours: object, theirs: object) -> bool:
    """Whether fields are equal and of one type, as 1 and True are not."""
    if isinstance(ours, float) and isinstance(theirs, float):
        # Far above what logarithms of other platforms differ by, far below what is shown.
        return isclose(ours, theirs, rel_tol=1e-9, abs_tol=1e-9)
    if isinstance(ours, dict) and isinstance(theirs, dict):
        return ours.keys() == theirs.keys() and all(
            is_same(ours[name], theirs[name]) for name in theirs
        )
    if isinstance(ours, list | tuple) and type(ours) is type(theirs):
        return len(ours) == len(theirs) and all(map(is_same, ours, theirs))
    if isinstance(theirs, Fraction):  # 1 may stand for a weight of 1
        return isinstance(ours, Fraction | int) and ours == theirs
    return type(ours) is type(theirs) and ours == theirs


def check_weights(weights, terms) -> dict[str, Fraction]:
    """Weights by term, of allowed terms."""
    if problem := _wrong_weights(weights):
        raise ValueError(f"weights are not valid: {problem}, got {shown(weights)}.")
    if terms is not None and not {*weights} <= {*terms}:
        allowed = f"no terms but {sorted(terms)}" if terms else "no terms"
        raise invalid("weights", f"of {allowed}", sorted(weights))
    return {term: Fraction(weight) for term, weight in weights.items()}


def _wrong_weights(weights: Mapping[str, Fraction]) -> str | None:
    """What is wrong with the weights of a labeling, or None."""
    if not isinstance(weights, Mapping):
        return "they are not a mapping of terms to ratios"
    for term, weight in weights.items():
        if not is_printable(term) or not term:
            return f"a term is not text {PRINTABLE}: {shown(term)}"
        if isinstance(weight, bool) or not isinstance(weight, Fraction | int):
            return f"{term!r} is not a Fraction: {shown(weight)}"
        if not 0 < weight <= 1:
            return f"a weight is outside (0, 1]: {term!r}"
    return None


def check_provisos(provisos: object, first: tuple[str, ...]) -> None:
    """Different clauses, of which the first are these."""
    if not are_texts(provisos) or not isinstance(provisos, tuple):
        raise invalid("provisos", f"a tuple of clauses {PRINTABLE}", provisos)
    if len(set(provisos)) < len(provisos):
        raise invalid("provisos", "different clauses", provisos)
    if provisos[: len(first)] != first:
        expected = " and ".join(map(repr, first))
        raise ValueError(f"the first of the provisos is not {expected}.")


def check_classes(classes: object) -> tuple[str | int | float | bool, ...]:
    """Different names of classes, by types that JSON keeps apart."""
    if not is_iterable(classes):
        raise invalid("classes", "names of classes", classes)
    plain = [name.item() if isinstance(name, np.generic) else name for name in classes]
    if any(isinstance(name, np.ndarray) for name in plain):
        raise invalid("classes", "names of classes", classes)
    names = tuple(
        name
        if isinstance(name, str | bool)
        or (isinstance(name, int | float) and is_number(name))
        else str(name)
        for name in plain
    )
    if len({*map(str, names)}) < len(names):
        raise invalid("classes", "different names", classes)
    if has_halves(map(str, names)):
        raise invalid("classes", "names without halves of characters", classes)
    return names


def check_digests(digests, names, what="fingerprints") -> dict[str, str]:
    """Digests by the names that a certificate may keep; None allows any."""
    read = as_read_again(what, digests)
    for name, digest in read.items():
        is_digest = isinstance(digest, str) and re.fullmatch("[0-9a-f]{64}", digest)
        if not is_digest or (names is not None and name not in names):
            of_names = "" if names is None else f" of some of {names}"
            raise invalid(what, f"SHA-256 digests in hexadecimal{of_names}", digests)
    return read


def checked_digests(data: Any) -> Any:
    """A mapping of digests after a check; all else as it is."""
    return check_digests(data, None, "data") if isinstance(data, Mapping) else data


def as_read_again(name: str, mapping: object) -> Json:
    """A mapping as it will be read again; objects that JSON does not know as text."""
    mapping = {} if mapping is None else mapping
    if not isinstance(mapping, Mapping):
        raise invalid(name, "None or a mapping", mapping)
    try:
        text = json.dumps(
            dict(mapping),
            default=lambda v: v.item() if isinstance(v, np.generic) else str(v),
            allow_nan=False,
        )
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"{name} cannot be kept as JSON ({error}), got {shown(mapping)}."
        ) from None
    read: Json = json.loads(text)
    if "" in read:
        raise invalid(name, "a mapping of names that are not empty", mapping)
    return read
