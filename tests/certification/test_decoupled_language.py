"""Labels of clusters that cost nothing: searches, given clusterings, and the proof."""

from typing import Any, NamedTuple

import numpy as np
import pytest
import sweeps
from scipy.stats import binom
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.datasets import load_digits

from sklearn_pacmdl import PACMDLSearchCV, certify_clusterings
from sklearn_pacmdl.bounds import ClusterKinds, decoupled_bound
from sklearn_pacmdl.certification import ClusterCounts, Option

# By tables for leaders, and what sets of clusters have of it.
OF_CLUSTERS = sweeps.way("decoupled").method
OF_SETS = sweeps.way("decoupled", factor="closed").method


class Offers(NamedTuple):
    """What candidates offer on a split."""

    candidates: Any
    options: Any
    weights: Any


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


def test_sets_of_clusters_have_no_tables():
    """Each set would have bases of its own, which is another statement."""
    clusters = np.array([[15, 10, 0]] * 40 + [[15, 10, 1]] * 20)
    options = [
        Option(np.zeros(60, int), {}, 600, 300, 20, -1, clusters),
        Option(np.zeros(40, int), {}, 400, 200, 20, -1, clusters[20:]),
    ]
    bounds = {}
    for method in (OF_SETS, OF_CLUSTERS):
        (found,) = method.bounds([Offers([0, 1], options, [{}, {}])], 0.1)
        bounds[method.factor] = found
        assert found.tolist() == [
            decoupled_bound(*c.T, factor=method.factor) for c in (clusters, clusters[20:])
        ]
    assert np.all(bounds["table"] < bounds["closed"])


def offers_of(*errors, n=100, m=10, n_clusters=10):
    """Candidates whose clusters have rows, labeled rows and these numbers of errors."""
    options = []
    for a in errors:
        clusters = np.array([[n, m, a]] * n_clusters)
        counts = n_clusters * m, n_clusters * (n - m), n_clusters * a
        options.append(Option(np.zeros(n_clusters, int), {}, *counts, -1, clusters))
    return Offers(range(len(options)), options, [{}] * len(options))


