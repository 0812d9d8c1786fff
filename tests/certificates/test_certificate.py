import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from itertools import product

import numpy as np
import oracles
import pytest

import sklearn_pacmdl
from sklearn_pacmdl.bounds import bmax
from sklearn_pacmdl.certificates import BoundCertificate, LearnedCertificate

RANDOM_CHOICE = "the labeled rows are a uniformly random choice"


@pytest.fixture
def certificate():
    return BoundCertificate.from_counts(
        1500,
        1500,
        45,
        weights={"label": Fraction(1, 27), "init": Fraction(1, 10)},
        delta=0.1,
        provisos=("the 3 classes were known beforehand",),
        subject={"algorithm": "<spherical>", "n_clusters": 3},
    )


def test_states_the_bound(certificate):
    assert certificate.max_test_errors == 83 == bmax(1500, 1500, 45, 0.1 / 270)
    assert certificate.bound == 83 / 1500
    assert certificate.description_length == pytest.approx(np.log2(270))
    assert certificate.statement == (
        "With probability at least 90% over the random choice of the 1500 labeled rows, "
        "at most 83 of the 1500 unlabeled rows (5.54%) are labeled wrongly, provided "
        "the labeled rows are a uniformly random choice and the 3 classes were known "
        "beforehand."
    )
    assert "label bits" in str(certificate)
    html = certificate._repr_html_()
    assert "&lt;spherical&gt;" in html.replace(certificate.statement, "the statement")
    assert "<spherical>" not in html


@pytest.mark.parametrize(
    ("name", "value"), [("bound", 0.01), ("bits", {}), ("digest", "0"), ("version", "9")]
)
def test_what_follows_from_other_fields_is_not_taken(name, value):
    with pytest.raises(ValueError, match=f"^{name} must be left out, since it follows"):
        BoundCertificate.from_counts(90, 90, 3, weights={}, **{name: value})


def test_what_has_no_kind_is_no_certificate(certificate):
    fields = json.loads(certificate.to_json())
    del fields["kind"]
    with pytest.raises(ValueError, match="^Not a certificate: it has no kind; text is"):
        BoundCertificate.from_json(json.dumps(fields))


ODD = "the labeled rows do not look like a random choice"


@pytest.mark.parametrize(
    ("p_value", "caveat"),
    [(0.0001, f"{ODD} (p = 0.0001)"), (0.001, f"{ODD} (p = 0.001)"), (0.00101, "")],
)
def test_a_failed_test_of_the_choice_ends_the_statement(p_value, caveat):
    usual, certificate = (
        BoundCertificate.from_counts(90, 90, 3, weights={}, random_choice_p_value=p)
        for p in (None, p_value)
    )
    assert certificate.caveat == caveat
    end = f"; but {caveat}." if caveat else "."
    assert certificate.statement == usual.statement[:-1] + end
    again = BoundCertificate.from_json(certificate.to_json())
    assert again.verify()
    for text in (again.statement, str(again), again._repr_html_()):
        assert certificate.statement in text
    # The claim is what would hold, had the choice been random.
    assert certificate.claim == usual.claim


@pytest.mark.parametrize("delta", [0.1, 0.05, 0.3])
def test_is_exact_on_all_small_counts(delta):
    weight = Fraction(1, 4)
    for m, n in product(range(8), range(1, 8)):
        for a in range(m + 1):
            counts = {"weights": {"label": weight}, "delta": delta}
            certificate = BoundCertificate.from_counts(m, n, a, **counts)
            tails = [oracles.tail(m, n, a, b) for b in range(n + 1)]
            level = Fraction(repr(delta)) * weight
            exact = max(b for b in range(n + 1) if tails[b] >= level)
            assert certificate.max_test_errors == exact
            assert certificate.verify()


