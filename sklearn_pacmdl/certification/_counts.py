"""Partitions of rows, and their counts, from which certificates follow."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..bounds import MAX_COUNT
from ..utils._checks import as_array, invalid
from ..utils._cluster_names import small_integers
from ..utils._rows import batches


def no_distances() -> None:
    """Return no distances, for clusters that are only names."""


@dataclass(frozen=True, eq=False)  # arrays have no single truth value
class ClusterCounts:
    """Labeled and unlabeled rows of one clustering, cluster by cluster.

    A labeling of the clusters is certified from these counts alone, so they may come
    from anywhere: from memory, or from a group-by in a database. Most users pass counts
    through :meth:`from_tables`.

    Parameters
    ----------
    sizes : ndarray of shape (n_clusters,) of int
        Number of all rows of each cluster.
    select : ndarray of shape (n_clusters, n_classes + 1) of int
        Numbers of labeled rows that may set weights or choose, by cluster and class. The
        last column counts labels that are none of the classes.
    certify : ndarray of shape (n_clusters, n_classes + 1) of int
        Numbers of the other labeled rows, in the same layout.
    test : ndarray of shape (n_clusters,) of int
        Number of unlabeled rows of each cluster.
    hidden : ndarray of shape (n_clusters, n_classes + 1) of int, default=None
        Numbers of unlabeled rows by cluster and true class, if their labels are known.
    distances : callable, default=no_distances
        Returns the distances between clusters, of shape (n_clusters, n_clusters), or
        None if there are none.
    names : ndarray of shape (n_clusters,) of int, default=None
        Classes that the clusters have beforehand: those of a classifier that was fitted
        on the selecting rows, among which its errors are cross-validated.

    Examples
    --------
    Two clusters and two classes; 60 rows have a label and 140 have none:

    >>> from sklearn_pacmdl.certification import ClusterCounts
    >>> counts = ClusterCounts.from_tables([[28, 2], [1, 29]], unlabeled=[70, 70])
    >>> counts.sizes
    array([100, 100])
    """

    sizes: NDArray[np.integer]
    select: NDArray[np.integer]
    certify: NDArray[np.integer]
    test: NDArray[np.integer]
    hidden: NDArray[np.integer] | None = None
    distances: Callable[[], np.ndarray | None] = no_distances
    names: NDArray[np.integer] | None = None

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return self.select.shape[1] - 1

    @property
    def labeled(self) -> NDArray[np.integer]:
        """Numbers of labeled rows, whether they select or certify."""
        return self.select + self.certify

    def of_selecting_classes(self) -> tuple["ClusterCounts", NDArray[np.integer]]:
        """Count labels of a class that no selecting row has as labels of no class.

        What follows from the counts then depends on nothing that only certifies, not
        even on which classes there are.

        Returns
        -------
        counts : ClusterCounts
            The same rows, with fewer classes. If the selecting rows have none of the
            classes, the first remains.
        classes : ndarray of int
            The classes that remain, as numbers of columns of these counts.
        """
        (classes,) = np.nonzero(self.select[:, :-1].any(axis=0))
        if not len(classes):
            classes = np.zeros(1, dtype=np.int64)

        def fewer(table):
            kept = table[:, classes]
            others = table.sum(axis=1) - kept.sum(axis=1)
            return np.column_stack([kept, others])

        hidden = None if self.hidden is None else fewer(self.hidden)
        select, certify = fewer(self.select), fewer(self.certify)
        names = None if self.names is None else np.searchsorted(classes, self.names)
        counts = replace(self, select=select, certify=certify, hidden=hidden, names=names)
        return counts, classes

    @classmethod
    def from_tables(
        cls,
        certifying: ArrayLike,
        unlabeled: ArrayLike,
        *,
        selecting: ArrayLike | None = None,
        certifying_others: ArrayLike | None = None,
        selecting_others: ArrayLike | None = None,
    ) -> "ClusterCounts":
        """Make the counts of a clustering that was tabulated elsewhere.

        Parameters
        ----------
        certifying : array-like of shape (n_clusters, n_classes) of int
            Number of labeled rows of each cluster and class.
        unlabeled : array-like of shape (n_clusters,) of int
            Number of unlabeled rows of each cluster.
        selecting : array-like of shape (n_clusters, n_classes) of int, default=None
            Labeled rows that were set aside at random, for ``certify="learned"`` and
            "holdout"; they are not among ``certifying``.
        certifying_others, selecting_others : array-like of shape (n_clusters,) of int, \
