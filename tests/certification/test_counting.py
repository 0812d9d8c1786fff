"""From clusterings and tables to counts, and from counts to options with weights."""

from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from unittest.mock import Mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import binom

from sklearn_pacmdl.certification import (
    HoldOut,
    Learned,
    PacMdl,
    _counting,
    certify_clusterings,
    cluster_counts,
)
from sklearn_pacmdl.certification._counting import (
    Partition,
    SplitCounter,
    SplitSizes,
    cells_of_rows,
    count_options,
)
from sklearn_pacmdl.certification._counts import left_out_errors, majority
from sklearn_pacmdl.certification._goals import LabelAll
from sklearn_pacmdl.languages import get_language

RNG = np.random.RandomState(0)
THREE = cluster_counts(np.eye(3, dtype=int), unlabeled=[1, 1, 1])


@dataclass(frozen=True)
class Offering:
    """Offers labelings with the weights that it is given, and keeps what it was dealt."""

    offered: tuple = ()
    dealt: tuple = ()
    fraction = 0.0

    def _labelings(self, counts, accepted, language, rng):
        for box in self.dealt:
            box.append(rng.randint(2**31 - 1))
        for classes, weight in self.offered:
            yield np.array(classes), {"own": weight}


def count(method, by_split=(THREE,), seed=0, code=bytes(16)):
    known = {"language": get_language("simple"), "seed": seed, "partition": code}
    return count_options(method, LabelAll(), by_split, **known)


def test_a_labeling_is_counted_once_with_its_largest_weight():
    """Whichever comes first."""
    most, least = ((0, 1, 2), Fraction(3, 4)), ((0, 1, 2), Fraction(1, 2))
    other = (0, 0, 0), Fraction(1, 4)
    for offered in ((most, least, other), (least, most, other), (most, most, other)):
        (options,) = count(Offering(offered)).options
        assert [option.terms["own"] for option in options] == [Fraction(3, 4), other[1]]


def test_ties_have_seeds_of_their_own():
    """By seed, by split and by partition; and the same whenever they are asked for."""

    def dealt(**settings):
        box: list = []
        count(Offering((((0, 0, 0), Fraction(1)),), dealt=(box,)), **settings)
        return box

    first, second = dealt(by_split=[THREE, THREE])
    assert first != second
    assert dealt() == [first] == dealt()
    for other in ({"seed": 1}, {"code": bytes(15) + b"x"}, {"code": b"x" + bytes(15)}):
        assert dealt(**other) != [first]


def test_errors_of_the_majority_of_all_labels():
    """Selecting or certifying; labels of no class are errors of any."""
    counts = cluster_counts(
        [[5, 1], [0, 3]],
        unlabeled=[4, 4],
        selecting=[[1, 2], [2, 0]],
        certifying_others=[1, 0],
        selecting_others=[0, 2],
    )
    assert_array_equal(counts.labeled, [[6, 3, 1], [2, 3, 2]])
    found = count(HoldOut(), [counts, counts])
    assert found.train_errors.tolist() == [4 + 4, 4 + 4]
    assert found.n_clusters == 2
    # Halfway from errors seen to those of rows that are left out: of 3 and 2 rows of the
    # selecting clusters, 1 and 0 are seen, and 2 and 0 if left out; two are of no class.
    assert found.selection_errors.tolist() == [1.5 + 2] * 2
    # All labels: 4 + 4 are seen, and 4 + (3 * .5 + 2 + 2) where 2 and 3 are nearly tied.
    assert found.estimated_errors.tolist() == [(8 + 4 + 3 / 2 + 2 + 2) / 2] * 2


# Rows 0..7: labels of 0 to 2 are classes, 3 is none of them, rows 6 and 7 are unlabeled.
CODES = np.array([0, 1, 2, 3, 0, 1, -1, -1])
SPLIT = np.arange(6), np.array([6, 7])
DIVISION = np.array([0, 3]), np.array([1, 2, 4, 5])


