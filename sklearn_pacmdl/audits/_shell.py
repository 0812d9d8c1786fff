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
from ._outputs import PROGRAM, tell
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

    def __init__(self, **settings: Any) -> None:
        super().__init__(
            **settings, formatter_class=RawDescriptionHelpFormatter, allow_abbrev=False
        )

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


# Options by name, with their settings for the parser; several commands share them.
Options = dict[str, dict[str, Any]]


def _option(metavar: str | None, what: str, **settings: Any) -> dict[str, Any]:
    return {"metavar": metavar, "help": what, **settings}


def _files(metavar: str, what: str) -> dict[str, Any]:
    return _option(metavar, what, nargs="+", default=[])


DATA: Options = {
    "data": _option("DATA", "all rows: a .csv file in UTF-8 or a .parquet file")
}
MISSING: Options = {
    "--missing": _option(
        "TEXT",
        "a text that marks rows without a label, such as --missing=-1",
        action="append",
        default=[],
    )
}
SEEDS: Options = {
    "--seed": _option(None, "by default, drawn by the system", type=int),
    "--seed-text": _option(
        "TEXT",
        "a text that nobody could know when its source was named, such as a date's "
        "lottery numbers: the rows follow from it, and statements quote it",
    ),
}
COLUMNS: Options = {
    "--columns": _option(
        "COLUMNS",
        "what people see, with commas; by default all but labels, confidence, and "
        "columns that may be such, which are told",
    )
}
PEOPLE: Options = {
    "--answer-column": _option(
        "COLUMN",
        "or several, with commas, of several people; default: %(default)s",
        default=LABEL,
    ),
    "--majority": {
        "action": "store_true",
        "help": "where people disagree, take what more than half of them say",
    },
}
LEVEL: Options = {
    "--delta": _option(
        None,
        "probability with which the statement may fail; default: %(default)s",
        type=float,
        default=0.1,
    ),
    "--people-errors": _option(
        "COUNT",
        "audited rows about which people may be wrong; default: %(default)s",
        type=int,
        default=0,
    ),
}


def _audited(required: bool) -> Options:
    answers = "what people filled in; several files if several people labeled"
    settled = "what settle wrote, filled in: labels of rows on which people disagree"
    return {
        "--labels": _option("COLUMN", "automatic labels", required=required),
        **MISSING,
        "--audit": {"metavar": "AUDIT.json", "required": required},
        "--answers": _files("ANSWERS.csv", answers) | {"required": required},
        **PEOPLE,
        "--settled": _files("SETTLED.csv", settled),
    }


def _output(what: str, *, required: bool = True) -> Options:
    return {
        "--output": _option("NAME", f"writes {what}", required=required),
        "--force": {"action": "store_true", "help": "overwrite files"},
    }


def _parser() -> ArgumentParser:
    top = _Parser(
        prog=PROGRAM,
        description="Audits: certify any labels by rows that people check.",
        epilog=CODES,
    )
    rooms = top.add_subparsers(required=True, metavar="{audit,verify}")
    audit = rooms.add_parser(
        "audit", help="draw rows, certify, finish, settle or monitor"
    )
    commands = audit.add_subparsers(
        required=True, metavar="{draw,certify,finish,settle,monitor}"
    )
    for add in (_add_draw, _add_certify, _add_finish, _add_settle, _add_monitor):
        add(commands)
    _add_verify(rooms)
    return top


def _add(
    commands: _SubParsersAction[Any],
    run: Callable[[Namespace], str | None],
    description: str,
    *options: Options,
    notes: str = LABELS,
    to_go_on: str = "rename it",
) -> None:
    parser = commands.add_parser(
        run.__name__,
        help=description[0].lower() + description[1:].rstrip("."),
        description=f"{description}\n\n{notes}",
        epilog=CODES,
    )
    parser.set_defaults(run=run, to_go_on=to_go_on)
    for together in options:
        group = parser.add_mutually_exclusive_group() if together is SEEDS else parser
        for name, settings in together.items():
            group.add_argument(name, **settings)


