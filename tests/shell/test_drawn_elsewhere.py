"""Rows that were drawn elsewhere, from the shell: marked or answered in a column."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from commands import audit

from sklearn_pacmdl.audits import certify_labels

ROWS = "audit rows d.csv --labels auto --output s --source"
TRUTH = np.array(["ham", "spam"])[np.arange(300) % 2]
AUTO = np.where(np.arange(300) < 20, "spam", TRUTH)
DRAWN = np.random.RandomState(0).permutation(300) < 60


@pytest.fixture
def run(shell):
    data = pd.DataFrame({"text": [f"t{i}" for i in range(300)], "auto": AUTO})
    data["sampled"] = np.where(DRAWN, "yes", None)
    data["answer"] = np.where(DRAWN, TRUTH, None)
    data["some"] = np.where(DRAWN & (np.arange(300) % 7 > 0), TRUTH, None)
    data.to_csv("d.csv", index=False)
    return shell


def rows(run, *options, code=0):
    return run([*ROWS.split(), "project 7", *options], code)


def test_drawn_rows_are_for_people_to_answer(run):
    out, err = rows(run, "--drawn", "sampled", "--columns", "text")
    assert out.startswith(
        "60 of 300 rows are audited. Nothing proves how project 7 drew them; every "
        "statement says so.\nNext, people fill in the column 'label' of s.csv."
    )
    assert err == ""
    assert audit("s.json").rows.tolist() == np.flatnonzero(DRAWN).tolist()
    sheet = pd.read_csv("s.csv")
    assert [*sheet] == ["row", "text", "label"]
    assert sheet["label"].isna().all()


@pytest.mark.parametrize(
    "options", [["--answered", "answer"], ["--drawn", "sampled", "--answered", "answer"]]
)
def test_answers_that_are_there_are_used(run, options):
    out, _ = rows(run, *options)
    command = "audit certify d.csv --labels auto --audit s.json --answers s.csv"
    assert out.endswith(f"sklearn_pacmdl {command}\n")
    assert "fill in" not in out
    drawing = audit("s.json")
    certificate = certify_labels(AUTO, drawing, TRUTH[drawing.rows])
    assert run(f"{command} --output c")[0] == f"{certificate.statement}\n"
    assert "drawn, uniformly at random, by 'project 7'" in certificate.statement
    data = "--data d.csv --labels auto"
    out, _ = run(f"verify c.json {data} --audit s.json --answers s.csv", 3)
    assert "- s.json: the choice of the rows, by 'project 7'" in out
    out, _ = run(f"verify s.json {data}", 3)
    assert "s.json: the choice of the rows, by 'project 7'" in out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "--drawn or --answered must name a column"),
        (
            ["--drawn", "sampled", "--answered", "some"],
            "must have an answer in each row that was drawn, and in no other: ",
        ),
        (["--drawn", "text"], "must mark drawn rows by 1, true, yes or x, and others"),
    ],
)
def test_what_is_refused(run, options, message):
    _, err = rows(run, *options, code=2)
    assert message in err
    assert not Path("s.json").exists()


def test_marks_of_any_spelling(run):
    data = pd.read_csv("d.csv")
    for yes, no in (("TRUE", "FALSE"), ("1", "0"), ("x", ""), ("WAHR", "FALSCH")):
        data.assign(sampled=np.where(DRAWN, yes, no)).to_csv("d.csv", index=False)
        rows(run, "--drawn", "sampled", "--force")
        assert audit("s.json").rows.tolist() == np.flatnonzero(DRAWN).tolist()
