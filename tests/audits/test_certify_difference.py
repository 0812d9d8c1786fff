"""Which of two labelings is better, by one audit."""

from dataclasses import replace

import numpy as np
import pytest

from sklearn_pacmdl.audits import DifferenceCertificate, certify_difference, draw_audit
from sklearn_pacmdl.bounds import difference_bounds


def made(dtype=int, n_rows=1000, **options):
    """The first labeling is wrong in 100 rows, the second in 40, and both in 20."""
    truth = np.arange(n_rows) % 4
    rows = np.arange(n_rows)
    first = np.where(rows < 100, (truth + 1) % 4, truth)
    second = np.where((rows >= 80) & (rows < 120), (truth + 2) % 4, truth)
    audit = draw_audit(n_rows, 200, random_state=0, **options)
    return first.astype(dtype), second.astype(dtype), audit, truth.astype(dtype)


@pytest.mark.parametrize("dtype", [int, str, object, np.uint8])
def test_counts(dtype):
    first, second, audit, truth = made(dtype)
    certificate = certify_difference(first, second, audit, truth[audit.rows])
    n_first = int(np.sum((audit.rows >= 100) & (audit.rows < 120)))
    n_second = int(np.sum(audit.rows < 80))
    n_seen = int(np.sum(audit.rows < 120))
    assert certificate.n_differing == 120
    assert certificate.n_audited_differing == n_seen
    assert (certificate.n_first_right, certificate.n_second_right) == (n_first, n_second)
    bounds = certificate.lower_bound, certificate.upper_bound
    assert bounds == difference_bounds(n_first, n_second, n_seen, 120, 0.1)
    assert bounds[0] <= -60 <= bounds[1] < 0
    assert f"between {-bounds[1]} and {-bounds[0]} fewer wrong" in certificate.statement
    assert certificate.verify(first, second, audit, truth[audit.rows])
    other = certify_difference(second, first, audit, truth[audit.rows])
    assert (other.lower_bound, other.upper_bound) == (-bounds[1], -bounds[0])
    assert f"between {-bounds[1]} and {-bounds[0]} more wrong" in other.statement


def test_it_is_stored_and_compared():
    first, second, audit, truth = made()
    given = first, second, audit, truth[audit.rows]
    certificate = certify_difference(*given)
    read = DifferenceCertificate.from_json(certificate.to_json())
    assert read == certificate
    assert read.verify().unchecked[:2] == ("first: not given", "second: not given")
    assert str(read).startswith(f"{certificate.statement}\n")
    assert "digest is not that" in str(replace(read, upper_bound=-70).verify())
    # Consistent, but not what the data say.
    fewer = replace(read, n_rows=999)._issued()
    assert fewer.verify()
    assert fewer.verify(*given).problems == ("n_rows is 999 here and 1000 in the data",)
    with pytest.raises(ValueError, match="verify requires all of first, second, audit"):
        read.verify(first, second)
    with pytest.raises(ValueError, match="Not a certificate of a difference"):
        DifferenceCertificate.from_json("{}")


def test_the_audit_may_have_been_drawn_for_either():
    first, second, _, truth = made()
    for labels in (first, second):
        audit = draw_audit(1000, 200, labels=labels, random_state=0)
        assert certify_difference(first, second, audit, truth[audit.rows]).verify()
    with pytest.raises(ValueError, match="first or second must be the labeling that"):
        certify_difference(second, truth, draw_audit(1000, 9, labels=first), truth[:9])


def test_rows_that_do_not_count():
    first, second, audit, truth = made(exclude=range(90))
    first[95:97] = second[95:97] = -1
    certificate = certify_difference(first, second, audit, truth[audit.rows])
    assert (certificate.n_rows, certificate.n_differing) == (908, 28)


def test_an_undecided_difference():
    first, second, _, truth = made()
    both = np.where(np.arange(1000) < 40, first, second), second
    few = draw_audit(1000, 5, random_state=0)
    certificate = certify_difference(*both, few, truth[few.rows])
    assert certificate.lower_bound < 0 < certificate.upper_bound
    assert " fewer and " in certificate.statement
