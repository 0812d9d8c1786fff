"""Finished data sets: sure labels are accepted, and other rows are left to people."""

from __future__ import annotations

import re
import shlex
import warnings
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..audits import Audit, FinishedLabels, finish_labels
from ..utils._table_columns import AUTOMATIC, LABEL, ROW, SOURCE
from ..worksheets import as_worksheet
from ._auditing import level, tell_of_hidden
from ._console import NotMetError, tell
from ._inputs import Inputs
from ._outputs import (
    SHEET,
    TABLE,
    as_table,
    as_text,
    check_free,
    output_paths,
    write_outputs,
)

if TYPE_CHECKING:
    import pandas as pd


def finish(args: Namespace) -> None:
    table_path, rest_path, path = output_paths(args, TABLE, _rest(args.rest), ".json")
    inputs = Inputs(args)
    # Of a table of what is left, nothing is known before labels are read.
    paths = [table_path, path] if args.rest else [table_path, rest_path, path]
    check_free(args, paths, inputs.data.columns)
    columns = inputs.columns_to_keep({ROW, LABEL, SOURCE, AUTOMATIC})
    finished, audit = _accept(inputs)
    n_people = len(finished.to_annotators)
    if args.rest:
        rest = inputs.human_labels(args.rest, finished.to_annotators)
        finished = finished.add_labels(rest)
    n_left = len(finished.to_annotators)
    table = _finished_table(finished, audit, columns)
    files = {table_path: as_table(table_path, table, inputs.format)}
    shown, hidden = inputs.columns_for_people()
    if n_left:
        sheet = finished.to_frame(shown)
        files[rest_path] = as_worksheet(rest_path, sheet, inputs.format)
    assert finished.certificate is not None  # or _accept would have ended this
    files[path] = as_text(finished.certificate.to_json())
    write_outputs(args, files, inputs.data.columns)
    n_rows = len(audit.not_excluded)
    print(
        f"{finished.certificate.statement}\n"
        f"Of {n_rows:,} rows, {audit.size:,} were audited, "
        f"{n_rows - audit.size - n_people:,} are labeled automatically, and {n_people:,} "
        "are for people."
    )
    if n_left:
        tell_of_hidden(hidden)
        if args.rest:
            print(f"{n_left:,} of {n_people:,} rows are left.")
        print(
            f"Next, people fill in the column {LABEL!r} of {rest_path}, which has the "
            "most doubtful rows first.\n"
            "Then run this command again with --rest "
            f"{shlex.join([*args.rest, str(rest_path)])} and another --output."
        )


def _rest(paths: list[str]) -> str:
    """How the name of the table of what is left ends, after earlier such tables."""
    if not paths:
        return f"-rest{SHEET}"
    numbers = re.findall(
        r"-rest-(\d+)$", "\n".join(Path(path).stem for path in paths), re.M
    )
    return f"-rest-{max(map(int, numbers), default=1) + 1}{SHEET}"


def _accept(inputs: Inputs) -> tuple[FinishedLabels, Audit]:
    args = inputs.args
    labels, audit, answers = inputs.audited()
    data = labels, inputs.confidence(), audit, answers
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        finished = finish_labels(*data, target=args.target, **level(args))
    if finished.certificate is None:  # a warning says why
        raise NotMetError("; ".join(str(warning.message) for warning in caught))
    for warning in caught:
        tell("note", warning.message)
    return finished, audit


def _finished_table(
    finished: FinishedLabels, audit: Audit, columns: pd.DataFrame
) -> pd.DataFrame:
    """All rows, with their labels, where these are from, and what was accepted."""
    import pandas as pd

    labels = finished.labels
    source = source_of(finished.accepted, audit, labels)
    rows = pd.DataFrame({ROW: np.arange(len(labels))})
    outcome = {LABEL: labels, SOURCE: source, AUTOMATIC: finished.automatic_labels}
    return pd.concat(
        [rows, columns.reset_index(drop=True), pd.DataFrame(outcome)], axis=1
    )


def source_of(
    accepted: NDArray[np.bool_], audit: Audit, labels: NDArray[Any]
) -> NDArray[np.str_]:
    """Where each label of a finished data set is from; empty if there is none."""
    automatic = accepted.copy()
    automatic[audit.rows] = False  # these keep the human labels
    labeled = np.array([label is not None for label in labels])
    return np.select([automatic, labeled], ["automatic", "person"], "")
