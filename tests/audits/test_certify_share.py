"""Shares of classes: what is counted, that both bounds hold, refusals, and the record."""

from dataclasses import replace

import numpy as np
import pytest
from oracles import worst_failure

from sklearn_pacmdl.audits import (
    ShareCertificate,
    certify_share,
    draw_audit,
)
from sklearn_pacmdl.bounds import stratified_upper_bound, total_upper_bound
from sklearn_pacmdl.certificates import Certificate

N = 2000
RNG = np.random.RandomState(0)
TRUTH = RNG.choice(["ham", "news", "spam"], size=N, p=[0.7, 0.2, 0.1])
LABELS = np.where(RNG.uniform(size=N) < 0.05, "spam", TRUTH)
AUDIT = draw_audit(N, 150, labels=LABELS, random_state=0)
ANSWERS = TRUTH[AUDIT.rows]
DIGESTS = dict.fromkeys(("labels", "labeling", "audit"), "0" * 64)


def counts(audit, *strata, classes=("spam",)):
    """Rows, audited rows and rows truly of the classes, of masks of rows."""
    drawn, truly = np.isin(np.arange(N), audit.rows), np.isin(TRUTH, classes)
    pool = np.isin(np.arange(N), audit.pool)
    sets = pool, drawn, drawn & truly
    return tuple(tuple(int(np.sum(mask & each)) for each in sets) for mask in strata)


def bounds(strata, half):
    rows, audited, found = np.transpose(strata)
    right = audited - found
    most_others = stratified_upper_bound(right, audited, rows, half)
    return rows.sum() - most_others, stratified_upper_bound(found, audited, rows, half)


@pytest.mark.parametrize("excluded", [None, range(300)])
@pytest.mark.parametrize("of", ["spam", ["spam", "news"]])
def test_labels_divide_the_rows(of, excluded):
    audit = draw_audit(N, 150, labels=LABELS, exclude=excluded, random_state=0)
    certificate = certify_share(LABELS, audit, TRUTH[audit.rows], of=of, delta=0.2)
    classes = [of] if of == "spam" else of
    predicted = np.isin(LABELS, classes)
    assert certificate.of == tuple(classes)
    assert certificate.strata == counts(audit, ~predicted, predicted, classes=classes)
    low, high = certificate.lower_bound, certificate.upper_bound
    assert (low, high) == bounds(certificate.strata, 0.1)
    assert certificate.n_predicted == np.sum(predicted[audit.pool])
    assert certificate.lower == pytest.approx(low / len(audit.pool), abs=1e-15)
    assert certificate.upper == pytest.approx(high / len(audit.pool), abs=1e-15)
    weighted = sum(n * x / m for n, m, x in certificate.strata) / len(audit.pool)
    assert certificate.estimate == pytest.approx(weighted)
    assert certificate.lower < certificate.estimate < certificate.upper
    where = " that could be drawn" if excluded else ""
    names = "'spam' or 'news'" if len(classes) > 1 else "'spam'"
    assert f"between {low} and {high} of all {len(audit.pool)} rows{where} (" in (
        certificate.statement
    )
    assert f"are truly {names}: " in certificate.statement
    assert "the random choice of the 150 audited rows, " in certificate.statement


@pytest.mark.filterwarnings("ignore:audit_labels holds labels that are not in labels")
def test_good_labels_narrow_the_bounds():
    """Bounds without labels, which are those of a uniform sample, are wider."""
    ours = certify_share(LABELS, AUDIT, ANSWERS, of="spam")
    free = draw_audit(N, 150, random_state=0)  # the same rows
    alone = certify_share(np.full(N, "ham"), free, ANSWERS, of="spam")
    found = np.sum(ANSWERS == "spam")
    assert alone.strata == ((N, 150, found),)
    assert alone.upper_bound == total_upper_bound(found, 150, N, 0.05)
    assert "the labeling was fixed before the audit was drawn" in alone.provisos
    width = alone.upper_bound - alone.lower_bound
    assert ours.upper_bound - ours.lower_bound < 0.8 * width


def test_a_mapping_shares_delta():
    of = {"unwanted": ["spam", "news"], "wanted": "ham", "news": "news"}
    certificates = certify_share(LABELS, AUDIT, ANSWERS, of=of, delta=0.15)
    alone = {k: certify_share(LABELS, AUDIT, ANSWERS, of=of[k], delta=0.05) for k in of}
    assert [*certificates.items()] == [*alone.items()]
    assert certificates["wanted"].restated(delta=0.1).delta == 0.1


