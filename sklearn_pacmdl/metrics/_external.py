"""External measures: bits of classes, rows in majorities, and pairs of rows.

Factorials are Gamma functions, since a table may hold expectations.
"""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln, xlogy

from ..utils._checks import check_number, invalid
from ._contingency import (
    ContingencyTable,
    Labels,
    Table,
    contingency_table,
    external_measure,
)

_LN2 = np.log(2)


def _conditional_entropy(table):
    """Bits per row that the classes cost by the columns of the table."""
    cells, (_, columns) = table.counts.data, table.counts.coords
    shares = cells / table.cluster_sizes[columns]
    return -np.sum(xlogy(cells, shares)) / (table.n_samples * _LN2)


def _table_bits(table, sums):
    """Bits that columns with these sums cost: the sum of log2 of Eq. 9."""
    n_classes = table.class_sizes.size
    nats = gammaln(sums + n_classes) - gammaln(n_classes) - gammaln(sums + 1)
    return (nats / _LN2).sum()


@external_measure
def empirical_conditional_entropy(table: ContingencyTable) -> float:
    """Bits per row that the classes still cost once the clusters are known.

    Parameters
    ----------
    labels_true : array-like of shape (n_samples,), default=None
        Class of each row, as integers or text, or None if a table is passed. A label
        -1 is a class like the others; leave out rows without a label.
    labels_pred : array-like of shape (n_samples,), default=None
        Cluster of each row, as integers or text, or None if a table is passed. Noise
        labeled -1 is a cluster like the others.
    contingency : ContingencyTable, or array-like or sparse array of shape (n_classes, \
            n_clusters), default=None
        Table of shape (n_classes, n_clusters) to be used instead of the labels. An array
        holds counts or expected counts, and all its rows are classes, empty ones too.

    Returns
    -------
    entropy : float
        In [0, log2(n_classes)]; lower is better. 0 for no rows.

    Raises
    ------
    ValueError
        If a label is missing (None, NaN, NA) or infinite, or the labels are of different
        lengths. If the table is negative or holds margins, or is passed with labels.

    See Also
    --------
    sklearn.metrics.homogeneity_score : 1 minus this over the entropy of the classes.

    References
    ----------
    .. [1] B. E. Dom, "An Information-Theoretic External Cluster-Validity Measure", IBM
           Research Report RJ 10219, 2001, section 4.1.

    Examples
    --------
    >>> from sklearn_pacmdl.metrics import empirical_conditional_entropy
    >>> empirical_conditional_entropy([0, 0, 1, 1], [0, 0, 0, 0])
    1.0
    """
    return max(0.0, _conditional_entropy(table)) if table.n_samples else 0.0


@external_measure
def dom_q0_loss(table: ContingencyTable) -> float:
    """Dom's Q0: bits per row that describe the classes when the clusters are known.

    The sum of two lengths: that of the code for the contingency table, and that of the
    code for the classes once the table is known.

    Parameters
    ----------
    labels_true : array-like of shape (n_samples,), default=None
        Class of each row, as integers or text, or None if a table is passed. A label
        -1 is a class like the others; leave out rows without a label.
    labels_pred : array-like of shape (n_samples,), default=None
        Cluster of each row, as integers or text, or None if a table is passed. Noise
        labeled -1 is a cluster like the others.
    contingency : ContingencyTable, or array-like or sparse array of shape (n_classes, \
            n_clusters), default=None
        Table of shape (n_classes, n_clusters) to be used instead of the labels. An array
        holds counts or expected counts, and all its rows are classes, empty ones too.

    Returns
    -------
    loss : float
        In [0, inf); lower is better. Not symmetric. 0 for no rows or one class.

    Raises
    ------
    ValueError
        If a label is missing (None, NaN, NA) or infinite, or the labels are of different
        lengths. If the table is negative or holds margins, or is passed with labels.

    References
    ----------
    .. [1] B. E. Dom, "An Information-Theoretic External Cluster-Validity Measure", IBM
           Research Report RJ 10219, 2001, Eq. 11.

    Examples
    --------
    >>> from sklearn_pacmdl.metrics import dom_q0_loss
    >>> print(f"{dom_q0_loss([0, 0, 1, 1], [0, 1, 2, 3]):.6f}")
    1.000000
    """
    return _cost(table) if table.n_samples else 0.0


