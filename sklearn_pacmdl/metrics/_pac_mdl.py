"""The PAC-MDL bound as a metric of labels and clusters."""

import numpy as np
from sklearn.utils import check_consistent_length

from ..bounds import pac_mdl_bound
from ..labeling import class_counts
from ..languages import PaperLanguage, get_language
from ..utils._checks import is_integer, shown
from ..utils._labels import encode_labels
from ._validation import check_labels


def pac_mdl_error_bound(
    y,
    labels,
    *,
    delta=0.1,
    language="simple",
    n_clusters=None,
    n_init=1,
    n_algorithms=1,
    n_grid=1,
    classes=None,
    n_test=None,
):
    """Bound on the error rate of a clustering's majority labels on unlabeled rows.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Labels; -1 or missing (None, NaN, NA) where unlabeled.
    labels : array-like of shape (n_samples,)
        Cluster of each row, as integers or text; noise labeled -1 is a cluster like the
        others.
    delta : float, default=0.1
        Probability, in (0, 1), with which the bound may fail.
    language : {"simple", "init", "cluster", "algo"}, default="simple"
        What is paid for besides the labels of the clusters: nothing, the random start,
        also the number of clusters, also the algorithm.
    n_clusters : int, default=None
        Number of clusters asked for; as many as there are by default.
    n_init, n_algorithms, n_grid : int, default=1
        Numbers of starts, algorithms and parameter settings that were tried.
    classes : array-like, default=None
        All classes, if known beforehand; by default those in ``y``, and the bound holds
        if these were known.
    n_test : int, default=None
        Number of rows that the bound is about; by default the unlabeled rows, and where
        there are none, as many as are labeled: further rows of the same population, for
        a clustering that was fixed before the labeled rows were seen.

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
    sklearn_pacmdl.PACMDLSearchCV : Pays by itself for what it tries, and certifies.

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
    language = check_description(
        language,
        n_clusters=n_clusters,
        n_init=n_init,
        n_algorithms=n_algorithms,
        n_grid=n_grid,
        n_test=n_test,
    )
    labels = check_labels(labels)
    check_consistent_length(y, labels)
    classes, codes = encode_labels(y, classes)
    labeled = codes >= 0
    n_train = int(labeled.sum())
    if n_test is None:
        n_test = int((~labeled).sum()) or n_train
    _, clusters = np.unique(labels, return_inverse=True)
    found, n_classes = int(clusters.max()) + 1, len(classes)
    right = class_counts(clusters, codes, found, n_classes).max(axis=1).sum()
    bits = language(
        found,
        n_classes,
        n_init=n_init,
        n_algorithms=n_algorithms,
        n_grid=n_grid,
        asked=n_clusters,
    )
    errors = pac_mdl_bound(
        n_train, n_test, n_train - int(right), description_length=bits, delta=delta
    )
    return errors / n_test


def check_description(language, *, n_clusters, n_test, **counts):
    """The language, after a check of it and of the numbers; two of these may be None."""
    language = get_language(language)
    if not isinstance(language, PaperLanguage):
        raise ValueError(
            "language must be 'simple', 'init', 'cluster' or 'algo' for a single "
            f"clustering, got {shown(language)}."
        )
    optional = {"n_clusters": n_clusters, "n_test": n_test}
    counts |= {name: value for name, value in optional.items() if value is not None}
    for name, value in counts.items():
        if not is_integer(value) or value < 1:
            value = np.asarray(value).tolist()  # 0, not np.int64(0)
            raise ValueError(
                f"{name} must be an integer of at least 1, got {shown(value)}."
            )
    return language


def pac_mdl_score(y, labels, **kwargs):
    """One minus :func:`pac_mdl_error_bound`: a certified accuracy.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Labels; -1 or missing (None, NaN, NA) where unlabeled.
    labels : array-like of shape (n_samples,)
        Cluster of each row, as integers or text; noise labeled -1 is a cluster like the
        others.
    **kwargs : dict
        As in :func:`pac_mdl_error_bound`.

    Returns
    -------
    score : float
        In [0, 1]; higher is better.

    Examples
    --------
    >>> from sklearn_pacmdl.metrics import pac_mdl_score
    >>> y = [0, 1] * 20 + [-1] * 40
    >>> pac_mdl_score(y, [0, 1] * 40)
    0.875
    """
    return 1.0 - pac_mdl_error_bound(y, labels, **kwargs)
