"""Reports by class: what is in them, that all of it holds together, and refusals."""

import json
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest
from made import sealed
from oracles import chance_of

from sklearn_pacmdl.audits import certify_share, class_report, draw_audit
from sklearn_pacmdl.audits._class_bounds import (
    Statements,
    count_classes,
    least_scores,
    most_scores,
)
from sklearn_pacmdl.bounds import (
    ClassCounts,
    class_score_lower_bound,
    f1_of,
    macro_error_upper_bound,
)
from sklearn_pacmdl.certificates import Certificate

ALL = ("precision", "recall", "f1", "total", "macro_error")
BOUNDS = ("precision_lower_bound", "recall_lower_bound", "f1_lower_bound")
UPPER_BOUNDS = tuple(name.replace("lower", "upper") for name in BOUNDS)


def labeled(dtype="U5", n_rows=1200):
    """Truth, and a labeling with a tenth of its rows at random."""
    rng = np.random.RandomState(0)
    names = np.array(["10", "20", "30"]).astype(dtype)
    truth = names[rng.choice(3, size=n_rows, p=[0.6, 0.3, 0.1])]
    guess = names[rng.choice(3, size=n_rows)]
    return truth, np.where(rng.uniform(size=n_rows) < 0.1, guess, truth)


def audited(size=200, **kwargs):
    truth, labels = labeled()
    audit = draw_audit(len(labels), size, labels=labels, random_state=1, **kwargs)
    return labels, audit, truth[audit.rows]


def counts_of(labels, audit, found, name):
    own, true = labels[audit.rows] == name, found == name
    return {
        "tp": int(np.sum(own & true)),
        "fp": int(np.sum(own & ~true)),
        "fn": int(np.sum(~own & true)),
        "n_predicted": int(np.sum(labels[audit.pool] == name)),
        "n_audited": audit.size,
        "n_rows": len(audit.pool),
    }


def least(metric, counts, delta):
    """The lower bound of a metric alone."""
    if metric == "precision":
        counts = {key: counts[key] for key in ("tp", "fp", "n_predicted")}
    return class_score_lower_bound(**counts, metric=metric, delta=delta)


@pytest.mark.parametrize("excluded", [None, range(200)])
def test_every_statement_has_its_share_of_delta(excluded):
    data = audited(exclude=excluded)
    report = class_report(*data, delta=0.2, metrics=ALL)
    share = 0.2 / 13
    assert report.n_statements == 13
    frame = report.to_frame()
    assert frame.index.tolist() == ["10", "20", "30"]
    for name, line in frame.iterrows():
        counts = counts_of(*data, name)
        assert line.n_predicted == counts["n_predicted"]
        assert line.audited_predicted == counts["tp"] + counts["fp"]
        assert line.audited_true == counts["tp"] + counts["fn"]
        assert line.audited_right == counts["tp"]
        expected = [least(metric, counts, share) for metric in ALL[:3]]
        assert line[[*BOUNDS]].tolist() == expected
        total = line.total_lower_bound, line.total_upper_bound
        assert total == ClassCounts(**counts).total(share)
        assert line.delta == pytest.approx(4 * share)
    seen = frame.audited_predicted
    counts = seen - frame.audited_right, seen, frame.n_predicted
    assert report.macro_error_bound == macro_error_upper_bound(*counts, delta=share)


def test_the_usual_report():
    """Precision, recall and F1 share delta, and nothing else is bounded."""
    labels, audit, found = audited()
    report = class_report(labels, audit, found)
    assert report.n_statements == 9
    assert repr(report) == "ClassReport(3 classes, 9 statements, delta=0.1)"
    assert [*report.bounds] == [*BOUNDS]
    assert report.macro_error_bound is None
    assert report.statement == (
        "With probability at least 90% over the random choice of the 200 audited rows of "
        "1200, all bounds of 3 classes hold together: the lower bounds of precision, "
        "recall and F1 (9 statements that share delta), provided the labels that people "
        "gave to the audited rows are right, the audit was not drawn again or chosen "
        "because of its result and what to state was decided before labels of the "
        "audited rows were seen. Numbers of predicted and of audited rows are counted."
    )
    values = json.loads(report.to_json(indent=1))
    assert values["bounds"]["f1_lower_bound"] == [*report.bounds["f1_lower_bound"]]
    assert values["metrics"] == ["precision", "recall", "f1"]
    again = Certificate.from_json(report.to_json())
    assert again == report
    assert str(again) == str(report)


