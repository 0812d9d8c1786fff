"""What commands of the shell write: files, and lines on stderr."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Collection, Iterable, Mapping
from itertools import chain
from pathlib import Path

from ..utils._writing import Write, write_files
from ._worksheet import refuse_labels_of_people

PROGRAM = "python -m sklearn_pacmdl"


def tell(what: str, message: object) -> None:
    print(f"{what}: {' '.join(str(message).split())}", file=sys.stderr)


def tell_of_hidden(columns: list[str]) -> None:
    if columns:
        tell(
            "note",
            "people do not see columns that may be labels or confidences: "
            f"{', '.join(map(repr, columns))}. Add --columns to choose what they see.",
        )


def output_paths(args: Namespace, *suffixes: str) -> list[Path]:
    name = args.output.removesuffix(".json").removesuffix(".csv")
    return [Path(f"{name}{suffix}") for suffix in suffixes]


def check_free(args: Namespace, paths: Iterable[Path], own: Collection[str] = ()) -> None:
    """Refuse paths that are read, exist without --force, or hold human labels."""
    names = ("answers", "settled", "rest", "exclude")
    inputs = chain(*(getattr(args, name, []) for name in names))
    one_each = (getattr(args, name, None) for name in ("data", "audit"))
    read = {Path(name).resolve() for name in (*inputs, *one_each) if name}
    for path in paths:
        if path.resolve() in read:
            raise ValueError(f"{path} is to be read; choose another --output.")
        if path.exists() and not args.force:
            raise ValueError(f"{path} exists; choose another --output, or add --force.")
        if path.exists() and path.suffix == ".csv":
            advice = (
                f"--force does not overwrite; {args.to_go_on}, or choose another --output"
            )
            refuse_labels_of_people(path, own, advice)


def write_outputs(
    args: Namespace, files: Mapping[Path, Write], own: Collection[str] = ()
) -> None:
    """Write files of which the last is about the others, if nothing is in their place."""
    # Again, since another program may have written them while this one computed.
    write_files(files, lambda: check_free(args, files, own))


def as_text(text: str) -> Write:
    return lambda file: file.write(f"{text}\n")
