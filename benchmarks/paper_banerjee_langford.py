"""Banerjee and Langford, "An objective evaluation criterion for clustering" (KDD 2004).

Six text clusterers, 2 to 20 clusters (40 where there are 20 classes), ten starts each, on
up to eleven collections of documents (sublinear tf-idf, unit rows); five proportions of
labeled rows, five random splits of each; delta = 0.1. One sweep of `PACMDLSearchCV` for
each collection: a clustering is computed once and serves all splits and the paper's four
languages. Prints what the paper has in Fig. 6 and in its text, beside it, with the error
on the hidden labels, and draws Figs. 1, 2, 4 and 5.

    export OMP_NUM_THREADS=1
    python benchmarks/paper_banerjee_langford.py --n-jobs 2 --data FOLDER

FOLDER holds .npz files of term counts in CSR parts with labels; without it, and where
there is a network, three newsgroups of `fetch_20newsgroups` serve as cmu-different-1000.
Figures of the paper are of one split; ours are means over five. The 100-document sets
are not the authors' samples. An interrupted run continues where it was: the table of each
collection is kept, and the clusterings of an unfinished one.
"""

import warnings
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from common import (
    add_data_option,
    draw_documents,
    experiment_parser,
    parse_options,
    print_tables,
    read_documents,
    resumed,
    save_figures,
    write_json,
)
from figures_banerjee_langford import draw_all
from sklearn.cluster import KMeans
from sklearn.datasets import fetch_20newsgroups
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import ShuffleSplit
from tables_banerjee_langford import CANDIDATE, chosen, tables_of

from sklearn_pacmdl import PACMDLSearchCV, pac_mdl_bound
from sklearn_pacmdl.cluster import (
    FrequencySensitiveKMeans,
    KLKMeans,
    SphericalKMeans,
    VonMisesFisherMixture,
)

# Name in the paper: file, classes kept (None: all).
COLLECTIONS = {
    "classic2": ("classic3_raw3893", ["cisi", "cranfield"]),
    "classic3": ("classic3", None),
    "cmu-different-1000": ("ng_different1000", None),
    "cmu-similar-1000": ("ng_similar1000", None),
    "cmu-same-1000": ("ng_same1000", None),
    "cmu-different-100": ("ng_different100", None),
    "cmu-similar-100": ("ng_similar100", None),
    "cmu-same-100": ("ng_same100", None),
    "cmu-newsgroup-clean-100": ("ng_small2000", None),
    "yahoo": ("k1a", None),
    "cmu-newsgroup-clean-1000": ("ng20", None),
    "drawn": (None, None),  # made up, for trying the script without documents
}
ALGORITHMS = [
    ("SPKMeans", SphericalKMeans()),
    ("FSKMeans", FrequencySensitiveKMeans()),
    ("Hard-moVMF", VonMisesFisherMixture(assignment="hard")),
    ("Soft-moVMF", VonMisesFisherMixture()),
    ("KMeans", KMeans(n_init=1)),
    ("KLKMeans", KLKMeans()),
]
LABELED = [0.1, 0.3, 0.5, 0.7, 0.9]
# Each of the paper's languages pays for one term more.
LANGUAGES = ["simple", "init", "cluster", "algo"]
TERMS = ["label", "init", "n_clusters", "algorithm"]
# Those of 20 classes.
MANY_CLASSES = ("cmu-newsgroup-clean-100", "yahoo", "cmu-newsgroup-clean-1000")


def load(name, folder):
    file, keep = COLLECTIONS[name]
    if name == "drawn":
        return draw_documents(300, 2000, n_topics=3, length=30)
    if folder is None:
        return newsgroups()
    return read_documents(Path(folder) / f"{file}.npz", keep)


def newsgroups():
    """cmu-different-1000 from the network, by the groups the paper names."""
    groups = ["alt.atheism", "rec.sport.baseball", "sci.space"]
    posts = fetch_20newsgroups(
        subset="all", categories=groups, remove=("headers", "footers", "quotes")
    )
    weighting = TfidfVectorizer(sublinear_tf=True, stop_words="english", min_df=2)
    return weighting.fit_transform(posts.data), posts.target


def splits(n_samples, n_repeats):
    """Random splits without regard to labels, for each proportion."""
    return {
        proportion: list(
            ShuffleSplit(n_repeats, train_size=proportion, random_state=0).split(
                np.empty(n_samples)
            )
        )
        for proportion in LABELED
    }


