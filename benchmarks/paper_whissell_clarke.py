"""Table I of "Classification-Based Clustering Evaluation" (Whissell, Clarke, ICDM 2010).

Five kinds of synthetic sets, 50 instances of each, are clustered by five clusterers into
2 to 20 clusters. Of these 95 clusterings of an instance each criterion chooses one: how
many clusters it has, and its adjusted mutual information (AMI) with the true classes.

    OMP_NUM_THREADS=1 python benchmarks/paper_whissell_clarke.py --n-jobs 2

writes ``scores.jsonl`` (all values of each instance), ``chosen.csv`` (a row for each
instance and criterion), ``comparison.json`` (the paper's table beside ours) and figures.
An interrupted run continues where it was: instances in ``scores.jsonl`` are not computed
again, so delete it if the code has changed. With ``--quick`` all goes to ``quick`` in the
directory of the results, and its sets have a fifth of the rows.

What the paper leaves open, or what differs from it:

- AMI is normalized by the geometric mean of entropies. Three clusters that each hold one
  of the PAIRED pairs then have sqrt(log 3 / log 6) = .783, which is the number printed;
  by the arithmetic mean, also in ``chosen.csv``, it would be .760.
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

import json
import time
from collections.abc import Callable
from typing import NamedTuple

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from common import experiment_parser, parse_options, save_figure, write_json
from matplotlib.patches import Rectangle
from scipy.cluster.hierarchy import cut_tree, linkage
from scipy.spatial.distance import pdist, squareform
from scipy.stats import tukey_hsd
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
    labelings = [
        cluster_by(X, k, rng.randint(2**31 - 1))
        for cluster_by in (k_means, bisecting_k_means)
        for k in NUMBERS
    ]
    for method in LINKAGES.values():
        labelings += list(cut_tree(linkage(distances, method), NUMBERS).T)
    return labelings


# ---- Criteria, sections V-C and V-D, all such that higher is better


class Clustered(NamedTuple):
    """An instance, the distances between its rows, its clusterings and a seed."""

    X: np.ndarray
    distances: np.ndarray
    labelings: list
    seed: int


def informativeness(data):
    return informativeness_scores(data.X, data.labelings, random_state=data.seed)


def silhouette(data):
    return [
        silhouette_score(data.distances, labels, metric="precomputed")
        for labels in data.labelings
    ]


def neg_davies_bouldin(data):
    return [-davies_bouldin_score(data.X, labels) for labels in data.labelings]


def calinski_harabasz(data):
    return [calinski_harabasz_score(data.X, labels) for labels in data.labelings]


def dunn(data):
    return [dunn_score(data.X, labels) for labels in data.labelings]


CRITERIA = {
    "Inf.": informativeness,
    "SW": silhouette,
    "DB": neg_davies_bouldin,
    "CH": calinski_harabasz,
    "DN": dunn,
}
NAMES = {
    "Inf.": "Informativeness",
    "SW": "Silhouette",
    "DB": "Davies-Bouldin",
    "CH": "Calinski-Harabasz",
    "DN": "Dunn",
}
AVERAGES = {"ami": "geometric", "ami_arithmetic": "arithmetic"}


def agreement(y, labelings, average):
    return [
        adjusted_mutual_info_score(y, labels, average_method=average)
        for labels in labelings
    ]


# ---- One instance


class Task(NamedTuple):
    """An instance of a kind of set, and the number of rows of each of its clusters."""

    kind: str
    instance: int
    sizes: tuple


def evaluate(task):
    """All criteria and both AMI of all clusterings of an instance, and seconds taken."""
    # The benchmark is run on as many processes as there are cores.
    with threadpool_limits(1):
        rng = np.random.RandomState(1000 * list(KINDS).index(task.kind) + task.instance)
        X, y = KINDS[task.kind].make(task.sizes, random_state=rng)
        values, seconds = {}, {}
        data = timed(seconds, "clusterings", prepare, X, rng)
        for name, criterion in CRITERIA.items():
            values[name] = to_list(timed(seconds, name, criterion, data))
        for name, average in AVERAGES.items():
            found = timed(seconds, name, agreement, y, data.labelings, average)
            values[name] = to_list(found)
    return {**task._asdict(), "values": values, "seconds": seconds}


def prepare(X, rng):
    distances = pdist(X)
    labelings = cluster(X, distances, rng)
    return Clustered(X, squareform(distances), labelings, rng.randint(2**31 - 1))


def timed(seconds, name, function, *arguments):
    start = time.perf_counter()
    result = function(*arguments)
    seconds[name] = round(time.perf_counter() - start, 3)
    return result


def to_list(values):
    """As many digits as ties are decided by."""
    return [float(f"{value:.10g}") for value in values]


# ---- All instances, resumed


def plan(n_instances, fraction):
    """One instance of every kind, then the next: all kinds can be looked at early."""
    return [
        Task(name, instance, tuple(int(size * fraction) for size in kind.sizes))
        for instance in range(n_instances)
        for name, kind in KINDS.items()
    ]


def task_of(row):
    return Task(row["kind"], row["instance"], tuple(row["sizes"]))


def read_rows(path):
    """Evaluated instances by task; what an interruption has cut short is left out."""
    rows = {}
    for line in path.read_text().splitlines() if path.exists() else []:
        try:
            row = json.loads(line)
        except json.JSONDecodeError:
            continue
        rows[task_of(row)] = row
    return rows


def evaluate_all(tasks, path, n_jobs):
    """Rows of all tasks; each is appended to the file as soon as it is there."""
    known = read_rows(path)
    left = [task for task in tasks if task not in known]
    print(f"{len(tasks)} instances, {len(left)} of them to do", flush=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    # Rewritten, so that no line follows the rest of one that was cut short.
    path.write_text("".join(json.dumps(row) + "\n" for row in known.values()))
    parallel = Parallel(n_jobs=n_jobs, return_as="generator_unordered")
    start = time.perf_counter()
    with path.open("a") as file:
        found = parallel(delayed(evaluate)(task) for task in left)
        for done, row in enumerate(found, start=1):
            file.write(json.dumps(row) + "\n")
            file.flush()
            known[task_of(row)] = row
            print_progress(row, done, len(left), time.perf_counter() - start)
    return [known[task] for task in tasks]


def print_progress(row, done, n_tasks, elapsed):
    print(
        f"{done:>4}/{n_tasks} {row['kind']:<8}{row['instance']:>3}: "
        f"{sum(row['seconds'].values()):5.1f} s, "
        f"about {elapsed / done * (n_tasks - done) / 60:.0f} min left",
        flush=True,
    )


# ---- Choices


def choose(values):
    """Positions of the best clusterings with most clusters; how many are as good."""
    best = np.flatnonzero(np.isclose(values, np.max(values), rtol=1e-9, atol=0))
    numbers = np.array([CLUSTERINGS[position][1] for position in best])
    return best[numbers == numbers.max()], best.size


SEPARATOR = " | "  # of the names of clusterers whose clusterings are equally good


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
                    "clusterers": SEPARATOR.join(clusterers),
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


BINS = [*map(str, range(2, 9)), "9+"]


def frequencies(chosen):
    """Instances by number of clusters chosen, the last of nine or more."""
    numbers = chosen["n_clusters"].clip(upper=9).value_counts()
    return [int(numbers.get(k, 0)) for k in range(2, 10)]


LEVEL = 0.01


def tukey(samples):
    """Tukey's test: differences of means, p-values, and symbols as in the paper."""
    differences = np.subtract.outer(samples.mean(axis=1), samples.mean(axis=1))
    if np.ptp(samples, axis=1).any():
        p_values = tukey_hsd(*samples).pvalue
    else:  # nothing varies within a sample: any difference is certain
        p_values = (differences == 0).astype(float)
    symbols = np.where(differences > 0, "O", "X")
    return p_values, np.where(p_values < LEVEL, symbols, "-")


