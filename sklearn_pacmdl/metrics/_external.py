"""External measures: how well a clustering agrees with classes.

All are built on one contingency table, with a row for each class and a column for each
cluster. Dom's formulas are used where the table holds expectations instead of counts.
"""

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.special import gammaln, xlogy
from sklearn.metrics.cluster import contingency_matrix

from ._validation import check_clusterings, check_labels

_LN2 = np.log(2)


class _Table(NamedTuple):
    """A contingency table by its non-zero cells, integers where they are counted here."""

    cells: np.ndarray
    rows: np.ndarray
    columns: np.ndarray
    classes: np.ndarray  # row sums
    clusters: np.ndarray  # column sums
    n: float

    def largest(self, axis):
        """Largest cell of every column (axis 0) or row (axis 1)."""
        index, size = (
            (self.columns, self.clusters.size),
            (self.rows, self.classes.size),
        )[axis]
        largest = np.zeros(size)
        np.maximum.at(largest, index, self.cells)
        return largest


def _table(labels_true, labels_pred, contingency):
    _check_one_source(labels_true, labels_pred, contingency=contingency)
    if contingency is None:
        labels = check_clusterings(labels_true, labels_pred)
        table = sp.coo_array(contingency_matrix(*labels, sparse=True))
    else:
        table = _check_contingency(contingency)
    rows, columns = table.coords
    return _Table(
        table.data,
        rows,
        columns,
        np.asarray(table.sum(axis=1)),
        np.asarray(table.sum(axis=0)),
        table.data.sum(),
    )


def _check_one_source(labels_true, labels_pred, **tables):
    """Two labelings or one table: where there is more, it is not clear what is meant."""
    labels = {"labels_true": labels_true, "labels_pred": labels_pred}
    given = [name for name, value in (labels | tables).items() if value is not None]
    if given != list(labels) and (len(given) != 1 or given[0] in labels):
        raise ValueError(
            f"labels_true and labels_pred are needed, or {' or '.join(tables)} alone, "
            f"got {' and '.join(given) or 'none of them'}."
        )


def _check_contingency(contingency):
    frame, sparse = contingency, sp.issparse(contingency)
    if not sparse:
        contingency = np.asarray(contingency, dtype=float)
        if contingency.ndim != 2:
            raise ValueError(
                "contingency must be 2-dimensional, classes by clusters, got shape "
                f"{contingency.shape}."
            )
    table = sp.coo_array(contingency, dtype=float)
    table.sum_duplicates()
    table.eliminate_zeros()
    if not np.all(np.isfinite(table.data) & (table.data >= 0)):
        raise ValueError("contingency must hold finite, non-negative numbers.")
    if not sparse and _names_margins(frame) and _holds_margins(contingency):
        raise ValueError(
            "contingency must hold classes and clusters only, got a last row and a last "
            "column of sums; pandas.crosstab leaves them out with margins=False."
        )
    return table


def _names_margins(frame):
    """Whether the last row and the last column are called what margins are called.

    Numbers alone do not tell: [[1, 1], [1, 1]] is a table of its own, and one with sums.
    """
    if not (hasattr(frame, "index") and hasattr(frame, "columns")):
        return False
    names = [labels[-1] for labels in (frame.index, frame.columns) if len(labels)]
    names = [name[0] if isinstance(name, tuple) else name for name in names]
    return len(names) == 2 and names[0] == names[1] and names[0] in ("All", "Total")


def _holds_margins(table):
    return np.allclose(table[-1], table[:-1].sum(axis=0)) and np.allclose(
        table[:, -1], table[:, :-1].sum(axis=1)
    )


def _entropy(sums, n):
    """In bits."""
    return -np.sum(xlogy(sums, sums / n)) / (n * _LN2) if n > 0 else 0.0


def _log2_columns(sums, n_classes):
    """Bits for every column of so many objects: log2 of Eq. 9, by the Gamma function."""
    return (gammaln(sums + n_classes) - gammaln(n_classes) - gammaln(sums + 1)) / _LN2