@pytest.mark.parametrize(
    ("delta", "words"),
    [
        (0.05, "With probability at least 95%"),
        (0.001, "With probability at least 99.9%"),
        (1e-6, "With probability at least 99.9999%"),
        (1e-7, "With probability at least 99.99999%"),
        (1e-300, "Except with probability 1e-300"),
        (1 / 3, "Except with probability 0.3334"),
        (1 / 120, "Except with probability 0.008334"),
        (0.123456789, "Except with probability 0.1235"),
        (0.12345678, "With probability at least 87.654322%"),
        (1e-9, "Except with probability 1e-09"),
    ],
)
def test_statement_gives_delta_and_does_not_round_the_confidence_up(delta, words):
    certificate = BoundCertificate.from_counts(100, 100, 1, weights={}, delta=delta)
    assert certificate.statement.startswith(f"{words} over the random choice of ")


@pytest.mark.parametrize(
    "counts",
    [(2, 3, 0, 3), (40, 60, 3, 27), (700, 300, 20, 30), (1500, 2500, 4, 30),
     (4000, 1000, 100, 60), (30, 4000, 1, 900)],
)  # fmt: skip
def test_ties_under_weights_with_thousands_of_digits(counts):
    """The level equals a tail exactly: one less would be no bound, one more too many.

    Above it by a part in 10**50, which no float knows of, the bound is one less.
    """
    *given, b = counts
    weight = 10 * oracles.tail(*counts)
    assert weight <= 1
    for more, bound in ((0, b), (Fraction(1, 10**50), b - 1)):
        if weight * (1 + more) <= 1:
            weights = {"label": weight * (1 + more)}
            certificate = BoundCertificate.from_counts(*given, weights=weights)
            assert certificate.max_test_errors == bound
            assert certificate.verify()


@pytest.mark.parametrize(
    ("counts", "delta"),
    [((40, 1000, 39), 1 - 2**-53), ((7, 649206629104, 6), 0.99), ((1, 10**15, 0), 0.1)],
)
def test_flat_tails(counts, delta):
    """Where one error more hardly matters, the certificate still agrees with itself."""
    certificate = BoundCertificate.from_counts(*counts, weights={}, delta=delta)
    assert certificate.verify()


def test_altered_bound_far_from_the_truth_is_found_at_once(certificate):
    large = BoundCertificate.from_counts(500_000, 499_999, 100_000, weights={})
    assert not replace(large, max_test_errors=100, bound=100 / 499_999).verify()
    assert not replace(large, max_test_errors=499_998, bound=499_998 / 499_999).verify()


def test_round_trip(certificate):
    written = json.loads(certificate.to_json(indent=1))
    assert written["weights"] == {"label": "1/27", "init": "1/10"}
    # 10,000 clusters of 20 classes: more digits than Python reads as a decimal.
    weights = {"label": Fraction(1, 20**10_000)}
    large = BoundCertificate.from_counts(30_000, 30_000, 10, weights=weights)
    for each in (certificate, large):
        again = BoundCertificate.from_json(each.to_json())
        assert again == each
        assert again.verify()


def test_verify_says_which_arithmetic(certificate):
    assert certificate.verify().arithmetic == "integers"
    for counts in ((10**9, 10**9, 10**7), (30_000, 30_000, 10)):
        large = BoundCertificate.from_counts(*counts, weights={})
        assert large.verify()[1:3] == ("enclosure", ())


DIVIDED = {"n_select": 1430}
KNOWN = ["the 10 classes were known beforehand"]


KNOWN_CLASSES = f"{RANDOM_CHOICE} and the 10 classes were known beforehand"
SUN = f"{RANDOM_CHOICE}, the 10 classes were known beforehand and (as its author states) "


@pytest.mark.parametrize(
    ("kwargs", "choice", "rows", "proviso"),
    [
        ({}, "1430 labeled rows", "unlabeled rows", RANDOM_CHOICE),
        (
            {"provisos": KNOWN, **DIVIDED},
            "2860 labeled rows and of their division",
            "unlabeled rows",
            KNOWN_CLASSES,
        ),
        (
            {"provisos": [*KNOWN, "the sun shone"], **DIVIDED},
            "2860 labeled rows and of their division",
            "unlabeled rows",
            f"{SUN}'the sun shone'",
        ),
        ({"drawn": True}, "1430 labeled rows", "held-out rows", ""),
        (
            {"drawn": True, "provisos": KNOWN, "n_train_abstained": 7, **DIVIDED},
            "2867 labeled rows and of their division",
            "held-out rows",
            "the 10 classes were known beforehand",
        ),
        (
            {"n_test_abstained": 5, "n_train_abstained": 3},
            "1433 labeled rows",
            "unlabeled rows that are given a label",
            RANDOM_CHOICE,
        ),
    ],
)
def test_sentence(kwargs, choice, rows, proviso):
    weights = {"label": Fraction(1, 4)}
    cls = LearnedCertificate if "n_select" in kwargs else BoundCertificate
    certificate = cls.from_counts(1430, 1430, 5, weights=weights, **kwargs)
    provided = f", provided {proviso}" if proviso else ""
    assert certificate.max_test_errors == 14  # as published
    assert certificate.statement == (
        f"With probability at least 90% over the random choice of the {choice}, at most "
        f"14 of the 1430 {rows} (0.98%) are labeled wrongly{provided}."
    )
    assert certificate.verify()


