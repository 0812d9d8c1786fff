"""Candidates for those who have no list of their own."""

from typing import Any

from scipy.sparse import issparse
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import ComplementNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.semi_supervised import LabelSpreading

from ..cluster import SphericalKMeans
from ..estimators import num_samples
from ..utils._random import check_random_state

#: Name of the list in certificates. Its number grows when a release changes a member.
DEFAULT_LIST = "default candidates 1"
# Rows up to which all pairs of them fit into memory, in 1.6 GB.
_MOST_ROWS_OF_PAIRS = 20_000


def default_candidates(X: Any, random_state: int | None = None) -> list[tuple[str, Any]]:
    """List the candidates that a search without an estimator tries.

    Print the list, leave out members or append others, and pass it to
    :class:`~sklearn_pacmdl.PACMDLSearchCV`. It depends on the type, the shape and the
    sign of ``X`` alone, so that no label and no value has chosen it.

    Parameters
    ----------
    X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
        Rows. Dense ones get k-means, Ward's method, a logistic regression, trees, nearest
        neighbors and label spreading, of which Ward and label spreading are for up to
        20,000 rows. Sparse ones get spherical k-means, a logistic regression and, where
        no entry is negative, complement naive Bayes.
    random_state : int or None, default=None
        Seed of the members that draw at random. A search sets seeds of its own.

    Returns
    -------
    candidates : list of (str, estimator)
        Names and new estimators, which the caller may change.

    Raises
    ------
    ValueError, TypeError
        If ``X`` has no rows to count, or ``random_state`` is not as described.

    See Also
    --------
    sklearn_pacmdl.PACMDLSearchCV : Search over these or other candidates.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn_pacmdl.model_selection import default_candidates
    >>> X, y = load_iris(return_X_y=True)
    >>> [name for name, _ in default_candidates(X)]
    ['kmeans', 'ward', 'logistic', 'trees', 'neighbors', 'spreading']
    """
    check_random_state(random_state)
    if issparse(X):
        values = X.tocsr().data
        return _sparse(random_state, bool(values.size == 0 or values.min() >= 0))
    return _dense(random_state, num_samples(X) <= _MOST_ROWS_OF_PAIRS)


def every_candidate() -> list[tuple[str, Any]]:
    """All members that the list may have, for what is asked before there are rows."""
    return [*_dense(None, True), *_sparse(None, True)]


def _dense(random_state, takes_pairs):
    trees = ExtraTreesClassifier(random_state=random_state)
    members = [
        ("kmeans", make_pipeline(StandardScaler(), KMeans(random_state=random_state))),
        ("ward", AgglomerativeClustering()),
        ("logistic", make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))),
        ("trees", trees),
        ("neighbors", make_pipeline(StandardScaler(), KNeighborsClassifier())),
        ("spreading", LabelSpreading(kernel="knn")),
    ]
    of_pairs = {"ward", "spreading"}
    return [(n, e) for n, e in members if takes_pairs or n not in of_pairs]


def _sparse(random_state, is_positive):
    members = [
        ("spherical", SphericalKMeans(random_state=random_state)),
        ("logistic", LogisticRegression(max_iter=1000)),
    ]
    return members + [("bayes", ComplementNB())] * is_positive
