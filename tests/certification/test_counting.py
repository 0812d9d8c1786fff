"""From clusterings to counts, and from counts to options whose weights are checked."""

from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from unittest.mock import Mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_pacmdl.certification import HoldOut, PacMdl, _counting, cluster_counts
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
