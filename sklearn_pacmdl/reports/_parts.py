"""Sections that reports have in common."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..certificates import RANDOM_CHOICE, BoundCertificate
from ._contents import Column, Section

_UNCHECKED = "Not checked: only those who made the data know."


def how_to_read(certificates: Sequence[BoundCertificate]) -> Iterator[Section]:
    """What the probability means, and what is not said."""
    if not certificates:
        return
    delta = max(c.delta for c in certificates)
    several = (
        f" Each of the {len(certificates)} statements holds by itself with this "
        "probability; all of them together need not."
        if len(certificates) > 1
        else ""
    )
    yield Section(
        "How to read this",
        [
            "The probability is that of the random choice of rows. If rows were drawn and"
            " labeled again and again, and a statement was made each time, at most "
            f"{100 * delta:.3g}% of the statements would be wrong.{several} This is not "
            "the probability that one statement is wrong, given what it says.",
            "The statement is about the rows of this data set. Nothing is guaranteed "
            "about other rows, about single rows, or about clusters one by one.",
        ],
    )


def assumptions(certificates: Sequence[BoundCertificate]) -> Iterator[Section]:
    """What was assumed, and whether it was checked."""
    if not certificates:
        return
    first, texts = certificates[0], []
    if first.drawn:
        texts = ["The package drew the labeled rows itself, since all labels are known."]
    checks = [_check(proviso, first) for proviso in first.provisos]
    columns = [Column("assumption", first.provisos), Column("check", checks)]
    yield Section("What was assumed", texts, columns)


def _check(proviso: str, certificate: BoundCertificate) -> str:
    p_value = certificate.facts.get("random_choice_p_value")
    if proviso != RANDOM_CHOICE or not isinstance(p_value, float | int):
        return _UNCHECKED
    if certificate.caveat:
        return (
            f"Tested, and doubtful (p = {p_value:.2g}): the labeled rows do not look "
            "like a random choice. The guarantee does not hold for another choice."
        )
    return (
        f"Tested: the labeled rows look like a random choice (p = {p_value:.2g}). A "
        "choice that passes the test may still not be random."
    )


def for_others(certificates: Sequence[BoundCertificate]) -> Iterator[Section]:
    """The certificates in full, so that anybody can check them."""
    for i, certificate in enumerate(certificates):
        number = f" {i + 1}" if len(certificates) > 1 else ""
        yield Section(
            f"Certificate{number} in full", verbatim=str(certificate), folded=True
        )
        yield Section(
            f"Certificate{number} as JSON, to be verified",
            [
                "Saved as certificate.json, it can be checked with "
                "python -m sklearn_pacmdl verify certificate.json."
            ],
            verbatim=certificate.to_json(),
            folded=True,
        )
