"""Published values, a second route for each formula, and the properties of them all."""

from itertools import combinations
from math import comb, log2

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import (
    fowlkes_mallows_score,
    homogeneity_score,
    mutual_info_score,
    normalized_mutual_info_score,
    rand_score,
)
from sklearn.metrics.cluster import pair_confusion_matrix

from sklearn_pacmdl import metrics as m
from sklearn_pacmdl.datasets import dom_joint_distribution

# Which are symmetric, and what they are for equal partitions: Q0 and Q1 depend on sizes.
SYMMETRIC = {
    "normalized_hamming_score",
    "pair_jaccard_score",
    "pair_rand_score",
    "pair_fowlkes_mallows_score",
    "hubert_gamma_score",
    "pairwise_fbeta_score",
}
PAIRED = {
    *(SYMMETRIC - {"normalized_hamming_score"}),
    "pairwise_precision_score",
    "pairwise_recall_score",
}
PERFECT = {
    **dict.fromkeys([*SYMMETRIC, *PAIRED, "purity_score", "dom_q2_score"], 1.0),
    "empirical_conditional_entropy": 0.0,
}
RANGES = {
    **dict.fromkeys([*SYMMETRIC, *PAIRED, "purity_score", "dom_q2_score"], (0, 1)),
    "hubert_gamma_score": (-1, 1),
    "empirical_conditional_entropy": (0, np.inf),
    "dom_q0_loss": (0, np.inf),
    "dom_q1_score": (-np.inf, np.inf),
}
ALL = sorted(RANGES)
MEASURES = {name: getattr(m, name) for name in ALL}

# Manning et al., Fig. 16.4: clusters of x, o, d.
MANNING = np.array([[5, 1, 0], [1, 4, 1], [2, 0, 3]]).T


def from_table(table):
    """Labels with this contingency table of classes by clusters."""
    rows, columns = np.indices(table.shape)
    counts = table.ravel()
    return np.repeat(rows.ravel(), counts), np.repeat(columns.ravel(), counts)


def test_manning():
    classes, clusters = from_table(MANNING)
    assert f"{m.purity_score(classes, clusters):.2f}" == "0.71"
    assert f"{normalized_mutual_info_score(classes, clusters):.2f}" == "0.36"
    assert f"{m.pair_rand_score(classes, clusters):.2f}" == "0.68"
    assert f"{m.pairwise_fbeta_score(classes, clusters, beta=5):.2f}" == "0.46"
    assert f"{m.pairwise_fbeta_score(classes, clusters):.2f}" == "0.48"
    assert m.pairwise_precision_score(classes, clusters) == 20 / 40
    assert m.pairwise_recall_score(classes, clusters) == 20 / 44
    np.testing.assert_array_equal(
        m.pair_table(classes, clusters), [[2 * 72, 2 * 20], [2 * 24, 2 * 20]]
    )


def brute_pairs(a, b):
    """Pairs, one by one: together in both, in a only, in b only, in neither."""
    counts = np.zeros(4)
    for i, j in combinations(range(len(a)), 2):
        counts[2 * (a[i] != a[j]) + (b[i] != b[j])] += 1
    return counts


def brute_q0(classes, clusters, n_classes=None):
    """The code, spelled out: index of each column, then each class given the column."""
    n, n_classes = len(classes), n_classes or len(set(classes))
    bits = 0.0
    for k in set(clusters):
        inside = [c for c, j in zip(classes, clusters, strict=True) if j == k]
        h = len(inside)
        bits += log2(comb(h + n_classes - 1, n_classes - 1))
        bits -= sum(log2(inside.count(c) / h) for c in inside)
    return bits / n


labelings = st.integers(2, 25).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(0, 4), min_size=n, max_size=n)] * 2)
)


