"""Labels of several annotators, and how they settle what they disagree on."""

import os
from pathlib import Path

import numpy as np
from commands import CERTIFY, CLASSES, DATA, TRUTH, audit, read, sheets


def test_several_people(drawn):
    expected, _ = drawn(CERTIFY)
    first = sheets()["label"][0]
    wrong, other = [label for label in CLASSES if label != first]
    sheets(ann={}, ben={0: wrong}, eve={}).to_csv("filled.csv", index=False)
    out, _ = drawn(f"{CERTIFY} --answer-column ann,eve")
    assert out == (
        "2 people agree on 250 of 250 rows (100.0%); mean Cohen's kappa 1.00.\n"
        f"{expected}"
    )
    row = audit().rows[0]
    out, err = drawn(f"{CERTIFY} --answer-column ann,ben,eve", 2)
    assert "3 people agree on 249 of 250 rows (99.6%); mean Cohen's kappa 1.00." in out
    assert err == (
        f"error: People disagree on 1 row: [{row}]. To settle them, correct the files, "
        "add --majority for what more than half say, or let somebody fill in the table "
        "that this command writes: python -m sklearn_pacmdl audit settle filled.csv "
        "--answer-column ann,ben,eve --output NAME\n"
    )
    out, _ = drawn(f"{CERTIFY} --answer-column ann,ben,eve --majority")
    assert out.endswith(f"\n{expected}")
    sheets(ann={}, ben={0: wrong, 3: other}, eve={0: other, 3: wrong}).to_csv(
        "filled.csv", index=False
    )
    _, err = drawn(f"{CERTIFY} --answer-column ann,ben,eve --majority", 2)
    assert f"on 1 row: [{row}]. To settle them, correct the files, or" in err
    assert err.endswith(" --answer-column ann,ben,eve --majority --output NAME\n")


def test_a_copy_is_no_second_opinion(drawn):
    Path("copy.csv").write_bytes(Path("filled.csv").read_bytes())
    for command in (f"{CERTIFY} copy.csv", "audit settle filled.csv copy.csv --output s"):
        _, err = drawn(command, 2)
        assert err == (
            "error: filled.csv and copy.csv are the same. Pass one of them: a copy is no "
            "second opinion.\n"
        )
    # Files of one size and time may differ.
    changed = Path("filled.csv").read_bytes().replace(b"007", b"1e3", 1)
    Path("copy.csv").write_bytes(changed)
    for name in "copy.csv", "filled.csv":
        os.utime(name, ns=(0, 0))
    assert "the same" not in drawn(f"{CERTIFY} copy.csv", 2)[1]
    _, err = drawn(f"{CERTIFY} --answer-column label,label", 2)
    assert err == (
        "error: --answer-column must name each column once, got ['label', 'label'].\n"
    )


def test_disagreements_are_settled(drawn):
    expected, _ = drawn(CERTIFY)
    first = sheets()["label"]
    wrong = [CLASSES[(CLASSES.index(label) + 1) % 3] for label in first]
    rows = audit().rows
    ben = sheets(label=dict(enumerate(wrong[:18]))).drop(columns="text")
    ben.to_csv("ben.csv", index=False)
    certify = f"{CERTIFY} ben.csv"
    out, err = drawn(certify, 2)
    assert out.startswith("2 people agree on 232 of 250 rows (92.8%)")
    assert err.startswith("error: People disagree on 18 rows: [")
    command = err.split("this command writes: python -m sklearn_pacmdl ")[1]
    out, err = drawn(command.replace("NAME", "disputes"))
    assert out.split("\n", 1)[1] == (
        "18 rows are to be settled.\n"
        "Next, somebody fills in the column 'label' of disputes.csv.\n"
        "Then run the command that reads these labels with --settled disputes.csv.\n"
    )
    assert err == ""
    table = read("disputes.csv")
    names = ["row", "id", "text", "answer_1", "answer_2", "label"]
    assert list(table.columns) == names
    disputed = sorted(rows[:18].tolist())
    at = np.argsort(rows[:18])
    assert table["row"].astype(int).tolist() == disputed
    assert table["text"].tolist() == DATA["text"].iloc[disputed].tolist()
    assert table["answer_1"].tolist() == first[at].tolist()
    assert table["answer_2"].tolist() == [wrong[i] for i in at]

    settled = f"{certify} --settled disputes.csv"
    assert "Column 'label' of disputes.csv has no label yet" in drawn(settled, 2)[1]
    table["label"] = TRUTH[disputed]
    table.drop(index=4).to_csv("disputes.csv", index=False, sep=";")
    _, err = drawn(settled, 2)
    assert f"1 row: [{disputed[4]}]. To settle them, correct the files, fill in" in err
    table.to_csv("disputes.csv", index=False, sep=";")
    assert drawn(settled)[0].endswith(expected)
    drawn(f"{settled} --output c")
    data = settled.removeprefix("audit certify d.csv ")
    out, _ = drawn(f"verify c.json --data d.csv {data}")
    assert "c.json: agrees with the data" in out
    assert "- filled.csv, ben.csv, column 'label', settled by disputes.csv: 250 l" in out
    assert "--settled require --data" in drawn("verify c.json --settled x.csv", 2)[1]

    _, err = drawn(f"{command} --force".replace("NAME", "disputes"), 2)
    assert "rows of column 'label', which --force does not overwrite; pass it to" in err
    table.assign(label=table["answer_2"]).to_csv("disputes.csv", index=False)
    read("filled.csv")[::-1].to_csv("ben.csv", index=False)
    _, err = drawn(settled, 2)
    assert err.startswith("error: disputes.csv: settled must have no other labels where")


def test_what_there_is_to_settle(drawn):
    drawn("audit settle filled.csv --output s", 2)
    sheets(ann={}, ben={}).to_csv("filled.csv", index=False)
    settle = "audit settle filled.csv --answer-column ann,ben --output s"
    assert drawn(settle)[0].endswith("There is nothing to settle.\n")
    assert not Path("s.csv").exists()
    sheets(ann={}, ben={0: "", 1: "-", 2: "="}).to_csv("filled.csv", index=False)
    assert drawn(settle)[0].startswith("2 people agree on 247 of 249 rows that several")
    table = read("s.csv")
    assert list(table["row"].astype(int)) == audit().rows[1:3].tolist()
    assert table["answer_2"].tolist() == ["'-", "'="]
    drawn(f"{settle} --force")


def test_people_share_the_rows_among_them(drawn):
    expected, _ = drawn(CERTIFY)
    sheet = read("filled.csv")
    sheet[:150].to_csv("ann.csv", index=False)
    later = sheet["label"].where(sheet.index >= 100)
    sheet.assign(label=later).to_csv("ben.csv", index=False)
    certify = CERTIFY.replace("filled.csv", "ann.csv ben.csv")
    out, err = drawn(certify)
    assert out == (
        "2 people agree on 50 of 50 rows that several of them labeled (100.0%); mean "
        f"Cohen's kappa 1.00.\n{expected}"
    )
    assert err == ""
    out, err = drawn(CERTIFY.replace("filled", "ann"), 2)
    assert out == ""
    assert err.startswith("error: ann.csv must have labels of all 250 rows of a.json; ")
    assert "those of 100 are missing: [" in err
    sheet[150:].to_csv("ben.csv", index=False)
    assert drawn(certify) == (expected, "")
