"""Numbers of clusters and grids: what is tried by default, and as users write it."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from scipy.stats import loguniform
from sklearn.cluster import DBSCAN, AgglomerativeClustering, Birch, KMeans
from sklearn.linear_model import LogisticRegression
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import ParameterGrid, ParameterSampler
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_pacmdl import PACMDLSearchCV
from sklearn_pacmdl.model_selection import _plan

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


TO_200 = [2, 3, 4, 5, 6, 7, 9, 12, 15, 18, 23, 28, 36, 44, 56, 69, 87, 108, 136, 169]


class Lines(KMeans):
    """Cuts the first feature into parts of equal size, at once."""

    def fit_predict(self, X, y=None):
        ranks = X[:, 0].argsort().argsort()
        self.labels_ = ranks * self.n_clusters // len(X)
        return self.labels_


def tried(estimator, n_rows=100, **parameters):
    rng = np.random.RandomState(0)
    X, classes = rng.normal(size=(n_rows, 2)), np.arange(n_rows) % 3
    y = np.where(rng.permutation(n_rows) % 2, classes, -1)
    search = PACMDLSearchCV(estimator, **parameters, random_state=0).fit(X, y)
    return search.cv_results_["n_clusters"].tolist()


@pytest.mark.filterwarnings("ignore:.* hold no")
@pytest.mark.parametrize(
    ("clusterer", "n_rows", "numbers"),
    [
        (Lines(2), 6, [2]),
        (Lines(2), 15, [2, 3]),
        (Lines(2), 100, TO_200[:11]),
        (Lines(2), 799, TO_200),
        (Lines(2), 2000, TO_200),
        (Lines(8), 100, sorted([*TO_200[:11], 8])),
        (make_pipeline(StandardScaler(), Lines(50)), 100, [*TO_200[:11], 50]),
        (Lines(8), 7, [2]),
    ],
)
def test_they_depend_on_the_number_of_rows_and_on_that_of_the_clusterer(
    clusterer, n_rows, numbers
):
    """Which is always among them, unless it is larger than the number of rows."""
    assert tried(clusterer, n_rows) == numbers


BOTH = [("lines", Lines(2)), ("logistic", LogisticRegression())]
CENTERS = np.array([[-1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])


@pytest.mark.parametrize(
    ("estimator", "settings", "numbers"),
    [
        # Mixtures stop where components have few rows.
        (GaussianMixture(covariance_type="spherical"), {}, [*TO_200[:6], 9]),
        # Who has no number is left alone, and so are classifiers and fixed centers.
        (DBSCAN(), {}, [None]),
        (Birch(n_clusters=None, threshold=2.0), {}, [None]),
        (AgglomerativeClustering(None, distance_threshold=5.0), {}, [None]),
        (KMeans(3, init=CENTERS, n_init=1), {}, [3]),
        (BOTH, {}, [*TO_200[:11], None]),
        (BOTH, {"n_clusters": {"lines": None}}, [2, None]),
        # Languages without numbers keep the clusterer's.
        (Lines(4), {"certify": "pac-mdl", "language": "simple"}, [4]),
        (Lines(4), {"certify": "pac-mdl", "language": "init"}, [4]),
    ],
)
def test_others_keep_their_numbers(estimator, settings, numbers):
    assert tried(estimator, **settings) == numbers


def test_large_data_get_every_other_number():
    shape, kind = (10**6, 20), {"format": "csr", "random_state": 0}
    stored = sparse.csr_array((np.ones(10), ([*range(10)], [0] * 10)), shape)
    texts = sparse.random_array((20_000, 1000), density=0.07, **kind)
    for X, numbers in (
        (np.broadcast_to(0.0, shape), TO_200[::2]),
        (stored, TO_200),
        (texts, TO_200[::2]),
    ):
        assert _plan.automatic_numbers(X, "n_clusters") == numbers


def test_other_texts_are_refused():
    with pytest.raises(ValueError, match="n_clusters must be 'auto', None, or hold"):
        tried(Lines(), n_clusters="many")


def test_the_largest_of_a_list_is_an_edge():
    rng = np.random.RandomState(0)
    X = rng.normal(size=(200, 1))
    classes = X[:, 0].argsort().argsort() * 44 // 200 % 2
    y = np.where(rng.permutation(200) < 100, classes, -1)
    search = PACMDLSearchCV(Lines(2), random_state=0)
    for numbers in ("auto", [2, 3, 4, 5, 44]):
        with pytest.warns(UserWarning, match="n_clusters=44 is the largest number tried"):
            search.set_params(n_clusters=numbers).fit(X, y)
        assert search.best_params_["n_clusters"] == TO_200[13] == 44
