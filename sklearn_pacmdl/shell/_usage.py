"""All commands and their options, without what they do: help is printed at once.

A new command has an entry in COMMANDS, such as "audit draw", and a function of its last
name, ``draw(args)``, in ``_auditing`` or the module that the entry names.
"""

from __future__ import annotations

from typing import NamedTuple

from ..utils._table_columns import (
    AUTOMATIC,
    CERTIFIED,
    CLUSTER,
    HUMAN,
    LABEL,
    ROW,
    SOURCE,
    USE,
)

# Options by usage, with what they are for: required ones have "!", those of several
# values "...", and others may have a default.
Options = dict[str, str]

TEXTS = """\
Labels are read and compared as text: 7 and 007 are different labels. Where people write
Spam for spam, this is an error, or a note if it is a rare typo; --fold takes them for
one label, and says so. Answers True, true, TRUE, WAHR and VRAI are one label, as Excel
writes them, unless the automatic labels hold several of them. Only empty cells, and
texts given by --missing, are rows without a label. Rows that people looked at and could
not decide keep a text of their own, such as undecidable.
"""
CHOICE = f"""\
The labeled rows must be a random choice. The columns must be made, and chosen, without
their labels.
{TEXTS}"""
PLAN_NOTES = f"""\
A plan guarantees nothing: errors are supposed by the confidences, by the accuracy that is
expected, or by a pilot. A pilot needs --labels and --answers, and its rows must not be
drawn again.
{TEXTS}"""

SIZE_NOTES = """\
The guess guarantees nothing: if it is too low, the audit succeeds less often, and what it
then certifies is right all the same.
"""

