"""Errors name the parameter, its value and what is allowed, before any clustering."""

import shutil
from fractions import Fraction

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import DBSCAN, HDBSCAN, AgglomerativeClustering, KMeans
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.feature_selection import SelectFromModel, SelectKBest
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import LeaveOneGroupOut
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_pacmdl import (
    PACMDLSearchCV,
    certify_labelings,
    certify_labels,
    draw_audit,
)
from sklearn_pacmdl.cluster import PrecomputedLabels
from sklearn_pacmdl.languages import Language, Prior


class Untouched(ClusterMixin, BaseEstimator):
    """Fails the test if it is ever fitted."""

    def __init__(self, n_clusters=2, random_state=None):
        self.n_clusters = n_clusters
        self.random_state = random_state

    def fit_predict(self, X, y=None):
        pytest.fail("clustering had started")


class Annotated:
    """What an AnnData has."""

    obs = pd.DataFrame({"leiden": [0, 1] * 10})
    obsm, shape = {}, (20, 2)

    def __len__(self):
        return 20


rng = np.random.RandomState(0)
X = rng.normal(size=(20, 2))
Y = np.arange(20) % 2
PAIR = [("a", Untouched()), ("b", Untouched())]
HALF = np.where(np.arange(20) < 10, Y, -1)

CASES = [
    # the data
    ({}, X, np.full(20, -1), ValueError, "y has no labeled row"),
    ({}, X, np.zeros(20, int), ValueError, "got one class: 0. .* sorted file"),
    ({}, X, None, ValueError, "requires y to be passed"),
    ({}, X, rng.normal(size=20), ValueError, "continuous"),
    ({}, X, np.c_[Y, Y], ValueError, "1d array"),
    ({}, np.where(X > 1, np.nan, X), Y, ValueError, "Input X contains NaN"),
    ({}, np.where(X > 1, np.inf, X), Y, ValueError, "Input X contains infinity"),
    ({}, X[0], Y, ValueError, "Expected 2D array"),
    ({}, X.reshape(4, 5, 2), Y, ValueError, r"2 bands, pass X.reshape\(-1, 2\), and y.r"),
    ({}, Annotated(), Y, TypeError, "X must not be a whole Annotated: pass its .X"),
    ({}, X[:1], Y[:1], ValueError, "minimum of 2 is required"),
    ({}, X[:0], Y[:0], ValueError, "0 sample"),
    ({"classes": [0]}, X, Y, ValueError, "classes must be at least 2 different labels"),
    ({"classes": [5, 6]}, X, Y, ValueError, "among classes=\\[.*5.*6.*\\]"),
    # the split
    ({"cv": 2}, X, HALF, ValueError, "cv must be None when y has unlabeled rows"),
    ({"cv": 0}, X, Y, ValueError, "cv must be at least 1 when it is an int, got 0"),
    ({"cv": []}, X, Y, ValueError, "cv must give at least one split"),
    ({"cv": [([], [0])]}, X, Y, ValueError, "do not overlap, got 0 and 1 rows"),
    ({"cv": [([0, 1], [1, 2])]}, X, Y, ValueError, "2 rows, 1 of them in both"),
    ({"cv": [([0, 20], [1, 2])]}, X, Y, ValueError, "cv must give row indices"),
    ({"cv": [([0.5, 2], [1])]}, X, Y, ValueError, "cv must give row indices"),
    ({"cv": [([0, 0], [1])]}, X, Y, ValueError, "each occurs once"),
    ({"cv": "loo"}, X, Y, ValueError, "Expected .?cv"),
    ({"cv": LeaveOneGroupOut()}, X, Y, ValueError, "'groups' parameter"),
    # the sweep
    ({"param_grid": range(2, 4)}, X, Y, ValueError, "Pass numbers .* as n_clusters=.$"),
    ({"n_clusters": 21}, X, Y, ValueError, "number of rows \\(20\\), got 21"),
    ({"estimator": DBSCAN(), "n_clusters": 3}, X, Y, ValueError, "dbscan.* param_grid"),
    ({"estimator": Untouched(21)}, X, Y, ValueError, "of a clusterer .* got 21"),
    ({"estimator": Untouched(0)}, X, Y, ValueError, "of a clusterer .* got 0"),
    ({"n_init": {"x": 2}}, X, Y, ValueError, "n_init has entries for .*x.* not among"),
    ({"n_clusters": [3, 3]}, X, Y, ValueError, "different numbers, got \\[3, 3\\]"),
    ({"n_clusters": {"x": 2}}, X, Y, ValueError, "has entries for .*x.* not among"),
    (
        {"n_clusters": [1, 2], "language": "cluster"},
        X, Y, ValueError, "n_clusters must be at least 2 .* got 1",
    ),
    (
        {"n_clusters": 1, "language": "algo"},
        X, Y, ValueError, "n_clusters must be at least 2 .* got 1",
    ),
    ({"n_init": 0}, X, Y, ValueError, "n_init must be an integer of at least 1, got 0"),
    ({"n_init": 2.0}, X, Y, ValueError, "n_init must be an integer .* got 2.0"),
    ({"param_grid": {"n_clusters": [2]}}, X, Y, ValueError, "Use n_clusters= instead"),
    ({"param_grid": {"random_state": [2]}}, X, Y, ValueError, "Use n_init= instead"),
    ({"param_grid": {"eps": [2]}}, X, Y, ValueError, "'eps': 2.*, which 'untouched'"),
    ({"param_grid": {"eps": []}}, X, Y, ValueError, "eps"),
    ({"estimator": PAIR, "param_grid": {"c__eps": [2]}}, X, Y, ValueError, "c__eps"),
    ({"estimator": PAIR, "param_grid": {"x": [2]}}, X, Y, ValueError, "name__parameter"),
    ({"estimator": PAIR, "param_grid": {"a": [2]}}, X, Y, ValueError, "name__parameter"),
    ({"estimator": None}, X, Y, TypeError, "must have fit_predict"),
    ({"estimator": [("a", None)]}, X, Y, TypeError, "'a' is None"),
    ({"estimator": []}, X, Y, ValueError, "estimator must be a clusterer or a non-empty"),
    ({"estimator": [Untouched()]}, X, Y, ValueError, "estimator must be a clusterer or"),
    ({"estimator": [PAIR[0]] * 2}, X, Y, ValueError, "Names provided are not unique"),
    ({"estimator": [("a__b", Untouched())]}, X, Y, ValueError, "must not contain __"),
    ({"estimator": [("delta", Untouched())]}, X, Y, ValueError, "conflict with"),
    ({"estimator": Ridge()}, X, Y, TypeError, "must have fit_predict"),
    ({"estimator": KMeans}, X, Y, TypeError, "got the class KMeans; pass KMeans\\(\\)"),
    ({"estimator": [("a", KMeans)]}, X, Y, TypeError, "the class KMeans; pass KMeans"),
    # the guarantee
    ({"language": "every"}, X, Y, ValueError, "language must be one of .* got 'every'"),
    (
        {"n_clusters": [2, 3], "language": "init"},
        X, Y, ValueError, "'init' does not describe .* 2 values of 'n_clusters'",
    ),
    (
        {"estimator": PAIR, "language": "cluster"},
        X, Y, ValueError, "'cluster' does not describe a choice among 2 .* 'algorithm'",
    ),
    (
        {"n_clusters": [2, 3], "language": Prior(n_clusters={2: 0.9, 3: 0.9})},
        X, Y, ValueError, "2 candidates sum to 1.8; by Kraft's inequality",
    ),
    # the rest
    ({"scoring": 3}, X, Y, ValueError, "scoring must be a scorer name"),
    ({"scoring": "accurate"}, X, Y, ValueError, "accurate"),
    # numbers of NumPy are shown as plain ones
    ({"n_clusters": np.arange(2)}, X, Y, ValueError, "got 0\\."),
    ({"n_clusters": list(np.ones(2, int))}, X, Y, ValueError, "got \\[1, 1\\]\\."),
    ({"n_init": np.int64(0)}, X, Y, ValueError, "got 0\\."),
    ({"cv": np.int64(0)}, X, Y, ValueError, "got 0\\."),
    ({"delta": np.float64(2)}, X, Y, ValueError, "got 2.0\\."),
    ({"param_grid": {"eps": np.arange(2)}}, X, Y, ValueError, "\\{'eps': 0\\}"),
    ({"random_state": "x"}, X, Y, ValueError, "random_state must be None, .* got 'x'"),
]  # fmt: skip


