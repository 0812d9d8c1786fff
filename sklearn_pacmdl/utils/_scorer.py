"""Scorers of labelings, and the clusterer and the rows that they are about."""

from abc import ABC, abstractmethod
from typing import Any

from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.pipeline import Pipeline

# Where searches and classifiers made of clusterers, whose predict gives classes, keep
# what holds the clusterer.
_HOLDERS = ("classifier_", "best_estimator_", "clusterer_")


class LabelingScorer(ABC):
    """Scorer of clusterers that can also score clusters that are known already.

    It goes wherever ``scoring=`` takes a callable. A search that has already clustered
    the rows calls :meth:`score_labels` and never clusters them anew. The functions
    :func:`make_labeling_scorer`, :func:`make_pac_mdl_scorer` and
    :func:`make_informativeness_scorer` make such scorers; for a scorer of another kind
    define :meth:`score_labels` in a subclass.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.cluster import AgglomerativeClustering
    >>> from sklearn_pacmdl.metrics import LabelingScorer
    >>> class Evenness(LabelingScorer):
    ...     def score_labels(self, X, labels, y=None, *, classes=None, estimator=None):
    ...         return -float(np.ptp(np.unique(labels, return_counts=True)[1]))
    >>> X = [[0.0], [1.0], [10.0]]
    >>> Evenness()(AgglomerativeClustering(2).fit(X), X)
    -1.0
    """

    def __call__(self, estimator: Any, X: Any, y: ArrayLike | None = None) -> float:
        """Score a fitted estimator on rows.

        Parameters
        ----------
        estimator : estimator
            A fitted clusterer, mixture, Pipeline, ``ClusterLabelClassifier`` or
            ``PACMDLSearchCV``.
        X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,), default=None
            Labels, -1 or missing where unlabeled. An internal metric does not use them.

        Returns
        -------
        score : float
            A finite number; higher is better.

        Raises
        ------
        ValueError
            If an external metric is given no ``y``, or one without labeled rows, or if
            the metric is undefined for these clusters. A scorer by the bound refuses a
            Pipeline with a step that uses labels.
        """
        clusterer, rows = clusterer_and_rows(estimator, X)
        return self.score_labels(rows, cluster_labels(clusterer, rows), y)

    @abstractmethod
    def score_labels(
        self,
        X: Any,
        labels: ArrayLike,
        y: ArrayLike | None = None,
        *,
        classes: ArrayLike | None = None,
        estimator: Any = None,
    ) -> float:
        """Score clusters that are known.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
            Rows.
        labels : array-like of shape (n_samples,)
            Cluster of each row, as integers or text.
        y : array-like of shape (n_samples,), default=None
            Label of each row, -1 or missing where unlabeled. An internal metric does not
            use them.
        classes : array-like of shape (n_classes,), default=None
            Texts in it are classes for an external metric, even those such as "nan" and
            "-1" that are refused otherwise.
        estimator : estimator, default=None
            The fitted estimator that gave these clusters. If it is a Pipeline, an
            internal metric judges the rows as its steps transform them.

        Returns
        -------
        score : float
            A finite number; higher is better.

        Raises
        ------
        ValueError
            If the metric is undefined for these clusters, or if an external metric is
            given no ``y`` or one without labeled rows.
        """


def is_holder(estimator: Any) -> bool:
    """Whether this is fitted, holds a clusterer, and withholds labels from it."""
    return any(hasattr(estimator, name) for name in _HOLDERS)


def clusterer_and_rows(estimator: Any, X: Any) -> tuple[Any, Any]:
    """The clusterer inside a fitted estimator, and the rows as it sees them."""
    while True:
        held = next((name for name in _HOLDERS if hasattr(estimator, name)), None)
        if held is not None:
            estimator = getattr(estimator, held)
        elif isinstance(estimator, Pipeline):
            before, estimator = estimator[:-1], estimator[-1]
            X = before.transform(X) if before.steps else X
        else:
            return estimator, X


def cluster_labels(clusterer: Any, X: Any) -> NDArray[Any]:
    """Clusters that a fitted clusterer gives to these rows.

    Its ``predict`` where it has one. Otherwise X is clustered anew with the clusterer's
    parameters, because ``labels_`` may be of other rows, even if they are as many.
    """
    if hasattr(clusterer, "predict"):
        return clusterer.predict(X)
    return clone(clusterer).fit_predict(X)
