"""Clusterings that come from elsewhere, as a clusterer."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils import check_array
from sklearn.utils.validation import validate_data

from ..columns import Clusterings, ReadsClusterings, frame_columns, number_clusters
from ..estimators import is_frame, num_samples
from ..utils._checks import InvalidParameterError, invalid, is_integer, listed, shown


class PrecomputedLabels(ReadsClusterings, ClusterMixin, BaseEstimator):
    """Clusterer with the values of a column of X, computed elsewhere, as its labels.

    This is how clusterings of other programs enter a search: every column of X is a
    candidate. The labels are in X, so that they stay with their rows when the search
    permutes the rows.

    Parameters
    ----------
    column : str or int, default=None
        Column of X to take: its name, if X is a data frame, or its position. None takes
        the only column, and in a search each column in turn.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,) of int64
        Cluster of each row. Whole numbers stay as they are, also those that are written
        as text. Other values, such as strings, categories, booleans and dates, are
        numbered from 0 in sorted order. Missing values and -1 are -1, which marks noise.
    names_ : dict
        For each label, the value in the column; none for missing values.
    n_features_in_ : int
        Number of columns. The clusterer that a search has chosen has seen one.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns, if these are strings.

    See Also
    --------
    sklearn_pacmdl.PACMDLSearchCV : Chooses among the columns, and certifies one.
    sklearn_pacmdl.certify_clusterings : The same in one call, without a search.
    sklearn_pacmdl.ClusterLabelClassifier : Gives each cluster of one column a class.

    Notes
    -----
    **Clusterings that were computed with knowledge of the labels are not valid in a
    search.** If a column was computed, tuned, named or picked with knowledge of ``y``, or
    of which rows are labeled, its bound is too small. In an audit they are valid: with
    ``sklearn_pacmdl.audits`` the rows that people check are drawn afterwards.

    A search with ``PrecomputedLabels()`` takes these containers, of which every column is
    a candidate. Values are numbers, strings, categories, booleans or dates; gaps are
    noise.

    - a data frame of pandas or Polars, a Table or RecordBatch of PyArrow, a structured
      array, or a mapping of names to clusterings, whose names the results use as text;
    - an array of shape (n_samples, n_clusterings), or a list of rows;
    - a list or tuple of clusterings, if it is not as long as ``y``;
    - a single clustering: a list, an array of shape (n_samples,) or a Series.

    All columns cost the same number of bits. Columns raise an error if they have
    fractional numbers, more distinct values than half of the rows, or gaps exactly at
    those of the labels. ``param_grid={"column": [...]}`` tries only some of the columns
    of an array or a data frame; it is required beside other clusterers. A cluster without
    labels gets a class at random, and there is no ``predict``.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.cluster import AgglomerativeClustering
    >>> from sklearn.datasets import make_blobs
    >>> from sklearn_pacmdl import PACMDLSearchCV
    >>> from sklearn_pacmdl.cluster import PrecomputedLabels
    >>> X, y = make_blobs(500, centers=4, random_state=3)

    >>> clusterings = {
    ...     f"ward_{k}": AgglomerativeClustering(k).fit_predict(X) for k in (2, 4, 8)
    ... }
    >>> labeled = np.random.RandomState(0).rand(500) < 0.4
    >>> search = PACMDLSearchCV(
    ...     PrecomputedLabels(), classes=[0, 1, 2, 3], random_state=0
    ... )
    >>> search.fit(clusterings, np.where(labeled, y, -1)).best_params_
    {'column': 'ward_4'}
    """

    labels_: NDArray[np.int64]
    names_: dict[int, Any]
    n_features_in_: int

    def __init__(self, column: str | int | None = None):
        self.column = column

    def fit(self, X: Any, y: None = None) -> Self:
        """Take the labels of the rows from a column.

        Parameters
        ----------
        X : {data frame, array-like} of shape (n_samples, n_clusterings)
            Clusterings in columns, of numbers, strings, categories, booleans or dates.
        y : None
            Ignored.

        Returns
        -------
        self : object
            The fitted clusterer.

        Raises
        ------
        ValueError, TypeError
            If ``column`` does not name one column of X, or if the values of that column
            cannot be sorted.
        """
        column = self.column
        if not (column is None or isinstance(column, str) or is_integer(column)):
            raise invalid("column", "None, a name or a position", column)
        if isinstance(X, Clusterings):  # a search has read them
            X.describe(self)
            clusters = X.columns[column]
        else:
            clusters = self._read(X)
        self.labels_, self.names_ = clusters.labels, clusters.names
        return self

    def _read(self, X):
        """The clusters in the column of a frame or an array."""
        if not is_frame(X):
            if np.ma.is_masked(X):
                X = np.where(np.ma.getmaskarray(X), None, X.data)
            X = check_array(X, dtype=None, ensure_all_finite=False)
        validate_data(self, X, skip_check_array=True)  # names and number of columns
        if num_samples(X) == 0:
            raise ValueError("X must have at least 1 row, got 0.")
        if is_frame(X):  # scikit-learn 1.7 knows no names in frames of Polars 2
            columns = frame_columns(X)
        else:
            columns = [(i, X[:, i]) for i in range(self.n_features_in_)]
        names = [name for name, _ in columns]
        key = 0 if self.column is None else self.column
        keys = names if isinstance(key, str) else range(-len(names), len(names))
        if key not in keys or (self.column is None and len(names) > 1):
            allowed = "be a column of X"
            if self.column is None:
                allowed = f"say which of the {len(names)} columns of X to take"
            raise InvalidParameterError(
                f"column must {allowed}, got {shown(self.column)}. Columns: "
                f"{listed(names)}."
            )
        column = dict(columns)[key] if isinstance(key, str) else columns[key][1]
        return number_clusters(column, f"column {self.column!r} of X")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.input_tags.allow_nan = True
        return tags
