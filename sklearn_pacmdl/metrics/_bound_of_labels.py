"""The PAC-MDL bound as a metric of labels and clusters."""

from __future__ import annotations

from functools import wraps
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_consistent_length

from ..bounds import pac_mdl_bound
from ..columns import complete_labels, encode_labels
from ..languages import PaperLanguage, get_language
from ..utils._checks import check_integer, check_open_unit, shown
from ..utils._row_order import check_same_order
from ._contingency import ContingencyTable
from ._external import sum_of_largest


def pac_mdl_error_bound(
    y: ArrayLike,
    labels: ArrayLike,
    *,
    delta: float = 0.1,
    language: Literal["simple", "init", "cluster", "algo"] = "simple",
    n_clusters: int | None = None,
    n_init: int = 1,
    n_algorithms: int = 1,
    n_grid: int = 1,
    classes: ArrayLike | None = None,
    n_test: int | None = None,
) -> float:
    """Bound on the error rate of a clustering's majority labels on unlabeled rows.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Labels, -1 or missing (None, NaN, NA) where unlabeled.
    labels : array-like of shape (n_samples,)
        Cluster of each row, as integers or text; noise labeled -1 is a cluster, too.
    delta : float, default=0.1
        Probability, in (0, 1), with which the bound may fail.
    language : {"simple", "init", "cluster", "algo"}, default="simple"
        What costs bits besides the classes of the clusters: nothing, the random start,
        also the number of clusters, also the algorithm.
    n_clusters : int, default=None
        Number of clusters requested; by default as many as there are.
    n_init, n_algorithms, n_grid : int, default=1
        Numbers of starts, algorithms and parameter settings that were tried.
    classes : array-like of shape (n_classes,), default=None
        All classes, if they were known beforehand. By default the classes in ``y``, and
        the bound holds only if these were known.
    n_test : int, default=None
        Number of rows that the bound covers. By default these are the unlabeled rows. If
        there are none, they are as many further rows of the same population as are
        labeled, for a clustering that was fixed before the labels were seen.

    Returns
    -------
    bound : float
        A rate in [0, 1]; lower is better.

    Raises
    ------
    ValueError
        If a parameter is out of range, ``y`` has no labels, or a cluster label is missing
        (None, NaN, NA) or infinite.

    See Also
    --------
    sklearn_pacmdl.PACMDLSearchCV : Accounts for the candidates it tries, and certifies.

    References
    ----------
    .. [1] A. Banerjee and J. Langford, "An Objective Evaluation Criterion for
           Clustering", KDD 2004, Eqs. 1-4.

    Examples
    --------
    >>> from sklearn_pacmdl.metrics import pac_mdl_error_bound
    >>> y = [0, 1] * 20 + [-1] * 40
    >>> pac_mdl_error_bound(y, [0, 1] * 40)
    0.125
    """
    check_open_unit("delta", delta)
    bits_of = get_language(language)
    if not isinstance(bits_of, PaperLanguage):
        raise ValueError(
            "language must be 'simple', 'init', 'cluster' or 'algo' for a single "
            f"clustering, got {shown(bits_of)}."
        )
    counts = {"n_init": n_init, "n_algorithms": n_algorithms, "n_grid": n_grid}
    for name, value in {**counts, "n_clusters": n_clusters, "n_test": n_test}.items():
        if name in counts or value is not None:
            check_integer(name, value, 1)
    check_same_order(y=y, labels=labels)
    clusters = complete_labels(labels)
    check_consistent_length(y, clusters)
    class_names, codes = encode_labels(y, classes)
    labeled = codes >= 0
    n_train = int(labeled.sum())
    if n_test is None:
        n_test = int((~labeled).sum()) or n_train
    n_present, n_classes = len(np.unique(clusters)), len(class_names)
    is_counted = labeled & (codes < n_classes)
    table = ContingencyTable.from_labels(codes[is_counted], clusters[is_counted])
    n_right = int(sum_of_largest(table, 0))
    bits = bits_of(n_present, n_classes, asked=n_clusters, **counts)
    errors = pac_mdl_bound(
        n_train, n_test, n_train - n_right, description_length=bits, delta=delta
    )
    return errors / n_test


@wraps(pac_mdl_error_bound, assigned=(), updated=())  # with its signature
def pac_mdl_score(y: ArrayLike, labels: ArrayLike, **kwargs: Any) -> float:
    """One minus :func:`pac_mdl_error_bound`: a certified accuracy.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Labels, -1 or missing (None, NaN, NA) where unlabeled.
    labels : array-like of shape (n_samples,)
        Cluster of each row, as integers or text; noise labeled -1 is a cluster, too.
    delta : float, default=0.1
        Probability, in (0, 1), with which the bound may fail.
    language : {"simple", "init", "cluster", "algo"}, default="simple"
        What costs bits besides the classes of the clusters: nothing, the random start,
        also the number of clusters, also the algorithm.
    n_clusters : int, default=None
        Number of clusters requested; by default as many as there are.
    n_init, n_algorithms, n_grid : int, default=1
        Numbers of starts, algorithms and parameter settings that were tried.
    classes : array-like of shape (n_classes,), default=None
        All classes, if they were known beforehand. By default the classes in ``y``, and
        the bound holds only if these were known.
    n_test : int, default=None
        Number of rows that the bound covers. By default these are the unlabeled rows. If
        there are none, they are as many further rows of the same population as are
        labeled, for a clustering that was fixed before the labels were seen.

    Returns
    -------
    score : float
        A rate in [0, 1]; higher is better.

    Raises
    ------
    ValueError
        If a parameter is out of range, ``y`` has no labels, or a cluster label is missing
        (None, NaN, NA) or infinite.

    References
    ----------
    .. [1] A. Banerjee and J. Langford, "An Objective Evaluation Criterion for
           Clustering", KDD 2004, Eqs. 1-4.

    Examples
    --------
    >>> from sklearn_pacmdl.metrics import pac_mdl_score
    >>> y = [0, 1] * 20 + [-1] * 40
    >>> pac_mdl_score(y, [0, 1] * 40)
    0.875
    """
    return 1.0 - pac_mdl_error_bound(y, labels, **kwargs)
