"""What each command of the shell does."""

from __future__ import annotations

import re
import shlex
import warnings
from argparse import Namespace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..certificates import (
    BoundCertificate,
    Data,
    Verification,
    kind_of,
    listed,
    outcome,
    parsed,
    read_text,
    reading,
)
from ..utils._checks import check_open_unit, exact_decimal, shown
from ..utils._writing import write_files
from ._audit import Audit
from ._certify import certify_labels
from ._draw import draw_audit
from ._files import (
    PROGRAM,
    Inputs,
    Sheets,
    as_text,
    check_free,
    errors_name,
    output_paths,
    read_audit,
    tell,
    write_outputs,
)
from ._finish import FinishedLabels, finish_labels
from ._monitor import AuditMonitor
from ._worksheet import AUTOMATIC, LABEL, ROW, SOURCE, as_csv, as_worksheet

if TYPE_CHECKING:
    import pandas as pd


class NotMetError(Exception):
    """What was asked for cannot be had, although the input is right."""


def draw(args: Namespace) -> None:
    audit_path, sheet_path = paths = output_paths(args, ".json", ".csv")
    inputs = Inputs(args)
    check_free(args, paths, inputs.data.columns)
    audit = draw_audit(
        len(inputs.data),
        args.size,
        labels=inputs.texts(args.labels) if args.labels else None,
        confidence=inputs.confidence() if args.confidence else None,
        exclude=[read_audit(path) for path in args.exclude] or None,
        surest=args.surest,
        target=args.target,
        delta=args.delta,
        random_state=args.seed,
        seed_text=args.seed_text,
    )
    seen, hidden = inputs.columns_for_people()
    sheet = as_worksheet(audit.to_frame(seen))
    files = {sheet_path: sheet, audit_path: as_text(audit.to_json())}
    write_outputs(args, files, inputs.data.columns)
    _tell_of_hidden(hidden)
    if not args.labels:
        no_proof = "the audit does not prove that the labels came first."
        tell("note", f"without --labels, {no_proof}")
    then = [args.data, "--labels", args.labels or "COLUMN"]
    then += ["--audit", str(audit_path), "--answers", str(sheet_path)]
    if args.confidence:
        then += ["--confidence", args.confidence, "--target", "RATE", "--output", "NAME"]
    command = "finish" if args.confidence else "certify"
    print(
        f"{audit.size:,} of {len(audit.pool):,} rows were drawn.\n"
        f"Next, people fill in the column {LABEL!r} of {sheet_path}. Each row needs a "
        f"label, and none may be exchanged for another. Keep {audit_path}.\n"
        f"Then run: {PROGRAM} audit {command} {shlex.join(then)}"
    )


def _tell_of_hidden(columns: list[str]) -> None:
    if columns:
        what = "people do not see columns that may be labels or confidences"
        names = ", ".join(map(repr, columns))
        tell("note", f"{what}: {names}. Add --columns to choose what they see.")


def certify(args: Namespace) -> None:
    paths = output_paths(args, ".json") if args.output else []
    check_free(args, paths)
    most = 1.0 if args.at_most is None else check_open_unit("--at-most", args.at_most)
    certificate = certify_labels(*Inputs(args).audited(), **_level(args))
    for path in paths:
        write_outputs(args, {path: as_text(certificate.to_json())})
    print(certificate.statement)
    errors, n_rows = kind_of(certificate.kind).stated(certificate)
    if Fraction(errors, n_rows) > exact_decimal(most):
        raise NotMetError(f"{errors} of {n_rows} rows are more than --at-most {most}.")


