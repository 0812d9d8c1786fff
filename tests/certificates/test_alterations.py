"""Every field of every kind of certificate, altered alone and along with others.

A forger may stop at any of three points: alter a field; correct the fields that follow
from it; and recompute the digest. Each alteration is found out, with data at the last
point, unless the docstring of ``verify`` says that it cannot be.
"""

from dataclasses import fields, replace
from fractions import Fraction
from hashlib import sha256
from math import log2

import numpy as np
import pytest
from made import MALFORMED

from sklearn_pacmdl.certificates import (
    BoundCertificate,
    HoldoutCertificate,
    LearnedCertificate,
    fingerprint_labels,
    fingerprint_row_order,
)

CLASSES = BoundCertificate, LearnedCertificate, HoldoutCertificate
KINDS = {each.kind: each for each in CLASSES}
SELECT = ("learned", "holdout")  # kinds with labels that do not certify
RANDOM_CHOICE = "the labeled rows are a uniformly random choice"
WEIGHTS = {
    "pac-mdl": {"label": Fraction(1, 9), "init": Fraction(1, 8)},
    "learned": {"label": Fraction(3, 4), "candidate": Fraction(1, 2)},
    "holdout": {"subset": Fraction(1, 3)},
}


def make(kind, abstains, drawn):
    """A certificate and the data that it is about: 60 labeled rows, 90 others."""
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
    return certificate, (y, labels, certifying, order)


def digest_of(certifying):
    """As it is documented, of all 150 rows."""
    return sha256(b'["certifying",150]' + certifying.astype("<i8").tobytes()).hexdigest()


CASES = {
    (kind, abstains, drawn): make(kind, abstains, drawn)
    for kind in KINDS
    for abstains in (False, True)
    for drawn in (False, True)
}
cases = pytest.mark.parametrize("case", CASES.values(), ids=map(str, CASES))


def altered_in(certificate, **values):
    """The same with other values; of another kind, with the fields that it has."""
    cls = KINDS[values.pop("kind", certificate.kind)]
    names = {f.name for f in fields(cls)} & {f.name for f in fields(certificate)}
    return cls(**{name: getattr(certificate, name) for name in names} | values)


def resealed(certificate):
    """With the digest recomputed, as anybody can."""
    return replace(certificate, digest=certificate._fingerprint())


def recalculated(certificate):
    """With all that follows from counts, weights and delta recomputed, and the digest."""
    c, counts = certificate, (certificate.n_train, certificate.n_test)
    again = BoundCertificate.from_counts(
        *counts, c.n_train_errors, weights=c.weights, delta=c.delta
    )
    derived = ["bits", "description_length", "max_test_errors", "bound", "stated_bound"]
    return resealed(replace(c, **{name: getattr(again, name) for name in derived}))


def other_values(certificate):
    """Well-formed values of every field that it does not have."""
    c = certificate
    first, last = c.weights.keys(), list(c.weights)[-1]
    for name in ("n_train", "n_test", "n_train_errors", "max_test_errors", "n_select"):
        yield from ((name, getattr(c, name) + by) for by in (-1, 1, 7))
    yield from ((name, getattr(c, name) + 1) for name in ABSTAINED)
    yield from (("delta", value) for value in (0.05, 0.2, 0.1 + 1e-12))
    yield "weights", dict.fromkeys(first, Fraction(1))
    yield "weights", {**c.weights, last: c.weights[last] * Fraction(9, 10)}
    yield "weights", {**c.weights, "more": Fraction(1, 3)}
    yield "weights", {}
    yield "bits", {**c.bits, last: c.bits[last] + 0.01}
    yield "bits", {}
    yield "description_length", c.description_length + 0.01
    yield "bound", c.bound / 2
    yield "stated_bound", c.stated_bound / 2
    yield "provisos", ()
    yield "provisos", c.provisos[:-1]
    yield "provisos", (RANDOM_CHOICE, *c.provisos)
    yield "provisos", (*c.provisos, "the weather was fine")
    yield from (("subject", value) for value in ({}, {**c.subject, "algorithm": "ward"}))
    yield from (("kind", kind) for kind in KINDS if kind != c.kind)
    yield "drawn", not c.drawn
    yield from (
        ("classes", v) for v in ((), (0, 1), (0, 2), ("a", "b", "c"), (0.0, 1, 2))
    )
    yield from (("random_choice_p_value", v) for v in (None, 0.32, 1e-5))
    yield "random_choice_test", "they look well chosen"
    yield "fingerprints", {}
    for name in c.fingerprints:
        yield "fingerprints", {**c.fingerprints, name: "0" * 64}
        yield "fingerprints", {k: v for k, v in c.fingerprints.items() if k != name}
    yield "version", "9.9"
    yield "date", "2020-01-01T00:00:00+00:00"
    yield from (("digest", value) for value in ("", "0" * 64))