def _cost(table):
    """Bits per row: Q0 for a table that is not empty."""
    columns = _table_bits(table, table.cluster_sizes)
    return _conditional_entropy(table) + columns / table.n_samples


@external_measure
def dom_q1_score(table: ContingencyTable) -> float:
    """Dom's Q1: bits per row that the clusters save in describing the classes.

    Parameters
    ----------
    labels_true : array-like of shape (n_samples,), default=None
        Class of each row, as integers or text, or None if a table is passed. A label
        -1 is a class like the others; leave out rows without a label.
    labels_pred : array-like of shape (n_samples,), default=None
        Cluster of each row, as integers or text, or None if a table is passed. Noise
        labeled -1 is a cluster like the others.
    contingency : ContingencyTable, or array-like or sparse array of shape (n_classes, \
            n_clusters), default=None
        Table of shape (n_classes, n_clusters) to be used instead of the labels. An array
        holds counts or expected counts, and all its rows are classes, empty ones too.

    Returns
    -------
    score : float
        At most the entropy of the classes in bits; higher is better. 0 for one cluster,
        and negative if the clusters save less than their table costs. Not symmetric.

    Raises
    ------
    ValueError
        If a label is missing (None, NaN, NA) or infinite, or the labels are of different
        lengths. If the table is negative or holds margins, or is passed with labels.

    See Also
    --------
    sklearn.metrics.mutual_info_score : Without the cost of the tables, in nats.

    References
    ----------
    .. [1] B. E. Dom, "An Information-Theoretic External Cluster-Validity Measure", IBM
           Research Report RJ 10219, 2001, Eq. 17.

    Examples
    --------
    >>> from sklearn_pacmdl.metrics import dom_q1_score
    >>> dom_q1_score([0, 0, 1, 1], [3, 3, 3, 3])
    0.0
    """
    if not table.n_samples:
        return 0.0
    sizes, n = table.class_sizes, table.n_samples
    saved = -np.sum(xlogy(sizes, sizes / n)) / (n * _LN2) - _conditional_entropy(table)
    one_column = _table_bits(table, np.array([table.n_samples]))
    columns = _table_bits(table, table.cluster_sizes)
    return saved + (one_column - columns) / n


@external_measure
def dom_q2_score(table: ContingencyTable) -> float:
    """Dom's Q2: minimal description length of the classes over their actual one.

    Parameters
    ----------
    labels_true : array-like of shape (n_samples,), default=None
        Class of each row, as integers or text, or None if a table is passed. A label
        -1 is a class like the others; leave out rows without a label.
    labels_pred : array-like of shape (n_samples,), default=None
        Cluster of each row, as integers or text, or None if a table is passed. Noise
        labeled -1 is a cluster like the others.
    contingency : ContingencyTable, or array-like or sparse array of shape (n_classes, \
            n_clusters), default=None
        Table of shape (n_classes, n_clusters) to be used instead of the labels. An array
        holds counts or expected counts, and all its rows are classes, empty ones too.

    Returns
    -------
    score : float
        In (0, 1]; higher is better. 1 for a perfect clustering, and by definition for no
        rows and for one class. Not symmetric.

    Raises
    ------
    ValueError
        If a label is missing (None, NaN, NA) or infinite, or the labels are of different
        lengths. If the table is negative or holds margins, or is passed with labels.

    References
    ----------
    .. [1] B. E. Dom, "An Information-Theoretic External Cluster-Validity Measure", IBM
           Research Report RJ 10219, 2001, Eq. 18.

    Examples
    --------
    >>> from sklearn_pacmdl.metrics import dom_q2_score
    >>> dom_q2_score([0, 0, 1, 1], [1, 1, 0, 0])
    1.0
    """
    cost = _cost(table) if table.n_samples else 0.0
    if cost <= 0:
        return 1.0
    least = _table_bits(table, table.class_sizes) / table.n_samples
    return min(1.0, least / cost)


