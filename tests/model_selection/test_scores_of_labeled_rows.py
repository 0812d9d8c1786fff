"""``score`` goes by the rows that have a label, whatever marks the others."""

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score

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