# ---- What the paper prints

PUBLISHED_N_INSTANCES = 50
# Instances with 2, ..., 8 and more clusters chosen, and the mean AMI.
PUBLISHED = {
    "6GAUSS": {
        "Inf.": ((0, 0, 0, 0, 49, 1, 0, 0), 0.999),
        "SW": ((0, 1, 2, 5, 42, 0, 0, 0), 0.983),
        "DB": ((1, 2, 2, 12, 33, 0, 0, 0), 0.958),
        "CH": ((0, 0, 0, 0, 50, 0, 0, 0), 1.0),
        "DN": ((3, 3, 2, 0, 42, 0, 0, 0), 0.950),
    },
    "PAIRED": {
        "Inf.": ((0, 1, 10, 20, 19, 0, 0, 0), 0.911),
        "SW": ((0, 50, 0, 0, 0, 0, 0, 0), 0.783),
        "DB": ((0, 50, 0, 0, 0, 0, 0, 0), 0.783),
        "CH": ((0, 48, 0, 0, 2, 0, 0, 0), 0.791),
        "DN": ((1, 49, 0, 0, 0, 0, 0, 0), 0.779),
    },
    "ELONG": {
        "Inf.": ((0, 1, 4, 9, 13, 12, 4, 7), 0.910),
        "SW": ((0, 1, 11, 25, 1, 1, 2, 9), 0.916),
        "DB": ((0, 0, 1, 2, 1, 2, 2, 42), 0.808),
        "CH": ((0, 0, 0, 0, 0, 0, 0, 50), 0.738),
        "DN": ((8, 5, 5, 22, 6, 1, 0, 3), 0.851),
    },
    "UNIFORM": {
        "Inf.": ((0, 0, 0, 0, 0, 0, 47, 3), 0.997),
        "SW": ((0, 0, 0, 0, 0, 0, 50, 0), 1.0),
        "DB": ((0, 0, 0, 0, 0, 0, 50, 0), 1.0),
        "CH": ((0, 0, 0, 0, 0, 0, 50, 0), 1.0),
        "DN": ((27, 5, 5, 1, 2, 1, 2, 7), 0.590),
    },
    "RINGS": {
        "Inf.": ((22, 7, 3, 10, 2, 3, 2, 1), 0.670),
        "SW": ((0, 0, 0, 0, 0, 6, 34, 10), 0.527),
        "DB": ((0, 0, 0, 0, 0, 0, 0, 50), 0.494),
        "CH": ((0, 0, 0, 0, 0, 0, 0, 50), 0.431),
        "DN": ((21, 12, 0, 0, 0, 11, 4, 2), 0.181),
    },
}
# Informativeness against SW, DB, CH and DN; O where it is significantly better.
PUBLISHED_TUKEY = {
    "6GAUSS": "---O",
    "PAIRED": "OOOO",
    "ELONG": "-OO-",
    "UNIFORM": "---O",
    "RINGS": "OOOO",
}