def empirical_conditional_entropy(
    labels_true=None, labels_pred=None, *, contingency=None
):
    """Bits per object that the classes still cost once the clusters are known.

    Parameters
    ----------
    labels_true : array-like of shape (n_samples,), default=None
        Class of each object, as integers or text; None if a table is given. A label -1
        is a class like the others: leave out the objects that have no label, as scorers
        of :func:`make_labeling_scorer` do.
    labels_pred : array-like of shape (n_samples,), default=None
        Cluster of each object, as integers or text; noise labeled -1 is a cluster like
        the others. None if a table is given.
    contingency : {array-like, sparse} of shape (n_classes, n_clusters), default=None
        Table of counts, or of expected counts, to be used in place of the labels.

    Returns
    -------
    entropy : float
        In [0, log2(n_classes)]; lower is better. 0 for no objects.

    Raises
    ------
    ValueError
        If a label is missing (None, NaN, NA) or infinite, if the labels are of different
        lengths, if a table is negative or holds margins, or if more than the labels or
        one table is given.

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
    t = _table(labels_true, labels_pred, contingency)
    if t.n == 0:
        return 0.0
    return float(max(0.0, _conditional(t)))


def dom_q0_loss(labels_true=None, labels_pred=None, *, contingency=None):
    """Dom's Q0: bits per object to tell the classes, the clusters being known.

    The code of the contingency table and the code of the classes by that table.

    Parameters
    ----------
    labels_true : array-like of shape (n_samples,), default=None
        Class of each object, as integers or text; None if a table is given. A label -1
        is a class like the others: leave out the objects that have no label, as scorers
        of :func:`make_labeling_scorer` do.
    labels_pred : array-like of shape (n_samples,), default=None
        Cluster of each object, as integers or text; noise labeled -1 is a cluster like
        the others. None if a table is given.
    contingency : {array-like, sparse} of shape (n_classes, n_clusters), default=None
        Table of counts, or of expected counts, to be used in place of the labels. All
        its rows count as classes, empty ones too.

    Returns
    -------
    loss : float
        In [0, inf); lower is better. Not symmetric. 0 for no objects or one class.

    Raises
    ------
    ValueError
        If a label is missing (None, NaN, NA) or infinite, if the labels are of different
        lengths, if a table is negative or holds margins, or if more than the labels or
        one table is given.

    See Also
    --------
    dom_q2_score : The same in (0, 1], higher is better.

    References
    ----------
    .. [1] B. E. Dom, "An Information-Theoretic External Cluster-Validity Measure", IBM
           Research Report RJ 10219, 2001, Eq. 11.

    Examples
    --------
    Each object its own cluster: the classes cost log2(2) bits each.

    >>> from sklearn_pacmdl.metrics import dom_q0_loss
    >>> print(f"{dom_q0_loss([0, 0, 1, 1], [0, 1, 2, 3]):.6f}")
    1.000000
    """
    t = _table(labels_true, labels_pred, contingency)
    if t.n == 0:
        return 0.0
    columns = _log2_columns(t.clusters, t.classes.size).sum()
    return float(_conditional(t) + columns / t.n)


def _conditional(t):
    ratio = t.cells / t.clusters[t.columns]
    return -np.sum(xlogy(t.cells, ratio)) / (t.n * _LN2)


def dom_q1_score(labels_true=None, labels_pred=None, *, contingency=None):
    """Dom's Q1: bits per object that the clusters save in telling the classes.

    Parameters
    ----------
    labels_true : array-like of shape (n_samples,), default=None
        Class of each object, as integers or text; None if a table is given. A label -1
        is a class like the others: leave out the objects that have no label, as scorers
        of :func:`make_labeling_scorer` do.
    labels_pred : array-like of shape (n_samples,), default=None
        Cluster of each object, as integers or text; noise labeled -1 is a cluster like
        the others. None if a table is given.
    contingency : {array-like, sparse} of shape (n_classes, n_clusters), default=None
        Table of counts, or of expected counts, to be used in place of the labels.

    Returns
    -------
    score : float
        At most the entropy of the classes in bits; higher is better; 0 for one cluster,
        negative where the clusters do not pay for their table. Not symmetric.

    Raises
    ------
    ValueError
        If a label is missing (None, NaN, NA) or infinite, if the labels are of different
        lengths, if a table is negative or holds margins, or if more than the labels or
        one table is given.

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
    t = _table(labels_true, labels_pred, contingency)
    if t.n == 0:
        return 0.0
    saved = _entropy(t.classes, t.n) - _conditional(t)
    one = _log2_columns(np.array([t.n]), t.classes.size).sum()
    columns = _log2_columns(t.clusters, t.classes.size).sum()
    return float(saved + (one - columns) / t.n)


