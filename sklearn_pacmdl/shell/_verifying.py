"""Verification of files of certificates and audits, with the data or without."""

from __future__ import annotations

import warnings
from argparse import Namespace
from collections.abc import Iterable, Iterator
from decimal import Decimal
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..audits import Audit, AuditedCertificate, finish_labels
from ..certificates import (
    OUTCOMES,
    BoundCertificate,
    Certificate,
    Verification,
    called,
    not_covered,
    parsed,
    read_text,
    reading,
    verification_lines,
    verification_of,
)
from ..reports import audit_report, certificate_report, without_statement
from ..utils._checks import shown
from ..utils._printable import escaped
from ..utils._table_columns import (
    AUTOMATIC,
    CERTIFIED,
    CERTIFY,
    CLUSTER,
    HUMAN,
    LABEL,
    ROW,
    SELECT,
    SOURCE,
    USE,
)
from ..worksheets import import_pandas
from ._console import errors_name, figures_of, print_json, tell
from ._finishing import SOURCES, source_of
from ._inputs import Inputs, column_of, read_audit
from ._outputs import check_free, write_outputs

*_, DISAGREES, UNREADABLE = OUTCOMES
# What is compared, and how it is given, where it is not.
OF_SEARCHES = {
    "y": "labels that the search was given (--y)",
    "labels": "labels of all rows (--labels)",
    "certifying": "labeled rows that certify (--certifying)",
    "row_order": "order of the rows (in Python, row_order=)",
    "data": "table of all rows (--data)",
}
OF_AUDITS = {
    "first": "first labeling (in Python, first=)",
    "second": "second labeling (in Python, second=)",
    "audit_labels": "human labels (--answers)",
    "labels": "automatic labels (--labels)",
    "audit": "audit (--audit)",
    "by": "segments (--by)",
    "confidence": "confidences (--confidence)",
    "data": "table of all rows (--data)",
    "finished_labels": f"labels of the finished data set (column {LABEL!r})",
}
# Options that are read where the data are compared.
WITH_DATA = ["labels", "confidence", "y", "certifying", "audit", "answers"]
WITH_DATA += ["settled", "key", "by"]
# What no file shows.
FIXED_BEFORE = (
    "if candidates, settings and seeds of all were fixed before the first result"
)


def verify(args: Namespace) -> str:
    """Say of each file what it is, and return the worst outcome."""
    paths = args.certificate
    if not args.data:  # the outcome would be read as if these had been compared
        _refuse(args, WITH_DATA, "require --data, the file of all rows")
    if len(paths) > 1:
        several = f"must be left out for several files, got {len(paths)}"
        _refuse(args, ["data", "json", "report"], f"{several}: verify each by itself")
    outcomes, records = [], {}
    for path in paths:
        of_one = Namespace(**{**vars(args), "certificate": path})
        outcome, record = _verify_file(of_one, f"{path}: " * (len(paths) > 1))
        outcomes.append(outcome)
        if record is not None:
            records[path] = record
    if len(paths) > 1:
        print("\n".join(_together(records)))
    return max(outcomes, key=OUTCOMES.index)


def _verify_file(args: Namespace, where: str) -> tuple[str, Any]:
    """Print the outcome of one file; what it holds is returned if there is no problem."""
    path = escaped(args.certificate)
    check_free(args, [])
    try:
        with errors_name(args.certificate):
            text = read_text(args.certificate)
            with reading("a certificate or an audit", text):
                values = parsed(text)
            kind: Any = Certificate if "kind" in values else Audit
            record = kind.from_json(text)
    except (ValueError, TypeError, OSError) as error:
        if args.json:
            print_json({"outcome": UNREADABLE})
        else:
            print(f"{path}: {UNREADABLE}")
        tell("error", error)
        verification = verification_of([str(error)], readable=False)
        if args.report:
            write_outputs(args, {}, page=without_statement("file", verification))
        return UNREADABLE, None
    verification = _verified(args, record)
    if args.report:
        make: Any = audit_report if isinstance(record, Audit) else certificate_report
        write_outputs(args, {}, page=make(record, verification=verification))
    for problem in verification.problems:
        tell("problem", f"{where}{problem}")
    if args.json:
        is_stated = verification and not isinstance(record, Audit)
        print_json(verification._asdict() | (figures_of(record) if is_stated else {}))
        return verification.outcome, record if verification else None
    print(f"{path}: {verification.outcome}")
    if verification:
        print(repr(record) if isinstance(record, Audit) else record.statement)
    for line in verification_lines(verification):
        print(line)
    return verification.outcome, record if verification else None


