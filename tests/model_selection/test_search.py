import pickle
from collections import Counter
from contextlib import nullcontext
from copy import copy, deepcopy

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
import sklearn
from conftest import bits_of, hide, verified
from numpy.testing import assert_array_equal
from searches import TWO, Counting, search_of
from sklearn import cluster as skc
from sklearn.base import clone
from sklearn.metrics import (
    accuracy_score,
    adjusted_rand_score,
    make_scorer,
    silhouette_score,
    v_measure_score,
)
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import (
    KFold,
    RepeatedKFold,
    ShuffleSplit,
    StratifiedShuffleSplit,
)
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags

from sklearn_pacmdl import PACMDLSearchCV, pac_mdl_bound
from sklearn_pacmdl.cluster import KLKMeans
from sklearn_pacmdl.labeling import classifier_of
from sklearn_pacmdl.metrics import make_labeling_scorer

CLUSTERERS = {
    "KMeans": skc.KMeans(),
    "MiniBatchKMeans": skc.MiniBatchKMeans(),
    "BisectingKMeans": skc.BisectingKMeans(),
    "AgglomerativeClustering": skc.AgglomerativeClustering(),
    "Birch": skc.Birch(threshold=0.3),
    "SpectralClustering": skc.SpectralClustering(gamma=0.5),
    "DBSCAN": skc.DBSCAN(eps=0.8),
    "HDBSCAN": skc.HDBSCAN(copy=True),
    "OPTICS": skc.OPTICS(cluster_method="dbscan", eps=0.8),
    "MeanShift": skc.MeanShift(bandwidth=2.0),
    "AffinityPropagation": skc.AffinityPropagation(damping=0.9),
    "GaussianMixture": GaussianMixture(),
}


@pytest.mark.parametrize("name", CLUSTERERS)
def test_every_clusterer_of_scikit_learn(name, blobs):
    X, y = blobs
    seen = hide(y)
    clusterer = CLUSTERERS[name]
    takes_number = {"n_clusters", "n_components"} & clusterer.get_params().keys()
    n_clusters = [3, 4, 5] if takes_number else None
    search = search_of(clusterer, n_clusters=n_clusters, n_init=2).fit(X, seen)
    unlabeled = seen == -1
    assert np.mean(search.transduction_[unlabeled] != y[unlabeled]) <= search.best_bound_
    assert verified(search, seen)
    assert search.best_bound_ < 0.5
    assert_array_equal(
        search.transduction_, search.classifier_.transduction_, strict=True
    )
    random = "random_state" in search.best_estimator_.get_params()
    expected = (3 if takes_number else 1) * (2 if random else 1)
    assert len(search.cv_results_["init"]) == expected
    if hasattr(search, "predict"):
        assert_array_equal(search.predict(X), search.transduction_)
        assert search.score(X, y) > 0.9


def test_fully_labeled_certifies_each_split(iris):
    X, y = iris
    search = search_of(TWO, n_clusters=range(2, 9), n_init=3, cv=4).fit(X, y)
    assert search.n_splits_ == len(search.certificates_) == 4
    assert not hasattr(search, "certificate_")
    assert not hasattr(search, "best_bound_")
    results, best = search.cv_results_, search.best_index_
    for split, (train, test) in enumerate(search.splits_):
        certificate = search.certificates_[split]
        labels = search.split_transductions_[split]
        assert sorted([*train, *test]) == list(range(150))
        seen = np.where(np.isin(np.arange(150), train), y, -1)
        certifying = search.divisions_[split][1]
        assert certificate.verify(seen, labels, certifying=certifying)
        assert certificate.bound == results[f"split{split}_test_bound"][best]
        error = np.mean(labels[test] != y[test])
        assert results[f"split{split}_test_error"][best] == error
        assert "known beforehand" not in certificate.statement
    means = np.mean([c.bound for c in search.certificates_])
    assert search.best_mean_bound_ == pytest.approx(means)
    known = {"classes": search.classes_, "random_state": 0}
    from_all = classifier_of(None, X, search.labels_, y, **known)
    assert_array_equal(search.transduction_, from_all.transduction_)
    # What is about a split is not about all labels, or about the labeling by these.
    problems = certificate.verify(y, search.transduction_).problems
    assert "split_transductions_ rather than transduction_" in " ".join(problems)
    known = {"row_order": search.row_order_, "certifying": certifying}
    assert certificate.verify(seen, labels, **known)


