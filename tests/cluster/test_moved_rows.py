"""Sums of clusters after some rows have moved, a few rows at a time."""

import numpy as np
import pytest
import scipy.sparse as sp

from sklearn_pacmdl.cluster import _scaled_rows
from sklearn_pacmdl.cluster._scaled_rows import Rows


@pytest.mark.parametrize("entries", [1, 40, 1 << 20])
@pytest.mark.parametrize("kind", [sp.csr_array, np.asarray])
def test_moved_sums_are_those_of_all_rows(kind, entries, monkeypatch):
    monkeypatch.setattr(_scaled_rows, "BATCH_ENTRIES", entries)
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (50, 6)).astype(float)
    rows = Rows(kind(X), np.ones(50), rng.integers(1, 4, 50).astype(float))
    before = rng.integers(0, 4, 50)
    for n_moved in (0, 1, 12, 40):
        after = before.copy()
        after[rng.permutation(50)[:n_moved]] = 3
        expected = np.stack(
            [rows.weight[after == c] @ X[after == c] for c in range(4)], axis=1
        )
        found = rows.moved_sums(rows.sums(before, 4), before, after)
        np.testing.assert_array_equal(found, expected)  # of whole numbers
