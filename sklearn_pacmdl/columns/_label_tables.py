"""Tables of clusterings made elsewhere, from the containers that people keep them in."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import validate_data

from ..estimators import is_frame, refuse_annotated
from ..utils._checks import invalid, is_number
from ._cluster_names import NumberedClusters, as_column, is_noise, number_clusters

# What errors say.
_TABLE = (
    "a data frame, a mapping, an array or a sequence of clusterings, with one cluster "
    "for each row"
)


class ReadsClusterings:
    """Base class of clusterers that take their clusters from a column of X.

    A search has one candidate for each column, unless ``column`` names one.
    """

    column: str | int | None
    names_: dict[int, Any]


@dataclass(frozen=True, eq=False)
class Clusterings:
    """Clusterings of the same rows, numbered once, by name or by position."""

    # Rows are taken as of an array. It is no array, since numbers of clusters are names.
    columns: Mapping[Any, NumberedClusters]

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and of clusterings."""
        first = next(iter(self.columns.values()))
        return len(first.codes), len(self.columns)

    def describe(self, estimator: Any) -> None:
        """Set the number of clusterings, and their names if any, as of features."""
        validate_data(estimator, self, skip_check_array=True)
        names = [key for key in self.columns if isinstance(key, str)]
        if names:
            estimator.feature_names_in_ = np.array(names, dtype=object)

    def check_not_made_of(self, unlabeled: NDArray[np.bool_]) -> None:
        """Refuse columns that are missing exactly in the unlabeled rows."""
        reasons = {}
        for key, column in self.columns.items():
            clusters, codes = np.unique(column.labels, return_inverse=True)
            n_unlabeled = np.bincount(codes[unlabeled], minlength=len(clusters))
            counts = np.bincount(codes), n_unlabeled
            reasons[key] = why_copy_of_labels(clusters.tolist(), *counts)
        refuse_columns("X", reasons, "Leave them out of X")

    def only(self, column: str | int) -> "Clusterings":
        """One of the clusterings."""
        return Clusterings({column: self.columns[column]})

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: Any) -> "Clusterings":
        rows = rows[0] if isinstance(rows, tuple) else rows
        return Clusterings({key: each.rows(rows) for key, each in self.columns.items()})

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        raise TypeError(
            "Rows of X hold names of clusters made elsewhere, and no numeric features."
        )


def read_clusterings(X: Any, n_samples: int | None) -> Clusterings:
    """Number all clusterings in a container that holds nothing else.

    A list of another length than a known ``n_samples`` holds clusterings.
    """
    refuse_annotated("X", X, "the columns of clusters of its .obs")
    named = _columns(X, n_samples)
    if not named:
        raise invalid("X", _TABLE, X)
    names, columns = map(list, zip(*named, strict=True))
    by_key = dict(zip(_keys(names), columns, strict=True))
    n_rows = len(columns[0]) if n_samples is None else n_samples
    for key, column in by_key.items():
        if len(column) != n_rows:
            is_turned = getattr(X, "shape", None) == (len(column), n_rows)
            raise ValueError(
                f"X must have a cluster for each of the {n_rows} rows of y, got "
                f"{len(column)} in column {key!r}.{' Pass X.T.' if is_turned else ''}"
            )
    numbered = {k: number_clusters(c, f"column {k!r} of X") for k, c in by_key.items()}
    reasons = {k: why_no_clusters(c.names.values(), n_rows) for k, c in numbered.items()}
    refuse_columns("X", reasons, "Leave them out of X")
    return Clusterings(numbered)


def why_no_clusters(clusters: Collection[Any], n_rows: int) -> str | None:
    """Why a column with these values holds no clusters; None if it may hold some."""
    # Numbers that are not whole are measurements; the name -1 is that of noise.
    fraction = next((name for name in clusters if is_number(name) and name % 1), None)
    if fraction is not None:
        return f"holds {fraction}, which is no whole number"
    return why_too_many(int(np.sum([not is_noise(name) for name in clusters])), n_rows)