@pytest.mark.parametrize(("kwargs", "X", "y", "error", "message"), CASES)
def test_bad_input(kwargs, X, y, error, message):
    with pytest.raises(error, match=message):
        PACMDLSearchCV(**{"estimator": Untouched()} | kwargs).fit(X, y)


@pytest.mark.parametrize("given", [{"n_jobs": np.int64(1)}, {"verbose": False}])
@pytest.mark.parametrize("pre_dispatch", ["all", "n_jobs", "1.5 * (n_jobs + 1)", 3])
def test_what_joblib_takes(given, pre_dispatch):
    search = PACMDLSearchCV(KMeans(2), pre_dispatch=pre_dispatch, random_state=0, **given)
    assert search.fit(X, Y).best_bound_ <= 1


def test_tasks_that_joblib_does_not_dispatch():
    """With one process it dispatches all, and with several it says nothing."""
    search = PACMDLSearchCV(KMeans(2), pre_dispatch="0*n_jobs", n_jobs=2, random_state=0)
    with pytest.raises(
        ValueError, match="pre_dispatch must be at least one task, got '0"
    ):
        search.fit(X, Y)


def test_memory_must_be_a_folder_that_can_be_written_to(tmp_path):
    (tmp_path / "file").touch()
    search = PACMDLSearchCV(Untouched(), random_state=0)
    with pytest.raises(ValueError, match="memory must be a folder .* got '.*file/x'"):
        search.set_params(memory=str(tmp_path / "file" / "x")).fit(X, Y)
    gone = joblib.Memory(tmp_path / "gone", verbose=0)
    shutil.rmtree(tmp_path / "gone")
    with pytest.raises(ValueError, match="memory must be a folder .* got Memory"):
        search.set_params(memory=gone).fit(X, Y)
    with pytest.raises(ValueError, match="'memory' should be .* Got memory='5'"):
        search.set_params(memory=5).fit(X, Y)