def dom_q2_score(labels_true=None, labels_pred=None, *, contingency=None):
    """Dom's Q2: the least that the classes can cost, over what they cost.

    Parameters
    ----------
    labels_true : array-like of shape (n_samples,), default=None
        Class of each object, as integers or text; None if a table is given. A label -1
        is a class like the others: leave out the objects that have no label, as scorers
        of :func:`make_labeling_scorer` do.
    labels_pred : array-like of shape (n_samples,), default=None
        Cluster of each object, as integers or text; noise labeled -1 is a cluster like
        the others. None if a table is given.
    contingency : {array-like, sparse} of shape (n_classes, n_clusters), default=None
        Table of counts, or of expected counts, to be used in place of the labels.

    Returns
    -------
    score : float
        In (0, 1]; higher is better; 1 for a perfect clustering, and by definition for no
        objects and for one class. Not symmetric.

    Raises
    ------
    ValueError
        If a label is missing (None, NaN, NA) or infinite, if the labels are of different
        lengths, if a table is negative or holds margins, or if more than the labels or
        one table is given.

    See Also
    --------
    dom_q0_loss : The cost, in bits.

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
    t = _table(labels_true, labels_pred, contingency)
    if t.n == 0:
        return 1.0
    best = _log2_columns(t.classes, t.classes.size).sum() / t.n
    cost = _conditional(t) + _log2_columns(t.clusters, t.classes.size).sum() / t.n
    return float(min(1.0, best / cost)) if cost > 0 else 1.0


def classification_error_loss(labels_true=None, labels_pred=None, *, contingency=None):
    """Share of objects outside the majority class of their cluster, where |K| = |C|.

    Parameters
    ----------
    labels_true : array-like of shape (n_samples,), default=None
        Class of each object, as integers or text; None if a table is given. A label -1
        is a class like the others: leave out the objects that have no label, as scorers
        of :func:`make_labeling_scorer` do.
    labels_pred : array-like of shape (n_samples,), default=None
        Cluster of each object, as integers or text; noise labeled -1 is a cluster like
        the others. None if a table is given.
    contingency : {array-like, sparse} of shape (n_classes, n_clusters), default=None
        Table of counts, or of expected counts, to be used in place of the labels.

    Returns
    -------
    loss : float
        In [0, 1]; lower is better.

    Raises
    ------
    ValueError
        If there are not as many clusters as classes: then see :func:`purity_score`. Also
        if a label is missing (None, NaN, NA) or infinite, if the labels are of different
        lengths, if a table is negative or holds margins, or if both are given.

    See Also
    --------
    purity_score : 1 minus this, for any number of clusters.

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
    t = _table(labels_true, labels_pred, contingency)
    if t.classes.size != t.clusters.size:
        raise ValueError(
            "classification_error_loss needs as many clusters as classes, got "
            f"{t.clusters.size} clusters and {t.classes.size} classes."
        )
    return float(1 - t.largest(0).sum() / t.n) if t.n else 0.0


