"""What `look` tells of a file, and that the commands it prints run."""

import json
import re
import shlex
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sklearn_pacmdl.__main__ import main

N_ROWS = 400
RNG = np.random.RandomState(0)
TRUTH = RNG.choice(["Rechnung", "Lieferung", "Versand"], N_ROWS)
SURE = RNG.uniform(size=N_ROWS)
MODEL = np.where(RNG.uniform(size=N_ROWS) < SURE, TRUTH, RNG.permutation(TRUTH))
LABELED = RNG.permutation(N_ROWS) < 120
HUMAN = np.where(LABELED, TRUTH, "")
TEXTS = [f"Guten Tag, Nr. {i}" for i in range(N_ROWS)]


def german(**columns):
    """A table as Excel in German writes it."""
    table = pd.DataFrame(
        {
            "Nr": [f"T{i}" for i in range(N_ROWS)],
            "Datum": [f"{1 + i % 28:02}.03.2026" for i in range(N_ROWS)],
            "Text": TEXTS,
            "Eilt": np.where(np.arange(N_ROWS) % 7, "FALSCH", "WAHR"),
            "Automat": MODEL,
            "Konfidenz": [f"{sure:.4f}".replace(".", ",") for sure in SURE],
            "Mensch (geprüft)": HUMAN,
            **columns,
        }
    )
    table.to_csv("d.csv", sep=";", index=False, encoding="utf-8-sig")


def clusterings(**columns):
    ten = {f"k{k}": RNG.randint(k, size=N_ROWS) for k in range(2, 12)}
    pd.DataFrame({"cell": TEXTS, **ten, **columns}).to_csv("d.csv", index=False)


def records():
    """Answers of a judge, in records of which some are within others."""
    with open("d.jsonl", "w", encoding="utf-8") as file:
        for i in range(N_ROWS):
            judge = {"verdict": MODEL[i], "score": SURE[i], "why": f"since {i} is so"}
            turns = [{"role": "user", "content": TEXTS[i]}, {"role": "bot"}]
            meta = {"model": "x-1", "asked": TEXTS[i]}
            answer = {"id": i, "turns": turns, "judge": judge, "meta": meta}
            file.write(json.dumps(answer) + "\n")


@pytest.fixture
def run(shell, monkeypatch):
    """Commands, without the report of a search, which takes a second."""
    monkeypatch.setitem(sys.modules, "jinja2", None)
    return shell


def kinds(out):
    """Kinds of columns, by name."""
    table = out.split("\n\n")[1]
    return dict(re.findall(r"^  (\S.*?)  +(\S.*?)(?:  .*)?$", table, re.M))


def fill_in(path):
    """What people do with a table; some copy their labels into that of all rows."""
    sep = ";" if ";" in Path(path).read_text("utf-8-sig") else ","
    sheet = pd.read_csv(path, sep=sep, dtype=str)
    rows = sheet["row"].astype(int)
    sheet.assign(label=TRUTH[rows]).to_csv(path, sep=sep, index=False)
    if path == "rows.csv":
        table = pd.read_csv("d.csv", sep=sep, dtype=str)
        table.loc[rows, "human"] = TRUTH[rows]
        table.to_csv("d.csv", sep=sep, index=False)


def run_all(out):
    """Run the commands that were printed, one after another; these are their names."""
    names = []
    for command in re.findall(r"^    python -m sklearn_pacmdl (.*)$", out, re.M):
        words = shlex.split(command)
        assert main(words) in (0, 1), command
        if "draw" in words:
            fill_in(f"{words[-1]}.csv")
        names.append(" ".join(words[: 1 + (words[0] == "audit")]))
    return names


AUDIT = [f"audit {name}" for name in ("certify", "share", "classes", "finish")]


def test_a_german_table(run):
    german()
    out, _ = run("look d.csv")
    assert out.startswith("d.csv: 400 rows, 7 columns. Cells are separated by semicolons")
    assert kinds(out) == {
        "Nr": "ids",
        "Datum": "dates",
        "Text": "text",
        "Eilt": "automatic labels",
        "Automat": "automatic labels",
        "Konfidenz": "confidences",
        "Mensch (geprüft)": "human labels",
    }
    assert "nothing against a uniformly random choice of the 120 labeled rows" in out
    assert "certify d.csv --y 'Mensch (geprüft)' --columns Automat,Eilt " in out
    assert [path.name for path in Path().iterdir()] == ["d.csv"]
    assert run_all(out) == ["audit rows", *AUDIT, "certify"]


