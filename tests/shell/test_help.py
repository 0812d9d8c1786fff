"""Help, bad and repeated options, and how commands are started and interrupted."""

import runpy
import subprocess
import sys
import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path

import pandas as pd
import pytest
from commands import CERTIFY, CLASSES, FINISH, read, sheets

from sklearn_pacmdl.__main__ import main


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("", "the following arguments are required: {audit,look,certify,verify} ("),
        ("audit", "following arguments are required: {plan,size,draw,rows,certify,"),
        ("audit draw d.csv --size 5 --out o", "arguments are required: --output"),
        ("audit draw d.csv --size 0 --output o", "size must be an integer from 1 to 599"),
        ("audit draw d.csv --size 5 --output no/o", "No such file or directory: 'no/o"),
        ("audit draw x.parquet --size 5 --output o", "x.parquet"),
        (
            "audit draw d.csv --size 5 --output o --labels x",
            "must have a column 'x', got",
        ),
        (
            "audit draw d.csv --size 5 --output o --confidence text",
            "Column 'text' of d.csv must hold numbers, with a decimal point, or all wi",
        ),
        ("audit draw d.csv --size 5 --output o --exclude d.csv", "d.csv: Not an audit"),
        (f"{CERTIFY} --at-most 0", "--at-most must be in the open interval (0, 1)"),
        (f"{CERTIFY} --answer-column x", "filled.csv must have a column 'x', got"),
        (f"{FINISH} --output f --rest a.csv", "a.csv, column 'label': "),
    ],
)
def test_bad_input_is_one_line(drawn, command, message):
    out, err = drawn(command, 2)
    assert err.startswith("error: ")
    assert message in err
    assert err.count("\n") == 1
    assert out == ""


