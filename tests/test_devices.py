"""Labels on a device count as in memory; rows are refused, or left to a Pipeline."""

import json

import array_api_strict
import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from sklearn_pacmdl import (
    ClusterLabelClassifier,
    PACMDLSearchCV,
    certify_labelings,
    certify_labels,
    draw_audit,
    finish_labels,
)
from sklearn_pacmdl.cluster import PrecomputedLabels
from sklearn_pacmdl.metrics import purity_score
from sklearn_pacmdl.random_choice import random_choice_test


class OnDevice:
    """Stands in for CuPy's arrays, which NumPy must not read."""

    def __init__(self, values):
        self.values = np.asarray(values)
        self.shape, self.dtype = self.values.shape, self.values.dtype

    def __array__(self, dtype=None, copy=None):
        raise TypeError("Implicit conversion to a NumPy array is not allowed.")

    def __len__(self):
        return len(self.values)

    def __getitem__(self, index):
        return type(self)(self.values[index])

    def get(self):
        return self.values.copy()


class WithGradients(OnDevice):
    """Stands in for tensors of PyTorch."""

    get = None  # type: ignore[assignment]

    def detach(self):
        return self

    def cpu(self):
        return self.values.copy()


def strict(values):
    """An array that can do only what the array API has, on what is not the CPU."""
    device = array_api_strict.Device("device1")
    return array_api_strict.asarray(np.asarray(values), device=device)


DEVICES = pytest.mark.parametrize("moved", [OnDevice, WithGradients, strict])

X, Y = make_blobs(200, 3, centers=3, cluster_std=3, random_state=0)
SEEN = np.where(np.random.default_rng(0).random(200) < 0.4, Y, -1)
LABELS = KMeans(3, n_init=1, random_state=0).fit_predict(X)
CONFIDENCE = np.random.default_rng(1).random(200)
AUDIT = draw_audit(200, 60, labels=Y, random_state=0)
ANSWERS = Y[AUDIT.rows]


class Elsewhere(ClusterMixin, BaseEstimator):
    """k-means whose labels are on a device, as its rows may be."""

    def __init__(self, n_clusters=3, moved=None, random_state=None):
        self.n_clusters, self.moved, self.random_state = n_clusters, moved, random_state

    def fit(self, X, y=None):
        rows = getattr(X, "values", getattr(X, "_array", X))
        kmeans = KMeans(self.n_clusters, n_init=1, random_state=self.random_state)
        self.rows_type_ = type(X)
        self.labels_ = (self.moved or np.asarray)(kmeans.fit(rows).labels_)
        return self


def searched(estimator, X, y, **options):
    if not isinstance(estimator, PrecomputedLabels):
        options["n_clusters"] = [3, 5]
    search = PACMDLSearchCV(estimator, random_state=0, **options).fit(X, y)
    return search.best_bound_, search.transduction_


def certified(labelings, y, **options):
    found = certify_labelings(labelings, y, random_state=0, **options)
    return found.bound, found.transduction, found.cluster_classes


def finished(labels, confidence, answers):
    return finish_labels(labels, confidence, AUDIT, answers, target=0.3).accepted


# Results for labels that are moved by ``on``, as floats where they may have gaps.
def undated(record):
    """What a file has but for when it was made, on which the digest depends."""
    fields = json.loads(record.to_json())
    return str({k: v for k, v in fields.items() if k not in ("date", "digest")})


RESULTS = {
    "y": lambda on: searched(KMeans(n_init=1), X, on(SEEN)),
    "classes": lambda on: searched(KMeans(n_init=1), X, SEEN, classes=on(range(3))),
    "labels_": lambda on: searched(Elsewhere(moved=on), X, SEEN),
    "selective": lambda on: searched(Elsewhere(moved=on), X, on(SEEN), target=0.5),
    "classifier": lambda on: (
        ClusterLabelClassifier(Elsewhere(moved=on, random_state=0))
        .fit(X, on(SEEN))
        .transduction_
    ),
    "columns": lambda on: searched(PrecomputedLabels(), on(np.c_[LABELS, Y]), SEEN),
    "column": lambda on: searched(PrecomputedLabels(), {"a": on(LABELS)}, on(SEEN)),
    "dict": lambda on: certified({"a": on(LABELS)}, on(SEEN), classes=on(range(3))),
    "list": lambda on: certified([on(LABELS), on(Y)], on(1.0 * SEEN)),
    "rows": lambda on: certified(on([LABELS, Y]), SEEN, certify="holdout"),
    "audit": lambda on: undated(
        draw_audit(200, 60, labels=on(LABELS), confidence=on(CONFIDENCE), random_state=0)
    ),
    "certificate": lambda on: undated(certify_labels(on(Y), AUDIT, on(ANSWERS))),
    "finished": lambda on: finished(on(Y), on(CONFIDENCE), on(ANSWERS)),
    "verified": lambda on: (
        certify_labels(Y, AUDIT, ANSWERS).verify(on(Y), on(Y)).problems
    ),
    "chosen at random": lambda on: (
        random_choice_test(on(SEEN >= 0), [on(LABELS)], random_state=0).p_value
    ),
    "measure": lambda on: purity_score(on(Y), on(LABELS)),
}


@DEVICES
@pytest.mark.parametrize("name", RESULTS)
@pytest.mark.filterwarnings("ignore:.* hold no label:UserWarning")
def test_labels_on_a_device(name, moved):
    expected, found = RESULTS[name](np.asarray), RESULTS[name](moved)
    if not isinstance(expected, tuple):
        expected, found = (expected,), (found,)
    for one, other in zip(expected, found, strict=True):
        assert_array_equal(one, other)


@DEVICES
def test_rows_on_a_device_are_refused(moved):
    search = PACMDLSearchCV(Elsewhere(), n_clusters=[3])
    with pytest.raises(TypeError, match=r"X must be in host memory, got .*X\.get\(\)"):
        search.fit(moved(X), SEEN)


@DEVICES
@pytest.mark.filterwarnings("ignore:.* hold no label:UserWarning")
def test_rows_on_a_device_are_left_to_a_pipeline(moved):
    pipeline = make_pipeline(FunctionTransformer(), Elsewhere(moved=moved))
    search = PACMDLSearchCV(pipeline, n_clusters=[3], random_state=0).fit(moved(X), SEEN)
    assert search.best_estimator_[-1].rows_type_ is type(moved(X))
    expected = searched(make_pipeline(FunctionTransformer(), Elsewhere()), X, SEEN)
    found = searched(pipeline, moved(X), SEEN)
    assert found[0] == expected[0]
    assert_array_equal(found[1], expected[1])


@DEVICES
def test_rows_on_a_device_are_permuted(moved):
    """Or their order might tell which rows have labels."""
    kept = []

    def keep(rows):
        kept.append(getattr(rows, "values", getattr(rows, "_array", None)))
        return rows

    pipeline = make_pipeline(FunctionTransformer(keep), Elsewhere(moved=moved))
    PACMDLSearchCV(pipeline, n_clusters=[3], random_state=0).fit(moved(X), SEEN)
    assert all(not np.array_equal(rows, X[: len(rows)]) for rows in kept)
    assert_array_equal(np.sort(kept[-1], axis=0), np.sort(X, axis=0))


def test_other_refusals_remain():
    """NumPy's errors for what is no array on a device are not hidden."""

    class Broken:
        def __array__(self, dtype=None, copy=None):
            raise RuntimeError("no values")

    with pytest.raises(RuntimeError, match="no values"):
        certify_labelings({"a": LABELS}, Broken())
