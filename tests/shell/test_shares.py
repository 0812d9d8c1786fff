"""Shares of classes and reports by class from the shell: the same as in Python."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from commands import audit, certificate, fill_in

from sklearn_pacmdl.audits import certify_share, class_report

DATA = "d.csv --labels judge --audit a.json --answers a.csv"
SHARE, CLASSES = f"audit share {DATA} --of spam", f"audit classes {DATA}"
RNG = np.random.RandomState(0)
TRUTH = RNG.choice(["ham", "news", "spam"], 1000, p=[0.6, 0.3, 0.1])
JUDGE = np.where(RNG.uniform(size=1000) < 0.05, "spam", TRUTH)


@pytest.fixture
def run(shell):
    pd.DataFrame({"judge": JUDGE}).to_csv("d.csv", index=False)
    shell("audit draw d.csv --size 200 --labels judge --seed 1 --output a")
    fill_in("a.csv", truth=TRUTH)
    return shell


def audited(path="a.json"):
    return JUDGE, audit(path), TRUTH[audit(path).rows]


@pytest.mark.parametrize("of", [["spam"], ["spam", "news"]])
def test_share(run, of):
    names = " ".join(f"--of {name}" for name in of[1:])
    out, err = run(f"{SHARE} {names} --delta .2 --output c")
    expected = certify_share(*audited(), of=of, delta=0.2)
    assert (out, err) == (f"{expected.statement}\n", "")
    assert certificate("c.json") == expected
    written = pd.read_csv("c.csv", index_col="class")
    pd.testing.assert_frame_equal(written, expected.to_frame())
    assert run("verify c.json", 3)[0].startswith("c.json: agrees with itself")
    assert "c.csv exists" in run(f"{SHARE} --output c", 2)[1]


def test_a_share_is_certified_again(run):
    run(f"{SHARE} --output c")
    out, _ = run(f"verify c.json --data {DATA}")
    assert out.startswith("c.json: agrees with the data\n")
    assert "- a.json: rows, drawn again from the seed" in out
    assert "- d.csv, column 'judge': 1000 labels counted; SHA-256 digest" in out
    assert "- a.csv, column 'label': 200 labels counted; SHA-256 digest" in out
    assert "Not checked:\n- c.json: no data show its delta, date and version\n" in out
    _, err = run(f"verify c.json --data {DATA} --y judge", 2)
    assert err == "error: --y must be left out for a certificate of kind 'share'.\n"
    other = np.where(TRUTH == "ham", "spam", TRUTH)
    fill_in("a.csv", "b.csv", other)
    _, err = run(f"verify c.json --data {DATA.replace('a.csv', 'b.csv')}", 1)
    assert "problem: b.csv, column 'label': its SHA-256 digest is not the one" in err
    pd.DataFrame({"judge": np.roll(JUDGE, 1)}).to_csv("d.csv", index=False)
    _, err = run(f"verify c.json --data {DATA}", 1)
    assert "column 'judge': its SHA-256 digest is not the one" in err


def test_share_is_compared_with_rates(run):
    of = certify_share(*audited(), of="spam")
    low, high = of.lower_bound / 1000, of.upper_bound / 1000
    run(f"{SHARE} --at-least {low} --at-most {high}")
    below, above = float(np.nextafter(high, 0)), float(np.nextafter(low, 1))
    _, err = run(f"{SHARE} --at-most {below} --output c", 1)
    what = f"{of.upper_bound} of 1000 rows are more than --at-most {below}"
    assert err == f"not met: {what}.\n"
    assert Path("c.json").exists()
    _, err = run(f"{SHARE} --at-least {above}", 1)
    what = f"{of.lower_bound} of 1000 rows are fewer than --at-least {above}"
    assert err == f"not met: {what}.\n"


def test_classes(run):
    out, err = run(f"{CLASSES} --metrics recall total --delta .2 --output r")
    report = class_report(*audited(), delta=0.2, metrics=["recall", "total"])
    assert (out, err) == (f"{report}\n", "")
    written = pd.read_csv("r.csv", index_col="class")
    pd.testing.assert_frame_equal(written, report.to_frame(), check_index_type=False)
    assert certificate("r.json") == report
    assert run(CLASSES)[0] == f"{class_report(*audited())}\n"
    out, _ = run(f"verify r.json --data {DATA}")
    assert f"r.json: agrees with the data\n{report.statement}\n" in out
    assert "no data show its metrics, sides, named, delta, date and version" in out


def test_classes_are_compared_with_rates(run):
    report = class_report(*audited(), metrics=["recall"])
    columns = report.bounds["recall_lower_bound"], report.classes
    lowest, label = min(zip(*columns, strict=True))
    least = f"{CLASSES} --metrics recall --at-least recall="
    run(f"{least}{lowest}")
    above = float(np.nextafter(lowest, 1))
    out, err = run(f"{least}{above} --output r", 1)
    assert out == f"{report}\n"
    assert Path("r.json").exists()
    what = f"recall of {label!r} is at least {lowest} only"
    assert err == f"not met: --at-least recall={above}: {what}.\n"


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (f"audit share {DATA}", "the following arguments are required: --of"),
        (f"{SHARE} --of spam", "of must be a 1-dimensional array of different labels"),
        (f"{SHARE} --of Spam", "of must be written as labels, got 'Spam' differs"),
        (f"{SHARE} --of x", "of must be of classes that were given to some row, ['ham'"),
        (f"{SHARE} --at-most 1.5", "--at-most must be in the open interval (0, 1)"),
        (f"{SHARE} --at-least 0", "--at-least must be in the open interval (0, 1)"),
        (f"{SHARE} --at-least x", "argument --at-least: invalid rate value: 'x'"),
        (f"{CLASSES} --metrics size", "argument --metrics: invalid choice: 'size'"),
        (f"{CLASSES} --at-least .8", "--at-least must be METRIC=RATE, got ['.8']."),
        (f"{CLASSES} --at-least f1=.1 f1=.2", "--at-least must name each metric once"),
        (f"{CLASSES} --at-least f1=2", "--at-least: f1 must be in the open interval"),
        (f"{CLASSES} --at-least f1=x", "--at-least: could not convert string to float"),
        (
            f"{CLASSES} --metrics recall total --at-least total=.1",
            "--at-least must name metrics that are bounded from below, ['recall'], got",
        ),
    ],
)
def test_bad_input_is_refused(run, command, message):
    out, err = run(command, 2)
    assert not out
    assert err.startswith("error: ")
    assert message in err


def test_audits_by_strata(run):
    """The commands that audit draw prints."""
    out, _ = run("audit draw d.csv --size 200 --labels judge --strata judge --output s")
    fill_in("s.csv", truth=TRUTH)
    share = re.search(r"Then run: .*?(audit share .*)CLASS", out)[1]
    assert "truly 'spam'" in run(f"{share} spam")[0]
    command = re.search(r"recall and F1 of every class: .*?(audit classes .*)", out)[1]
    assert run(f"{command} --output r")[0] == f"{class_report(*audited('s.json'))}\n"
    options = command.removeprefix("audit classes ")
    assert "r.json: agrees with the data\n" in run(f"verify r.json --data {options}")[0]


def test_classes_of_segments(run):
    year = np.where(np.arange(1000) % 3, "2023", "2024")
    pd.DataFrame({"judge": JUDGE, "year": year}).to_csv("d.csv", index=False)
    out, _ = run(f"{CLASSES} --by year --metrics recall --output r")
    table = class_report(*audited(), metrics=["recall"], by=year)
    assert out == f"{table}\n"
    written = pd.read_csv("r.csv", dtype={"segment": str}).set_index("segment")
    pd.testing.assert_frame_equal(written, table.to_frame(), check_index_type=False)
    assert "agrees with the data\n" in run(f"verify r.json --data {DATA} --by year")[0]
    bounds = table.to_frame()["recall_lower_bound"]
    least = f"{CLASSES} --by year --metrics recall --at-least recall="
    run(f"{least}{bounds.min()}")
    _, err = run(f"{least}{float(np.nextafter(bounds.min(), 1))}", 1)
    assert f" in {bounds.idxmin()!r} is at least {bounds.min()} only" in err
