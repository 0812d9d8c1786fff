"""How rows are drawn: single rows, whole groups, or rows of each stratum."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..utils._checks import invalid

Integers: TypeAlias = NDArray[np.int64]
Mask: TypeAlias = NDArray[np.bool_]
Counts: TypeAlias = tuple[tuple[int, int, int, int], ...]

SEED_BITS = 128


# Why parameters go with single rows alone, and what to do instead.
_INSTEAD = {
    "max_annotator_errors": "bounds allow for wrong human labels of single rows only; "
    "let several people label, and settle where they disagree",
    "confidence": "finish_labels, which uses it, needs single rows",
}


def no_rows() -> Integers:
    return np.array([], dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Rows:
    """Single rows, each as likely to be drawn as any other."""

    number: Integers = field(default_factory=no_rows)  # of the group or stratum of a row

    kind: ClassVar[str] = "audit"
    wrong_numbers: ClassVar[str] = "design has numbers of groups or strata"

    def is_for(self, n_rows: int) -> bool:
        """Whether the numbers are such as this design has for so many rows."""
        return not self.number.size

    def of_none(self, rows: Integers) -> Mask:
        """Which of these rows are never drawn."""
        return np.zeros(len(rows), dtype=bool)

    def limits(self, pool: Integers, values: Any) -> tuple[int, int]:
        """The smallest and the largest size; errors show the user's values."""
        return 1, len(pool) - 1

    def size_of(self, rows: Integers) -> int:
        """The size with which these rows were drawn."""
        return len(rows)

    def are_whole(self, rows: Integers, pool: Integers) -> bool:
        """Whether rows of the pool that are drawn together are all drawn, or none."""
        return True

    def draw(self, seed: int, pool: Integers, size: int) -> Integers:
        return pool[_generator(seed).permutation(len(pool))[:size]]

    def parts(self, pool, rows, labeled, wrong) -> Counts | None:
        """Counts of groups or strata for a certificate, by the rows of the pool."""
        return None

    def refuse(self, parameter: str, value: Any) -> None:
        """Refuse a parameter that goes with single rows alone."""

    def as_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "number": self.number.tolist()}


class Parts(Rows):
    """Base class of designs that draw by parts of the rows."""

    least: ClassVar[int] = 0  # number that a row may have

    def is_for(self, n_rows: int) -> bool:
        number = self.number
        if number.shape != (n_rows,) or number.dtype.kind not in "iu":
            return False
        return bool(self.least <= number.min() <= number.max() < n_rows)

    def refuse(self, parameter: str, value: Any) -> None:
        allowed = f"left out where the audit was drawn by {self.kind}"
        raise invalid(parameter, f"{allowed} ({_INSTEAD[parameter]})", value)

    def by_part(self, pool: Integers) -> list[Integers]:
        """The rows of the pool in each part, by its number."""
        order = np.argsort(self.number[pool], kind="stable")
        _, first = np.unique(self.number[pool[order]], return_index=True)
        return np.split(pool[order], first[1:])


class Groups(Parts):
    """Whole groups, whose rows are drawn group by group."""

    kind = "groups"
    wrong_numbers = "groups are not numbers of groups, one for each row"

    def limits(self, pool: Integers, values: Any) -> tuple[int, int]:
        n_groups = len(np.unique(self.number[pool]))
        if n_groups < 2:
            raise invalid("groups", "at least two groups that may be drawn", values)
        return 1, n_groups - 1

    def size_of(self, rows: Integers) -> int:
        return len(np.unique(self.number[rows]))

    def are_whole(self, rows: Integers, pool: Integers) -> bool:
        together = pool[np.isin(self.number[pool], self.number[rows])]
        return np.array_equal(together, np.sort(rows))

    def draw(self, seed: int, pool: Integers, size: int) -> Integers:
        rows_of = self.by_part(pool)
        chosen = super().draw(seed, np.arange(len(rows_of)), size)
        return np.concatenate([rows_of[k] for k in chosen.tolist()])

    def parts(self, pool: Integers, rows: Integers, labeled: Mask, wrong: Mask) -> Counts:
        number = self.number[pool]
        n_rows = np.bincount(number[labeled])
        n_wrong = np.bincount(number[labeled & wrong], minlength=len(n_rows))
        # A group without a label says nothing, and is known before.
        order = dict.fromkeys(self.number[rows].tolist())
        audited = [k for k in order if k < len(n_rows) and n_rows[k]]
        others = np.setdiff1d(np.flatnonzero(n_rows), audited)
        times = Counter(sorted(n_rows[others].tolist()))
        counts = zip(n_rows[audited].tolist(), n_wrong[audited].tolist(), strict=True)
        return (
            *((1, size, size, errors) for size, errors in counts),
            *((k, size, 0, 0) for size, k in times.items()),
        )


