"""Scorers that score clusterers by a metric: ``scorer(estimator, X, y=None)``."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from inspect import signature
from pickle import PicklingError
from typing import Any, Literal

import joblib
import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.metrics import davies_bouldin_score
from sklearn.pipeline import Pipeline
from sklearn.utils import column_or_1d

from ..utils._checks import check_flag, check_option, invalid
from ..utils._labels import as_labels, check_classes, complete_labels, split_unlabeled
from ..utils._scorer import LabelingScorer, check_clusterer, clusterer_and_rows, is_holder
from ..utils._sklearn import is_known, num_samples, row_subset
from ._dom import dom_q0_loss, empirical_conditional_entropy
from ._informativeness import check_judges, informativeness_score
from ._informativeness import documented as documented_informativeness
from ._internal import sum_of_squared_errors
from ._majority import classification_error_loss
from ._pac_mdl import check_description, pac_mdl_error_bound, pac_mdl_score
from ._pac_mdl import documented as documented_bound

# Breaks ties of informativeness. One row more that is predicted right changes the score
# by about 1 / n_samples, one cluster more by _TIE / n_samples, which floats near 1 still
# tell apart for a million rows.
_TIE = 1e-9
# Metrics of which lower values are better; a scorer of the values themselves would let a
# search pick the worst candidate.
_LOSSES = (
    classification_error_loss,
    davies_bouldin_score,
    dom_q0_loss,
    empirical_conditional_entropy,
    pac_mdl_error_bound,
    sum_of_squared_errors,
)
# Rows on which steps are tried with shuffled labels: fits to so few take milliseconds.
_N_TRIED = 100


@dataclass(frozen=True, eq=False, repr=False)
class MetricScorer(LabelingScorer):
    """Scorer by a metric of clusters and what these are compared with."""

    metric: Callable[..., float]
    sign: int = 1  # or -1, where lower values of the metric are better
    kwargs: Mapping[str, Any] = field(default_factory=dict)

    def __repr__(self):
        sign = "" if self.sign > 0 else ", greater_is_better=False"
        kwargs = "".join(f", {name}={value!r}" for name, value in self.kwargs.items())
        return f"{type(self).__name__}({_name(self.metric)}{sign}{kwargs})"

    def score_labels(self, X, labels, y=None, *, classes=None, estimator=None):
        labels = complete_labels(labels)
        first, labels = self._compared(X, labels, y, classes, estimator)
        score = self.sign * float(self.metric(first, labels, **self.kwargs))
        if not np.isfinite(score):
            raise ValueError(
                f"{self!r} gave {score} for {len(np.unique(labels))} clusters of "
                f"{len(labels)} rows."
            )
        return score

    @abstractmethod
    def _compared(self, X, labels, y, classes, estimator):
        """What the clusters are compared with, and the clusters of the same rows."""

    def _check_y(self, y):
        if y is None:
            raise ValueError(
                f"{self!r} compares clusters with labels: y is needed, got None."
            )


class InternalScorer(MetricScorer):
    """Scorer by a metric of the rows, in the space of the clusterer, and clusters."""

    def _compared(self, X, labels, y, classes, estimator):
        if estimator is not None:
            _, X = clusterer_and_rows(estimator, X)
        return X, labels


class ExternalScorer(MetricScorer):
    """Scorer by a metric of classes and clusters, on the labeled rows only."""

    def _compared(self, X, labels, y, classes, estimator):
        self._check_y(y)
        labeled, y = split_unlabeled(column_or_1d(as_labels(y)), classes)
        if not labeled.any():
            raise ValueError(f"{self!r} needs labeled rows, y has none.")
        return y, labels[labeled]


class BoundScorer(MetricScorer):
    """Scorer by a metric of partly labeled targets and clusters, on all rows."""

    def __call__(self, estimator, X, y=None):
        self._check_y(y)
        _refuse_supervised(estimator, X, y)
        return super().__call__(estimator, X, y)

    def _compared(self, X, labels, y, classes, estimator):
        self._check_y(y)
        return y, labels


def _refuse_supervised(estimator, X, y):
    """Refuse estimators that use the labels on which a bound counts errors."""
    # Searches pass y to `fit`, and a Pipeline passes it on to every step. Few steps say
    # whether they look at it, so they are tried with shuffled labels: on a few rows, or
    # on all where they fail on a few.
    if not isinstance(estimator, Pipeline) and not is_holder(estimator):
        check_clusterer(estimator, estimator)
    tried = estimator
    if isinstance(estimator, Pipeline) and is_known(estimator[-1]):
        tried = estimator[:-1]
    elif is_holder(estimator) or is_known(estimator):
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
    random_state, states = np.random.RandomState(0), set()
    for _ in range(2):
        tried = clone(estimator).set_params(**dict.fromkeys(seeds, 0))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            states.add(_state(tried.fit(X, random_state.permutation(y)), X))
    return len(states) > 1


def _state(fitted, X):
    """Digest of a fitted estimator; if it holds functions, of what it makes of X."""
    try:
        return joblib.hash(fitted)
    except PicklingError:
        return joblib.hash(fitted.transform(X))


def _function(metric):
    """The metric itself, where it is a partial function of it."""
    return metric.func if isinstance(metric, partial) else metric


def _name(metric):
    function = _function(metric)
    return getattr(function, "__name__", type(function).__name__)


def make_labeling_scorer(
    metric: Callable[..., float],
    /,
    *,
    kind: Literal["internal", "external"],
    greater_is_better: bool | None = None,
    **kwargs: Any,
) -> LabelingScorer:
    """Make a scorer of clusterers from any metric of labels.

    Parameters
    ----------
    metric : callable
        A metric of this package, of scikit-learn, or your own: ``metric(X, labels)`` or
        ``metric(labels_true, labels)``.
    kind : {"internal", "external"}
        Whether the metric compares the clusters with the rows or with labels. An
        external metric sees the labeled rows only.
    greater_is_better : bool, default=None
        Whether higher values of the metric are better. If not, they are negated. By
        default they are, except for the losses of this package and scikit-learn's
        ``davies_bouldin_score``, for which True is refused.
    **kwargs : dict
        Further arguments of the metric, its own ``metric`` included.

    Returns
    -------
    scorer : LabelingScorer
        ``scorer(estimator, X, y=None)``, higher is better, for ``scoring=`` anywhere.

    Raises
    ------
    ValueError
        If ``kind`` is neither of the two, or disagrees with the first parameter of the
        metric (``X`` or ``labels_true``). If ``greater_is_better`` is True for a metric
        that is known to be a loss.
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

    The metric is computed for every clustering. For a single cluster, or only
    singletons, most internal metrics are undefined. If the metric raises an error or
    gives no finite number, the scorer raises an error. A search then warns and records
    its ``error_score``, which is NaN by default and ranks last, or stops if
    ``error_score="raise"``.

    A search fits every candidate anew. With ``memory``, scikit-learn's agglomerative
    clusterers build one tree for all numbers of clusters, see the second example;
    ``compute_full_tree=True`` makes sure of that where ``connectivity`` is given.

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
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     search.set_params(estimator__memory=folder).fit(X).best_params_
    {'n_clusters': 4}
    """
    kinds = {"internal": InternalScorer, "external": ExternalScorer}
    scorer = kinds[check_option("kind", kind, kinds)]
    if not callable(metric):
        raise invalid("metric", "callable", metric)
    _check_call(metric, kind, kwargs)
    return scorer(metric, _sign(metric, greater_is_better), kwargs)


def _sign(metric, greater_is_better):
    """1 if higher values are better, else -1, as always for known losses."""
    is_loss = any(_function(metric) is loss for loss in _LOSSES)
    if greater_is_better is None:
        return -1 if is_loss else 1
    if check_flag("greater_is_better", greater_is_better) and is_loss:
        allowed = f"False or None for {_name(metric)}, of which lower values are better"
        raise invalid("greater_is_better", allowed, greater_is_better)
    return 1 if greater_is_better else -1


def _check_call(metric, kind, kwargs):
    """Whether the metric takes the scorer's arguments, as far as its names tell."""
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


