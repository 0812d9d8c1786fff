"""What a file of a spreadsheet is believed to say: lines, numbers, formulas."""

import datetime
import json
import re
from functools import partial
from zipfile import ZipFile

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_pacmdl.worksheets import (
    escaped,
    plain_texts,
    read_file,
    read_worksheet,
    row_numbers,
    worksheet,
)

COUNTED = [f"{row},plain,{row % 3}" for row in range(40)]


def with_marks(*lines):
    """A table in which cells of these lines begin with a quotation mark."""
    rows = [row.replace("plain", '"plain') if i in lines else row
            for i, row in enumerate(COUNTED)]  # fmt: skip
    return "\n".join(["row,text,label", *rows]) + "\n"


@pytest.mark.parametrize("lines", [(4, 20), (4, 5), (4,)])
def test_a_stray_quotation_mark_swallows_no_lines(tmp_path, lines):
    path, last = tmp_path / "a.csv", [*lines, 39][1]
    path.write_text(with_marks(*lines))
    message = f"a quotation mark in line 6 begins a cell up to line {last + 2}, which"
    with pytest.raises(ValueError, match=message):
        read_file(path)
    with pytest.raises(ValueError, match=message):
        read_worksheet(path, range(40))
    path.write_text(with_marks(*lines).replace(",", "\t"))
    with pytest.warns(UserWarning, match=r"a\.csv is read without quoted cells. Else, a"):
        table, _ = read_file(path)
    assert table["row"].tolist() == [*map(str, range(40))]
    assert table["text"][4] == '"plain'
    path.write_text('id,size\n1,"s\n2,3\n3,4"\n4,5\n')  # the mark ends a cell by chance
    with pytest.raises(ValueError, match="line 2 begins a cell up to line 4"):
        read_file(path)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_texts_of_several_lines_are_read(tmp_path, separator, end):
    texts = [f'He said:{end}"one, two;{end}three",{end}{end}four\t', f"a,b{end}c;d",
             '5" pipe', "plain"]  # fmt: skip
    frame = pd.DataFrame({"id": [*"wxyz"], "text": texts, "n": [*"1234"]})
    frame.to_csv(tmp_path / "a.csv", sep=separator, index=False)
    table, form = read_file(tmp_path / "a.csv", ["text"])
    assert table.to_dict("list") == frame.to_dict("list")
    assert form.separator == separator
    assert form.n_lines == 8
    (tmp_path / "a.csv").write_text('text\n"one\ntwo\nthree"\nfour\n')
    alone = read_file(tmp_path / "a.csv")[0]["text"].tolist()
    assert alone == ["one\ntwo\nthree", "four"]


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["208.0", "1", " 7 ", "8,00"], [208, 1, 7, 8]),
        (["5.000", "1500.000"], [5, 1500]),  # no separator of thousands is the last one
        ([3.0, 4], [3, 4]),
    ],
)
def test_rows_as_spreadsheets_write_them(cells, expected):
    assert row_numbers(np.array(cells, dtype=object), "Rows").tolist() == expected


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["1.001"], [1001]),
        (["1,000", "1,001", "7"], [1000, 1001, 7]),
        (["12.345.678", "1500"], [12345678, 1500]),
    ],
)
def test_separators_of_thousands_are_told(cells, expected):
    with pytest.warns(UserWarning, match="Rows is read with separators of thousands"):
        assert row_numbers(np.array(cells), "Rows").tolist() == expected


