"""How tight are certificates, ours and others, on the same clusterings and labels?

k-means with several starts and Ward's linkage, 2 to 60 clusters, are computed once for
each data set; then 30 random choices of labeled rows. Every method is given the same
clusterings, labels and delta = 0.1 and states a bound on the error of the labels that it
gives to the unlabeled rows, whose true error is known here.

    export OMP_NUM_THREADS=1
    python benchmarks/compare_certificates.py --n-jobs 2 --data FOLDER

FOLDER holds the text collections of ``paper_banerjee_langford.py``, two of which are
compared by 50 components of a singular value decomposition; without it they are left out.

writes ``certificates.csv`` (a row for each data set, split and method), ``tables.json``
and figures. MAPIE is compared if it is installed (``pip install mapie``). With
``--only`` some methods are measured again, and the rows of the others are kept.

Ours:

- learned, the default: a part of the labels sets a prior, the others choose and certify.
- hold-out: a part of the labels chooses and labels, the others certify.
- PAC-MDL: all labels choose, label and certify, and the classes of clusters cost bits, by
  the paper's language Algo.

Others are described in ``rival_certificates.py``, with what each bound is about. Of those
Clopper-Pearson and MAPIE speak of the population that rows are drawn from, not of the
unlabeled rows at hand.

The three-class blobs are 1000 rows of eight clusters in five dimensions, with standard
deviation 1.6, that belong to classes 0, 0, 0, 1, 1, 1, 2, 2; one label in twenty is drawn
at random.
"""

import warnings
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import rival_certificates as rivals
from common import (
    add_data_option,
    clock,
    experiment_parser,
    parse_options,
    read_documents,
    save_figures,
    write_json,
)
from figures_certificates import draw_all
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.datasets import (
    load_breast_cancer,
    load_digits,
    load_iris,
    load_wine,
    make_blobs,
)
from sklearn.decomposition import TruncatedSVD
from sklearn.preprocessing import normalize, scale
from sklearn.utils.parallel import Parallel, delayed

from sklearn_pacmdl import certify_clusterings
from sklearn_pacmdl.languages import Candidate

DELTA = 0.1
# Shares of labeled rows by data set.
CASES = {
    "digits": (0.02, 0.05, 0.1, 0.2, 0.5),
    "blobs": (0.1, 0.5),
    "wine": (0.5,),
    "iris": (0.5,),
    "breast cancer": (0.2,),
}
TEXTS = {"classic3": (0.1,), "cmu-same-1000": (0.1, 0.5)}
FILES = {"classic3": "classic3", "cmu-same-1000": "ng_same1000"}

# ---- Data and clusterings


def three_class_blobs():
    X, centers = make_blobs(1000, 5, centers=8, cluster_std=1.6, random_state=0)
    y = np.array([0, 0, 0, 1, 1, 1, 2, 2])[centers]
    rng = np.random.RandomState(0)
    drawn = rng.uniform(size=len(y)) < 0.05
    y[drawn] = rng.randint(3, size=drawn.sum())
    return X, y


def scaled(load):
    X, y = load(return_X_y=True)
    return scale(X), y


def embedded(file):
    X, y = read_documents(file)
    return normalize(TruncatedSVD(50, random_state=0).fit_transform(X)), y


DATA = {
    "digits": lambda: load_digits(return_X_y=True),
    "blobs": three_class_blobs,
    "wine": lambda: scaled(load_wine),
    "iris": lambda: load_iris(return_X_y=True),
    "breast cancer": lambda: scaled(load_breast_cancer),
}


def load(name, folder):
    if name in DATA:
        return DATA[name]()
    return embedded(Path(folder) / f"{FILES[name]}.npz")


def candidates_up_to(max_clusters, n_starts):
    """What is clustered: k-means by number and start, then Ward's by number."""
    numbers = range(2, max_clusters + 1)
    starts = [Candidate("kmeans", c, i) for c in numbers for i in range(n_starts)]
    return [*starts, *(Candidate("ward", c) for c in numbers)]


def clustered(X, candidate, seeds):
    """The clustering of a candidate."""
    if candidate.algorithm == "ward":
        return AgglomerativeClustering(candidate.n_clusters).fit_predict(X)
    seed = int(seeds[candidate.init])
    return KMeans(candidate.n_clusters, random_state=seed).fit_predict(X)


# ---- Methods


GIVEN = {
    "learned": {},
    "hold-out": {"certify": "holdout"},
    "PAC-MDL, Algo": {"certify": "pac-mdl", "language": "algo"},
}
METHODS = [*GIVEN, *rivals.RIVALS]


