"""What --report and --json write: pages for readers, and figures for programs."""

import json
import re
from pathlib import Path

import pytest
from commands import CERTIFY, FINISH, certificate

SHARE = CERTIFY.replace("certify", "share") + " --of 007"


def written(html):
    """What a page says, without the time when it was written."""
    return re.sub(r"Written \S+", "", html)


def page(path):
    return written(Path(path).read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "command",
    [f"{FINISH} --output c", "verify a.json"],
    ids=lambda command: command.split()[1],
)
def test_a_page_has_the_statement(drawn, command):
    drawn(f"{command} --report p.html", 3 if "verify" in command else 0)
    html = Path("p.html").read_text(encoding="utf-8")
    assert html.count("<figure>") == 1
    assert ("With probability at least 90%" in html) == ("verify" not in command)
    assert Path("c.json").exists() == ("--output" in command)


def test_a_page_is_that_of_python(drawn):
    drawn(f"{SHARE} --output c --report p.html")
    assert page("p.html").strip() == written(certificate("c.json").report().html)
    options = SHARE.partition("audit share ")[2].partition(" --of")[0]
    drawn(f"verify c.json --data {options} --report v.html")
    text = page("v.html")
    assert "certificate agrees with the data." in text
    assert "d.csv, column &#39;auto&#39;: 600 labels counted" in text


def test_a_page_of_what_does_not_agree(drawn):
    drawn(f"{SHARE} --output c")
    altered = Path("c.json").read_text(encoding="utf-8").replace("0.1", "0.2")
    Path("e.json").write_text(altered, encoding="utf-8")
    drawn("verify e.json --report p.html", 1)
    assert "does not agree" in page("p.html")
    assert "With probability" not in page("p.html")
    Path("e.json").write_text("{}", encoding="utf-8")
    drawn("verify e.json --report p.html --force", 2)
    assert "cannot be read" in page("p.html")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--report p.txt", "--report must be the name of a file that ends in .html, got"),
        ("--report d.csv", "--report must be the name of a file that ends in .html, got"),
        ("--report there.html", "there.html exists; choose another --report, or add"),
    ],
)
def test_bad_names_of_pages(drawn, options, message):
    Path("there.html").write_text("mine", encoding="utf-8")
    for command in (f"{SHARE} --output c", "verify a.json"):
        _, err = drawn(f"{command} {options}", 2)
        assert err.startswith(f"error: {message}")
    assert not Path("c.json").exists()
    assert Path("there.html").read_text(encoding="utf-8") == "mine"
    _, err = drawn("verify a.json a.json --report p.html", 2)
    several = "must be left out for several files, got 2: verify each by itself"
    assert err == f"error: --report {several}.\n"


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
