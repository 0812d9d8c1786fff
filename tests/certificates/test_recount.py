"""Labels are counted again, row by row, against loops."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from sklearn_pacmdl.certificates import (
    BoundCertificate,
    HoldoutCertificate,
    fingerprint_labels,
)

NAMES = ["ash", "elm", "oak"]


def data(seed):
    """Labels of some rows, a labeling of some rows, and which labeled rows certify."""
    rng = np.random.default_rng(seed)
    y = rng.choice([*NAMES, None], size=40, p=[0.3, 0.3, 0.1, 0.3])
    labels = rng.choice([*NAMES, None], size=40, p=[0.4, 0.3, 0.1, 0.2])
    certify = rng.uniform(size=40) < 0.6
    return y.astype(object), labels.astype(object), certify


def told(certificate, *data, **more):
    """The problems that only data reveal."""
    without = certificate.verify().problems
    return [p for p in certificate.verify(*data, **more).problems if p not in without]


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


def certificate_of(found, cls=HoldoutCertificate, **more):
    given = {k: found[k] for k in ("n_select", "n_train_abstained", "n_test_abstained")}
    counts = (found[k] for k in ("n_train", "n_test", "n_train_errors"))
    return cls.from_counts(*counts, weights={}, **given, **more)


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
        expected = f"{name} is {found[name] + 1} here and {found[name]} in the data"
        assert told(wrong, y, labels, certify) == [expected]


def test_no_row_certifies():
    y, labels, _ = data(0)
    nobody = np.zeros(40, bool)
    found = counts_of(y, labels, nobody)
    certificate = certificate_of(found)
    assert certificate.n_train == 0
    for rows in (nobody, []):
        assert certificate.verify(y, labels, rows)


def test_what_was_not_recorded_is_told():
    y, labels, certify = data(0)
    certificate = certificate_of(counts_of(y, labels, certify))
    problem = "row_order: there is no SHA-256 digest to compare with"
    assert certificate.verify(row_order=np.arange(40)).problems == (problem,)
    labels[[label is None for label in y].index(True)] = "yew"
    certificate = certificate_of(counts_of(y, labels, certify), classes=NAMES)
    problem = "labels: there are classes that are none of the certificate's"
    assert certificate.verify(y, labels, certify).problems == (problem,)


def test_a_class_may_have_the_name_of_a_gap():
    """Only if it was declared."""
    y, labels, _ = data(1)
    for values in (y, labels):
        values[values == "ash"] = "nan"
    classes, found = ["nan", "elm", "oak"], counts_of(y, labels, np.ones(len(y), bool))
    plain = certificate_of(found, BoundCertificate, classes=classes)
    noted = {
        "labels": fingerprint_labels(y, classes),
        "labeling": fingerprint_labels(labels, classes),
    }
    for certificate in (plain, replace(plain, fingerprints=noted)):
        assert not told(certificate, y, labels)
    other = np.where(np.arange(40) == np.flatnonzero(y == "elm")[0], "oak", y)
    wrong = replace(plain, fingerprints={"labels": fingerprint_labels(other, classes)})
    assert told(wrong, y, labels) == [
        "y: its SHA-256 digest is not the one that was recorded"
    ]
    undeclared = certificate_of(found, BoundCertificate)
    with pytest.raises(ValueError, match="nan"):
        undeclared.verify(y, labels)
