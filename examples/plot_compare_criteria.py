"""
How different criteria rank the same clusterings
================================================

Ward's method clusters the handwritten digits into 2 to 30 clusters. One ``GridSearchCV``
compares criteria that see the images only (silhouette, Dunn, informativeness) with
criteria that see a tenth of the labels (the PAC-MDL bound, Dom's Q2). A good criterion
chooses a clustering whose majority labels are seldom wrong on the other images.
"""

import argparse
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.ticker import PercentFormatter
from sklearn.cluster import AgglomerativeClustering
from sklearn.datasets import load_digits
from sklearn.metrics import silhouette_score
from sklearn.model_selection import GridSearchCV

from sklearn_pacmdl import ClusterLabelClassifier, TransductiveSplit
from sklearn_pacmdl.metrics import (
    dom_q2_score,
    dunn_score,
    informativeness_score,
    make_labeling_scorer,
    pac_mdl_score,
)


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--output", type=Path, default=Path("compare_criteria.png"))
    parser.add_argument("--n-jobs", type=int, default=2)
    parser.add_argument("--quick", action="store_true", help="fewer candidates")
    return parser.parse_args()


def criteria():
    return {
        "silhouette": make_labeling_scorer(silhouette_score, kind="internal"),
        "Dunn": make_labeling_scorer(dunn_score, kind="internal"),
        "informativeness": make_labeling_scorer(
            informativeness_score, kind="internal", cv=5
        ),
        "PAC-MDL bound": make_labeling_scorer(
            pac_mdl_score, kind="bound", language="cluster"
        ),
        "Dom's Q2": make_labeling_scorer(dom_q2_score, kind="external"),
    }


def hidden_errors(X, y, seen, numbers):
    """Error rate of the majority labels on the rows whose labels are hidden."""
    hidden = seen == -1
    errors = []
    for n_clusters in numbers:
        clusterer = AgglomerativeClustering(n_clusters)
        given = ClusterLabelClassifier(clusterer, random_state=0).fit(X, seen)
        errors.append(np.mean(given.transduction_[hidden] != y[hidden]))
    return np.array(errors)


def main():
    arguments = parse_arguments()
    X, y = load_digits(return_X_y=True)
    seen = np.full(len(y), -1)
    labeled = np.random.RandomState(0).permutation(len(y))[: len(y) // 10]
    seen[labeled] = y[labeled]
    # In decreasing order: GridSearchCV chooses the first of equals.
    numbers = list(range(30, 1, -7 if arguments.quick else -1))
    scorers = criteria()
    search = GridSearchCV(
        AgglomerativeClustering(),
        {"n_clusters": numbers},
        scoring=scorers,
        refit=False,
        cv=TransductiveSplit(),
        n_jobs=arguments.n_jobs,
    ).fit(X, seen)
    error = hidden_errors(X, y, seen, numbers)

    figure, (above, below) = plt.subplots(
        2, 1, figsize=(9, 7), sharex=True, layout="constrained", height_ratios=[2, 1]
    )
    rows = []
    for name in scorers:
        values = search.cv_results_[f"mean_test_{name}"]
        scaled = (values - values.min()) / (values.max() - values.min())
        (line,) = above.plot(numbers, scaled, label=name)
        best = int(np.argmax(values))
        above.plot(numbers[best], scaled[best], "*", color=line.get_color(), ms=13)
        rows.append((name, numbers[best], values[best], f"{error[best]:.2%}"))
    above.set(ylabel="Criterion, scaled from its worst to its best value")
    above.legend(loc="upper left", bbox_to_anchor=(1, 1), fontsize="small")
    below.plot(numbers, error, color="0.5", marker="o", ms=3)
    below.set(xlabel="Number of clusters", ylabel="True error rate", ylim=(0, None))
    below.yaxis.set_major_formatter(PercentFormatter(1))
    figure.savefig(arguments.output, dpi=120)
    columns = ["criterion", "clusters", "value", "true error rate"]
    print(pd.DataFrame(rows, columns=columns).round(3).to_string(index=False))
    print(f"\nPicture: {arguments.output}")


if __name__ == "__main__":
    main()
