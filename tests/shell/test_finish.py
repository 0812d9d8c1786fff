"""Data sets that are finished from the shell, at once or in installments."""

from pathlib import Path

import numpy as np
import pandas as pd
from commands import (
    CERTIFY,
    CLASSES,
    DATA,
    FINISH,
    TRUTH,
    audit,
    certificate,
    fill_in,
    finish,
    outputs,
    read,
)

from sklearn_pacmdl.audits import finish_labels


def test_finish_and_complete(drawn):
    out, err = drawn(f"{FINISH} --annotator-errors 1 --output f")
    finished = finish_labels(
        DATA["auto"], DATA["conf"], audit(), TRUTH[audit().rows],
        target=0.1, max_annotator_errors=1,
    )  # fmt: skip
    n_left = len(finished.to_annotators)
    assert out.startswith(finished.certificate.statement)
    assert f"\nOf 600 rows, 250 were audited, {350 - n_left} are labeled " in out
    assert f"automatically, and {n_left} are for people.\nNext, people fill in" in out
    assert "again with --rest f-rest.csv and another --output" in out
    assert err == ""
    assert certificate("f.json") == finished.certificate
    rest = read("f-rest.csv")
    assert rest["row"].astype(int).tolist() == finished.to_annotators.tolist()
    assert list(rest.columns) == ["row", "id", "text", "label"]
    table = read("f.csv")
    names = ["row", "id", "text", "conf", "label", "source", "automatic_label"]
    assert list(table.columns) == names
    assert table["conf"].astype(float).tolist() == DATA["conf"].tolist()
    assert table["text"].tolist() == DATA["text"].tolist()
    assert table["label"].tolist() == [label or "" for label in finished.labels]
    assert table["automatic_label"].tolist() == read("d.csv")["auto"].tolist()
    source = np.where(finished.accepted, "automatic", "")
    source[audit().rows] = "person"
    assert table["source"].tolist() == source.tolist()

    fill_in("f-rest.csv", "rest.csv")
    out, _ = drawn(f"{FINISH} --annotator-errors 1 --rest rest.csv --output g")
    completed = finished.complete(TRUTH[finished.to_annotators])
    assert certificate("g.json") == completed.certificate
    assert out.startswith(completed.certificate.statement)
    assert out.endswith(f"and {n_left} are for people.\n")
    table = read("g.csv")
    assert table["label"].tolist() == completed.labels.tolist()
    by_annotators = np.where(completed.by_annotators, "person", "automatic")
    assert table["source"].tolist() == by_annotators.tolist()


def test_the_table_of_all_rows_may_be_parquet(drawn):
    """What people fill in stays CSV, and commands that write nothing else refuse it."""
    drawn(f"{FINISH} --output c")
    drawn(f"{FINISH} --output p.parquet")
    as_texts = pd.read_parquet("p.parquet").astype({"row": str}).fillna("")
    pd.testing.assert_frame_equal(as_texts, read("c.csv"), check_dtype=False)
    assert read("p-rest.csv").equals(read("c-rest.csv"))
    verify = "verify p.json --data p.parquet --confidence conf --audit a.json --answers"
    assert drawn(f"{verify} filled.csv")[0].startswith("p.json: agrees with the data")
    table = pd.read_parquet("p.parquet")
    table.loc[0, "label"] = "007" if table.loc[0, "label"] == "1e3" else "1e3"
    table.to_parquet("p.parquet")
    assert "p.parquet, column 'label'" in drawn(f"{verify} filled.csv", 1)[1]
    for command in (
        "audit draw d.csv --size 5",
        CERTIFY,
        "audit settle a.csv filled.csv",
    ):
        _, err = drawn(f"{command} --output x.parquet", 2)
        assert "--output must not end with .parquet where no table" in err


def test_rows_that_are_excluded_stay_without_a_label(drawn):
    columns = "--labels auto --confidence conf --size 250"
    drawn(f"audit draw d.csv {columns} --exclude a.json --seed 5 --output b")
    fill_in("b.csv", "b_filled.csv")
    command = finish(0.3).replace("a.json", "b.json").replace("filled", "b_filled")
    out, _ = drawn(f"{command} --output f")
    table = read("f.csv").iloc[audit().rows]
    assert set(table["source"]) == set(table["label"]) == {""}
    assert "\nOf 350 rows, 250 were audited" in out
    drawn("verify f.json --data f.csv --labels automatic_label --audit b.json "
          "--answers b_filled.csv --confidence conf")  # fmt: skip


