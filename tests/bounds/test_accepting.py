"""Errors that an audit may show while a data set is labeled automatically."""

from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np
import oracles
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from sklearn_pacmdl.bounds import bmax, tolerated_audit_errors

DELTAS = [0.05, 0.1, 0.2, 0.3, 0.5]


def test_all_small_cases_against_fractions():
    """Every m, n <= 10 and every number of tolerated errors, from the tail itself."""
    cases, expected = [], []
    for m in range(11):
        for n in range(11):
            for tolerated in range(n + 2):
                for delta in DELTAS:
                    cases.append((m, n, tolerated, delta))
                    expected.append(_largest(m, n, tolerated, Fraction(repr(delta))))
    m, n, tolerated, delta = np.array(cases).T
    assert_array_equal(tolerated_audit_errors(m, n, tolerated, delta), expected)
    assert min(expected) == -1
    assert max(expected) == 10


def _largest(m, n, tolerated, delta):
    """Largest a for which T+1 unaudited errors or more would be too improbable."""
    right = [
        a
        for a in range(m + 1)
        if tolerated >= n or oracles.tail(m, n, a, tolerated + 1) < delta
    ]
    return max(right, default=-1)


def _failures(n_rows, m, tolerated, a_star):
    """The largest share of all audits in which the rule fails, of all wrong rows."""
    audits = [*combinations(range(n_rows), m)]
    worst = max(
        sum(oracles.left(errors, audited, a_star) > tolerated for audited in audits)
        for n_errors in range(n_rows + 1)
        for errors in combinations(range(n_rows), n_errors)
    )
    return Fraction(worst, comb(n_rows, m))


@pytest.mark.parametrize("n_rows", [5, 7])
def test_every_truth_and_every_audit(n_rows):
    """The statement holds exactly, and one error more would make it fail."""
    nearest, refuted = Fraction(0), 0
    for m in range(1, n_rows):
        for tolerated in range(n_rows - m):
            for delta in DELTAS:
                a_star = tolerated_audit_errors(m, n_rows - m, tolerated, delta)
                worst = _failures(n_rows, m, tolerated, a_star)
                assert worst < Fraction(repr(delta))
                nearest = max(nearest, worst / Fraction(repr(delta)))
                worse = _failures(n_rows, m, tolerated, a_star + 1)
                refuted += worse >= Fraction(repr(delta))
    assert nearest > 0.7
    # The control: with one error more, no count of any of the designs is valid.
    assert refuted == len(DELTAS) * sum(n_rows - m for m in range(1, n_rows))


@settings(max_examples=60)
@given(
    m=st.integers(0, 10**6),
    n=st.integers(0, 10**7),
    share=st.floats(0, 0.5),
    delta=st.sampled_from([0.01, *DELTAS]),
)
def test_is_where_the_bound_crosses(m, n, share, delta):
    tolerated = int(share * n)
    a = tolerated_audit_errors(m, n, tolerated, delta)
    assert -1 <= a <= m
    if a >= 0:
        assert bmax(m, n, a, delta) <= tolerated
    if a < m:
        assert bmax(m, n, a + 1, delta) > tolerated


def test_broadcasts():
    found = tolerated_audit_errors([[100], [500]], 9500, [100, 300, 9500], 0.05)
    assert found.dtype == np.int64
    for i, m in enumerate((100, 500)):
        each = [tolerated_audit_errors(m, 9500, t, 0.05) for t in (100, 300, 9500)]
        assert found[i].tolist() == each
    assert found[1, 1] == 9
    assert tolerated_audit_errors([], 10, 3).shape == (0,)
