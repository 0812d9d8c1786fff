"""Cuts of a dendrogram: which of them there are, their weights, and the best of them.

A dendrogram over n rows is an array of shape (n - 1, 2): nodes 0..n-1 are the rows, and
node n + i is made of the two nodes in row i. A pruning with c leaves cuts it into c
clusters, each of them the rows below one node. A flat cut takes off the c - 1 last
merges; it is the one pruning with c leaves that the dendrogram itself suggests.
"""

from abc import ABC, abstractmethod
from fractions import Fraction

import numpy as np

from ..utils._checks import is_integer, is_number, shown


def dendrogram_children(dendrogram):
    """The two nodes that each merge of a dendrogram joins, checked.

    Parameters
    ----------
    dendrogram : array-like of shape (n_rows - 1, 2) or (n_rows - 1, 4), or clusterer
        Pairs of nodes, a linkage matrix of SciPy, or a fitted clusterer that has the
        pairs in ``children_``, as :class:`~sklearn.cluster.AgglomerativeClustering`.

    Returns
    -------
    children : ndarray of shape (n_rows - 1, 2) of int64
        Row i has the nodes that node ``n_rows + i`` is made of; nodes below ``n_rows``
        are rows.

    Raises
    ------
    ValueError
        If this is no binary tree over all rows, in which every node but the last is in
        one merge, and that merge comes after its own.

    Examples
    --------
    >>> from scipy.cluster.hierarchy import ward
    >>> from sklearn_pacmdl.languages import dendrogram_children
    >>> dendrogram_children(ward([[0.0], [1.0], [10.0], [12.0]]))
    array([[0, 1],
           [2, 3],
           [4, 5]])
    """
    array = np.asarray(getattr(dendrogram, "children_", dendrogram))
    if array.ndim != 2 or array.shape[1] not in (2, 4) or array.dtype.kind not in "iuf":
        raise ValueError(
            "A dendrogram must be an array of numbers with one merge per row, in 2 "
            "columns, or 4 if it is a linkage matrix; got shape "
            f"{array.shape} and dtype {array.dtype}."
        )
    pairs, n_merges = array[:, :2], len(array)
    if not np.array_equal(np.sort(pairs, axis=None), np.arange(2 * n_merges)):
        raise ValueError(
            f"A dendrogram of {n_merges} merges, thus {n_merges + 1} rows, must have "
            f"each of the nodes 0 to {2 * n_merges - 1} in exactly one merge; is the "
            "tree complete?"
        )
    if n_merges and np.any(pairs.max(axis=1) > n_merges + np.arange(n_merges)):
        early = int(np.argmax(pairs.max(axis=1) > n_merges + np.arange(n_merges)))
        raise ValueError(
            "Merges of a dendrogram must come after those of their parts; merge "
            f"{early} joins the nodes {pairs[early].tolist()}, of which one is not "
            "there yet."
        )
    return pairs.astype(np.int64)


def _check_max_clusters(max_clusters, n_rows):
    if not is_integer(max_clusters) or max_clusters < 1:
        raise ValueError(
            f"max_clusters must be an integer of at least 1, got {shown(max_clusters)}."
        )
    return min(int(max_clusters), n_rows)


def count_prunings(children, max_clusters):
    """Number of prunings with c leaves, for every c.

    Parameters
    ----------
    children : array-like of shape (n_rows - 1, 2)
        The dendrogram, as :func:`dendrogram_children` takes it.
    max_clusters : int
        Largest c, at least 1; numbers above ``n_rows`` count as ``n_rows``.

    Returns
    -------
    counts : list of int
        For c = 1, 2, ..., exactly; below ``4 ** c``.

    Examples
    --------
    >>> from sklearn_pacmdl.languages import count_prunings
    >>> count_prunings([[0, 1], [2, 3], [4, 5]], max_clusters=4)
    [1, 1, 2, 1]
    """
    children = dendrogram_children(children)
    most = _check_max_clusters(max_clusters, len(children) + 1)
    # The prunings of a node are itself, or one of either child: their generating
    # function is z + left * right. It is kept as one integer, its value at z = 2**width:
    # there are fewer prunings than binary trees, a Catalan number, so none overflows.
    width = 2 * most
    itself, below = 1 << width, (1 << width * (most + 1)) - 1
    values = [itself] * (len(children) + 1)
    for left, right in children.tolist():
        values.append((itself + values[left] * values[right]) & below)
        values[left] = values[right] = 0  # not needed again, and long
    return [values[-1] >> width * c & (itself - 1) for c in range(1, most + 1)]


