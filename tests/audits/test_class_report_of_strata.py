"""Reports by class of audits that were drawn by strata: the judge's label, or another."""

from dataclasses import replace

import numpy as np
import pytest
from made import sealed

from sklearn_pacmdl.audits import certify_share, class_report, draw_audit
from sklearn_pacmdl.bounds import class_score_lower_bound
from sklearn_pacmdl.certificates import Certificate

ALL = ("precision", "recall", "f1", "total", "macro_error")


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
    labels, audit, found = drawn("judge")
    report = class_report(labels, audit, found, metrics=["precision", "recall"])
    assert report.statement.startswith(
        "With probability at least 90% over the random choice of the 200 audited rows of "
        "800 in 2 strata, all bounds of 2 classes hold together"
    )
    for k, name in enumerate(["fail", "pass"]):
        own = labels[audit.rows] == name
        fp, fn = int(np.sum(own & (found != name))), int(np.sum(~own & (found == name)))
        n = int(np.sum(labels == name))
        first = {"tp": int(own.sum()) - fp, "fp": fp, "n_predicted": n, "delta": 0.025}
        precision = class_score_lower_bound(**first, metric="precision")
        recall = class_score_lower_bound(
            **first, fn=fn, n_audited=200, n_rows=800, metric="recall"
        )
        assert report.bounds["precision_lower_bound"][k] == precision
        assert report.bounds["recall_lower_bound"][k] == recall


@pytest.mark.parametrize("sides", [1, 2])
@pytest.mark.parametrize("strata", ["judge", "region"])
def test_all_metrics_are_stored_and_verified(strata, sides):
    data = drawn(strata)
    report = class_report(*data, metrics=ALL, sides=sides)
    assert Certificate.from_json(report.to_json()) == report
    assert report.verify(*data)
    assert {len(report.strata)} == {2 if strata == "judge" else 3}
    assert sum(n for n, _, _ in report.strata) == 800
    truth, judge, _ = judged()
    for k, name in enumerate(["fail", "pass"]):
        right = np.sum((truth == name) & (judge == name))
        values = {
            "precision": right / np.sum(judge == name),
            "recall": right / np.sum(truth == name),
            "f1": 2 * right / np.sum((judge == name) * 1 + (truth == name)),
            "total": np.sum(truth == name),
        }
        for metric, value in values.items():
            assert 0 < report.bounds[f"{metric}_lower_bound"][k] <= value
            if sides == 2 or metric == "total":
                assert value <= report.bounds[f"{metric}_upper_bound"][k]


@pytest.mark.parametrize("strata", ["judge", "region"])
def test_a_total_is_that_of_a_share(strata):
    data = drawn(strata)
    report = class_report(*data, metrics=["total"], delta=0.1)
    for k, name in enumerate(["fail", "pass"]):
        share = certify_share(*data, of=name, delta=0.05)
        bounds = [report.bounds[f"total_{end}_bound"][k] for end in ("lower", "upper")]
        assert bounds == [share.lower_bound, share.upper_bound]


@pytest.mark.filterwarnings("ignore:strata is missing in 115 of 800 rows")
@pytest.mark.filterwarnings("ignore:labels is missing in 80 of 800 rows")
def test_rows_without_a_label_and_rows_of_no_stratum():
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
    for strata in (
        [first],
        others,
        [first, first, *others],
        [(first[0] + 1, *first[1:]), *others],
        [(*first[:2], first[2][:1]), *others],
        [first[:2], *others],
        [5, *others],
    ):
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