def leaders(offers, method=OF_CLUSTERS):
    """Candidates with bounds, which are the same on all splits."""
    found = {
        tuple(np.array(own.candidates)[~np.isnan(bounds)].tolist())
        for own, bounds in zip(offers, method.bounds(offers, 0.1), strict=True)
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
    assert ClusterKinds(*offers.options[0].clusters.T).n_cells == 30 * n_rows
    assert len(leaders([offers] * n_splits)) == expected


def test_clusters_without_tables_take_no_time():
    offers = offers_of(*[3] * 50, n=10**6, m=10**5, n_clusters=1)
    assert ClusterKinds(*offers.options[0].clusters.T).n_cells == 0
    assert len(leaders([offers])) == 16


def test_leaders_are_those_of_all_splits_on_average(monkeypatch):
    """The last candidate leads on one split, and the first four lead on average."""
    sweeps.limit_leaders(monkeypatch, 4)
    one, other = offers_of(2, 2, 2, 2, 4, 4, 1), offers_of(1, 1, 1, 1, 3, 3, 9)
    assert 6 in leaders([one])
    assert leaders([one, other]) == {0, 1, 2, 3}
    # A candidate that claims nothing on one of the splits has no mean.
    sweeps.limit_leaders(monkeypatch, 3)
    assert leaders([one, Offers(*(own[1:] for own in other))]) == {1, 2, 3}


def errors_to_expect(table):
    """Halfway from those that are seen to those of rows left out of their clusters."""
    errors = float(table.sum() - table.max(axis=1).sum())
    for own in table:
        for k, n in enumerate(own):
            rest = own - (np.arange(len(own)) == k)
            best = rest == rest.max()
            errors += n * (1 - best[k] / best.sum())
    return errors / 2 + 0.3 * (table.sum(axis=1) == 1).sum()


@pytest.mark.filterwarnings("ignore:.* clusters, with .* hold no label")
def test_each_candidate_pays_and_the_leaders_have_bounds():
    rng = np.random.RandomState(0)
    seen = half(np.repeat([0, 1], 60), 0)
    clusterings = [
        np.where(rng.uniform(size=120) < 0.01 * (33 - k), k, np.arange(120) // 15)
        for k in range(32)
    ]
    given = {"certify": "decoupled", "classes": [0, 1], "random_state": 0}
    found = certify_clusterings(clusterings, seen, **given)
    bounds, errors = [], []
    for labels in clusterings:
        names, clusters = np.unique(labels, return_inverse=True)
        table = np.zeros((len(names), 2), dtype=int)
        np.add.at(table, (clusters[seen >= 0], seen[seen >= 0]), 1)
        counts = np.bincount(clusters), table.sum(axis=1), table.min(axis=1)
        bounds.append(decoupled_bound(*counts, description_length=5))  # 32 candidates
        errors.append(errors_to_expect(table))
    leads = ~np.isnan(found.results["mean_test_bound"])
    assert leads.sum() == 16
    expected = np.where(leads, bounds, np.nan) / 60
    assert found.results["mean_test_bound"].tolist() == pytest.approx(
        expected.tolist(), nan_ok=True, abs=0
    )
    # They are not quite those that lead, whose bounds would have to be computed.
    assert np.nanmin(expected) * 60 <= min(bounds) + 1
    assert found.bound == found.certificate.bound == np.nanmin(expected)
    assert found.certificate.factor == "table"
    # Who is chosen by something else has a bound, too.
    chosen = certify_clusterings(clusterings, seen, choose="errors", **given)
    assert chosen.best_index == np.argmin(errors)
    assert chosen.bound == bounds[chosen.best_index] / 60
    assert chosen.results["ranking_value"].tolist() == (np.array(errors) / 60).tolist()


def test_the_choice_by_errors_is_bounded_though_it_does_not_lead():
    """Small clusters with one wrong row each have fewer errors, and larger bounds."""
    y = np.repeat([0, 1], 100)
    seen = half(y, 0)
    labeled, rng = seen >= 0, np.random.RandomState(0)
    clusterings = {}
    for k in range(20):
        wrong = np.concatenate(
            [rng.choice(np.flatnonzero(rows), 14, False) for rows in (labeled, ~labeled)]
        )
        clusterings[str(k)] = np.where(np.isin(np.arange(200), wrong), 1 - y, y)
    small = np.arange(200) // 10
    small[::10] = (small[::10] + 10) % 20
    clusterings["small"] = small
    plain, chosen = (
        certify_clusterings(
            clusterings, seen, certify="decoupled", choose=choose, random_state=0
        )
        for choose in ("bound", "errors")
    )
    assert np.isnan(plain.results["mean_test_bound"][20])
    assert chosen.best_name == "small"
    assert plain.bound < chosen.bound < 1
    table = np.zeros((20, 2), dtype=int)
    np.add.at(table, (small[labeled], seen[labeled]), 1)
    bits = chosen.certificate.description_length
    assert chosen.certificate.max_test_errors == decoupled_bound(
        [10] * 20, table.sum(axis=1), table.min(axis=1), description_length=bits
    )
    assert chosen.certificate.verify(seen, chosen.transduction, clusters=small)


def test_counts_of_clusters_are_enough():
    counts = ClusterCounts.from_tables([[30, 0], [3, 27]], unlabeled=[30, 30])
    certified = certify_clusterings([counts], certify="decoupled")
    assert certified.certificate.clusters == ((1, 60, 30, 0), (1, 60, 30, 3))
    assert "classes were known" not in certified.certificate.statement


def test_clusters_that_miss_a_target_are_left_out():
    """Sets of clusters are certified by the closed form, and any set may be taken."""
    X, y = load_digits(return_X_y=True)
    seen = half(y, 0)
    labeler = PACMDLSearchCV(
        AgglomerativeClustering(20), target=0.09, certify="decoupled"
    ).fit(X, seen)
    certificate = labeler.certificate_
    assert certificate.factor == "closed"
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


@pytest.mark.filterwarnings("ignore:.* clusters, with .* hold no label")
@pytest.mark.parametrize("seed", [0, 1])
def test_holds_for_sorted_files_and_the_best_of_many(seed):
    """Noisy clusters of all sizes; candidates differ, and the tightest is taken."""
    # So many draws find a true rate of .4 with a probability of .99.
    rng, n_draws, delta = np.random.RandomState(seed), 250, 0.2
    y = np.sort(rng.randint(3, size=240))
    clusterings = {
        str(k): np.where(rng.uniform(size=240) < 0.7, (np.arange(240) * k) // 240, k)
        for k in (2, 5, 12, 40)
    }
    broken = 0
    for _ in range(n_draws):
        seen = np.where(rng.permutation(240) < 80, y, -1)
        certified = certify_clusterings(
            clusterings, seen, certify="decoupled", delta=delta, classes=[0, 1, 2]
        )
        wrong = np.sum((certified.transduction != y)[seen < 0])
        broken += wrong > certified.certificate.max_test_errors
    assert broken <= binom.ppf(1 - 1e-6, n_draws, delta)
