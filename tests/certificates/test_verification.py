"""Each problem is found by itself: the digest is recomputed, and no data is given."""

from collections import Counter
from dataclasses import fields, replace
from fractions import Fraction
from math import log2

import numpy as np
import pytest
from made import KINDS, SELECT, counted, sealed

from sklearn_pacmdl.bounds import pac_mdl_bound
from sklearn_pacmdl.certificates import (
    BoundCertificate,
    HoldoutCertificate,
    fingerprint_labels,
)

WEIGHTS = {"label": Fraction(1, 27), "init": Fraction(1, 10)}
BITS = {"label": float(np.log2(27)), "init": float(np.log2(10))}
LENGTH = float(np.log2(270))
KNOWN = BoundCertificate.from_counts(1500, 1500, 45, weights=WEIGHTS)


def problems(certificate, **change):
    if most := change.get("max_test_errors"):  # with the bounds that follow
        rate = most / certificate.n_test
        change |= {"bound": rate, "stated_bound": rate}
    return sealed(certificate, **change).verify().problems


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"max_test_errors": 82}, "max_test_errors is 82, and 83 follows"),
        ({"max_test_errors": 84}, "max_test_errors is 84, and 83 follows"),
        ({"bound": 0.05}, "bound is 0.05, and 0.05533333333333333 follows"),
        ({"bound": 82 / 1500}, "bound is 0.05466666666666667, and 0.0553"),
        ({"stated_bound": 0.05}, "stated_bound is 0.05, and 0.0553"),
        ({"max_test_errors": 1501}, "max_test_errors must be an integer from 0 to 1500"),
        ({"n_train_errors": 1501}, "n_train_errors must be an integer from 0 to 1500"),
        ({"n_train_errors": 46}, "max_test_errors is 83, and 84 follows"),
        ({"n_train_errors": 44}, "max_test_errors is 83, and 81 follows"),
        ({"bits": {**BITS, "init": 3.0}}, "bits is {"),
        ({"bits": {"label": BITS["label"]}}, "bits is {"),
        ({"description_length": 8.0}, "description_length is 8.0, and not 8.07"),
        ({"provisos": ()}, "the first of the provisos is not 'the labeled rows are a"),
        ({"provisos": 2 * KNOWN.provisos}, "provisos must be different clauses"),
        ({"classes": ("a", "b", "a")}, "classes must be different names"),
        ({"weights": {"init": Fraction(11, 10)}}, "weights are not valid: a weight is o"),
        ({"n_select": 1}, "n_select must be 0 where kind is 'pac-mdl', got 1"),
    ],
)
def test_each_problem_is_named(change, problem):
    (found,) = problems(KNOWN, **change)
    assert found.startswith(problem)


def test_lengths_are_compared_far_below_what_is_shown():
    """To a part in 10**9, relative or absolute: logarithms of platforms may differ."""
    for name, value in (("description_length", LENGTH), ("bits", BITS["init"])):
        for by, passes in ((1e-10, True), (-1e-10, True), (1e-8, False), (-1e-8, False)):
            near = value * (1 + by)
            change = {name: {**BITS, "init": near} if name == "bits" else near}
            assert bool(problems(KNOWN, **change)) != passes
    free = BoundCertificate.from_counts(50, 50, 1, weights={})
    for near in (5e-10, -5e-10):
        assert not problems(free, description_length=near)
    assert problems(free, description_length=5e-9)


@pytest.mark.parametrize(
    "counts", [(5, 5, 5), (0, 5, 0), (5, 5, 4), (1, 1, 0), (9, 1, 9)]
)
def test_all_rows_may_be_wrong(counts):
    """Where every labeled row is, or next to nothing was seen."""
    certificate = BoundCertificate.from_counts(*counts, weights={})
    alone = "agrees with itself; no data were compared"
    assert certificate.verify()[:3] == (alone, "integers", ())
    assert certificate.max_test_errors == counts[1]
    lower = counts[1] - 1
    (found,) = problems(certificate, max_test_errors=lower)
    assert found.startswith(f"max_test_errors is {lower}, and {counts[1]} follows")


@pytest.mark.parametrize("a", range(1, 60, 3))
def test_exact_products_are_taken_at_their_length(a):
    """A quarter of delta costs 2 bits, whatever the lengths of its factors sum to."""
    most = pac_mdl_bound(20, 20, 2, description_length=2)
    for b in range(2, 60):
        weights = {"init": Fraction(a, a + 1), "grid": Fraction(b, b + 1)}
        weights["label"] = Fraction((a + 1) * (b + 1), 4 * a * b)
        certificate = BoundCertificate.from_counts(20, 20, 2, weights=weights)
        assert certificate.description_length == 2
        assert certificate.max_test_errors == most
        assert certificate.verify()


# Certificates of every kind; all fields are altered in test_forged_files.py

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


# Labels are counted again, row by row, against loops

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
