"""What each command of the shell does."""

from __future__ import annotations

import shlex
import warnings
from argparse import Namespace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..certificates import BoundCertificate, JointCertificate, Verification
from ..certificates._kinds import kind_of
from ..utils._checks import check_open_unit, exact_decimal
from ._audit import Audit, draw_audit
from ._certify import certify_labels
from ._files import (
    AUTOMATIC,
    SOURCE,
    audited,
    compare_spelling,
    confidence_of,
    free_paths,
    labels_of_people,
    read_audit,
    read_table,
    shown_columns,
    tell,
    texts_of,
    write_table,
    write_text,
)
from ._finish import FinishedLabels, finish_labels
from ._monitor import AuditMonitor
from ._worksheet import LABEL, ROW

if TYPE_CHECKING:
    import pandas as pd

PROGRAM = "python -m sklearn_pacmdl"
# What a certificate file may hold.
RECORDS = (BoundCertificate, JointCertificate, Audit)


class NotMetError(Exception):
    """What was asked for cannot be had, although the input is right."""


def draw(args: Namespace) -> None:
    audit_path, sheet_path = free_paths(args, ".json", ".csv")
    data = read_table(args.data)
    audit = draw_audit(
        len(data),
        args.size,
        labels=texts_of(args, data, args.data, args.labels) if args.labels else None,
        confidence=confidence_of(args, data) if args.confidence else None,
        exclude=[read_audit(path) for path in args.exclude] or None,
        random_state=args.seed,
    )
    sheet = audit.to_frame(shown_columns(args, data, {ROW, LABEL}))
    write_text(audit_path, audit.to_json())
    write_table(sheet_path, sheet)
    if not args.labels:
        tell(
            "note",
            "without --labels, the audit does not prove that the labels came first.",
        )
    then = [args.data, "--labels", args.labels or "COLUMN"]
    then += ["--audit", str(audit_path), "--answers", str(sheet_path)]
    if args.confidence:
        then += ["--confidence", args.confidence, "--target", "RATE", "--output", "NAME"]
    command = "finish" if args.confidence else "certify"
    print(
        f"{audit.size} of {len(audit.pool)} rows were drawn.\n"
        f"Next, people fill in the column {LABEL!r} of {sheet_path}. Each row needs a "
        f"label, and none may be exchanged for another. Keep {audit_path}.\n"
        f"Then run: {PROGRAM} audit {command} {shlex.join(then)}"
    )


def certify(args: Namespace) -> None:
    paths = free_paths(args, ".json") if args.output else []
    most = 1.0 if args.at_most is None else check_open_unit("--at-most", args.at_most)
    labels, audit, answers = audited(args, read_table(args.data))
    compare_spelling(labels, answers)
    certificate = certify_labels(
        labels,
        audit,
        answers,
        delta=args.delta,
        max_people_errors=args.people_errors,
    )
    print(certificate.statement)
    for path in paths:
        write_text(path, certificate.to_json())
    errors, n_rows = kind_of(certificate.kind).stated(certificate)
    if Fraction(errors, n_rows) > exact_decimal(most):
        raise NotMetError(f"{errors} of {n_rows} rows are more than --at-most {most}.")


def finish(args: Namespace) -> None:
    suffixes = [".csv", ".json"] if args.rest else [".csv", ".json", "-rest.csv"]
    paths = free_paths(args, *suffixes)
    data = read_table(args.data)
    own = shown_columns(args, data, {ROW, LABEL, SOURCE, AUTOMATIC})
    labels, audit, answers = audited(args, data)
    compare_spelling(labels, answers)
    finished = _accept(args, labels, confidence_of(args, data), audit, answers)
    found, certificate = finished.labels, finished.certificate
    people = finished.to_people
    if args.rest or not len(people):
        rest = labels_of_people(args, data, args.rest, people, finished.read_labels)
        completed = finished.complete(rest)
        found, certificate = completed.labels, completed.certificate
    else:
        write_table(paths[2], finished.to_frame(own))
    assert certificate is not None  # or _accept would have ended this
    write_table(paths[0], _finished_table(finished, audit, found, own))
    write_text(paths[1], certificate.to_json())
    automatic = len(audit.pool) - audit.size - len(people)
    print(
        f"{certificate.statement}\n"
        f"Of {len(audit.pool)} rows, {audit.size} were audited, {automatic} are labeled "
        f"automatically, and {len(people)} are for people."
    )
    if len(people) and not args.rest:
        print(
            f"Next, people fill in the column {LABEL!r} of {paths[2]}, which has the "
            "most doubtful rows first.\n"
            f"Then run this command again with --rest {shlex.quote(str(paths[2]))} "
            "and another --output."
        )


def _accept(
    args: Namespace,
    labels: NDArray[Any],
    confidence: NDArray[np.float64],
    audit: Audit,
    answers: NDArray[Any],
) -> FinishedLabels:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        finished = finish_labels(
            labels,
            confidence,
            audit,
            answers,
            target=args.target,
            delta=args.delta,
            max_people_errors=args.people_errors,
        )
    if finished.certificate is None:  # a warning says why
        raise NotMetError("; ".join(str(warning.message) for warning in caught))
    return finished