def compare(chosen):
    """By kind of set: the paper's table and ours, and Tukey's test."""
    return {kind: compare_kind(kind, chosen[chosen["set"] == kind]) for kind in KINDS}


def compare_kind(kind, chosen):
    by_criterion = {name: chosen[chosen["criterion"] == name] for name in CRITERIA}
    samples = np.stack([own["ami"] for own in by_criterion.values()])
    p_values, symbols = tukey(samples)
    return {
        "true_clusters": len(KINDS[kind].sizes),
        "best_ami_of_all_clusterings": round(float(chosen["best_ami"].mean()), 4),
        "tukey_of_informativeness": {
            "printed": PUBLISHED_TUKEY[kind],
            "found": "".join(symbols[0, 1:]),
        },
        "tukey_symbols": dict(zip(CRITERIA, map("".join, symbols), strict=True)),
        "tukey_p_values": {
            name: dict(zip(CRITERIA, row.tolist(), strict=True))
            for name, row in zip(CRITERIA, p_values, strict=True)
        },
        "criteria": {
            name: compare_criterion(own, *PUBLISHED[kind][name])
            for name, own in by_criterion.items()
        },
    }


def compare_criterion(chosen, printed_frequencies, printed_ami):
    clusterers = chosen["clusterers"].str.split(SEPARATOR, regex=False).explode()
    return {
        "frequencies": {
            "clusters": BINS,
            "printed": list(printed_frequencies),
            "found": frequencies(chosen),
        },
        "ami": {
            "printed": printed_ami,
            "found": round(float(chosen["ami"].mean()), 4),
            "standard_error": round(float(chosen["ami"].sem()), 4),
            "found_arithmetic": round(float(chosen["ami_arithmetic"].mean()), 4),
        },
        "clusterers": clusterers.value_counts().to_dict(),
        "instances_with_ties": int((chosen["n_as_good"] > 1).sum()),
    }


