"""Scorers that score clusterers: ``scorer(estimator, X, y=None)``."""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from inspect import signature
from pickle import PicklingError
from typing import Any

import joblib
import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils import column_or_1d

from ..utils._labels import as_labels, split_unlabeled
from ..utils._sklearn import is_known, num_samples, row_subset
from ._informativeness import informativeness_score
from ._pac_mdl import check_description, pac_mdl_score
from ._validation import check_labels

# Breaks ties of informativeness. One row more that is predicted right changes the score
# by about 1 / n_samples, one cluster more by _TIE / n_samples, which floats near 1 still
# tell apart for a million rows.
_TIE = 1e-9
# Where searches and classifiers made of clusterers, whose predict gives classes, keep
# what holds the clusterer.
_HOLDERS = ("classifier_", "best_estimator_", "clusterer_")
# Rows on which steps are tried: so few cost milliseconds.
_N_TRIED = 100


def clusterer_and_rows(estimator, X):
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


def cluster_labels(clusterer, X):
    """Clusters that a fitted clusterer gives to these rows.

    Its ``predict`` where it has one; else X is clustered anew, with the clusterer's
    parameters: ``labels_`` may be of other rows, even if they are as many.
    """
    if hasattr(clusterer, "predict"):
        return clusterer.predict(X)
    return clone(clusterer).fit_predict(X)


def _refuse_supervised(estimator, X, y):
    """A bound counts errors on labels, which must not have helped to make the clusters.

    Searches pass y to ``fit``, and a Pipeline passes it on to every step. Few steps say
    whether they look at it, so they are tried with shuffled labels: on a few rows, or on
    all where they fail on a few.
    """
    tried = estimator
    if isinstance(estimator, Pipeline) and is_known(estimator[-1]):
        tried = estimator[:-1]
    elif any(hasattr(estimator, name) for name in _HOLDERS) or is_known(estimator):
        return  # which hand no y to clusterers, or are clusterers that ignore it
    n_samples = num_samples(X)
    for n_rows in (min(_N_TRIED, n_samples), n_samples):
        try:
            made_with_labels = _changes_with_labels(tried, X, y, np.arange(n_rows))
        except Exception:
            continue
        if made_with_labels:
            break
        return
    raise ValueError(
        f"{tried!r} depends on the labels, or cannot be fitted to shuffled ones to see. "
        "The bound would count errors on labels that the clusters were made with. Use "
        "steps that look at no labels, or PACMDLSearchCV, which withholds them."
    )


def _changes_with_labels(estimator, X, y, rows):
    """Whether fits to some rows differ when the labels of these are shuffled."""
    X, y = row_subset(X, rows), column_or_1d(as_labels(y))[rows]
    seeds = [name for name in estimator.get_params() if name.endswith("random_state")]
    random_state, found = np.random.RandomState(0), set()
    for _ in range(2):
        tried = clone(estimator).set_params(**dict.fromkeys(seeds, 0))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found.add(_state(tried.fit(X, random_state.permutation(y)), X))
    return len(found) > 1


def _state(fitted, X):
    """Digest of what a fit has found; if it holds functions, of what it makes of X."""
    try:
        return joblib.hash(fitted)
    except PicklingError:
        return joblib.hash(fitted.transform(X))


def _name(metric):
    """Of a function, also of one with some arguments given."""
    function = getattr(metric, "func", metric)
    return getattr(function, "__name__", type(function).__name__)


