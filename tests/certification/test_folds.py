"""Errors by folds of the selecting rows, by which clusterers and classifiers compare."""

from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest
import sweeps
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.cluster import KMeans

from sklearn_pacmdl import PACMDLSearchCV

N_ROWS, N_CLASSES = 60, 3


def example(seed, n_clusters):
    """Folds of 24 of 60 rows, some of which have a label of no class, and clusters."""
    rng = np.random.default_rng(seed)
    codes, order = rng.integers(N_CLASSES + 1, size=N_ROWS), rng.permutation(N_ROWS)
    select = np.sort(rng.choice(N_ROWS, 24, replace=False))
    clusters = np.r_[range(n_clusters), rng.integers(n_clusters, size=N_ROWS)][:N_ROWS]
    rng.shuffle(clusters)
    folds = sweeps.Folds.of(select, order, codes, N_CLASSES)
    return folds, clusters, codes, select, order


def parts_of(folds):
    """For each fold of each division, which of the rows are in it."""
    return [own == fold for own in folds.divisions for fold in range(5)]


def by_hand(folds, clusters, codes, between, dropped=None):
    """Errors on each fold, row by row: other folds name the clusters."""
    known, errors = set(codes[folds.rows].tolist()) - {N_CLASSES}, np.zeros(25)
    for fold, is_in in enumerate(parts_of(folds)):
        seen = {c: Counter() for c in range(clusters.max() + 1) if c != dropped}
        for row in folds.rows[~is_in]:
            if codes[row] in known and clusters[row] != dropped:
                seen[clusters[row]][codes[row]] += 1
        for row in folds.rows[is_in]:
            cluster = clusters[row]
            if cluster == dropped:
                errors[fold] += 1
                continue
            if not seen[cluster] and between is not None:
                labeled = [c for c in seen if seen[c]]
                cluster = min(labeled, key=lambda c: (between[cluster][c], c))
            most = max(seen[cluster].values(), default=0)
            names = [k for k in known if seen[cluster][k] == most]
            errors[fold] += 1 - (codes[row] in names) / len(names)
    return errors


def test_each_fold_has_its_share_of_each_class():
    folds, _, codes, select, order = example(0, 4)
    assert sorted(folds.rows) == select.tolist()
    assert folds.rows.tolist() == [row for row in order if row in select]
    for own in folds.divisions:
        for code in range(N_CLASSES + 1):
            sizes = np.bincount(own[codes[folds.rows] == code], minlength=5)
            assert np.ptp(sizes) <= 2  # one of each five rows, and of the first and last
        assert np.ptp(np.bincount(own)) <= 1


def test_two_rows_are_seldom_in_one_fold_again():
    """Of 25 rows of a class, each two are in one fold in at most one division."""
    codes = np.zeros(25, dtype=int)
    folds = sweeps.Folds.of(np.arange(25), np.arange(25), codes, 1)
    together = sum((own[:, None] == own).astype(int) for own in folds.divisions)
    assert together[~np.eye(25, dtype=bool)].max() == 1


class Watched(ClassifierMixin, BaseEstimator):
    """Predicts the first class, and remembers which rows its fits were given."""

    given: list = []  # noqa: RUF012, of all instances

    def fit(self, X, y):
        self.given.append(np.sort(X[:, 0]))
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


def test_they_are_those_of_the_classifiers():
    X, codes = np.arange(80.0)[:, None], np.repeat([0, 1], 40)
    seen = np.where(np.random.default_rng(0).permutation(80) < 50, codes, -1)
    kinds = [("kmeans", KMeans()), ("watched", Watched())]
    search = PACMDLSearchCV(kinds, n_clusters=[2], random_state=0).fit(X, seen)
    select, _ = search.divisions_[0]
    folds = sweeps.Folds.of(select, search.row_order_, seen, 2)
    _, *given = Watched.given
    assert len(given) == 5
    for fold, rows in enumerate(given):
        assert_array_equal(rows, np.sort(folds.rows[folds.divisions[0] != fold]))


@pytest.mark.parametrize("n_clusters", [2, 9, 20])
@pytest.mark.parametrize("nearest", [True, False])
def test_a_clustering_is_named_by_the_other_folds(n_clusters, nearest):
    for seed in range(10):
        folds, clusters, codes, *_ = example(seed, n_clusters)
        place = np.random.default_rng(seed).normal(size=n_clusters)
        between = abs(place[:, None] - place) if nearest else None
        counts = SimpleNamespace(names=None, distances=lambda own=between: own)
        expected, errors = folds.of_clustering(clusters, counts)
        assert_allclose(errors, by_hand(folds, clusters, codes, between))
        columns = {c: k for k, c in enumerate(np.unique(codes[folds.rows]).tolist())}
        for fold, is_in in enumerate(parts_of(folds)):
            table = np.zeros((n_clusters, len(columns)), dtype=int)
            for row in folds.rows[~is_in]:
                table[clusters[row], columns[codes[row]]] += 1
            assert expected[fold] == pytest.approx(sweeps.estimated_errors(counts, table))


FAR = SimpleNamespace(names=None, distances=lambda: None)


def test_labels_in_noise_are_errors():
    folds, clusters, codes, *_ = example(1, 5)
    expected, errors = folds.of_clustering(clusters, FAR, noise=2)
    assert_allclose(errors, by_hand(folds, clusters, codes, None, dropped=2))
    noise = clusters[folds.rows] == 2
    for fold, is_in in enumerate(parts_of(folds)):
        table = np.zeros((5, N_CLASSES + 1), dtype=int)
        np.add.at(table, (clusters[folds.rows], codes[folds.rows]), ~is_in)
        left = sweeps.estimated_errors(FAR, np.delete(table, 2, axis=0))
        assert expected[fold] == pytest.approx(left + np.sum(noise & ~is_in))


def test_a_classifier_is_counted_by_its_predictions():
    folds, _, codes, *_ = example(2, 4)
    predicted = np.random.default_rng(0).integers(N_CLASSES, size=N_ROWS)
    wrong = predicted[folds.rows] != codes[folds.rows]
    parts = [(wrong[~is_in].sum(), wrong[is_in].sum()) for is_in in parts_of(folds)]
    assert_array_equal(folds.of_predictions(predicted), np.transpose(parts))


def test_fewer_rows_than_folds():
    """Folds without rows have no errors; labels of no class are errors of any name."""
    codes = np.full(4, N_CLASSES)
    folds = sweeps.Folds.of(np.array([1, 3]), np.arange(4), codes, N_CLASSES)
    expected, errors = folds.of_clustering(np.array([0, 0, 1, 1]), FAR)
    assert_array_equal(errors, [1, 1, 0, 0, 0] * 5)
    assert len(expected) == 25
