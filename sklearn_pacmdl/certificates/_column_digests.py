"""SHA-256 digests of the columns of a table, alike whatever kind of file holds them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..columns import cells_of, frame_columns, is_missing
from ..estimators import is_frame, num_samples
from ..utils._checks import invalid
from ._fields import checked_digests

# How texts begin that may be written in several ways: numbers, dates, truth values.
_BEGINNINGS = frozenset("0123456789+-.,TFWV")
_NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)(e[+-]?\d+)?", re.I | re.ASCII)
# With separators of thousands that cannot be decimal points or commas.
_GROUPED = re.compile(
    r"([+-]?\d{1,3}(?:(?:\.\d{3})+(?=,)|(?:,\d{3})+(?=\.)|(?:\.\d{3}){2,}|(?:,\d{3}){2,}))"
    r"([.,]\d*)?",
    re.ASCII,
)
# With points, days come before months; with slashes, countries differ.
_TIME = re.compile(
    r"(?:(\d{4})-(\d\d)-(\d\d)|(\d\d?)\.(\d\d?)\.(\d{4}))"
    r"(?:[ T](\d\d:\d\d)(?::(\d\d)(?:\.(\d*?)0*)?)?(?:\+00:00|Z)?)?",
    re.ASCII,
)
# As Python and as spreadsheets in English, German and French write them.
_TRUTH = {"True": "true", "TRUE": "true", "WAHR": "true", "VRAI": "true"}
_TRUTH |= {"False": "false", "FALSE": "false", "FALSCH": "false", "FAUX": "false"}
# Rows whose texts are in memory at once.
_N_ROWS = 2**16


class ColumnDigest:
    """Digest of a column that may come in parts.

    It is that of the JSON text ``["column",text,...]``, in ASCII and without spaces, with
    the text of each row, which is empty if its value is missing. Numbers, times and
    booleans that are written in different ways have the same text, and so have line ends.
    """

    def __init__(self) -> None:
        self._sha = sha256(b'["column"')

    def update(self, values: NDArray[Any]) -> None:
        for start in range(0, len(values), _N_ROWS):
            texts = _texts_of(values[start : start + _N_ROWS])
            listed = json.dumps(texts, separators=(",", ":"))
            self._sha.update(f",{listed[1:-1]}".encode())

    def hexdigest(self) -> str:
        whole = self._sha.copy()
        whole.update(b"]")
        return whole.hexdigest()


def fingerprint_columns(data, n_rows=None, names=None) -> dict[str, str]:
    """Digests of the columns of a data frame with these names, by default of all.

    Other columns have an empty text. A mapping has digests already.
    """
    if isinstance(data, Mapping):
        return checked_digests(data)
    is_table = is_frame(data) and hasattr(data, "columns")
    if not is_table or n_rows not in (None, num_samples(data)):
        of_rows = "" if n_rows is None else f" of {n_rows} rows"
        raise invalid("data", f"None or a data frame{of_rows}", data)
    columns = [(str(name), column) for name, column in frame_columns(data)]
    if len({name for name, _ in columns}) < len(columns):
        raise invalid("data", "a data frame that has each column once", data)
    digests = {name: "" for name, _ in columns}
    for name, column in columns:
        if names is None or name in names:
            digest = ColumnDigest()
            digest.update(cells_of(column))
            digests[name] = digest.hexdigest()
    return digests


def _texts_of(values: NDArray[Any]) -> list[str]:
    """A text for each value, by which different files of one table are alike."""
    if values.dtype.kind in "iu":
        return [*map(str, values.tolist())]
    if values.dtype == np.float64:
        return ["" if x != x else _plain_number(x, repr(x)) for x in values.tolist()]
    if values.dtype.kind in "fM":  # such as 0.1 in 32 bits, which is no such float64
        texts = values.astype(str).astype(object)
        texts[values != values] = ""
        values = texts
    cells = values.tolist()
    if {*map(type, cells)} != {str}:
        cells = ["" if is_missing(cell) else str(cell) for cell in cells]
    return [
        plain_text(cell) if cell[:1] in _BEGINNINGS or "\r" in cell else cell
        for cell in cells
    ]


def plain_text(text: str) -> str:
    """A number, a time or a truth value in one of the ways in which people write it."""
    if _NUMBER.fullmatch(text):
        return _plain_number(float(text.replace(",", ".")), text)
    if grouped := _GROUPED.fullmatch(text):
        whole, decimals = grouped.groups("")
        return plain_text(re.sub("[.,]", "", whole) + decimals)
    if time := _TIME.fullmatch(text):
        return _plain_time(*time.groups("")) or text
    if text in _TRUTH:
        return _TRUTH[text]
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _plain_time(y, m, d, day, month, year, *time) -> str | None:
    """In ISO 8601, without seconds and fractions that are 0; None if there is no such."""
    minute, second, fraction = time
    try:
        text = date(int(y or year), int(m or month), int(d or day)).isoformat()
    except ValueError:
        return None
    text += f" {minute}:{second or '00'}" if minute else ""
    text += f".{fraction}" if fraction else ""
    return text.removesuffix(" 00:00:00")


def _plain_number(number: float, text: str) -> str:
    # Digits alone may be an identifier, and "12e45678" a digest: no float is exact then.
    if text.lstrip("+-").isdecimal():
        return str(int(number)) if abs(number) < 2**53 else text.lstrip("+0")
    is_zero = not number and "e" in text.lower()
    if is_zero or Decimal(repr(number)) != Decimal(text.replace(",", ".")):
        return text
    is_whole = number.is_integer() and abs(number) < 2**53
    return str(int(number)) if is_whole else repr(number)
