"""Banerjee and Langford, "An objective evaluation criterion for clustering" (KDD 2004).

Six text clusterers, 2 to 20 clusters (40 where there are 20 classes), ten starts each, on
up to eleven collections of documents (sublinear tf-idf, unit rows); five proportions of
labeled rows, five random splits of each; delta = .1. One sweep of `PACMDLSearchCV` for
each collection: a partition is computed once and serves all splits, the paper's four
languages, our own "auto", and one that prefers balanced classes throughout. Prints and
draws what the paper has in Figs. 1 to 6 and in its text, beside it, with the error on the
hidden labels.

    export OMP_NUM_THREADS=1
    python benchmarks/paper_banerjee_langford.py --n-jobs 2 --data FOLDER

FOLDER holds .npz files of term counts in CSR parts with labels; without it, and where
there is a network, three newsgroups of `fetch_20newsgroups` serve as cmu-different-1000.
Figures of the paper are of one split; ours are means over five. The 100-document sets
are not the authors' samples. An interrupted run continues where it was: the table of each
collection is kept, and the partitions of an unfinished one.
"""

import time
import warnings
from itertools import product
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from common import (
    add_data_option,
    draw_documents,
    experiment_parser,
    parse_options,
    read_documents,
    save_figure,
    write_json,
)
from matplotlib.ticker import MaxNLocator
from sklearn.cluster import KMeans
from sklearn.datasets import fetch_20newsgroups
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import ShuffleSplit

from sklearn_pacmdl import PACMDLSearchCV
from sklearn_pacmdl.cluster import (
    FrequencySensitiveKMeans,
    KLKMeans,
    SphericalKMeans,
    VonMisesFisherMixture,
)
from sklearn_pacmdl.languages import BalancedLabels

# Name in the paper: file, classes kept (None: all), bound in Figs. 4-5 and Section 4.4 in
# percent (best of everything, language Algo, 50 % labeled).
COLLECTIONS = {
    "classic2": ("classic3_raw3893", ["cisi", "cranfield"], 1.68),
    "classic3": ("classic3", None, 2.0),
    "cmu-different-1000": ("ng_different1000", None, 6.0),
    "cmu-similar-1000": ("ng_similar1000", None, None),
    "cmu-same-1000": ("ng_same1000", None, 28.4),
    "cmu-different-100": ("ng_different100", None, 20.6),
    "cmu-similar-100": ("ng_similar100", None, None),
    "cmu-same-100": ("ng_same100", None, 64.0),
    "cmu-newsgroup-clean-100": ("ng_small2000", None, 84.0),
    "yahoo": ("k1a", None, 73.84),
    "cmu-newsgroup-clean-1000": ("ng20", None, 47.94),
    "drawn": (None, None, None),  # made up, for trying the script without documents
}
# Single figures of Sections 4.4's text: collection, algorithm, language, clusters or None
# for the best of 2 to 20, bound in percent.
SINGLE = [
    ("cmu-different-1000", "KMeans", "simple", 3, 34.13),
    ("cmu-different-1000", "SPKMeans", "simple", 3, 4.93),
    ("cmu-same-1000", "KMeans", "simple", 3, 50.8),
    ("cmu-same-1000", "SPKMeans", "simple", 3, 31.0),
    ("cmu-different-1000", "SPKMeans", "init", None, 5.46),
    ("cmu-different-1000", "KMeans", "init", None, 17.2),
    ("cmu-same-1000", "SPKMeans", "init", None, 32.2),
    ("cmu-same-1000", "KMeans", "init", None, 40.3),
    ("cmu-different-1000", "SPKMeans", "cluster", None, 5.87),
    ("cmu-different-1000", "Soft-moVMF", "cluster", None, 5.67),
    ("cmu-different-100", "Soft-moVMF", "cluster", None, 18.6),
]
ALGORITHMS = [
    ("SPKMeans", SphericalKMeans()),
    ("FSKMeans", FrequencySensitiveKMeans()),
    ("Hard-moVMF", VonMisesFisherMixture(assignment="hard")),
    ("Soft-moVMF", VonMisesFisherMixture()),
    ("KMeans", KMeans(n_init=1)),
    ("KLKMeans", KLKMeans()),
]
LABELED = [0.1, 0.3, 0.5, 0.7, 0.9]
LANGUAGES = ["simple", "init", "cluster", "algo"]
CANDIDATE = ["algorithm", "n_clusters", "init"]


# With classes of similar sizes preferred by half of the weight, or by all of it.
OUR_LANGUAGES = {"auto": "auto", "balanced": BalancedLabels("auto", 4.0)}
# Those of 20 classes.
MANY_CLASSES = ("cmu-newsgroup-clean-100", "yahoo", "cmu-newsgroup-clean-1000")


