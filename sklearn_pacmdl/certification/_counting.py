"""A clustering becomes options with counts; then it can be forgotten."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, lru_cache, partial
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..labeling._majority import ABSTAIN
from ..languages import Language
from ..utils._checks import invalid
from ..utils._cluster_names import unique_integers
from ..utils._random import SeededLater
from ..utils._rows import batches
from ..utils._weights import role_of_term, total_weight
from ._counts import ClusterCounts, cells_of_rows, count_cells, no_distances
from ._strategy import Option, Strategy

# Floats that sum to less cannot be of ratios that sum to more than 1: a clustering has at
# most thousands of options, and each float is off by a part in 10**16.
_NEARLY_ONE = 1 - 1e-9
# Rows that are worked on at once: 64-bit numbers for them take half a megabyte.
_BATCH = 2**16
# Up to here random numbers of rows are kept, in 4 megabytes at most. To draw them takes
# half of the time of counting 100,000 rows.
_FEW_ROWS = 2**18
# Rows among which clusters are first looked for; it changes times only.
_EARLY = 2**12


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


class Counted(NamedTuple):
    """What is left of a clustering once it has been counted."""

    n_clusters: int
    options: Sequence[Sequence[Option]]  # by split
    labelings: Sequence[Sequence[bytes]]  # of the options: equal ones share their weights
    train_errors: NDArray[np.integer]  # of the majority classes of all labels, by split
    selection_errors: NDArray[np.floating]  # by split
    partition: bytes  # its fingerprint


@dataclass(frozen=True)
class Assessment:
    """What every clustering of a sweep is assessed on; none of it reaches a ``fit``."""

    strategy: Strategy
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

    def partition(self, labels: np.ndarray) -> np.ndarray:
        """Clusters numbered as they appear in the permuted rows, whatever their names.

        Equal partitions become equal, and numbers tell nothing about which rows are
        labeled.
        """
        names, clusters = unique_integers(labels)
        first = _first_places(clusters, self.order, len(names))
        rank = np.empty_like(first)
        rank[np.argsort(first)] = np.arange(len(first))
        for batch in batches(len(clusters), _BATCH):  # in place, since rows are many
            clusters[batch] = rank[clusters[batch]]
        return clusters

    def count(
        self,
        labels: np.ndarray,
        language: Language | None,
        distances=no_distances,
        margins=None,
    ) -> Counted:
        """Count a clustering on every split.

        Parameters
        ----------
        labels : ndarray of shape (n_samples,) of int
            Cluster of each row.
        language : Language or None
            What weighs its labels.
        distances : callable, default=no_distances
            Returns the distances between the clusters of :meth:`partition`, or None.
        margins : object
            Ignored: for assessments that look at rows.
        """
        clusters = self.partition(labels)
        return count_options(
            self.strategy,
            [count_cells(clusters, c, self.n_classes, distances) for c in self.cells],
            language,
            self.seed,
            lambda: digest(clusters),
            row_fingerprint(clusters, self.seed),
        )


def count_options(
    strategy: Strategy,
    by_split: Sequence[ClusterCounts],
    language: Language | None,
    seed: int,
    code: Callable[[], bytes],
    fingerprint: Callable[[NDArray], bytes],
) -> Counted:
    """What may be claimed of a clustering, from its counts on each split.

    Parameters
    ----------
    strategy : Strategy
    by_split : sequence of ClusterCounts
    language : Language or None
    seed : int
        Of ties between classes.
    code : callable
        Returns a digest of the partition, which is computed if there are ties. It is a
        part of their seed, so that equal partitions break them alike and give the same
        labeling.
    fingerprint : callable
        From the classes of clusters to bytes that are equal for equal labelings of rows.
    """
    words = cache(lambda: np.frombuffer(code(), dtype=np.uint32))
    shown = [seen_by(strategy, counts) for counts in by_split]
    options, rng = [], SeededLater()
    for split, (counts, classes) in enumerate(shown):
        rng.seed_later(partial(_seeds, seed, split, words))
        offered = _check_options(strategy, strategy.options(counts, language, rng))
        options.append(
            [o._replace(classes=codes_of(o.classes, classes)) for o in offered]
        )
    n_clusters = len(by_split[0].sizes)
    return Counted(
        n_clusters=n_clusters,
        options=options,
        labelings=[
            [_labeling(strategy.way_of(o), o, fingerprint) for o in offered]
            for offered in options
        ],
        train_errors=np.array([majority_errors(counts) for counts in by_split]),
        selection_errors=np.array(
            [strategy.selection_errors(counts) for counts, _ in shown], dtype=float
        ),
        partition=fingerprint(np.arange(n_clusters)),
    )


def seen_by(
    strategy: Strategy, counts: ClusterCounts
) -> tuple[ClusterCounts, NDArray[np.integer]]:
    """The counts that a way to certify may look at, and the codes of their classes.

    Where classes need not be known beforehand and some rows select, labels of a class
    that only certifying rows have are of no class: else names of clusters, ties and
    choices would depend on which classes there are among the rows that certify.
    """
    if strategy.fraction and not strategy.knows_classes:
        return counts.of_selecting_classes()
    return counts, np.arange(counts.n_classes)


def codes_of(given: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Class codes of clusters, from places among the classes that were looked at."""
    return np.where(given == ABSTAIN, ABSTAIN, classes[given])


