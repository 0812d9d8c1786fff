"""Sections that reports have in common."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..certificates import RANDOM_CHOICE, BoundCertificate
from ._contents import Column, Section
from ._report import Report, make_report

_UNCHECKED = "Not checked: only those who made the data know."


def certified_report(
    title: str | None,
    default_title: str,
    certificates: Sequence[BoundCertificate | None],
    first: Sequence[Section],
    then: Sequence[Section],
    instead: str = "",
) -> Report:
    """The report of what certificates guarantee; None stands for no certificate.

    What was assumed is between the first sections and the others; `instead` says why
    there is no certificate.
    """
    issued = [certificate for certificate in certificates if certificate is not None]
    before = [_how_to_read(issued), _assumptions(issued[0])] if issued else []
    return make_report(
        title,
        default_title,
        [certificate.statement for certificate in issued],
        [*first, *before, *then, *_in_full(issued)],
        instead,
    )


def _how_to_read(certificates: Sequence[BoundCertificate]) -> Section:
    """What the probability means, and what is not said."""
    delta = max(c.delta for c in certificates)
    several = (
        f" Each of the {len(certificates)} statements holds by itself with this "
        "probability; all of them together need not."
        if len(certificates) > 1
        else ""
    )
    return Section(
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


def _assumptions(first: BoundCertificate) -> Section:
    """What was assumed, and whether it was checked."""
    texts = []
    if first.drawn:
        texts = ["The package drew the labeled rows itself, since all labels are known."]
    checks = [_check(proviso, first) for proviso in first.provisos]
    columns = [Column("assumption", first.provisos), Column("check", checks)]
    return Section("What was assumed", texts, columns)


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


def _in_full(certificates: Sequence[BoundCertificate]) -> Iterator[Section]:
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
