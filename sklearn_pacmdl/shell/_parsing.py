"""Arguments are parsed, and the command is imported and run."""

from __future__ import annotations

import re
import sys
from argparse import (
    Action,
    ArgumentError,
    ArgumentParser,
    Namespace,
    RawDescriptionHelpFormatter,
)
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from importlib import import_module
from os.path import basename
from textwrap import TextWrapper, wrap
from traceback import extract_tb, print_exception
from typing import Any, NoReturn

from ._console import (
    BAD_INPUT,
    CODES,
    DOES_NOT_HOLD,
    HOLDS,
    MEANINGS,
    NotMetError,
    Printable,
    program,
    rate,
    tell,
    warnings_as_notes,
)
from ._usage import COMMANDS, GROUPS, WORKFLOW, Command

# As wide as a terminal at least is.
LINES = TextWrapper(80, initial_indent="  ", subsequent_indent=7 * " ")
REPEATED = (
    "Options of several values, or of columns with commas, may be repeated: --answers "
    "a.csv --answers b.csv is --answers a.csv b.csv. Other values are given once."
)
HELP = "\n".join(
    [
        *wrap(REPEATED, 80),
        "\nexit codes:",
        *(LINES.fill(f"{code:<5}{what}") for code, what in MEANINGS.items()),
    ]
)


def share(text: str) -> float | str:
    return text if text == "auto" else rate(text)


# Types follow from what is asked for.
TYPES: dict[str, Callable[[str], Any]] = dict.fromkeys(
    ["COUNT", "ROWS", "SEED", "SIZE"], int
)
TYPES |= dict.fromkeys(["DELTA", "RATE"], rate)
TYPES["SHARE"] = share
TYPES["COLUMNS"] = lambda text: text.split(",")
USAGE = re.compile(r"([\w-]+)(!?)(?: ([^ =]+))?(?:=(\S+))?( \.\.\.)?")
SEEDS = {"--seed", "--seed-text"}  # of which one may be given
ONE_AT_A_TIME = {"--missing", "--rename", "--of"}  # lists of which each is an option


FORESEEN = ValueError, TypeError, OSError, ImportError  # with messages for users


class _Parser(ArgumentParser):
    """Parser whose errors are one line, without the usage."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(
            **settings, formatter_class=RawDescriptionHelpFormatter, allow_abbrev=False
        )

    def error(self, message: str) -> NoReturn:
        self.exit(BAD_INPUT, f"error: {message} ({self.prog} --help lists all)\n")


class _Given(Action):
    """Store the values of an option: lists add up, and a single value is given once."""

    is_given = False

    def __call__(
        self, parser: ArgumentParser, args: Namespace, values: Any, option: Any = None
    ) -> None:
        if self.is_given:
            before = getattr(args, self.dest)
            if not isinstance(values, list):
                what = "must be given once, as a single value"
                raise ArgumentError(self, f"{what}, got {before!r} and {values!r}")
            values = before + values
        self.is_given = True
        setattr(args, self.dest, values)


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command, and return its exit code."""
    # No text, of files or of names of files, may control the terminal.
    out, err = Printable(sys.stdout), Printable(sys.stderr)
    with redirect_stdout(out), redirect_stderr(err):
        args = _parser().parse_args(argv)
        try:
            # Only now, since this takes longer than help and errors of usage should.
            module = import_module(f".{args.module}", __package__)
            with warnings_as_notes():
                state = getattr(module, args.function)(args)
        except NotMetError as unmet:
            tell("not met", unmet)
            return DOES_NOT_HOLD
        except BrokenPipeError:
            raise
        except Exception as error:  # whatever it is, exit codes keep their meaning
            if sys.flags.dev_mode:
                print_exception(error)
            tell("error", error if isinstance(error, FORESEEN) else _unforeseen(error))
            return BAD_INPUT
        return CODES[state] if state else HOLDS


def _unforeseen(error: Exception) -> str:
    """What is said of an error that is no word to the user."""
    at = extract_tb(error.__traceback__)[-1]
    what = f"{type(error).__name__}: {error}".removesuffix(": ")
    return (
        f"{what} ({basename(at.filename)}, line {at.lineno}). "
        "python -X dev -m sklearn_pacmdl with the same arguments shows the traceback."
    )


def _parser() -> ArgumentParser:
    top = _Parser(
        prog=program(),
        description="Certify labels, finish data sets: CSV, Excel, JSON or Parquet.",
        epilog=f"{WORKFLOW}\n{HELP}",
    )
    groups = {"": _subparsers(top, "")}
    for group, what in GROUPS.items():
        groups[group] = _subparsers(groups[""].add_parser(group, help=what), group)
    for name, command in COMMANDS.items():
        group, _, function = name.rpartition(" ")
        parser = groups[group].add_parser(
            function,
            help=command.description[0].lower() + command.description[1:].rstrip("."),
            description=f"{command.description}\n\n{command.notes}",
            epilog=HELP,
        )
        _add_options(parser, command)
        parser.set_defaults(
            module=command.module, function=function, to_go_on=command.to_go_on
        )
    return top


def _subparsers(parser: ArgumentParser, group: str) -> Any:
    """What takes the commands of a group, which is "" for the top."""
    parts = [name.rpartition(" ") for name in (*GROUPS, *COMMANDS)]
    names = [name for outer, _, name in parts if outer == group]
    return parser.add_subparsers(required=True, metavar=f"{{{','.join(names)}}}")


def _add_options(parser: ArgumentParser, command: Command) -> None:
    usages = [USAGE.findall(usage)[0] for usage in command.options]
    either: Any = parser
    of_data: list[str] = []
    if {name for name, *_ in usages} >= SEEDS:
        either = parser.add_mutually_exclusive_group()
    for usage, text in zip(usages, command.options.values(), strict=True):
        name, required, metavar, default, several = usage
        settings: dict[str, Any] = {"action": "store_true"}
        if metavar:
            settings = {"metavar": metavar, "type": TYPES.get(metavar)}
            settings |= {"action": _Given, "default": default or None}
        if metavar.startswith("{"):
            settings["choices"] = metavar.strip("{}").split(",")
        if several or name in ONE_AT_A_TIME:
            settings |= {"nargs": "+" if several else 1, "default": []}
        if required:
            settings["required"] = True
        help_text = text.replace("%", "%%")  # as argparse wants it
        if settings.get("default"):
            help_text += "; default: %(default)s"
        group = either if name in SEEDS else parser
        option = group.add_argument(name, help=help_text, **settings)
        if metavar == "COLUMN":
            of_data.append(option.dest)
    parser.set_defaults(name_columns=of_data)  # options that name one of the data each