def load(name, folder):
    file, keep, _ = COLLECTIONS[name]
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
    found = {}
    for language, weights in OUR_LANGUAGES.items():
        search = PACMDLSearchCV(
            ALGORITHMS,
            n_clusters=range(2, max_clusters(name, options) + 1),
            n_init=options.n_init,
            language=weights,
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
            found[language] = search.fit(X, y).cv_results_
    results = found["auto"]
    candidates = pd.DataFrame({key: results[key] for key in [*CANDIDATE, "fit_time"]})
    tables = []
    for i, (proportion, repeat) in enumerate(product(LABELED, range(options.n_splits))):
        table = candidates.assign(collection=name, labeled=proportion, split=repeat)
        for column in [f"{language}_bound" for language in LANGUAGES]:
            table[column] = results[f"split{i}_{column}"]
        for language, of_language in found.items():
            table[f"{language}_bound"] = of_language[f"split{i}_test_bound"]
        table["test_error"] = results[f"split{i}_test_error"]
        table["constant_error"] = results[f"split{i}_constant_error"]
        tables.append(table)
    return pd.concat(tables, ignore_index=True)


def table_of(name, options):
    """The sweep of a collection, or what an earlier run has kept of it."""
    size = f"{max_clusters(name, options)}_{options.n_init}_{options.n_splits}"
    path = options.output / "candidates" / f"{name}_{size}.csv.gz"
    if path.exists():
        print(f"{name:<26} kept from an earlier run: {path}", flush=True)
        return pd.read_csv(path)
    start = time.perf_counter()
    X, y = load(name, options.data)
    table = sweep(name, X, y, options, options.output / "cache" / name)
    path.parent.mkdir(parents=True, exist_ok=True)
    table.to_csv(path, index=False, float_format="%.6g")
    took = time.perf_counter() - start
    print(f"{name:<26} {X.shape} in {took:.0f} s", flush=True)
    return table


def best(table, language, groups):
    """The candidate of least bound within each group."""
    least = table.groupby(groups, sort=False)[f"{language}_bound"].idxmin()
    return table.loc[least]


def chosen(tables, labeled=None):
    """The choice by Algo on every split, of everything that was swept."""
    if labeled is not None:
        tables = tables[tables.labeled == labeled]
    return best(tables, "algo", ["collection", "labeled", "split"])


def published(tables):
    """Bounds at 50 % labeled beside the paper's, in percent; means over splits."""
    found = chosen(tables, 0.5).groupby("collection", sort=False)
    summary = 100 * found[["algo_bound", "test_error", "constant_error"]].mean()
    summary["std"] = 100 * found["algo_bound"].std()
    summary["algorithms"] = found["algorithm"].agg(lambda a: "/".join(sorted(set(a))))
    summary["clusters"] = found["n_clusters"].median()
    figures = np.array([COLLECTIONS[name][2] for name in summary.index], dtype=float)
    summary.insert(0, "published", figures)
    half = tables[tables.labeled == 0.5]
    for language in OUR_LANGUAGES:
        tightest = best(half, language, ["collection", "split"])
        ours = tightest.groupby("collection", sort=False)
        summary[f"{language}_bound"] = 100 * ours[f"{language}_bound"].mean()
        summary[f"{language}_std"] = 100 * ours[f"{language}_bound"].std()
        summary[f"{language}_error"] = 100 * ours["test_error"].mean()
    for language in ("algo", *OUR_LANGUAGES):
        reached = summary[f"{language}_bound"] <= summary["published"]
        known = summary["published"].notna()
        summary[f"reached_by_{language}"] = reached.where(known, None)
    return summary.round(2)


def single_figures(tables):
    """Figures of the paper's text; of Simple, the best of the starts, as there."""
    rows = []
    for name, algorithm, language, k, figure in SINGLE:
        of = (tables.collection == name) & (tables.algorithm == algorithm)
        table = tables[of & (tables.labeled == 0.5)]
        table = table if k is None else table[table.n_clusters == k]
        if len(table):
            bound = best(table, language, ["split"])[f"{language}_bound"].mean()
            rows.append((name, algorithm, language, k, figure, round(100 * bound, 2)))
    names = ["collection", "algorithm", "language", "clusters", "published", "found"]
    return pd.DataFrame(rows, columns=names)


def by_language(tables):
    """Fig. 6: what each language chooses among, averaged over what it leaves open."""
    half = tables[tables.labeled == 0.5]
    groups = {
        "simple": ["collection", "split", *CANDIDATE],
        "init": ["collection", "split", "algorithm", "n_clusters"],
        "cluster": ["collection", "split", "algorithm"],
        "algo": ["collection", "split"],
        **{language: ["collection", "split"] for language in OUR_LANGUAGES},
    }
    means = {
        language: best(half, language, keys)
        .groupby("collection", sort=False)[f"{language}_bound"]
        .mean()
        for language, keys in groups.items()
    }
    return (100 * pd.DataFrame(means)).round(2)


def by_algorithm(tables):
    """Fig. 3: each algorithm by Cluster, mean over splits, in percent."""
    half = tables[tables.labeled == 0.5]
    found = best(half, "cluster", ["collection", "split", "algorithm"])
    means = found.pivot_table("cluster_bound", "collection", "algorithm", sort=False)
    return (100 * means[[name for name, _ in ALGORITHMS]]).round(2)


def draw_runs(tables, output):
    """Figs. 1 and 2: k-means and spherical k-means on two collections, one split."""
    names = [
        n for n in ("cmu-different-1000", "cmu-same-1000") if n in set(tables.collection)
    ]
    if not names:
        return
    figure, axes = plt.subplots(
        2, len(names), figsize=(5 * len(names), 7), squeeze=False, layout="constrained"
    )
    one = tables[(tables.labeled == 0.5) & (tables.split == 0)]
    for (upper, lower), name in zip(axes.T, names, strict=True):
        for algorithm, marker in (("KMeans", "s"), ("SPKMeans", "o")):
            table = one[(one.collection == name) & (one.algorithm == algorithm)]
            runs = table[table.n_clusters == 3].simple_bound.to_numpy()
            upper.plot(np.arange(1, len(runs) + 1), 100 * runs, marker, label=algorithm)
            curve = best(table, "init", ["n_clusters"]).sort_values("n_clusters")
            lower.plot(curve.n_clusters, 100 * curve.init_bound, f"{marker}-")
        upper.set(title=f"{name}\nSimple, 3 clusters", xlabel="start")
        lower.set(title="Init, best start", xlabel="number of clusters")
        for axis in (upper, lower):
            axis.axhline(200 / 3, color="gray", linestyle=":", label="constant")
            axis.set(ylim=(0, None), ylabel="bound on test error (%)")
            axis.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes[0, 0].legend()
    save_figure(figure, output / "figures_1_2")


def draw_algorithms(tables, output):
    """Fig. 3."""
    means = by_algorithm(tables)
    figure, axis = plt.subplots(figsize=(11, 4.5), layout="constrained")
    means.plot.bar(ax=axis, width=0.8)
    axis.set(ylabel="bound on test error (%), Cluster", xlabel="")
    axis.tick_params(axis="x", rotation=25)
    plt.setp(axis.get_xticklabels(), ha="right")
    axis.legend(ncols=3)
    save_figure(figure, output / "figure_3")


def draw_splits(tables, output):
    """Figs. 4 and 5: the choice by Algo over proportions, with the hidden error."""
    names = list(dict.fromkeys(tables.collection))
    rows = -(-len(names) // 4)
    figure, axes = plt.subplots(
        rows, 4, figsize=(13, 3 * rows), squeeze=False, layout="constrained"
    )
    for axis, name in zip(axes.flat, names, strict=False):
        found = chosen(tables[tables.collection == name]).groupby("labeled")
        for column, label, style in (
            ("algo_bound", "bound (Algo)", "o-"),
            ("test_error", "hidden error", "s--"),
            ("constant_error", "best constant", ":"),
        ):
            values = 100 * found[column].mean()
            axis.plot(100 * values.index, values, style, label=label)
        figure_of_paper = COLLECTIONS[name][2]
        if figure_of_paper is not None:
            axis.plot(50, figure_of_paper, "k*", markersize=10, label="published bound")
        axis.set(title=name, ylim=(0, None), xlabel="labeled (%)")
    for axis in axes.flat[len(names) :]:
        axis.set_axis_off()
    for axis in axes[:, 0]:
        axis.set_ylabel("error on the rest (%)")
    handles = {
        label: handle
        for axis in axes.flat
        for handle, label in zip(*axis.get_legend_handles_labels(), strict=True)
    }
    figure.legend(handles.values(), handles.keys(), loc="lower right", ncols=2)
    save_figure(figure, output / "figures_4_5")


def draw_languages(tables, output):
    """Fig. 6."""
    figure, axis = plt.subplots(figsize=(11, 4.5), layout="constrained")
    by_language(tables).plot.bar(ax=axis, width=0.8)
    axis.set(ylabel="mean bound on test error (%)", xlabel="")
    plt.setp(axis.get_xticklabels(), rotation=25, ha="right")
    save_figure(figure, output / "figure_6")


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
    report = {
        "published bounds": published(tables),
        "single figures": single_figures(tables),
        "Fig. 3, Cluster": by_algorithm(tables),
        "Fig. 6, languages": by_language(tables),
        "Figs. 4-5, Algo by proportion": (
            100 * chosen(tables).pivot_table("algo_bound", "collection", "labeled")
        ).round(2),
        "seconds of fits": tables[(tables.labeled == 0.5) & (tables.split == 0)]
        .pivot_table("fit_time", "collection", "algorithm", aggfunc="sum", sort=False)
        .round(0),
    }
    for title, table in report.items():
        print(f"\n{title}\n{table.to_string()}")
    for draw in (draw_runs, draw_algorithms, draw_splits, draw_languages):
        draw(tables, options.output)
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
