"""Scores of given clusterings are recorded beside their bounds, and certify nothing."""

from copy import deepcopy

import numpy as np
import polars as pl
import pytest
from numpy.testing import assert_array_equal
from sklearn.cluster import AgglomerativeClustering
from sklearn.metrics import accuracy_score, adjusted_rand_score, silhouette_score

from sklearn_pacmdl import certify_clusterings
from sklearn_pacmdl.certification import cluster_counts
from sklearn_pacmdl.metrics import make_labeling_scorer, pac_mdl_score

SETTINGS = {"certify": "holdout", "random_state": 0}


@pytest.fixture(scope="module")
def table(iris):
    X, _ = iris
    return {str(k): AgglomerativeClustering(k).fit_predict(X) for k in (2, 3, 9)} | {
        "one": np.zeros(150, dtype=int)
    }


@pytest.fixture(scope="module")
def seen(iris):
    return np.where(np.random.RandomState(3).permutation(150) < 80, iris[1], -1)


def test_each_kind_of_scorer(table, seen):
    def cost(y_true, y_pred):
        return 5 * np.sum(y_true != y_pred)

    scoring = {
        "rand": "adjusted_rand_score",
        "bound": make_labeling_scorer(pac_mdl_score, kind="bound"),
        "accuracy": "accuracy",
        "cost": make_labeling_scorer(cost, kind="classes", greater_is_better=False),
    }
    plain = certify_clusterings(table, seen, **SETTINGS)
    certified = certify_clusterings(table, seen, scoring=scoring, **SETTINGS)
    scores = {name: certified.results[f"score_{name}"] for name in scoring}
    added = certified.results.keys() - plain.results.keys()
    assert added == {f"score_{name}" for name in scoring}
    assert certified.bound == plain.bound
    assert_array_equal(certified.transduction, plain.transduction)
    labeled = seen >= 0
    for i, clusters in enumerate(table.values()):
        known = clusters[labeled], seen[labeled]
        assert scores["rand"][i] == pytest.approx(adjusted_rand_score(*known))
        assert scores["bound"][i] == pytest.approx(pac_mdl_score(seen, clusters))
    # Selecting labels name the clusters, and certifying ones are compared.
    rows, best = certified.division[1], certified.best_index
    right = accuracy_score(seen[rows], certified.transduction[rows])
    assert scores["accuracy"][best] == pytest.approx(right)
    assert scores["cost"][best] == pytest.approx(-5 * len(rows) * (1 - right))


def test_one_scorer_and_noise(table, seen):
    noisy = {"a": np.where(np.arange(150) % 7 == 0, -1, table["3"])}
    given = {"scoring": "accuracy", "noise": "abstain"} | SETTINGS
    found = certify_clusterings(noisy, seen, **given)
    rows = found.division[1]
    rows = rows[noisy["a"][rows] >= 0]  # noise has no class that could be right
    right = np.mean(found.transduction[rows] == seen[rows])
    assert found.results["score"].tolist() == [pytest.approx(right)]


def test_what_scorers_write_into_changes_nothing(table, seen):
    def spoil(labels_true, labels):
        labels_true[:], labels[:] = 0, 0
        return 1.0

    def by_labels(estimator, X, y):
        raise NotImplementedError

    by_labels.score_labels = lambda X, labels, y=None, **_: labels.fill(0) or 0.0
    before = deepcopy((seen, table))
    scoring = {"rand": "adjusted_rand_score"}
    alone = certify_clusterings(table, seen, scoring=scoring, **SETTINGS)
    spoiling = make_labeling_scorer(spoil, kind="external")
    scoring = {"a": spoiling, "b": by_labels, **scoring}
    found = certify_clusterings(table, seen, scoring=scoring, **SETTINGS)
    assert_array_equal(found.results["score_rand"], alone.results["score_rand"])
    assert_array_equal(found.transduction, alone.transduction)
    assert str((seen, table)) == str(before)


def test_scorers_that_fail_are_told(table, seen):
    def of_several(labels_true, labels):
        if len(np.unique(labels)) < 2:
            raise ValueError("a single cluster")
        return 0.5

    scorer = make_labeling_scorer(of_several, kind="external")
    with pytest.warns(UserWarning, match="'score' failed for 1 of 4 .* a single cluster"):
        found = certify_clusterings(table, seen, scoring=scorer, **SETTINGS)
    assert_array_equal(found.results["score"], [0.5, 0.5, 0.5, np.nan])


def test_scorers_that_need_rows_are_refused(table, seen):
    internal = make_labeling_scorer(silhouette_score, kind="internal")
    for scorer in (internal, lambda estimator, X, y: 1.0):
        with pytest.raises(ValueError, match="scoring must hold scorers of labels"):
            certify_clusterings(table, seen, scoring={"own": scorer})
    frame = pl.DataFrame(table).with_columns(y=seen).lazy()
    for given in ([cluster_counts([[5, 0], [1, 4]], [9, 9])], [frame, "y"]):
        with pytest.raises(ValueError, match="scoring must be None where rows are count"):
            certify_clusterings(*given, scoring="accuracy")
