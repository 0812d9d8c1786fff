"""Tables of rows for people: what they hold, and how labels come back."""

from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from sklearn_pacmdl.worksheets import (
    CsvFormat,
    as_table,
    as_worksheet,
    check_answers,
    check_rows,
    columns_of,
    is_for_records,
    listed,
    placed,
    read_file,
    read_worksheet,
    refuse_json,
    refuse_labels_of_people,
    split_answers,
    worksheet,
)

DATA = {"text": [*"abcdef"]}
ROWS = np.array([5, 0, 3])


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_columns_go_with_their_rows(frame):
    sheet = worksheet(ROWS, frame(DATA), answers={"Ann": [1, None, 2]})
    assert [*sheet.columns] == ["row", "text", "Ann", "label"]
    assert sheet["row"].tolist() == [5, 0, 3]
    assert sheet["text"].tolist() == ["f", "a", "d"]
    assert sheet["Ann"].tolist() == [1, None, 2]
    assert sheet["label"].isna().all()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"rows": [0, 0]}, "rows must be different indices"),
        ({"rows": [-1]}, "rows must be different indices"),
        ({"rows": [0.0]}, "rows must be different indices"),
        ({"rows": [6]}, "data must have all rows of the data set, got 6"),
        ({"rows": [6], "data": None, "n_rows": 6}, "rows must be indices of 6 rows"),
        ({"n_rows": 7}, "data must have all 7 rows of the data set, got 6"),
        ({"answers": {"text": [1]}}, "data must have no column called 'text'"),
        ({"answers": {"a": [1, 2]}}, "answers must be columns of 1 labels"),
        ({"answers": {"label": [1]}}, "answers must be columns of 1 labels"),
        ({"path": "a.ods"}, "path must be None or the name of a file that ends in"),
    ],
)
def test_what_is_no_worksheet(given, message):
    with pytest.raises(ValueError, match=message):
        worksheet(**{"rows": [0], "data": pd.DataFrame(DATA)} | given)


def test_labels_come_back_in_the_order_of_the_rows():
    sheet = worksheet(ROWS).assign(label=[7, 8, 9])
    assert read_worksheet(sheet, ROWS).tolist() == [7, 8, 9]
    assert read_worksheet(sheet[::-1], [0, 3, 5]).tolist() == [8, 9, 7]
    assert read_worksheet(sheet[:2], ROWS, partial=True).tolist() == [7, 8, -1]
    named = read_worksheet(sheet, ROWS, classes={7: "a", 8: "b", 9: "c"})
    assert named.tolist() == ["a", "b", "c"]
    with pytest.raises(ValueError, match="Labels of 1 row are missing"):
        read_worksheet(sheet[:2], ROWS)
    with pytest.raises(ValueError, match=r"must not have rows twice, got \[5\]"):
        read_worksheet(pd.concat([sheet, sheet[:1]]), ROWS)
    with pytest.raises(ValueError, match=r"not to be labeled, got \[1\]"):
        read_worksheet(sheet.assign(row=[5, 1, 3]), ROWS)


def test_labels_at_their_places():
    assert placed(np.array([7, 8]), [2, 0], 4).tolist() == [8, -1, 7, -1]
    assert placed(np.array(["a"]), [1], 2).tolist() == [None, "a"]
    labeled, values = split_answers(["a", None], np.array([4, 2]), "p")
    assert (labeled.tolist(), values.tolist()) == ([True, False], ["a"])
    assert check_answers(np.array([1, 0], np.uint8), np.arange(2), "p").dtype == np.int64
    with pytest.raises(ValueError, match=r"Labels of 1 row are missing: \[2\]"):
        check_answers(["a", None], np.array([4, 2]), "p")
    with pytest.raises(ValueError, match=r"p must be 2 labels, one for each row"):
        split_answers(["a"], np.array([4, 2]), "p")


def test_rows_are_counted_where_their_number_is_known():
    assert check_rows("p", [2, 0], 2).tolist() == [2, 0]
    with pytest.raises(ValueError, match="p must be None or 3 different indices of rows"):
        check_rows("p", [2, 0], 3)
    assert listed(np.arange(20)[::-1]) == "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, ...]"
    assert {*columns_of(pd.DataFrame({1: [0]}), "p")} == {"1"}
    with pytest.raises(ValueError, match="p must have each column once, but it has sev"):
        columns_of(pd.DataFrame([[1, 2]], columns=["1", 1]), "p")


@pytest.mark.parametrize("ending", ["csv", "tsv", "xlsx", "json", "jsonl"])
def test_files_are_read_as_they_were_written(tmp_path, ending):
    path = tmp_path / f"a.{ending}"
    table = pd.DataFrame({"row": ["1", "2"], "text": ['=1, "a"\nb; c', "Größe"]})
    with open(path, "w", encoding="utf-8", newline="") as file:
        as_table(path, table)(file)
    found, form = read_file(path, {"row"})
    assert found.to_dict("list") == table.to_dict("list")
    assert form.separator == ("\t" if ending == "tsv" else ",")
    assert is_for_records(path) == ending.startswith("json")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("separator", [*",;\t"])
@pytest.mark.filterwarnings("ignore:.*is read as Windows-1252")
def test_forms_of_other_countries(tmp_path, encoding, separator):
    path, line = tmp_path / "a.csv", separator.join
    text = "\n".join([line(["row", "größe"]), line(["1", "2"]), "", line(["3", ""]), ""])
    path.write_bytes(text.encode(encoding))
    table, form = read_file(path, {"row"})
    assert form == CsvFormat(separator, encoding, 2)
    assert table["row"].tolist() == ["1", "3"]
    assert table["größe"].isna().tolist() == [False, True]


def test_labels_of_people_are_not_overwritten(tmp_path):
    path = tmp_path / "a.csv"
    sheet = worksheet([0, 1], pd.DataFrame(DATA))

    def write(table):
        with open(path, "w", encoding="utf-8", newline="") as file:
            as_worksheet(Path(path), table)(file)

    refuse_labels_of_people(path, sheet.columns, "stay")  # there is no file
    write(sheet)
    refuse_labels_of_people(path, sheet.columns, "stay")
    for column in ("label", "notes of Ann"):
        write(sheet.assign(**{column: ["x", None]}))
        with pytest.raises(ValueError, match=f"in 1 rows of column '{column}', which st"):
            refuse_labels_of_people(path, sheet.columns, "stay")
    write(sheet.assign(label=["x", None]))
    text = path.read_text()
    for other in (
        text.replace("row,", "Row,"),
        text.replace("row,", "row ,"),
        f"Labels of Ann\n{text}",
        text.replace(",", "|"),
        text.split("\n", 1)[1],
        "PK\x03\x04\x14\0",
    ):
        path.write_text(other)
        with pytest.raises(ValueError, match="may hold human labels, which stay"):
            refuse_labels_of_people(path, sheet.columns, "stay")
    path.write_text("")
    refuse_labels_of_people(path, sheet.columns, "stay")


def test_json_is_no_label():
    refuse_json("p", ["{a", "[b]", 5], "Do so.")
    with pytest.raises(ValueError, match=r"p must hold labels, got JSON: .*Do so\."):
        refuse_json("p", ["a", '["b"]'], "Do so.")