def test_a_clustering_is_counted_on_every_split():
    known = get_language("simple"), np.arange(8), CODES, 3, [SPLIT], [DIVISION], 0
    own = SplitCounter(PacMdl(), LabelAll(), *known)
    found = own.count(np.array([4, 4, 1, 1, 1, 4, 1, 1]))
    assert own.sizes == [SplitSizes(2, 4, 2)]
    assert own.sizes[0].n_labeled == 6
    ((option,),) = found.options
    assert (option.n_train, option.n_test) == (4, 2)


def listed_by_number(clusters):
    return Partition(clusters, np.argsort(clusters, kind="stable"))


@given(st.integers(0, 2**31))
def test_all_counts_are_those_of_a_plain_loop(seed):
    """Also where splits leave rows out, and clusters have rows in no split."""
    rng = np.random.default_rng(seed)
    n_rows, n_classes = rng.integers(1, 40), rng.integers(2, 5)
    codes = rng.integers(-1, n_classes + 1, n_rows)
    _, clusters = np.unique(rng.integers(0, 5, n_rows), return_inverse=True)
    part = rng.choice(["select", "certify", "test", "none"], n_rows)
    part[(codes < 0) & (part != "none")] = "test"
    if rng.random() < 0.5:  # all labels are known
        codes = np.maximum(codes, 0)
    rows = {name: np.flatnonzero(part == name) for name in ("select", "certify", "test")}
    labeled = np.flatnonzero(np.isin(part, ["select", "certify"]))
    split, division = (labeled, rows["test"]), (rows["select"], rows["certify"])
    cells = cells_of_rows(codes, n_classes, split, division)
    counts = listed_by_number(clusters.astype(np.uint8)).count(cells, n_classes)
    assert cells.dtype == np.uint8

    def table(chosen):
        found = np.zeros((clusters.max() + 1, n_classes + 1), dtype=int)
        np.add.at(found, (clusters[chosen], codes[chosen]), 1)
        return found.tolist()

    assert counts.sizes.tolist() == np.bincount(clusters).tolist()
    tested = [np.sum(clusters[rows["test"]] == c) for c in range(clusters.max() + 1)]
    assert counts.test.tolist() == tested
    assert counts.select.tolist() == table(rows["select"])
    assert counts.certify.tolist() == table(rows["certify"])
    if np.any(codes[rows["test"]] < 0):
        assert counts.hidden is None
    else:
        assert counts.hidden.tolist() == table(rows["test"])


def test_clusters_that_appear_late_are_numbered_last():
    order = np.random.default_rng(0).permutation(10_000)
    labels = np.zeros(10_000, dtype=int)
    labels[order[[5_000, 5_001, 9_999, 9_000, 3]]] = [4, 9, 9, 2, 7]
    found = Partition(labels, order).clusters[order]
    assert found[[0, 3, 5_000, 5_001, 9_000, 9_999]].tolist() == [0, 1, 2, 3, 4, 3]


@given(
    labels=st.lists(
        st.one_of(st.integers(-1, 3), st.integers(-(2**62), 2**62)), min_size=1
    ),
    seed=st.integers(0, 100),
)
def test_numbers_of_clusters(labels, seed):
    order = np.random.RandomState(seed).permutation(len(labels))
    numbers: dict = {}
    for row in order:
        numbers.setdefault(labels[row], len(numbers))
    found = Partition(np.array(labels), order)
    expected = [numbers[label] for label in labels]
    assert_array_equal(found.clusters, expected)
    assert found.n_clusters == len(numbers)
    # Counts and fingerprints are listed alike, though the rows were not renumbered.
    codes = np.resize([0, 1, 2, -1], len(labels))
    labeled, rest = np.flatnonzero(codes >= 0), np.flatnonzero(codes < 0)
    division = labeled[::2], labeled[1::2]
    cells = cells_of_rows(codes, 2, (labeled, rest), division)
    counts = found.count(cells, 2)
    plain = listed_by_number(np.array(expected)).count(cells, 2)
    for name in ("sizes", "select", "certify", "test", "hidden"):
        assert_array_equal(getattr(counts, name), getattr(plain, name))
    of_rows = Partition(np.array(expected), order)
    assert found.fingerprint(5) == of_rows.fingerprint(5)