def sum_of_largest(table, axis):
    """Largest cell of every cluster (axis 0) or of every class (axis 1), summed."""
    largest = np.zeros(table.counts.shape[1 - axis])
    np.maximum.at(largest, table.counts.coords[1 - axis], table.counts.data)
    return largest.sum()


@external_measure
def purity_score(table: ContingencyTable) -> float:
    """Share of rows in the majority class of their cluster.

    Parameters
    ----------
    labels_true : array-like of shape (n_samples,), default=None
        Class of each row, as integers or text, or None if a table is passed. A label
        -1 is a class like the others; leave out rows without a label.
    labels_pred : array-like of shape (n_samples,), default=None
        Cluster of each row, as integers or text, or None if a table is passed. Noise
        labeled -1 is a cluster like the others.
    contingency : ContingencyTable, or array-like or sparse array of shape (n_classes, \
            n_clusters), default=None
        Table of shape (n_classes, n_clusters) to be used instead of the labels. An array
        holds counts or expected counts, and all its rows are classes, empty ones too.

    Returns
    -------
    score : float
        In (0, 1]; higher is better. 1 for no rows, and also if every row is its
        own cluster. Not symmetric.

    Raises
    ------
    ValueError
        If a label is missing (None, NaN, NA) or infinite, or the labels are of different
        lengths. If the table is negative or holds margins, or is passed with labels.

    References
    ----------
    .. [1] C. D. Manning, P. Raghavan and H. Schuetze, "Introduction to Information
           Retrieval", 2008, Eq. 16.1.

    Examples
    --------
    >>> from sklearn_pacmdl.metrics import purity_score
    >>> purity_score([0, 0, 1, 1], [0, 0, 0, 1])
    0.75
    """
    return sum_of_largest(table, 0) / table.n_samples if table.n_samples else 1.0


@external_measure
def classification_error_loss(table: ContingencyTable) -> float:
    """Share of rows outside the majority class of their cluster, where ``|K| = |C|``.

    Parameters
    ----------
    labels_true : array-like of shape (n_samples,), default=None
        Class of each row, as integers or text, or None if a table is passed. A label
        -1 is a class like the others; leave out rows without a label.
    labels_pred : array-like of shape (n_samples,), default=None
        Cluster of each row, as integers or text, or None if a table is passed. Noise
        labeled -1 is a cluster like the others.
    contingency : ContingencyTable, or array-like or sparse array of shape (n_classes, \
            n_clusters), default=None
        Table of shape (n_classes, n_clusters) to be used instead of the labels. An array
        holds counts or expected counts, and all its rows are classes, empty ones too.

    Returns
    -------
    loss : float
        In [0, 1]; lower is better. 0 for no rows.

    Raises
    ------
    ValueError
        If a label is missing (None, NaN, NA) or infinite, or the labels are of different
        lengths. If the table is negative or holds margins, or is passed with labels.
    ValueError
        If there are not as many clusters as classes; see also :func:`purity_score`.

    References
    ----------
    .. [1] B. E. Dom, "An Information-Theoretic External Cluster-Validity Measure", IBM
           Research Report RJ 10219, 2001, section 5.1.

    Examples
    --------
    >>> from sklearn_pacmdl.metrics import classification_error_loss
    >>> classification_error_loss([0, 0, 1, 1], [1, 1, 0, 1])
    0.25
    """
    n_classes, n_clusters = table.counts.shape
    if n_classes != n_clusters:
        name = "contingency, or the table of labels_true and labels_pred,"
        raise invalid(name, f"of as many clusters as classes ({n_classes})", table)
    return 1 - sum_of_largest(table, 0) / table.n_samples if table.n_samples else 0.0


