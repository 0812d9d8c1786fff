"""Reports of audits: certificates, finished data sets, classes."""

from __future__ import annotations

from typing import Any

from ..certificates import BoundCertificate
from ..displays import FinishedLabelsDisplay
from ..utils._checks import invalid
from ._contents import Column, Picture, Section
from ._parts import certified_report
from ._report import Report, make_report


def certificate_report(certificate: BoundCertificate, title: str | None = None) -> Report:
    """Make the report of a certificate, such as that of an audit.

    Parameters
    ----------
    certificate : BoundCertificate
        Of any kind.
    title : str, default=None
        The heading; by default it names the kind.

    Returns
    -------
    report : Report
        The statement, what was assumed, what was counted, and the certificate in full.

    Raises
    ------
    ValueError
        If ``certificate`` is not a certificate.

    See Also
    --------
    sklearn_pacmdl.certify_labels : Returns the certificate of an audit.

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
    if not isinstance(certificate, BoundCertificate):
        raise invalid("certificate", "a BoundCertificate", certificate)
    c = certificate
    counts = [
        Column("rows", ["labeled rows that were compared", "errors among these"]),
        Column("number", [c.n_train, c.n_train_errors]),
    ]
    counted = Section("What was counted", columns=counts)
    return certified_report(title, f"Certificate: {c.kind}", [c], [], [counted])


def finished_report(finished: Any, title: str | None) -> Report:
    """The report of a finished data set."""
    rule = finished.at_targets()
    curve = [
        Column("target", list(rule.index)),
        Column("rows labeled automatically", rule["n_automatic"].tolist()),
        Column("rows left to people", rule["n_to_people"].tolist()),
        Column("chosen target", rule["certified"].tolist()),
    ]
    caption = "Errors that may be left, against the share labeled automatically."
    drawn = Picture(
        lambda: FinishedLabelsDisplay.from_finished(finished).figure_, caption
    )
    n_left = len(finished.to_people)
    shared = (
        f"{finished.share_automatic:.1%} of the rows are labeled automatically, and "
        f"{n_left:,} rows are left to people, the most doubtful first. Audited rows keep "
        "the labels that people gave them."
    )
    others = (
        "What other targets would have led to. Picking one of them because of this table "
        "is a choice that no certificate covers."
    )
    return certified_report(
        title,
        "A finished data set",
        [finished.certificate],
        [Section("Who labels what", [shared])],
        [
            Section("The target", picture=drawn),
            Section("Other targets", [others], curve, folded=True),
        ],
        "Nothing is certified: the audit is too small for the target, so that no row is "
        "labeled automatically.",
    )


def classes_report(report: Any, title: str | None) -> Report:
    """The report of what holds of each class."""
    frame = report.to_frame()
    columns = [Column("class", [str(name) for name in frame.index])]
    sure = not report.caveat
    columns += [
        Column(
            name.replace("_", " "), frame[name].tolist(), sure and name.endswith("_bound")
        )
        for name in frame
        if name != "delta"
    ]
    sections = [
        Section("Classes", ["All bounds hold together."], columns),
        Section("What was assumed", list(report.provisos)),
    ]
    return make_report(title, "What holds of each class", [report.statement], sections)
