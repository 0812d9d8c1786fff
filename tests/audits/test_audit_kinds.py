"""Certificates of audits from counts that were made up."""

from dataclasses import replace

import numpy as np
import pytest

from sklearn_pacmdl.audits import AuditCertificate, FinishedCertificate


def audited(n_errors, **counts):
    return AuditCertificate.from_counts(10, 20, n_errors, **counts)


def finished(n_errors, n_automatic, **counts):
    counts |= {"n_automatic": n_automatic, "n_left": 20 - n_automatic, "target": 0.5}
    return FinishedCertificate.from_counts(10, 20, n_errors, **counts)


@pytest.mark.parametrize("n_automatic", [-1, 0, 1, 20, 21])
def test_any_number_of_rows_may_be_automatic(n_automatic):
    certificate = replace(finished(3, 0), n_automatic=n_automatic, n_left=0)
    object.__setattr__(certificate, "digest", certificate._fingerprint())
    assert certificate.verify().passed == (0 <= n_automatic <= 20)


@pytest.mark.parametrize("n_people", [10, 11, 12, 13, 14])
def test_people_may_be_wrong_about_every_audited_row(n_people):
    """Also about those that are given no label."""
    counts = {"max_annotator_errors": n_people, "n_train_abstained": 3}
    if n_people <= 13:
        assert audited(10, **counts).verify()
    else:
        with pytest.raises(ValueError, match="max_annotator_errors"):
            audited(10, **counts)


def test_numbers_of_numpy_are_stored_as_those_of_python():
    assert audited(1, sides=np.int64(2)) == audited(1, sides=2)
    certificate = FinishedCertificate.from_counts(
        10, 20, 1, target=np.float32(0.5), n_automatic=20, n_left=0
    )
    assert certificate == finished(1, 20)
