"""
Certify topics, communities and layers that another program has made
=====================================================================

A program has already clustered the data, at several resolutions, and some rows have a
label. Which of its labelings should label the other rows, and how many of these labels
will be wrong? A search over ``PrecomputedLabels()`` takes the table of labelings as it
is: every column is a candidate, its name is kept, and what is missing is noise.

The columns of ``.obs`` that scanpy writes into an ``AnnData``, as categories of text::

    for resolution in (0.25, 0.5, 1.0, 2.0):
        sc.tl.leiden(adata, resolution=resolution, key_added=f"leiden_{resolution}")
    labelings = adata.obs.filter(like="leiden_")
    search = PACMDLSearchCV(PrecomputedLabels(), random_state=0)
    search.fit(labelings, adata.obs["expert"])  # missing where no expert has looked

The topics of BERTopic, before and after it merges some of them; its outliers are -1::

    labelings = {"all topics": topic_model.fit_transform(docs)[0]}
    for n in (100, 50, 20):
        topic_model.reduce_topics(docs, nr_topics=n)
        labelings[f"{n} topics"] = list(topic_model.topics_)
    PACMDLSearchCV(PrecomputedLabels(), random_state=0).fit(labelings, y)

Cuts through the tree of ``HDBSCAN``, of scikit-learn or of the package ``hdbscan``; and
the layers of EVoC, which are a list of labelings::

    tree = HDBSCAN(min_cluster_size=10).fit(X)
    cuts = {f"cut at {d}": tree.dbscan_clustering(d) for d in (0.5, 1.0, 2.0)}
    PACMDLSearchCV(PrecomputedLabels(), random_state=0).fit(cuts, y)

    layers = evoc.EVoC().fit(X).cluster_layers_
    PACMDLSearchCV(PrecomputedLabels(), random_state=0).fit(layers, y)

**None of these programs may have looked at the labels.** Labelings that were computed,
tuned, merged or picked with knowledge of the labels ``y`` are not valid in a search: the
bounds would be too small. Neither are the labels themselves as one of the columns, or
predictions of a classifier that was fitted to them. In an audit all of these are valid,
since the rows that people check are drawn after the labeling was fixed: see
``sklearn_pacmdl.audits``.

Here t-SNE and HDBSCAN cluster the 1,797 handwritten digits that come with scikit-learn.
Twelve cuts through the tree of HDBSCAN, and its own two choices, become columns of text
in a data frame. Then a third of the digits is labeled. The picture shows four of the
labelings, and for each column the bound and the true error rate of its labels. Low cuts
leave most digits to noise, and high cuts merge different digits. The search takes the
column with the smallest bound, which accounts for the choice.
"""

import argparse
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.ticker import PercentFormatter
from sklearn.cluster import HDBSCAN
from sklearn.datasets import load_digits
from sklearn.manifold import TSNE

from sklearn_pacmdl import ClusterLabelClassifier, PACMDLSearchCV
from sklearn_pacmdl.cluster import PrecomputedLabels


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--output", type=Path, default=Path("labelings_from_elsewhere.png")
    )
    parser.add_argument("--quick", action="store_true", help="a third of the digits")
    return parser.parse_args()


def layers_of_hdbscan(points, distances):
    """Labelings as text, by name; noise is missing."""
    options = {"min_cluster_size": 10, "copy": True}
    tree = HDBSCAN(**options).fit(points)
    leaves = HDBSCAN(cluster_selection_method="leaf", **options).fit(points)
    layers = {f"cut at {d:.2f}": tree.dbscan_clustering(d, 10) for d in distances}
    layers |= {"excess of mass": tree.labels_, "leaves": leaves.labels_}
    frame = pd.DataFrame(layers)
    return frame.map("cluster {}".format).where(frame >= 0)


def true_errors(frame, seen, y):
    """Error rates on the rows whose labels are hidden, by labeling."""
    hidden, errors = seen == -1, []
    for name in frame:
        classifier = ClusterLabelClassifier(PrecomputedLabels(), random_state=0)
        transduction = classifier.fit(frame[[name]], seen).transduction_
        errors.append(np.mean(transduction[hidden] != y[hidden]))
    return errors