def cluster_number_weights(max_clusters):
    """Weight of each number of clusters, 1 / (c (c + 1)) divided by their sum.

    Parameters
    ----------
    max_clusters : int
        Largest number, K.

    Returns
    -------
    weights : list of Fraction
        For c = 1..K; they sum to 1.
    """
    return [
        Fraction(max_clusters + 1, max_clusters * c * (c + 1))
        for c in range(1, max_clusters + 1)
    ]


def cut_weights(children, max_clusters, prior="counted", flat_weight=Fraction(1, 2)):
    """Weights of the cuts of a dendrogram, by their number of clusters.

    Flat cuts share ``flat_weight`` and prunings the rest. A flat cut is a pruning too,
    and has both its weights.

    Parameters
    ----------
    children : array-like of shape (n_rows - 1, 2)
        The dendrogram, as :func:`dendrogram_children` takes it.
    max_clusters : int
        Largest number of clusters, K; numbers above ``n_rows`` count as ``n_rows``.
    prior : {"counted", "flags"}, default="counted"
        Of a pruning with c leaves. "counted": ``(K + 1) / (K c (c + 1))`` shared evenly
        among all prunings with c leaves. "flags": ``2 ** -(2 c - 1)``, one bit for
        each node down to the leaves, which tells whether it is one.
    flat_weight : float or Fraction, default=1/2
        In [0, 1]; a float means its printed decimal.

    Returns
    -------
    weights : dict of str to list of dict of str to Fraction
        Under "flat" and "pruned", unless all weight is on the other, for c = 1..K: the
        weight of c, as "n_clusters", and that of one cut among those with c clusters,
        as "cut". Their products, over all prunings with up to K leaves, sum to at most
        1; those of "counted" to exactly 1.

    Raises
    ------
    ValueError
        If a parameter is not as described.

    Notes
    -----
    There are at most ``4 ** (c - 1)`` prunings with c leaves, so "counted" spends
    less than "flags" on which of them it is, by more bits the less balanced the tree;
    on the number c it spends about 2 log2(c) bits, whatever K is.

    Examples
    --------
    >>> from sklearn_pacmdl.languages import cut_weights
    >>> weights = cut_weights([[0, 1], [2, 3], [4, 5]], max_clusters=3)
    >>> weights["pruned"][2]  # one of the two with 3 clusters
    {'n_clusters': Fraction(1, 9), 'cut': Fraction(1, 4)}
    >>> weights["flat"][2]
    {'n_clusters': Fraction(1, 9), 'cut': Fraction(3, 4)}
    """
    if prior not in ("counted", "flags"):
        raise ValueError(f"prior must be 'counted' or 'flags', got {shown(prior)}.")
    exact = isinstance(flat_weight, Fraction)
    if not (exact or is_number(flat_weight)) or not 0 <= flat_weight <= 1:
        raise ValueError(f"flat_weight must be in [0, 1], got {shown(flat_weight)}.")
    flat = flat_weight if exact else Fraction(repr(float(flat_weight)))
    counts = count_prunings(children, max_clusters)
    weights: dict[str, list[dict[str, Fraction]]] = {"flat": [], "pruned": []}
    for c, number in enumerate(cluster_number_weights(len(counts)), start=1):
        among = counts[c - 1]
        own = number / among if prior == "counted" else Fraction(1, 2 ** (2 * c - 1))
        total = flat * number + (1 - flat) * own * among
        of_cut = {"flat": flat * number + (1 - flat) * own, "pruned": (1 - flat) * own}
        for kind, weight in of_cut.items():
            weights[kind].append({"n_clusters": total, "cut": weight / total})
    shares = {"flat": flat, "pruned": 1 - flat}
    return {kind: terms for kind, terms in weights.items() if shares[kind] > 0}


