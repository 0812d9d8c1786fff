"""Labels are counted again, row by row, against loops."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from sklearn_pacmdl.certificates import BoundCertificate
from sklearn_pacmdl.certificates._recount import contradicted_by_labels

NAMES = ["ash", "elm", "oak"]


def data(seed):
    """Labels of some rows, a labeling of some rows, and which labeled rows certify."""
    rng = np.random.default_rng(seed)
    y = rng.choice([*NAMES, None], size=40, p=[0.3, 0.3, 0.1, 0.3])
    labels = rng.choice([*NAMES, None], size=40, p=[0.4, 0.3, 0.1, 0.2])
    certify = rng.uniform(size=40) < 0.6
    return y.astype(object), labels.astype(object), certify


def counts_of(y, labels, certify):
    found = Counter()
    for seen, given, certifies in zip(y, labels, certify, strict=True):
        if seen is None:
            found["n_test" if given is not None else "n_test_abstained"] += 1
        elif not certifies:
            found["n_select"] += 1
        elif given is None:
            found["n_train_abstained"] += 1
        else:
            found["n_train"] += 1
            found["n_train_errors"] += given != seen
    return found


def certificate_of(found, **more):
    given = {k: found[k] for k in ("n_select", "n_train_abstained", "n_test_abstained")}
    return BoundCertificate.from_counts(
        found["n_train"],
        found["n_test"],
        found["n_train_errors"],
        weights={},
        kind="holdout",
        **given,
        **more,
    )


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("classes", [(), NAMES])
def test_every_count_is_that_of_a_loop(seed, classes):
    y, labels, certify = data(seed)
    found = counts_of(y, labels, certify)
    assert len(found) == 6
    certificate = certificate_of(found, classes=classes)
    # Selecting rows by a mask or by indices; unlabeled rows among them do not matter.
    labeled = np.array([seen is not None for seen in y])
    for rows in (certify, certify & labeled, np.flatnonzero(certify), certify.tolist()):
        assert certificate.verify(y, labels, rows)
    for name in found:
        wrong = replace(certificate, **{name: found[name] + 1})
        (problem,) = contradicted_by_labels(wrong, y, labels, certify)
        expected = f"{name} is {found[name] + 1} here and {found[name]} in the data"
        assert problem == expected


@pytest.mark.parametrize(
    "rows",
    [[40], [-1], [0.0, 1.0], [[0, 1]], ["a"], np.ones(39, bool), np.ones((40, 1), bool)],
)
def test_rows_that_certify_are_a_mask_or_indices(rows):
    y, labels, certify = data(0)
    certificate = certificate_of(counts_of(y, labels, certify))
    with pytest.raises(ValueError, match="certifying must be a mask of 40 rows or ind"):
        certificate.verify(y, labels, rows)


def test_no_row_certifies():
    y, labels, _ = data(0)
    nobody = np.zeros(40, bool)
    found = counts_of(y, labels, nobody)
    certificate = certificate_of(found)
    assert certificate.n_train == 0
    for rows in (nobody, []):
        assert certificate.verify(y, labels, rows)


def test_an_order_without_a_record_is_told():
    y, labels, certify = data(0)
    certificate = certificate_of(counts_of(y, labels, certify))
    problems = certificate.verify(row_order=np.arange(40)).problems
    assert problems == ("there is no fingerprint that row_order could be compared with",)


def test_labels_outside_the_classes_are_told():
    y, labels, certify = data(0)
    labels[np.flatnonzero(y == None)[0]] = "yew"  # noqa: E711
    certificate = certificate_of(counts_of(y, labels, certify), classes=NAMES)
    (problem,) = certificate.verify(y, labels, certify).problems
    assert problem == "labels have classes that are none of the certificate's"