def test_cv_results_are_consistent(iris):
    grid = {"dbscan__eps": [0.3, 0.5], "kmeans__init": ["random", "k-means++"]}
    swept = {"n_clusters": range(2, 6), "n_init": 3, "param_grid": grid, "cv": 2}
    algorithms = [*TWO, ("dbscan", skc.DBSCAN())]
    search = search_of(algorithms, **swept, certify="pac-mdl", language="algo").fit(*iris)
    table = pd.DataFrame(search.cv_results_)
    sizes = table.groupby("algorithm").size().to_dict()
    assert sizes == {"kmeans": 4 * 3 * 2, "ward": 4, "dbscan": 2}
    # Equal clusterings have the sum of their weights as one term.
    terms = ["label", "init", "n_clusters", "algorithm", "grid", "candidate"]
    bits = sum(bits_of(table, term) for term in terms)
    np.testing.assert_allclose(bits, table["description_length"])
    label = table["n_clusters_found"] * np.log2(3)
    np.testing.assert_allclose(bits_of(table, "label"), label)
    dbscan = table[table["algorithm"] == "dbscan"]
    assert dbscan["n_clusters"].isna().all()
    assert set(bits_of(dbscan, "grid")) <= {0, 1}
    assert (bits_of(dbscan, "n_clusters") == 0).all()
    assert list(dbscan["param_dbscan__eps"]) == [0.3, 0.5]
    for split in range(2):
        m, n = (len(rows) for rows in search.splits_[split])
        errors = table[f"split{split}_n_certifying_errors"].astype(int)
        length = table["description_length"]
        bound = pac_mdl_bound(m, n, errors, description_length=length) / n
        assert_array_equal(table[f"split{split}_test_bound"], bound)
    assert 0.5 < search.constant_error_ < 0.75
    means = (table["split0_test_bound"] + table["split1_test_bound"]) / 2
    np.testing.assert_allclose(table["mean_test_bound"], means)
    assert table["rank_test_bound"].min() == 1
    assert table["rank_test_bound"][search.best_index_] == 1
    assert search.best_params_ == table["params"][search.best_index_]


def test_bounds_under_the_paper_languages(iris):
    """The four columns, from the paper's formulas."""
    X, y = iris
    search = search_of(
        TWO, n_clusters=range(2, 6), n_init=5, certify="pac-mdl", language="algo"
    ).fit(X, y)
    table = pd.DataFrame(search.cv_results_)
    assert "known beforehand" not in search.certificate_.statement
    label = table["n_clusters_found"] * np.log2(3)
    start = np.where(table["algorithm"] == "kmeans", np.log2(5), 0)
    c = table["n_clusters"].astype(float)
    lengths = {"simple": label, "init": label + start}
    lengths["cluster"] = lengths["init"] + np.log2(c * (c - 1))
    lengths["algo"] = lengths["cluster"] + 1
    for name, length in lengths.items():
        errors = table["mean_n_certifying_errors"].astype(int)
        bound = pac_mdl_bound(75, 75, errors, description_length=length) / 75
        assert_array_equal(table[f"mean_{name}_bound"], bound)
    alone = bits_of(table, "candidate") == 0  # no other start comes to its clustering
    of_alone = table[alone]
    assert alone.any()
    assert_array_equal(of_alone["mean_test_bound"], of_alone["mean_algo_bound"])
    assert (table["mean_test_bound"] <= table["mean_algo_bound"]).all()
    # The best has the smallest bound, and of these the shortest description.
    ties = table["mean_test_bound"] == table["mean_test_bound"].min()
    assert ties.sum() > 1
    assert search.best_index_ == table["description_length"][ties].idxmin()


def test_results_do_not_depend_on_n_jobs(iris):
    X, y = iris
    kwargs = {"n_clusters": [2, 3], "n_init": 2, "cv": 2}
    estimators = [*TWO, ("mixture", GaussianMixture())]
    one = search_of(estimators, **kwargs).fit(X, y)
    many = search_of(estimators, n_jobs=2, **kwargs).fit(X, y)
    assert one.cv_results_.keys() == many.cv_results_.keys()
    for name, column in one.cv_results_.items():
        if name != "fit_time":
            assert_array_equal(column, many.cv_results_[name], err_msg=name, strict=True)
    assert_array_equal(one.transduction_, many.transduction_)
    assert one.certificates_ == many.certificates_