def normalized_hamming_score(labels_true=None, labels_pred=None, *, contingency=None):
    """One minus the normalized Hamming distance of classes and clusters.

    The mean of two shares: objects in the majority class of their cluster, and objects
    in the majority cluster of their class.

    Parameters
    ----------
    labels_true : array-like of shape (n_samples,), default=None
        Class of each object, as integers or text; None if a table is given. A label -1
        is a class like the others: leave out the objects that have no label, as scorers
        of :func:`make_labeling_scorer` do.
    labels_pred : array-like of shape (n_samples,), default=None
        Cluster of each object, as integers or text; noise labeled -1 is a cluster like
        the others. None if a table is given.
    contingency : {array-like, sparse} of shape (n_classes, n_clusters), default=None
        Table of counts, or of expected counts, to be used in place of the labels.

    Returns
    -------
    score : float
        In (0, 1]; higher is better. Symmetric. 1 for no objects.

    Raises
    ------
    ValueError
        If a label is missing (None, NaN, NA) or infinite, if the labels are of different
        lengths, if a table is negative or holds margins, or if more than the labels or
        one table is given.

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
    t = _table(labels_true, labels_pred, contingency)
    if t.n == 0:
        return 1.0
    return float((t.largest(0).sum() + t.largest(1).sum()) / (2 * t.n))


def purity_score(labels_true=None, labels_pred=None, *, contingency=None):
    """Share of objects in the majority class of their cluster.

    Parameters
    ----------
    labels_true : array-like of shape (n_samples,), default=None
        Class of each object, as integers or text; None if a table is given. A label -1
        is a class like the others: leave out the objects that have no label, as scorers
        of :func:`make_labeling_scorer` do.
    labels_pred : array-like of shape (n_samples,), default=None
        Cluster of each object, as integers or text; noise labeled -1 is a cluster like
        the others. None if a table is given.
    contingency : {array-like, sparse} of shape (n_classes, n_clusters), default=None
        Table of counts, or of expected counts, to be used in place of the labels.

    Returns
    -------
    score : float
        In (0, 1]; higher is better; 1 also where every object is its own cluster. Not
        symmetric. 1 for no objects.

    Raises
    ------
    ValueError
        If a label is missing (None, NaN, NA) or infinite, if the labels are of different
        lengths, if a table is negative or holds margins, or if more than the labels or
        one table is given.

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
    t = _table(labels_true, labels_pred, contingency)
    return float(t.largest(0).sum() / t.n) if t.n else 1.0


def combine_labels(*label_sets):
    """Classes that are combinations of several sets of classes.

    Dom's ground truth where objects can be organized in several ways: a class for each
    combination that occurs.

    Parameters
    ----------
    *label_sets : array-like of shape (n_samples,)
        One or more label arrays of the same objects.

    Returns
    -------
    labels : ndarray of shape (n_samples,) of int64
        From 0; two objects share a label where they share all the given labels.

    Raises
    ------
    ValueError
        If no labels are given, a label is missing (None, NaN, NA) or infinite, or the
        labels are of different lengths.

    References
    ----------
    .. [1] B. E. Dom, "An Information-Theoretic External Cluster-Validity Measure", IBM
           Research Report RJ 10219, 2001, appendix C.2.2.

    Examples
    --------
    >>> from sklearn_pacmdl.metrics import combine_labels
    >>> combine_labels(["a", "a", "b", "b"], [0, 1, 0, 0])
    array([0, 1, 2, 2])
    """
    arrays = [
        check_labels(labels, f"label_sets[{i}]") for i, labels in enumerate(label_sets)
    ]
    if not arrays or any(a.shape != arrays[0].shape for a in arrays):
        raise ValueError(
            "combine_labels needs one or more 1-dimensional arrays of one length, got "
            f"shapes {[a.shape for a in arrays]}."
        )
    codes = np.zeros(arrays[0].shape, dtype=np.int64)
    for array in arrays:
        _, code = np.unique(array, return_inverse=True)
        # Renumbered each time: the product of the numbers of labels may overflow.
        _, codes = np.unique(
            codes * (code.max(initial=0) + 1) + code, return_inverse=True
        )
    return codes


