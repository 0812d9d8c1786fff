"""Which weights are possible, by enumeration of what candidates could express."""

from fractions import Fraction
from itertools import product
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_pacmdl.bounds import pac_mdl_bound
from sklearn_pacmdl.certificates import BoundCertificate
from sklearn_pacmdl.certificates._fields import wrong_weights

shares = st.lists(st.integers(1, 50), min_size=2, max_size=6)


@given(shares, st.lists(st.integers(1, 60), min_size=6, max_size=6), st.integers(0, 5))
def test_what_a_sweep_can_pool_is_accepted(parts, inner, own):
    """Candidates of any weights, each with any weight for the one labeling."""
    weights = [Fraction(part, sum(parts)) for part in parts]
    labels = [Fraction(part, 60) for part in inner[: len(parts)]]
    own %= len(parts)
    pooled = sum(w * label for w, label in zip(weights, labels, strict=True))
    factor = pooled / (weights[own] * labels[own])
    terms = {"label": labels[own], "init": weights[own], "pooling": factor}
    assert wrong_weights(terms) is None
    # Had all others given it their whole weight, nothing more could be pooled.
    most = 1 + (1 - weights[own]) / (weights[own] * labels[own])
    assert wrong_weights({**terms, "pooling": most}) is None
    more = most + Fraction(1, 10**9)
    assert "more than all other candidates" in wrong_weights({**terms, "pooling": more})


def test_pooling_can_exceed_the_number_of_candidates():
    """Two clusters that are both given class 0 are, as rows, one cluster of class 0.

    Of two candidates, one has a single cluster and the other three; the labeling that
    gives all rows one of three classes has weight 1/3 in one and 1/27 in the other.
    """
    weights, expressed = {1: Fraction(1, 2), 3: Fraction(1, 2)}, {}
    for n_clusters, weight in weights.items():
        for classes in product(range(3), repeat=n_clusters):
            if set(classes) == {0}:
                expressed[n_clusters] = weight * Fraction(1, 3**n_clusters)
    factor = sum(expressed.values()) / expressed[3]
    assert factor == 10 > 1 / weights[3]
    terms = {"label": Fraction(1, 27), "n_clusters": weights[3], "pooling": factor}
    assert wrong_weights(terms, n_candidates=2) is None


@pytest.mark.parametrize("a", range(1, 60, 3))
def test_exact_products_are_taken_at_their_length(a):
    """A product of exactly 1 costs 0 bits, whatever the lengths of its factors sum to."""
    for b in range(2, 60):
        weights = {"init": Fraction(1, a), "grid": Fraction(1, b)}
        weights["pooling"] = 1 / prod(weights.values())
        certificate = BoundCertificate.from_counts(20, 20, 2, weights=weights)
        assert certificate.description_length == 0
        assert certificate.max_test_errors == pac_mdl_bound(20, 20, 2)
        assert certificate.verify()


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({"label": 0.5}, "'label' is not a Fraction: 0.5, got {'label': 0.5}"),
        ({"label": "1/2"}, "'label' is not a Fraction: '1/2'"),
        ({"label": True}, "'label' is not a Fraction: True"),
        ({3: Fraction(1, 2)}, "a term is not text: 3"),
        ({"": Fraction(1, 2)}, "a term is not text: ''"),
        ({"label": Fraction(0)}, "a weight is outside \\(0, 1\\]: 'label'"),
        ({"label": Fraction(-1, 2), "init": Fraction(-1, 2)}, "a weight is outside"),
        ([Fraction(1, 2)], "they are not a mapping of terms to ratios"),
        (None, "they are not a mapping of terms to ratios"),
        ({"pooling": Fraction(1, 2)}, "'pooling' is below 1"),
        ({"label": Fraction(1, 2), "pooling": Fraction(2)}, "'pooling' is more than all"),
    ],
)
def test_what_is_no_weight_is_named(weights, message):
    with pytest.raises(ValueError, match=f"weights are not valid: {message}"):
        BoundCertificate.from_counts(5, 5, 1, weights=weights)


def test_pooling_adds_nothing_or_something():
    """A factor of 1 is no problem, nor is a weight that is not pooled at all."""
    one = {"label": Fraction(1, 2), "init": Fraction(1, 2)}
    assert wrong_weights(one) is None
    assert wrong_weights({**one, "pooling": Fraction(1)}) is None
    below = 1 - Fraction(1, 10**30)
    assert "below 1" in wrong_weights({**one, "pooling": below})
    # What a candidate says of its labeling is no part of what all candidates share.
    for role, most in (("init", 2), ("label", 1), ("subset", 1)):
        terms = {role: Fraction(1, 2), "pooling": Fraction(most)}
        assert wrong_weights(terms) is None
        above = {**terms, "pooling": most + Fraction(1, 10**30)}
        assert "more than all other candidates" in wrong_weights(above)


def test_one_candidate_pools_nothing():
    weights = {"init": Fraction(1, 4), "pooling": Fraction(2)}
    BoundCertificate.from_counts(5, 5, 1, weights=weights, subject={"n_candidates": 2})
    with pytest.raises(ValueError, match="there is only one"):
        BoundCertificate.from_counts(
            5, 5, 1, weights=weights, subject={"n_candidates": 1}
        )
