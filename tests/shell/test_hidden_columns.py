"""Annotators do not see columns that tell the automatic labels."""

import json
import re

import numpy as np
import pandas as pd
import pytest

N_ROWS = 1000
RNG = np.random.RandomState(0)
AUTO = RNG.choice(["ham", "spam", "eggs"], N_ROWS, p=[0.6, 0.3, 0.1])
TEXTS = [f"message {i}" for i in range(N_ROWS)]
ANSWERS = [{"label": name, "score": i / 1000} for i, name in enumerate(AUTO.tolist())]
DRAW = "audit draw {} --size 20 --labels auto --seed 0 --force --output a"


def hidden(run, data, path="d.csv", draw=DRAW):
    """Columns that a drawing hides, which are named and not in the worksheet."""
    getattr(data, "to_parquet" if path.endswith("parquet") else "to_csv")(
        path, index=False
    )
    _, err = run(draw.format(path))
    told = re.search(r"annotators do not see columns .* the labels: (.*?)\. ", err)
    names = re.findall("'(.*?)'", told[1]) if told else []
    shown = pd.read_csv("a.csv").columns
    assert {*shown} == {*data.columns, "row", "label"} - {*names, "auto", "sure"}
    assert "--columns chooses what they see" in err or not names
    return names


def codes(wrong=0):
    """One-to-one codes of the labels, but for some rows."""
    number = pd.Series(AUTO).map({"ham": 0, "spam": 1, "eggs": 7}).to_numpy(copy=True)
    number[:wrong] = (number[:wrong] + 1) % 8
    return number


def table(**columns):
    return pd.DataFrame({"text": TEXTS, "auto": AUTO, **columns})


@pytest.mark.parametrize("path", ["d.csv", "d.parquet"])
def test_copies_and_codes_are_hidden(shell, path):
    data = table(
        copy=AUTO,
        gpt_label=np.char.upper(AUTO),
        code=codes(),
        nearly=codes(wrong=40),
        blank_if_ham=np.where(AUTO == "ham", None, AUTO),
        sentence=np.char.add("The class is ", AUTO),
    )
    expected = ["copy", "gpt_label", "code", "nearly", "blank_if_ham", "sentence"]
    assert hidden(shell, data, path) == expected


def test_what_the_classes_explain_is_shown(shell):
    mostly = np.where(np.arange(N_ROWS) % 50, "ham", "spam")  # 98% are ham
    data = table(
        auto=mostly,
        constant=np.full(N_ROWS, "x"),
        language=RNG.choice(["en", "de", "fr"], N_ROWS),
        day=np.arange(N_ROWS) // 20,
    )
    assert hidden(shell, data) == []
    assert hidden(shell, data.assign(copy=mostly)) == ["copy"]
    almost = np.where(np.arange(N_ROWS) % 100, mostly, "ham")  # half of the 2% is missed
    assert hidden(shell, data.assign(almost=almost)) == ["almost"]
    fewer = np.where(np.arange(N_ROWS) % 150, "ham", "spam")
    assert hidden(shell, data.assign(fewer=fewer)) == []


INTENTS = RNG.randint(77, size=N_ROWS)
CASES = {
    "finer codes": (
        table(finer=np.char.add(AUTO, RNG.randint(10, size=N_ROWS).astype(str))),
        ["finer"],
    ),
    "very many labels": (
        table(auto=INTENTS, intent=[f"intent {i}" for i in INTENTS]),
        ["intent"],
    ),
    "rows without a label": (
        table(auto=np.where(np.arange(N_ROWS) % 4, None, AUTO), copy=AUTO, text2=TEXTS),
        ["copy"],
    ),
    "fewer than 95 of 100 labels": (
        table(nearly=codes(wrong=100), sender=RNG.choice(["x", "y"], N_ROWS)),
        [],
    ),
    "all labels alike": (table(auto="ham", few=np.arange(N_ROWS) % 4), []),
    "a few rows that all differ": (table(day=np.arange(N_ROWS) // 2)[:40], []),
    "very nested cells and very many keys": (
        table(
            deep="[" * 2000,
            closed="[" * 500 + "]" * 500,
            keys=[json.dumps({f"key {i}": 1}) for i in range(N_ROWS)],
        ),
        [],
    ),
}


@pytest.mark.parametrize(("data", "expected"), CASES.values(), ids=CASES)
def test_columns_that_tell_the_labels_are_hidden(shell, data, expected):
    assert hidden(shell, data) == expected


@pytest.mark.parametrize("write", [json.dumps, str])
def test_labels_in_json_are_hidden(shell, write):
    data = table(
        answer=[write(answer) for answer in ANSWERS],
        several=[write([answer, {"label": "none"}]) for answer in ANSWERS],
        deep=[write({"id": i, "by": {"gpt": a}}) for i, a in enumerate(ANSWERS)],
        list=[write([label, str(i)]) for i, label in enumerate(AUTO.tolist())],
        source=[write({"id": i, "from": f"user {i}"}) for i in range(N_ROWS)],
        some=[write([i] * (label == "spam")) for i, label in enumerate(AUTO.tolist())],
        draft=["[draft] " + text for text in TEXTS],
    )
    assert hidden(shell, data) == ["answer", "several", "deep", "list"]


def test_labels_in_columns_of_structs_and_lists_are_hidden(shell):
    data = table(
        answer=ANSWERS,
        several=[[answer] for answer in ANSWERS],
        words=[[f"word {i}", f"word {i + 1}"] for i in range(N_ROWS)],
        embedding=[*RNG.normal(size=(N_ROWS, 8))],
    )
    assert hidden(shell, data, "d.parquet") == ["answer", "several"]


def test_what_is_left_to_people_does_not_have_them_either(shell):
    table(copy=AUTO, sure=np.arange(N_ROWS)).to_csv("d.csv", index=False)
    shell("audit draw d.csv --size 200 --labels auto --confidence sure --output a")
    sheet = pd.read_csv("a.csv")
    truth = np.where(sheet["row"] < 300, "eggs", AUTO[sheet["row"]])
    sheet.assign(label=truth).to_csv("a.csv", index=False)
    _, err = shell("audit finish d.csv --labels auto --confidence sure --audit a.json "
                   "--answers a.csv --target .1 --output done")  # fmt: skip
    assert "or tell the labels: 'copy'. --columns chooses" in err
    assert [*pd.read_csv("done-rest.csv")] == ["row", "text", "label"]
