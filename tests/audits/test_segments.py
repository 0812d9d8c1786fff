"""Statements for each segment of the rows, which hold together."""

import warnings
from dataclasses import fields, replace
from fractions import Fraction
from functools import cache, partial
from itertools import permutations, product

import numpy as np
import pandas as pd
import pytest
from made import sealed
from oracles import chance_of

from sklearn_pacmdl.audits import (
    Audit,
    SegmentsCertificate,
    certify_difference,
    certify_labels,
    certify_share,
    class_report,
    draw_audit,
    finish_labels,
)
from sklearn_pacmdl.bounds import bmax, groups_upper_bound
from sklearn_pacmdl.certificates import Certificate

N_ROWS = 600
RNG = np.random.RandomState(0)
TRUTH = RNG.choice(["ham", "spam"], size=N_ROWS)
LABELS = np.where(RNG.uniform(size=N_ROWS) < 0.15, "spam", TRUTH)
YEAR = RNG.choice([2022, 2023, 2024], size=N_ROWS, p=[0.2, 0.3, 0.5])
AUDIT = draw_audit(N_ROWS, 150, labels=LABELS, random_state=0)
ANSWERS = TRUTH[AUDIT.rows]
GROUPS = np.arange(N_ROWS) // 6


# Known answers.


def alone(year, audit, how):
    """The rows of a segment, and an audit of them as a data set of their own."""
    rows = np.flatnonzero(int(year) == YEAR)
    ours = np.searchsorted(rows, audit.rows[np.isin(audit.rows, rows)])
    strata = {name: each[rows] for name, each in how.items()}
    return rows, Audit.of_rows(ours, len(rows), source="lot", **strata)


# Fields of where a certificate is from, and of what it says of all rows.
ORIGIN = {"segment", "fingerprints", "provisos", "date", "digest"}
ORIGIN |= {"random_choice_p_value", "random_choice_test"}
METRICS = ["precision", "recall", "total", "macro_error"]
OPTIONS = {
    "errors": (certify_labels, {}),
    "errors, two sides": (certify_labels, {"sides": 2}),
    "errors of people": (certify_labels, {"max_annotator_errors": 4}),
    "share": (certify_share, {"of": "spam"}),
    "classes": (class_report, {"metrics": METRICS}),
    "classes, two sides": (class_report, {"metrics": METRICS, "sides": 2}),
}
GAPS = np.where(np.arange(N_ROWS) % 5, LABELS, None)


@pytest.mark.parametrize("what", OPTIONS)
@pytest.mark.parametrize(
    ("labels", "how"),
    [(LABELS, {}), (LABELS, {"strata": LABELS}), (GAPS, {})],
    ids=["rows", "strata", "gaps"],
)
def test_each_segment_is_bounded_as_if_it_were_all_rows(what, labels, how):
    certify, options = OPTIONS[what]
    if how and "max_annotator_errors" in options:
        return  # which strata do not allow
    audit = draw_audit(N_ROWS, 150, random_state=0, **how)
    by_year = certify(labels, audit, TRUTH[audit.rows], by=YEAR, **options)
    assert {*by_year.certificates} == {"2022", "2023", "2024"}
    for year, certificate in by_year.certificates.items():
        assert certificate.delta == pytest.approx(0.1 / 3)
        rows, own = alone(year, audit, how)
        given = labels[rows], own, TRUTH[rows][own.rows]
        expected = certify(*given, delta=certificate.delta, **options)
        for field in {f.name for f in fields(expected)} - ORIGIN:
            assert getattr(certificate, field) == getattr(expected, field), field
        assert f" of segment '{year}'" in certificate.statement
        if certify is certify_labels:
            assert f" audited rows of segment '{year}'" in certificate.statement
            assert ("that are given a label" in certificate.claim) == (labels is GAPS)
    given = labels, audit, TRUTH[audit.rows]
    assert by_year.verify(*given, by=YEAR)
    assert not by_year.verify(*given, by=np.roll(YEAR, 1))
    assert Certificate.from_json(by_year.to_json()) == by_year