default=None
            Labeled rows of each cluster whose label is none of the classes. All labeled
            rows must be counted: if those of rare classes are left out, their errors
            are left out too, and the certificate is wrong. None if there are no such
            rows.

        Returns
        -------
        counts : ClusterCounts
            The counts. Every cluster has at least one row.

        Raises
        ------
        ValueError
            If a table does not hold counts, the shapes differ, or a cluster is empty.
        """
        certify = _with_others("certifying", certifying, certifying_others)
        test = _counts("unlabeled", unlabeled, n_dimensions=1)
        select = np.zeros_like(certify)
        if selecting is not None:
            select = _with_others("selecting", selecting, selecting_others)
        if select.shape != certify.shape or len(test) != len(certify):
            raise ValueError(
                "certifying, selecting and unlabeled must have a row for each cluster, "
                "and the tables a column for each class, got shapes "
                f"{certify.shape}, {select.shape} and {test.shape}."
            )
        sizes = test + select.sum(axis=1) + certify.sum(axis=1)
        if not sizes.size or sizes.min() == 0:
            raise invalid("certifying and unlabeled", "rows in every cluster", sizes)
        return cls(sizes=sizes, select=select, certify=certify, test=test)

    def check(self) -> None:
        """Refuse what is no count of rows, or not of the same clusters and classes.

        Raises
        ------
        ValueError
            Naming the field.
        """
        certify = _counts("certify", self.certify, 2)
        select = _counts("select", self.select, 2)
        sizes, test = _counts("sizes", self.sizes, 1), _counts("test", self.test, 1)
        if select.shape != certify.shape or certify.shape[1] < 2:
            raise invalid("select", f"of shape {certify.shape}", self.select)
        if not np.array_equal(sizes, test + (select + certify).sum(axis=1)):
            raise invalid("sizes", "the sum of labeled and unlabeled rows", self.sizes)


# Rows that are worked on at once: 64-bit numbers for them stay in the processor's cache.
# Counting 100,000 rows takes 1 to 4 % more time with 2^13 or 2^16, and 10 % with 2^12.
_BATCH = 2**14
# Parts of a split, by number.
_OUTSIDE, _SELECT, _CERTIFY, _TEST = range(4)


def cells_of_rows(codes, n_classes, split, division):
    """The part of the split and the class of each row, as one number.

    Parameters
    ----------
    codes : ndarray of shape (n_samples,) of int
        Class codes; -1 is an unlabeled row, ``n_classes`` a label of no class.
    n_classes : int
    split : tuple of (ndarray, ndarray)
        Indices of the labeled and the unlabeled rows; no row is in both.
    division : tuple of (ndarray, ndarray)
        Indices of the labeled rows that select, and of those that certify.

    Returns
    -------
    cells : ndarray of shape (n_samples,) of int
        In the smallest integer type, for :func:`count_cells`.
    """
    (select, certify), (_, test), width = division, split, n_classes + 2
    cells = (codes + 1).astype(np.min_scalar_type(4 * width))
    for part, rows in (_SELECT, select), (_CERTIFY, certify), (_TEST, test):
        cells[rows] += cells.dtype.type(part * width)
    return cells


def count_cells(clusters, cells, n_classes, distances, listed=slice(None)):
    """Count the rows of a partition on one split, in one pass over the rows.

    Parameters
    ----------
    clusters : ndarray of shape (n_samples,) of int
        Clusters, numbered from 0.
    cells : ndarray of shape (n_samples,) of int
        As of :func:`cells_of_rows`.
    n_classes : int
    distances : callable
        About the clusters that are listed.
    listed : ndarray of int, default=slice(None)
        The clusters that the counts list, in this order.

    Returns
    -------
    counts : ClusterCounts
    """
    n_cells, n_clusters = 4 * (n_classes + 2), int(clusters.max()) + 1
    found = np.zeros(n_clusters * n_cells, dtype=np.int64)
    # A few rows at once take less memory, and more than there are cells no more time.
    for batch in batches(len(clusters), max(_BATCH, len(found))):
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


def _counts(name, values, n_dimensions):
    array = as_array(name, values)
    whole = array.dtype.kind in "iu" or (
        array.dtype.kind == "f" and np.array_equal(array, np.floor(array))
    )
    if array.ndim != n_dimensions or not array.size or not whole:
        raise invalid(name, f"counts in {n_dimensions} dimensions", values)
    if array.min() < 0 or array.max() > MAX_COUNT:
        raise invalid(name, "counts from 0 to 2**51", values)
    return array.astype(np.int64)


def _with_others(name, table, others):
    """A last column for labels that are none of the classes."""
    counts = _counts(name, table, 2)
    last = np.zeros(len(counts), dtype=np.int64)
    if others is not None:
        last = _counts(f"{name}_others", others, 1)
    if len(last) != len(counts):
        raise invalid(f"{name}_others", f"{len(counts)} counts, one a cluster", others)
    return np.column_stack([counts, last])


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
