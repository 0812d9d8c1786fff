"""What candidates are chosen or weighed by where some of the labels select."""

import numpy as np
import pytest
from sklearn.cluster import DBSCAN, KMeans

from sklearn_pacmdl import PACMDLSearchCV
from sklearn_pacmdl.certification import ClusterCounts, certify_labelings
from sklearn_pacmdl.cluster import PrecomputedLabels

# Labels are few for these numbers of clusters, of which nothing depends here.
BLIND = pytest.mark.filterwarnings("ignore:.* hold no label and")


def labeled(n_labeled, n_rows=200):
    """Two classes by turns, of which a random part is seen."""
    seen = np.random.RandomState(0).permutation(n_rows) < n_labeled
    return np.where(seen, np.arange(n_rows) % 2, -1)


def n_select(certify, numbers, n_rows=200, **settings):
    """How many of 100 labels select among labelings with these numbers of clusters."""
    labelings = [np.arange(n_rows) % k for k in numbers]
    settings |= {"classes": [0, 1], "random_state": 0}
    found = certify_labelings(
        labelings, labeled(100, n_rows), certify=certify, **settings
    )
    return len(found.division[0])


def test_errors_of_selecting_rows_alone_choose():
    counts = ClusterCounts.from_tables(
        [[1, 3], [4, 0]], unlabeled=[5, 5], selecting=[[2, 0], [1, 2]]
    )
    # Of five one is seen, and two if rows are left out.
    found = certify_labelings([counts], certify="holdout")
    assert found.results["mean_selection_error"].tolist() == [1.5 / 5]


@BLIND
@pytest.mark.filterwarnings("ignore:No set of clusters has a bound")
@pytest.mark.parametrize("certify", ["learned", "holdout"])
def test_the_share_that_selects_with_a_target_is_that_of_the_documentation(certify):
    assert n_select(certify, [4, 8], target=0.5) == 60
    said = " ".join(certify_labelings.__doc__.split())
    assert "and 0.6 with a target" in said


@BLIND
@pytest.mark.parametrize(
    ("certify", "numbers", "expected"),
    [
        ("holdout", [8, 10, 12, 60], 53),  # .22 + .13 ln 11 = .5317
        ("holdout", [1], 30),
        ("holdout", [1000, 2000, 3000], 65),
        ("learned", [2, 5, 100], 43),  # .22 + .13 ln 5 = .4292
        ("learned", [1], 30),
        ("learned", [1000], 65),
        ("pac-mdl", [2, 3], 0),
    ],
)
def test_shares_follow_the_median_number_of_clusters(certify, numbers, expected):
    n_rows = max(200, 2 * max(numbers))
    assert n_select(certify, numbers, n_rows) == expected
    if expected:  # one that is given is taken, even the default
        assert n_select(certify, numbers, n_rows, select_fraction=0.5) == 50


@BLIND
@pytest.mark.parametrize(
    ("n_labeled", "settings", "kind"),
    [
        (100, {}, "learned"),
        (4, {}, "learned"),
        (3, {}, "decoupled"),
        (3, {"select_fraction": 0.5}, "learned"),  # a part was asked for
        (100, {"choose": "errors"}, "decoupled"),
        (100, {"target": 0.9}, "learned"),
    ],
)
def test_a_prior_is_learned_unless_labels_are_few_or_all_choose(
    n_labeled, settings, kind
):
    settings |= {"classes": [0, 1], "random_state": 0}
    found = certify_labelings([np.arange(200) % 4], labeled(n_labeled), **settings)
    assert found.certify == kind


def test_shares_of_searches_and_of_labelings_are_the_same():
    """Whatever the candidates' numbers are known from."""
    y = np.arange(60) % 2
    X = np.column_stack([np.arange(60) % 4, np.arange(60) % 8])
    seen = np.where(np.random.RandomState(0).permutation(60) < 40, y, -1)
    certified = certify_labelings(X.T, seen, certify="holdout", random_state=0)
    search = PACMDLSearchCV(PrecomputedLabels(), certify="holdout", random_state=0)
    search.fit(X, seen)
    asked = PACMDLSearchCV(
        KMeans(), n_clusters=[4, 8], certify="holdout", random_state=0
    ).fit(X, seen)
    for select, _ in (certified.division, *search.divisions_, *asked.divisions_):
        assert len(select) == 18  # floor(.45 * 40), .22 + .13 ln 6 = .4529
    unknown = PACMDLSearchCV(DBSCAN(), certify="holdout", random_state=0).fit(X, seen)
    assert len(unknown.divisions_[0][0]) == 20
