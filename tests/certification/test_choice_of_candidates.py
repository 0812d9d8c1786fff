"""What candidates are chosen or weighed by where some of the labels select."""

from dataclasses import replace

import numpy as np
import pytest
from conftest import DIVIDING

from sklearn_pacmdl.certification import certify_clusterings, cluster_counts

# Labels are few for these numbers of clusters, of which nothing depends here.
BLIND = pytest.mark.filterwarnings("ignore:.* hold no label and")


def labeled(n_labeled, n_rows=200):
    """Two classes by turns, of which a random part is seen."""
    seen = np.random.RandomState(0).permutation(n_rows) < n_labeled
    return np.where(seen, np.arange(n_rows) % 2, -1)


def n_select(certify, numbers, n_rows=200, **settings):
    """How many of 100 labels select among clusterings with these numbers of clusters."""
    clusterings = [np.arange(n_rows) % k for k in numbers]
    settings |= {"classes": [0, 1], "random_state": 0}
    found = certify_clusterings(
        clusterings, labeled(100, n_rows), certify=certify, **settings
    )
    return len(found.division[0])


def test_errors_of_selecting_rows_alone_choose():
    counts = cluster_counts(
        [[1, 3], [4, 0]], unlabeled=[5, 5], selecting=[[2, 0], [1, 2]]
    )
    # Of five one is seen, and two if rows are left out.
    found = certify_clusterings([counts], certify="holdout")
    assert found.results["mean_selection_error"].tolist() == [1.5 / 5]


@pytest.mark.parametrize(("between", "expected"), [(None, 0.55), (1, 0.5), (-1, 0.0)])
def test_a_cluster_that_one_row_names_has_the_class_of_the_nearest(between, expected):
    """Without the row: half an error. If no distances are known, a guess and .3 more."""
    counts = cluster_counts(
        np.ones((4, 2), dtype=int),
        unlabeled=[5, 5, 5, 5],
        selecting=[[3, 0], [0, 1], [0, 2], [0, 0]],
    )
    if between is not None:
        # The second cluster is nearest to the first, or to the third.
        near = np.array([[0, 1, 2, 1], [1, 0, 3, 1], [2, 3, 0, 1], [1, 1, 1, 0]])
        counts = replace(counts, distances=lambda: between * near)
    found = certify_clusterings([counts], certify="holdout")
    rate = found.results["mean_selection_error"].tolist()
    assert rate == pytest.approx([expected / 6])


@BLIND
@pytest.mark.filterwarnings("ignore:No set of clusters has a bound")
@pytest.mark.parametrize("target", [None, 0.5])
@pytest.mark.parametrize(
    ("certify", "expected"), [("learned", 60), ("holdout", 60), ("pac-mdl", 0)]
)
def test_the_share_that_selects_is_that_of_the_documentation(certify, target, expected):
    assert n_select(certify, [4, 8], target=target) == expected
    if expected:
        half = DIVIDING[certify](0.5)
        assert n_select(half, [4, 8], target=target) == 50
        assert "fraction : float, default=0.6" in half.__doc__
