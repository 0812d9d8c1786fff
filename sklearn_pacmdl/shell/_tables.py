"""Tables as files, and labels in their columns.

All labels are compared as text, whatever the type of their columns: human labels come
from CSV files, which have no types.
"""

from __future__ import annotations

import shlex
from argparse import Namespace
from collections.abc import Collection
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..columns import as_labels, is_text_of_gap, n_minus_one, split_unlabeled
from ..worksheets import TEXTS, import_pandas, read_csv
from ._console import errors_name, warnings_as_notes

if TYPE_CHECKING:
    import pandas as pd


def read_table(path: str, names: Collection[str]) -> pd.DataFrame:
    """A table; cells of a CSV file are texts as they stand, and missing if empty."""
    suffix = Path(path).suffix.lower()
    if suffix == ".parquet":
        require_pyarrow()
        return import_pandas().read_parquet(path)
    if suffix not in (".csv", ".tsv"):
        raise ValueError(f"{path} must be a file .csv, .tsv or .parquet.")
    with errors_name(f"{path} must be a table that can be read"), warnings_as_notes():
        return read_csv(path, names, **TEXTS)


def require_pyarrow() -> None:
    """Refuse Parquet files by the name of the extra, and not of an engine of pandas."""
    if find_spec("pyarrow") is None:
        raise ImportError(
            "Parquet files require pyarrow; pip install 'sklearn-pacmdl[engines]' "
            "installs it."
        )


def column_of(table: pd.DataFrame, path: str, name: str) -> Any:
    if name not in table.columns:
        raise ValueError(f"{path} must have a column {name!r}, got {[*table.columns]}.")
    return table[name]


def texts_of(
    args: Namespace,
    table: pd.DataFrame,
    path: str,
    column: str,
    classes: Collection[str] = (),
) -> NDArray[Any]:
    """Labels as text, and None where there is none; -1 may be one of the classes."""
    name = f"Column {column!r} of {path}"
    cells = as_labels(column_of(table, path, column), name)
    declared: Any = [*classes, *[-1] * ("-1" in classes)]
    if cells.dtype.kind in "UO":
        cells = cells.astype(object)
        cells[[isinstance(v, str) and v in args.missing for v in cells]] = None
    doubtful = {v for v in cells.ravel().tolist() if isinstance(v, str)}
    doubtful = {v for v in doubtful - {*classes} if is_text_of_gap(v)}
    if n_minus_one(cells) and "-1" not in {*classes, *args.missing}:
        doubtful.add("-1")
    if doubtful:
        text = min(doubtful)
        raise ValueError(
            f"{name} holds {text!r}: add {shlex.quote(f'--missing={text}')} if this "
            "marks a row without a label. If not, write it in another way, or draw an "
            f"audit with {shlex.quote(f'--rename={text}=NAME')}."
        )
    labeled, values = split_unlabeled(cells, declared, name)
    texts = np.full(len(cells), None, dtype=object)
    texts[labeled] = [str(value) for value in values.tolist()]
    return texts


def holds_fractions(column: Any) -> bool:
    if column.dtype.kind not in "fOUT":  # dates, for instance, become numbers too
        return False
    try:
        numbers = import_pandas().to_numeric(column.dropna())
    except (ValueError, TypeError):
        return False
    return bool((numbers % 1 != 0).any())