def test_numbers_with_gaps_make_no_long_tables():
    """Clusters may be named by rows, and counts have a line for each number."""
    for numbers, largest in (([1000, 7, 400], 2), ([4, 0, 2], 4)):  # or another pass
        found = Partition(np.repeat(numbers, 500), np.arange(1500))
        assert found._numbers.max() == largest
        assert_array_equal(found.clusters, np.repeat([0, 1, 2], 500))


def test_fingerprints_are_those_of_the_rows():
    """Of all 52 partitions of 5 rows, by whatever names of clusters."""
    rows_of, every = {}, np.arange(5)
    for partition in product(range(5), repeat=5):
        listed = Partition(np.array(partition), every)
        clusters = tuple(listed.clusters.tolist())
        rows_of.setdefault(listed.fingerprint(seed=3), set()).add(clusters)
    assert all(len(partitions) == 1 for partitions in rows_of.values())
    assert len(rows_of) == 52
    two = Partition(np.array([0, 1, 1, 0, 1]), every)
    assert two.fingerprint(seed=3) in rows_of
    assert two.fingerprint(seed=4) not in rows_of


@pytest.mark.parametrize("n_samples", [5, 100, 2**16 + 3])
def test_random_numbers_of_rows_are_the_same_kept_or_drawn(n_samples, monkeypatch):
    clusters = np.arange(n_samples) % 5
    partition = Partition(clusters, np.arange(n_samples))
    kept = partition.fingerprint(7)
    monkeypatch.setattr(_counting, "_FEW_ROWS", 0)
    assert partition.fingerprint(7) == kept
    words = np.random.default_rng(7).integers(2**64, size=(2, n_samples), dtype=np.uint64)
    assert kept == (words * clusters.astype(np.uint64)).sum(axis=1).tobytes()
    assert partition.fingerprint(8) != kept


@pytest.mark.parametrize("n_classes", [1, 2, 3, 4])
def test_left_out_errors_row_by_row(n_classes):
    """Each row is taken out of its cluster and guessed, with ties broken by chance."""
    tables = np.array(list(product(range(4), repeat=n_classes)))
    expected = np.zeros(len(tables))
    for own in range(n_classes):
        rest = tables - np.eye(n_classes, dtype=int)[own]
        best = rest == rest.max(axis=1, keepdims=True)
        expected += tables[:, own] * (1 - best[:, own] / best.sum(axis=1))
    others = np.arange(len(tables))
    found = left_out_errors(np.column_stack([tables, others]))
    assert_allclose(found, expected + others)


def test_clusters_are_named_by_the_rows_of_the_table_alone():
    """Labels of no class name nothing: the middle cluster is named by the nearest."""
    table, others = [[0, 2], [0, 0], [3, 1]], {"certifying_others": [0, 9, 0]}
    counts = cluster_counts(table, unlabeled=[1, 1, 1], **others)
    between = np.abs(np.subtract.outer([0, 1, 5], [0, 1, 5]))
    counts = replace(counts, distances=lambda: between)
    assert majority(counts, counts.certify, RNG).tolist() == [1, 1, 0]


def label_weight(weight):
    """As it is asked for by a method, and of what: two of three clusters are accepted."""
    language = Mock(label_weight=Mock(return_value=weight))
    counts = cluster_counts([[3, 1], [0, 2], [1, 0]], unlabeled=[5, 6, 7])
    accepted = np.array([True, False, True])
    ((_, terms),) = PacMdl()._labelings(counts, accepted, language, RNG)
    return terms["label"], language.label_weight.call_args.args


