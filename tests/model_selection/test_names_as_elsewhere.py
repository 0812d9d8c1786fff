"""Names that users know from scikit-learn lead to ours."""

import re

import pytest
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from sklearn_pacmdl import PACMDLSearchCV


@pytest.mark.parametrize("fitted", [False, True])
@pytest.mark.parametrize(
    ("name", "ours"),
    [
        ("best_score_", "best_bound_"),
        ("predict_proba", "confidence_"),
        ("fit_predict", "transduction_"),
    ],
)
def test_attributes_of_other_estimators_name_ours(name, ours, fitted, blobs):
    search = PACMDLSearchCV(KMeans(n_init=1), n_clusters=[3], random_state=0)
    if fitted:
        search.fit(*blobs)
    assert not hasattr(search, name)
    with pytest.raises(AttributeError, match=ours):
        getattr(search, name)


@pytest.mark.parametrize("metric", [adjusted_rand_score, lambda X, labels: 0.0])
def test_metrics_as_scorers_are_refused_with_a_remedy(metric, blobs):
    name = re.escape(metric.__name__)
    for scoring in (metric, {"mine": metric}):
        search = PACMDLSearchCV(KMeans(), n_clusters=[3], scoring=scoring)
        with pytest.raises(ValueError, match=rf"make_labeling_scorer\({name}, kind="):
            search.fit(*blobs)
