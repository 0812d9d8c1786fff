"""How many rows of each stratum are drawn: equal, proportional, or given numbers."""

import json
import re

import numpy as np
import pytest
from made import sealed

from sklearn_pacmdl.audits import Audit, certify_labels, certify_share, draw_audit
from sklearn_pacmdl.bounds import stratified_upper_bound

JUDGE = np.repeat(["fail", "pass", "skip"], [100, 880, 20])
TRUTH = np.where(np.arange(1000) % 10 == 0, "fail", JUDGE)
GIVEN = {"fail": 70, "pass": 25, "skip": 5}
# A stratum with two numbers, as it has two names.
TWICE = {"allocation": {"fail": 40, "bad": 40, "pass": 15, "skip": 5}}
TWICE |= {"classes": {"fail": "bad", "pass": "good", "skip": "none"}}


def drawn(size=100, allocation="equal", strata=JUDGE, **options):
    n_rows = len(strata)
    options = {"random_state": 0} | options
    return draw_audit(n_rows, size, strata=strata, allocation=allocation, **options)


def sizes(audit, strata=JUDGE):
    return dict(zip(*np.unique(strata[audit.rows], return_counts=True), strict=True))


@pytest.mark.parametrize(
    ("allocation", "expected"),
    [
        ("equal", [40, 40, 20]),
        ("proportional", [10, 88, 2]),
        (GIVEN, [70, 25, 5]),
        ({"skip": 5, "pass": 25, "fail": 70}, [70, 25, 5]),
    ],
)
def test_rows_of_each_stratum(allocation, expected):
    audit = drawn(allocation=allocation)
    assert [*sizes(audit).values()] == expected
    assert audit.verify(JUDGE)
    again = Audit.from_json(audit.to_json())
    assert again == audit
    assert again.verify()
    assert not sealed(audit, rows=audit.rows[::-1]).verify()


@pytest.mark.parametrize(
    ("n_rows", "size", "expected"),
    [
        ([50, 50], 10, [5, 5]),
        ([50, 50], 11, [6, 5]),  # equal remainders: the first
        ([60, 30, 10], 10, [6, 3, 1]),
        ([61, 29, 10], 15, [9, 4, 2]),  # 9.15, 4.35, 1.5
        ([900, 3, 2, 1], 10, [7, 1, 1, 1]),  # one at least
        ([96, 2, 2], 60, [58, 1, 1]),  # 57.6, 1.2, 1.2
        ([1, 1, 9], 10, [1, 1, 8]),
        ([2, 98], 99, [2, 97]),
    ],
)
def test_proportional_sizes_by_hand(n_rows, size, expected):
    strata = np.repeat(np.arange(len(n_rows)), n_rows)
    audit = drawn(size, "proportional", strata)
    assert [*sizes(audit, strata).values()] == expected
    assert audit.verify()


def test_any_proportional_sizes_are_nearly_shares():
    rng = np.random.RandomState(0)
    for _ in range(200):
        n_rows = rng.geometric(0.1 ** rng.randint(1, 4), size=rng.randint(2, 9))
        strata = np.repeat(np.arange(len(n_rows)), n_rows)
        if len(strata) <= len(n_rows):
            continue
        size = rng.randint(len(n_rows), len(strata))
        found = np.array([*sizes(drawn(size, "proportional", strata), strata).values()])
        assert found.sum() == size
        assert np.all((found >= 1) & (found <= n_rows))
        assert np.all(found < size * n_rows / n_rows.sum() + 1 + (found == 1))


def test_each_stratum_has_the_same_rows_whatever_the_sizes():
    first, second = drawn(), drawn(allocation=GIVEN)
    for name in GIVEN:
        ours, theirs = ({*a.rows[JUDGE[a.rows] == name]} for a in (first, second))
        assert ours <= theirs or theirs <= ours


