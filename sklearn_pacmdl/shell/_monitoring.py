"""Audits that end as soon as there are enough labels."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from ..audits import AuditMonitor
from ..utils._writing import write_files
from ._console import errors_name
from ._outputs import as_text


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
        value, planned = getattr(args, option), getattr(monitor, name)
        if value is not None and value != planned:
            raise ValueError(
                f"--{option.replace('_', '-')} must be {planned}, as it was planned "
                f"before the first label in {args.state}, got {value}."
            )
    return monitor


def _check_unchanged(path: Path, before: bytes | None) -> None:
    """Refuse to replace what another run has written since this one began."""
    if (path.read_bytes() if path.exists() else None) != before:
        raise ValueError(f"{path} was changed by another run; run this command again.")
