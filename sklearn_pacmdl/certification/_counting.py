"""Counts of clusterings on each split of the rows, and the options that these give."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, lru_cache, partial
from hashlib import blake2b, sha256
from math import floor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..columns import ABSTAIN, NOISE, small_integers
from ..estimators import batches
from ..labeling import left_out_names
from ..languages import Language
from ..utils._checks import rows_of_rate
from ..utils._random import seeded_again
from ..utils._weights import total_weight
from ._counts import ClusterCounts, estimated_errors, majority, no_distances
from ._folds import Folds
from ._goals import LabelAll
from ._methods import Method, Option


def divide(train, method, seed):
    """Divide labeled rows at random: sorted selecting rows and certifying rows.

    The set of labeled rows is part of the seed, so every set has a division of its own. A
    fixed pattern of ranks or of places would be wrong: at some seeds the selecting rows
    of a file sorted by class would miss whole classes, whichever rows are labeled. The
    guarantee would then fail far more often than delta.
    """
    rows = np.sort(train)
    if method.fraction == 0:
        return rows[:0], rows
    n_select = floor(rows_of_rate(method.fraction, len(rows)))
    if not 0 < n_select < len(rows):
        raise ValueError(
            f"certify={method.kind!r} needs labeled rows to select and others to "
            f"certify, but fraction={method.fraction} of {len(rows)} labeled "
            f"rows is {n_select}."
        )
    words = np.frombuffer(sha256(rows.astype("<i8").tobytes()).digest(), dtype="<u4")
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


# Rows that are worked on at once: 64-bit numbers for them stay in the processor's cache.
# Counting 100,000 rows takes 1 to 4% more time with 2^13 or 2^16, and 10% with 2^12.
_BATCH_OF_COUNTS = 2**14
# Parts of a split, by number; rows of none are 0.
_SELECT, _CERTIFY, _TEST = range(1, 4)


def cells_of_rows(codes, n_classes, split, division):
    """The part of the split and the class of each row, as one number to count by."""
    # Codes are -1 for unlabeled rows, and n_classes for labels of no class.
    (select, certify), (_, test), width = division, split, n_classes + 2
    cells = (codes + 1).astype(np.min_scalar_type(4 * width))
    for part, rows in (_SELECT, select), (_CERTIFY, certify), (_TEST, test):
        cells[rows] += cells.dtype.type(part * width)
    return cells


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
    """Clusters of rows, listed as they appear in the permuted rows."""

    # Equal partitions are listed alike, whatever the names of their clusters, and the
    # list tells nothing about which rows are labeled. Rows are only renumbered on demand,
    # or if counting takes longer because many numbers have no rows.

    def __init__(self, labels: NDArray[np.integer], order: NDArray[np.integer]) -> None:
        self._numbers: NDArray[np.integer] = small_integers(labels)
        # Place in the order at which each number appears first; the end if it does not.
        first = np.full(self._numbers.max(initial=-1) + 1, len(order))
        for n_rows in (min(_EARLY, len(order)), len(order)):
            head = self._numbers[order[:n_rows]]
            # Of several places, the one that is written last stays.
            first[head[::-1]] = np.arange(n_rows - 1, -1, -1)
            if first.max(initial=0) < n_rows:  # most often, all clusters appear early
                break
        self.n_clusters = np.count_nonzero(first < len(order))
        self._listed = np.argsort(first)[: self.n_clusters]
        if len(first) > _MOST_GAPS * self.n_clusters:
            self._numbers, self._listed = self.clusters, np.arange(self.n_clusters)

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
        n_cells, n_clusters = 4 * (n_classes + 2), int(self._numbers.max()) + 1
        numbers = np.zeros(n_clusters * n_cells, dtype=np.int64)
        # A few rows at once take less memory, and more than there are cells no more time.
        for batch in batches(len(self._numbers), max(_BATCH_OF_COUNTS, len(numbers))):
            places = self._numbers[batch] * np.int64(n_cells)  # also of small integers
            places += cells[batch]
            numbers += np.bincount(places, minlength=len(numbers))
        table = numbers.reshape(n_clusters, 4, -1)[self._listed]
        test = table[:, _TEST]
        return ClusterCounts(
            sizes=table.sum(axis=(1, 2)),
            select=table[:, _SELECT, 1:].copy(),
            certify=table[:, _CERTIFY, 1:].copy(),
            test=test.sum(axis=1),
            hidden=None if test[:, 0].any() else test[:, 1:].copy(),
            distances=distances,
        )

    def fingerprint(self, seed: int) -> bytes:
        """Fingerprint of which rows are in one cluster.

        It is the sum over rows of the cluster's number times a random number, twice,
        modulo 2**64. Two partitions into c clusters share it with a probability of at
        most ((c + 1) / 2**64) ** 2. The random numbers must be those of all clusterings
        of a sweep.
        """
        n_samples = len(self._numbers)
        drawn = _drawn_words if n_samples > _FEW_ROWS else _kept_words
        words = iter(drawn(seed, n_samples))
        sums = np.zeros((2, self._listed.max(initial=0) + 1), dtype=np.uint64)
        for row in sums:
            for batch in batches(n_samples, _BATCH_OF_WORDS):
                np.add.at(row, self._numbers[batch], next(words))
        places = np.arange(self.n_clusters, dtype=np.uint64)
        return (sums[:, self._listed] @ places).tobytes()


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


class CandidateCounts(NamedTuple):
    """What is left of a clustering once it has been counted."""

    n_clusters: int | None  # None of a classifier, which has no clusters
    options: Sequence[Sequence[Option]]  # by split
    train_errors: NDArray[np.integer]  # by split, of the majority classes of all labels
    estimated_errors: NDArray[np.floating]  # the same, expected on other rows
    selection_errors: NDArray[np.floating]  # by split, on selecting rows; 0 if none
    preferences: NDArray[np.floating]  # by split, the criterion of the selecting rows
    partition: bytes  # fingerprint of the clusters
    sizes: NDArray[np.integer] = np.zeros(0, dtype=int)  # of clusters
    labeled: tuple[NDArray[np.integer], ...] = ()  # clusters, classes, counts; of split 0
    nested: NDArray[np.floating] = np.zeros((0, 2, 0))  # by split, if kinds compare
    equal: tuple[bytes, ...] = ()  # by split, what clusterings share that pool weights


@dataclass(frozen=True)
class SplitCounter:
    """Counts every clustering of a sweep on all splits; none of it reaches a ``fit``."""

    method: Method
    goal: LabelAll
    language: Language  # weighs labels, where these cost bits
    order: NDArray[np.integer]  # of the rows, as clusterers see them
    codes: NDArray[np.integer]  # class of each row, -1 unlabeled, l none of the classes
    n_classes: int
    splits: Sequence[tuple[np.ndarray, np.ndarray]]
    divisions: Sequence[tuple[np.ndarray, np.ndarray]]  # labeled: select, certify
    seed: int  # of ties between classes
    two_kinds: bool = False  # whether candidates are clusterers and classifiers
    cells: Sequence[np.ndarray] = field(init=False)  # of rows, by split
    sizes: Sequence[SplitSizes] = field(init=False)
    folds: Sequence[Folds] = field(init=False)  # by split, if two kinds are compared

    def __post_init__(self) -> None:
        cells, sizes = [], []
        for split, division in zip(self.splits, self.divisions, strict=True):
            cells.append(cells_of_rows(self.codes, self.n_classes, split, division))
            sizes.append(SplitSizes(*map(len, (*division, split[1]))))
        object.__setattr__(self, "cells", cells)
        object.__setattr__(self, "sizes", sizes)
        known, divided = (self.order, self.codes, self.n_classes), self.divisions
        folds = [Folds.of(select, *known) for select, _ in divided if self.two_kinds]
        object.__setattr__(self, "folds", folds)

    def naming(self) -> tuple[NDArray, NDArray]:
        """Labeled rows of the first split that name clusters, and that only certify."""
        select, certify = self.divisions[0]
        if self.method.chooses_first:
            return select, certify
        return np.sort(np.r_[select, certify]), certify[:0]

    def count(self, labels: np.ndarray, distances=no_distances) -> CandidateCounts:
        """Count a clustering; ``distances`` are those of its clusters."""
        partition = Partition(labels, self.order)
        counts = [partition.count(c, self.n_classes, distances) for c in self.cells]
        noise = np.flatnonzero((labels == NOISE) & self.goal.drops_noise)
        place = partition.place(noise[0]) if len(noise) else None
        code = partition.fingerprint(self.seed)
        # Where one candidate alone is claimed, at no bits, there is nothing to pool.
        pools = not self.method.chooses_first
        found = self._options(counts, partition=code, noise=place, pools=pools)
        kept = counts[0] if place is None else _without(counts[0], place)
        nested = [f.of_clustering(partition.clusters, kept, place) for f in self.folds]
        return found._replace(nested=np.array(nested))

    def count_predictions(self, codes: np.ndarray) -> CandidateCounts:
        """Count a classifier; its clusters are the predicted classes.

        Codes (n_splits, n_samples) are classes plus multiples of the number of classes;
        those of rows that select are predicted without their own labels.
        """
        counts = []
        for predicted, cells in zip(codes, self.cells, strict=True):
            partition = Partition(predicted, self.order)
            names = predicted_by(partition, predicted) % self.n_classes
            counts.append(replace(partition.count(cells, self.n_classes), names=names))
        found = self._options(counts, partition=digest(codes))
        folded = zip(self.folds, codes % self.n_classes, strict=False)
        nested = [folds.of_predictions(predicted) for folds, predicted in folded]
        return found._replace(n_clusters=None, nested=np.array(nested))

    @property
    def _options(self):
        """What makes counts, one of each split, what is kept of a clustering."""
        return partial(
            count_options, self.method, self.goal, language=self.language, seed=self.seed
        )

    def names_by_others(self, labels: np.ndarray, distances=no_distances):
        """By split, the certifying rows and their classes by the other labels.

        The selecting rows name the clusters; where all labels certify, each row is left
        out in its turn. Rows that are given no class are left out.
        """
        partition, dropped = Partition(labels, self.order), self.goal.drops_noise
        words = np.frombuffer(partition.fingerprint(self.seed), dtype=np.uint32).tolist()
        for split, (_, certify) in enumerate(self.divisions):
            rows = certify[(labels[certify] != NOISE) | (not dropped)]
            clusters = partition.clusters[rows]
            counts = partition.count(self.cells[split], self.n_classes, distances)
            rng = seeded_again([self.seed, split, *words])
            if self.method.fraction:
                yield rows, majority(counts, counts.select, rng)[clusters]
            else:
                codes, distances_of = self.codes[rows], counts.distances
                names = left_out_names(counts.labeled, clusters, codes, rng, distances_of)
                yield rows, names

    def predicted_by_others(self, codes: np.ndarray):
        """The same of a classifier, with the codes of :meth:`count_predictions`."""
        for predicted, (_, certify) in zip(codes, self.divisions, strict=True):
            yield certify, predicted[certify] % self.n_classes


def predicted_by(partition: Partition, codes: np.ndarray) -> np.ndarray:
    """Code that the rows of each cluster of a partition by such codes have."""
    code_of = np.empty(partition.n_clusters, dtype=np.int64)
    code_of[partition.clusters] = codes
    return code_of


def digest(numbers: np.ndarray) -> bytes:
    """Fingerprint of a partition, or of counts and classes."""
    whole = np.ascontiguousarray(numbers, dtype=np.int64)
    return blake2b(whole.data, digest_size=16).digest()


def count_options(
    method: Method,
    goal: LabelAll,
    by_split: Sequence[ClusterCounts],
    *,
    language: Language,
    seed: int,
    partition: bytes,
    noise: int | None = None,
    pools: bool = False,
) -> CandidateCounts:
    """What may be claimed of a clustering, from its counts on each split.

    It pools weights with equal ones only if its fingerprint is that of the partition.
    """
    # If one of the clusters is noise that is given no class, all is claimed of the other
    # rows as if there were no more. They are the same whatever the labels are, and given
    # how many of them certify, these are a uniformly random choice.
    #
    # The fingerprint of the partition, four bytes or a multiple, is a part of the seed of
    # ties, so that equal partitions break them alike and give the same labeling.
    words = np.frombuffer(partition, dtype=np.uint32).tolist()
    options: list[list[Option]] = []
    errors, preferences, estimated, equal = [], [], [], []
    for split, whole in enumerate(by_split):
        counts = whole if noise is None else _without(whole, noise)
        visible, classes = counts, np.arange(counts.n_classes)
        # Where classes need not be known beforehand, names of clusters, ties and choices
        # must not depend on the classes of the certifying rows.
        if method.fraction and not goal.names_all_classes:
            visible, classes = counts.of_selecting_classes()
        named = np.zeros(0, dtype=np.int64)
        if pools and method.fraction and len(visible.sizes):  # distances decide, too
            ties = seeded_again([seed, split, *words])
            named = majority(visible, visible.select, ties)
        rng = seeded_again([seed, split, *words])  # from the same state
        options.append([])
        if len(visible.sizes):  # else all rows are noise
            for option in _distinct(goal.options(method, visible, language, rng)):
                left_out = option.classes == ABSTAIN
                codes = np.where(left_out, ABSTAIN, classes[option.classes])
                codes = codes if noise is None else np.insert(codes, noise, ABSTAIN)
                options[-1].append(option._replace(classes=codes))
        equal.append(digest(np.r_[words, -1 if noise is None else noise, named]))
        # Labeled noise counts as errors to expect: else the fewest would be those of a
        # clusterer that calls nearly every row noise.
        n_labeled = whole.labeled.sum() - counts.labeled.sum()
        estimated.append(estimated_errors(counts, counts.labeled) + n_labeled)
        if method.fraction:
            n_selecting = whole.select.sum() - counts.select.sum()
            errors.append(estimated_errors(visible, visible.select) + n_selecting)
            preferences.append(goal.selection(visible, errors[-1]))
    tables = [counts.labeled for counts in by_split]
    nothing = np.zeros(len(by_split))
    return CandidateCounts(
        n_clusters=len(by_split[0].sizes),
        options=options,
        train_errors=np.array(
            [int(table.sum() - table[:, :-1].max(axis=1).sum()) for table in tables]
        ),
        estimated_errors=np.array(estimated),
        selection_errors=np.array(errors or nothing, dtype=float),
        preferences=np.array(preferences or nothing, dtype=float),
        partition=partition,
        sizes=by_split[0].sizes,
        labeled=(*(cells := tables[0].nonzero()), tables[0][cells]),
        equal=tuple(equal) if pools else (),
    )


def _without(counts, noise):
    """The counts of all other clusters, with those of all rows."""
    names = "sizes", "select", "certify", "test", "hidden"
    tables = {name: getattr(counts, name) for name in names}
    others = {n: np.delete(t, noise, 0) for n, t in tables.items() if t is not None}

    def distances():
        of_all = counts.distances()
        if of_all is None:
            return None
        return np.delete(np.delete(of_all, noise, 0), noise, 1)

    return replace(counts, **others, distances=distances, whole=counts)


def _distinct(options):
    """Each labeling once, with its largest weight."""
    largest: dict[bytes, tuple[Fraction, Option]] = {}
    for option in options:
        weight, key = total_weight(option.terms), option.classes.tobytes()
        if key not in largest or weight > largest[key][0]:
            largest[key] = weight, option
    return [option for _, option in largest.values()]