def _together(records: dict[str, Any]) -> Iterator[str]:
    """Say which statements are about the same labels, and what holds of these at once."""
    groups: list[tuple[set[str], dict[str, Any]]] = []
    for path, record in records.items():
        # Of the human labels that a statement rests on, and of audits.
        names = [] if isinstance(record, Audit) else ["labels", "audit"]
        digests = {digest for n, digest in record.fingerprints.items() if n in names}
        members = {path: record}
        for group in [group for group in groups if group[0] & digests]:
            groups.remove(group)
            digests, members = digests | group[0], group[1] | members
        groups.append((digests, members))
    shared = [members for _, members in groups if len(members) > 1]
    if not shared:
        yield "No two files are about the same labels, as far as their digests tell."
    for members in shared:
        # By the union bound, and copies are one statement.
        all_of = [*members.values()]
        stated = [r for i, r in enumerate(all_of) if r not in all_of[:i]]
        deltas = [Decimal(repr(float(record.delta))) for record in stated]
        sum_of, left = " - ".join(map(str, (1, *deltas))), 1 - sum(deltas)
        what = f"all statements hold together with probability at least {sum_of} = {left}"
        if len(stated) > 1:
            what += f", {FIXED_BEFORE}"
        if left <= 0:
            what = f"nothing is guaranteed of all statements together ({sum_of} = {left})"
        yield f"same labels ({', '.join(map(escaped, members))}): {what}"


def _verified(args: Namespace, record: Any) -> Verification:
    """Verify what a file holds, with the data if they are given."""
    if isinstance(record, Audit):
        return _compared_drawing(args, record)
    if isinstance(record, AuditedCertificate):
        return _compared_audit(args, record)
    return _compared_search(args, record)


def _refuse(args: Namespace, names: Iterable[str], reason: str) -> None:
    """Refuse options that would not be read, whatever they say."""
    if unread := [f"--{name}" for name in names if getattr(args, name)]:
        raise ValueError(f"{', '.join(unread)} {reason}.")


def _require(args: Namespace, *options: str) -> None:
    missing = [f"--{name}" for name in options if not getattr(args, name)]
    if missing:
        raise ValueError(f"--data requires {', '.join(missing)}.")


def _where(args: Namespace, column: str) -> str:
    return f"{args.data}, column {column!r}"


def _digests(
    inputs: Inputs, record: Any, compared: Iterable[str | None]
) -> dict[str, str]:
    """Digests of the columns that annotators saw, and names of the other columns.

    Columns that were ``compared`` as labels are left out, unless annotators saw them.
    """
    known, others = record.columns, {*compared}
    names = [n for n in inputs.data.columns if n in known or n not in others]
    digests = inputs.data.digests([name for name in names if name in known])
    return dict.fromkeys(names, "0" * 64) | digests