def test_what_is_left_is_labeled_in_installments(drawn):
    assert "and 0 are for people.\n" in drawn(f"{finish(0.9)} --output none")[0]
    assert certificate("none.json").n_left == 0
    assert not Path("none-rest.csv").exists()
    drawn(f"{FINISH} --output all")
    n_people = len(fill_in("all-rest.csv"))
    drawn(f"{FINISH} --rest all-rest.csv --output whole")
    drawn(f"{FINISH} --output f")
    assert read("f-rest.csv")["row"].tolist() == read("all-rest.csv")["row"].tolist()

    def label(path, rows):
        sheet = fill_in(path)
        some = sheet["label"].where(sheet.index.isin(rows))
        sheet.assign(label=some).to_csv(path, index=False)

    label("f-rest.csv", range(2, 8))
    out, err = drawn(f"{FINISH} --rest f-rest.csv --output f --force")
    left = n_people - 6
    assert f"once people have labeled the {left} rows that are left, at" in out
    assert f"and {n_people} are for people.\n{left} of {n_people} rows are left.\n" in out
    assert out.endswith(
        "Next, people fill in the column 'label' of f-rest-2.csv, which has the most "
        "doubtful rows first.\nThen run this command again with --rest f-rest.csv "
        "f-rest-2.csv and another --output.\n"
    )
    assert err == ""
    assert "completed" not in certificate("f.json").claim
    assert read("f-rest-2.csv")["row"].tolist() == [
        row for i, row in enumerate(read("f-rest.csv")["row"]) if not 2 <= i < 8
    ]
    table = read("f.csv")
    assert sum(table["source"] == "person") == 250 + 6
    assert sum(table["label"] == "") == sum(table["source"] == "") == left
    verify = "--confidence conf --audit a.json --answers filled.csv"
    drawn(f"verify f.json --data f.csv {verify}")

    label("f-rest-2.csv", range(5))
    _, err = drawn(f"{FINISH} --rest f-rest.csv --output f --force", 2)
    assert err == (
        "error: f-rest-2.csv has human labels in 5 rows of column 'label', which "
        "--force does not overwrite; add it to --rest, or choose another --output.\n"
    )
    both = f"{FINISH} --rest f-rest.csv f-rest-2.csv --output f --force"
    out, _ = drawn(both)
    assert f"\n{left - 5} of {n_people} rows are left.\n" in out
    assert "with --rest f-rest.csv f-rest-2.csv f-rest-3.csv and" in out
    fill_in("f-rest-3.csv")
    out, _ = drawn(f"{both} --rest f-rest-3.csv")
    assert "left" not in out.replace("the rows that are left to them", "")
    assert outputs("f")[0] == outputs("whole")[0]
    assert outputs("f")[2] == outputs("whole")[2]


def test_a_thousand_rows_that_are_left_are_counted_readably(run):
    rng = np.random.RandomState(0)
    truth, confidence = rng.choice(CLASSES, 3000), rng.uniform(size=3000)
    labels = np.where(rng.uniform(size=3000) < 0.5, truth, "007")
    pd.DataFrame({"auto": labels, "conf": confidence}).to_csv("d.csv", index=False)
    run("audit draw d.csv --size 250 --labels auto --confidence conf --seed 1 --output a")
    fill_in("a.csv", "filled.csv", truth)
    run(f"{FINISH} --output f")
    n_people = len(read("f-rest.csv"))
    sheet = fill_in("f-rest.csv", "f-rest.csv", truth)
    sheet[:200].to_csv("f-rest.csv", index=False)
    out, _ = run(f"{FINISH} --rest f-rest.csv --output g")
    assert f"\n{n_people - 200:,} of {n_people:,} rows are left.\n" in out
    assert n_people > 1200


def test_disagreements_on_what_is_left_are_settled(drawn):
    drawn(f"{FINISH} --output f")
    sheet = fill_in("f-rest.csv", "ann.csv")
    other = sheet["label"].copy()
    other[:3] = [CLASSES[(CLASSES.index(label) + 1) % 3] for label in other[:3]]
    sheet.assign(label=other).to_csv("ben.csv", index=False)
    rest = f"{FINISH} --rest ann.csv ben.csv --output g"
    _, err = drawn(rest, 2)
    assert "error: People disagree on 3 rows: [" in err
    assert not Path("g.csv").exists()
    drawn(err.split("python -m sklearn_pacmdl ")[1].replace("NAME", "s"))
    fill_in("s.csv")
    drawn(f"{rest} --settled s.csv")
    drawn(f"{FINISH} --rest ann.csv --output h")
    assert outputs("g")[0] == outputs("h")[0]
    assert outputs("g")[2] == outputs("h")[2]


def test_what_is_left_is_compared_with_the_labels_of_the_audit(drawn):
    drawn(f"{FINISH} --output f")
    sheet = fill_in("f-rest.csv", "rest.csv")
    sheet.assign(label=sheet["label"].str.swapcase()).to_csv("rest.csv", index=False)
    _, err = drawn(f"{FINISH} --rest rest.csv --output g", 2)
    assert err.startswith("error: rest.csv: human_labels must be written as labels and ")
    assert "differs from 'True' in case only" in err
    assert not Path("g.csv").exists()
