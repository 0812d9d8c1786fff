"""A target that cannot be reached: what these labels could reach is said."""

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


def messages(target, certify, search):
    """Warnings of a search, or of given clusterings, and the result."""
    kwargs = {"target": target, "certify": certify, "random_state": 0}
    searched = PACMDLSearchCV(KMEANS, n_clusters=[3, 6, 9], **kwargs)
    call = partial(searched.fit, X)
    if not search:
        call = partial(certify_clusterings, CLUSTERINGS, **kwargs)
    with pytest.warns(UserWarning, match="No set of clusters") as caught:
        call(y=SEEN)
    return [str(warning.message) for warning in caught]


# Labels that certify, of the 75: 40% where rows select.
CERTIFYING = {"learned": 30, "holdout": 30, "pac-mdl": 75}


@pytest.mark.parametrize("search", [True, False])
@pytest.mark.parametrize("certify", CERTIFYING)
def test_the_smallest_target_is_said_beforehand(certify, search):
    m = CERTIFYING[certify]
    least = pac_mdl_bound(m, 75, 0, delta=0.1) / 75  # no error, at full weight
    first, then = messages(least - 0.001, certify, search)
    assert f"without an error, {m} certifying labels bound the error rate of 75" in first
    assert f"unlabeled rows by {least:.4f}. That is the smallest target" in first
    assert "so no row is given a class. The smallest bound is 0." in then


def test_other_targets_are_listed_afterwards():
    least = pac_mdl_bound(30, 75, 0, delta=0.1) / 75
    (message,) = messages(least, "learned", search=True)
    _, listed = message.split("smallest bound is ")
    pairs = listed.replace(" of the unlabeled rows", "").replace("others are ", "")
    pairs = [p for part in pairs.rstrip(".").split("; ") for p in part.split(", ")]
    pairs = [pair.split(" for ") for part in pairs for pair in part.split(" and ")]
    bounds, shares = np.array([(float(b), float(s.rstrip("%"))) for b, s in pairs]).T
    assert len(bounds) >= 2
    assert np.all(np.diff(bounds) > 0)
    assert np.all(np.diff(shares) > 0)
    assert shares[-1] <= 100


def test_the_list_is_that_of_the_coverage_curve():
    search = PACMDLSearchCV(KMEANS, n_clusters=[3, 6, 9], target=0.09, random_state=0)
    with pytest.warns(UserWarning, match="The smallest bound is") as caught:
        search.fit(X, SEEN)
    curve, message = search.coverage_curve_, str(caught[-1].message)
    assert message.count(" for ") <= 4
    for k in (0, -1):
        bound, rows = curve["bound"][k], round(75 * curve["coverage"][k])
        target = np.ceil(round(1e4 * bound, 6)) / 1e4
        assert f"{target:.4f} for {100 * rows // 0.75 / 100:.2f}%" in message


def test_targets_within_reach_are_not_remarked_upon():
    search = PACMDLSearchCV(KMEANS, n_clusters=[3, 6, 9], target=0.3, random_state=0)
    assert search.fit(X, SEEN).coverage_ > 0