def table(**options):
    return certify_labels(LABELS, AUDIT, ANSWERS, by=YEAR, **options)


def test_errors_of_people_are_at_most_the_audited_rows_of_a_segment():
    names = np.where(np.isin(np.arange(N_ROWS), [AUDIT.rows[0], 599, 598]), "few", "many")
    made = certify_labels(LABELS, AUDIT, ANSWERS, by=names, max_annotator_errors=9)
    few, many = (made.certificates[name] for name in ("few", "many"))
    assert few.max_annotator_errors == few.n_train < 9
    assert many.max_annotator_errors == 9
    assert made.verify(LABELS, AUDIT, ANSWERS, by=names)


def test_whole_groups():
    groups = draw_audit(N_ROWS, 40, groups=GROUPS, labels=LABELS, random_state=1)
    by_year = certify_labels(LABELS, groups, TRUTH[groups.rows], by=YEAR)
    drawn = [*dict.fromkeys(GROUPS[groups.rows].tolist())]
    for year, certificate in by_year.certificates.items():
        sizes = np.bincount(GROUPS[int(year) == YEAR], minlength=100)
        wrong = (int(year) == YEAR) & (LABELS != TRUTH)
        errors = np.bincount(GROUPS[wrong], minlength=100)
        ours = [group for group in drawn if sizes[group]]
        others = [n for k, n in enumerate(sizes) if n and k not in drawn]
        most = groups_upper_bound(errors[ours], sizes[ours], others, 0.1 / 3)
        assert certificate.stated[0] in (most, most + 1)  # delta is rounded down


def test_what_is_known_without_a_certificate():
    """Of a segment whose rows were all audited, all; and nothing of one without any."""
    names = np.full(N_ROWS, "rest", dtype=object)
    all_of, none_of = AUDIT.rows[:5], np.setdiff1d(np.arange(N_ROWS), AUDIT.rows)[:7]
    names[all_of], names[none_of], names[[17, 18]] = "all", "none", None
    certificate = certify_labels(LABELS, AUDIT, ANSWERS, by=names)
    n_wrong = int(np.sum((LABELS != TRUTH)[all_of]))
    assert certificate.others == {"all": (5, 5, n_wrong), "none": (7, 0, 0)}
    assert certificate.certificates["rest"].delta == 0.1  # nothing else can fail
    assert certificate.n_statements == 1
    assert certificate.n_without == 2
    assert "nothing is known of 'none', of which no row was audited" in certificate.claim
    assert "2 rows of no segment are left out" in certificate.claim
    frame = certificate.to_frame()
    assert frame.loc["all", "upper_bound"] == n_wrong
    assert frame.loc["none", ["upper_bound", "upper"]].tolist() == [7, 1]
    assert certificate.verify(LABELS, AUDIT, ANSWERS, by=names)


def test_whole_groups_count_all_segments():
    """Which segments were drawn depends on the groups that were."""
    names = np.where(GROUPS < 50, "a", np.where(GROUPS < 98, "b", GROUPS.astype(str)))
    audit = draw_audit(N_ROWS, 40, groups=GROUPS, random_state=3)
    certificate = certify_labels(LABELS, audit, TRUTH[audit.rows], by=names)
    assert {*certificate.certificates} == {"a", "b"}
    assert {*certificate.others} == {"98", "99"}
    assert certificate.n_statements == 4
    assert certificate.certificates["a"].delta == 0.025
    assert "of the 240 audited rows in whole groups" in certificate.statement


# Finished data sets.

SURE = RNG.uniform(size=N_ROWS)
DOUBTED = np.where(RNG.uniform(size=N_ROWS) < 0.4 * (1 - SURE) ** 2, "spam", TRUTH)


