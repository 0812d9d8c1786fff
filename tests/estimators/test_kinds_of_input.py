"""What estimators take, by known estimators."""

import numpy as np
import pytest
from sklearn.cluster import DBSCAN, KMeans, SpectralClustering
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_pacmdl.estimators import check_sample_weight, is_pairwise, kind_of_X

DISTANCES, AFFINITIES = DBSCAN(metric="precomputed"), SpectralClustering()
AFFINITIES.set_params(affinity="precomputed")
X = np.arange(8.0).reshape(4, 2)


@pytest.mark.parametrize(
    ("estimator", "kind"),
    [
        (KMeans(), "features"),
        (DISTANCES, "distances"),
        (AFFINITIES, "affinities"),
        (SpectralClustering(affinity="precomputed_nearest_neighbors"), "distances"),
    ],
)
def test_what_X_holds(estimator, kind):
    assert kind_of_X(estimator) == kind
    assert is_pairwise(estimator) == (kind != "features")
    # The first step that does something takes X.
    assert is_pairwise(make_pipeline("passthrough", estimator)) == (kind != "features")
    assert not is_pairwise(make_pipeline(StandardScaler(), estimator))


def test_weights_of_rows():
    assert check_sample_weight(None, X).tolist() == [1, 1, 1, 1]
    assert check_sample_weight(2, X).tolist() == [2, 2, 2, 2]
    assert check_sample_weight([0, 1, 2, 3], X).dtype == np.float64
    for weight in ([-1, 1, 1, 1], [1, 1], np.nan, np.inf):
        with pytest.raises(ValueError, match=r"sample_weight|weights"):
            check_sample_weight(weight, X)
