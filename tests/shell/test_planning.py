"""Plans from the shell: the same as in Python, and what to run next."""

import re

import numpy as np
import pandas as pd
import pytest
from commands import audit, fill_in

from sklearn_pacmdl.audits import audit_size, plan_finish

PLAN = "audit plan d.csv --confidence sure --budget 60"
RNG = np.random.RandomState(0)
TRUTH, SURE = RNG.choice(["a", "b", "c"], 600), RNG.uniform(size=600) ** 0.1
LABELS = np.where(RNG.uniform(size=600) < SURE, TRUTH, "b")


@pytest.fixture
def run(shell):
    pd.DataFrame({"auto": LABELS, "sure": SURE}).to_csv("d.csv", index=False)
    return shell


def test_the_same_as_in_python(run):
    out, err = run(f"{PLAN} --target .1 --delta .2 --expected-accuracy .8 --output table")
    plan = plan_finish(SURE, 60, 0.1, 0.2, expected_accuracy=0.8)
    assert out.startswith(str(plan))
    assert not err
    written = pd.read_csv("table.csv", index_col="n_audited")
    pd.testing.assert_frame_equal(written, plan.to_frame())
    assert run(PLAN)[0].startswith(str(plan_finish(SURE, 60)))


def test_a_pilot_and_the_command_that_comes_next(run):
    run("audit draw d.csv --size 80 --labels auto --seed 1 --output pilot")
    fill_in("pilot.csv", truth=TRUTH)
    of_pilot = "--pilot pilot.json --labels auto --answers pilot.csv"
    out, _ = run(f"{PLAN} {of_pilot}")
    pilot = audit("pilot.json")
    learned = {"pilot": pilot, "labels": LABELS, "audit_labels": TRUTH[pilot.rows]}
    plan = plan_finish(SURE, 60, **learned)
    assert out.startswith(str(plan))
    then = re.search(r"Then run: .* (audit draw .*) --output NAME", out)[1]
    run(f"{then} --output next")
    drawn = audit("next.json")
    assert (drawn.target, drawn.delta, drawn.size) == (0.05, 0.1, 60)
    assert not set(pilot.rows) & set(drawn.pool)
    assert len(drawn.pool) == int(plan.surest * 520 + 1e-9)
    assert drawn.verify(LABELS, SURE)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--pilot d.json", "--pilot must be given with --labels."),
        ("--pilot d.json --labels auto", "--pilot must be given with --answers."),
        ("--answers d.csv", "--answers must be given with --pilot"),
        ("--budget 0", "budget must be an integer from 1 to 599"),
        ("--expected-accuracy 1", "expected_accuracy must be in the open interval"),
        ("--output d", "d.csv is to be read; choose another --output."),
    ],
)
def test_bad_input_is_refused(run, options, message):
    command = PLAN.replace(" --budget 60", "") if "--budget" in options else PLAN
    out, err = run(f"{command} {options}", 2)
    assert not out
    assert message in err


def test_size_for_a_share(run):
    command = "audit size 500 --target 6% --expected-error 30% 2% --predicted 80"
    out, _ = run(command)
    assert out.startswith("Audit 72 of 500 rows: 36 of the class by their labels")
    assert "and at most 12.00% apart with probability 0.9" in out
    assert "audit draw DATA --size 72 --strata COLUMN --output NAME" in out
    _, err = run(command.replace(" --predicted 80", ""), 2)
    assert err == "error: --expected-error must be one rate, got [0.3, 0.02].\n"


def test_size(run):
    out, _ = run("audit size 10000 --target 5% --expected-error 0,02")
    needed = audit_size(10_000, 0.05, 0.02)
    start = (
        "Audit 232 of 10,000 rows. If at most 7 of them are wrong, at most 500 of all "
    )
    assert out.startswith(start)
    assert f"this happens with probability {needed.power:.3f}." in out
    assert "audit draw DATA --size 232 --labels COLUMN --output NAME" in out
    table = "audit size d.csv --target 0.2 --expected-error 0 --delta 0.05 --power 0.5"
    assert (
        f"Audit {audit_size(600, 0.2, 0, delta=0.05, power=0.5).n_labels} of "
        in (run(table)[0])
    )
    _, err = run("audit size 100 --target 0.1 --expected-error 0.2", 2)
    assert err.startswith(
        "error: expected_error must be at most 0.1, the rate of the 10 "
    )
