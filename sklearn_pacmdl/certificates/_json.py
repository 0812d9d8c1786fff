"""Certificates as JSON text, and the digest of their fields."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from fractions import Fraction
from typing import Any, Self

import numpy as np

from ..utils._checks import InvalidParameterError, invalid, shown
from ._fingerprint import fingerprint_fields
from ._limits import check_digits, check_levels, check_text

FORMAT = 4  # of the JSON form: what is read has to be of the same

# Up to this, numbers are written as decimals. Beyond, Python takes time that grows with
# the square of the digits, and refuses to read more than 4300 of them.
_LONG = 10**18


def ratio_text(weight: Fraction) -> str:
    """Exact text of a ratio; hexadecimal where decimals would be long."""
    parts = weight.numerator, weight.denominator
    return "/".join(str(v) if v < _LONG else hex(v) for v in parts)


def parse_ratio(name: str, text: Any) -> Fraction:
    """The ratio that :func:`ratio_text` wrote; errors call it by this name."""
    try:
        numerator, denominator = (int(part, 0) for part in text.split("/"))
        return Fraction(numerator, denominator)
    except (AttributeError, ValueError, ZeroDivisionError):
        message = f"its {name} are not ratios as text, but have {shown(text)}"
        raise ValueError(message) from None


def parse_ratios(name: str, texts: Any) -> dict[str, Fraction]:
    """Ratios by term."""
    if not isinstance(texts, dict):
        raise ValueError(f"its {name} are not ratios by term")
    check_digits(name, texts.values())
    return {term: parse_ratio(name, text) for term, text in texts.items()}


class Sealed:
    """A dataclass that is written as JSON text, with a digest of its other fields."""

    digest: str
    _what = "a certificate"

    def _as_json(self) -> dict[str, Any]:
        """All fields as JSON can hold them, and the format."""
        own: Any = self
        return {f.name: getattr(self, f.name) for f in fields(own)} | {"format": FORMAT}

    @classmethod
    def _from_fields(cls, values: dict[str, Any]) -> Self:
        """What was written, from what was parsed."""
        raise NotImplementedError  # each kind of record has its own

    def _fingerprint(self) -> str:
        """Digest of all fields but the digest itself."""
        return fingerprint_fields({**self._as_json(), "digest": None})

    def _mistaken_digest(self) -> list[str]:
        try:
            right = self.digest == self._fingerprint()
        except (TypeError, ValueError, RecursionError):
            return ["a field is nothing that a digest could be computed of"]
        return [] if right else ["digest is not that of the other fields"]

    def to_json(self, **kwargs: Any) -> str:
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
        """Read what was written; nothing is computed again, see :meth:`verify`.

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
            If the text has another or an unknown format, or more characters, values or
            digits than this class can have.
        """
        with reading(cls._what, text):
            return cls._from_fields(parsed(text))


@contextmanager
def reading(what: str, text: Any) -> Iterator[None]:
    """Turn errors from reading a text that is not a certificate into one that says so."""
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
    raise ValueError(f"Not {what}: {reason}; text is {shown(text)}.") from None


def of_format(values: Any, expected: set[str]) -> dict[str, Any]:
    """The fields of this format, of which none may be missing or new."""
    if not isinstance(values, dict) or values.get("format") != FORMAT:
        raise ValueError(f"its format is not {FORMAT}")
    if set(values) != {*expected, "format"}:
        raise ValueError(f"its fields must be {sorted(expected)}")
    return {name: value for name, value in values.items() if name != "format"}


def parsed(text: str) -> dict[str, Any]:
    """The fields in a text of JSON within limits."""
    if not isinstance(text, str):
        raise invalid("text", "a text", text)
    check_text(text)
    values = json.loads(text, parse_constant=_refuse_constant)
    if not isinstance(values, dict):
        raise ValueError("it is not an object with fields")
    check_levels(values)
    return values


def _refuse_constant(name: str) -> None:
    raise ValueError(f"it holds {name}, which is not a number of JSON")


def as_read_again(name: str, mapping: Any) -> dict[str, Any]:
    """A mapping as it will be read again; objects that JSON does not know as text."""
    mapping = {} if mapping is None else mapping
    if not isinstance(mapping, Mapping):
        raise invalid(name, "None or a mapping", mapping)
    try:
        text = json.dumps(dict(mapping), default=_plain, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"{name} cannot be kept as JSON ({error}), got {shown(mapping)}."
        ) from None
    read = json.loads(text)
    if "" in read:
        raise invalid(name, "a mapping of names that are not empty", mapping)
    return read


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else str(value)
