"""Options that are given several times: lists add up, and other values are refused."""

import pandas as pd
import pytest
from commands import CERTIFY, CLASSES, FINISH, read, sheets


def test_settled_tables_add_up(drawn):
    expected, _ = drawn(CERTIFY)
    wrong = {i: CLASSES[CLASSES.index(sheets()["label"][i]) - 1] for i in (0, 1)}
    sheets(label=wrong).to_csv("other.csv", index=False)
    for i in wrong:
        read("filled.csv")[i : i + 1].to_csv(f"{i}.csv", index=False)
    out, _ = drawn(f"{CERTIFY} other.csv --settled 0.csv --settled 1.csv")
    assert out.endswith(expected)


def test_columns_add_up(drawn):
    drawn("audit draw d.csv --size 9 --columns conf --columns text,id --output b")
    assert [*pd.read_csv("b.csv")] == ["row", "conf", "text", "id", "label"]
    command = "audit draw d.csv --size 9 --columns text --columns id,text --output c"
    _, err = drawn(command, code=2)
    assert "--columns must name each column once, got ['text', 'id', 'text']" in err
    sheets(ben={}).to_csv("filled.csv", index=False)
    out, _ = drawn(f"{CERTIFY} --answer-column label --answer-column ben")
    assert out.startswith("2 people agree on 250 of 250 rows")


def test_metrics_and_their_limits_add_up(drawn):
    command = CERTIFY.replace("certify", "classes")
    metrics = "--metrics precision --metrics recall"
    least = "--at-least precision=.99 --at-least recall=.99"
    out, err = drawn(f"{command} {metrics} {least}", code=1)
    assert "precision of '007'" in err
    assert "recall of '007'" in err
    assert "f1" not in out


@pytest.mark.parametrize(
    ("command", "option", "values"),
    [
        ("audit draw d.csv --size 9 --output b", "--strata", ("auto", "id")),
        ("audit draw d.csv --output b", "--size", (9, 10)),
        (CERTIFY, "--at-most", (0.2, 0.9)),
        (FINISH, "--row-path", ("row", "text")),
        ("certify d.csv --y auto --output b", "--certify", ("auto", "holdout")),
        ("verify a.json", "--data", ("d.csv", "one.csv")),
    ],
)
def test_a_single_value_is_given_once(run, command, option, values):
    one, other = values
    _, err = run(f"{command} {option} {one} {option} {other}", code=2)
    what = "must be given once, as a single value, got"
    assert f"argument {option}: {what} {one!r} and {other!r}" in err


@pytest.mark.parametrize("command", ["audit draw", "audit certify", "verify", "certify"])
def test_the_help_says_what_repeating_does(shell, command):
    out, _ = shell(f"{command} --help")
    assert "may be repeated: --answers a.csv --answers b.csv" in " ".join(out.split())