def why_copy_of_labels(
    clusters: Collection[Any], sizes: NDArray[Any], n_unlabeled: NDArray[Any]
) -> str | None:
    """Why a column was made from the labels: it is missing exactly where these are.

    ``sizes`` and ``n_unlabeled`` are the rows and unlabeled rows of each cluster.
    """
    noise = np.array([is_noise(name) for name in clusters], dtype=bool)
    without = int(n_unlabeled.sum())
    if without and without == sizes[noise].sum() == n_unlabeled[noise].sum():
        rows = f"the {without} rows without a label"
        return f"is missing exactly in {rows}, as a copy of y"
    return None


def why_too_many(n_values: int, n_rows: int, n_spare: int = 0) -> str | None:
    """The same by the number of values, of which ``n_spare`` need not be clusters."""
    # So many are names or measurements of rows, and their table of counts would be huge.
    if 2 * (n_values - n_spare) > n_rows:
        return f"has {n_values} different values in {n_rows} rows"
    return None


def refuse_columns(name: str, reasons: Mapping[Any, str | None], remedy: str) -> None:
    """Refuse a table if there is a reason why one of its columns holds no clusters."""
    refused = [f"column {key!r} {reason}" for key, reason in reasons.items() if reason]
    if refused:
        columns = "; ".join(refused)
        raise ValueError(
            f"{name} must hold clusters in all columns; {columns}. {remedy}."
        )


def names_of(
    clusters: NDArray[np.integer], names: Mapping[int, Any]
) -> NDArray[np.object_] | None:
    """Names of clusters, None for what is missing; or None if all names are numbers."""
    numbers = clusters.tolist()
    if all(names.get(number, number) in (number, str(number)) for number in numbers):
        return None
    named = np.empty(len(numbers), dtype=object)
    named[:] = [names.get(number) for number in numbers]
    return named


def frame_columns(frame: Any) -> list[tuple[Any, Any]]:
    """Names and columns of a data frame of pandas, Polars or PyArrow."""
    if hasattr(frame, "get_columns"):  # Polars
        return [(column.name, column) for column in frame.get_columns()]
    if hasattr(frame, "iloc"):  # by position, since names may be repeated
        return [(name, frame.iloc[:, i]) for i, name in enumerate(frame.columns)]
    return list(zip(frame.schema.names, frame.columns, strict=True))


def cells_of(column: Any) -> NDArray[Any]:
    """The values of a column as an array, in which integers beside gaps stay integers."""
    cells = np.asarray(column)
    kind = str(getattr(column, "dtype", getattr(column, "type", ""))).lower()
    if cells.dtype.kind != "f" or "int" not in kind:
        return cells
    listed = column.to_pylist() if hasattr(column, "to_pylist") else column.to_list()
    return np.array(listed, dtype=object)


def _columns(X, n_samples):
    """Pairs of a name, None where there is none, and a column."""
    if isinstance(X, Mapping):
        return [(name, _column(labels)) for name, labels in X.items()]
    if is_frame(X) and hasattr(X, "columns"):
        return frame_columns(X)
    if isinstance(X, list | tuple) and n_samples not in (None, len(X)):
        return [(getattr(labels, "name", None), _column(labels)) for labels in X]
    array = _array(X)
    if getattr(array, "ndim", 1) == 2:
        return [(None, array[:, i]) for i in range(array.shape[1])]
    fields = getattr(getattr(array, "dtype", None), "names", None)
    if isinstance(fields, tuple):
        return [(name, array[name]) for name in fields]
    return [(getattr(X, "name", None), _column(X))]


def _array(values):
    """The values as what has rows; columns of data frames and masked arrays stay."""
    try:
        if isinstance(values, list | tuple):
            # NumPy alone would turn gaps in a list of text into text.
            return np.array(values, dtype=object)
        return as_column("X", values)
    except ValueError:  # rows of different lengths
        raise invalid("X", _TABLE, values) from None


def _column(labels):
    column = _array(labels)
    if getattr(column, "ndim", 1) != 1:  # columns of Polars and PyArrow do not say
        raise invalid("X", f"{_TABLE} (of an image, labels.ravel())", labels)
    return column


def _keys(names):
    """Different texts as names; positions if there are no names, or no others."""
    positions = list(range(len(names)))
    if names == positions or any(name is None or name == "" for name in names):
        return positions
    texts = [*map(str, names)]
    if len(set(texts)) < len(texts):
        raise invalid("The names of the columns of X", "different as text", names)
    return texts
