"""Rows are shared without a copy, and nobody can write into them."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal

from sklearn_pacmdl.utils._rows import unable_to_write


def unsorted(kind):
    parts = np.array([1.0, 2.0, 0.0]), np.array([2, 0, 1]), np.array([0, 2, 3])
    return kind(parts, shape=(2, 3))


def write_values(X):
    X.data[:] = 0


def write_indices(X):
    X.indices[:] = 0


def sort(X):
    X.sort_indices()


def sort_whatever_is_remembered(X):
    X.has_sorted_indices = False
    X.sort_indices()


def sum_parts(X):
    X.has_canonical_format = False
    X.sum_duplicates()


def drop_zeros(X):
    X.eliminate_zeros()


def scale(X):
    X *= 2


@pytest.mark.parametrize("kind", [sp.csr_matrix, sp.csr_array])
@pytest.mark.parametrize(
    "write",
    [
        write_values,
        write_indices,
        sort,
        sort_whatever_is_remembered,
        sum_parts,
        drop_zeros,
        scale,
    ],
)
def test_sparse_rows_stay_as_they_are(write, kind):
    X, expected = unsorted(kind), unsorted(kind)
    unable_to_write(write, X)
    for name in ("data", "indices", "indptr"):
        assert_array_equal(getattr(X, name), getattr(expected, name))


@pytest.mark.parametrize("kind", [sp.csr_matrix, sp.csr_array])
def test_sparse_rows_are_not_copied(kind):
    X = unsorted(kind)

    def look(shared):
        assert type(shared) is kind
        assert shared.shape == X.shape
        assert shared.has_sorted_indices == X.has_sorted_indices
        return [np.shares_memory(shared.data, X.data), shared.data.flags.writeable]

    assert unable_to_write(look, X) == [True, False]


def test_other_sparse_formats_are_copied():
    X = sp.csc_array(np.eye(3))
    unable_to_write(write_values, X)
    assert_array_equal(X.toarray(), np.eye(3))


def test_other_errors_are_not_hidden():
    def fail(X):
        raise ValueError("no such rows")

    with pytest.raises(ValueError, match="no such rows"):
        unable_to_write(fail, unsorted(sp.csr_array))
