"""Clusters numbered as they appear in the permuted rows."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from sklearn_pacmdl.certification._counting import Assessment


@given(
    labels=st.lists(
        st.one_of(st.integers(-1, 3), st.integers(-(2**62), 2**62)), min_size=1
    ),
    seed=st.integers(0, 100),
)
def test_numbers_of_clusters(labels, seed):
    order = np.random.RandomState(seed).permutation(len(labels))
    assessment = Assessment(None, order, np.empty(0), 2, [], [], 0)
    numbers: dict = {}
    for row in order:
        numbers.setdefault(labels[row], len(numbers))
    assert_array_equal(
        assessment.partition(np.array(labels)), [numbers[label] for label in labels]
    )
