"""Labels of people in another file, whose lines have an id by --key."""

import re
import sys
from itertools import cycle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from commands import CERTIFY, DATA, FINISH, N_ROWS, TRUTH, audit, fill_in, read

KEY = "--key id"


def by_id(path, source="filled.csv", write=str, **columns):
    """What people made of a table: its ids in their writing, labels, and no rows."""
    sheet = read(source).assign(**columns)
    sheet.assign(id=sheet["id"].map(write))[["label", "id", *columns]].to_csv(
        path, index=False
    )


def test_ids_stand_for_rows_however_they_are_written(drawn):
    forms = cycle(["{}", "{}.0", "00{}", " {} ", "{},0", "+{}"])
    by_id("codes.csv", write=lambda name: next(forms).format(name))
    by_codes = f"{CERTIFY.replace('filled', 'codes')} {KEY}"
    assert drawn(f"{by_codes} --output c") == drawn(CERTIFY)
    verify = by_codes.replace("audit certify", "verify c.json --data")
    assert drawn(verify)[0].startswith("c.json: agrees with the data\n")


def test_texts_and_numbers_of_any_file_are_ids(drawn):
    ids = np.array([f"{i:04}" for i in range(N_ROWS)])
    expected = drawn(CERTIFY)
    table = DATA.assign(id=ids)
    rows = audit().rows
    sheet = pd.DataFrame({"id": rows.astype(float), "label": TRUTH[rows]})
    sheet.to_excel("codes.xlsx", index=False)
    sheet.to_parquet("codes.parquet")
    sheet.to_json("codes.jsonl", orient="records", lines=True)
    for data, codes in ("csv", "xlsx"), ("parquet", "parquet"), ("csv", "jsonl"):
        table.to_csv("d.csv", index=False)
        table.to_parquet("d.parquet")
        command = CERTIFY.replace("filled.csv", f"codes.{codes} {KEY}")
        assert drawn(command.replace("d.csv", f"d.{data}", 1)) == expected


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({0: "7"}, "codes.csv must hold ids that are in Column 'id' of d.csv, got 1 oth"),
        ({0: ""}, "must have an id in every line, but 1 have none: 1, without the hea"),
        ({0: "{1}.0"}, "must have each id once, where 007, 7 and 7.0 are the same, got"),
        ({0: "{other}"}, "source must not have rows that were not to be labeled"),
    ],
)
def test_ids_that_are_wrong_are_refused(drawn, change, message):
    by_id("codes.csv")
    codes = read("codes.csv")
    other = min({*range(N_ROWS)} - {*audit().rows.tolist()}) + 1000
    for place, text in change.items():
        codes.loc[place, "id"] = text.replace("{1}", codes["id"][1]).replace(
            "{other}", str(other)
        )
    codes.to_csv("codes.csv", index=False)
    _, err = drawn(f"{CERTIFY.replace('filled', 'codes')} {KEY}", 2)
    assert message in err


def test_missing_columns_and_labels_are_named_by_ids(drawn):
    by_id("codes.csv")
    command = CERTIFY.replace("filled", "codes")
    _, err = drawn(command, 2)
    assert "must have a column 'row', got ['label', 'id']. If it has ids, --key" in err
    assert "d.csv must have a column 'ID'" in drawn(f"{command} --key ID", 2)[1]
    _, err = drawn(f"{command} --key text", 2)
    assert "codes.csv must have a column 'text', got ['label', 'id']." in err
    codes = read("codes.csv")
    codes[1:].to_csv("codes.csv", index=False)
    _, err = drawn(f"{command} {KEY}", 2)
    assert f"those of 1 are missing: ['{codes['id'][0]}']." in err
    DATA.assign(id=1).to_csv("d.csv", index=False)
    _, err = drawn(f"{command} {KEY}", 2)
    assert "error: Column 'id' of d.csv must have each id once" in err


