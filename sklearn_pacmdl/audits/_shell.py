"""Audits from the shell: the commands, their options and exit codes."""

from __future__ import annotations

import re
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from ._commands import NotMetError, certify, draw, finish, monitor, settle, verify
from ._files import PROGRAM, tell
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


def share(text: str) -> float | str:  # errors call it by this name
    return text if text == "auto" else float(text)


# Options of commands, as their usage has them: required ones have "!", those of several
# values "...", and others may have a default. Types follow from what is asked for.
Options = dict[str, str]
TYPES: dict[str, Callable[[str], Any]] = dict.fromkeys(
    ["COUNT", "ROWS", "SEED", "SIZE"], int
)
TYPES |= dict.fromkeys(["DELTA", "RATE"], float)
TYPES["SHARE"] = share
USAGE = re.compile(r"([\w-]+)(!?)(?: ([^ =]+))?(?:=(\S+))?( \.\.\.)?")
SEEDS = "--seed", "--seed-text"  # of which one may be given

DATA = {"data DATA": "all rows: a .csv file in UTF-8 or a .parquet file"}
MISSING = {
    "--missing TEXT": "a text that marks rows without a label, such as --missing=-1"
}
COLUMNS = {
    "--columns COLUMNS": "what people see, with commas; by default all but labels, "
    "confidence, and columns that may be such, which are told"
}
PEOPLE = {
    f"--answer-column COLUMN={LABEL}": "or several, with commas, of several people; "
    "default: %(default)s",
    "--majority": "where people disagree, take what more than half of them say",
}
LEVEL = {
    "--delta DELTA=0.1": "probability with which the statement may fail; default: "
    "%(default)s",
    "--people-errors COUNT=0": "audited rows about which people may be wrong; default: "
    "%(default)s",
}
AUDITED = {
    "--labels! COLUMN": "automatic labels",
    **MISSING,
    "--audit! AUDIT.json": "",
    "--answers! ANSWERS.csv ...": "what people filled in; several files if several "
    "people labeled",
    **PEOPLE,
    "--settled SETTLED.csv ...": "what settle wrote, filled in: labels of rows on which "
    "people disagree",
}
FORCE = {"--force": "overwrite files"}
DRAW = {
    **DATA,
    **MISSING,
    "--size! SIZE": "rows to draw",
    "--labels COLUMN": "automatic labels: the audit proves that they came first, and "
    "certifies no others. People do not see them",
    "--confidence COLUMN": "how sure each label is, to finish the data set: higher is "
    "surer",
    "--exclude AUDIT.json ...": "audits whose labels helped to make these labels",
    "--surest SHARE": "draw from the surest share of the rows, or from that which may "
    "spare the most rows (auto), and leave the others to people",
    "--target RATE": "share of wrong labels that the finished data set may have, if this "
    "is fixed already",
    "--delta DELTA": "probability with which the statement of the finished data set may "
    "fail, if it is fixed; with --target, a coin uses all of it",
    "--seed SEED": "by default, drawn by the system",
    "--seed-text TEXT": "a text that nobody could know when its source was named, such "
    "as a date's lottery numbers: the rows follow from it, and statements quote it",
    **COLUMNS,
    "--output! NAME": "writes NAME.json, the audit, and NAME.csv, to fill in",
    **FORCE,
}
CERTIFY = {
    **DATA,
    **AUDITED,
    **LEVEL,
    "--at-most RATE": "exit with 1 if the certified share of wrong labels is above this",
    "--output NAME": "writes NAME.json, the certificate",
    **FORCE,
}
FINISH = {
    **DATA,
    **AUDITED,
    "--confidence! COLUMN": "how sure each label is: higher is surer",
    "--target! RATE": "share of wrong labels that the finished data set may have",
    **LEVEL,
    **COLUMNS,
    "--rest REST.csv ...": "NAME-rest.csv of earlier runs, filled in, as far as people "
    "have come",
    "--output! NAME": f"writes NAME.csv, with the columns {LABEL!r}, {SOURCE!r} (person, "
    f"automatic or empty) and {AUTOMATIC!r} (if accepted); NAME.json, the certificate; "
    "and NAME-rest.csv, what is left to people, most doubtful first, or NAME-rest-2.csv "
    "after the first --rest, and so on",
    **FORCE,
}
SETTLE = {
    "answers ANSWERS.csv ...": "what people filled in",
    **PEOPLE,
    **MISSING,
    "--output! NAME": "writes NAME.csv, to fill in",
    **FORCE,
}
WATCH = {
    "--state! STATE.json": "",
    "--rows ROWS": "rows of the data set",
    "--target RATE": "share of wrong labels, at most",
    "--max-labels COUNT": "the audit ends after so many",
    "--delta DELTA": "probability of certifying falsely; default: 0.1",
    "--kind {total,remaining}": "what is certified: all rows (default), or those that "
    "are not labeled yet",
    "--labels COUNT=0": "all human labels so far",
    "--errors COUNT=0": "all errors found so far",
}
VERIFY = {
    "certificate CERT.json": "",
    "--data DATA": "compare the data, too: those of a search with --labels and --seen, "
    "of an audited labeling with --labels, --audit and --answers, of a finished data set "
    f"NAME.csv with --labels {LABEL}, --audit and --answers, and those that an audit was "
    "drawn for with --labels",
    "--seen COLUMN": "the labels that a search was given: its y, empty where it had no "
    "label",
    **{usage.replace("!", ""): what for usage, what in AUDITED.items()},
}


def _parser() -> ArgumentParser:
    top = _Parser(
        prog=PROGRAM,
        description="Audits: certify any labels by rows that people check.",
        epilog=CODES,
    )
    rooms = top.add_subparsers(required=True, metavar="{audit,verify}")
    what = "draw rows, certify, finish, settle or monitor"
    audit = rooms.add_parser("audit", help=what).add_subparsers(
        required=True, metavar="{draw,certify,finish,settle,monitor}"
    )
    _add(audit, draw, "Draw rows at random for people to label.", DRAW)
    _add(audit, certify, "Certify how many rows are labeled wrongly.", CERTIFY)
    finishing = "Accept sure labels, and leave other rows to people."
    _add(audit, finish, finishing, FINISH, to_go_on="add it to --rest")
    settling = "Write what people disagree on, to be settled."
    _add(audit, settle, settling, SETTLE, to_go_on="pass it to --settled")
    watching = "Look after any label whether there are enough."
    _add(audit, monitor, watching, WATCH, notes=MONITOR)
    _add(rooms, verify, "Verify the file of a certificate or an audit.", VERIFY)
    return top


def _add(
    commands: Any,
    run: Callable[[Namespace], str | None],
    description: str,
    options: Options,
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
    either = parser.add_mutually_exclusive_group() if options is DRAW else parser
    for usage, what in options.items():
        name, settings = _settings(usage)
        (either if name in SEEDS else parser).add_argument(name, help=what, **settings)


def _settings(usage: str) -> tuple[str, dict[str, Any]]:
    """Name of an option, and what the parser has to know of it."""
    ((name, required, metavar, default, several),) = USAGE.findall(usage)
    if not metavar:
        return name, {"action": "store_true"}
    settings = {
        "metavar": metavar,
        "type": TYPES.get(metavar),
        "default": default or None,
    }
    if metavar.startswith("{"):
        settings["choices"] = metavar.strip("{}").split(",")
    if name == "--missing":
        settings |= {"action": "append", "default": []}
    if several:
        settings |= {"nargs": "+", "default": []}
    return name, settings | ({"required": True} if required else {})