@dataclass(frozen=True, eq=False)
class LabelingScorer:
    """Scorer of a clusterer by a metric of its labels.

    Made by :func:`make_labeling_scorer` and the functions like it.

    Parameters
    ----------
    metric : callable
        ``metric(X, labels)`` if internal, ``metric(y, labels)`` if external.
    kind : {"internal", "external", "partly labeled"}
        What the metric compares the labels with; an external one sees the labeled rows
        only, one for partly labeled rows all of them.
    sign : {1, -1}
        What the metric is multiplied with, so that higher is better.
    kwargs : mapping
        Further arguments of the metric.
    """

    metric: Callable[..., float]
    kind: str
    sign: int = 1
    kwargs: Mapping[str, Any] = field(default_factory=dict)

    def __repr__(self):
        sign = "" if self.sign > 0 else ", greater_is_better=False"
        kwargs = "".join(f", {name}={value!r}" for name, value in self.kwargs.items())
        return f"LabelingScorer({_name(self.metric)}, kind={self.kind!r}{sign}{kwargs})"

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
            Labels, -1 or missing where unlabeled; not used by an internal metric.

        Returns
        -------
        score : float
            Higher is better; finite.

        Raises
        ------
        ValueError
            If an external metric is given no ``y``, or one without labeled rows, or if
            the metric is undefined for these clusters; if a bound is asked of a Pipeline
            with a step that looks at labels.
        """
        if self.kind == "partly labeled":
            _refuse_supervised(estimator, X, y)
        clusterer, rows = clusterer_and_rows(estimator, X)
        return self.score_labels(rows, cluster_labels(clusterer, rows), y)

    def score_labels(self, X, labels, y=None, *, classes=None, estimator=None):
        """Score clusters that are known.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
            Rows.
        labels : array-like of shape (n_samples,)
            Their clusters, as integers or text.
        y : array-like of shape (n_samples,), default=None
            Their labels, as in calls.
        classes : array-like of shape (n_classes,), default=None
            Texts in it are classes, even those such as "nan" and "-1" that are refused
            otherwise; for an external metric.
        estimator : estimator, default=None
            The fitted estimator that gave these clusters. If it is a Pipeline, an
            internal metric judges the rows as its steps transform them.

        Returns
        -------
        score : float
            Higher is better; finite.

        Raises
        ------
        ValueError
            As in calls.
        """
        labels = check_labels(labels)
        if self.kind != "internal":
            first, labels = self._classes(y, labels, classes)
        elif estimator is None:
            first = X
        else:
            _, first = clusterer_and_rows(estimator, X)
        score = self.sign * float(self.metric(first, labels, **self.kwargs))
        if not np.isfinite(score):
            raise ValueError(
                f"{self!r} gave {score} for {len(np.unique(labels))} clusters of "
                f"{len(labels)} rows."
            )
        return score

    def _classes(self, y, labels, classes):
        """What the clusters are compared with, and the clusters of the same rows."""
        if y is None:
            raise ValueError(
                f"{self!r} compares clusters with labels: y is needed, got None."
            )
        if self.kind != "external":
            return y, labels
        labeled, y = split_unlabeled(column_or_1d(as_labels(y)), classes)
        if not labeled.any():
            raise ValueError(f"{self!r} needs labeled rows, y has none.")
        return y, labels[labeled]


def make_labeling_scorer(metric, /, *, kind, greater_is_better=True, **kwargs):
    """Scorer of clusterers from any metric of labels.

    Parameters
    ----------
    metric : callable
        Of this package, of scikit-learn or the user's: ``metric(X, labels)`` or
        ``metric(labels_true, labels)``.
    kind : {"internal", "external"}
        Whether the metric compares the clusters with the rows or with labels. An
        external one sees the labeled rows only.
    greater_is_better : bool, default=True
        Whether higher values of the metric are better; if not they are negated.
    **kwargs : dict
        Further arguments of the metric, its own ``metric`` included.

    Returns
    -------
    scorer : callable
        ``scorer(estimator, X, y=None)``, higher is better, for ``scoring=`` anywhere.

    Raises
    ------
    ValueError
        If ``kind`` is none of the two, or not that of the metric, as the name of its
        first parameter tells: ``X`` or ``labels_true``.
    TypeError
        If the metric is not callable, or not with these arguments.

    See Also
    --------
    sklearn.metrics.make_scorer : For estimators that have ``predict``.

    Notes
    -----
    An internal metric judges the clusters of a Pipeline in the space of its last step,
    on the rows as the steps before transform them. Values of most metrics cannot be
    compared between spaces: search over the clusterer's parameters, not over those of
    the steps before it.

    A metric is asked about all clusterings, those with a single cluster included. Where
    it raises an error or gives no finite number the scorer raises an error: a search
    warns and records its ``error_score``, NaN by default, which ranks last, or stops if
    ``error_score="raise"``.

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
    _check_call(metric, kind, kwargs)
    return LabelingScorer(metric, kind, 1 if greater_is_better else -1, kwargs)


