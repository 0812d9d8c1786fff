"""Files of spreadsheets: what Excel and its German users save is read and written."""

import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pandas as pd
import pytest

from sklearn_pacmdl.audits import Audit

N_ROWS = 240
CLASSES = ["Größe", "Preis", "Farbe"]
RNG = np.random.RandomState(0)
TRUTH, SURE = RNG.choice(CLASSES, N_ROWS), RNG.uniform(size=N_ROWS).round(3)
IS_RIGHT = RNG.uniform(size=N_ROWS) < SURE**0.25
DATA = pd.DataFrame(
    {
        "id": [f"{i:05}" for i in range(N_ROWS)],
        "text": [f'Zu groß; "schön"\n{i}' for i in RNG.permutation(N_ROWS)],
        "date": pd.date_range("2024-01-01", periods=N_ROWS, freq="h").astype(str),
        "auto": np.where(IS_RIGHT, TRUTH, "Preis"),
        "sure": SURE,
    }
)
READ = {"sep": ";", "dtype": str, "keep_default_na": False}


def as_spreadsheets_see(path, encoding):
    """A worksheet with labels, where numbers have lost zeros and dates are German."""
    sheet = pd.read_csv(path, encoding=encoding, **READ)
    assert [*sheet.columns][:3] == ["row", "id", "text"]
    rows = sheet["row"].astype(int)
    assert sheet["text"].tolist() == DATA["text"].iloc[rows].tolist()
    dates = pd.to_datetime(sheet["date"]).dt.strftime("%d.%m.%Y %H:%M")
    sheet = sheet.assign(row=rows, id=sheet["id"].astype(int), label=TRUTH[rows])
    return sheet.assign(date=dates)


# How LibreOffice calls the encodings of its CSV files.
CHARSETS = {"cp1252": 1, "utf-8-sig": 76}


def save_again(path, encoding):
    """Open a file in LibreOffice and save it, as an annotator does."""
    form = f"59,34,{CHARSETS[encoding]}"
    options = [f"--infilter=CSV:{form}", f"csv:Text - txt - csv (StarCalc):{form}"]
    if path.endswith(".xlsx"):
        options = ["--infilter=Calc MS Excel 2007 XML", "xlsx"]
    command = ["soffice", f"-env:UserInstallation={Path('user').resolve().as_uri()}"]
    command += ["--headless", options[0], "--convert-to", options[1]]
    subprocess.run([*command, "--outdir", "saved", path], check=True, timeout=60)
    Path("saved", path).replace(path)


@pytest.mark.parametrize(
    "program",
    [
        "pandas",
        pytest.param(
            "LibreOffice",
            marks=pytest.mark.skipif(
                shutil.which("soffice") is None, reason="LibreOffice is not installed"
            ),
        ),
    ],
)
@pytest.mark.parametrize("encoding", ["cp1252", "utf-8-sig"])
def test_a_journey_with_german_spreadsheets(shell, encoding, program):
    DATA.to_csv("d.csv", sep=";", decimal=",", encoding=encoding, index=False)

    def run(command, code=0):
        out, err = shell(shlex.split(command), code)
        notes = [line for line in err.splitlines() if not line.startswith("error")]
        read = ("'sure' of d.csv is read with decimal commas", "is not in UTF-8")
        assert all(any(what in note for what in read) for note in notes)
        return out, err

    out, _ = run("audit plan d.csv --confidence sure --budget 100 --target 0,1")
    then = shlex.split(out.split("Then run: ")[1])[3:]
    run(shlex.join(then).replace("COLUMN", "auto").replace("NAME", "check"))
    sheet = as_spreadsheets_see("check.csv", encoding)
    sheet.sort_values("text").to_csv("ann.csv", sep=";", encoding="cp1252", index=False)
    next_class = dict(zip(CLASSES, np.roll(CLASSES, 1), strict=True))
    other = sheet["label"].mask(sheet.index < 3, sheet["label"].map(next_class))
    sheet.assign(label=other, row=sheet["row"].astype(float)).to_excel(
        "ben.xlsx", index=False
    )
    if program == "LibreOffice":
        save_again("ann.csv", "cp1252")
        save_again("ben.xlsx", encoding)

    read = "--audit check.json --answers ann.csv ben.xlsx"
    finish = f"audit finish d.csv --labels auto --confidence sure {read} --target 10%"
    _, err = run(f"{finish} --output done", 2)
    settle = err.split("this command writes: ")[1].split(" ", 3)[3]
    shell(settle.replace("NAME", "disputes"))
    disputes = pd.read_csv("disputes.csv", encoding="cp1252", sep=";")
    disputes["label"] = TRUTH[disputes["row"]]
    assert disputes["row"].is_monotonic_increasing
    assert len(disputes) == 3
    disputes.to_excel("settled.xlsx", index=False)

    finish += " --settled settled.xlsx"
    run(f"{finish} --output done")
    rest = as_spreadsheets_see("done-rest.csv", encoding)
    rest.to_csv("rest.csv", sep=";", encoding=encoding, index=False)
    if program == "LibreOffice":
        save_again("rest.csv", encoding)
    out, _ = run(f"{finish} --rest rest.csv --output all")
    assert "once people have labeled" not in out
    done = pd.read_csv("all.csv", encoding=encoding, **READ)
    assert done["sure"].str.replace(",", ".").astype(float).tolist() == SURE.tolist()
    assert done[["id", "text"]].equals(DATA[["id", "text"]])
    assert (done["label"] != TRUTH).mean() <= 0.1
    read += " --settled settled.xlsx"
    out, _ = shell(f"verify all.json --data all.csv --confidence sure {read}")
    assert "all.json: agrees with the data\n" in out


