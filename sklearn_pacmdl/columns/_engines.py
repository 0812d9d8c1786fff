"""Frames of engines that keep the rows where they are: only counts come here.

All engines are reached through narwhals, which most people have with scikit-learn or with
their plots.
"""

from __future__ import annotations

import glob
import os
import re
from collections import defaultdict
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..estimators import is_df_or_series, is_frame
from ..utils._checks import invalid, required

try:
    import narwhals as nw
except ImportError:  # required where there is a frame of an engine
    nw = None  # type: ignore[assignment]  # where a module is expected

# What reads Parquet files; the first that is installed does.
_READERS = "polars", "duckdb"

# As of a file in a network, which engines would fetch.
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]+://", re.I)

_MOST_AT_ONCE = 50
# Pairs of a cluster and a label that come into memory before values are counted. Ten
# columns of so many numbers took 80 MB by Polars and DuckDB; texts may be long.
_MOST_PAIRS, _MOST_TEXTS = 2**17, 2**10


class Pairs(NamedTuple):
    """The different pairs of a cluster and a label, each with its number of rows.

    Clusters and labels are columns of the engine's own data frames. The different
    clusters, a missing one included, are counted only where pairs are few.
    """

    clusters: Any
    labels: Any
    n_rows: NDArray[np.int64]
    n_clusters: int


def open_frame(source: Any) -> nw.LazyFrame | None:
    """Open the frame of an engine, or a Parquet file; None if rows are in memory."""
    is_path = isinstance(source, str | os.PathLike)
    if is_path and _ADDRESS.match(os.fspath(source)):
        raise invalid("clusterings", "a local file, or a data frame", source)
    if not is_path and is_df_or_series(source):
        return None
    what = "Frames of engines, and Parquet files, require narwhals"
    if nw is None and is_frame(source):
        return None
    required("narwhals", what, "engines")
    if not is_path:
        frame = nw.from_native(source, pass_through=True)
        return frame if isinstance(frame, nw.LazyFrame) else None
    path = os.fspath(source)
    if os.path.exists(path):
        path = glob.escape(path)  # a name such as "data[1].parquet" is no pattern
    reader: Any = next(filter(find_spec, _READERS), _READERS[0])
    required(reader, f"Parquet files require {' or '.join(_READERS)}", "engines")
    return nw.scan_parquet(path, backend=reader)


def column_names(frame: nw.LazyFrame, source: Any) -> list[str]:
    return _answer(frame.collect_schema, source).names()


def count_values(frame: nw.LazyFrame, columns: Sequence[str], source: Any) -> list[int]:
    """Numbers of different values in these columns, and at the end that of the rows.

    Engines take longer for them than for pairs, and Polars holds columns in memory.
    """
    column, numbers = _columns(frame, columns), []
    for batch in _batches(columns):
        of_batch = {f"column{i}": column[c].n_unique() for i, c in enumerate(batch)}
        counted = _collect(frame.select(**of_batch, n_rows=nw.len()), source)
        *of_columns, n_rows = map(int, counted.row(0))
        numbers += of_columns
    return [*numbers, n_rows]


def count_pairs(
    frame: nw.LazyFrame,
    columns: Sequence[str],
    label: str,
    source: Any,
    *,
    few: bool = False,
) -> dict[str, Pairs]:
    """Count the rows of each cluster and label, for each of the columns.

    If ``few``, columns that may need much memory are left out.
    """
    schema, column = frame.collect_schema(), _columns(frame, [*columns, label])
    by_type = defaultdict(list)
    for name in columns:
        by_type[schema[name]].append(name)
    pairs: dict[str, Pairs] = {}
    # A column of a result has one type, so there are queries for each.
    for dtype, names in by_type.items():
        most = _most_pairs(dtype) if few else None
        for batch in _batches(names if most != 0 else []):
            queries = []
            for place, name in enumerate(batch):
                # Names of our own, for a user's column may be called as ours.
                rows = frame.select(cluster=column[name], label=column[label])
                counted = rows.group_by("cluster", "label").agg(n_rows=nw.len())
                counted = counted if most is None else counted.head(most + 1)
                queries.append(counted.with_columns(place=nw.lit(place)))
            table = _collect(nw.concat(queries), source)
            for place, name in enumerate(batch):
                counts = table.filter(nw.col("place") == place)
                if most is None or len(counts) <= most:
                    pairs[name] = Pairs(
                        counts["cluster"].to_native(),
                        counts["label"].to_native(),
                        counts["n_rows"].to_numpy().astype(np.int64),
                        0 if most is None else counts["cluster"].n_unique(),
                    )
    return pairs


def _most_pairs(dtype: nw.dtypes.DType) -> int:
    """Pairs of columns with few, which come into memory before values are counted."""
    if dtype.is_numeric() or dtype.is_temporal() or dtype == nw.Boolean:
        return _MOST_PAIRS
    is_text = isinstance(dtype, nw.String | nw.Categorical | nw.Enum)
    return _MOST_TEXTS if is_text else 0  # of others, not all engines compare values


def labeled_rows(
    frame: nw.LazyFrame, columns: Sequence[str], label: str, source: Any
) -> tuple[list[Any], Any]:
    """Columns of the labeled rows, and their labels; these rows come into memory.

    Rows may be among them whose label turns out to be missing only later.
    """
    dtype, value = frame.collect_schema()[label], nw.col("label")
    is_labeled = ~value.is_null()
    if dtype.is_float():
        is_labeled = is_labeled & ~value.is_nan()
    if dtype.is_float() or dtype.is_signed_integer():
        is_labeled = is_labeled & (value != -1)
    column = _columns(frame, [*columns, label])
    named = {f"column{i}": column[name] for i, name in enumerate(columns)}
    table = _collect(
        frame.select(**named, label=column[label]).filter(is_labeled), source
    )
    return [table[name].to_native() for name in named], table["label"].to_native()


def _batches(columns: Sequence[Any]) -> list[Sequence[Any]]:
    """Columns that one query is about: its plan takes time that grows with the square."""
    starts = range(0, len(columns), _MOST_AT_ONCE)
    return [columns[start : start + _MOST_AT_ONCE] for start in starts]


def _columns(frame: nw.LazyFrame, columns: Sequence[str]) -> dict[str, nw.Expr]:
    """Columns by their positions, since Polars reads names such as "^x$" as patterns."""
    if "*" in columns and not frame.implementation.is_polars():
        raise ValueError("clusterings must have no column '*', which means all; rename.")
    place = {name: i for i, name in enumerate(frame.collect_schema().names())}
    return {name: nw.nth(place[name]) for name in columns}


def _collect(query, source):
    # Not all versions of Polars stream unless they are asked to, and rows that are not
    # streamed are in memory.
    options = {"engine": "streaming"} if query.implementation.is_polars() else {}
    return _answer(lambda: query.collect(**options), source)


def _answer(ask, source):
    """The engine's answer; its errors, of any type, become errors of the clusterings."""
    try:
        return ask()
    except Exception as error:
        if isinstance(source, str | os.PathLike):
            raise invalid(
                "clusterings",
                f"a Parquet file that can be read ({error}) or a data frame",
                source,
            ) from error
        raise ValueError(
            f"clusterings must be a frame that its engine can count, got {error}"
        ) from error