def finished(by=YEAR, **options):
    audit = draw_audit(N_ROWS, 240, labels=DOUBTED, confidence=SURE, random_state=0)
    options = {"target": 0.08, "delta": 0.3, **options}
    given = DOUBTED, SURE, audit, TRUTH[audit.rows]
    return finish_labels(*given, by=by, **options), given


@pytest.mark.parametrize("n_people", [0, 2])
def test_each_segment_is_finished_as_if_it_were_all_rows(n_people):
    options = {"target": 0.08 + 0.03 * n_people, "max_annotator_errors": n_people}
    whole, (_, _, audit, _) = finished(**options)
    assert {*whole.certificate.certificates} == {"2022", "2023", "2024"}
    for year, certificate in whole.certificate.certificates.items():
        rows, own = alone(year, audit, {})
        given = DOUBTED[rows], SURE[rows], own, TRUTH[rows][own.rows]
        other = finish_labels(*given, delta=certificate.delta, **options)
        np.testing.assert_array_equal(whole.accepted[rows], other.accepted)
        np.testing.assert_array_equal(whole.labels[rows], other.labels)
        for name in ("stated", "n_automatic", "n_left", "n_train_errors"):
            assert getattr(certificate, name) == getattr(other.certificate, name)
        assert certificate.stated[0] <= options["target"] * len(rows)
        assert f"of all {len(rows)} rows of segment '{year}'" in certificate.claim
    left = [c.n_left for c in whole.certificate.certificates.values()]
    assert len(whole.to_annotators) == sum(left)
    assert np.all(np.diff(SURE[whole.to_annotators]) > 0)  # most doubtful first
    assert whole.share_automatic == pytest.approx(1 - (sum(left) + audit.size) / N_ROWS)
    frame = whole.certificate.to_frame()
    assert [*frame] == ["n_rows", "n_audited", "n_automatic", "upper_bound", "upper"]
    assert str(whole) == str(whole.certificate)
    assert "once people have labeled the rows that are left" in str(whole)
    assert whole.certificate.statement in whole._repr_html_().replace("&#x27;", "'")
    assert "2023" in whole.report().html


def test_labels_of_people_are_added_by_segment():
    made, (labels, sure, audit, answers) = finished()
    truth = TRUTH[made.to_annotators]
    part = made.add_labels(np.where(np.arange(len(truth)) < 30, truth, None))
    for year, certificate in part.certificate.certificates.items():
        assert certificate.n_left == np.sum(YEAR[part.to_annotators] == int(year))
    done = part.complete(TRUTH[part.to_annotators])
    assert {c.n_left for c in done.certificate.certificates.values()} == {0}

    def verified(certificate, finished_labels):
        data = {"confidence": sure, "by": YEAR, "finished_labels": finished_labels}
        return certificate.verify(labels, audit, answers, **data)

    for each in (made, part, done):
        certificate = Certificate.from_json(each.certificate.to_json())
        verification = verified(certificate, each.labels)
        assert verification.outcome == "agrees with the data", str(verification)
        wrong = each.labels.copy()
        wrong[np.flatnonzero(each.accepted)[0]] = "other"
        assert not verified(certificate, wrong)
    problem = "of which the certificate knows 0"
    assert problem in str(verified(made.certificate, done.labels))
    assert len(made.to_frame()) == len(made.to_annotators)
    with pytest.raises(ValueError, match="at_targets is about all rows, and not about"):
        made.at_targets()


def test_no_row_of_a_segment_with_too_small_an_audit_is_accepted():
    names, audit = np.full(N_ROWS, "large", dtype=object), finished()[1][2]
    others = np.setdiff1d(np.arange(N_ROWS), audit.rows)
    names[[*audit.rows[:2], *others[:20]]] = "small"
    names[[audit.rows[5], *others[20:30]]] = None
    with pytest.warns(UserWarning, match="rows of segment 'small' is too small for"):
        made, given = finished(by=names)
    assert {*made.certificate.certificates} == {"large"}
    assert made.certificate.others == {"small": (22, 2, 0)}
    assert not made.accepted[names != "large"].any()
    assert "no row of 'small' is labeled automatically; 10 rows of no" in str(made)
    assert made.certificate.n_statements == 2
    assert made.certificate.to_frame().loc["small", "upper_bound"] == 0
    labels, sure, audit, answers = given
    assert made.certificate.verify(labels, audit, answers, by=names, confidence=sure)
    with pytest.warns(UserWarning, match="Nor is any of '2023', '2024'"):
        nothing, _ = finished(target=0.001)
    assert nothing.certificate is None
    assert str(nothing) == "No row is labeled automatically: the audit is too small."


