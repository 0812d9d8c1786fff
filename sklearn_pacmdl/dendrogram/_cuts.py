"""Cuts of a dendrogram into clusters: the flat ones, and those with the fewest errors."""

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..utils._checks import as_array, check_integer
from ._trees import Layout, check_children, check_max_clusters


class Cuts(ABC):
    """One cut of a dendrogram for each number of clusters.

    Attributes
    ----------
    n_errors : ndarray of shape (max_clusters,) of int64
        For c = 1, 2, ... the number of labeled rows that are not of the most common class
        of their cluster. It never increases with c.

    See Also
    --------
    flat_cuts : The flat cuts.
    best_prunings : The prunings with the fewest errors.

    Examples
    --------
    >>> from sklearn_pacmdl.dendrogram import flat_cuts
    >>> cuts = flat_cuts([[0, 1], [2, 3], [4, 5]], [0, 1, 2, 2], 3, max_clusters=4)
    >>> cuts.labels(2)
    array([0, 0, 1, 1])
    >>> cuts.distances(2)
    array([[0, 6],
           [6, 0]])
    """

    n_errors: NDArray[np.int64]
    _layout: Layout

    @abstractmethod
    def _nodes(self, n_clusters: int) -> list[int]:
        """One node per cluster, whose leaves are the rows of the cluster."""

    def labels(self, n_clusters: int) -> NDArray[np.int64]:
        """Cluster of each row in the cut with this many clusters.

        Parameters
        ----------
        n_clusters : int
            From 1 to max_clusters.

        Returns
        -------
        labels : ndarray of shape (n_rows,) of int64
            In 0..n_clusters-1.

        Raises
        ------
        ValueError
            If there is no such cut.
        """
        check_integer("n_clusters", n_clusters, 1, len(self.n_errors))
        nodes = np.array(self._nodes(n_clusters))
        nodes = nodes[np.argsort(self._layout.start[nodes])]
        labels = np.empty(self._layout.n_rows, dtype=np.int64)
        labels[self._layout.rows] = np.repeat(
            np.arange(n_clusters), self._layout.size[nodes]
        )
        return labels

    def distances(self, n_clusters: int) -> NDArray[np.int64]:
        """Merge at which two clusters of a cut come together, for all pairs.

        Parameters
        ----------
        n_clusters : int
            From 1 to max_clusters.

        Returns
        -------
        distances : ndarray of shape (n_clusters, n_clusters) of int64
            Number of the node that joins two clusters; lower is nearer. 0 on the
            diagonal.

        Raises
        ------
        ValueError
            If there is no such cut.
        """
        check_integer("n_clusters", n_clusters, 1, len(self.n_errors))
        layout = self._layout
        starts = np.sort(layout.start[np.array(self._nodes(n_clusters))])
        # Each place but the first is where the right child of exactly one node starts;
        # this node joins the leaf there with its left neighbor.
        joins = np.zeros(layout.n_rows, dtype=np.int64)
        parents = np.arange(layout.n_rows, len(layout.start))
        joins[layout.start[[right for _, right in layout.children]]] = parents
        distances = np.zeros((n_clusters, n_clusters), dtype=np.int64)
        for j in range(n_clusters - 1):
            # Runs of leaves come together in the latest of the nodes that join them.
            upward = np.maximum.accumulate(joins[starts[j + 1 :]])
            distances[j, j + 1 :] = distances[j + 1 :, j] = upward
        return distances


class _FlatCuts(Cuts):
    def __init__(self, layout, errors, max_clusters):
        self._layout = layout
        merges = np.array(layout.children, dtype=np.int64).reshape(-1, 2)[::-1]
        saved = errors[::-1][: len(merges)] - errors[merges].sum(axis=1)
        self.n_errors = errors[-1] - np.cumsum([0, *saved[: max_clusters - 1]])

    def _nodes(self, n_clusters):
        n_nodes = len(self._layout.start)
        first = n_nodes - n_clusters + 1  # of the nodes whose merges are undone
        undone = range(first, n_nodes)
        parts = [part for node in undone for part in self._layout.children_of(node)]
        return [node for node in parts if node < first] or [n_nodes - 1]


class _BestPrunings(Cuts):
    """Tables from the leaves up; the prunings themselves are found when asked for.

    The table of a node holds the fewest errors of its prunings with 1, 2, ... leaves, up
    to the number from which they no longer fall: one more leaf never adds an error.
    """

    def __init__(self, layout, errors, max_clusters):
        self._layout = layout
        self._tables = [errors[i : i + 1] for i in range(layout.n_rows)]
        for own, (left, right) in zip(
            errors[layout.n_rows :].tolist(), layout.children, strict=True
        ):
            self._tables.append(
                _merged(own, self._tables[left], self._tables[right], max_clusters)
            )
        self.n_errors = self._fewest(-1, np.arange(1, max_clusters + 1))

    def _fewest(self, node, n_leaves):
        table = self._tables[node]
        return table[np.minimum(n_leaves, len(table)) - 1]

    def _nodes(self, n_clusters):
        nodes, open_ = [], [(len(self._tables) - 1, n_clusters)]
        while open_:
            node, n_leaves = open_.pop()
            if n_leaves == 1:
                nodes.append(node)
                continue
            left, right = self._layout.children_of(node)
            size = self._layout.size
            on_left = np.arange(
                max(1, n_leaves - size[right]), min(n_leaves - 1, size[left]) + 1
            )
            errors = self._fewest(left, on_left) + self._fewest(right, n_leaves - on_left)
            best = int(on_left[np.argmin(errors)])
            open_ += [(left, best), (right, n_leaves - best)]
        return nodes


