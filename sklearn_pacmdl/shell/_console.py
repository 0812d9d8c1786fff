"""What every command says: how it was called, notes and errors."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class NotMetError(Exception):
    """What was asked for cannot be had, although the input is right."""


def program() -> str:
    """How users call the program, for the commands that are printed for them to run."""
    is_script = Path(sys.argv[0]).stem == "pacmdl"
    return "pacmdl" if is_script else "python -m sklearn_pacmdl"


def tell(what: str, message: object) -> None:
    print(f"{what}: {' '.join(str(message).split())}", file=sys.stderr)


@contextmanager
def warnings_as_notes() -> Iterator[None]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for warning in caught:
        tell("note", warning.message)


@contextmanager
def errors_name(where: str) -> Iterator[None]:
    """Let errors say where something is wrong."""
    try:
        yield
    except (ValueError, TypeError) as error:
        raise ValueError(f"{where}: {error}") from None
