"""Labels that are certified and verified from the shell."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from commands import CERTIFY, DATA, certificate, read, sheets

from sklearn_pacmdl import certify_clusterings


def test_spelling(drawn):
    sheets(label={3: "nul", 5: "nul", 7: "7"}).to_csv("filled.csv", index=False)
    _, err = drawn(CERTIFY)
    assert err == (
        "note: audit_labels holds labels that are not in labels: 'nul' (2 rows), '7' "
        "(1 row) differs from '007' in the form of a number only. They count as errors.\n"
    )
    sheets(label=dict.fromkeys(range(250), "spam")).to_csv("filled.csv", index=False)
    _, err = drawn(CERTIFY, 2)
    assert err == (
        "error: filled.csv: audit_labels must hold labels that are in labels, such as "
        "'007', '1e3', 'True', got others: 'spam' (250 rows). Give each class one name "
        "in both. If a class is really missing there, name all classes when the audit is "
        "drawn, by draw_audit(..., classes={...}).\n"
    )


def test_rows_in_another_order_are_refused(drawn):
    expected, _ = drawn(CERTIFY)
    sheet = read("filled.csv")
    others = {
        "text": sheet["text"].str.upper() + " \r\n",  # rewritten in every row
        "id": sheet["id"].sort_values().to_numpy(),  # of other rows, though no text
        "row": sheet["row"].sort_values().to_numpy(),
    }
    for name, cells in others.items():
        sheet.assign(**{name: cells}).to_csv("filled.csv", index=False)
        _, err = drawn(CERTIFY, 2)
        named = "id" if name == "row" else name
        assert err.startswith(f"error: column {named!r} of filled.csv must be that of d.")
        assert "one file was sorted, or is of other rows" in err
    sheet = sheet.drop(columns="text")
    sheet["id"] = "000" + sheet["id"] + ".0"  # the same numbers
    sheet.to_csv("filled.csv", index=False)
    assert drawn(CERTIFY) == (expected, "")
    sheet["id"] = [*sheet["id"][5:], *sheet["id"][:5]]
    sheet.loc[3:, "id"] = read("a.csv")["id"][3:]
    sheet.to_csv("filled.csv", index=False)
    out, err = drawn(CERTIFY)
    assert out == expected
    assert err == (
        "note: column 'id' of filled.csv differs from that of d.csv in 3 of 250 rows: "
        "were its cells changed?\n"
    )


def test_verify(drawn):
    drawn(f"{CERTIFY} --output c")
    out, _ = drawn("verify c.json", 3)
    listed = "Checked:\n- c.json: fields, bound and SHA-256 digest\nNot checked:\n"
    statement = f"{certificate('c.json').statement}\n"
    assert out == (
        f"c.json: agrees with itself; no data were compared\n{statement}{listed}"
        "- automatic labels (--labels): not given\n- audit (--audit): not given\n"
        "- human labels (--answers): not given\n"
        "- table of all rows (--data): not given\n"
    )
    data = "--labels auto --audit a.json --answers filled.csv"
    out, _ = drawn(f"verify c.json --data d.csv {data}")
    assert "- d.csv, column 'id': SHA-256 digest\n- d.csv, column 'text': SHA" in out
    stated = "no data show its sides, delta, max_annotator_errors, date and version"
    assert out.endswith(f"- d.csv: no digest covers column 'conf'\n- c.json: {stated}\n")
    _, err = drawn("verify c.json --data d.csv --labels auto", 2)
    assert err == "error: --data requires --audit, --answers.\n"
    _, err = drawn("verify c.json --labels auto", 2)
    assert err == "error: --labels require --data, the file of all rows.\n"


@pytest.mark.parametrize("names", [[0, 1], ["a", "b"]])
def test_verify_labelings_of_clusters(run, names):
    """The file has texts, such as 1.0, also where the labels were numbers."""
    truth, labeled = np.arange(200) % 2, np.random.RandomState(0).permutation(200) < 100
    seen = pd.Series(np.take(names, truth)).where(labeled)
    certified = certify_clusterings({"halves": truth}, seen, certify="pac-mdl")
    Path("c.json").write_text(certified.certificate.to_json())
    table = pd.DataFrame({"y": seen, "given": certified.transduction})
    table.to_csv("t.csv", index=False)
    verify = "verify c.json --data t.csv --labels given --y y"
    assert run(verify)[0].startswith("c.json: agrees with the data\n")
    assert run("verify c.json --data t.csv --y y", 2)[1].startswith("error: --data req")
    table["given"] = table["given"].to_numpy()[::-1]
    table.to_csv("t.csv", index=False)
    assert "problem: " in run(verify, 1)[1]
    divided = certify_clusterings({"halves": truth}, seen, random_state=0)
    Path("c.json").write_text(divided.certificate.to_json())
    assert run(verify, 2)[1] == "error: --data requires --certifying.\n"
    use = np.full(200, "", dtype=object)
    use[divided.division[0]], use[divided.division[1]] = "select", "certify"
    table.assign(given=divided.transduction, u=use).to_csv("t.csv", index=False)
    assert run(f"{verify} --certifying u")[0].startswith("c.json: agrees with the data\n")


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("row", lambda c: ["7.5", *c[1:]], "Column 'row' of filled.csv must be the numb"),
        ("row", lambda c: [c[1], *c[1:]], "source must not have rows twice, got ["),
        ("row", lambda c: c.astype(int) + 600, "rows that were not to be labeled"),
        ("label", lambda c: ["", *c[1:]], "those of 1 are missing: ["),
        ("label", lambda c: "", "Column 'label' of filled.csv has no label yet."),
        ("label", lambda c: ["nan", *c[1:]], "holds 'nan': add --missing=nan if this"),
    ],
)
def test_a_spoiled_sheet_is_refused(drawn, name, change, message):
    sheet = read("filled.csv")
    sheet.assign(**{name: change(sheet[name])}).to_csv("filled.csv", index=False)
    out, err = drawn(CERTIFY, 2)
    assert err.startswith("error: ")
    assert message in err
    assert err.count("\n") == 1
    assert out == ""


def test_data_of_another_audit_are_refused(drawn):
    DATA[:-1].to_csv("d.csv", index=False)
    _, err = drawn(CERTIFY, 2)
    assert err == "error: d.csv must have the 600 rows of a.json, got 599.\n"
    DATA.assign(auto="007").to_csv("d.csv", index=False)
    assert "labels must be what the audit was drawn for" in drawn(CERTIFY, 2)[1]
