"""Measures of how many objects are in the majority class of their cluster."""

from __future__ import annotations

import numpy as np

from ..utils._checks import invalid
from ._contingency import ContingencyTable, external_measure


def _sum_of_largest(table, axis):
    """Largest cell of every cluster (axis 0) or of every class (axis 1), summed."""
    largest = np.zeros(table.counts.shape[1 - axis])
    np.maximum.at(largest, table.counts.coords[1 - axis], table.counts.data)
    return largest.sum()


@external_measure
def purity_score(table: ContingencyTable) -> float:
    """Share of objects in the majority class of their cluster.

    {Parameters}

    Returns
    -------
    score : float
        In (0, 1]; higher is better. 1 for no objects, and also if every object is its
        own cluster. Not symmetric.

    {Raises}

    References
    ----------
    .. [1] {manning}, Eq. 16.1.

    Examples
    --------
    >>> from sklearn_pacmdl.metrics import purity_score
    >>> purity_score([0, 0, 1, 1], [0, 0, 0, 1])
    0.75
    """
    return _sum_of_largest(table, 0) / table.total if table.total else 1.0


@external_measure
def classification_error_loss(table: ContingencyTable) -> float:
    """Share of objects outside the majority class of their cluster, where ``|K| = |C|``.

    {Parameters}

    Returns
    -------
    loss : float
        In [0, 1]; lower is better. 0 for no objects.

    {Raises}
    ValueError
        If there are not as many clusters as classes; :func:`purity_score` allows any
        number.

    See Also
    --------
    purity_score : 1 minus this, for any number of clusters.

    References
    ----------
    .. [1] {dom}, section 5.1.

    Examples
    --------
    >>> from sklearn_pacmdl.metrics import classification_error_loss
    >>> classification_error_loss([0, 0, 1, 1], [1, 1, 0, 1])
    0.25
    """
    n_classes, n_clusters = table.counts.shape
    if n_classes != n_clusters:
        given = "contingency, or the table of labels_true and labels_pred,"
        raise invalid(given, f"of as many clusters as classes ({n_classes})", table)
    return 1 - _sum_of_largest(table, 0) / table.total if table.total else 0.0


@external_measure
def normalized_hamming_score(table: ContingencyTable) -> float:
    """One minus the normalized Hamming distance of classes and clusters.

    This is the mean of two shares: that of the objects in the majority class of their
    cluster, and that of the objects in the majority cluster of their class.

    {Parameters}

    Returns
    -------
    score : float
        In (0, 1]; higher is better. Symmetric. 1 for no objects.

    {Raises}

    References
    ----------
    .. [1] {dom}, Eqs. 19-23.

    Examples
    --------
    >>> from sklearn_pacmdl.metrics import normalized_hamming_score
    >>> normalized_hamming_score([0, 0, 1, 1], [0, 0, 0, 0])
    0.75
    """
    if not table.total:
        return 1.0
    both_ways = _sum_of_largest(table, 0) + _sum_of_largest(table, 1)
    return both_ways / (2 * table.total)