@given(labelings)
def test_second_routes(pair):
    classes, clusters = (list(v) for v in pair)
    n, n_classes = len(classes), len(set(classes))
    tt, tf, ft, ff = brute_pairs(classes, clusters)
    total = comb(n, 2)

    def ratio(x, y):
        return x / y if y else float(tf == ft == 0)

    same_class, same_cluster = tt + tf, tt + ft
    root = np.sqrt(
        same_class * same_cluster * (total - same_class) * (total - same_cluster)
    )
    expected = {
        "pair_jaccard_score": ratio(tt, tt + tf + ft),
        "pair_rand_score": (tt + ff) / total,
        "hubert_gamma_score": ratio(total * tt - same_class * same_cluster, root),
        "pairwise_precision_score": ratio(tt, same_cluster),
        "pairwise_recall_score": ratio(tt, same_class),
        "pairwise_fbeta_score": ratio(2 * tt, 2 * tt + tf + ft),
        "dom_q0_loss": brute_q0(classes, clusters),
        "purity_score": sum(
            max(_members(classes, clusters, k).count(c) for c in set(classes))
            for k in set(clusters)
        )
        / n,
        "empirical_conditional_entropy": (1 - homogeneity_score(classes, clusters))
        * _entropy(classes),
    }
    for name, value in expected.items():
        assert MEASURES[name](classes, clusters) == pytest.approx(value, abs=1e-9), name
    one = log2(comb(n + n_classes - 1, n_classes - 1)) / n
    assert m.dom_q1_score(classes, clusters) == pytest.approx(
        _entropy(classes) + one - brute_q0(classes, clusters), abs=1e-9
    )
    assert (
        m.dom_q1_score(classes, clusters)
        <= mutual_info_score(classes, clusters) / np.log(2) + one + 1e-9
    )
    cost = brute_q0(classes, clusters)
    best = brute_q0(classes, classes) if n_classes > 1 else 0
    q2 = best / cost if cost else 1.0
    assert m.dom_q2_score(classes, clusters) == pytest.approx(min(q2, 1.0))


def _members(classes, clusters, k):
    return [c for c, j in zip(classes, clusters, strict=True) if j == k]


def _entropy(classes):
    _, counts = np.unique(classes, return_counts=True)
    p = counts / counts.sum()
    return float(-(p * np.log2(p)).sum())


def test_hamming_by_hand():
    table = np.array([[4, 1, 0], [0, 3, 2]])
    score = m.normalized_hamming_score(None, None, contingency=table)
    assert score == 1 - ((1 + 0) + (1 + 2)) / 20  # Eqs. 21-23
    classes, clusters = from_table(table)
    assert m.normalized_hamming_score(classes, clusters) == score


def test_scikit_learn_where_it_has_the_measure():
    rng = np.random.RandomState(1)
    a, b = rng.randint(5, size=200), rng.randint(4, size=200)
    table = np.histogram2d(a, b, bins=(5, 4))[0]
    for name, theirs in [
        ("pair_rand_score", rand_score),
        ("pair_fowlkes_mallows_score", fowlkes_mallows_score),
    ]:
        ours = MEASURES[name]
        assert ours(a, b) == pytest.approx(theirs(a, b))
        assert ours(None, None, contingency=table) == pytest.approx(theirs(a, b))
        pairs = pair_confusion_matrix(a, b)
        assert ours(None, None, pairs=pairs) == pytest.approx(theirs(a, b))


@pytest.mark.parametrize("name", ALL)
def test_properties(name):
    measure = MEASURES[name]
    rng = np.random.RandomState(2)
    for trial in range(20):
        n = 30
        classes, clusters = rng.randint(4, size=n), rng.randint(3 + trial % 4, size=n)
        value = measure(classes, clusters)
        low, high = RANGES[name]
        assert type(value) is float
        assert low - 1e-12 <= value <= high + 1e-12
        order = rng.permutation(n)
        assert measure(classes[order], clusters[order]) == pytest.approx(value)
        renamed = rng.permutation(10)[classes], rng.permutation(10)[clusters]
        assert measure(*renamed) == pytest.approx(value)
        words = np.array(list("abcdefgh"))[clusters]
        assert measure(classes.tolist(), words) == pytest.approx(value)
        assert measure(classes, clusters - 1) == pytest.approx(value), "-1 is a cluster"
        if name in SYMMETRIC:
            assert measure(clusters, classes) == pytest.approx(value)
        table = np.zeros((4, 10))
        np.add.at(table, (classes, clusters), 1)
        table = table[np.ix_(np.unique(classes), np.unique(clusters))]
        for kind in (np.asarray, sp.csr_matrix, sp.coo_array):
            assert measure(None, None, contingency=kind(table)) == pytest.approx(value)
        if name in PERFECT:
            assert measure(classes, classes) == pytest.approx(PERFECT[name])


