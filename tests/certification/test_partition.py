"""Clusters numbered as they appear, and partitions that are equal row by row."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from sklearn_pacmdl.certification import _counting
from sklearn_pacmdl.certification._counting import Partition, cells_of_rows, count_cells


@given(
    labels=st.lists(
        st.one_of(st.integers(-1, 3), st.integers(-(2**62), 2**62)), min_size=1
    ),
    seed=st.integers(0, 100),
)
def test_numbers_of_clusters(labels, seed):
    order = np.random.RandomState(seed).permutation(len(labels))
    numbers: dict = {}
    for row in order:
        numbers.setdefault(labels[row], len(numbers))
    found = Partition(np.array(labels), order)
    expected = [numbers[label] for label in labels]
    assert_array_equal(found.clusters, expected)
    assert found.n_clusters == len(numbers)
    # Counts and fingerprints are listed alike, though the rows were not renumbered.
    codes = np.resize([0, 1, 2, -1], len(labels))
    labeled, rest = np.flatnonzero(codes >= 0), np.flatnonzero(codes < 0)
    division = labeled[::2], labeled[1::2]
    cells = cells_of_rows(codes, 2, (labeled, rest), division)
    counts = found.count(cells, 2)
    plain = count_cells(np.array(expected), cells, 2, None)
    for name in ("sizes", "select", "certify", "test", "hidden"):
        assert_array_equal(getattr(counts, name), getattr(plain, name))
    of_rows = Partition(np.array(expected), order)
    assert found.fingerprint(5) == of_rows.fingerprint(5)


def test_numbers_with_gaps_make_no_long_tables():
    """Clusters may be named by rows, and counts have a line for each number."""
    labels, order = np.repeat([1000, 7, 400], 500), np.arange(1500)
    found = Partition(labels, order)
    assert found._numbers.max() == 2
    assert_array_equal(found.clusters, np.repeat([0, 1, 2], 500))
    near = Partition(np.repeat([4, 0, 2], 500), order)  # not worth another pass
    assert near._numbers.max() == 4
    assert_array_equal(near.clusters, found.clusters)
    assert near.fingerprint(0) == found.fingerprint(0)


def test_fingerprints_are_those_of_the_rows():
    """Of all 52 partitions of 5 rows, by whatever names of clusters."""
    rows_of, every = {}, np.arange(5)
    for partition in product(range(5), repeat=5):
        listed = Partition(np.array(partition), every)
        clusters = tuple(listed.clusters.tolist())
        rows_of.setdefault(listed.fingerprint(seed=3), set()).add(clusters)
    assert all(len(partitions) == 1 for partitions in rows_of.values())
    assert len(rows_of) == 52
    two = Partition(np.array([0, 1, 1, 0, 1]), every)
    assert two.fingerprint(seed=3) in rows_of
    assert two.fingerprint(seed=4) not in rows_of


@pytest.mark.parametrize("n_samples", [5, 100, 2**16 + 3])
def test_random_numbers_of_rows_are_the_same_kept_or_drawn(n_samples, monkeypatch):
    clusters = np.arange(n_samples) % 5
    partition = Partition(clusters, np.arange(n_samples))
    kept = partition.fingerprint(7)
    monkeypatch.setattr(_counting, "_FEW_ROWS", 0)
    assert partition.fingerprint(7) == kept
    words = np.random.default_rng(7).integers(2**64, size=(2, n_samples), dtype=np.uint64)
    assert kept == (words * clusters.astype(np.uint64)).sum(axis=1).tobytes()
    assert partition.fingerprint(8) != kept
