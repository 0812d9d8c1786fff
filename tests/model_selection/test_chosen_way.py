"""certify="auto": which way is taken, from what, and that labels have no say in it."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.cluster import KMeans
from sklearn_pacmdl.certification._choice import SweepSize, choose_way

from sklearn_pacmdl import PACMDLSearchCV, SelectiveClusterLabeler, certify_labelings
from sklearn_pacmdl.certification import ClusterCounts, Strategy, register_strategy


@pytest.mark.parametrize(
    ("n_labeled", "numbers", "delta", "n_splits", "expected"),
    [
        (75, [2, 3, 4], 0.1, 1, "holdout"),
        (4, [2, 3, 4], 0.1, 1, "holdout"),
        (75, [], 0.1, 1, "holdout"),
        (75, [2, 3, 60], 0.02, 1, "holdout"),
        (75, [9, 10, 12, 60], 0.01, 1, "holdout"),
        (75, [9, 10, 60], 0.01, 1, "learned"),
        (75, [], 0.01, 1, "holdout"),
        (75, [2, 3, 4], 0.1, 2, "learned"),
        (3, [2, 3, 4], 0.1, 1, "decoupled"),
        (3, [2, 3, 4], 0.001, 2, "decoupled"),
    ],
)
def test_what_is_chosen(n_labeled, numbers, delta, n_splits, expected):
    size = SweepSize(n_labeled, 150, numbers, len(numbers), delta, n_splits)
    assert choose_way(size).certify == expected


def search_of(**settings):
    settings = {"certify": "auto", "n_clusters": [2, 3, 4], "random_state": 0} | settings
    return PACMDLSearchCV(KMeans(), **settings)


def hidden(y, n_labeled, seed=0):
    return np.where(np.random.RandomState(seed).permutation(len(y)) < n_labeled, y, -1)


@pytest.mark.parametrize(
    ("way", "n_labeled", "delta"),
    [("holdout", 75, 0.1), ("learned", 75, 0.001), ("decoupled", 3, 0.1)],
)
def test_the_search_is_that_of_the_way(way, n_labeled, delta, iris):
    X, y = iris
    seen = hidden(y, n_labeled, seed=4)
    auto = search_of(delta=delta).fit(X, seen)
    asked = search_of(delta=delta, certify=way).fit(X, seen)
    assert auto.certify_ == asked.certify_ == way
    assert auto.certify == "auto"
    assert auto.certificate_.kind == way
    assert auto.certificate_ == asked.certificate_
    assert_array_equal(auto.transduction_, asked.transduction_)
    labelings = {"a": X[:, 0] > 5.5, "b": X[:, 2] > 2.5}
    found, same = (
        certify_labelings(labelings, seen, certify=c, delta=delta, random_state=0)
        for c in ("auto", way)
    )
    assert found.certify == same.certify == way
    assert found.certificate == same.certificate


def test_labels_have_no_say(iris):
    """Whatever the labels of the labeled rows are: the way, and what it divides."""
    X, y = iris
    rng, seen = np.random.RandomState(0), hidden(y, 60)
    labeled = seen >= 0
    for delta in (0.1, 0.01):
        first = search_of(delta=delta).fit(X, seen)
        for _ in range(3):
            other = seen.copy()
            other[labeled] = rng.permutation(seen[labeled])
            again = search_of(delta=delta).fit(X, other)
            assert again.certify_ == first.certify_
            for a, b in zip(again.divisions_[0], first.divisions_[0], strict=True):
                assert_array_equal(a, b)
    pure = np.where(labeled, rng.randint(2, size=150), -1)
    assert search_of().fit(X, pure).certify_ == search_of().fit(X, seen).certify_


def test_several_splits_get_certificates(iris):
    X, y = iris
    search = search_of(cv=3).fit(X, y)
    assert search.certify_ == "learned"
    assert len(search.certificates_) == 3


def test_the_reason_is_told(iris, capsys):
    search_of(verbose=1).fit(iris[0], hidden(iris[1], 60))
    assert "Certifying by 'holdout', since its bounds were" in capsys.readouterr().out
    search_of(verbose=1, certify="holdout").fit(iris[0], hidden(iris[1], 60))
    assert "since" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"select_fraction": 0.5}, "select_fraction must be 'auto' with certify='auto'"),
        ({"language": "algo"}, "language must be None with certify='auto', where it may"),
        ({"certify": "Auto"}, r"certify must be one of \['auto', 'decoupled', 'holdout'"),
    ],
)
def test_bad_input(settings, message, iris):
    seen = hidden(iris[1], 60)
    with pytest.raises(ValueError, match=message):
        search_of(**settings).fit(iris[0], seen)
    with pytest.raises(ValueError, match=message):
        certify_labelings([iris[1]], seen, **{"certify": "auto"} | settings)


def test_where_it_cannot_be_chosen(iris):
    X, y = iris
    seen, others = (
        hidden(y, 60),
        r"certify must be one of \['decoupled', 'holdout', 'learned'",
    )
    with pytest.raises(ValueError, match=others):
        certify_labelings([y], seen, certify="auto", target=0.2)
    with pytest.raises(ValueError, match=others):
        SelectiveClusterLabeler(KMeans(3), certify="auto").fit(X, seen)
    counts = ClusterCounts.from_tables([[5, 0], [1, 4]], [9, 9])
    with pytest.raises(ValueError, match="certify must be other than 'auto' where"):
        certify_labelings([counts], certify="auto")


def test_no_other_way_may_take_the_name():
    class Own(Strategy):
        kind, fraction = "auto", 0.0

        def labelings(self, counts, accepted, language, rng):
            yield np.zeros(len(counts.sizes), dtype=int), {}

    with pytest.raises(ValueError, match="kind must be other than"):
        register_strategy(Own())