@pytest.mark.parametrize("name", ALL)
def test_bad_shapes(name):
    measure = MEASURES[name]
    with pytest.raises(ValueError, match="inconsistent numbers"):
        measure([0, 1, 2], [0, 1])
    with pytest.raises(ValueError, match="1D|1d"):
        measure([[0, 1], [1, 0]], [0, 1])
    with pytest.raises(ValueError, match="labels_true and labels_pred are needed"):
        measure(None, None)
    with pytest.raises(ValueError, match="contingency must be 2-dimensional"):
        measure(None, None, contingency=[1, 2])
    with pytest.raises(ValueError, match="contingency must hold finite, non-negative"):
        measure(None, None, contingency=[[1, -2], [0, 1]])


@pytest.mark.parametrize("name", ALL)
def test_labels_or_one_table(name):
    """Of two sources one would be ignored; one table needs nothing beside it."""
    measure, table = MEASURES[name], [[2, 0], [0, 2]]
    labels = [0, 0, 1, 1]
    assert measure(contingency=table) == measure(labels, labels)
    for pair in [(labels, labels), (labels, None), (None, labels)]:
        with pytest.raises(ValueError, match="labels_pred are needed, or contingency"):
            measure(*pair, contingency=table)
    with pytest.raises(ValueError, match="alone, got labels_pred"):
        measure(labels_pred=labels)
    if name in PAIRED:
        pairs = m.pair_table(labels, labels)
        assert measure(pairs=pairs) == measure(labels, labels)
        with pytest.raises(ValueError, match="got labels_true and labels_pred and pairs"):
            measure(labels, labels, pairs=pairs)
        with pytest.raises(ValueError, match="got contingency and pairs"):
            measure(contingency=table, pairs=pairs)


CLASSES = ["a", "a", "b", "b", "b"]


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("kwargs", [{}, {"margins_name": "Total"}, {"normalize": True}])
def test_margins_are_no_classes(name, kwargs):
    """A cross table with its sums would make a perfect clustering half as pure."""
    measure = MEASURES[name]
    table = pd.crosstab(CLASSES, pd.Series(CLASSES), **kwargs)
    sums = pd.crosstab(CLASSES, pd.Series(CLASSES), margins=True, **kwargs)
    if kwargs != {"normalize": True}:
        assert measure(contingency=table) == pytest.approx(measure(CLASSES, CLASSES))
    with pytest.raises(ValueError, match="got a last row and a last column of sums"):
        measure(contingency=sums)
    nested = pd.crosstab([CLASSES, CLASSES], pd.Series(CLASSES), margins=True)
    with pytest.raises(ValueError, match="got a last row and a last column of sums"):
        measure(contingency=nested)


def test_tables_that_only_look_like_margins():
    """Chance makes the last row the sum of the others; "All" may be a class."""
    chance = [[5, 5], [5, 5]]
    assert m.purity_score(contingency=chance) == 0.5
    names = list("ab")
    assert m.purity_score(contingency=pd.DataFrame(chance, names, names)) == 0.5
    names = ["Some", "All"]
    other = pd.DataFrame([[4, 1], [0, 5]], names, names)
    assert m.purity_score(contingency=other) == 0.9


@pytest.mark.parametrize("kind", [sp.csr_array, sp.csc_matrix, sp.coo_array])
def test_a_sparse_table_is_left_alone(kind):
    table = kind(sp.coo_array(([1.0, 1, 0, 3], ([0, 0, 1, 1], [0, 0, 0, 1]))))
    before = table.data.copy()
    assert m.purity_score(contingency=table) == 1
    np.testing.assert_array_equal(table.data, before)


def test_pairs_are_those_of_scikit_learn():
    rng = np.random.RandomState(3)
    a, b = rng.randint(5, size=80), rng.randint(9, size=80)
    pairs = m.pair_table(a, b)
    np.testing.assert_array_equal(pairs, pair_confusion_matrix(a, b), strict=True)
    assert m.pair_rand_score(a, b) == rand_score(a, b)
    assert m.pair_fowlkes_mallows_score(a, b) == fowlkes_mallows_score(a, b)
    # As many clusters as objects are no cause for a warning about classes.
    assert m.pair_rand_score(range(30), range(30)) == 1


@pytest.mark.parametrize("name", ALL)
def test_degenerate_inputs(name):
    """One object, one cluster, all apart, one class: defined everywhere."""
    measure = MEASURES[name]
    for classes, clusters in [
        ([], []),
        ([0], [0]),
        ([0, 0, 0], [0, 0, 0]),
        ([0, 1, 2], [0, 1, 2]),
    ]:
        value = measure(np.array(classes, int), np.array(clusters, int))
        assert np.isfinite(value)
        if name in PERFECT and not (name == "pair_fowlkes_mallows_score" and value == 0):
            assert value == PERFECT[name]
    for classes, clusters in [([0, 1, 2], [0, 0, 0]), ([0, 0, 0], [0, 1, 2])]:
        value = measure(classes, clusters)
        assert np.isfinite(value)
        assert RANGES[name][0] <= value <= RANGES[name][1]


