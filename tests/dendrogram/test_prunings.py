"""Cuts of a dendrogram against all of them, enumerated."""

from fractions import Fraction
from itertools import product
from math import comb, prod

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.cluster.hierarchy import single, ward
from sklearn.cluster import AgglomerativeClustering

from sklearn_pacmdl.dendrogram import (
    best_prunings,
    count_prunings,
    cut_weights,
    dendrogram_children,
    flat_cuts,
)
from sklearn_pacmdl.languages import check_kraft


def all_trees(n_rows):
    """Every shape: each step merges two of what there is. Repeats some, few rows only."""

    def grow(parts, children):
        if len(parts) == 1:
            yield np.array(children, dtype=int).reshape(-1, 2)
        for i, left in enumerate(parts):
            for right in parts[i + 1 :]:
                rest = [part for part in parts if part not in (left, right)]
                new = n_rows + len(children)
                yield from grow([*rest, new], [*children, (left, right)])

    return grow(list(range(n_rows)), [])


def random_tree(n_rows, rng):
    parts, children = list(range(n_rows)), []
    for i in range(n_rows - 1):
        pair = [parts.pop(rng.integers(len(parts))) for _ in range(2)]
        parts.append(n_rows + i)
        children.append(pair)
    return np.array(children, dtype=int).reshape(-1, 2)


def chain(n_rows):
    return np.array([(i + 1, n_rows + i - 1 if i else 0) for i in range(n_rows - 1)])


def all_prunings(children):
    """Each pruning as a list of clusters, these being sets of rows."""
    n_rows = len(children) + 1

    def rows(node):
        if node < n_rows:
            return frozenset([node])
        left, right = children[node - n_rows]
        return rows(left) | rows(right)

    def prunings(node):
        found = [[rows(node)]]
        if node >= n_rows:
            left, right = map(prunings, children[node - n_rows])
            found += [a + b for a, b in product(left, right)]
        return found

    return prunings(2 * n_rows - 2)


def errors_of(pruning, codes, n_classes):
    errors = 0
    for cluster in pruning:
        seen = [codes[row] for row in cluster if codes[row] >= 0]
        errors += len(seen) - max(seen.count(k) for k in range(n_classes))
    return errors


def as_pruning(labels):
    return {frozenset(np.flatnonzero(labels == j).tolist()) for j in np.unique(labels)}


SOME_TREES = [
    *(tree for n in range(2, 6) for tree in all_trees(n)),
    *(random_tree(n, np.random.default_rng(s)) for n in (6, 7, 8) for s in range(15)),
    *(chain(n) for n in (6, 8)),
]


@pytest.mark.parametrize("n_classes", [2, 3])
def test_best_prunings_are_the_best_of_all(n_classes):
    """Errors for every number of leaves, and a pruning that has so few."""
    rng = np.random.default_rng(n_classes)
    for children in SOME_TREES:
        n_rows = len(children) + 1
        codes = rng.integers(-1, n_classes + 1, size=n_rows)
        prunings = all_prunings(children)
        cuts = best_prunings(children, codes, n_classes, n_rows)
        for c in range(1, n_rows + 1):
            errors = [errors_of(p, codes, n_classes) for p in prunings if len(p) == c]
            assert cuts.n_errors[c - 1] == min(errors)
            found = as_pruning(cuts.labels(c))
            assert found in [set(p) for p in prunings if len(p) == c]
            assert errors_of(found, codes, n_classes) == min(errors)


def test_fewer_clusters_do_not_change_the_smaller_prunings():
    rng = np.random.default_rng(0)
    children = random_tree(300, rng)
    codes = rng.integers(-1, 3, size=300)
    whole = best_prunings(children, codes, 3, 300)
    few = best_prunings(children, codes, 3, 17)
    assert_array_equal(few.n_errors, whole.n_errors[:17])
    assert np.all(np.diff(whole.n_errors) <= 0)
    assert whole.n_errors[-1] == 0
    for c in (1, 5, 17):
        labels = few.labels(c)
        assert_array_equal(np.unique(labels), np.arange(c))
        assert errors_of(as_pruning(labels), codes, 3) == few.n_errors[c - 1]


@pytest.mark.parametrize("linkage", ["ward", "single"])
def test_flat_cuts_are_those_of_scikit_learn(linkage):
    X = np.random.RandomState(0).normal(size=(60, 3))
    codes = np.random.RandomState(1).randint(-1, 3, size=60)
    whole = AgglomerativeClustering(linkage=linkage).fit(X)
    cuts = flat_cuts(whole, codes, 3, 60)
    for c in range(1, 61):
        theirs = AgglomerativeClustering(c, linkage=linkage).fit_predict(X)
        pairs = set(zip(cuts.labels(c), theirs, strict=True))
        assert len(pairs) == c == len(np.unique(theirs))
        assert cuts.n_errors[c - 1] == errors_of(as_pruning(theirs), codes, 3)
    assert np.all(best_prunings(whole, codes, 3, 60).n_errors <= cuts.n_errors)


