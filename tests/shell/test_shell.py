"""Audits from the shell: what is written, said and returned."""

import json
import os
import re
import runpy
import shlex
import subprocess
import sys
import tomllib
from dataclasses import replace
from fractions import Fraction
from importlib.metadata import EntryPoint
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sklearn_pacmdl import certify_clusterings
from sklearn_pacmdl.__main__ import main
from sklearn_pacmdl.audits import (
    Audit,
    FinishedCertificate,
    certify_difference,
    certify_labels,
    draw_audit,
    finish_labels,
)
from sklearn_pacmdl.certificates import Certificate

N_ROWS = 600
CLASSES = ["007", "1e3", "True"]  # which readers of CSV files like to change
CERTIFY = "audit certify d.csv --labels auto --audit a.json --answers filled.csv"
FINISH = f"{CERTIFY} --confidence conf --target .1".replace("certify", "finish")


def finish(target):
    return FINISH.replace("--target .1", f"--target {target}")


def truth_and_data():
    rng = np.random.RandomState(0)
    truth, confidence = rng.choice(CLASSES, N_ROWS), rng.uniform(size=N_ROWS)
    right = rng.uniform(size=N_ROWS) < np.sqrt(confidence)
    columns = {
        "id": np.arange(N_ROWS) + 1000,
        "text": [f"Zoë, {i}\n" for i in range(N_ROWS)],
        "auto": np.where(right, truth, rng.choice(CLASSES, N_ROWS)),
        "conf": confidence,
    }
    return truth, pd.DataFrame(columns)


TRUTH, DATA = truth_and_data()


def read(path):
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def fill_in(source, path, truth=TRUTH):
    sheet = read(source)
    sheet["label"] = truth[sheet["row"].astype(int)]
    sheet.to_csv(path, index=False)
    return sheet


@pytest.fixture
def run(shell):
    """Run a command in a folder with the data; output and errors come back."""
    DATA.to_csv("d.csv", index=False)
    return shell


@pytest.fixture
def drawn(run):
    """The same after an audit was drawn and labeled."""
    run("audit draw d.csv --size 250 --labels auto --confidence conf --seed 1 --output a")
    fill_in("a.csv", "filled.csv")
    return run


def audit():
    return Audit.from_json(Path("a.json").read_text(encoding="utf-8"))


def certificate(path):
    return Certificate.from_json(Path(path).read_text(encoding="utf-8"))


def test_draw(run):
    out, err = run("audit draw d.csv --size 5 --labels auto --seed 3 --output a "
                   "--columns text,conf")  # fmt: skip
    expected = draw_audit(N_ROWS, 5, labels=DATA["auto"], random_state=3)
    assert audit().rows.tolist() == expected.rows.tolist()
    assert audit().fingerprints == expected.fingerprints
    assert audit().verify()
    sheet = read("a.csv")
    assert list(sheet.columns) == ["row", "text", "conf", "label"]
    assert sheet["text"].tolist() == DATA["text"].iloc[expected.rows].tolist()
    assert set(sheet["label"]) == {""}
    assert out == (
        "d.csv has 600 rows in 1,200 lines.\n"
        "5 of 600 rows were drawn.\n"
        "Next, people fill in the column 'label' of a.csv. Each row needs a label, and "
        "none may be exchanged for another. Keep a.json.\n"
        "Then run: python -m sklearn_pacmdl audit certify d.csv --labels auto --audit "
        "a.json --answers a.csv\n"
    )
    assert err == ""


def test_answers_of_an_annotation_tool(drawn):
    rows = audit().rows.tolist()
    records = [{"data": {"row": row}, "topics": [TRUTH[row]]} for row in rows]
    Path("filled.json").write_text(json.dumps(records), encoding="utf-8")
    expected, _ = drawn(CERTIFY)
    command = CERTIFY.replace("filled.csv", "filled.json --answer-column topics.0")
    assert drawn(f"{command} --row-path data.row")[0] == expected
    _, err = drawn(command, code=2)
    assert "Column 'row' of filled.json (--row-path) must be the numbers of the r" in err
    _, err = drawn(command.replace("topics.0", "topics"), code=2)
    assert "filled.json must be records that can be read" in err