def pair_table(labels_true=None, labels_pred=None, *, contingency=None):
    """Pairs of objects by whether they share a class and whether they share a cluster.

    Parameters
    ----------
    labels_true : array-like of shape (n_samples,), default=None
        Class of each object, as integers or text; None if a table is given. A label -1
        is a class like the others: leave out the objects that have no label, as scorers
        of :func:`make_labeling_scorer` do.
    labels_pred : array-like of shape (n_samples,), default=None
        Cluster of each object, as integers or text; noise labeled -1 is a cluster like
        the others. None if a table is given.
    contingency : {array-like, sparse} of shape (n_classes, n_clusters), default=None
        Table of counts, possibly not integer, to be used in place of the labels.

    Returns
    -------
    pairs : ndarray of shape (2, 2)
        In the layout of :func:`sklearn.metrics.cluster.pair_confusion_matrix`, which
        counts every pair twice: first index whether of one class, second whether in one
        cluster. Of int64 where labels are given, else of float64. Dom's a00, a01, a10,
        a11 are half of ``pairs[1, 1]``, ``pairs[1, 0]``, ``pairs[0, 1]``,
        ``pairs[0, 0]``. Of a table that is not of counts, cells below 1 make negative
        pairs: for expectations see :func:`expected_pair_table`.

    Raises
    ------
    ValueError
        If a label is missing (None, NaN, NA) or infinite, if the labels are of different
        lengths, if a table is negative or holds margins, or if more than the labels or
        one table is given.

    See Also
    --------
    expected_pair_table : Its expectation, from probabilities.

    References
    ----------
    .. [1] B. E. Dom, "An Information-Theoretic External Cluster-Validity Measure", IBM
           Research Report RJ 10219, 2001, Eqs. 2-7.

    Examples
    --------
    >>> from sklearn_pacmdl.metrics import pair_table
    >>> pair_table(None, None, contingency=[[2, 0], [1, 1]])
    array([[4., 4.],
           [2., 2.]])
    """
    t = _table(labels_true, labels_pred, contingency)
    return _pairs(
        np.sum(t.cells * (t.cells - 1)),
        np.sum(t.classes * (t.classes - 1)),
        np.sum(t.clusters * (t.clusters - 1)),
        t.n * (t.n - 1),
    )


def _pairs(both, classes, clusters, total):
    return np.array(
        [[total - classes - clusters + both, clusters - both], [classes - both, both]]
    )


def expected_pair_table(probabilities, n_samples):
    """Expected table of pairs of a multinomial sample of classes and clusters.

    Parameters
    ----------
    probabilities : array-like of shape (n_classes, n_clusters)
        p(c, k), summing to 1.
    n_samples : int
        Number of objects drawn.

    Returns
    -------
    pairs : ndarray of shape (2, 2)
        In the layout of :func:`pair_table`. Of M = n (n - 1) / 2 pairs, p(c, k)**2 are
        expected in class c and cluster k.

    Raises
    ------
    ValueError
        If the probabilities are negative or do not sum to 1.

    Notes
    -----
    The second lines of the source's Eqs. 26-28; their last lines are misprinted.

    References
    ----------
    .. [1] B. E. Dom, "An Information-Theoretic External Cluster-Validity Measure", IBM
           Research Report RJ 10219, 2001, Eqs. 25-30.

    Examples
    --------
    >>> from sklearn_pacmdl.metrics import expected_pair_table
    >>> expected_pair_table([[0.5, 0.0], [0.0, 0.5]], n_samples=5)
    array([[10.,  0.],
           [ 0., 10.]])
    """
    p = np.asarray(probabilities, dtype=float)
    if p.ndim != 2 or np.any(p < 0) or not np.isclose(p.sum(), 1):
        raise ValueError(
            "probabilities must be a 2-dimensional table of non-negative numbers that "
            f"sum to 1, got {probabilities!r}."
        )
    if not n_samples >= 0:
        raise ValueError(f"n_samples must be at least 0, got {n_samples}.")
    total = n_samples * (n_samples - 1)
    shares = (p**2).sum(), (p.sum(axis=1) ** 2).sum(), (p.sum(axis=0) ** 2).sum()
    both, classes, clusters = (total * share for share in shares)
    # Rounding can leave -1e-12 for no pairs.
    return np.maximum(_pairs(both, classes, clusters, total), 0)


