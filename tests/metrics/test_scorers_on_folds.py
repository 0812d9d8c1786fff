"""Searches with ordinary folds score clusters of rows that no clusterer was fitted to."""

import warnings

import pytest
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score, silhouette_score
from sklearn.model_selection import GridSearchCV

from sklearn_pacmdl import TransductiveSplit
from sklearn_pacmdl.metrics import make_labeling_scorer, pac_mdl_scorer

EXTERNAL = make_labeling_scorer(adjusted_rand_score, kind="external")
INTERNAL = make_labeling_scorer(silhouette_score, kind="internal")


def search_of(scorer, **kwargs):
    grid = {"n_clusters": [3, 4]}
    return GridSearchCV(KMeans(n_init=1, random_state=0), grid, scoring=scorer, **kwargs)


@pytest.mark.parametrize("scorer", [EXTERNAL, INTERNAL], ids=["external", "internal"])
def test_ordinary_folds_are_told_of(scorer, blobs):
    with pytest.warns(UserWarning, match=r"fitted to 96 others.*TransductiveSplit\(\)"):
        search_of(scorer, cv=5).fit(*blobs)


@pytest.mark.parametrize("scorer", [EXTERNAL, INTERNAL, pac_mdl_scorer])
def test_all_rows_are_no_folds(scorer, blobs):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        search_of(scorer, cv=TransductiveSplit()).fit(*blobs)
        search_of(pac_mdl_scorer, cv=5).fit(*blobs)  # a bound is for other rows