def test_known_and_excluded_rows_count_in_their_segment():
    known = np.where(np.arange(N_ROWS) % 10 == 0, TRUTH, None)
    options = {"labels": DOUBTED, "confidence": SURE, "known_labels": known}
    audit = draw_audit(N_ROWS, 240, random_state=0, **options)
    given = DOUBTED, SURE, audit, TRUTH[audit.rows]
    made = finish_labels(*given, target=0.12, delta=0.3, by=YEAR).certificate
    for year, certificate in made.certificates.items():
        assert certificate.stated[1] == np.sum(int(year) == YEAR)
        assert certificate.n_known == np.sum((int(year) == YEAR)[::10])
    assert [clause for clause in made.provisos if "known before" in clause]


def test_finished_segments_meet_the_target():
    n_missed, target = 0, 0.1
    years = [year == YEAR for year in (2022, 2023, 2024)]
    for seed in range(60):
        audit = draw_audit(N_ROWS, 240, labels=DOUBTED, random_state=seed)
        given = DOUBTED, SURE, audit, TRUTH[audit.rows]
        made = finish_labels(*given, target=target, delta=0.3, by=YEAR)
        wrong = made.accepted & (DOUBTED != TRUTH)
        wrong[audit.rows] = False
        n_missed += any(wrong[year].sum() > target * year.sum() for year in years)
    assert n_missed <= 0.3 * 60


# The table, files and data.


ENDS = ["lower_bound", "upper_bound", "lower", "upper"]


def test_the_table_is_shown(tmp_path):
    certificate = table(sides=2)
    frame = certificate.to_frame()
    assert [*frame] == ["n_rows", "n_audited", "n_wrong", *ENDS]
    assert [*table().to_frame()] == ["n_rows", "n_audited", "n_wrong", *ENDS[1::2]]
    assert [*frame.index] == ["2022", "2023", "2024"]
    for year, line in frame.iterrows():
        c = certificate.certificates[year]
        assert (line["lower_bound"], line["upper_bound"]) == (c.fewest, c.stated[0])
        assert line["upper"] == pytest.approx(c.stated[0] / c.stated[1])
    text = str(certificate)
    assert text.startswith(f"{certificate.statement}\n\nsegment  rows  audited  wrong  ")
    assert repr(certificate) == "SegmentsCertificate(3 segments, delta=0.1)"
    assert "<table>" in certificate._repr_html_()
    assert certificate.report(tmp_path / "r.html").html.count("2023") > 1


def test_shares_of_several_classes():
    given = LABELS, AUDIT, ANSWERS
    named = certify_share(*given, of={"a": "spam", "b": "ham"}, by=YEAR, delta=0.2)
    alone = certify_share(*given, of="spam", by=YEAR)
    assert named["a"].certificates == alone.certificates
    assert "the number of rows that are truly 'spam' is within" in alone.claim
    frame = alone.to_frame()
    assert frame["n_truly"].sum() == np.sum(ANSWERS == "spam")
    assert [*frame][-4:] == ENDS
    mixed = {**alone.certificates, "2023": named["b"].certificates["2023"]}
    problem = r"certificates\['2023'\]: of must be \('spam',\)"
    with pytest.raises(ValueError, match=problem):
        replace(alone, certificates=mixed)._issued()


