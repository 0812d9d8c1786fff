"""Audits: plan, size, draw rows, certify by human labels, settle disagreements."""

from __future__ import annotations

import shlex
from argparse import Namespace
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ..audits import (
    Audit,
    audit_size,
    certify_difference,
    certify_labels,
    certify_share,
    class_report,
    draw_audit,
    plan_finish,
)
from ..columns import decode
from ..utils._checks import check_open_unit, exact_decimal, shown
from ..utils._table_columns import LABEL, ROW
from ..utils._words import PrintedTable
from ..worksheets import as_table, as_worksheet, worksheet
from ._console import (
    NotMetError,
    as_files,
    as_options,
    errors_name,
    print_statement,
    program,
    rate,
    tell,
)
from ._inputs import Inputs, Sheets, gaps, read_audit
from ._outputs import SHEET, as_text, check_free, output_paths, write_outputs


def draw(args: Namespace) -> None:
    options = {"surest": args.surest, "target": args.target, "delta": args.delta}
    options |= {"random_state": args.seed, "seed_text": args.seed_text}
    options |= {"allocation": _allocation(args.allocation)}
    make = partial(draw_audit, size=args.size, **options)
    inputs, audit, paths = _write_audit(args, make)
    n_rows, n_lines = len(inputs.data), inputs.format.n_lines
    whole = f", which are {args.size} whole groups" if args.groups else ""
    if args.labels is None:
        no_proof = "the audit does not prove that the labels came first."
        tell("note", f"without --labels, {no_proof}")
    if n_lines > n_rows:  # as rows with line breaks, or a stray quotation mark, make it
        print(f"{args.data} has {n_rows:,} rows in {n_lines:,} lines.")
    print(f"{audit.size:,} of {len(audit.pool):,} rows were drawn{whole}.")
    _tell_of_next_step(args, *paths)


def rows(args: Namespace) -> None:
    """Write an audit of rows that were drawn elsewhere."""
    make = partial(Audit.of_rows, source=args.source)
    _, audit, paths = _write_audit(args, make, drawn_elsewhere=True)
    print(
        f"{audit.size:,} of {len(audit.pool):,} rows are audited. Nothing proves how "
        f"{args.source} drew them; every statement says so."
    )
    _tell_of_next_step(args, *paths)


def _write_audit(
    args: Namespace, make: Callable[..., Audit], *, drawn_elsewhere: bool = False
) -> tuple[Inputs, Audit, list[Path]]:
    """Write an audit and the table that people fill in, or have filled in already."""
    audit_path, sheet_path = paths = output_paths(args, ".json", SHEET)
    classes = _pairs("--rename", "LABEL=NAME", args.rename)
    inputs = Inputs(args, classes)
    check_free(args, paths, inputs.data.columns)
    which, answers = inputs.drawn_elsewhere() if drawn_elsewhere else ({}, None)
    shown, hidden = inputs.columns_for_people()
    labels = inputs.texts(args.labels) if args.labels else None
    audit = make(
        n_rows=len(inputs.data),
        labels=labels,
        confidence=inputs.confidence() if args.confidence else None,
        exclude=_excluded(args, inputs) or None,
        groups=inputs.texts(args.groups) if args.groups else None,
        strata=inputs.texts(args.strata) if args.strata else None,
        classes=classes or None,
        data=inputs.data.digests(shown),
        **which,
    )
    table = inputs.worksheet(audit.rows, shown)
    if answers is not None:
        table = table.assign(**{LABEL: answers[audit.rows]})
    sheet = as_worksheet(sheet_path, table, inputs.format)
    files = {sheet_path: sheet, audit_path: as_text(audit.to_json())}
    write_outputs(args, files, inputs.data.columns)
    tell_of_hidden(hidden)
    if n_gaps := sum(label is None for label in ([] if labels is None else labels)):
        what = f"{n_gaps:,} of {len(inputs.data):,} rows of {args.data}"
        tell("note", f"{what} have no automatic label.")
    return inputs, audit, paths