def _pair_counts(labels_true, labels_pred, contingency, pairs):
    """Pairs together in both, in class only, in cluster only, in neither."""
    _check_one_source(labels_true, labels_pred, contingency=contingency, pairs=pairs)
    if pairs is None:
        pairs = pair_table(labels_true, labels_pred, contingency=contingency)
        if np.min(pairs) < -1e-9 * max(1.0, np.max(pairs)):
            raise ValueError(
                "contingency has cells between 0 and 1 that make negative pairs; for an "
                "expected table give pairs=expected_pair_table(probabilities, n)."
            )
    elif np.shape(pairs) != (2, 2) or not np.all(np.asarray(pairs) >= 0):
        raise ValueError(
            "pairs must be a 2 x 2 table of non-negative numbers in the layout of "
            f"pair_confusion_matrix, got {pairs!r}."
        )
    pairs = np.asarray(pairs, dtype=float) / 2
    return pairs[1, 1], pairs[1, 0], pairs[0, 1], pairs[0, 0]


def _agreement(numerator, denominator, only_class, only_cluster):
    """A ratio; where it is 0 / 0, 1 for equal partitions and 0 for others."""
    if denominator > 0:
        return float(numerator / denominator)
    return 1.0 if only_class == only_cluster == 0 else 0.0


def pair_jaccard_score(
    labels_true=None, labels_pred=None, *, contingency=None, pairs=None
):
    """Jaccard index of the pairs in one class and the pairs in one cluster.

    Parameters
    ----------
    labels_true : array-like of shape (n_samples,), default=None
        Class of each object, as integers or text; None if a table is given. A label -1
        is a class like the others: leave out the objects that have no label, as scorers
        of :func:`make_labeling_scorer` do.
    labels_pred : array-like of shape (n_samples,), default=None
        Cluster of each object, as integers or text; noise labeled -1 is a cluster like
        the others. None if a table is given.
    contingency : {array-like, sparse} of shape (n_classes, n_clusters), default=None
        Table of counts to be used in place of the labels.
    pairs : array-like of shape (2, 2), default=None
        Table of pairs, as of :func:`pair_table`, to be used in place of the labels.

    Returns
    -------
    score : float
        In [0, 1]; higher is better. Symmetric. 1 for equal partitions.

    Raises
    ------
    ValueError
        If a label is missing (None, NaN, NA) or infinite, if the labels are of different
        lengths, if a table is negative or holds margins, or if more than the labels or
        one table is given.

    See Also
    --------
    sklearn.metrics.rand_score : Counts the pairs apart in both as agreement too.

    References
    ----------
    .. [1] B. E. Dom, "An Information-Theoretic External Cluster-Validity Measure", IBM
           Research Report RJ 10219, 2001, section 5.2.

    Examples
    --------
    >>> from sklearn_pacmdl.metrics import pair_jaccard_score
    >>> pair_jaccard_score([0, 0, 1, 1], [0, 0, 1, 2])
    0.5
    """
    both, c, k, _ = _pair_counts(labels_true, labels_pred, contingency, pairs)
    return _agreement(both, both + c + k, c, k)


def pair_rand_score(labels_true=None, labels_pred=None, *, contingency=None, pairs=None):
    """Rand index, of labels or of a table.

    Parameters
    ----------
    labels_true : array-like of shape (n_samples,), default=None
        Class of each object, as integers or text; None if a table is given. A label -1
        is a class like the others: leave out the objects that have no label, as scorers
        of :func:`make_labeling_scorer` do.
    labels_pred : array-like of shape (n_samples,), default=None
        Cluster of each object, as integers or text; noise labeled -1 is a cluster like
        the others. None if a table is given.
    contingency : {array-like, sparse} of shape (n_classes, n_clusters), default=None
        Table of counts to be used in place of the labels.
    pairs : array-like of shape (2, 2), default=None
        Table of pairs, as of :func:`pair_table`, to be used in place of the labels.

    Returns
    -------
    score : float
        In [0, 1]; higher is better. Symmetric. 1 for equal partitions.

    Raises
    ------
    ValueError
        If a label is missing (None, NaN, NA) or infinite, if the labels are of different
        lengths, if a table is negative or holds margins, or if more than the labels or
        one table is given.

    See Also
    --------
    sklearn.metrics.rand_score : What this is for labels.
    sklearn.metrics.adjusted_rand_score : Corrected for chance.

    References
    ----------
    .. [1] B. E. Dom, "An Information-Theoretic External Cluster-Validity Measure", IBM
           Research Report RJ 10219, 2001, section 5.2.

    Examples
    --------
    >>> from sklearn_pacmdl.metrics import pair_rand_score
    >>> print(f"{pair_rand_score([0, 0, 1, 1], [0, 0, 1, 2]):.4f}")
    0.8333
    """
    both, c, k, neither = _pair_counts(labels_true, labels_pred, contingency, pairs)
    return _agreement(both + neither, both + c + k + neither, c, k)


