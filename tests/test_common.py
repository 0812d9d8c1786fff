"""scikit-learn's own estimator checks, on every public estimator."""

import pytest
from sklearn.cluster import BisectingKMeans, KMeans, MiniBatchKMeans
from sklearn.mixture import GaussianMixture
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from sklearn_pacmdl import ClusterLabelClassifier, PACMDLSearchCV
from sklearn_pacmdl.cluster import (
    FrequencySensitiveKMeans,
    KLKMeans,
    SphericalKMeans,
    VonMisesFisherMixture,
)

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
    FrequencySensitiveKMeans(),
    KLKMeans(),
    SphericalKMeans(),
    VonMisesFisherMixture(3),
    VonMisesFisherMixture(3, assignment="hard"),
]


CLASSIFIERS = {
    "check_classifiers_classes": (
        "uses -1 as a class, which here marks unlabelled rows; scikit-learn exempts its "
        "own semi-supervised classifiers from this part by name"
    )
}
# As for scikit-learn's KMeans; tests/cluster holds weights against repeated rows where
# the first centers are given.
CLUSTERERS = dict.fromkeys(
    (
        "check_sample_weight_equivalence_on_dense_data",
        "check_sample_weight_equivalence_on_sparse_data",
    ),
    "first centers are drawn by position, so repeated rows are other draws",
)
NEGATIVE = dict.fromkeys(
    ("check_clustering", "check_clustering(readonly_memmap=True)"),
    "the data of this check are negative, whatever the tags say",
)
PROBABILITIES = dict.fromkeys(
    ("check_estimator_sparse_array", "check_estimator_sparse_matrix"),
    "asks whatever has predict_proba for the tags of a classifier",
)


def expected_failed_checks(estimator):
    match estimator:
        case ClusterLabelClassifier() | PACMDLSearchCV():
            return CLASSIFIERS
        case KLKMeans():
            return CLUSTERERS | NEGATIVE
        case VonMisesFisherMixture():
            return CLUSTERERS | PROBABILITIES
    return CLUSTERERS


# The checks hand in sparse formats whose values scikit-learn does not look through, on
# purpose, and warns of it; and data of fewer groups than clusters are asked for.
@pytest.mark.filterwarnings("ignore:Can't check .* sparse matrix for nan or inf")
@pytest.mark.filterwarnings("ignore:Number of distinct clusters")
@parametrize_with_checks(
    ESTIMATORS, expected_failed_checks=expected_failed_checks, xfail_strict=True
)
def test_estimator_checks(estimator, check):
    check(estimator)


def test_pipelines_pass_through():
    """A Pipeline as clusterer leaves validation to its steps: no common checks."""
    search = PACMDLSearchCV(make_pipeline(StandardScaler(), KMeans()), n_clusters=3)
    assert search.get_params()["estimator__kmeans__n_clusters"] == 8
