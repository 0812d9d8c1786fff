"""A kind of certificate that lives outside the package: issued, read, verified."""

import re
from dataclasses import replace
from fractions import Fraction

import pytest
from conftest import own_registries

from sklearn_pacmdl.certificates import (
    BoundCertificate,
    CertificateKind,
    register_kind,
)

KNOWN = [
    "audit",
    "decoupled",
    "finished",
    "groups",
    "holdout",
    "learned",
    "pac-mdl",
    "strata",
]
LOTS = CertificateKind(
    "lots",
    selects=True,
    also_random="of the lots",
    provisos=("every lot was drawn by a machine", "no lot was drawn twice"),
    terms={"lot"},
)


# Kinds that a test registers are forgotten after it.
pytestmark = pytest.mark.usefixtures("registries")


def of_lots(**kwargs):
    given = {"weights": {"lot": Fraction(1, 4)}, "kind": "lots", "n_select": 5} | kwargs
    return BoundCertificate.from_counts(90, 60, 3, **given)


def test_is_issued_read_and_verified():
    assert register_kind(LOTS) is LOTS
    certificate = of_lots(provisos=["the sun shone"])
    assert certificate.verify()
    assert certificate.statement == (
        "With probability at least 90% over the random choice of the 95 labeled rows and "
        f"of the lots, at most {certificate.max_test_errors} of the 60 unlabeled rows "
        "(11.67%) are labeled wrongly, provided every lot was drawn by a machine, no lot "
        "was drawn twice and (as its author states) 'the sun shone'."
    )
    assert "certified by" in str(certificate)
    again = BoundCertificate.from_json(certificate.to_json())
    assert again == certificate
    assert again.verify()
    drawn = of_lots(drawn=True)
    assert drawn.provisos == ()
    assert drawn.verify()


def test_has_the_bound_that_any_kind_has():
    register_kind(LOTS)
    learned = of_lots(kind="learned")
    assert of_lots().max_test_errors == learned.max_test_errors
    assert learned.statement != of_lots().statement


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"n_select": 0}, "n_select must be at least 1 where kind is 'lots'"),
        (
            {"weights": {"label": Fraction(1, 4)}},
            r"weights must have terms among \['lot'\] where kind is 'lots'",
        ),
        ({"provisos": ["no lot was drawn twice"]}, "provisos must be different clauses"),
    ],
)
def test_asks_what_the_kind_asks(change, problem):
    register_kind(LOTS)
    with pytest.raises(ValueError, match=problem):
        of_lots(**change)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"n_select": 0}, "n_select must be at least 1 where kind is 'lots'"),
        ({"provisos": ()}, "the first of the provisos is not 'every lot was drawn by"),
        ({"drawn": True}, "provisos must be without 'every lot was drawn by a machine'"),
        ({"kind": "pac-mdl"}, "n_select must be 0 where kind is 'pac-mdl'"),
        (
            {"weights": {"label": Fraction(1, 4)}, "bits": {"label": 2.0}},
            "weights must have terms among ['lot'] where kind is 'lots'",
        ),
    ],
)
def test_alterations_are_found_out(change, problem):
    register_kind(LOTS)
    altered = replace(of_lots(), **change)
    altered = replace(altered, digest=altered._fingerprint())
    assert problem in str(altered.verify().problems)


def test_an_unregistered_kind_is_refused():
    known = f"kind must be one of {re.escape(str(KNOWN))}, got 'lots'\\."
    for error in (ValueError, TypeError):
        with pytest.raises(error, match=known):
            of_lots()
    for kind in (None, 3, ["lots"]):
        with pytest.raises(ValueError, match="kind must be one of"):
            of_lots(kind=kind)


def test_a_certificate_of_an_unregistered_kind_says_so():
    with own_registries():
        register_kind(LOTS)
        text = of_lots().to_json()
    unknown = f"kind must be one of {KNOWN}, got 'lots'"
    certificate = BoundCertificate.from_json(text)
    verification = certificate.verify()
    assert verification.outcome == "cannot be read"
    assert verification.problems == (unknown,)
    assert certificate.statement == f"This certificate states nothing: {unknown}."
    assert "lots" in certificate._repr_html_()
    register_kind(LOTS)
    assert certificate.verify()


def test_a_name_has_one_meaning():
    assert register_kind(LOTS) == register_kind(replace(LOTS, terms=["lot"]))
    for other in (replace(LOTS, selects=False), CertificateKind("pac-mdl", selects=True)):
        with pytest.raises(ValueError, match="kind must be CertificateKind.*, which has"):
            register_kind(other)
