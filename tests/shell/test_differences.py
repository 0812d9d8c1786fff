"""Which of two labelings, or versions, is better: the same as in Python."""

import numpy as np
import pandas as pd
import pytest
from commands import audit, certificate, fill_in

from sklearn_pacmdl.audits import certify_difference

RNG = np.random.RandomState(0)
TRUTH = RNG.choice(["ham", "spam"], 300)
OLD, NEW = (np.where(RNG.uniform(size=300) < p, "spam", TRUTH) for p in (0.4, 0.1))
GOOD = np.where(OLD == TRUTH, "good", "bad")
LABELINGS = "audit difference d.csv --audit a.json --answers a.csv"
VERSIONS = f"{LABELINGS} --answer-column old_ok,new_ok --of good"


@pytest.fixture
def run(shell):
    pd.DataFrame({"old": OLD, "new": NEW}).to_csv("d.csv", index=False)
    shell("audit draw d.csv --size 60 --labels old --seed 1 --columns new --output a")
    sheet = fill_in("a.csv", truth=TRUTH).drop(columns="new")
    rows = sheet["row"].astype(int)
    sheet = sheet.assign(old_ok=GOOD[rows], new_ok="good")
    sheet.to_csv("a.csv", index=False)
    return shell


def test_two_labelings(run):
    out, err = run(f"{LABELINGS} --first old --second new --output c")
    expected = certify_difference(OLD, NEW, audit(), TRUTH[audit().rows])
    assert (out, err) == (f"{expected.statement}\n", "")
    assert certificate("c.json") == expected
    assert run("verify c.json", 3)[0].startswith("c.json: agrees with itself")
    _, err = run("verify c.json --data d.csv --labels auto", 2)
    what = "--data must be left out for this difference: compare in Python"
    assert err == f"error: {what}.\n"


def test_two_versions(run):
    out, err = run(f"{VERSIONS} --delta .2 --output c")
    both = GOOD[audit().rows], ["good"] * 60
    expected = certify_difference(*both, audit(), of="good", delta=0.2)
    assert (out, err) == (f"{expected.statement}\n", "")
    assert certificate("c.json") == expected
    assert "truly 'good' for between" in out
    several = run(f"{VERSIONS} --of bad")[0]
    assert "'good' or 'bad' for between" in several


def test_bad_input_is_named(run):
    for options in ("--first old", "--of good", "--first old --second new --of good"):
        _, err = run(f"{LABELINGS} {options}", 2)
        assert err.startswith("error: Either --first and --second must name two")
    sheet = pd.read_csv("a.csv")
    other = sheet["new_ok"].where(sheet.index > 3, "Good")
    sheet.assign(new_ok=other).to_csv("a.csv", index=False)
    assert "a.csv: second must be written as first" in run(VERSIONS, 2)[1]
    assert run(f"{VERSIONS} --fold")[1] == "note: --fold reads 'Good' as 'good'.\n"
    sheet.assign(new_ok=other.where(sheet.index > 0)).to_csv("a.csv", index=False)
    assert "a.csv must have labels of all 60 rows" in run(VERSIONS, 2)[1]


def test_strata_of_other_sizes(run):
    assert np.sum(OLD == "ham") == 82
    draw = "audit draw d.csv --size 60 --strata old --seed 1 --force --output b"
    for text, expected in [
        ("", [30, 30]),
        ("--allocation proportional", [16, 44]),  # 16.4 and 43.6
        ("--allocation spam=50 ham=10", [10, 50]),
    ]:
        run(f"{draw} {text}")
        counts = np.unique(OLD[audit("b.json").rows], return_counts=True)[1]
        assert [*counts] == expected
    for text, message in [
        ("other", "allocation must be one of"),
        ("spam=50", "allocation must be a number of rows for each stratum"),
        ("spam=50 ham", "--allocation must be VALUE=SIZE"),
        ("spam=x ham=3", "--allocation: "),
        ("spam=50 ham=9", "size must be 59, the sum of allocation"),
    ]:
        assert message in run(f"{draw} --allocation {text}", 2)[1]
