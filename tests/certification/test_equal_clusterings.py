"""Equal clusterings have the same labelings, so their weights add up."""

from fractions import Fraction
from math import prod

import numpy as np
import polars as pl
import pytest
import sweeps
from numpy.testing import assert_allclose
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import KMeans
from sklearn.neighbors import KNeighborsClassifier

from sklearn_pacmdl import PACMDLSearchCV, certify_clusterings
from sklearn_pacmdl.certification import Learned, PacMdl
from sklearn_pacmdl.languages import Candidate, Prior

N_ROWS = 300


@pytest.fixture(scope="module")
def rows():
    """True classes, labels of 90 rows, and a clustering with a few errors."""
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=N_ROWS)
    clusters = np.where(rng.random(N_ROWS) < 0.05, rng.integers(3, size=N_ROWS), y)
    return np.where(rng.permutation(N_ROWS) < 90, y, -1), clusters


def certified(clusterings, y, **settings):
    return certify_clusterings(clusterings, y, random_state=0, **settings)


def bits(result):
    return result.results["description_length"]


@pytest.mark.parametrize("certify", ["learned", "pac-mdl"])
@pytest.mark.parametrize("choose", ["bound", "errors"])
def test_ten_equal_columns_are_one(rows, certify, choose):
    """Whatever their clusters are called; and a unit of weight is a unit of weight."""
    seen, clusters = rows
    one = certified([clusters], seen, certify=certify, choose=choose)
    names = [np.random.default_rng(k).permutation(10)[clusters] for k in range(9)]
    ten = certified([clusters, *names], seen, certify=certify, choose=choose)
    assert_allclose(bits(ten), np.repeat(bits(one), 10), rtol=1e-7)
    assert ten.bound == one.bound
    assert (ten.transduction == one.transduction).all()
    # Beside another one each of three has two thirds, and not a third.
    other = (clusters + (np.arange(N_ROWS) == 0)) % 3
    costs = {
        name: bits(certified([*these, other], seen, certify=certify, choose=choose))
        for name, these in {"two": [clusters, clusters * 2], "one": [clusters]}.items()
    }
    assert costs["two"][0] == costs["two"][1] < costs["one"][0]
    assert costs["two"][2] > costs["one"][1]


def test_the_noise_that_is_left_out_makes_clusterings_differ(rows):
    seen, clusters = rows
    noise = clusters - 1  # which calls the first cluster noise
    cost = [
        bits(certified([clusters, noise], seen, certify="pac-mdl", noise=which))
        for which in ("cluster", "abstain")
    ]
    # Half the weight is its own.
    assert cost[0][0] == cost[0][1] == pytest.approx(cost[1][0] - 1)


def test_starts_that_come_to_the_same_clustering_cost_nothing_and_classifiers_do(rows):
    seen, clusters = rows
    X = np.eye(3)[clusters]
    given = {"certify": "pac-mdl", "language": "algo", "random_state": 0}
    one, ten = (
        PACMDLSearchCV(KMeans(3), n_clusters=[3], n_init=n, **given).fit(X, seen)
        for n in (1, 10)
    )
    assert one.certificate_.description_length == ten.certificate_.description_length
    same = [(name, KNeighborsClassifier(3)) for name in "ab"]
    search = PACMDLSearchCV(same, random_state=0).fit(X, seen)
    favorite, other = (of["candidate"] for of in search.cv_results_["bits"])
    assert favorite < 0.1
    assert other > 4


class Flaky(ClusterMixin, BaseEstimator):
    """Two sides of the first feature, but of the second where it saw the rows before."""

    seen: set = set()  # noqa: RUF012, of all instances

    def fit_predict(self, X, y=None):
        self.not_to_be_pickled = lambda: None  # so that it is fitted again
        again = X.tobytes() in Flaky.seen
        Flaky.seen.add(X.tobytes())
        return (X[:, int(again)] > 0).astype(int)


class Steady(ClusterMixin, BaseEstimator):
    def __init__(self, sign=1):
        self.sign = sign

    def fit_predict(self, X, y=None):
        return (self.sign * X[:, 0] > 0).astype(int)


