"""A column of texts is taken as a list of these is, whatever library it is from."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from conftest import hide
from numpy.testing import assert_array_equal
from sklearn.cluster import KMeans
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline

from sklearn_pacmdl import ClusterLabelClassifier, PACMDLSearchCV

RNG = np.random.RandomState(0)
WORDS = np.array([["cat", "dog", "pet", "fur"], ["stock", "bond", "bank", "rate"]])
TRUTH = RNG.randint(2, size=80)
TEXTS = [" ".join(RNG.choice(WORDS[topic], size=4)) for topic in TRUTH]
SEEN = hide(TRUTH)
CLUSTERER = make_pipeline(TfidfVectorizer(), KMeans(2, n_init=1, random_state=0))
MODELS = {
    "search": PACMDLSearchCV(CLUSTERER, n_clusters=[2, 3], random_state=0),
    "one clustering": ClusterLabelClassifier(CLUSTERER, random_state=0),
}
INDEX = RNG.permutation(80) + 100
COLUMNS = {
    "pandas": pd.Series(TEXTS, index=INDEX),
    "text of pandas": pd.Series(TEXTS, index=INDEX, dtype="string"),
    "column of a frame": pd.DataFrame({"text": TEXTS})["text"],
    "polars": pl.Series(TEXTS),
}


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_a_series_is_taken_as_a_list_is(model, column):
    X = COLUMNS[column]
    expected = model.fit(TEXTS, SEEN).transduction_
    assert_array_equal(expected, TRUTH)
    assert_array_equal(model.fit(X, SEEN).transduction_, expected)
    assert_array_equal(model.predict(X), expected)
    assert model.score(X, TRUTH) == 1
    if model is MODELS["search"]:
        assert model.best_params_["kmeans__n_clusters"] == 2
        assert "kmeans__random_state" in model.best_params_
        assert_array_equal(model.best_estimator_[-1].labels_, model.labels_)