@pytest.mark.parametrize(
    ("metric", "names", "heads"),
    [
        ("precision", ["precision", "errors"], ["wrong", "precision"]),
        ("recall", ["recall"], ["recall"]),
        ("f1", ["f1"], ["F1"]),
        ("total", ["total"], ["total"]),
        ("macro_error", [], []),
    ],
)
def test_what_was_not_asked_for_is_neither_computed_nor_printed(metric, names, heads):
    report = class_report(*audited(), metrics=[metric], sides=2)
    expected = {f"{name}_{end}_bound" for name in names for end in ("lower", "upper")}
    assert {name for name in report.to_frame() if name.endswith("bound")} == expected
    assert str(report).splitlines()[2].split()[5:] == heads
    assert (report.macro_error_bound is not None) == (metric == "macro_error")
    assert ("macro error" in report.statement) == (metric == "macro_error")


@pytest.mark.filterwarnings("ignore:labels holds -1 in 300 of 1,200 rows")
def test_rows_without_a_label_are_missed():
    truth, labels = labeled(int)
    labels = np.where(np.arange(len(labels)) % 4, labels, -1)
    audit = draw_audit(len(labels), 200, random_state=1)  # all rows may be drawn
    found = truth[audit.rows]
    frame = class_report(labels, audit, found).to_frame()
    assert frame.n_predicted.sum() == 900
    assert frame.audited_true.sum() == 200
    assert frame.audited_right.sum() == np.sum(labels[audit.rows] == found)
    assert frame.recall_lower_bound.max() < 0.8


def test_what_is_stated_does_not_depend_on_what_people_found():
    """A class that people found has a row, and no share of delta."""
    labels, audit, found = audited()
    usual = class_report(labels, audit, found, metrics=ALL)
    surprise = found.copy()
    surprise[:5] = "new"
    with pytest.warns(UserWarning, match=r"not in labels: 'new' \(5 rows\)"):
        report = class_report(labels, audit, surprise, metrics=ALL)
    assert report.n_statements == usual.n_statements
    line = report.to_frame().loc["new"]
    assert (line.n_predicted, line.audited_true, line.delta) == (0, 5, 0)
    assert line[[*BOUNDS]].tolist() == [0, 0, 0]
    assert (line.total_lower_bound, line.total_upper_bound) == (5, 1005)
    declared = class_report(labels, audit, surprise, metrics=ALL, classes=["new"])
    assert declared.n_statements == usual.n_statements + 1
    total = declared.to_frame().loc["new"]
    assert (5, 1005) < (total.total_lower_bound, total.total_upper_bound) < (20, 100)


def test_classes_that_nobody_found_stay():
    labels, audit, found = audited()
    labels = labels.astype(object)
    rare = np.setdiff1d(np.arange(len(labels)), audit.rows)[:7]
    labels[rare] = "rare"
    audit = draw_audit(len(labels), 200, random_state=1)
    named = {"classes": ["absent", "10"]}
    report = class_report(labels, audit, found, **named)
    frame = report.to_frame()
    assert frame.index.tolist() == ["10", "20", "30", "absent", "rare"]
    assert frame.loc["rare", [*BOUNDS]].tolist() == [0, 0, 0]
    assert frame.loc["rare", "n_predicted"] == 7
    assert report.n_statements == 12  # of "absent" there is nothing to state
    assert frame.delta.tolist() == pytest.approx([0.025] * 3 + [0, 0.025])
    totals = class_report(labels, audit, found, metrics=["total"], **named).to_frame()
    assert totals.loc["absent", "total_lower_bound"] == 0
    assert 7 < totals.loc["absent", "total_upper_bound"] < 40
    assert "labeling was fixed before" in report.statement


