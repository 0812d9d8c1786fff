import numpy as np
import pytest
from sklearn.cluster import AgglomerativeClustering
from sklearn.datasets import load_digits, load_wine
from sklearn.preprocessing import StandardScaler

from sklearn_pacmdl import certify_labelings
from sklearn_pacmdl.bounds import ClusterSizes, PlannedWays, choice_bits

WAYS = ("decoupled", "learned", "holdout")


def plan(sizes, error, n_classes=None, n_candidates=1):
    clusters = ClusterSizes.of(sizes, error)
    return PlannedWays(clusters, n_classes, 0.1, choice_bits(n_candidates), {})


def problem(load, n_clusters):
    X, y = load(return_X_y=True)
    X = StandardScaler().fit_transform(X) if load is load_wine else X
    labels = AgglomerativeClustering(n_clusters=n_clusters).fit_predict(X)
    table = np.zeros((n_clusters, y.max() + 1), dtype=int)
    np.add.at(table, (labels, y), 1)
    return labels, y, table


def mean_realized(labels, y, share, way, n_draws):
    """Mean bound of random choices of the labeled rows, of the labeling alone."""
    bounds = []
    for draw in range(n_draws):
        order = np.random.RandomState(draw).permutation(len(y))
        seen = y.copy()
        seen[order[round(share * len(y)) :]] = -1
        certified = certify_labelings(
            {"only": labels},
            seen,
            classes=np.unique(y),
            certify=way,
            random_state=draw,
        )
        bounds.append(certified.bound)
    return np.mean(bounds)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.* hold no label")
@pytest.mark.parametrize(
    ("load", "n_clusters", "share", "apart"),
    [
        (load_digits, 20, 0.5, (0.02, 0.02, 0.02)),
        (load_digits, 40, 0.1, (0.04, 0.06, 0.04)),
        (load_wine, 3, 0.5, (0.04, 0.04, 0.05)),
    ],
)
def test_plan_is_near_the_mean_of_realized_bounds(load, n_clusters, share, apart):
    labels, y, table = problem(load, n_clusters)
    error = 1 - table.max(axis=1).sum() / len(y)
    planned = plan(table.sum(axis=1), error, table.shape[1])
    for way, most in zip(WAYS, apart, strict=True):
        realized = mean_realized(labels, y, share, way, 10)
        assert abs(planned.bound(way, round(share * len(y))) - realized) < most, way


@pytest.mark.parametrize("n_labeled", [0, 1, 2, 50, 199])
@pytest.mark.parametrize("error", [0.0, 0.1, 0.6])
def test_any_numbers(n_labeled, error):
    for sizes in ([200], [1] * 200, [100, 60, 38, 1, 1, 0], np.arange(1, 20)):
        planned, m = plan(sizes, error, n_candidates=7), min(n_labeled, sum(sizes) - 1)
        assert all(0 <= planned.bound(way, m) <= 1 for way in WAYS)