def test_classes_of_each_segment_in_one_table():
    report = class_report(LABELS, AUDIT, ANSWERS, by=YEAR, metrics=METRICS)
    assert report.n_statements == 3
    for name, lines in report.to_frame().groupby(level=0):
        own = report.certificates[name]
        assert lines["class"].tolist() == ["ham", "spam"]
        totals = lines["total_upper_bound"].tolist()
        assert totals == [*own.bounds["total_upper_bound"]]
        assert {*lines["macro_error_bound"]} == {own.macro_error_bound}
    assert "in each of 3 segments, the lower " in report.statement
    assert "in the table hold (3 statements that share delta)" in report.statement
    printed = str(report).splitlines()
    assert printed[2].split()[:3] == ["segment", "class", "predicted"]
    assert len(printed) == 9
    unlabeled = np.where(YEAR == 2022, None, LABELS)
    given = unlabeled, draw_audit(N_ROWS, 150, random_state=0), ANSWERS
    with pytest.raises(ValueError, match="have a label, and missing for other rows, got"):
        class_report(*given, by=YEAR)
    others = np.where(YEAR == 2022, -1, YEAR)  # the way out
    assert [*class_report(*given, by=others).certificates] == ["2023", "2024"]
    row = np.setdiff1d(np.arange(N_ROWS), AUDIT.rows)[0]
    few = np.where(np.arange(N_ROWS) == row, 2025, YEAR)
    report = class_report(LABELS, AUDIT, ANSWERS, by=few)
    assert report.others == {"2025": (1, 0, 0)}
    assert "nothing is known of '2025'" in report.statement
    assert {*report.to_frame().index} == {"2022", "2023", "2024"}


def test_numbers_are_sorted_as_numbers():
    names = np.array(["1", "2", "10", "x"])[np.arange(N_ROWS) % 4]
    frame = certify_labels(LABELS, AUDIT, ANSWERS, by=names).to_frame()
    assert [*frame.index] == ["1", "2", "10", "x"]


def test_it_is_stored_restated_and_compared():
    certificate = table()
    read = Certificate.from_json(certificate.to_json())
    assert isinstance(read, SegmentsCertificate)
    assert read.verify().outcome == "agrees with itself; no data were compared"
    given = LABELS, AUDIT, ANSWERS
    verification = read.verify(*given, by=YEAR)
    assert verification.outcome == "agrees with the data"
    assert "by: 3 segments counted; SHA-256 digest" in verification.checked
    tighter = read.restated(delta=0.03)
    assert {c.delta for c in tighter.certificates.values()} == {0.01}
    assert tighter.verify(*given, by=YEAR)
    other = read.verify(*given, by=np.roll(YEAR, 1))
    assert "by: its SHA-256 digest is not the one that was recorded" in other.problems
    with pytest.raises(ValueError, match="requires all of .*, got by=None"):
        read.verify(*given)


def test_a_certificate_that_is_taken_out_is_of_its_segment():
    c = Certificate.from_json(table().certificates["2023"].to_json())
    assert c.verify()
    assert "the segments were made without the labels that people gave" in c.statement
    assert not replace(c, segment=None)._issued().verify(LABELS, AUDIT, ANSWERS)
    with pytest.raises(ValueError, match="compared with the certificate of all segments"):
        c.verify(LABELS, AUDIT, ANSWERS)


def forgeries():
    """What somebody could write into a file, with the digests that follow."""
    honest = table()
    inside = honest.certificates
    for change in (
        {"delta": 0.2},
        {"segment": "2021"},
        {"n_test": inside["2023"].n_test + 1},
        {"n_train_errors": 0},
        {"provisos": inside["2023"].provisos[:-1]},
        {"fingerprints": {}},
        {"seed_text": "lottery"},
        {"sides": 2},
    ):
        yield {"certificates": inside | {"2023": replace(inside["2023"], **change)}}
    difference = certify_difference(LABELS, TRUTH, AUDIT, ANSWERS)
    another = {"2022": honest}, {"2022": replace(difference, segment="2022")}, {}
    for certificates in ({k: inside[k] for k in ("2022", "2023")}, *another):
        yield {"certificates": certificates}
    yield from ({"others": {"2021": (5, 0, 0)}}, {"n_without": 5}, {"n_audited": 5})


