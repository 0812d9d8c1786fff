"""Certificates of labels, of every kind: other data, other kinds, fields of other types.

All fields are altered in test_forged_files.py.
"""

from dataclasses import fields, replace
from math import log2

import numpy as np
import pytest
from made import KINDS, SELECT, counted, sealed

CASES = {
    (kind, abstains, drawn): counted(kind, abstains, drawn)
    for kind in KINDS
    for abstains in (False, True)
    for drawn in (False, True)
}
cases = pytest.mark.parametrize("case", CASES.values(), ids=map(str, CASES))


@cases
def test_another_kind_is_found_out(case):
    """But which labels named clusters, no data tell."""
    certificate, data = case
    for cls in KINDS.values():
        names = {f.name for f in fields(cls)} & {f.name for f in fields(certificate)}
        other = cls(**{name: getattr(certificate, name) for name in names})
        assert bool(other.verify()) == (cls is type(certificate))
        both = {cls.kind, certificate.kind}
        assert bool(sealed(other).verify(**data)) == (len(both) == 1 or both == {*SELECT})


@cases
def test_other_labels_and_another_labeling_are_found_out(case):
    """Of the same counts: two rows swapped."""
    certificate, data = case
    y, labels, certifying, order = data.values()
    assert certificate.verify(y, labels, certifying, order)
    swapped = np.arange(150)
    swapped[[70, 140]] = swapped[[140, 70]]
    found, *hint = certificate.verify(y, labels[swapped], certifying, order).problems
    assert found == "labels: its SHA-256 digest is not the one that was recorded"
    assert len(hint) == certificate.drawn
    # Exchange a labeled row for an unlabeled one that the labeling treats alike.
    moved = np.arange(150)
    moved[[30, 70]] = moved[[70, 30]]
    rows = np.flatnonzero(np.isin(moved, certifying))
    own = ["certifying"] * (certificate.kind in SELECT)
    problems = certificate.verify(y[moved], labels, rows, order).problems
    found = [f"{name}: its SHA-256 digest is not the one that" for name in (*own, "y")]
    assert [p.removesuffix(" was recorded") for p in problems][: len(found)] == found
    assert len(problems) - len(found) == certificate.drawn
    if own:  # a certifying row for one that selects, alike in all counts
        rows = np.r_[24, np.setdiff1d(certifying, [30])]
        found, *hint = certificate.verify(y, labels, rows, order).problems
        assert found == "certifying: its SHA-256 digest is not the one that was recorded"
        assert len(hint) == certificate.drawn
    problems = certificate.verify(row_order=order[swapped]).problems
    assert problems == ("row_order: its SHA-256 digest is not the one that was recorded",)


def test_bits_follow_from_weights():
    certificate, _ = CASES["pac-mdl", True, False]
    doubled = {term: 2 * weight for term, weight in certificate.weights.items()}
    again = replace(certificate, weights=doubled)._issued()
    assert certificate.bits["label"] == pytest.approx(log2(9))
    assert again.description_length == pytest.approx(log2(72) - 2)


@pytest.mark.parametrize(
    ("case", "name", "value"),
    [
        ("pac-mdl", "bits", {"label": 3.17, "init": 3.0}),
        ("pac-mdl", "bits", {"label": np.log2(9), "init": 3}),
        ("pac-mdl", "bits", {"label": True, "init": 3.0}),
        ("pac-mdl", "delta", 0),
        ("pac-mdl", "subject", {"": 1}),
        ("pac-mdl", "random_choice_p_value", 1),
        ("pac-mdl", "classes", [0, 1, [2]]),
        ("pac-mdl", "classes", [0, 1, 1]),
        ("learned", "drawn", 0),
        ("holdout", "n_select", 25.0),
    ],
)
def test_fields_are_those_of_a_certificate_that_is_issued_again(case, name, value):
    """To the type of each number: the digest is right, and so are sums."""
    certificate, _ = CASES[case, False, False]
    altered = sealed(certificate, **{name: value})
    problems = altered.verify().problems
    assert name in problems[0]
    assert "digest is not that of the other fields" not in problems
