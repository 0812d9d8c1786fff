"""Reports of certificates and audits: what holds, what is assumed, what was found."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import ceil, floor, nan
from typing import Any

import numpy as np

from ..certificates import Certificate, Verification, clauses, verification_lines
from ..displays import FinishedLabelsDisplay, RangesDisplay
from ..utils._checks import invalid
from ._page import Column, Picture, Report, Section, make_report

# What bounds are rounded by, so that none seems better than it is.
_ROUNDED: dict[str, Any] = {"lower": floor, "upper": ceil, "": round}
# Lines of a picture, of which readers compare no more.
_MOST_DRAWN = 12
# Columns of names, which are before the numbers.
_NAMES = "what", "segment", "class"
_UNCHECKED = "Not checked: only those who made the data know."
_DRAWN = "The package drew the labeled rows itself, since all labels are known."
# Columns of the table of targets, and their heads.
_TARGET_HEADS = {
    "target": "target",
    "n_automatic": "rows labeled automatically",
    "n_to_annotators": "rows left to people",
    "certified": "chosen target",
}


def certificate_report(
    certificate: Certificate,
    title: str | None = None,
    *,
    verification: Verification | None = None,
) -> Report:
    """Make the report of a certificate, or of its verification with the data.

    Parameters
    ----------
    certificate : Certificate
        Of any kind.
    title : str, default=None
        The heading; by default it names the kind.
    verification : Verification, default=None
        What its ``verify`` returned, such as with the data. By default, the certificate
        is verified without them.

    Returns
    -------
    report : Report
        The statement, the outcome of the verification, what was assumed, a picture, what
        was counted, and the certificate in full. If it does not agree or cannot be read,
        only the problems.

    Raises
    ------
    ValueError, TypeError
        If ``certificate`` or ``verification`` is not as described.

    Examples
    --------
    >>> from sklearn_pacmdl.certificates import BoundCertificate
    >>> from sklearn_pacmdl.reports import certificate_report
    >>> certificate = BoundCertificate.from_counts(
    ...     n_train=100, n_test=900, n_train_errors=2, weights={}, delta=0.05
    ... )
    >>> report = certificate_report(certificate, title="Topics of 2025")
    >>> report.save("topics.html")  # doctest: +SKIP
    """
    if not isinstance(certificate, Certificate):
        raise invalid("certificate", "a certificate", certificate)
    if verification is None:
        verification = certificate.verify()
    if not isinstance(verification, Verification):
        raise invalid("verification", "what verify returned, or None", verification)
    if not verification:
        return without_statement("certificate", verification, title)
    heading, then = f"Certificate: {certificate.kind}", [*_numbers(certificate)]
    first = [_compared("certificate", verification)]
    return certified_report(title, heading, [certificate], first, then)


def audit_report(
    audit: Any, title: str | None = None, *, verification: Verification | None = None
) -> Report:
    """The report of a drawing, or of its verification with the data."""
    if verification is None:
        verification = audit.verify()
    if not verification:
        return without_statement("audit", verification, title)
    n_rows, n_pool = audit.n_rows, len(audit.pool)
    counts = {"drawn": audit.size, "could have been": n_pool - audit.size}
    counts |= {"too doubtful": len(audit.doubtful), "excluded": len(audit.excluded)}
    counts = {name: count for name, count in counts.items() if count}
    ends = np.cumsum([0, *counts.values()]) / n_rows
    drawn = _picture(
        "What became of the rows.",
        names=[f"{name}: {count:,}" for name, count in counts.items()],
        ranges={"rows": [(low, nan, high) for low, high in pairwise(ends)]},
        xlabel="Share of all rows",
    )
    facts = zip(("what", "which"), zip(*audit.facts, strict=True), strict=True)
    assumed = [f"Statements will assume that {clause}." for clause in audit.provisos]
    sections = [
        _compared("audit", verification),
        Section("The rows", picture=drawn),
        Section("The drawing", assumed, [Column(*fact) for fact in facts]),
    ]
    instead = (
        f"{audit.size:,} of {n_pool:,} rows were drawn for people to label. The drawing "
        "alone certifies nothing."
    )
    return make_report(title, "An audit", [], sections, instead)


def _compared(what: str, verification: Verification) -> Section:
    """The outcome of a verification, and what was compared."""
    texts = [f"This {what} {verification.outcome}."]
    lines = "\n".join(verification_lines(verification))
    return Section("Verification", texts, verbatim=lines)


def without_statement(
    what: str, verification: Verification, title: str | None = None
) -> Report:
    """The report of a file that does not agree or cannot be read."""
    problems = "; ".join(verification.problems)
    instead = f"This {what} {verification.outcome}: {problems}."
    sections = [_compared(what, verification)]
    return make_report(title, what.capitalize(), [], sections, instead)


def _picture(caption: str, **fields: Any) -> Picture:
    n_ranges = len(fields["names"]) * len(fields["ranges"])
    height = 1.9 + 0.25 * n_ranges
    return Picture(lambda: RangesDisplay(**fields).plot().figure_, caption, height)


def _numbers(certificate: Any) -> Iterator[Section]:
    """What was counted and is certified: shares between bounds in a picture, a table."""
    columns, marks = certificate.numbers
    named = {name: [*map(str, columns[name])] for name in _NAMES if name in columns}
    names = [", ".join(each) for each in zip(*named.values(), strict=True)]
    table, ranges = [Column(name, values) for name, values in named.items()], {}
    for name, values in columns.items():
        if name in named or name == "delta":  # of each class, for programs
            continue
        before, end, _ = re.split("(lower|upper|$)", name, maxsplit=1)
        sure = end != "" and not certificate.caveat
        heading = name.removeprefix("n_").replace("_", " ")
        table.append(Column(heading, values, sure, _ROUNDED[end]))
        if end == "lower" and isinstance(values[0], float):
            high = columns.get(f"{before}upper", [1.0] * len(names))
            estimates = columns.get(f"{before}estimate", [nan] * len(names))
            limits = [*zip(values, estimates, high, strict=True)][:_MOST_DRAWN]
            ranges[before.strip("_") or "certified"] = limits
    if not table:  # of a kind that others defined
        return
    if ranges:
        caption = "What is certified, as bars, and what was estimated, as lines in them."
        if len(names) > _MOST_DRAWN:
            caption += f" These are the first {_MOST_DRAWN} of {len(names)}."
        drawn = {"names": names[:_MOST_DRAWN], "ranges": ranges, "marks": marks}
        picture = _picture(caption, **drawn, xlabel="Share")
        yield Section("In a picture", picture=picture)
    text = "All bounds hold together."
    yield Section("In numbers", [text], table)


def finished_report(finished: Any, title: str | None) -> Report:
    n_left = len(finished.to_annotators)
    shared = (
        f"{finished.share_automatic:.1%} of the rows are labeled automatically, and "
        f"{n_left:,} rows are left to people, the most doubtful first. Audited rows keep "
        "the labels that people gave them."
    )
    first = [Section("Who labels what", [shared])]
    name, certificate = "A finished data set", finished.certificate
    if hasattr(certificate, "certificates"):  # of segments, each with its own rule
        then = [*_numbers(certificate)]
        return certified_report(title, name, [certificate], first, then)
    rule = finished.at_targets().reset_index()
    curve = [Column(head, rule[name].tolist()) for name, head in _TARGET_HEADS.items()]
    caption = "Errors that may be left, against the share labeled automatically."
    drawn = Picture(
        lambda: FinishedLabelsDisplay.from_finished(finished).figure_, caption
    )
    note = (
        "What other targets would have led to. Picking one of them because of this table "
        "is a choice that no certificate covers."
    )
    instead = (
        "Nothing is certified: the audit is too small for the target, so that no row is "
        "labeled automatically."
    )
    then = [Section("The target", picture=drawn)]
    then.append(Section("Other targets", [note], curve, folded=True))
    return certified_report(title, name, [certificate], first, then, instead)


def certified_report(
    title: str | None,
    default_title: str,
    certificates: Sequence[Certificate | None],
    first: Sequence[Section],
    then: Sequence[Section],
    instead: str = "",
) -> Report:
    """The report of what certificates guarantee; None stands for no certificate.

    What was assumed is between the first sections and the others; `instead` says why
    there is no certificate.
    """
    issued = [each for each in certificates if each is not None]
    before = []
    if issued:
        provisos, drawn = issued[0].provisos, getattr(issued[0], "drawn", False)
        checks = [_check(proviso, issued[0]) for proviso in provisos]
        columns = [Column("assumption", provisos), Column("check", checks)]
        assumed = Section("What was assumed", [_DRAWN] * drawn, columns)
        before = [_how_to_read(issued), assumed]
    in_full = []  # so that anybody can check them
    command = "pacmdl verify certificate.json"
    texts = [f"Saved as certificate.json, it can be checked with {command}."]
    for i, certificate in enumerate(issued, start=1):
        name = f"Certificate {i}" if len(issued) > 1 else "Certificate"
        text, json = str(certificate), certificate.to_json()
        in_full.append(Section(f"{name} in full", verbatim=text, folded=True))
        heading = f"{name} as JSON, to be verified"
        in_full.append(Section(heading, texts, verbatim=json, folded=True))
    sections = [*first, *before, *then, *in_full]
    statements = [certificate.statement for certificate in issued]
    return make_report(title, default_title, statements, sections, instead)


def _how_to_read(certificates: Sequence[Certificate]) -> Section:
    """What the probability means, and what is not said."""
    delta, n, several = max(c.delta for c in certificates), len(certificates), ""
    if n > 1:
        several = (
            f" Each of the {n} statements holds by itself with this probability; all of "
            "them together need not."
        )
    divided = " and of their division" * any(c.also_random for c in certificates)
    probability = (
        f"The probability is that of the random choice of rows{divided}. If rows were "
        "drawn and "
        f"labeled again and again, at most {100 * delta:.3g}% of the statements would be "
        f"wrong.{several} This is not the probability that one statement is wrong, given "
        "what it says."
    )
    rows = (
        "The statement is about the rows of this data set. Nothing is guaranteed about "
        "other rows, about single rows, or about a part of these rows that has no bound."
    )
    return Section("How to read this", [probability, rows])


def _check(proviso: str, certificate: Certificate) -> str:
    if clauses.is_foreign(proviso, certificate.assumed):
        return "Not checked: stated by the author of the certificate."
    p_value = certificate.random_choice_p_value
    if "uniformly" not in proviso or p_value is None:  # what was chosen at random
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