@external_measure
def normalized_hamming_score(table: ContingencyTable) -> float:
    """One minus the normalized Hamming distance of classes and clusters.

    This is the mean of two shares: that of the rows in the majority class of their
    cluster, and that of the rows in the majority cluster of their class.

    Parameters
    ----------
    labels_true : array-like of shape (n_samples,), default=None
        Class of each row, as integers or text, or None if a table is passed. A label
        -1 is a class like the others; leave out rows without a label.
    labels_pred : array-like of shape (n_samples,), default=None
        Cluster of each row, as integers or text, or None if a table is passed. Noise
        labeled -1 is a cluster like the others.
    contingency : ContingencyTable, or array-like or sparse array of shape (n_classes, \
            n_clusters), default=None
        Table of shape (n_classes, n_clusters) to be used instead of the labels. An array
        holds counts or expected counts, and all its rows are classes, empty ones too.

    Returns
    -------
    score : float
        In (0, 1]; higher is better. Symmetric. 1 for no rows.

    Raises
    ------
    ValueError
        If a label is missing (None, NaN, NA) or infinite, or the labels are of different
        lengths. If the table is negative or holds margins, or is passed with labels.

    References
    ----------
    .. [1] B. E. Dom, "An Information-Theoretic External Cluster-Validity Measure", IBM
           Research Report RJ 10219, 2001, Eqs. 19-23.

    Examples
    --------
    >>> from sklearn_pacmdl.metrics import normalized_hamming_score
    >>> normalized_hamming_score([0, 0, 1, 1], [0, 0, 0, 0])
    0.75
    """
    if not table.n_samples:
        return 1.0
    both_ways = sum_of_largest(table, 0) + sum_of_largest(table, 1)
    return both_ways / (2 * table.n_samples)


def _pair_counts(table):
    """Pairs together in both, in class only, in cluster only, in neither."""
    pairs = table.pair_confusion_matrix()
    # Rounding of sums may leave less than zero, in proportion to the sums.
    if np.min(pairs) < -1e-9 * max(1.0, np.max(pairs)):
        raise ValueError(
            "contingency has cells between 0 and 1 that make negative pairs."
        )
    (neither, cluster_only), (class_only, both) = pairs.astype(float) / 2
    return both, class_only, cluster_only, neither


def _ratio(numerator, denominator, class_only, cluster_only):
    """A ratio; where it is 0 / 0, 1 for equal partitions and 0 for others."""
    if denominator > 0:
        return float(numerator / denominator)
    return 1.0 if class_only == cluster_only == 0 else 0.0


@external_measure
def pairwise_jaccard_score(table: ContingencyTable) -> float:
    """Jaccard index of the pairs in one class and the pairs in one cluster.

    Parameters
    ----------
    labels_true : array-like of shape (n_samples,), default=None
        Class of each row, as integers or text, or None if a table is passed. A label
        -1 is a class like the others; leave out rows without a label.
    labels_pred : array-like of shape (n_samples,), default=None
        Cluster of each row, as integers or text, or None if a table is passed. Noise
        labeled -1 is a cluster like the others.
    contingency : ContingencyTable, or array-like or sparse array of shape (n_classes, \
            n_clusters), default=None
        Table of shape (n_classes, n_clusters) to be used instead of the labels. An array
        holds counts or expected counts, and all its rows are classes, empty ones too.

    Returns
    -------
    score : float
        In [0, 1]; higher is better. Symmetric. 1 for equal partitions.

    Raises
    ------
    ValueError
        If a label is missing (None, NaN, NA) or infinite, or the labels are of different
        lengths. If the table is negative or holds margins, or is passed with labels.

    See Also
    --------
    sklearn.metrics.rand_score : Counts the pairs apart in both as agreement too.
    sklearn.metrics.fowlkes_mallows_score : Geometric mean of precision and recall.

    References
    ----------
    .. [1] B. E. Dom, "An Information-Theoretic External Cluster-Validity Measure", IBM
           Research Report RJ 10219, 2001, section 5.2.

    Examples
    --------
    >>> from sklearn_pacmdl.metrics import pairwise_jaccard_score
    >>> pairwise_jaccard_score([0, 0, 1, 1], [0, 0, 1, 2])
    0.5
    """
    both, c, k, _ = _pair_counts(table)
    return _ratio(both, both + c + k, c, k)