@contextmanager
def expected_warnings():
    """That no set of clusters reaches the target, and that some hold no labels."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "No set of clusters", UserWarning)
        warnings.filterwarnings("ignore", ".* unlabeled rows, hold no", UserWarning)
        # One random choice in a thousand looks like none.
        warnings.filterwarnings("ignore", "The labeled rows do not look", UserWarning)
        yield


def ours(clusterings, seen, classes, candidates):
    """By name, functions that return labels and the bound on their errors."""
    shared = {"delta": DELTA, "classes": classes, "candidates": candidates}

    def given(**parameters):
        found = certify_clusterings(
            clusterings, seen, random_state=0, **shared, **parameters
        )
        return found.transduction, found.bound

    return {name: partial(given, **of) for name, of in GIVEN.items()}


def measured(certify, y, hidden):
    """Bound, error and coverage of what is certified."""
    with expected_warnings():
        labels, bound = certify()
    labels = labels[hidden]
    given = labels != -1
    return {
        "bound": bound,
        "error": np.mean(labels[given] != y[hidden][given]) if given.any() else np.nan,
        "coverage": given.mean(),
    }


def compare(name, share, split, clusterings, X, y, settings):
    """A row for each method."""
    rng = np.random.RandomState(split)
    hidden = rng.permutation(len(y))[round(share * len(y)) :]
    seen = y.copy()
    seen[hidden] = -1
    classes = np.unique(y)
    task = rivals.Task(clusterings, y, seen >= 0, len(classes), delta=DELTA, seed=split)
    of_ours = ours(clusterings, seen, classes, settings.candidates)
    calls = {
        method: partial(measured, certify, y, hidden)
        for method, certify in of_ours.items()
    } | {method: partial(as_row, rival, task) for method, rival in rivals.RIVALS.items()}
    rows = []
    for method, call in calls.items():
        if settings.measures(method):
            seconds, values = clock(call)
            key = {"data": name, "share": share, "split": split, "method": method}
            rows.append(key | values | {"seconds": seconds})
    return rows


def as_row(rival, task):
    found = rival(task)
    return {"bound": found.bound, "error": found.error, "coverage": found.coverage}


class Settings(NamedTuple):
    """Of a run."""

    candidates: list
    seeds: np.ndarray  # of random starts
    only: tuple
    folder: str | None  # of texts

    def measures(self, method):
        if method.startswith("MAPIE") and not rivals.has_mapie():
            return False
        return not self.only or method in self.only


def compare_all(settings, cases, n_splits, n_jobs):
    rows = []
    for name, shares in cases.items():
        X, y = load(name, settings.folder)
        clusterings = [clustered(X, c, settings.seeds) for c in settings.candidates]
        print(f"{name}: {len(clusterings)} clusterings", flush=True)
        found = Parallel(n_jobs=n_jobs)(
            delayed(compare)(name, share, split, clusterings, X, y, settings)
            for share in shares
            for split in range(n_splits)
        )
        rows += [row for of_split in found for row in of_split]
    return pd.DataFrame(rows)


# ---- Results


def summary(table):
    """By data and share: means over splits in percent, and how often bounds fail."""
    table = table.assign(exceeded=table["error"] > table["bound"] + 1e-9)
    grouped = table.groupby(["data", "share", "method"], sort=False)
    means = 100 * grouped[["bound", "error", "coverage"]].mean()
    means["std of bound"] = 100 * grouped["bound"].std()
    means["exceeded"] = grouped["exceeded"].sum()
    means["seconds"] = grouped["seconds"].mean()
    return {
        key: one.droplevel([0, 1]) for key, one in means.groupby(level=[0, 1], sort=False)
    }


def parse_arguments():
    quick = "iris and wine, up to 8 clusters, 2 starts, 2 splits"
    parser = experiment_parser(__doc__, "certificates", quick)
    add_data_option(parser, "no texts")
    parser.add_argument("--max-clusters", type=int, default=60, help="(default: 60)")
    parser.add_argument("--n-starts", type=int, default=5, help="(default: 5)")
    parser.add_argument("--n-splits", type=int, default=30, help="(default: 30)")
    parser.add_argument(
        "--only", nargs="+", default=(), choices=METHODS, metavar="METHOD",
        help="measure some again: " + "; ".join(METHODS).replace("%", "%%"),
    )  # fmt: skip
    options = parse_options(parser)
    if options.quick:
        options.max_clusters, options.n_starts, options.n_splits = 8, 2, 2
    return options


def main():
    options = parse_arguments()
    seeds = np.random.RandomState(0).randint(2**31 - 1, size=options.n_starts)
    candidates = candidates_up_to(options.max_clusters, options.n_starts)
    settings = Settings(candidates, seeds, tuple(options.only), options.data)
    cases = CASES | (TEXTS if options.data else {})
    if options.quick:
        cases = {"wine": (0.3, 0.5), "iris": (0.5,)}
    seconds, table = clock(
        partial(compare_all, settings, cases, options.n_splits, options.n_jobs)
    )
    path = options.output / "certificates.csv"
    if options.only:
        kept = pd.read_csv(path)
        table = pd.concat([kept[~kept["method"].isin(options.only)], table])
    rank = {name: i for i, name in enumerate([*DATA, *TEXTS, *METHODS])}
    keys = ["data", "share", "method", "split"]
    table = table.sort_values(keys, key=lambda c: c.map(lambda v: rank.get(v, v)))
    means = summary(table)
    with pd.option_context("display.width", 120, "display.max_rows", None):
        for (name, share), one in means.items():
            print(
                f"\n{name}, {share:.0%} labeled, means of {options.n_splits} splits (%)"
            )
            print(one.round(2).to_string())
    options.output.mkdir(parents=True, exist_ok=True)
    table.to_csv(path, index=False, float_format="%.6g")
    save_figures(options.output, draw_all(means, cases))
    results = {
        f"{name}, {share:.0%} labeled": one.round(4).to_dict("index")
        for (name, share), one in means.items()
    }
    results["settings"] = {
        "delta": DELTA,
        "max_clusters": options.max_clusters,
        "n_starts": options.n_starts,
        "n_splits": options.n_splits,
        "mapie": rivals.has_mapie(),
    }
    results["seconds"] = round(seconds)
    write_json(options.output / "tables.json", results)


if __name__ == "__main__":
    main()
