"""Bounds for each segment from the shell: the same as in Python."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from commands import audit, certificate, fill_in

from sklearn_pacmdl.audits import certify_labels, certify_share, finish_labels

DATA = "d.csv --labels judge --audit a.json --answers a.csv"
CERTIFY = f"audit certify {DATA} --by year"
RNG = np.random.RandomState(0)
TRUTH = RNG.choice(["ham", "news", "spam"], 600, p=[0.6, 0.3, 0.1])
JUDGE = np.where(RNG.uniform(size=600) < 0.05, "spam", TRUTH)
YEAR = RNG.choice([2023, 2024], size=600)


@pytest.fixture
def run(shell):
    columns = {"judge": JUDGE, "year": YEAR, "sure": RNG.uniform(size=600)}
    columns["human"] = "?"
    pd.DataFrame(columns).to_csv("d.csv", index=False)
    shell("audit draw d.csv --size 200 --labels judge --columns sure --seed 1 --output a")
    fill_in("a.csv", truth=TRUTH)
    return shell


def audited():
    return JUDGE, audit(), TRUTH[audit().rows]


def test_labels(run):
    out, err = run(f"{CERTIFY} --sides 2 --annotator-errors 1 --output c")
    options = {"sides": 2, "max_annotator_errors": 1}
    expected = certify_labels(*audited(), by=YEAR, **options)
    assert (out, err) == (f"{expected}\n", "")
    assert certificate("c.json") == expected
    table = pd.read_csv("c.csv", index_col="segment")
    limits = {2023: expected.certificates["2023"], 2024: expected.certificates["2024"]}
    assert {**table["upper_bound"]} == {year: c.stated[0] for year, c in limits.items()}
    assert run("verify c.json", 3)[0].startswith("c.json: agrees with itself")
    assert "c.csv exists" in run(f"{CERTIFY} --output c", 2)[1]


def test_shares(run):
    share = f"audit share {DATA} --of spam --by year"
    out, _ = run(f"{share} --output c")
    expected = certify_share(*audited(), of="spam", by=YEAR)
    assert out == f"{expected}\n"
    assert certificate("c.json") == expected
    assert "fewer than --at-least 0.5" in run(f"{share} --at-least .5", 1)[1]


def test_they_are_certified_again(run):
    run(f"{CERTIFY} --output c")
    out, _ = run(f"verify c.json --data {DATA} --by year")
    assert out.startswith("c.json: agrees with the data\n")
    assert "- d.csv, column 'year': 2 segments counted; SHA-256 digest" in out
    frame = pd.read_csv("d.csv")
    frame.assign(year=np.roll(YEAR, 1)).to_csv("d.csv", index=False)
    _, err = run(f"verify c.json --data {DATA} --by year", 1)
    assert "problem: d.csv, column 'year': its SHA-256 digest is not the one" in err
    assert "--data requires --by" in run(f"verify c.json --data {DATA}", 2)[1]
    run(f"audit certify {DATA} --output one")
    _, err = run(f"verify one.json --data {DATA} --by year", 2)
    assert "--by must be left out for a certificate of kind 'audit'" in err


def test_figures_for_programs(run):
    figures = json.loads(run(f"{CERTIFY} --json")[0])
    expected = certify_labels(*audited(), by=YEAR)
    assert figures["statement"] == expected.statement
    first = figures["segments"][0]
    c = expected.certificates["2023"]
    assert first == {
        "segment": "2023", "n_rows": c.stated[1], "n_audited": c.n_train,
        "n_wrong": c.n_train_errors, "lower_bound": 0, "upper_bound": c.stated[0],
        "lower": 0.0, "upper": pytest.approx(c.stated_bound),
    }  # fmt: skip


def test_the_largest_rate_holds_for_every_segment(run):
    expected = certify_labels(*audited(), by=YEAR)
    rates = sorted(c.stated_bound for c in expected.certificates.values())
    assert run(f"{CERTIFY} --at-most {rates[1] + 1e-6:.6f}")
    _, err = run(f"{CERTIFY} --at-most {sum(rates) / 2:.6f}", 1)
    assert "rows of segment '202" in err
    assert "are more than --at-most 0.0" in err


def test_finished_data_sets(run):
    finish = f"audit finish {DATA} --by year --confidence sure --target .06"
    out, _ = run(f"{finish} --output f")
    sure = pd.read_csv("d.csv")["sure"]
    labels, drawing, answers = audited()
    expected = finish_labels(labels, sure, drawing, answers, target=0.06, by=YEAR)
    made = certificate("f.json")
    assert made == expected.certificate
    assert out.startswith(f"{made}\nOf 600 rows, 200 were audited, ")
    table = pd.read_csv("f-segments.csv", index_col="segment")
    n_automatic = [c.n_automatic for c in made.certificates.values()]
    assert table["n_automatic"].tolist() == n_automatic
    fill_in("f-rest.csv", "rest.csv", TRUTH)
    run(f"{finish} --rest rest.csv --output done")
    assert {c.n_left for c in certificate("done.json").certificates.values()} == {0}
    verify = "--audit a.json --answers a.csv --confidence sure --by year"
    for name in ("f", "done"):
        out, _ = run(f"verify {name}.json --data {name}.csv {verify}")
        assert f"{name}.json: agrees with the data" in out
    figures = json.loads(run(f"{finish} --output g --json")[0])
    assert [line["segment"] for line in figures["segments"]] == ["2023", "2024"]


@pytest.mark.parametrize(
    ("by", "message"),
    [
        ("other", "d.csv must have a column 'other'"),
        ("human", "--by must name a column that was made without the answers of people"),
        # Of a column of answers, other rows have none.
        ("checked", "--by checked: by must be segments, at least one with both audited"),
    ],
)
def test_other_columns_are_refused(run, by, message):
    table, (_, drawing, answers) = pd.read_csv("d.csv"), audited()
    table.loc[drawing.rows, "checked"] = answers
    table.to_csv("d.csv", index=False)
    pd.read_csv("a.csv").rename(columns={"label": "human"}).to_csv("a.csv", index=False)
    command = f"audit certify {DATA} --by {by} --output c --answer-column human"
    _, err = run(command, 2)
    assert message in err
    assert not Path("c.json").exists()