def draw_layer(ax, points, clusters, title):
    """Clusters in colors, noise in gray."""
    codes, _ = pd.factorize(clusters)
    noise = codes < 0
    ax.scatter(*points[noise].T, s=3, color="0.7", linewidths=0)
    colors = plt.colormaps["tab20"](codes[~noise] % 20)
    ax.scatter(*points[~noise].T, s=5, color=colors, linewidths=0)
    ax.set(xticks=[], yticks=[])
    ax.set_title(title, fontsize="medium")


def draw_bounds(ax, results, chosen):
    """Bound and true error of each labeling, by name."""
    rows = np.arange(len(results))[::-1]
    colors = np.where(results["param_column"] == chosen, "tab:red", "tab:blue")
    bounds, errors = results["mean_test_bound"], results["true_error"]
    ax.hlines(rows, errors, bounds, color=colors, linewidth=1)
    ax.scatter(bounds, rows, color=colors, zorder=2, label="at most (bound)")
    ax.scatter(
        errors, rows, color="w", edgecolor=colors, zorder=2, label="in truth (hidden)"
    )
    ax.set_yticks(rows, results["param_column"])
    ax.set(xlim=(0, 1), xlabel="unlabeled digits with a wrong label")
    ax.xaxis.set_major_formatter(PercentFormatter(1))
    ax.grid(axis="x", alpha=0.3)
    ax.legend(loc="center right", bbox_to_anchor=(1, 0.62))
    for tick, color in zip(ax.get_yticklabels(), colors, strict=True):
        tick.set_color("black" if color == "tab:blue" else color)


def main():
    arguments = parse_arguments()
    X, y = load_digits(return_X_y=True)
    if arguments.quick:
        X, y = X[::3], y[::3]
    # Neither of the two sees a label.
    points = TSNE(init="pca", random_state=0, max_iter=500).fit_transform(X)
    frame = layers_of_hdbscan(points, np.geomspace(0.8, 8, 12))
    print(frame.iloc[:4, 2:6].to_string(), "\n")

    # The rows to label are drawn at random from all rows.
    rows = np.random.RandomState(0).permutation(len(y))[: len(y) // 3]
    seen = np.full(len(y), -1)
    seen[rows] = y[rows]
    search = PACMDLSearchCV(PrecomputedLabels(), classes=range(10), random_state=0)
    search.fit(frame, seen)
    chosen = search.best_params_["column"]
    results = pd.DataFrame(search.cv_results_)
    results["true_error"] = true_errors(frame, seen, y)
    columns = ["param_column", "n_clusters_found", "mean_test_bound", "true_error"]
    print(results[columns].round(3).to_string(index=False))
    print(f"\n{chosen}: {search.certificate_.statement}")

    figure = plt.figure(figsize=(13, 7), layout="constrained")
    layers = [["low", "chosen", "bounds"], ["middle", "high", "bounds"]]
    axes = figure.subplot_mosaic(layers, width_ratios=[1, 1, 1.25])
    shown = zip(("low", "middle", "high"), (2, 6, 9), strict=True)
    for place, name in [*((p, frame.columns[i]) for p, i in shown), ("chosen", chosen)]:
        noise = frame[name].isna().mean()
        title = f"{name}: {frame[name].nunique()} clusters, {noise:.0%} noise"
        draw_layer(axes[place], points, frame[name], title)
    axes["chosen"].title.set_color("tab:red")
    draw_bounds(axes["bounds"], results, chosen)
    most, n_hidden = search.certificate_.max_test_errors, (seen == -1).sum()
    axes["bounds"].set_title(
        f"{chosen}: at most {most} of {n_hidden} wrong", color="tab:red"
    )
    figure.savefig(arguments.output, dpi=120)
    print(f"\nPicture: {arguments.output}")


if __name__ == "__main__":
    main()