def test_texts():
    report = class_report(*audited(), metrics=["f1"])
    lines = str(report).splitlines()
    assert lines[0] == report.statement
    heads = "class predicted audited truly right F1 >="
    assert lines[2].split() == heads.split()
    # A thousand times the second one is 117 in floats, and a little less in truth.
    bounds = (0.117, float(np.nextafter(0.117, 0)), 0.1179)
    few = replace(report, bounds={"f1_lower_bound": bounds})
    written = [line.split()[5] for line in str(few).splitlines()[3:]]
    assert written == ["0.117", "0.116", "0.117"]
    assert "lower bounds of F1 (3 statements that share delta), prov" in report.statement
    assert report._repr_html_().count("<tr>") == 4
    totals = class_report(*audited(), metrics=["total"]).statement
    assert "the bounds of totals (3 statements that share delta), provided" in totals


# Everything is true at once: all labelings of few rows, all samples of them.


def truths(table):
    """What a report bounds, of a table of predicted by true classes."""
    right, predicted, true = np.diag(table), table.sum(1), table.sum(0)
    return right.tolist(), predicted.tolist(), true.tolist()


def is_false(stated, table):
    """Whether anything in a report is not true."""
    right, predicted, true = truths(table)
    for k, (g, n, d) in enumerate(zip(right, predicted, true, strict=True)):
        # Multiplied by what may be 0, where a rate is not defined.
        least, most = (
            [Fraction(repr(stated[name][k])) if name in stated else end for name in names]
            for end, names in enumerate((BOUNDS, UPPER_BOUNDS))
        )
        sizes = n, d, n + d
        numbers = g, g, 2 * g
        if any(p * size > x for p, size, x in zip(least, sizes, numbers, strict=True)):
            return True
        if any(p * size < x for p, size, x in zip(most, sizes, numbers, strict=True)):
            return True
        for what, truth in {"errors": n - g, "total": d}.items():
            if f"{what}_lower_bound" in stated:
                low, high = (stated[f"{what}_{end}_bound"] for end in ("lower", "upper"))
                if not low[k] <= truth <= high[k]:
                    return True
    rates = [Fraction(n - g, n) for g, n in zip(right, predicted, strict=True) if n]
    least = Fraction(repr(stated.get("macro_error_lower_bound", [0.0])[0]))
    most = Fraction(repr(stated.get("macro_error_bound", [1.0])[0]))
    return bool(rates) and not least <= sum(rates) / len(rates) <= most


def tables(n_rows, n_classes):
    for cells in product(range(n_rows + 1), repeat=n_classes**2 - 1):
        if sum(cells) <= n_rows:
            yield np.reshape([*cells, n_rows - sum(cells)], (n_classes, n_classes))


def chances_of_failure(populations, audited_rows, plan):
    """Probability that anything in the report is false, for each table of classes."""
    n_classes = len(plan.declared)

    @cache
    def stated(predicted, sample):
        own = np.reshape(sample, (n_classes, n_classes))
        counts = [
            ClassCounts(tp, n - tp, d - tp, total, audited_rows, sum(predicted))
            for tp, n, d, total in zip(*truths(own), predicted, strict=True)
        ]
        return plan.bounds(counts)

    for table in populations:
        predicted = tuple(table.sum(1).tolist())

        def is_wrong(*sample, predicted=predicted, table=table):
            return is_false(stated(predicted, sample), table)

        yield chance_of(is_wrong, table.ravel().tolist(), audited_rows)