def test_other_columns_are_compared(drawn):
    by_id("codes.csv", text=read("filled.csv")["text"].sort_values().to_numpy())
    _, err = drawn(f"{CERTIFY.replace('filled', 'codes')} {KEY}", 2)
    assert "column 'text' of codes.csv must be that of d.csv in " in err


def test_what_is_left_comes_back_by_ids(drawn):
    by_id("codes.csv")
    finish = f"{FINISH.replace('filled', 'codes')} {KEY}"
    drawn(f"{finish} --output f")
    fill_in("f-rest.csv", "rest.csv")
    by_id("codes-rest.csv", "rest.csv")
    for name in ("rest", "codes-rest"):  # a table of ours also has the rows
        drawn(f"{finish} --rest {name}.csv --output {name}-done")
    assert read("rest-done.csv").equals(read("codes-rest-done.csv"))


def test_disagreements_are_settled_by_ids(drawn):
    by_id("ann.csv")
    by_id("ben.csv", write="{}.0".format)
    ben = read("ben.csv")
    ben.loc[3, "label"] = next(c for c in ("007", "1e3") if c != ben["label"][3])
    ben[::-1].to_csv("ben.csv", index=False)
    command = f"{CERTIFY.replace('filled.csv', 'ann.csv ben.csv')} {KEY}"
    _, err = drawn(command, 2)
    assert f"disagree on 1 row: ['{ben['id'][3].removesuffix('.0')}']." in err
    settle = re.search(r"(audit settle .*) --output NAME", err)[1]
    assert settle == "audit settle ann.csv ben.csv --key id"
    drawn(f"{settle} --output s")
    settled = read("s.csv")
    assert [*settled] == ["id", "answer_1", "answer_2", "label"]
    settled.assign(label=settled["answer_1"]).to_csv("s.csv", index=False)
    assert drawn(f"{command} --settled s.csv")[0].endswith(drawn(CERTIFY)[0])
    read("filled.csv").drop(columns="id").to_csv("filled.csv", index=False)
    _, err = drawn("audit settle ann.csv filled.csv --key id --output t", 2)
    assert "filled.csv must have a column 'id'" in err


def test_a_search_takes_labels_of_another_file(shell, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)  # a report takes a second
    rows = np.random.RandomState(0).permutation(N_ROWS)[:200]
    table = DATA.assign(y=pd.Series(TRUTH[rows], rows))
    table.to_csv("d.csv", index=False)
    codes = pd.DataFrame({"id": [f"0{row + 1000}" for row in rows], "y": TRUTH[rows]})
    codes.to_csv("codes.csv", index=False)
    certify = "certify d.csv --y y --columns auto --seed 0 --certify pac-mdl --output"
    out, _ = shell(f"{certify} here")
    table.drop(columns="y").to_csv("d.csv", index=False)
    there, _ = shell(f"{certify} there --answers codes.csv {KEY}")
    assert there.replace("there", "here") == out
    assert shell("verify there.json --data there.csv")[0].startswith("there.json: agr")
    _, err = shell(f"{certify} o {KEY}", 2)
    assert "--key must be given with --answers." in err


def test_samples_of_others_are_answered_in_another_file(drawn):
    sample = audit().rows
    by_id("codes.csv")
    rows = "audit rows d.csv --labels auto --source us --output s --key id"
    rows = f"{rows} --answers codes.csv --answered label"
    drawn(rows)
    assert audit("s.json").rows.tolist() == sorted(sample.tolist())
    assert read("s.csv")["label"].tolist() == TRUTH[audit("s.json").rows].tolist()
    codes = read("codes.csv")
    codes.loc[5, "label"] = ""
    codes.to_csv("codes.csv", index=False)
    rows = rows.replace("--output s", "--output t")
    _, err = drawn(rows, 2)
    what = "must have an answer in each row that was drawn, and in no other"
    assert f"Column 'label' of codes.csv {what}: ['{codes['id'][5]}']." in err
    _, err = drawn(rows.replace("--answered label", "--drawn id"), 2)
    assert "--answers and --key must be given with --answered." in err
    assert not Path("t.json").exists()
