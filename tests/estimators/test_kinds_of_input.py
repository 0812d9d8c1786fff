"""What estimators take, and what they are told of: facts by known estimators."""

import sys

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.cluster import DBSCAN, KMeans, SpectralClustering
from sklearn.feature_selection import SelectFromModel, SelectKBest, VarianceThreshold
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, adjusted_rand_score, log_loss, make_scorer
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_pacmdl.cluster import SphericalKMeans
from sklearn_pacmdl.estimators import (
    batches,
    check_sample_weight,
    check_X,
    computing_dtype,
    in_dtype,
    inherited_input_tags,
    is_frame,
    is_known,
    is_of_classes,
    is_pairwise,
    kind_of_X,
    last_step,
    needs_probabilities,
    restored_on_failure,
    steps_that_need_labels,
)

DISTANCES, AFFINITIES = DBSCAN(metric="precomputed"), SpectralClustering()
AFFINITIES.set_params(affinity="precomputed")
X = np.arange(8.0).reshape(4, 2)


def test_batches_cover_all_rows():
    rows = np.arange(7)
    assert [rows[b].tolist() for b in batches(7, 3)] == [[0, 1, 2], [3, 4, 5], [6]]
    assert [*batches(0, 3)] == []


@pytest.mark.parametrize(
    ("estimator", "kind"),
    [
        (KMeans(), "features"),
        (DISTANCES, "distances"),
        (AFFINITIES, "affinities"),
        (SpectralClustering(affinity="precomputed_nearest_neighbors"), "distances"),
    ],
)
def test_what_X_holds(estimator, kind):
    assert kind_of_X(estimator) == kind
    assert is_pairwise(estimator) == (kind != "features")
    # The first step that does something takes X.
    assert is_pairwise(make_pipeline("passthrough", estimator)) == (kind != "features")
    assert not is_pairwise(make_pipeline(StandardScaler(), estimator))


def test_tags_of_several_estimators():
    tags = inherited_input_tags([KMeans(), DISTANCES])
    assert tags.pairwise
    assert tags.sparse
    assert not inherited_input_tags([KMeans()]).pairwise
    both = inherited_input_tags([StandardScaler(), KMeans()])
    assert inherited_input_tags([StandardScaler()]).allow_nan
    assert not both.allow_nan


def test_the_last_step_and_the_prefix_of_its_parameters():
    kmeans = KMeans()
    pipeline = make_pipeline(StandardScaler(), make_pipeline(StandardScaler(), kmeans))
    assert last_step(pipeline) == ("pipeline__kmeans__", kmeans)
    assert last_step(kmeans) == ("", kmeans)


class OfAUser(BaseEstimator):
    def __init__(self, inner=None):
        self.inner = inner


def test_estimators_of_users_are_not_known_wherever_they_are():
    assert is_known(KMeans())
    assert is_known(make_pipeline(StandardScaler(), SphericalKMeans()))
    assert not is_known(OfAUser())
    assert not is_known(make_pipeline(OfAUser(), KMeans()))
    assert not is_known(KMeans)


def by_labels(X, y):
    return X.sum(axis=0)


def without_labels(X):
    return X.sum(axis=0)


@pytest.mark.parametrize(
    ("step", "needs"),
    [
        (VarianceThreshold(), False),
        (SelectKBest(by_labels), True),
        (SelectKBest(without_labels), False),
        (SelectFromModel(LogisticRegression()), True),
        (SelectFromModel(LogisticRegression(), prefit=True), False),
        ("passthrough", False),
    ],
)
def test_steps_that_need_labels(step, needs):
    names = [type(step).__name__] * needs
    assert steps_that_need_labels(make_pipeline(step, KMeans())) == names
    inside = make_pipeline(FeatureUnion([("a", make_pipeline(step)), ("b", step)]))
    assert steps_that_need_labels(inside) == 2 * names


@pytest.mark.parametrize(
    ("scorer", "of_classes", "probabilities"),
    [
        (make_scorer(accuracy_score), True, False),
        (make_scorer(adjusted_rand_score), False, False),
        (make_scorer(log_loss, response_method="predict_proba"), True, True),
        (lambda estimator, X, y: 0, False, False),
    ],
)
def test_metrics_behind_scorers(scorer, of_classes, probabilities):
    assert is_of_classes(scorer) == of_classes
    assert needs_probabilities(scorer) == probabilities


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_new_rows_have_the_dtype_of_the_fit(dtype):
    assert computing_dtype(X.astype(dtype)) == dtype
    assert computing_dtype(sp.coo_array(X.astype(dtype))) == dtype
    assert in_dtype(X, np.dtype(dtype)).dtype == dtype
    assert in_dtype(X.tolist(), np.dtype(np.float32)).dtype == np.float32
    texts = pd.DataFrame({"a": ["b", "c"]})
    assert computing_dtype(texts) is None
    assert in_dtype(texts, np.dtype(dtype)) is texts


def test_X_is_numbers_unless_a_pipeline_takes_it():
    kmeans = [KMeans()]
    assert check_X(OfAUser(), X, kmeans).tolist() == X.tolist()
    frame = pd.DataFrame(X, columns=["a", "b"])
    fitted = OfAUser()
    assert check_X(fitted, frame, kmeans) is frame
    assert fitted.feature_names_in_.tolist() == ["a", "b"]
    texts = frame.assign(b="text")
    with pytest.raises(ValueError, match=r"got text, .* in the columns \['b'\]"):
        check_X(OfAUser(), texts, kmeans)
    assert check_X(OfAUser(), texts, [make_pipeline(KMeans())]) is texts
    with pytest.raises(ValueError, match=r"2 bands, pass X.reshape\(-1, 2\)"):
        check_X(OfAUser(), X.reshape(2, 2, 2), kmeans)
    with pytest.raises(TypeError, match=r"A column of numbers goes into a data frame"):
        check_X(OfAUser(), frame["a"], kmeans)
    with pytest.raises(ValueError, match="minimum of 2 is required"):
        check_X(OfAUser(), X[:1], kmeans)
    assert is_frame(frame)
    assert not is_frame(X)


def test_weights_of_rows():
    assert check_sample_weight(None, X).tolist() == [1, 1, 1, 1]
    assert check_sample_weight(2, X).tolist() == [2, 2, 2, 2]
    assert check_sample_weight([0, 1, 2, 3], X).dtype == np.float64
    for weight in ([-1, 1, 1, 1], [1, 1], np.nan, np.inf):
        with pytest.raises(ValueError, match=r"sample_weight|weights"):
            check_sample_weight(weight, X)


def fit(estimator, how=dict):
    with restored_on_failure(estimator):
        assert not hasattr(estimator, "found_")
        estimator.other_ = 2
        how()


def test_a_fit_that_fails_leaves_the_one_before():
    estimator = OfAUser()
    estimator.found_ = 1
    with pytest.raises(SystemExit):
        fit(estimator, how=sys.exit)
    assert vars(estimator) == {"inner": None, "found_": 1}
    fit(estimator)
    assert vars(estimator) == {"inner": None, "other_": 2}