def _tell_of_next_step(args: Namespace, audit_path: Path, sheet_path: Path) -> None:
    of_audit = [*as_files(args.data), *as_options(labels=args.labels or "COLUMN")]
    of_audit += [*gaps(args), *as_options(audit=audit_path, answers=sheet_path)]
    command, further = "certify", list[str]()
    if args.confidence:
        command, target = "finish", str(getattr(args, "target", None) or "RATE")
        further = as_options(confidence=args.confidence, target=target, output="NAME")
    if args.strata:  # what these audits are mostly for, and finish takes none
        command, further = "share", as_options(of="CLASS")
    if not getattr(args, "answered", None):
        print(
            f"Next, people fill in the column {LABEL!r} of {sheet_path}. Each row needs "
            f"a label, and none may be exchanged for another. Keep {audit_path}."
        )
    then = shlex.join([*of_audit, *further])
    print(f"Then run: {program()} audit {command} {then}")
    if args.strata:
        classes = f"{program()} audit classes {shlex.join(of_audit)}"
        print(f"Or, for precision, recall and F1 of every class: {classes}")


def _excluded(args: Namespace, inputs: Inputs) -> list[Audit]:
    """Audits whose rows are not drawn, if they can be of the same rows."""
    audits = []
    for path in args.exclude:
        audit = read_audit(path)
        audits.append(audit)
        same = [name for name in inputs.data.columns if name in audit.columns]
        digests = inputs.data.digests(same)
        if not digests:
            what = f"{path} has no digest of a column of {args.data}"
            tell("note", f"{what}: nothing tells whether it is of the same rows.")
        elif not digests.items() & audit.columns.items():
            names = ", ".join(map(repr, digests))
            raise ValueError(
                f"--exclude must have audits of the rows of {args.data}, but {path} was "
                f"drawn where all columns that can be compared were others: {names}."
            )
    return audits


def _pairs(option: str, form: str, pairs: list[str]) -> dict[str, str]:
    """What an option says of each of several things."""
    parts = [pair.rpartition("=") for pair in pairs]
    values = {name: value for name, _, value in parts}
    if not all(name and value for name, value in values.items()):
        raise ValueError(f"{option} must be {form}, got {shown(pairs)}.")
    if len(values) < len(parts):
        each = form.partition("=")[0].lower()
        raise ValueError(f"{option} must name each {each} once, got {shown(pairs)}.")
    return values


def tell_of_hidden(columns: list[str]) -> None:
    if columns:
        what = "annotators do not see columns that may be labels or confidences, or tell"
        names = ", ".join(map(repr, columns))
        tell("note", f"{what} the labels: {names}. --columns chooses what they see.")


def _allocation(texts: list[str]) -> str | dict[str, int]:
    """How many rows of each stratum to draw: in a word, or by stratum."""
    if len(texts) < 2 and "=" not in "".join(texts):
        return "".join(texts) or "equal"
    sizes = _pairs("--allocation", "VALUE=SIZE", texts)
    with errors_name("--allocation"):
        return {name: int(size) for name, size in sizes.items()}


def certify(args: Namespace) -> None:
    check_rate("--at-most", args.at_most)
    options = {"delta": args.delta, "max_annotator_errors": args.annotator_errors}
    options["sides"] = int(args.sides)
    parts = [SHEET] if args.by else []
    _refuse_rates(args, _certified(args, certify_labels, options, *parts))


def difference(args: Namespace) -> None:
    options = {"of": args.of or None, "delta": args.delta}
    _certified(args, certify_difference, options, read=Inputs.compared)


def _certified(
    args: Namespace,
    function: Callable[..., Any],
    options: Any,
    *parts: str,
    read: Callable[[Inputs], Any] = Inputs.audited,
) -> Any:
    """The certificate of audited labels, which is printed and written, with a table."""
    paths = output_paths(args, *parts, ".json") if args.output else []
    check_free(args, paths)
    inputs = Inputs(args)
    data = read(inputs)
    with inputs.errors_name_answers():
        certificate = function(*data, **options, **inputs.segments())
    files = {path: as_text(certificate.to_json()) for path in paths[-1:]}
    for path in paths[:-1]:
        table = certificate.to_frame().reset_index()
        files = {path: as_table(path, table, inputs.format), **files}
    write_outputs(args, files, page=certificate.report() if args.report else None)
    is_table = isinstance(certificate, PrintedTable)
    text = str(certificate) if is_table else certificate.statement
    print_statement(args, certificate, text)
    return certificate


