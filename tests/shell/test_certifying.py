"""Clusterings in the columns of a file: chosen, certified and verified."""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from commands import certificate, read

from sklearn_pacmdl import certify_clusterings

CERTIFY = "certify d.csv --y y --columns leiden_* --seed 0 --output o"
VERIFY = "verify o.json --data o.csv"
WAYS = ("learned", "pac-mdl", "holdout")


def table():
    rng = np.random.RandomState(0)
    truth = rng.choice(["Zoë", "1e3", "007"], 300)
    wrong = rng.choice(["Zoë", "1e3", "007"], (2, 300))
    few, many = (np.where(rng.uniform(size=300) < p, wrong, truth) for p in (0.1, 0.3))
    noisy = np.where(rng.uniform(size=300) < 0.1, "", few[0])
    return pd.DataFrame(
        {
            "id": np.arange(300),
            "part": np.repeat([0.5, 1.5], 150),
            "leiden_1": many[1],
            "leiden_2": noisy,
            "y": np.where(rng.permutation(300) < 120, truth, ""),
        }
    )


DATA = table()


@pytest.fixture
def run(shell):
    DATA.to_csv("d.csv", index=False)
    return shell


@pytest.fixture
def quick(run, monkeypatch):
    """Without reports, which take most of the time."""
    monkeypatch.setitem(sys.modules, "jinja2", None)
    return run


def test_names_of_clusters_are_no_numbers(quick):
    names = {"Zoë": "2,0", "1e3": "1.1", "007": "1.10"}
    clusters = DATA["leiden_1"].map(names)
    table = DATA.assign(leiden_1=clusters)[["leiden_1", "y"]].replace("", None)
    table.to_csv("d.csv", sep=";", index=False)
    table.to_parquet("d.parquet")
    expected = certify_clusterings(table[["leiden_1"]], table["y"], random_state=0)
    for data in ("d.csv", "d.parquet"):
        quick(f"{CERTIFY} --force".replace("d.csv", data))
        assert certificate("o.json") == expected.certificate
        found = pd.read_csv("o.csv", sep=None, engine="python", dtype=str)
        assert found["cluster"].tolist() == clusters.tolist()


@pytest.mark.parametrize(
    ("certify", "ending"), [*((way, "csv") for way in WAYS), ("learned", "parquet")]
)
def test_the_same_as_in_python(run, certify, ending):
    out, err = run(f"{CERTIFY}.{ending} --certify {certify}")
    clusterings = DATA[["leiden_1", "leiden_2"]].replace("", None)
    y = DATA["y"].replace("", None)
    expected = certify_clusterings(clusterings, y, certify=certify, random_state=0)
    command = f"python -m sklearn_pacmdl verify o.json --data o.{ending}"
    assert out == f"{expected}\nTo verify it: {command}\n"
    assert err == ""
    assert certificate("o.json") == expected.certificate
    found = read("o.csv") if ending == "csv" else pd.read_parquet("o.parquet").fillna("")
    assert found.columns.tolist() == [
        "row", "cluster", "human_label", "certified_label", "used_to"
    ]  # fmt: skip
    assert found["row"].astype(int).tolist() == list(range(300))
    assert found["human_label"].tolist() == DATA["y"].tolist()
    assert found["certified_label"].tolist() == expected.transduction.tolist()
    assert (
        found["cluster"].tolist() == DATA[expected.best_name].replace("", "-1").tolist()
    )
    for rows, use in zip(expected.division, ("select", "certify"), strict=True):
        assert np.flatnonzero(found["used_to"] == use).tolist() == rows.tolist()
    said = run(f"verify o.json --data o.{ending}")[0]
    assert said.startswith("o.json: agrees with the data\n")
    _, _, unchecked = said.partition("Not checked:\n")
    unknown = "the certificate does not count by cluster"
    stated, _, unchecked = unchecked.partition("\n")
    assert stated.startswith("- o.json: no data show its drawn, provisos, weights, ")
    assert unchecked == f"- o.{ending}, column 'cluster': {unknown}\n"
    statement = Path("o.html").read_text(encoding="utf-8")
    assert certificate("o.json").claim in statement


def swap(found):
    """Exchange the use of two rows that are alike in everything that is counted."""
    right = found["human_label"] == found["certified_label"]
    rows = [np.argmax(right & (found["used_to"] == use)) for use in ("select", "certify")]
    found.loc[rows, "used_to"] = ["certify", "select"]


def other(column, seen, value):
    """Another entry in the first row that has this label, or that has none."""

    def change(found):
        at = np.flatnonzero((found["human_label"] != "") == seen)[0]
        found.loc[at, column] = value if found.loc[at, column] != value else "007"

    return change


