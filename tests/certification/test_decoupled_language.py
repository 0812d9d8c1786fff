"""Labels of clusters that cost nothing: searches, given labelings, and that it holds."""

from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.datasets import load_digits

from sklearn_pacmdl import PACMDLSearchCV, SelectiveClusterLabeler, certify_labelings
from sklearn_pacmdl.bounds import Groups, decoupled_bound, pac_mdl_bound
from sklearn_pacmdl.certification import ClusterCounts, Offers, Option
from sklearn_pacmdl.certification._counting import _labeling
from sklearn_pacmdl.certification._goals import LabelAll
from sklearn_pacmdl.certification._registry import make_strategy
from sklearn_pacmdl.certification._ways import Decoupled
from sklearn_pacmdl.cluster import PrecomputedLabels
from sklearn_pacmdl.languages import ALGO, DECOUPLED, DecoupledLanguage

# One statement alone, by tables for leaders, and what sets of clusters have of it.
OF_CLUSTERS = Decoupled(share=Fraction(0))
OF_SETS = replace(OF_CLUSTERS, factor="closed")


def half(y, seed):
    labeled = np.random.RandomState(seed).permutation(len(y)) < len(y) // 2
    return np.where(labeled, y, -1)


def test_the_bound_is_that_of_the_clusters():
    X, y = load_digits(return_X_y=True)
    y = half(y, 0)
    search = PACMDLSearchCV(
        AgglomerativeClustering(),
        n_clusters=[20, 40],
        certify="decoupled",
        random_state=0,
    ).fit(X, y)
    certificate, clusters = search.certificate_, search.labels_
    assert certificate.kind == "decoupled"
    assert certificate.provisos == (
        "the labeled rows are a uniformly random choice",
        "X was made without the labels",
    )
    n, labeled = np.bincount(clusters), y >= 0
    wrong = labeled & (search.transduction_ != y)
    expected = decoupled_bound(
        n,
        np.bincount(clusters[labeled], minlength=len(n)),
        np.bincount(clusters[wrong], minlength=len(n)),
        description_length=certificate.description_length,
    )
    assert certificate.max_test_errors == expected
    assert certificate.verify(y, search.transduction_, clusters=clusters)
    paid = PACMDLSearchCV(
        AgglomerativeClustering(), n_clusters=[20, 40], certify="pac-mdl", random_state=0
    ).fit(X, y)
    assert search.best_bound_ < paid.best_bound_ / 2


def test_costs_are_those_of_candidates_alone():
    X, y = load_digits(return_X_y=True)
    search = PACMDLSearchCV(
        KMeans(n_init=1), n_clusters=[5, 9], n_init=2, certify="decoupled"
    )
    search.fit(X[:300], half(y[:300], 1))
    results = search.cv_results_
    assert not any("label" in bits for bits in results["bits"])
    assert np.all(results["description_length"] >= 0)


def test_equal_partitions_share_their_weight_and_equal_labelings_do_not():
    y = np.array([0] * 50 + [1] * 50)
    fine = np.arange(100) // 25
    given = {"y": half(y, 0), "certify": "decoupled", "classes": [0, 1]}
    twice = certify_labelings({"a": y, "b": 1 - y}, **given)
    assert twice.certificate.weights["pooling"] == 2
    once = certify_labelings({"a": y, "b": fine}, **given)
    assert "pooling" not in once.certificate.weights


def test_sets_of_clusters_are_told_apart_and_their_classes_are_not():
    """Otherwise sets would share weights that each of them has to pay for."""
    of_set, by_class = {}, set()
    for classes in product([-1, 0, 1, 3], repeat=4):
        option = Option(np.array(classes), {}, 1, 1, 0, -1, np.array([[2, 1, 0]]))
        said = _labeling(option, np.ndarray.tobytes)
        assert of_set.setdefault(tuple(c >= 0 for c in classes), said) == said
        by_class.add(_labeling(option._replace(clusters=None), np.ndarray.tobytes))
    assert len({*of_set.values()}) == 2**4
    assert len(by_class) == 4**4
    assert not by_class & {*of_set.values()}