def test_answers_of_a_judge_within_records(run):
    records()
    out, _ = run("look d.jsonl")
    assert kinds(out) == {
        "id": "ids",
        "turns": "lists or records",
        "judge.verdict": "automatic labels",
        "judge.score": "confidences",
        "judge.why": "text",
        "meta.model": "one value",
        "meta.asked": "text",
    }
    assert "--confidence judge.score --columns id,meta.asked --output" in out
    assert run_all(out) == ["audit draw", *AUDIT]
    audited = "d.jsonl --labels judge.verdict --audit check.json --answers check.csv"
    run(f"audit certify {audited} --output done")
    out, _ = run(f"verify done.json --data {audited}")
    assert "d.jsonl, column 'meta.asked': SHA-256 digest" in out


def test_labels_of_several_models_and_clusterings_are_one_list(run):
    german(Zweite=RNG.permutation(TRUTH))
    out, _ = run("look d.csv")
    assert "--columns Automat,Zweite,Eilt --seed" in out
    assert "--answered" not in out  # else people would certify one, look, and try another
    assert "audit" not in out
    clusterings()
    assert run_all(run("look d.csv")[0]) == ["audit draw", "certify"]
    clusterings(human=HUMAN)
    out, _ = run("look d.csv")
    every = ",".join(f"k{k}" for k in range(2, 12))
    assert f"certify d.csv --y human --columns {every} --seed" in out


def test_ids_groups_copies_and_what_tells_the_labeled_rows(run):
    clusterings(
        doc=np.repeat(np.arange(100) + 7, 4),
        k4_named=0,
        human=HUMAN,
        done=np.where(LABELED, "yes", "no"),
        note=np.where(LABELED, [f"see {i}" for i in range(N_ROWS)], ""),
        drawn=np.where(LABELED, "x", ""),
        few=np.where(np.arange(N_ROWS) % 20, "kept", ""),
        same=1,
        nothing="",
    )
    table = pd.read_csv("d.csv", dtype=str, keep_default_na=False)
    table.assign(k4_named="k" + table["k4"]).to_csv("d.csv", index=False)
    out, _ = run("look d.csv")
    found = kinds(out)
    assert {name: found[name] for name in table.columns[-9:]} == {
        "doc": "groups",
        "k4_named": "a copy",
        "human": "human labels",
        "done": "labeled or not",
        "note": "text",
        "drawn": "a mark",
        "few": "a mark",
        "same": "one value",
        "nothing": "no value",
    }
    assert "of 'k4', up to names" in out
    assert "done" not in out.partition("--columns")[2]


def test_no_agreement_is_told(run):
    """Other labels in the same rows change nothing."""
    seen = set()
    for labels in HUMAN[LABELED], RNG.permutation(HUMAN[LABELED]), MODEL[LABELED]:
        human = HUMAN.copy()
        human[LABELED] = labels
        german(**{"Mensch (geprüft)": human})
        clustered = {"human": human, "copy": np.where(LABELED, MODEL, "")}
        first, _ = run("look d.csv")
        clusterings(auto=MODEL, k2=0, **clustered)
        seen.add((first, run("look d.csv")[0]))
        german(**{"Mensch (geprüft)": human, "Zweite": np.where(LABELED, MODEL, "")})
    assert len({first for first, _ in seen}) == 1


def test_rows_that_were_not_drawn_at_random(run):
    german(**{"Mensch (geprüft)": np.where(np.arange(N_ROWS) < 100, TRUTH, "")})
    out, _ = run("look d.csv")
    assert "do not look like a uniformly random choice" in out
    assert "--y 'Mensch" not in out
    assert "'Automat', or another column that you choose now, as it is" in out
    drawn = ["audit draw", *AUDIT]
    assert run_all(out) == [*drawn, "audit draw", "certify"]