@pytest.mark.parametrize("metrics", [("precision", "recall", "f1"), ("f1",), ALL])
@pytest.mark.parametrize("sides", [1, 2])
@pytest.mark.parametrize(
    ("n_rows", "audited_rows", "n_classes"),
    [(5, 3, 2), (8, 4, 2)],
)
def test_everything_holds_together(metrics, sides, n_rows, audited_rows, n_classes):
    plan = Statements(metrics, [True] * n_classes, 0.4, sides)
    worst = max(chances_of_failure(tables(n_rows, n_classes), audited_rows, plan))
    assert worst <= Fraction("0.4")


@pytest.mark.parametrize("delta", ["0.1", "0.3", "0.4"])
def test_half_of_delta_for_either_side_is_needed(delta):
    """The control: all of delta for each side, as one-sided bounds would have it."""
    # All rows are predicted to be in the first class, or in the other one.
    of_one_class = [np.array([[n, 10 - n], [0, 0]]) for n in range(11)]
    worst = {}
    for times in (1, 2):
        plan = Statements(("precision",), [True] * 2, times * float(delta), 2)
        chances = (chances_of_failure(of_one_class, n, plan) for n in range(2, 9))
        worst[times] = max(map(max, chances))
    assert worst[1] <= Fraction(delta) < worst[2]


def test_two_sides():
    data = audited()
    one = class_report(*data, metrics=ALL, delta=0.05)
    two = class_report(*data, metrics=ALL, delta=0.1, sides=2)
    assert one.sides == 1
    assert not {*UPPER_BOUNDS, "errors_upper_bound"} & {*one.bounds}
    # Either side spends half; totals have two sides in both reports.
    assert [two.bounds[name] for name in BOUNDS] == [one.bounds[name] for name in BOUNDS]
    assert two.macro_error_bound == one.macro_error_bound
    assert one.macro_error_lower_bound is None
    assert 0 < two.macro_error_lower_bound < two.macro_error_bound
    frame = two.to_frame()
    for lower, upper in zip(BOUNDS, UPPER_BOUNDS, strict=True):
        assert np.all(frame[lower] < frame[upper])
    wrong = frame.audited_predicted - frame.audited_right
    assert np.all(wrong <= frame.errors_lower_bound)
    most = frame.errors_upper_bound / frame.n_predicted
    assert frame.precision_lower_bound.tolist() == pytest.approx((1 - most).tolist())
    # From above, it is what the other rows are from below.
    counts = counts_of(*data, "10")
    others = counts | {"tp": counts["fp"], "fp": counts["tp"]}
    fewest = least("precision", others, 0.1 / 13 / 2)
    assert frame.precision_upper_bound["10"] == pytest.approx(1 - fewest)
    with pytest.raises(ValueError, match="sides must be an integer from 1 to 2, got 3"):
        class_report(*data, sides=3)


def test_texts_of_two_sides():
    report = class_report(*audited(), metrics=ALL, sides=2)
    first, _, heads, line, *_ = str(report).splitlines()
    assert "hold together: the lower and upper bounds of precision, recall and " in first
    assert "(13 statements that share delta, half of each share for either side)" in first
    assert f"the macro error is from {100 * report.macro_error_lower_bound:.2f}%" in first
    assert heads.split()[5:] == ["wrong", "precision", "recall", "F1", "total"]
    low, high = (report.bounds[f"recall_{end}_bound"][0] for end in ("lower", "upper"))
    assert f"{np.floor(1e3 * low) / 1e3:.3f} to {np.ceil(1e3 * high) / 1e3:.3f}" in line
    assert "errors upper bound" in report.report().html


def test_what_follows_from_true_bounds():
    """No probability is left: scores that hold bound the other ones."""

    def jaccard(bounds):
        return bounds["f1"] / (2 - bounds["f1"])

    def of_both(p, r):
        return 1 / (1 / p + 1 / r - 1) if p and r else 0

    scores = ("precision", "recall", "f1")
    for cells in product((0, 2, 9), repeat=3):
        counts = ClassCounts(*cells, 40, 30, 90)
        least, most = (of(counts, scores, 0.1) for of in (least_scores, most_scores))
        j, p, r = (counts.least(s, 0.1) for s in ("jaccard", "precision", "recall"))
        assert (least["precision"], least["recall"]) == (max(p, j), max(r, j))
        assert jaccard(least) == max(j, of_both(max(p, j), max(r, j)))
        j, p, r = (counts.most(s, 0.1) for s in ("jaccard", "precision", "recall"))
        assert jaccard(most) == min(j, of_both(p, r))
        alone = least_scores(counts, ["f1"], 0.1)
        assert alone == {"f1": f1_of(counts.least("jaccard", 0.1))}