def test_whole_groups(run):
    DATA.assign(page=np.arange(N_ROWS) // 10).to_csv("d.csv", index=False)
    draw = "audit draw d.csv --size 25 --labels auto --groups page --seed 1 --output a"
    assert "250 of 600 rows were drawn, which are 25 whole groups.\n" in run(draw)[0]
    fill_in("a.csv", "filled.csv")
    out, _ = run(f"{CERTIFY} --output c")
    assert "over the random choice of the 25 audited groups" in out
    data = "--data d.csv --labels auto --audit a.json --answers filled.csv"
    assert run(f"verify c.json {data}")[0].startswith("c.json: agrees with the data\n")
    assert "problem: " in run(f"verify c.json {data.replace('auto', 'id')}", 1)[1]
    expected = draw_audit(
        N_ROWS, 25, labels=DATA["auto"], groups=np.arange(N_ROWS) // 10, random_state=1
    )
    assert audit().rows.tolist() == expected.rows.tolist()


def test_rows_without_a_group_are_refused(run):
    DATA.assign(page=[None, *"ab" * 299, "c"]).to_csv("d.csv", index=False)
    _, err = run("audit draw d.csv --size 1 --labels auto --groups page --output a", 2)
    assert "groups must be one group for each row, and are missing in 1 rows" in err
    assert not Path("a.json").exists()


def test_strata(run):
    run("audit draw d.csv --size 60 --labels auto --strata auto --seed 1 --output a")
    drawn = DATA["auto"].to_numpy()[audit().rows]
    sizes = [np.sum(drawn == name) for name in set(drawn)]
    assert sum(sizes) == 60
    assert max(sizes) - min(sizes) <= 1
    assert "auto" not in read("a.csv").columns
    fill_in("a.csv", "filled.csv")
    out, _ = run(f"{CERTIFY} --output c")
    assert f"of the 60 audited rows in {len(sizes)} strata" in out
    data = "--data d.csv --labels auto --audit a.json --answers filled.csv"
    assert run(f"verify c.json {data}")[0].startswith("c.json: agrees with the data\n")
    finish = CERTIFY.replace("certify", "finish", 1)
    _, err = run(f"{finish} --confidence conf --target .1 --output f", 2)
    assert "audit must be one without strata for finish_labels" in err


def test_draw_does_not_show_people_what_might_sway_them(run):
    draw = "audit draw d.csv --size 5 --labels auto"
    out, _ = run(f"{draw} --confidence conf --output a")
    assert list(read("a.csv").columns) == ["row", "id", "text", "label"]
    assert "audit finish d.csv --labels auto --audit a.json --answers a.csv" in out
    assert "--confidence conf --target RATE --output NAME" in out
    out, _ = run(f"{draw} --confidence conf --target .2 --output b")
    assert "--target 0.2 --output NAME" in out  # as it was planned
    run(f"{draw} --columns text,auto --output c.csv")
    assert list(read("c.csv").columns) == ["row", "text", "auto", "label"]


def test_people_do_not_see_what_may_be_labels_or_confidences(run):
    dates = pd.date_range("2025-01-01", periods=N_ROWS, freq="h")
    lists, few = [[i / 2] for i in range(N_ROWS)], np.arange(N_ROWS) % 2
    data = DATA.assign(few=few, dates=dates, lists=lists).astype({"text": "category"})
    data.to_parquet("d.parquet")
    start = (
        "note: annotators do not see columns that may be labels or confidences, or tell "
        "the labels: "
    )
    end = ". --columns chooses what they see.\n"
    draw = "audit draw d.parquet --size 5 --force --output a"
    _, err = run(draw)
    assert list(read("a.csv").columns) == ["row", "id", "text", "dates", "lists", "label"]
    assert err.startswith(f"{start}'auto', 'conf', 'few'{end}")
    _, err = run(f"{draw} --labels auto")
    assert list(read("a.csv").columns)[-3:] == ["dates", "lists", "label"]
    assert err == f"{start}'conf'{end}"
    assert run(f"{draw} --labels auto --confidence conf")[1] == ""
    assert run(f"{draw} --labels auto --columns conf,few")[1] == ""
    assert list(read("a.csv").columns) == ["row", "conf", "few", "label"]
    # The numbers of a CSV file are texts.
    _, err = run("audit draw d.csv --size 5 --labels auto --output b")
    assert err == f"{start}'conf'{end}"


def test_draw_without_labels_proves_less(run):
    out, err = run("audit draw d.csv --size 5 --columns id --output a")
    assert audit().fingerprints == {}
    assert "--labels COLUMN" in out
    assert err.startswith("note: without --labels, the audit does not prove")


def test_draw_excludes_earlier_audits(run):
    run("audit draw d.csv --size 5 --seed 1 --output a")
    run("audit draw d.csv --size 5 --seed 2 --exclude a.json --output b.json")
    run("audit draw d.csv --size 5 --seed 3 --exclude a.json b.json --output c")
    third = Audit.from_json(Path("c.json").read_text(encoding="utf-8"))
    assert len(third.excluded) == 10
    _, err = run("audit draw d.csv --size 5 --seed 1 --exclude a.json --output e", 2)
    assert "must not be the seed of an audit in exclude" in err


def test_draw_by_a_text(run):
    draw = "audit draw d.csv --size 100 --labels auto --output a --seed-text"
    run([*shlex.split(draw), "next commit: 0f3a"])
    assert audit().seed_text == "next commit: 0f3a"
    fill_in("a.csv", "filled.csv")
    out, _ = run(CERTIFY)
    assert "source of the text 'next commit: 0f3a', by which the rows were drawn" in out
    _, err = run(f"{draw} a --seed 3 --force", 2)
    assert "argument --seed: not allowed with argument --seed-text" in err


def test_nothing_is_overwritten_unasked(drawn):
    before = Path("a.json").read_text(encoding="utf-8")
    _, err = drawn("audit draw d.csv --size 5 --output a", 2)
    assert err == "error: a.json exists; choose another --output, or add --force.\n"
    assert Path("a.json").read_text(encoding="utf-8") == before
    drawn("audit draw d.csv --size 5 --output a --force")
    _, err = drawn("audit draw d.csv --size 5 --output d --force", 2)
    assert err == "error: d.csv is to be read; choose another --output.\n"
    _, err = drawn(f"{CERTIFY} --output ./a --force", 2)
    assert err == "error: a.json is to be read; choose another --output.\n"
    assert Path("a.json").read_text(encoding="utf-8") != before
    Path("f-rest.csv").touch()
    assert "f-rest.csv exists" in drawn(f"{FINISH} --output f", 2)[1]


def test_labels_of_people_are_never_overwritten(drawn):
    """Neither in the table of an audit, nor of what was left, whichever command it is."""
    drawn(f"{FINISH} --output f")
    drawn(f"{FINISH} --output f --force")
    sheet = fill_in("f-rest.csv", "f-rest.csv")
    files = {path: path.read_bytes() for path in Path().iterdir()}
    _, err = drawn(f"{FINISH} --output f --force", 2)
    assert err == (
        f"error: f-rest.csv has human labels in {len(sheet)} rows of column 'label', "
        "which --force does not overwrite; add it to --rest, or choose another --output."
        "\n"
    )
    _, err = drawn(f"{FINISH} --output f-rest --force", 2)
    assert f"f-rest.csv has human labels in {len(sheet)} rows" in err
    draw = "audit draw d.csv --size 5 --labels auto --force --output"
    _, err = drawn(f"{draw} filled", 2)
    assert "filled.csv has human labels in 250 rows of column 'label'" in err
    assert "; rename it, or choose another --output.\n" in err
    _, err = drawn(f"{draw} f-rest", 2)
    assert files == {path: path.read_bytes() for path in Path().iterdir()}


def test_labels_of_people_are_seen_wherever_they_are(drawn):
    drawn(f"{FINISH} --output f")
    command = f"{FINISH} --output f --force"
    sheet = read("f-rest.csv")
    for name in ("ann", "Notes"):
        sheet.assign(**{name: ["", "x", "y"] + [""] * (len(sheet) - 3)}).to_csv(
            "f-rest.csv", index=False
        )
        assert f"in 2 rows of column '{name}', which" in drawn(command, 2)[1]
    Path("f-rest.csv").write_bytes(b"PK\x03\x04\x14\x00")
    assert "f-rest.csv may hold human labels, which --f" in drawn(command, 2)[1]
    Path("f-rest.csv").write_bytes(b"")
    drawn(command)
    # People may fill in the table of all rows instead.
    table = read("f.csv")
    table.loc[table["source"] == "", "label"] = "007"
    table.to_csv("f.csv", index=False)
    n_left = len(read("f-rest.csv"))
    assert f"f.csv has human labels in {n_left} rows" in drawn(command, 2)[1]


@pytest.mark.parametrize("name", ["source", "automatic_label"])
def test_columns_of_the_user_do_not_hide_labels_of_people(run, name):
    DATA.assign(**{name: "web"}).to_csv("d.csv", index=False)
    draw = "audit draw d.csv --size 10 --labels auto --seed 1 --output a"
    run(draw)
    run(f"{draw} --force")  # nobody has labeled a row
    fill_in("a.csv", "a.csv")
    assert "in 10 rows of column 'label'" in run(f"{draw} --force", 2)[1]


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("row,", "Row,"),
        lambda text: text.replace("row,", "row ,"),
        lambda text: f"Labels of Ann\n{text}",
        lambda text: text.replace(",", "|"),
        lambda text: text.split("\n", 1)[1],
    ],
)
def test_what_is_no_worksheet_is_not_overwritten(run, change):
    draw = "audit draw d.csv --size 10 --columns id --seed 1 --output a"
    run(draw)
    fill_in("a.csv", "a.csv")
    path = Path("a.csv")
    path.write_text(change(path.read_text()))
    assert "a.csv may hold human labels" in run(f"{draw} --force", 2)[1]


