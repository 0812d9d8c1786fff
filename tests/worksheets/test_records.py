"""Rows go to annotation tools as JSON, and labels come back by paths."""

import json

import numpy as np
import pandas as pd
import pytest

from sklearn_pacmdl.audits import draw_audit, finish_labels
from sklearn_pacmdl.worksheets import read_worksheet

AUDIT = draw_audit(200, 12, random_state=0)
TEXTS = pd.DataFrame({"text": [f"=Größe {i}" for i in range(200)]})
EXPECTED = np.where(AUDIT.rows % 2, "spam", "ham")


def of_label_studio(row, label):
    """As Label Studio 1.23 exports a task with two controls in any order."""
    regions = [
        {"from_name": name, "type": "choices", "value": {"choices": [choice]}}
        for name, choice in (("topic", label), ("sure", "yes"))
    ]
    result = regions[:: -1 if row % 2 else 1]
    annotation = {"completed_by": 1, "result": result, "was_cancelled": False}
    return {"id": 1, "data": {"row": row, "text": "a"}, "annotations": [annotation]}


def of_argilla(row, label):
    """As a record of Argilla 2.8 is exported."""
    responses = {"topic": [{"value": label, "user_id": "3ea2"}]}
    return {"id": str(row), "metadata": {"row": row}, "responses": responses}


def of_prodigy(row, label):
    """As the documentation of Prodigy describes an answer to a choice."""
    options = [{"id": "spam", "text": "spam"}, {"id": "ham", "text": "ham"}]
    answer = {"options": options, "accept": [label], "answer": "accept"}
    return {"row": row, "text": "a", **answer}


def written(path, records):
    lines = path.suffix == ".jsonl"
    texts = [json.dumps(record) for record in records]
    path.write_text("\n".join(texts) + "\n" if lines else f"[{','.join(texts)}]")
    return path


TOOLS = {
    "label-studio.json": (
        of_label_studio,
        "annotations.0.result.from_name=topic.value.choices.0",
        "data.row",
    ),
    "argilla.json": (of_argilla, "responses.topic.0.value", "metadata.row"),
    "prodigy.jsonl": (of_prodigy, "accept.0", "row"),
}


@pytest.mark.parametrize("name", TOOLS)
def test_labels_come_back_from_tools(tmp_path, name):
    record, column, row_column = TOOLS[name]
    pairs = [*zip(AUDIT.rows.tolist(), EXPECTED.tolist(), strict=True)]
    path = written(tmp_path / name, [record(*pair) for pair in reversed(pairs)])
    labels = AUDIT.read_labels(path, column, row_column=row_column)
    np.testing.assert_array_equal(labels, EXPECTED)


def test_what_annotators_took_back_is_no_answer(tmp_path):
    one, other = [*zip(AUDIT.rows.tolist()[:2], EXPECTED.tolist()[:2], strict=True)]
    rows = [one[0], other[0]]
    taken_back, again = of_label_studio(*one), of_label_studio(*one)
    taken_back["annotations"][0] |= {"was_cancelled": True}
    taken_back["annotations"] += again["annotations"]
    path = written(tmp_path / "a.json", [taken_back, of_label_studio(*other)])
    for item, first in {"0": None, "was_cancelled=false": one[1]}.items():
        column = f"annotations.{item}.result.from_name=topic.value.choices.0"
        read = read_worksheet(path, rows, column, row_column="data.row", partial=True)
        assert read.tolist() == [first, other[1]]
    records = [of_argilla(*one), of_argilla(*other)]
    for record, status in zip(records, ("draft", "submitted"), strict=True):
        record["responses"]["topic"][0]["status"] = status
    path = written(tmp_path / "b.json", records)
    for item in ("0", "status=submitted"):
        column = f"responses.topic.{item}.value"
        read = read_worksheet(path, rows, column, row_column="metadata.row", partial=True)
        assert read.tolist() == [None, other[1]]


