"""Certificates as JSON text within limits, and the digest of their fields.

Files come from anybody. Within the limits of this and other modules, they are read and
verified in two seconds and 500 MB.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from fractions import Fraction
from hashlib import sha256
from itertools import chain
from numbers import Integral, Rational, Real
from os import PathLike
from types import UnionType
from typing import Any, Literal, Self, TypeAlias, get_args, get_origin, get_type_hints

from ..utils._checks import InvalidParameterError, invalid, shown
from ._fingerprint import canonical

#: Objects of JSON, and dataclasses with fields that are looked up by name.
Json: TypeAlias = dict[str, Any]
Record: TypeAlias = Any

FORMAT = 6  # of the JSON form: what is read has to be of the same

# A text of JSON: an audit with two million row numbers has 20 million characters. Of the
# values that JSON can hold, objects with one entry take the most memory, 232 bytes.
MOST_CHARACTERS, MOST_VALUES, MOST_LEVELS = 2**25, 2**21, 50
# Rows that an audit may list, drawn and excluded ones together.
MOST_LISTED = 2_000_000
# Rows from which an audit is drawn again: 0.7 s and 162 MB.
MOST_ROWS = 10_000_000
# Binary digits of all weights together: 40,000 clusters of a hundred classes, whose names
# are paid for, have 600,000. Greatest common divisors take time that grows with the
# square: 1 s for so many.
MOST_BITS = 2**20


def read_text(path: str | PathLike[str]) -> str:
    """The text in a file, of which no more is read than a text may have."""
    try:
        with open(path, encoding="utf-8") as file:
            return file.read(MOST_CHARACTERS + 1)
    except UnicodeDecodeError as error:
        raise ValueError(f"it must be a text in UTF-8: {error}.") from None


class JsonRecord:
    """What is written as JSON text, usually a dataclass with a digest of its fields."""

    digest: str
    _title = "a certificate"  # in errors

    def _as_json(self) -> Json:
        """All fields as JSON can hold them, and the format."""
        record: Record = self
        values = {f.name: getattr(self, f.name) for f in fields(record)}
        return values | {"format": FORMAT}

    @classmethod
    def _from_fields(cls, values: Json) -> Self:
        """The record from the fields that were parsed."""
        types = get_type_hints(cls)
        tuples = {name for name in values if _holds_tuples(types[name])}
        return cls(**values | {name: _as_tuples(values[name]) for name in tuples})

    @classmethod
    def _names(cls) -> set[str]:
        """Names of the fields that are written."""
        record: Record = cls
        return {f.name for f in fields(record)}

    def _fingerprint(self) -> str:
        """Digest of all fields but the digest itself."""
        return sha256(canonical({**self._as_json(), "digest": None})).hexdigest()

    def _wrong_digest(self) -> list[str]:
        right = self.digest == self._fingerprint()
        return [] if right else ["digest is not that of the other fields"]

    def to_json(self, **kwargs: Record) -> str:
        """All fields as JSON text, for :meth:`from_json`.

        Parameters
        ----------
        **kwargs : dict
            For :func:`json.dumps`, such as ``indent``.

        Returns
        -------
        text : str
            Weights are exact ratios, "1/27", hexadecimal where they are long.
        """
        return json.dumps(self._as_json(), **kwargs)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read what was written by :meth:`to_json`, as it is; ``verify`` checks it.

        Parameters
        ----------
        text : str
            As written by :meth:`to_json`.

        Returns
        -------
        record : object of this class
            With the fields as they stand in the text.

        Raises
        ------
        ValueError
            If the text is of another format or class, or has more characters, values or
            digits than this class can have. Of a monitor, also if its plan was changed
            and would certify too many errors with a probability above delta.
        """
        with reading(cls._title, text):
            values = parsed(text)
            if (written := values.pop("format", None)) != FORMAT:
                what = "another version of the package wrote it, so compute it again"
                raise ValueError(f"its format is {shown(written)}, not {FORMAT}: {what}")
            of_kind = cls._class_for(values)
            if values.keys() != of_kind._names():
                raise ValueError(f"its fields must be {sorted(of_kind._names())}")
            return of_kind._from_fields(values)

    @classmethod
    def _class_for(cls, values: Json) -> type[Self]:
        """The class of a record with these fields."""
        return cls