FILE = (
    "a file .csv, .tsv, .xlsx, .json, .jsonl or .parquet, or a folder of Parquet files, "
    "which are read in the order of their names"
)
DATA = {
    "data DATA": f"all rows: {FILE}. What is written is a spreadsheet of the same kind, "
    "unless --output ends otherwise"
}
LOOK = {"data FILE": FILE}
LOOK_NOTES = """\
What each column holds is a guess. No column is compared with human labels, so that what
is certified afterwards holds. Nothing is written.
"""
MISSING = {
    "--missing TEXT": "a text that marks rows without a label, such as --missing=-1"
}
RENAME = {
    "--rename PAIR": "LABEL=NAME, once for each label: what the classes are called from "
    "now on, such as --rename=-1=no --rename=1=yes, which makes -1 a class"
}
COLUMNS = {
    "--columns COLUMNS": "what annotators see, with commas. By default, all but labels, "
    "confidences, and columns that may be such or tell the labels, which are named. A "
    "column tells the labels if 95% of the rows have the commonest label of their value, "
    "and the others are at most half of those without the commonest label of all. It has "
    "at most 50 values, or two for each label. Fields of JSON in cells count as columns"
}
KEY = {
    "--key COLUMN": "ids, by which other files name rows in place of the number in "
    f"their column {ROW!r}; 007, 7 and 7.0 are the same id",
}
ELSEWHERE = {
    "--answers ANSWERS.csv": "the file of people's labels, if DATA has none: it has this "
    f"column, and {ROW!r} or --key",
    **KEY,
}
PEOPLE = {
    f"--answer-column COLUMNS={LABEL}": "or several, with commas, of several people; "
    "paths in JSON, such as annotations.0.result.0.value.choices.0",
    **KEY,
    f"--row-path PATH={ROW}": "where JSON files have the number or the id of a row, such "
    "as data.row",
    "--fold": "take human labels that differ from an automatic label in case, blanks or "
    "the form of a number only for this label, such as Spam for spam and 7 for 007",
    "--majority": "where people disagree, take what more than half of them say",
}
FAILURE = {
    "--delta DELTA=0.1": "probability with which the statement may fail",
}
LEVEL = {
    **FAILURE,
    "--annotator-errors COUNT=0": "audited rows about which people may be wrong",
}
AUDITED = {
    "--labels! COLUMN": "automatic labels",
    **MISSING,
    "--audit! AUDIT.json": "",
    "--answers! ANSWERS.csv ...": "what people filled in: .csv or .xlsx, or .json "
    "or .jsonl of an annotation tool; several files if several people labeled",
    **PEOPLE,
    "--settled SETTLED.csv ...": "what settle wrote, filled in: labels of rows on which "
    "people disagree",
}
FORCE = {"--force": "overwrite files"}
PLAN = {
    **DATA,
    "--confidence! COLUMN": "how sure each label is: higher is surer",
    "--budget! SIZE": "rows that people can check",
    "--target RATE=0.05": "share of wrong labels that the finished data set may have",
    **FAILURE,
    "--expected-accuracy RATE": "guess of the share of right labels",
    "--pilot AUDIT.json": "an earlier, small audit of these labels",
    **{usage.replace("!", ""): what for usage, what in AUDITED.items() if what},
    "--output NAME": "writes NAME.csv, the table",
    **FORCE,
}
SIZE = {
    "data DATA": "all rows: a file as other commands read it, or their number",
    "--target! RATE": "share of wrong labels to certify, at most; with --predicted, half "
    "of the distance between the bounds of a share, such as 3%",
    "--expected-error! RATE ...": "guess of the share of wrong labels, at most the "
    "target; with --predicted, of the rows of the class by the labels and of the others",
    "--predicted COUNT": "rows of a class by the labels, to plan bounds of its share",
    **FAILURE,
    "--power RATE=0.9": "probability with which the audit succeeds if the guess is right",
}
PARQUET = ". With --output NAME.parquet, this takes the place of NAME.csv"
FIXED = {
    "--labels COLUMN": "automatic labels: the audit proves that they came first, and "
    "certifies no others. Annotators do not see them",
    "--confidence COLUMN": "how sure each label is, to finish the data set: higher is "
    "surer",
    "--exclude AUDIT.json ...": "audits whose labels helped to make these labels",
}
DRAW = {
    **DATA,
    **MISSING,
    "--size! SIZE": "rows to draw",
    **FIXED,
    **RENAME,
    "--groups COLUMN": "draw whole groups, such as documents or patients, --size of them",
    "--strata COLUMN": "draw rows of each value of this column, such as the automatic "
    "labels; finish needs an audit without this",
    "--allocation PAIR ...": "rows to draw of each value of --strata: equal, the "
    "default; proportional; or VALUE=SIZE for each, such as spam=150 ham=50",
    "--surest SHARE": "draw from the surest share of the rows, or from that which may "
    "spare the most rows (auto), and leave the others to people",
    "--target RATE": "share of wrong labels that the finished data set may have, if this "
    "is fixed already",
    "--delta DELTA": "probability with which the statement of the finished data set may "
    "fail, if this is fixed already",
    "--seed SEED": "by default, drawn by the system",
    "--seed-text TEXT": "a text that nobody could know when its source was named, such "
    "as a date's lottery numbers: the rows follow from it, and statements quote it",
    **COLUMNS,
    "--output! NAME": "writes NAME.json, the audit, and NAME.csv, to fill in",
    **FORCE,
}
ROWS = {
    **DATA,
    "--source! TEXT": "who drew the rows and how, as statements quote it",
    "--drawn COLUMN": "which rows were drawn, with an answer or without: 1, true, yes or "
    "x, and 0, false, no or nothing for the others",
    "--answered COLUMN": "the answers. Without --drawn, only if every row that was drawn "
    "has one: rows that people left out are seldom a random choice",
    **ELSEWHERE,
    **FIXED,
    **MISSING,
    **RENAME,
    "--groups COLUMN": "the group of each row, if whole groups were drawn",
    "--strata COLUMN": "the stratum of each row, if rows of each had their own drawing",
    **COLUMNS,
    "--output! NAME": "writes NAME.json, the audit, and NAME.csv, to fill in, or filled "
    "in with the answers",
    **FORCE,
}
BY = {
    "--by COLUMN": "the segment of each row, such as its year, made without the answers: "
    "a bound for each segment, and all of them hold together"
}
JSON = {"--json": "print the statement and its figures as one JSON object, for programs"}
MOST = {
    "--at-most RATE": "exit with 1 if the certified share of wrong labels is above this"
}
TABLE_OUTPUT = {
    "--output NAME": "writes NAME.csv, the table, and NAME.json, the certificate"
}
RESULT = {
    "--report PAGE.html": "writes a page with the statement, what it assumes, a picture "
    "and a table. Requires sklearn-pacmdl[report]",
    **JSON,
    **FORCE,
}
CHOOSE = {
    **DATA,
    "--y! COLUMN": "the labels, empty where there is none",
    **ELSEWHERE,
    **MISSING,
    "--fold": "take labels that differ in case, blanks or the form of a number only for "
    "one: Spam for spam, and 007 for 7",
    "--columns COLUMNS": "the clusterings, with commas: names, or patterns such as "
    "'leiden_*'",
    "--certify {auto,learned,pac-mdl,holdout}=auto": "how labels are used",
    **FAILURE,
    **MOST,
    "--seed SEED": "of the division of the labels; by default, drawn by the system",
    "--output! NAME": f"writes NAME.json, the certificate; NAME.html, a report; and "
    f"NAME.csv, with the columns {CLUSTER!r}, {HUMAN!r}, {CERTIFIED!r} and {USE!r}, "
    f"which verify compares with the certificate{PARQUET}",
    **JSON,
    **FORCE,
}
CERTIFY = {
    **DATA,
    **AUDITED,
    **BY,
    **LEVEL,
    "--sides {1,2}=1": "2 bounds the errors from below, too: half of delta for either "
    "side",
    **MOST,
    "--output NAME": "writes NAME.json, the certificate, and with --by NAME.csv, a table",
    **RESULT,
}
SHARE = {
    **DATA,
    **AUDITED,
    "--of! CLASS": "the class; several count as one, each after an --of",
    **BY,
    **FAILURE,
    "--at-most RATE": "exit with 1 if the upper bound of the share is above this",
    "--at-least RATE": "exit with 1 if the lower bound of the share is below this",
    **TABLE_OUTPUT,
    **RESULT,
}
DIFFERENCE = {
    **DATA,
    "--first COLUMN": "automatic labels, to be compared with those of --second",
    "--second COLUMN": "other automatic labels of the same rows",
    **{usage: what for usage, what in AUDITED.items() if usage != "--labels! COLUMN"},
    "--of CLASS": "compare two versions of a system, in place of --first and --second: "
    "--answer-column FIRST,SECOND has people's labels of both outputs, of which those of "
    "this class are counted; several count as one, each after an --of",
    **FAILURE,
    "--output NAME": "writes NAME.json, the certificate",
    **RESULT,
}
CLASSES = {
    **DATA,
    **AUDITED,
    "--metrics {precision,recall,f1,total,macro_error} ...": "what to bound; by default, "
    "precision, recall and f1",
    **BY,
    **FAILURE,
    "--at-least PAIR ...": "METRIC=RATE, such as recall=0.8: exit with 1 if the lower "
    "bound of any class is below this",
    **TABLE_OUTPUT,
    **RESULT,
}
FINISH = {
    **DATA,
    **AUDITED,
    "--confidence! COLUMN": "how sure each label is: higher is surer",
    "--target! RATE": "share of wrong labels that the finished data set may have",
    **BY,
    **LEVEL,
    **COLUMNS,
    "--rest REST.csv ...": "NAME-rest.csv of earlier runs, filled in, as far as people "
    "have come",
    "--output! NAME": f"writes NAME.csv, with the columns {LABEL!r}, {SOURCE!r} (person, "
    f"automatic or empty) and {AUTOMATIC!r}; NAME.json, the certificate; "
    "and NAME-rest.csv, what is left to people, most doubtful first, or NAME-rest-2.csv "
    f"after the first --rest, and so on{PARQUET}. With --by also NAME-segments.csv",
    **RESULT,
}
SETTLE = {
    "answers ANSWERS.csv ...": "what people filled in",
    **PEOPLE,
    **MISSING,
    "--output! NAME": "writes NAME.csv, to fill in",
    **FORCE,
}
VERIFY = {
    "certificate CERT.json ...": "several files are also compared with one another: "
    "which are about the same labels, and with what probability all statements hold",
    "--data DATA": "compare the data of one file, too: the table that certify wrote with "
    "no further option, those of a search with --y, --labels and --certifying, "
    "of audited labels or shares with --labels, --audit and --answers, of a finished "
    "data set NAME.csv with --confidence, --audit and --answers, and those that an audit "
    "was drawn for with --labels",
    "--y COLUMN": "the labels that the search was given, empty where it had none",
    "--certifying COLUMN": "what these labels were used for, 'certify' or 'select', if "
    "they were divided",
    "--confidence COLUMN": "of a finished data set or the surest rows, or that an "
    "audit was drawn for",
    **{usage.replace("!", ""): what for usage, what in AUDITED.items()},
    **BY,
    **RESULT,
}

