"""Commands that certify say, write and verify what functions of Python give."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from commands import DATA, N_ROWS, TRUTH, audit, certificate, fill_in, read

from sklearn_pacmdl.audits import (
    certify_difference,
    certify_labels,
    certify_share,
    class_report,
    finish_labels,
)

RNG = np.random.RandomState(0)
YEAR = RNG.choice(["2024", "2023"], N_ROWS)
NEW = np.where(RNG.uniform(size=N_ROWS) < 0.9, TRUTH, "007")
GOOD = np.where(DATA["auto"] == TRUTH, "good", "bad")
AUTO = DATA["auto"].to_numpy()
GIVEN = "d.csv --labels auto --audit a.json --answers filled.csv"
LABELINGS = "audit difference d.csv --audit a.json --answers filled.csv"
VERSIONS = f"{LABELINGS} --answer-column old_ok,new_ok --of good"


@pytest.fixture
def run(drawn):
    DATA.assign(year=YEAR, new=NEW, human="?").to_csv("d.csv", index=False)
    return drawn


def audited():
    return AUTO, audit(), TRUTH[audit().rows]


STATEMENTS = {
    "certify --delta .05": (certify_labels, {"delta": 0.05}),
    "certify --by year --sides 2 --annotator-errors 1": (
        certify_labels,
        {"by": YEAR, "sides": 2, "max_annotator_errors": 1},
    ),
    "share --of 007 --delta .2": (certify_share, {"of": "007", "delta": 0.2}),
    "share --of 007 --of True": (certify_share, {"of": ["007", "True"]}),
    "share --of 007 --by year": (certify_share, {"of": "007", "by": YEAR}),
    "classes": (class_report, {}),
    "classes --metrics recall total": (class_report, {"metrics": ["recall", "total"]}),
    "classes --by year --delta .2": (class_report, {"by": YEAR, "delta": 0.2}),
}


@pytest.mark.parametrize("command", STATEMENTS)
def test_statements(run, command):
    function, settings = STATEMENTS[command]
    expected = function(*audited(), **settings)
    name, _, options = command.partition(" ")
    command = f"audit {name} {GIVEN} {options}"
    is_table = name == "classes" or "by" in settings
    text = str(expected) if is_table else expected.statement
    assert run(f"{command} --output c") == (f"{text}\n", "")
    assert certificate("c.json") == expected
    assert Path("c.csv").exists() == hasattr(expected, "to_frame")
    if Path("c.csv").exists():
        table = pd.read_csv("c.csv", dtype={"segment": str, "class": str})
        made = expected.to_frame().reset_index()
        pd.testing.assert_frame_equal(table, made, check_dtype=False)
    figures = json.loads(run(f"{command} --json")[0])
    assert figures["statement"] == expected.statement
    if name == "share" and not is_table:
        limits = figures["at_least"], figures["at_most"]
        assert limits == (expected.lower_bound, expected.upper_bound)
    if command.startswith("audit classes") and "by" not in settings:
        assert figures["classes"] == [*expected.classes]
        assert figures["bounds"] == {n: [*of] for n, of in expected.bounds.items()}
    assert " exists; choose another --output" in run(f"{command} --output c", 2)[1]

    by = "--by year" if "by" in settings else ""
    verify = f"verify c.json --data {GIVEN} {by}"
    out, _ = run(verify)
    assert out.startswith(f"c.json: agrees with the data\n{expected.statement}\n")
    assert "- a.json: rows, drawn again from the seed" in out
    assert "- d.csv, column 'auto': 600 labels counted; SHA-256 digest" in out
    assert "- filled.csv, column 'label': 250 labels counted; SHA-256 digest" in out
    year = "- d.csv, column 'year': 2 segments counted; SHA-256 digest"
    assert (year in out) == bool(by)
    for column in ["auto", *["year"] * bool(by)]:
        data = pd.read_csv("d.csv", dtype=str)
        data.assign(**{column: np.roll(data[column], 1)}).to_csv("d.csv", index=False)
        _, err = run(verify, 1)
        assert f"problem: d.csv, column '{column}': its SHA-256 digest is not" in err
        data.to_csv("d.csv", index=False)
    fill_in("filled.csv", "b.csv", np.where(TRUTH == "007", "1e3", TRUTH))
    _, err = run(verify.replace("filled.csv", "b.csv"), 1)
    assert "problem: b.csv, column 'label': its SHA-256 digest is not the one" in err


def test_figures_of_segments(run):
    c = certify_labels(*audited(), by=YEAR).certificates["2023"]
    figures = json.loads(run(f"audit certify {GIVEN} --by year --json")[0])
    assert figures["segments"][0] == {
        "segment": "2023", "n_rows": c.stated[1], "n_audited": c.n_train,
        "n_wrong": c.n_train_errors, "lower_bound": 0, "upper_bound": c.stated[0],
        "lower": 0.0, "upper": pytest.approx(c.stated_bound),
    }  # fmt: skip


def limits():
    """Options with a limit that is just met, one that is not, and what is said of it."""
    low = certify_share(*audited(), of="007", delta=0.05).lower_bound
    high = certify_share(*audited(), of="1e3").upper_bound
    assert low % 3 == high % 3 == 0  # decimals of 600 rows are exact
    least, most = low / N_ROWS, high / N_ROWS
    what = f"{low} of 600 rows are fewer than --at-least"
    options = "share --of 007 --delta .05 --at-least "
    yield options, least, float(np.nextafter(least, 1)), what
    what = f"{high} of 600 rows are more than --at-most"
    yield "share --of 1e3 --at-most ", most, float(np.nextafter(most, 0)), what
    each = certify_labels(*audited(), by=YEAR).certificates
    name = max(each, key=lambda segment: each[segment].stated_bound)
    assert name == "2023"  # the other comes after it
    (count, n_rows), rate = each[name].stated, each[name].stated_bound
    what = f"{count} of {n_rows} rows of segment {name!r} are more than --at-most"
    yield "certify --by year --at-most ", rate + 1e-9, rate - 1e-9, what
    for by, segments in ("", {}), ("--by year ", {"by": YEAR}):
        table = class_report(*audited(), metrics=["recall"], **segments).to_frame()
        least = table["recall_lower_bound"].min()
        options = f"classes {by}--metrics recall --at-least recall="
        what = f" is at least {least} only.\n"
        yield options, least, float(np.nextafter(least, 1)), what


@pytest.mark.parametrize(
    ("rows", "right", "is_met"),
    [("others", True, False), ("audited", False, False), ("audited", True, True)],
)
def test_no_limit_is_met_where_a_segment_has_no_bounds(run, rows, right, is_met):
    drawn = audit().rows
    is_right = np.isin(np.arange(N_ROWS), drawn[(AUTO == TRUTH)[drawn]])
    candidates = {
        "others": np.setdiff1d(np.arange(N_ROWS), drawn),
        "audited": np.intersect1d(drawn, np.flatnonzero(is_right == right)),
    }[rows]
    by = np.full(N_ROWS, "rest", dtype=object)
    by[candidates[:3]] = "tiny"
    DATA.assign(by=by).to_csv("d.csv", index=False)
    classes = f"audit classes {GIVEN} --by by --metrics recall --at-least recall=.01"
    _, err = run(classes, 1 - is_met)
    n_audited = 3 * (rows == "audited")
    told = f"segment 'tiny', of which {n_audited} of 3 rows were audited, has no bounds"
    assert (told in err) == (not is_met)


def test_rates_are_compared_with_limits(run):
    for i, (command, met, unmet, message) in enumerate(limits()):
        name, _, options = command.partition(" ")
        assert run(f"audit {name} {GIVEN} {options}{met}")[1] == ""
        _, err = run(f"audit {name} {GIVEN} {options}{unmet} --output {i}", 1)
        assert err.startswith("not met: ")
        assert message in err
        assert Path(f"{i}.json").exists()


def test_finished_data_sets(run):
    finish = f"audit finish {GIVEN} --by year --confidence conf --target .1"
    out, _ = run(f"{finish} --output f")
    labels, drawing, answers = audited()
    options = {"target": 0.1, "by": YEAR}
    made = finish_labels(labels, DATA["conf"], drawing, answers, **options).certificate
    assert certificate("f.json") == made
    assert out.startswith(f"{made}\nOf 600 rows, 250 were audited, ")
    table = pd.read_csv("f-segments.csv", index_col="segment")
    n_automatic = [c.n_automatic for c in made.certificates.values()]
    assert table["n_automatic"].tolist() == n_automatic
    fill_in("f-rest.csv", "rest.csv")
    run(f"{finish} --rest rest.csv --output done")
    assert {c.n_left for c in certificate("done.json").certificates.values()} == {0}
    verify = "--audit a.json --answers filled.csv --confidence conf --by year"
    for name in ("f", "done"):
        out, _ = run(f"verify {name}.json --data {name}.csv {verify}")
        assert f"{name}.json: agrees with the data" in out
    figures = json.loads(run(f"{finish} --output g --json")[0])
    assert [line["segment"] for line in figures["segments"]] == ["2023", "2024"]


def test_differences(run):
    sheet = read("filled.csv")
    rows = sheet["row"].astype(int)
    sheet.assign(old_ok=GOOD[rows], new_ok="good").to_csv("filled.csv", index=False)
    both = GOOD[audit().rows], ["good"] * 250
    labelings = f"{LABELINGS} --first auto --second new"
    for command, expected in {
        labelings: certify_difference(AUTO, NEW, *audited()[1:]),
        f"{VERSIONS} --delta .2": certify_difference(
            *both, audit(), of="good", delta=0.2
        ),
    }.items():
        assert run(f"{command} --output c --force") == (f"{expected.statement}\n", "")
        assert certificate("c.json") == expected
        assert run("verify c.json", 3)[0].startswith("c.json: agrees with itself")
        _, err = run("verify c.json --data d.csv --labels auto", 2)
        what = "--data must be left out for this difference: compare in Python"
        assert err == f"error: {what}.\n"
    assert "truly 'good' for between" in expected.statement
    assert "'good' or 'bad' for between" in run(f"{VERSIONS} --of bad")[0]

    for options in ("--first auto", "--of good", "--first auto --second new --of good"):
        _, err = run(f"{LABELINGS} {options}", 2)
        assert err.startswith("error: Either --first and --second must name two")
    sheet = read("filled.csv")
    other = sheet["new_ok"].where(sheet.index > 3, "Good")
    sheet.assign(new_ok=other).to_csv("filled.csv", index=False)
    assert "filled.csv: second must be written as first" in run(VERSIONS, 2)[1]
    assert run(f"{VERSIONS} --fold")[1] == "note: --fold reads 'Good' as 'good'.\n"
    sheet.assign(new_ok=other.where(sheet.index > 0)).to_csv("filled.csv", index=False)
    assert "filled.csv must have labels of all 250 rows" in run(VERSIONS, 2)[1]


SHARE, CLASSES = f"audit share {GIVEN} --of 007", f"audit classes {GIVEN}"


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (f"audit share {GIVEN}", "the following arguments are required: --of"),
        (f"{SHARE} --of 007", "of must be a 1-dimensional array of different labels"),
        (f"{SHARE} --of true", "of must be written as labels, got 'true' differs"),
        (f"{SHARE} --of x", "of must be of classes that were given to some row, ['007'"),
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
        ("verify of.json --data d.csv --y auto", "must be left out for a certificate of"),
        (f"verify by.json --data {GIVEN}", "--data requires --by"),
        (f"verify one.json --data {GIVEN} --by year", "--by must be left out for a cert"),
        (f"{SHARE} --by other", "d.csv must have a column 'other'"),
        (f"{SHARE} --by part", "If it is the name of a segment, write it in another way"),
        # Of a column of answers, other rows have none.
        (f"{SHARE} --by ok", "--by ok: by must be segments, at least one with both audi"),
        (
            f"{SHARE} --by human --answer-column human",
            "--by must name a column that was made without the answers of people",
        ),
    ],
)
def test_bad_input_is_refused(run, command, message):
    if "verify" in command:
        run(f"{SHARE} --output of")
        run(f"audit certify {GIVEN} --output one")
        run(f"audit certify {GIVEN} --by year --output by")
    data = pd.read_csv("d.csv", dtype=str)
    data.loc[audit().rows, "ok"], data["part"] = "yes", "?"
    data.to_csv("d.csv", index=False)
    if "human" in command:
        sheet = read("filled.csv")
        sheet.assign(human=sheet["label"]).to_csv("filled.csv", index=False)
    out, err = run(command, 2)
    assert not out
    assert err.startswith("error: ")
    assert message in err