def test_without_pandas(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    _, err = run("audit draw d.csv --size 1 --output o", 2)
    assert err == (
        "error: Reading files requires pandas; pip install 'sklearn-pacmdl[plot]' "
        "installs it.\n"
    )


def test_help_has_the_workflow_in_six_lines(run):
    out, _ = run("--help")
    assert "Excel, JSON or Parquet" in out
    lines = out.partition("workflow:\n")[2].partition("\n\n")[0].splitlines()
    words = ["look", "audit draw", "people", "audit certify", "audit finish", "verify"]
    assert len(lines) == len(words)
    for line, word in zip(lines, words, strict=True):
        assert line.startswith(f"  {word} ")
        assert len(line) <= 80


FINISHING = ["draw", "certify", "share", "classes", "finish"]


@pytest.mark.parametrize(
    "command",
    ["", "look", "audit", *(f"audit {name}" for name in FINISHING), "certify", "verify"],
)
def test_help(run, command):
    out, _ = run(f"{command} --help")
    assert out.startswith(f"usage: python -m sklearn_pacmdl {command}".rstrip())
    assert ("exit codes:" in out) == (command != "audit")


@pytest.mark.parametrize("name", ["difference", "certify"])
def test_help_promises_a_table_by_segments_where_there_are_any(run, name):
    words = " ".join(run(f"audit {name} --help")[0].split())
    assert ("--by COLUMN" in words) == ("with --by NAME.csv" in words)


def test_commands_to_run_next_are_called_as_this_one_was(run, monkeypatch):
    command = "audit draw d.csv --size 5 --labels auto --force --output a"
    for name in ("pacmdl", "/usr/bin/pacmdl", r"bin/pacmdl.exe"):
        monkeypatch.setattr(sys, "argv", [name])
        assert "Then run: pacmdl audit certify d.csv" in run(command)[0]
        assert run("audit --help")[0].startswith("usage: pacmdl audit")
    monkeypatch.setattr(sys, "argv", ["sklearn_pacmdl/__main__.py"])
    assert "Then run: python -m sklearn_pacmdl audit" in run(command)[0]


def test_the_script_runs_the_commands():
    path = Path(__file__).parents[2] / "pyproject.toml"
    script = tomllib.loads(path.read_text("utf-8"))["project"]["scripts"]["pacmdl"]
    assert EntryPoint("pacmdl", script, "console_scripts").load() is main


@pytest.mark.parametrize("command", ["--help", "audit draw --help", "audit draw"])
def test_help_does_not_wait_for_imports(command):
    code = (
        "import sys; from sklearn_pacmdl.__main__ import main\n"
        f"try: main({command.split()})\n"
        "finally: print({'sklearn', 'numpy', 'scipy', 'pandas'} & set(sys.modules))"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert said.stdout.endswith("set()\n"), said.stderr


def test_an_interrupt_is_one_line(run, monkeypatch, capsys):
    def interrupt(path, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("pyarrow.parquet.ParquetFile", interrupt)
    command = "audit draw d.parquet --size 5 --output o"
    monkeypatch.setattr(sys, "argv", ["sklearn_pacmdl", *command.split()])
    monkeypatch.delitem(sys.modules, "sklearn_pacmdl.__main__")
    with pytest.raises(SystemExit, match="^130$"):
        runpy.run_module("sklearn_pacmdl", run_name="__main__")
    assert capsys.readouterr() == ("", "interrupted\n")


def test_settled_tables_add_up(drawn):
    expected, _ = drawn(CERTIFY)
    wrong = {i: CLASSES[CLASSES.index(sheets()["label"][i]) - 1] for i in (0, 1)}
    sheets(label=wrong).to_csv("other.csv", index=False)
    for i in wrong:
        read("filled.csv")[i : i + 1].to_csv(f"{i}.csv", index=False)
    out, _ = drawn(f"{CERTIFY} other.csv --settled 0.csv --settled 1.csv")
    assert out.endswith(expected)


def test_columns_add_up(drawn):
    drawn("audit draw d.csv --size 9 --columns conf --columns text,id --output b")
    assert [*pd.read_csv("b.csv")] == ["row", "conf", "text", "id", "label"]
    command = "audit draw d.csv --size 9 --columns text --columns id,text --output c"
    _, err = drawn(command, code=2)
    assert "--columns must name each column once, got ['text', 'id', 'text']" in err
    sheets(ben={}).to_csv("filled.csv", index=False)
    out, _ = drawn(f"{CERTIFY} --answer-column label --answer-column ben")
    assert out.startswith("2 people agree on 250 of 250 rows")


def test_metrics_and_their_limits_add_up(drawn):
    command = CERTIFY.replace("certify", "classes")
    metrics = "--metrics precision --metrics recall"
    least = "--at-least precision=.99 --at-least recall=.99"
    out, err = drawn(f"{command} {metrics} {least}", code=1)
    assert "precision of '007'" in err
    assert "recall of '007'" in err
    assert "f1" not in out


@pytest.mark.parametrize(
    ("command", "option", "values"),
    [
        ("audit draw d.csv --size 9 --output b", "--strata", ("auto", "id")),
        ("audit draw d.csv --output b", "--size", (9, 10)),
        (CERTIFY, "--at-most", (0.2, 0.9)),
        (FINISH, "--row-path", ("row", "text")),
        ("certify d.csv --y auto --output b", "--certify", ("auto", "holdout")),
        ("verify a.json", "--data", ("d.csv", "one.csv")),
    ],
)
def test_a_single_value_is_given_once(run, command, option, values):
    one, other = values
    _, err = run(f"{command} {option} {one} {option} {other}", code=2)
    what = "must be given once, as a single value, got"
    assert f"argument {option}: {what} {one!r} and {other!r}" in err


@pytest.mark.parametrize("command", ["audit draw", "audit certify", "verify", "certify"])
def test_the_help_says_what_repeating_does(shell, command):
    out, _ = shell(f"{command} --help")
    assert "may be repeated: --answers a.csv --answers b.csv" in " ".join(out.split())