def test_sets_of_clusters_have_no_tables():
    """Each set would have bases of its own, which is another statement."""
    assert make_strategy("decoupled", for_sets=True) == OF_SETS
    clusters = np.array([[15, 10, 0]] * 40 + [[15, 10, 1]] * 20)
    options = [
        Option(np.zeros(60, int), {}, 600, 300, 20, -1, clusters),
        Option(np.zeros(40, int), {}, 400, 200, 20, -1, clusters[20:]),
    ]
    bounds = {}
    for strategy in (OF_SETS, OF_CLUSTERS):
        (found,) = strategy.bounds([Offers([0, 1], options, [{}, {}])], 0.1)
        bounds[strategy.factor] = found.n_test_errors
        assert found.sharper.tolist() == [strategy.factor == "table"] * 2
        assert found.n_test_errors.tolist() == [
            decoupled_bound(*c.T, factor=strategy.factor)
            for c in (clusters, clusters[20:])
        ]
    assert np.all(bounds["table"] < bounds["closed"])


def test_the_two_statements_of_labelings_share_delta():
    """Nine tenths are for all labelings of the clusters, one for this one alone."""
    rng, unseen = np.random.RandomState(0), np.array([30, 50])
    options, by_factor = [], {"closed": [], "table": []}
    for counts in ([[30, 0], [3, 27]], [[9, 1], [8, 2]], [[40, 2], [0, 18]]):
        given = ClusterCounts.from_tables(counts, unlabeled=unseen)
        found = LabelAll().options(Decoupled(), given, ALGO, rng)
        assert sum(option.terms["statement"] for option in found) == 1
        assert set(found[0].terms) == {"statement"}
        m, a = np.sum(counts, axis=1), np.min(counts, axis=1)
        clusters = m + unseen, m, a
        assert np.array_equal(found[0].clusters.T, clusters)
        assert found[1].clusters is None
        # Two clusters of two classes: two bits.
        alone = m.sum(), unseen.sum(), a.sum()
        paid = pac_mdl_bound(*alone, description_length=2, delta=0.01)
        for factor, bounds in by_factor.items():
            bounds += [decoupled_bound(*clusters, delta=0.09, factor=factor), paid]
        options += found
    offers = Offers([7, 7, 8, 8, 9, 9], options, [option.terms for option in options])
    for factor, bounds in by_factor.items():
        (found,) = Decoupled(factor=factor).bounds([offers], 0.1)
        assert found.n_test_errors.tolist() == bounds
        assert found.sharper.tolist() == [factor == "table"] * 6
    (one,) = Decoupled().bounds([Offers(*(own[2:4] for own in offers))], 0.1)
    assert one.n_test_errors.tolist() == bounds[2:4]


def offers_of(*errors, n=100, m=10, n_clusters=10):
    """Candidates whose clusters have rows, labeled rows and these numbers of errors."""
    options = []
    for a in errors:
        clusters = np.array([[n, m, a]] * n_clusters)
        counts = n_clusters * m, n_clusters * (n - m), n_clusters * a
        options.append(Option(np.zeros(n_clusters, int), {}, *counts, -1, clusters))
    return Offers(range(len(options)), options, [{}] * len(options))


def leaders(offers, strategy=OF_CLUSTERS):
    """Candidates with bounds by tables, which are the same on all splits."""
    found = {
        tuple(np.array(own.candidates)[bounds.sharper].tolist())
        for own, bounds in zip(offers, strategy.bounds(offers, 0.1), strict=True)
    }
    assert len(found) == 1
    return {*found.pop()}


