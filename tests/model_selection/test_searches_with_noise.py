"""Searches whose noise is given no class."""

import numpy as np
import pytest
from conftest import verified
from numpy.testing import assert_array_equal
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import DBSCAN
from sklearn.datasets import make_blobs

from sklearn_pacmdl import (
    ClusterLabelClassifier,
    PACMDLDisplay,
    PACMDLSearchCV,
    certify_clusterings,
)

KINDS = ["learned", "holdout", "pac-mdl"]
CENTERS = [[-3, -3], [-3, 3], [3, -3], [3, 3]]
X, TRUTH = make_blobs(500, centers=CENTERS, cluster_std=1.1, random_state=0)
Y = np.where(np.random.RandomState(0).permutation(500) < 200, TRUTH, -1)
TEXTS = np.array(["a", "b", "c", "d"], dtype=object)
GRID = {"eps": [0.6, 0.7, 0.8]}


def search(kind="auto", noise="abstain", clusterer=None, grid=None, **kwargs):
    estimator = DBSCAN(min_samples=10) if clusterer is None else clusterer
    grid = GRID if clusterer is None and grid is None else grid
    given = {"certify": kind, "noise": noise, "random_state": 0} | kwargs
    return PACMDLSearchCV(estimator, grid, **given)


@pytest.mark.parametrize("kind", KINDS)
def test_dbscan(kind):
    found = search(kind).fit(X, Y)
    noise, unlabeled = found.labels_ == -1, Y < 0
    assert 0 < noise.mean() < 1
    assert_array_equal(found.transduction_ == -1, noise)
    assert found.coverage_ == np.mean(~noise[unlabeled])
    own = found.certificate_
    assert own.n_test == np.sum(unlabeled & ~noise)
    assert own.bound == found.best_bound_
    assert verified(found, Y)
    assert_array_equal(found.completed_y_, np.where(unlabeled, found.transduction_, Y))
    table = found.clusters_
    assert (table.loc[-1, "class"], table.loc[-1, "named_by"]) == (-1, "left out")
    assert found.classifier_.cluster_classes_[found.classifier_.clusters_ == -1] == -1
    ranked_by = "mean_selection_error" if kind == "holdout" else "mean_uncertified"
    assert found.ranked_by_ == ranked_by
    assert found.cv_results_["mean_coverage"][found.best_index_] == found.coverage_


class Masking(ClusterMixin, BaseEstimator):
    """Noise is what is masked, whatever number is below the mask."""

    def __init__(self, dtype=int):
        self.dtype = dtype

    def fit(self, X, y=None):
        self.labels_ = self.predict(X)
        return self

    def predict(self, X):
        quadrants = 2 * (X[:, 0] > 0) + (X[:, 1] > 0)
        return np.ma.MaskedArray(quadrants.astype(self.dtype), np.abs(X[:, 0]) < 1)


@pytest.mark.parametrize("dtype", ["int64", "uint8"])
def test_masked_rows_are_noise(dtype):
    masked = np.abs(X[:, 0]) < 1
    found = search(clusterer=Masking(dtype)).fit(X, Y)
    assert np.array_equal(found.labels_ == -1, masked)
    assert found.coverage_ == np.mean(~masked[Y < 0])
    assert np.array_equal(found.predict(X) == -1, masked)
    classifier = ClusterLabelClassifier(Masking(dtype), random_state=0).fit(X, Y)
    assert classifier.clusters_[0] == -1
    labels = Masking(dtype).fit(X).labels_
    given = certify_clusterings({"a": labels}, Y, noise="abstain", random_state=0)
    assert given.coverage == found.coverage_
    # New rows may be noise where no row of the fit was.
    for y in (Y, TRUTH):
        without = search(clusterer=Masking(dtype)).fit(X[~masked], y[~masked])
        assert without.coverage_ == 1.0
        assert np.array_equal(without.predict(X) == -1, masked)


@pytest.mark.parametrize("n_splits", [1, 3])
def test_fully_labeled(n_splits):
    found = search(cv=n_splits).fit(X, TEXTS[TRUTH])
    noise = found.labels_ == -1
    assert {*found.transduction_[noise]} == {None}
    assert found.split_transductions_.shape == (n_splits, 500)
    assert np.array_equal(found.completed_y_, TEXTS[TRUTH])
    kept = [np.mean(~noise[test]) for _, test in found.splits_]
    assert found.coverage_ == pytest.approx(np.mean(kept))
    errors = [
        np.mean((own != TEXTS[TRUTH])[test][~noise[test]])
        for own, (_, test) in zip(found.split_transductions_, found.splits_, strict=True)
    ]
    recorded = found.cv_results_["mean_test_error"][found.best_index_]
    assert recorded == pytest.approx(np.mean(errors))


def test_all_is_noise():
    found = search(grid={"eps": [1e-9, 1e-8]})
    with pytest.warns(UserWarning, match="All unlabeled rows are noise, so no row is"):
        found.fit(X, Y)
    assert found.coverage_ == 0.0
    assert found.certificates_ == []
    assert np.all(found.transduction_ == -1)
    with pytest.raises(AttributeError, match="all unlabeled rows are noise"):
        _ = found.certificate_
    assert "nothing is certified" in repr(found)
    PACMDLDisplay.from_estimator(found)
    assert "nothing is certified" in found.report().html.lower()


def test_displays_and_what_is_refused():
    found = search().fit(X, Y)
    display = PACMDLDisplay.from_estimator(found)
    value = found.cv_results_["mean_uncertified"][found.best_index_]
    assert display.table["bound"][0] == value == found.cv_results_["ranking_value"].min()
    assert display.ax_.get_ylabel() == "Unlabeled rows\nwithout a class or wrong"
    assert "share that is not certified right" in found.report().html
    with pytest.raises(ValueError, match="noise must be 'cluster': labels_needed plans"):
        found.labels_needed(0.01)
    with pytest.raises(ValueError, match=r"noise must be one of .* got 'drop'"):
        search(noise="drop").fit(X, Y)
    held_out = search("holdout").fit(X, Y)
    for name in ("audit_", "confidence_"):
        with pytest.raises(AttributeError, match="no row of noise left out"):
            getattr(held_out, name)
