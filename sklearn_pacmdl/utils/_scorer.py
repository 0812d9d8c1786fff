"""Base class of scorers of labelings, and what they find inside fitted estimators."""

from abc import ABC, abstractmethod
from typing import Any

from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from ._checks import invalid

# Attributes in which searches, and classifiers made of clusterers, keep what holds the
# clusterer. Their own predict gives classes and not clusters.
_HOLDERS = ("classifier_", "best_estimator_", "clusterer_")


class LabelingScorer(ABC):
    """Base class of scorers of clusterers, which can also score given clusters.

    It can be used wherever ``scoring=`` takes a callable. A search that has already
    clustered the rows calls :meth:`score_labels` and never clusters them again.
    Such scorers are made by the functions :func:`make_labeling_scorer`,
    :func:`make_pac_mdl_scorer` and :func:`make_informativeness_scorer`. For a scorer of
    another kind define :meth:`score_labels` in a subclass.

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
            Labels; -1 or a missing value marks an unlabeled row. An internal metric does
            not use them.

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
        check_clusterer(clusterer, estimator)
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
        """Score given clusters.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
            Rows.
        labels : array-like of shape (n_samples,)
            Cluster of each row, as integers or text.
        y : array-like of shape (n_samples,), default=None
            Label of each row; -1 or a missing value marks an unlabeled row. An internal
            metric does not use them.
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


def check_clusterer(clusterer: Any, estimator: Any) -> None:
    """Refuse an estimator that holds no clusterer."""
    methods = "fit_predict", "predict"
    if isinstance(clusterer, type) or not any(hasattr(clusterer, m) for m in methods):
        raise invalid("estimator", "a fitted clusterer", estimator)


def is_holder(estimator: Any) -> bool:
    """Whether this is a fitted estimator that withholds labels from its clusterer."""
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
    """Clusters that a fitted clusterer gives to these rows."""
    if hasattr(clusterer, "predict"):
        return clusterer.predict(X)
    # Not labels_, which may be those of other rows, even if there are as many of them.
    return clone(clusterer).fit_predict(X)
