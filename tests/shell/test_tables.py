"""Tables that commands read, whatever program has written them."""

import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from commands import CERTIFY, DATA, FINISH, N_ROWS, TRUTH, audit, fill_in, read


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


def test_parquet_without_pyarrow_names_the_extra(drawn, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    draw = "audit draw d.parquet --size 5 --output new"
    for command in (f"{FINISH} --output new.parquet", draw):
        assert "'sklearn-pacmdl[engines]'" in drawn(command, 2)[1]
    assert not Path("new.json").exists()


@pytest.mark.parametrize("dtype", [str, "category"])
def test_parquet(drawn, dtype):
    DATA.astype({"auto": dtype}).to_parquet("d.parquet")
    sheet = read("filled.csv").astype({"row": int})
    sheet.set_index("row").to_parquet("filled.parquet")
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
    assert f" 0 of the {50 - int(np.sum(audit().rows % 9 == 0)) * gap} audited" in out
    assert err == ""


def test_what_a_spreadsheet_adds_does_no_harm(drawn):
    expected, _ = drawn(CERTIFY)
    text = read("filled.csv").to_csv(index=False) + ",,,\n,,,\n"
    with open("filled.csv", "w", encoding="utf-8-sig") as file:
        file.write(text)
    assert drawn(CERTIFY) == (expected, "")


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