def finish(args: Namespace) -> None:
    table_path, rest_path, path = output_paths(args, ".csv", _rest(args.rest), ".json")
    inputs = Inputs(args)
    # Of a table of what is left, nothing is known before labels are read.
    paths = [table_path, path] if args.rest else [table_path, rest_path, path]
    check_free(args, paths, inputs.data.columns)
    own = inputs.shown_columns({ROW, LABEL, SOURCE, AUTOMATIC})
    finished, audit = _accept(inputs)
    n_people = len(finished.to_people)
    if args.rest:
        rest = inputs.labels_of_people(args.rest, finished.to_people)
        finished = finished.add_labels(rest)
    n_left = len(finished.to_people)
    files = {table_path: as_csv(_finished_table(finished, audit, own))}
    seen, hidden = inputs.columns_for_people()
    if n_left:
        files[rest_path] = as_worksheet(finished.to_frame(seen))
    assert finished.certificate is not None  # or _accept would have ended this
    files[path] = as_text(finished.certificate.to_json())
    write_outputs(args, files, inputs.data.columns)
    n_rows = len(audit.not_excluded)
    print(
        f"{finished.certificate.statement}\n"
        f"Of {n_rows:,} rows, {audit.size:,} were audited, "
        f"{n_rows - audit.size - n_people:,} are labeled automatically, and {n_people:,} "
        "are for people."
    )
    if n_left:
        _tell_of_hidden(hidden)
        if args.rest:
            print(f"{n_left:,} of {n_people:,} rows are left.")
        print(
            f"Next, people fill in the column {LABEL!r} of {rest_path}, which has the "
            "most doubtful rows first.\n"
            "Then run this command again with --rest "
            f"{shlex.join([*args.rest, str(rest_path)])} and another --output."
        )


def _level(args: Namespace) -> dict[str, Any]:
    return {"delta": args.delta, "max_people_errors": args.people_errors}


def _rest(paths: list[str]) -> str:
    """How the name of the table of what is left ends, after earlier such tables."""
    if not paths:
        return "-rest.csv"
    numbers = re.findall(
        r"-rest-(\d+)$", "\n".join(Path(path).stem for path in paths), re.M
    )
    return f"-rest-{max(map(int, numbers), default=1) + 1}.csv"


def settle(args: Namespace) -> None:
    """Write what several people disagree on for somebody to settle."""
    (path,) = output_paths(args, ".csv")
    agreement, seen = Sheets(args, args.answers).compared()
    print(agreement)
    sheet = agreement.to_frame(seen, majority=args.majority)
    if not len(sheet):
        print("There is nothing to settle.")
        return
    write_outputs(args, {path: as_worksheet(sheet)}, sheet.columns)
    print(
        f"{len(sheet):,} rows are to be settled.\n"
        f"Next, somebody fills in the column {LABEL!r} of {path}.\n"
        "Then run the command that reads these labels with --settled "
        f"{shlex.quote(str(path))}."
    )


def _accept(inputs: Inputs) -> tuple[FinishedLabels, Audit]:
    args = inputs.args
    labels, audit, answers = inputs.audited()
    given = labels, inputs.confidence(), audit, answers
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        finished = finish_labels(*given, target=args.target, **_level(args))
    if finished.certificate is None:  # a warning says why
        raise NotMetError("; ".join(str(warning.message) for warning in caught))
    return finished, audit


def _finished_table(
    finished: FinishedLabels, audit: Audit, own: pd.DataFrame
) -> pd.DataFrame:
    """All rows, with their labels, where these are from, and what was accepted."""
    import pandas as pd

    labels = finished.labels
    source = source_of(finished.accepted, audit, labels)
    rows = pd.DataFrame({ROW: np.arange(len(labels))})
    found = {LABEL: labels, SOURCE: source, AUTOMATIC: finished.automatic_labels}
    return pd.concat([rows, own.reset_index(drop=True), pd.DataFrame(found)], axis=1)


def source_of(
    accepted: NDArray[np.bool_], audit: Audit, labels: NDArray[Any]
) -> NDArray[np.str_]:
    """Where each label of a finished data set is from; empty if there is none."""
    automatic = accepted.copy()
    automatic[audit.rows] = False  # these keep the human labels
    labeled = np.array([label is not None for label in labels])
    return np.select([automatic, labeled], ["automatic", "person"], "")


def monitor(args: Namespace) -> str:
    """Add the labels since the last call, and return the state."""
    path = Path(args.state)
    before = path.read_bytes() if path.exists() else None
    monitor = _begun(args) if before is None else _continued(args, before)
    labels, errors = args.labels - monitor.n_labels, args.errors - monitor.n_errors
    if min(labels, errors, labels - errors) < 0:
        so_far = f"{monitor.n_errors} errors in {monitor.n_labels} labels"
        raise ValueError(
            f"--labels and --errors must count all labels so far, and after {so_far} "
            f"there cannot be {args.errors} in {args.labels}."
        )
    if labels or before is None:
        monitor.update(labels, errors)
        files = {path: as_text(monitor.to_json())}
        write_files(files, lambda: _check_unchanged(path, before))
    print(monitor.statement)
    return monitor.state