def test_forged_tables_are_found_out():
    for change in forgeries():
        forged = replace(table(), **change)
        files = [sealed(forged)]
        try:
            files.append(forged._issued())
        except ValueError:  # no such file can be issued
            assert not files[0].verify()
        for file in files:
            if file != table():  # of which delta was computed again
                assert not file.verify(LABELS, AUDIT, ANSWERS, by=YEAR)
            assert str(file)


# What is refused.


@pytest.mark.parametrize(
    ("by", "message"),
    [
        (YEAR[1:], "by must have one label for each of the 600 rows"),
        (YEAR + 0.5, "by"),
        (np.full(N_ROWS, None), "by must be names without control characters of 1 to"),
        (np.full(N_ROWS, "a\nb"), "by must be names without control characters"),
        (np.full(N_ROWS, -1), "by must be names"),
        (np.full(N_ROWS, "n/a"), "this is the name of a segment, write it"),
        (np.where(np.isin(np.arange(N_ROWS), AUDIT.rows), "in", "out"), "by must be seg"),
    ],
)
def test_other_segments_are_refused(by, message):
    with pytest.raises((ValueError, TypeError), match=message):
        certify_labels(LABELS, AUDIT, ANSWERS, by=by)


def test_one_segment_is_allowed_and_many_are_not():
    one = certify_labels(LABELS, AUDIT, ANSWERS, by=np.zeros(N_ROWS, dtype=int))
    whole = certify_labels(LABELS, AUDIT, ANSWERS)
    assert one.certificates["0"].stated == whole.stated
    audit = draw_audit(1002, 500, random_state=0)
    with pytest.raises(ValueError, match="of 1 to 1000 segments"):
        certify_labels(np.zeros(1002), audit, np.zeros(500), by=np.arange(1002))
    index = [f"r{i}" for i in range(N_ROWS)]
    labels, year = pd.Series(LABELS, index), pd.Series(YEAR, index)
    with pytest.raises(ValueError, match="by must be in the order of labels"):
        certify_labels(labels, AUDIT, ANSWERS, by=year[::-1])


# Enumerated: all truths of few rows, and all draws.


@cache
def most(n_rows, n_audited, n_wrong, delta):
    """What is stated of a segment of single rows."""
    return n_wrong + int(bmax(n_audited, n_rows - n_audited, n_wrong, delta))


def chance_of_a_miss(sizes, size, delta, share, smaller=False, truths=None):
    """Largest probability that any segment has more errors than stated of it.

    ``share`` has the delta of each segment, by the numbers of audited rows. The
    ``smaller`` of two bounds is the control: that of the segment and that of all rows.
    """

    def is_missed(errors, *drawn):
        found, right = drawn[: len(sizes)], drawn[len(sizes) :]
        audited = np.add(found, right).tolist()
        level = share(sizes, audited, delta)
        of_all = most(sum(sizes), size, sum(found), level) if smaller else sum(sizes)
        return any(
            m and e > min(most(n, m, x, level), of_all)
            for n, e, m, x in zip(sizes, errors, audited, found, strict=True)
        )

    worst = Fraction(0)
    for errors in truths or product(*(range(n + 1) for n in sizes)):
        cells = [*errors, *np.subtract(sizes, errors).tolist()]
        worst = max(worst, chance_of(partial(is_missed, errors), cells, size))
    return worst


def divided(sizes, audited, delta):
    """The package's: by the segments with audited rows and others."""
    n = sum(0 < m < size for size, m in zip(sizes, audited, strict=True))
    return delta / max(n, 1)


@pytest.mark.parametrize("delta", [0.2, 0.5])
@pytest.mark.parametrize("sizes", [(2, 6), (4, 4), (2, 3, 3)])
def test_all_statements_hold_together(sizes, delta):
    for size in (3, 4):
        assert chance_of_a_miss(sizes, size, delta, divided) <= Fraction(str(delta))


