"""Searches test whether the labeled rows may be a uniformly random choice."""

import warnings
from functools import partial

import numpy as np
import polars as pl
import pytest
import sklearn
from conftest import hide
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.datasets import load_digits
from sklearn.model_selection import GroupShuffleSplit

from sklearn_pacmdl import PACMDLSearchCV, certify_clusterings
from sklearn_pacmdl.languages import Candidate
from sklearn_pacmdl.random_choice import (
    check_random_choice,
    clusterings_to_test,
    random_choice_test,
)

ODD = "do not look like a uniformly random choice"


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:, ::2], y


def search_of(**kwargs):
    swept = {"n_clusters": [10, 20, 40], "random_state": 0}
    return PACMDLSearchCV(KMeans(n_init=1), **swept | kwargs)


def only(rows, y):
    seen = np.full(len(y), -1)
    seen[rows] = y[rows]
    return seen


def equally_many(X, y):
    rng = np.random.default_rng(0)
    of_classes = [np.flatnonzero(y == k) for k in range(10)]
    return np.concatenate([rng.choice(own, 18, replace=False) for own in of_classes])


def easiest(X, y):
    """Rows nearest to the centers of clusters that the search does not make."""
    kmeans = KMeans(15, n_init=1, random_state=7).fit(X)
    distances = kmeans.transform(X).min(axis=1)
    of_clusters = [np.flatnonzero(kmeans.labels_ == c) for c in range(15)]
    return np.concatenate([own[np.argsort(distances[own])[:12]] for own in of_clusters])


CHOICES = [
    (lambda X, y: np.arange(180), {}, "runs|early"),
    (lambda X, y: np.arange(0, 1797, 10), {"certify": "holdout"}, "evenly|runs"),
    (lambda X, y: np.arange(0, 1797, 10), {"target": 0.05}, "evenly|runs"),
    (equally_many, {"classes": range(10)}, "exactly equally many in every class"),
    (easiest, {}, "over the clusters of 'kmeans, (10|20|40) clusters'"),
]


@pytest.mark.filterwarnings("ignore:.* clusters, with .* unlabeled rows, hold no")
@pytest.mark.filterwarnings("ignore:No set of clusters")
@pytest.mark.parametrize(("choose", "settings", "finding"), CHOICES)
def test_choices_that_are_not_random_are_told(choose, settings, finding, digits):
    X, y = digits
    with pytest.warns(UserWarning, match=f"{ODD}.*{finding}") as caught:
        search = search_of(**settings).fit(X, only(choose(X, y), y))
    told = [w.filename for w in caught if "do not look" in str(w.message)]
    assert told == [__file__]
    p_value = search.random_choice_test_.p_value
    assert p_value <= 0.001
    # It is said, not forbidden: the certificate keeps it, beside what it assumes.
    for certificate in search.certificates_:
        assert certificate.random_choice_p_value == p_value
        assert certificate.provisos[0] == "the labeled rows are a uniformly random choice"
        odd = "the labeled rows do not look like a random choice"
        end = f"; but {odd} (p = {p_value:.2g})."
        found = f"{odd}: they {search.random_choice_test_.findings[0]}"
        assert found in certificate.to_json()
        for text in (certificate.statement, repr(search).splitlines()[0]):
            assert text.endswith(end)
        assert end in search._repr_html_()


def test_the_test_is_that_of_the_public_function(digits):
    """On the clusterings of the sweep itself, in the order of the file."""
    X, y = digits
    seen = hide(y, 0.5)
    search = PACMDLSearchCV(KMeans(n_init=1), n_clusters=10, random_state=0).fit(X, seen)
    clusterings = {"kmeans, 10 clusters": search.labels_}
    expected = random_choice_test(seen >= 0, clusterings, n_draws=9_999)
    found = search.random_choice_test_
    assert found.looks_random
    assert found.p_values == expected.p_values


def test_nothing_to_test_where_rows_are_drawn_by_the_search(iris):
    search = PACMDLSearchCV(AgglomerativeClustering(), n_clusters=3, random_state=0)
    search.fit(*iris)
    assert not hasattr(search, "random_choice_test_")
    assert search.certificate_.random_choice_p_value is None
    assert search.certificate_.drawn
    assert "held-out rows" in search.certificate_.statement
    assert search.certificate_.provisos == ("X was made without the labels",)


