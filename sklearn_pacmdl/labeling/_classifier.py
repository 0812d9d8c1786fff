"""A classifier made of a clusterer and a few labels."""

from __future__ import annotations

from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.metrics import accuracy_score
from sklearn.utils import check_consistent_length, column_or_1d
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ..columns import (
    ABSTAIN,
    NOISE,
    as_labels,
    decode,
    encode_labels,
    split_unlabeled,
    unique_inverse,
)
from ..estimators import (
    DocumentedEstimator,
    check_X,
    computing_dtype,
    in_dtype,
    inherited_input_tags,
    num_samples,
    route,
)
from ..utils._checks import refuse_masked, shown
from ..utils._random import check_random_state
from ..utils._row_order import check_same_order
from ._clusters import (
    check_cluster_labels,
    class_counts,
    cluster_distances,
    majority_classes,
    nearest_labeled,
)


def score(
    self: Any, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
) -> float:
    """Compute the accuracy of :meth:`predict` on the labeled rows: not certified.

    Parameters
    ----------
    X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
        Rows.
    y : array-like of shape (n_samples,)
        Their true labels. Rows with -1 or a missing value do not count.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the rows in the mean.

    Returns
    -------
    accuracy : float
        In [0, 1]; higher is better. Rows that are given no class count as wrong.

    Raises
    ------
    ValueError
        If ``y`` has no labeled row.
    """
    check_is_fitted(self)
    check_same_order(X=X, y=y, sample_weight=sample_weight)
    labeled, y_true = split_unlabeled(column_or_1d(as_labels(y)), self.classes_)
    if not labeled.any():
        raise ValueError(
            f"y must have labeled rows to compare predictions with, but all its "
            f"{len(labeled)} values are -1 or missing, which mark unlabeled rows."
        )
    # All rows are predicted: of distances, rows alone would not be enough.
    predicted = self.predict(X)
    check_consistent_length(predicted, labeled, sample_weight)
    predicted = predicted[labeled]
    if sample_weight is not None:
        sample_weight = np.asarray(sample_weight)[labeled]
    missing = np.array([label is None for label in predicted])
    if missing.any():  # which scikit-learn cannot compare with texts
        first, second = self.classes_[:2]
        predicted[missing] = np.where(y_true[missing] == first, second, first)
    return accuracy_score(y_true, predicted, sample_weight=sample_weight)


def _clusterer_predicts(self):
    clusterer = getattr(self, "clusterer_", self.clusterer)
    if not hasattr(clusterer, "predict"):
        raise AttributeError(
            f"{type(clusterer).__name__} has no predict; only the rows passed to fit "
            "have a class, in transduction_."
        )
    return True