def _labeling(way, option, fingerprint):
    """What is said of each row, and by which statement."""
    return fingerprint(way.identity(option.classes)) + way.kind.encode()


def _seeds(seed, split, words):
    return [seed, split, *words()]


def _check_options(strategy, options):
    """Each labeling once, with weights that could be part of a sum of at most 1."""
    largest: dict[tuple[str, bytes], tuple[Fraction, Option]] = {}
    for option in options:
        for term, weight in option.terms.items():
            exact = isinstance(weight, Fraction) and 0 < weight <= 1
            if not exact or role_of_term(term) in ("pooling", "share"):
                raise invalid(
                    f"The term {term!r} of {strategy!r}",
                    "a Fraction in (0, 1], and neither 'pooling' nor 'joint'",
                    weight,
                )
        weight = total_weight(option.terms)
        key = strategy.way_of(option).kind, option.classes.tobytes()
        if key not in largest or weight > largest[key][0]:
            largest[key] = weight, option
    # Exact sums of long ratios are slow, and mostly the sum is far from 1.
    total = sum(float(weight) for weight, _ in largest.values())
    if total > _NEARLY_ONE and sum(weight for weight, _ in largest.values()) > 1:
        raise ValueError(
            f"The weights of the {len(largest)} labelings that {strategy!r} offers of "
            f"one clustering sum to {total:.12g}; they must sum to at most 1."
        )
    return [option for _, option in largest.values()]


def majority_errors(counts: ClusterCounts) -> int:
    """Errors on labeled rows of the majority classes of all of them."""
    right = counts.labeled[:, :-1].max(axis=1)
    return int(counts.labeled.sum() - right.sum())


def _first_places(clusters, order, n_clusters):
    """Place in the order at which each cluster appears first."""
    first = np.full(n_clusters, len(order))
    # Most often, all clusters appear early.
    for n_rows in (min(_EARLY, len(order)), len(order)):
        head = clusters[order[:n_rows]]
        first[head[::-1]] = np.arange(n_rows - 1, -1, -1)  # of several, the last stays
        if first.max(initial=0) < n_rows:
            break
    return first


def row_fingerprint(
    clusters: NDArray[np.integer], seed: int
) -> Callable[[NDArray[np.integer]], bytes]:
    """Function from the classes of clusters to a fingerprint of the labeling of all rows.

    It is the sum over rows of the class times a random number, twice, modulo 2**64. So a
    sum for each cluster is enough, and the thousands of labelings of a selective sweep
    take no longer where there are a million rows. Two different labelings by l classes
    have the same fingerprint with a probability of at most ((l + 1) / 2**64) ** 2 over
    the random numbers.

    Parameters
    ----------
    clusters : ndarray of shape (n_samples,) of int
        Clusters, numbered from 0.
    seed : int
        Of the random numbers, which must be those of all clusterings of a sweep.
    """
    n_samples = len(clusters)
    words = (_kept_words if n_samples <= _FEW_ROWS else _drawn_words)(seed, n_samples)
    sums = np.zeros((2, clusters.max() + 1), dtype=np.uint64)
    for own in sums:
        for batch in batches(n_samples, _BATCH):
            np.add.at(own, clusters[batch], next(words))
    return lambda classes: (sums @ classes.astype(np.uint64)).tobytes()


def _drawn_words(seed: int, n_samples: int) -> Iterator[NDArray[np.uint64]]:
    """Two random numbers for each row, by batches."""
    rng = np.random.default_rng(seed)
    for _ in range(2):
        for batch in batches(n_samples, _BATCH):
            yield rng.integers(2**64, size=batch.stop - batch.start, dtype=np.uint64)


def _kept_words(seed: int, n_samples: int) -> Iterator[NDArray[np.uint64]]:
    """The same, drawn once for all clusterings of a sweep."""
    return iter(_words(seed, n_samples))


@lru_cache(maxsize=1)
def _words(seed: int, n_samples: int) -> list[NDArray[np.uint64]]:
    return list(_drawn_words(seed, n_samples))


def digest(numbers: np.ndarray) -> bytes:
    """Fingerprint of a partition, or of counts and classes."""
    whole = np.ascontiguousarray(numbers, dtype=np.int64)
    return blake2b(whole.data, digest_size=16).digest()
