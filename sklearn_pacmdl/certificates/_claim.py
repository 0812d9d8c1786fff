"""The statement of a certificate: its probability, its claim and its assumptions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

from ._kinds import kind_of

if TYPE_CHECKING:
    from ._certificate import BoundCertificate


def statement_of(certificate: BoundCertificate) -> str:
    """The statement of a certificate with well-formed fields, as a sentence."""
    c = certificate
    n_labeled = c.n_train + c.n_train_abstained + c.n_select
    choice = [f"the {n_labeled} labeled rows"]
    return sentence(c.delta, choice + also_random([c]), claim_of(c), c.provisos)


def claim_of(certificate: BoundCertificate) -> str:
    """The statement without its probability and its provisos."""
    c = certificate
    given = " that are given a label" if c.n_test_abstained else ""
    return (
        f"at most {c.max_test_errors} of the {c.n_test} {other_rows(c)} rows{given} "
        f"({percent(c.max_test_errors, c.n_test)}) are labeled wrongly"
    )


def other_rows(certificate: BoundCertificate) -> str:
    """What the rows without a visible label are called."""
    return "held-out" if certificate.drawn else "unlabeled"


def also_random(certificates: Iterable[BoundCertificate]) -> list[str]:
    """What is random besides the choice of the labeled rows, each once."""
    phrases = (kind_of(certificate.kind).also_random for certificate in certificates)
    return [phrase for phrase in dict.fromkeys(phrases) if phrase]


def sentence(
    delta: float, choice: Sequence[str], claim: str, provisos: Sequence[str]
) -> str:
    """Join probability, random choice, claim and provisos to a sentence."""
    stated = f"{confidence(delta)} over the random choice of {joined(choice)}, {claim}"
    return f"{stated}, provided {joined(provisos)}." if provisos else f"{stated}."


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
