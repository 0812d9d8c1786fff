"""Plans from the shell: the same as in Python, what to run next, and what is too few."""

import re

import numpy as np
import pandas as pd
import pytest
from commands import audit, fill_in

from sklearn_pacmdl.audits import (
    audit_size,
    certify_labels,
    certify_share,
    draw_audit,
    finish_labels,
    plan_finish,
)

PLAN = "audit plan d.csv --confidence sure --budget 60"
RNG = np.random.RandomState(0)
TRUTH, SURE = RNG.choice(["a", "b", "c"], 600), RNG.uniform(size=600) ** 0.1
LABELS = np.where(RNG.uniform(size=600) < SURE, TRUTH, "b")


@pytest.fixture
def run(shell):
    texts = [f"message {i}" for i in range(600)]
    data = pd.DataFrame({"text": texts, "auto": LABELS, "sure": SURE})
    data["nr"] = np.arange(600)
    data.to_csv("d.csv", index=False)
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


def test_an_audit_of_other_rows_is_not_excluded(run):
    data = pd.read_csv("d.csv")
    data[::-1].to_csv("other.csv", index=False)
    data.assign(id=range(600)).to_csv("wider.csv", index=False)
    run("audit draw d.csv --size 20 --labels auto --seed 0 --output week1")
    exclude = "--size 20 --labels auto --seed 1 --exclude week1.json --force --output a"
    _, err = run(f"audit draw other.csv {exclude}", code=2)
    assert "but week1.json was drawn where all columns that can be compared" in err
    assert "were others: 'text', 'nr'" in err
    for same in "d.csv --columns text", "wider.csv --columns id":
        assert not run(f"audit draw {same} {exclude}")[1]
    run(
        "audit draw wider.csv --size 20 --labels auto --columns id --force --output week1"
    )
    _, err = run(f"audit draw d.csv {exclude}2")
    assert "note: week1.json has no digest of a column of d.csv: nothing tells" in err


def test_all_rows_need_no_audit(run):
    _, err = run("audit draw d.csv --size 600 --output a", code=2)
    assert "size must be an integer from 1 to 599, got 600. Where" in err
    assert "people label all rows, count the wrong labels." in " ".join(err.split())


@pytest.mark.parametrize("hidden", [0, 3])
def test_a_target_that_cannot_be_reached_names_the_smallest_one(hidden):
    audit = draw_audit(600, 60, labels=TRUTH, random_state=0)
    data = TRUTH, SURE, audit, TRUTH[audit.rows]
    options = {"max_annotator_errors": hidden}
    with pytest.warns(UserWarning, match="is too small for target=0.001") as caught:
        finish_labels(*data, target=0.001, **options)
    least = re.search(r"that can be reached is (0\.\d+)\. ", str(caught[0].message))[1]
    assert finish_labels(*data, target=float(least), **options).certificate is not None
    lower = float(least) - 1 / 600
    with pytest.warns(UserWarning, match=f"reached is {least}"):
        assert finish_labels(*data, target=lower, **options).certificate is None
    few = draw_audit(10, 1, random_state=0)
    data = TRUTH[:10], SURE[:10], few, TRUTH[few.rows]
    with pytest.warns(UserWarning, match="no target below 1 can be reached"):
        finish_labels(*data, target=0.1, delta=1e-9, max_annotator_errors=1)


def test_it_is_known_when_rows_are_drawn(run):
    draw = "audit draw d.csv --size 60 --labels auto --confidence sure --seed 0 --force "
    _, err = run(f"{draw} --target .001 --output a")
    note = "An audit of 60 of 600 rows is too small for target=0.001 and delta=0.1, even"
    assert note in err
    least = re.search(r"the smallest target that can be reached is (0\.\d+)\.\n", err)[1]
    assert not run(f"{draw} --target {least} --output a")[1]
    _, err = run(f"{draw} --target {least} --delta .05 --output a")
    assert "and delta=0.05, even if no audited row is wrong" in err


def test_one_row_and_equal_limits_are_said_as_people_say_them():
    for n_rows, size, share, errors in (
        (4, 1, "of the 1 audited row is, and 2 of all rows", "of the 1 audited row and"),
        (300, 299, "150 of all 300 rows (50.00%) are truly 'a'", "299 audited rows and"),
    ):
        labels = np.repeat(["a", "b"], n_rows // 2)
        audit = draw_audit(n_rows, size, labels=labels, random_state=0)
        audited = labels, audit, labels[audit.rows]
        assert share in certify_share(*audited, of="a", delta=0.9).claim
        assert errors in certify_labels(*audited).claim


def test_many_rows_are_not_listed_to_the_last(run):
    run("audit draw d.csv --size 200 --labels auto --seed 0 --output a")
    fill_in("a.csv", truth=TRUTH)[:5].to_csv("few.csv", index=False)
    certify = "audit certify d.csv --labels auto --audit a.json --answers few.csv"
    _, err = run(certify, code=2)
    assert re.search(r"those of 195 are missing: \[(\d+, ){10}\.\.\.\]", err)
