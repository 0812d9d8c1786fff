"""Scorers that score clusterers: ``scorer(estimator, X, y=None)``."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils import column_or_1d

from ..utils._labels import as_labels, split_unlabelled
from ._informativeness import informativeness_score
from ._pac_mdl import pac_mdl_score

# Below any real score; finite, and small enough to be squared, so that means and
# standard deviations over folds stay finite too.
WORST = -1e150


def cluster_labels(estimator, X):
    """Clusters that a fitted estimator gives to these rows.

    Its ``predict`` where it has one; else X is clustered anew, with the estimator's
    parameters: ``labels_`` may be of other rows, even if they are as many.
    """
    # Inside searches and classifiers made of clusterers, whose predict gives classes.
    for name in ("best_estimator_", "classifier_", "clusterer_"):
        if name != "best_estimator_" or not hasattr(estimator, "classifier_"):
            estimator = getattr(estimator, name, estimator)
    if isinstance(estimator, Pipeline) and _holds_clusterer(estimator[-1]):
        before, last = estimator[:-1], estimator[-1]
        return cluster_labels(last, before.transform(X) if len(before.steps) else X)
    if hasattr(estimator, "predict"):
        return estimator.predict(X)
    return clone(estimator).fit_predict(X)


def _holds_clusterer(estimator):
    names = ("best_estimator_", "classifier_", "clusterer_", "steps")
    return any(hasattr(estimator, name) for name in names)


@dataclass(frozen=True, eq=False)
class LabelingScorer:
    """Scorer of a clusterer by a metric of its labels.

    Made by :func:`make_labeling_scorer` and the functions like it.

    Parameters
    ----------
    metric : callable
        ``metric(X, labels)`` if internal, ``metric(y, labels)`` if external.
    kind : {"internal", "external", "partly labelled"}
        What the metric compares the labels with; an external one sees the labelled rows
        only, one for partly labelled rows all of them.
    sign : {1, -1}
        What the metric is multiplied with, so that higher is better.
    kwargs : mapping
        Further arguments of the metric.
    """

    metric: Callable[..., float]
    kind: str
    sign: int = 1
    kwargs: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self, estimator, X, y=None):
        """Score a fitted estimator on rows.

        Parameters
        ----------
        estimator : estimator
            A fitted clusterer, mixture, Pipeline, ``ClusterLabelClassifier`` or
            ``PACMDLSearchCV``.
        X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,), default=None
            Labels, -1 or missing where unlabelled; not used by an internal metric.

        Returns
        -------
        score : float
            Higher is better. Internal metrics are not asked about a single cluster, nor
            about clusters that are all single rows: these get the worst score, -1e150;
            informativeness alone judges them.

        Raises
        ------
        ValueError
            If an external metric is given no ``y``, or one without labelled rows.
        """
        return self.score_labels(X, np.asarray(cluster_labels(estimator, X)), y)

    def score_labels(self, X, labels, y=None, classes=None):
        """Score clusters that are known.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
            Rows.
        labels : ndarray of shape (n_samples,)
            Their clusters.
        y : array-like of shape (n_samples,), default=None
            Their labels, as in calls.
        classes : array-like of shape (n_classes,), default=None
            Texts in it are classes, even those such as "nan" and "-1" that are refused
            otherwise; for an external metric.

        Returns
        -------
        score : float
            Higher is better.
        """
        if self.kind == "internal":
            return self._internal(X, labels)
        if y is None:
            raise ValueError(
                f"{self!r} compares clusters with labels: y is needed, got None."
            )
        if self.kind == "external":
            labelled, y = split_unlabelled(column_or_1d(as_labels(y)), classes)
            labels = labels[labelled]
            if not labelled.any():
                raise ValueError(f"{self!r} needs labelled rows, y has none.")
        return self.sign * float(self.metric(y, labels, **self.kwargs))

    def _internal(self, X, labels):
        n_clusters = len(np.unique(labels))
        if 1 < n_clusters < len(labels) or self.metric is informativeness_score:
            return self.sign * float(self.metric(X, labels, **self.kwargs))
        return WORST


def make_labeling_scorer(metric, *, kind, greater_is_better=True, **kwargs):
    """Scorer of clusterers from any metric of labels.

    Parameters
    ----------
    metric : callable
        Of this package, of scikit-learn or the user's: ``metric(X, labels)`` or
        ``metric(labels_true, labels)``.
    kind : {"internal", "external"}
        Whether the metric compares the clusters with the rows or with labels. An
        external one sees the labelled rows only.
    greater_is_better : bool, default=True
        Whether higher values of the metric are better; if not they are negated.
    **kwargs : dict
        Further arguments of the metric.

    Returns
    -------
    scorer : callable
        ``scorer(estimator, X, y=None)``, higher is better, for ``scoring=`` anywhere.

    Raises
    ------
    ValueError, TypeError
        If ``kind`` is none of the two, or the metric is not callable.

    See Also
    --------
    sklearn.metrics.make_scorer : For estimators that have ``predict``.

    Examples
    --------
    >>> from sklearn.cluster import AgglomerativeClustering
    >>> from sklearn.datasets import make_blobs
    >>> from sklearn.metrics import silhouette_score
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn_pacmdl.metrics import make_labeling_scorer
    >>> from sklearn_pacmdl.model_selection import TransductiveSplit
    >>> X, _ = make_blobs(120, centers=4, cluster_std=0.5, random_state=3)
    >>> search = GridSearchCV(
    ...     AgglomerativeClustering(),
    ...     {"n_clusters": range(2, 8)},
    ...     scoring=make_labeling_scorer(silhouette_score, kind="internal"),
    ...     cv=TransductiveSplit(),
    ... )
    >>> search.fit(X).best_params_
    {'n_clusters': 4}
    """
    if kind not in ("internal", "external"):
        raise ValueError(f"kind must be 'internal' or 'external', got {kind!r}.")
    if not callable(metric):
        raise TypeError(f"metric must be callable, got {metric!r}.")
    return LabelingScorer(metric, kind, 1 if greater_is_better else -1, kwargs)


def make_pac_mdl_scorer(*, delta=0.1, language="simple", **kwargs):
    """Scorer of clusterers by the PAC-MDL bound: one minus the bound.

    Parameters
    ----------
    delta : float, default=0.1
        Probability, in (0, 1), with which the bound may fail.
    language : {"simple", "init", "cluster", "algo"}, default="simple"
        What is paid for, as in :func:`pac_mdl_error_bound`.
    **kwargs : dict
        ``n_init``, ``n_algorithms``, ``n_grid``, ``n_clusters``, ``classes``, ``n_test``
        of :func:`pac_mdl_error_bound`.

    Returns
    -------
    scorer : callable
        ``scorer(estimator, X, y)``, in [0, 1], higher is better.

    Notes
    -----
    On all rows at once (:class:`~sklearn_pacmdl.model_selection.TransductiveSplit`) with
    y partly labelled, m is the number of labelled rows, n that of the others, and the
    bound is about these. Under ordinary folds the partition learned on the training fold
    is a fixed function: m is the size of the labelled test fold, n is ``n_test`` or again
    m, and the bound is about n further rows of the same population. This needs a
    clusterer with ``predict``: without, the test fold itself is clustered, as all rows
    are under a TransductiveSplit with y fully labelled, and the number is a score only.
    Give ``classes`` where a fold may lack some. A score that was
    chosen as the best of several is a guarantee only in a language that pays for the
    choice; :class:`~sklearn_pacmdl.PACMDLSearchCV` sees to that, and to the order of
    rows.

    Examples
    --------
    >>> from sklearn.cluster import KMeans
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn_pacmdl.metrics import make_pac_mdl_scorer
    >>> X, y = load_iris(return_X_y=True)
    >>> scorer = make_pac_mdl_scorer(n_test=1000)
    >>> scores = cross_val_score(KMeans(3, random_state=0), X, y, scoring=scorer, cv=2)
    >>> print((scores > 0.5).all())
    True
    """
    kwargs = {"delta": delta, "language": language} | kwargs
    return LabelingScorer(pac_mdl_score, "partly labelled", kwargs=kwargs)


def make_informativeness_scorer(*, classifiers=None, cv=10, n_jobs=None, random_state=0):
    """Scorer of clusterers by the informativeness of their clusters.

    Parameters
    ----------
    classifiers : classifier or list of (named) classifiers, default=None
        As in :func:`informativeness_score`.
    cv : int, splitter or iterable, default=10
        As in :func:`informativeness_score`.
    n_jobs : int, default=None
        As in :func:`informativeness_score`.
    random_state : int, RandomState instance or None, default=0
        As in :func:`informativeness_score`; fixed, so that all candidates are judged on
        the same folds.

    Returns
    -------
    scorer : callable
        ``scorer(estimator, X, y=None)``, at most 1, higher is better.

    Examples
    --------
    >>> from sklearn.cluster import AgglomerativeClustering
    >>> from sklearn.datasets import make_blobs
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn_pacmdl.metrics import make_informativeness_scorer
    >>> from sklearn_pacmdl.model_selection import TransductiveSplit
    >>> X, _ = make_blobs(120, centers=4, cluster_std=0.5, random_state=3)
    >>> search = GridSearchCV(
    ...     AgglomerativeClustering(),
    ...     {"n_clusters": range(8, 1, -1)},
    ...     scoring=make_informativeness_scorer(),
    ...     cv=TransductiveSplit(),
    ... )
    >>> search.fit(X).best_params_
    {'n_clusters': 4}
    """
    kwargs = {
        "classifiers": classifiers,
        "cv": cv,
        "n_jobs": n_jobs,
        "random_state": random_state,
    }
    return LabelingScorer(informativeness_score, "internal", kwargs=kwargs)


pac_mdl_scorer = make_pac_mdl_scorer()
informativeness_scorer = make_informativeness_scorer()
