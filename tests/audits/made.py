"""What people would say, labels of a machine, and an audit of these, for tests.

Statements are compared with the provisos as they are written here, not in the package.
"""

from dataclasses import replace
from fractions import Fraction
from hashlib import sha256

import numpy as np

from sklearn_pacmdl.audits import draw_audit, finish_labels
from sklearn_pacmdl.certificates import (
    BoundCertificate,
    HoldoutCertificate,
    LearnedCertificate,
    fingerprint_labels,
    fingerprint_row_order,
)

RIGHT = "the labels that people gave to the audited rows are right"
ONCE = "the audit was not drawn again or chosen because of its result"
REST = "people label the rows that are left to them rightly"
TARGET = "the target was not chosen because of its result"
OUTPUTS = "the outputs of both versions were fixed before the audit was drawn"
BEFOREHAND = "what to state was decided before labels of the audited rows were seen"
FIXED = "the labeling was fixed before the audit was drawn"
CONFIDENCE = "the confidences were fixed before the audit was drawn"


# What no field of a record may be, or hardly any.
MALFORMED = [
    None, True, "0.1", -1, 0.5, np.inf, -np.inf, np.nan, 10**400, 10**5000, b"x", (), [],
    {}, (None,), ("",), {"": 1}, {"a": None}, {3: Fraction(1, 2)}, "2020-01-01", object(),
    np.zeros(2), {"label": Fraction(-1, 3)}, {"label": Fraction(3, 2)},
]  # fmt: skip


def with_errors(n_rows=1000, n_errors=50, classes=(0, 1, 2), dtype=None):
    """Truth, which takes the classes in turn, and labels of which the first are wrong."""
    classes, rows = np.array(classes, dtype=dtype), np.arange(n_rows)
    n_classes = len(classes)
    return classes[rows % n_classes], classes[(rows + (rows < n_errors)) % n_classes]


def with_confidence(n_rows=1000, seed=0, classes=(0, 1, 2), dtype=None):
    """Truth, labels, and how sure the machine is: the surer, the more often right."""
    rng, classes = np.random.RandomState(seed), np.array(classes, dtype=dtype)
    codes = rng.randint(len(classes), size=n_rows)
    confidence = rng.uniform(size=n_rows)
    wrong = rng.uniform(size=n_rows) >= np.sqrt(confidence)
    return classes[codes], classes[(codes + wrong) % len(classes)], confidence


def finish(n_rows=1000, size=300, target=0.1, dtype=None, plan=(), **options):
    """Truth, what is given to finish_labels, and the data set that it finishes."""
    truth, labels, confidence = with_confidence(n_rows, dtype=dtype)
    audit = draw_audit(n_rows, size, random_state=1, **dict(plan))
    given = labels, confidence, audit, truth[audit.rows]
    return truth, given, finish_labels(*given, target=target, **options)


def audited(n_rows=1000, n_errors=50, size=200, classes=(0, 1, 2), **options):
    """Truth, labels that are wrong in the first rows, and an audit of all rows."""
    audit = draw_audit(n_rows, size, random_state=0, **options)
    return *with_errors(n_rows, n_errors, classes), audit


def sealed(record, **changes):
    """A record with changed fields, and the digest that anybody can compute."""
    altered = replace(record, **changes)
    return replace(altered, digest=altered._fingerprint())


CLASSES = BoundCertificate, LearnedCertificate, HoldoutCertificate
KINDS = {each.kind: each for each in CLASSES}
SELECT = ("learned", "holdout")  # kinds with labels that do not certify
RANDOM_CHOICE = "the labeled rows are a uniformly random choice"
WEIGHTS = {
    "pac-mdl": {"label": Fraction(1, 9), "init": Fraction(1, 8)},
    "learned": {"label": Fraction(3, 4), "candidate": Fraction(1, 2)},
    "holdout": {"subset": Fraction(1, 3)},
}


def counted(kind, abstains, drawn):
    """A certificate of labels, and what it is about: 60 labeled rows and 90 others."""
    y = np.repeat([0, 1, -1], [40, 20, 90])
    labels = np.repeat([0, 1, 0, 1], [37, 23, 50, 40])
    if abstains:
        labels[[0, 1, 45, 100, 101, 102]] = -1
    certifying = np.arange(25 if kind in SELECT else 0, 60)
    order = np.random.RandomState(0).permutation(150)
    answered = labels != -1
    counted = certifying[answered[certifying]]
    certificate = KINDS[kind].from_counts(
        len(counted),
        int(answered[60:].sum()),
        int((labels[counted] != y[counted]).sum()),
        weights=WEIGHTS[kind],
        delta=0.1,
        provisos=["the 2 classes were known beforehand"],
        subject={"algorithm": "kmeans", "n_candidates": 10},
        n_select=60 - len(certifying),
        n_train_abstained=len(certifying) - len(counted),
        n_test_abstained=90 - int(answered[60:].sum()),
        drawn=drawn,
        classes=[0, 1, 2],
        random_choice_p_value=0.31,
        fingerprints={
            "labels": fingerprint_labels(y),
            "labeling": fingerprint_labels(labels),
            "row_order": fingerprint_row_order(order),
            **({"certifying": digest_of(certifying)} if kind in SELECT else {}),
        },
    )
    data = {"y": y, "labels": labels, "certifying": certifying, "row_order": order}
    return certificate, data


def digest_of(certifying):
    """As it is documented, of all 150 rows."""
    return sha256(b'["certifying",150]' + certifying.astype("<i8").tobytes()).hexdigest()