def max_clusters(name, options):
    return options.max_clusters or (40 if name in MANY_CLASSES else 20)


def sweep(name, X, y, options, cache):
    """Bounds and errors of every candidate on every split, one row each."""
    parts = splits(len(y), options.n_splits)
    search = PACMDLSearchCV(
        ALGORITHMS,
        n_clusters=range(2, max_clusters(name, options) + 1),
        n_init=options.n_init,
        certify="pac-mdl",
        language="algo",
        delta=0.1,
        cv=[part for proportion in LABELED for part in parts[proportion]],
        refit=False,
        random_state=0,
        n_jobs=options.n_jobs,
        memory=str(cache),
    )
    with warnings.catch_warnings():
        # The splits are random; the search cannot know that of a list.
        warnings.filterwarnings("ignore", ".*no certificate.*|.*[Ss]plit.*")
        warnings.filterwarnings("ignore", "Number of distinct clusters")
        results = search.fit(X, y).cv_results_
    terms = pd.DataFrame(list(results["bits"]))[TERMS]
    paid = dict(zip(LANGUAGES, terms.cumsum(axis=1).to_numpy().T, strict=True))
    candidates = pd.DataFrame({key: results[key] for key in [*CANDIDATE, "fit_time"]})
    tables = []
    for i, (proportion, repeat) in enumerate(product(LABELED, range(options.n_splits))):
        table = candidates.assign(collection=name, labeled=proportion, split=repeat)
        sizes = [len(rows) for rows in parts[proportion][repeat]]
        for language, bits in paid.items():
            errors = results[f"split{i}_n_certifying_errors"].astype(int)
            bounds = pac_mdl_bound(*sizes, errors, description_length=bits, delta=0.1)
            table[f"{language}_bound"] = bounds / sizes[1]
        table["test_error"] = results[f"split{i}_test_error"]
        _, hidden = parts[proportion][repeat]
        table["constant_error"] = 1 - np.bincount(y[hidden]).max() / len(hidden)
        tables.append(table)
    return pd.concat(tables, ignore_index=True)


def table_of(name, options):
    """The sweep of a collection, or what an earlier run has kept of it."""
    size = f"{max_clusters(name, options)}_{options.n_init}_{options.n_splits}"

    def swept():
        X, y = load(name, options.data)
        return sweep(name, X, y, options, options.output / "cache" / name)

    return resumed(options.output / "candidates" / f"{name}_{size}.pkl", swept)


def parse_arguments():
    parser = experiment_parser(__doc__, "banerjee_langford", "two small sweeps")
    add_data_option(parser, "the network")
    parser.add_argument("--collections", nargs="+", choices=COLLECTIONS, metavar="NAME")
    parser.add_argument("--max-clusters", type=int, help="(default: 20, or 40)")
    parser.add_argument("--n-init", type=int, default=10, help="(default: 10)")
    parser.add_argument(
        "--n-splits", type=int, default=5, help="of each proportion (default: 5)"
    )
    options = parse_options(parser)
    if options.quick:
        options.max_clusters, options.n_init, options.n_splits = 4, 2, 2
    return options


def collections(options):
    if options.collections:
        return options.collections
    if options.data is None:
        print("No --data: " + ("documents are drawn." if options.quick else "network."))
        return ["drawn" if options.quick else "cmu-different-1000"]
    if options.quick:
        return ["cmu-different-100", "cmu-same-100"]
    return [name for name in COLLECTIONS if name != "drawn"]


def main():
    options = parse_arguments()
    tables = []
    for name in collections(options):
        try:
            tables.append(table_of(name, options))
        except OSError as error:
            print(f"{name:<26} left out: {error}")
    if not tables:
        raise SystemExit(
            "No documents: name their folder by --data or TEXT_COLLECTIONS, or run where "
            "scikit-learn can fetch 20 newsgroups."
        )
    tables = pd.concat(tables, ignore_index=True)
    report = tables_of(tables)
    print_tables(report)
    save_figures(options.output, draw_all(tables))
    columns = ["collection", "labeled", "split", *CANDIDATE, "algo_bound", "test_error"]
    chosen(tables)[columns].to_csv(options.output / "chosen.csv", index=False)
    folders = ("data", "output")  # those of a machine
    settings = {k: str(v) for k, v in vars(options).items() if k not in folders}
    as_records = {
        title: table.reset_index().to_dict("records") for title, table in report.items()
    }
    write_json(options.output / "tables.json", as_records | {"settings": settings})


if __name__ == "__main__":
    main()