def _finished_table(
    finished: FinishedLabels, audit: Audit, labels: NDArray[Any], own: pd.DataFrame
) -> pd.DataFrame:
    """All rows, with their labels, where these are from, and what was accepted."""
    import pandas as pd

    automatic = finished.accepted.copy()
    automatic[audit.rows] = False  # these keep the labels of people
    labeled = np.array([label is not None for label in labels])
    source = np.select([automatic, labeled], ["automatic", "person"], "")
    rows = pd.DataFrame({ROW: np.arange(len(labels))})
    found = {LABEL: labels, SOURCE: source, AUTOMATIC: finished.automatic_labels}
    return pd.concat([rows, own.reset_index(drop=True), pd.DataFrame(found)], axis=1)


def monitor(args: Namespace) -> str:
    """Add the labels since the last call, and return the state."""
    path = Path(args.state)
    monitor = _continued(args, path) if path.exists() else _begun(args)
    labels, errors = args.labels - monitor.n_labels, args.errors - monitor.n_errors
    if min(labels, errors, labels - errors) < 0:
        raise ValueError(
            "--labels and --errors must count all labels so far, and after "
            f"{monitor.n_errors} errors in {monitor.n_labels} labels there cannot be "
            f"{args.errors} in {args.labels}."
        )
    if labels or not path.exists():
        monitor.update(labels, errors)
        write_text(path, monitor.to_json())
    print(monitor.statement)
    return monitor.state


_PLAN = {"rows": "n_rows", "target": "target", "max_labels": "max_labels"}


def _begun(args: Namespace) -> AuditMonitor:
    missing = [option for option in _PLAN if getattr(args, option) is None]
    if missing:
        options = ", ".join(f"--{option.replace('_', '-')}" for option in missing)
        raise ValueError(f"{args.state} does not exist; {options} must be given.")
    return AuditMonitor(
        args.rows,
        args.target,
        delta=0.1 if args.delta is None else args.delta,
        max_labels=args.max_labels,
        kind=args.kind or "total",
    )


def _continued(args: Namespace, path: Path) -> AuditMonitor:
    """A monitor that was written; its plan was fixed before the first label."""
    try:
        monitor = AuditMonitor.from_json(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    for option, name in {**_PLAN, "delta": "delta", "kind": "kind"}.items():
        given, planned = getattr(args, option), getattr(monitor, name)
        if given is not None and given != planned:
            raise ValueError(
                f"--{option.replace('_', '-')} must be {planned}, as it was planned "
                f"before the first label in {path}, got {given}."
            )
    return monitor


def verify(args: Namespace) -> None:
    record = _record(args.certificate)
    named = {
        "--labels": args.labels,
        "--seen": args.seen,
        "--audit": args.audit,
        "--answers": args.answers,
    }
    unread = [name for name, value in named.items() if value]
    if unread and not args.data:
        # "is right" would be read as if these had been compared.
        raise ValueError(f"{', '.join(unread)} require --data, the file of all rows.")
    verification = _compared(args, record) if args.data else record.verify()
    for problem in verification.problems:
        tell("problem", problem)
    if not verification:
        raise NotMetError(f"{args.certificate} is not right.")
    print(f"{args.certificate} is right.")
    print(repr(record) if isinstance(record, Audit) else record.statement)


def _compared(args: Namespace, record: Any) -> Verification:
    """Count the errors in the data again."""
    if args.seen:
        needed = {"--labels": args.labels}
    else:
        needed = {
            "--labels": args.labels,
            "--audit": args.audit,
            "--answers": args.answers,
        }
    missing = [name for name, value in needed.items() if not value]
    if missing:
        raise ValueError(f"--data requires {', '.join(missing)}.")
    if not isinstance(record, BoundCertificate):
        raise ValueError("--data requires a certificate of a single labeling.")
    data = read_table(args.data)
    if args.seen:
        if record.n_select:
            raise ValueError(
                "--seen requires a certificate to which all labels contributed alike; "
                "this one divides them, so verify it in Python, with certifying=."
            )
        # A file has texts, where the search may have had numbers.
        names = {str(name): name for name in record.classes}
        # As a column of integers with gaps is written.
        names |= {f"{name}.0": name for name in record.classes if type(name) is int}
        seen, given = (
            [names.get(text, text) for text in texts_of(args, data, args.data, column)]
            for column in (args.seen, args.labels)
        )
        return record.verify(seen, given)
    labels, audit, answers = audited(args, data)
    y = audit.labels_by_row(answers)
    return record.verify(y[audit.pool], labels[audit.pool])


def _record(path: str) -> Any:
    """What is in a file of a certificate, of whichever type."""
    text, errors = Path(path).read_text(encoding="utf-8"), []
    for kind in RECORDS:
        try:
            return kind.from_json(text)
        except ValueError as error:
            errors.append(error)
    raise ValueError(f"{path}: {errors[0]}")
