"""Certificates of audits against data that were made up row by row."""

import numpy as np
import pytest

from sklearn_pacmdl.certificates import BoundCertificate, kind_of


def made(kind, n_errors, *, facts, **counts):
    return BoundCertificate.from_counts(
        10, 20, n_errors, weights={}, kind=kind, facts=facts, **counts
    )


def data(n_wrong, n_automatic=20):
    """Ten of 30 rows are audited; ``n_wrong`` of their machine labels are wrong."""
    y = np.r_[np.zeros(10, int), np.full(20, -1)]
    labels = np.r_[np.arange(10) < n_wrong, np.zeros(20, int)].astype(int)
    labels[10 + n_automatic :] = -1
    return y, labels


@pytest.mark.parametrize("n_people", [0, 1, 2])
@pytest.mark.parametrize("n_wrong", range(6))
def test_finished_labels_leave_room_for_errors_of_people(n_people, n_wrong):
    """At most three may be wrong, of which people may have overlooked some."""
    certificate = made(
        "finished", 3, facts={"n_automatic": 20, "max_people_errors": n_people}
    )
    found = certificate.verify(*data(n_wrong))
    assert found.passed == (n_wrong <= 3 - n_people)


@pytest.mark.parametrize("n_automatic", [-1, 0, 1, 20, 21])
def test_any_number_of_rows_may_be_automatic(n_automatic):
    certificate = made("finished", 3, facts={"n_automatic": 0})
    object.__setattr__(certificate, "facts", {"n_automatic": n_automatic})
    object.__setattr__(certificate, "digest", certificate._fingerprint())
    assert certificate.verify().passed == (0 <= n_automatic <= 20)
    if 0 <= n_automatic <= 20:
        y, labels = data(0, n_automatic)
        assert certificate.verify(y, labels)
        assert not certificate.verify(*data(0, 19 - n_automatic // 2))


@pytest.mark.parametrize("n_people", [10, 11, 12, 13, 14])
def test_people_may_be_wrong_about_every_audited_row(n_people):
    """Also about those that are given no label."""
    given = {"facts": {"max_people_errors": n_people}, "n_train_abstained": 3}
    if n_people <= 13:
        assert made("audit", 10, **given).verify()
    else:
        with pytest.raises(ValueError, match="not a count of audited rows"):
            made("audit", 10, **given)


@pytest.mark.parametrize("n_changed", [0, 1, 2])
@pytest.mark.parametrize("n_wrong", range(7))
def test_a_changed_row_may_have_been_right_or_wrong(n_changed, n_wrong):
    certificate = made("audit", 3, facts={"n_changed": n_changed})
    found = certificate.verify(*data(n_wrong))
    assert found.passed == (abs(n_wrong - 3) <= n_changed)
    errors, n_rows = kind_of("audit").stated(certificate)
    assert (errors, n_rows) == (3 + certificate.max_test_errors + n_changed, 30)
    assert certificate.stated_rate == errors / n_rows


def test_rows_without_a_label_are_said_to_be_left_out():
    plain = made("audit", 3, facts={}).statement
    assert "of all 30 rows (" in plain
    for counts in ({"n_train_abstained": 1}, {"n_test_abstained": 1}):
        left_out = made("audit", 3, facts={}, **counts).statement
        assert "of all 30 rows that are given a label (" in left_out


@pytest.mark.parametrize(
    ("name", "selects", "by_cluster"),
    [
        ("audit", False, False),
        ("decoupled", False, True),
        ("finished", False, False),
        ("holdout", True, False),
        ("learned", True, False),
        ("pac-mdl", False, False),
    ],
)
def test_kinds_say_whether_rows_select(name, selects, by_cluster):
    """Rows that select must not certify, so they are counted apart."""
    kind = kind_of(name)
    assert (kind.selects, kind.by_cluster) == (selects, by_cluster)
