"""Audits from the shell: the commands, their options and exit codes."""

from __future__ import annotations

from argparse import (
    ArgumentParser,
    Namespace,
    RawDescriptionHelpFormatter,
    _SubParsersAction,
)
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from ._commands import PROGRAM, NotMetError, certify, draw, finish, verify
from ._files import AUTOMATIC, SOURCE, tell
from ._worksheet import LABEL

DONE, NOT_MET, BAD_INPUT = 0, 1, 2
CODES = """\
exit codes:
  0  done
  1  done, but not what was asked for: a rate above --at-most, an audit that is too small
     for --target, or a certificate that is not right
  2  bad input, with one line on stderr that says which
"""
LABELS = """\
Labels are read and compared as text: 7 and 007 are different labels, and so are Spam and
spam. Only empty cells, and texts given by --missing, are rows without a label. An audit
that was drawn in Python for numbers is refused: it was drawn for other labels.
"""


class _Parser(ArgumentParser):
    """Parser whose errors are one line, without the usage."""

    def error(self, message: str) -> NoReturn:
        self.exit(BAD_INPUT, f"error: {message} ({self.prog} --help lists all)\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command, and return its exit code."""
    args = _parser().parse_args(argv)
    try:
        args.run(args)
    except NotMetError as unmet:
        tell("not met", unmet)
        return NOT_MET
    except (ValueError, TypeError, OSError, ImportError) as error:
        tell("error", error)
        return BAD_INPUT
    return DONE


def _parser() -> ArgumentParser:
    top = _Parser(
        prog=PROGRAM,
        description="Audits: certify any labels by rows that people check.",
        epilog=CODES,
        formatter_class=RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    rooms = top.add_subparsers(required=True, metavar="{audit,verify}")
    audit = rooms.add_parser(
        "audit", help="draw rows, certify labels, finish a data set", allow_abbrev=False
    )
    commands = audit.add_subparsers(required=True, metavar="{draw,certify,finish}")
    _add_draw(commands)
    _add_certify(commands)
    _add_finish(commands)
    _add_verify(rooms)
    return top


def _add(
    commands: _SubParsersAction[Any],
    name: str,
    run: Callable[[Namespace], None],
    description: str,
) -> ArgumentParser:
    parser = commands.add_parser(
        name,
        help=description[0].lower() + description[1:].rstrip("."),
        description=f"{description}\n\n{LABELS}",
        epilog=CODES,
        formatter_class=RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.set_defaults(run=run)
    parser.add_argument(
        "--missing",
        metavar="TEXT",
        action="append",
        default=[],
        help="a text that marks rows without a label, such as --missing=-1",
    )
    return parser


def _add_draw(commands: _SubParsersAction[Any]) -> None:
    parser = _add(commands, "draw", draw, "Draw rows at random for people to label.")
    _add_data(parser)
    parser.add_argument("--size", type=int, required=True, help="rows to draw")
    parser.add_argument(
        "--labels",
        metavar="COLUMN",
        help="automatic labels: the audit proves that they came first, and certifies no "
        "others. People do not see them",
    )
    parser.add_argument(
        "--confidence",
        metavar="COLUMN",
        help="how sure each label is, to finish the data set: higher is surer",
    )
    parser.add_argument(
        "--exclude",
        metavar="AUDIT.json",
        nargs="+",
        default=[],
        help="audits whose labels helped to make these labels",
    )
    parser.add_argument("--seed", type=int, help="by default, drawn by the system")
    _add_columns(parser)
    _add_output(parser, "NAME.json, the audit, and NAME.csv, to fill in", required=True)


def _add_certify(commands: _SubParsersAction[Any]) -> None:
    parser = _add(
        commands, "certify", certify, "Certify how many rows are labeled wrongly."
    )
    _add_data(parser)
    _add_audited(parser, required=True)
    _add_level(parser)
    parser.add_argument(
        "--at-most",
        metavar="RATE",
        type=float,
        help="exit with 1 if the certified share of wrong labels is above this",
    )
    _add_output(parser, "NAME.json, the certificate")


def _add_finish(commands: _SubParsersAction[Any]) -> None:
    parser = _add(
        commands, "finish", finish, "Accept sure labels, and leave other rows to people."
    )
    _add_data(parser)
    _add_audited(parser, required=True)
    parser.add_argument(
        "--confidence",
        metavar="COLUMN",
        required=True,
        help="how sure each label is: higher is surer",
    )
    parser.add_argument(
        "--target",
        metavar="RATE",
        type=float,
        required=True,
        help="share of wrong labels that the finished data set may have",
    )
    _add_level(parser)
    _add_columns(parser)
    parser.add_argument(
        "--rest",
        metavar="REST.csv",
        nargs="+",
        default=[],
        help="NAME-rest.csv of an earlier run, filled in: completes the data set",
    )
    _add_output(
        parser,
        f"NAME.csv, with the columns {LABEL!r}, {SOURCE!r} (person, automatic or empty) "
        f"and {AUTOMATIC!r} (if accepted); NAME.json, the certificate; and "
        "NAME-rest.csv, what is left to people, most doubtful first",
        required=True,
    )


def _add_verify(rooms: _SubParsersAction[Any]) -> None:
    parser = _add(
        rooms, "verify", verify, "Verify the file of a certificate or an audit."
    )
    parser.add_argument("certificate", metavar="CERT.json")
    parser.add_argument(
        "--data",
        metavar="DATA",
        help="count the errors in the data again (with --labels, --audit and --answers); "
        f"of a finished data set, NAME.csv with --labels {AUTOMATIC}",
    )
    _add_audited(parser, required=False)


def _add_data(parser: ArgumentParser) -> None:
    parser.add_argument(
        "data", metavar="DATA", help="all rows: a .csv file in UTF-8 or a .parquet file"
    )


def _add_audited(parser: ArgumentParser, *, required: bool) -> None:
    parser.add_argument(
        "--labels", metavar="COLUMN", required=required, help="automatic labels"
    )
    parser.add_argument("--audit", metavar="AUDIT.json", required=required)
    parser.add_argument(
        "--answers",
        metavar="ANSWERS.csv",
        nargs="+",
        required=required,
        help="what people filled in; several files if several people labeled all rows",
    )
    parser.add_argument(
        "--answer-column",
        metavar="COLUMN",
        default=LABEL,
        help="or several, with commas, of several people; default: %(default)s",
    )
    parser.add_argument(
        "--majority",
        action="store_true",
        help="where people disagree, take what more than half of them say",
    )


def _add_level(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--delta",
        type=float,
        default=0.1,
        help="probability with which the statement may fail; default: %(default)s",
    )
    parser.add_argument(
        "--people-errors",
        metavar="COUNT",
        type=int,
        default=0,
        help="audited rows about which people may be wrong; default: %(default)s",
    )


def _add_columns(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--columns",
        metavar="COLUMNS",
        help="what people see, with commas; default: all but labels and confidence",
    )


def _add_output(parser: ArgumentParser, what: str, *, required: bool = False) -> None:
    parser.add_argument(
        "--output", metavar="NAME", required=required, help=f"writes {what}"
    )
    parser.add_argument("--force", action="store_true", help="overwrite files")
