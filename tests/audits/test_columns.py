"""Columns that annotators saw are bound to the labels, whatever file they are in."""

import datetime
import hashlib
import json
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_pacmdl.audits import Audit, certify_labels, draw_audit, finish_labels
from sklearn_pacmdl.certificates import Certificate, plain_text

N_ROWS = 60
TRUTH = np.array(["ham", "spam"])[np.arange(N_ROWS) % 2]
DATA = pd.DataFrame(
    {
        "id": [f"{i:05d}" for i in range(N_ROWS)],
        "text": [f"Zoë, {i}\nsays: 'so'" for i in range(N_ROWS)],
        "price": np.arange(N_ROWS) / 4,
        "day": pd.Timestamp("2024-02-28") + pd.to_timedelta(np.arange(N_ROWS), "D"),
        "new": np.arange(N_ROWS) % 3 == 0,
        "count": [None, *range(1, N_ROWS)],
    }
)
AUDIT = draw_audit(N_ROWS, 20, labels=TRUTH, data=DATA, random_state=0)
ANSWERS = TRUTH[AUDIT.rows]
FINISHED = finish_labels(TRUTH, np.arange(N_ROWS), AUDIT, ANSWERS, target=0.3)
CERTIFICATE = certify_labels(TRUTH, AUDIT, ANSWERS)


def test_the_digest_is_the_documented_one():
    texts = ["column", *DATA["text"]]
    text = json.dumps(texts, separators=(",", ":"))
    assert AUDIT.columns["text"] == hashlib.sha256(text.encode()).hexdigest()
    assert [*AUDIT.columns] == [*DATA]


@pytest.mark.parametrize(
    "as_other", [pl.from_pandas, pa.Table.from_pandas, lambda d: d[d.columns[::-1]]]
)
def test_other_containers_have_the_same_digests(as_other):
    assert draw_audit(N_ROWS, 20, data=as_other(DATA)).columns == AUDIT.columns


@pytest.mark.parametrize(
    "ways",
    [
        ["7", "007", "7.0", "7,0", "+7", 7, 7.0, np.float32(7)],
        ["0.1", "0.10", "0,1", ".1", ",10", "1e-1", 0.1, np.float32(0.1)],
        ["100000", "1e5", "1.00E+05"],
        ["123", "00123"],
        ["92057.96", "92.057,96", "92,057.960", "+92.057,96", 92057.96],
        ["1234567", "1.234.567", "1,234,567", 1234567],
        ["true", "TRUE", "WAHR", "VRAI", True, np.True_],
        ["2024-02-29", "29.2.2024", "29.02.2024"],
        ["2024-02-29", "29.02.2024 00:00", "2024-02-29 00:00:00"],
        ["2024-02-29", datetime.date(2024, 2, 29), pd.Timestamp("2024-02-29")],
        ["29.02.2024 07:00", pd.Timestamp("2024-02-29 07:00")],
        ["2024-02-29T07:00:00.50", pd.Timestamp("2024-02-29 07:00:00.5")],
        ["a\nb", "a\r\nb", "a\rb"],
        ["", None, np.nan, pd.NaT, pd.NA],
    ],
)
def test_ways_to_write_a_value_are_one(ways):
    columns = [
        draw_audit(2, 1, data=pd.DataFrame({"x": pd.Series(["a", way], dtype=object)}))
        for way in ways
    ]
    assert len({audit.columns["x"] for audit in columns}) == 1


@pytest.mark.parametrize(
    "others",
    [
        ["7", "7.1", "-7", "7 ", "1e7"],
        ["12345678901234567890", "12345678901234567891"],
        ["9007199254740993.0", "9007199254740992.0"],
        ["12345678.123456789012", "12345678.123456789999"],
        ["12e45678", "90e99999", "0e123", "0e999"],
        ["True", "Truer", "no"],
        ["nan", "None", ""],
        ["a", "A", "ä", 'a","b'],
        ["2024-02-29", "2024-02-29 01:00:00", "29.2.24", "29.2.2023", "30.02.2024"],
        # Where days come first and where months do, these are two days each.
        ["2/1/2024", "1/2/2024", "2024-02-01", "2024-01-02"],
        ["WAHR", "FALSCH", "Wahr"],
        ["1.234", "1234", "1.234.5"],
    ],
)
def test_other_values_have_other_digests(others):
    """Nor does a value move into the next row."""
    columns = [draw_audit(2, 1, data=pd.DataFrame({"x": [o, "b"]})) for o in others]
    assert len({audit.columns["x"] for audit in columns}) == len(others)


@pytest.mark.parametrize("record", [AUDIT, CERTIFICATE, FINISHED.certificate])
def test_exchanged_texts_are_a_problem(record):
    cls = Audit if record is AUDIT else Certificate
    record = cls.from_json(record.to_json())
    same = DATA[["text", "id"]].assign(topic="x", note="y")
    verification = record.verify(data=same)
    assert verification
    assert "data, column 'text': SHA-256 digest" in verification.checked
    assert "data: no digest covers columns 'topic', 'note'" in verification.unchecked
    assert "data, column 'price': there is no such column" in verification.unchecked
    other = same.assign(text=same["text"].replace({same["text"][3]: "other"}))
    problem = "data, column 'text': it is not as it was when the audit was drawn"
    assert record.verify(data=other).problems == (problem,)
    assert "data: not given" in record.verify().unchecked