def test_workbooks_come_back_as_workbooks(shell):
    codes = np.resize(np.array([7, "7 =", True, "007"], dtype=object), N_ROWS)
    table = DATA.assign(auto=codes, n=np.arange(N_ROWS))
    table.to_excel("d.xlsx", index=False)
    draw = "audit draw d.xlsx --labels auto --confidence sure --size 120 --seed 0"
    out, _ = shell(f"{draw} --output check")
    assert "fill in the column 'label' of check.xlsx" in out
    sheet = pd.read_excel("check.xlsx", dtype={"id": str})
    assert [*sheet.columns] == ["row", "id", "text", "date", "n", "label"]
    drawn = DATA[["id", "text", "date"]].iloc[sheet["row"]].reset_index(drop=True)
    assert sheet[["id", "text", "date"]].equals(drawn)
    assert sheet["n"].equals(sheet["row"])
    assert "exists; choose another" in shell(f"{draw} --output check", 2)[1]
    with pd.ExcelWriter("filled.xlsx") as book:
        sheet.assign(label=codes[sheet["row"]]).to_excel(book, index=False)
        sheet.to_excel(book, sheet_name="old", index=False)
    read = "d.xlsx --labels auto --audit check.json --answers filled.xlsx"
    out, err = shell(f"audit certify {read}")
    assert " 0 of the 120 audited rows" in out
    assert err == (
        "note: filled.xlsx has 2 sheets, of which the first, 'Sheet1', is read.\n"
    )
    finish = f"audit finish {read} --confidence sure --target 0.1 --output"
    shell(f"{finish} done")
    done = pd.read_excel("done.xlsx", dtype={"id": str, "automatic_label": str})
    assert done["sure"].tolist() == SURE.tolist()
    assert {*done["automatic_label"].dropna()} == {"7", "7 =", "True", "007"}
    data = read.replace("d.xlsx --labels auto", "--data done.xlsx --confidence sure")
    assert shell(f"verify done.json {data}")[0].startswith("done.json: agrees with the d")
    sheet.assign(label="x").to_excel("check.xlsx", index=False)
    assert "120 rows of column 'label'" in shell(f"{draw} --output check --force", 2)[1]
    for name in ("a.csv", "a.xlsx", "a.jsonl"):
        shell(f"{draw} --output {name} --force")
    assert pd.read_csv("a.csv", dtype=str)["id"].equals(sheet["id"])
    assert pd.read_json("a.jsonl", lines=True, dtype=str)["id"].equals(sheet["id"])