@pytest.mark.filterwarnings("ignore:Refitting 'flaky'")
def test_a_refit_that_gives_another_clustering_keeps_its_own_weight():
    X = np.random.default_rng(0).normal(size=(100, 2))
    seen = np.where(np.random.default_rng(1).permutation(100) < 40, X[:, 0] > 0, -1)
    Flaky.seen.clear()
    equal = [("flaky", Flaky()), ("a", Steady()), ("b", Steady(-1))]
    search = PACMDLSearchCV(equal, certify="pac-mdl", random_state=0).fit(X, seen)
    assert search.best_algorithm_ == "flaky"
    assert np.array_equal(search.labels_, X[:, 1] > 0)
    candidates = [of["candidate"] for of in search.cv_results_["bits"]]
    assert candidates == [0, 0, 0]  # together they have all the weight
    others = [w for name, w in search.certificate_.weights.items() if name != "label"]
    assert prod(map(Fraction, others)) == Fraction(1, 3)


@pytest.mark.parametrize("seed", range(20))
def test_ties_are_broken_as_if_nothing_were_pooled(seed):
    """What is asked to tell equal clusterings takes no random number from the names."""
    rng = np.random.default_rng(seed)
    select, certify = np.array([[1, 1], [0, 0], [0, 0]]), rng.integers(3, size=(3, 2))
    counts = [sweeps.counts_of(select, certify, test=np.array([5, 5, 5]))]
    known = {"language": Prior(), "seed": seed, "partition": b"4444"}
    for way in (sweeps.way("learned"), sweeps.way(sweeps.BY_ERRORS)):
        alone, pooled = (
            sweeps.count_options(*way, counts, **known, pools=pools).options[0]
            for pools in (False, True)
        )
        for one, other in zip(alone, pooled, strict=True):
            assert one.classes.tolist() == other.classes.tolist()
            assert one.terms == other.terms


LIST = [Candidate(name, 2) for name in "abcd"]
EQUAL, ALONE = [b"1", b"1", b"2", b"1"], [b"1", b"2", b"3", b"4"]


def weights_of(method, found):
    """By candidate, the weight of the candidate and of its only labeling."""
    claims = sweeps.claims_of(sweeps.sweep_of_kinds(method, LIST, found, ()))
    return {i: prod(own[0].terms.values()) if own else None for i, own in claims.items()}


def counted(errors, failed=(), equal=EQUAL):
    found = [sweeps.counted_by_folds(e, []) for e in errors]
    found = [c._replace(equal=(own,)) for c, own in zip(found, equal, strict=True)]
    return [None if i in failed else c for i, c in enumerate(found)]


@pytest.mark.parametrize("failed", [(), (3,), (0,)])
def test_sums_are_over_those_that_did_not_fail(failed):
    for method in (PacMdl(), Learned()):
        alone = weights_of(method, counted([3, 1, 2, 3], failed, ALONE))
        pooled = weights_of(method, counted([3, 1, 2, 3], failed))
        members = [i for i in (0, 1, 3) if i not in failed]
        assert pooled[2] == alone[2]
        # The second is the favorite, whose share goes to its clustering.
        assert {pooled[i] for i in members} == {sum(alone[i] for i in members)}
        assert all(pooled[i] is None for i in failed)


def test_another_fit_has_neither_the_sum_nor_the_share_of_the_favorite():
    found = counted([3, 1, 2, 3])
    sweep = sweeps.sweep_of_kinds(Learned(), LIST, found, ())
    alone = weights_of(Learned(), counted([3, 1, 2, 3], equal=ALONE))
    for index in (0, 1):
        again = sweep.refitted(index, found[2])
        assert prod(sweeps.claims_of(again)[index][0].terms.values()) == alone[index]


@pytest.mark.parametrize("noise", ["cluster", "abstain"])
@pytest.mark.parametrize("certify", ["learned", "pac-mdl"])
def test_columns_of_an_engine_pool_as_in_memory(rows, noise, certify):
    """Equal ones by other names, with other noise, and one with other rows alone."""
    seen, clusters = rows
    moved = clusters.copy()
    for k in range(2):
        moved[np.flatnonzero((clusters == k) & (seen < 0))[0]] = 1 - k
    columns = {
        "a": clusters,
        "moved": moved,
        "named": np.array(["x", "u", "w"])[clusters],
        "noise": clusters - 1,
        "again": np.array([0.0, np.nan, 5.0])[(clusters + 1) % 3],
    }
    frame = pl.DataFrame(columns | {"label": seen}).with_columns(
        pl.col("label").replace(-1, None)
    )
    memory, engine = (
        certified(of, "label", certify=certify, noise=noise)
        for of in (frame, frame.lazy())
    )
    assert_allclose(bits(memory), bits(engine), rtol=0.2)  # ties are broken otherwise
    for costs in (bits(memory), bits(engine)):
        shares_its_weight = [np.sum(np.isclose(own, costs)) > 1 for own in costs]
        assert shares_its_weight == [True, False, True, True, True]