def test_counts_are_those_of_the_enumeration():
    for children in SOME_TREES:
        n_rows = len(children) + 1
        sizes = [len(p) for p in all_prunings(children)]
        expected = [sizes.count(c) for c in range(1, n_rows + 1)]
        assert count_prunings(children, n_rows) == expected
        assert count_prunings(children, 3) == expected[:3]


def test_counts_of_known_trees():
    """One pruning of a chain for each number; a complete tree reaches the Catalans."""
    assert count_prunings(chain(500), 500) == [1] * 500
    rows = list(range(2**12))
    complete = []
    while len(rows) > 1:
        pairs = list(zip(rows[::2], rows[1::2], strict=True))
        rows = [2**12 + len(complete) + i for i in range(len(pairs))]
        complete += pairs
    catalan = [comb(2 * c, c) // (c + 1) for c in range(12)]
    assert count_prunings(complete, 12) == catalan


@pytest.mark.parametrize("flat_weight", [0, 0.3, 0.5, 1.0])
@pytest.mark.parametrize("prior", ["counted", "flags"])
def test_kraft_by_enumeration(prior, flat_weight):
    """Over all prunings, each once; those of the labels of one sum to 1."""
    for children in SOME_TREES[::4]:
        n_rows = len(children) + 1
        for max_clusters in (n_rows, 3):
            weights = cut_weights(children, max_clusters, prior, flat_weight)
            total = Fraction(0)
            for pruning in all_prunings(children):
                c = len(pruning)
                if c > max_clusters:
                    continue
                labels = flat_cuts(children, [0] * n_rows, 2, n_rows).labels(c)
                is_flat = set(pruning) == as_pruning(labels)
                kind = "flat" if is_flat and flat_weight > 0 else "pruned"
                if kind in weights:
                    total += prod(weights[kind][c - 1].values())
            assert 0 < total <= 1
            if prior == "counted" or flat_weight == 1:
                assert total == 1


@pytest.mark.parametrize("prior", ["counted", "flags"])
def test_kraft_of_one_cut_for_each_number_of_clusters(prior):
    """The terms are such as languages may have."""
    children = random_tree(12, np.random.default_rng(3))
    for terms in cut_weights(children, 12, prior).values():
        assert 0 < check_kraft(terms) <= 1


def test_control_flat_cuts_unpaid_break_kraft():
    """Full weight on either kind, instead of half, is too much: the sum is checked."""
    children = random_tree(8, np.random.default_rng(0))
    total = sum(
        prod(terms.values()) * (n if kind == "pruned" else 1)
        for flat_weight, kind in ((1, "flat"), (0, "pruned"))
        for terms, n in zip(
            cut_weights(children, 8, "counted", flat_weight)[kind],
            count_prunings(children, 8),
            strict=True,
        )
    )
    assert total == 2


def test_counted_costs_less_than_flags_for_the_pruning():
    """Which pruning it is, the number of leaves being known."""
    for children in SOME_TREES[::7]:
        for c, count in enumerate(count_prunings(children, 8), start=1):
            assert count <= 4 ** (c - 1) < 2 ** (2 * c - 1)


def test_half_costs_a_bit_at_most():
    children = random_tree(30, np.random.default_rng(1))
    for prior in ("counted", "flags"):
        half = cut_weights(children, 20, prior)
        for flat_weight, kind in ((1, "flat"), (0, "pruned")):
            alone = cut_weights(children, 20, prior, flat_weight)[kind]
            for ours, theirs in zip(half[kind], alone, strict=True):
                assert prod(ours.values()) >= prod(theirs.values()) / 2


def test_weights_by_hand():
    balanced = [[0, 1], [2, 3], [4, 5]]
    numbers = [w["n_clusters"] for w in cut_weights(balanced, 3, flat_weight=1)["flat"]]
    assert numbers == [Fraction(2, 3), Fraction(2, 9), Fraction(1, 9)]
    (only,) = cut_weights(balanced, 4, "flags", 0.0)
    assert only == "pruned"
    weights = cut_weights(balanced, 4, "flags", 0.0)["pruned"]
    assert [prod(w.values()) for w in weights] == [
        Fraction(1, 2 ** (2 * c - 1)) for c in range(1, 5)
    ]
    assert list(cut_weights(balanced, 4, flat_weight=1)) == ["flat"]
    third = cut_weights(balanced, 4, flat_weight=Fraction(1, 3))["flat"][2]
    assert third["cut"] == Fraction(1, 3) + Fraction(2, 3) / 2


def test_kinds_of_dendrograms():
    X = np.random.RandomState(0).normal(size=(20, 2))
    fitted = AgglomerativeClustering().fit(X)
    for dendrogram in (fitted, fitted.children_, fitted.children_.tolist(), ward(X)):
        children = dendrogram_children(dendrogram)
        assert children.dtype == np.int64
        assert_array_equal(np.sort(children), np.sort(fitted.children_))
    assert count_prunings(single(X), 20)[-1] == 1


def test_one_row():
    """A tree without merges has the one cut."""
    empty = np.empty((0, 2))
    assert count_prunings(empty, 5) == [1]
    for cuts in (best_prunings(empty, [0], 2, 5), flat_cuts(empty, [2], 2, 5)):
        assert_array_equal(cuts.labels(1), [0])
    assert_array_equal(cuts.n_errors, [1])


@pytest.mark.parametrize(
    ("children", "message"),
    [
        ([[0, 1], [2, 2]], "each of the nodes 0 to 3 in exactly one merge"),
        ([[0, 1], [3, 4]], "each of the nodes 0 to 3"),
        ([[0, 1], [2, -1]], "each of the nodes 0 to 3"),
        ([[0.0, 1.0], [2.0, 2.5]], "each of the nodes 0 to 3"),
        ([[0, 4], [1, 2], [3, 5]], "merge 0 joins the nodes \\[0, 4\\]"),
        ([[0, 3], [1, 2]], "after those of their parts, but merge 0 .* not there yet"),
        ([0, 1, 2], "shape \\(3,\\)"),
        ([[0, 1, 2]], "shape \\(1, 3\\)"),
        ([["0", "1"]], "dtype <U1"),
        (None, "dtype object"),
    ],
)
def test_no_dendrograms(children, message):
    with pytest.raises(ValueError, match=message):
        dendrogram_children(children)


@pytest.mark.parametrize("max_clusters", [0, -1, 2.0, True, None, "3"])
def test_max_clusters_is_a_count(max_clusters):
    for function in (count_prunings, cut_weights):
        with pytest.raises(ValueError, match="max_clusters must be an integer"):
            function([[0, 1]], max_clusters)
    with pytest.raises(ValueError, match="max_clusters must be an integer"):
        best_prunings([[0, 1]], [0, 1], 2, max_clusters)


@pytest.mark.parametrize("flat_weight", [-0.1, 1.5, np.nan, "half", None, True])
def test_flat_weight_is_a_share(flat_weight):
    with pytest.raises(ValueError, match="flat_weight must be in \\[0, 1\\]"):
        cut_weights([[0, 1]], 2, flat_weight=flat_weight)


def test_other_bad_input():
    with pytest.raises(ValueError, match="prior must be one of .* got 'paper'"):
        cut_weights([[0, 1]], 2, "paper")
    for codes in ([0, 1, 0], [0.0, 1.0], [[0], [1]]):
        with pytest.raises(ValueError, match="codes must be 2 integers"):
            best_prunings([[0, 1]], codes, 2, 2)
    cuts = flat_cuts([[0, 1]], [0, 1], 2, 2)
    for n_clusters in (0, 3, 1.0, True):
        with pytest.raises(ValueError, match="n_clusters must be an integer from 1 to 2"):
            cuts.labels(n_clusters)
        with pytest.raises(ValueError, match="n_clusters must be an integer from 1 to 2"):
            cuts.distances(n_clusters)
    with pytest.raises(ValueError, match="n_classes must be an integer of at least 1"):
        flat_cuts([[0, 1]], [0, 1], 0, 2)


def test_distances_are_where_clusters_come_together():
    """By brute force: the first node that holds rows of both clusters."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        n_rows = int(rng.integers(2, 14))
        free, children = list(range(n_rows)), []
        while len(free) > 1:
            left, right = rng.choice(free, 2, replace=False).tolist()
            free = [node for node in free if node not in (left, right)]
            free.append(n_rows + len(children))
            children.append([left, right])
        below = [{row} for row in range(n_rows)]
        for left, right in children:
            below.append(below[left] | below[right])
        codes = rng.integers(-1, 2, size=n_rows)
        for cuts in (
            flat_cuts(np.array(children), codes, 2, n_rows),
            best_prunings(np.array(children), codes, 2, n_rows),
        ):
            for c in range(1, n_rows + 1):
                labels, found = cuts.labels(c), cuts.distances(c)
                for i in range(c):
                    for j in range(c):
                        both = set(np.flatnonzero((labels == i) | (labels == j)).tolist())
                        node = next(k for k, rows in enumerate(below) if both <= rows)
                        assert found[i, j] == (node if i != j else 0)
