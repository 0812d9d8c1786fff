"""Audits of batches, one after the other, all of which hold together."""

import json
from decimal import ROUND_UP, Context, Decimal, localcontext
from fractions import Fraction
from functools import cache
from hashlib import sha256
from itertools import product
from math import comb, isqrt, pi

import numpy as np
import pytest
from scipy.stats import binom

from sklearn_pacmdl.audits import AuditSeries, audit_size, certify_labels
from sklearn_pacmdl.certificates import BoundCertificate

MONTHS = ["January", "February", "March"]
ROWS = 500


def batch(month, rate=0.02):
    """Labels of a batch, and the right ones."""
    rng = np.random.RandomState(MONTHS.index(month))
    truth = rng.randint(3, size=ROWS)
    return np.where(np.arange(ROWS) < rate * ROWS, 3, truth), truth


def added(series, month, size=60, rate=0.02, **options):
    labels, truth = batch(month, rate)
    seed = {"random_state": MONTHS.index(month)}
    audit = series.draw(month, labels, size=size, **seed | options)
    return series.certify(month, labels, truth[audit.rows])


@pytest.fixture
def series():
    """One batch is certified, one skipped and one waiting."""
    series = AuditSeries(target=0.2, n_batches=4)
    added(series, "January")
    series.skip("February")
    series.draw("March", batch("March")[0], size=60, random_state=2)
    return series


def sealed(values):
    """With the digest that anybody can compute."""
    text = json.dumps(values | {"digest": None}, sort_keys=True, separators=(",", ":"))
    return values | {"digest": sha256(text.encode()).hexdigest()}


def exact(number):
    return Fraction(repr(number))


@pytest.mark.parametrize("delta", [0.1, 0.05, 0.3, 1e-7, 0.123456789])
@pytest.mark.parametrize("n_batches", [1, 2, 3, 7, 12, 60, 997])
def test_equal_shares(delta, n_batches):
    series = AuditSeries(target=0.1, delta=delta, n_batches=n_batches)
    (share,) = {series.share(t) for t in range(1, n_batches + 1)}
    assert Fraction("0.999") * exact(delta) < n_batches * exact(share) <= exact(delta)
    assert len(Decimal(repr(share)).as_tuple().digits) <= 4


def test_shares_that_need_no_rounding_are_whole():
    assert AuditSeries(target=0.1, delta=0.3, n_batches=3).share(3) == 0.1
    assert AuditSeries(target=0.1, n_batches=1).share(1) == 0.1