@pytest.mark.parametrize(
    "weight", [Fraction(0), Fraction(-1, 2), Fraction(10**30 + 1, 10**30), 0.5, 1, None]
)
def test_label_weights_are_ratios_up_to_one_of_accepted_clusters(weight):
    for right in (Fraction(1), Fraction(1, 10**30)):
        assert label_weight(right) == (right, ([9, 8], [0, 0], 2))
    with pytest.raises(ValueError, match=r"must return a Fraction in \(0, 1\], got "):
        label_weight(weight)


def test_tables_are_read_by_part():
    counts = cluster_counts(
        [[5, 0], [1, 4]],
        unlabeled=[7, 9],
        selecting=[[2, 1], [0, 3]],
        certifying_others=[0, 6],
        selecting_others=[8, 0],
    )
    assert_array_equal(counts.certify, [[5, 0, 0], [1, 4, 6]])
    assert_array_equal(counts.select, [[2, 1, 8], [0, 3, 0]])
    assert_array_equal(counts.labeled, [[7, 1, 8], [1, 7, 6]])
    assert_array_equal(counts.test, [7, 9])
    assert_array_equal(counts.sizes, [23, 23])
    assert counts.n_classes == 2
    assert counts.hidden is None
    assert counts.distances() is None
    counts = cluster_counts([[5.0, 0.0]], unlabeled=np.array([7], dtype="u1"))
    for field in (counts.sizes, counts.select, counts.certify, counts.test):
        assert field.dtype == np.int64
    assert_array_equal(counts.select, [[0, 0, 0]])
    assert_array_equal(counts.certify, [[5, 0, 0]])
    assert counts.sizes.tolist() == [12]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"certifying": [[5, 0.5]]}, "certifying must be counts in 2"),
        ({"certifying": [[]]}, "certifying must be counts in 2"),
        ({"selecting": [[1]]}, r"got shapes \(1, 3\), \(1, 2\) and \(1,\)"),
        ({"unlabeled": [7, 1]}, r"got shapes \(1, 3\), \(1, 3\) and \(2,\)"),
        ({"unlabeled": [-1]}, "unlabeled must be counts from 0"),
        ({"certifying": [[0, 0]], "unlabeled": [0]}, "rows in every cluster"),
        ({"unlabeled": [2**51 - 4]}, "from 1 to 2.*51 rows in every cluster"),
    ],
)
def test_tables_that_do_not_go_together(change, message):
    with pytest.raises(ValueError, match=message):
        cluster_counts(**{"certifying": [[5, 0]], "unlabeled": [7]} | change)
    # As many rows as floats can count, or a single one of any part, make a cluster.
    largest = cluster_counts([[2**50, 0]], unlabeled=[2**50])
    assert largest.sizes.tolist() == [2**51]
    tables = {"certifying": [[0, 0], [1, 0], [0, 0]], "unlabeled": [1, 0, 0]}
    cluster_counts(**tables, selecting=[[0, 0], [0, 0], [0, 1]])


def test_a_table_is_divided_by_the_law_of_a_random_division():
    """Whatever the seed: two of the three labeled rows of one kind, and their shares."""
    counts = cluster_counts([[2, 0], [1, 0]], unlabeled=[5, 5])
    n, seen = 1000, Counter()
    for seed in range(n):
        divided = counts.divided(seed, 0.7)
        assert np.array_equal(divided.select + divided.certify, counts.certify)
        seen[tuple(divided.select[:, 0].tolist())] += 1
    assert seen.keys() == {(2, 0), (1, 1)}  # of three pairs of rows, one and two
    assert binom.cdf(seen[2, 0], n, 1 / 3) > 1e-6 < binom.sf(seen[2, 0], n, 1 / 3)
    assert np.array_equal(counts.divided(5, 0.7).select, counts.divided(5, 0.7).select)


