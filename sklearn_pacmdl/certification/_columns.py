"""Which columns of a table are labelings."""

import re
from collections.abc import Callable, Sequence

from ..utils._checks import invalid, is_iterable
from ..utils._labelings import refuse_columns

#: Names, patterns of names, or a function that tells of a name whether it is meant.
Columns = str | Sequence[str] | Callable[[str], bool] | None


def choose_columns(names: Sequence[str], columns: Columns) -> list[str]:
    """Names of the columns that are meant, in the order of the table.

    Raises
    ------
    ValueError
        If ``columns`` is not as described, or an entry of it is about no column.
    """
    if columns is None:
        return list(names)
    if callable(columns) and not isinstance(columns, type):
        chosen = {name for name in names if columns(name)}
        unknown = [] if chosen else [columns]
    else:
        entries = [columns] if isinstance(columns, str) else columns
        if not is_iterable(entries) or not all(isinstance(e, str) for e in entries):
            allowed = "None, a name, a pattern, a list of these or a function of names"
            raise invalid("columns", allowed, columns)
        matches = {entry: _matches(entry, names) for entry in entries}
        chosen = {name for match in matches.values() for name in match}
        unknown = [entry for entry, match in matches.items() if not match]
    if unknown or not chosen:
        allowed = f"about columns of labelings, which are {list(names)}"
        raise invalid("columns", allowed, unknown[0] if unknown else columns)
    return [name for name in names if name in chosen]


def _matches(entry, names):
    """The column of this name, or those that fit, where * stands for any text."""
    pattern = ".*".join(map(re.escape, entry.split("*")))
    fitting = [name for name in names if re.fullmatch(pattern, name, flags=re.DOTALL)]
    return [entry] if entry in names else fitting


def check_columns(names: Sequence[str], reasons: Sequence[str | None]) -> None:
    """Refuse columns that are no labelings, for these reasons."""
    remedy = "Leave them out by columns=, a list of names or a pattern such as 'leiden_*'"
    refuse_columns("labelings", dict(zip(names, reasons, strict=True)), remedy)