def outputs(name):
    """Table, worksheet and certificate, each None if it is not there."""
    tables = [Path(f"{name}{suffix}") for suffix in (".csv", "-rest.csv")]
    found = [path.read_bytes() if path.exists() else None for path in tables]
    whole = Path(f"{name}.json")
    return [*found, certificate(whole) if whole.exists() else None]


def test_a_full_disk_leaves_all_files_as_they_were(drawn):
    resource = pytest.importorskip("resource")
    drawn(f"{FINISH} --output f")
    before = outputs("f")
    names = set(Path().iterdir())
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before[0]) - 1, hard))
    try:
        out, err = drawn(f"{finish(0.11)} --output f --force", 2)
        assert err.startswith("error: ")
        assert "File too large: 'f.csv'" in err
        assert drawn(f"{finish(0.11)} --output new", 2) == (
            "",
            err.replace("f.csv", "new.csv"),
        )
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert out == ""
    assert outputs("f") == before
    assert set(Path().iterdir()) == names


# Forks processes that finish the data set again and again, and kills them.
KILLS = """
import os, random, signal, sys, time
from sklearn_pacmdl.__main__ import main

def written():
    return os.stat("f.json").st_mtime_ns if os.path.exists("f.json") else None

os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
finishes = [[*finish.split(), "--output", "f", "--force"] for finish in sys.argv[1:]]
main([*finishes[0][:-2], "first"])  # imports what takes long before all forks
random.seed(0)
for kill in range(15):
    commands, before = random.sample(finishes, 3), written()
    child = os.fork()
    if not child:
        while True:
            for command in commands:
                main(command)
    while written() in (None, before):
        assert os.waitpid(child, os.WNOHANG) == (0, 0), "the command was refused"
        time.sleep(.01)
    time.sleep(random.uniform(0, .3))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    for name in ("f.csv", "f-rest.csv", "f.json"):
        if os.path.exists(name):
            os.link(name, f"{kill}-{name}")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no processes to fork")
def test_killed_runs_leave_whole_tables_beside_their_certificates(drawn):
    versions = []
    commands = [finish(target) for target in (0.1, 0.11, 0.12)]
    for command in commands:
        drawn(f"{command} --output version --force")
        versions.append(outputs("version"))
    subprocess.run([sys.executable, "-c", KILLS, *commands], check=True)
    left = [outputs(f"{kill}-f") for kill in range(15)]
    for table, rest, proof in left:
        assert table in [None, *(version[0] for version in versions)]
        assert rest in [None, *(version[1] for version in versions)]
        assert proof in [
            None,
            *(version[2] for version in versions if version[0] == table),
        ]
    assert len({table for table, _, _ in left}) > 1


def test_what_another_run_has_written_meanwhile_is_not_overwritten(drawn, monkeypatch):
    to_json = FinishedCertificate.to_json

    def while_another_writes(certificate):
        Path("f.json").write_text("of another run")
        return to_json(certificate)

    monkeypatch.setattr(FinishedCertificate, "to_json", while_another_writes)
    out, err = drawn(f"{FINISH} --output f", 2)
    assert (out, err[:22]) == ("", "error: f.json exists; ")
    assert Path("f.json").read_text() == "of another run"
    assert not Path("f.csv").exists()


def test_certify(drawn):
    out, err = drawn(f"{CERTIFY} --delta .05 --output c")
    expected = certify_labels(DATA["auto"], audit(), TRUTH[audit().rows], delta=0.05)
    assert out == f"{expected.statement}\n"
    assert err == ""
    assert certificate("c.json") == expected
    assert certificate("c.json").verify()


def test_certify_allows_for_errors_of_people(drawn):
    out, _ = drawn(f"{CERTIFY} --annotator-errors 4")
    assert "people labeled at most 4 of the audited rows wrongly" in out
    _, err = drawn(f"{CERTIFY} --annotator-errors 251", 2)
    assert err == (
        "error: max_annotator_errors must be an integer from 0 to 250, got 251.\n"
    )


def test_certify_bounds_both_sides(drawn):
    out, _ = drawn(f"{CERTIFY} --sides 2 --output c")
    expected = certify_labels(DATA["auto"], audit(), TRUTH[audit().rows], sides=2)
    assert out == f"{expected.statement}\n"
    assert certificate("c.json") == expected
    _, err = drawn(f"{CERTIFY} --sides 3", 2)
    assert "invalid choice: '3'" in err


def test_certify_compares_with_a_rate(drawn):
    out, _ = drawn(CERTIFY)
    errors = int(out.split("at most ")[1].split()[0])
    just, below = errors / N_ROWS, (errors - 0.5) / N_ROWS
    drawn(f"{CERTIFY} --at-most {np.ceil(1000 * just) / 1000}")
    out, err = drawn(f"{CERTIFY} --at-most {below} --output c", 1)
    assert "With probability" in out
    assert err == f"not met: {errors} of 600 rows are more than --at-most {below}.\n"
    assert certificate("c.json").verify()
    assert Fraction(errors, N_ROWS) > Fraction(below)


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


def test_finish_without_a_rest_is_complete(drawn):
    out, _ = drawn(f"{finish(0.9)} --output f")
    assert "and 0 are for people.\n" in out
    assert certificate("f.json").n_left == 0
    assert set(read("f.csv")["source"]) == {"automatic", "person"}
    assert not Path("f-rest.csv").exists()


def test_finish_says_if_the_audit_is_too_small(drawn):
    out, err = drawn(f"{finish(0.001)} --output f", 1)
    assert out == ""
    assert err == (
        "not met: An audit of 250 of 600 rows is too small for target=0.001 and "
        "delta=0.1, so no row is labeled automatically: the smallest target that can be "
        "reached is 0.006667. sklearn_pacmdl.audits.plan_finish tells what more audited "
        "rows give.\n"
    )
    assert not Path("f.csv").exists()


def test_parquet_without_pyarrow_names_the_extra(drawn, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    draw = "audit draw d.parquet --size 5 --output new"
    for command in (f"{FINISH} --output new.parquet", draw):
        assert "'sklearn-pacmdl[engines]'" in drawn(command, 2)[1]
    assert not Path("new.json").exists()


@pytest.mark.parametrize("dtype", [str, "string", "category", object])
def test_parquet(drawn, dtype):
    DATA.astype({"auto": dtype}).to_parquet("d.parquet")
    read("filled.csv").astype({"row": int}).to_parquet("filled.parquet")
    expected, _ = drawn(CERTIFY)
    assert drawn(CERTIFY.replace(".csv", ".parquet"))[0] == expected
    drawn(f"{FINISH} --output f")
    drawn(f"{FINISH} --output g".replace(".csv", ".parquet"))
    assert Path("f.csv").read_text(encoding="utf-8") == Path("g.csv").read_text(
        encoding="utf-8"
    )


@pytest.mark.parametrize("gap", [False, True])
def test_numbers_and_texts_of_numbers_are_the_same_labels(run, gap):
    """A column of integers with gaps is kept as floats, and people write integers."""
    numbers = (np.arange(N_ROWS) % 3).astype(float if gap else int)
    if gap:
        numbers[::9] = np.nan
    pd.DataFrame({"auto": numbers}).to_parquet("d.parquet")
    run("audit draw d.parquet --size 50 --labels auto --seed 1 --output a")
    assert list(read("a.csv").columns) == ["row", "label"]
    fill_in("a.csv", "filled.csv", np.arange(N_ROWS) % 3)
    out, err = run(CERTIFY.replace(" d.csv", " d.parquet"))
    assert f"0 of the {50 - int(np.sum(audit().rows % 9 == 0)) * gap} audited" in out
    assert err == ""


def test_texts_that_mark_a_gap_are_named_by_the_user(run):
    noise = np.where(np.arange(N_ROWS) % 4, DATA["auto"], "-1")
    DATA.assign(auto=noise).to_csv("d.csv", index=False)
    draw = "audit draw d.csv --size 50 --labels auto --seed 1 --output a"
    _, err = run(draw, 2)
    assert err == (
        "error: Column 'auto' of d.csv holds '-1': add --missing=-1 if this marks a row "
        "without a label. If it is a class, also that of rows that people could not "
        "decide, write it in another way, or draw an audit with --rename=-1=NAME.\n"
    )
    run(f"{draw} --missing=-1")
    fill_in("a.csv", "filled.csv")
    assert "of all 450 rows that could be drawn" in run(f"{CERTIFY} --missing=-1")[0]


def sheets(**columns):
    """A sheet in which several people answered."""
    sheet = read("filled.csv")
    for name, change in columns.items():
        answers = sheet["label"].to_numpy(dtype=object).copy()
        for place, label in change.items():
            answers[place] = label
        sheet[name] = answers
    return sheet


def test_several_people(drawn):
    expected, _ = drawn(CERTIFY)
    first = sheets()["label"][0]
    wrong, other = [label for label in CLASSES if label != first]
    sheets(ann={}, ben={0: wrong}, eve={}).to_csv("filled.csv", index=False)
    out, _ = drawn(f"{CERTIFY} --answer-column ann,eve")
    assert out == (
        "2 people agree on 250 of 250 rows (100.0%); mean Cohen's kappa 1.00.\n"
        f"{expected}"
    )
    row = audit().rows[0]
    out, err = drawn(f"{CERTIFY} --answer-column ann,ben,eve", 2)
    assert "3 people agree on 249 of 250 rows (99.6%); mean Cohen's kappa 1.00." in out
    assert err == (
        f"error: People disagree on 1 row: [{row}]. To settle them, correct the files, "
        "add --majority for what more than half say, or let somebody fill in the table "
        "that this command writes: python -m sklearn_pacmdl audit settle filled.csv "
        "--answer-column ann,ben,eve --output NAME\n"
    )
    out, _ = drawn(f"{CERTIFY} --answer-column ann,ben,eve --majority")
    assert out.endswith(f"\n{expected}")
    sheets(ann={}, ben={0: wrong, 3: other}, eve={0: other, 3: wrong}).to_csv(
        "filled.csv", index=False
    )
    _, err = drawn(f"{CERTIFY} --answer-column ann,ben,eve --majority", 2)
    assert (
        f"People disagree on 1 row: [{row}]. To settle them, correct the files, or" in err
    )
    assert err.endswith(" --answer-column ann,ben,eve --majority --output NAME\n")


def test_several_people_in_files_of_their_own(drawn):
    expected, _ = drawn(CERTIFY)
    read("filled.csv").sample(frac=1, random_state=0).to_csv("ben.csv", index=False)
    out, _ = drawn(f"{CERTIFY} ben.csv")
    assert out.startswith("2 people agree on 250 of 250 rows")
    assert out.endswith(expected)


def test_a_copy_is_no_second_opinion(drawn):
    Path("copy.csv").write_bytes(Path("filled.csv").read_bytes())
    for command in (f"{CERTIFY} copy.csv", "audit settle filled.csv copy.csv --output s"):
        _, err = drawn(command, 2)
        assert err == (
            "error: filled.csv and copy.csv are the same. Pass one of them: a copy is no "
            "second opinion.\n"
        )
    assert (
        "filled.csv and ./filled.csv are the same"
        in drawn(f"{CERTIFY} ./filled.csv", 2)[1]
    )
    # Files of one size and time may differ.
    changed = Path("filled.csv").read_bytes().replace(b"007", b"1e3", 1)
    Path("copy.csv").write_bytes(changed)
    for name in "copy.csv", "filled.csv":
        os.utime(name, ns=(0, 0))
    assert "the same" not in drawn(f"{CERTIFY} copy.csv", 2)[1]
    _, err = drawn(f"{CERTIFY} --answer-column label,label", 2)
    assert err == (
        "error: --answer-column must name each column once, got ['label', 'label'].\n"
    )


def test_disagreements_are_settled(drawn):
    expected, _ = drawn(CERTIFY)
    first = sheets()["label"]
    wrong = [CLASSES[(CLASSES.index(label) + 1) % 3] for label in first]
    rows = audit().rows
    sheets(label=dict(enumerate(wrong[:18]))).drop(columns="text").to_csv(
        "ben.csv", index=False
    )
    certify = f"{CERTIFY} ben.csv"
    out, err = drawn(certify, 2)
    assert out.startswith("2 people agree on 232 of 250 rows (92.8%)")
    start = "error: People disagree on 18 rows: ["
    assert err.startswith(start)
    command = err.split("this command writes: python -m sklearn_pacmdl ")[1]
    out, err = drawn(command.replace("NAME", "disputes"))
    assert out.split("\n", 1)[1] == (
        "18 rows are to be settled.\n"
        "Next, somebody fills in the column 'label' of disputes.csv.\n"
        "Then run the command that reads these labels with --settled disputes.csv.\n"
    )
    assert err == ""
    table = read("disputes.csv")
    names = ["row", "id", "text", "answer_1", "answer_2", "label"]
    assert list(table.columns) == names
    disputed = sorted(rows[:18].tolist())
    at = np.argsort(rows[:18])
    assert table["row"].astype(int).tolist() == disputed
    assert table["text"].tolist() == DATA["text"].iloc[disputed].tolist()
    assert table["answer_1"].tolist() == first[at].tolist()
    assert table["answer_2"].tolist() == [wrong[i] for i in at]

    settled = f"{certify} --settled disputes.csv"
    assert "Column 'label' of disputes.csv has no label yet" in drawn(settled, 2)[1]
    table["label"] = TRUTH[disputed]
    table.drop(index=4).to_csv("disputes.csv", index=False, sep=";")
    _, err = drawn(settled, 2)
    assert (
        f"1 row: [{disputed[4]}]. To settle them, correct the files, fill in dispu" in err
    )
    table.to_csv("disputes.csv", index=False, sep=";")
    assert drawn(settled)[0].endswith(expected)
    drawn(f"{settled} --output c")
    data = settled.removeprefix("audit certify d.csv ")
    out, _ = drawn(f"verify c.json --data d.csv {data}")
    assert "c.json: agrees with the data" in out
    assert "- filled.csv, ben.csv, column 'label', settled by disputes.csv: 250 l" in out
    assert "--settled require --data" in drawn("verify c.json --settled x.csv", 2)[1]

    _, err = drawn(f"{command} --force".replace("NAME", "disputes"), 2)
    assert (
        "18 rows of column 'label', which --force does not overwrite; pass it to" in err
    )
    table.assign(label=table["answer_2"]).to_csv("disputes.csv", index=False)
    read("filled.csv")[::-1].to_csv("ben.csv", index=False)
    _, err = drawn(settled, 2)
    assert err.startswith("error: disputes.csv: settled must have no other labels where")


def test_what_there_is_to_settle(drawn):
    drawn("audit settle filled.csv --output s", 2)
    sheets(ann={}, ben={}).to_csv("filled.csv", index=False)
    settle = "audit settle filled.csv --answer-column ann,ben --output s"
    assert drawn(settle)[0].endswith("There is nothing to settle.\n")
    assert not Path("s.csv").exists()
    sheets(ann={}, ben={0: "", 1: "-", 2: "="}).to_csv("filled.csv", index=False)
    assert drawn(settle)[0].startswith("2 people agree on 247 of 249 rows that several")
    table = read("s.csv")
    assert list(table["row"].astype(int)) == audit().rows[1:3].tolist()
    assert table["answer_2"].tolist() == ["'-", "'="]
    drawn(f"{settle} --force")


def test_people_share_the_rows_among_them(drawn):
    expected, _ = drawn(CERTIFY)
    sheet = read("filled.csv")
    sheet[:150].to_csv("ann.csv", index=False)
    sheet.assign(label=sheet["label"].where(sheet.index >= 100)).to_csv(
        "ben.csv", index=False
    )
    certify = CERTIFY.replace("filled.csv", "ann.csv ben.csv")
    out, err = drawn(certify)
    assert out == (
        "2 people agree on 50 of 50 rows that several of them labeled (100.0%); mean "
        f"Cohen's kappa 1.00.\n{expected}"
    )
    assert err == ""
    out, err = drawn(CERTIFY.replace("filled", "ann"), 2)
    assert out == ""
    assert err.startswith("error: ann.csv must have labels of all 250 rows of a.json; ")
    assert "those of 100 are missing: [" in err
    sheet[150:].to_csv("ben.csv", index=False)
    assert drawn(certify) == (expected, "")


def test_what_is_left_is_labeled_in_installments(drawn):
    drawn(f"{FINISH} --output all")
    n_people = len(fill_in("all-rest.csv", "all-rest.csv"))
    drawn(f"{FINISH} --rest all-rest.csv --output whole")
    drawn(f"{FINISH} --output f")
    assert read("f-rest.csv")["row"].tolist() == read("all-rest.csv")["row"].tolist()

    def label(path, rows):
        sheet = fill_in(path, path)
        sheet.assign(label=sheet["label"].where(sheet.index.isin(rows))).to_csv(
            path, index=False
        )

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
    fill_in("f-rest-3.csv", "f-rest-3.csv")
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
    fill_in("s.csv", "s.csv")
    drawn(f"{rest} --settled s.csv")
    drawn(f"{FINISH} --rest ann.csv --output h")
    assert outputs("g")[0] == outputs("h")[0]
    assert outputs("g")[2] == outputs("h")[2]


def test_spelling(drawn):
    sheets(label={3: "nul", 5: "nul", 7: "7"}).to_csv("filled.csv", index=False)
    _, err = drawn(CERTIFY)
    assert err == (
        "note: audit_labels holds labels that are not in labels: 'nul' (2 rows), '7' "
        "(1 row) differs from '007' in the form of a number only. They count as errors.\n"
    )
    sheets(label=dict.fromkeys(range(250), "spam")).to_csv("filled.csv", index=False)
    _, err = drawn(CERTIFY, 2)
    assert err == (
        "error: filled.csv: audit_labels must hold labels that are in labels, such as "
        "'007', '1e3', 'True', got others: 'spam' (250 rows). Give each class one name "
        "in both. If a class is really missing there, name all classes when the audit is "
        "drawn, by draw_audit(..., classes={...}).\n"
    )


def test_labels_that_differ_by_spaces_alone_are_told(drawn):
    first = sheets()["label"][0]
    sheets(label={0: f" {first} "}).to_csv("filled.csv", index=False)
    _, err = drawn(CERTIFY)
    assert err == (
        f"note: audit_labels holds labels that are not in labels: ' {first} ' (1 row) "
        f"differs from '{first}' in blanks only. They count as errors.\n"
    )


def test_what_is_left_is_compared_with_the_labels_of_the_audit(drawn):
    drawn(f"{FINISH} --output f")
    sheet = fill_in("f-rest.csv", "rest.csv")
    sheet.assign(label=sheet["label"].str.swapcase()).to_csv("rest.csv", index=False)
    _, err = drawn(f"{FINISH} --rest rest.csv --output g", 2)
    assert err.startswith("error: rest.csv: human_labels must be written as labels and ")
    assert "differs from 'True' in case only" in err
    assert not Path("g.csv").exists()


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_classes_get_their_names_when_an_audit_is_drawn(run, suffix):
    signs = np.where(CLASSES[0] == TRUTH, "-1", "1")
    table = pd.DataFrame({"text": DATA["text"], "conf": DATA["conf"], "sign": signs})
    table.to_csv("s.csv", index=False)
    table.astype({"sign": int}).to_parquet("s.parquet", index=False)
    draw = f"audit draw s.{suffix} --labels sign --confidence conf --size 200 --seed 0"
    _, err = run(f"{draw} --output a", 2)
    assert "holds '-1': add --missing=-1 if this marks a row without" in err
    _, err = run(f"{draw} --rename=-1=no --output a", 2)
    assert "labels must hold labels of classes={'-1': 'no'}, or their names, got" in err
    run(f"{draw} --rename=-1=no --rename=1=yes --output a")
    name = {"-1": "no", "1": "yes"}
    fill_in("a.csv", "filled.csv", signs)
    fill_in("a.csv", "named.csv", np.array([*map(name.get, signs)]))
    given = f"s.{suffix} --labels sign --audit a.json --answers"
    statements = {run(f"audit certify {given} {f}.csv")[0] for f in ("filled", "named")}
    assert len(statements) == 1
    assert "0 of the 200 audited rows" in statements.pop()
    run(f"audit finish {given} named.csv --confidence conf --target 0.1 --output f")
    assert {*read("f.csv")["label"]} <= {"no", "yes", ""}
    people = "--audit a.json --answers named.csv"
    run(f"verify f.json --data f.csv --confidence conf {people}")
    run(f"verify a.json --data s.{suffix} --labels sign")


def test_rows_in_another_order_are_refused(drawn):
    expected, _ = drawn(CERTIFY)
    sheet = read("filled.csv")
    for name, cells in {
        "text": sheet["text"].str.upper() + " \r\n",  # rewritten in every row
        "id": sheet["id"].sort_values().to_numpy(),  # of other rows, though no text
        "row": sheet["row"].sort_values().to_numpy(),
    }.items():
        sheet.assign(**{name: cells}).to_csv("filled.csv", index=False)
        _, err = drawn(CERTIFY, 2)
        named = "id" if name == "row" else name
        assert err.startswith(f"error: column {named!r} of filled.csv must be that of d.")
        assert "one file was sorted, or is of other rows" in err
    sheet = sheet.drop(columns="text")
    sheet["id"] = "000" + sheet["id"] + ".0"  # the same numbers
    sheet.to_csv("filled.csv", index=False)
    assert drawn(CERTIFY) == (expected, "")
    sheet["id"] = [*sheet["id"][5:], *sheet["id"][:5]]
    sheet.loc[3:, "id"] = read("a.csv")["id"][3:]
    sheet.to_csv("filled.csv", index=False)
    out, err = drawn(CERTIFY)
    assert out == expected
    assert err == (
        "note: column 'id' of filled.csv differs from that of d.csv in 3 of 250 rows: "
        "were its cells changed?\n"
    )


def test_what_a_spreadsheet_adds_does_no_harm(drawn):
    expected, _ = drawn(CERTIFY)
    text = read("filled.csv").to_csv(index=False) + ",,,\n,,,\n"
    with open("filled.csv", "w", encoding="utf-8-sig") as file:
        file.write(text)
    assert drawn(CERTIFY) == (expected, "")


@pytest.mark.parametrize(("encoding", "separator"), [("utf-16", "\t"), ("cp1252", ";")])
def test_separators_and_encodings_of_spreadsheets_are_recognized(
    drawn, separator, encoding
):
    expected, _ = drawn(CERTIFY)
    for name in ("d.csv", "filled.csv"):
        read(name).to_csv(name, index=False, sep=separator, encoding=encoding)
    out, err = drawn(CERTIFY)
    assert out == expected
    notes = [
        f"note: {name} is not in UTF-8, so it is read as Windows-1252: check letters "
        "with accents."
        for name in ("d.csv", "filled.csv")
    ]
    assert err.splitlines() == notes * (encoding == "cp1252")


@pytest.mark.parametrize(
    ("header", "line", "columns"),
    [
        ("text; as submitted; long,pred", '"line {}, 0\nline two",spam', 1),
        ("text; as submitted,pred", "a; b {},spam", 1),
        ("text, as submitted; id;pred", '"a {}";1{};spam', 2),
        ("text, as submitted\tpred", "a {}\tspam", 1),
    ],
)
def test_the_separator_is_one_of_all_lines(run, header, line, columns):
    lines = [line.replace("{}", str(i)) for i in range(9)]
    Path("d.csv").write_text("\n".join([header, *lines, ""]))
    _, err = run("audit draw d.csv --size 5 --output a")
    assert "columns that may be labels or confidences, or tell the labels: 'pred'." in err
    assert len(pd.read_csv("a.csv", sep=header[-5]).columns) == columns + 2


def test_blank_lines_of_one_column_are_rows_without_a_label(run):
    labels = [*["a", "", "b"] * 100, ""]
    # An empty cell in quotes is a row; blank lines at the end are none.
    Path("d.csv").write_text("\n".join(["auto", *labels[:-1], '""', "", "", ""]))
    out, _ = run("audit draw d.csv --size 5 --labels auto --output a")
    assert out.startswith("5 of 200 rows were drawn.")
    fill_in("a.csv", "filled.csv", np.array(labels) + "a")
    assert "of all 200 rows that could be drawn" in run(CERTIFY)[0]


def test_formulas_do_not_reach_spreadsheets(run):
    formulas = ["=cmd|' /C calc'!A0", "@user", " =1", "\n=1", "\uff1d1", "|1", "'=1"]
    cells = np.resize([*formulas, "-5", "plain"], N_ROWS)
    DATA.assign(text=cells).to_csv("d.csv", index=False)
    run("audit draw d.csv --size 250 --labels auto --confidence conf --seed 1 --output a")
    expected = {"-5", "plain", *(f"'{text}" for text in formulas)} - {"'\n=1"}
    expected.add("'\n'=1")  # a cell begins here, too, where commas separate no cells
    assert set(read("a.csv")["text"]) == expected
    fill_in("a.csv", "filled.csv")
    assert run(f"{FINISH} --output f")[1] == ""  # the texts are those of the data
    assert set(read("f-rest.csv")["text"]) <= expected
    assert set(read("f.csv")["text"]) == set(cells)  # programs read this table
    run(f"{FINISH} --output x.xlsx")  # where these texts are no formulas either
    assert set(pd.read_excel("x.xlsx")["text"]) == set(cells)


def test_verify(drawn):
    drawn(f"{CERTIFY} --output c")
    out, _ = drawn("verify c.json", 3)
    listed = "Checked:\n- c.json: fields, bound and SHA-256 digest\nNot checked:\n"
    statement = f"{certificate('c.json').statement}\n"
    assert out == (
        f"c.json: agrees with itself; no data were compared\n{statement}{listed}"
        "- automatic labels (--labels): not given\n- audit (--audit): not given\n"
        "- human labels (--answers): not given\n"
        "- table of all rows (--data): not given\n"
    )
    data = "--labels auto --audit a.json --answers filled.csv"
    out, _ = drawn(f"verify c.json --data d.csv {data}")
    assert out == (
        f"c.json: agrees with the data\n{statement}Checked:\n"
        "- c.json: fields, bound and SHA-256 digest\n"
        "- d.csv, column 'id': SHA-256 digest\n"
        "- d.csv, column 'text': SHA-256 digest\n"
        "- a.json: rows, drawn again from the seed, and SHA-256 digest\n"
        "- d.csv, column 'auto': 600 labels counted; SHA-256 digest\n"
        "- filled.csv, column 'label': 250 labels counted; SHA-256 digest\n"
        "Not checked:\n- d.csv: no digest covers column 'conf'\n"
        "- c.json: no data show its sides, delta, max_annotator_errors, date and "
        "version\n"
    )
    _, err = drawn("verify c.json --data d.csv --labels auto", 2)
    assert err == "error: --data requires --audit, --answers.\n"
    _, err = drawn("verify c.json --labels auto", 2)
    assert err == "error: --labels require --data, the file of all rows.\n"


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("x.json", "No such file or directory: 'x.json'"),
        ("d.csv", "d.csv: Not a certificate or an audit: "),
    ],
)
def test_what_cannot_be_read(run, path, message):
    out, err = run(f"verify {path}", 2)
    assert out == f"{path}: cannot be read\n"
    assert err.startswith("error: ")
    assert message in err
    assert err.count("\n") == 1


def test_verify_a_difference(drawn):
    drawn_for, second = audit(), DATA["auto"].where(DATA.index > 9, "rare")
    answers = TRUTH[drawn_for.rows]
    found = certify_difference(DATA["auto"], second, drawn_for, answers)
    Path("c.json").write_text(found.to_json(), encoding="utf-8")
    out, _ = drawn("verify c.json", 3)
    alone = "c.json: agrees with itself; no data were compared"
    assert out.startswith(f"{alone}\n{found.statement}\nChecked:\n")
    _, err = drawn("verify c.json --data d.csv --labels auto", 2)
    assert (
        err == "error: --data must be left out for this difference: compare in Python.\n"
    )
    altered = replace(found, upper_bound=-9).to_json()
    Path("c.json").write_text(altered, encoding="utf-8")
    assert "problem: upper_bound is -9, and" in drawn("verify c.json", 1)[1]


@pytest.mark.parametrize("names", [[0, 1], ["a", "b"]])
def test_verify_labelings_of_clusters(run, names):
    """The file has texts, such as 1.0, also where the labels were numbers."""
    truth, labeled = np.arange(200) % 2, np.random.RandomState(0).permutation(200) < 100
    seen = pd.Series(np.take(names, truth)).where(labeled)
    certified = certify_clusterings({"halves": truth}, seen, certify="pac-mdl")
    Path("c.json").write_text(certified.certificate.to_json())
    table = pd.DataFrame({"y": seen, "given": certified.transduction})
    table.to_csv("t.csv", index=False)
    verify = "verify c.json --data t.csv --labels given --y y"
    assert run(verify)[0].startswith("c.json: agrees with the data\n")
    assert run("verify c.json --data t.csv --y y", 2)[1].startswith("error: --data req")
    table["given"] = table["given"].to_numpy()[::-1]
    table.to_csv("t.csv", index=False)
    assert "problem: " in run(verify, 1)[1]
    divided = certify_clusterings({"halves": truth}, seen, random_state=0)
    Path("c.json").write_text(divided.certificate.to_json())
    assert run(verify, 2)[1] == "error: --data requires --certifying.\n"
    use = np.full(200, "", dtype=object)
    use[divided.division[0]], use[divided.division[1]] = "select", "certify"
    table.assign(given=divided.transduction, u=use).to_csv("t.csv", index=False)
    assert run(f"{verify} --certifying u")[0].startswith("c.json: agrees with the data\n")


def test_what_is_not_right_is_told(drawn):
    drawn(f"{CERTIFY} --output c")
    fields = json.loads(Path("c.json").read_text(encoding="utf-8"))
    with open("c.json", "w") as file:
        json.dump(fields | {"max_test_errors": fields["max_test_errors"] - 1}, file)
    out, err = drawn("verify c.json", 1)
    assert out == "c.json: does not agree\n"
    assert re.match(r"problem: max_test_errors is \d+, and \d+ follows from", err)
    drawn(f"{CERTIFY} --output d")
    sheets(label={0: "spam"}).to_csv("filled.csv", index=False)
    data = "--labels auto --audit a.json --answers filled.csv"
    _, err = drawn(f"verify d.json --data d.csv {data}", 1)
    assert "problem: filled.csv, column 'label': its SHA-256 digest is not the one" in err


def spoiled(**changes):
    """Write the filled sheet with some columns changed; None drops one."""
    sheet = read("filled.csv")
    for name, change in changes.items():
        if change is None:
            sheet = sheet.drop(columns=name)
        else:
            sheet[name] = change(sheet[name])
    sheet.to_csv("filled.csv", index=False)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"row": None}, "filled.csv must have a column 'row', got ['id', 'text', 'lab"),
        (
            {"row": lambda c: ["7.5", *c[1:]]},
            "Column 'row' of filled.csv must be the numbers of the rows, as they were, "
            "got ['7.5'].",
        ),
        ({"row": lambda c: [c[1], *c[1:]]}, "source must not have rows twice, got ["),
        ({"row": lambda c: c.astype(int) + 600}, "rows that were not to be labeled"),
        ({"label": lambda c: ["", *c[1:]]}, "those of 1 are missing: ["),
        ({"label": lambda c: ""}, "Column 'label' of filled.csv has no label yet."),
        ({"label": lambda c: ["nan", *c[1:]]}, "holds 'nan': add --missing=nan if this"),
    ],
)
def test_a_spoiled_sheet_is_refused(drawn, changes, message):
    spoiled(**changes)
    out, err = drawn(CERTIFY, 2)
    assert err.startswith("error: ")
    assert message in err
    assert err.count("\n") == 1
    assert out == ""


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("", "the following arguments are required: {audit,certify,verify} ("),
        ("audit", "following arguments are required: {plan,size,draw,certify,share,"),
        ("audit draw d.csv --size 5 --out o", "arguments are required: --output"),
        ("audit draw d.csv --size 0 --output o", "size must be an integer from 1 to 599"),
        ("audit draw d.csv --size 5 --output no/o", "No such file or directory: 'no/o"),
        ("audit draw x.parquet --size 5 --output o", "x.parquet"),
        (
            "audit draw d.ods --size 5 --output o",
            "d.ods must be a file .csv, .tsv, .xlsx, .json, .jsonl or .parquet: save",
        ),
        (
            "audit draw d.csv --size 5 --output o --labels x",
            "must have a column 'x', got",
        ),
        (
            "audit draw d.csv --size 5 --output o --confidence text",
            "Column 'text' of d.csv must hold numbers, with a decimal point, or all wi",
        ),
        ("audit draw d.csv --size 5 --output o --exclude d.csv", "d.csv: Not an audit"),
        (
            f"{CERTIFY} --at-most 0",
            "--at-most must be in the open interval (0, 1), got 0",
        ),
        (f"{CERTIFY} --answer-column x", "filled.csv must have a column 'x', got"),
        (CERTIFY.replace("auto", "id"), "labels must be what the audit was drawn for"),
        (f"{FINISH} --output f --rest a.csv", "a.csv, column 'label': "),
    ],
)
def test_bad_input_is_one_line(drawn, command, message):
    out, err = drawn(command, 2)
    assert err.startswith("error: ")
    assert message in err
    assert err.count("\n") == 1
    assert out == ""


def test_data_of_another_audit_are_refused(drawn):
    DATA[:-1].to_csv("d.csv", index=False)
    _, err = drawn(CERTIFY, 2)
    assert err == "error: d.csv must have the 600 rows of a.json, got 599.\n"
    DATA.assign(auto="007").to_csv("d.csv", index=False)
    assert "labels must be what the audit was drawn for" in drawn(CERTIFY, 2)[1]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "d.csv must be a table that can be read: No columns to parse from file"),
        (
            b"id,text\n1,Zo\x81\n",
            "d.csv must be a table that can be read: it is neither in UTF-8 nor",
        ),
        (b"id,text\n1,2,3\n4,5,6\n7,8,9\n", "it has more cells than names of columns"),
        (
            b"id,text\n1,2\n4,5,6\n",
            "d.csv must be a table that can be read: Error tokenizing",
        ),
        (
            b"id,text,id\n1,2,3\n",
            "d.csv must be a table that can be read: it has several columns 'id'",
        ),
        (
            b"id,label\n1,2\n3,4\n",
            "Columns ['label'] of d.csv have names of columns to write: rename them",
        ),
    ],
)
def test_data_that_are_no_table_are_refused(run, content, message):
    with open("d.csv", "wb") as file:
        file.write(content)
    _, err = run("audit draw d.csv --size 1 --output o", 2)
    assert message in err
    assert err.count("\n") == 1


def test_without_pandas(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    _, err = run("audit draw d.csv --size 1 --output o", 2)
    assert err == (
        "error: Reading files requires pandas; pip install 'sklearn-pacmdl[plot]' "
        "installs it.\n"
    )


@pytest.mark.parametrize(
    "command",
    [
        "",
        "audit",
        "audit draw",
        "audit certify",
        "audit share",
        "audit classes",
        "audit finish",
        "certify",
        "verify",
    ],
)
def test_help(run, command):
    out, _ = run(f"{command} --help")
    assert out.startswith(f"usage: python -m sklearn_pacmdl {command}".rstrip())
    if command != "audit":
        assert "exit codes:" in out


def test_commands_to_run_next_are_called_as_this_one_was(run, monkeypatch):
    command = "audit draw d.csv --size 5 --labels auto --force --output a"
    for name in ("pacmdl", "/usr/bin/pacmdl", r"bin/pacmdl.exe"):
        monkeypatch.setattr(sys, "argv", [name])
        assert "Then run: pacmdl audit certify d.csv" in run(command)[0]
        assert run("audit --help")[0].startswith("usage: pacmdl audit")
    monkeypatch.setattr(sys, "argv", ["sklearn_pacmdl/__main__.py"])
    assert "Then run: python -m sklearn_pacmdl audit" in run(command)[0]


def test_the_script_runs_the_commands():
    path = Path(__file__).parents[2] / "pyproject.toml"
    script = tomllib.loads(path.read_text("utf-8"))["project"]["scripts"]["pacmdl"]
    assert EntryPoint("pacmdl", script, "console_scripts").load() is main


@pytest.mark.parametrize("command", ["--help", "audit draw --help", "audit draw"])
def test_help_does_not_wait_for_imports(command):
    code = (
        "import sys; from sklearn_pacmdl.__main__ import main\n"
        f"try: main({command.split()})\n"
        "finally: print({'sklearn', 'numpy', 'scipy', 'pandas'} & set(sys.modules))"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert said.stdout.endswith("set()\n"), said.stderr


def test_an_interrupt_is_one_line(run, monkeypatch, capsys):
    def interrupt(path, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("pyarrow.parquet.ParquetFile", interrupt)
    command = "audit draw d.parquet --size 5 --output o"
    monkeypatch.setattr(sys, "argv", ["sklearn_pacmdl", *command.split()])
    monkeypatch.delitem(sys.modules, "sklearn_pacmdl.__main__")
    with pytest.raises(SystemExit, match="^130$"):
        runpy.run_module("sklearn_pacmdl", run_name="__main__")
    assert capsys.readouterr() == ("", "interrupted\n")


def test_from_a_real_shell(tmp_path):
    DATA.to_csv(tmp_path / "d.csv", index=False)

    def call(*words):
        command = [sys.executable, "-m", "sklearn_pacmdl", *words]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)

    done = call(
        *["audit", "draw", "d.csv", "--size", "9", "--labels", "auto", "--output", "a"],
        *["--confidence", "conf"],
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "a.csv").exists()
    fill_in(tmp_path / "a.csv", tmp_path / "filled.csv")
    unmet = call(*CERTIFY.split(), "--at-most", ".01")
    assert unmet.returncode == 1
    assert unmet.stdout.startswith("With probability at least 90%")