@dataclass(frozen=True, eq=False)
class Strata(Parts):
    """Rows of each stratum; rows of none are numbered -1, and not drawn."""

    # How the size is divided: one of SHARES, or rows to draw of each stratum, by number.
    allocation: str | tuple[int, ...] = "equal"
    names: tuple[str, ...] = ()  # by number, for errors

    kind = "strata"
    wrong_numbers = "strata are not numbers of strata, one for each row"
    least = -1

    def is_for(self, n_rows: int) -> bool:
        if not super().is_for(n_rows):
            return False
        if isinstance(self.allocation, tuple):
            return len(self.allocation) == self.number.max() + 1
        return isinstance(self.allocation, str) and self.allocation in SHARES

    def of_none(self, rows: Integers) -> Mask:
        return self.number[rows] < 0

    def limits(self, pool: Integers, values: Any) -> tuple[int, int]:
        number = self.number[pool]
        number = number[number >= 0]
        n_strata = len(np.unique(number))
        if n_strata < 2 or n_strata == len(number):
            allowed = "at least two strata, one of them with two rows that may be drawn"
            raise invalid("strata", allowed, values)
        if isinstance(self.allocation, tuple):
            n_rows = np.bincount(number, minlength=len(self.allocation))
            sizes = np.array(self.allocation)
            least = np.minimum(n_rows, 1)  # none of a stratum that may not be drawn
            if np.any((sizes < least) | (sizes > n_rows)) or sizes.sum() == len(number):
                most, got = (
                    dict(zip(self.names, each, strict=True))
                    for each in (n_rows.tolist(), self.allocation)
                )
                rows = f"the rows of each stratum that may be drawn, {most},"
                raise invalid("allocation", f"from 1 to {rows} and fewer in all", got)
        return n_strata, len(number) - 1

    def draw(self, seed: int, pool: Integers, size: int) -> Integers:
        rng = _generator(seed)
        rows_of = self.by_part(pool[self.number[pool] >= 0])
        if isinstance(self.allocation, str):
            shares = SHARES[self.allocation](np.array([*map(len, rows_of)]), size)
        else:
            numbers = [self.number[rows[0]] for rows in rows_of]
            shares = np.array(self.allocation)[numbers]
        samples = [
            rows[rng.permutation(len(rows))[:n]]
            for rows, n in zip(rows_of, shares.tolist(), strict=True)
        ]
        rows = np.concatenate(samples)
        # People should not know by the order which stratum a row is of.
        return rows[rng.permutation(len(rows))]

    def as_json(self) -> dict[str, Any]:
        equal = self.allocation == "equal"  # as in files that say nothing of it
        return super().as_json() | ({} if equal else {"allocation": self.allocation})

    def parts(self, pool: Integers, rows: Integers, labeled: Mask, wrong: Mask) -> Counts:
        # Rows of no stratum are another one, of which no row was audited.
        number = self.number[pool] + 1
        audited = labeled & np.isin(pool, rows)
        counts = by_number(number, labeled, audited, audited & wrong)
        return tuple((1, *each) for each in counts if each[0])


DESIGNS: dict[str, type[Rows]] = {each.kind: each for each in (Rows, Groups, Strata)}


def by_number(number: NDArray[Any], *parts: Any) -> Any:
    """How many rows of each part have each number, from 0 on."""
    counts = [np.bincount(number[rows], minlength=number.max() + 1) for rows in parts]
    return np.column_stack(counts).tolist()


def _generator(seed: int) -> np.random.RandomState:
    words = [seed >> shift & 0xFFFFFFFF for shift in range(0, SEED_BITS, 32)]
    # RandomState because NumPy has frozen its stream; a Generator's may change.
    return np.random.RandomState(np.array(words, dtype=np.uint32))


def _equal_shares(n_rows: Integers, size: int) -> Integers:
    """Rows to draw of each stratum: all of small ones, and one more of the largest."""

    def n_drawn(most: int) -> int:
        return int(np.minimum(n_rows, most).sum())

    most = bisect_right(range(int(n_rows.max(initial=0)) + 1), size, key=n_drawn) - 1
    shares = np.minimum(n_rows, most)
    largest = np.argsort(-n_rows, kind="stable")
    shares[largest[: size - n_drawn(most)]] += 1
    return shares


def _proportional_shares(n_rows: Integers, size: int) -> Integers:
    """Rows to draw of each stratum: its share, but one at least."""
    shares, left = np.zeros_like(n_rows), size
    while np.any(small := (shares == 0) & (left * n_rows < n_rows[shares == 0].sum())):
        shares[small] = 1
        left = size - int(shares.sum())
    open_ = shares == 0
    quotas, rest = np.divmod(left * n_rows[open_], n_rows[open_].sum())
    # What rounding left goes to the largest remainders, and to the first of equal ones.
    quotas[np.argsort(-rest, kind="stable")[: left - quotas.sum()]] += 1
    shares[open_] = quotas
    return shares


SHARES: dict[str, Callable[[Integers, int], Integers]] = {
    "equal": _equal_shares,
    "proportional": _proportional_shares,
}
