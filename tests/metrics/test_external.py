"""Published values, a second route for each formula, and the properties of them all."""

from itertools import combinations
from math import comb, log2

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from conftest import external_measures
from hypothesis import given
from hypothesis import strategies as st
from measures import EXTERNAL, FACTS, OF_ANY_TABLE
from sklearn.metrics import (
    homogeneity_score,
    mutual_info_score,
    normalized_mutual_info_score,
    rand_score,
)

from sklearn_pacmdl import metrics as m
from sklearn_pacmdl.metrics import ContingencyTable

# Manning et al., Fig. 16.4: clusters of x, o, d.
MANNING = np.array([[5, 1, 0], [1, 4, 1], [2, 0, 3]]).T


def from_table(table):
    """Labels with this contingency table of classes by clusters."""
    rows, columns = np.indices(table.shape)
    counts = table.ravel()
    return np.repeat(rows.ravel(), counts), np.repeat(columns.ravel(), counts)


def test_every_external_measure_is_tested_here():
    assert external_measures() == set(FACTS), "FACTS is in tests/metrics/measures.py"


def test_manning():
    classes, clusters = from_table(MANNING)
    assert f"{m.purity_score(classes, clusters):.2f}" == "0.71"
    assert f"{normalized_mutual_info_score(classes, clusters):.2f}" == "0.36"
    assert f"{rand_score(classes, clusters):.2f}" == "0.68"
    assert f"{m.pairwise_fbeta_score(classes, clusters, beta=5):.2f}" == "0.46"
    assert f"{m.pairwise_fbeta_score(classes, clusters):.2f}" == "0.48"
    assert m.pairwise_precision_score(classes, clusters) == 20 / 40
    assert m.pairwise_recall_score(classes, clusters) == 20 / 44
    assert m.pairwise_jaccard_score(classes, clusters) == 20 / 64
    gamma = (136 * 20 - 44 * 40) / np.sqrt(44 * 40 * 92 * 96)
    assert m.hubert_gamma_score(classes, clusters) == pytest.approx(gamma, rel=1e-12)
    np.testing.assert_array_equal(
        ContingencyTable.from_labels(classes, clusters).pair_confusion_matrix(),
        [[2 * 72, 2 * 20], [2 * 24, 2 * 20]],
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
    tt, tf, ft, _ = brute_pairs(classes, clusters)
    total = comb(n, 2)

    def ratio(x, y):
        return x / y if y else float(tf == ft == 0)

    same_class, same_cluster = tt + tf, tt + ft
    root = np.sqrt(
        same_class * same_cluster * (total - same_class) * (total - same_cluster)
    )
    expected = {
        "pairwise_jaccard_score": ratio(tt, tt + tf + ft),
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
        assert EXTERNAL[name](classes, clusters) == pytest.approx(value, abs=1e-9), name
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
    score = m.normalized_hamming_score(contingency=table)
    assert score == 1 - ((1 + 0) + (1 + 2)) / 20  # Eqs. 21-23
    assert m.purity_score(contingency=table) == 9 / 10  # by cluster, and not by class
    classes, clusters = from_table(table)
    assert m.normalized_hamming_score(classes, clusters) == score


@pytest.mark.parametrize("name", OF_ANY_TABLE)
def test_properties(name):
    measure = EXTERNAL[name]
    rng = np.random.RandomState(2)
    for trial in range(20):
        n = 30
        classes, clusters = rng.randint(4, size=n), rng.randint(3 + trial % 4, size=n)
        value = measure(classes, clusters)
        facts = FACTS[name]
        assert type(value) is float
        assert facts.least - 1e-12 <= value <= facts.most + 1e-12
        order = rng.permutation(n)
        assert measure(classes[order], clusters[order]) == pytest.approx(value)
        renamed = rng.permutation(10)[classes], rng.permutation(10)[clusters]
        assert measure(*renamed) == pytest.approx(value)
        if facts.symmetric:
            assert measure(clusters, classes) == pytest.approx(value)
        table = np.zeros((4, 10))
        np.add.at(table, (classes, clusters), 1)
        table = table[np.ix_(np.unique(classes), np.unique(clusters))]
        for kind in (np.asarray, sp.csr_matrix, sp.coo_array, ContingencyTable):
            assert measure(contingency=kind(table)) == pytest.approx(value)
        if facts.equal is not None:
            assert measure(classes, classes) == pytest.approx(facts.equal)


CLASSES = ["a", "a", "b", "b", "b"]


@pytest.mark.parametrize("name", OF_ANY_TABLE)
@pytest.mark.parametrize("kwargs", [{}, {"margins_name": "Total"}, {"normalize": True}])
def test_margins_are_no_classes(name, kwargs):
    """A cross table with its sums would make a perfect clustering half as pure."""
    measure = EXTERNAL[name]
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


@pytest.mark.parametrize("name", OF_ANY_TABLE)
def test_degenerate_inputs(name):
    """One object, one cluster, all apart, one class: defined everywhere."""
    measure, facts = EXTERNAL[name], FACTS[name]
    for classes, clusters in [
        ([], []),
        ([0], [0]),
        ([0, 0, 0], [0, 0, 0]),
        ([0, 1, 2], [0, 1, 2]),
    ]:
        value = measure(np.array(classes, int), np.array(clusters, int))
        assert np.isfinite(value)
        if facts.equal is not None:
            assert value == facts.equal
    for classes, clusters in [([0, 1, 2], [0, 0, 0]), ([0, 0, 0], [0, 1, 2])]:
        value = measure(classes, clusters)
        assert np.isfinite(value)
        assert facts.least <= value <= facts.most


# Dom, Tables 2 and 3.
TABLE_2 = 0.01 + 0.15 * np.eye(5)
TABLE_3 = np.c_[0.01 + 0.09 * np.eye(5), np.full((5, 3), 0.02)]


@pytest.mark.parametrize("p", [0.2 * np.eye(5), TABLE_2, TABLE_3])
def test_dom_tables(p):
    """Non-integer tables, by the Gamma function; entropies of the distributions."""
    assert p.sum() == pytest.approx(1)
    conditional = -np.sum(p[p > 0] * np.log2((p / p.sum(axis=0))[p > 0]))
    for n in (500, 5e6):
        entropy = m.empirical_conditional_entropy(contingency=n * p)
        assert entropy == pytest.approx(conditional, abs=1e-9)
    big = 1e9  # Eq. 13
    asymptotic = conditional + p.shape[1] * 4 * np.log2(big) / big
    q0 = m.dom_q0_loss(contingency=big * p)
    assert q0 == pytest.approx(asymptotic, abs=5e-7)
    huge = m.dom_q0_loss(contingency=1e13 * p)
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


def test_bad_numbers():
    with pytest.raises(ValueError, match="cells between 0 and 1 that make negative"):
        m.pairwise_jaccard_score(contingency=[[0.5, 0.2], [0.1, 0.7]])
    explicit_zero = sp.csr_array(([2.0, 0, 3.0], ([0, 0, 1], [0, 1, 0])), shape=(2, 2))
    assert m.dom_q0_loss(contingency=explicit_zero) == pytest.approx(
        m.dom_q0_loss(contingency=explicit_zero.toarray())
    )


@given(labelings, st.integers(0, 2**16))
def test_weights_stand_for_repeated_objects(pair, seed):
    classes, clusters = map(np.array, pair)
    weights = np.random.RandomState(seed).randint(3, size=len(classes))
    weights[0] = 1  # scikit-learn refuses weights that are all 0
    weighted = ContingencyTable.from_labels(classes, clusters, sample_weight=weights)
    repeated = np.repeat(classes, weights), np.repeat(clusters, weights)
    plain = ContingencyTable.from_labels(*repeated)
    np.testing.assert_array_equal(weighted.counts.toarray(), plain.counts.toarray())
    assert weighted.n_samples == weights.sum()
    for name, measure in OF_ANY_TABLE.items():
        assert measure(contingency=weighted) == pytest.approx(measure(*repeated)), name


def test_what_a_table_says_of_itself():
    table = ContingencyTable.from_labels(["b", "a", "b"], [7, 7, -1])
    np.testing.assert_array_equal(table.counts.toarray(), [[0, 1], [1, 1]])
    assert table.class_sizes.tolist() == [1, 2]
    assert table.cluster_sizes.tolist() == [1, 2]
    assert table.n_samples == 3
    assert repr(table) == "ContingencyTable(2 classes, 2 clusters, 3 rows)"


def test_classification_error():
    classes, clusters = from_table(np.array([[4, 1], [2, 3]]))
    assert m.classification_error_loss(classes, clusters) == pytest.approx(0.3)
    with pytest.raises(ValueError, match="of as many clusters as classes \\(2\\), got"):
        m.classification_error_loss([0, 0, 1], [0, 1, 2])