@pytest.mark.parametrize(("n_sheets", "is_divided"), [(2, True), (3, True), (4, False)])
def test_strata_are_divided_by_labels_if_they_are_few(n_sheets, is_divided):
    sheets = np.arange(N) % n_sheets
    audit = draw_audit(N, 150, labels=LABELS, strata=sheets, random_state=0)
    certificate = certify_share(LABELS, audit, TRUTH[audit.rows], of="spam")
    predicted = LABELS == "spam"
    masks = [sheets == k for k in range(n_sheets)]
    if is_divided:
        masks = [mask & each for mask in masks for each in (~predicted, predicted)]
    assert certificate.strata == counts(audit, *masks)
    low, high = bounds(certificate.strata, 0.05)
    assert (certificate.lower_bound, certificate.upper_bound) == (low, high)
    assert f"choice of the 150 audited rows in {n_sheets} strata, " in str(certificate)
    assert certificate.verify(LABELS, audit, TRUTH[audit.rows])


@pytest.mark.filterwarnings("ignore:strata is missing in 100 of 2,000 rows")
def test_rows_drawn_by_the_labels():
    """As many of either stratum narrow the bounds of a rare class; none may be missed."""
    predicted = LABELS == "spam"
    partly = np.where(np.arange(N) < 100, None, predicted.astype(object))
    whole, part = (
        draw_audit(N, 150, labels=LABELS, strata=strata, random_state=0)
        for strata in (predicted, partly)
    )
    certificate = certify_share(LABELS, whole, TRUTH[whole.rows], of="spam")
    assert [m for _, m, _ in certificate.strata] == [75, 75]
    assert certificate.lower <= np.mean(TRUTH == "spam") <= certificate.upper
    certificate = certify_share(LABELS, part, TRUTH[part.rows], of="spam")
    assert (certificate.n_rows, certificate.n_excluded) == (N - 100, 100)


def test_rows_without_a_label_are_others():
    labels = LABELS.astype(object)
    labels[:200] = None
    audit = draw_audit(N, 150, random_state=0)  # without labels, all may be drawn
    certificate = certify_share(labels, audit, TRUTH[audit.rows], of="spam")
    predicted = labels == "spam"
    assert certificate.strata == counts(audit, ~predicted, predicted)


@pytest.mark.parametrize(
    ("of", "message"),
    [
        ("Spam", "of must be written as labels, got 'Spam'"),
        ("eggs", r"of must be of classes that were given to some row, \['ham', 'news'"),
        (["spam", "spam"], "of must be a 1-dimensional array of different labels"),
        ([], "of must be a 1-dimensional array of different labels, and none"),
        (None, "of must be a 1-dimensional array of different labels, and none"),
        ({}, "of must be a class, several, or a mapping with at least one name"),
        ({"a": "spam", "b": "eggs"}, "of must be of classes that were given"),
    ],
)
def test_what_is_no_class_is_refused(of, message):
    with pytest.raises(ValueError, match=message):
        certify_share(LABELS, AUDIT, ANSWERS, of=of)


def test_classes_that_people_alone_named():
    """They are not errors, and may be in of=; another vocabulary is still refused."""
    answers = ANSWERS.astype(object)
    answers[np.flatnonzero(answers == "ham")[:3]] = "scam"
    own = r"not in labels: 'scam' \(3 rows\)\. They count as classes of their own, of"
    with pytest.warns(UserWarning, match=own):
        both = certify_share(LABELS, AUDIT, answers, of={"a": "spam", "b": ["scam"]})
    assert both["a"]._n_truly == np.sum(ANSWERS == "spam")
    assert both["b"].strata == ((N, 150, 3),)
    with pytest.raises(ValueError, match="audit_labels must hold labels that are in lab"):
        certify_share(LABELS, AUDIT, np.full(150, "scam"), of="scam")


