"""Figures of statements for programs, by --json."""

import json
from pathlib import Path

from commands import CERTIFY, FINISH, certificate


def figures(out):
    assert out.count("\n") == 1
    return json.loads(out)


def test_figures_of_both_sides(drawn):
    found = figures(drawn(f"{CERTIFY} --sides 2 --json --output c")[0])
    made = certificate("c.json")
    most, n_rows = made.stated
    assert found == {
        "statement": made.statement,
        "delta": 0.1,
        "at_least": made.fewest,
        "at_most": most,
        "n_rows": n_rows,
    }
    assert f"between {found['at_least']} and {most} of all {n_rows}" in made.statement
    assert figures(drawn(f"{CERTIFY} --json")[0])["at_least"] is None


def test_exit_codes_stay(drawn):
    out, err = drawn(f"{CERTIFY} --json --at-most .001", 1)
    assert figures(out)["at_most"] > 0
    assert err.startswith("not met: ")
    out, err = drawn(f"{FINISH} --json --output f")
    assert figures(out)["at_most"] == certificate("f.json").stated[0]
    out, err = drawn(f"{FINISH.replace('.1', '1e-9')} --json --output g", 1)
    assert out == ""


def test_figures_of_what_agrees_only(drawn):
    drawn(f"{CERTIFY} --output c")
    same = CERTIFY.replace("audit certify d.csv", "verify c.json --data d.csv")
    found = figures(drawn(f"{same} --json")[0])
    assert found["outcome"] == "agrees with the data"
    assert found["at_most"] == certificate("c.json").stated[0]
    text = Path("c.json").read_text("utf-8")
    Path("c.json").write_text(text.replace('"n_train_errors": ', '"n_train_errors": 1'))
    out, err = drawn(f"{same} --json", 1)
    found = figures(out)
    assert found["outcome"] == "does not agree"
    assert found["problems"]
    assert "statement" not in found
    assert "problem: " in err
    Path("c.json").write_text("{}")
    assert figures(drawn("verify c.json --json", 2)[0]) == {"outcome": "cannot be read"}
    _, err = drawn("verify c.json a.json --json", 2)
    assert "--json must be left out for several files" in err
    found = figures(drawn("verify a.json --json", 3)[0])
    assert "statement" not in found
