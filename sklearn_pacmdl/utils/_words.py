"""Numbers and clauses in words, as statements have them."""

from collections.abc import Sequence
from decimal import Decimal


def confidence(delta: float) -> str:
    """Confidence as text, never rounded up."""
    exact = Decimal(repr(float(delta)))
    # Beyond eight decimals the digits of a percentage would have to be counted.
    if round(exact, 8) == exact:
        return f"With probability at least {(100 * (1 - exact)).normalize():f}%"
    return f"Except with probability {float(delta)!r}"


def joined(clauses: Sequence[str]) -> str:
    """Clauses as a list within a sentence: "A", "A and B", "A, B and C"."""
    *others, last = clauses
    return f"{', '.join(others)} and {last}" if others else last


def percent(count: int, total: int) -> str:
    """A rate in percent, rounded up to two decimals."""
    return f"{-(-10_000 * count // total) / 100:.2f}%"
