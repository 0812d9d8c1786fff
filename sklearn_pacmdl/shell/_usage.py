"""All commands and their options, without what they do: help is printed at once.

A new command has an entry in COMMANDS, such as "audit draw", and a function of its last
name, ``draw(args)``, in the module that the entry names.
"""

from __future__ import annotations

from typing import NamedTuple

from ..utils._table_columns import AUTOMATIC, LABEL, ROW, SOURCE

# Options by usage, with what they are for: required ones have "!", those of several
# values "...", and others may have a default.
Options = dict[str, str]

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
    "paths in JSON, such as annotations.0.result.0.value.choices.0; default: %(default)s",
    f"--row-path PATH={ROW}": "where JSON files have the number of a row, such as "
    "data.row; default: %(default)s",
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
    "--answers! ANSWERS.csv ...": "what people filled in, or .json or .jsonl of an "
    "annotation tool; several files if several people labeled",
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
    "--groups COLUMN": "draw whole groups, such as documents or patients, --size of them",
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


class Command(NamedTuple):
    """A command: the module of its function, what it does, and its options."""

    module: str
    description: str
    options: Options
    notes: str = LABELS
    to_go_on: str = "rename it"  # what to do with labels that are not overwritten


GROUPS = {"audit": "draw rows, certify, finish, settle or monitor"}
COMMANDS = {
    "audit draw": Command("_auditing", "Draw rows at random for people to label.", DRAW),
    "audit certify": Command(
        "_auditing", "Certify how many rows are labeled wrongly.", CERTIFY
    ),
    "audit finish": Command(
        "_finishing",
        "Accept sure labels, and leave other rows to people.",
        FINISH,
        to_go_on="add it to --rest",
    ),
    "audit settle": Command(
        "_auditing",
        "Write what people disagree on, to be settled.",
        SETTLE,
        to_go_on="pass it to --settled",
    ),
    "audit monitor": Command(
        "_monitoring",
        "Look after any label whether there are enough.",
        WATCH,
        notes=MONITOR,
    ),
    "verify": Command(
        "_verifying", "Verify the file of a certificate or an audit.", VERIFY
    ),
}
