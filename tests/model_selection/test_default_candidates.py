"""The list of candidates for those who have none."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from conftest import verified
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris

from sklearn_pacmdl import PACMDLSearchCV
from sklearn_pacmdl.model_selection import default_candidates

X, TRUTH = load_iris(return_X_y=True)
Y = np.where(np.random.RandomState(0).permutation(150) < 75, TRUTH, -1)
DENSE = ["ward", "logistic", "trees"]


def names_of(rows):
    return [name for name, _ in default_candidates(rows)]


@pytest.fixture(scope="module")
def search():
    return PACMDLSearchCV(n_clusters=[2, 3], random_state=0).fit(X, Y)


def test_members_depend_on_type_shape_and_sign():
    assert names_of(X) == names_of(X.tolist()) == names_of(pd.DataFrame(X)) == DENSE
    many = np.broadcast_to(0.0, (20_001, 2))
    assert names_of(many) == ["kmeans", "logistic", "trees"]
    assert names_of(many[1:]) == DENSE
    for kind in (sparse.csr_array, sparse.csr_matrix, sparse.coo_array, sparse.lil_array):
        assert names_of(kind(X)) == ["spherical", "bayes"]
        assert names_of(kind(-X)) == ["spherical", "logistic"]
    assert names_of(sparse.csr_array((5, 3))) == ["spherical", "bayes"]


def test_seeds_and_members_are_the_callers():
    def seeds_of(rows):
        for name, estimator in default_candidates(rows, random_state=3):
            parameters = estimator.get_params().items()
            yield name, [v for k, v in parameters if k.endswith("random_state")]

    assert sum(seeds.count(3) for _, seeds in seeds_of(X)) == 1
    assert dict(seeds_of(np.broadcast_to(0.0, (20_001, 2))))["kmeans"] == [3]
    first, second = default_candidates(X), default_candidates(X)
    assert all(a is not b for (_, a), (_, b) in zip(first, second, strict=True))
    with pytest.raises(ValueError, match="random_state must be None, an integer"):
        default_candidates(X, "seed")
    with pytest.raises(TypeError, match="number of rows|samples|array"):
        default_candidates(None)


def test_a_search_without_an_estimator_is_one_over_this_list(search):
    listed = PACMDLSearchCV(default_candidates(X), n_clusters=[2, 3], random_state=0)
    listed.fit(X, Y)
    for name in ("mean_test_bound", "algorithm", "mean_selection_error"):
        assert_array_equal(search.cv_results_[name], listed.cv_results_[name])
    assert_array_equal(search.transduction_, listed.transduction_)
    assert verified(search, Y)
    assert search.certificate_.subject["candidates"] == "default candidates 1"
    assert "candidates" not in listed.certificate_.subject
    assert ", of default candidates 1: at most" in repr(search).splitlines()[0]
    assert "default candidates" not in repr(listed)


def test_no_list_is_an_ordinary_parameter(search):
    again = clone(search)
    assert again.get_params()["estimator"] is None
    assert repr(again) == "PACMDLSearchCV(n_clusters=[2, 3], random_state=0)"
    assert again._repr_html_()
    tags = again.__sklearn_tags__().input_tags
    assert tags.sparse
    assert not tags.allow_nan
    assert not tags.positive_only
    assert hasattr(again, "predict")
    again.set_params(
        n_clusters={"ward": [2]},
        param_grid={"logistic__logisticregression__C": [0.1, 10.0]},
    ).fit(X, Y)
    names = again.cv_results_["algorithm"].tolist()
    assert [names.count(name) for name in DENSE] == [1, 2, 1]


def test_the_largest_cluster_is_in_the_results(search):
    ward, largest = dict(default_candidates(X))["ward"], []
    for k in (2, 3):
        ward.set_params(agglomerativeclustering__n_clusters=k)
        largest.append(np.bincount(ward.fit_predict(X)).max() / 150)
    assert_array_equal(search.cv_results_["largest_cluster"], [*largest, *[np.nan] * 2])


@pytest.mark.filterwarnings("ignore:The chosen n_clusters")
def test_sparse_rows():
    search = PACMDLSearchCV(random_state=0).fit(sparse.csr_array(X), Y)
    assert set(search.cv_results_["algorithm"]) == {"spherical", "bayes"}


def test_where_all_labels_certify_classifiers_are_left_out_by_name():
    few = np.full(150, -1)
    few[[0, 60, 120]] = TRUTH[[0, 60, 120]]
    names = r"\['logistic', 'trees'\] of the default candidates"
    for y, method in ((Y, "pac-mdl"), (few, "auto")):
        search = PACMDLSearchCV(n_clusters=[2, 3], certify=method, random_state=0)
        with pytest.warns(UserWarning, match=f"{names} are left out"):
            search.fit(X, y)
        assert set(search.cv_results_["algorithm"]) == {"ward"}


@pytest.mark.parametrize("option", [{"noise": "abstain"}, {"target": 0.4}])
def test_other_options_leave_none_out(option, capsys):
    """Under routing, too, where members have to request metadata."""
    search = PACMDLSearchCV(n_clusters=3, random_state=0, verbose=1, **option)
    with sklearn.config_context(enable_metadata_routing=True):
        assert search.fit(X, Y).cv_results_["algorithm"].tolist() == DENSE
        with pytest.raises(ValueError, match="sample_weight.* not explicitly set as"):
            search.fit(X, Y, sample_weight=np.ones(150))
    assert f"Trying {', '.join(DENSE)} (default candidates 1)" in capsys.readouterr().out


def test_rows_that_members_do_not_take():
    gaps = X.copy()
    gaps[3, 1] = np.nan
    frame = pd.DataFrame(X).assign(
        when=pd.Timestamp("2020-01-01"), kind=pd.Categorical(["a", "b"] * 75), text="x"
    )
    search = PACMDLSearchCV(random_state=0)
    with pytest.raises(ValueError, match=r"contains NaN.*SimpleImputer"):
        search.fit(gaps, Y)
    columns = r"\['when', 'kind', 'text'\]: .*tabular_pipeline.*make_column_transformer"
    with pytest.raises(ValueError, match=f"dates or categories in the columns {columns}"):
        search.fit(frame.rename(columns=str), Y)
    with pytest.raises(ValueError, match=r"in the columns \['when'\]"):
        search.fit(frame.rename(columns=str).drop(columns=["kind", "text"]), Y)