def statements(tables):
    """What section V-E concludes, and whether it is so here."""
    worse = {
        name: [kind for kind, table in tables.items() if against(table, name) == "O"]
        for name in CRITERIA
    }
    better = {
        name: [kind for kind, table in tables.items() if against(table, name) == "X"]
        for name in CRITERIA
    }
    others = [name for name in CRITERIA if name != "Inf."]
    return [
        {
            "statement": "No criterion has a significantly higher AMI than "
            "informativeness on any kind of set",
            "holds": not any(better.values()),
            "found": {name: better[name] for name in others},
        },
        {
            "statement": "Each other criterion has a significantly lower AMI than "
            "informativeness on two kinds of sets or more",
            "holds": all(len(worse[name]) >= 2 for name in others),
            "found": {name: worse[name] for name in others},
        },
    ]


def against(table, name):
    """Tukey's symbol of informativeness against another criterion."""
    return table["tukey_symbols"]["Inf."][list(CRITERIA).index(name)]


def mean_seconds(rows):
    """By kind of set: mean seconds of an instance, in all and by part."""
    seconds = pd.DataFrame([{"set": row["kind"], **row["seconds"]} for row in rows])
    means = seconds.groupby("set", sort=False).mean()
    means.insert(0, "all", means.sum(axis=1))
    return means.round(2)


# ---- Figures


def draw_frequencies(tables, n_instances):
    """Chosen numbers of clusters: a row of panels for each set, printed and found."""
    figure, axes = plt.subplots(
        len(tables), 2, figsize=(10, 11), sharex=True, sharey=True, layout="constrained"
    )
    heads = {
        "printed": f"Whissell & Clarke, Table I ({PUBLISHED_N_INSTANCES} instances)",
        "found": f"sklearn_pacmdl ({n_instances} instances)",
    }
    for row, (kind, table) in zip(axes, tables.items(), strict=True):
        for ax, source in zip(row, heads, strict=True):
            draw_counts(ax, table, source)
        row[0].set_ylabel(kind, weight="bold")
    for ax, head in zip(axes[0], heads.values(), strict=True):
        ax.set_title(head)
    for ax in axes[-1]:
        ax.set_xlabel("Clusters chosen (framed: the true number)")
    return figure


def draw_counts(ax, table, source):
    counts = np.array(
        [own["frequencies"][source] for own in table["criteria"].values()], dtype=int
    )
    shares = counts / counts.sum(axis=1, keepdims=True)
    ax.imshow(shares, cmap="Blues", vmin=0, vmax=1.2, aspect="auto")
    for (y, x), count in np.ndenumerate(counts):
        if count:
            dark = shares[y, x] > 0.6
            ax.text(x, y, count, ha="center", va="center", color="w" if dark else "k")
    frame = (BINS.index(str(table["true_clusters"])) - 0.5, -0.5)
    ax.add_patch(
        Rectangle(frame, 1, len(counts), fill=False, ec="C1", lw=2, clip_on=False)
    )
    ax.set_xticks(range(len(BINS)), BINS)
    ax.set_yticks(range(len(counts)), [NAMES[name] for name in table["criteria"]])
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)