def test_a_row_of_another_table_takes_no_memory(shell):
    for name, label in {"s1.csv": "a", "s2.csv": "b"}.items():
        Path(name).write_text(f"row,label\n{10**14},{label}\n1,b\n")
    shell("audit settle s1.csv s2.csv --output S")
    assert Path("S.csv").read_text().split() == [
        "row,answer_1,answer_2,label",
        f"{10**14},a,b,",
    ]


def test_what_is_no_table_says_how_to_save_it(shell, monkeypatch):
    draw = "audit draw {} --size 9 --output o"
    DATA.to_excel("d.xlsx", index=False)
    Path("d.csv").write_bytes(Path("d.xlsx").read_bytes())
    Path("e.xlsx").write_text("a,b\n1,2\n")
    pd.DataFrame({"a": [1], "": [2]}).to_excel("f.xlsx", index=False)
    twice = pd.DataFrame([[1, 2]], columns=["a", "a"])
    twice.to_excel("g.xlsx", index=False)
    with ZipFile("d.xlsx") as whole, ZipFile("h.xlsx", "w") as cut:
        for name in whole.namelist():
            cut.writestr(name, whole.read(name)[:90])
    for path, message in {
        "d.csv": "it is no CSV file but an Excel workbook: let its name end in .xlsx, or "
        "save the table as CSV in the spreadsheet (in Excel, CSV UTF-8)",
        "e.xlsx": "it is no Excel workbook",
        "f.xlsx": "each column must have a name in the first line",
        "g.xlsx": "it has several columns 'a'",
        "h.xlsx": "it is no Excel workbook",
        "d.ods": "must be a file .csv, .tsv, .xlsx",
    }.items():
        _, err = shell(draw.format(path), 2)
        assert err.startswith(f"error: {path} must be a ")
        assert message in err
    for character in "\x07\uffff":
        DATA.assign(text=DATA["id"] + character).to_csv("d.csv")
        assert "hold no control characters" in shell(draw.format("d.csv") + ".xlsx", 2)[1]
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    _, err = shell(draw.format("d.xlsx"), 2)
    assert err.startswith("error: Excel files require openpyxl; pip install 'sklearn-pa")
    assert "Or save the table as CSV in the spreadsheet" in err


@pytest.mark.parametrize("cells", [["0,5", "0.5"], ["1.000,5"], ["0,5x"]])
def test_decimal_commas_are_read_only_if_all_cells_have_them(shell, cells):
    table = DATA.assign(sure=np.resize(["0,25", *cells], N_ROWS))
    draw = "audit draw d.csv --confidence sure --size 9 --output o"
    for separator in (";", ","):
        table.to_csv("d.csv", sep=separator, index=False)
        assert "Column 'sure' of d.csv must hold numbers, with" in shell(draw, 2)[1]
    table = DATA.assign(other=SURE)
    table.to_csv("d.csv", decimal=",", index=False)
    assert "Column 'sure' of d.csv must hold numbers, with" in shell(draw, 2)[1]
    table.to_csv("d.csv", sep=";", decimal=",", index=False)
    _, err = shell(f"{draw} --labels auto")
    assert "or confidences, or tell the labels: 'other'." in err


def test_rates_as_people_write_them(shell):
    size = ["audit", "size", "1000", "--expected-error", "0", "--target"]
    expected = shell([*size, "0.007"])
    for target in ("0.7%", "0,7 %", " 0,007"):
        assert shell([*size, target]) == expected
    for target in ("5%x", "five", "5%%", ""):
        message = f"argument --target: invalid rate value: {target!r}"
        assert message in shell([*size, target], 2)[1]


def answered(shell, labels, write=str, options=""):
    """Rows are drawn, and people answer what is right, in their own writing."""
    DATA.assign(auto=labels).to_csv("d.csv", index=False)
    shell(f"audit draw d.csv --size 40 --labels auto {options} --output a --seed 0")
    sheet = pd.read_csv("a.csv", dtype=str)
    truth = pd.Series(labels)[sheet["row"].astype(int)]
    sheet.assign(label=truth.map(write).to_numpy()).to_csv("a.csv", index=False)
    return "d.csv --labels auto --audit a.json --answers a.csv"


