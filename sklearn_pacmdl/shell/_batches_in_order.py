"""Batches that arrive one after the other: draw, certify, skip, and where they stand."""

from __future__ import annotations

from argparse import Namespace
from functools import partial
from math import isfinite
from pathlib import Path
from typing import Any

from ..audits import AuditSeries, as_worksheet
from ..utils._table_columns import LABEL
from ..utils._writing import Write, write_files
from ._auditing import names_of_classes, tell_of_hidden
from ._console import errors_name, program
from ._inputs import Inputs
from ._outputs import as_text, check_free, check_plan, check_unchanged, output_paths

_PLAN = {"target": "target", "delta": "delta", "batches": "n_batches"}


class _File:
    """A series in a file that nobody else changes meanwhile."""

    def __init__(self, args: Namespace) -> None:
        self.path = Path(args.series)
        self.before = self.path.read_bytes() if self.path.exists() else None
        if self.before is None:
            self.series = _begun(args)
            return
        with errors_name(args.series):
            self.series = AuditSeries.from_json(self.before.decode())
            if problems := "; ".join(self.series.verify().problems):
                raise ValueError(f"it must be as it was written, but {problems}.")
        check_plan(args, self.series, _PLAN, f"in {args.series}")

    def write(self, files: dict[Path, Write] | None = None) -> None:
        written = {**(files or {}), self.path: as_text(self.series.to_json())}
        unchanged = partial(check_unchanged, self.path, self.before)
        write_files(written, unchanged, keeps_last=True)


def _begun(args: Namespace) -> AuditSeries:
    if getattr(args, "target", None) is None:
        raise ValueError(f"{args.series} does not exist; draw with --target makes it.")
    delta = 0.1 if args.delta is None else args.delta
    return AuditSeries(target=args.target, delta=delta, n_batches=args.batches)


def draw(args: Namespace) -> None:
    (path,) = output_paths(args, ".csv")
    classes = names_of_classes(args)
    file, inputs = _File(args), Inputs(args, classes)
    check_free(args, [path], inputs.data.columns)
    audit = file.series.draw(
        args.batch,
        inputs.texts(args.labels),
        size=args.size,
        expected_error=args.expected_error,
        power=args.power,
        classes=classes or None,
        random_state=args.seed,
        seed_text=args.seed_text,
    )
    seen, hidden = inputs.columns_for_people()
    file.write({path: as_worksheet(audit.to_frame(seen))})
    tell_of_hidden(hidden)
    print(
        f"{audit.size:,} of {audit.n_rows:,} rows were drawn.\n"
        f"Next, people fill in the column {LABEL!r} of {path}. Each row needs a label, "
        "and none may be exchanged for another.\n"
        f"Then run {program()} series certify with --answers {path}."
    )


def certify(args: Namespace) -> str:
    file, inputs = _File(args), Inputs(args)
    audits = file.series.audits
    if args.batch not in audits:
        raise ValueError(f"--batch must be one of {[*audits]}, got {args.batch!r}.")
    args.audit = f"batch {args.batch!r} of {args.series}"  # as errors call it
    labels, _, answers = inputs.audited(audits[args.batch])
    certificate = file.series.certify(args.batch, labels, answers)
    file.write()
    print(certificate.statement)
    return file.series.states[args.batch]


def skip(args: Namespace) -> None:
    file = _File(args)
    file.series.skip(args.batch)
    file.write()
    print(f"{args.batch} has no certificate, and its share of delta is lost.")


def status(args: Namespace) -> str:
    """Say what holds so far, and return the state of the latest batch."""
    series = _File(args).series
    if args.plot:
        chart: Any = series.plot().figure_
        chart.savefig(args.plot)
    print(series)
    *_, latest = "", *series.audits
    if latest and isfinite(p_value := series.drift_p_value(latest)):
        print(
            f"The test whether the labels of {latest} and of the batch before it come "
            f"equally often has p = {p_value:.2g}. It does not see which are wrong, and "
            "no guarantee depends on it."
        )
    states = [state for state in series.states.values() if state != "skipped"]
    return "waiting" if "waiting" in states else next(reversed(states), "waiting")