def undivided(sizes, audited, delta):
    return delta


def test_all_of_delta_for_each_segment_is_too_much():
    """The control, with the worst truth."""
    of = partial(chance_of_a_miss, (12, 12), 8, 0.3, truths=[(6, 6)])
    assert of(undivided) == Fraction(26947, 81719) > Fraction("0.3")
    assert of(divided) < Fraction("0.3")


def test_the_smaller_of_two_bounds_is_none():
    """The control: errors are in one segment, whose bound may be that of all rows."""
    of = partial(chance_of_a_miss, (12, 12), 8, 0.1, truths=[(9, 0)])
    assert of(undivided, smaller=True) == Fraction(781, 7429) > Fraction("0.1")
    assert of(undivided) < Fraction("0.1")


def grouped_miss(groups, n_drawn, delta, share, truths=None):
    """The same for whole groups, each a tuple of its rows in either segment.

    All truths in which each group is wholly wrong or right in a segment, and all orders.
    """
    n, worst = len(groups), Fraction(0)
    cells = [(k, s) for k in range(n) for s in (0, 1) if groups[k][s]]
    orders = [*permutations(range(n), n_drawn)]
    for truth in truths or product([0, 1], repeat=len(cells)):
        errors = {c: w * groups[c[0]][c[1]] for c, w in zip(cells, truth, strict=True)}
        missed = 0
        for order in orders:
            touched = [s for s in (0, 1) if any(groups[k][s] for k in order)]
            level = share(delta, touched)
            missed += any(
                sum(errors.get((k, s), 0) for k in range(n))
                > of_groups(
                    tuple(errors[k, s] for k in order if groups[k][s]),
                    tuple(groups[k][s] for k in order if groups[k][s]),
                    tuple(g[s] for k, g in enumerate(groups) if g[s] and k not in order),
                    level,
                )
                for s in touched
            )
        worst = max(worst, Fraction(missed, len(orders)))
    return worst


@cache
def of_groups(found, sizes, others, delta):
    return groups_upper_bound(found, sizes, others, delta)


# Of single rows, so that bounds are exact.
BOTH, ONE, OTHER = (1, 1), (1, 0), (0, 1)


def of_all_segments(delta, touched):
    return delta / 2


@pytest.mark.parametrize("n_drawn", [1, 2])
@pytest.mark.parametrize(
    "groups", [[ONE] * 3 + [OTHER] * 3, [BOTH, BOTH, ONE, ONE, OTHER, OTHER], [BOTH] * 4]
)
def test_statements_of_whole_groups_hold_together(groups, n_drawn):
    for delta in (0.3, 0.5):
        chance = grouped_miss(groups, n_drawn, delta, of_all_segments)
        assert chance <= Fraction(str(delta))


def test_the_number_of_segments_that_were_drawn_is_too_small():
    groups = [BOTH, BOTH, ONE, ONE, OTHER, OTHER]
    chance = grouped_miss(groups, 1, 0.3, lambda delta, touched: delta / len(touched))
    assert chance > Fraction("0.3")


def test_misses_of_segments_can_be_disjoint():
    """The control: 1 - (1 - delta) ** (1 / 2), as if they were independent."""
    right = {0: 0, 1: 0, 2: 1, 3: 1}  # the segment in which a group is right
    truth = [int(right.get(k) != s) for k in range(7) for s in (0, 1)]

    def chance(share):
        return grouped_miss([BOTH] * 7, 1, 0.5, share, [truth])

    assert chance(lambda delta, touched: 1 - (1 - delta) ** 0.5) == Fraction(4, 7)
    assert chance(of_all_segments) <= Fraction("0.5")