def check_rate(option: str, value: float | None) -> None:
    if value is not None:
        check_open_unit(option, value)


def refuse_above(args: Namespace, count: int, n_rows: int, of: str = "") -> None:
    most = args.at_most
    if most is not None and Fraction(count, n_rows) > exact_decimal(most):
        raise NotMetError(f"{count} of {n_rows} rows{of} are more than --at-most {most}.")


def _refuse_rates(args: Namespace, certificate: Any) -> None:
    """Refuse bounds of the rows, or of any segment, beyond what was asked for."""
    limits = [("", certificate.fewest, *certificate.stated)] if not args.by else []
    if args.by:
        columns, _ = certificate.numbers
        names = "segment", "lower_bound", "upper_bound", "n_rows"
        for name, *counts in zip(*(columns[name] for name in names), strict=True):
            limits.append((f" of segment {name!r}", *counts))
    least = getattr(args, "at_least", None)
    for of, low, high, n in limits:
        refuse_above(args, high, n, of)
        if least is not None and Fraction(low, n) < exact_decimal(least):
            what = f"{low} of {n} rows{of} are fewer than --at-least {least}"
            raise NotMetError(f"{what}.")


def share(args: Namespace) -> None:
    check_rate("--at-least", args.at_least)
    check_rate("--at-most", args.at_most)
    options = {"of": args.of, "delta": args.delta}
    _refuse_rates(args, _certified(args, certify_share, options, SHEET))


def classes(args: Namespace) -> None:
    metrics = args.metrics or ["precision", "recall", "f1"]
    least = _least_scores(args, metrics)
    options = {"delta": args.delta, "metrics": metrics}
    report = _certified(args, class_report, options, SHEET)
    (columns, _), unmet = report.numbers, []
    for name, least_bound in least.items():
        segments = columns.get("segment", [""] * len(columns["class"]))
        bounds = columns["class"], columns[f"{name}_lower_bound"]
        for segment, label, bound in zip(segments, *bounds, strict=True):
            if exact_decimal(bound) < exact_decimal(least_bound):
                of = f"{label!r}{f' in {segment!r}' * bool(segment)}"
                unmet.append(f"{name} of {of} is at least {bound} only")
    for name, (n_rows, n_audited, n_right) in getattr(report, "others", {}).items():
        if least and n_right < n_rows:  # or every score is known to be 1
            known = f"{n_audited} of {n_rows} rows were audited"
            unmet.append(f"segment {name!r}, of which {known}, has no bounds")
    if unmet:
        raise NotMetError(f"--at-least {' '.join(args.at_least)}: {', '.join(unmet)}.")


def _least_scores(args: Namespace, metrics: list[str]) -> dict[str, float]:
    """The least lower bounds that classes must have, by metric."""
    pairs = _pairs("--at-least", "METRIC=RATE", args.at_least)
    scores = [name for name in metrics if name not in ("total", "macro_error")]
    for name in pairs:
        if name not in scores:
            what = f"--at-least must name metrics that are bounded from below, {scores}"
            raise ValueError(f"{what}, got {name!r}.")
    with errors_name("--at-least"):
        return {n: check_open_unit(n, rate(text)) for n, text in pairs.items()}