def _merged(own, left, right, max_clusters):
    """Table of a node from its own errors as a leaf and its children's tables."""
    if own == left[-1] + right[-1]:  # no pruning below the node has fewer errors
        return np.array([own])
    if len(left) > len(right):
        left, right = right, left
    table = np.full(min(len(left) + len(right), max_clusters), own)
    for i, errors in enumerate(left[: len(table) - 1], start=1):
        reached = table[i : i + len(right)]
        np.minimum(reached, right[: len(reached)] + errors, out=reached)
    return table[: 1 + table.argmin()]


def _checked(children, codes, n_classes, max_clusters):
    """Layout, errors below each node, and largest number of clusters."""
    layout = Layout(check_children("children", children))
    codes = as_array("codes", codes)
    if codes.shape != (layout.n_rows,) or codes.dtype.kind not in "iu":
        raise ValueError(
            f"codes must be {layout.n_rows} integers, one for each row of the "
            f"dendrogram, got shape {codes.shape} and dtype {codes.dtype}."
        )
    errors = layout.node_errors(codes, check_integer("n_classes", n_classes, 1))
    return layout, errors, check_max_clusters(max_clusters, layout.n_rows)


def flat_cuts(
    children: ArrayLike, codes: ArrayLike, n_classes: int, max_clusters: int
) -> Cuts:
    """Find the flat cuts of a dendrogram, and their errors.

    Parameters
    ----------
    children : array-like of shape (n_rows - 1, 2)
        The dendrogram, as for :func:`dendrogram_children`.
    codes : array-like of shape (n_rows,) of int
        Class of each row in 0..n_classes-1; -1 if it is unlabeled, n_classes for a label
        that is none of the classes and so always an error.
    n_classes : int
        Number of classes.
    max_clusters : int
        Largest number of clusters; values above ``n_rows`` are treated as ``n_rows``.

    Returns
    -------
    cuts : Cuts
        Its ``n_errors`` are those of the cuts with 1, 2, ... clusters; its ``labels``
        gives the clusters.

    Raises
    ------
    ValueError
        If a parameter is not as described.

    Examples
    --------
    >>> from sklearn_pacmdl.dendrogram import flat_cuts
    >>> cuts = flat_cuts([[0, 1], [2, 3], [4, 5]], [0, 1, 2, 2], 3, max_clusters=4)
    >>> cuts.n_errors
    array([2, 1, 1, 0])
    >>> cuts.labels(3)
    array([0, 0, 1, 2])
    """
    return _FlatCuts(*_checked(children, codes, n_classes, max_clusters))


def best_prunings(
    children: ArrayLike, codes: ArrayLike, n_classes: int, max_clusters: int
) -> Cuts:
    """Find the prunings of a dendrogram with the fewest errors for each number of leaves.

    Every cluster gets its most common class. The minimum is over all prunings with
    exactly this number of leaves.

    Parameters
    ----------
    children : array-like of shape (n_rows - 1, 2)
        The dendrogram, as for :func:`dendrogram_children`.
    codes : array-like of shape (n_rows,) of int
        Class of each row in 0..n_classes-1; -1 if it is unlabeled, n_classes for a label
        that is none of the classes and so always an error.
    n_classes : int
        Number of classes.
    max_clusters : int
        Largest number of leaves, K; values above ``n_rows`` are treated as ``n_rows``.

    Returns
    -------
    cuts : Cuts
        Its ``n_errors`` are the fewest errors with 1, 2, ... leaves; its ``labels``
        gives the clusters of a pruning with this number of errors.

    Raises
    ------
    ValueError
        If a parameter is not as described.

    Notes
    -----
    It takes at most O(n_rows K) time and memory: a table is no longer than the number of
    rows below its node, than K, and than the number of errors below the node.

    Examples
    --------
    >>> from sklearn_pacmdl.dendrogram import best_prunings
    >>> cuts = best_prunings([[0, 1], [2, 3], [4, 5]], [0, 1, 2, 2], 3, max_clusters=4)
    >>> cuts.n_errors
    array([2, 1, 0, 0])
    >>> cuts.labels(3)
    array([0, 1, 2, 2])
    """
    return _BestPrunings(*_checked(children, codes, n_classes, max_clusters))
