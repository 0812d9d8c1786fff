"""A target that cannot be reached: what these labels could reach is said."""

import re
from functools import partial

import numpy as np
import pytest
from conftest import hide
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris

from sklearn_pacmdl import PACMDLSearchCV, certify_clusterings, pac_mdl_bound

X, Y = load_iris(return_X_y=True)
SEEN = hide(Y)
KMEANS = KMeans(n_init=1)
CLUSTERINGS = {c: KMeans(c, n_init=1, random_state=0).fit_predict(X) for c in (3, 6, 9)}


# Labels that certify, of the 75: 40% where rows select.
CERTIFYING = {"learned": 30, "holdout": 30, "pac-mdl": 75}


@pytest.mark.parametrize("searches", [True, False])
@pytest.mark.parametrize("certify", CERTIFYING)
def test_the_smallest_target_is_said_beforehand(certify, searches):
    m = CERTIFYING[certify]
    least = pac_mdl_bound(m, 75, 0, delta=0.1) / 75  # no error, at full weight
    kwargs = {"target": least - 0.001, "certify": certify, "random_state": 0}
    search = PACMDLSearchCV(KMEANS, n_clusters=[3, 6, 9], **kwargs)
    of_clusterings = partial(certify_clusterings, CLUSTERINGS, **kwargs)
    call = partial(search.fit, X) if searches else of_clusterings
    with pytest.warns(UserWarning, match="No set of clusters") as caught:
        found = call(y=SEEN)
    first, then = (str(warning.message) for warning in caught)
    assert f"without an error, {m} certifying labels bound the error rate of 75" in first
    assert f"unlabeled rows by {least:.4f}. That is the smallest target" in first
    assert re.search(
        r"no row is given a class. The smallest bound is 0\.\d+ for \d", then
    )
    if searches:
        assert (found.coverage_, found.certificates_) == (0, [])
        assert not hasattr(found, "certificate_")
        assert found.coverage_curve_["bound"].min() > found.target
        given = found.transduction_
        assert found.set_params(target=0.9).fit(X, SEEN).coverage_ == 1.0
    else:
        assert (found.coverage, found.certificate) == (0, None)
        assert np.isnan(found.bound)
        assert str(found).endswith("nothing is certified.")
        given = found.transduction
    assert given.tolist() == [-1] * 150
    assert given.dtype.kind == "i"


def test_the_list_is_that_of_the_coverage_curve():
    search = PACMDLSearchCV(KMEANS, n_clusters=[3, 6, 9], target=0.09, random_state=0)
    with pytest.warns(UserWarning, match="The smallest bound is") as caught:
        search.fit(X, SEEN)
    curve, message = search.coverage_curve_, str(caught[-1].message)
    listed = re.findall(r"(0\.\d{4}) for (\d+\.\d\d)%", message)
    assert 2 <= len(listed) <= 4
    for numbers in np.array(listed, dtype=float).T:
        assert np.all(np.diff(numbers) > 0)
    for k in (0, -1):
        bound, rows = curve["bound"][k], round(75 * curve["coverage"][k])
        target = np.ceil(round(1e4 * bound, 6)) / 1e4
        assert listed[k] == (f"{target:.4f}", f"{100 * rows // 0.75 / 100:.2f}")