# Dom, Tables 2 and 3.
TABLE_2 = 0.01 + 0.15 * np.eye(5)
TABLE_3 = np.c_[0.01 + 0.09 * np.eye(5), np.full((5, 3), 0.02)]


@pytest.mark.parametrize("p", [0.2 * np.eye(5), TABLE_2, TABLE_3])
def test_dom_tables(p):
    """Non-integer tables, by the Gamma function; entropies of the distributions."""
    assert p.sum() == pytest.approx(1)
    conditional = -np.sum(p[p > 0] * np.log2((p / p.sum(axis=0))[p > 0]))
    for n in (500, 5e6):
        entropy = m.empirical_conditional_entropy(None, None, contingency=n * p)
        assert entropy == pytest.approx(conditional, abs=1e-9)
    big = 1e9  # Eq. 13
    asymptotic = conditional + p.shape[1] * 4 * np.log2(big) / big
    q0 = m.dom_q0_loss(None, None, contingency=big * p)
    assert q0 == pytest.approx(asymptotic, abs=5e-7)
    huge = m.dom_q0_loss(None, None, contingency=1e13 * p)
    assert huge == pytest.approx(conditional, abs=1e-8)  # Eq. 14


def test_dom_limits():
    """Eqs. 12, 15 and 16."""
    classes = np.repeat([0, 1, 2], [7, 9, 14])
    n = 30
    perfect = sum(log2(comb(h + 2, 2)) for h in (7, 9, 14)) / n
    assert m.dom_q0_loss(classes, classes) == pytest.approx(perfect)
    one = _entropy(classes) + log2(comb(n + 2, 2)) / n
    assert m.dom_q0_loss(classes, np.zeros(n)) == pytest.approx(one)
    assert m.dom_q0_loss(classes, np.arange(n)) == pytest.approx(log2(3))
    assert m.dom_q2_score(classes, classes) == 1
    assert m.dom_q1_score(classes, np.zeros(n)) == pytest.approx(0)


def test_expected_pairs_by_simulation():
    p, n = np.array([[0.3, 0.1, 0.0], [0.1, 0.1, 0.4]]), 40
    rng = np.random.default_rng(0)
    tables = rng.multinomial(n, p.ravel(), size=4000).reshape(-1, 2, 3)
    mean = np.mean([m.pair_table(None, None, contingency=t) for t in tables], axis=0)
    np.testing.assert_allclose(m.expected_pair_table(p, n), mean, rtol=0.02)
    with pytest.raises(ValueError, match="sum to 1"):
        m.expected_pair_table([[0.5, 0.6]], 10)


def test_expected_pairs_are_not_negative():
    """Pure clusters have no pairs across them, whatever rounding makes of it."""
    pairs = m.expected_pair_table(dom_joint_distribution(37, 0, 0, 0, n_classes=6), 500)
    assert pairs.min() == 0
    assert m.pair_jaccard_score(None, None, pairs=pairs) < 1


def test_bad_pairs_and_beta():
    with pytest.raises(ValueError, match="cells between 0 and 1 that make negative"):
        m.pair_jaccard_score(None, None, contingency=[[0.5, 0.2], [0.1, 0.7]])
    explicit_zero = sp.csr_array(([2.0, 0, 3.0], ([0, 0, 1], [0, 1, 0])), shape=(2, 2))
    assert m.dom_q0_loss(None, None, contingency=explicit_zero) == pytest.approx(
        m.dom_q0_loss(None, None, contingency=explicit_zero.toarray())
    )
    with pytest.raises(ValueError, match="pairs must be a 2 x 2 table"):
        m.pair_jaccard_score(None, None, pairs=[1, 2])
    with pytest.raises(ValueError, match="beta must be finite and at least 0, got -1"):
        m.pairwise_fbeta_score([0, 1], [0, 1], beta=np.float64(-1))
    with pytest.raises(ValueError, match="n_samples must be at least 0, got -2"):
        m.expected_pair_table([[1.0]], np.int64(-2))