def test_more_starts_repeat_the_earlier_ones_and_params_the_estimator(blobs):
    X, y = blobs
    few, more = (
        search_of(skc.KMeans(), n_clusters=3, n_init=r).fit(X, y) for r in (2, 5)
    )
    for name in ("params", "mean_n_certifying_errors"):
        assert_array_equal(few.cv_results_[name], more.cv_results_[name][:2])
    again = clone(more.estimator).set_params(**more.best_params_)
    labels = again.fit_predict(X[more.row_order_])
    assert_array_equal(labels, more.labels_[more.row_order_])


def test_each_clustering_is_computed_once(tmp_path, iris):
    path = tmp_path / "fits"
    swept = {"n_clusters": range(2, 6), "n_init": 3, "cv": 7}
    search = search_of(Counting(path), **swept, refit=False).fit(*iris)
    assert path.read_text() == "x" * 4 * 3
    assert search.n_splits_ == len(search.certificates_) == 7


def test_memory_resumes_a_sweep(tmp_path, iris):
    """A longer sweep, other labels: only what is new is computed."""
    X, y = iris
    path = tmp_path / "fits"
    search = search_of(Counting(path), memory=str(tmp_path / "cache"), refit=False)
    bounds = []
    for numbers, labels, fits in (
        ([2, 3], y, "xx"),
        ([2, 3], y, "xx"),
        ([2, 3, 4], hide(y), "xxx"),
    ):
        search.set_params(n_clusters=numbers).fit(X, labels)
        bounds.append(search.cv_results_["mean_test_bound"])
        assert path.read_text() == fits
    assert_array_equal(*bounds[:2])
    with pytest.warns(UserWarning, match="memory has no effect with random_state=None"):
        search.set_params(random_state=None).fit(X, y)


def test_scores_are_recorded_beside_the_bound(iris):
    X, y = iris
    seen = hide(y)

    def silhouette(estimator, X, y):
        assert -1 in y, "a callable sees which rows are unlabeled"
        return silhouette_score(X, estimator.labels_)

    scoring = {"ari": "adjusted_rand_score", "v": make_scorer(v_measure_score)}
    scoring["silhouette"] = silhouette
    search = search_of(TWO, n_clusters=[2, 3], scoring=scoring).fit(X, seen)
    known, labels = seen != -1, search.labels_
    for name, expected in {
        "ari": adjusted_rand_score(y[known], labels[known]),
        "v": v_measure_score(y[known], labels[known]),
        "silhouette": silhouette_score(X, labels),
    }.items():
        found = search.cv_results_[f"score_{name}"][search.best_index_]
        assert found == pytest.approx(expected)


@pytest.mark.parametrize("certify", ["learned", "holdout", "pac-mdl"])
@pytest.mark.parametrize("noise", ["cluster", "abstain"])
def test_metrics_of_classes_are_told_no_numbers_of_clusters(certify, noise, iris):
    X, y = iris
    seen = np.array([*"abc", None], dtype=object)[hide(y, seed=2)]
    density, scoring = skc.DBSCAN(eps=0.5), {"right": "accuracy", "f": "f1_macro"}
    scoring["cost"] = make_labeling_scorer(
        lambda y_true, y_pred: np.mean(y_true != y_pred), kind="classes"
    )
    search = search_of(density, certify=certify, noise=noise, scoring=scoring)
    search.fit(X, seen)
    select, certifying = search.divisions_[0]
    if noise == "abstain":
        certifying = certifying[search.labels_[certifying] >= 0]
    right = []
    for row in certifying:
        namers = select if len(select) else np.setdiff1d(search.divisions_[0][1], row)
        named = Counter(seen[namers[search.labels_[namers] == search.labels_[row]]])
        (best, n), *others = [*named.most_common(), (None, 0)]
        assert not others or n > others[0][1], "the case has no ties"
        right.append(best == seen[row])
    assert search.cv_results_["score_right"][0] == np.mean(right)
    assert search.cv_results_["score_cost"][0] == pytest.approx(1 - np.mean(right))


def test_metrics_of_classes_of_several_splits_and_of_classifiers(iris):
    X, y = iris
    models = [("nearest", NearestCentroid()), ("kmeans", skc.KMeans(3, n_init=1))]
    search = search_of(models, n_clusters=None, cv=3, scoring="accuracy").fit(X, y)
    assert np.all(search.cv_results_["score"] > 0.8)
    with sklearn.config_context(enable_metadata_routing=True):
        by_weight = make_scorer(accuracy_score).set_score_request(sample_weight=True)
        kmeans = skc.KMeans(3).set_fit_request(sample_weight=False)
        search = search_of(kmeans, n_clusters=[3], scoring=by_weight)
        search.fit(X, hide(y), sample_weight=np.arange(150.0))
    search.set_params(scoring=["accuracy", "roc_auc_ovr"])
    with pytest.raises(ValueError, match="scoring must hold scorers of predict"):
        search.fit(X, hide(y))


