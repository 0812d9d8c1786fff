"""Scorers that score clusterers by a metric: ``scorer(estimator, X, y=None)``."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from inspect import signature
from pickle import PicklingError
from typing import Any, Literal

import joblib
import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.metrics import (
    calinski_harabasz_score,
    davies_bouldin_score,
    silhouette_score,
)
from sklearn.pipeline import Pipeline
from sklearn.utils import check_consistent_length, column_or_1d

from ..columns import (
    as_labels,
    complete_labels,
    counts_by_label,
    is_minus_one,
    report_alike,
    split_unlabeled,
    unique_inverse,
)
from ..estimators import (
    input_tags,
    is_known,
    is_pairwise,
    is_symmetric,
    kind_of_X,
    num_samples,
    split_rows,
)
from ..labeling import class_counts, cluster_distances, left_out_names
from ..utils._checks import check_flag, check_option, invalid, refuse_masked, shown, warn
from ..utils._row_order import check_same_order
from ._bound_of_labels import pac_mdl_error_bound, pac_mdl_score
from ._external import (
    classification_error_loss,
    dom_q0_loss,
    empirical_conditional_entropy,
)
from ._informativeness import informativeness_score, named_classifiers
from ._internal import (
    category_utility_score,
    dunn_score,
    edge_cut_score,
    sse_score,
    sum_of_squared_errors,
)

# Breaks ties of informativeness. One more rightly predicted row changes the score by
# about 1 / n_samples, one more cluster by _TIE / n_samples. Floats near 1 still tell this
# apart for a million rows.
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
# What names of losses end in: scikit-learn's convention, and that of business costs.
_ENDS_OF_LOSSES = ("_loss", "_error", "cost")
# What scikit-learn's metrics of probabilities call them.
_PROBABILITIES = ("y_score", "y_prob", "probas_pred", "pred_decision")
# Metrics of features; some of them take distances if metric is "precomputed".
_OF_ROWS = (
    calinski_harabasz_score,
    category_utility_score,
    davies_bouldin_score,
    dunn_score,
    silhouette_score,
    sse_score,
    sum_of_squared_errors,
)
# Rows on which steps are tried with shuffled labels: fits to so few take milliseconds.
_N_TRIED = 100
# Attributes in which searches, and classifiers made of clusterers, keep what holds the
# clusterer. Their own predict gives classes and not clusters.
_HOLDERS = ("classifier_", "best_estimator_", "clusterer_")


@dataclass(frozen=True, eq=False, repr=False)
class LabelingScorer:
    """Scorer by a metric of clusters; searches call ``score_labels`` and cluster once."""

    metric: Callable[..., float]
    kind: str
    sign: int = 1  # or -1, where lower values of the metric are better
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    classes: ArrayLike | None = None  # of the labels, where these are compared

    def __repr__(self):
        sign = "" if self.sign > 0 else ", greater_is_better=False"
        classes = {} if self.classes is None else {"classes": self.classes}
        further = {**self.kwargs, **classes}
        kwargs = "".join(f", {name}={value!r}" for name, value in further.items())
        name = _name(self.metric)
        return f"make_labeling_scorer({name}, kind={self.kind!r}{sign}{kwargs})"

    def __call__(self, estimator: Any, X: Any, y: ArrayLike | None = None) -> float:
        """Score a fitted estimator on rows."""
        self._check_y(y)
        refuse_masked("X", X)
        check_same_order(X=X, y=y)
        clusterer, rows = _clusterer_and_rows(estimator, X)
        predicts = hasattr(clusterer, "predict")
        if isinstance(clusterer, type) or not (
            predicts or hasattr(clusterer, "fit_predict")
        ):
            raise invalid("estimator", "a fitted clusterer", estimator)
        of_pairs = _is_of_pairs(clusterer, rows, input_tags(estimator).pairwise)
        if self.kind == "bound":
            _refuse_supervised(estimator, X, y)
        # Where X holds all pairs, predict may take others only. Attributes labels_ may be
        # those of other rows, even if there are as many of them.
        if predicts and not of_pairs:
            labels = clusterer.predict(rows)
            _warn_of_folds(self, clusterer, len(labels))
        else:
            labels = clone(clusterer).fit_predict(rows)
        return self._score_clusters(rows, labels, y, clusterer=clusterer)

    def score_labels(
        self,
        X: Any,
        labels: ArrayLike,
        y: ArrayLike | None = None,
        *,
        classes: ArrayLike | None = None,
        estimator: Any = None,
    ) -> float:
        """Score the clusters that a fitted estimator gave to rows, as it saw these."""
        self._check_y(y)
        check_same_order(X=X, labels=labels, y=y)
        clusterer = None
        if estimator is not None and self.kind in ("internal", "classes"):
            clusterer, X = _clusterer_and_rows(estimator, X)
        return self._score_clusters(X, labels, y, classes, clusterer)

    def _score_clusters(self, X, labels, y, classes=None, clusterer=None):
        """The score of clusters, where the clusterer has seen these rows."""
        first, clusters = X, complete_labels(labels)
        if self.kind == "bound":
            first = y
        elif self.kind != "internal":
            declared = classes if self.classes is None else self.classes
            labeled, first = self._labeled(column_or_1d(as_labels(y)), declared)
            check_consistent_length(clusters, labeled)
            if self.kind == "classes":
                named = _left_out_classes(X, clusters, labeled, first, clusterer)
                return self.score_classes(first, named)
            clusters = clusters[labeled]
        elif clusterer is not None:
            _refuse_other_X(self, clusterer)
        return self._score(first, clusters, "clusters")

    def score_classes(self, y_true: NDArray[Any], y_pred: NDArray[Any]) -> float:
        """Score the classes that rows were given, by a metric of kind "classes"."""
        return self._score(y_true, y_pred, "classes")

    def _score(self, first, second, noun):
        score = self.sign * float(self.metric(first, second, **self.kwargs))
        if not np.isfinite(score):
            n = len(np.unique(second))
            counts = f"{n} {noun} of {len(second)} rows"
            raise ValueError(f"{self!r} gave {score} for {counts}.")
        return score

    def _labeled(self, y, classes):
        """Which rows have labels to compare the clusters with, and these labels."""
        labeled, values = split_unlabeled(y, classes)
        if not labeled.any():
            raise ValueError(f"{self!r} needs labeled rows, y has none.")
        if classes is not None:
            return labeled, values
        names, codes = unique_inverse(values)
        report_alike("y", counts_by_label(names, np.bincount(codes)))
        n_minus, n_rows = int(is_minus_one(y).sum()), len(y)
        if n_minus and (len(names) < 2 or 2 * n_minus < n_rows):
            warn(
                f"{self!r} leaves out {n_minus} of {n_rows} rows, which have -1 in y. "
                f"The others have {len(names)} class{'es' * (len(names) != 1)}. Pass "
                "classes= to the scorer: all classes, with -1 if it is one of them, and "
                "without -1 if it marks unlabeled rows."
            )
        return labeled, values

    def _check_y(self, y):
        if y is None and self.kind != "internal":
            raise ValueError(
                f"{self!r} compares clusters with labels: y is needed, got None."
            )


def _left_out_classes(X, labels, labeled, y_true, estimator):
    """Class that the other labels give to each labeled row."""
    if len(y_true) < 2:
        allowed = "at least two labels, by one of which the other is named"
        raise ValueError(f"y must have {allowed}, got {shown(y_true)}.")
    _, clusters = unique_inverse(np.asarray(labels))
    names, codes = unique_inverse(y_true)
    counts = class_counts(clusters[labeled], codes, clusters.max() + 1, len(names))
    table = np.pad(counts, [(0, 0), (0, 1)])  # of labels that are no class there are none
    distances = partial(cluster_distances, estimator, X, clusters)
    return names[left_out_names(table, clusters[labeled], codes, 0, distances)]


def _warn_of_folds(scorer, clusterer, n_rows):
    """Warn that clusters of other rows are scored, as searches with ordinary folds do."""
    # Bounds are for further rows, too.
    n_fitted = len(getattr(clusterer, "labels_", range(n_rows)))
    if n_fitted != n_rows and scorer.kind != "bound":
        warn(
            f"{scorer!r} scores clusters of {n_rows} rows by a clusterer that was fitted "
            f"to {n_fitted} others. With folds, a search may then prefer far more or "
            "fewer clusters than all rows have. To fit and score all rows, pass "
            "cv=TransductiveSplit() of sklearn_pacmdl."
        )


def _clusterer_and_rows(estimator, X):
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


def _is_of_pairs(clusterer, X, is_tagged):
    """Whether X holds what a clusterer takes of all pairs of rows, in one order.

    A ValueError if it holds something else that a clusterer of pairs cannot use.
    """
    if not is_pairwise(clusterer):
        return False
    shape = np.shape(X)
    if len(shape) == 2 and shape[0] == shape[1] and is_symmetric(X):
        return True
    if is_tagged and hasattr(clusterer, "predict"):
        return False
    raise ValueError(
        f"X must be a symmetric matrix of distances or affinities for {clusterer!r}, got "
        f"shape {shape} or different values across the diagonal. scikit-learn's searches "
        "select columns with rows only for estimators that are tagged as pairwise. Pass "
        "cv=TransductiveSplit() and a symmetric X, or use PACMDLSearchCV."
    )


def _refuse_other_X(scorer, clusterer):
    """Refuse a metric that would take distances or affinities for something else."""
    metric = _function(scorer.metric)
    kwargs = {**getattr(scorer.metric, "keywords", {}), **scorer.kwargs}
    if metric is informativeness_with_ties_broken:
        metric = informativeness_score
    if metric is informativeness_score:
        classifiers = named_classifiers(kwargs.get("classifiers")).values()
        (assumed,) = {*map(kind_of_X, classifiers)}
    elif metric in _OF_ROWS:
        precomputed = kwargs.get("metric") == "precomputed"
        assumed = "distances" if precomputed else "features"
    elif metric is edge_cut_score:
        assumed = "affinities"
    else:
        return
    kind = kind_of_X(clusterer)
    if kind not in (assumed, "features"):
        raise ValueError(
            f"{_name(metric)} would take X for {assumed}, but {clusterer!r} takes it for "
            f"{kind}. For distances, pass metric='precomputed' to make_labeling_scorer, "
            "or to the classifiers of informativeness_score."
        )


def _refuse_supervised(estimator, X, y):
    """Refuse estimators that use the labels of a bound."""
    # Searches pass y to `fit`, and a Pipeline passes it on to every step. Few steps say
    # whether they look at it, so they are tried with shuffled labels: on a few rows, or
    # on all where they fail on a few.
    tried = estimator
    if isinstance(estimator, Pipeline) and is_known(estimator[-1]):
        tried = estimator[:-1]
        if not tried.steps:
            return
    elif any(hasattr(estimator, name) for name in _HOLDERS) or is_known(estimator):
        return  # searches hand no y to clusterers, and known clusterers ignore it
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
        f"{tried!r} may use the labels: a fit to shuffled labels differs or fails. The "
        "bound would be too optimistic. Use other steps, or PACMDLSearchCV: it withholds "
        "the labels."
    )


def _changes_with_labels(estimator, X, y, rows):
    """Whether fits to some rows differ when the labels of these are shuffled."""
    X, y = split_rows(estimator, X, rows), column_or_1d(as_labels(y))[rows]
    seeds = [name for name in estimator.get_params() if name.endswith("random_state")]
    random_state, states = np.random.RandomState(0), set()
    for _ in range(2):
        tried = clone(estimator).set_params(**dict.fromkeys(seeds, 0))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fitted = tried.fit(X, random_state.permutation(y))
            try:
                states.add(joblib.hash(fitted))
            except PicklingError:  # it holds functions
                states.add(joblib.hash(fitted.transform(X)))
    return len(states) > 1


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
    kind: Literal["internal", "external", "classes", "bound"],
    greater_is_better: bool | None = None,
    classes: ArrayLike | None = None,
    **kwargs: Any,
) -> LabelingScorer:
    """Make a scorer of clusterers from any metric of labels.

    Parameters
    ----------
    metric : callable
        A function of ``(X, labels)``, ``(labels_true, labels)``, ``(y_true, y_pred)`` or
        ``(y, labels)``: of this package, of scikit-learn, or your own.
    kind : {"internal", "external", "classes", "bound"}
        "internal" metrics compare the clusters with the rows, and "external" ones with
        the labels. Metrics of "classes", such as accuracy and business costs, compare the
        labels with the classes of the clusters. A "bound" gets ``y`` as it is, as
        :func:`pac_mdl_score` does.
    greater_is_better : bool, default=None
        Whether higher values of the metric are better; if not, they are negated. The
        default is False for names that end in "_loss", "_error" or "cost", and True for
        others. Losses of this package and ``davies_bouldin_score`` are always negated.
    classes : array-like of shape (n_classes,), default=None
        All classes, where labels are compared. -1 marks unlabeled rows, unless it is
        among the classes of an external metric or one of classes. A bound gets them.
    **kwargs : dict
        Further arguments of the metric, its own ``metric`` included.

    Returns
    -------
    scorer : callable
        ``scorer(estimator, X, y=None)``, higher is better, for ``scoring=`` anywhere.
        ``scorer.score_labels(X, labels, y=None)`` scores given clusters.

    Raises
    ------
    ValueError
        If ``kind`` is none of these, or disagrees with the first parameter of the metric.
        If ``greater_is_better`` is True for a loss, or the metric is of probabilities.
    TypeError
        If the metric is not callable, or not with these arguments.

    Warns
    -----
    UserWarning
        If -1 may be a class for "external" or "classes", because all other labels are of
        one class, or fewer than half of the rows have -1.

    See Also
    --------
    sklearn.metrics.make_scorer : For estimators that have ``predict``.
    sklearn_pacmdl.PACMDLSearchCV : Certifies the candidate that it chooses.

    Notes
    -----
    An internal metric judges the clusters of a Pipeline in the space of its last step.
    Values of most metrics cannot be compared between spaces.

    Under "classes", each labeled row is compared with the majority class of the *other*
    labels of its cluster, or else with the class of the nearest cluster with labels. Ties
    are broken at random. A :class:`~sklearn_pacmdl.PACMDLSearchCV` with "learned" or
    "holdout" compares the certifying labels with the classes by the other labels.

    Precomputed distances must be symmetric; ordinary folds require a clusterer that is
    tagged as pairwise and has ``predict``. Metrics that would treat distances as features
    are refused: pass ``metric="precomputed"``.

    If the metric raises an error or gives no finite number, so does the scorer. Ties of
    :func:`informativeness_score` are broken (by less than 1e-9) for more clusters.

    A scorer by :func:`pac_mdl_score` bounds the errors on the unlabeled rows if it gets
    all rows at once. Under ordinary folds, it is for as many further rows as the test
    fold has labels. ``best_score_`` of a search is no certificate: it does not account
    for the choice among candidates. Steps that use shuffled labels are refused.

    Examples
    --------
    >>> from sklearn.cluster import AgglomerativeClustering
    >>> from sklearn.datasets import make_blobs
    >>> from sklearn.metrics import silhouette_score
    >>> from sklearn_pacmdl.metrics import make_labeling_scorer
    >>> X, _ = make_blobs(120, centers=4, cluster_std=0.5, random_state=3)
    >>> scorer = make_labeling_scorer(silhouette_score, kind="internal")
    >>> clusterer = AgglomerativeClustering(n_clusters=4).fit(X)
    >>> round(scorer(clusterer, X), 2)
    0.87
    """
    check_option("kind", kind, ("internal", "external", "classes", "bound"))
    if not callable(metric):
        raise invalid("metric", "callable", metric)
    if kind == "bound" and classes is not None:
        classes, kwargs = None, {**kwargs, "classes": classes}
    if classes is not None:
        if kind == "internal":
            raise invalid("classes", "None for a metric that sees no labels", classes)
        if as_labels(classes, "classes").ndim != 1:
            raise invalid("classes", "None or a 1-dimensional array of labels", classes)
    _check_call(metric, kind, kwargs)
    is_loss = any(_function(metric) is loss for loss in _LOSSES)
    if greater_is_better is None:
        greater_is_better = not is_loss and not _name(metric).endswith(_ENDS_OF_LOSSES)
    elif check_flag("greater_is_better", greater_is_better) and is_loss:
        allowed = f"False or None for {_name(metric)}, of which lower values are better"
        raise invalid("greater_is_better", allowed, greater_is_better)
    if metric is informativeness_score:
        metric, kwargs = informativeness_with_ties_broken, {"random_state": 0, **kwargs}
    sign = 1 if greater_is_better else -1
    return LabelingScorer(metric, kind, sign, kwargs, classes)


def _check_call(metric, kind, kwargs):
    """Whether the metric takes the scorer's arguments, as far as its names tell."""
    try:
        names = signature(metric)
    except (TypeError, ValueError):  # compiled functions may have none
        return
    first = next(iter(names.parameters), "")
    fitting = {"X": "internal", "labels_true": "external", "y_true": "classes"}
    if fitting.get(first, kind) != kind:
        raise ValueError(
            f"kind must be {fitting[first]!r} for {_name(metric)}, whose first parameter "
            f"is {first}, got {kind!r}."
        )
    second = [*names.parameters, "", ""][1]
    if second.startswith(_PROBABILITIES):
        raise invalid("metric", "one of classes, and not of probabilities", metric)
    try:
        names.bind(None, None, **kwargs)
    except TypeError as error:
        raise TypeError(
            f"{_name(metric)} cannot be called with two arguments and {kwargs}: {error}."
        ) from None


def informativeness_with_ties_broken(X: Any, labels: Any, **kwargs: Any) -> float:
    """Informativeness, of equals the one with more clusters: those tell more."""
    missing = 1 - len(np.unique(labels)) / len(labels)
    return informativeness_score(X, labels, **kwargs) - _TIE * missing


pac_mdl_scorer = make_labeling_scorer(pac_mdl_score, kind="bound")
informativeness_scorer = make_labeling_scorer(informativeness_score, kind="internal")