def draw_ami(tables):
    """Mean AMI of what the criteria chose, a panel for each kind of set."""
    figure, axes = plt.subplots(
        1, len(tables), figsize=(12, 3.4), sharex=True, sharey=True, layout="constrained"
    )
    heights = np.arange(len(CRITERIA))[::-1]
    for ax, (kind, table) in zip(axes, tables.items(), strict=True):
        values = pd.DataFrame([own["ami"] for own in table["criteria"].values()])
        best = ax.axvline(table["best_ami_of_all_clusterings"], color="0.7", ls="--")
        printed = ax.scatter(
            values["printed"], heights, s=70, fc="none", ec="C1", lw=1.8, zorder=3
        )
        found = ax.errorbar(
            values["found"], heights, xerr=1.96 * values["standard_error"], fmt="o", ms=4
        )
        ax.set(title=kind, xlim=(0, 1.04), xticks=(0, 0.5, 1), xlabel="Mean AMI")
        ax.grid(axis="y", color="0.92")
        ax.set_axisbelow(True)
        ax.spines[["top", "right"]].set_visible(False)
    axes[0].set_yticks(heights, [NAMES[name] for name in CRITERIA])
    figure.legend(
        [printed, found, best],
        ["printed in Table I", "found, 95 % interval", "best of all clusterings"],
        loc="outside lower center",
        ncols=3,
        frameon=False,
    )
    return figure


def draw_all(tables, n_instances, output):
    figures = {
        "chosen_clusters": draw_frequencies(tables, n_instances),
        "mean_ami": draw_ami(tables),
    }
    for name, figure in figures.items():
        save_figure(figure, output / name)
    return [f"{name}.{kind}" for name in figures for kind in ("png", "svg")]


# ---- Report


def print_tables(tables):
    for kind, table in tables.items():
        print(
            f"\n{kind}: {table['true_clusters']} clusters; best AMI of all clusterings "
            f"{table['best_ami_of_all_clusterings']:.3f}"
        )
        print(pd.DataFrame(table_rows(table)).to_string(index=False))
        found = table["tukey_of_informativeness"]
        print(
            "Tukey, informativeness against SW DB CH DN: "
            f"printed {found['printed']}, found {found['found']}"
        )


def table_rows(table):
    """Two rows for each criterion: what is printed and what is found."""
    for name, own in table["criteria"].items():
        for source in ("printed", "found"):
            counts = dict(zip(BINS, own["frequencies"][source], strict=True))
            first = name if source == "printed" else ""
            ami = f"{own['ami'][source]:.3f}"
            tests = table["tukey_symbols"][name] if source == "found" else ""
            yield {"": first, " ": source, **counts, "AMI": ami, "Tukey": tests}


def print_statements(checked):
    print("\nStatements of section V-E")
    for row in checked:
        print(f"{'holds' if row['holds'] else 'FAILS':<6} {row['statement']}")
        print(f"       found: {row['found']}")


def parse_arguments():
    quick = "5 instances with a fifth of the rows"
    parser = experiment_parser(__doc__, "whissell_clarke", quick)
    parser.add_argument(
        "--n-instances",
        type=int,
        metavar="N",
        help=f"of each kind of set (default: {PUBLISHED_N_INSTANCES}, quick: 5)",
    )
    arguments = parse_options(parser)
    if arguments.n_instances is None:
        arguments.n_instances = 5 if arguments.quick else PUBLISHED_N_INSTANCES
    if arguments.n_instances < 2:
        parser.error("--n-instances must be 2 or more: their AMI are compared by a test.")
    return arguments


def main():
    arguments = parse_arguments()
    output, n_instances = arguments.output, arguments.n_instances
    tasks = plan(n_instances, 0.2 if arguments.quick else 1)
    rows = evaluate_all(tasks, output / "scores.jsonl", arguments.n_jobs)
    chosen = choices(rows)
    chosen.to_csv(output / "chosen.csv", index=False, float_format="%.10g")
    tables, seconds = compare(chosen), mean_seconds(rows)
    checked = statements(tables)
    print_tables(tables)
    print_statements(checked)
    print("\nMean seconds of an instance")
    print(seconds.rename_axis(None).to_string())
    results = {
        "quick": arguments.quick,
        "n_instances": n_instances,
        "tables": tables,
        "statements": checked,
        "mean_seconds": seconds.to_dict("index"),
        "seconds_in_all": round(sum(sum(row["seconds"].values()) for row in rows), 1),
        "files": ["scores.jsonl", "chosen.csv", *draw_all(tables, n_instances, output)],
    }
    write_json(output / "comparison.json", results)


if __name__ == "__main__":
    main()