@external_measure
def hubert_gamma_score(table: ContingencyTable) -> float:
    """Hubert's Gamma: correlation of "in one class" and "in one cluster" over pairs.

    Parameters
    ----------
    labels_true : array-like of shape (n_samples,), default=None
        Class of each row, as integers or text, or None if a table is passed. A label
        -1 is a class like the others; leave out rows without a label.
    labels_pred : array-like of shape (n_samples,), default=None
        Cluster of each row, as integers or text, or None if a table is passed. Noise
        labeled -1 is a cluster like the others.
    contingency : ContingencyTable, or array-like or sparse array of shape (n_classes, \
            n_clusters), default=None
        Table of shape (n_classes, n_clusters) to be used instead of the labels. An array
        holds counts or expected counts, and all its rows are classes, empty ones too.

    Returns
    -------
    score : float
        In [-1, 1]; higher is better. Symmetric. If a partition is trivial (one cluster,
        or all rows apart), 1 if the other is equal and 0 if not.

    Raises
    ------
    ValueError
        If a label is missing (None, NaN, NA) or infinite, or the labels are of different
        lengths. If the table is negative or holds margins, or is passed with labels.

    See Also
    --------
    sklearn.metrics.adjusted_rand_score : Corrects the agreement of pairs for chance.

    References
    ----------
    .. [1] B. E. Dom, "An Information-Theoretic External Cluster-Validity Measure", IBM
           Research Report RJ 10219, 2001, section 5.2.

    Examples
    --------
    >>> from sklearn_pacmdl.metrics import hubert_gamma_score
    >>> hubert_gamma_score([0, 0, 1, 1], [1, 1, 0, 0])
    1.0
    """
    both, c, k, neither = _pair_counts(table)
    root = np.sqrt((both + c) * (both + k)) * np.sqrt((k + neither) * (c + neither))
    return _ratio(both * neither - c * k, root, c, k)


@external_measure
def pairwise_precision_score(table: ContingencyTable) -> float:
    """Share of the pairs in one cluster that are of one class.

    Parameters
    ----------
    labels_true : array-like of shape (n_samples,), default=None
        Class of each row, as integers or text, or None if a table is passed. A label
        -1 is a class like the others; leave out rows without a label.
    labels_pred : array-like of shape (n_samples,), default=None
        Cluster of each row, as integers or text, or None if a table is passed. Noise
        labeled -1 is a cluster like the others.
    contingency : ContingencyTable, or array-like or sparse array of shape (n_classes, \
            n_clusters), default=None
        Table of shape (n_classes, n_clusters) to be used instead of the labels. An array
        holds counts or expected counts, and all its rows are classes, empty ones too.

    Returns
    -------
    score : float
        In [0, 1]; higher is better. Without a pair in a cluster, 1 if no class has one.

    Raises
    ------
    ValueError
        If a label is missing (None, NaN, NA) or infinite, or the labels are of different
        lengths. If the table is negative or holds margins, or is passed with labels.

    References
    ----------
    .. [1] C. D. Manning, P. Raghavan and H. Schuetze, "Introduction to Information
           Retrieval", 2008, section 16.3.

    Examples
    --------
    >>> from sklearn_pacmdl.metrics import pairwise_precision_score
    >>> pairwise_precision_score([0, 0, 1, 1], [0, 0, 1, 2])
    1.0
    """
    both, c, k, _ = _pair_counts(table)
    return _ratio(both, both + k, c, k)


