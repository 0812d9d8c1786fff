"""Audits that are drawn from the shell or elsewhere: their rows, and what people see."""

import re
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from commands import (
    CERTIFY,
    CLASSES,
    DATA,
    N_ROWS,
    TRUTH,
    audit,
    certificate,
    fill_in,
    read,
)

from sklearn_pacmdl.audits import certify_labels, class_report, draw_audit


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


def test_strata_and_the_commands_that_are_printed_for_them(run):
    draw = "audit draw d.csv --size 60 --labels auto --strata auto --seed 1 --output a"
    out, _ = run(draw)
    _, sizes = np.unique(DATA["auto"][audit().rows], return_counts=True)
    assert sizes.tolist() == [20, 20, 20]
    assert "auto" not in read("a.csv").columns
    fill_in("a.csv")
    share = re.search(r"Then run: .*?(audit share .*)CLASS", out)[1]
    assert "of the 60 audited rows in 3 strata" in run(f"{share} 007")[0]
    command = re.search(r"recall and F1 of every class: .*?(audit classes .*)", out)[1]
    report = class_report(DATA["auto"], audit(), TRUTH[audit().rows])
    assert run(f"{command} --output r")[0] == f"{report}\n"
    options = command.removeprefix("audit classes ")
    assert "r.json: agrees with the data\n" in run(f"verify r.json --data {options}")[0]


def test_strata_of_other_sizes(run):
    old = np.where(np.arange(N_ROWS) % 4, "spam", "ham")
    DATA.assign(old=old).to_csv("d.csv", index=False)
    draw = "audit draw d.csv --size 62 --strata old --seed 1 --force --output b"
    for text, expected in [
        ("", [31, 31]),
        ("--allocation proportional", [16, 46]),  # 15.5 and 46.5
        ("--allocation spam=50 ham=12", [12, 50]),
    ]:
        run(f"{draw} {text}")
        counts = np.unique(old[audit("b.json").rows], return_counts=True)[1]
        assert [*counts] == expected
    for text, message in [
        ("other", "allocation must be one of"),
        ("spam=50", "'ham': 150, 'spam': 450}, and fewer in all, got {'ham': 0, 'spam'"),
        ("spam=50 ham", "--allocation must be VALUE=SIZE"),
        ("spam=x ham=3", "--allocation: "),
        ("spam=50 ham=9", "size must be 59, the sum of allocation"),
    ]:
        assert message in run(f"{draw} --allocation {text}", 2)[1]


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
    draw = "audit draw d.csv --size 5 --labels auto --output"
    assert run(f"{draw} b")[1] == f"{start}'conf'{end}"
    out, _ = run(f"{draw} c --confidence conf")
    assert list(read("c.csv").columns) == ["row", "id", "text", "label"]
    assert "audit finish d.csv --labels auto --audit c.json --answers c.csv" in out
    assert "--confidence conf --target RATE --output NAME" in out
    out, _ = run(f"{draw} e --confidence conf --target .2")
    assert "--target 0.2 --output NAME" in out  # as it was planned
    run(f"{draw} f.csv --columns text,auto")
    assert list(read("f.csv").columns) == ["row", "text", "auto", "label"]


def test_printed_commands_take_columns_that_begin_with_a_dash(run):
    DATA.rename(columns={"auto": "-auto", "conf": "--conf"}).to_csv("d.csv", index=False)
    plan = "audit plan d.csv --labels=-auto --confidence=--conf --budget 60 --target .1"
    then = re.search(r"Then run: .*? (audit draw .*) NAME", run(plan)[0])[1]
    then = re.search(r"Then run: .*? (audit finish .*) NAME", run(f"{then} b")[0])[1]
    fill_in("b.csv")
    run(f"{then} c")
    assert certificate("c.json").verify()


def test_printed_commands_take_files_that_begin_with_a_dash(run):
    human = np.where(np.arange(N_ROWS) % 3, TRUTH, "")
    DATA.assign(human=human).to_csv("-d.csv", index=False)

    def printed(text):
        command = re.search(r"python -m sklearn_pacmdl (.*)", text)[1]
        return [word.replace("NAME", "-out") for word in shlex.split(command)]

    assert "audit draw ./-d.csv --size" in run("look ./-d.csv")[0]
    plan = "audit plan ./-d.csv --labels auto --confidence conf --budget 250 --target .1"
    draw = printed(run(plan)[0])
    finish = printed(run([*draw[:-2], "--output=-a"])[0])
    sheet = fill_in("-a.csv")
    assert "with --rest ./-out-rest.csv and" in run([*finish[:-2], "--output=-out"])[0]
    sheet["label"] = sheet["label"].where(sheet.index > 0, "x")
    sheet.to_csv("-b.csv", index=False)
    settle = printed(run([*finish[:-2], "--output=f", "--answers=-b.csv"], 2)[1])
    assert settle[:4] == ["audit", "settle", "./-a.csv", "./-b.csv"]
    certify = "certify ./-d.csv --y human --columns auto --seed 0 --output=-c"
    assert "agrees with the data" in run(printed(run(certify)[0]))[0]