def test_what_cannot_be_divided_is_refused():
    counts = cluster_counts([[2, 0], [1, 0]], unlabeled=[5, 5])
    with pytest.raises(ValueError, match="labeled rows must be from 10 to 100000000 to"):
        certify_clusterings(counts, certify=Learned(0.1))
    many = cluster_counts([[2**40, 0]], unlabeled=[5])
    with pytest.raises(ValueError, match="to 100000000 to divide 0.6, got 1099511627776"):
        certify_clusterings(many)


def test_only_classes_of_selecting_rows_are_shown():
    counts = cluster_counts(
        [[4, 1, 0], [2, 0, 1]],
        unlabeled=[4, 1],
        selecting=[[0, 2, 0], [0, 0, 3]],
        certifying_others=[0, 3],
        selecting_others=[1, 0],
    )
    counts = replace(counts, hidden=np.array([[3, 0, 1, 0], [0, 1, 0, 0]]))
    shown, classes = counts.of_selecting_classes()
    assert_array_equal(classes, [1, 2])
    assert_array_equal(shown.select, [[2, 0, 1], [0, 3, 0]])
    assert_array_equal(shown.certify, [[1, 0, 4], [0, 1, 5]])
    assert_array_equal(shown.hidden, [[0, 1, 3], [1, 0, 0]])
    assert_array_equal(shown.sizes, counts.sizes)


def test_selecting_rows_of_no_declared_class_leave_the_first():
    counts = cluster_counts([[3, 4]], [9], selecting=[[0, 0]], selecting_others=[2])
    shown, classes = counts.of_selecting_classes()
    assert classes.tolist() == [0]
    assert_array_equal(shown.select, [[0, 2]])
    assert_array_equal(shown.certify, [[3, 4]])


@pytest.mark.parametrize("target", [None, 0.6])
def test_a_class_of_certifying_rows_alone_is_only_an_error(target):
    """Under hold-out: beside it, the same rows with a wrong label of a known class."""
    rng = np.random.RandomState(0)
    y = rng.randint(3, size=240)
    clusters = 3 * rng.randint(10, size=240) + np.where(rng.uniform(size=240) < 0.1, 0, y)
    seen = np.where(rng.permutation(240) < 60, y, -1)
    clusterings = {"fine": clusters, "coarse": clusters % 3}
    settings = {"certify": "holdout", "target": target, "random_state": 0}
    first = certify_clusterings(clusterings, seen, **settings)
    certify = first.division[1]
    right = certify[seen[certify] == first.transduction[certify]][:4]
    new, known = seen.copy(), seen.copy()
    new[right] = [7, 8, 9, 9]
    known[right] = (seen[right] + 1) % 3
    found = certify_clusterings(clusterings, new, **settings)
    for other in (first, certify_clusterings(clusterings, known, **settings)):
        assert_array_equal(found.transduction, other.transduction)
        assert (found.best_index, found.coverage) == (other.best_index, other.coverage)
    a, b = found.certificate, first.certificate
    assert a.n_train_errors == b.n_train_errors + 4
    assert a.weights == b.weights
    assert a.max_test_errors > b.max_test_errors
    assert not any("known" in proviso for proviso in a.provisos)


def test_counts_from_elsewhere_too():
    """A column that only certifying rows have changes neither ties nor names."""
    select, certify = [[2, 2], [0, 0], [1, 3]], [[4, 1], [3, 0], [0, 5]]
    few = cluster_counts(certify, [50, 50, 50], selecting=select)
    more = np.insert(certify, 0, [0, 6, 0], axis=1), [50, 44, 50]
    more = cluster_counts(*more, selecting=np.insert(select, 0, 0, axis=1))
    for seed in range(10):
        settings = {"certify": "holdout", "random_state": seed}
        a, b = (certify_clusterings([own], **settings) for own in (few, more))
        assert_array_equal(a.cluster_classes + 1, b.cluster_classes)
