"""Batches that arrive one after the other, from the shell."""

import subprocess
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from sklearn_pacmdl.__main__ import main
from sklearn_pacmdl.audits import AuditSeries, draw_audit

N_ROWS = 800
DRAW = "series draw {0}.csv --labels auto --series s.json --batch {0} --output to-{0}"
CERTIFY = "series certify {0}.csv --labels auto --series s.json --batch {0} --answers "
CERTIFY += "to-{0}.csv"
PLAN = "--target .1 --delta .2 --batches 4 --expected-error .02 --seed"
STATUS = "series status --series s.json"


def batch(name, rate):
    """Write a batch; the right labels come back."""
    rng = np.random.RandomState(len(name))
    truth = rng.choice(["007", "8"], N_ROWS)
    auto = np.where(np.arange(N_ROWS) < rate * N_ROWS, "9", truth)
    data = pd.DataFrame({"text": [f"row {i}" for i in range(N_ROWS)], "auto": auto})
    data.to_csv(f"{name}.csv", index=False)
    return truth


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Run a command; code, output and errors come back."""
    monkeypatch.chdir(tmp_path)

    def call(command, *names, code=0):
        found = main(command.format(*names).split())
        out, err = capsys.readouterr()
        assert found == code, err
        return out, err

    yield call
    plt.close("all")


def fill_in(name, truth, n_rows=None):
    sheet = pd.read_csv(f"to-{name}.csv", dtype=str)
    sheet["label"] = truth[sheet["row"].astype(int)]
    sheet[:n_rows].to_csv(f"to-{name}.csv", index=False)


def series():
    return AuditSeries.from_json(Path("s.json").read_text(encoding="utf-8"))


def test_month_after_month(run):
    truth = batch("May", 0.02)
    out, _ = run(f"{DRAW} {PLAN} 1", "May")
    found = series()
    assert (found.target, found.delta, found.n_batches) == (0.1, 0.2, 4)
    audit = found.audits["May"]
    labels = pd.read_csv("May.csv", dtype=str)["auto"]
    assert (
        audit.rows.tolist()
        == draw_audit(
            N_ROWS, found.plan(N_ROWS, expected_error=0.02).n_labels, random_state=1
        ).rows.tolist()
    )
    assert out == (
        f"{audit.size} of 800 rows were drawn.\n"
        "Next, people fill in the column 'label' of to-May.csv. Each row needs a label, "
        "and none may be exchanged for another.\n"
        "Then run python -m sklearn_pacmdl series certify with --answers to-May.csv.\n"
    )
    assert [*pd.read_csv("to-May.csv").columns] == ["row", "text", "label"]
    assert "May: waiting" in run(STATUS, code=3)[0]
    fill_in("May", truth)
    out, _ = run(CERTIFY, "May")
    # The series of the file, and no other of the same seed, which has another date.
    certificate = found.certify("May", labels, truth[audit.rows])
    assert out == f"{certificate.statement}\n"
    assert series().certificates["May"] == certificate

    run("series skip --series s.json --batch June")
    only_skipped = AuditSeries(target=0.1)
    only_skipped.skip("May")
    Path("none.json").write_text(only_skipped.to_json())
    assert (
        "Nothing is certified yet" in run("series status --series none.json", code=3)[0]
    )
    truth = batch("July", 0.3)
    run(f"{DRAW} --size 100 --delta .2 --seed 2", "July")
    fill_in("July", truth)
    assert "With probability at least 95%" in run(CERTIFY, "July", code=1)[0]
    out, _ = run(f"{STATUS} --plot chart.png", code=1)
    assert out.startswith(str(series()))
    assert "before it come equally often has p = 0.00" in out
    assert Path("chart.png").stat().st_size > 10_000
    out, _ = run("verify s.json", code=3)
    alone = "s.json: agrees with itself; no data were compared"
    assert out.startswith(f"{alone}\nWith probability at least 80%")
    assert "- July: rows, drawn again from the seed" in out


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (f"{DRAW} --size 9", "name must be a text of 1 to 200"),
        (
            f"{DRAW} --size 9 --target .2",
            "--target must be 0.1, as it was planned in s.js",
        ),
        (
            f"{DRAW} --size 9 --batches 5",
            "--batches must be 4, as it was planned in s.js",
        ),
        (
            CERTIFY.replace("--batch {0}", "--batch x"),
            "--batch must be one of ['May'], got",
        ),
        (CERTIFY, "has no label yet"),
        (CERTIFY.replace("to-{0}.csv", "part.csv"), "labels of all"),
        ("series skip --series t.json --batch x", "t.json does not exist; draw with"),
        ("verify s.json --data {0}.csv --labels auto", "--data must be left out for a"),
    ],
)
def test_bad_input_leaves_the_file_as_it_is(run, command, message):
    truth = batch("May", 0.02)
    run(f"{DRAW} {PLAN} 1", "May")
    sheet = pd.read_csv("to-May.csv", dtype=str)
    sheet["label"] = truth[sheet["row"].astype(int)]
    sheet[:-1].to_csv("part.csv", index=False)
    before = Path("s.json").read_bytes()
    _, err = run(f"{command} --force" if "draw" in command else command, "May", code=2)
    assert message in err
    assert Path("s.json").read_bytes() == before
    assert pd.read_csv("to-May.csv")["label"].isna().all()


def test_a_worksheet_is_not_written_where_the_series_is(run):
    batch("May", 0.02)
    command = DRAW.replace("s.json", "s.csv").replace("to-{0}", "s")
    _, err = run(f"{command} {PLAN} 1", "May", code=2)
    assert err == "error: s.csv is to be read; choose another --output.\n"
    assert not Path("s.csv").exists()


def test_a_series_is_there_even_if_the_process_ends_while_files_are_replaced(run):
    """Nothing else has the seeds of its batches."""
    batch("May", 0.02)
    run(f"{DRAW} {PLAN} 1", "May")
    batch("June", 0.02)
    before = Path("s.json").read_bytes()
    code = (
        "import os, sys; from sklearn_pacmdl.__main__ import main\n"
        "replace = os.replace\n"
        "def once(*paths):\n    replace(*paths)\n    os._exit(9)\n"
        "os.replace = once\nmain(sys.argv[1:])"
    )
    command = f"{DRAW} --size 9".format("June").split()
    assert subprocess.run([sys.executable, "-c", code, *command]).returncode == 9
    assert Path("s.json").read_bytes() == before
    run(f"{DRAW} --size 9 --force", "June")
    assert [*series().states] == ["May", "June"]


def test_altered_files_are_refused(run):
    truth = batch("May", 0.02)
    run(f"{DRAW} {PLAN} 1", "May")
    fill_in("May", truth)
    text = Path("s.json").read_text(encoding="utf-8")
    Path("s.json").write_text(text.replace('"delta": 0.2', '"delta": 0.3'), "utf-8")
    for command in (CERTIFY, STATUS, "series skip --series s.json --batch June"):
        _, err = run(command, "May", code=2)
        assert "s.json: it must be as it was written, but digest is not that" in err
    assert "problem: digest is not that" in run("verify s.json", code=1)[1]


def test_a_file_that_another_run_has_changed_is_not_overwritten(run, monkeypatch):
    batch("May", 0.02)
    run(f"{DRAW} {PLAN} 1", "May")
    batch("June", 0.02)
    draw = AuditSeries.draw

    def draw_late(series, *args, **options):
        Path("s.json").write_text("another run", encoding="utf-8")
        return draw(series, *args, **options)

    monkeypatch.setattr(AuditSeries, "draw", draw_late)
    _, err = run(f"{DRAW} --size 9", "June", code=2)
    assert "s.json was changed by another run" in err
    assert Path("s.json").read_text(encoding="utf-8") == "another run"
    assert not Path("to-June.csv").exists()