class _Layout:
    """The rows as the leaves of a drawn dendrogram: below each node, a run of them."""

    def __init__(self, children):
        self.children = children.tolist()
        self.n_rows = len(children) + 1
        size = [1] * self.n_rows
        for left, right in self.children:
            size.append(size[left] + size[right])
        start = [0] * len(size)
        for node in range(len(size) - 1, self.n_rows - 1, -1):
            left, right = self.children_of(node)
            start[left], start[right] = start[node], start[node] + size[left]
        self.size, self.start = np.array(size), np.array(start)
        self.rows = np.argsort(self.start[: self.n_rows])

    def children_of(self, node):
        return self.children[node - self.n_rows]

    def node_errors(self, codes, n_classes):
        """Labeled rows below each node that are not of its most common class."""

        def below(marked):
            seen = np.concatenate([[0], np.cumsum(marked[self.rows])])
            return seen[self.start + self.size] - seen[self.start]

        most = np.zeros(len(self.start), dtype=np.int64)
        for code in range(n_classes):
            np.maximum(most, below(codes == code), out=most)
        return below(codes >= 0) - most


class Cuts(ABC):
    """One cut of a dendrogram for each number of clusters.

    Attributes
    ----------
    n_errors : ndarray of shape (max_clusters,) of int64
        Labeled rows that are not of the most common class of their cluster, for
        c = 1, 2, ...; they never increase.
    """

    n_errors: np.ndarray

    def __init__(self, layout):
        self._layout = layout

    @abstractmethod
    def _nodes(self, n_clusters):
        """Nodes that the clusters lie below."""

    def labels(self, n_clusters):
        """Cluster of each row in the cut with this many clusters.

        Parameters
        ----------
        n_clusters : int
            In 1..max_clusters.

        Returns
        -------
        labels : ndarray of shape (n_rows,) of int64
            In 0..n_clusters-1.

        Raises
        ------
        ValueError
            If there is no such cut.
        """
        if not is_integer(n_clusters) or not 1 <= n_clusters <= len(self.n_errors):
            raise ValueError(
                f"n_clusters must be an integer in 1..{len(self.n_errors)}, "
                f"got {shown(n_clusters)}."
            )
        nodes = np.array(self._nodes(n_clusters))
        nodes = nodes[np.argsort(self._layout.start[nodes])]
        labels = np.empty(self._layout.n_rows, dtype=np.int64)
        labels[self._layout.rows] = np.repeat(
            np.arange(n_clusters), self._layout.size[nodes]
        )
        return labels

    def distances(self, n_clusters):
        """At which merge the clusters of a cut come together.

        Parameters
        ----------
        n_clusters : int
            In 1..max_clusters.

        Returns
        -------
        distances : ndarray of shape (n_clusters, n_clusters) of int64
            Number of the node that joins two clusters; lower is nearer. 0 for the same.
        """
        layout = self._layout
        starts = np.sort(layout.start[np.array(self._nodes(n_clusters))])
        # Neighboring leaves come together in the node that is taken apart between them.
        joins = np.zeros(layout.n_rows, dtype=np.int64)
        parents = np.arange(layout.n_rows, len(layout.start))
        joins[layout.start[[right for _, right in layout.children]]] = parents
        distances = np.zeros((n_clusters, n_clusters), dtype=np.int64)
        for j in range(n_clusters - 1):
            upward = np.maximum.accumulate(joins[starts[j + 1 :]])
            distances[j, j + 1 :] = distances[j + 1 :, j] = upward
        return distances


class _FlatCuts(Cuts):
    def __init__(self, layout, errors, max_clusters):
        super().__init__(layout)
        merges = np.array(layout.children, dtype=np.int64).reshape(-1, 2)[::-1]
        saved = errors[::-1][: len(merges)] - errors[merges].sum(axis=1)
        self.n_errors = errors[-1] - np.cumsum([0, *saved[: max_clusters - 1]])

    def _nodes(self, n_clusters):
        n_nodes = len(self._layout.start)
        first = n_nodes - n_clusters + 1  # of the nodes taken apart
        taken_apart = range(first, n_nodes)
        parts = [p for node in taken_apart for p in self._layout.children_of(node)]
        return [node for node in parts if node < first] or [n_nodes - 1]


