"""Certificates of labelings from anywhere: facts, refusals, and that they hold."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from made import FIXED, ONCE, RIGHT, with_errors
from scipy.stats import binom

from sklearn_pacmdl.audits import (
    certify_labels,
    draw_audit,
)
from sklearn_pacmdl.bounds import bmax
from sklearn_pacmdl.certificates import Certificate


@pytest.mark.parametrize("dtype", [int, str, object, np.uint8, float])
def test_facts(dtype):
    truth, labels = with_errors(dtype=dtype)
    audit = draw_audit(1000, 200, labels=labels, random_state=0)
    n_wrong = int(np.sum(audit.rows < 50))
    certificate = certify_labels(labels, audit, truth[audit.rows], delta=0.05)
    assert (certificate.n_train, certificate.n_test) == (200, 800)
    assert certificate.n_train_errors == n_wrong
    assert certificate.max_test_errors == bmax(200, 800, n_wrong, 0.05)
    assert certificate.stated_bound == certificate.stated[0] / 1000
    assert certificate.provisos == (RIGHT, ONCE)
    assert certificate.fingerprints["audit"] == audit.digest
    assert certificate.verify(labels, audit, truth[audit.rows])
    assert Certificate.from_json(certificate.to_json()).verify()
    assert certificate.restated(delta=0.01).verify()


def test_statement():
    truth, labels = with_errors(1000, 0)
    audit = draw_audit(1000, 200, random_state=0)
    certificate = certify_labels(labels, audit, truth[audit.rows])
    assert certificate.statement == (
        "With probability at least 90% over the random choice of the 200 audited rows, "
        "at most 10 of all 1000 rows (1.00%) are labeled wrongly: 0 of the 200 audited "
        f"rows and at most 10 of the 800 others, provided {RIGHT}, {ONCE} and {FIXED}."
    )
    assert "audited rows (m)" in str(certificate)


@pytest.mark.filterwarnings("ignore:labels holds -1 in 250 of 1,000 rows")
def test_rows_without_a_label_are_not_counted():
    truth, labels = with_errors()
    labels[::4] = -1
    audit = draw_audit(1000, 200, random_state=0)  # without labels, all may be drawn
    certificate = certify_labels(labels, audit, truth[audit.rows])
    blank = int(np.sum(audit.rows % 4 == 0))
    assert certificate.n_train == 200 - blank
    assert certificate.n_train_abstained == blank
    assert certificate.n_test == 750 - certificate.n_train
    assert "of all 750 rows that are given a label" in certificate.statement
    assert certificate.verify(labels, audit, truth[audit.rows])


def test_excluded_rows_are_not_counted():
    truth, labels = with_errors()
    audit = draw_audit(1000, 100, exclude=range(100), random_state=0)
    certificate = certify_labels(labels, audit, truth[audit.rows])
    assert certificate.n_train + certificate.n_test == 900
    assert certificate.n_train_errors == 0
    assert certificate.n_excluded == 100
    assert "of all 900 rows that could be drawn (" in certificate.statement
    blank = np.where(np.arange(1000) % 4, labels, -1)
    claim = certify_labels(blank, audit, truth[audit.rows]).claim
    assert "of all 675 rows that could be drawn and are given a label (" in claim
    with pytest.raises(ValueError, match="n_excluded must be an integer from 0"):
        replace(certificate, n_excluded=-1)._issued()
    assert certificate.verify(labels, audit, truth[audit.rows])


@pytest.mark.parametrize("named", [False, True])
def test_a_series_in_another_order_is_refused(named):
    truth, labels = with_errors(100, 5)
    audit = draw_audit(100, 20, random_state=0)
    expected = certify_labels(labels, audit, truth[audit.rows])
    names = pd.Index([f"message {i}" for i in range(100)]) if named else np.arange(100)
    labels = pd.Series(labels, index=names) if named else labels
    answers = pd.Series(truth, index=names).iloc[audit.rows]
    place = r"labels.index\[audit.rows\]" if named else "audit.rows"
    with pytest.raises(ValueError, match=rf"pass audit_labels.loc\[{place}\]"):
        certify_labels(labels, audit, answers.sort_index())
    again = answers.sort_index().loc[names[audit.rows]]
    for same in (answers, again, answers.reset_index(drop=True)):
        assert certify_labels(labels, audit, same) == expected


@pytest.mark.parametrize("n_errors", [9, 40])
def test_holds_for_a_sorted_file_whatever_the_labeling_knew(n_errors):
    """The wrong rows come first, and the labeling was tuned on all labels."""
    n_rows, size, delta, n_draws = 300, 60, 0.2, 600
    truth, labels = with_errors(n_rows, n_errors)
    exact = naive = 0
    for seed in range(n_draws):
        audit = draw_audit(n_rows, size, random_state=seed)
        certificate = certify_labels(labels, audit, truth[audit.rows], delta=delta)
        a = certificate.n_train_errors
        exact += a + certificate.max_test_errors < n_errors
        # Control: the normal approximation of the one-sided 80 % limit.
        rate = a / size
        limit = rate + 0.8416 * np.sqrt(rate * (1 - rate) / size * (1 - size / n_rows))
        naive += limit * n_rows < n_errors
    most = binom.ppf(1 - 1e-6, n_draws, delta)
    assert exact <= most
    assert exact > 0.05 * n_draws  # the simulation could have failed
    if n_errors == 9:
        assert naive > most