def test_clusterings_are_chosen_by_size_alone():
    """Eight at most, of all sizes, one start each; never a single cluster."""
    sizes = np.random.default_rng(0).permutation(np.arange(1, 42))
    sweep = [Candidate("kmeans", int(c), i) for c in sizes for i in range(3)]
    sweep.insert(7, Candidate("dbscan"))
    chosen = clusterings_to_test(sweep)
    # The 40 sizes and dbscan, which comes first, at eight even steps.
    numbers = [sweep[i].n_clusters for i in chosen]
    assert numbers == [None, 7, 12, 18, 24, 30, 35, 41]
    assert len(set(chosen.values())) == 8
    assert all(sweep[i].init == 0 for i in chosen)
    others = [Candidate("dbscan", None, 0, g, {"eps": g}) for g in range(3)]
    assert len(set(clusterings_to_test(others).values())) == 3
    assert clusterings_to_test([Candidate("kmeans", 1)]) == {}


def test_classes_are_counted_if_they_were_declared():
    """Labels of other classes are labels, but are of none of the declared classes."""
    codes = np.full(400, -1)
    rows = np.random.default_rng(1).choice(400, 60, replace=False)
    codes[rows] = np.repeat([0, 1, 2], 20)
    equal = check_random_choice(codes, {}, None, None)
    assert equal.looks_random
    assert "equally many" not in " ".join(equal.p_values)
    expected = random_choice_test(codes >= 0, class_counts=[20] * 3, n_draws=9_999)
    assert check_random_choice(codes, {}, None, 3) == expected
    # The third class is not declared: 20 and 20 of 60 rows say nothing.
    found = check_random_choice(codes, {}, None, 2)
    assert found.p_values["are exactly equally many in every class"] == 1
    assert found.n_labeled == 60


@pytest.mark.filterwarnings("ignore:2 of 4 candidates failed")
def test_failed_candidates_are_passed_over(iris):
    X, y = iris
    kinds = [("good", KMeans(n_init=1)), ("bad", KMeans(init="no such init"))]
    search = PACMDLSearchCV(kinds, n_clusters=[3, 4], random_state=0).fit(X, hide(y))
    tests = " ".join(search.random_choice_test_.p_values)
    assert "'good, 3 clusters'" in tests
    assert "bad" not in tests


def fields(seed):
    """A shuffled table of pixels: 144 fields of 25, of which 12 were labeled."""
    rng = np.random.default_rng(seed)
    field = rng.permutation(np.repeat(np.arange(144), 25))
    classes = rng.integers(3, size=144)[field]
    X = rng.normal(size=(3600, 3))
    labeled = np.isin(field, rng.choice(144, 12, replace=False))
    return X, np.where(labeled, classes, -1), field


@pytest.mark.parametrize("target", [None, 0.05])
@pytest.mark.filterwarnings("ignore:No set of clusters")
def test_labels_by_field_are_told(target):
    X, y, field = fields(0)
    search = search_of(n_clusters=[3], target=target)
    with warnings.catch_warnings():  # neither places nor clusters tell
        warnings.simplefilter("ignore")
        assert search.fit(X, y).random_choice_test_.looks_random
    with pytest.warns(UserWarning, match=f"{ODD}.*whole groups were labeled together"):
        search.fit(X, y, groups=field)
    assert not search.random_choice_test_.looks_random
    for certificate in search.certificates_:
        assert certificate.caveat in certificate.statement
        assert certificate.caveat


def test_labels_by_field_are_told_of_clusterings():
    """In memory, by a column of a frame, and counted by an engine."""
    for seed in range(2):
        X, y, field = fields(seed)
        clusterings = {"kmeans": KMeans(3, n_init=1, random_state=0).fit_predict(X)}
        table = pl.DataFrame(clusterings | {"y": y, "field": [f"f{i}" for i in field]})
        ways = (
            partial(certify_clusterings, clusterings, y, groups=field),
            partial(certify_clusterings, table, "y", groups="field"),
            partial(certify_clusterings, table.lazy(), "y", groups="field"),
        )
        for certify in ways:
            with pytest.warns(UserWarning, match=f"{ODD}.*whole groups") as caught:
                certified = certify()
            assert [w.filename for w in caught] == [__file__]
            assert certified.certificate.caveat
            assert certified.results["algorithm"].tolist() == ["kmeans"]


def test_groups_reach_splitters(iris):
    X, y = iris
    groups = [f"g{i}" for i in np.arange(150) % 10]
    grouped = search_of(n_clusters=3, cv=GroupShuffleSplit(1, random_state=0))
    for routing in (False, True):
        with sklearn.config_context(enable_metadata_routing=routing):
            with pytest.warns(UserWarning, match="scores, not guarantees"):
                train, test = grouped.fit(X, y, groups).splits_[0]
            assert not {groups[i] for i in train} & {groups[i] for i in test}
            for labels in (y, hide(y)):
                search = search_of(n_clusters=3).fit(X, labels, groups=groups)
                assert search.certificate_.drawn == (labels is y)
