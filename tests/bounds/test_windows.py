"""What bounds by inversion leave out is as improbable as they suppose."""

import numpy as np
import pytest
from scipy.stats import hypergeom

from sklearn_pacmdl.bounds import ClassCounts
from sklearn_pacmdl.bounds._inversion import _window


@pytest.mark.parametrize("missed", [1e-3, 1e-8, 1e-14])
@pytest.mark.parametrize(
    ("audited", "rows", "low", "high"),
    [(50, 1000, 20, 20), (50, 1000, 0, 30), (200, 900, 890, 900), (30, 60, 7, 55)],
)
def test_counts_beyond_a_window_are_as_improbable_as_supposed(
    audited, rows, low, high, missed
):
    window = _window(audited, rows, low, high, missed)
    assert np.all(np.diff(window) == 1)
    of_low, of_high = (hypergeom(rows, number, audited) for number in (low, high))
    assert of_low.cdf(window[0] - 1) <= missed
    assert of_high.sf(window[-1]) <= missed


def test_at_the_smallest_deltas_nothing_is_refuted():
    counts = ClassCounts(tp=47, fp=3, fn=2, n_predicted=500, n_audited=300, n_rows=2299)
    for score in ("recall", "jaccard"):
        assert counts.least(score, 1e-300) == 0
        assert 0 < counts.least(score, 1e-30) < counts.least(score, 0.05)