class _BestPrunings(Cuts):
    """Dynamic programming upwards; the way down is found again when asked for.

    The table of a node has the fewest errors of its prunings with 1, 2, ... leaves, as
    far as they still fall: one more leaf never adds an error.
    """

    def __init__(self, layout, errors, max_clusters):
        super().__init__(layout)
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
    if own == left[-1] + right[-1]:  # nothing to be gained by going down
        return np.array([own])
    if len(left) > len(right):
        left, right = right, left
    table = np.full(min(len(left) + len(right), max_clusters), own)
    for i, errors in enumerate(left[: len(table) - 1], start=1):
        reached = table[i : i + len(right)]
        np.minimum(reached, right[: len(reached)] + errors, out=reached)
    return table[: 1 + table.argmin()]


def _checked(children, codes, n_classes, max_clusters):
    layout = _Layout(dendrogram_children(children))
    codes = np.asarray(codes)
    if codes.shape != (layout.n_rows,) or codes.dtype.kind not in "iu":
        raise ValueError(
            f"codes must be {layout.n_rows} integers, one for each row of the "
            f"dendrogram, got shape {codes.shape} and dtype {codes.dtype}."
        )
    errors = layout.node_errors(codes, n_classes)
    return layout, errors, _check_max_clusters(max_clusters, layout.n_rows)


def flat_cuts(children, codes, n_classes, max_clusters):
    """Errors of the flat cuts of a dendrogram.

    Parameters
    ----------
    children : array-like of shape (n_rows - 1, 2)
        The dendrogram, as :func:`dendrogram_children` takes it.
    codes : array-like of shape (n_rows,) of int
        Class of each row in 0..n_classes-1; -1 where unlabeled, n_classes for a label
        that is none of the classes and so always an error.
    n_classes : int
        Classes.
    max_clusters : int
        Largest number of clusters; numbers above ``n_rows`` count as ``n_rows``.

    Returns
    -------
    cuts : Cuts
        Its ``n_errors`` are those of the cuts with 1, 2, ... clusters; its ``labels``
        gives the clusters.

    Examples
    --------
    >>> from sklearn_pacmdl.languages import flat_cuts
    >>> cuts = flat_cuts([[0, 1], [2, 3], [4, 5]], [0, 1, 2, 2], 3, max_clusters=4)
    >>> cuts.n_errors
    array([2, 1, 1, 0])
    >>> cuts.labels(3)
    array([0, 0, 1, 2])
    """
    return _FlatCuts(*_checked(children, codes, n_classes, max_clusters))


def best_prunings(children, codes, n_classes, max_clusters):
    """The prunings of a dendrogram with the fewest errors, for each number of leaves.

    Every cluster is given its most common class. The minimum is over all prunings with
    exactly so many leaves.

    Parameters
    ----------
    children : array-like of shape (n_rows - 1, 2)
        The dendrogram, as :func:`dendrogram_children` takes it.
    codes : array-like of shape (n_rows,) of int
        Class of each row in 0..n_classes-1; -1 where unlabeled, n_classes for a label
        that is none of the classes and so always an error.
    n_classes : int
        Classes.
    max_clusters : int
        Largest number of leaves, K; numbers above ``n_rows`` count as ``n_rows``.

    Returns
    -------
    cuts : Cuts
        Its ``n_errors`` are the fewest errors with 1, 2, ... leaves; its ``labels``
        gives the clusters of a pruning that has so few.

    Notes
    -----
    Takes O(n_rows K) time and memory at most: tables are no longer than the number of
    rows below a node, nor than K, nor than the errors below it.

    Examples
    --------
    >>> from sklearn_pacmdl.languages import best_prunings
    >>> cuts = best_prunings([[0, 1], [2, 3], [4, 5]], [0, 1, 2, 2], 3, max_clusters=4)
    >>> cuts.n_errors
    array([2, 1, 0, 0])
    >>> cuts.labels(3)
    array([0, 1, 2, 2])
    """
    return _BestPrunings(*_checked(children, codes, n_classes, max_clusters))
