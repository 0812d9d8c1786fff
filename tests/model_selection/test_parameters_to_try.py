"""Grids as users of scikit-learn write them, with numbers of clusters among the rest."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.stats import loguniform
from sklearn.cluster import DBSCAN, AgglomerativeClustering, KMeans
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import ParameterGrid, ParameterSampler
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_pacmdl import PACMDLSearchCV

KMEANS = KMeans(n_init=1)
PIPELINE = make_pipeline(StandardScaler(), KMEANS)
TWO = [("kmeans", KMEANS), ("ward", AgglomerativeClustering())]
NUMBERS = [2, 3, 4, 6]


def search_of(estimator, grid=None, **kwargs):
    return PACMDLSearchCV(estimator, grid, random_state=0, **kwargs)


@pytest.mark.parametrize(
    ("estimator", "name"),
    [
        (KMEANS, "n_clusters"),
        (GaussianMixture(), "n_components"),
        (PIPELINE, "kmeans__n_clusters"),
        (make_pipeline(StandardScaler(), PIPELINE), "pipeline__kmeans__n_clusters"),
        ([("kmeans", PIPELINE)], "kmeans__kmeans__n_clusters"),
    ],
)
@pytest.mark.parametrize("certify", ["learned", "pac-mdl"])
def test_numbers_in_a_grid_are_those_of_n_clusters(estimator, name, certify, blobs):
    kwargs = {"certify": certify, "n_init": 2}
    plain = search_of(estimator, n_clusters=NUMBERS, **kwargs).fit(*blobs)
    found = search_of(estimator, {name: np.array(NUMBERS)}, **kwargs).fit(*blobs)
    assert found.certificates_ == plain.certificates_
    assert found.best_params_ == plain.best_params_
    assert found.best_params_[name] in NUMBERS
    for key in ("n_clusters", "bits", "mean_test_bound"):
        assert_array_equal(found.cv_results_[key], plain.cv_results_[key])


def test_numbers_of_one_of_several_clusterers_or_points(blobs):
    plain = search_of(TWO, n_clusters={"kmeans": NUMBERS, "ward": [2, 5]}).fit(*blobs)
    grid = {"kmeans__n_clusters": NUMBERS}
    found = search_of(TWO, grid, n_clusters={"ward": [2, 5]}).fit(*blobs)
    assert_array_equal(found.cv_results_["bits"], plain.cv_results_["bits"])
    assert found.certificates_ == plain.certificates_
    grid = [
        {"linkage": ["ward", "average"], "n_clusters": [3, 4]},
        {"linkage": ["single"], "n_clusters": [5]},
    ]
    found = search_of(AgglomerativeClustering(), grid, certify="pac-mdl").fit(*blobs)
    columns = (
        found.cv_results_[name].tolist() for name in ("param_linkage", "n_clusters")
    )
    assert [*zip(*columns, strict=True)] == [
        ("ward", 3), ("ward", 4), ("average", 3), ("average", 4), ("single", 5),
    ]  # fmt: skip
    weights = [2.0 ** -sum(bits.values()) for bits in found.cv_results_["bits"]]
    assert sum(weights) <= 1


def test_no_number_beside_a_threshold(blobs):
    grid = {"n_clusters": [None], "distance_threshold": [1.0, 20.0]}
    results = search_of(AgglomerativeClustering(), grid).fit(*blobs).cv_results_
    assert results["n_clusters"].mask.all()
    assert len(set(results["n_clusters_found"])) == 2


@pytest.mark.parametrize(
    ("grid", "kwargs", "message"),
    [
        ({"n_clusters": [2, 900]}, {}, r"param_grid\['n_clusters'\] must hold integers"),
        ({"n_clusters": [2, None]}, {}, "must hold integers between 1 and .* got None"),
        ({"n_clusters": [2, 2]}, {}, "one or more different numbers"),
        ({"n_clusters": [2]}, {"n_clusters": [3]}, "must be 'auto' or None if"),
        ({"tol": loguniform(1e-4, 1)}, {}, r"ParameterSampler\(distributions, n_iter=10"),
    ],
)
def test_bad_grids_are_refused(grid, kwargs, message, blobs):
    with pytest.raises(ValueError, match=message):
        search_of(KMEANS, grid, **kwargs).fit(*blobs)


def test_sampled_points_and_grids_of_scikit_learn(blobs):
    distributions = {"eps": loguniform(0.1, 2), "min_samples": [3, 5]}
    sampler = ParameterSampler(distributions, n_iter=4, random_state=0)
    found = search_of(DBSCAN(), sampler).fit(*blobs).cv_results_
    assert found["params"].tolist() == [*sampler]
    grid = {"eps": [0.5, 1.0], "min_samples": [3, 5]}
    found, plain = (
        search_of(DBSCAN(), each).fit(*blobs) for each in (ParameterGrid(grid), grid)
    )
    assert found.certificates_ == plain.certificates_