@external_measure
def pairwise_recall_score(table: ContingencyTable) -> float:
    """Share of the pairs of one class that are in one cluster.

    Parameters
    ----------
    labels_true : array-like of shape (n_samples,), default=None
        Class of each row, as integers or text, or None if a table is passed. A label
        -1 is a class like the others; leave out rows without a label.
    labels_pred : array-like of shape (n_samples,), default=None
        Cluster of each row, as integers or text, or None if a table is passed. Noise
        labeled -1 is a cluster like the others.
    contingency : ContingencyTable, or array-like or sparse array of shape (n_classes, \
            n_clusters), default=None
        Table of shape (n_classes, n_clusters) to be used instead of the labels. An array
        holds counts or expected counts, and all its rows are classes, empty ones too.

    Returns
    -------
    score : float
        In [0, 1]; higher is better. Without a pair in a class, 1 if no cluster has one.

    Raises
    ------
    ValueError
        If a label is missing (None, NaN, NA) or infinite, or the labels are of different
        lengths. If the table is negative or holds margins, or is passed with labels.

    References
    ----------
    .. [1] C. D. Manning, P. Raghavan and H. Schuetze, "Introduction to Information
           Retrieval", 2008, section 16.3.

    Examples
    --------
    >>> from sklearn_pacmdl.metrics import pairwise_recall_score
    >>> pairwise_recall_score([0, 0, 1, 1], [0, 0, 1, 2])
    0.5
    """
    both, c, k, _ = _pair_counts(table)
    return _ratio(both, both + c, c, k)


def pairwise_fbeta_score(
    labels_true: Labels = None,
    labels_pred: Labels = None,
    *,
    contingency: Table = None,
    beta: float = 1.0,
) -> float:
    """F measure of the pairs in one cluster as a retrieval of the pairs of one class.

    Parameters
    ----------
    labels_true : array-like of shape (n_samples,), default=None
        Class of each row, as integers or text, or None if a table is passed. A label
        -1 is a class like the others; leave out rows without a label.
    labels_pred : array-like of shape (n_samples,), default=None
        Cluster of each row, as integers or text, or None if a table is passed. Noise
        labeled -1 is a cluster like the others.
    contingency : ContingencyTable, or array-like or sparse array of shape (n_classes, \
            n_clusters), default=None
        Table of shape (n_classes, n_clusters) to be used instead of the labels. An array
        holds counts or expected counts, and all its rows are classes, empty ones too.
    beta : float, default=1.0
        Weight of recall against precision, at least 0. Above 1, it is worse to tear apart
        a class than to lump classes together.

    Returns
    -------
    score : float
        In [0, 1]; higher is better. 1 for equal partitions. Symmetric if ``beta`` is 1.

    Raises
    ------
    ValueError
        If a label is missing (None, NaN, NA) or infinite, or the labels are of different
        lengths. If the table is negative or holds margins, or is passed with labels.
    ValueError
        If ``beta`` is negative or not finite.

    References
    ----------
    .. [1] C. D. Manning, P. Raghavan and H. Schuetze, "Introduction to Information
           Retrieval", 2008, section 16.3.

    Examples
    --------
    >>> from sklearn_pacmdl.metrics import pairwise_fbeta_score
    >>> print(f"{pairwise_fbeta_score([0, 0, 1, 1], [0, 0, 1, 2]):.4f}")
    0.6667
    """
    weight = check_number("beta", beta, least=0) * beta
    table = contingency_table(labels_true, labels_pred, contingency)
    both, c, k, _ = _pair_counts(table)
    return _ratio((1 + weight) * both, (1 + weight) * both + weight * c + k, c, k)
