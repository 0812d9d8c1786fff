"""Rows are divided, and the rows of a clustering are counted."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from hashlib import blake2b, sha256
from math import floor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..labeling import left_out_names
from ..languages import Language
from ..utils._checks import exact_decimal
from ..utils._cluster_names import NOISE, small_integers
from ..utils._random import seeded_again
from ..utils._rows import batches
from ._counts import ClusterCounts, majority, no_distances
from ._goals import Counted, Goal, count_options
from ._strategy import Strategy


def divide(train, strategy, seed):
    """Divide labeled rows at random: sorted rows that select, and rows that certify.

    The set of labeled rows is part of the seed, so every set has a division of its own.
    Were it a fixed pattern of ranks or of places in the file, then at some seeds the
    selecting rows of a file sorted by class would miss whole classes, whichever rows are
    labeled, and the guarantee would fail far more often than delta.
    """
    rows = np.sort(train)
    if strategy.fraction == 0:
        return rows[:0], rows
    n_select = floor(exact_decimal(strategy.fraction) * len(rows))
    if not 0 < n_select < len(rows):
        raise ValueError(
            f"certify={strategy.kind!r} needs labeled rows to select and others to "
            f"certify, but fraction={strategy.fraction} of {len(rows)} labeled "
            f"rows is {n_select}."
        )
    code = sha256(rows.astype("<i8").tobytes()).digest()
    words = np.frombuffer(code, dtype="<u4")
    order = np.random.RandomState([*seed, *words]).permutation(len(rows))
    return np.sort(rows[order[:n_select]]), np.sort(rows[order[n_select:]])


class SplitSizes(NamedTuple):
    """Numbers of rows of one split."""

    n_select: int
    n_certify: int
    n_test: int

    @property
    def n_labeled(self) -> int:
        return self.n_select + self.n_certify

    @property
    def n_rows(self) -> int:
        return self.n_labeled + self.n_test


# Rows that are worked on at once: 64-bit numbers for them stay in the processor's cache.
# Counting 100,000 rows takes 1 to 4 % more time with 2^13 or 2^16, and 10 % with 2^12.
_BATCH_OF_COUNTS = 2**14
# Parts of a split, by number.
_OUTSIDE, _SELECT, _CERTIFY, _TEST = range(4)


def cells_of_rows(codes, n_classes, split, division):
    """The part of the split and the class of each row, as one number for count_cells.

    Codes (n_samples,) are -1 for unlabeled rows, ``n_classes`` for labels of no class.
    """
    (select, certify), (_, test), width = division, split, n_classes + 2
    cells = (codes + 1).astype(np.min_scalar_type(4 * width))
    for part, rows in (_SELECT, select), (_CERTIFY, certify), (_TEST, test):
        cells[rows] += cells.dtype.type(part * width)
    return cells


def count_cells(clusters, cells, n_classes, distances, listed=slice(None)):
    """Count the rows of a partition on one split, in one pass over the rows.

    Clusters (n_samples,) are numbered from 0. The counts are of those that are
    ``listed``, in this order, as the distances are.
    """
    n_cells, n_clusters = 4 * (n_classes + 2), int(clusters.max()) + 1
    found = np.zeros(n_clusters * n_cells, dtype=np.int64)
    # A few rows at once take less memory, and more than there are cells no more time.
    for batch in batches(len(clusters), max(_BATCH_OF_COUNTS, len(found))):
        places = clusters[batch] * np.int64(n_cells)  # also of small integers
        places += cells[batch]
        found += np.bincount(places, minlength=len(found))
    table = found.reshape(n_clusters, 4, -1)[listed]
    test = table[:, _TEST]
    return ClusterCounts(
        sizes=table.sum(axis=(1, 2)),
        select=table[:, _SELECT, 1:].copy(),
        certify=table[:, _CERTIFY, 1:].copy(),
        test=test.sum(axis=1),
        hidden=None if test[:, 0].any() else test[:, 1:].copy(),
        distances=distances,
    )


# Rows that are worked on at once: 64-bit numbers for them take half a megabyte.
_BATCH_OF_WORDS = 2**16
# Up to here random numbers of rows are kept, in 4 megabytes at most. To draw them takes
# half as long as counting 100,000 rows.
_FEW_ROWS = 2**18
# Rows among which clusters are first looked for; it changes times only.
_EARLY = 2**12
# Tables of counts have a line for each number up to the largest: at most so many for each
# cluster.
_MOST_GAPS = 2


class Partition:
    """Clusters of rows, listed as they appear in the permuted rows.

    Equal partitions are listed alike, whatever the names of their clusters, and the list
    tells nothing about which rows are labeled. Rows themselves are not renumbered until
    that is asked for, unless so many numbers have no rows that to count takes longer.
    """

    def __init__(self, labels: NDArray[np.integer], order: NDArray[np.integer]) -> None:
        self._numbers: NDArray[np.integer] = small_integers(labels)
        first = _first_places(self._numbers, order)
        n_clusters = np.count_nonzero(first < len(order))
        self._listed = np.argsort(first)[:n_clusters]
        if len(first) > _MOST_GAPS * n_clusters:
            self._numbers, self._listed = self.clusters, np.arange(n_clusters)

    @property
    def n_clusters(self) -> int:
        """Number of clusters that have rows."""
        return len(self._listed)

    @cached_property
    def clusters(self) -> NDArray[np.integer]:
        """Cluster of each row, numbered from 0 in the order of the list."""
        rank = np.empty(self._listed.max(initial=0) + 1, dtype=np.int64)
        rank[self._listed] = np.arange(self.n_clusters)
        return rank[self._numbers]

    def place(self, row: int | np.integer) -> int:
        """Place of the cluster of a row in the list."""
        return int(np.flatnonzero(self._listed == self._numbers[row])[0])

    def count(
        self, cells: NDArray[np.integer], n_classes: int, distances=no_distances
    ) -> ClusterCounts:
        """Count the rows of one split, whose cells are of :func:`cells_of_rows`."""
        return count_cells(self._numbers, cells, n_classes, distances, self._listed)

    def fingerprint(self, seed: int) -> bytes:
        """Fingerprint of which rows are in one cluster.

        It is the sum over rows of the cluster's number times a random number, twice,
        modulo 2**64: two partitions into c clusters have the same with a probability of
        at most ((c + 1) / 2**64) ** 2. The random numbers must be those of all
        clusterings of a sweep.
        """
        n_samples = len(self._numbers)
        drawn = _drawn_words if n_samples > _FEW_ROWS else _kept_words
        words = iter(drawn(seed, n_samples))
        sums = np.zeros((2, self._listed.max(initial=0) + 1), dtype=np.uint64)
        for own in sums:
            for batch in batches(n_samples, _BATCH_OF_WORDS):
                np.add.at(own, self._numbers[batch], next(words))
        places = np.arange(self.n_clusters, dtype=np.uint64)
        return (sums[:, self._listed] @ places).tobytes()


def _first_places(numbers, order):
    """Place in the order at which each number appears first; the end if it does not."""
    first = np.full(numbers.max(initial=-1) + 1, len(order))
    # Most often, all clusters appear early.
    for n_rows in (min(_EARLY, len(order)), len(order)):
        head = numbers[order[:n_rows]]
        first[head[::-1]] = np.arange(n_rows - 1, -1, -1)  # of several, the last stays
        if first.max(initial=0) < n_rows:
            break
    return first


def _drawn_words(seed: int, n_samples: int) -> Iterator[NDArray[np.uint64]]:
    """Two random numbers for each row, by batches."""
    rng = np.random.default_rng(seed)
    for _ in range(2):
        for batch in batches(n_samples, _BATCH_OF_WORDS):
            yield rng.integers(2**64, size=batch.stop - batch.start, dtype=np.uint64)


@lru_cache(maxsize=1)
def _kept_words(seed: int, n_samples: int) -> list[NDArray[np.uint64]]:
    """The same, drawn once for all clusterings of a sweep."""
    return list(_drawn_words(seed, n_samples))


@dataclass(frozen=True)
class Assessment:
    """What every clustering of a sweep is assessed on; none of it reaches a ``fit``."""

    strategy: Strategy
    goal: Goal
    language: Language  # that weighs labels, where these cost bits
    order: NDArray[np.integer]  # row order in which clusterers see the rows
    codes: NDArray[np.integer]  # class of each row, -1 unlabeled, l none of the classes
    n_classes: int
    splits: Sequence[tuple[np.ndarray, np.ndarray]]
    divisions: Sequence[tuple[np.ndarray, np.ndarray]]  # labeled: select, certify
    seed: int  # of ties between classes
    cells: Sequence[np.ndarray] = field(init=False)  # of rows, by split

    def __post_init__(self) -> None:
        parts = zip(self.splits, self.divisions, strict=True)
        cells = [cells_of_rows(self.codes, self.n_classes, *both) for both in parts]
        object.__setattr__(self, "cells", cells)

    @property
    def sizes(self) -> list[SplitSizes]:
        """Numbers of rows, by split."""
        return [
            SplitSizes(len(select), len(certify), len(test))
            for (_, test), (select, certify) in zip(
                self.splits, self.divisions, strict=True
            )
        ]

    def naming(self, split: int) -> tuple[NDArray, NDArray]:
        """Labeled rows of a split that name its clusters, and those that only certify."""
        select, certify = self.divisions[split]
        if self.strategy.chooses_first:
            return select, certify
        return np.sort(np.r_[select, certify]), certify[:0]

    def partition(self, labels: np.ndarray) -> Partition:
        """The partition that labels make of the rows."""
        return Partition(labels, self.order)

    def count(self, labels: np.ndarray, distances=no_distances) -> Counted:
        """Count a clustering on every split.

        ``distances`` returns those between the clusters of :meth:`partition`, or None.
        """
        partition = self.partition(labels)
        counts = [partition.count(own, self.n_classes, distances) for own in self.cells]
        noise = np.flatnonzero((labels == NOISE) & self.goal.drops_noise)
        place = partition.place(noise[0]) if len(noise) else None
        return self._counted(counts, partition.fingerprint(self.seed), place)

    def count_predictions(self, codes: np.ndarray) -> Counted:
        """Count a classifier, whose clusters are the classes that it predicts.

        Codes (n_splits, n_samples) are classes plus multiples of the number of classes;
        those of rows that select are predicted without their own labels.
        """
        counts = []
        for own, cells in zip(codes, self.cells, strict=True):
            partition = self.partition(own)
            names = predicted_by(partition, own) % self.n_classes
            counts.append(replace(partition.count(cells, self.n_classes), names=names))
        return self._counted(counts, digest(codes))._replace(n_clusters=0)

    def names_by_others(self, labels: np.ndarray, distances=no_distances):
        """By split, rows that certify and the class that other labels give to each.

        The selecting rows name the clusters; where all labels certify, each row is left
        out in its turn. Rows that are given no class are left out.
        """
        partition, dropped = self.partition(labels), self.goal.drops_noise
        words = np.frombuffer(partition.fingerprint(self.seed), dtype=np.uint32).tolist()
        for split, (_, certify) in enumerate(self.divisions):
            rows = certify[(labels[certify] != NOISE) | (not dropped)]
            clusters = partition.clusters[rows]
            counts = partition.count(self.cells[split], self.n_classes, distances)
            rng = seeded_again([self.seed, split, *words])
            if self.strategy.fraction:
                yield rows, majority(counts, counts.select, rng)[clusters]
            else:
                known = clusters, self.codes[rows], rng, counts.distances
                yield rows, left_out_names(counts.labeled, *known)

    def predicted_by_others(self, codes: np.ndarray):
        """The same of a classifier, with the codes of :meth:`count_predictions`."""
        for own, (_, certify) in zip(codes, self.divisions, strict=True):
            yield certify, own[certify] % self.n_classes

    def _counted(self, by_split, fingerprint, noise=None):
        known = self.language, self.seed, fingerprint, noise
        return count_options(self.strategy, self.goal, by_split, *known)


def predicted_by(partition: Partition, codes: np.ndarray) -> np.ndarray:
    """Code that the rows of each cluster of a partition by such codes have."""
    own = np.empty(partition.n_clusters, dtype=np.int64)
    own[partition.clusters] = codes
    return own


def digest(numbers: np.ndarray) -> bytes:
    """Fingerprint of a partition, or of counts and classes."""
    whole = np.ascontiguousarray(numbers, dtype=np.int64)
    return blake2b(whole.data, digest_size=16).digest()