@pytest.mark.parametrize(("n_segments", "n_draws"), [(2, 40), (10, 20), (200, 20)])
def test_few_draws_state_anything_false(n_segments, n_draws):
    """By the API, and one segment has two rows."""
    rng = np.random.RandomState(n_segments)
    by = rng.randint(1, n_segments, size=2000)
    by[:2] = 0
    truth = rng.randint(2, size=2000)
    labels = np.where(rng.uniform(size=2000) < 0.3 * (by % 3) / 2, 1 - truth, truth)
    masks = labels != truth, truth == 1
    numbers = [np.bincount(by[mask], minlength=n_segments) for mask in masks]
    missed = np.zeros(2)
    for seed in range(n_draws):
        audit = draw_audit(2000, 500, labels=labels, random_state=seed)
        given = labels, audit, truth[audit.rows]
        made = certify_labels(*given, by=by, sides=2), certify_share(*given, of=1, by=by)
        for i, certificate in enumerate(made):
            table = certificate.to_frame()
            right = numbers[i][table.index.astype(int)]
            is_right = (table["lower_bound"] <= right) & (right <= table["upper_bound"])
            missed[i] += not is_right.all()
    assert np.all(missed <= 0.1 * n_draws + 3 * np.sqrt(0.09 * n_draws))


def some_rows_outside(kind):
    """Rows of two segments, of which each has 250 wrong ones that are in no statement."""
    n_rows = 1000
    truth, halves = np.arange(n_rows) % 2, np.arange(n_rows) % 500
    bad = halves < 250
    labels = np.where(bad, 1 - truth, truth).astype(object)
    segments, options = np.where(np.arange(n_rows) < 500, "x", "y"), {"labels": labels}
    if kind == "less sure":
        options |= {"confidence": halves / 500, "surest": 0.5}
    elif kind == "excluded":
        options |= {"exclude": bad}
    else:
        options["labels"] = labels = np.where(bad, None, labels)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of rows without a label
        audit = draw_audit(n_rows, 200, random_state=1, **options)
    return labels, audit, truth[audit.rows], segments


@pytest.mark.parametrize("kind", ["less sure", "excluded", "without a label"])
def test_rows_that_no_statement_is_about_are_told(kind):
    *given, segments = some_rows_outside(kind)
    functions = {certify_labels: {}, class_report: {"metrics": ["total"]}}
    if kind == "excluded":
        functions |= {certify_share: {"of": 1}}
    for function, options in functions.items():
        table = function(*given, by=segments, **options)
        assert table.n_outside == 500
        assert "in each of 2 segments, among the rows that the table counts," in str(
            table
        )
        told = "500 further rows of these could not be drawn or have no label"
        assert told in table.claim
        assert table.verify(*given, by=segments).outcome == "agrees with the data"


def test_nothing_is_known_of_a_segment_that_could_not_be_drawn():
    segments = np.repeat(["x", "y", "z"], 300)
    labels = np.arange(900) % 2
    audit = draw_audit(900, 150, labels=labels, exclude=segments == "z", random_state=0)
    answers = labels[audit.rows]
    table = certify_labels(labels, audit, answers, by=segments)
    assert table.others == {"z": (300, 0, 0)}
    assert "nothing is known of 'z', of which no row was audited" in table.claim
    assert table.to_frame().loc["z", "upper_bound"] == 300
    # Other rows are not left to people, and nothing is said about them.
    sure = np.ones(900)
    audit = draw_audit(900, 150, confidence=sure, exclude=segments == "z", random_state=0)
    finished = finish_labels(labels, sure, audit, answers, target=0.1, by=segments)
    assert (finished.certificate.others, finished.certificate.n_outside) == ({}, 300)


def test_segments_that_a_table_of_classes_has_no_line_of_are_named():
    labels = np.arange(600) % 2
    audit = draw_audit(600, 200, labels=labels, random_state=0)
    segments = np.full(600, "x", dtype=object)
    segments[audit.rows[:4]] = "w"
    report = class_report(labels, audit, labels[audit.rows], by=segments)
    assert "all rows of 'w' were audited" in report.claim
