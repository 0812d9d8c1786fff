"""Files of annotation tools: JSON records, whose values are named by paths."""

from __future__ import annotations

import json
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import Any

from ..certificates import without_repeats
from ..columns import SEVERAL_LABELS
from ..utils._checks import shown
from ..utils._writing import Write

_ENDINGS = ".json", ".jsonl"
# Of responses in Argilla; others are submitted.
_NO_ANSWERS = "draft", "discarded"


def is_for_records(path: str | PathLike[str]) -> bool:
    return Path(path).suffix.lower() in _ENDINGS


def read_records(path: str | PathLike[str], names: Iterable[str]) -> dict[str, list[Any]]:
    """The values at these paths, such as "data.row", in every record; None if missing."""
    records = read_all_records(path)
    return {name: values_at(records, name) for name in names}


def values_at(records: Iterable[Any], path: str) -> list[Any]:
    """The value at a path in every record; None if it is missing."""
    return [_value(record, path) for record in records]


def as_records(table: Any, path: Path) -> Write:
    """Write a data frame as a list of records, or one record a line."""
    # pandas itself writes at most 15 digits.
    cells = table.astype(object).where(table.notna(), None)
    records = cells.rename(columns=str).to_dict("records")

    def plain(value):
        return value.item() if hasattr(value, "item") else str(value)

    lines = [json.dumps(each, ensure_ascii=False, default=plain) for each in records]
    if path.suffix.lower() == ".jsonl":
        return lambda file: file.writelines(f"{line}\n" for line in lines)
    return lambda file: file.write(f"[{','.join(lines)}]")


def read_all_records(path: str | PathLike[str]) -> list[Any]:
    path = Path(path)
    try:
        text = path.read_bytes().decode("utf-8-sig")
        if path.suffix.lower() == ".jsonl":
            lines = enumerate(text.split("\n"), 1)
            records = [_parsed(line, i) for i, line in lines if line.strip()]
        else:
            records = _parsed(text)
    except RecursionError:
        raise ValueError("its values are nested too deeply") from None
    except ValueError as error:
        raise ValueError(f"it is no JSON in UTF-8: {error}") from None
    if not isinstance(records, list) or not all(isinstance(r, dict) for r in records):
        raise ValueError("it is no list of records")
    return records


def _parsed(text: str, line: int = 1) -> Any:
    """A value of JSON; errors count from this line."""
    try:
        return json.loads(text, object_pairs_hook=without_repeats)
    except json.JSONDecodeError as error:
        where = f"line {line + error.lineno - 1} column {error.colno}"
        raise ValueError(f"{error.msg}: {where}") from None
    except ValueError as error:
        raise ValueError(f"{error}, from line {line} on") from None


def _value(record: Any, path: str) -> Any:
    """The value at a path, which must be the only one there."""
    value = record
    for key in path.split("."):
        siblings = value
        value = _step(value, key)
    several = isinstance(siblings, list) and len(siblings) > 1
    if several or isinstance(value, list | dict):
        values = shown(siblings if several else value)
        what = f"{path} must lead to one value in each record, got {values}."
        raise ValueError(f"{what}{SEVERAL_LABELS}".removesuffix("."))
    return value


def _step(value: Any, key: str) -> Any:
    """What is under a key, at a position of a list, or has this "key=value" in a list."""
    if isinstance(value, dict):
        return value.get(key)
    if not isinstance(value, list):
        return None
    if key.isdecimal():
        item = value[int(key)] if int(key) < len(value) else None
        return None if _is_withdrawn(item) else item
    name, _, wanted = key.partition("=")
    matching = [v for v in value if isinstance(v, dict) and _is(v.get(name), wanted)]
    if len(matching) > 1:
        raise ValueError(
            f"{key} must be true of one item of a list, got {shown(matching)}"
        )
    return matching[0] if matching else None


def _is(value: Any, wanted: str) -> bool:
    """Whether this is the value as Python or JSON writes it."""
    is_plain = not isinstance(value, list | dict)
    return str(value) == wanted or (is_plain and json.dumps(value) == wanted)


def _is_withdrawn(item: Any) -> bool:
    """Whether this is an annotation that Label Studio or Argilla holds, but no answer."""
    if not isinstance(item, dict):
        return False
    return item.get("was_cancelled") is True or item.get("status") in _NO_ANSWERS
