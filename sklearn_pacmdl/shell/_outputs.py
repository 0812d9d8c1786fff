"""Files that commands write: whole, all or none, and never over human labels."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Collection, Iterable, Mapping
from itertools import chain
from pathlib import Path

from ..audits import refuse_labels_of_people
from ..utils._writing import Write, write_files


def output_paths(args: Namespace, *suffixes: str) -> list[Path]:
    name = args.output.removesuffix(".json").removesuffix(".csv")
    return [Path(f"{name}{suffix}") for suffix in suffixes]


def check_free(args: Namespace, paths: Iterable[Path], own: Collection[str] = ()) -> None:
    """Refuse paths that are read, exist without --force, or hold human labels."""
    given = vars(args)
    several = (given.get(name, []) for name in ("answers", "settled", "rest", "exclude"))
    inputs = chain([given.get("data"), given.get("audit")], *several)
    read = {Path(name).resolve() for name in inputs if name}
    for path in paths:
        if path.resolve() in read:
            raise ValueError(f"{path} is to be read; choose another --output.")
        if path.exists() and not args.force:
            raise ValueError(f"{path} exists; choose another --output, or add --force.")
        if path.suffix == ".csv":
            other = f"{args.to_go_on}, or choose another --output"
            refuse_labels_of_people(path, own, f"--force does not overwrite; {other}")


def write_outputs(
    args: Namespace, files: Mapping[Path, Write], own: Collection[str] = ()
) -> None:
    """Write files of which the last is about the others, if nothing is in their place."""
    # Again, since another program may have written them while this one computed.
    write_files(files, lambda: check_free(args, files, own))


def as_text(text: str) -> Write:
    return lambda file: file.write(f"{text}\n")