def test_draw_without_labels_proves_less(run):
    out, err = run("audit draw d.csv --size 5 --columns id --output a")
    assert audit().fingerprints == {}
    assert "--labels COLUMN" in out
    assert err.startswith("note: without --labels, the audit does not prove")


def test_draw_excludes_earlier_audits(run):
    run("audit draw d.csv --size 5 --seed 1 --output a")
    run("audit draw d.csv --size 5 --seed 2 --exclude a.json --output b.json")
    run("audit draw d.csv --size 5 --seed 3 --exclude a.json b.json --output c")
    earlier = {*audit("a.json").rows, *audit("b.json").rows}
    assert {*audit("c.json").excluded} == earlier


def test_draw_by_a_text(run):
    draw = "audit draw d.csv --size 100 --labels auto --output a --seed-text"
    run([*shlex.split(draw), "next commit: 0f3a"])
    assert audit().seed_text == "next commit: 0f3a"
    fill_in("a.csv", "filled.csv")
    out, _ = run(CERTIFY)
    assert "source of the text 'next commit: 0f3a', by which the rows were drawn" in out
    _, err = run(f"{draw} a --seed 3 --force", 2)
    assert "argument --seed: not allowed with argument --seed-text" in err


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
    out, _ = run(f"{draw} --missing=-1")
    fill_in("a.csv")
    then = re.search("Then run: .*(audit certify .*)", out)[1]
    assert "of all 450 rows that could be drawn" in run(then)[0]


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
    assert " 0 of the 200 audited rows" in statements.pop()
    run(f"audit finish {given} named.csv --confidence conf --target 0.1 --output f")
    assert {*read("f.csv")["label"]} <= {"no", "yes", ""}
    people = "--audit a.json --answers named.csv"
    run(f"verify f.json --data f.csv --confidence conf {people}")
    run(f"verify a.json --data s.{suffix} --labels sign")


ROWS = "audit rows d.csv --labels auto --output s --source"
DRAWN = np.random.RandomState(0).permutation(N_ROWS) < 60


@pytest.fixture
def elsewhere(run):
    """Rows that were drawn elsewhere: marked, or answered, in a column."""
    columns = {
        "sampled": np.where(DRAWN, "yes", None),
        "answer": np.where(DRAWN, TRUTH, None),
        "some": np.where(DRAWN & (np.arange(N_ROWS) % 7 > 0), TRUTH, None),
    }
    DATA.assign(**columns).to_csv("d.csv", index=False)
    return run


def rows(run, *options, code=0):
    return run([*ROWS.split(), "project 7", *options], code)


def test_drawn_rows_are_for_people_to_answer(elsewhere):
    out, err = rows(elsewhere, "--drawn", "sampled", "--columns", "text")
    assert out.startswith(
        "60 of 600 rows are audited. Nothing proves how project 7 drew them; every "
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
def test_answers_that_are_there_are_used(elsewhere, options):
    out, _ = rows(elsewhere, *options)
    command = "audit certify d.csv --labels auto --audit s.json --answers s.csv"
    assert out.endswith(f"sklearn_pacmdl {command}\n")
    assert "fill in" not in out
    drawing = audit("s.json")
    certificate = certify_labels(DATA["auto"], drawing, TRUTH[drawing.rows])
    assert elsewhere(f"{command} --output c")[0] == f"{certificate.statement}\n"
    assert "drawn, uniformly at random, by 'project 7'" in certificate.statement
    data = "--data d.csv --labels auto"
    out, _ = elsewhere(f"verify c.json {data} --audit s.json --answers s.csv", 3)
    assert "- s.json: the choice of the rows, by 'project 7'" in out
    out, _ = elsewhere(f"verify s.json {data}", 3)
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
def test_what_is_refused(elsewhere, options, message):
    _, err = rows(elsewhere, *options, code=2)
    assert message in err
    assert not Path("s.json").exists()


def test_marks_of_any_spelling(elsewhere):
    data = pd.read_csv("d.csv")
    for yes, no in (("TRUE", "FALSE"), ("1", "0"), ("x", ""), ("WAHR", "FALSCH")):
        data.assign(sampled=np.where(DRAWN, yes, no)).to_csv("d.csv", index=False)
        rows(elsewhere, "--drawn", "sampled", "--force")
        assert audit("s.json").rows.tolist() == np.flatnonzero(DRAWN).tolist()
