"""Files that commands write: whole or not at all, and never over human labels."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from commands import CERTIFY, DATA, FINISH, fill_in, finish, outputs, read

from sklearn_pacmdl.audits import FinishedCertificate


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
        notes = ["", "x", "y"] + [""] * (len(sheet) - 3)
        sheet.assign(**{name: notes}).to_csv("f-rest.csv", index=False)
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