def _compared_search(args: Namespace, record: BoundCertificate) -> Verification:
    """Count the errors of a search again."""
    names = {**OF_SEARCHES, "certificate": args.certificate}
    with called(names):
        alone = record.verify()
    if not args.data or not alone:  # nothing follows from fields that are wrong
        return alone
    _refuse(args, ["confidence"], "requires an audit, not a certificate")
    _refuse(args, ["audit", "answers", "key"], "must be left out for a search")
    names["data"] = args.data
    inputs = Inputs(args)
    columns = {"y": args.y or HUMAN, "labels": args.labels or CERTIFIED}
    is_ours = {HUMAN, CERTIFIED, USE} <= {*inputs.data.columns}  # as certify writes it
    use = args.certifying or (USE if is_ours else None)
    compared = [*columns.values(), use, *[CLUSTER, ROW] * is_ours]
    if not is_ours:
        _require(args, "y", "labels", *["certifying"] * bool(record.n_select))
    # As a column of integers with gaps is written.
    classes = {f"{name}.0": str(name) for name in record.classes if type(name) is int}
    texts = _texts(inputs, columns, names)
    y, labels = ([classes.get(text, text) for text in each] for each in texts.values())
    certifies = None
    if use is not None:
        names["certifying"] = _where(args, use)
        certifies = column_of(inputs.data, args.data, use).to_numpy() == CERTIFY
    with called(names):
        verification = record.verify(y, labels, certifies)
    verification = _with_others(inputs, compared, verification)
    if use is None:
        return verification
    if is_ours:
        unknown = f"{_where(args, CLUSTER)}: the certificate does not count by cluster"
        unchecked = (*verification.unchecked, unknown)
        verification = verification._replace(unchecked=unchecked)
    labeled = np.array([label is not None for label in y])
    expected = np.select([labeled & certifies, labeled], [CERTIFY, SELECT], "")
    verification = _with_entries(inputs, use, expected, verification)
    return _with_rows(inputs, verification) if is_ours else verification


def _with_others(
    inputs: Inputs, compared: Iterable[str | None], verification: Verification
) -> Verification:
    """Also list the columns that nothing was compared with."""
    if not (others := [name for name in inputs.data.columns if name not in {*compared}]):
        return verification
    text = f"{escaped(inputs.args.data)}: {not_covered(others)}"
    return verification._replace(unchecked=(*verification.unchecked, text))


def _texts(
    inputs: Inputs, columns: dict[str, str], names: dict[str, str]
) -> dict[str, Any]:
    """The labels in columns; what they are called is added to the names."""
    names |= {name: _where(inputs.args, column) for name, column in columns.items()}
    return {name: inputs.texts(column) for name, column in columns.items()}


def _compared_audit(args: Namespace, record: AuditedCertificate) -> Verification:
    """Certify again with an audit, its answers, and labels."""
    names = {**OF_AUDITS, "certificate": args.certificate}
    with called(names):
        alone = record.verify()
    if not args.data or not alone:  # nothing follows from fields that are wrong
        return alone
    # Classes of the shell are texts.
    given: dict[str, Any] = dict.fromkeys(signature(record.verify).parameters)
    inside = [*getattr(record, "certificates", {"": record}).values()]
    one = inside[0]
    names_classes = next((n for n in ("of", "classes") if hasattr(one, n)), "")
    named = getattr(one, names_classes, ())
    if "first" in given or {*map(type, named)} - {str}:
        what = f"--data must be left out for this {record.kind}"
        raise ValueError(f"{what}: compare in Python.")
    by_confidence = one.kind == "finished"
    further = {"confidence": by_confidence, "by": "by" in given}
    unread = ["y", "certifying", *(name for name in further if not further[name])]
    if not by_confidence and any(getattr(c, "n_doubtful", 0) for c in inside):
        unread.remove("confidence")
    _refuse(args, unread, f"must be left out for a certificate of kind {record.kind!r}")
    _require(args, "audit", "answers", *(name for name in further if further[name]))
    audit = read_audit(args.audit)
    inputs = Inputs(args, audit.classes)
    if problems := audit.verify(n_rows=len(inputs.data)).problems:
        return verification_of(f"{args.audit}: {problem}" for problem in problems)
    is_ours = by_confidence and {LABEL, AUTOMATIC} <= {*inputs.data.columns}
    # As audit finish writes it, whichever of its columns is named.
    if is_ours and args.labels in (None, LABEL):
        args.labels = AUTOMATIC
    _require(args, "labels")
    columns = {"labels": args.labels} | ({"finished_labels": LABEL} if is_ours else {})
    given |= _texts(inputs, columns, names)
    if args.confidence:
        names["confidence"] = _where(args, args.confidence)
        given["confidence"] = inputs.confidence()
    given |= {"audit": audit, "audit_labels": inputs.answers(audit)}
    given |= inputs.segments()
    by = f", settled by {', '.join(args.settled)}" if args.settled else ""
    answers = f"{', '.join(args.answers)}, column {','.join(args.answer_column)!r}{by}"
    names |= {"audit": args.audit, "audit_labels": answers, "data": args.data}
    names |= {"by": _where(args, args.by)} if args.by else {}
    compared = [*columns.values(), args.confidence, args.by, *[SOURCE, ROW] * is_ours]
    digests = _digests(inputs, record, compared)
    with called(names):
        verification = record.verify(**given | {"data": digests})
    for column, what in inputs.differing:  # where answers are about other rows
        verification = _with_problem(inputs, verification, column, what)
    return _with_sources(inputs, record, given, verification) if is_ours else verification


