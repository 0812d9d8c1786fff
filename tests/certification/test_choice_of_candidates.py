"""What candidates are chosen or weighed by where some of the labels select."""

import numpy as np
import pytest
from sklearn.cluster import DBSCAN, KMeans

from sklearn_pacmdl import PACMDLSearchCV
from sklearn_pacmdl.certification import ClusterCounts, certify_labelings
from sklearn_pacmdl.certification._counting import SplitSizes
from sklearn_pacmdl.certification._goals import LabelAll
from sklearn_pacmdl.certification._registry import make_strategy
from sklearn_pacmdl.cluster import PrecomputedLabels


def test_errors_of_selecting_rows_alone_choose():
    counts = ClusterCounts.from_tables(
        [[1, 3], [4, 0]], unlabeled=[5, 5], selecting=[[2, 0], [1, 2]]
    )
    # One is seen, and two if rows are left out.
    assert LabelAll().selection(counts) == 1.5
    rates = LabelAll().selection_column(np.array([3.0]), SplitSizes(15, 40, 45))
    assert rates.tolist() == [0.2]


def test_shares_that_select_by_default_are_those_of_the_documentation():
    shares = {
        (kind, for_sets): make_strategy(kind, for_sets=for_sets).fraction
        for kind in ("pac-mdl", "learned", "holdout")
        for for_sets in (False, True)
    }
    assert shares == {
        ("pac-mdl", False): 0,
        ("pac-mdl", True): 0,
        ("learned", False): 0.5,
        ("learned", True): 0.6,
        ("holdout", False): 0.5,
        ("holdout", True): 0.6,
    }
    said = " ".join(certify_labelings.__doc__.split())
    assert "and 0.6 with a target" in said


@pytest.mark.parametrize(
    ("kind", "numbers", "share"),
    [
        ("holdout", [8, 10, 12, 60], 0.53),  # .22 + .13 ln 11 = .5317
        ("holdout", [1], 0.3),
        ("holdout", [1000, 2000, 3000], 0.65),
        ("holdout", [], 0.5),
        ("learned", [2, 5, 100], 0.43),  # .22 + .13 ln 5 = .4292
        ("learned", [1], 0.3),
        ("learned", [1000], 0.65),
        ("learned", [], 0.5),
        ("pac-mdl", [2, 3], 0),
    ],
)
def test_shares_follow_the_median_number_of_clusters(kind, numbers, share):
    assert make_strategy(kind, n_clusters=numbers).fraction == share
    if share:  # one that is given is taken, even the default
        assert make_strategy(kind, 0.5, n_clusters=numbers).fraction == 0.5
    assert make_strategy(kind, n_clusters=numbers, for_sets=True).fraction in (0, 0.6)


@pytest.mark.parametrize(
    ("settings", "kind"),
    [
        ({}, "learned"),
        ({"n_labeled": 4}, "learned"),
        ({"n_labeled": 3}, "decoupled"),
        ({"n_labeled": 3, "fraction": 0.5}, "learned"),  # a part was asked for
        ({"n_labeled": 100, "choose": "errors"}, "decoupled"),
        ({"n_labeled": 100, "for_sets": True}, "learned"),
    ],
)
def test_a_prior_is_learned_unless_labels_are_few_or_all_choose(settings, kind):
    assert make_strategy("auto", **settings).kind == kind


@pytest.mark.parametrize("kind", ["learned", "holdout"])
def test_all_labels_cannot_choose_where_some_set_a_prior(kind):
    with pytest.raises(ValueError, match="in which all labels certify with choose="):
        make_strategy(kind, choose="errors")
    for other in ("decoupled", "pac-mdl"):
        assert make_strategy(other, choose="errors").kind == other


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
