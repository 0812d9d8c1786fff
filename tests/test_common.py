"""scikit-learn's own estimator checks, on every public estimator."""

import pytest
from sklearn.cluster import BisectingKMeans, KMeans, MiniBatchKMeans
from sklearn.mixture import GaussianMixture
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from sklearn_pacmdl import ClusterLabelClassifier, PACMDLSearchCV

ESTIMATORS = [
    ClusterLabelClassifier(KMeans(n_clusters=4, random_state=0), random_state=0),
    ClusterLabelClassifier(GaussianMixture(4, random_state=0), random_state=0),
    PACMDLSearchCV(KMeans(), n_clusters=[4, 6], n_init=2, random_state=0),
    PACMDLSearchCV(
        [("kmeans", KMeans()), ("bisecting", BisectingKMeans())],
        n_clusters=[4, 6],
        random_state=0,
    ),
    PACMDLSearchCV(MiniBatchKMeans(), n_clusters=[4, 6], cv=2, random_state=0),
]


def expected_failed_checks(estimator):
    return {
        "check_classifiers_classes": (
            "uses -1 as a class, which here marks unlabelled rows; scikit-learn exempts "
            "its own semi-supervised classifiers from this part by name"
        )
    }


# The checks hand in sparse formats whose values scikit-learn does not look through, on
# purpose, and warns of it.
@pytest.mark.filterwarnings("ignore:Can't check .* sparse matrix for nan or inf")
@parametrize_with_checks(
    ESTIMATORS, expected_failed_checks=expected_failed_checks, xfail_strict=True
)
def test_estimator_checks(estimator, check):
    check(estimator)


def test_pipelines_pass_through():
    """A Pipeline as clusterer leaves validation to its steps: no common checks."""
    search = PACMDLSearchCV(make_pipeline(StandardScaler(), KMeans()), n_clusters=3)
    assert search.get_params()["estimator__kmeans__n_clusters"] == 8