class MyShuffleSplit(ShuffleSplit):
    pass


UNIFORM = [
    3,
    ShuffleSplit(3, test_size=0.3),
    KFold(3, shuffle=True),
    RepeatedKFold(n_splits=3, n_repeats=1),
]


@pytest.mark.parametrize("cv", UNIFORM)
def test_uniform_splits_are_certified(cv, iris):
    search = search_of(skc.KMeans(), n_clusters=3, cv=cv).fit(*iris)
    assert len(search.certificates_) == 3


OTHERS = [
    StratifiedShuffleSplit(1, random_state=0),
    KFold(3),
    MyShuffleSplit(1),
    [(np.arange(100), np.arange(100, 150))],
    [(np.arange(150) < 75, np.arange(150) >= 75)],
]


@pytest.mark.parametrize("cv", OTHERS)
def test_other_splits_are_scores(cv, iris):
    with pytest.warns(UserWarning, match="scores, not guarantees"):
        search = search_of(skc.KMeans(), n_clusters=3, cv=cv).fit(*iris)
    assert search.certificates_ == []
    assert not hasattr(search, "certificate_")
    assert 0 < search.best_mean_bound_ <= 1


def test_parameters_of_members(iris):
    search = search_of(TWO, n_clusters=[3, 4])
    assert search.get_params()["kmeans__n_clusters"] == 8
    linked = skc.AgglomerativeClustering(linkage="average")
    search.set_params(kmeans__max_iter=17, ward=linked)
    again = clone(search)
    for (name, kmeans), (_, ward) in (search.estimator, again.estimator):
        assert (name, kmeans.max_iter, ward.linkage) == ("kmeans", 17, "average")
    assert again.estimator[0][1] is not search.estimator[0][1]
    single = search_of(skc.KMeans()).set_params(estimator__max_iter=5)
    assert clone(single).estimator.max_iter == 5
    search.fit(*iris)
    assert search.estimator[0][1].max_iter == 17
    assert not hasattr(search.estimator[0][1], "labels_")


def test_few_labels_are_told_what_would_help(iris):
    X, y = iris
    few, many = hide(y, 0.9), hide(y, 0.5)
    search = search_of(skc.KMeans(), n_clusters=[3, 5]).fit(X, few)
    told = "# 15 labels are few for 3 classes. labels_needed("
    assert repr(search).splitlines()[1].startswith(told)
    assert "a classifier in the list may help" in repr(search)
    assert "chosen after a look needs new labels alone" in repr(search)
    needed = search.labels_needed(search.best_bound_ / 2)
    assert f"About {needed} may halve the bound" in search.report().html
    assert "are few" not in repr(search.fit(X, many))
    both = [("k", skc.KMeans()), ("nearest", NearestCentroid())]
    assert "a classifier in" not in repr(search_of(both, n_clusters=[3]).fit(X, few))


def test_clusterers_in_the_grid(blobs):
    """Seeds, starts and numbers of clusters are those of each point of the grid."""
    pipeline = Pipeline([("c", skc.AgglomerativeClustering())])
    grid = {"c": [skc.KMeans(), skc.DBSCAN(eps=0.8), GaussianMixture()]}
    search = search_of(pipeline, n_clusters=[3, 4], n_init=2, param_grid=grid)
    one, other = (clone(search).fit(*blobs).cv_results_ for _ in range(2))
    assert len(one["init"]) == 2 * 2 + 1 + 2 * 2
    assert_array_equal(one["mean_test_bound"], other["mean_test_bound"])


@pytest.mark.filterwarnings("ignore:X .* feature names")
@pytest.mark.parametrize(
    "clusterer", [skc.KMeans(3), make_pipeline(StandardScaler(), skc.KMeans(3))]
)
def test_predict_on_rows_in_another_container(clusterer, iris):
    X, y = (each[::3] for each in iris)
    columns = {f"column_{j}": X[:, j] for j in range(4)}
    kinds = [
        X,
        X.astype(np.float32),
        X.tolist(),
        pd.DataFrame(columns),
        pd.DataFrame(columns, dtype=np.float32),
        (10 * X).astype(int),
        pl.DataFrame(columns),
        pl.DataFrame(columns).cast(pl.Float32),
        pa.table(columns),
    ]
    for fitted_on in kinds:
        search = search_of(clusterer, n_clusters=[3]).fit(fitted_on, pd.Series(y))
        assert_array_equal(search.predict(fitted_on), search.transduction_)
        for new in kinds:
            assert search.predict(new).shape == (50,)
        if hasattr(fitted_on, "columns"):
            assert_array_equal(search.best_estimator_.feature_names_in_, [*columns])