def settle(args: Namespace) -> None:
    """Write what several people disagree on for somebody to settle."""
    (path,) = output_paths(args, SHEET)
    sheets = Sheets(args, args.answers)
    agreement, data = sheets.compared()
    print(agreement)
    at = agreement.undecided(args.majority)
    columns = enumerate(agreement.codes[at].T, start=1)
    answers = {f"answer_{i}": decode(codes, agreement.classes) for i, codes in columns}
    lines = data.iloc[at].reset_index(drop=True)
    sheet = worksheet(np.arange(len(lines)), lines, answers=answers)
    sheet = sheet.assign(**{ROW: agreement.rows[at]})
    if args.key:  # which stands for the number
        sheet = sheet.drop(columns=ROW)
    if not len(sheet):
        print("There is nothing to settle.")
        return
    file = as_worksheet(path, sheet, sheets.formats[args.answers[0]])
    write_outputs(args, {path: file}, sheet.columns)
    print(
        f"{len(sheet):,} row{'s are' if len(sheet) > 1 else ' is'} to be settled.\n"
        f"Next, somebody fills in the column {LABEL!r} of {path}.\n"
        "Then run the command that reads these labels with "
        f"{shlex.join(as_options(settled=path))}."
    )


def plan(args: Namespace) -> None:
    args.audit = args.pilot  # as other commands call it
    paths = output_paths(args, SHEET) if args.output else []
    check_free(args, paths)
    inputs = Inputs(args)
    confidence, pilot = inputs.confidence(), _pilot(inputs)
    options = {"expected_accuracy": args.expected_accuracy, **pilot}
    with inputs.errors_name_answers():
        made = plan_finish(confidence, args.budget, args.target, args.delta, **options)
    for path in paths:
        table = as_table(path, made.to_frame().reset_index(), inputs.format)
        write_outputs(args, {path: table})
    chosen = {"confidence": args.confidence, "target": args.target, "delta": args.delta}
    chosen |= {"surest": made.surest} if made.surest < 1 else {}
    chosen |= {"exclude": args.pilot} if args.pilot else {}
    then = as_options(size=args.budget, labels=args.labels or "COLUMN")
    then = [*as_files(args.data), *then, *gaps(args)]
    then += as_options(**chosen, output="NAME")
    print(f"{made}\nThen run: {program()} audit draw {shlex.join(then)}")


def size(args: Namespace) -> None:
    data, is_number = args.data, args.data.isdecimal()
    n_rows = int(data) if is_number else len(Inputs(args).data)
    options = {"delta": args.delta, "power": args.power}
    rates = args.expected_error
    if args.predicted is not None:
        _print_size_of_share(args, n_rows, options | {"expected_error": (*rates,)})
        return
    if len(rates) > 1:
        raise ValueError(f"--expected-error must be one rate, got {rates}.")
    needed = audit_size(n_rows, args.target, *rates, **options)
    then = as_files("DATA" if is_number else data)
    then += as_options(size=needed.n_labels, labels="COLUMN", output="NAME")
    print(
        f"Audit {needed.n_labels:,} of {n_rows:,} rows. If at most {needed.n_errors} of "
        f"them are wrong, at most {needed.n_tolerated:,} of all rows are certified to be "
        f"(--delta {args.delta}). If {rates[0]:.2%} of the labels are wrong, "
        f"this happens with probability {needed.power:.3f}.\n"
        f"Then run: {program()} audit draw {shlex.join(then)}"
    )


def _print_size_of_share(args: Namespace, n_rows: int, options: Any) -> None:
    needed = audit_size(n_rows, args.target, n_predicted=args.predicted, **options)
    of_class, others = needed.n_audited
    then = f"audit draw DATA --size {needed.n_labels} --strata COLUMN --output NAME"
    print(
        f"Audit {needed.n_labels:,} of {n_rows:,} rows: {of_class:,} of the class by "
        f"their labels, and {others:,} others. If the guess is right, bounds of the "
        f"share are about {needed.lower:.2%} and {needed.upper:.2%} (--delta "
        f"{args.delta}), and at most {2 * args.target:.2%} apart with probability "
        f"{needed.power:.2f}.\n"
        f"Then run: {program()} {then}"
    )


def _pilot(inputs: Inputs) -> dict[str, Any]:
    """What is known of a pilot, if there was one."""
    args = inputs.args
    if not args.pilot and not args.answers:
        return {}
    for option in ("pilot", "labels", "answers"):
        if not getattr(args, option):
            given = "pilot" if args.pilot else "answers"
            raise ValueError(f"--{given} must be given with --{option}.")
    labels, pilot, answers = inputs.audited()
    return {"pilot": pilot, "labels": labels, "audit_labels": answers}
