"""How certificates put things into words."""

from decimal import Decimal

#: First proviso of every certificate whose labeled rows the package did not draw.
RANDOM_CHOICE = "the labeled rows are a uniformly random choice"


def confidence(delta):
    """Confidence as text, never rounded up."""
    exact = Decimal(repr(float(delta)))
    if round(exact, 8) == exact:
        return f"With probability at least {(100 * (1 - exact)).normalize():f}%"
    return f"Except with probability {float(delta)!r}"


def sentence(delta, choice, claim, provisos):
    """One sentence: how sure, over which random choice, what, and under what proviso."""
    stated = f"{confidence(delta)} over the random choice of {choice}, {claim}"
    return f"{stated}, provided {joined(provisos)}." if provisos else f"{stated}."


def joined(clauses):
    """Clauses as a list within a sentence: "A", "A and B", "A, B and C"."""
    *others, last = clauses
    return f"{', '.join(others)} and {last}" if others else last


def percent(count, total):
    """A rate in percent, rounded up to two decimals."""
    return f"{-(-10_000 * count // total) / 100:.2f}%"
