"""Every column of a table of clusterings is a candidate, whatever holds the table."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import verified
from numpy.testing import assert_array_equal
from scipy.sparse import csr_array
from scipy.stats import binom
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.datasets import make_blobs
from sklearn.exceptions import FitFailedWarning

from sklearn_pacmdl import PACMDLSearchCV, certify_clusterings
from sklearn_pacmdl.certification import HoldOut, Learned
from sklearn_pacmdl.cluster import PrecomputedLabels

KINDS = ["pac-mdl", "learned", "holdout"]
NAMES = ["coarse", "right", "fine"]
SETTINGS = {"classes": ["a", "b", "c", "d"], "random_state": 0}
# By default it depends on the numbers of clusters, which only the search that takes every
# column knows beforehand.
SHARES = {"learned": Learned(0.3), "holdout": HoldOut(0.5), "pac-mdl": "pac-mdl"}


def table():
    """Clusterings as text, and classes; the rows are sorted by class."""
    X, y = make_blobs(300, centers=4, random_state=3)
    X, y = X[np.argsort(y)], np.sort(y)
    found = {
        name: AgglomerativeClustering(k).fit_predict(X)
        for name, k in zip(NAMES, (2, 4, 12), strict=True)
    }
    frame = pd.DataFrame(found).map("cluster {}".format).astype(object)
    return frame, np.array(list("abcd"), dtype=object)[y]


WHOLE, CLASSES = table()
GAPPED = np.arange(300) % 25 == 0
FRAME = WHOLE.copy()
FRAME[GAPPED] = None
LABELED = np.random.RandomState(0).rand(300) < 0.5
SEEN = np.where(LABELED, CLASSES, None)


def structured(frame):
    kinds = [(name, object) for name in frame]
    return np.array([tuple(row) for row in frame.itertuples(index=False)], dtype=kinds)


def arrow(frame):
    return pa.Table.from_pandas(frame, preserve_index=False)


def chunked(frame):
    """Dictionaries that differ between chunks, and gaps in them."""
    halves = [frame.iloc[:100], frame.iloc[100:]]
    tables = [arrow(half.astype("category")) for half in halves]
    return pa.concat_tables(tables)


def shuffled_index(frame):
    order = np.random.RandomState(1).permutation(len(frame))
    return frame.set_axis(order, axis=0)


NAMED = {
    "objects": lambda frame: frame,
    "strings": lambda frame: frame.astype("string"),
    "categories": lambda frame: frame.astype("category"),
    "columns of several kinds": lambda frame: frame.assign(
        coarse=frame["coarse"].astype("category"),
        fine=frame["fine"].str.removeprefix("cluster ").astype(float).astype("Int64"),
    ),
    "a shuffled index": shuffled_index,
    "Polars": pl.from_pandas,
    "Polars categories": lambda frame: pl.from_pandas(frame).cast(pl.Categorical),
    "PyArrow table": arrow,
    "PyArrow chunks": chunked,
    "PyArrow batch": lambda frame: arrow(frame).to_batches()[0],
    "dict of lists": lambda frame: {name: frame[name].tolist() for name in frame},
    "dict of columns": lambda frame: {
        "coarse": frame["coarse"].astype("category").array,
        "right": pl.Series(frame["right"].tolist()),
        "fine": pa.array(frame["fine"].tolist()),
    },
    "structured array": structured,
    "list of Series": lambda frame: [frame[name] for name in frame],
}
UNNAMED = {
    "array": lambda frame: frame.to_numpy(),
    "text without gaps": lambda frame: frame.fillna("-").to_numpy().astype(str),
    "rows": lambda frame: frame.to_numpy().tolist(),
    "list of lists": lambda frame: [frame[name].tolist() for name in frame],
    "tuple of arrays": lambda frame: tuple(frame[name].to_numpy() for name in frame),
    "columns 0, 1, 2": lambda frame: frame.set_axis([0, 1, 2], axis=1),
    "Series without names": lambda frame: [frame[name].rename(None) for name in frame],
}
CONTAINERS = NAMED | UNNAMED


@pytest.fixture(scope="module")
def expected():
    """The search as it is told the columns, by method of certification."""
    grid = {"column": NAMES}
    return {
        kind: PACMDLSearchCV(
            PrecomputedLabels(), param_grid=grid, certify=SHARES[kind], **SETTINGS
        ).fit(FRAME, SEEN)
        for kind in KINDS
    }


@pytest.mark.parametrize("certify", KINDS)
@pytest.mark.parametrize("container", CONTAINERS)
def test_every_column_is_a_candidate(container, certify, expected):
    told, names = expected[certify], NAMES if container in NAMED else [0, 1, 2]
    search = PACMDLSearchCV(PrecomputedLabels(), certify=SHARES[certify], **SETTINGS).fit(
        CONTAINERS[container](FRAME), SEEN
    )
    assert search.best_params_ == {"column": names[told.best_index_]}
    assert search.cv_results_["param_column"].tolist() == names
    assert search.certificate_.bound == told.certificate_.bound
    assert search.certificate_.weights == told.certificate_.weights
    assert_array_equal(search.transduction_, told.transduction_)
    for column in (told.ranked_by_, "mean_train_errors", "n_clusters_found"):
        assert_array_equal(search.cv_results_[column], told.cv_results_[column])
    assert np.mean(search.transduction_ != CLASSES) < 0.06


@pytest.mark.parametrize("certify", KINDS)
@pytest.mark.parametrize("container", ["objects", "Polars categories", "list of lists"])
def test_selective(container, certify):
    settings = {"certify": certify, "target": 0.2, **SETTINGS}
    told = PACMDLSearchCV(
        PrecomputedLabels(), param_grid={"column": NAMES}, **settings
    ).fit(FRAME, SEEN)
    labeler = PACMDLSearchCV(PrecomputedLabels(), **settings)
    labeler.fit(CONTAINERS[container](FRAME), SEEN)
    assert labeler.coverage_ == told.coverage_ > 0.5
    assert labeler.best_bound_ == told.best_bound_ <= 0.2
    assert_array_equal(labeler.transduction_, told.transduction_)


@pytest.mark.parametrize("kind", ["objects", "Polars", "PyArrow table", "PyArrow chunks"])
def test_certify_clusterings_keeps_gaps_and_names(kind):
    settings = SETTINGS | {"certify": "pac-mdl"}  # it divides no rows
    search = PACMDLSearchCV(PrecomputedLabels(), **settings).fit(FRAME, SEEN)
    found = certify_clusterings(CONTAINERS[kind](FRAME), SEEN, **settings)
    assert found.best_name == "right"
    assert found.bound == search.best_bound_
    assert found.clusters["size"].iloc[0] == GAPPED.sum()


def test_a_copy_of_the_labels_is_refused():
    copied = FRAME.assign(copy=pd.Series(SEEN).where(pd.Series(SEEN) != -1).to_numpy())
    with pytest.raises(ValueError, match="column 'copy' is missing exactly in the"):
        PACMDLSearchCV(PrecomputedLabels(), **SETTINGS).fit(copied, SEEN)


def test_names_are_kept():
    search = PACMDLSearchCV(PrecomputedLabels(), **SETTINGS).fit(FRAME, SEEN)
    assert search.feature_names_in_.tolist() == NAMES
    assert search.n_features_in_ == 3
    assert search.certificate_.subject["params"] == {"column": "'right'"}
    made = "the clusterings were made and chosen without the labels"
    assert made in search.certificate_.provisos
    assert "X was made" not in search.certificate_.statement
    found, names = search.best_estimator_, search.clusters_["name"]
    assert found.feature_names_in_.tolist() == ["right"]
    assert pd.isna(names.pop(-1))
    assert found.names_ == names.to_dict() == {i: f"cluster {i}" for i in range(4)}
    own = [found.names_.get(label) for label in search.labels_.tolist()]
    assert own == FRAME["right"].tolist()
    assert verified(search, SEEN)


@pytest.mark.parametrize(
    "names", [[0.5, 1.0, 2.0], [2, 4, 12], [("a", 1), ("a", 2), "b"]]
)
def test_other_names_become_text(names):
    for X in (
        FRAME.set_axis(pd.Index(names, tupleize_cols=False), axis=1),
        dict(zip(names, FRAME.to_numpy().T, strict=True)),
    ):
        search = PACMDLSearchCV(PrecomputedLabels(), **SETTINGS).fit(X, SEEN)
        assert search.cv_results_["param_column"].tolist() == [str(n) for n in names]


def test_whole_numbers_have_no_further_names():
    numbers = pd.DataFrame({name: pd.factorize(FRAME[name])[0] for name in NAMES})
    search = PACMDLSearchCV(PrecomputedLabels(), **SETTINGS).fit(numbers, SEEN)
    assert "name" not in search.clusters_
    assert_array_equal(search.labels_, numbers["right"])


ALONE = {
    "Series": lambda column: column,
    "list": lambda column: column.tolist(),
    "array": lambda column: column.to_numpy(),
    "Categorical": lambda column: column.astype("category").array,
    "Polars": lambda column: pl.Series("right", column.tolist()),
    "PyArrow": lambda column: pa.array(column.tolist()),
    "in list": lambda column: [column],
    "dict": lambda column: {"right": column},
}


@pytest.mark.parametrize("container", ALONE)
def test_one_clustering(container):
    search = PACMDLSearchCV(PrecomputedLabels(), **SETTINGS)
    search.fit(ALONE[container](FRAME["right"]), SEEN)
    assert search.best_params_["column"] in ("right", 0)
    assert np.mean(search.transduction_ != CLASSES) < 0.06


def test_in_processes_and_from_a_cache(tmp_path):
    settings = SETTINGS | {"scoring": "adjusted_rand_score"}
    plain = PACMDLSearchCV(PrecomputedLabels(), **settings).fit(FRAME, SEEN)
    for more in ({"n_jobs": 2}, {"memory": str(tmp_path)}, {"memory": str(tmp_path)}):
        other = PACMDLSearchCV(PrecomputedLabels(), **settings, **more).fit(FRAME, SEEN)
        assert_array_equal(other.cv_results_["score"], plain.cv_results_["score"])
        assert other.best_bound_ == plain.best_bound_


def test_several_splits_of_labeled_rows():
    search = PACMDLSearchCV(PrecomputedLabels(), cv=3, random_state=0)
    search.fit(FRAME, CLASSES)
    assert search.best_params_ == {"column": "right"}
    assert len(search.certificates_) == 3


def test_names_of_clusters_are_no_features():
    """What computes with rows fails, instead of computing with numbers of clusters."""
    numbers = FRAME.apply(lambda column: pd.factorize(column)[0])
    search = PACMDLSearchCV(
        PrecomputedLabels(),
        scoring={"sum": lambda clusterer, X, y: np.sum(np.asarray(X))},
        **SETTINGS,
    )
    with pytest.warns(UserWarning, match="hold names of clusters made elsewhere"):
        search.fit(numbers, SEEN)
    # A cluster without labels is not near to another because its number is.
    lonely = numbers.assign(right=np.where(np.arange(300) == 7, 9, numbers["right"]))
    search.set_params(scoring=None, certify="pac-mdl").fit(
        lonely, np.where(np.arange(300) == 7, None, SEEN)
    )
    assert "chance" in set(search.clusters_["named_by"])


def test_other_clusterers_need_to_be_told():
    """For these, columns are features, so not every column is a clustering."""
    numbers = FRAME.apply(lambda column: pd.factorize(column)[0])
    both = [("given", PrecomputedLabels()), ("k-means", KMeans(4, n_init=1))]
    with pytest.warns(FitFailedWarning, match="which of the 3 columns of X to take"):
        PACMDLSearchCV(both, n_clusters=None, **SETTINGS).fit(numbers, SEEN)
    search = PACMDLSearchCV(both, {"given__column": [0, 1]}, n_clusters=None, **SETTINGS)
    params = search.fit(numbers, SEEN).cv_results_["params"]
    assert [p.get("given__column") for p in params] == [0, 1, None]
    told = PACMDLSearchCV([("given", PrecomputedLabels("right"))], **SETTINGS)
    assert told.fit(FRAME, SEEN).best_params_ == {}
    two = [("one", PrecomputedLabels()), ("other", PrecomputedLabels())]
    best = PACMDLSearchCV(two, **SETTINGS).fit(FRAME, SEEN).best_params_
    assert best == {"one__column": "right"}


RAGGED = {"a": FRAME["right"], "b": FRAME["right"][:7]}
BAD = {
    "no columns": (FRAME[[]], ValueError, "X must be a data frame, a mapping"),
    "an empty dict": ({}, ValueError, "X must be a data frame, a mapping"),
    "text": ("right", ValueError, "X must be a data frame, .* got 'right'"),
    "None": (None, ValueError, "X must be a data frame, .* got None"),
    "three axes": (np.zeros((300, 2, 2)), ValueError, "X must be a data frame"),
    "sparse": (csr_array(np.eye(300)), ValueError, "X must be a data frame"),
    "lazy": (pl.from_pandas(FRAME).lazy(), ValueError, "X must be a data frame"),
    "columns in columns": ({"a": FRAME}, ValueError, "X must be a data frame"),
    "rows of two lengths": ([[1]] * 299 + [[1, 2]], TypeError, "of one type that"),
    "blocks": ([np.eye(2), np.ones((2, 3))] * 150, ValueError, "X must be a data frame"),
    "numbers": ([1, 2, 3], ValueError, "X must be a data frame, .* got 1"),
    "too few rows": (FRAME[:9], ValueError, "each of the 300 rows of y, got 9 in column"),
    "a short column": (RAGGED, ValueError, "300 rows of y, got 7 in column 'b'.$"),
    "turned": (FRAME.to_numpy().T, ValueError, "got 3 in column 0. Pass X.T."),
    "names twice": (
        FRAME.set_axis(["a", "b", "a"], axis=1),
        ValueError,
        "names of the columns of X must be different as text, got .'a', 'b', 'a'.",
    ),
    "measurements and names of rows": (
        FRAME.assign(score=[0.5, None] * 150, id=np.arange(300).astype(str)),
        ValueError,
        "column 'score' holds 0.5, which .*; column 'id' has 300 different values in 300",
    ),
    "1 and '1'": ({1: FRAME["right"], "1": FRAME["fine"]}, ValueError, "as text, got"),
    "several types": (
        FRAME.assign(fine=["x", 1] * 150),
        TypeError,
        "values in column 'fine' of X must be of one type that can be sorted",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_tables(name):
    X, error, message = BAD[name]
    search = PACMDLSearchCV(PrecomputedLabels(), random_state=0)
    with pytest.raises(error, match=message):
        search.fit(X, SEEN)
    assert not hasattr(search, "n_features_in_")


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (
            {"n_clusters": 3},
            "n_clusters must be 'auto' or None for clusterers that take no",
        ),
        ({"param_grid": {"column": ["best"]}}, "column must be a column of X"),
        ({"param_grid": {}}, "which of the 3 columns of X to take"),
    ],
)
def test_bad_parameters(parameters, message):
    search = PACMDLSearchCV(PrecomputedLabels(), error_score="raise", **parameters)
    with pytest.raises(ValueError, match=message):
        search.fit(FRAME, SEEN)


def n_wrong_bounds(make, repeats):
    """In how many repeats the error rate of the labels is above the bound."""
    wrong = 0
    for seed in range(repeats):
        rng = np.random.RandomState(seed)
        y, labeled = rng.randint(2, size=40), rng.permutation(40) < 20
        seen = np.where(labeled, y, -1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the choice of rows looks odd to the test
            search = PACMDLSearchCV(
                PrecomputedLabels(), classes=[0, 1], delta=0.2, random_state=seed
            ).fit(make(rng, y, seen), seen)
        wrong += (
            np.mean(search.transduction_[~labeled] != y[~labeled]) > search.best_bound_
        )
    return wrong


def test_bounds_hold_unless_clusterings_have_seen_the_labels():
    """The control: a column made from the labels of the search, which has a bound too."""

    def blind(rng, y, seen):
        return pd.DataFrame(rng.randint(3, size=(40, 8))).add_prefix("random_")

    def has_looked(rng, y, seen):
        guess = rng.randint(2, size=40)
        return blind(rng, y, seen).assign(fitted=np.where(seen >= 0, seen, guess))

    # The control fails every time, where 28 of 60 failures are too many.
    assert n_wrong_bounds(blind, 200) <= binom.ppf(1 - 1e-6, 200, 0.2)
    assert n_wrong_bounds(has_looked, 60) > binom.ppf(1 - 1e-6, 60, 0.2)


@pytest.mark.filterwarnings("ignore:No set of clusters")
@pytest.mark.parametrize("target", [None, 0.2])
@pytest.mark.parametrize("noise", ["cluster", "abstain"])
@pytest.mark.parametrize("certify", KINDS)
def test_both_doors_divide_choose_and_break_ties_alike(certify, noise, target):
    settings = {"certify": certify, "noise": noise, "target": target}
    rng = np.random.RandomState(0)
    # Small clusters, of which many are tied.
    wide = FRAME.assign(many=rng.randint(60, size=300).astype(str))
    for seed in range(4):
        y = np.where(rng.permutation(300) < 60, CLASSES, None)
        table = certify_clusterings(wide, y, random_state=seed, **settings)
        search = PACMDLSearchCV(PrecomputedLabels(), random_state=seed, **settings)
        search.fit(wide, y)
        assert table.best_index == search.best_index_
        assert_array_equal(table.transduction, search.transduction_)
        for rows, same in zip(table.division, search.divisions_[0], strict=True):
            assert_array_equal(rows, same)
        for column in ("mean_test_bound", "ranking_value"):
            assert_array_equal(table.results[column], search.cv_results_[column])


def test_a_file_in_another_order_has_another_division():
    """As random as the first: pairs of rows are divided in each way as often."""
    order = np.random.RandomState(1).permutation(300)
    both = []
    for seed in range(40):
        _, first = certify_clusterings(FRAME, SEEN, random_state=seed).division
        moved = certify_clusterings(FRAME.iloc[order], SEEN[order], random_state=seed)
        both.append(np.isin(order[moved.division[1]], first).mean())
    assert np.mean(both) == pytest.approx(0.4, abs=0.02)  # of all labels that certify