@pytest.mark.parametrize(
    ("n_rows", "n_splits", "expected"),
    [(3_000, 1, 16), (8_000, 1, 6), (1_600, 5, 6), (10**5, 1, 4), (4_000, 5, 4)],
)
def test_tables_that_take_long_are_of_fewer_leaders(n_rows, n_splits, expected):
    """Of each candidate, 30,000 cells for 1,000 rows in clusters with ten labels."""
    offers = offers_of(*[3] * 50, n_clusters=n_rows // 100)
    assert Groups(*offers.options[0].clusters.T).n_cells == 30 * n_rows
    assert len(leaders([offers] * n_splits)) == expected


def test_clusters_without_tables_take_no_time():
    offers = offers_of(*[3] * 50, n=10**6, m=10**5, n_clusters=1)
    assert Groups(*offers.options[0].clusters.T).n_cells == 0
    assert len(leaders([offers])) == 16


def test_leaders_are_those_of_all_splits_on_average():
    """The last candidate leads on one split, and the first four lead on average."""
    four, three = (replace(OF_CLUSTERS, n_leaders=n) for n in (4, 3))
    one, other = offers_of(2, 2, 2, 2, 4, 4, 1), offers_of(1, 1, 1, 1, 3, 3, 9)
    assert 6 in leaders([one], four)
    assert leaders([one, other], four) == {0, 1, 2, 3}
    # A candidate that claims nothing on one of the splits has no mean.
    assert leaders([one, Offers(*(own[1:] for own in other))], three) == {1, 2, 3}


@pytest.mark.filterwarnings("ignore:.* clusters, with .* hold no label")
def test_each_candidate_pays_and_the_leaders_have_tables():
    rng = np.random.RandomState(0)
    y = np.repeat([0, 1], 60)
    seen = half(y, 0)
    labelings = [
        np.where(rng.uniform(size=120) < 0.01 * (33 - k), k, np.arange(120) // 15)
        for k in range(32)
    ]
    found = certify_labelings(labelings, seen, certify="decoupled", classes=[0, 1])
    by_factor, errors = {"closed": [], "table": []}, []
    for labels in labelings:
        names, clusters = np.unique(labels, return_inverse=True)
        table = np.zeros((len(names), 2), dtype=int)
        np.add.at(table, (clusters[seen >= 0], seen[seen >= 0]), 1)
        errors.append(table.min(axis=1).sum())
        counts = np.bincount(clusters), table.sum(axis=1), table.min(axis=1)
        for factor, bounds in by_factor.items():
            # 32 candidates, and nine tenths of delta.
            bits = 5 + np.log2(10 / 9)
            bounds.append(
                decoupled_bound(*counts, description_length=bits, factor=factor)
            )
    closed, table = np.array(by_factor["closed"]), np.array(by_factor["table"])
    leaders = found.results["sharper_bound"]
    assert leaders.sum() == 16
    # The other tenth is for the labeling alone, whose classes cost bits.
    bits = found.results["description_length"]
    described = np.array([own["label"] > 0 for own in found.results["bits"]])
    paid = pac_mdl_bound(60, 60, errors, description_length=bits)
    expected = np.where(leaders, table, closed)
    assert 0 < described.sum() < 32
    assert np.all(paid[described] < expected[described])
    expected[described] = paid[described]
    # They are not quite those that lead by tables, which would have to be computed.
    assert expected.min() <= table.min() + 1
    assert len(set(closed)) > 4
    assert np.any(expected < closed)
    assert found.results["mean_test_bound"].tolist() == (expected / 60).tolist()
    assert found.bound == found.certificate.bound == expected.min() / 60
    assert "factor" not in found.certificate.facts


@pytest.mark.filterwarnings("ignore:.* clusters, with .* hold no label")
def test_rows_of_undeclared_classes_are_errors():
    y = half(np.repeat([0, 1, 7], [80, 80, 40]), 0)
    labelings = {"three": np.repeat([0, 1, 2], [80, 80, 40])}
    with pytest.warns(UserWarning, match="Labels that are not in classes= count as"):
        certified = certify_labelings(
            labelings, y, certify="decoupled", classes=[0, 1], random_state=0
        )
    assert certified.certificate.n_train_errors == np.sum(y == 7)


def test_counts_of_clusters_are_enough():
    counts = ClusterCounts.from_tables([[30, 0], [3, 27]], unlabeled=[30, 30])
    certified = certify_labelings([counts], certify="decoupled")
    assert certified.certificate.clusters == ((1, 60, 30, 0), (1, 60, 30, 3))
    assert "classes were known" not in certified.certificate.statement


def test_the_language_itself_and_its_name_are_the_same():
    y = np.repeat([0, 1, 2], 60)
    labelings = {"a": y, "b": np.arange(180) // 20}
    found = [
        certify_labelings(labelings, half(y, 0), language=language, random_state=0)
        for language in (None, DECOUPLED, DecoupledLanguage())
    ]
    assert {c.certificate.kind for c in found} == {"decoupled"}
    assert len({c.certificate.max_test_errors for c in found}) == 1


def test_few_mixed_clusters_are_paid_for():
    """Then the classes have to be known, and the certificate says so."""
    rng = np.random.RandomState(0)
    y = rng.randint(2, size=400)
    mixed = np.where(rng.uniform(size=400) < 0.5, rng.randint(2, size=400), y)
    mixed += 2 * rng.randint(2, size=400)
    seen = np.where(rng.permutation(400) < 60, y, -1)
    found = certify_labelings([mixed], seen, random_state=0)
    certificate = found.certificate
    assert certificate.kind == found.certify == "decoupled"
    assert certificate.weights["statement"] == Fraction(1, 10)
    assert certificate.clusters == ()
    assert "the 2 classes were known beforehand" in certificate.statement
    declared = certify_labelings([mixed], seen, classes=[0, 1]).certificate
    assert "known beforehand" not in declared.statement
    errors, bits = certificate.n_train_errors, certificate.description_length
    expected = pac_mdl_bound(60, 340, errors, description_length=bits)
    assert certificate.bound == expected / 340
    assert found.results["bits"][0]["label"] > 0
    assert certificate.verify(seen, found.transduction)


def test_weights_of_the_two_statements_are_not_added():
    """Clusters numbered like their classes say the same row by row, but not of them."""
    y = np.repeat([0, 1, 2], 60)
    found = certify_labelings({"a": y, "b": y[::-1]}, half(y, 0), classes=[0, 1, 2])
    weights = found.certificate.weights
    assert weights["statement"] == Fraction(9, 10)
    assert weights["pooling"] == 2  # and not 2 + 2 / 9, by the labelings


def test_clusters_that_miss_a_target_are_left_out():
    """Sets of clusters are certified by the closed form, and any set may be taken."""
    X, y = load_digits(return_X_y=True)
    seen = half(y, 0)
    labeler = SelectiveClusterLabeler(
        AgglomerativeClustering(20), target=0.09, certify="decoupled"
    ).fit(X, seen)
    certificate = labeler.certificate_
    assert certificate.facts["factor"] == "closed"
    assert 0.2 < labeler.coverage_ < 1
    given = labeler.transduction_
    assert certificate.verify(seen, given, clusters=labeler.labels_)
    accepted = np.unique(labeler.labels_[given >= 0])
    n, m, a = (
        np.bincount(labeler.labels_[rows], minlength=20)[accepted]
        for rows in (seen > -2, seen >= 0, (seen >= 0) & (seen != given))
    )
    expected = decoupled_bound(
        n, m, a, description_length=certificate.description_length, factor="closed"
    )
    assert certificate.max_test_errors == expected <= 0.09 * certificate.n_test


def test_sets_of_clusters_do_not_share_weights():
    """Labels decide which candidates offer a set; its level must not depend on labels."""
    y = np.repeat([0, 1, 2], 60)
    labelings = {"three": y, "shifted": (y + 1) % 3, "finer": y * 2 + np.arange(180) % 2}
    given = {"target": 0.3, "certify": "decoupled"}
    search = SelectiveClusterLabeler(PrecomputedLabels(), **given)
    search.fit(pd.DataFrame(labelings), half(y, 0))
    weights = search.certificate_.weights
    assert weights["subset"] == Fraction(1, 3)
    assert "pooling" not in weights
    found = certify_labelings(labelings, half(y, 0), **given)
    assert "pooling" not in found.certificate.weights


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.* clusters, with .* hold no label")
@pytest.mark.parametrize("seed", [0, 1])
def test_holds_for_sorted_files_and_the_best_of_many(seed):
    """Noisy clusters of all sizes; candidates differ, and the tightest is taken."""
    rng, n_draws, delta = np.random.RandomState(seed), 400, 0.2
    y = np.sort(rng.randint(3, size=240))
    labelings = {
        str(k): np.where(rng.uniform(size=240) < 0.7, (np.arange(240) * k) // 240, k)
        for k in (2, 5, 12, 40)
    }
    broken = 0
    for _ in range(n_draws):
        seen = np.where(rng.permutation(240) < 80, y, -1)
        certified = certify_labelings(
            labelings, seen, certify="decoupled", delta=delta, classes=[0, 1, 2]
        )
        wrong = np.sum((certified.transduction != y)[seen < 0])
        broken += wrong > certified.certificate.max_test_errors
    assert broken <= binom.ppf(1 - 1e-6, n_draws, delta)


def test_a_column_says_which_bounds_are_by_tables():
    X, y = load_digits(return_X_y=True)
    X, y = X[:400], half(y[:400], 0)
    search = PACMDLSearchCV(KMeans(n_init=1), n_clusters=range(2, 24), random_state=0)
    results = search.fit(X, y).cv_results_
    by_tables = results["sharper_bound"]
    assert by_tables.dtype == bool
    assert by_tables.sum() == 16
    assert by_tables[search.best_index_]
    given = certify_labelings(
        {str(k): KMeans(k, n_init=1, random_state=0).fit_predict(X) for k in (3, 9)}, y
    )
    assert np.all(given.results["sharper_bound"])
    paid = PACMDLSearchCV(KMeans(n_init=1), n_clusters=[3], certify="pac-mdl")
    assert "sharper_bound" not in paid.fit(X, y).cv_results_


def test_the_column_is_about_the_bounds_of_all_splits(monkeypatch):
    """A mean of bounds by either statement is no bound by the sharper one."""
    X, y = load_digits(return_X_y=True)
    search = PACMDLSearchCV(KMeans(n_init=1), n_clusters=[5, 9], cv=2, random_state=0)
    plain = Decoupled.bounds

    def bounds(self, offers, delta):
        first, *others = plain(self, offers, delta)
        only = np.array(offers[-1].candidates) == 0
        return [first, *(own._replace(sharper=only) for own in others)]

    monkeypatch.setattr(Decoupled, "bounds", bounds)
    results = search.fit(X[:200], y[:200]).cv_results_
    assert results["sharper_bound"].tolist() == [True, False]


def test_bounds_of_the_column_are_those_of_their_factor():
    rng = np.random.RandomState(0)
    truth = np.repeat(np.arange(4), 50)
    y = half(truth, 0)
    labelings = {
        str(i): truth // (1 + i % 3) + rng.randint(2, size=200) for i in range(12)
    }
    results = certify_labelings(labelings, y, random_state=0).results
    for i, clusters in enumerate(labelings.values()):
        if results["bits"][i]["label"]:
            continue
        sizes = np.bincount(clusters)
        table = np.zeros((len(sizes), 4), dtype=int)
        np.add.at(table, (clusters[y >= 0], y[y >= 0]), 1)
        table = table[sizes > 0]
        factor = "table" if results["sharper_bound"][i] else "closed"
        bound = decoupled_bound(
            sizes[sizes > 0],
            table.sum(axis=1),
            table.sum(axis=1) - table.max(axis=1),
            description_length=results["description_length"][i],
            factor=factor,
        )
        assert results["mean_test_bound"][i] * 100 == pytest.approx(bound)
    assert sum(bits["label"] == 0 for bits in results["bits"]) > 6
