"""The contingency table of classes and clusters, which all external measures are of."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Protocol, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_consistent_length

from ..columns import complete_labels, unique_inverse
from ..estimators import check_sample_weight
from ..utils._checks import invalid
from ..utils._row_order import check_same_order


class ContingencyTable:
    """Number of rows of each class in each cluster.

    External measures take such a table as ``contingency=``. Several measures of one
    clustering then share one pass over the labels, and counts from elsewhere can be used.

    Parameters
    ----------
    counts : {array-like, sparse} of shape (n_classes, n_clusters)
        Finite, non-negative numbers, not necessarily integers. Every row is a class and
        every column a cluster, empty ones too. :meth:`from_labels` counts labels.

    Attributes
    ----------
    counts : sparse array of shape (n_classes, n_clusters)
        In COO format, without stored zeros; ``counts.toarray()`` is the dense table.
    n_samples : float
        Number of rows, the sum of the counts; at least 0.
    class_sizes : ndarray of shape (n_classes,)
        Sum of the counts of each class.
    cluster_sizes : ndarray of shape (n_clusters,)
        Sum of the counts of each cluster.

    Raises
    ------
    ValueError
        If the counts are not such a table, or if its last row and last column are
        margins, as those of ``pandas.crosstab(…, margins=True)``.

    Examples
    --------
    >>> from sklearn_pacmdl.metrics import ContingencyTable, dom_q2_score, purity_score
    >>> table = ContingencyTable.from_labels(["a", "a", "b", "b"], [0, 0, 0, 1])
    >>> table.counts.toarray()
    array([[2, 0],
           [1, 1]])
    >>> purity_score(contingency=table)
    0.75
    >>> print(f"{dom_q2_score(contingency=table):.4f}")
    0.5508
    """

    counts: Any
    n_samples: float
    class_sizes: NDArray[Any]
    cluster_sizes: NDArray[Any]

    def __init__(self, counts: Any) -> None:
        self._set(_checked_counts(counts, "counts"))

    def _set(self, counts):
        """From a canonical sparse array."""
        self.counts = counts
        self.n_samples = counts.data.sum()
        self.class_sizes = np.asarray(counts.sum(axis=1))
        self.cluster_sizes = np.asarray(counts.sum(axis=0))
        return self

    @classmethod
    def from_labels(
        cls,
        labels_true: ArrayLike,
        labels_pred: ArrayLike,
        sample_weight: ArrayLike | None = None,
    ) -> ContingencyTable:
        """Count the rows of each class in each cluster.

        Parameters
        ----------
        labels_true, labels_pred : array-like of shape (n_samples,)
            Class and cluster of each row, as integers or text. A label -1 is a class,
            and noise labeled -1 a cluster, like the others.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weight of each row, which counts as so many rows.

        Returns
        -------
        table : ContingencyTable
            With rows and columns in sorted order of the labels. The counts are integers
            unless there are weights.

        Raises
        ------
        ValueError
            If a label is missing (None, NaN, NA) or infinite, if the arrays are of
            different lengths, if a weight is negative, or if all weights are 0.
        """
        check_same_order(
            labels_true=labels_true, labels_pred=labels_pred, sample_weight=sample_weight
        )
        classes = complete_labels(labels_true, "labels_true")
        clusters = complete_labels(labels_pred, "labels_pred")
        check_consistent_length(classes, clusters)
        weights = None
        if sample_weight is not None:
            weights = check_sample_weight(sample_weight, classes)
            has_weight = weights > 0
            classes, clusters = classes[has_weight], clusters[has_weight]
            weights = weights[has_weight]
        class_names, rows = unique_inverse(classes)
        cluster_names, columns = unique_inverse(clusters)
        shape = class_names.size, cluster_names.size
        cells, cell_of_row = unique_inverse(rows * shape[1] + columns)
        counts = np.bincount(cell_of_row, weights)  # integers without weights
        table = sp.coo_array((counts, np.divmod(cells, max(shape[1], 1))), shape)
        return cls.__new__(cls)._set(table)

    def pair_confusion_matrix(self) -> NDArray[Any]:
        """Count pairs by whether they share a class and whether they share a cluster.

        Returns
        -------
        pairs : ndarray of shape (2, 2)
            In the layout of :func:`sklearn.metrics.cluster.pair_confusion_matrix`, which
            counts every pair twice. The first index tells whether the pair is of one
            class, the second whether it is in one cluster. The numbers are integers where
            labels were counted, and may be negative for counts below 1.

        Examples
        --------
        >>> from sklearn_pacmdl.metrics import ContingencyTable
        >>> ContingencyTable([[2, 0], [1, 1]]).pair_confusion_matrix()
        array([[4., 4.],
               [2., 2.]])
        """
        sizes = self.counts.data, self.class_sizes, self.cluster_sizes
        both, classes, clusters = (np.sum(size * (size - 1)) for size in sizes)
        neither = self.n_samples * (self.n_samples - 1) - classes - clusters + both
        return np.array([[neither, clusters - both], [classes - both, both]])

    def __repr__(self) -> str:
        n_classes, n_clusters = self.counts.shape
        size = f"{n_clusters} clusters, {self.n_samples:.12g} rows"
        return f"ContingencyTable({n_classes} classes, {size})"


def _dense(table):
    """The table as a matrix of floats, None if it is none."""
    try:
        raw = np.asarray(table)
        texts = [isinstance(v, str) for v in raw.flat] if raw.dtype == object else []
        if raw.dtype.kind not in "biufO" or np.ma.is_masked(table) or any(texts):
            return None
        array = raw.astype(float)
    except (TypeError, ValueError, OverflowError):
        return None
    return array if array.ndim == 2 else None


def _checked_counts(counts, name):
    allowed = "a 2-dimensional table of finite, non-negative numbers, classes by clusters"
    matrix = counts if sp.issparse(counts) else _dense(counts)
    if matrix is None:
        raise invalid(name, allowed, counts)
    table = sp.coo_array(matrix, dtype=float)
    table.sum_duplicates()
    table.eliminate_zeros()
    if not np.all(np.isfinite(table.data) & (table.data >= 0)):
        raise invalid(name, allowed, counts)
    if hasattr(counts, "index") and hasattr(counts, "columns"):  # of pandas
        _check_no_margins(counts, matrix, name)
    return table


def _check_no_margins(frame, table, name):
    """Refuse a last row and a last column that are called margins, and are sums."""
    # Numbers alone do not tell: [[1, 1], [1, 1]] is a table with or without sums.
    names = [labels[-1] for labels in (frame.index, frame.columns) if len(labels)]
    names = [last[0] if isinstance(last, tuple) else last for last in names]
    if names not in (["All", "All"], ["Total", "Total"]):
        return
    if np.allclose(table[-1], table[:-1].sum(axis=0)) and np.allclose(
        table[:, -1], table[:, :-1].sum(axis=1)
    ):
        raise ValueError(
            f"{name} must hold classes and clusters only, got a last row and a last "
            "column of sums; pandas.crosstab leaves them out with margins=False."
        )


# What the external measures are called with.
Labels: TypeAlias = ArrayLike | None
Table: TypeAlias = ContingencyTable | ArrayLike | sp.sparray | sp.spmatrix | None


def contingency_table(
    labels_true: Labels, labels_pred: Labels, contingency: Table
) -> ContingencyTable:
    """The table of an external measure: of two labelings, or the one passed."""
    if contingency is None:
        allowed = "given, or contingency instead of both labels"
        if labels_true is None:
            raise invalid("labels_true", allowed, None)
        if labels_pred is None:
            raise invalid("labels_pred", allowed, None)
        return ContingencyTable.from_labels(labels_true, labels_pred)
    if labels_true is not None or labels_pred is not None:  # which of them is meant?
        allowed = "None where labels_true or labels_pred are given"
        raise invalid("contingency", allowed, contingency)
    if isinstance(contingency, ContingencyTable):
        return contingency
    table = ContingencyTable.__new__(ContingencyTable)
    return table._set(_checked_counts(contingency, "contingency"))


class ExternalMeasure(Protocol):
    """How external measures are called."""

    def __call__(
        self,
        labels_true: Labels = None,
        labels_pred: Labels = None,
        *,
        contingency: Table = None,
    ) -> float: ...


def external_measure(of_table: Callable[[ContingencyTable], Any]) -> ExternalMeasure:
    """Decorator that makes a function of a table one of labels, or of a table."""

    # Without its signature, which is another one.
    @wraps(of_table, assigned=["__module__", "__name__", "__qualname__", "__doc__"])
    def measure(
        labels_true: Labels = None,
        labels_pred: Labels = None,
        *,
        contingency: Table = None,
    ) -> float:
        return float(of_table(contingency_table(labels_true, labels_pred, contingency)))

    del measure.__wrapped__
    return measure
