"""Data as they are: within records, in folders, and with labels in another file."""

import json
import re
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from commands import CERTIFY, DATA, FINISH, N_ROWS, TRUTH, audit, fill_in

DRAW = "audit draw d.csv --size 250 --labels auto --confidence conf --seed 1 --output a"
WHERE = {"auto": "judge.verdict", "conf": "judge.sure", "id": "meta.id"}


def records(**more):
    """The data as records within records."""
    lines = [
        {
            "judge": {"verdict": auto, "sure": sure},
            "meta": {"id": str(name), "part": name % 2, "group": name % 20},
            "text": text,
            **{name: {"x": values[i]} for name, values in more.items()},
        }
        for i, (name, text, auto, sure) in enumerate(DATA.to_numpy().tolist())
    ]
    Path("d.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")


def within(command):
    for name, path in WHERE.items():
        command = re.sub(rf"(?<= ){name}(?= |$)", path, command)
    return command.replace(" d.csv", " d.jsonl")


@pytest.fixture
def within_records(shell):
    records()
    shell(f"{within(DRAW)} --columns meta.id,text")
    fill_in("a.csv", "filled.csv")
    return lambda command: shell(within(command))


def test_labels_and_confidences_within_records(within_records):
    within_records(f"{CERTIFY} --output c")
    verify = CERTIFY.replace("audit certify", "verify c.json --data")
    assert "d.jsonl, column 'meta.id': SHA-256 digest" in within_records(verify)[0]
    share = CERTIFY.replace("certify", "share --of 007 --by meta.part")
    assert "in each of 2 segments" in within_records(share)[0]
    within_records(f"{FINISH} --output f.jsonl --columns text")
    found = pd.read_json("f.jsonl", lines=True, dtype=False, precise_float=True)
    assert found["judge.sure"].tolist() == DATA["conf"].tolist()


def test_audits_know_columns_within_records(within_records):
    verify = "verify a.json --data d.csv --labels auto --confidence conf"
    assert "d.jsonl, column 'meta.id': SHA-256 digest" in within_records(verify)[0]
    again = DRAW.replace("--size 250", "--size 9").replace("--seed 1", "--seed 2")
    again = f"{again}2 --columns text --exclude a.json"
    assert "nothing tells" not in within_records(again)[1]
    fill_in("a2.csv", "filled2.csv")
    plan = "audit plan d.csv --confidence conf --budget 200 --labels auto"
    plan = f"{plan} --pilot a2.json --answers filled2.csv"
    assert "--confidence judge.sure" in within_records(plan)[0]


def test_strata_groups_and_samples_within_records(shell, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)  # a report takes a second
    is_drawn = np.arange(N_ROWS) % 7 < 1
    records(
        drawn=[*map(int, is_drawn)],
        answer=np.where(is_drawn, TRUTH, None).tolist(),
        k=[str(i % 4) for i in range(N_ROWS)],
    )
    draw = within("audit draw d.csv --labels auto --columns text --size 9 --output")
    shell(f"{draw}=groups --groups meta.group")
    assert audit("groups.json").size == 9 * 30
    shell(f"{draw}=strata --strata meta.part".replace("--size 9", "--size 40"))
    assert audit("strata.json").size == 40
    rows = f"{draw.replace('draw', 'rows').replace('--size 9', '--source us')}=rows"
    shell(f"{rows} --drawn drawn.x --answered answer.x")
    assert audit("rows.json").rows.tolist() == np.flatnonzero(is_drawn).tolist()
    certify = "certify d.jsonl --y answer.x --columns judge.verdict,k.x --seed 0"
    shell(f"{certify} --certify pac-mdl --output o.json")


def folder(name, *parts):
    Path(name).mkdir()
    for at, part in enumerate(parts):
        part.to_parquet(f"{name}/part-{at}.parquet", index=False)
    Path(name, "_SUCCESS").touch()


def test_a_folder_of_parquet_files_is_one_table(shell):
    DATA.to_parquet("d.parquet", index=False)
    folder("d", DATA[:250], DATA[250:251], DATA[251:])
    for data in ("d.parquet", "d"):
        name = data.replace(".", "_")
        shell(f"{DRAW.replace('d.csv', data)}_{name} --columns id,text")
    of_folder, of_file = audit("a_d.json"), audit("a_d_parquet.json")
    assert of_folder.fingerprints == of_file.fingerprints
    assert of_folder.columns == of_file.columns
    fill_in("a_d.csv", "filled.csv")
    finish = FINISH.replace(" d.csv", " d").replace("a.json", "a_d.json")
    shell(f"{finish} --output f.parquet")
    verify = "verify f.json --data f.parquet --confidence conf --audit a_d.json"
    assert "agrees" in shell(f"{verify} --answers filled.csv")[0]
    size = "audit size {} --target 0.05 --expected-error 0"
    of_rows = shell(size.format(N_ROWS))[0].partition("Then")[0]
    assert shell(size.format("d"))[0].startswith(of_rows)
    _, err = shell(finish.replace("--target", "--output d/f.parquet --target"), 2)
    assert err.startswith("error: d/f.parquet is to be read; choose another --output.")


def test_folders_that_are_no_table_are_refused(shell):
    Path("e").mkdir()
    look = "look {}"
    assert "e must be a file, or a folder of files .parquet." in shell("look e", 2)[1]
    for name, part, what in (
        ("f", DATA.assign(id="x"), "column 'id' must be that of f/part-0.parquet, int64"),
        ("g", DATA[["id", "text", "auto"]], "'conf' must be that of g/part-0.parquet, d"),
        ("h", DATA.assign(more=1), "'more' must be that of h/part-0.parquet, no column"),
    ):
        folder(name, DATA, part)
        _, err = shell(look.format(name), 2)
        assert f"{name}/part-1.parquet must be a table that can be read: column " in err
        assert what in err


def test_no_column_is_read_that_is_not_named(shell, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)  # a report takes a second
    DATA.assign(y=np.where(np.arange(N_ROWS) % 3, None, TRUTH)).to_parquet("d.parquet")
    whole, columns = bytearray(Path("d.parquet").read_bytes()), {}
    for at in range(len(DATA.columns) + 1):
        of = pq.read_metadata("d.parquet").row_group(0).column(at)
        start = of.dictionary_page_offset or of.data_page_offset
        columns[of.path_in_schema] = slice(start, start + of.total_compressed_size)
    certify = "certify d.parquet --y y --columns aut* --seed 0 --output o --force"
    for names, code in (("id", "text", "conf"), 0), (("y", "auto"), 2):
        for name in names:
            whole[columns[name]] = bytes(len(whole[columns[name]]))
        Path("d.parquet").write_bytes(whole)
        shell(certify, code)
        shell("audit size d.parquet --target 0.05 --expected-error 0")


def test_lists_in_cells_are_compared_as_texts(shell):
    vectors = [np.array([i, 0.5]) for i in range(N_ROWS)]
    DATA.assign(vector=vectors, conf=1).to_parquet("d.parquet")
    shell(f"{DRAW.replace('d.csv', 'd.parquet')} --columns text,vector")
    fill_in("a.csv", "filled.csv")
    _, err = shell(CERTIFY.replace(" d.csv", " d.parquet"))
    assert err == ""