def test_bad_input_leaves_a_finished_search_alone():
    search = PACMDLSearchCV(KMeans(), n_clusters=[2, 3], random_state=0).fit(X, Y)
    certificate = search.certificate_
    search.set_params(delta=2)
    with pytest.raises(ValueError, match="delta"):
        search.fit(X, Y)
    assert search.certificate_ is certificate


def test_gaps_are_left_to_clusterers_that_take_them():
    gaps = X.copy()
    gaps[0, 0] = np.nan
    PACMDLSearchCV(HDBSCAN(copy=True), random_state=0).fit(gaps, Y)
    with pytest.raises(ValueError, match="Input X contains NaN"):
        PACMDLSearchCV([("h", HDBSCAN(copy=True)), ("d", DBSCAN())]).fit(gaps, Y)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_columns_of_text_are_named(frame):
    columns = {"a": X[:, 0], "label": ["x", "y"] * 10, "b": X[:, 1]}
    message = r"X must hold numbers, got text in the columns \['label'\]"
    with pytest.raises(ValueError, match=message):
        PACMDLSearchCV(Untouched()).fit(frame(columns), Y)


@pytest.mark.parametrize(
    "clusterer", [Untouched(), make_pipeline(StandardScaler(), Untouched())]
)
def test_frames_of_which_no_rows_can_be_taken(clusterer):
    column = pa.StructArray.from_arrays([X[:, 0], X[:, 1]], names=["a", "b"])
    with pytest.raises(TypeError, match="X must be an array, .* got StructArray"):
        PACMDLSearchCV(clusterer).fit(column, Y)


def test_sparse_is_refused_where_no_clusterer_takes_it():
    with pytest.raises(TypeError, match="Sparse data was passed"):
        PACMDLSearchCV(AgglomerativeClustering(), n_clusters=2).fit(sp.csr_array(X), Y)


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
    own = type(step).__name__
    name = (
        own if own in ("LinearDiscriminantAnalysis", "SelectFromModel") else "SelectKBest"
    )
    message = f"no step that is fitted to labels, .* got \\['{name}'\\] in 'pipeline'"
    with pytest.raises(ValueError, match=message):
        PACMDLSearchCV(make_pipeline(step, Untouched())).fit(X, Y)
    # A grid may bring the step in.
    swapped = PACMDLSearchCV(
        make_pipeline(StandardScaler(), Untouched()),
        param_grid={"standardscaler": [PCA(1), step]},
    )
    with pytest.raises(ValueError, match=message):
        swapped.fit(X, Y)


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