CHANGES = [
    ("human_label", other("human_label", True, "1e3")),
    ("human_label", other("human_label", True, "")),
    ("human_label", other("human_label", False, "1e3")),
    ("certified_label", other("certified_label", True, "1e3")),
    ("certified_label", other("certified_label", False, "1e3")),
    ("certified_label", other("certified_label", False, "")),
    ("used_to", other("used_to", True, "")),
    ("used_to", other("used_to", True, "certify")),
    ("used_to", other("used_to", False, "certify")),
    ("used_to", other("used_to", False, "select")),
]


@pytest.mark.parametrize("certify", WAYS)
def test_every_change_of_the_table_is_found_out(quick, certify):
    quick(f"{CERTIFY} --certify {certify}")
    whole = read("o.csv")
    whole.to_csv("o.csv", index=False)
    assert quick(VERIFY)[1] == ""
    for column, change in [*CHANGES, *[("used_to", swap)] * (certify != "pac-mdl")]:
        found = whole.copy()
        change(found)
        found.to_csv("o.csv", index=False)
        assert f"problem: o.csv, column {column!r}: " in quick(VERIFY, 1)[1]


def test_the_rate_that_is_stated_is_compared(quick):
    out, _ = quick(CERTIFY)
    n_wrong, n_rows = certificate("o.json").max_test_errors, certificate("o.json").n_test
    rate = n_wrong / n_rows
    assert f"at most {n_wrong} of the {n_rows} unlabeled rows" in out
    assert quick(f"{CERTIFY} --force --at-most {rate + 1e-9}")[1].startswith("note")
    _, err = quick(f"{CERTIFY} --force --at-most {rate - 1e-9}", 1)
    assert f"\nnot met: {n_wrong} of {n_rows} rows are more than --at-most" in err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--y y", "--columns must say which columns are clusterings made without the "
         "labels; d.csv has ['id', 'part', 'leiden_1', 'leiden_2', 'y']."),
        ("--y y --columns id", "column 'id' has 300 different values in 300 rows"),
        ("--y y --columns leiden_2,louvain", "which are ['id', 'part', 'leiden_1', "
         "'leiden_2'], got 'louvain'"),
        ("--y z --columns leiden_*", "d.csv must have a column 'z'"),
        ("--y y --columns leiden_* --delta 2", "delta must be in the open interval"),
        ("--y y --columns leiden_* --at-most 2", "--at-most must be in the open int"),
        ("--y y --columns leiden_* --certify x", "invalid choice: 'x' (choose from"),
        ("--columns leiden_*", "arguments are required: --y"),
        ("--y leiden_1 --columns leiden_2", "y has no unlabeled row"),
    ],
)  # fmt: skip
def test_bad_input_is_one_line_and_writes_nothing(run, options, message):
    out, err = run(f"certify d.csv {options} --output o", 2)
    assert err.startswith("error: ")
    assert message in err
    assert (out, err.count("\n")) == ("", 1)
    assert [path.name for path in Path().iterdir()] == ["d.csv"]


def test_labeled_rows_that_are_no_random_choice_are_told(run):
    first = np.arange(300) < 120
    DATA.assign(y=DATA["leiden_1"].where(first, "")).to_csv("d.csv", index=False)
    out, err = run(CERTIFY)
    assert "; but the labeled rows do not look like a random choice" in out
    assert err.startswith("note: ")


def test_without_jinja(quick):
    _, err = quick(CERTIFY)
    assert err.startswith("note: o.html is not written. Reports require Jinja; pip ")
    assert sorted(path.name for path in Path().iterdir()) == ["d.csv", "o.csv", "o.json"]
    assert quick(VERIFY)[1] == ""


def test_nothing_is_overwritten_unasked(quick):
    quick(CERTIFY)
    before = certificate("o.json")
    assert quick(CERTIFY, 2)[1].startswith("error: o.csv exists")
    quick(f"{CERTIFY} --force")
    assert certificate("o.json") == before
    # Labels that somebody has filled in.
    read("o.csv").assign(label="x").to_csv("o.csv", index=False)
    assert "o.csv has human labels in 300 rows" in quick(f"{CERTIFY} --force", 2)[1]


def test_columns_of_other_names(quick):
    quick(CERTIFY)
    columns = {"human_label": "s", "certified_label": "c", "used_to": "u"}
    read("o.csv").rename(columns=columns).to_csv("o.csv", index=False)
    missing = "error: --data requires --y, --labels, --certifying.\n"
    assert quick(VERIFY, 2)[1] == missing
    assert quick(f"{VERIFY} --y s --labels c --certifying u")[1] == ""
    assert "column 's'" in quick(f"{VERIFY} --y s --labels s --certifying u", 1)[1]
    assert "require --data" in quick("verify o.json --certifying u", 2)[1]
