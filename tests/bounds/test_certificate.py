import json
from dataclasses import replace
from fractions import Fraction

import numpy as np
import oracles
import pytest

from sklearn_pacmdl.bounds import BoundCertificate, bmax


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
        "With probability at least 90% over the random choice of the 1500 labelled rows, "
        "at most 83 of the 1500 unlabelled rows (5.54%) are labelled wrongly, provided "
        "the 3 classes were known beforehand."
    )


@pytest.mark.parametrize("delta", [0.1, 0.05, 0.3])
def test_is_exact_on_all_small_counts(delta):
    weight = Fraction(1, 4)
    for m in range(8):
        for n in range(1, 8):
            for a in range(m + 1):
                certificate = BoundCertificate.from_counts(
                    m, n, a, weights={"label": weight}, delta=delta
                )
                level = Fraction(repr(delta)) * weight
                tails = [oracles.tail(m, n, a, b) for b in range(n + 1)]
                exact = max(b for b in range(n + 1) if tails[b] >= level)
                assert certificate.max_test_errors == exact
                assert certificate.verify()


@pytest.mark.parametrize("delta", [1e-7, 1e-300, 1 / 3, 0.123456789])
def test_statement_gives_delta_where_its_complement_is_long(delta):
    certificate = BoundCertificate.from_counts(100, 100, 1, weights={}, delta=delta)
    exact = 1 - Fraction(repr(delta))
    if certificate.statement.startswith("With"):
        percent = certificate.statement.split("least ")[1].split("%")[0]
        assert Fraction(percent) / 100 <= exact
    else:
        assert certificate.statement.startswith(f"Except with probability {delta!r} over")


@pytest.mark.parametrize("seed", range(6))
def test_ties_under_weights_with_thousands_of_digits(seed):
    """The level equals a tail exactly: one less would be no bound."""
    rng = np.random.RandomState(seed)
    m, n = rng.randint(30, 4000, size=2).tolist()
    a = int(rng.randint(0, m // 2 + 1))
    b = min(n, int(a * n / m + 1 + rng.randint(1, 40)))
    weight = 10 * oracles.tail(m, n, a, b)
    if weight <= 1:
        certificate = BoundCertificate.from_counts(m, n, a, weights={"label": weight})
        assert certificate.max_test_errors == b
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


@pytest.mark.parametrize(
    "change",
    [
        {"delta": "0.1"},
        {"delta": None},
        {"bits": {"label": None, "init": 3.0}},
        {"description_length": "8"},
        {"n_train": 10**400},
        {"n_train": True},
    ],
)
def test_fields_of_other_types_fail(certificate, change):
    assert not replace(certificate, **change).verify()


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "{}",
        "no json",
        '{"format": 1}',
        '{"format": 1, "weights": {"label": "1/0"}}',
        '{"format": 1, "weights": {"label": 0.5}}',
        '{"format": 1, "weights": {}, "bits": {}, "subject": {}, "provisos": "abc"}',
    ],
)
def test_what_is_no_certificate(text):
    with pytest.raises(ValueError, match="Not a certificate"):
        BoundCertificate.from_json(text)


def test_round_trip(certificate):
    again = BoundCertificate.from_json(certificate.to_json())
    assert again == certificate
    assert again.verify()
    assert json.loads(certificate.to_json(indent=1))["weights"] == {
        "label": "1/27",
        "init": "1/10",
    }


def test_round_trip_with_many_digits():
    """10,000 clusters of 20 classes: more digits than Python reads as a decimal."""
    weights = {"label": Fraction(1, 20**10_000)}
    certificate = BoundCertificate.from_counts(30_000, 30_000, 10, weights=weights)
    again = BoundCertificate.from_json(certificate.to_json())
    assert again == certificate
    assert again.verify() == (True, "enclosure", ())


def test_verify_says_which_arithmetic(certificate):
    assert certificate.verify().method == "integers"
    large = BoundCertificate.from_counts(10**9, 10**9, 10**7, weights={})
    assert large.verify() == (True, "enclosure", ())


@pytest.mark.parametrize(
    "change",
    [
        {"n_train": 1400},
        {"n_test": 1501},
        {"n_train_errors": 44},
        {"n_train_errors": 1501},
        {"n_train": 1500.0},
        {"delta": 0.2},
        {"delta": 1.0},
        {"max_test_errors": 82, "bound": 82 / 1500},
        {"max_test_errors": 84, "bound": 84 / 1500},
        {"max_test_errors": 1501, "bound": 1501 / 1500},
        {"max_test_errors": -1, "bound": -1 / 1500},
        {"bound": 0.05},
        {"bits": {"label": 4.0, "init": np.log2(10)}},
        {"bits": {"label": np.log2(27)}},
        {"description_length": 7.0},
        {"weights": {"label": Fraction(1, 9), "init": Fraction(1, 10)}},
        {"weights": {"label": Fraction(1, 27), "init": Fraction(10)}},
    ],
)
def test_inconsistent_fields_fail(certificate, change):
    verification = replace(certificate, **change).verify()
    assert not verification
    assert verification.problems


def _data(m, n, a):
    """Labels as seen, and a labeling with that many errors on the labelled rows."""
    y = np.r_[np.ones(m, int), np.full(n, -1)]
    labels = np.ones(m + n, int)
    labels[:a] = 0
    return y, labels


def test_recount(certificate):
    assert certificate.verify(*_data(1500, 1500, 45))
    names = np.array(["right", None], dtype=object)
    y, labels = _data(1500, 1500, 45)
    as_words = np.where(y == 1, "right", None), np.where(labels == 1, "right", "wrong")
    assert names[0] in as_words[0]
    assert certificate.verify(*as_words)
    assert certificate.verify(np.where(y == 1, 1.0, np.nan), labels)


@pytest.mark.parametrize("counts", [(1500, 1500, 44), (1499, 1501, 45), (1500, 1499, 45)])
def test_consistent_edits_fail_the_recount(certificate, counts):
    edited = BoundCertificate.from_counts(*counts, weights=certificate.weights)
    assert edited.verify()
    verification = edited.verify(*_data(1500, 1500, 45))
    assert not verification
    assert "in the data" in verification.problems[0]


def test_bad_input(certificate):
    with pytest.raises(ValueError, match="both y and labels"):
        certificate.verify([1, -1])
    with pytest.raises(ValueError, match="same length, got shapes"):
        certificate.verify([1, -1], [1])
    with pytest.raises(ValueError, match="Not a certificate: its format is not 1"):
        BoundCertificate.from_json('{"format": 0}')
    text = certificate.to_json().replace('"n_train":', '"n":')
    with pytest.raises(ValueError, match="Not a certificate"):
        BoundCertificate.from_json(text)
    with pytest.raises(ValueError, match="a weight is outside"):
        BoundCertificate.from_counts(5, 5, 1, weights={"label": Fraction(2)})
    with pytest.raises(ValueError, match="n_test must be at least 1"):
        BoundCertificate.from_counts(5, 0, 1, weights={})


def test_text_and_html(certificate):
    assert "label bits" in str(certificate)
    html = certificate._repr_html_()
    assert "&lt;spherical&gt;" in html
    assert "<spherical>" not in html
    assert certificate.statement in html


@pytest.mark.parametrize(
    ("delta", "words"), [(0.05, "95%"), (0.001, "99.9%"), (1e-6, "99.9999%")]
)
def test_statement_does_not_round_the_confidence_up(delta, words):
    certificate = BoundCertificate.from_counts(100, 100, 1, weights={}, delta=delta)
    assert f"probability at least {words} " in certificate.statement