class Light(Language):
    """A language whose label weights are no fractions."""

    def candidate_weights(self, candidates):
        return [{} for _ in candidates]

    def label_weight(self, cluster_sizes, cluster_classes, n_classes):
        return 0.5


class Strange(Light):
    def candidate_weights(self, candidates):
        return [{"label": 1} for _ in candidates]


class Floats(Light):
    def candidate_weights(self, candidates):
        return [{"init": 0.25} for _ in candidates]


class Heavy(Light):
    def candidate_weights(self, candidates):
        return [{"init": Fraction(2), "grid": Fraction(1, 8)} for _ in candidates]


class Wordy(Light):
    def candidate_weights(self, candidates):
        return "x" * len(candidates)


class Short(Light):
    def candidate_weights(self, candidates):
        return []


@pytest.mark.parametrize(
    ("language", "message"),
    [
        (
            Light(),
            "label_weight of a language must return a Fraction in \\(0, 1\\], got 0.5",
        ),
        (Short(), "one dict per candidate \\(1\\), got 0"),
        (Floats(), "'init' must be a Fraction in \\(0, 1\\], got 0.25"),
        (Heavy(), "'init' must be a Fraction in \\(0, 1\\], got Fraction\\(2, 1"),
        (Wordy(), "candidate_weights returns must be a dict, got 'x'"),
        (Strange(), "term of candidate_weights must be .* none of .* got 'label'"),
    ],
)
def test_languages_that_break_the_protocol(language, message):
    search = PACMDLSearchCV(KMeans(2), certify="pac-mdl", language=language)
    with pytest.raises(ValueError, match=message):
        search.fit(X, Y)


def test_a_grid_is_the_second_argument_as_of_scikit_learns_searches():
    pipeline = make_pipeline(StandardScaler(), KMeans(n_init=1))
    grid = {"kmeans__max_iter": [5, 9]}
    assert PACMDLSearchCV(pipeline, grid).param_grid == grid
    message = "'kmeans__n_clusters' of 'pipeline', .* itself. Use n_clusters= instead"
    with pytest.raises(ValueError, match=message):
        PACMDLSearchCV(pipeline, {"kmeans__n_clusters": [2, 3]}).fit(X, HALF)


def test_an_annotated_matrix_is_taken_in_parts():
    with pytest.raises(
        TypeError, match=r"labelings must not be a whole .*: pass its \.obs"
    ):
        certify_labelings(Annotated(), HALF)
    with pytest.raises(TypeError, match="pass the columns of clusters of its .obs"):
        PACMDLSearchCV(PrecomputedLabels()).fit(Annotated(), HALF)


def test_columns_of_labelings_are_turned():
    columns = np.c_[Y, Y, 1 - Y]
    for table in (columns, columns.tolist()):
        with pytest.raises(ValueError, match="Pass labelings.T, with a row for each"):
            certify_labelings(table, HALF)


def test_labels_of_an_image_are_raveled():
    image, y = Y.reshape(4, 5), HALF.reshape(4, 5)
    audit = draw_audit(20, 5, random_state=0)
    hints = {
        r"y.ravel\(\)": lambda: certify_labelings({"segments": Y}, y),
        r"each pixel is a row, pass labels.ravel\(\)": lambda: certify_labelings(
            [image], HALF
        ),
        r"\blabels.ravel\(\)": lambda: certify_labels(image, audit, Y[audit.rows]),
        r"an image, labels.ravel\(\)": lambda: PACMDLSearchCV(PrecomputedLabels()).fit(
            {"segments": image}, HALF
        ),
    }
    for hint, call in hints.items():
        with pytest.raises(ValueError, match=hint):
            call()
    with pytest.raises(ValueError, match="shape") as caught:  # too few pixels
        certify_labelings([image[:3]], HALF)
    assert "ravel" not in str(caught.value)


def test_a_missing_certificate_has_no_period_before_what_python_adds():
    search = PACMDLSearchCV(KMeans(n_init=1), n_clusters=2, target=1e-6)
    with pytest.warns(UserWarning, match="no "):
        search.fit(X, HALF)
    with pytest.raises(AttributeError, match="no labeling reached the target$"):
        _ = search.certificate_