def pair_fowlkes_mallows_score(
    labels_true=None, labels_pred=None, *, contingency=None, pairs=None
):
    """Fowlkes-Mallows index, of labels or of a table.

    Parameters
    ----------
    labels_true : array-like of shape (n_samples,), default=None
        Class of each object, as integers or text; None if a table is given. A label -1
        is a class like the others: leave out the objects that have no label, as scorers
        of :func:`make_labeling_scorer` do.
    labels_pred : array-like of shape (n_samples,), default=None
        Cluster of each object, as integers or text; noise labeled -1 is a cluster like
        the others. None if a table is given.
    contingency : {array-like, sparse} of shape (n_classes, n_clusters), default=None
        Table of counts to be used in place of the labels.
    pairs : array-like of shape (2, 2), default=None
        Table of pairs, as of :func:`pair_table`, to be used in place of the labels.

    Returns
    -------
    score : float
        In [0, 1]; higher is better. Symmetric. 0 where no pair is together in both, also
        for equal partitions of objects that are all apart.

    Raises
    ------
    ValueError
        If a label is missing (None, NaN, NA) or infinite, if the labels are of different
        lengths, if a table is negative or holds margins, or if more than the labels or
        one table is given.

    See Also
    --------
    sklearn.metrics.fowlkes_mallows_score : What this is for labels.

    References
    ----------
    .. [1] B. E. Dom, "An Information-Theoretic External Cluster-Validity Measure", IBM
           Research Report RJ 10219, 2001, section 5.2.

    Examples
    --------
    >>> from sklearn_pacmdl.metrics import pair_fowlkes_mallows_score
    >>> print(f"{pair_fowlkes_mallows_score([0, 0, 1, 1], [0, 0, 1, 2]):.4f}")
    0.7071
    """
    both, c, k, _ = _pair_counts(labels_true, labels_pred, contingency, pairs)
    if both == 0:
        return 0.0
    return float(np.sqrt(both / (both + c)) * np.sqrt(both / (both + k)))


def hubert_gamma_score(
    labels_true=None, labels_pred=None, *, contingency=None, pairs=None
):
    """Hubert's Gamma: correlation of "in one class" and "in one cluster" over pairs.

    Parameters
    ----------
    labels_true : array-like of shape (n_samples,), default=None
        Class of each object, as integers or text; None if a table is given. A label -1
        is a class like the others: leave out the objects that have no label, as scorers
        of :func:`make_labeling_scorer` do.
    labels_pred : array-like of shape (n_samples,), default=None
        Cluster of each object, as integers or text; noise labeled -1 is a cluster like
        the others. None if a table is given.
    contingency : {array-like, sparse} of shape (n_classes, n_clusters), default=None
        Table of counts to be used in place of the labels.
    pairs : array-like of shape (2, 2), default=None
        Table of pairs, as of :func:`pair_table`, to be used in place of the labels.

    Returns
    -------
    score : float
        In [-1, 1]; higher is better. Symmetric. Where a partition is trivial (one
        cluster, or all apart) 1 if the other is equal and 0 if not.

    Raises
    ------
    ValueError
        If a label is missing (None, NaN, NA) or infinite, if the labels are of different
        lengths, if a table is negative or holds margins, or if more than the labels or
        one table is given.

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
    both, c, k, neither = _pair_counts(labels_true, labels_pred, contingency, pairs)
    root = np.sqrt((both + c) * (both + k)) * np.sqrt((k + neither) * (c + neither))
    return _agreement(both * neither - c * k, root, c, k)


def pairwise_precision_score(
    labels_true=None, labels_pred=None, *, contingency=None, pairs=None
):
    """Share of the pairs in one cluster that are of one class.

    Parameters
    ----------
    labels_true : array-like of shape (n_samples,), default=None
        Class of each object, as integers or text; None if a table is given. A label -1
        is a class like the others: leave out the objects that have no label, as scorers
        of :func:`make_labeling_scorer` do.
    labels_pred : array-like of shape (n_samples,), default=None
        Cluster of each object, as integers or text; noise labeled -1 is a cluster like
        the others. None if a table is given.
    contingency : {array-like, sparse} of shape (n_classes, n_clusters), default=None
        Table of counts to be used in place of the labels.
    pairs : array-like of shape (2, 2), default=None
        Table of pairs, as of :func:`pair_table`, to be used in place of the labels.

    Returns
    -------
    score : float
        In [0, 1]; higher is better. Without pairs in a cluster 1 if classes are apart
        too, else 0.

    Raises
    ------
    ValueError
        If a label is missing (None, NaN, NA) or infinite, if the labels are of different
        lengths, if a table is negative or holds margins, or if more than the labels or
        one table is given.

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
    both, c, k, _ = _pair_counts(labels_true, labels_pred, contingency, pairs)
    return _agreement(both, both + k, c, k)


