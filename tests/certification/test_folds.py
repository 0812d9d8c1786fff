"""Clusterers and classifiers in one list: errors by folds, and favorites by these."""

from collections import Counter
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
import sweeps
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.cluster import KMeans

from sklearn_pacmdl import PACMDLSearchCV
from sklearn_pacmdl.certification import HoldOut, Learned
from sklearn_pacmdl.languages import Candidate

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


LEARNS = [False, False, False, True, True]
LIST = [Candidate("a", 2, 0), Candidate("a", 2, 1), Candidate("a", 3)]
LIST += [Candidate("b", None), Candidate("c", None)]


def sweep_of(found, learns=LEARNS, method=None):
    return sweeps.sweep_of_kinds(method or Learned(), LIST, found, learns)


def shares_of(sweep):
    """What is more than a candidate's own part of its weight, in favorites' weights."""
    method = sweep.method
    errors = sweep.of_each("selection_errors")[:, 0]
    own = method._candidate_weights(sweep.weights.of_candidates, errors)
    shares = []
    for i, claims in sweeps.claims_of(sweep).items():
        weight = np.prod(list(claims[0].terms.values())) if claims else None
        if weight is not None:
            weight -= (1 - method.of_preferred) * own[i]["candidate"]
            weight /= method.of_preferred
        shares.append(weight)
    return shares


#: Errors that other folds let expect, and errors, for each of five folds.
LUCKY = [[1, 9, 9, 9, 9], [4, 0, 0, 0, 0]]
OTHERS = [[9, 1, 1, 1, 1], [0, 3, 3, 3, 3]]
STEADY = [[2, 2, 2, 2, 2], [2, 2, 2, 2, 2]]
BAD = [[8, 8, 8, 8, 8], [0, 0, 0, 0, 0]]


def counted(*each, n_splits=1):
    """Candidates with these estimates and errors by folds."""
    return [sweeps.counted_by_folds(*own, n_splits) for own in each]


def test_the_kind_with_fewer_errors_by_folds_is_preferred():
    """Within a kind, the smallest estimate is, whatever the errors by folds."""
    found = counted((2, OTHERS), (2, OTHERS), (3, LUCKY), (7, STEADY), (8, BAD))
    # Of clusterings the third is chosen on the first fold (4 errors), and then the first
    # (3 errors each), which makes 16. The first classifier has 10.
    assert shares_of(sweep_of(found)) == [Fraction(1, 32), 0, 0, Fraction(31, 32), 0]
    found[3:4] = counted((7, [STEADY[0], [4, 4, 4, 4, 4]]))
    assert shares_of(sweep_of(found)) == [Fraction(31, 32), 0, 0, Fraction(1, 32), 0]


def test_starts_are_chosen_by_their_means_on_each_fold():
    """A start that is lucky on the other folds is chosen with all its starts, or not."""
    starts = (1, [[0] * 5, [9] * 5]), (5, [[8] * 5, [0] * 5])
    found = counted(*starts, (2, [[3] * 5, [1] * 5]), (3, STEADY), (9, BAD))
    # Means of both starts are 4 and 3: the third clustering is chosen, with 5 errors.
    assert shares_of(sweep_of(found)) == [0, 0, Fraction(31, 32), Fraction(1, 32), 0]


@pytest.mark.parametrize("failed", [[0, 1, 2], [3, 4]])
def test_nobody_has_the_share_of_a_kind_that_failed(failed):
    found = counted(*((i, STEADY) for i in range(5)))
    found = [None if i in failed else own for i, own in enumerate(found)]
    left = [s for s in shares_of(sweep_of(found)) if s is not None]
    assert left == [Fraction(31, 32), *[0] * (len(left) - 1)]


@pytest.mark.parametrize("kind", [False, True])
def test_a_list_of_one_kind_has_one_favorite(kind):
    """Whether or not its errors by folds are known."""
    found = counted((4, BAD), (4, BAD), (2, LUCKY), (1, LUCKY), (3, LUCKY))
    for learns in ((), [kind] * 5):
        assert shares_of(sweep_of(found, learns)) == [0, 0, 0, 1, 0]


def test_hold_out_takes_the_favorite_of_all_splits():
    """Which ranks first; the others rank by their estimates."""
    each = (1, OTHERS), (1, OTHERS), (3, LUCKY), (7, STEADY), (2, BAD)
    found = counted(*each, n_splits=2)
    # Clusterers make 16 errors by folds, as above, and classifiers 10. Of these the last
    # has the smaller estimate.
    ranking = sweeps.rank(sweeps.bound(sweep_of(found, method=HoldOut())))
    assert ranking.best == 4
    assert_array_equal(ranking.ranks, [2, 2, 4, 5, 1])
    assert_array_equal(ranking.values, [1, 1, 3, 7, 2])
    assert sweeps.bound(sweep_of(found, (), HoldOut())).preferred.best == 0


def test_another_fit_changes_no_share():
    first = sweep_of(counted(*((i, STEADY) for i in range(5))))
    again = first.refitted(0, sweeps.counted_by_folds(9, [[9] * 5, [9] * 5]))
    assert shares_of(again) == shares_of(first)
