"""Targets whose index has nearly the rows of the table, in another order, are refused."""

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import KMeans

from sklearn_pacmdl import ClusterLabelClassifier, PACMDLSearchCV, certify_clusterings

RNG = np.random.RandomState(0)
NAMES = [f"row {i}" for i in range(90)]
TRUTH = np.arange(90) % 2
X = pd.DataFrame(RNG.normal(size=(90, 2)) + 4 * TRUTH[:, None], index=NAMES)
SEEN = pd.Series(np.where(RNG.permutation(90) < 45, TRUTH, -1), index=NAMES)
# Without one row, with another one.
OTHER = SEEN.rename({"row 3": "row 90"}).sample(frac=1, random_state=0)
CLUSTERINGS = pd.DataFrame({"two": KMeans(2, random_state=0).fit_predict(X)}, index=NAMES)
DOORS = {
    "search": lambda y: PACMDLSearchCV(KMeans(2), n_clusters=None).fit(X, y),
    "one clustering": lambda y: ClusterLabelClassifier(KMeans(2)).fit(X, y),
    "given clusterings": lambda y: certify_clusterings(CLUSTERINGS, y, random_state=0),
}


@pytest.mark.parametrize("door", DOORS)
def test_a_shuffled_target_with_nearly_the_same_rows_is_refused(door):
    DOORS[door](SEEN)
    with pytest.raises(ValueError, match="index"):
        DOORS[door](OTHER)
