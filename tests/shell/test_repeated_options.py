"""Options that are given several times: lists add up, and other values are refused."""

import numpy as np
import pandas as pd
import pytest

from sklearn_pacmdl.audits import Audit, certify_labels

N_ROWS = 300
RNG = np.random.RandomState(0)
TRUTH = RNG.choice(["ham", "spam"], N_ROWS)
LABELS = np.where(RNG.uniform(size=N_ROWS) < 0.4, "spam", TRUTH)
DATA = {
    "text": [f"message {i}" for i in range(N_ROWS)],
    "from": [f"sender {i}" for i in range(N_ROWS)],
    "auto": LABELS,
    "sure": RNG.uniform(size=N_ROWS),
}
CERTIFY = "audit certify d.csv --labels auto --audit a.json"
FINISH = "audit finish d.csv --labels auto --confidence sure --target .15 --audit a.json"


@pytest.fixture
def drawn(shell):
    """A command runs where an audit was drawn, and filled in as two parts."""
    pd.DataFrame(DATA).to_csv("d.csv", index=False)
    shell(
        "audit draw d.csv --size 60 --labels auto --confidence sure --seed 1 --output a"
    )
    sheet = filled("a.csv")
    sheet[:35].to_csv("one.csv", index=False)
    sheet[25:].to_csv("two.csv", index=False)  # ten rows are in both
    return shell


def filled(path):
    sheet = pd.read_csv(path)
    return sheet.assign(label=TRUTH[sheet["row"]])


def audit(path):
    with open(path, encoding="utf-8") as file:
        return Audit.from_json(file.read())


def test_answers_are_parts(drawn):
    out, _ = drawn(f"{CERTIFY} --answers one.csv --answers two.csv")
    drawing = audit("a.json")
    expected = certify_labels(LABELS, drawing, TRUTH[drawing.rows])
    assert expected.statement in " ".join(out.split())
    assert out == drawn(f"{CERTIFY} --answers one.csv two.csv")[0]


@pytest.mark.parametrize("majority", ["", " --majority"])
def test_a_row_with_another_answer_in_another_part_is_refused_by_name(drawn, majority):
    part = pd.read_csv("two.csv")
    row = part["row"][0]
    part.loc[0, "label"] = {"ham": "spam", "spam": "ham"}[part["label"][0]]
    part.to_csv("two.csv", index=False)
    _, err = drawn(f"{CERTIFY} --answers one.csv --answers two.csv{majority}", code=2)
    assert f"People disagree on 1 row: [{row}]" in err


def test_rows_of_all_audits_are_excluded(drawn):
    drawn("audit draw d.csv --size 60 --labels auto --seed 2 --output b")
    drawn("audit draw d.csv --size 60 --labels auto --seed 3 --output c "
          "--exclude a.json --exclude b.json")  # fmt: skip
    earlier = {*audit("a.json").rows, *audit("b.json").rows}
    assert {*audit("c.json").excluded} == earlier
    assert not earlier & {*audit("c.json").rows}


def test_rows_of_all_rests_are_finished(drawn):
    first = f"{FINISH} --answers one.csv two.csv"
    drawn(f"{first} --output done")
    rest = filled("done-rest.csv")
    rest[:20].to_csv("monday.csv", index=False)
    rest[20:].to_csv("tuesday.csv", index=False)
    drawn(f"{first} --rest monday.csv --rest tuesday.csv --output final")
    assert pd.read_csv("final.csv")["label"].notna().all()


def test_settled_tables_add_up(drawn):
    other = filled("a.csv")
    at = other.index[:2]
    other.loc[at, "label"] = np.where(other["label"][at] == "ham", "spam", "ham")
    other.to_csv("other.csv", index=False)
    for name, i in ("first", 0), ("second", 1):
        filled("a.csv")[i : i + 1].to_csv(f"{name}.csv", index=False)
    out, _ = drawn(f"{CERTIFY} --answers one.csv two.csv other.csv "
                   "--settled first.csv --settled second.csv")  # fmt: skip
    drawing = audit("a.json")
    expected = certify_labels(LABELS, drawing, TRUTH[drawing.rows])
    assert expected.statement in " ".join(out.split())


def test_columns_add_up(drawn):
    drawn("audit draw d.csv --size 9 --columns from --columns text,sure --output b")
    assert [*pd.read_csv("b.csv")] == ["row", "from", "text", "sure", "label"]
    command = "audit draw d.csv --size 9 --columns text --columns from,text --output c"
    _, err = drawn(command, code=2)
    assert "--columns must name each column once, got ['text', 'from', 'text']" in err


def test_columns_of_answers_add_up(drawn):
    sheet = filled("a.csv")
    sheet.assign(ben=sheet["label"]).to_csv("both.csv", index=False)
    columns = "--answer-column label --answer-column ben"
    out, _ = drawn(f"{CERTIFY} --answers both.csv {columns}")
    assert out.startswith("2 people agree on 60 of 60 rows")


def test_metrics_and_their_limits_add_up(drawn):
    sheets = "--answers one.csv --answers two.csv"
    command = f"{CERTIFY} {sheets}".replace("certify", "classes")
    metrics = "--metrics precision --metrics recall"
    least = "--at-least precision=.99 --at-least recall=.99"
    out, err = drawn(f"{command} {metrics} {least}", code=1)
    assert "precision of 'ham'" in err
    assert "recall of 'ham'" in err
    assert "f1" not in out
    _, err = drawn(f"{command} --at-least f1=.1 --at-least f1=.9", code=2)
    assert "--at-least must name each metric once" in err


@pytest.mark.parametrize(
    ("command", "option", "values"),
    [
        ("audit draw d.csv --size 9 --output b", "--strata", ("auto", "from")),
        ("audit draw d.csv --output b", "--size", (9, 10)),
        ("audit draw d.csv --size 9 --output b", "--seed", (0, 1)),
        ("audit draw d.csv --size 9", "--output", ("b", "c")),
        (f"{CERTIFY} --answers one.csv two.csv", "--annotator-errors", (0, 1)),
        (f"{CERTIFY} --answers one.csv two.csv", "--at-most", (0.2, 0.9)),
        (f"{CERTIFY} --answers one.csv two.csv", "--row-path", ("row", "text")),
        ("certify d.csv --y auto --output b", "--certify", ("auto", "holdout")),
        ("verify a.json", "--data", ("d.csv", "one.csv")),
    ],
)
def test_a_single_value_is_given_once(drawn, command, option, values):
    one, other = values
    _, err = drawn(f"{command} {option} {one} {option} {other}", code=2)
    what = "must be given once, as a single value, got"
    assert f"argument {option}: {what} {one!r} and {other!r}" in err


@pytest.mark.parametrize("command", ["audit draw", "audit certify", "verify", "certify"])
def test_the_help_says_what_repeating_does(shell, command):
    out, _ = shell(f"{command} --help")
    assert "may be repeated: --answers a.csv --answers b.csv" in " ".join(out.split())