@pytest.mark.parametrize("delta", [0.1, 0.999, 1e-7])
def test_shares_without_an_end(delta):
    """Roots are enclosed by those of integers, and sums are exact."""
    series = AuditSeries(target=0.1, delta=delta)
    spent, scale = Fraction(0), 10**30
    for t in range(1, 3001):
        share = exact(series.share(t))
        before, after = isqrt(scale**2 // t), isqrt(scale**2 // (t + 1))
        part = exact(delta) * Fraction(before - after, scale)
        error = exact(delta) * Fraction(2, scale)
        assert Fraction("0.999") * (part - error) < share <= part + error
        spent += share
        assert spent < exact(delta)
    # So little is lost to rounding and left for later batches.
    assert spent > exact(delta) * Fraction("0.98")
    assert 0 < series.share(10**12) < 1e-18


def test_shares_do_not_depend_on_the_decimal_context_of_the_user():
    series = AuditSeries(target=0.1)
    expected = [series.share(t) for t in range(1, 50)]
    with localcontext(Context(prec=2, rounding=ROUND_UP)):
        assert [series.share(t) for t in range(1, 50)] == expected


def test_what_the_notes_say_of_shares():
    """Labels for 12 and for 60 batches, and the schedules that need more."""

    def labels(share):
        plan = {"n_rows": 10_000, "target": 0.05, "expected_error": 0.02}
        each = [audit_size(**plan, delta=share(t)).n_labels for t in range(1, 61)]
        return f"{sum(each[:12]):,}", f"{sum(each):,}"

    said = " ".join(AuditSeries.__doc__.split())
    equal = [AuditSeries(target=0.1, n_batches=n).share(1) for n in (12, 60)]
    for ours, other in [
        (AuditSeries(target=0.1).share, "{} labels for 12 batches and {} for 60"),
        (lambda t: 0.1 / (t * (t + 1)), "{} and {} if shares are 1 / (t (t + 1))"),
        (lambda t: 0.6 / (pi * t) ** 2, "{} and {} if they are proportional to 1 / t**2"),
    ]:
        assert other.format(*labels(ours)) in said
    known = labels(lambda t: equal[0])[0], labels(lambda t: equal[1])[1]
    assert "known, it takes {} and {}".format(*known) in said


def test_each_batch_is_certified_at_its_share_and_planned_for_it():
    series = AuditSeries(target=0.1, n_batches=3)
    planned = series.plan(ROWS, expected_error=0.02)
    assert planned == audit_size(ROWS, 0.1, 0.02, delta=0.03333)
    labels, truth = batch("January")
    audit = series.draw("January", labels, expected_error=0.02, random_state=0)
    assert audit.size == planned.n_labels
    assert series.states == {"January": "waiting"}
    certificate = series.certify("January", labels, truth[audit.rows])
    expected = certify_labels(labels, audit, truth[audit.rows], delta=0.03333)
    assert certificate == expected == series.certificates["January"]
    assert series.audits["January"] is audit
    assert series.states == {"January": "certified"}
    # The next size follows from what was seen.
    wrong = certificate.n_train_errors
    guess = (wrong + 1) / (audit.size + 2)
    assert series.plan(ROWS) == audit_size(ROWS, 0.1, guess, delta=0.03333)
    assert series.plan(ROWS, power=0.99).n_labels > series.plan(ROWS).n_labels


def test_a_share_that_is_skipped_is_lost(series):
    assert series.share(3) == series.share(1) == 0.025
    labels, truth = batch("March")
    answers = truth[series.audits["March"].rows]
    assert series.certify("March", labels, answers).delta == 0.025
    endless = AuditSeries(target=0.1)
    endless.skip("January")
    assert added(endless, "February").delta == endless.share(2)


def test_a_batch_that_waits_can_be_given_up(series):
    series.skip("March")
    assert series.states["March"] == "skipped"
    labels, truth = batch("March")
    with pytest.raises(ValueError, match="'March' waits for no labels: it is skipped"):
        series.certify("March", labels, truth[:60])
    with pytest.raises(ValueError, match="name must be a text of"):
        series.draw("March", labels, size=60)
    assert AuditSeries.from_json(series.to_json()).verify()


def test_a_seed_is_not_used_again_after_its_batch_was_given_up():
    """Who labels the next batch may know these rows."""
    labels, _ = batch("January")
    series = AuditSeries(target=0.1)
    first = series.draw("January", labels, size=50, random_state=0)
    series.skip("January")
    series = AuditSeries.from_json(series.to_json())
    with pytest.raises(ValueError, match="must be those of no earlier batch"):
        series.draw("February", labels, size=50, random_state=0)
    series.draw("February", labels, size=50, random_state=1)
    values = json.loads(series.to_json())
    values["batches"][1]["audit"] = values["batches"][0]["given_up"]
    altered = AuditSeries.from_json(json.dumps(sealed(values)))
    assert altered.audits["February"] == first
    assert "its seed is that of another batch" in str(altered.verify())
    values = json.loads(series.to_json())
    values["batches"][0]["given_up"]["seed"] = "0x7"
    altered = AuditSeries.from_json(json.dumps(sealed(values)))
    assert "January: digest is not that of the other fields" in str(altered.verify())
    values["batches"][0] |= {"audit": values["batches"][1]["audit"]}
    values["batches"][0] |= {"counts": values["batches"][1]["counts"]}
    altered = AuditSeries.from_json(json.dumps(sealed(values)))
    assert "it is given up, and has an audit" in str(altered.verify())


def test_a_series_is_not_longer_than_can_be_read(series):
    before = series.to_json()
    with pytest.raises(ValueError, match="No file can hold the series: it has more than"):
        series.draw("April", np.arange(2**21), size=2)  # counts of as many labels
    assert series.to_json() == before
    assert series.draw("April", np.arange(2**9), size=2).size == 2


def test_a_certificate_is_shorter_than_what_is_kept_free_for_it():
    """Or a batch that was drawn could not be certified."""
    text, labels = "\U0001f600" * 200, np.zeros(500, dtype=int)
    series = AuditSeries(target=0.1)
    audit = series.draw(text, labels, size=60, seed_text=text)
    certificate = series.certify(text, labels, labels[audit.rows]).to_json()
    assert len(certificate) < 16_000
    assert sum(map(certificate.count, ",[{")) < 200


def test_rows_are_drawn_once_for_each_batch(series):
    before, labels = series.to_json(), batch("March")[0]
    endless = AuditSeries(target=0.1)
    endless.draw("January", labels, size=50, random_state=0)
    for each, name in [(series, "March"), (series, "January"), (endless, "January")]:
        with pytest.raises(ValueError, match="name must be a text"):
            each.draw(name, labels, size=50, random_state=7)
    with pytest.raises(
        ValueError, match="random_state or seed_text must be those of no ea"
    ):
        endless.draw("February", labels, size=50, random_state=0)
    assert [*endless.states] == ["January"]
    assert series.to_json() == before


def test_a_certificate_is_made_once(series):
    labels, truth = batch("January")
    with pytest.raises(
        ValueError, match="'January' waits for no labels: it is certified"
    ):
        series.certify("January", labels, truth[series.audits["January"].rows])
    with pytest.raises(ValueError, match="'January' waits for no labels"):
        series.skip("January")


def test_only_the_labels_that_were_drawn_for_are_certified(series):
    labels, truth = batch("March")
    answers = truth[series.audits["March"].rows]
    with pytest.raises(ValueError, match="labels must be what the audit was drawn for"):
        series.certify("March", truth, answers)
    with pytest.raises(ValueError, match="audit_labels must have a label for every row"):
        series.certify("March", labels, [*answers[:-1], -1])
    assert series.states["March"] == "waiting"


def test_bad_input_is_named_and_adds_nothing():
    labels = batch("January")[0]
    series = AuditSeries(target=0.1, n_batches=1)
    for options, message in [
        ({}, "expected_error must be given for the first batch"),
        ({"size": 0}, "size must be an integer"),
        ({"expected_error": 0.2}, "expected_error must be at most 0.1"),
        ({"size": 5, "name": ""}, "name must be a text of 1 to 200"),
        ({"size": 5, "name": 3}, "name must be a text of 1 to 200"),
        ({"size": 5, "labels": [1]}, "labels must be labels of at least 2 rows"),
    ]:
        with pytest.raises(ValueError, match=message):
            series.draw(**{"name": "January", "labels": labels} | options)
    assert series.states == {}
    added(series, "January")
    with pytest.raises(ValueError, match="n_batches must be above 1 .* got 1"):
        series.skip("February")
    with pytest.raises(ValueError, match="position must be an integer from 1 to 1"):
        series.share(2)


def test_statement():
    series = AuditSeries(target=0.1, delta=0.05)
    assert series.statement == "Nothing is certified yet."
    first = added(series, "January")
    errors = first.n_train_errors + first.max_test_errors
    start = (
        "With probability at least 95% over the random choice of the audited rows of "
        "each batch, "
    )
    end = (
        ") are labeled wrongly, provided the labels that people gave to the audited rows "
        "are right, the audit was not drawn again or chosen because of its result and "
        "the series was not begun anew because of its results."
    )
    assert series.statement.startswith(f"{start}at most {errors} of the 500 rows of ")
    assert series.statement.endswith(end)
    second = added(series, "February")
    errors += second.n_train_errors + second.max_test_errors
    assert series.statement.startswith(
        f"{start}the bounds of all 2 certified batches hold together, and at most "
        f"{errors} of the 1000 rows of certified batches ({errors / 10:.2f}%"
    )
    assert series.statement.endswith(end)
    assert f"\nFebruary: above target, {second.claim}" in str(series)


def test_table(series):
    frame = series.to_frame()
    assert [*frame.index] == MONTHS
    assert [*frame["state"]] == ["certified", "skipped", "waiting"]
    c = series.certificates["January"]
    row, n_wrong = frame.loc["January"], c.n_train_errors + c.max_test_errors
    assert (row["n_rows"], row["n_audited"], row["error_rate"]) == (500, 60, 2 / 60)
    assert row["max_error_rate"] == row["max_error_rate_so_far"] == n_wrong / 500
    assert frame["n_audited"].isna().tolist() == [False, True, False]
    assert frame["max_error_rate"].isna().tolist() == [False, True, True]
    assert set(frame["share"]) == {0.025}
    assert repr(series) == "AuditSeries(1 certified, 1 skipped, 1 waiting)"
    assert AuditSeries(target=0.1).to_frame().empty


def test_a_batch_above_the_target_is_certified_nevertheless():
    series = AuditSeries(target=0.1)
    bad = added(series, "January", rate=0.2)
    good = added(series, "February", size=200, rate=0.0)
    assert series.states == {"January": "above target", "February": "certified"}
    stated = [c.n_train_errors + c.max_test_errors for c in (bad, good)]
    so_far = series.to_frame()["max_error_rate_so_far"]
    assert so_far.tolist() == [stated[0] / 500, sum(stated) / 1000]


def test_goes_on_next_month(series):
    text = series.to_json(indent=1)
    again = AuditSeries.from_json(text)
    assert again.to_json() == series.to_json()
    labels, truth = batch("March")
    answers = truth[series.audits["March"].rows]
    assert again.certify("March", labels, answers) == series.certify(
        "March", labels, answers
    )
    assert AuditSeries.from_json(again.to_json()).states == again.states


def test_verification(series):
    january, truth = batch("January")
    verification = series.verify({"January": january})
    assert verification.outcome == "agrees with itself; no data were compared"
    assert verification.checked == (
        "series: SHA-256 digest",
        "January: rows, drawn again from the seed",
        "March: rows, drawn again from the seed",
    )
    assert verification.unchecked == (
        "January: human labels, which are not given",
        "March: labels, which are not given",
    )
    labels = {"January": january, "March": batch("March")[0]}
    answers = truth[series.audits["January"].rows]
    assert series.verify(labels).outcome.startswith("agrees with itself")
    verification = series.verify(labels, {"January": answers})
    assert verification.outcome == "agrees with the data"
    assert verification.unchecked == ()
    problems = series.verify(labels, {"January": answers[::-1]}).problems
    assert any(problem.startswith("January: n_train_errors is") for problem in problems)
    with pytest.raises(ValueError, match="audit_labels must be by names among"):
        series.verify({"March": labels["March"]}, {"January": answers})
    problems = " ".join(series.verify({"March": january}).problems)
    assert "March: labels: its SHA-256 digest is not the one" in problems
    assert "March: its counts are not those of the labels" in problems
    for wrong in ({"February": january}, {"May": january}, january):
        with pytest.raises(ValueError, match="labels must be by names among"):
            series.verify(wrong)


def drop_first(values):
    values["batches"] = values["batches"][1:]


def reorder(values):
    values["batches"].reverse()


def restate(values):
    """A certificate at a share that was taken from another batch."""
    text = json.dumps(values["batches"][0]["certificate"])
    other = BoundCertificate.from_json(text).restated(delta=0.05)
    values["batches"][0]["certificate"] = json.loads(other.to_json())


def fewer_errors(values):
    certificate = values["batches"][0]["certificate"]
    values["batches"][0]["certificate"] = sealed(certificate | {"max_test_errors": 1})


def other_rows(values):
    audit = values["batches"][2]["audit"]
    values["batches"][2]["audit"] = sealed(audit | {"rows": audit["rows"][::-1]})


def other_audit(values):
    other = AuditSeries(target=0.1)
    other.draw("x", batch("January")[0], size=60, random_state=9)
    values["batches"][0]["audit"] = json.loads(other.audits["x"].to_json())


def other_labels(values):
    other = AuditSeries(target=0.1, n_batches=4)
    added(other, "February", random_state=0)
    values["batches"][0]["certificate"] = json.loads(
        other.certificates["February"].to_json()
    )


def no_seed(values):
    """Rows that somebody has picked."""
    audit = values["batches"][2]["audit"] | {"seed": None, "seed_text": None}
    values["batches"][2]["audit"] = sealed(audit | {"rows": [*range(60)]})


def not_among_all(values):
    audit = values["batches"][2]["audit"]
    excluded = sorted({*range(audit["n_rows"])} - {*audit["rows"]})[:9]
    values["batches"][2]["audit"] = sealed(audit | {"excluded": excluded})


def same_audit(values):
    values["batches"][2] |= {k: values["batches"][0][k] for k in ("audit", "counts")}


ALTERATIONS = {
    lambda values: values.update(
        delta=0.2
    ): "its certificate is not that of its audit at its share",
    lambda values: values.update(
        n_batches=None
    ): "its certificate is not that of its audit at its share",
    restate: "its certificate is not that of its audit at its share",
    fewer_errors: "max_test_errors is below the bound",
    other_rows: "rows are not those that follow from seed",
    other_audit: "its certificate is not that of its audit at its share",
    other_labels: "its certificate is not that of its audit at its share",
    no_seed: "its audit is no choice of single rows among all by a seed",
    not_among_all: "its audit is no choice of single rows among all by a seed",
    same_audit: "its seed is that of another batch",
    lambda values: values["batches"][0]["counts"].update({"0": 1}): (
        "its counts are not those of all rows"
    ),
    lambda values: values["batches"][0]["audit"].update(date="2020"): "audit's digest",
    lambda values: values["batches"][0].update(audit=None): "certificate has no audit",
    lambda values: values["batches"][2].update(audit=None): "its counts are not those",
    lambda values: values["batches"][2].update(counts={}): "its counts are not those",
}


@pytest.mark.parametrize(("alter", "problem"), ALTERATIONS.items())
def test_altered_files_are_found_out_and_not_gone_on_with(series, alter, problem):
    values = json.loads(series.to_json())
    alter(values)
    altered = AuditSeries.from_json(json.dumps(values))
    assert "digest is not that of the other fields" in altered.verify().problems
    with pytest.raises(ValueError, match="The series must be as it was written, but dig"):
        altered.skip("April")
    assert problem in " ".join(
        AuditSeries.from_json(json.dumps(sealed(values))).verify().problems
    )


@pytest.mark.parametrize("alter", [drop_first, reorder])
def test_positions_are_not_exchanged(alter):
    """Shares of an endless series follow from positions."""
    series = AuditSeries(target=0.1)
    for month in MONTHS[:2]:
        added(series, month)
    values = json.loads(series.to_json())
    alter(values)
    altered = AuditSeries.from_json(json.dumps(sealed(values)))
    assert "its certificate is not that of its audit at its share" in str(
        altered.verify()
    )


@pytest.mark.parametrize(
    ("where", "change", "message"),
    [
        ((), {"format": 0}, "its format is not"),
        ((), {"more": 0}, "its fields must be"),
        ((), {"delta": 2}, "delta must be in the open interval"),
        ((), {"batches": 3}, "Not a series of audits"),
        ((), {"n_batches": 2}, "n_batches must be above 2 for another batch"),
        (("batches", 0), {"name": "March"}, "name must be a text of 1 to 200 .*, and no"),
        (("batches", 0), {"name": 3}, "name must be a text of 1 to 200"),
        (("batches", 0), {"counts": {"a": -1}}, "its counts are not numbers"),
        (("batches", 0), {"counts": [1]}, "Not a series of audits"),
        (("batches", 0), {"more": 0}, "Not a series of audits"),
        (
            ("batches", 0, "certificate"),
            {"n_test": "9"},
            "a certificate is wrong: n_test",
        ),
        (("batches", 0, "audit"), {"fingerprints": 7}, "Not a series of audits"),
        (("batches", 0, "audit"), {"fingerprints": []}, "Not a series of audits"),
    ],
)
def test_what_is_no_series_is_refused(series, where, change, message):
    values = json.loads(series.to_json())
    at = values
    for key in where:
        at = at[key]
    at |= change
    with pytest.raises(ValueError, match=message):
        AuditSeries.from_json(json.dumps(values))


def test_more_rows_than_are_drawn_again_are_left_to_those_who_have_them(series):
    """A file of a few bytes must not fill the memory."""
    values = json.loads(series.to_json())
    march = values["batches"][2]
    march["audit"] = sealed(march["audit"] | {"n_rows": 2 * 10**7})
    march["counts"] = {"0": 2 * 10**7}
    verification = AuditSeries.from_json(json.dumps(sealed(values))).verify()
    assert verification
    assert verification.unchecked[-1] == (
        "March: rows, which are drawn again with its labels; labels, which are not given"
    )


def test_drift():
    """Batches of the same distribution, and one that has another."""
    rng = np.random.RandomState(0)
    series = AuditSeries(target=0.5)
    for name, share in {"a": 0.5, "b": 0.5, "c": 0.7}.items():
        series.draw(
            name, rng.choice(["ham", "spam"], p=[share, 1 - share], size=2000), size=9
        )
    series.skip("d")
    assert np.isnan(series.drift_p_value("a"))
    assert series.drift_p_value("b") > 0.001
    assert series.drift_p_value("c") < 0.001
    assert series.drift_p_value("c", "a") < 0.001
    again = AuditSeries.from_json(series.to_json())
    p_values = [again.drift_p_value(name) for name in "abc"]
    np.testing.assert_array_equal(again.to_frame()["drift_p_value"], [*p_values, np.nan])
    for wrong in (("d",), ("a", "d"), ("e",), (3,)):
        with pytest.raises(ValueError, match="(name|other) must be one of "):
            series.drift_p_value(*wrong)


def test_p_values_of_random_divisions_are_valid():
    rng = np.random.RandomState(0)
    rows, p_values = np.arange(300) % 3, []
    for _ in range(200):
        series = AuditSeries(target=0.5)
        for name, labels in zip(
            "ab", np.split(rng.permutation(rows), [120]), strict=True
        ):
            series.draw(name, labels, size=5)
        p_values.append(series.drift_p_value("b"))
    assert np.sum(np.array(p_values) <= 0.1) <= binom.ppf(1 - 1e-5, 200, 0.1)
    assert np.sum(np.array(p_values) <= 0.5) > 50


@pytest.mark.filterwarnings("ignore:labels holds -1 in 50 of 500 rows")
def test_labels_that_are_missing_are_not_counted_as_errors_and_are_a_kind_of_rows():
    labels, truth = batch("January")
    labels = np.where(np.arange(ROWS) % 10 == 0, -1, labels)
    series = AuditSeries(target=0.2)
    audit = series.draw("January", labels, size=100, random_state=0)
    certificate = series.certify("January", labels, truth[audit.rows])
    assert certificate.n_train + certificate.n_test == 450
    assert "of the 450 rows of certified batches that are given a label (" in (
        series.statement
    )
    assert series.verify({"January": labels})
    assert json.loads(series.to_json())["batches"][0]["counts"][""] == 50


# Exact enumeration: two batches of N rows, of which some are wrong, and a first audit.
N, DELTA, FIRST = 12, 0.1, 10
# Numbers of errors that could be a target.
TARGETS = range(1, N)


@cache
def stated(size, n_wrong, n_batches):
    """Errors that a batch of a series is certified for."""
    series = AuditSeries(target=0.5, delta=DELTA, n_batches=n_batches)
    labels = np.zeros(N, dtype=int)
    series.draw("a", labels, size=size, random_state=0)
    c = series.certify("a", labels, (np.arange(size) < n_wrong).astype(int))
    return c.n_train_errors + c.max_test_errors


def drawings(n_wrong, size, n_rows=N):
    """Numbers of errors in an audit, with their probabilities."""
    for found in range(max(0, size - n_rows + n_wrong), min(size, n_wrong) + 1):
        ways = comb(n_wrong, found) * comb(n_rows - n_wrong, size - found)
        yield found, Fraction(ways, comb(n_rows, size))


@cache
def fails(n_wrong, size, n_batches):
    """Probability that the statement of one batch fails."""
    chances = drawings(n_wrong, size)
    return sum(p for a, p in chances if stated(size, a, n_batches) < n_wrong)


def worst(failing):
    """Of all truths."""
    return max(failing(*wrong) for wrong in product(range(N + 1), repeat=2))


def any_fails(first, second, n_batches):
    """The size of the second audit follows from the errors in the first one."""
    return sum(
        p
        if stated(FIRST, a, n_batches) < first
        else p * fails(second, 6 if a else 3, n_batches)
        for a, p in drawings(first, FIRST)
    )


def handed_on(first, second, target):
    """The share of a first batch that misses the target is given to the second one."""
    failed = Fraction(0)
    for a, p in drawings(first, FIRST):
        errors = stated(FIRST, a, 2)
        kept = errors <= target
        is_wrong = kept and errors < first
        failed += p if is_wrong else p * fails(second, 6, 2 if kept else 1)
    return failed


def enlarged(wrong, target):
    """More rows are audited if the first ones miss the target."""
    failed = Fraction(0)
    for a, p in drawings(wrong, 3):
        errors = stated(3, a, 1)
        if errors <= target:
            failed += p * (errors < wrong)
            continue
        more = drawings(wrong - a, 6, N - 3)
        failed += p * sum(q for b, q in more if stated(9, a + b, 1) < wrong)
    return failed


@pytest.mark.filterwarnings("ignore:audit_labels holds labels that are not in labels")
def test_all_statements_fail_together_at_most_delta_by_enumeration():
    assert 0.5 * DELTA < worst(lambda *wrong: any_fails(*wrong, 2)) <= exact(DELTA)
    assert max(fails(wrong, FIRST, 1) for wrong in range(N + 1)) <= exact(DELTA)


@pytest.mark.filterwarnings("ignore:audit_labels holds labels that are not in labels")
def test_controls_that_must_fail_by_enumeration():
    """Each batch at all of delta; a share that is handed on; a size chosen by looking."""
    all_of_it = worst(lambda *wrong: any_fails(*wrong, 1))
    skipped = max(worst(lambda *wrong, t=t: handed_on(*wrong, t)) for t in TARGETS)
    looking = max(enlarged(wrong, t) for wrong in range(N + 1) for t in TARGETS)
    assert min(all_of_it, skipped, looking) > 1.2 * DELTA
    assert all_of_it > 1.5 * DELTA


def test_six_batches_hold_together_and_the_control_that_must_fail():
    """Sizes follow from earlier results, and batches that went badly make some skip."""
    n_rows, n_series, delta = 60, 300, 0.4
    rng = np.random.RandomState(0)
    fails = {6: 0, 1: 0}
    for _, n_batches in product(range(n_series), fails):
        is_wrong = False
        series = AuditSeries(target=0.3, delta=delta, n_batches=6)
        for t, n_wrong in enumerate([4, 9, 12, 12, 6, 9]):
            seen = [*series.certificates.values()]
            if seen and seen[-1].n_train_errors >= 8 and not series.states.get("skip"):
                series.skip("skip")
                continue
            labels = (rng.permutation(n_rows) < n_wrong).astype(int)
            size = 20 if not seen or seen[-1].n_train_errors < 4 else 30
            audit = series.draw(str(t), labels, size=size, random_state=rng)
            answers = np.zeros(size, dtype=int)
            c = series.certify(str(t), labels, answers)
            if n_batches == 1:
                c = c.restated(delta=delta)
            is_wrong |= c.n_train_errors + c.max_test_errors < n_wrong
            assert c.n_train_errors == labels[audit.rows].sum()
        fails[n_batches] += is_wrong
    assert fails[6] <= binom.ppf(1 - 1e-6, n_series, delta)
    assert fails[6] > 0.02 * n_series
    assert fails[1] > binom.ppf(1 - 1e-6, n_series, delta)
    assert fails[1] > 0.7 * n_series
