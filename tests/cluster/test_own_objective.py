"""Objectives that a user defines, held against scikit-learn and their definition."""

import numpy as np
import pytest
from calls import Squares
from scipy import sparse
from scipy.stats import multivariate_normal
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris
from sklearn.utils.extmath import row_norms

from sklearn_pacmdl import PACMDLSearchCV
from sklearn_pacmdl.cluster import Clusters, ObjectiveClusterer

X, Y = load_iris(return_X_y=True)
X = X + np.random.RandomState(0).normal(scale=0.01, size=X.shape)  # without ties
K = 5


class ExactSquares(Squares):
    """The same with exact moves, as in Hartigan's algorithm."""

    def exchange_scores(self, rows, batch, products, now):
        """Difference of |s + w x|^2 / (n + w) and |s|^2 / n, per w; constants cancel."""
        w = rows.weight[batch, None]
        squares = row_norms(rows.X[batch], squared=True)[:, None]
        means, n = now.clusters.directions, now.sizes
        squared_distances = squares - 2 * products + np.sum(means**2, axis=0)
        own = now.labels[batch, None] == np.arange(n.size)
        with np.errstate(divide="ignore"):
            shrink = np.where(own, n / (n - w), n / (n + w))
        return squares - shrink * squared_distances


class RoundGaussians(Squares):
    """A mixture of Gaussians of equal weights and unit variance, fitted softly."""

    assignment = "soft"

    def place(self, rows, sums, sizes):
        means = sums / sizes
        log_scale = -np.log(sizes.size) - len(means) / 2 * np.log(2 * np.pi)
        return Clusters(means, bias=log_scale - np.sum(means**2, axis=0) / 2)

    def distances(self, rows, products, clusters):
        return np.maximum(clusters.bias.max() - clusters.scores(products), 0)


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
    ours = ObjectiveClusterer(Squares(), K, init=init, tol=0)
    ours.fit(make(X), sample_weight=weights)
    np.testing.assert_array_equal(ours.labels_, theirs.labels_)
    np.testing.assert_allclose(ours.cluster_centers_, theirs.cluster_centers_)
    assert ours.inertia_ == pytest.approx(theirs.inertia_)
    assert ours.inertia_ == pytest.approx(value_of(ours.labels_, weights))
    value = (weights @ np.sum(X**2, axis=1) - ours.inertia_) / weights.sum()
    assert ours.objective_ == pytest.approx(value)
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
    ours = ObjectiveClusterer(Squares(), K, init=many[:K], tol=0)
    np.testing.assert_array_equal(ours.fit(make(many)).labels_, theirs.labels_)
    np.testing.assert_allclose(ours.cluster_centers_, theirs.cluster_centers_, atol=1e-9)


def test_exact_moves_end_where_no_single_move_gains():
    weights = np.random.RandomState(0).gamma(2, size=len(X))
    ended_better = []
    for seed in range(10):
        ends = []
        for objective in (Squares(), ExactSquares()):
            clusterer = ObjectiveClusterer(objective, K, tol=0, random_state=seed)
            ends.append(clusterer.fit(X, sample_weight=weights))
        ended_better.append(ends[1].inertia_ <= ends[0].inertia_ + 1e-9)
    assert np.mean(ended_better) > 0.5
    labels, least = ends[1].labels_, value_of(ends[1].labels_, weights)
    for row in range(len(X)):
        for cluster in range(K):
            moved = labels.copy()
            moved[row] = cluster
            assert value_of(moved, weights) >= least - 1e-9


def test_soft_as_the_definition():
    """One step of expectation maximization, by SciPy's densities."""
    init = X[[0, 60, 120]]
    found = ObjectiveClusterer(RoundGaussians(), 3, init=init, max_iter=2, tol=0).fit(X)
    nearest = np.argmin(((X[:, None] - init) ** 2).sum(axis=2), axis=1)
    means = [X[nearest == cluster].mean(axis=0) for cluster in range(3)]
    joint = np.stack([multivariate_normal(mean).pdf(X) for mean in means], axis=1)
    shares = joint / joint.sum(axis=1, keepdims=True)
    means = (shares.T @ X) / shares.sum(axis=0)[:, None]
    np.testing.assert_allclose(found.cluster_centers_, means)
    joint = np.stack([multivariate_normal(mean).pdf(X) for mean in means], axis=1) / 3
    np.testing.assert_array_equal(found.labels_, joint.argmax(axis=1))
    # What all clusters share, the squares of the rows, is no part of the objective.
    likelihood = np.log(joint.sum(axis=1)).mean() + np.sum(X**2, axis=1).mean() / 2
    assert found.objective_ == pytest.approx(likelihood)


def test_a_fit_of_floats_of_one_size_predicts_rows_of_the_other():
    """Directions are kept as exactly as what is computed from them: scores cancel."""
    rows = np.random.default_rng(0).normal(size=(3000, 3)) + 1000
    found = ObjectiveClusterer(Squares(), 8, random_state=0)
    found.fit(rows.astype(np.float32))
    differences = rows[:, None] - found.cluster_centers_.astype(float)
    distances = np.sum(differences**2, axis=2)
    nearest = np.take_along_axis(distances, found.predict(rows)[:, None], axis=1)
    np.testing.assert_allclose(nearest[:, 0], distances.min(axis=1), atol=0.01)
    np.testing.assert_allclose(found.score(rows), -distances.min(axis=1).sum(), rtol=1e-5)


def test_a_term_of_the_clusters_alone_is_part_of_the_value():
    class Penalized(Squares):
        def place(self, rows, sums, sizes):
            return super().place(rows, sums, sizes)._replace(prior=-75.0)

    plain, penalized = (
        ObjectiveClusterer(objective, K, random_state=0).fit(X)
        for objective in (Squares(), Penalized())
    )
    np.testing.assert_array_equal(plain.labels_, penalized.labels_)
    assert penalized.objective_ == pytest.approx(plain.objective_ - 75 / len(X))


def test_in_a_search():
    seen = np.where(np.random.RandomState(0).uniform(size=len(Y)) < 0.5, Y, -1)
    clusterer = ObjectiveClusterer(ExactSquares())
    search = PACMDLSearchCV(clusterer, n_clusters=[2, 3, 4], random_state=0).fit(X, seen)
    assert np.mean(search.transduction_ == Y) > 0.85
