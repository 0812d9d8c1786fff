"""Dendrograms as arrays: checked, built by a clusterer, and laid out."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from ..utils._checks import as_array, check_integer, shown
from ..utils._rows import permute_rows, permuted_parameters, takes_pairs
from ..utils._sklearn import last_step


def dendrogram_children(dendrogram: ArrayLike | Any) -> NDArray[np.int64]:
    """Check a dendrogram, and return the two nodes that each of its merges joins.

    Parameters
    ----------
    dendrogram : array-like of shape (n_rows - 1, 2) or (n_rows - 1, 4), or clusterer
        Pairs of nodes, a linkage matrix of SciPy, or a fitted clusterer with the pairs in
        its attribute ``children_``, such as
        :class:`~sklearn.cluster.AgglomerativeClustering`.

    Returns
    -------
    children : ndarray of shape (n_rows - 1, 2) of int64
        Row i holds the nodes that node ``n_rows + i`` is made of; nodes below ``n_rows``
        are rows.

    Raises
    ------
    ValueError
        If this is not a binary tree over all rows, in which every node except the last is
        in exactly one merge that comes after its own.

    Examples
    --------
    >>> from scipy.cluster.hierarchy import ward
    >>> from sklearn_pacmdl.dendrogram import dendrogram_children
    >>> dendrogram_children(ward([[0.0], [1.0], [10.0], [12.0]]))
    array([[0, 1],
           [2, 3],
           [4, 5]])
    """
    return check_children("dendrogram", dendrogram)


def check_children(name: str, children: ArrayLike | Any) -> NDArray[np.int64]:
    """The pairs of nodes in a parameter of this name; errors are as documented above."""
    array = as_array(name, getattr(children, "children_", children))
    if array.ndim != 2 or array.shape[1] not in (2, 4) or array.dtype.kind not in "iuf":
        raise ValueError(
            "A dendrogram must be an array of numbers with one merge per row, in 2 "
            "columns, or in 4 if it is a linkage matrix, got "
            f"{name} of shape {array.shape} and dtype {array.dtype}."
        )
    pairs, n_merges = array[:, :2], len(array)
    if not np.array_equal(np.sort(pairs, axis=None), np.arange(2 * n_merges)):
        raise ValueError(
            f"A dendrogram of {n_merges} merges, thus {n_merges + 1} rows, must have "
            f"each of the nodes 0 to {2 * n_merges - 1} in exactly one merge; is the "
            f"tree complete? Got {name}={shown(pairs.tolist())}."
        )
    too_early = pairs.max(axis=1) > n_merges + np.arange(n_merges)
    if too_early.any():
        merge = int(np.argmax(too_early))
        raise ValueError(
            "Merges of a dendrogram must come after those of their parts, but merge "
            f"{merge} joins the nodes {pairs[merge].tolist()}, one of which is not there "
            f"yet, in {name}."
        )
    return pairs.astype(np.int64)


def build_dendrogram(clusterer: Any, X: Any, order: NDArray) -> NDArray[np.int64]:
    """Build the dendrogram of the rows, which the clusterer sees in the given order.

    Parameters
    ----------
    clusterer : estimator
        A hierarchical clusterer, or a Pipeline that ends in one. It is cloned.
    X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
        Rows, or distances between them.
    order : ndarray of shape (n_samples,)
        Permutation of the rows.

    Returns
    -------
    children : ndarray of shape (n_samples - 1, 2) of int64
        With the rows numbered as in X.

    Raises
    ------
    TypeError, ValueError
        If the fitted clusterer has no dendrogram, or one that does not join all rows.
    """
    rows = permute_rows(X, order, takes_pairs(clusterer, X))
    parameters = permuted_parameters(clusterer, order)
    # scikit-learn's clusterers otherwise stop at their own number of clusters.
    for name in clusterer.get_params(deep=True):
        if name.rpartition("__")[2] == "compute_full_tree":
            parameters[name] = True
    _, fitted = last_step(clone(clusterer).set_params(**parameters).fit(rows))
    if not hasattr(fitted, "children_"):
        raise TypeError(
            "clusterer must keep its dendrogram in children_, as "
            f"AgglomerativeClustering does; {type(fitted).__name__} does not."
        )
    n_samples = len(order)
    if len(fitted.children_) != n_samples - 1:
        raise ValueError(
            f"The dendrogram of {type(fitted).__name__} must join all {n_samples} rows "
            f"in {n_samples - 1} merges, got {len(fitted.children_)}."
        )
    children = dendrogram_children(fitted)
    return np.where(children < n_samples, order[children % n_samples], children)


def check_max_clusters(max_clusters: int, n_rows: int) -> int:
    """The largest number of clusters of a dendrogram with so many rows."""
    return min(check_integer("max_clusters", max_clusters, 1), n_rows)


class Layout:
    """The rows as leaves of a drawn dendrogram, in which those below a node are adjacent.

    Attributes
    ----------
    children : list of list of int
        The two nodes of each merge.
    n_rows : int
        Number of rows.
    size, start : ndarray of shape (2 * n_rows - 1,)
        For each node the number of leaves below it, and the place of the first of them.
    rows : ndarray of shape (n_rows,)
        The row at each place.
    """

    def __init__(self, children: NDArray[np.int64]) -> None:
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

    def children_of(self, node: int) -> list[int]:
        """The two nodes that a node above the leaves is made of."""
        return self.children[node - self.n_rows]

    def node_errors(self, codes: NDArray, n_classes: int) -> NDArray[np.int64]:
        """Labeled rows below each node that are not of its most common class."""

        def below(marked):
            seen = np.concatenate([[0], np.cumsum(marked[self.rows])])
            return seen[self.start + self.size] - seen[self.start]

        most = np.zeros(len(self.start), dtype=np.int64)
        for code in np.unique(codes[(codes >= 0) & (codes < n_classes)]):
            np.maximum(most, below(codes == code), out=most)
        return below(codes >= 0) - most
