"""Files of spreadsheets: what Excel and its German users save is read and written."""

import shlex

import numpy as np
import pandas as pd
import pytest

N_ROWS = 400
CLASSES = ["Größe", "Preis", "Farbe"]
RNG = np.random.RandomState(0)
TRUTH, SURE = RNG.choice(CLASSES, N_ROWS), RNG.uniform(size=N_ROWS).round(3)
IS_RIGHT = RNG.uniform(size=N_ROWS) < SURE**0.25
DATA = pd.DataFrame(
    {
        "id": [f"{i:05}" for i in range(N_ROWS)],
        "text": [f'Zu groß; "schön"\n{i}' for i in RNG.permutation(N_ROWS)],
        "auto": np.where(IS_RIGHT, TRUTH, "Preis"),
        "sure": SURE,
    }
)
READ = {"sep": ";", "dtype": str, "keep_default_na": False}


def as_spreadsheets_see(path, encoding, **columns):
    """A worksheet in which numbers have lost their zeros, with labels filled in."""
    sheet = pd.read_csv(path, encoding=encoding, **READ)
    assert [*sheet.columns][:3] == ["row", "id", "text"]
    rows = sheet["row"].astype(int)
    assert sheet["text"].tolist() == DATA["text"].iloc[rows].tolist()
    sheet = sheet.assign(row=rows, id=sheet["id"].astype(int), label=TRUTH[rows])
    return sheet.assign(**columns)


@pytest.mark.parametrize("encoding", ["cp1252", "utf-8-sig"])
def test_a_journey_with_german_spreadsheets(shell, encoding):
    DATA.to_csv("d.csv", sep=";", decimal=",", encoding=encoding, index=False)

    def run(command, code=0):
        out, err = shell(shlex.split(command), code)
        notes = [line for line in err.splitlines() if not line.startswith("error")]
        read = ("'sure' of d.csv is read with decimal commas", "is not in UTF-8")
        assert all(any(what in note for what in read) for note in notes)
        return out, err

    out, _ = run("audit plan d.csv --confidence sure --budget 150 --target 0,1")
    then = shlex.split(out.split("Then run: ")[1])[3:]
    run(shlex.join(then).replace("COLUMN", "auto").replace("NAME", "check"))
    sheet = as_spreadsheets_see("check.csv", encoding)
    sheet.sort_values("text").to_csv("ann.csv", sep=";", encoding="cp1252", index=False)
    next_class = dict(zip(CLASSES, np.roll(CLASSES, 1), strict=True))
    other = sheet["label"].mask(sheet.index < 3, sheet["label"].map(next_class))
    sheet.assign(label=other, row=sheet["row"].astype(float)).to_excel(
        "ben.xlsx", index=False
    )

    read = "--audit check.json --answers ann.csv ben.xlsx"
    finish = f"audit finish d.csv --labels auto --confidence sure {read} --target 10%"
    _, err = run(f"{finish} --output done", 2)
    settle = err.split("this command writes: ")[1].split(" ", 3)[3]
    shell(settle.replace("NAME", "disputes"))
    disputes = as_spreadsheets_see("disputes.csv", "cp1252")
    assert disputes["row"].is_monotonic_increasing
    assert len(disputes) == 3
    disputes.to_excel("settled.xlsx", index=False)

    finish += " --settled settled.xlsx"
    run(f"{finish} --output done")
    rest = as_spreadsheets_see("done-rest.csv", encoding)
    rest.to_csv("rest.csv", sep=";", encoding=encoding, index=False)
    out, _ = run(f"{finish} --rest rest.csv --output all")
    assert "once people have labeled" not in out
    done = pd.read_csv("all.csv", encoding=encoding, **READ)
    assert done["sure"].str.replace(",", ".").astype(float).tolist() == SURE.tolist()
    assert done[["id", "text"]].equals(DATA[["id", "text"]])
    assert (done["label"] != TRUTH).mean() <= 0.1
    read += " --settled settled.xlsx"
    out, _ = shell(f"verify all.json --data all.csv --labels label {read}")
    assert out.startswith("all.json: agrees with the data\n")