def _check_unchanged(path: Path, before: bytes | None) -> None:
    """Refuse to replace what another run has written since this one began."""
    if (path.read_bytes() if path.exists() else None) != before:
        raise ValueError(f"{path} was changed by another run; run this command again.")


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


def _continued(args: Namespace, state: bytes) -> AuditMonitor:
    """A monitor that was written; its plan was fixed before the first label."""
    with errors_name(args.state):
        monitor = AuditMonitor.from_json(state.decode())
    for option, name in {**_PLAN, "delta": "delta", "kind": "kind"}.items():
        given, planned = getattr(args, option), getattr(monitor, name)
        if given is not None and given != planned:
            plan = f"as it was planned before the first label in {args.state}"
            name = option.replace("_", "-")
            raise ValueError(f"--{name} must be {planned}, {plan}, got {given}.")
    return monitor


# Fields that audits have, and certificates do not.
OF_AUDITS_ALONE = {"seed", "excluded", "rows"}
# What is compared, and how it is given, where it is not.
OF_SEARCHES = {
    "y": "labels that were seen (--seen)",
    "labels": "labels of all rows (--labels)",
    "row_order": "order of the rows (in Python, row_order=)",
    "clusters": "clusters of the rows (in Python, clusters=)",
}
OF_AUDITS = {
    "y": "human labels (--answers)",
    "labels": "automatic labels (--labels)",
    "audit": "audit (--audit)",
    "confidence": "confidences (in Python, confidence=)",
}
OF_FINISHED = {
    **OF_AUDITS,
    "labels": f"automatic labels (column {AUTOMATIC!r}, with --answers)",
    "finished_labels": "labels of the finished data set (--labels)",
}


def verify(args: Namespace) -> None:
    record = _record(args.certificate)
    options = ("labels", "seen", "audit", "answers", "settled")
    unread = [f"--{name}" for name in options if getattr(args, name)]
    if unread and not args.data:
        # "is right" would be read as if these had been compared.
        raise ValueError(f"{', '.join(unread)} require --data, the file of all rows.")
    verification = _verified(args, record)
    for problem in verification.problems:
        tell("problem", problem)
    if not verification:
        raise NotMetError(f"{args.certificate} is not right.")
    print(f"{args.certificate} is right.")
    print(repr(record) if isinstance(record, Audit) else record.statement)
    print("\n".join(listed(verification)))


def _verified(args: Namespace, record: Any) -> Verification:
    """Verify what a file holds, with the data if they are given."""
    if isinstance(record, Audit):
        return _compared_audit(args, record)
    kinds = {"audit": OF_AUDITS, "finished": OF_FINISHED}
    names = kinds.get(str(record.kind), OF_SEARCHES) | {"certificate": args.certificate}
    verification = record._verified(Data(), names)
    if not args.data or not verification:  # nothing follows from fields that are wrong
        return verification
    if args.seen:
        return _compared_search(args, record, names)
    return _compared_labels(args, record, names)


def _require(args: Namespace, *options: str) -> None:
    missing = [f"--{name}" for name in options if not getattr(args, name)]
    if missing:
        raise ValueError(f"--data requires {', '.join(missing)}.")


def _column_of(args: Namespace, column: str) -> str:
    return f"{args.data}, column {column!r}"


def _compared_search(
    args: Namespace, record: BoundCertificate, names: dict[str, str]
) -> Verification:
    """Count the errors of a search again."""
    _require(args, "labels")
    if record.n_select:
        raise ValueError(
            "--seen requires a certificate to which all labels contributed alike; "
            "this one divides them, so verify it in Python, with certifying=."
        )
    inputs = Inputs(args)
    # A file has texts, where the search may have had numbers.
    classes = {str(name): name for name in record.classes}
    # As a column of integers with gaps is written.
    classes |= {f"{name}.0": name for name in record.classes if type(name) is int}
    texts = _texts(inputs, {"y": args.seen, "labels": args.labels}, names)
    y, labels = ([classes.get(text, text) for text in each] for each in texts.values())
    return record._verified(Data(y=y, labels=labels), names)