@pytest.mark.parametrize("name", ["tasks.json", "tasks.jsonl"])
def test_rows_go_to_tools_as_they_are_and_without_labels(tmp_path, name):
    path = tmp_path / name
    AUDIT.to_frame(TEXTS, path)
    text = path.read_text(encoding="utf-8")
    records = json.loads(text) if path.suffix == ".json" else None
    records = records or [json.loads(line) for line in text.splitlines()]
    expected = [{"row": row, "text": f"=Größe {row}"} for row in AUDIT.rows.tolist()]
    assert records == expected
    AUDIT.to_frame(TEXTS, tmp_path / "a.xlsx")
    texts = pd.read_excel(tmp_path / "a.xlsx")["text"]
    assert texts.tolist() == [f"'=Größe {row}" for row in AUDIT.rows]
    # A tool may write into the same file.
    with pytest.raises(ValueError, match="may hold human labels"):
        AUDIT.to_frame(TEXTS, path)


def test_errors_name_the_line_of_a_file_of_lines(tmp_path):
    path = tmp_path / "tasks.jsonl"
    for line, what in ("{1}", "line 4 column 2"), ('{"a": 1, "a": 2}', "from line 4 on"):
        path.write_text(f'{{"row": 1}}\n\n{{"row": 2}}\n{line}\n')
        with pytest.raises(ValueError, match=what):
            AUDIT.read_labels(path)
    path = path.with_suffix(".json")
    path.write_text('[{"row": 1},\n{1}]')
    with pytest.raises(ValueError, match="line 2 column 2"):
        AUDIT.read_labels(path)


@pytest.mark.parametrize("cell", ['{"choices": ["spam", "ham"]}', '["spam"]'])
def test_cells_of_json_are_named(cell):
    sheet = AUDIT.to_frame().assign(label=cell)
    with pytest.raises(ValueError, match=r"got JSON: .*Export a JSON file .*join those"):
        AUDIT.read_labels(sheet)
    sheet["label"] = cell[:-1]  # a text that only begins like this
    assert {*AUDIT.read_labels(sheet)} == {cell[:-1]}


def test_csv_files_have_a_mark_where_spreadsheets_need_it(tmp_path):
    for texts, mark in (TEXTS, "\ufeff"), (pd.DataFrame({"text": ["a"] * 200}), ""):
        AUDIT.to_frame(texts, tmp_path / "a.csv")
        text = (tmp_path / "a.csv").read_text(encoding="utf-8")
        assert text.startswith(f"{mark}row,text,label\n")


def test_labels_of_a_part_come_back(tmp_path):
    truth = np.arange(500) % 2
    audit = draw_audit(500, 100, random_state=0)
    labels = np.where(np.arange(500) < 100, 0, truth)
    finished = finish_labels(
        labels, np.arange(500), audit, truth[audit.rows], target=0.05
    )
    first, *others = finished.to_annotators.tolist()
    records = [{"row": first, "label": int(truth[first])}]
    records += [{"row": row, "label": None} for row in others]
    found = finished.read_labels(written(tmp_path / "rest.json", records))
    assert found[0] == truth[first]
    assert np.all(found[1:] == -1)


@pytest.mark.parametrize(
    ("record", "column", "message"),
    [
        ({"accept": ["spam", "ham"]}, "accept.0", "lead to one value"),
        ({"accept": ["spam"]}, "accept", "lead to one value"),
        ({"a": [{"k": 1}, {"k": 1}]}, "a.k=1.k", "true of one item"),
        ({"label": "spam"}, "labels", "missing"),
        ({"label": "spam"}, "label.0", "missing"),
    ],
)
def test_what_is_not_one_value_is_refused(tmp_path, record, column, message):
    records = [{"row": row, **record} for row in AUDIT.rows.tolist()]
    with pytest.raises(ValueError, match=message):
        AUDIT.read_labels(written(tmp_path / "a.json", records), column)