def _add_draw(commands: _SubParsersAction[Any]) -> None:
    labels = (
        "automatic labels: the audit proves that they came first, and certifies no "
        "others. People do not see them"
    )
    confidence = "how sure each label is, to finish the data set: higher is surer"
    excluded = "audits whose labels helped to make these labels"
    own = {
        "--size": _option(None, "rows to draw", type=int, required=True),
        "--labels": _option("COLUMN", labels),
        "--confidence": _option("COLUMN", confidence),
        "--exclude": _files("AUDIT.json", excluded),
    }
    output = _output("NAME.json, the audit, and NAME.csv, to fill in")
    description = "Draw rows at random for people to label."
    _add(commands, draw, description, DATA, MISSING, own, SEEDS, COLUMNS, output)


def _add_certify(commands: _SubParsersAction[Any]) -> None:
    at_most = "exit with 1 if the certified share of wrong labels is above this"
    own = {"--at-most": _option("RATE", at_most, type=float)}
    output = _output("NAME.json, the certificate", required=False)
    description = "Certify how many rows are labeled wrongly."
    _add(commands, certify, description, DATA, _audited(True), LEVEL, own, output)


def _add_finish(commands: _SubParsersAction[Any]) -> None:
    confidence = "how sure each label is: higher is surer"
    target = "share of wrong labels that the finished data set may have"
    rest = "NAME-rest.csv of earlier runs, filled in, as far as people have come"
    own = {
        "--confidence": _option("COLUMN", confidence, required=True),
        "--target": _option("RATE", target, type=float, required=True),
    }
    output = _output(
        f"NAME.csv, with the columns {LABEL!r}, {SOURCE!r} (person, automatic or empty) "
        f"and {AUTOMATIC!r} (if accepted); NAME.json, the certificate; and "
        "NAME-rest.csv, what is left to people, most doubtful first, or NAME-rest-2.csv "
        "after the first --rest, and so on",
    )
    options = DATA, _audited(True), own, LEVEL, COLUMNS
    description = "Accept sure labels, and leave other rows to people."
    left = {"--rest": _files("REST.csv", rest)}
    to_go_on = "add it to --rest"
    _add(commands, finish, description, *options, left, output, to_go_on=to_go_on)


def _add_settle(commands: _SubParsersAction[Any]) -> None:
    answers = {"answers": _files("ANSWERS.csv", "what people filled in")}
    options = answers, PEOPLE, MISSING, _output("NAME.csv, to fill in")
    description = "Write what people disagree on, to be settled."
    _add(commands, settle, description, *options, to_go_on="pass it to --settled")


def _add_monitor(commands: _SubParsersAction[Any]) -> None:
    kind = "what is certified: all rows (default), or those that are not labeled yet"
    chance = "probability of certifying falsely; default: 0.1"
    own = {
        "--state": {"metavar": "STATE.json", "required": True},
        "--rows": _option(None, "rows of the data set", type=int),
        "--target": _option("RATE", "share of wrong labels, at most", type=float),
        "--max-labels": _option("COUNT", "the audit ends after so many", type=int),
        "--delta": _option(None, chance, type=float),
        "--kind": {"choices": ["total", "remaining"], "help": kind},
        "--labels": _option("COUNT", "all human labels so far", type=int, default=0),
        "--errors": _option("COUNT", "all errors found so far", type=int, default=0),
    }
    description = "Look after any label whether there are enough."
    _add(commands, monitor, description, own, notes=MONITOR)


def _add_verify(rooms: _SubParsersAction[Any]) -> None:
    data = (
        "compare the data, too: those of a search with --labels and --seen, of an "
        "audited labeling with --labels, --audit and --answers, of a finished data set "
        f"NAME.csv with --labels {LABEL}, --audit and --answers, and those that an audit "
        "was drawn for with --labels"
    )
    seen = "the labels that a search was given: its y, empty where it had no label"
    own = {
        "certificate": {"metavar": "CERT.json"},
        "--data": _option("DATA", data),
        "--seen": _option("COLUMN", seen),
    }
    description = "Verify the file of a certificate or an audit."
    _add(rooms, verify, description, own, _audited(False))
