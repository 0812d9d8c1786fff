"""Plans: what a budget of checks can be expected to give."""

from __future__ import annotations

import shlex
from argparse import Namespace
from typing import Any

from ..audits import as_csv, plan_finish
from ._console import program
from ._inputs import Inputs
from ._outputs import check_free, output_paths, write_outputs


def plan(args: Namespace) -> None:
    args.audit = args.pilot  # as other commands call it
    paths = output_paths(args, ".csv") if args.output else []
    check_free(args, paths)
    inputs = Inputs(args)
    made = plan_finish(
        inputs.confidence(),
        args.budget,
        args.target,
        args.delta,
        expected_accuracy=args.expected_accuracy,
        **_pilot(inputs),
    )
    for path in paths:
        write_outputs(args, {path: as_csv(made.to_frame().reset_index())})
    then = [args.data, "--size", args.budget, "--labels", args.labels or "COLUMN"]
    then += ["--confidence", args.confidence, "--target", args.target]
    then += ["--delta", args.delta]
    if made.surest < 1:
        then += ["--surest", made.surest]
    if args.pilot:
        then += ["--exclude", args.pilot]
    then += ["--output", "NAME"]
    print(f"{made}\nThen run: {program()} audit draw {shlex.join(map(str, then))}")


def _pilot(inputs: Inputs) -> dict[str, Any]:
    """What is known of a pilot, if there was one."""
    args = inputs.args
    if not args.pilot:
        if args.answers:
            raise ValueError("--answers must be given with --pilot.")
        return {}
    for option in ("labels", "answers"):
        if not getattr(args, option):
            raise ValueError(f"--pilot must be given with --{option}.")
    labels, pilot, answers = inputs.audited()
    return {"pilot": pilot, "labels": labels, "audit_labels": answers}
