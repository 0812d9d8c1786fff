"""Which weights are possible, and how long they are."""

from fractions import Fraction

import pytest

from sklearn_pacmdl.bounds import pac_mdl_bound
from sklearn_pacmdl.certificates import BoundCertificate


@pytest.mark.parametrize("a", range(1, 60, 3))
def test_exact_products_are_taken_at_their_length(a):
    """A quarter of delta costs 2 bits, whatever the lengths of its factors sum to."""
    for b in range(2, 60):
        weights = {"init": Fraction(a, a + 1), "grid": Fraction(b, b + 1)}
        weights["label"] = Fraction((a + 1) * (b + 1), 4 * a * b)
        certificate = BoundCertificate.from_counts(20, 20, 2, weights=weights)
        assert certificate.description_length == 2
        assert certificate.max_test_errors == pac_mdl_bound(
            20, 20, 2, description_length=2
        )
        assert certificate.verify()
