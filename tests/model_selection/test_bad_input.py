"""Errors name the parameter, its value and what is allowed, before any clustering."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import Untouched
from sklearn.cluster import DBSCAN, HDBSCAN, KMeans
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.feature_selection import SelectFromModel, SelectKBest
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import adjusted_rand_score
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_pacmdl import PACMDLSearchCV

rng = np.random.RandomState(0)
X = rng.normal(size=(20, 2))
Y = np.arange(20) % 2
HALF = np.where(np.arange(20) < 10, Y, -1)


@pytest.mark.parametrize("pre_dispatch", ["all", "n_jobs", "1.5 * (n_jobs + 1)", 3])
def test_what_joblib_takes(pre_dispatch):
    given = {"n_jobs": np.int64(1), "verbose": False, "pre_dispatch": pre_dispatch}
    assert PACMDLSearchCV(KMeans(2), **given, random_state=0).fit(X, Y).best_bound_ <= 1


def test_tasks_that_joblib_does_not_dispatch():
    """With one process it dispatches all, and with several it says nothing."""
    search = PACMDLSearchCV(KMeans(2), pre_dispatch="0*n_jobs", n_jobs=2, random_state=0)
    with pytest.raises(ValueError, match="must be at least one task, got '0"):
        search.fit(X, Y)


def test_gaps_are_left_to_clusterers_that_take_them():
    gaps = X.copy()
    gaps[0, 0] = np.nan
    PACMDLSearchCV(HDBSCAN(copy=True), random_state=0).fit(gaps, Y)
    with pytest.raises(ValueError, match="Input X contains NaN"):
        PACMDLSearchCV([("h", HDBSCAN(copy=True)), ("d", DBSCAN())]).fit(gaps, Y)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_columns_of_text_are_named(frame):
    columns = {"a": X[:, 0], "label": ["x", "y"] * 10, "b": X[:, 1]}
    message = r"in the columns \['label'\].* text goes into make_pipeline\('pass"
    with pytest.raises(ValueError, match=message):
        PACMDLSearchCV(Untouched()).fit(frame(columns), Y)


SUPERVISED = {
    "a selector": SelectKBest(k=1),
    "a transformer that says so": LinearDiscriminantAnalysis(),
    "a selector by a classifier": SelectFromModel(LogisticRegression()),
    "one of several": FeatureUnion([("all", "passthrough"), ("best", SelectKBest(k=1))]),
    "one for some columns": ColumnTransformer([("best", SelectKBest(k=1), [0, 1])]),
    "a Pipeline in a Pipeline": make_pipeline(StandardScaler(), SelectKBest(k=1)),
}


@pytest.mark.parametrize("step", SUPERVISED.values(), ids=SUPERVISED.keys())
def test_steps_that_need_labels_are_named(step):
    own, others = type(step).__name__, ("LinearDiscriminantAnalysis", "SelectFromModel")
    name = own if own in others else "SelectKBest"
    message = f"no step that is fitted to labels, .* got \\['{name}'\\] in 'pipeline'"
    with pytest.raises(ValueError, match=message):
        PACMDLSearchCV(make_pipeline(step, Untouched())).fit(X, Y)
    # A grid may bring the step in.
    pipeline = make_pipeline(StandardScaler(), Untouched())
    with pytest.raises(ValueError, match=message):
        PACMDLSearchCV(pipeline, {"standardscaler": [PCA(1), step]}).fit(X, Y)


@pytest.mark.parametrize(
    "step",
    [
        SelectKBest(lambda X, y=None: X.var(axis=0), k=1),
        SelectFromModel(FrozenEstimator(LogisticRegression().fit(X, Y)), prefit=True),
        ColumnTransformer([("first", PCA(1), [0]), ("other", "drop", [1])]),
        "passthrough",
    ],
    ids=["variance", "prefit", "columns", "nothing"],
)
def test_steps_that_need_no_labels_are_taken(step):
    search = PACMDLSearchCV(make_pipeline(step, KMeans(2, n_init=1)), random_state=0)
    assert search.fit(X, Y).labels_.shape == (20,)


STRUCTS = pa.StructArray.from_arrays([X[:, 0], X[:, 1]], names=["a", "b"])


@pytest.mark.parametrize(
    ("steps", "given", "error", "message"),
    [
        ([], X.reshape(5, 4, 2), ValueError, r"2 bands, pass X.reshape\(-1, 2\)"),
        ([], pd.Series(X[:, 0]), TypeError, "A column of numbers goes into a data frame"),
        ([], X[:1], ValueError, "minimum of 2 is required"),
        ([], STRUCTS, TypeError, "X must be an array, .* got StructArray"),
        ([StandardScaler()], STRUCTS, TypeError, "X must be an array, .* got StructA"),
    ],
)
def test_other_shapes_of_numbers(steps, given, error, message):
    clusterer = make_pipeline(*steps, Untouched()) if steps else Untouched()
    with pytest.raises(error, match=message):
        PACMDLSearchCV(clusterer).fit(given, Y[: len(given)])


@pytest.mark.parametrize("metric", [adjusted_rand_score, lambda X, labels: 0.0])
def test_metrics_as_scorers_are_refused_with_a_remedy(metric):
    message = rf"make_labeling_scorer\({re.escape(metric.__name__)}, kind="
    for scoring in (metric, {"mine": metric}):
        with pytest.raises(ValueError, match=message):
            PACMDLSearchCV(Untouched(), scoring=scoring).fit(X, Y)