@pytest.mark.parametrize(
    ("cells", "got"),
    [
        (["1,000", "7"], "got '1,000', which may be 1 or 1000."),
        (["2.000"], "got '2.000', which may be 2 or 2000."),
        (["1,000", "1500"], "got '1,000', which may be 1 or 1000."),
        (["1,001", "2.0"], "as they were, got ['1,001']"),
        (["1.5"], "as they were, got ['1.5']"),
        (["9" * 20], "as they were, got ['999"),
    ],
)
def test_rows_that_may_be_others_are_refused(cells, got):
    with pytest.raises(ValueError, match=re.escape(got)):
        row_numbers(np.array(cells), "Rows")
    sheet = pd.DataFrame({"row": cells, "label": "a"})
    with pytest.raises(ValueError, match=re.escape(got)):
        read_worksheet(sheet, range(2000), partial=True)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("=1+1", "'=1+1"),
        ("'=1", "''=1"),
        (" @a", "' @a"),
        ("-5", "-5"),
        ("-a", "'-a"),
        ("'a", "'a"),
        ("x;=cmd|' /C calc'!A0", "x;'=cmd|' /C calc'!A0"),
        ("x, =1", "x,' =1"),
        ("x\n+1-a", "x\n'+1-a"),
        ("x;'=1", "x;''=1"),
        ("5;-3;+2,5", "5;-3;+2,5"),
        ("well, - he said\n- at 9", "well, - he said\n- at 9"),
    ],
)
def test_no_spreadsheet_computes_a_part_of_a_text(text, expected):
    assert escaped(text) == expected
    assert plain_texts(pd.DataFrame({"a": [expected]}))["a"].tolist() == [text]


@given(st.text(alphabet="a1 ';,\t\n=+-@|.", max_size=12))
def test_texts_come_back(text):
    assert plain_texts(pd.DataFrame({"a": [escaped(text)]}))["a"].tolist() == [text]


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".xlsx"])
def test_what_no_reader_takes_is_not_written(tmp_path, ending):
    with pytest.raises(ValueError, match=r"must hold no c.*got 'a\\x00b'"):
        worksheet([0], pd.DataFrame({"text": ["a\0b"]}), tmp_path / f"a{ending}")
    assert [*tmp_path.iterdir()] == []


def written(path, lines):
    book = openpyxl.Workbook()
    for line in lines:
        book.active.append(line)
    book.save(path)
    return path


def test_cells_of_a_workbook_keep_their_types(tmp_path):
    cells = [1, 2.0, 0.25, 1e17, "007", " a ", True, datetime.datetime(2024, 5, 1), None]
    path = written(tmp_path / "a.xlsx", [["row", "label"], *enumerate(cells)])
    labels = read_file(path)[0]["label"].tolist()
    assert labels == cells
    expected = [int, int, float, int, str, str, bool, datetime.datetime, type(None)]
    assert [*map(type, labels)] == expected


@pytest.mark.parametrize("cell", ["XFD1048576", "A1048576", "XFD2"])
def test_far_cells_take_no_memory(tmp_path, cell):
    book = openpyxl.Workbook()
    for column in range(100):
        book.active.cell(1, column + 1, f"c{column}")
    book.active[cell] = "far"
    book.save(tmp_path / "a.xlsx")
    message = (
        "each column must have a name" if cell == "XFD2" else "delete such far cells"
    )
    with pytest.raises(ValueError, match=message):
        read_file(tmp_path / "a.xlsx")


def test_formulas_without_a_value_are_refused_where_they_are_labels(tmp_path):
    lines = [["row", "label", "text"], [0, "=A1&A2", "a"], [1, "b", "=A1&A2"]]
    path = written(tmp_path / "a.xlsx", lines)
    with pytest.raises(ValueError, match=r"the formulas in B2 have no value yet: open"):
        read_worksheet(path, range(2))
    assert read_file(path, ["text2"])[0]["text"].tolist() == ["a", None]


