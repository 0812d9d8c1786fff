"""Where automatic labels stop, against a walk along the order."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_pacmdl.audits._acceptance import by_confidence, n_accepted, stops_at


@given(st.data())
def test_rows_are_taken_until_one_error_too_many(data):
    """Of every row it is known whether it is audited, and whether it is wrong."""
    n = data.draw(st.integers(0, 12))
    order = np.array(data.draw(st.permutations(range(n + 2)))[:n], dtype=np.int64)
    flags = st.lists(st.booleans(), min_size=n + 2, max_size=n + 2)
    is_audited, is_wrong = np.array(data.draw(flags)), np.array(data.draw(flags))
    tolerated = data.draw(st.integers(-1, n + 1))
    audited = np.flatnonzero(is_audited)
    stops = stops_at(order, audited, is_wrong[audited])
    expected, seen = 0, 0
    for row in order:
        seen += is_audited[row] and is_wrong[row]
        if seen > tolerated or tolerated < 0:
            break
        expected += 1
    assert n_accepted(stops, tolerated) == expected


@pytest.mark.parametrize(("tolerated", "n"), [(-1, 0), (0, 2), (1, 4), (2, 6), (3, 6)])
def test_known_answers(tolerated, n):
    assert n_accepted(np.array([2, 4, 6]), tolerated) == n


def test_equally_sure_rows_come_in_the_order_of_their_indices():
    confidence = np.array([0.5, 0.9, 0.5, 0.9, 0.1, 0.5])
    order = by_confidence(confidence, np.array([5, 4, 3, 2, 1]))
    assert order.tolist() == [1, 3, 2, 5, 4]
    many = by_confidence(np.zeros(5000), np.arange(5000)[::-1])
    assert np.array_equal(many, np.arange(5000))
