"""Dendrograms: their cuts into clusters, weights of the cuts, and the best cut certified.

A dendrogram over n rows is an array of shape (n - 1, 2): nodes 0..n-1 are the rows, and
node n + i is made of the two nodes in row i. A pruning with c leaves cuts it into c
clusters, each of which holds the rows below one node. A flat cut undoes the last c - 1
merges; it is the one pruning with c leaves that the dendrogram itself suggests.
"""

from ._cuts import Cuts, best_prunings, flat_cuts
from ._labeler import DendrogramLabeler
from ._trees import dendrogram_children
from ._weights import count_prunings, cut_weights

__all__ = [
    "Cuts",
    "DendrogramLabeler",
    "best_prunings",
    "count_prunings",
    "cut_weights",
    "dendrogram_children",
    "flat_cuts",
]