def _texts(
    inputs: Inputs, columns: dict[str, str], names: dict[str, str]
) -> dict[str, Any]:
    """The labels in columns; what they are called is added to the names."""
    names |= {name: _column_of(inputs.args, column) for name, column in columns.items()}
    return {name: inputs.texts(column) for name, column in columns.items()}


def _compared_labels(
    args: Namespace, record: BoundCertificate, names: dict[str, str]
) -> Verification:
    """Compare audited labels, automatic labels and those of a finished data set."""
    _require_for(args, record)
    inputs = Inputs(args)
    columns = {"labels": args.labels}
    if record.kind == "finished":
        columns = _columns_of_finished(args, LABEL in inputs.data.columns)
    values = _texts(inputs, columns, names)
    if args.audit:
        audit, names["audit"] = read_audit(args.audit), args.audit
        problems = audit.verify(n_rows=len(inputs.data)).problems
        if problems:  # it does not say which rows were drawn
            return outcome(f"{args.audit}: {problem}" for problem in problems)
        values["audit"] = audit
    if args.answers:
        values["y"] = audit.labels_by_row(inputs.answers(audit))
        by = f", settled by {', '.join(args.settled)}" if args.settled else ""
        names["y"] = f"{', '.join(args.answers)}, column {args.answer_column!r}{by}"
    verification = record._verified(Data(**values), names)
    if {"y", "labels", "finished_labels"} <= values.keys():
        return _with_sources(inputs, values, verification)
    return verification


def _require_for(args: Namespace, record: BoundCertificate) -> None:
    """Of a finished data set, the labels alone can be compared with their digest."""
    required = ["labels", "audit", "answers"]
    if record.kind == "finished" and args.labels != AUTOMATIC:
        drawn = args.answers or record.facts.get("n_excluded")
        required = required[:2] if drawn else required[:1]
    _require(args, *required)


def _columns_of_finished(args: Namespace, has_label: bool) -> dict[str, str]:
    """Columns of a finished data set, whichever of its labels are named."""
    if args.labels == AUTOMATIC:
        return {"labels": AUTOMATIC} | ({"finished_labels": LABEL} if has_label else {})
    automatic = {"labels": AUTOMATIC} if args.answers else {}
    return {"finished_labels": args.labels, **automatic}


def _with_sources(
    inputs: Inputs, values: dict[str, Any], verification: Verification
) -> Verification:
    """Compare the column that says where each finished label is from, too."""
    data, name = inputs.data, _column_of(inputs.args, SOURCE)
    if SOURCE not in data.columns:
        unchecked = (*verification.unchecked, f"{name}: there is no such column")
        return verification._replace(unchecked=unchecked)
    accepted = np.array([label is not None for label in values["labels"]])
    expected = source_of(accepted, values["audit"], values["finished_labels"])
    others = np.flatnonzero(data[SOURCE].fillna("").to_numpy() != expected).tolist()
    problem = f"{name}: {len(others)} of {len(data)} are wrong: rows {shown(others)}"
    problems = (*verification.problems, *[problem] * bool(others))
    checked = (*verification.checked, f"{name}: {len(data)} entries compared")
    return outcome(problems, verification.method, checked, verification.unchecked)


def _compared_audit(args: Namespace, audit: Audit) -> Verification:
    """Draw an audit again, and compare the labels that it was drawn for."""
    options = [f"--{o}" for o in ("seen", "audit", "answers") if getattr(args, o)]
    if options:
        raise ValueError(f"{', '.join(options)} require a certificate, not an audit.")
    names = {**OF_AUDITS, "audit": args.certificate}
    if not args.data:
        return audit._verified(names)
    _require(args, "labels")
    inputs = Inputs(args)
    given = _texts(inputs, {"labels": args.labels}, names)
    return audit._verified(names, **given, n_rows=len(inputs.data))


def _record(path: str) -> Any:
    """What is in a file of a certificate or an audit, of whichever type."""
    with errors_name(path):
        text = read_text(path)
        with reading("a certificate or an audit", text):
            values = parsed(text)
        kind: Any = Audit if OF_AUDITS_ALONE & values.keys() else BoundCertificate
        with reading(kind._what, text):
            return kind._from_fields(values)
