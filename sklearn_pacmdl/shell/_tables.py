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

from ..audits import TEXTS, import_pandas, read_csv
from ..utils._labels import as_labels, split_unlabeled
from ..utils._spelling import is_text_of_gap
from ._console import errors_name, tell, warnings_as_notes

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
    args: Namespace, table: pd.DataFrame, path: str, column: str
) -> NDArray[Any]:
    name = f"Column {column!r} of {path}"
    found = as_labels(column_of(table, path, column), name)
    if found.dtype.kind in "UO":
        found = found.astype(object)
        found[[isinstance(v, str) and v in args.missing for v in found]] = None
        doubtful = {v for v in found if isinstance(v, str) and is_text_of_gap(v)}
        if doubtful:
            text = min(doubtful)
            raise ValueError(
                f"{name} holds {text!r}: add {shlex.quote(f'--missing={text}')} if this "
                "marks a row without a label, and write it in another way if not."
            )
    labeled, values = split_unlabeled(found, None, name)
    texts = np.full(len(found), None, dtype=object)
    texts[labeled] = [str(value) for value in values.tolist()]
    _tell_of_spaces(name, set(texts[labeled]))
    return texts


def _tell_of_spaces(name: str, labels: set[str]) -> None:
    """Tell of labels that look alike: they are different ones."""
    spaced = (label for label in labels if label != label.strip())
    alike = sorted(label for label in spaced if label.strip() in labels)
    if alike:
        listed = ", ".join(map(repr, alike[:10]))
        tell("note", f"{name} holds {listed}, and the same without spaces around it")


def holds_fractions(column: Any) -> bool:
    if column.dtype.kind not in "fOUT":  # dates, for instance, become numbers too
        return False
    try:
        numbers = import_pandas().to_numeric(column.dropna())
    except (ValueError, TypeError):
        return False
    return bool((numbers % 1 != 0).any())