@pytest.mark.parametrize(
    "kind", [sp.csr_matrix, sp.csr_array, sp.csc_array, sp.coo_matrix]
)
def test_sparse_rows(kind, iris):
    X, y = iris
    search = search_of(skc.KMeans(), n_clusters=3).fit(kind(X), y)
    assert adjusted_rand_score(search.labels_, skc.KMeans(3).fit_predict(X)) > 0.9
    assert_array_equal(search.predict(kind(X)), search.transduction_)


class Duck:
    """Not an estimator of scikit-learn, but clonable, with fit_predict."""

    def get_params(self, deep=True):
        return {}

    def set_params(self, **params):
        return self

    def fit_predict(self, X):
        return (X[:, 2] > 3).astype(int)


def test_any_object_with_fit_predict(iris):
    search = search_of(Duck()).fit(*iris)
    assert search.certificate_.verify()


@pytest.mark.parametrize("estimator", [None, [], [skc.KMeans()], "kmeans", TWO])
def test_html_repr(estimator):
    html = PACMDLSearchCV(estimator)._repr_html_()
    assert "PACMDLSearchCV" in html
    assert "AgglomerativeClustering" in html or estimator is not TWO


def test_split_that_leaves_rows_out(iris):
    """A certificate is about the rows of its split."""
    X, y = iris
    cv = ShuffleSplit(1, train_size=30, test_size=50, random_state=0)
    search = search_of(skc.KMeans(3), cv=cv).fit(X, y)
    train, test = search.splits_[0]
    rows = np.sort(np.r_[train, test])
    seen = np.where(np.isin(rows, train), y[rows], -1)
    certifying = np.isin(rows, search.divisions_[0][1])
    labels = search.split_transductions_[0][rows]
    assert search.certificate_.verify(seen, labels, certifying=certifying)


def test_tags_are_those_of_the_clusterers():
    both = [("shares", KLKMeans()), ("gaps", skc.HDBSCAN(copy=True))]
    assert get_tags(search_of(both)).input_tags.positive_only
    assert not get_tags(search_of(both)).input_tags.allow_nan
    assert get_tags(search_of(both[1:])).input_tags.allow_nan
    assert not get_tags(search_of(both[1:])).input_tags.positive_only
    assert get_tags(PACMDLSearchCV(both, target=0.05)).target_tags.required
    assert get_tags(PACMDLSearchCV(None)).input_tags.two_d_array


def test_copies_of_a_search_have_what_it_has(iris):
    search = search_of(skc.KMeans(3), cv=2)
    for fitted in (search, search.fit(*iris)):
        for again in (copy(fitted), deepcopy(fitted), pickle.loads(pickle.dumps(fitted))):
            assert vars(again).keys() == vars(fitted).keys()
            assert not hasattr(again, "certificate_")
        assert not hasattr(clone(fitted), "splits_")


@pytest.mark.filterwarnings("error:The chosen n_clusters=")
@pytest.mark.parametrize(
    ("n_groups", "numbers", "edge"),
    [
        (6, range(2, 7), "n_clusters=6 is the largest number tried for 'ward', so more"),
        (6, [6, 7, 8, 9, 12], "n_clusters=6 is the smallest number tried for 'ward'"),
        (6, range(2, 9), None),
        (6, [6, 7, 8, 9], None),
        (6, [6], None),
        (2, range(2, 9), None),
    ],
)
@pytest.mark.parametrize("certify", ["pac-mdl", "holdout"])
def test_a_choice_at_the_edge_of_a_range_is_told_once(certify, n_groups, numbers, edge):
    rng = np.random.RandomState(0)
    y = np.arange(240) % n_groups
    X = 9.0 * np.eye(n_groups)[y] + rng.normal(size=(240, n_groups))
    ward = [("ward", skc.AgglomerativeClustering())]
    search = search_of(ward, n_clusters=numbers, certify=certify)
    expected = pytest.warns(UserWarning, match=edge) if edge else nullcontext([None])
    with expected as caught:
        search.fit(X, hide(y))
    assert len(caught) == 1
    assert search.best_params_["ward__n_clusters"] == n_groups
    if edge:
        assert caught[0].filename == __file__
        assert str(caught[0].message).endswith("or an audit of the unlabeled rows.")
