"""What every command says: how it was called, notes, errors and exit codes."""

from __future__ import annotations

import json
import sys
import warnings
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..utils._printable import escaped


class NotMetError(Exception):
    """What was asked for cannot be had, although the input is right."""


def program() -> str:
    """How users call the program, for the commands that are printed for them to run."""
    is_script = Path(sys.argv[0]).stem == "pacmdl"
    return "pacmdl" if is_script else "python -m sklearn_pacmdl"


def as_files(*paths: object) -> list[str]:
    """Files for commands to run, of which none looks like an option."""
    return [f"./{path}" if str(path).startswith("-") else str(path) for path in paths]


def as_options(**values: object) -> list[str]:
    """Options with values, which may begin with a dash, for commands to run."""
    words = []
    for name, value in values.items():
        option, text = f"--{name.replace('_', '-')}", str(value)
        words += [f"{option}={text}"] if text.startswith("-") else [option, text]
    return words


def tell(what: str, message: object) -> None:
    print(f"{what}: {' '.join(str(message).split())}", file=sys.stderr)


def figures_of(certificate: Any) -> dict[str, Any]:
    """The statement, and the figures in it."""
    figures = {"statement": certificate.statement, "delta": certificate.delta}
    if hasattr(certificate, "stated"):
        most, n_rows = certificate.stated
        limits = {"at_least": certificate.fewest, "at_most": most}
        return figures | limits | {"n_rows": n_rows}
    if hasattr(certificate, "certificates"):
        columns, _ = certificate.numbers
        lines = zip(*columns.values(), strict=True)
        return figures | {"segments": [dict(zip(columns, v, strict=True)) for v in lines]}
    # A report has many statements.
    return figures | {"classes": certificate.classes, "bounds": {**certificate.bounds}}


def print_statement(args: Namespace, certificate: Any, text: str) -> None:
    """Print what is certified, as a text for people or as figures for programs."""
    if args.json:
        print_json(figures_of(certificate))
    else:
        print(text)


def print_json(values: Any) -> None:
    print(json.dumps(values))


class Printable:
    """A stream to which texts are written with their control characters escaped."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        return int(self._stream.write(escaped(text, keep="\n")))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


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


def rate(text: str) -> float:  # errors of usage call it by this name
    """A number, which people also write with a decimal comma or as a percentage."""
    plain = text.strip().replace(",", ".")
    number = plain.removesuffix("%").rstrip()
    # The exponent makes 0.7% the float that is nearest to 0.007.
    return float(plain if number == plain else f"{number}e-2")


HOLDS, DOES_NOT_HOLD, BAD_INPUT, UNDECIDED = range(4)

MEANINGS = {
    HOLDS: "it holds, or is done",
    DOES_NOT_HOLD: "it does not hold: a rate above --at-most or below --at-least, an "
    "audit that is too small for --target, a certificate that does not agree",
    BAD_INPUT: "bad input, such as a file that cannot be read, or an unforeseen error",
    UNDECIDED: "undecided: a certificate whose labels were not compared, or whose rows "
    "follow from no seed",
    130: "interrupted by Ctrl-C",
    141: "ended, since nobody reads its output any more (as where it is piped to head)",
}
# Of what commands return.
CODES = {
    "agrees with the data": HOLDS,
    "agrees with the data, but no seed shows how the rows were chosen": UNDECIDED,
    "agrees with itself; no data were compared": UNDECIDED,
    "does not agree": DOES_NOT_HOLD,
    "cannot be read": BAD_INPUT,
}
