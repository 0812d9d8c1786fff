"""Files that commands write: whole or not at all, and never over human labels."""

import os
from pathlib import Path

import pandas as pd
import pytest
from commands import CERTIFY, DATA, FINISH, fill_in, read

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
    sheet.to_csv("f-rest.csv", index=False)
    drawn(command)
    # People may fill in the table of all rows instead.
    table = read("f.csv")
    table.loc[table["source"] == "", "label"] = "007"
    table.to_csv("f.csv", index=False)
    n_left = len(read("f-rest.csv"))
    assert f"f.csv has human labels in {n_left} rows" in drawn(command, 2)[1]
    # Columns of the user, called as ours are, do not hide any.
    for name in ("source", "automatic_label"):
        DATA.assign(**{name: "web"}).to_csv("d.csv", index=False)
        draw = "audit draw d.csv --size 10 --labels auto --seed 1 --force --output"
        for _ in range(2):
            drawn(f"{draw} {name}")  # nobody has labeled a row
        fill_in(f"{name}.csv", f"{name}.csv")
        _, err = drawn(f"{draw} {name}", 2)
        assert "in 10 rows of column 'label'" in err


BY = "--by year --output c"
TABLES = [
    f"{CERTIFY} {BY}",
    f"{CERTIFY} --sides 2 --annotator-errors 1 {BY}.xlsx",
    *(f"{CERTIFY} --of 007 --output c".replace("certify", "share"), f"{FINISH} {BY}"),
    f"{CERTIFY} --of 007 {BY}.jsonl".replace("certify", "share"),
    f"{CERTIFY} {BY}".replace("certify", "classes"),
    f"{CERTIFY} --metrics total macro_error {BY}".replace("certify", "classes"),
    "audit plan d.csv --confidence conf --budget 60 --output c",
]


@pytest.mark.parametrize("separator", [",", ";"])
@pytest.mark.parametrize("command", TABLES)
def test_tables_of_bounds_are_overwritten(drawn, command, separator):
    data = DATA.assign(year=[f"{i % 2}" for i in range(len(DATA))])
    data.to_csv("d.csv", index=False, sep=separator)
    drawn(command)
    drawn(f"{command} --force")


def test_what_people_write_into_tables_of_bounds_is_kept(drawn):
    DATA.assign(year="2024").to_csv("d.csv", index=False)
    command = f"{FINISH} --by year --output f --force"
    drawn(command)
    read("f-segments.csv").assign(label="x").to_csv("f-segments.csv", index=False)
    assert drawn(command, 2)[1] == (
        "error: f-segments.csv may hold human labels, which --force does not overwrite; "
        "choose another --output.\n"
    )
    pd.DataFrame({"class": ["a"], "n_rows": [""]}).to_csv("c.csv", index=False)
    share = f"{CERTIFY} --of 007 --output c --force".replace("certify", "share")
    assert "c.csv may hold human labels" in drawn(share, 2)[1]


def test_a_certificate_is_away_while_its_tables_are_replaced(drawn, monkeypatch):
    """The last of the files that are written; tests of the room utils kill writers."""
    replaced, replace = [], os.replace

    def record(source, target):
        replaced.append(Path(target).name)
        replace(source, target)

    monkeypatch.setattr(os, "replace", record)
    drawn(f"{FINISH} --output f")
    assert [n for n in replaced if "tmp" not in n] == ["f.csv", "f-rest.csv", "f.json"]
    replaced.clear()
    drawn(f"{CERTIFY.replace('certify', 'share')} --of 007 --output c")
    assert [name for name in replaced if "tmp" not in name] == ["c.csv", "c.json"]


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
