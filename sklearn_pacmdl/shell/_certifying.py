"""Clusterings in the columns of a table: one is chosen and certified."""

from __future__ import annotations

import shlex
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..certification import (
    CertifiedClusterings,
    certify_clusterings,
    choose_columns,
)
from ..columns import number_clusters, plain_writing
from ..utils._checks import shown
from ..utils._table_columns import (
    CERTIFIED,
    CERTIFY,
    CLUSTER,
    HUMAN,
    ROW,
    SELECT,
    USE,
)
from ..utils._writing import Write
from ..worksheets import as_table, import_pandas
from ._auditing import check_rate, refuse_above
from ._console import (
    as_files,
    as_options,
    errors_name,
    print_statement,
    program,
    tell,
)
from ._inputs import Inputs, in_writing_of
from ._outputs import TABLE, as_text, check_free, output_paths, write_outputs
from ._tables import release_memory

if TYPE_CHECKING:
    import pandas as pd

OWN = [CLUSTER, HUMAN, CERTIFIED, USE]  # columns that people do not fill in


def certify(args: Namespace) -> None:
    table_path, page_path, path = paths = output_paths(args, TABLE, ".html", ".json")
    check_rate("--at-most", args.at_most)
    check_free(args, paths, OWN)
    inputs = Inputs(args)
    (y, _), data = inputs.of_people(args.y), inputs.data
    if args.fold:  # by a rule that looks at no other label
        known = {plain_writing(label): plain_writing(label) for label in {*y} - {None}}
        (y,) = in_writing_of(known, [y])
    if args.columns is None:
        what = "--columns must say which columns are clusterings made without the labels"
        raise ValueError(f"{what}; {args.data} has {shown([*data.columns])}.")
    names = [name for name in data.columns if args.answers or name != args.y]
    names = choose_columns(names, args.columns)
    clusters = {}
    for name in names:
        with errors_name(f"Column {name!r} of {args.data} must hold clusters"):
            clusters[name] = data[name].astype("category")  # of which codes are small
    form = inputs.format
    del inputs, data  # which hold all cells of a CSV file
    release_memory()
    certified = certify_clusterings(
        clusters,
        y,
        certify=args.certify,
        delta=args.delta,
        random_state=args.seed,
    )
    assert certified.certificate is not None  # all rows are given a class
    table = _certified_table(certified, y, clusters[certified.best_name])
    file = as_table(table_path, table, form)
    files = {table_path: file, **_page(certified, page_path)}
    files[path] = as_text(certified.certificate.to_json())
    write_outputs(args, files, OWN)
    data_and_certificate = shlex.join([*as_files(path), *as_options(data=table_path)])
    to_verify = f"To verify it: {program()} verify {data_and_certificate}"
    print_statement(args, certified.certificate, f"{certified}\n{to_verify}")
    refuse_above(args, *certified.certificate.stated)


def _certified_table(
    certified: CertifiedClusterings, y: Any, clusters: pd.Series
) -> pd.DataFrame:
    """All rows, with all that the certificate can be compared with."""
    assert certified.division is not None
    use = np.full(len(y), "", dtype=object)
    for rows, what in zip(certified.division, (SELECT, CERTIFY), strict=True):
        use[rows] = what
    names, codes = number_clusters(clusters, "the chosen column").present()
    names = names.astype(str).astype(object)  # of which rows hold no copies
    columns = names[codes], y, certified.transduction, use
    table = import_pandas().DataFrame(dict(zip(OWN, columns, strict=True)))
    return table.rename_axis(ROW).reset_index()


def _page(certified: CertifiedClusterings, path: Path) -> dict[Path, Write]:
    """The report, if what it requires is installed."""
    try:
        return {path: as_text(certified.report().html)}
    except ImportError as error:
        tell("note", f"{path} is not written. {error}")
        return {}
