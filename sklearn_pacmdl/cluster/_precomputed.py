"""Labelings that come from elsewhere, as a clusterer."""

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils import check_array
from sklearn.utils.validation import validate_data

from ..utils._checks import is_integer, is_number, shown
from ..utils._sklearn import is_frame, num_samples, row_subset

# Floats count whole numbers one by one up to here.
MAX_WHOLE = 2.0**53


class PrecomputedLabels(ClusterMixin, BaseEstimator):
    """Labels computed elsewhere: each column of X is a labeling, one of them is taken.

    This is how clusterings of other programs enter a search. The labels travel in X, so
    they stay with their rows when a search permutes these; labels that reach a clusterer
    in another way, such as a global variable or an attribute, do not, and the bounds are
    then about other rows.

    Parameters
    ----------
    column : str or int, default=None
        The column of X to take: its name, where X is a data frame, or its position. None
        takes the only column.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,) of int64
        Cluster of each row. Whole numbers stay as they are. Other values, such as
        strings, categories, booleans and dates, are numbered from 0 in sorted order.
        Missing values are -1, which marks noise.
    names_ : dict
        The value in the column that each label stands for; missing values have none.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where X has names that are strings.

    See Also
    --------
    sklearn_pacmdl.PACMDLSearchCV : Chooses among the columns, and certifies one.
    sklearn_pacmdl.ClusterLabelClassifier : Gives each cluster of one column a class.

    Notes
    -----
    The labelings must have been computed without looking at the labels ``y`` that a
    search is given later. A column that was computed, tuned or picked with a look at them
    is not valid in a search: its bounds would be too small.

    There is no ``predict``, because new rows have no label.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.cluster import AgglomerativeClustering
    >>> from sklearn.datasets import make_blobs
    >>> from sklearn_pacmdl import PACMDLSearchCV
    >>> from sklearn_pacmdl.cluster import PrecomputedLabels
    >>> X, y = make_blobs(500, centers=4, random_state=3)

    Here the columns come from scikit-learn; they could as well be those of a data frame
    that was read from a file.

    >>> columns = [AgglomerativeClustering(k).fit_predict(X) for k in (2, 4, 8)]
    >>> labelings = np.stack(columns, axis=1)
    >>> labeled = np.random.RandomState(0).rand(500) < 0.4
    >>> search = PACMDLSearchCV(
    ...     PrecomputedLabels(),
    ...     param_grid={"column": [0, 1, 2]},
    ...     classes=[0, 1, 2, 3],
    ...     random_state=0,
    ... )
    >>> search.fit(labelings, np.where(labeled, y, -1)).best_params_
    {'column': 1}

    With a probability of at least 90%, at most this part of the unlabeled rows gets a
    wrong class:

    >>> round(search.certificate_.bound, 3)
    0.061
    """

    def __init__(self, column=None):
        self.column = column

    def fit(self, X, y=None):
        """Take the labels of the rows.

        Parameters
        ----------
        X : {data frame, array-like} of shape (n_samples, n_labelings)
            Labelings in columns, of numbers, strings, categories, booleans or dates.
        y : None
            Ignored.

        Returns
        -------
        self : object
            Itself.

        Raises
        ------
        ValueError, TypeError
            If ``column`` does not name one column of X, or if the values of that column
            cannot be sorted.
        """
        self._check_column()
        if not is_frame(X):
            X = check_array(X, dtype=None, ensure_all_finite=False)
        validate_data(self, X, skip_check_array=True)  # names and number of columns
        if num_samples(X) == 0:
            raise ValueError("X must have at least 1 row, got 0.")
        self.labels_, self.names_ = _numbered(np.asarray(self._take(X)), self.column)
        return self

    def _check_column(self):
        if not (
            self.column is None or isinstance(self.column, str) or is_integer(self.column)
        ):
            raise TypeError(
                f"column must be None, a name or a position, got {shown(self.column)}."
            )

    def _take(self, X):
        names = list(getattr(self, "feature_names_in_", range(self.n_features_in_)))
        if self.column is None and len(names) > 1:
            raise ValueError(
                f"column must say which of the {len(names)} columns of X to take, got "
                f"None. Columns: {_listed(names)}."
            )
        key = 0 if self.column is None else self.column
        known = names if isinstance(key, str) else range(-len(names), len(names))
        if key not in known:
            raise ValueError(
                f"column must be a column of X, got {shown(key)}. Columns: "
                f"{_listed(names)}."
            )
        return row_subset(X, key if isinstance(key, str) else key % len(names), axis=1)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.input_tags.allow_nan = True
        return tags


def _listed(names, n_shown=10):
    shown = ", ".join(repr(getattr(n, "item", lambda n=n: n)()) for n in names[:n_shown])
    return shown + (", ..." if len(names) > n_shown else "")


def _numbered(values, column):
    """Labels of the values of a column, and the value by label."""
    present = np.array([not _is_missing(value) for value in values])
    labels = np.full(len(values), -1)
    try:
        known, codes = np.unique(values[present], return_inverse=True)
    except TypeError as error:
        raise TypeError(
            f"The values in column {column!r} of X must be of one type that can be "
            f"sorted: {error}."
        ) from error
    numbers = _whole(known)
    if numbers is None:
        numbers = np.arange(len(known))
    labels[present] = numbers[codes]
    names = known if known.dtype.kind in "mM" else known.tolist()  # ns would become ints
    return labels, dict(zip(numbers.tolist(), names, strict=True))


def _whole(values):
    """The values as integers, None if they are something else."""
    if values.dtype.kind in "iu":
        return values.astype(np.int64)
    if values.dtype.kind == "O" and not all(map(is_number, values)):
        return None
    if values.dtype.kind not in "fO":
        return None
    numbers = values.astype(np.float64)
    if np.any(np.abs(numbers) > MAX_WHOLE) or np.any(numbers % 1):
        return None
    return numbers.astype(np.int64)


def _is_missing(value):
    try:
        return value is None or bool(value != value)  # NaN and NaT differ from themselves
    except TypeError:  # pandas.NA is neither true nor false
        return True