def test_strata_may_be_numbers_or_named_classes_and_rows_excluded():
    codes = np.unique(JUDGE, return_inverse=True)[1]
    by_code = drawn(allocation={0: 70, "1": 25, 2: 5}, strata=codes)
    np.testing.assert_array_equal(by_code.rows, drawn(allocation=GIVEN).rows)
    two = np.where(JUDGE == "fail", -1, 1)
    named = drawn(30, {"bad": 20, "good": 10}, two, classes={-1: "bad", 1: "good"})
    assert [*sizes(named, two).values()] == [20, 10]
    fewer = drawn(100, GIVEN, exclude=np.arange(30))
    assert fewer.rows.min() >= 30
    assert fewer.verify()


@pytest.mark.parametrize("further", [{}, {"skip": 0}])
def test_no_row_is_drawn_of_a_stratum_that_is_excluded(further):
    audit = drawn(allocation={"pass": 70, "fail": 30} | further, exclude=range(980, 1000))
    assert sizes(audit) == {"fail": 30, "pass": 70}
    assert audit.verify(JUDGE)
    assert Audit.from_json(audit.to_json()).verify()
    most = re.escape(
        "{'fail': 100, 'pass': 880, 'skip': 0}, and fewer in all, got {'fail'"
    )
    with pytest.raises(ValueError, match=most):
        drawn(allocation={"pass": 60, "fail": 30, "skip": 10}, exclude=range(980, 1000))


def test_statements_count_what_was_drawn():
    audit = drawn(allocation=GIVEN)
    answers = TRUTH[audit.rows]
    names, wrong = JUDGE[audit.rows], answers != JUDGE[audit.rows]
    found = [wrong[names == name].sum() for name in GIVEN]
    bound = stratified_upper_bound(found, [70, 25, 5], [100, 880, 20], 0.1)
    assert certify_labels(JUDGE, audit, answers).stated[0] == bound
    share = certify_share(JUDGE, audit, answers, of="fail")
    assert share.lower <= np.mean(TRUTH == "fail") <= share.upper
    assert [audited for _, audited, _ in share.strata] == [70, 25, 5]


def test_forged_allocations_are_found_out():
    values = json.loads(drawn(allocation=GIVEN).to_json())

    def read(allocation):
        values["design"]["allocation"] = allocation
        return Audit.from_json(json.dumps(values))

    lists = [70, 25], [70, 25, 6], [70, 26, 4], [-1, 96, 5]
    for allocation in (*lists, "other", 3, None, {}, "given"):
        assert not sealed(read(allocation)).verify(), allocation
    with pytest.raises(ValueError, match="its allocation are not a list"):
        read([[1]])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"allocation": "by size"}, "must be one of ['equal', 'proportional']"),
        ({"allocation": None}, "allocation must be one of"),
        ({"allocation": {"fail": 90, "pass": 10}}, "'pass': 880, 'skip': 20}, and fewer"),
        ({"allocation": GIVEN | {"other": 3}}, "a number of rows for each stratum of"),
        ({"allocation": GIVEN | {"skip": 5.5}}, "a number of rows for each stratum of"),
        ({"allocation": {}}, "from 1 to the rows of each stratum that may be drawn, {'f"),
        ({"allocation": {"fail": 75, "pass": 25, "skip": 0}}, "from 1 to the rows of"),
        ({"allocation": {"fail": 45, "pass": 25, "skip": 30}}, "from 1 to the rows of"),
        ({"allocation": GIVEN, "size": 99}, "size must be 100, the sum of allocation"),
        ({"allocation": "proportional", "strata": None}, '"equal" without strata'),
        (TWICE, "a number of rows for each stratum of"),
    ],
)
def test_bad_input_is_named(options, message):
    given = {"strata": JUDGE, "size": 100, "random_state": 0} | options
    with pytest.raises(ValueError, match="must be") as error:
        draw_audit(1000, **given)
    assert message in str(error.value)
