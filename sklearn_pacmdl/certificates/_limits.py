"""Limits on what files may hold, checked before anything is computed from it.

Files come from anybody. Within these limits they are read and verified in two seconds and
500 MB; certificates by clusters, whose bounds take longer, in about as long as it takes
to issue the largest ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from itertools import chain
from os import PathLike
from typing import Any

from ..bounds import MAX_COUNT, MAX_TABLE
from ._arithmetic import factor_of

# A text of JSON: an audit with two million row numbers has 20 million characters. Of the
# values that JSON can hold, objects with one entry take the most memory, 232 bytes.
MOST_CHARACTERS, MOST_VALUES, MOST_LEVELS = 2**25, 2**21, 50
# Rows that an audit may list, drawn and excluded ones together.
MOST_LISTED = 2_000_000
# Rows from which an audit is drawn again: .7 s and 162 MB.
MOST_ROWS = 10_000_000
# Binary digits of all weights together: 40,000 clusters of a hundred classes, whose names
# are paid for, have 600,000. Greatest common divisors take time that grows with the
# square: 1 s for so many.
MOST_BITS = 2**20
# Entries of fields. Classes and clusters take a microsecond each; the others are few.
MOST_ENTRIES = {
    "weights": 100,
    "bits": 100,
    "provisos": 100,
    "subject": 1000,
    "facts": 1000,
    "classes": 2**18,
    "clusters": 2**18,
}
# Errors on labeled rows: terms of a tail are a multiple of the square root, .3 s for so
# many errors.
MOST_ERRORS = 2**44
# Cells of the tables of all clusters for a range of numbers of errors, at 5 ns each and
# with what each table takes besides. A thousand clusters of 10,000 rows have fewer.
MOST_CELLS, CELLS_OF_A_TABLE, CELLS_OF_A_ROW = 3 * 10**8, 30_000, 20


def read_text(path: str | PathLike[str]) -> str:
    """The text in a file, of which no more is read than a text may have."""
    try:
        with open(path, encoding="utf-8") as file:
            return file.read(MOST_CHARACTERS + 1)
    except UnicodeDecodeError as error:
        raise ValueError(f"it must be a text in UTF-8: {error}.") from None


def check_text(text: str) -> None:
    """Refuse a text of JSON that is too long, before it is parsed."""
    if len(text) > MOST_CHARACTERS:
        raise ValueError(f"it has more than {MOST_CHARACTERS} characters")
    # All values but the first of a list or object come after a comma. Those in texts are
    # counted too.
    n_values = sum(map(text.count, ",[{"))
    if n_values > MOST_VALUES:
        raise ValueError(f"it has more than {MOST_VALUES} values: {n_values}")


def check_levels(values: Any) -> None:
    """Refuse values that are nested more deeply than functions can call themselves."""
    level = [values]
    for _ in range(MOST_LEVELS):
        inner = chain.from_iterable(
            value.values() if isinstance(value, dict) else value for value in level
        )
        level = [value for value in inner if isinstance(value, dict | list)]
    if level:
        raise ValueError(f"it is nested more than {MOST_LEVELS} levels deep")


def check_digits(name: str, texts: Iterable[Any]) -> None:
    """Refuse ratios with too many digits, as text, before they are parsed."""
    # Hexadecimal ones, without two prefixes, a slash, and digits that begin.
    lengths = [len(text) - 7 if isinstance(text, str) else 0 for text in texts]
    if sum(lengths) > MOST_BITS // 4:
        raise ValueError(
            f"its {name} have more than {MOST_BITS // 4} digits: {sum(lengths)}"
        )


def beyond_limits(certificate: Any) -> list[str]:
    """Fields that are too large to compute anything from, whatever they hold."""
    c = certificate
    sizes = {name: getattr(c, name) for name in MOST_ENTRIES}
    problems = [
        f"{name} has more than {MOST_ENTRIES[name]} entries: {len(value)}"
        for name, value in sizes.items()
        if isinstance(value, Mapping | tuple) and len(value) > MOST_ENTRIES[name]
    ]
    if n_bits(c) > MOST_BITS:
        problems.append(f"weights have more than {MOST_BITS} binary digits: {n_bits(c)}")
    return problems


def n_bits(certificate: Any) -> int:
    """Binary digits of all weights."""
    weights = certificate.weights
    ratios = weights.values() if isinstance(weights, Mapping) else ()
    return sum(
        part.bit_length()
        for ratio in ratios
        if isinstance(ratio, Fraction | int)
        for part in ratio.as_integer_ratio()
    )


def takes_too_long(certificate: Any) -> list[str]:
    """Whether the bound takes too long to compute, where all fields are well-formed."""
    c = certificate
    n_rows = sum(times * n for times, n, _, _ in c.clusters)
    if n_rows > MAX_COUNT:
        return [f"clusters have more than {MAX_COUNT} rows: {n_rows}"]
    if n_cells(c) > MOST_CELLS:
        return [f"clusters need tables of more than {MOST_CELLS} cells: {n_cells(c)}"]
    return []


def n_cells(certificate: Any) -> int:
    """Cells of all tables that the bound takes for a range of numbers of errors."""
    if factor_of(certificate.facts) == "closed":
        return 0
    # Clusters without labels, and those with labels only, say nothing.
    sizes = {(n, m) for _, n, m, _ in certificate.clusters if 0 < m < n}
    return sum(
        n * (m + CELLS_OF_A_ROW) + CELLS_OF_A_TABLE
        for n, m in sizes
        if n * m <= MAX_TABLE
    )