@pytest.mark.parametrize(
    ("form", "answer"),
    [(str, str.upper), (str.upper, str.lower), (str.lower, str), (str.upper, str.upper)],
)
def test_truth_values_that_excel_writes_in_capitals(shell, form, answer):
    labels = [form(str(right)) for right in IS_RIGHT]
    read = answered(shell, labels, lambda label: answer(label.capitalize()))
    sheet = pd.read_csv("a.csv", dtype=str)
    # A second person has no spreadsheet, and disagrees on one row.
    sheet.assign(label=[labels[int(row)] for row in sheet["row"]]).to_csv("b.csv")
    other = {"True": "False", "False": "True"}[sheet["label"][0].capitalize()]
    sheet.loc[0, "label"] = answer(other)
    sheet.to_csv("a.csv", index=False)
    assert " 1 of the 40 audited rows" in shell(f"audit certify {read} --output c")[0]
    assert "agrees with the data" in shell(f"verify c.json --data {read}")[0]
    assert "1 row is to be settled" in shell("audit settle a.csv b.csv --output s")[0]
    settled = pd.read_csv("s.csv", dtype=str)
    assert len({*settled.filter(like="answer").iloc[0].str.lower()}) == 2
    settled.assign(label=answer(other)).to_csv("s.csv", index=False)
    alone = shell(f"audit certify {read} --settled s.csv --output c2", 2)[1]
    assert "--settled requires the answers of at least two people" in alone
    both = f"{read} b.csv --settled s.csv"
    assert " 1 of the 40 audited rows" in shell(f"audit certify {both} --output c2")[0]


@pytest.mark.parametrize(
    ("labels", "answers", "options", "wrong"),
    [
        (["True", "False"], ["WAHR", "FALSCH"], "", None),
        (["True", "False"], ["VRAI", "FAUX"], "", None),
        # Names of classes and labels that are truth values stay what they are.
        (["True", "False"], ["FALSE", "TRUE"], "--rename True=FALSE --rename False=TRUE",
         None),
        (["TRUE", "true"], ["TRUE", "TRUE"], "", "true"),
        (["True", "TRUE"], ["TRUE", "TRUE"], "", "True"),
    ],
)  # fmt: skip
def test_other_truth_values(shell, labels, answers, options, wrong):
    write, labels = dict(zip(labels, answers, strict=True)), np.where(IS_RIGHT, *labels)
    read = answered(shell, labels, write.get, options)
    n_wrong = np.sum(labels[pd.read_csv("a.csv")["row"]] == wrong)
    assert f" {n_wrong} of the 40 audited rows" in shell(f"audit certify {read}")[0]


@pytest.mark.parametrize("name", ["", ".csv", "folder/"])
def test_outputs_have_a_name(shell, name):
    DATA.to_csv("d.csv", index=False)
    _, err = shell(["audit", "draw", "d.csv", "--size", "9", "--output", name], 2)
    assert err == f"error: --output must be the name of files, got {name!r}.\n"


def test_a_certificate_with_a_mark_is_read(shell):
    DATA.to_csv("d.csv", index=False)
    shell("audit draw d.csv --size 9 --labels auto --output a")
    text = Path("a.json").read_text(encoding="utf-8")
    Path("a.json").write_text(text, encoding="utf-8-sig")
    assert Audit.from_json(f"\ufeff{text}") == Audit.from_json(text)
    assert shell("verify a.json --data d.csv --labels auto")[0].startswith("a.json: agr")


def test_lines_without_cells_are_no_rows(shell):
    table = DATA.assign(auto=DATA["auto"].mask(DATA.index < 7))
    table.to_csv("d.txt", sep=";", index=False)
    with open("d.txt", "a") as file:
        file.write(";;;;\n" * 20)
    out, err = shell("audit draw d.txt --labels auto --size 9 --output a")
    assert "9 of 233 rows were drawn" in out
    assert "note: d.txt has 20 lines without a value, which are left out." in err
    assert "note: 7 of 240 rows of d.txt have no automatic label." in err


