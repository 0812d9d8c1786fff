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

from ._commands import NotMetError, certify, draw, finish, monitor, settle
from ._files import PROGRAM, tell
from ._verify import verify
from ._worksheet import AUTOMATIC, LABEL, SOURCE

DONE, NOT_MET, BAD_INPUT = 0, 1, 2
STATES = {"certified": DONE, "go on": 3, "cannot succeed any more": 4}
CODES = """\
exit codes:
  0  done
  1  done, but not what was asked for: a rate above --at-most, an audit that is too small
     for --target, or a certificate that is not right
  2  bad input, with one line on stderr that says which
  3  of monitor: go on, not certified yet
  4  of monitor: cannot succeed any more
  130  interrupted by Ctrl-C
"""
LABELS = """\
Labels are read and compared as text: 7 and 007 are different labels, and so are Spam and
spam. Only empty cells, and texts given by --missing, are rows without a label. An audit
that was drawn in Python for numbers is refused: it was drawn for other labels.
"""
MONITOR = """\
The first call writes the plan to STATE.json; later calls need only --state, --labels and
--errors, which count all labels so far: the same call twice does no harm. People label
rows in the order of the audit that draw wrote, and leave none out.
"""


class _Parser(ArgumentParser):
    """Parser whose errors are one line, without the usage."""

    def error(self, message: str) -> NoReturn:
        self.exit(BAD_INPUT, f"error: {message} ({self.prog} --help lists all)\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command, and return its exit code."""
    args = _parser().parse_args(argv)
    try:
        state = args.run(args)
    except NotMetError as unmet:
        tell("not met", unmet)
        return NOT_MET
    except (ValueError, TypeError, OSError, ImportError) as error:
        tell("error", error)
        return BAD_INPUT
    return STATES[state] if state else DONE


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
        "audit",
        help="draw rows, certify, finish, settle or monitor",
        allow_abbrev=False,
    )
    commands = audit.add_subparsers(
        required=True, metavar="{draw,certify,finish,settle,monitor}"
    )
    _add_draw(commands)
    _add_certify(commands)
    _add_finish(commands)
    _add_settle(commands)
    _add_monitor(commands)
    _add_verify(rooms)
    return top


def _add(
    commands: _SubParsersAction[Any],
    name: str,
    run: Callable[[Namespace], str | None],
    description: str,
    notes: str = LABELS,
) -> ArgumentParser:
    parser = commands.add_parser(
        name,
        help=description[0].lower() + description[1:].rstrip("."),
        description=f"{description}\n\n{notes}",
        epilog=CODES,
        formatter_class=RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.set_defaults(run=run, to_go_on="rename it")
    return parser


def _add_draw(commands: _SubParsersAction[Any]) -> None:
    parser = _add(commands, "draw", draw, "Draw rows at random for people to label.")
    _add_data(parser)
    _add_missing(parser)
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
    seeds = parser.add_mutually_exclusive_group()
    seeds.add_argument("--seed", type=int, help="by default, drawn by the system")
    seeds.add_argument(
        "--seed-text",
        metavar="TEXT",
        help="a text that nobody could know when its source was named, such as a date's "
        "lottery numbers: the rows follow from it, and statements quote it",
    )
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
    parser.set_defaults(to_go_on="add it to --rest")
    parser.add_argument(
        "--rest",
        metavar="REST.csv",
        nargs="+",
        default=[],
        help="NAME-rest.csv of earlier runs, filled in, as far as people have come",
    )
    _add_output(
        parser,
        f"NAME.csv, with the columns {LABEL!r}, {SOURCE!r} (person, automatic or empty) "
        f"and {AUTOMATIC!r} (if accepted); NAME.json, the certificate; and "
        "NAME-rest.csv, what is left to people, most doubtful first, or NAME-rest-2.csv "
        "after the first --rest, and so on",
        required=True,
    )


def _add_settle(commands: _SubParsersAction[Any]) -> None:
    parser = _add(
        commands, "settle", settle, "Write what people disagree on, to be settled."
    )
    parser.set_defaults(to_go_on="pass it to --settled")
    parser.add_argument(
        "answers", metavar="ANSWERS.csv", nargs="+", help="what people filled in"
    )
    _add_people(parser)
    _add_missing(parser)
    _add_output(parser, "NAME.csv, to fill in", required=True)


def _add_monitor(commands: _SubParsersAction[Any]) -> None:
    parser = _add(
        commands,
        "monitor",
        monitor,
        "Look after any label whether there are enough.",
        MONITOR,
    )
    parser.add_argument("--state", metavar="STATE.json", required=True)
    parser.add_argument("--rows", type=int, help="rows of the data set")
    parser.add_argument(
        "--target", metavar="RATE", type=float, help="share of wrong labels, at most"
    )
    parser.add_argument(
        "--max-labels", metavar="COUNT", type=int, help="the audit ends after so many"
    )
    parser.add_argument(
        "--delta", type=float, help="probability of certifying falsely; default: 0.1"
    )
    parser.add_argument(
        "--kind",
        choices=["total", "remaining"],
        help="what is certified: all rows (default), or those that are not labeled yet",
    )
    for name, what in {"labels": "labels of people", "errors": "errors found"}.items():
        parser.add_argument(
            f"--{name}", metavar="COUNT", type=int, default=0, help=f"all {what} so far"
        )


def _add_verify(rooms: _SubParsersAction[Any]) -> None:
    parser = _add(
        rooms, "verify", verify, "Verify the file of a certificate or an audit."
    )
    parser.add_argument("certificate", metavar="CERT.json")
    parser.add_argument(
        "--data",
        metavar="DATA",
        help="compare the data, too: those of a search with --labels and --seen, of an "
        "audited labeling with --labels, --audit and --answers, of a finished data set "
        f"NAME.csv with --labels {LABEL}, --audit and --answers, and those that an audit "
        "was drawn for with --labels",
    )
    parser.add_argument(
        "--seen",
        metavar="COLUMN",
        help="the labels that a search was given: its y, empty where it had no label",
    )
    _add_audited(parser, required=False)


def _add_missing(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--missing",
        metavar="TEXT",
        action="append",
        default=[],
        help="a text that marks rows without a label, such as --missing=-1",
    )


def _add_data(parser: ArgumentParser) -> None:
    parser.add_argument(
        "data", metavar="DATA", help="all rows: a .csv file in UTF-8 or a .parquet file"
    )


def _add_audited(parser: ArgumentParser, *, required: bool) -> None:
    parser.add_argument(
        "--labels", metavar="COLUMN", required=required, help="automatic labels"
    )
    _add_missing(parser)
    parser.add_argument("--audit", metavar="AUDIT.json", required=required)
    parser.add_argument(
        "--answers",
        metavar="ANSWERS.csv",
        nargs="+",
        required=required,
        help="what people filled in; several files if several people labeled",
    )
    _add_people(parser)
    parser.add_argument(
        "--settled",
        metavar="SETTLED.csv",
        nargs="+",
        default=[],
        help="what settle wrote, filled in: labels of rows on which people disagree",
    )


def _add_people(parser: ArgumentParser) -> None:
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
        help="what people see, with commas; by default all but labels, confidence, and "
        "columns that may be such, which are told",
    )


def _add_output(parser: ArgumentParser, what: str, *, required: bool = False) -> None:
    parser.add_argument(
        "--output", metavar="NAME", required=required, help=f"writes {what}"
    )
    parser.add_argument("--force", action="store_true", help="overwrite files")
