"""Clusters numbered as they appear, and labelings that are equal row by row."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from sklearn_pacmdl.certification._counting import Assessment, row_fingerprint


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


@pytest.mark.parametrize("n_classes", [2, 3])
def test_fingerprints_are_those_of_the_rows(n_classes):
    """All labelings of all partitions of 4 rows, where -1 leaves a cluster out."""
    rows_of: dict = {}
    for partition in product(range(4), repeat=4):
        clusters = np.unique(partition, return_inverse=True)[1]
        fingerprint = row_fingerprint(clusters, seed=3)
        for classes in product(range(-1, n_classes), repeat=clusters.max() + 1):
            labeling = tuple(np.array(classes)[clusters])
            rows_of.setdefault(fingerprint(np.array(classes)), set()).add(labeling)
    assert all(len(labelings) == 1 for labelings in rows_of.values())
    assert len(rows_of) == (n_classes + 1) ** 4
    assert row_fingerprint(clusters, seed=4)(np.array(classes)) not in rows_of
