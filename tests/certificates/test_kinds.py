"""A kind of certificate that lives outside the package: issued, read, verified."""

import json
from fractions import Fraction

import pytest
from conftest import own_registries
from made import sealed

from sklearn_pacmdl.certificates import (
    BoundCertificate,
    Certificate,
    LearnedCertificate,
)

# Kinds that a test defines are forgotten after it.
pytestmark = pytest.mark.usefixtures("registries")


def lots():
    """A way to use labels of its own."""

    class Lots(BoundCertificate, kind="lots"):
        selects = True
        also_random = "of the lots"
        assumed = ("every lot was drawn by a machine", "no lot was drawn twice")
        terms = ("lot",)

    return Lots


def of_lots(**kwargs):
    fields = {"weights": {"lot": Fraction(1, 4)}, "n_select": 5} | kwargs
    return lots().from_counts(90, 60, 3, **fields)


def test_is_issued_read_and_verified():
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


def test_fields_are_checked_once_when_made_and_once_when_read():
    """Each reading checks: an object may have been altered in between."""
    checks = []

    class Watched(BoundCertificate, kind="watched"):
        def _checked(self):
            checks.append(self)
            return super()._checked()

    certificate = Watched.from_counts(90, 60, 3, weights={})
    readings = str, Watched._repr_html_, lambda c: c.statement
    for n, read in enumerate(readings, start=1):
        assert len(checks) == n
        assert "at most" in read(certificate)
    object.__setattr__(certificate, "delta", 2.0)
    for read in readings:
        assert read(certificate).startswith("This certificate states nothing")
    many = [str(i) for i in range(2**18)]
    with pytest.raises(ValueError, match="provisos has more than 262144 entries"):
        Watched.from_counts(90, 60, 3, weights={}, provisos=many)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"n_select": 0}, "n_select must be at least 1 where kind is 'lots'"),
        ({"weights": {"label": 1}}, r"no terms but \['lot'\], got \['label'\]"),
        ({"provisos": ["no lot was drawn twice"]}, "provisos must be different clauses"),
    ],
)
def test_asks_what_the_kind_asks(change, problem):
    with pytest.raises(ValueError, match=problem):
        of_lots(**change)


def test_alterations_are_found_out():
    for change, problem in (
        ({"provisos": ()}, "the first of the provisos is not 'every lot was drawn by"),
        ({"drawn": True}, "must be without 'every lot was drawn by a machine'"),
    ):
        assert problem in str(sealed(of_lots(), **change).verify().problems)


def test_a_kind_that_was_not_imported_is_refused_with_what_to_do():
    with own_registries():
        text = of_lots().to_json()
    unknown = "its kind is 'lots', and no class of this kind was imported: import its"
    with pytest.raises(ValueError, match=unknown):
        BoundCertificate.from_json(text)
    for kind in (None, 3, ["lots"], "audi"):
        values = json.loads(text) | {"kind": kind}
        with pytest.raises(ValueError, match="its kind is"):
            BoundCertificate.from_json(json.dumps(values))
    lots()
    assert BoundCertificate.from_json(text).verify()


def test_a_class_reads_its_own_kinds_alone():
    certificate = BoundCertificate.from_counts(90, 60, 3, weights={})
    text = certificate.to_json()
    with pytest.raises(ValueError, match="'pac-mdl', which BoundCertificate reads"):
        LearnedCertificate.from_json(text)
    assert Certificate.from_json(text) == BoundCertificate.from_json(text) == certificate
    gone = text.replace('"pac-mdl"', '"decoupled"')
    with pytest.raises(ValueError, match="'decoupled', and this kind is no longer known"):
        Certificate.from_json(gone)


def test_a_kind_has_one_class():
    """Which may be defined again, as by a cell of a notebook."""
    lots(), lots()
    with pytest.raises(ValueError, match="kind must be other than that of"):

        class Other(BoundCertificate, kind="lots"):
            pass

    for kind in ("", "a\nb", 3):
        with pytest.raises(ValueError, match="kind must be a printable text"):

            class NoKind(BoundCertificate, kind=kind):
                pass


def test_a_class_without_a_kind_issues_nothing():
    """Its files would be read as those of the class that it inherits from."""

    class Mine(BoundCertificate):
        assumed = ("the weather was fine",)

    with pytest.raises(ValueError, match="kind must be named where Mine"):
        Mine.from_counts(90, 60, 3, weights={})