@pytest.mark.parametrize("cells", [["1.234", "905", "25"], ["1,234", "905", "25"]])
def test_separators_of_thousands_are_no_decimals(shell, cells):
    table = DATA.assign(sure=np.resize(cells, N_ROWS))
    table.to_csv("d.csv", sep=";", index=False)
    draw = "audit draw d.csv --labels auto --confidence sure --size 9 --output a"
    assert f"thousands, got {cells[0]!r} beside '905'" in shell(draw, 2)[1]
    table = DATA.assign(sure=np.resize(["0.905", "1.234", "1", "25.000"], N_ROWS))
    table.to_csv("d.csv", index=False)
    shell(draw)


def test_labels_without_a_label_are_refused_before_people_work(shell):
    draw = "audit draw {} --labels auto --size 9 --output a"
    DATA.assign(auto='{"label": "Preis"}').to_csv("d.csv", index=False)
    assert "labels must hold labels, got JSON: " in shell(draw.format("d.csv"), 2)[1]
    DATA.assign(auto='="a"&"b"').to_excel("d.xlsx", index=False)
    assert "the formulas in D2, D3, D4, ... have no" in shell(draw.format("d.xlsx"), 2)[1]
    DATA.assign(label="x").to_csv("d.csv", index=False)
    _, err = shell(draw.format("d.csv"), 2)
    assert "such as by --columns id,text,date,sure." in err
    shell([*draw.format("d.csv").split(), "--columns", "id,text,date,sure"])


CODED = np.resize(["001", "010", "1e5", "Größe"], N_ROWS)


@pytest.mark.parametrize(
    ("labels", "write"),
    [
        (TRUTH, str.lower),
        (TRUTH, lambda label: f" {label.upper()}  "),
        (
            CODED,
            lambda label: {"001": "1", "010": "10", "1e5": "100000"}.get(label, label),
        ),
    ],
)
def test_other_writings_are_folded_on_demand(shell, labels, write):
    read = answered(shell, labels, write)
    _, err = shell(f"audit certify {read}", 2)
    assert err.startswith("error: a.csv: audit_labels must be written as labels, got '")
    assert err.endswith(" Or add --fold, which ignores this.\n")
    out, err = shell(f"audit certify {read} --fold --output c")
    assert " 0 of the 40 audited rows" in out
    assert err.startswith("note: --fold reads '")
    assert "agrees with the data" in shell(f"verify c.json --data {read} --fold")[0]


def test_labels_of_a_search_are_folded_on_demand(shell, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)  # a report takes a second
    writings = np.where(np.arange(N_ROWS) % 2, TRUTH, [f" {t.upper()}" for t in TRUTH])
    expected = np.where(np.arange(N_ROWS) % 3, None, TRUTH)
    certify = "certify d.csv --y y --columns auto --certify pac-mdl --seed 0 --output"
    DATA.assign(y=expected).to_csv("d.csv", index=False)
    out, _ = shell(f"{certify} once")
    DATA.assign(y=np.where(np.arange(N_ROWS) % 3, None, writings)).to_csv("d.csv")
    folded, err = shell(f"{certify} twice --fold")
    assert folded.replace("twice", "once") == out
    assert "note: --fold reads ' FARBE' as 'farbe', ' GRÖSSE' as 'grösse', " in err
    assert shell("verify twice.json --data twice.csv")[0].startswith("twice.json: agrees")


def test_writings_of_several_people_are_folded(shell):
    read = answered(shell, TRUTH, str)
    sheet = pd.read_csv("a.csv", dtype=str)
    other = sheet.assign(label=sheet["label"].str.upper())
    other.loc[0, "label"] = "preis" if sheet["label"][0] != "Preis" else "farbe"
    other.to_csv("b.csv", index=False)
    _, err = shell(f"audit certify {read} b.csv", 2)
    assert err.startswith("error: a.csv, b.csv: answers must be written as its most comm")
    _, err = shell(f"audit certify {read} b.csv --fold", 2)
    assert "People disagree on 1 row: [" in err
    assert "audit settle a.csv b.csv --fold --output NAME" in err
    out, _ = shell("audit settle a.csv b.csv --fold --output s")
    assert "1 row is to be settled" in out
