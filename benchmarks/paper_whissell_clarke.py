"""Table I of "Classification-Based Clustering Evaluation" (Whissell, Clarke, ICDM 2010).

Five kinds of synthetic sets, 50 instances of each, are clustered by five clusterers into
2 to 20 clusters. Of these 95 clusterings of an instance each criterion chooses one: how
many clusters it has, and its adjusted mutual information (AMI) with the true classes.

    OMP_NUM_THREADS=1 python benchmarks/paper_whissell_clarke.py --n-jobs 2

writes ``chosen.csv`` (a row for each instance and criterion), ``comparison.json`` (the
paper's table beside ours) and figures. An interrupted run continues where it was: the
values of each instance are kept in ``candidates``, so delete it if the code has changed.
With ``--quick`` all goes to ``quick`` in the directory of the results, and its sets have
a fifth of the rows.

What the paper leaves open, or what differs from it:

- AMI is normalized by the geometric mean of entropies. Three clusters that each hold one
  of the PAIRED pairs then have sqrt(log 3 / log 6) = 0.783, which is the number printed;
  by the arithmetic mean, also in ``chosen.csv``, it would be 0.760.
- k-means: one start from random rows, Lloyd's iterations until the centers hardly move,
  as scikit-learn stops them. Bisecting k-means: the cluster with most rows is split in
  two, by one such start. Both begin afresh for each number of clusters. Linkages:
  Euclidean distances, all numbers of clusters cut from one tree.
- Classifiers are the defaults of `informativeness_scores`. The paper has Weka's: its tree
  prunes and holds at least two rows in a leaf, ours is grown in full by entropy; its
  neighbors are sought among features scaled to [0, 1], ours among features as they are.
  Folds are shuffled and not stratified, and the same for all clusterings of an instance.
- Of clusterings with equal values, to a relative 1e-9, those with most clusters are
  chosen. The paper says so of informativeness; here it holds for every criterion. If
  clusterings by several clusterers remain, AMI is their mean: no order of the clusterers
  decides. Mostly they are one clustering found several times.
- Silhouettes are of Euclidean distances and 0 for a single row. Dunn's index is the
  nearest rows of two clusters over the farthest of one.
- Tukey's test takes the criteria as independent samples, as the paper appears to; they
  are chosen on the same instances. Only the paper's row of informativeness is compared.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd
import tables_whissell_clarke as tables_of
from common import (
    clock,
    experiment_parser,
    parse_options,
    print_tables,
    resumed,
    save_figures,
    write_json,
)
from figures_whissell_clarke import draw_frequencies
from scipy.cluster.hierarchy import cut_tree, linkage
from scipy.spatial.distance import pdist, squareform
from sklearn.cluster import BisectingKMeans, KMeans
from sklearn.metrics import (
    adjusted_mutual_info_score,
    calinski_harabasz_score,
    davies_bouldin_score,
    silhouette_score,
)
from sklearn.utils.parallel import Parallel, delayed
from threadpoolctl import threadpool_limits

from sklearn_pacmdl import datasets
from sklearn_pacmdl.metrics import dunn_score, informativeness_scores

# ---- Sets and clusterings, sections V-A and V-B


class Kind(NamedTuple):
    """A kind of set: its generator and how many rows each of its clusters has."""

    make: Callable
    sizes: tuple


KINDS = {
    "6GAUSS": Kind(datasets.make_separated_gaussians, (500,) * 6),
    "PAIRED": Kind(datasets.make_paired_gaussians, (500,) * 6),
    "ELONG": Kind(datasets.make_elongated_gaussians, (300,) * 5),
    "UNIFORM": Kind(datasets.make_uniform_boxes, (300,) * 8),
    "RINGS": Kind(datasets.make_rings, (1200, 400)),
}
NUMBERS = range(2, 21)
LINKAGES = {"UPGMA": "average", "complete": "complete", "single": "single"}
CLUSTERERS = ["k-means", "bisecting k-means", *LINKAGES]
CLUSTERINGS = [(name, k) for name in CLUSTERERS for k in NUMBERS]


def k_means(X, k, seed):
    return KMeans(k, init="random", n_init=1, random_state=seed).fit(X).labels_


def bisecting_k_means(X, k, seed):
    clusterer = BisectingKMeans(
        k, init="random", bisecting_strategy="largest_cluster", random_state=seed
    )
    return clusterer.fit(X).labels_


def cluster(X, distances, rng):
    """Labels of each of CLUSTERINGS, in that order."""
    clusterings = [
        cluster_by(X, k, rng.randint(2**31 - 1))
        for cluster_by in (k_means, bisecting_k_means)
        for k in NUMBERS
    ]
    for method in LINKAGES.values():
        clusterings += list(cut_tree(linkage(distances, method), NUMBERS).T)
    return clusterings


# ---- Criteria, sections V-C and V-D, all such that higher is better


class Clustered(NamedTuple):
    """An instance, the distances between its rows, its clusterings and a seed."""

    X: np.ndarray
    distances: np.ndarray
    clusterings: list
    seed: int


def informativeness(data):
    return informativeness_scores(data.X, data.clusterings, random_state=data.seed)


def silhouette(data):
    return [
        silhouette_score(data.distances, labels, metric="precomputed")
        for labels in data.clusterings
    ]


def neg_davies_bouldin(data):
    return [-davies_bouldin_score(data.X, labels) for labels in data.clusterings]


def calinski_harabasz(data):
    return [calinski_harabasz_score(data.X, labels) for labels in data.clusterings]


def dunn(data):
    return [dunn_score(data.X, labels) for labels in data.clusterings]


CRITERIA = {
    "Inf.": informativeness,
    "SW": silhouette,
    "DB": neg_davies_bouldin,
    "CH": calinski_harabasz,
    "DN": dunn,
}
AVERAGES = {"ami": "geometric", "ami_arithmetic": "arithmetic"}


def agreement(y, clusterings, average):
    return [
        adjusted_mutual_info_score(y, labels, average_method=average)
        for labels in clusterings
    ]


# ---- One instance


def evaluate(kind, instance, fraction):
    """All criteria and both AMI of all clusterings of an instance, and seconds taken."""
    make, sizes = KINDS[kind]
    seconds = {}

    def timed(name, function, *arguments):
        took, result = clock(partial(function, *arguments))
        seconds[name] = round(took, 3)
        return result

    # The benchmark is run on as many processes as there are cores.
    with threadpool_limits(1):
        rng = np.random.RandomState(1000 * list(KINDS).index(kind) + instance)
        X, y = make(tuple(int(size * fraction) for size in sizes), random_state=rng)
        data = timed("clusterings", prepare, X, rng)
        values = {name: timed(name, of, data) for name, of in CRITERIA.items()}
        for name, average in AVERAGES.items():
            values[name] = timed(name, agreement, y, data.clusterings, average)
    values = {name: to_list(column) for name, column in values.items()}
    return {"kind": kind, "instance": instance, "values": values, "seconds": seconds}


def prepare(X, rng):
    distances = pdist(X)
    clusterings = cluster(X, distances, rng)
    return Clustered(X, squareform(distances), clusterings, rng.randint(2**31 - 1))


def to_list(values):
    """As many digits as ties are decided by."""
    return [float(f"{value:.10g}") for value in values]


def evaluate_all(n_instances, fraction, folder, n_jobs):
    """One instance of every kind, then the next: all kinds can be looked at early."""
    return Parallel(n_jobs=n_jobs)(
        delayed(resumed)(
            folder / f"{kind}_{instance}_{fraction}.pkl",
            partial(evaluate, kind, instance, fraction),
        )
        for instance in range(n_instances)
        for kind in KINDS
    )


# ---- Choices


def choose(values):
    """Positions of the best clusterings with most clusters; how many are as good."""
    best = np.flatnonzero(np.isclose(values, np.max(values), rtol=1e-9, atol=0))
    numbers = np.array([CLUSTERINGS[position][1] for position in best])
    return best[numbers == numbers.max()], best.size


def choices(rows):
    """A row for each instance and criterion: what was chosen, and what it is worth."""
    found = []
    for row in rows:
        values = row["values"]
        for criterion in CRITERIA:
            positions, n_best = choose(values[criterion])
            clusterers, numbers = zip(*(CLUSTERINGS[p] for p in positions), strict=True)
            found.append(
                {
                    "set": row["kind"],
                    "instance": row["instance"],
                    "criterion": criterion,
                    "clusterers": tables_of.SEPARATOR.join(clusterers),
                    "n_clusters": numbers[0],
                    "value": values[criterion][positions[0]],
                    "n_as_good": n_best,
                    **{
                        name: np.mean(np.take(values[name], positions))
                        for name in AVERAGES
                    },
                    "best_ami": max(values["ami"]),
                }
            )
    return pd.DataFrame(found)


def mean_seconds(rows):
    """By kind of set: mean seconds of an instance, in all and by part."""
    seconds = pd.DataFrame([{"set": row["kind"], **row["seconds"]} for row in rows])
    means = seconds.groupby("set", sort=False).mean()
    means.insert(0, "all", means.sum(axis=1))
    return means.round(2)


# ---- Report


def parse_arguments():
    quick = "2 instances with a fifth of the rows"
    parser = experiment_parser(__doc__, "whissell_clarke", quick)
    parser.add_argument(
        "--n-instances",
        type=int,
        metavar="N",
        help="of each kind of set (default: 50, quick: 2)",
    )
    arguments = parse_options(parser)
    if arguments.n_instances is None:
        arguments.n_instances = 2 if arguments.quick else tables_of.PUBLISHED_N_INSTANCES
    if arguments.n_instances < 2:
        parser.error("--n-instances must be 2 or more: their AMI are compared by a test.")
    return arguments


def main():
    arguments = parse_arguments()
    output, n_instances = arguments.output, arguments.n_instances
    fraction = 0.2 if arguments.quick else 1
    rows = evaluate_all(n_instances, fraction, output / "candidates", arguments.n_jobs)
    chosen = choices(rows)
    chosen.to_csv(output / "chosen.csv", index=False, float_format="%.10g")
    true_clusters = {name: len(kind.sizes) for name, kind in KINDS.items()}
    tables, seconds = tables_of.compare(chosen, true_clusters), mean_seconds(rows)
    checked = tables_of.statements(tables)
    shown = {"Statements of section V-E": checked, "Mean seconds of an instance": seconds}
    print_tables(tables_of.printed(tables) | shown)
    results = {
        "quick": arguments.quick,
        "n_instances": n_instances,
        "tables": tables,
        "statements": checked,
        "mean_seconds": seconds.to_dict("index"),
        "seconds_in_all": round(sum(sum(row["seconds"].values()) for row in rows), 1),
    }
    save_figures(output, {"chosen_clusters": draw_frequencies(tables, n_instances)})
    write_json(output / "comparison.json", results)


if __name__ == "__main__":
    main()