def _holds_tuples(declared: Record) -> bool:
    return get_origin(declared) is tuple or any(map(_holds_tuples, get_args(declared)))


def _as_tuples(value: object) -> object:
    """A list, and those within it, as tuples; all else as it is."""
    if isinstance(value, dict):
        return {name: _as_tuples(each) for name, each in value.items()}
    return tuple(map(_as_tuples, value)) if isinstance(value, list) else value


# What values of these types may be instead; a boolean is no number.
_NUMBERS: dict[Any, Any] = {int: Integral, float: Real, Fraction: Rational}


def has_types(record: Record) -> bool:
    """Whether all fields of a dataclass have the types that it declares."""
    types = get_type_hints(type(record))
    return all(_is_of(getattr(record, f.name), types[f.name]) for f in fields(record))


def _is_of(value: object, declared: Record) -> bool:
    origin, parts = get_origin(declared), get_args(declared)
    if declared in (Any, object):
        return True
    if origin is UnionType:
        return any(_is_of(value, part) for part in parts)
    if origin is Literal:
        return isinstance(value, str) and value in parts
    if not isinstance(
        value, _NUMBERS.get(declared, declared if origin is None else origin)
    ):
        return False
    if isinstance(value, Mapping):
        return all(
            _is_of(each, part)
            for item in value.items()
            for each, part in zip(item, parts, strict=True)
        )
    if isinstance(value, tuple):
        parts = parts[:1] * len(value) if parts[-1] is ... else parts
        return len(value) == len(parts) and all(map(_is_of, value, parts))
    return declared not in _NUMBERS or not isinstance(value, bool)


@contextmanager
def reading(title: str, text: object) -> Iterator[None]:
    """Turn errors from reading a text into one that says what it is not."""
    try:
        yield
        return
    except InvalidParameterError:
        raise
    except (LookupError, AttributeError, TypeError, ArithmeticError) as error:
        reason = repr(error)
    except RecursionError:
        reason = "nested too deeply"
    except ValueError as error:
        reason = str(error)
    raise ValueError(f"Not {title}: {reason}; text is {shown(text)}.") from None


def parsed(text: str) -> Json:
    """The fields in a text of JSON within limits."""
    if not isinstance(text, str):
        raise invalid("text", "a text", text)
    if len(text) > MOST_CHARACTERS:
        raise ValueError(f"it has more than {MOST_CHARACTERS} characters")
    # All values but the first of a list or object follow a comma; texts count, too.
    n_values = sum(map(text.count, ",[{"))
    if n_values > MOST_VALUES:
        raise ValueError(f"it has more than {MOST_VALUES} values: {n_values}")
    text = text.removeprefix("\ufeff")  # some editors put this mark first
    values = json.loads(
        text, parse_constant=_refuse_constant, object_pairs_hook=without_repeats
    )
    if not isinstance(values, dict):
        raise ValueError("it is not an object with fields")
    # Values that are nested more deeply than functions can call themselves are refused.
    level: list[Record] = [values]
    for _ in range(MOST_LEVELS):
        inner = chain.from_iterable(
            value.values() if isinstance(value, dict) else value for value in level
        )
        level = [value for value in inner if isinstance(value, dict | list)]
    if level:
        raise ValueError(f"it is nested more than {MOST_LEVELS} levels deep")
    return values


def without_repeats(pairs: list[tuple[str, object]]) -> Json:
    """The fields of an object of JSON, of which people may read another one than we."""
    fields: Json = {}
    for name, value in pairs:
        if name in fields:
            raise ValueError(f"it has {shown(name)} twice in one object")
        fields[name] = value
    return fields


def _refuse_constant(name: str) -> None:
    raise ValueError(f"it holds {name}, which is not a number of JSON")