def test_a_stored_value_of_a_formula_is_read(tmp_path):
    path = written(tmp_path / "a.xlsx", [["row", "label"], [0, "=X"], [1, "=Y"]])
    other = tmp_path / "b.xlsx"
    with ZipFile(path) as book, ZipFile(other, "w") as changed:
        for name in book.namelist():
            text = book.read(name)
            text = re.sub(rb'<c r="B2"><f>X</f><v ?/?>(</v>)?</c>',
                          b'<c r="B2" t="str"><f>X</f><v>spam</v></c>', text)  # fmt: skip
            text = re.sub(rb'<c r="B3"><f>Y</f><v ?/?>(</v>)?</c>',
                          b'<c r="B3" t="str"><f>Y</f><v></v></c>', text)  # fmt: skip
            changed.writestr(name, text)
    labels = read_worksheet(other, range(2), partial=True)
    assert labels.tolist() == ["spam", None]


def test_no_address_is_fetched(tmp_path):
    with pytest.raises(ValueError, match="No such file"):
        read_worksheet("http://127.0.0.1:9/a.xlsx", [0])


@pytest.mark.parametrize("ending", [".csv", ".xlsx", ".jsonl"])
def test_labels_come_back_as_they_were_written(tmp_path, ending):
    labels = ["007", "7", " 7", "7 ", "1e17", "True", "a b ", "\u00fc"]
    frame = pd.DataFrame({"row": range(len(labels)), "label": labels})
    path = tmp_path / f"a{ending}"
    if ending == ".xlsx":
        frame.to_excel(path, index=False)
    elif ending == ".csv":
        frame.to_csv(path, index=False)
    else:
        frame.to_json(path, orient="records", lines=True)
    read = read_worksheet(path, range(len(labels)), dtype=str)
    assert read.tolist() == labels


@pytest.mark.parametrize(
    ("text", "names", "expected"),
    [
        ("a;b,c\n1;2,3\n", (), ","),  # the comma, where both make a table
        ("a;b,c\n1;2,3\n", ["a"], ";"),
        ("a;b,c\n1;2\n3;4,5,6\n", (), ";"),
        ("a\tb;c\n1,2\t3\n", ["a"], "\t"),
        ('a; b; c,d\n"0, 0\n1",x\n', (), ","),
        ("a, b\tc\nd\te\n", (), "\t"),
        ("a\n1;2\n", (), ","),
    ],
)
def test_the_separator_finds_the_columns_and_makes_lines_equal(
    tmp_path, text, names, expected
):
    (tmp_path / "a.csv").write_text(text)
    assert read_file(tmp_path / "a.csv", names)[1].separator == expected


READERS = {
    "csv": partial(pd.read_csv, dtype=str),
    "xlsx": partial(pd.read_excel, dtype=object),
    "jsonl": lambda path: pd.DataFrame(
        [*map(json.loads, path.read_text().splitlines())], dtype=object
    ),
    "json": lambda path: pd.DataFrame(json.loads(path.read_text()), dtype=object),
}
LONG = pd.DataFrame({"id": [123456789012345678, 7], "x": [0.12345678901234568, 0.5]})


@pytest.mark.parametrize("kind", READERS)
def test_numbers_keep_their_digits(kind, tmp_path):
    frames = {"pandas": LONG, "gaps": LONG.astype({"id": "Int64"}), "arrow": None}
    frames["gaps"].loc[2] = [pd.NA, 0.25]
    frames["arrow"] = pa.Table.from_pandas(frames["gaps"])
    for name, frame in frames.items():
        path = tmp_path / f"{name}.{kind}"
        worksheet([0, 1], frame, path)
        cells = READERS[kind](path).set_index("row")[["id", "x"]].map(str)
        expected = [["123456789012345678", "0.12345678901234568"], ["7", "0.5"]]
        assert cells.to_numpy().tolist() == expected


def test_zeros_of_codes_in_a_file_are_kept_on_demand(tmp_path):
    (tmp_path / "a.csv").write_text("row,label\n0,007\n1,7\n")
    assert read_worksheet(tmp_path / "a.csv", [0, 1], dtype=str).tolist() == ["007", "7"]
    assert read_worksheet(tmp_path / "a.csv", [0, 1]).tolist() == [7, 7]