def _with_sources(
    inputs: Inputs, record: Any, given: dict[str, Any], verification: Verification
) -> Verification:
    """Also compare the columns of a finished table that follow from others."""
    verification = _with_rows(inputs, verification)
    if SOURCE not in inputs.data.columns:
        missing = f"{_where(inputs.args, SOURCE)}: there is no such column"
        return verification._replace(unchecked=(*verification.unchecked, missing))
    if not verification:
        return verification
    further = {n: given[n] for n in given if n not in ("finished_labels", "data")}
    one = next(iter(getattr(record, "certificates", {"": record}).values()))
    further["target"] = one.target
    for name in ("delta", "max_annotator_errors"):
        further[name] = getattr(record, name)
    with warnings.catch_warnings():  # which were for those who finished
        warnings.simplefilter("ignore")
        accepted = finish_labels(**further).accepted
    source = source_of(accepted, given["audit"], given["finished_labels"])
    return _with_entries(inputs, SOURCE, SOURCES[source], verification)


def _with_entries(
    inputs: Inputs, column: str, expected: NDArray[Any], verification: Verification
) -> Verification:
    """Compare a column whose entries follow from those of other columns, too."""
    data, name = inputs.data, _where(inputs.args, column)
    entries = data[column]
    if expected.dtype.kind == "i":
        entries = import_pandas().to_numeric(entries, errors="coerce")
    else:
        entries = entries.fillna("")
    differing = np.flatnonzero(entries.to_numpy() != expected).tolist()
    if differing:
        what = f"{len(differing)} of {len(data)} are wrong: rows {shown(differing)}"
        return _with_problem(inputs, verification, name, what)
    checked = (*verification.checked, f"{name}: {len(data)} entries compared")
    return verification._replace(checked=checked)


def _with_problem(
    inputs: Inputs, verification: Verification, name: str, what: str
) -> Verification:
    """Add a problem of a column that the certificate has no digest of."""
    certificate = inputs.args.certificate
    verdict = f"The labels agree with {certificate}, but {name} does not."
    return verification._replace(
        outcome=DISAGREES,
        problems=(*verification.problems, f"{name}: {what}"),
        verdict=verdict if verification else verification.verdict,
    )


def _with_rows(inputs: Inputs, verification: Verification) -> Verification:
    """Compare the numbers of the rows with their places, too."""
    if ROW not in inputs.data.columns:
        return verification
    return _with_entries(inputs, ROW, np.arange(len(inputs.data)), verification)


def _compared_drawing(args: Namespace, audit: Audit) -> Verification:
    """Draw an audit again, and compare the labels that it was drawn for."""
    options = ("y", "certifying", "audit", "answers", "key")
    _refuse(args, options, "require a certificate, not an audit")
    names = {**OF_AUDITS, "audit": args.certificate}
    n_rows = None
    if args.data:
        args.audit = args.certificate  # which has names of columns
        inputs = Inputs(args)
        n_rows = len(inputs.data)
    with called(names):
        drawn = audit.verify(n_rows=n_rows)
    if not args.data or not drawn:
        return drawn
    _require(args, *["labels"] * ("labeling" in audit.fingerprints))
    inputs.classes = audit.classes
    names["data"] = args.data
    data: dict[str, Any] = {}
    if args.labels:
        data = _texts(inputs, {"labels": args.labels}, names)
    if args.confidence:
        names["confidence"] = _where(args, args.confidence)
        data["confidence"] = inputs.confidence()
    digests = _digests(inputs, audit, [args.labels, args.confidence])
    with called(names):
        return audit.verify(**data, n_rows=len(inputs.data), data=digests)
