"""Finished data sets: sure labels are accepted, and other rows are left to people."""

from __future__ import annotations

import re
import shlex
import warnings
from argparse import Namespace
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..audits import Audit, FinishedLabels, finish_labels
from ..utils._table_columns import AUTOMATIC, LABEL, ROW, SOURCE
from ..utils._writing import Write
from ..worksheets import as_table, as_worksheet, import_pandas
from ._auditing import tell_of_hidden
from ._console import NotMetError, as_files, print_statement, tell
from ._inputs import Inputs
from ._outputs import (
    SHEET,
    TABLE,
    as_parquet,
    as_text,
    check_free,
    output_paths,
    write_outputs,
)
from ._tables import import_pyarrow

if TYPE_CHECKING:
    import pandas as pd

# Where a label is from, and "" if there is none.
SOURCES = np.array(["", "person", "automatic"], dtype=object)


def finish(args: Namespace) -> None:
    parts = TABLE, _rest(args.rest), *[f"-segments{SHEET}"] * bool(args.by), ".json"
    table_path, rest_path, *of_segments, path = paths = output_paths(args, *parts)
    inputs = Inputs(args)
    if args.rest:  # of a table of what is left, nothing is known before labels are read
        paths.remove(rest_path)
    check_free(args, paths, inputs.data.columns)
    names = inputs.columns_to_keep({ROW, LABEL, SOURCE, AUTOMATIC})
    finished, audit, automatic = _accept(inputs)
    n_people = len(finished.to_annotators)
    if args.rest:
        rest = inputs.human_labels(args.rest, finished.to_annotators)
        with inputs.errors_name_answers():
            finished = finished.add_labels(rest)
    to_annotators = finished.to_annotators
    certificate: Any = finished.certificate
    n_left, n_rows, n_audited = len(to_annotators), len(audit.not_excluded), audit.size
    assert certificate is not None  # or _accept would have ended this
    columns = {
        LABEL: finished.labels,
        SOURCE: SOURCES[source_of(finished.accepted, audit, finished.labels)],
        AUTOMATIC: audit.rename(automatic),
    }
    files = {table_path: _finished_table(table_path, columns, inputs, names)}
    page, text = finished.report() if args.report else None, str(finished)
    del finished, audit  # which hold what the rule works with
    if n_left:
        shown, hidden = inputs.columns_for_people()
        sheet = inputs.worksheet(to_annotators, shown)
        files[rest_path] = as_worksheet(rest_path, sheet, inputs.format)
    for segments_path in of_segments:
        table = certificate.to_frame().reset_index()
        files[segments_path] = as_table(segments_path, table, inputs.format)
    files[path] = as_text(certificate.to_json())
    write_outputs(args, files, inputs.data.columns, page)
    print_statement(
        args,
        certificate,
        f"{text}\nOf {n_rows:,} rows, {n_audited:,} were audited, "
        f"{n_rows - n_audited - n_people:,} are labeled automatically, and {n_people:,} "
        "are for people.",
    )
    if n_left:
        tell_of_hidden(hidden)
    if n_left and not args.json:
        if args.rest:
            print(f"{n_left:,} of {n_people:,} rows are left.")
        _tell_of_next_step([*args.rest, str(rest_path)])


def _tell_of_next_step(rest: list[str]) -> None:
    print(
        f"Next, people fill in the column {LABEL!r} of {rest[-1]}, which has the "
        "most doubtful rows first.\n"
        "Then run this command again with --rest "
        f"{shlex.join(as_files(*rest))} and another --output."
    )


def _rest(paths: list[str]) -> str:
    """How the name of the table of what is left ends, after earlier such tables."""
    if not paths:
        return f"-rest{SHEET}"
    numbers = re.findall(
        r"-rest-(\d+)$", "\n".join(Path(path).stem for path in paths), re.M
    )
    return f"-rest-{max(map(int, numbers), default=1) + 1}{SHEET}"


def _accept(inputs: Inputs) -> tuple[FinishedLabels, Audit, NDArray[Any]]:
    args = inputs.args
    labels, audit, answers = inputs.audited()
    data = labels, inputs.confidence(), audit, answers
    by: Any = inputs.segments()
    with (
        warnings.catch_warnings(record=True) as caught,
        inputs.errors_name_answers(),
    ):
        warnings.simplefilter("always")
        finished = finish_labels(
            *data,
            target=args.target,
            delta=args.delta,
            max_annotator_errors=args.annotator_errors,
            **by,
        )
    if finished.certificate is None:  # a warning says why
        raise NotMetError("; ".join(str(warning.message) for warning in caught))
    for warning in caught:
        tell("note", warning.message)
    return finished, audit, labels


def _finished_table(
    path: Path, outcome: Mapping[str, NDArray[Any]], inputs: Inputs, names: list[str]
) -> Write:
    """All rows, with their labels, where these are from, and the automatic labels."""
    parts = _with_outcome(inputs.data.parts(names), outcome)
    if path.suffix != ".parquet":
        table = import_pandas().concat(parts, ignore_index=True)
        return as_table(path, table, inputs.format)
    pa = import_pyarrow()
    texts = [(name, pa.string()) for name in outcome]
    schema = pa.schema([(ROW, pa.int64()), *inputs.data.schema(names), *texts])
    return as_parquet(schema, parts)


def _with_outcome(
    parts: Iterable[pd.DataFrame], outcome: Mapping[str, NDArray[Any]]
) -> Iterator[pd.DataFrame]:
    """Parts of a table with the numbers of its rows and further columns."""
    start = 0
    for part in parts:
        rows = slice(start, start + len(part))
        part.insert(0, ROW, np.arange(rows.start, rows.stop))
        yield part.assign(**{name: column[rows] for name, column in outcome.items()})
        start = rows.stop


def source_of(
    accepted: NDArray[np.bool_], audit: Audit, labels: NDArray[Any]
) -> NDArray[np.int8]:
    """Where each label of a finished data set is from, as an index in SOURCES."""
    labeled = import_pandas().notna(labels)
    source = labeled.astype(np.int8)
    source[accepted] = 2
    source[audit.rows] = labeled[audit.rows]  # these keep the human labels
    return source
