"""A partition of rows: its counts and fingerprints, whatever its clusters are called."""

from collections.abc import Iterator
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from ..utils._cluster_names import small_integers
from ..utils._rows import batches
from ._counts import ClusterCounts, count_cells, no_distances

# Rows that are worked on at once: 64-bit numbers for them take half a megabyte.
_BATCH = 2**16
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

    Parameters
    ----------
    labels : ndarray of shape (n_samples,) of int
        Cluster of each row.
    order : ndarray of shape (n_samples,) of int
        Indices of the permuted rows.
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
        words = (_kept_words if n_samples <= _FEW_ROWS else _drawn_words)(seed, n_samples)
        sums = np.zeros((2, self._listed.max(initial=0) + 1), dtype=np.uint64)
        for own in sums:
            for batch in batches(n_samples, _BATCH):
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
        for batch in batches(n_samples, _BATCH):
            yield rng.integers(2**64, size=batch.stop - batch.start, dtype=np.uint64)


def _kept_words(seed: int, n_samples: int) -> Iterator[NDArray[np.uint64]]:
    """The same, drawn once for all clusterings of a sweep."""
    return iter(_words(seed, n_samples))


@lru_cache(maxsize=1)
def _words(seed: int, n_samples: int) -> list[NDArray[np.uint64]]:
    return list(_drawn_words(seed, n_samples))