def test_a_class_that_the_audit_names_may_be_that_of_no_row():
    labels = np.full(1000, "0")
    names = {"0": "ok", "1": "toxic"}
    audit = draw_audit(1000, 100, labels=labels, classes=names, random_state=0)
    given = labels, audit, labels[audit.rows]
    shares = certify_share(*given, of={"a": "1", "b": ["toxic", "ok"]}, delta=0.2)
    assert shares["a"].of == ("toxic",)
    assert shares["a"].strata == ((1000, 100, 0),)
    assert shares["a"].upper_bound == total_upper_bound(0, 100, 1000, 0.05)
    assert shares["b"].of == ("toxic", "ok")
    assert shares["b"].strata == ((1000, 100, 100),)
    assert all(share.verify(*given) for share in shares.values())
    with pytest.raises(ValueError, match="or that were named when the audit was drawn"):
        certify_share(*given, of="spam")


def test_audits_of_the_surest_rows_or_for_other_labels_are_refused():
    sure = {"confidence": RNG.uniform(size=N), "surest": 0.5}
    surest = draw_audit(N, 99, labels=LABELS, **sure, random_state=0)
    with pytest.raises(ValueError, match="one of all rows, not of the surest ones"):
        certify_share(LABELS, surest, TRUTH[surest.rows], of="spam")
    with pytest.raises(ValueError, match="drawn for, got others, or the same labels in"):
        certify_share(TRUTH, AUDIT, ANSWERS, of="spam")


# The record


def issued(strata, delta):
    made = ShareCertificate(of=("x",), strata=strata, n_predicted=0, delta=delta)
    made = replace(made, fingerprints=DIGESTS, provisos=made.assumed)
    return made.restated(delta=delta)


def test_the_record():
    certificate = certify_share(LABELS, AUDIT, ANSWERS, of="spam")
    again = Certificate.from_json(certificate.to_json())
    assert again == certificate
    assert type(again) is ShareCertificate
    assert again.verify().outcome == "agrees with itself; no data were compared"
    assert again.verify(LABELS, AUDIT, ANSWERS).outcome == "agrees with the data"
    assert not replace(again, upper_bound=again.upper_bound - 1).verify()
    assert not replace(again, strata=((1, 2, 3),)).verify()
    assert "stratum" in str(again)
    assert "states nothing" in repr(replace(again, of=()))
    assert certificate._repr_html_().count("<tr>") > 8
    assert certificate.statement not in replace(again, strata=()).report().html
    with pytest.raises(ValueError, match="all of labels, audit and audit_labels, or"):
        again.verify(LABELS)


def test_what_was_not_found():
    """Nothing of the class, all of it, and a stratum without an audited row."""
    nothing = issued(((90, 9, 0), (10, 0, 0)), 0.1)
    assert nothing.lower_bound == nothing.estimate == 0
    assert nothing.upper_bound == 10 + total_upper_bound(0, 9, 90, 0.05)
    everything = issued(((90, 9, 9),), 0.1)
    assert everything.upper == everything.estimate == 1
    # A stratum without an audited row has the overall share.
    assert issued(((80, 20, 5), (20, 0, 0)), 0.1).estimate == 0.25
    assert issued(((60, 20, 5), (40, 10, 5)), 0.1).estimate == 0.35


DESIGNS = [
    ((4, 3), (9, 7)),
    ((5, 6), (20, 12)),
    ((3, 3, 2), (7, 6, 8)),
    ((9, 4), (18, 30)),
]


def chance_outside(audited, rows, delta):
    """Largest probability, over all truths, that a number is outside of its bounds."""
    shape = [m + 1 for m in audited]
    strata = (tuple(zip(rows, audited, x, strict=True)) for x in np.ndindex(*shape))
    made = [issued(each, delta) for each in strata]
    low = np.reshape([each.lower_bound for each in made], shape)
    high = np.reshape([each.upper_bound for each in made], shape)
    return worst_failure(audited, rows, high, lambda *truly: sum(truly), low)


@pytest.mark.parametrize("delta", [0.1, 0.4])
def test_both_bounds_hold(delta):
    worst = [chance_outside(*design, delta) / delta for design in DESIGNS]
    assert 0.6 < max(worst) <= 1


@pytest.mark.parametrize("strata", [((10, 10, 3),), ((0, 0, 0), (10, 5, 1))])
def test_counts_of_strata_are_of_rows_of_which_some_were_not_audited(strata):
    good = issued(((10, 5, 1),), 0.1)
    assert "strata must be" in str(replace(good, strata=strata).verify().problems)