ABSTAINED = ("n_train_abstained", "n_test_abstained")


@cases
def test_one_altered_field_is_found_out_without_data(case):
    certificate, _ = case
    assert certificate.verify()
    tried = set()
    for name, value in other_values(certificate):
        altered = altered_in(certificate, **{name: value})
        assert not altered.verify(), (name, value)
        again = BoundCertificate.from_json(altered.to_json())
        assert not again.verify(), (name, value)
        tried.add(name)
    assert tried == {"kind", *(field.name for field in fields(certificate))}


@cases
def test_fields_of_any_type_are_found_out_and_nothing_raises(case):
    certificate, data = case
    for field in fields(certificate):
        for value in MALFORMED:
            altered = replace(certificate, **{field.name: value})
            same = value is getattr(certificate, field.name)  # drawn is True
            verification = altered.verify(*data)
            assert bool(verification) == same, (field.name, value)
            assert same or verification.problems
            for text in (altered.statement, str(altered), altered._repr_html_()):
                assert isinstance(text, str)


def keeps_one_proviso_or_none(certificate, clauses):
    """Where the random choice is named as it has to be, further ones are as stated."""
    expected = [] if certificate.drawn else [0]
    return [i for i, p in enumerate(clauses) if p == RANDOM_CHOICE] == expected


# What no data can tell, as the docstring of verify lists it: fields, and which values.
UNTOLD = {
    "provisos": keeps_one_proviso_or_none,
    "delta": lambda c, value: abs(value - c.delta) < 1e-9,  # the bound is the same
    "kind": lambda c, value: {c.kind, value} <= set(SELECT),
    "classes": lambda c, value: not value or value == (0, 1),
    "fingerprints": lambda c, value: (
        "0" * 64 not in value.values() and "row_order" in value
    ),
    "subject": lambda c, value: True,
    "random_choice_p_value": lambda c, value: True,
    "random_choice_test": lambda c, value: True,
    "version": lambda c, value: True,
    "date": lambda c, value: True,
    "digest": lambda c, value: True,  # recomputed, it is the right one
}


def is_untold(certificate, name, value):
    return name in UNTOLD and UNTOLD[name](certificate, value)


@cases
def test_one_altered_field_and_its_digest_are_found_out_with_data(case):
    """Unless it is one of those listed, of which none is: the list is no longer."""
    certificate, data = case
    for name, value in other_values(certificate):
        altered = resealed(altered_in(certificate, **{name: value}))
        found = not altered.verify(*data)
        assert found != is_untold(certificate, name, value), (name, value)


@cases
def test_other_labels_and_another_labeling_are_found_out(case):
    """Of the same counts: two rows swapped."""
    certificate, (y, labels, certifying, order) = case
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


LISTED = ["drawn", "provisos", "weights", "bits", "description_length", "delta", "kind"]
# Said in words, or the result of all others.
TESTED = {"digest", "random_choice_p_value", "random_choice_test"}
LISTED += ["subject", "version", "date", "classes", "fingerprints"]


@cases
def test_what_passes_is_listed(case):
    """Alterations that fit together and that data cannot tell, with the digest."""
    certificate, data = case
    c, untold = certificate, BoundCertificate.verify.__doc__.split("it is\n")[-1]
    provisos = c.provisos[1:] if not c.drawn else (RANDOM_CHOICE, *c.provisos)
    for values in (
        {"drawn": not c.drawn, "provisos": provisos},
        {"weights": {term: min(w * 2, w**0) for term, w in c.weights.items()}},
        {"delta": 0.2},
    ):
        altered = recalculated(replace(c, **values))
        assert altered.verify(*data)
        assert altered.statement != c.statement
        assert all(f"``{name}``" in untold for name in values)
    assert all(f"``{name}``" in untold for name in {*LISTED, *UNTOLD} - TESTED)


def test_bits_follow_from_weights():
    """The forger of these tests is no worse than the package."""
    certificate, _ = CASES["pac-mdl", True, False]
    assert recalculated(certificate) == certificate
    assert certificate.bits["label"] == pytest.approx(log2(9))


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
    altered = resealed(replace(certificate, **{name: value}))
    problems = altered.verify().problems
    assert name in problems[0]
    assert "digest is not that of the other fields" not in problems