class ClusterLabelClassifier(
    DocumentedEstimator, ClassifierMixin, MetaEstimatorMixin, BaseEstimator
):
    """Transductive classifier that gives each cluster its most common label.

    The clusterer sees all rows and no label. Then every row of a cluster gets the most
    common class among the labeled rows of the cluster, with ties broken at random [1]_. A
    cluster without labeled rows gets the class of the nearest labeled cluster, by the
    means of the rows or by the distances of the clusterer. Where there are no distances,
    as between texts, it gets a random class.

    Parameters
    ----------
    clusterer : estimator
        A clusterer with ``fit_predict``, or a Pipeline that ends in one.
    classes : array-like of shape (n_classes,), default=None
        The classes, if they are known in advance. By default these are the classes in
        ``y``. Labels that are none of them are assigned to no cluster.
    random_state : int, RandomState instance or None, default=None
        Determines how ties between classes are broken. The clusterer has its own.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    clusterer_ : estimator
        The fitted clusterer.
    labels_ : ndarray of shape (n_samples,) of int
        Cluster of each row of ``fit``, as the clusterer named it.
    clusters_ : ndarray of shape (n_clusters,) of int
        Names of the clusters, sorted. The noise label -1 is a cluster like any other.
    class_counts_ : ndarray of shape (n_clusters, n_classes) of int64
        Number of labeled rows of each class in each cluster of ``clusters_``, including
        those that only certify in the classifier of a search under hold-out.
    cluster_classes_ : ndarray of shape (n_clusters,)
        Class of each cluster of ``clusters_``; -1, or None if the classes are not
        integers, for noise in the classifier of a search with ``noise="abstain"``.
    transduction_ : ndarray of shape (n_samples,)
        Class of its cluster for each row of ``fit``, labeled or not.
    n_features_in_ : int
        Number of features seen during ``fit``, where X has features.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features, where X has string names.

    See Also
    --------
    sklearn_pacmdl.PACMDLSearchCV : Search for the clustering, with a certificate.

    References
    ----------
    .. [1] A. Banerjee and J. Langford, "An Objective Evaluation Criterion for
           Clustering", KDD 2004, section 3.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.cluster import KMeans
    >>> from sklearn_pacmdl import ClusterLabelClassifier
    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> y = [0, -1, -1, 1, -1, -1]  # -1: unlabeled
    >>> classifier = ClusterLabelClassifier(KMeans(n_clusters=2, random_state=0))
    >>> classifier.fit(X, y).transduction_
    array([0, 0, 0, 1, 1, 1])
    >>> classifier.predict([[4.0]])
    array([1])
    """

    class_counts_: NDArray[np.integer]
    classes_: NDArray
    cluster_classes_: NDArray
    clusterer_: Any
    clusters_: NDArray[np.integer]
    labels_: NDArray[np.integer]
    transduction_: NDArray

    def __init__(
        self,
        clusterer: Any,
        *,
        classes: ArrayLike | None = None,
        random_state: int | np.random.RandomState | None = None,
    ):
        self.clusterer = clusterer
        self.classes = classes
        self.random_state = random_state

    def fit(self, X: Any, y: ArrayLike, **params: Any) -> Self:
        """Cluster the rows and label the clusters.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
            Rows, in any form that the clusterer takes.
        y : array-like of shape (n_samples,)
            Labels; -1 or a missing value (None, NaN, NA) marks an unlabeled row.
        **params : dict
            Metadata for the clusterer's ``fit_predict``, such as ``sample_weight``,
            where metadata routing is enabled.

        Returns
        -------
        self : object
            The fitted classifier.

        Raises
        ------
        TypeError
            If the clusterer has no ``fit_predict``.
        ValueError
            If ``y`` has no labeled row, or has only one class and ``classes`` is None.
        """
        if not hasattr(self.clusterer, "fit_predict"):
            raise TypeError(
                "clusterer must have fit_predict, as scikit-learn's clusterers do, got "
                f"{shown(self.clusterer)}."
            )
        check_same_order(X=X, y=y, **params)
        X = check_X(self, X, [self.clusterer])
        classes, codes = encode_labels(y, self.classes)
        check_consistent_length(X, codes)
        params = route(self, "fit", params).clusterer.fit_predict
        clusterer = clone(self.clusterer)
        labels = clusterer.fit_predict(X, **params)
        return self._label(clusterer, X, labels, classes, codes)

    def _label(
        self,
        clusterer,
        X,
        labels,
        classes,
        codes,
        *,
        row_codes=None,
        drops_noise=False,
        abstains=False,
    ):
        """Set the attributes, as :func:`classifier_of` describes them."""
        random_state = check_random_state(self.random_state)
        self._drops_noise = drops_noise
        self.clusterer_, self.classes_ = clusterer, classes
        self.labels_ = check_cluster_labels(labels, len(codes))
        self.clusters_, rows = unique_inverse(self.labels_)
        self.class_counts_ = class_counts(
            rows, codes, len(self.clusters_), len(self.classes_)
        )
        if row_codes is None:
            class_of_cluster = nearest_labeled(
                majority_classes(self.class_counts_, random_state),
                self.class_counts_.any(axis=1) & ~self._is_dropped(self.clusters_),
                partial(cluster_distances, clusterer, X, rows),
            )
            class_of_cluster[self._is_dropped(self.clusters_)] = ABSTAIN
        else:
            class_of_cluster = np.empty(len(self.clusters_), dtype=row_codes.dtype)
            class_of_cluster[rows] = row_codes
        self._codes = class_of_cluster
        self.cluster_classes_ = decode(class_of_cluster, self.classes_)
        self.transduction_ = self.cluster_classes_[rows]
        # The class of clusters that no row of fit fell into but a new row may.
        unseen = ABSTAIN if abstains else random_state.choice(len(self.classes_))
        self._unseen_code = unseen
        self._X_dtype = computing_dtype(X)
        return self

    def _is_dropped(self, labels):
        return (labels == NOISE) & self._drops_noise

    @available_if(_clusterer_predicts)
    def predict(self, X: Any) -> NDArray:
        """Predict the class of each row: that of the cluster predicted for it.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
            New rows.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            The class of each row, random for clusters without a row in ``fit``.

        Raises
        ------
        AttributeError
            If the clusterer has no ``predict``.
        """
        check_is_fitted(self)
        refuse_masked("X", X)
        predicted = self.clusterer_.predict(in_dtype(X, self._X_dtype))
        labels = check_cluster_labels(predicted, num_samples(X))
        j = np.minimum(np.searchsorted(self.clusters_, labels), len(self.clusters_) - 1)
        is_fitted = self.clusters_[j] == labels
        codes = np.where(is_fitted, self._codes[j], self._unseen_code)
        return decode(np.where(self._is_dropped(labels), ABSTAIN, codes), self.classes_)

    score = available_if(_clusterer_predicts)(score)

    def get_metadata_routing(self):
        return (
            MetadataRouter(owner=self)
            .add_self_request(self)
            .add(
                clusterer=self.clusterer,
                method_mapping=MethodMapping().add(caller="fit", callee="fit_predict"),
            )
        )

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags = inherited_input_tags([self.clusterer])
        return tags


def classifier_of(
    clusterer: Any,
    X: Any,
    labels: NDArray[np.integer],
    codes: NDArray[np.integer],
    *,
    classes: NDArray,
    declared: ArrayLike | None = None,
    random_state: int | None = None,
    **claimed: Any,
) -> ClusterLabelClassifier:
    """The classifier of a clustering that is there, with codes of labels among classes.

    What was claimed of rows, ``row_codes``, one in each cluster, overrides majorities.
    With ``drops_noise`` noise is given no class, and new clusters if it ``abstains``.
    """
    classifier = ClusterLabelClassifier(
        clusterer, classes=declared, random_state=random_state
    )
    return classifier._label(clusterer, X, labels, classes, codes, **claimed)