def test_names_of_classes_are_kept_apart():
    names = [np.int64(1), True, 1.0, np.float64(0.5), np.str_("a"), b"b"]
    certificate = BoundCertificate.from_counts(9, 9, 1, weights={}, classes=names)
    again = BoundCertificate.from_json(certificate.to_json()).classes
    assert again == certificate.classes
    assert [*map(repr, again)] == ["1", "True", "1.0", "0.5", "'a'", "\"b'b'\""]
    with pytest.raises(ValueError, match="classes must be different names"):
        BoundCertificate.from_counts(9, 9, 1, weights={}, classes=[1, "1"])
    with pytest.raises(ValueError, match="classes must be names without halves of char"):
        BoundCertificate.from_counts(9, 9, 1, weights={}, classes=["a", "\ud800"])


def test_subjects_are_kept_as_json_keeps_them():
    subject = {"n": np.int64(3), "share": np.float32(0.5), "of": (1, 2), "what": list}
    certificate = BoundCertificate.from_counts(9, 9, 1, weights={}, subject=subject)
    assert certificate.subject == {
        "n": 3, "share": 0.5, "of": [1, 2], "what": "<class 'list'>",
    }  # fmt: skip
    assert BoundCertificate.from_json(certificate.to_json()) == certificate


def test_origin_is_recorded(certificate):
    issued = datetime.fromisoformat(certificate.date)
    assert issued.utcoffset() == timedelta(0)
    assert abs(datetime.now(UTC) - issued) < timedelta(hours=1)
    assert certificate.version == sklearn_pacmdl.__version__
    # Issued again, it is the same certificate, at another time.
    again = replace(certificate, date="2020-01-01T00:00:00+00:00")
    assert again == certificate
    assert again._fingerprint() != certificate.digest


def test_table_shows_what_is_recorded():
    certificate = LearnedCertificate.from_counts(
        40, 90, 1, weights={}, classes=["a", "b"], random_choice_p_value=0.031,
        fingerprints={"row_order": "ab" * 32}, drawn=True, n_select=7,
        n_test_abstained=3,
    )  # fmt: skip
    lines = [" ".join(line.split()) for line in str(certificate).split("\n")]
    for line in (
        "classes 'a', 'b'",
        "labeled rows drawn at random by sklearn_pacmdl",
        "labeled rows that select 7",
        "labeled rows that certify (m) 40",
        "held-out rows (n) 90",
        "held-out rows abstained on 3",
        "random choice p value 0.031",
        "SHA-256 of row order abababababababab...",
        f"issued {certificate.date} by sklearn_pacmdl {certificate.version}",
        f"SHA-256 of this certificate {certificate.digest[:16]}...",
    ):
        assert line in lines
        assert line.split()[-1].strip("'") in certificate._repr_html_()


def test_restated_with_another_delta():
    kwargs = {"provisos": KNOWN, "classes": ["a"], **DIVIDED}
    kwargs["weights"] = {"label": Fraction(1, 2)}
    certificate, other = (
        LearnedCertificate.from_counts(1430, 1430, 5, delta=delta, **kwargs)
        for delta in (0.1, 0.1 / 5)
    )
    assert certificate.restated(delta=0.1 / 5) == other
    assert other.restated(delta=0.1) == certificate
    assert other.max_test_errors > certificate.max_test_errors