WORKFLOW = """\
workflow:
  look FILE            tells what it seems to hold, and which commands fit
  audit draw FILE      draws rows at random, and writes a table of them
  people               label these rows in the table
  audit certify FILE   bounds the wrong labels; audit share, the rows of a class
  audit finish FILE    accepts the sure labels, and leaves other rows to people
  verify CERT.json     checks a certificate, with --data against the data
"""


class Command(NamedTuple):
    """A command: what it does, its options, and the module of its function."""

    description: str
    options: Options
    module: str = "_auditing"
    notes: str = TEXTS
    to_go_on: str = "rename it"  # what to do with labels that are not overwritten


GROUPS = {
    "audit": "draw rows for people to label, and certify or finish labels by theirs",
}
COMMANDS = {
    "look": Command(
        "Tell what a file seems to hold, and which commands fit.",
        LOOK,
        "_looking",
        notes=LOOK_NOTES,
    ),
    "audit plan": Command(
        "Tell what a number of checks can give.", PLAN, notes=PLAN_NOTES
    ),
    "audit size": Command(
        "Tell how many rows to audit for a target.", SIZE, notes=SIZE_NOTES
    ),
    "audit draw": Command("Draw rows at random for people to label.", DRAW),
    "audit rows": Command(
        "Make an audit of rows that were drawn elsewhere at random.", ROWS
    ),
    "audit certify": Command("Certify how many rows are labeled wrongly.", CERTIFY),
    "audit share": Command("Certify how many rows are truly of a class.", SHARE),
    "audit difference": Command(
        "Certify which of two labelings, or versions of a system, is better.", DIFFERENCE
    ),
    "audit classes": Command("Bound precision, recall and F1 of every class.", CLASSES),
    "audit finish": Command(
        "Accept sure labels, and leave other rows to people.",
        FINISH,
        "_finishing",
        to_go_on="add it to --rest",
    ),
    "audit settle": Command(
        "Write what people disagree on, to be settled.",
        SETTLE,
        to_go_on="pass it to --settled",
    ),
    "certify": Command(
        "Choose among clusterings in columns, and certify one.",
        CHOOSE,
        "_certifying",
        notes=CHOICE,
    ),
    "verify": Command("Verify files of certificates or audits.", VERIFY, "_verifying"),
}
