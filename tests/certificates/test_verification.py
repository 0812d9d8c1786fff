"""Each problem is found by itself: the digest is recomputed, and no data is given."""

from fractions import Fraction

import numpy as np
import pytest
from made import sealed

from sklearn_pacmdl.bounds import pac_mdl_bound
from sklearn_pacmdl.certificates import BoundCertificate

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