def pairwise_recall_score(
    labels_true=None, labels_pred=None, *, contingency=None, pairs=None
):
    """Share of the pairs of one class that are in one cluster.

    Parameters
    ----------
    labels_true : array-like of shape (n_samples,), default=None
        Class of each object, as integers or text; None if a table is given. A label -1
        is a class like the others: leave out the objects that have no label, as scorers
        of :func:`make_labeling_scorer` do.
    labels_pred : array-like of shape (n_samples,), default=None
        Cluster of each object, as integers or text; noise labeled -1 is a cluster like
        the others. None if a table is given.
    contingency : {array-like, sparse} of shape (n_classes, n_clusters), default=None
        Table of counts to be used in place of the labels.
    pairs : array-like of shape (2, 2), default=None
        Table of pairs, as of :func:`pair_table`, to be used in place of the labels.

    Returns
    -------
    score : float
        In [0, 1]; higher is better. Without pairs of a class 1 if clusters are apart
        too, else 0.

    Raises
    ------
    ValueError
        If a label is missing (None, NaN, NA) or infinite, if the labels are of different
        lengths, if a table is negative or holds margins, or if more than the labels or
        one table is given.

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
    both, c, k, _ = _pair_counts(labels_true, labels_pred, contingency, pairs)
    return _agreement(both, both + c, c, k)


def pairwise_fbeta_score(
    labels_true=None, labels_pred=None, *, beta=1.0, contingency=None, pairs=None
):
    """F measure of the pairs in one cluster as a retrieval of the pairs of one class.

    Parameters
    ----------
    labels_true : array-like of shape (n_samples,), default=None
        Class of each object, as integers or text; None if a table is given. A label -1
        is a class like the others: leave out the objects that have no label, as scorers
        of :func:`make_labeling_scorer` do.
    labels_pred : array-like of shape (n_samples,), default=None
        Cluster of each object, as integers or text; noise labeled -1 is a cluster like
        the others. None if a table is given.
    beta : float, default=1.0
        At least 0; above 1, pairs torn apart weigh more than pairs lumped together.
    contingency : {array-like, sparse} of shape (n_classes, n_clusters), default=None
        Table of counts to be used in place of the labels.
    pairs : array-like of shape (2, 2), default=None
        Table of pairs, as of :func:`pair_table`, to be used in place of the labels.

    Returns
    -------
    score : float
        In [0, 1]; higher is better. 1 for equal partitions.

    Raises
    ------
    ValueError
        If a label is missing (None, NaN, NA) or infinite, if the labels are of different
        lengths, if a table is negative or holds margins, or if more than the labels or
        one table is given, or if ``beta`` is negative.

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
    if not 0 <= beta < np.inf:
        raise ValueError(f"beta must be finite and at least 0, got {beta}.")
    both, c, k, _ = _pair_counts(labels_true, labels_pred, contingency, pairs)
    weight = beta * beta
    return _agreement((1 + weight) * both, (1 + weight) * both + weight * c + k, c, k)
