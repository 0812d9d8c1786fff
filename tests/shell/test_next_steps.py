"""What commands say before and after people have labeled rows."""

import re

import numpy as np
import pandas as pd
import pytest
from commands import fill_in

from sklearn_pacmdl.audits import certify_labels, certify_share, draw_audit, finish_labels

N_ROWS = 300
RNG = np.random.RandomState(0)
TRUTH = RNG.choice(["ham", "spam"], N_ROWS)
SURE = RNG.permutation(N_ROWS)


@pytest.fixture
def run(shell):
    texts = [f"message {i}" for i in range(N_ROWS)]
    data = pd.DataFrame({"text": texts, "auto": TRUTH, "sure": SURE})
    data.to_csv("d.csv", index=False)
    data[::-1].to_csv("other.csv", index=False)
    data.assign(id=range(N_ROWS)).to_csv("wider.csv", index=False)
    return shell


def test_an_audit_of_other_rows_is_not_excluded(run):
    run("audit draw d.csv --size 20 --labels auto --seed 0 --output week1")
    exclude = "--size 20 --labels auto --seed 1 --exclude week1.json --force --output a"
    _, err = run(f"audit draw other.csv {exclude}", code=2)
    assert "but week1.json was drawn where all columns that can be compared" in err
    assert "were others: 'text', 'sure'" in err
    for same in "d.csv", "wider.csv --columns id":
        assert not run(f"audit draw {same} {exclude}")[1]
    run(
        "audit draw wider.csv --size 20 --labels auto --columns id --force --output week1"
    )
    _, err = run(f"audit draw d.csv {exclude}2")
    assert "note: week1.json has no digest of a column of d.csv: nothing tells" in err


def test_all_rows_need_no_audit(run):
    _, err = run(f"audit draw d.csv --size {N_ROWS} --output a", code=2)
    assert f"size must be an integer from 1 to {N_ROWS - 1}, got {N_ROWS}. Where" in err
    assert "people label all rows, count the wrong labels." in " ".join(err.split())


@pytest.mark.parametrize("hidden", [0, 3])
def test_a_target_that_cannot_be_reached_names_the_smallest_one(hidden):
    audit = draw_audit(N_ROWS, 60, labels=TRUTH, random_state=0)
    data = TRUTH, SURE, audit, TRUTH[audit.rows]
    options = {"max_annotator_errors": hidden}
    with pytest.warns(UserWarning, match="is too small for target=0.001") as caught:
        finish_labels(*data, target=0.001, **options)
    least = re.search(r"that can be reached is (0\.\d+)\. ", str(caught[0].message))[1]
    assert finish_labels(*data, target=float(least), **options).certificate is not None
    lower = float(least) - 1 / N_ROWS
    with pytest.warns(UserWarning, match=f"reached is {least}"):
        assert finish_labels(*data, target=lower, **options).certificate is None
    few = draw_audit(10, 1, random_state=0)
    data = TRUTH[:10], SURE[:10], few, TRUTH[few.rows]
    with pytest.warns(UserWarning, match="no target below 1 can be reached"):
        finish_labels(*data, target=0.1, delta=1e-9, max_annotator_errors=1)


def test_it_is_known_when_rows_are_drawn(run):
    draw = "audit draw d.csv --size 60 --labels auto --confidence sure --seed 0 --force "
    _, err = run(f"{draw} --target .001 --output a")
    note = "An audit of 60 of 300 rows is too small for target=0.001 and delta=0.1, even"
    assert note in err
    least = re.search(r"the smallest target that can be reached is (0\.\d+)\.\n", err)[1]
    assert not run(f"{draw} --target {least} --output a")[1]
    _, err = run(f"{draw} --target {least} --delta .05 --output a")
    assert "and delta=0.05, even if no audited row is wrong" in err


def test_one_row_and_equal_limits_are_said_as_people_say_them():
    for n_rows, size, what in (
        (4, 1, "of the 1 audited row is, and 2 of all rows"),
        (300, 299, "150 of all 300 rows (50.00%) are truly 'a'"),
    ):
        labels = np.repeat(["a", "b"], n_rows // 2)
        audit = draw_audit(n_rows, size, labels=labels, random_state=0)
        audited = labels, audit, labels[audit.rows]
        assert what in certify_share(*audited, of="a", delta=0.9).claim
        assert f"of the {size} audited row" in certify_labels(*audited).claim


def test_many_rows_are_not_listed_to_the_last(run):
    run("audit draw d.csv --size 200 --labels auto --seed 0 --output a")
    fill_in("a.csv", truth=TRUTH)[:5].to_csv("few.csv", index=False)
    certify = "audit certify d.csv --labels auto --audit a.json --answers few.csv"
    _, err = run(certify, code=2)
    assert re.search(r"those of 195 are missing: \[(\d+, ){10}\.\.\.\]", err)
