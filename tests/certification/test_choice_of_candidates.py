"""What candidates are chosen or weighed by where some of the labels select."""

from dataclasses import replace

import numpy as np
import pytest
from conftest import DIVIDING

from sklearn_pacmdl.certification import certify_clusterings, cluster_counts

# Labels are few for these numbers of clusters, of which nothing depends here.


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


@pytest.mark.filterwarnings("ignore:No set of clusters has a bound")
@pytest.mark.parametrize("target", [None, 0.5])
@pytest.mark.parametrize(
    ("certify", "n_select"), [("learned", 60), ("holdout", 60), ("pac-mdl", 0)]
)
def test_the_share_that_selects_is_that_of_the_documentation(certify, target, n_select):
    rows = np.arange(200)
    seen = np.where(np.random.RandomState(0).permutation(200) < 100, rows % 2, -1)
    ways = [(certify, n_select)]
    if n_select:
        half = DIVIDING[certify](0.5)
        assert "fraction : float, default=0.6" in half.__doc__
        ways.append((half, 50))
    for way, expected in ways:
        settings = {"certify": way, "target": target, "random_state": 0}
        found = certify_clusterings([rows % 4, rows % 8], seen, **settings)
        assert len(found.division[0]) == expected