def test_labels_that_named_clusters_cannot_report():
    """The control of why a search has to certify by hold-out.

    Labels are drawn by lot, so that every precision is about a third; clusters of three
    rows take the class of the audited row among them.
    """
    rng, n_rows = np.random.RandomState(0), 600
    truth = rng.choice(3, size=n_rows)
    rows = np.sort(rng.permutation(n_rows)[:200])
    clusters = np.arange(n_rows) // 3
    predicted = rng.choice(3, size=n_rows)[clusters * 3]
    for row in rows:
        predicted[clusters == clusters[row]] = truth[row]
    counts = count_classes(predicted, rows, truth[rows], 3)
    bounds = Statements(("precision",), [True] * 3, 0.1).bounds(counts)
    right = np.bincount(predicted[predicted == truth]) / np.bincount(predicted)
    assert np.all(np.array(bounds["precision_lower_bound"]) > right)


# Audits that were drawn by strata: the judge's label, or another


def judged(n_rows=800):
    """A tenth of the answers fail."""
    rng = np.random.RandomState(0)
    truth = np.where(np.arange(n_rows) < n_rows // 10, "fail", "pass")
    says_fail = np.where(truth == "fail", 0.9, 0.05)
    judge = np.where(rng.uniform(size=n_rows) < says_fail, "fail", "pass")
    return truth, judge, rng.choice(["east", "north", "west"], n_rows, p=[0.6, 0.3, 0.1])


def drawn(strata, size=200, seed=0):
    truth, judge, region = judged()
    by = {"judge": judge, "region": region}[strata]
    audit = draw_audit(800, size, labels=judge, strata=by, random_state=seed)
    return judge, audit, truth[audit.rows]


def test_labels_as_strata():
    data = drawn("judge")
    report = class_report(*data, metrics=["precision", "recall"])
    assert report.statement.startswith(
        "With probability at least 90% over the random choice of the 200 audited rows of "
        "800 in 2 strata, all bounds of 2 classes hold together"
    )
    for metric in ("precision", "recall"):
        bounds = [least(metric, counts_of(*data, k), 0.025) for k in ("fail", "pass")]
        assert [*report.bounds[f"{metric}_lower_bound"]] == bounds


@pytest.mark.parametrize("sides", [1, 2])
@pytest.mark.parametrize(("strata", "n_strata"), [("judge", 2), ("region", 3)])
def test_all_metrics_are_stored_and_verified(strata, n_strata, sides):
    data = drawn(strata)
    report = class_report(*data, metrics=ALL, sides=sides)
    assert Certificate.from_json(report.to_json()) == report
    assert report.verify(*data)
    assert len(report.strata) == n_strata
    assert sum(n for n, _, _ in report.strata) == 800
    totals = class_report(*data, metrics=["total"], delta=0.1)
    truth, judge, _ = judged()
    for k, name in enumerate(["fail", "pass"]):
        true, said = truth == name, judge == name
        right = np.sum(true & said)
        values = {
            "precision": right / said.sum(),
            "recall": right / true.sum(),
            "f1": 2 * right / (said.sum() + true.sum()),
            "total": true.sum(),
        }
        for metric, value in values.items():
            assert 0 < report.bounds[f"{metric}_lower_bound"][k] <= value
            if sides == 2 or metric == "total":
                assert value <= report.bounds[f"{metric}_upper_bound"][k]
        share = certify_share(*data, of=name, delta=0.05)
        total = [totals.bounds[f"total_{end}_bound"][k] for end in ("lower", "upper")]
        assert total == [share.lower_bound, share.upper_bound]


@pytest.mark.filterwarnings("ignore:strata is missing in 115 of 800 rows")
@pytest.mark.filterwarnings("ignore:labels is missing in 80 of 800 rows")
def test_rows_without_a_label_and_of_no_stratum():
    truth, judge, region = judged()
    some = np.where(np.arange(800) % 10, judge, None)
    region = np.where(np.arange(800) % 7, region, None)
    audit = draw_audit(800, 200, strata=region, random_state=0)
    report = class_report(some, audit, truth[audit.rows], metrics=ALL)
    in_strata = np.arange(800) % 7 > 0
    assert report.n_rows == np.sum(in_strata)
    assert [n for n, *_ in report.counts] == [
        np.sum(in_strata & (some == name)) for name in ("fail", "pass")
    ]
    assert report.verify(some, audit, truth[audit.rows])


def test_strata_of_a_file_must_be_those_of_its_counts():
    report = class_report(*drawn("region"))
    first, *others = report.strata
    n, m, counts = first
    forged = (n + 1, m, counts), (n, m, counts[:1]), (n, m), 5
    alone = [first], others, [first, first, *others]
    for strata in (*alone, *([each, *others] for each in forged)):
        with pytest.raises(ValueError, match="strata must|counts must"):
            replace(report, strata=tuple(strata))._checked()
    with pytest.raises(ValueError, match="strata must be counts"):
        replace(report, strata=None)._checked()


def test_counts_that_moved_between_strata_are_found_out():
    data = drawn("region")
    report = class_report(*data)
    first, second, *others = (
        (*sizes, [[*each] for each in counts]) for *sizes, counts in report.strata
    )
    for counts, sign in (first[2], 1), (second[2], -1):
        counts[0][3] -= sign  # rightly predicted, and then wrongly
        counts[1][1:] = [n + sign for n in counts[1][1:]]
        counts[0][1] -= sign
        counts[0][2] -= sign
    strata = [(n, m, tuple(map(tuple, of))) for n, m, of in (first, second, *others)]
    forged = sealed(replace(report, strata=tuple(strata))._bounded())
    assert forged.verify(), forged.verify().problems
    assert any("strata is" in each for each in forged.verify(*data).problems)


def test_too_many_strata_for_the_classes_are_refused():
    truth = np.arange(1200) % 600
    audit = draw_audit(1200, 100, labels=truth, strata=np.arange(1200) // 60)
    with pytest.raises(ValueError, match="one of at most 16 strata, with so many cla"):
        class_report(truth, audit, truth[audit.rows])


@pytest.mark.parametrize("strata", ["judge", "region", "both"])
def test_all_bounds_hold_in_all_but_delta_of_the_draws(strata):
    """Through the API, where errors differ by stratum."""
    rng = np.random.RandomState(0)
    region = rng.choice(3, 300, p=[0.6, 0.3, 0.1])
    truth = (rng.uniform(size=300) < 0.2).astype(int)
    wrong = rng.uniform(size=300) < np.array([0.05, 0.2, 0.4])[region]
    labels = np.where(wrong, 1 - truth, truth)
    by = {"judge": labels, "region": region, "both": region * 2 + labels}[strata]
    right = np.bincount(labels[labels == truth])
    scores = {"recall": right / np.bincount(truth)}
    scores["precision"] = right / np.bincount(labels)
    options = {"delta": 0.3, "metrics": [*scores], "sides": 2}
    failed = 0
    for seed in range(20):
        audit = draw_audit(300, 60, labels=labels, strata=by, random_state=seed)
        bounds = class_report(labels, audit, truth[audit.rows], **options).bounds
        failed += any(
            np.any(bounds[f"{name}_lower_bound"] > value)
            or np.any(bounds[f"{name}_upper_bound"] < value)
            for name, value in scores.items()
        )
    assert failed <= 6
