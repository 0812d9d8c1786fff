"""What is said of a record with an altered field, and the digest that follows from it."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from made import finish, sealed, with_confidence

from sklearn_pacmdl.audits import (
    Audit,
    AuditCertificate,
    FinishedCertificate,
    certify_difference,
    draw_audit,
)

ROWS = np.arange(200)
AUDIT = draw_audit(200, 40, random_state=0)
_, ALL, FINISHED = finish()
PLAN = {"confidence": with_confidence(400)[2], "surest": 0.5, "target": 0.1, "delta": 0.1}
_, SUREST, OF_SUREST = finish(400, 60, plan=PLAN)
LABELINGS = ROWS % 4, np.where(ROWS < 50, 0, ROWS % 4)
DIFFERENCE = certify_difference(*LABELINGS, AUDIT, (ROWS % 4)[AUDIT.rows])
VERSIONS = certify_difference(*(y[AUDIT.rows] for y in LABELINGS), AUDIT, of=0)
PEOPLE = {"max_annotator_errors": 2}
LEFT = {"n_automatic": 5, "n_left": 75, "target": 0.5}


def each(name, problem, *values):
    return [({name: value}, problem) for value in values]


OF_PEOPLE = [
    *each("max_annotator_errors", "the first of the provisos is not 'the labels that", 0),
    *each("max_annotator_errors", "is not 'people labeled at most 1 of the audited", 1),
    *each("max_annotator_errors", "must be an integer from 0 to 20", -1, 21, 2.0, "2"),
]
DIGESTS = DIFFERENCE.fingerprints
# A record, data to compare it with, what is altered, and the problem.
CASES = [
    (AuditCertificate.from_counts(20, 80, 3, **PEOPLE), (), OF_PEOPLE),
    (FinishedCertificate.from_counts(20, 80, 3, **PEOPLE, **LEFT), (), OF_PEOPLE),
    (
        AUDIT,
        (),
        each("n_rows", "n_rows must be an integer", "a", None, 10**15, -3, 2.5, 1, True),
    ),
    (
        FINISHED.certificate,
        ALL,
        [
            *each("n_automatic", "n_automatic is 5 here and", 5),
            *each("n_automatic", "n_automatic must be an integer from 0 to 700", -5, "1"),
            *each("n_train_abstained", "must be an integer from 0 to 0", 1),
            *each("n_test_abstained", "must be an integer from 0 to 0", 5),
            (
                {"n_automatic": 5, "n_left": 696},
                "n_left must be an integer from 0 to 69",
            ),
            ({"n_automatic": 5, "n_left": -1}, "n_left must be an integer from 0 to 69"),
            (
                {"n_automatic": 5, "n_left": "0"},
                "n_left must be an integer from 0 to 69",
            ),
        ],
    ),
    (
        SUREST[2],
        (),
        [
            *each("doubtful", "rows are not those that follow", ROWS),
            *each("doubtful", "are not sorted numbers of rows", np.array([3, 2])),
            *each("doubtful", "are not sorted numbers of rows", np.array([400])),
            *each("doubtful", "are not sorted numbers of rows", np.array([["a"]])),
            *each("excluded", "are not sorted numbers of rows that", np.arange(400)),
            *each("target", "target must be", 2.0),
            *each("delta", "delta must be", "0.1"),
        ],
    ),
    (
        OF_SUREST.certificate,
        SUREST,
        [
            *each("target", "must be 0.1, for which the audit was drawn, got", 0.2),
            *each("n_doubtful", "n_doubtful is 201 here and 200 in the data", 201),
            *each("n_doubtful", "n_doubtful must be an integer from 0", -1),
        ],
    ),
    (
        DIFFERENCE,
        (),
        [
            *each("upper_bound", f"is 30, and {DIFFERENCE.upper_bound} follows", 30),
            *each("n_second_right", "n_second_right must be an integer from 0 to", 40),
            *each("delta", "delta must be in the open interval", 2),
            *each("fingerprints", "must be digests of first, second, labels and aud", {}),
            *each("fingerprints", "must be SHA-256", DIGESTS | {"first": "0"}),
            *each("fingerprints", "must be SHA-256", DIGESTS | {"audit": None}),
            *each("provisos", "must be a tuple of clauses", (3,), (None,), "text", ("",)),
            *(
                ({"provisos": pair}, "the first of the provisos is not")
                for pair in combinations(DIFFERENCE.provisos, 2)
            ),
        ],
    ),
    (
        VERSIONS,
        (),
        [
            *each("n_differing", "must count all rows of versions", 199),
            *each("of", "must be digests of first, second, labels and audit", ()),
            *each("of", "classes must be different names", ("0", "0")),
            *each("of", "classes must be names without halves", ("\ud800",)),
            *each("provisos", "the first of the provisos is not", VERSIONS.provisos[:2]),
        ],
    ),
]


@pytest.mark.parametrize(
    ("record", "data", "change", "problem"),
    [(record, data, *case) for record, data, cases in CASES for case in cases],
)
def test_the_problem_is_named(record, data, change, problem):
    assert record.verify(*data)
    assert problem in str(sealed(record, **change).verify(*data).problems)


@pytest.mark.parametrize(
    "change",
    [{"fingerprints": "text"}, {"fingerprints": None}, {"source": 3}, {"date": 3},
     {"classes": []}],
)  # fmt: skip
def test_fields_of_other_types_cannot_be_read(change):
    text = replace(AUDIT, **change).to_json()
    assert Audit.from_json(text).verify().outcome == "cannot be read"


@pytest.mark.parametrize("n_automatic", [-1, 0, 1, 20, 21])
def test_any_number_of_rows_may_be_automatic(n_automatic):
    made = FinishedCertificate.from_counts(10, 20, 3, **LEFT | {"n_left": 0})
    altered = sealed(made, n_automatic=n_automatic)
    assert altered.verify().passed == (0 <= n_automatic <= 20)


@pytest.mark.parametrize("n_people", [10, 11, 12, 13, 14])
def test_people_may_be_wrong_about_every_audited_row(n_people):
    """Also about those that are given no label."""
    counts = {"max_annotator_errors": n_people, "n_train_abstained": 3}
    if n_people <= 13:
        assert AuditCertificate.from_counts(10, 20, 10, **counts).verify()
    else:
        with pytest.raises(ValueError, match="max_annotator_errors"):
            AuditCertificate.from_counts(10, 20, 10, **counts)


def test_numbers_of_numpy_are_stored_as_those_of_python():
    counts, left = (10, 20, 1), LEFT | {"n_left": 15}
    two, of_numpy = (AuditCertificate.from_counts(*counts, sides=n) for n in (2, ROWS[2]))
    assert of_numpy == two
    half = FinishedCertificate.from_counts(*counts, **left | {"target": np.float32(0.5)})
    assert half == FinishedCertificate.from_counts(*counts, **left)