@documented_bound
def make_pac_mdl_scorer(
    *,
    delta: float = 0.1,
    language: Literal["simple", "init", "cluster", "algo"] = "simple",
    n_clusters: int | None = None,
    n_init: int = 1,
    n_algorithms: int = 1,
    n_grid: int = 1,
    classes: ArrayLike | None = None,
    n_test: int | None = None,
) -> LabelingScorer:
    """Make a scorer of clusterers by one minus the PAC-MDL bound.

    Parameters
    ----------
    {delta}
    {language}
    {n_clusters}
    {n_init}
    {classes}
    {n_test}

    Returns
    -------
    scorer : LabelingScorer
        ``scorer(estimator, X, y)``, in [0, 1], higher is better.

    Raises
    ------
    ValueError
        If the language is none of those, a number is out of range, or ``classes`` are not
        different labels.

    Notes
    -----
    On all rows at once (:class:`~sklearn_pacmdl.model_selection.TransductiveSplit`) with
    y partly labeled, m is the number of labeled rows, n is the number of unlabeled rows,
    and the bound covers the unlabeled rows. Under ordinary folds the partition learned
    on the training fold is a fixed function. Then m is the size of the labeled test fold,
    n is ``n_test`` or again m, and the bound covers n further rows of the same
    population. This needs a clusterer with ``predict``. Without one the test fold itself
    is clustered, as all rows are under a TransductiveSplit with y fully labeled, and the
    number is a score only. Pass ``classes`` where a fold may lack some.

    The ``best_score_`` of a search with this scorer is not a certificate, for two
    reasons. First, the search passes ``y`` to ``fit``, so a step that uses labels has
    already seen those that the bound counts errors on. Steps such as a supervised
    feature selection are refused as far as a trial with shuffled labels shows. Second,
    it is the best of several scores, and the bound of each does not account for that
    choice. Scores of :class:`~sklearn.model_selection.GridSearchCV` compare candidates.
    :class:`~sklearn_pacmdl.PACMDLSearchCV` certifies one: it withholds labels from
    clusterers, permutes the rows and accounts for the choice.

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
    kwargs: dict[str, Any] = {
        "delta": delta,
        "language": language,
        "n_clusters": n_clusters,
        "n_init": n_init,
        "n_algorithms": n_algorithms,
        "n_grid": n_grid,
        "n_test": n_test,
    }
    check_description(**kwargs)
    if classes is not None:
        check_classes(classes)
    return BoundScorer(pac_mdl_score, kwargs=kwargs | {"classes": classes})


def informativeness_with_ties_broken(X: Any, labels: Any, **kwargs: Any) -> float:
    """Informativeness, of equals the one with more clusters: those tell more."""
    missing = 1 - len(np.unique(labels)) / len(labels)
    return informativeness_score(X, labels, **kwargs) - _TIE * missing


@documented_informativeness
def make_informativeness_scorer(
    *,
    classifiers: Any = None,
    cv: Any = 10,
    max_rows: int | None = None,
    n_jobs: int | None = None,
    random_state: int | np.random.RandomState | None = 0,
) -> LabelingScorer:
    """Make a scorer of clusterers by the informativeness of their clusters.

    Parameters
    ----------
    {classifiers}
    {cv}
    {max_rows}
    {n_jobs}
    random_state : int, RandomState instance or None, default=0
        Seed of the folds, of rows that are drawn, and of classifiers whose own is None.
        It is fixed by default, so that all candidates are judged on the same rows.

    Returns
    -------
    scorer : LabelingScorer
        ``scorer(estimator, X, y=None)``, at most 1, higher is better. Of clusterings with
        equal informativeness, such as 2 and 5 clusters that can both be predicted without
        mistakes, the one with more clusters scores higher by less than 1e-9. For exact
        scores pass :func:`informativeness_score` to :func:`make_labeling_scorer`.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described.

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
        "max_rows": max_rows,
        "n_jobs": n_jobs,
        "random_state": random_state,
    }
    check_judges(**kwargs)
    return InternalScorer(informativeness_with_ties_broken, kwargs=kwargs)


pac_mdl_scorer = make_pac_mdl_scorer()
informativeness_scorer = make_informativeness_scorer()
