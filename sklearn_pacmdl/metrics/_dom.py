"""Dom's measures: bits that it takes to tell the classes once the clusters are known.

Where the table holds expectations instead of counts, factorials are Gamma functions.
"""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln, xlogy

from ._contingency import ContingencyTable, external_measure

_LN2 = np.log(2)


def _entropy(table):
    """Bits per object that the classes cost by their sizes alone."""
    sizes, n = table.class_sizes, table.total
    return -np.sum(xlogy(sizes, sizes / n)) / (n * _LN2)


def _conditional_entropy(table):
    """Bits per object that the classes cost by the columns of the table."""
    cells, (_, columns) = table.counts.data, table.counts.coords
    shares = cells / table.cluster_sizes[columns]
    return -np.sum(xlogy(cells, shares)) / (table.total * _LN2)


def _table_bits(table, sums):
    """Bits that columns with these sums cost: the sum of log2 of Eq. 9."""
    n_classes = table.class_sizes.size
    nats = gammaln(sums + n_classes) - gammaln(n_classes) - gammaln(sums + 1)
    return (nats / _LN2).sum()


def _check_size(table):
    if table.n_samples is None:
        raise ValueError(
            "Dom's Q0, Q1 and Q2 depend on the number of objects: contingency must be a "
            "table with n_samples, as of ContingencyTable.from_probabilities(p, "
            f"n_samples), got {table}."
        )


@external_measure
def empirical_conditional_entropy(table: ContingencyTable) -> float:
    """Bits per object that the classes still cost once the clusters are known.

    {Parameters}

    Returns
    -------
    entropy : float
        In [0, log2(n_classes)]; lower is better. 0 for no objects.

    {Raises}

    See Also
    --------
    sklearn.metrics.homogeneity_score : 1 minus this over the entropy of the classes.

    References
    ----------
    .. [1] {dom}, section 4.1.

    Examples
    --------
    >>> from sklearn_pacmdl.metrics import empirical_conditional_entropy
    >>> empirical_conditional_entropy([0, 0, 1, 1], [0, 0, 0, 0])
    1.0
    """
    return max(0.0, _conditional_entropy(table)) if table.total else 0.0


@external_measure
def dom_q0_loss(table: ContingencyTable) -> float:
    """Dom's Q0: bits per object that describe the classes when the clusters are known.

    The sum of two lengths: that of the code for the contingency table, and that of the
    code for the classes once the table is known.

    {Parameters}

    Returns
    -------
    loss : float
        In [0, inf); lower is better. Not symmetric. 0 for no objects or one class.

    {Raises}

    See Also
    --------
    dom_q2_score : The same in (0, 1], where higher is better.

    References
    ----------
    .. [1] {dom}, Eq. 11.

    Examples
    --------
    >>> from sklearn_pacmdl.metrics import dom_q0_loss
    >>> print(f"{dom_q0_loss([0, 0, 1, 1], [0, 1, 2, 3]):.6f}")
    1.000000
    """
    _check_size(table)
    return _cost(table) if table.total else 0.0


def _cost(table):
    """Bits per object: Q0 for a table that is not empty."""
    columns = _table_bits(table, table.cluster_sizes)
    return _conditional_entropy(table) + columns / table.total


@external_measure
def dom_q1_score(table: ContingencyTable) -> float:
    """Dom's Q1: bits per object that the clusters save in describing the classes.

    {Parameters}

    Returns
    -------
    score : float
        At most the entropy of the classes in bits; higher is better. 0 for one cluster,
        and negative if the clusters save less than their table costs. Not symmetric.

    {Raises}

    See Also
    --------
    sklearn.metrics.mutual_info_score : Without the cost of the tables, in nats.

    References
    ----------
    .. [1] {dom}, Eq. 17.

    Examples
    --------
    >>> from sklearn_pacmdl.metrics import dom_q1_score
    >>> dom_q1_score([0, 0, 1, 1], [3, 3, 3, 3])
    0.0
    """
    _check_size(table)
    if not table.total:
        return 0.0
    saved = _entropy(table) - _conditional_entropy(table)
    one_column = _table_bits(table, np.array([table.total]))
    columns = _table_bits(table, table.cluster_sizes)
    return saved + (one_column - columns) / table.total


@external_measure
def dom_q2_score(table: ContingencyTable) -> float:
    """Dom's Q2: minimal description length of the classes over their actual one.

    {Parameters}

    Returns
    -------
    score : float
        In (0, 1]; higher is better. 1 for a perfect clustering, and by definition for no
        objects and for one class. Not symmetric.

    {Raises}

    See Also
    --------
    dom_q0_loss : The cost, in bits.

    References
    ----------
    .. [1] {dom}, Eq. 18.

    Examples
    --------
    >>> from sklearn_pacmdl.metrics import dom_q2_score
    >>> dom_q2_score([0, 0, 1, 1], [1, 1, 0, 0])
    1.0
    """
    _check_size(table)
    cost = _cost(table) if table.total else 0.0
    if cost <= 0:
        return 1.0
    least = _table_bits(table, table.class_sizes) / table.total
    return min(1.0, least / cost)
