"""The table of all rows: in memory, or in a Parquet file of which columns are read."""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Iterator
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..certificates import ColumnDigest
from ..utils._checks import required, shown
from ..worksheets import import_pandas
from ._console import errors_name

if TYPE_CHECKING:
    import pandas as pd

# Rows that are read, written or compared at a time.
_N_ROWS = 2**16
# What pandas calls an index without a name.
_INDEX = re.compile(r"__index_level_\d+__")


class Table:
    def __init__(self, frame: pd.DataFrame) -> None:
        self._frame, self.columns = frame, frame.columns

    def __len__(self) -> int:
        return len(self._frame)

    def __getitem__(self, name: str) -> pd.Series:
        return self._frame[name]

    def column(self, name: str) -> Iterator[pd.Series]:
        """A column in parts."""
        return (part[name] for part in self.parts([name]))

    def parts(self, names: Collection[str]) -> Iterator[pd.DataFrame]:
        """Some columns of all rows, in parts."""
        for start in range(0, len(self), _N_ROWS):
            part = self._frame[[*names]][start : start + _N_ROWS]
            yield part.reset_index(drop=True)

    def schema(self, names: Collection[str]) -> Any:
        """Types of some columns, for a Parquet file."""
        pa = import_pyarrow()
        return pa.Schema.from_pandas(self._frame[[*names]], preserve_index=False)

    def lines(self, names: Collection[str], rows: ArrayLike) -> pd.DataFrame:
        """Some columns of some rows, in this order."""
        places, parts = zip(*self.lines_by_part(names, rows), strict=True)
        lines = import_pandas().concat(parts, ignore_index=True)
        return lines.iloc[np.argsort(np.concatenate(places))].reset_index(drop=True)

    def lines_by_part(
        self, names: Collection[str], rows: ArrayLike
    ) -> Iterator[tuple[NDArray[np.int64], pd.DataFrame]]:
        """Places in an array of rows, and some columns of these rows."""
        order, start = np.argsort(rows, kind="stable"), 0
        in_order = np.asarray(rows)[order]
        for part in self.parts(names):
            first, last = np.searchsorted(in_order, [start, start + len(part)])
            yield order[first:last], part.iloc[in_order[first:last] - start]
            start += len(part)

    def digests(self, names: Collection[str]) -> dict[str, str]:
        """SHA-256 digests of some columns."""
        digests = {name: ColumnDigest() for name in names}
        for part in self.parts(names) if names else ():
            for name, digest in digests.items():
                digest.update(np.asarray(part[name]))
        return {name: digest.hexdigest() for name, digest in digests.items()}


class ParquetTable(Table):
    """A Parquet file, or a folder of such files in the order of their names.

    No column is read that is not named.
    """

    def __init__(self, source: str) -> None:
        self._pa, place = import_pyarrow(), Path(source)
        self._paths = sorted(place.glob("*.parquet")) if place.is_dir() else [place]
        if not self._paths:
            raise ValueError(f"{source} must be a file, or a folder of files .parquet.")
        self._n_rows, types = 0, list[dict[str, Any]]()
        for path in self._paths:
            with errors_name(f"{path} must be a table that can be read"):
                types.append(self._types_in(path))
                for name in {**types[0], **types[-1]}:
                    first, here = (
                        t.get(name, "no column") for t in (types[0], types[-1])
                    )
                    if here != first:
                        what = f"must be that of {self._paths[0]}, {first}, but is {here}"
                        raise ValueError(f"column {name!r} {what}")
        self._types = types[0]
        self.columns = import_pandas().Index([*self._types])

    def _types_in(self, path: Path) -> dict[str, Any]:
        """Types by column in a file, whose rows are counted."""
        with self._open(path) as file:
            schema = file.schema_arrow
            self._n_rows += int(file.metadata.num_rows)
        names = [name for name in schema.names if not _INDEX.fullmatch(name)]
        if len({*names}) < len(names):
            raise ValueError(f"it has several columns of one name: {shown(names)}")
        return {name: schema.field(name).type for name in names}

    def _open(self, path: Path, **options: Any) -> Any:
        # Without buffers, a column of a whole group of rows is in memory.
        return self._pa.parquet.ParquetFile(path, buffer_size=2**20, **options)

    def __len__(self) -> int:
        return self._n_rows

    def __getitem__(self, name: str) -> pd.Series:
        # Of a text that is repeated there are few objects, as in a list of classes.
        is_text = str(self._types[name]).endswith("string")
        start, values = 0, np.empty(len(self), dtype=bool)
        for part in self.parts([name], read_dictionary=[name] * is_text):
            column: Any = part[name]
            if is_text:
                texts = np.array([*column.cat.categories, None], dtype=object)
                column = texts[column.cat.codes]  # -1, a missing text, is at the end
            column = np.asarray(column)
            if values.dtype != column.dtype:
                values = values.astype(column.dtype if not start else object)
            values[start : start + len(column)] = column
            start += len(column)
        return import_pandas().Series(values, dtype=values.dtype, copy=False)

    def parts(self, names: Collection[str], **reading: Any) -> Iterator[pd.DataFrame]:
        if not names:
            for start in range(0, len(self), _N_ROWS):
                size = min(_N_ROWS, len(self) - start)
                yield import_pandas().DataFrame(index=range(size))
            return
        options = {"columns": [*names], "use_threads": False}
        for path in self._paths:
            with self._open(path, **reading) as file:
                for batch in file.iter_batches(_N_ROWS, **options):
                    # A name also selects columns whose names begin like it.
                    columns = batch.select([*names])
                    yield columns.to_pandas(
                        ignore_metadata=True, integer_object_nulls=True
                    )
                    del batch, columns
                    release_memory()

    def schema(self, names: Collection[str]) -> Any:
        return self._pa.schema([(name, self._types[name]) for name in names])


def release_memory() -> None:
    """Give back what Arrow, in which pandas may hold texts, keeps for later."""
    if pyarrow := sys.modules.get("pyarrow"):
        pyarrow.default_memory_pool().release_unused()


def import_pyarrow() -> Any:
    pyarrow = required("pyarrow", "Parquet files require pyarrow", "engines")
    import_module("pyarrow.parquet")
    return pyarrow
