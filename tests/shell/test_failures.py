"""What was not foreseen is one line and bad input, never "it does not hold"."""

import os
import subprocess
import sys

import pandas as pd
import pytest

from sklearn_pacmdl.shell import _auditing

SIZE = "audit size 10000 --target .05 --expected-error .02"


def failing(error):
    def fail(*args, **kwargs):
        raise error

    return fail


@pytest.mark.parametrize(
    "error", [MemoryError(), KeyError("x"), RecursionError("deep"), AssertionError()]
)
def test_an_unforeseen_error_is_one_line_and_bad_input(shell, monkeypatch, error):
    monkeypatch.setattr(_auditing, "audit_size", failing(error))
    out, err = shell(SIZE, code=2)
    assert not out
    assert err.count("\n") == 1
    what = f"{type(error).__name__}{': ' * bool(str(error))}{error}"
    where = "(test_failures.py, line 17). python -X dev -m sklearn_pacmdl"
    assert err.startswith(f"error: {what} {where}")


def test_the_traceback_is_shown_in_development_mode(tmp_path):
    code = """\
from sklearn_pacmdl.__main__ import main
from sklearn_pacmdl.shell import _auditing
del _auditing.audit_size
raise SystemExit(main())
"""
    command = [sys.executable, "-X", "dev", "-W", "ignore", "-c", code, *SIZE.split()]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("Traceback")
    assert "\nerror: NameError: name 'audit_size' is not defined" in done.stderr


@pytest.mark.skipif(os.name != "posix", reason="pipes of POSIX")
@pytest.mark.parametrize("command", ["--help", "verify a.json"])
def test_a_pipe_that_nobody_reads_ends_the_command_without_a_word(shell, command):
    pd.DataFrame({"text": ["a", "b", "c"]}).to_csv("d.csv", index=False)
    shell("audit draw d.csv --size 1 --output a")
    reading, writing = os.pipe()
    os.close(reading)
    program = [sys.executable, "-m", "sklearn_pacmdl", *command.split()]
    done = subprocess.run(
        program, stdout=writing, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(writing)
    codes = {141, 0} if command == "--help" else {141}  # argparse may keep it to itself
    assert done.returncode in codes
    assert not done.stderr
