"""The climb by the objective of k-means, held against scikit-learn."""

from dataclasses import dataclass, field

import numpy as np
import pytest
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris
from sklearn.utils.extmath import row_norms

from sklearn_pacmdl.cluster._kmeans import BaseKMeans
from sklearn_pacmdl.cluster._objective import Clusters, Objective

X = load_iris().data
X = X + np.random.RandomState(0).normal(scale=0.01, size=X.shape)  # without ties
K = 5


class Squares(Objective):
    """The objective of k-means, with the moves of Lloyd's algorithm."""

    def place(self, rows, sums, sizes):
        means = sums / sizes
        return Clusters(means, gain=2.0, bias=-np.sum(means**2, axis=0))

    def distances(self, rows, products, clusters):
        squares = row_norms(rows.X, squared=True)[:, None]
        return np.maximum(squares - clusters.scores(products), 0)


@dataclass(eq=False, repr=False, kw_only=True)
class LloydKMeans(BaseKMeans):
    n_clusters: int = field(default=K, kw_only=False)

    def _make_objective(self):
        return Squares()


def value_of(labels, weights):
    """Weighted sum of squares of rows about the means of their clusters."""
    inertia = 0.0
    for cluster in range(K):
        members, w = X[labels == cluster], weights[labels == cluster]
        inertia += np.sum(w @ (members - np.average(members, axis=0, weights=w)) ** 2)
    return inertia


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("seed", range(5))
def test_lloyd_as_scikit_learn(seed, make):
    rng = np.random.RandomState(seed)
    init, weights = X[rng.choice(len(X), K, replace=False)], rng.gamma(2, size=len(X))
    theirs = KMeans(K, init=init, n_init=1, tol=0).fit(X, sample_weight=weights)
    ours = LloydKMeans(K, init=init, tol=0)
    ours.fit(make(X), sample_weight=weights)
    np.testing.assert_array_equal(ours.labels_, theirs.labels_)
    np.testing.assert_allclose(ours.cluster_centers_, theirs.cluster_centers_)
    assert ours.inertia_ == pytest.approx(theirs.inertia_)
    assert ours.inertia_ == pytest.approx(value_of(ours.labels_, weights))
    new = X + rng.normal(size=X.shape)
    np.testing.assert_array_equal(ours.predict(make(new)), theirs.predict(new))
    np.testing.assert_allclose(
        ours.transform(make(new)), theirs.transform(new) ** 2, atol=1e-9
    )
    assert ours.score(make(new)) == pytest.approx(theirs.score(new))


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_rows_that_move_are_counted_some_at_a_time(make):
    """Sparse rows of a million entries are copied in parts."""
    rng = np.random.default_rng(0)
    many = rng.normal(size=(4000, 250))
    many[:, :2] += 3 * rng.integers(4, size=(4000, 2))
    theirs = KMeans(K, init=many[:K], n_init=1, tol=0).fit(many)
    ours = LloydKMeans(K, init=many[:K], tol=0)
    np.testing.assert_array_equal(ours.fit(make(many)).labels_, theirs.labels_)
    np.testing.assert_allclose(ours.cluster_centers_, theirs.cluster_centers_, atol=1e-9)


def test_a_fit_of_floats_of_one_size_predicts_rows_of_the_other():
    """Directions are kept as exactly as what is computed from them: scores cancel."""
    rows = np.random.default_rng(0).normal(size=(3000, 3)) + 1000
    found = LloydKMeans(8, random_state=0)
    found.fit(rows.astype(np.float32))
    differences = rows[:, None] - found.cluster_centers_.astype(float)
    distances = np.sum(differences**2, axis=2)
    nearest = np.take_along_axis(distances, found.predict(rows)[:, None], axis=1)
    np.testing.assert_allclose(nearest[:, 0], distances.min(axis=1), atol=0.01)
    np.testing.assert_allclose(found.score(rows), -distances.min(axis=1).sum(), rtol=1e-5)
