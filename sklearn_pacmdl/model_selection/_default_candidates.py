"""Candidates for those who have no list of their own."""

from typing import Any

from scipy.sparse import issparse
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import ComplementNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from ..cluster import SphericalKMeans
from ..estimators import num_samples
from ..utils._random import check_random_state

#: Name of the list in certificates. Its number grows when a release changes a member.
DEFAULT_LIST = "default candidates 1"
# Rows up to which the distances of all pairs, which Ward needs, fit into 1.6 GB.
_MOST_ROWS_OF_PAIRS = 20_000


def default_candidates(X: Any, random_state: int | None = None) -> list[tuple[str, Any]]:
    """List the candidates that a search without an estimator tries.

    Print the list, leave out members or append others, and pass it to
    :class:`~sklearn_pacmdl.PACMDLSearchCV`. It depends on the type, the shape and the
    sign of ``X`` alone, so that no label has chosen it.

    Parameters
    ----------
    X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
        Rows. Dense ones get Ward's method, or k-means for more than 20,000 rows, a
        logistic regression and extremely randomized trees. Sparse ones get spherical
        k-means, and complement naive Bayes or, where an entry is negative, a logistic
        regression.
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
    ['ward', 'logistic', 'trees']
    """
    check_random_state(random_state)
    if issparse(X):
        values = X.tocsr().data
        return _sparse(random_state, bool(values.size == 0 or values.min() >= 0))
    return _dense(random_state, num_samples(X) <= _MOST_ROWS_OF_PAIRS)


def every_candidate() -> list[tuple[str, Any]]:
    """All members that the list may have, for what is asked before there are rows."""
    return [*_dense(None, True), *_dense(None, False), *_sparse(None, True)]


# Each member is the best in a quarter of the draws or more, of 24 data sets with 5, 10
# and 50% labels, and no list is shown to be better. Mean bounds change by -0.2, 0.2 and
# 0.3 points without Ward, the logistic regression, the trees (standard errors over sets
# are 0.5, 0.2 and 0.4), and by -0.3 to 0.0 with a further member (at most 0.3): k-means,
# neighbors, label spreading, a forest, Ward on columns as they are. Ward stays since only
# clusters are left where all labels certify. k-means for many rows was not measured. On
# two sets of sparse texts, bounds grow by 4.2 points without spherical k-means and by 2.5
# without Bayes (benchmarks/compare_default_candidates.py).
def _dense(random_state, takes_pairs):
    kmeans = KMeans(random_state=random_state)
    ward = AgglomerativeClustering()
    name, final = ("ward", ward) if takes_pairs else ("kmeans", kmeans)
    return [
        (name, make_pipeline(StandardScaler(), final)),
        ("logistic", make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))),
        ("trees", ExtraTreesClassifier(random_state=random_state)),
    ]


def _sparse(random_state, is_positive):
    bayes = ("bayes", ComplementNB())
    logistic = ("logistic", LogisticRegression(max_iter=1000))
    spherical = ("spherical", SphericalKMeans(random_state=random_state))
    return [spherical, bayes if is_positive else logistic]