def test_classification_error():
    classes, clusters = from_table(np.array([[4, 1], [2, 3]]))
    assert m.classification_error_loss(classes, clusters) == pytest.approx(0.3)
    with pytest.raises(ValueError, match="got 3 clusters and 2 classes"):
        m.classification_error_loss([0, 0, 1], [0, 1, 2])


def test_combine_labels():
    rng = np.random.RandomState(0)
    sets = [rng.randint(3, size=50), rng.choice(list("xy"), size=50), rng.rand(50) > 0.5]
    combined = m.combine_labels(*sets)
    tuples = list(zip(*sets, strict=True))
    for i, j in combinations(range(50), 2):
        assert (combined[i] == combined[j]) == (tuples[i] == tuples[j])
    assert combined.max() + 1 == len(set(tuples))
    with pytest.raises(ValueError, match="of one length"):
        m.combine_labels([0, 1], [0])
    with pytest.raises(ValueError, match="of one length"):
        m.combine_labels()
    with pytest.raises(ValueError, match=r"label_sets\[1\] contains NaN"):
        m.combine_labels([0, 1], [0, np.nan])


def test_table_5_of_dom():
    """Failures of P3, more noise clusters are worse, over 120 sequences."""
    n, failures = (
        500,
        dict.fromkeys(("rand", "fowlkes", "gamma", "jaccard", "hamming"), 0),
    )
    failures["q2"] = 0
    for k_u in range(2, 12):
        for e1 in (0, 0.2 / 3, 0.4 / 3, 0.2):
            for e2 in (0.1, 0.2, 0.3):
                rows = {name: [] for name in failures}
                for k_n in range(1, 7):
                    p = dom_joint_distribution(k_u, k_n, e1, e2)
                    pairs = m.expected_pair_table(p, n)
                    for name, measure in [
                        ("rand", m.pair_rand_score),
                        ("fowlkes", m.pair_fowlkes_mallows_score),
                        ("gamma", m.hubert_gamma_score),
                        ("jaccard", m.pair_jaccard_score),
                    ]:
                        rows[name].append(measure(None, None, pairs=pairs))
                    table = n * p
                    hamming = m.normalized_hamming_score(None, None, contingency=table)
                    rows["hamming"].append(hamming)
                    rows["q2"].append(m.dom_q2_score(None, None, contingency=table))
                for name, values in rows.items():
                    failures[name] += bool(np.any(np.diff(values) >= -1e-12))
    assert failures == {
        "rand": 120,
        "fowlkes": 103,
        "gamma": 120,
        "jaccard": 80,
        "hamming": 120,
        "q2": 0,
    }


def test_other_programs():
    """permetrics 2.1.0 and genieclust 1.3.0 on the same labels."""
    rng = np.random.RandomState(0)
    rng.normal(size=(400, 4))
    a, b = rng.randint(0, 5, 400), rng.randint(0, 4, 400)
    b[:200] = a[:200] % 4
    for name, value in {
        "pair_rand_score": 0.7218045112781954,
        "pair_fowlkes_mallows_score": 0.3873919814254,
        "purity_score": 0.51,
        "pair_jaccard_score": 0.23800370700899293,
        "pairwise_fbeta_score": 0.3844959520904957,
        "hubert_gamma_score": 0.21084363655297786,
        "pairwise_precision_score": 0.3426735853718804,
        "pairwise_recall_score": 0.43794606202235836,
    }.items():
        assert MEASURES[name](a, b) == pytest.approx(value, rel=1e-12), name


def test_constants_of_cluster_crit():
    """R's clusterCrit ships Gamma, Jaccard and Rand (in single precision) of a pair of
    partitions of 100 points. Rand and Jaccard fix all but one count of the pair table;
    some whole number must then give Gamma."""
    rand, jaccard, gamma, total = 0.512121201, 0.259202451, 0.0227141418, 4950
    agree = round(rand * total)
    both = round(jaccard * (total - agree) / (1 - jaccard))
    neither = agree - both
    found = []
    for c in range(total - agree + 1):
        pairs = 2 * np.array([[neither, total - agree - c], [c, both]])
        assert m.pair_rand_score(None, None, pairs=pairs) == pytest.approx(rand, abs=5e-8)
        score = m.pair_jaccard_score(None, None, pairs=pairs)
        assert score == pytest.approx(jaccard, abs=5e-8)
        if abs(m.hubert_gamma_score(None, None, pairs=pairs) - gamma) < 5e-9:
            found.append(c)
    assert found
