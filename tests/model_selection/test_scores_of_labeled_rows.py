"""``score`` goes by labeled rows, whatever marks the others; and columns of texts."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from conftest import hide
from numpy.testing import assert_array_equal
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.pipeline import make_pipeline

from sklearn_pacmdl import ClusterLabelClassifier, PACMDLSearchCV

X, TRUTH = load_iris(return_X_y=True)
WORDS = np.array(["setosa", "versicolor", "virginica"], dtype=object)[TRUTH]
HIDDEN = np.random.RandomState(0).permutation(150) < 75
KMEANS = KMeans(6, n_init=1, random_state=0)
MODELS = {
    "search": PACMDLSearchCV(KMEANS, n_clusters=[6], random_state=0),
    "one clustering": ClusterLabelClassifier(KMEANS, random_state=0),
}
PARTLY = {
    "-1": np.where(HIDDEN, -1, TRUTH),
    "NaN": np.where(HIDDEN, np.nan, TRUTH),
    "None": np.where(HIDDEN, None, WORDS),
    "NA": pd.Series(np.where(HIDDEN, pd.NA, WORDS), dtype="string"),
}


@pytest.mark.parametrize("mark", PARTLY)
@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_unlabeled_rows_do_not_count(model, mark):
    y, complete = PARTLY[mark], WORDS if mark in ("None", "NA") else TRUTH
    model.fit(X, y)
    right = (model.predict(X) == complete)[~HIDDEN]
    assert model.score(X, y) == right.mean() > 0.8
    weights = np.arange(150) + 1.0
    expected = np.average(right, weights=weights[~HIDDEN])
    assert model.score(X, y, weights) == pytest.approx(expected)


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_without_a_label_there_is_no_score(model):
    model.fit(X, PARTLY["-1"])
    for y, message in (
        (np.full(150, -1), "y must have labeled rows .* all its 150"),
        ([None] * 150, "y must have labeled rows"),
        (PARTLY["-1"][:20], "inconsistent numbers of samples"),
    ):
        with pytest.raises(ValueError, match=message):
            model.score(X, y)


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_model_selection_of_scikit_learn_scores_labeled_rows(model):
    folds, y = KFold(3, shuffle=True, random_state=0), PARTLY["None"]
    assert cross_val_score(model, X, y, cv=folds).min() > 0.75
    grid = {"delta": [0.1]} if isinstance(model, PACMDLSearchCV) else {"classes": [None]}
    assert GridSearchCV(model, grid, cv=folds).fit(X, y).best_score_ > 0.75


def test_rows_without_a_class_count_as_wrong_at_both():
    search = PACMDLSearchCV(KMEANS, n_clusters=[6], target=0.16, random_state=0)
    given = search.fit(X, PARTLY["None"]).predict(X)
    assert 0 < sum(label is None for label in given) < 150
    right = np.mean(given == WORDS)
    assert search.score(X, WORDS) == search.classifier_.score(X, WORDS) == right


# ---- A column of texts is taken as a list of these is, whatever library it is from

RNG = np.random.RandomState(0)
TOPICS = RNG.randint(2, size=80)
TERMS = np.array([["cat", "dog", "pet", "fur"], ["stock", "bond", "bank", "rate"]])
TEXTS = [" ".join(RNG.choice(TERMS[topic], size=4)) for topic in TOPICS]
OF_TEXTS = make_pipeline(TfidfVectorizer(), KMeans(2, n_init=1, random_state=0))
INDEX = RNG.permutation(80) + 100
COLUMNS = {
    "pandas": pd.Series(TEXTS, index=INDEX),
    "text of pandas": pd.Series(TEXTS, index=INDEX, dtype="string"),
    "column of a frame": pd.DataFrame({"text": TEXTS})["text"],
    "polars": pl.Series(TEXTS),
}


@pytest.mark.parametrize("column", COLUMNS)
def test_a_series_is_taken_as_a_list_is(column):
    X, y = COLUMNS[column], hide(TOPICS)
    search = PACMDLSearchCV(OF_TEXTS, n_clusters=[2, 3], random_state=0)
    for model in (search, ClusterLabelClassifier(OF_TEXTS, random_state=0)):
        assert_array_equal(model.fit(TEXTS, y).transduction_, TOPICS)
        assert_array_equal(model.fit(X, y).transduction_, TOPICS)
        assert_array_equal(model.predict(X), TOPICS)
        assert model.score(X, TOPICS) == 1
    assert search.best_params_["kmeans__n_clusters"] == 2
    assert "kmeans__random_state" in search.best_params_
    assert_array_equal(search.best_estimator_[-1].labels_, search.labels_)