def _check_call(metric, kind, kwargs):
    """Whether the metric takes what the scorer will give it, as far as its names tell."""
    try:
        names = signature(metric)
    except (TypeError, ValueError):  # compiled functions may have none
        return
    first = next(iter(names.parameters), "")
    fitting = {"X": "internal", "labels_true": "external", "y_true": "external"}
    if fitting.get(first, kind) != kind:
        raise ValueError(
            f"kind must be {fitting[first]!r} for {_name(metric)}, whose first parameter "
            f"is {first}, got {kind!r}."
        )
    try:
        names.bind(None, None, **kwargs)
    except TypeError as error:
        raise TypeError(
            f"{_name(metric)} cannot be called with two arguments and {kwargs}: {error}."
        ) from None


def make_pac_mdl_scorer(
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
    """Scorer of clusterers by the PAC-MDL bound: one minus the bound.

    Parameters
    ----------
    delta : float, default=0.1
        Probability, in (0, 1), with which the bound may fail.
    language : {"simple", "init", "cluster", "algo"}, default="simple"
        What is paid for, as in :func:`pac_mdl_error_bound`.
    n_clusters : int, default=None
        As in :func:`pac_mdl_error_bound`.
    n_init, n_algorithms, n_grid : int, default=1
        As in :func:`pac_mdl_error_bound`.
    classes : array-like, default=None
        As in :func:`pac_mdl_error_bound`.
    n_test : int, default=None
        As in :func:`pac_mdl_error_bound`.

    Returns
    -------
    scorer : callable
        ``scorer(estimator, X, y)``, in [0, 1], higher is better.

    Raises
    ------
    ValueError
        If the language is none of those, or a number of tries is below 1.

    Notes
    -----
    On all rows at once (:class:`~sklearn_pacmdl.model_selection.TransductiveSplit`) with
    y partly labeled, m is the number of labeled rows, n that of the others, and the
    bound is about these. Under ordinary folds the partition learned on the training fold
    is a fixed function: m is the size of the labeled test fold, n is ``n_test`` or again
    m, and the bound is about n further rows of the same population. This needs a
    clusterer with ``predict``: without, the test fold itself is clustered, as all rows
    are under a TransductiveSplit with y fully labeled, and the number is a score only.
    Give ``classes`` where a fold may lack some.

    The ``best_score_`` of a search with this scorer is not a certificate, for two
    reasons. The search passes ``y`` to ``fit``, so a step that uses labels has already
    seen those that the bound counts errors on; such steps, as a supervised feature
    selection, are refused as far as a trial with shuffled labels shows. And it is the
    best of several scores, which is a guarantee only in a language that pays for the
    choice.
    Scores of :class:`~sklearn.model_selection.GridSearchCV` compare candidates;
    :class:`~sklearn_pacmdl.PACMDLSearchCV` certifies one: it withholds labels from
    clusterers, permutes the rows and pays for the choice.

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
    description = {
        "language": language,
        "n_clusters": n_clusters,
        "n_init": n_init,
        "n_algorithms": n_algorithms,
        "n_grid": n_grid,
        "n_test": n_test,
    }
    check_description(**description)
    kwargs = {"delta": delta, "classes": classes, **description}
    return LabelingScorer(pac_mdl_score, "partly labeled", kwargs=kwargs)


def informativeness_with_ties_broken(X, labels, **kwargs):
    """Informativeness, of equals the one with more clusters: those tell more."""
    missing = 1 - len(np.unique(labels)) / len(labels)
    return informativeness_score(X, labels, **kwargs) - _TIE * missing


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
        ``scorer(estimator, X, y=None)``, at most 1, higher is better. Of clusterings with
        equal informativeness, such as 2 and 5 clusters that can both be predicted without
        mistakes, the one with more clusters has the higher score, by less than 1e-9;
        :func:`make_labeling_scorer` of :func:`informativeness_score` has exact scores.

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
    ...     {"n_clusters": range(2, 9)},
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
    return LabelingScorer(informativeness_with_ties_broken, "internal", kwargs=kwargs)


pac_mdl_scorer = make_pac_mdl_scorer()
informativeness_scorer = make_informativeness_scorer()