def test_the_columns_of_a_certificate_are_those_of_its_audit():
    fixed = {"labels": TRUTH, "random_state": 0}
    again = draw_audit(N_ROWS, 20, data=AUDIT.columns, **fixed)
    assert np.array_equal(again.rows, AUDIT.rows)
    assert again.columns == AUDIT.columns
    other = draw_audit(N_ROWS, 20, data=DATA[["id"]], **fixed)
    problems = CERTIFICATE.verify(TRUTH, other, ANSWERS).problems
    assert "audit: it is not the audit of the certificate" in problems


TWICE = pd.concat([DATA, DATA], axis=1)
TEXT = ["a"] * N_ROWS


@pytest.mark.parametrize(
    "data", [DATA[:5], DATA["text"], [["a"]] * N_ROWS, {"text": TEXT}, "a.csv"]
)
def test_what_is_no_table_of_all_rows_is_refused(data):
    with pytest.raises(ValueError, match="data must be"):
        draw_audit(N_ROWS, 20, data=data)
    with pytest.raises(ValueError, match="data must be a data frame that has each"):
        draw_audit(N_ROWS, 20, data=TWICE)
    if not isinstance(data, dict | pd.DataFrame):
        with pytest.raises(ValueError, match="data must be"):
            CERTIFICATE.verify(data=data)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_finished_table_with_exchanged_texts_is_found_out(shell, ending):
    table = DATA.assign(auto=TRUTH, sure=np.arange(N_ROWS))
    table.to_parquet("d.parquet") if ending == "parquet" else table.to_csv("d.csv")
    given = f"d.{ending} --labels auto --confidence sure --columns {','.join(DATA)}"
    shell(f"audit draw {given} --size 20 --output a")
    assert [*Audit.from_json(Path("a.json").read_text()).columns] == [*DATA]
    sheet = pd.read_csv("a.csv")
    sheet.assign(label=TRUTH[sheet["row"]]).to_csv("a.csv", index=False)
    answers = "--audit a.json --answers a.csv"
    shell(f"audit finish {given} --target .3 --output f.{ending} {answers}")
    verify = f"verify f.json --confidence sure {answers} --data"
    out, _ = shell(f"{verify} f.{ending}")
    assert all(f"f.{ending}, column '{name}': SHA-256 digest\n" in out for name in DATA)
    done = (pd.read_parquet if ending == "parquet" else pd.read_csv)(f"f.{ending}")
    # As spreadsheets of another country save it.
    options = {"sep": ";", "decimal": ",", "encoding": "cp1252", "index": False}
    done[done.columns[::-1]].assign(more=1).to_csv("g.csv", **options)
    out, _ = shell(f"{verify} g.csv")
    assert "g.csv: no digest covers column 'more'\n" in out
    two = np.setdiff1d(range(N_ROWS), AUDIT.rows)[:2]
    done.loc[two, "text"] = done.loc[two[::-1], "text"].to_numpy()
    done.to_csv("g.csv", **options)
    out, err = shell(f"{verify} g.csv", 1)
    assert out.startswith("f.json: does not agree\n")
    assert "agree with f.json, but g.csv, column 'text' does not.\nChecked:\n" in out
    assert "- g.csv, column 'id': SHA-256 digest\n" in out
    assert "column 'text': it is not as it was" in err


def test_of_a_parquet_file_no_other_columns_are_read(shell, monkeypatch):
    table = DATA.assign(auto=TRUTH, sure=np.arange(N_ROWS), x=0.5, text2="y")
    table.to_parquet("d.parquet", row_group_size=7)
    columns, iter_batches = set(), pq.ParquetFile.iter_batches

    def noted(self, *args, **options):
        columns.update(options["columns"])
        return iter_batches(self, *args, **options)

    monkeypatch.setattr(pq.ParquetFile, "iter_batches", noted)
    given = "d.parquet --labels auto"
    shell(f"audit draw {given} --confidence sure --size 20 --output a --columns text,day")
    assert columns == {"auto", "sure", "text", "day"}
    sheet = pd.read_csv("a.csv")
    assert sheet["text"].tolist() == table["text"].iloc[sheet["row"]].tolist()
    sheet.assign(label=TRUTH[sheet["row"]]).to_csv("a.csv", index=False)
    columns.clear()
    shell(f"audit share {given} --audit a.json --answers a.csv --of ham")
    assert columns == {"auto", "text", "day"}  # annotators saw the latter


@given(st.integers(-(10**12), 10**12), st.integers(1, 6))
def test_separators_of_thousands_change_no_number(number, n_decimals):
    number = number / 10**n_decimals
    plain = plain_text(f"{number:.{n_decimals}f}")
    grouped = f"{number:,.{n_decimals}f}"
    assert plain_text(grouped) == plain
    assert plain_text(grouped.translate(str.maketrans(",.", ".,"))) == plain
    assert float(plain) == number


def test_integers_beside_gaps_keep_their_digits():
    def digest_of(column):
        return draw_audit(2, 1, data=pl.DataFrame({"a": column})).columns["a"]

    data, near = (pl.Series([number, None]) for number in (2**53 + 1, 2**53))
    assert digest_of(data) == digest_of([str(2**53 + 1), ""]) != digest_of(near)
