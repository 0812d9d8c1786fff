"""Tables of labelings made elsewhere, from the containers that people keep them in."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import validate_data

from ._checks import invalid
from ._cluster_names import NumberedClusters, is_column, number_clusters
from ._sklearn import is_frame

# What errors say.
_TABLE = (
    "a data frame, a mapping, an array or a sequence of labelings, with one cluster for "
    "each row"
)


class ReadsLabelings:
    """Base class of clusterers that take their clusters from a column of X.

    This is how such a clusterer tells a search that there is one candidate for each
    column of X, unless its parameter ``column`` names one.
    """

    column: str | int | None
    names_: dict[int, Any]


@dataclass(frozen=True, eq=False)
class Labelings:
    """Labelings of the same rows, numbered once, by name or by position.

    Rows are taken as of an array. It is no array, since numbers of clusters are names.
    """

    columns: Mapping[Any, NumberedClusters]

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and of labelings."""
        first = next(iter(self.columns.values()))
        return len(first.codes), len(self.columns)

    @property
    def points(self) -> list[dict[str, str | int]]:
        """Parameters of :class:`ReadsLabelings`, for each labeling."""
        return [{"column": key} for key in self.columns]

    def describe(self, estimator: Any) -> None:
        """Set the number of labelings, and their names if any, as of features."""
        validate_data(estimator, self, skip_check_array=True)
        names = [key for key in self.columns if isinstance(key, str)]
        if names:
            estimator.feature_names_in_ = np.array(names, dtype=object)

    def only(self, column: str | int) -> "Labelings":
        """One of the labelings."""
        return Labelings({column: self.columns[column]})

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: Any) -> "Labelings":
        rows = rows[0] if isinstance(rows, tuple) else rows
        taken = {key: column.rows(rows) for key, column in self.columns.items()}
        return Labelings(taken)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        raise TypeError(
            "Rows of X hold labelings made elsewhere, whose clusters are names, and no "
            "features that could be computed with."
        )


def read_labelings(X: Any, n_samples: int | None) -> Labelings:
    """Number all labelings in a container.

    Parameters
    ----------
    X : data frame, mapping, sequence, or array-like of shape (n_samples,) or \
(n_samples, n_labelings)
        What a search takes with :class:`~sklearn_pacmdl.cluster.PrecomputedLabels`.
    n_samples : int or None
        Number of rows, if known. A list of another length holds labelings.

    Raises
    ------
    ValueError, TypeError
        If X holds no labelings, or not one for each row, or if their names are not
        different as text.
    """
    named = _columns(X, n_samples)
    if not named:
        raise invalid("X", _TABLE, X)
    keys = _keys([name for name, _ in named])
    n_rows = len(named[0][1]) if n_samples is None else n_samples
    for key, (_, column) in zip(keys, named, strict=True):
        if len(column) != n_rows:
            turned = getattr(X, "shape", None) == (len(column), n_rows)
            raise ValueError(
                f"X must have a cluster for each of the {n_rows} rows of y, got "
                f"{len(column)} in column {key!r}." + turned * " Pass X.T."
            )
    return Labelings(
        {
            key: number_clusters(column, f"column {key!r} of X")
            for key, (_, column) in zip(keys, named, strict=True)
        }
    )


def names_of(
    clusters: NDArray[np.integer], names: Mapping[int, Any]
) -> NDArray[np.object_] | None:
    """Names of clusters, None for what is missing; or None if all names are numbers."""
    numbers = clusters.tolist()
    if all(names.get(number, number) == number for number in numbers):
        return None
    found = np.empty(len(numbers), dtype=object)
    found[:] = [names.get(number) for number in numbers]
    return found


def frame_columns(frame: Any) -> list[tuple[Any, Any]]:
    """Names and columns of a data frame of pandas, Polars or PyArrow."""
    if hasattr(frame, "get_columns"):  # Polars
        return [(column.name, column) for column in frame.get_columns()]
    if hasattr(frame, "iloc"):  # by position, since names may be repeated
        return [(name, frame.iloc[:, i]) for i, name in enumerate(frame.columns)]
    return list(zip(frame.schema.names, frame.columns, strict=True))


def _columns(X, n_samples):
    """Pairs of a name, None where there is none, and a column."""
    if isinstance(X, Mapping):
        return [(name, _column(labels)) for name, labels in X.items()]
    if is_frame(X) and hasattr(X, "columns"):
        return frame_columns(X)
    if isinstance(X, list | tuple) and n_samples not in (None, len(X)):
        return [(getattr(labels, "name", None), _column(labels)) for labels in X]
    array = _array(X)
    if _n_dimensions(array) == 2:
        return [(None, array[:, i]) for i in range(array.shape[1])]
    fields = getattr(getattr(array, "dtype", None), "names", None)
    if isinstance(fields, tuple):
        return [(name, array[name]) for name in fields]
    return [(getattr(X, "name", None), _column(X))]


def _array(values):
    """The values as what has rows; columns of data frames and masked arrays as they are.

    NumPy alone would turn gaps in a list of text into text.
    """
    if isinstance(values, np.ma.MaskedArray) or is_column(values):
        return values
    try:
        listed = isinstance(values, list | tuple)
        return np.array(values, dtype=object) if listed else np.asarray(values)
    except ValueError:  # rows of different lengths
        raise invalid("X", _TABLE, values) from None


def _column(labels):
    column = _array(labels)
    if _n_dimensions(column) != 1:
        raise invalid("X", _TABLE, labels)
    return column


def _n_dimensions(array):
    return getattr(array, "ndim", 1)  # columns of Polars and PyArrow do not say


def _keys(names):
    """Different texts as names; positions if there are no names, or no others."""
    if any(name is None or name == "" for name in names) or names == [*range(len(names))]:
        return list(range(len(names)))
    texts = [str(name) for name in names]
    if len(set(texts)) < len(texts):
        raise invalid("The names of the columns of X", "different as text", names)
    return texts