def test_labels_of_other_classes_are_no_answers(run):
    first = np.where(np.arange(N_ROWS) < 100, TRUTH, "")
    german(**{"Mensch (geprüft)": first, "Sprache": np.where(LABELED, "de", "")})
    table = pd.read_csv("d.csv", sep=";", dtype=str)
    table.loc[LABELED & (np.arange(N_ROWS) % 2 > 0), "Sprache"] = "en"
    table.to_csv("d.csv", sep=";", index=False)
    out, _ = run("look d.csv")
    assert out.count("look like a uniformly random choice") == 1
    assert "--y Sprache" in out
    assert "audit draw d.csv --size 200 --labels Automat" in out


def test_marks_and_names_of_our_own_columns(run):
    label = np.where(LABELED, TRUTH, "-1")
    clusterings(auto=np.where(SURE < 0.02, "n/a", MODEL), label=label, source="web")
    out, _ = run("look d.csv")
    assert "--missing=-1 --y label --columns auto,k2" in out
    rows = "--missing=-1 --answered label --source WHO --missing=n/a "
    assert f"audit rows d.csv {rows}--labels auto --columns cell --output" in out
    table = pd.read_csv("d.csv", dtype=str).rename(columns={"auto": "-a, 'b' *"})
    table.to_csv("d.csv", index=False)
    assert run_all(run("look d.csv")[0]) == ["audit rows", *AUDIT[:-1], "certify"]


def test_odd_values(run):
    eilt = np.where(np.arange(N_ROWS) % 7, "FALSCH", "WAHR").astype(object)
    eilt[:2] = "falsch", "01.03.2026"
    texts = ['"not closed', *TEXTS[1:]]
    price = [f"{i},50" for i in range(N_ROWS - 2)] + ["1.234,50", "n/a"]
    size = [*map(str, range(N_ROWS - 1)), "1.234"]
    with_dates = ["unknown", *(f"{1 + i % 28}.3.2026" for i in range(N_ROWS - 1))]
    columns = {"Text": texts, "Preis": price, "Menge": size, "Datum": with_dates}
    german(Eilt=eilt, **columns)
    out = " ".join(run("look d.csv")[0].split())
    assert "'falsch' (1 row) differs from 'FALSCH' in case only" in out
    assert "Column 'Eilt' has values that look like dates (1): '01.03.2026'" in out
    assert "'Text' has values with a lone quotation mark (1): '\"not closed'" in out
    assert "'Preis' has values that are no numbers (1): '1.234,50'" in out
    assert "'Datum' has values that are no dates (1): 'unknown'" in out
    assert "separators of thousands, got '1.234' beside '0'" in out


def test_a_workbook(run):
    pytest.importorskip("openpyxl")
    table = pd.DataFrame(
        {"id": TEXTS, "auto": MODEL, "sum": "=1+1", "both": [True, 1] * 200}
    )
    table.assign(sure=SURE).to_excel("d.xlsx", index=False)
    out, err = run("look d.xlsx")
    assert "the formulas in C2, C3, C4, ... have no value yet, and are read as" in err
    assert kinds(out)["sum"] == "no value"
    assert "--answers check.xlsx" in out


def test_odd_lines_and_cells(run):
    for text in ("a,b\n", "a\n1\n", "a,b\n1,2\n"):
        Path("d.csv").write_text(text)
        assert "No command fits" in run("look d.csv")[0]
    Path("d.csv").write_text("")
    assert "must be a table that can be read" in run("look d.csv", 2)[1]
    german(Text=["two\nlines", *TEXTS[1:]])
    with open("d.csv", "a", encoding="utf-8") as file:
        file.write(";;;;;;\n")
    out, err = run("look d.csv")
    assert "It has 402 lines: cells hold line breaks" in out
    assert "d.csv has 1 lines without a value" in err
    cells = [None, True, 1, 1.5, "x", [1], {"a": {"b": [2]}}, {"a": 3}, "", "-1", 10**400]
    lines = [json.dumps({"one": cell, "two": [cell]}) for cell in cells]
    Path("d.jsonl").write_text("\n".join(lines))
    run("look d.jsonl")
    table = pd.DataFrame(
        {"a": [b"x", b"y"] * 4, "b": [np.inf, -np.inf] * 4, "c": [[1]] * 8}
    )
    table.to_parquet("d.parquet")
    run("look d.parquet")
